"""Lists beside folders of images that say more of these than the folders are told of; others are not."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec
from foreign_files import write_files
from test_dataset_layouts import make
from test_dataset_samples import plan_from

from tfrecordcli.sources.folders.named_images import NamedImages
from tfrecordcli.sources.folders.naming_lists import NamingLists

NAMED = [f"{label}/{label}{at:04}.jpg" for label in ("cat", "dog") for at in range(12)]
NUMBERED = [f"{label}/{at}.jpg" for label in ("cat", "dog") for at in range(1, 30)]
OF_IDS = [f"{label}/0{(at * 7919 + 31) * 104729}.jpg" for at, label in enumerate(("cat", "dog") * 12)]
HASHED = [f"{label}/{(at + 11) * 15485863:x}b1.jpg" for at, label in enumerate(("cat", "dog") * 12)]
TOLD = "lists beside the folders name images in them and are passed over"


def _filled(row: str, at: int, path: str) -> str:
    """A row of an image, by its number and path."""
    label, _, name = path.partition("/")
    stem = name.removesuffix(".jpg")
    split, other = ("train", "cat") if at % 4 else ("test", "dog")
    words = {"path": path, "name": name, "stem": stem, "bare": stem[1:], "label": label, "other": other}
    return row.format(at=at, some=at % 7, split=split, is_dog=int(label == "dog"), **words)


def _table(header: str, images: list[str], row: str) -> str:
    rows = [_filled(row, at, path) for at, path in enumerate(images)]
    return "\n".join([header] * bool(header) + rows) + "\n"


def _object(images: list[str], value: str) -> str:
    return "{" + ", ".join(f'"{path}": {_filled(value, at, path)}' for at, path in enumerate(images)) + "}"


def _arrays(**images: list[str]) -> str:
    told = ", ".join(
        f'"{name}": [' + ", ".join(f'"{path}"' for path in paths) + "]" for name, paths in images.items()
    )
    return f"{{{told}}}"


COCO_IMAGE = '{{"file_name": "{path}", "id": {at}}}'


def _coco(images: list[str], image: str, begin: str = "") -> str:
    told = ", ".join(_filled(image, at, path) for at, path in enumerate(images))
    return f'{{{begin}"images": [{told}], "categories": [{{"id": 1, "name": "person"}}]}}'


def told_of(files: dict[str, str], images: list[str], *, has_splits: bool = False) -> str:
    named = NamedImages()
    for path in images:
        named.add(path)
    lists = NamingLists("in", "", [*files], lambda path, size: files[path].encode()[:size])
    return lists.told(named, len({path.rpartition("/")[0] for path in images}), has_splits=has_splits)


@pytest.mark.parametrize(
    ("name", "text", "images", "columns"),
    [
        ("train.csv", _table("image,chain,hotel", NAMED, "{name},{label},{some}"), NAMED, "hotel"),
        ("x.csv", _table("image,label", NAMED, "{path},{other}"), NAMED, "label"),
        ("x.csv", _table("", NAMED, "{path},{some}"), NAMED, "column 2"),
        ("x.csv", _table("id,age", HASHED, "{stem},{at}"), HASHED, "age"),
        ("x.csv", _table("article_id,kind", OF_IDS, "{bare},{some}"), OF_IDS, "kind"),
        ("x.csv", _table("article_id,kind", OF_IDS, "{bare}.0,{some}"), OF_IDS, "kind"),
        ("x.csv", _table("Frame,Left", NUMBERED[:29], "{stem},{some}"), NUMBERED, "Left"),
        ("x.csv", _table("path;split", NAMED, "C:\\x\\{path};{split}"), NAMED, "split"),
        ("x.txt", _table("", NAMED, "{path} {some}"), NAMED, "column 2"),
        ("mos.txt", _table("", NAMED, "{some}.5 {path}"), [path.upper() for path in NAMED], "column 1"),
        ("x.jsonl", _table("", NAMED, '{{"f": "{path}", "grade": {some}}}'), NAMED, "grade"),
        ("x.json", _object(NAMED, "{some}"), NAMED, "value"),
        ("x.json", _object(NAMED, '{{"grade": {some}}}'), NAMED, "annotations"),
        (  # as HaGRID's boxes
            "x.json",
            _object([Path(path).stem for path in HASHED], '{{"bboxes": [[0.1, 0.2, 0.3, 0.4]]}}'),
            HASHED,
            "annotations",
        ),
        ("x.json", _arrays(train=NAMED[::2], test=NAMED[1::2]), NAMED, "annotations"),
    ],
)  # fmt: skip
def test_lists_that_say_more_than_folders(name: str, text: str, images: list[str], columns: str) -> None:
    command = f"tfrec convert in/{name} OUTPUT_DIR reads these instead"
    assert told_of({name: text}, images) == f"(in/{name} with {columns}): {command}"


@pytest.mark.parametrize(
    ("name", "text", "images"),
    [
        ("labels.csv", _table("image,label", NAMED, "{path},{label}"), NAMED),
        ("labels.csv", _table("Unnamed: 0,f,y", NAMED, "{at},{path},{label}"), NAMED),
        ("labels.csv", _table(",filepaths,labels", NAMED, "{at},in/{path},{label}"), NAMED),
        ("labels.csv", _table("id,label,class", NAMED, "{name},{label},{is_dog}"), NAMED),
        ("a.csv", _table("f,y,width,height", NAMED, "{path},{label},{at},{some}"), NAMED),
        ("classes.csv", "id,name,count\n0,cat,17\n1,dog,21\n", NUMBERED),
        ("classes.csv", _table("id,name", NUMBERED, "{at},kind {at}"), NUMBERED),
        ("about.csv", "class,images\ncat,12\ndog,13\n", NUMBERED),
        ("about.csv", _table("class,images", NUMBERED, "kind {at},{stem}"), NUMBERED),
        ("log.csv", _table("epoch,loss", NUMBERED, "{at},0.{at}"), NUMBERED),
        ("all.txt", _table("", NAMED, "{path}"), NAMED),
        ("caffe.txt", _table("", NAMED, "{path} {is_dog}"), NAMED),
        ("notes.txt", "cat/cat0001.jpg is the nicest one\ncat/cat0002.jpg was cut out later\n", NAMED),
        ("requirements.txt", "tensorflow==2.15\nnumpy\n", NAMED),
        ("classes.json", '{"0": "cat", "1": "dog"}', NUMBERED),
        ("labels.json", _object(NAMED, '"{label}"'), NAMED),
        ("labels.json", _arrays(cat=NAMED[:12], dog=NAMED[12:]), NAMED),
        ("config.json", '{"rate": 0.1, "example": "cat/cat0001.jpg"}', NAMED),
    ],
)  # fmt: skip
def test_lists_that_say_nothing_further(name: str, text: str, images: list[str]) -> None:
    assert told_of({name: text}, images) == ""


def test_lists_called_after_splits_are_told_of_where_folders_tell_none() -> None:
    halves = {"train.txt": NAMED[::2], "val.txt": NAMED[1::2]}
    files = {name: _table("", paths, "{path}") for name, paths in halves.items()}
    command = "tfrec convert train=in/train.txt validation=in/val.txt OUTPUT_DIR reads these instead"
    assert told_of(files, NAMED) == f"(in/train.txt, in/val.txt): {command}"
    assert told_of(files, NAMED, has_splits=True) == ""


SPLITS = {"train": [*NAMED[:9], *NAMED[12:21]], "test": [*NAMED[9:12], *NAMED[21:]]}
HALVES = (NAMED[::2], NAMED[1::2])
COCO_HALVES = [_coco(paths, COCO_IMAGE) for paths in HALVES]
GRADES = [_table("image,grade", paths, "{path},{some}") for paths in HALVES]


@pytest.mark.parametrize(
    ("one", "other", "lists"),
    [
        ("train=a/train.json", "validation=a/val.json", COCO_HALVES),
        ("train=train-x.csv", "test=test-x.csv", GRADES),
        ("train=train/x.csv", "test=test/x.csv", GRADES),
        ("train.csv", "", (GRADES[0], _table("image", HALVES[1], "{path}"))),
    ],
)
def test_lists_of_splits_are_read_together_where_folders_tell_splits_too(
    one: str, other: str, lists: Sequence[str]
) -> None:
    names = (one.rpartition("=")[2], other.rpartition("=")[2] or "test.csv")
    told = told_of(dict(zip(names, lists, strict=True)), NAMED, has_splits=True)
    sources = " ".join(
        each.replace("=", "=in/") if "=" in each else f"in/{each}" for each in (one, other) if each
    )
    assert told.endswith(f"): tfrec convert {sources} OUTPUT_DIR reads these instead")


def test_all_lists_are_named_with_the_command_for_the_likeliest() -> None:
    files = {f"{name}.csv": _table("image,y", NAMED, "{path},{some}") for name in "abcdefg"}
    shown = ", ".join(f"in/{name}.csv with y" for name in "abcde")
    command = "tfrec convert in/a.csv OUTPUT_DIR reads the first of these instead"
    assert told_of(files, NAMED) == f"({shown}, and 2 more): {command}"


@pytest.mark.parametrize(
    "keys",
    [
        '{{"file_name": "{path}", "license": 0, "flickr_url": "", "coco_url": "", "date_captured": 0}}',
        '{{"flickr_url": "http://x/{at}_z.jpg", "u": "http://x/{at}_o.jpg", "file_name": "{path}"}}',
        '{{"file_name": "{path}", "by": "J\\"o", "before": "raw/{at}.dng.png", "mask": "{at}_mask.png"}}',
    ],
)
@pytest.mark.parametrize("beside", [{}, {"all_urls.csv": _table("", NAMED, "http://x/{at}_z.jpg,{at}")}])
@pytest.mark.parametrize("begin", ["", f'"annotations": [{", ".join(["[1, 2, 9, 9]"] * 9_000)}], '])
def test_coco_that_names_images_is_told_of_whatever_its_keys(
    keys: str, beside: dict[str, str], begin: str
) -> None:
    told = told_of({**beside, "x.json": _coco(NAMED, keys, begin)}, NAMED)
    assert told == "(in/x.json with annotations): tfrec convert in/x.json OUTPUT_DIR reads these instead"


def test_coco_of_other_images_is_no_list_of_these() -> None:
    assert told_of({"x.json": _coco([f"c/{at}.jpg" for at in range(9)], COCO_IMAGE)}, NAMED) == ""


def test_coco_is_proposed_and_not_the_urls_of_its_images(tmp_path: Path) -> None:
    urls = b"http://x/1_z.jpg,http://x/1_o.jpg\nhttp://x/2_z.jpg,http://x/2_o.jpg\n"
    lists = {"all_image_urls.csv": urls, "annotations.json": _coco(["batch_1/01.jpg"], COCO_IMAGE).encode()}
    make(tmp_path / "in", "batch_1/01.jpg", "batch_2/02.jpg", **lists)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert hint.startswith(
        "is in/annotations.json the list of these images? tfrec convert in/annotations.json "
    )


@pytest.mark.parametrize(
    ("source", "listed"),
    [("in", "in/age.csv"), ("in/images", "in/age.csv"), ("in/images/", "in/age.csv"), ("in/b", "")],
)
def test_lists_around_folders_of_images_are_told_of(source: str, listed: str, tmp_path: Path) -> None:
    folder = source.strip("/").removeprefix("in/") if listed else "b"
    images = [f"{'images' if listed else folder}/{path}" for path in NAMED[6:18]]
    table = _table("file,age", NAMED, "{name},{some}")
    make(tmp_path / "in", *images, **{"age.csv": table.encode()})
    done = convert_json(source, "out", "--dry-run", cwd=tmp_path)
    told = [each for each in done["warnings"] if TOLD in each]
    assert [each.partition("they tell ")[2] for each in told] == [
        f"({listed} with age): tfrec convert {listed} OUTPUT_DIR reads these instead"
    ] * bool(listed)


def test_images_without_labels_have_lists_too(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "1a.jpg", "2a.jpg", **{"age.csv": b"file,age\n1a.jpg,3\n2a.jpg,4\n"})
    told = [each for each in plan_from(root, tmp_path, unlabelled="keep").plan.warnings if "age.csv" in each]
    assert len(told) == 1
    assert told[0].startswith("lists beside the images name these and are passed over")


def test_json_that_no_reader_takes_has_the_commands_that_make_lists_of_it(tmp_path: Path) -> None:
    image = '{"filename": "%s", "ann": {"bboxes": [[1, 2, 9, 12]], "labels": [0]}}'
    parts = {"train": ["cam0/1.jpg", "cam1/2.jpg"], "val": ["cam0/3.jpg", "cam1/4.jpg"]}
    lists = {
        f"{name}.json": f"[{', '.join(image % path for path in paths)}]".encode()
        for name, paths in parts.items()
    }
    make(tmp_path / "in", *(f"data/{path}" for paths in parts.values() for path in paths), **lists)
    (told,) = [
        each for each in convert_json("in", "out", "--dry-run", cwd=tmp_path)["warnings"] if TOLD in each
    ]
    making = re.findall(r"make a CSV of it: (python -c '.*?' in/\S+ > \S+?);", told)
    assert len(making) == 2
    for command in making:
        assert shell(command, tmp_path).code == 0
    then = told.partition("; then: ")[2].removesuffix(" reads these instead").replace("OUTPUT_DIR", "boxes")
    done = shell(f"{then} --json", tmp_path).json
    assert (done["records"], done["boxes"]["stored"]) == (4, 4)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {
        "train": 2,
        "validation": 2,
    }


def test_texts_of_splits_may_name_images_by_their_folder_and_number(tmp_path: Path) -> None:
    """As Food-101's: `apple_pie/1005649`, below another folder and without an extension."""
    paths = [f"{label}/{1005649 + at}" for label in ("apple_pie", "waffles") for at in range(6)]
    for split, some in (("train", paths[::2]), ("test", paths[1::2])):
        (tmp_path / "in" / "meta").mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / "meta" / f"{split}.txt").write_text("\n".join(some) + "\n", encoding="utf-8")
    root = make(tmp_path / "in", *(f"images/{path}.jpg" for path in paths))
    (told,) = (w for w in plan_from(root, tmp_path, label_folder="last").plan.warnings if TOLD in w)
    assert f"train={root}/meta/train.txt test={root}/meta/test.txt OUTPUT_DIR reads these instead" in told


