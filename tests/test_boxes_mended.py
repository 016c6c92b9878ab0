"""Images with a box that cannot be read, of each kind of list: rejected until it is mended, then whole."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from boxing import CAT, DOG, HEADER, boxes_of, photos, records, write
from converting import convert_json, manifest, read_csv, tfrec, write_csv
from foreign_files import write_files
from verifying import damage, write_shard

import tfrecordcli
from tfrecordcli.formats.example import encode_example

IMAGES: Final = ("a.png", "b.png", "c.png")


@dataclass(frozen=True)
class Kind:
    """Makes a list in a folder of photos of which b.png has a good box, CAT, and DOG, which cannot be read.

    Attributes:
      sources: makes the list; returns its arguments.
      code: for which b.png is rejected.
      box: of the fields of DOG's row those that tell what was written.
      mend: fields that mend it.
      unread: how many boxes of b.png are known to be in the list.
    """

    sources: Callable[[Path], list[Path]]
    code: str
    box: Mapping[str, str]
    mend: Mapping[str, str]
    unread: int = 2


PIXELS: Final = {"label": "dog", "xmin": "16", "ymin": "8", "xmax": "80", "ymax": "40"}
FRACTIONS: Final = {"label": "dog", "xmin": "0.2", "ymin": "0.2", "xmax": "1", "ymax": "1"}


def yolo(line: str) -> Callable[[Path], list[Path]]:
    def sources(folder: Path) -> list[Path]:
        good = "0 0.3 0.3 0.4 0.4\n"
        texts = {"a": good, "b": f"{good}{line}\n", "c": "1 0.6 0.6 0.8 0.8\n"}
        files = {f"labels/{name}.txt": text for name, text in texts.items()}
        write_files(folder, {**files, "data.yaml": "train: images\nnames: [cat, dog]\n"})
        photos(folder / "images", *IMAGES)
        return [folder]

    return sources


def xml(*objects: str) -> str:
    return f"<annotation><size><width>80</width><height>40</height></size>{''.join(objects)}</annotation>"


def voc_object(name: str, more: str = "", **corners: object) -> str:
    sides = "".join(f"<{side}>{value}</{side}>" for side, value in corners.items())
    return f"<object><name>{name}</name>{more}<bndbox>{sides}</bndbox></object>"


VOC_CAT: Final = voc_object("cat", "<difficult>1</difficult>", xmin=8, ymin=4, xmax=40, ymax=20)


def voc(second: str, whole: str = "") -> Callable[[Path], list[Path]]:
    def sources(folder: Path) -> list[Path]:
        texts = {"a": xml(VOC_CAT), "b": whole or xml(VOC_CAT, second)}
        texts["c"] = xml(voc_object("dog", xmin=16, ymin=8, xmax=80, ymax=40))
        write_files(folder, {f"Annotations/{name}.xml": text for name, text in texts.items()})
        photos(folder / "JPEGImages", *IMAGES)
        return [folder]

    return sources


def listing(name: str, text: Callable[[], str]) -> Callable[[Path], list[Path]]:
    def sources(folder: Path) -> list[Path]:
        photos(folder, *IMAGES)
        return [write(folder, text(), name)]

    return sources


def lines(**changes: Any) -> Callable[[Path], list[Path]]:
    cat = {"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20, "occluded": 1}
    dog = {"label": "dog", "xmin": 16, "ymin": 8, "xmax": 80, "ymax": 40}
    bad = {key: value for key, value in (dog | changes).items() if value is not None}
    boxes = {"a.png": [cat], "b.png": [cat, bad], "c.png": [dog]}
    text = "".join(json.dumps({"image": name, "boxes": some}) + "\n" for name, some in boxes.items())
    return listing("list.jsonl", lambda: text)


def coco(**changes: Any) -> Callable[[Path], list[Path]]:
    images = [{"id": n, "file_name": name, "width": 80, "height": 40} for n, name in enumerate(IMAGES, 1)]
    cat, dog = {"category_id": 1, "bbox": [8, 4, 32, 16]}, {"category_id": 2, "bbox": [16, 8, 64, 32]}
    bad = {key: value for key, value in (dog | changes).items() if value is not None}
    boxes = [{"image_id": n, **box} for n, box in ((1, cat), (2, cat), (2, bad), (3, dog))]
    told = [{"id": n, **box} for n, box in enumerate(boxes)]
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    whole = {"images": images, "annotations": told, "categories": categories}
    return listing("list.json", lambda: json.dumps(whole))


CREATE_ML_CAT: Final = {"label": "cat", "coordinates": {"x": 24, "y": 12, "width": 32, "height": 16}}


def create_ml(**changes: Any) -> Callable[[Path], list[Path]]:
    cat = CREATE_ML_CAT
    dog = {"label": "dog", "coordinates": {"x": 48, "y": 24, "width": 64, "height": 32}}
    boxes = {"a.png": [cat], "b.png": [cat, dog | changes], "c.png": [dog]}
    whole = [{"image": name, "annotations": some} for name, some in boxes.items()]
    return listing("list.json", lambda: json.dumps(whole))


def several(first: str, second: str = f"{HEADER}c.png,dog,16,8,80,40\n") -> Callable[[Path], list[Path]]:
    def sources(folder: Path) -> list[Path]:
        photos(folder, *IMAGES)
        return [write(folder, first, "first.csv"), write(folder, second, "second.csv")]

    return sources


def tfrecords(**changes: list[Any]) -> Callable[[Path], list[Path]]:
    """Further features of three kinds, two of them lists."""

    def sources(folder: Path) -> list[Path]:
        both = {"xmin": [0.1, 0.2], "ymin": [0.1, 0.2], "xmax": [0.5, 1.0], "ymax": [0.5, 1.0]}
        found = []
        for name in IMAGES:
            at = {"a.png": slice(1), "b.png": slice(2), "c.png": slice(1, 2)}[name]
            sides = {side: values[at] for side, values in both.items()}
            sides |= changes if name == "b.png" else {}
            found.append(encode_example(_features(folder, name, sides, [b"cat", b"dog"][at])))
        write_shard(folder / "x.tfrecord", found)
        return [folder / "x.tfrecord"]

    return sources


def _features(folder: Path, name: str, sides: Mapping[str, Any], labels: list[bytes]) -> dict[str, Any]:
    return {
        "image/encoded": [(photos(folder / "photos", *IMAGES) / name).read_bytes()],
        "image/filename": [name.encode()],
        **{f"image/object/bbox/{side}": values for side, values in sides.items() if values},
        "image/object/class/text": labels,
        "patient": [b"p1"],
        "score": [0.5],
        "tags": [b"x", b"y"],
        "years": [1, 2],
    }


OPEN_IMAGES: Final = f"{HEADER[:-1]},IsOccluded\n"
KINDS: Final = {
    "YOLO, a number beyond 1": Kind(
        yolo("1 .6 .6 .8 1.7"), "bad_box", {"label": "dog", "xmin": "? .6 .6 .8 1.7"}, FRACTIONS
    ),
    "YOLO, nan": Kind(yolo("1 nan nan nan nan"), "bad_box", {"xmin": "? nan nan nan nan"}, FRACTIONS),
    "YOLO, a class without a name": Kind(
        yolo("9 0.6 0.6 0.8 0.8"), "bad_annotation", {"label": "", "xmax": "1.0"}, {"label": "dog"}
    ),
    "YOLO, too few fields": Kind(
        yolo("1 0.6"), "bad_annotation", {"label": "", "xmin": "? 1 0.6"}, FRACTIONS
    ),
    "VOC, no number": Kind(
        voc(voc_object("dog", xmin=16, ymin=8, xmax="x", ymax=40)),
        "bad_box",
        {"label": "dog", "xmin": "16", "xmax": "? x"},
        {"xmax": "80"},
    ),
    "VOC, nan": Kind(
        voc(voc_object("dog", xmin="nan", ymin="nan", xmax="nan", ymax="nan")),
        "bad_box",
        {"label": "dog", "xmin": "? nan"},
        PIXELS,
    ),
    "VOC, no corners": Kind(voc(voc_object("dog")), "bad_box", {"label": "dog", "xmin": "?"}, PIXELS),
    "VOC, no box": Kind(
        voc("<object><name>dog</name></object>"), "bad_annotation", {"label": "dog", "xmin": "?"}, PIXELS
    ),
    "VOC, no name": Kind(
        voc(voc_object("", xmin=16, ymin=8, xmax=80, ymax=40)),
        "bad_annotation",
        {"label": "", "xmin": "16.0"},
        {"label": "dog"},
    ),
    "JSON Lines, a text": Kind(
        lines(ymin="x"), "bad_box", {"label": "dog", "xmin": "16", "ymin": "? x"}, {"ymin": "8"}
    ),
    "JSON Lines, a side less": Kind(
        lines(ymin=None), "bad_box", {"label": "dog", "ymin": "?"}, {"ymin": "8"}
    ),
    "JSON Lines, no label": Kind(lines(label=None), "bad_annotation", {"label": ""}, {"label": "dog"}),
    "JSON Lines, an odd flag": Kind(
        lines(occluded="often"), "bad_annotation", {"occluded": '?\t"often"'}, {"occluded": ""}
    ),
    "COCO, a text": Kind(
        coco(bbox=[16, "x", 64, 32]), "bad_box", {"label": "dog", "xmin": "? 16 x 64 32"}, PIXELS
    ),
    "COCO, no box": Kind(coco(bbox=None), "bad_annotation", {"label": "dog", "xmin": "?"}, PIXELS),
    "COCO, no category": Kind(
        coco(category_id=None), "bad_annotation", {"label": "", "xmin": "16.0"}, {"label": "dog"}
    ),
    "COCO, an odd flag": Kind(
        coco(iscrowd=7), "bad_annotation", {"label": "dog", "is_crowd": "? 7"}, {"is_crowd": "0"}
    ),
    "CreateML, a text": Kind(
        create_ml(coordinates={"x": 48, "y": "x", "width": 64, "height": 32}),
        "bad_box",
        {"label": "dog", "xmin": "? 48 x 64 32"},
        PIXELS,
    ),
    "CreateML, no box": Kind(create_ml(coordinates=None), "bad_annotation", {"label": "dog"}, PIXELS),
    "several CSVs": Kind(
        several(f"{OPEN_IMAGES}a.png,cat,8,4,40,20,1\nb.png,cat,8,4,40,20,\nb.png,dog,16,x,80,40,0\n"),
        "bad_box",
        {"label": "dog", "xmin": "16", "ymin": "x", "occluded": "0"},
        {"ymin": "8"},
    ),
    "several CSVs, sizes and another form": Kind(
        several(
            "image,width,height,class,bbox\na.png,80,40,cat,8 4 32 16\n"
            "b.png,80,40,cat,8 4 32 16\nb.png,80,40,dog,16 8 x 32\n"
        ),
        "bad_box",
        {"label": "dog", "xmin": "? 16 8 x 32", "width": "80"},
        PIXELS,
    ),
    "several CSVs without a header": Kind(
        several(
            "a.png,cat,8,4,,,40,20,,\nb.png,cat,8,4,,,40,20,,\nb.png,dog,16,x,,,80,40,,\n",
            "c.png,dog,16,8,,,80,40,,\n",
        ),
        "bad_box",
        {"label": "dog"},
        PIXELS,
    ),
    "TFRecords, a side less": Kind(
        tfrecords(ymax=[0.5]), "bad_box", {"label": "dog", "xmax": "1.0", "ymax": "?"}, {"ymax": "1"}
    ),
    "TFRecords, no sides": Kind(
        tfrecords(xmin=[], ymin=[], xmax=[], ymax=[0.5]), "bad_box", {"label": "dog", "xmin": "?"}, {}
    ),
}
WITHOUT_MENDING: Final = ("TFRecords, no sides",)


def convert_kind(kind: Kind, folder: Path) -> dict[str, Any]:
    sources = kind.sources(folder)
    done = convert_json(*sources, folder / "out", "--splits", "train=1")
    assert (done["records"], done["reasons"]) == (2, {kind.code: 1})
    return done


@pytest.mark.parametrize("name", KINDS)
def test_what_is_not_mended_is_rejected_again_for_the_same_reason(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    done = convert_kind(kind, tmp_path)
    rows = read_csv(tmp_path / "out" / "rejects.csv")
    found = [row for row in rows if kind.box.items() <= row.items()]
    assert len(found) == 1, rows
    counts = manifest(tmp_path / "out")["boxes"]
    assert (counts["stored"], counts["rejected"]) == (2, kind.unread)
    words = shlex.split(done["mend_command"])
    assert "--box-unit" not in words or name.startswith("JSON Lines")
    again = tfrec(*words[1:], "--json").json
    (reason,) = {row["tfrec_reason"] for row in rows if row["tfrec_code"] == kind.code}
    assert [problem["reason"] for problem in again["problems"]] == [reason]


@pytest.mark.parametrize("name", [name for name in KINDS if name not in WITHOUT_MENDING])
def test_what_is_mended_is_one_dataset_with_the_first(name: str, tf: Any, tmp_path: Path) -> None:
    kind = KINDS[name]
    done = convert_kind(kind, tmp_path)
    path = tmp_path / "out" / "rejects.csv"
    rows = [row | (kind.mend if kind.box.items() <= row.items() else {}) for row in read_csv(path)]
    write_csv(path, [list(row.values()) for row in rows], list(rows[0]))
    mended = tfrec(*shlex.split(done["mend_command"])[1:], "--json")
    assert mended.code == 0, mended.err
    out, other = tmp_path / "out", tmp_path / "out-mended"
    (values,) = records(other).values()
    assert boxes_of(values) == [CAT, DOG]
    first = records(out)
    wanted = {"patient", "score", "tags", "years"} if name.startswith("TFRecords") else set()
    assert all(values[key] == each[key] for each in first.values() for key in wanted)
    report = tfrecordcli.verify([out, other], feed=False)
    assert report.exit_code == 0, report
    data = tfrecordcli.load([out, other], batch_size=3)
    assert sum(len(batch[0]) for batch in data["train"]) == 3


def yolo_of_other_bytes(folder: Path) -> list[Path]:
    sources = yolo("")(folder)
    (folder / "labels" / "b.txt").write_bytes(b"\xff")
    return sources


def coco_with_an_id_twice() -> str:
    images = [{"id": n, "file_name": name} for n, name in zip((1, 1, 2), IMAGES, strict=True)]
    boxes = [{"id": n, "image_id": n, "category_id": 1, "bbox": [8, 4, 32, 16]} for n in (1, 2)]
    return json.dumps({"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "cat"}]})


BOX: Final = {"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20}
ARRAYS: Final = {"a.png": [BOX], "b.png": 5, "c.png": [BOX]}
# What tells nothing of the boxes of b.png, or not for certain -> how many of rejected images are known.
UNKNOWN: Final = {
    "YOLO, other bytes": (yolo_of_other_bytes, 1),
    "VOC, no XML": (voc("", "<annotation><filename>b.png</filename>"), 0),
    "JSON Lines, no array": (
        listing(
            "list.jsonl",
            lambda: "".join(
                json.dumps({"image": name, "boxes": some}) + "\n" for name, some in ARRAYS.items()
            ),
        ),
        0,
    ),
    "CreateML, no array": (
        listing(
            "list.json",
            lambda: json.dumps(
                [{"image": name, "annotations": 5 if name == "b.png" else [CREATE_ML_CAT]} for name in IMAGES]
            ),
        ),
        0,
    ),
    "COCO, an id twice": (listing("list.json", coco_with_an_id_twice), 1),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_image_of_whose_boxes_nothing_is_known_does_not_become_one_without(
    name: str, tmp_path: Path
) -> None:
    sources, boxes = UNKNOWN[name]
    done = convert_json(*sources(tmp_path), tmp_path / "out", "--splits", "train=1", "--max-rejects", "9")
    assert done["reasons"].keys() == {"bad_annotation"}
    counts = manifest(tmp_path / "out")["boxes"]
    assert counts["rejected"] == boxes
    again = tfrec(*shlex.split(done["mend_command"])[1:], "--json", "--max-rejects", "9").json
    assert (again["records"], again["reasons"]) == (0, done["reasons"])
    told = {row["tfrec_reason"] for row in read_csv(tmp_path / "out" / "rejects.csv")}
    assert {problem["reason"] for problem in again["problems"]} <= told


def test_of_damaged_records_no_box_is_counted(tmp_path: Path) -> None:
    (path,) = tfrecords()(tmp_path)
    damage(path, 1)
    done = convert_json(path, tmp_path / "out", "--splits", "train=1")
    assert (done["reasons"], manifest(tmp_path / "out")["boxes"]["rejected"]) == ({"damaged_record": 1}, 0)


def test_rejects_of_several_kinds_of_sources_are_mended_together(tmp_path: Path) -> None:
    """Names of images and further features, which records have, and sizes, which COCO has."""
    names = ("several CSVs", "TFRecords, a side less", "COCO, an odd flag", "YOLO, nan")
    sources = []
    for number, name in enumerate(names):
        (tmp_path / str(number)).mkdir()
        sources += KINDS[name].sources(tmp_path / str(number))
    done = convert_json(*sources, tmp_path / "out", "--splits", "train=1", "--max-rejects", "9")
    assert done["rejected"] == len(names)
    path = tmp_path / "out" / "rejects.csv"
    rows = read_csv(path)
    for row in rows:
        fits = [KINDS[name] for name in names if KINDS[name].box.items() <= row.items()]
        row.update(fits[0].mend if fits else {})
    write_csv(path, [list(row.values()) for row in rows], list(rows[0]))
    mended = tfrec(*shlex.split(done["mend_command"])[1:], "--json").json
    assert (mended["records"], mended["rejected"]) == (len(names), 0)
    found = records(tmp_path / "out-mended")
    assert found.keys() == {"0/b.png", "b.png", "2/b.png", "3/images/b.png"}
    assert all(boxes_of(values) == [CAT, DOG] for values in found.values())
    assert found["b.png"]["tags"] == [b"x", b"y"]
    assert tfrecordcli.verify([tmp_path / "out", tmp_path / "out-mended"], feed=False).exit_code == 0


@pytest.mark.parametrize("name", ["JSON Lines, a text", "YOLO, nan"])
def test_rejects_of_a_plan_are_those_of_a_conversion(name: str, tmp_path: Path) -> None:
    done = convert_kind(KINDS[name], tmp_path)
    (source,) = KINDS[name].sources(tmp_path)
    assert tfrec("plan", source, tmp_path / "steps", "--splits", "train=1").code == 0
    tfrec("write-shards", tmp_path / "steps")
    finished = tfrec("finish", tmp_path / "steps", "--json").json
    assert finished["mend_command"].replace("/steps", "/out") == done["mend_command"]
    told = [(tmp_path / each / "rejects.csv").read_text() for each in ("out", "steps")]
    assert told[0] == told[1]


def test_further_features_of_labelled_records_are_mended_with_their_types(tmp_path: Path) -> None:
    photo = photos(tmp_path / "photos", "a.png") / "a.png"
    told = {"image/class/text": [b"cat"], "patient": [b"007"], "score": [1.0], "visits": [3], "sizes": [1, 2]}
    images = [
        photo.read_bytes(),
        photos(tmp_path / "photos", "x.png", "a.png").joinpath("a.png").read_bytes(),
    ]
    encoded = [encode_example({"image/encoded": [each], **told}) for each in (*images, b"no image")]
    write_shard(tmp_path / "x.tfrecord", encoded)
    done = convert_json(tmp_path / "x.tfrecord", tmp_path / "out", "--splits", "train=1")
    path = tmp_path / "out" / "rejects.csv"
    (row,) = read_csv(path)
    photos(tmp_path, "x.png", "y.png", "mended.png")
    write_csv(path, [list((row | {"image_uri": "mended.png"}).values())], list(row))
    mended = tfrec(*shlex.split(done["mend_command"])[1:], "--json").json
    assert (mended["records"], mended["rejected"]) == (1, 0)
    (values,) = records(tmp_path / "out-mended").values()
    assert {key: values[key] for key in told} == told
    assert tfrecordcli.verify([tmp_path / "out", tmp_path / "out-mended"], feed=False).exit_code == 0


@pytest.mark.parametrize("unlabelled", ["keep", "skip"])
def test_an_image_with_a_label_that_cannot_be_read_does_not_become_one_without(
    unlabelled: str, tmp_path: Path
) -> None:
    labels = {"a.png": "cat", "b.png": {"x": 1}, "c.png": "dog"}
    text = "".join(json.dumps({"image": name, "label": label}) + "\n" for name, label in labels.items())
    (source,) = listing("list.jsonl", lambda: text)(tmp_path)
    options = ("--splits", "train=1", "--unlabelled", unlabelled)
    done = convert_json(source, tmp_path / "out", *options)
    assert done["reasons"] == {"bad_annotation": 1}
    again = tfrec(*shlex.split(done["mend_command"])[1:], "--json").json
    assert (again["records"], again["rejected"], again["discarded"]) == (0, 1, 0)
    assert (tmp_path / "out" / "labels.txt").read_text() == "cat\ndog\n"