@pytest.mark.parametrize(
    ("folder", "source", "is_told"),
    [
        ("imgs/train", "imgs/train", True),
        ("imgs/train", "imgs", True),
        ("imgs/train", "{}/imgs/train/", True),
        ("data/imgs/train", "data/imgs/train", False),
        ("pets/train", "pets/train", False),
        ("imgs/pets", "imgs/pets", False),
    ],
)
def test_a_list_above_folders_that_say_nothing_is_told_of(
    folder: str, source: str, is_told: bool, tmp_path: Path
) -> None:
    table = _table("subject,class,img", NAMED[6:18], "p{some},{label},{name}")
    make(tmp_path, *(f"{folder}/{path}" for path in NAMED[6:18]), **{"drivers.csv": table.encode()})
    done = convert_json(source.format(tmp_path), "out", "--dry-run", cwd=tmp_path)
    told = [each for each in done["warnings"] if TOLD in each]
    assert len(told) == is_told
    assert all("drivers.csv with subject): tfrec convert " in each for each in told)


@pytest.mark.parametrize("source", ["in/images", "in/images/"])
def test_lists_of_splits_in_a_folder_beside_the_images_are_told_of_with_what_reads_them(
    source: str, tmp_path: Path
) -> None:
    lists = {f"meta/{split}.txt": _table("", paths, "{label}/{stem}") for split, paths in SPLITS.items()}
    lists |= {f"meta/{name}": "cat\ndog\n" for name in ("classes.txt", "labels.txt", "a.txt", "b.txt")}
    lists |= {f"meta/{split}.json": _arrays(cat=[], dog=[]) for split in SPLITS}
    make(tmp_path / "in", *(f"images/{path}" for path in NAMED), **{k: v.encode() for k, v in lists.items()})
    done = convert_json(source, "out", "--dry-run", cwd=tmp_path)
    (told,) = (each for each in done["warnings"] if TOLD in each)
    words = told.partition("tfrec convert ")[2].partition(" reads these instead")[0].split()
    error = convert_json(*("new" if word == "OUTPUT_DIR" else word for word in words), cwd=tmp_path)["error"]
    made, _, then = error["hint"].partition("make a CSV of each: ")[2].partition("; then: tfrec convert ")
    assert shell(made, tmp_path).code == 0
    words = then.partition(";")[0].split()
    done = convert_json(*("new" if word == "OUTPUT_DIR" else word for word in words), cwd=tmp_path)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {"train": 18, "test": 6}


def test_lists_of_splits_beside_one_of_these_are_not_told_of(tmp_path: Path) -> None:
    lists = {f"{split}.csv": _table("f,y", paths, "{name},{label}") for split, paths in SPLITS.items()}
    make(tmp_path, *(f"train/{path}" for path in NAMED), **{k: v.encode() for k, v in lists.items()})
    assert TOLD not in str(convert_json("train=train", "out", "--dry-run", cwd=tmp_path))


def test_lists_of_splits_of_several_domains_are_read_together(tmp_path: Path) -> None:
    """As those of DomainNet: `clipart_train.txt` beside `sketch_train.txt`."""
    domains = [f"d{number}" for number in range(4)]
    for domain in domains:
        make(tmp_path, *(f"{domain}/{path}" for path in NAMED[:12]))
        for split, paths in {"train": NAMED[:8], "test": NAMED[8:12]}.items():
            lines = (f"{domain}/{path} {ord(path[0])}\n" for path in paths)
            (tmp_path / f"{domain}_{split}.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "notes_on_test.txt").write_text("what was tested\n", encoding="utf-8")
    refused = convert_json(".", "out", cwd=tmp_path)["error"]["hint"]
    (warned,) = (
        each
        for each in convert_json(".", "out", "--label-folder", "last", "--dry-run", cwd=tmp_path)["warnings"]
        if TOLD in each
    )
    commands = {told.partition("tfrec convert ")[2].partition(" OUTPUT_DIR")[0] for told in (refused, warned)}
    assert len(commands) == 1
    done = convert_json(*commands.pop().split(), "out", cwd=tmp_path)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {"train": 32, "test": 16}


@pytest.mark.parametrize("is_told", [True, False])
def test_a_table_whose_columns_tell_paths_together_is_told_of(is_told: bool, tmp_path: Path) -> None:
    """As the metadata.csv of Camelyon17: folders are of patients, and a column has the label."""
    rows = []
    for patient, x in product(("004", "010"), (3328, 3968, 4000)):
        path = f"patient_{patient}/patch_patient_{patient}_x_{x}.png"
        make(tmp_path, path)
        rows.append(f"{patient},{x if is_told else x + 1},{x % 3 % 2}\n")
    (tmp_path / "metadata.csv").write_text("patient,x_coord,tumor\n" + "".join(rows), encoding="utf-8")
    done = convert_json(".", "out", "--dry-run", cwd=tmp_path)
    assert any("(columns of ./metadata.csv tell their paths)" in each for each in done["warnings"]) == is_told


# Lists of some images in folders of labels, that are all for other splits than training; how many these get.
HELD_OUT = {
    "paths": ({"testing_list.txt": "cat/cat0000.jpg\ndog/dog0003.jpg\n"}, {"train": 22, "test": 2}),
    "names": (
        {"test.txt": "cat0000\ncat0001\n", "val.txt": "\ufeffdog0003.jpg\ndog0004.jpg\n"},
        {"train": 20, "validation": 2, "test": 2},
    ),
    "fields below a header": ({"test.csv": "path,label\ncat/cat0000.jpg,cat\n"}, {"train": 23, "test": 1}),
}


@pytest.mark.parametrize(("files", "splits"), HELD_OUT.values(), ids=HELD_OUT)
def test_images_of_no_list_of_test_or_validation_are_of_training(
    files: dict[str, str], splits: dict[str, int], tmp_path: Path
) -> None:
    photos(tmp_path / "my data", *NAMED)
    write_files(tmp_path / "my data", files)
    told = tfrec("convert", "my data", "out", "--dry-run", cwd=tmp_path).err
    (command,) = re.findall(f"{TOLD}.*: make a list of its images, .*: (python.*); then", told)
    assert shell(command, tmp_path).code == 0
    done = convert_json("my data/list.csv", "new", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items() if each["records"]} == splits
    assert (tmp_path / "new" / "labels.txt").read_text(encoding="utf-8").split() == ["cat", "dog"]


# Values of folders called by ids, of each of two folders above; how many labels come of them, and splits.
VALUES = {
    "by split": ({"train": {"0": 4, "1": 10, "2": 4}, "test": {"0": 7, "1": 10}}, 3, {"train": 6, "test": 4}),
    "of others": ({"a": {"t1": "cat", "t2": "dog", "t3": "cat"}, "b": {"t4": "dog", "t5": "dog"}}, 2, {}),
}


@pytest.mark.parametrize(("values", "labels", "splits"), VALUES.values(), ids=VALUES)
def test_values_of_folders_are_told_with_what_makes_labels_of_them(
    values: dict[str, dict[str, object]], labels: int, splits: dict[str, int], tmp_path: Path
) -> None:
    root = tmp_path / "what's in {1}"
    for name, by_folder in values.items():
        photos(root, *(f"{name}/images/{each}/{n}.png" for each in by_folder for n in range(2)))
        write_files(root, {f"{name}/{name}_gt.json": json.dumps(by_folder)})
    told = tfrec("convert", root.name, "out", "--label-folder", "last", "--dry-run", cwd=tmp_path).err
    (made,) = re.findall(r"make a list of each: (python.*); then", told)
    assert shell(made, tmp_path).code == 0
    (lists,) = re.findall("; then: tfrec convert (.*) OUTPUT_DIR", told)
    done = convert_json(*shlex.split(lists), "new", cwd=tmp_path)
    assert len((tmp_path / "new" / "labels.txt").read_text(encoding="utf-8").split()) == labels
    found = {split: each["records"] for split, each in done["splits"].items()}
    assert sum(found.values()) == 10
    assert splits.items() <= found.items()


@pytest.mark.parametrize(
    "pairs",
    [{"t1": 0, "t2": 1, "t3": 2}, {"t1": "cat", "u2": "cat", "u3": "dog", "u4": "cat"}, {"t1": 1, "t2": 1}],
)
def test_ids_of_classes_are_no_values_of_folders(pairs: dict[str, object], tmp_path: Path) -> None:
    photos(tmp_path / "in", *(f"t{each}/{n}.png" for each in (1, 2, 3) for n in range(2)))
    write_files(tmp_path / "in", {"classes.json": json.dumps(pairs)})
    assert "gives each folder" not in tfrec("convert", "in", "out", "--dry-run", cwd=tmp_path).err


@pytest.mark.parametrize("folder", ["fotos", "画像", "apple"])
@pytest.mark.parametrize("book", ["Äpfel 2.xlsx", "list.ods"])
def test_a_workbook_beside_the_only_folder_of_images_may_be_their_list(
    folder: str, book: str, tmp_path: Path
) -> None:
    photos(tmp_path / "in", *(f"{folder}/IMG_{n}.png" for n in range(4)))
    (tmp_path / "in" / book).write_bytes(b"PK\3\4")
    done = tfrec("convert", "in", "out", "--dry-run", cwd=tmp_path)
    assert done.code == 2 * (folder != "apple")
    assert f"is in/{book} the list of these images?" in done.err
    photos(tmp_path / "in", *(f"pear/IMG_{n}.png" for n in range(4)))
    if folder == "apple":
        assert "list of these images" not in tfrec("convert", "in", "out", "--dry-run", cwd=tmp_path).err
