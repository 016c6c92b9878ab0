"""Several sources as one: splits by prefix, one label map, paths below one folder, rejects by place."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from boxing import boxes_of, photos, records, sideways, write
from converting import fingerprint, manifest, read_csv, shell, tfrec
from joining import BOXES, convert, refused, splits_of

import tfrecordcli
from tfrecordcli.errors import InputError
from tfrecordcli.sources.several.common_root import common_root, mover

RACCOON = Path(__file__).parents[2] / "shared" / "data" / "detection" / "raccoon"
ROBOFLOW = RACCOON.parent / "rbc_wbc_coco"


def coco(names: dict[int, str], images: dict[str, str], first_id: int = 1) -> str:
    """One box of a label in each image."""
    by_name = {name: number for number, name in names.items()}
    return json.dumps(
        {
            "categories": [{"id": number, "name": name} for number, name in names.items()],
            "images": [
                {"id": number, "file_name": name, "width": 80, "height": 40}
                for number, name in enumerate(images, first_id)
            ],
            "annotations": [
                {"id": number, "image_id": number, "category_id": by_name[label], "bbox": [8, 4, 32, 16]}
                for number, label in enumerate(images.values(), first_id)
            ],
        }
    )


# --- one dataset ---


def test_a_csv_and_coco_become_one_dataset_with_one_label_map(tmp_path: Path) -> None:
    photos(tmp_path / "one", "a.png", "b.png")
    photos(tmp_path / "two", "a.png", "c.png")
    write(tmp_path / "one", f"{BOXES}a.png,dog,8,4,40,20\nb.png,cow,0,0,9,9\n", "train.csv")
    write(tmp_path / "two", coco({3: "cat", 7: "dog"}, {"a.png": "dog", "c.png": "cat"}), "val.json")
    values = convert("train=one/train.csv", "validation=two/val.json", cwd=tmp_path)
    out = tmp_path / "out"
    assert values["rows"] == values["records"] == 4
    assert splits_of(out) == {"train": 2, "validation": 2}
    assert manifest(out)["labels"] == {"cat": 3, "dog": 7, "cow": 8}
    found = records(out)
    assert found.keys() == {"one/a.png", "one/b.png", "two/a.png", "two/c.png"}
    assert boxes_of(found["one/a.png"]) == [("dog", (8, 4, 40, 20))]
    assert boxes_of(found["two/a.png"]) == boxes_of(found["one/a.png"])
    assert tfrec("verify", out, "--no-feed").code == 0


def test_the_unit_of_boxes_is_decided_a_source_at_a_time(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, f"{BOXES}a.png,dog,8,4,40,20\n", "pixels.csv")
    write(tmp_path, f"{BOXES}b.png,dog,0.1,0.1,0.5,0.5\n", "fractions.csv")
    convert("train=pixels.csv", "test=fractions.csv", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert boxes_of(found["a.png"]) == boxes_of(found["b.png"]) == [("dog", (8, 4, 40, 20))]


def test_two_lists_with_their_own_splits_and_the_same_image_in_both(tmp_path: Path) -> None:
    photos(tmp_path / "images", "a.png", "b.png", "c.png")
    write(tmp_path / "one", "split,image,label\ntrain,../images/a.png,x\ntest,../images/b.png,y\n")
    write(tmp_path / "two", "split,image,label\ntrain,../images/a.png,x\ndiscard,../images/c.png,y\n")
    values = convert("one/list.csv", "two/list.csv", cwd=tmp_path)
    assert (values["rows"], values["records"], values["merged"], values["discarded"]) == (4, 2, 1, 1)
    assert records(tmp_path / "out").keys() == {"images/a.png", "images/b.png"}


def test_rejects_name_source_and_place_and_are_mended(tmp_path: Path) -> None:
    photos(tmp_path / "one", "a.png", "b.png", "c.png")
    photos(tmp_path / "two", "d.png", "e.png")
    lines = ["split,image,label", "train,a.png,x", "", "test,b.png,y", ",c.png,x", ",lost.png,x"]
    write(tmp_path / "one", "\n".join(lines), "train.csv")
    write(
        tmp_path / "two",
        '{"image": "d.png", "label": "x"}\n{"image": "e.png", "label": "y", "split": "never"}\n',
        "val.jsonl",
    )
    values = convert("train=one/train.csv", "val=two/val.jsonl", cwd=tmp_path, code=1)
    assert any("1 row names another split than it was given" in told for told in values["warnings"])
    told = {(p["source"], p["place"], p["line"], p["image_uri"], p["code"]) for p in values["problems"]}
    assert told == {
        ("one/train.csv", "line 4", 4, "one/b.png", "other_split"),
        ("one/train.csv", "line 6", 6, "one/lost.png", "not_found"),
        ("two/val.jsonl", "line 2", 2, "two/e.png", "unknown_split"),
    }
    run = tfrec("convert", "train=one/train.csv", "val=two/val.jsonl", "out", cwd=tmp_path)
    assert "one/train.csv, line 4: one/b.png: the row says test, its source was given for train" in run.out
    rejects = tmp_path / "out" / "rejects.csv"
    assert {(row["tfrec_source"], row["tfrec_place"], row["split"]) for row in read_csv(rejects)} == {
        ("one/train.csv", "line 4", "test"),
        ("one/train.csv", "line 6", "train"),
        ("two/val.jsonl", "line 2", "never"),
    }
    text = rejects.read_text(encoding="utf-8").replace("lost.png", "c.png").replace("never", "test")
    rejects.write_text(text.replace("test,one/b.png,", "train,one/b.png,"), encoding="utf-8")
    command = run.out.strip().splitlines()[-1].strip()
    mended = tfrec(*shlex.split(command)[1:], cwd=tmp_path)
    assert mended.code == 0, mended.err
    assert records(tmp_path / "out-mended").keys() == {"one/b.png", "one/c.png", "two/e.png"}


def test_labels_of_mended_rows_are_parted_as_those_of_all_sources(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png", "d.png")
    write(tmp_path, 'image,label\na.png,"sofa, bed"\nb.png,\nlost.png,"bed, desk"\n', "train.csv")
    write(tmp_path, 'label,image\n"desk, bed",d.png\n', "test.csv")
    run = tfrec(
        "convert", "train=train.csv", "test=test.csv", "out", "--label-separator", ",", "--max-rejects", "2",
        cwd=tmp_path,
    )  # fmt: skip
    rejects = tmp_path / "out" / "rejects.csv"
    first, *rows = csv.reader(rejects.read_text(encoding="utf-8").splitlines())
    blank = next(row for row in rows if "b.png" in row)
    blank[first.index("label")] = "sofa, lamp"
    with rejects.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([first, *rows])
    rejects.write_text(rejects.read_text(encoding="utf-8").replace("lost.png", "c.png"), encoding="utf-8")
    mended = tfrec(*shlex.split(run.out.strip().splitlines()[-1])[1:], cwd=tmp_path)
    assert mended.code == 0, mended.err
    assert manifest(tmp_path / "out-mended")["labels"] == {"bed": 0, "desk": 1, "sofa": 2, "lamp": 3}
    assert {name: each["image/class/text"] for name, each in records(tmp_path / "out-mended").items()} == {
        "b.png": [b"sofa", b"lamp"],
        "c.png": [b"bed", b"desk"],
    }


def test_a_contradiction_between_sources_names_both_places(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image,label\na.png,x\nb.png,x\n", "one.csv")
    write(tmp_path, "image,label\nb.png,x\na.png,y\n", "two.csv")
    values = convert("train=one.csv", "train=two.csv", "--max-rejects", "2", cwd=tmp_path)
    assert {(p["source"], p["line"], p["reason"]) for p in values["problems"]} == {
        ("one.csv", 2, "the same image has another label in two.csv, line 3; keep the right row"),
        ("two.csv", 3, "the same image has another label in one.csv, line 2; keep the right row"),
    }


# labels of images in a second list, and whether it may answer another question than 0, 1, 2, 0, 1, 2
SECOND: dict[str, tuple[str, bool]] = {
    "other numbers": ("120110", True),
    "of another rater": ("210012", False),
    "other numbers of some": ("2101", True),
    "few images": ("21", False),
    "other ids": ("345678", False),
    "names": ("abcabc", False),
}


@pytest.mark.parametrize(("labels", "is_told"), SECOND.values(), ids=SECOND)
def test_numbers_of_the_same_images_in_two_lists_may_answer_two_questions(
    labels: str, is_told: bool, tmp_path: Path
) -> None:
    names = [f"{i}.png" for i in range(6)]
    photos(tmp_path, *names)
    first = [f"{name},{label}\n" for name, label in zip(names, "012012", strict=True)]
    write(tmp_path, "image,label\n" + "".join(first[:4]), "style.csv")
    write(tmp_path, "image,label\n" + "".join(first[4:]), "style2.csv")
    second = "".join(f"{name},{label}\n" for name, label in zip(names, labels, strict=False))
    write(tmp_path, f"image,label\n{second}", "genre.csv")
    options = ("--label-type", "name", "--dry-run", "--json", "--max-rejects", "100%")
    lists = ("style.csv", "style2.csv", "train=genre.csv", "out")
    done = tfrec("convert", *lists, *options, cwd=tmp_path).json
    told = [warning for warning in done["warnings"] if "answer different questions" in warning]
    assert len(told) == is_told
    meant = tfrec("convert", *lists, *options, "--multi-label", cwd=tmp_path).json
    assert not any("answer different questions" in warning for warning in meant["warnings"])
    assert any("answer different questions" in note for note in meant["remarks"]) == is_told
    for each in told:
        one, two, *_ = each.partition("same other options: ")[2].split("; ")
        assert (one, two) == (
            "tfrec convert style.csv style2.csv OUTPUT_DIR-1",
            "tfrec convert train=genre.csv OUTPUT_DIR-2",
        )


def test_rejects_have_the_line_of_their_own_source_and_are_found_by_that_of_all(tmp_path: Path) -> None:
    """Those of a dataset of an earlier version, which told the line in the list of all, are found too."""
    photos(tmp_path, "a.png", "b.png", "c.png")
    write(tmp_path, "image,label\na.png,x\nlost.png,x\n", "one.csv")
    write(tmp_path, "image,label\nb.png,x\na.png,y\nlost2.png,x\n", "two.csv")
    write(tmp_path, '[{"image": "c.png", "label": "x"}, {"image": "lost3.png", "label": "x"}]', "three.json")
    sources = ("train=one.csv", "train=two.csv", "train=three.json")
    values = convert(*sources, "--max-rejects", "9", cwd=tmp_path)
    path = tmp_path / "out" / "rejects.csv"
    rows = {(row["tfrec_source"], row["image_uri"]): row for row in read_csv(path)}
    assert {(*key, row["tfrec_line"], row["tfrec_place"]) for key, row in rows.items()} == {
        ("one.csv", "a.png", "2", "line 2"),
        ("one.csv", "lost.png", "3", "line 3"),
        ("two.csv", "a.png", "3", "line 3"),
        ("two.csv", "lost2.png", "4", "line 4"),
        ("three.json", "lost3.png", "", "[1]"),
    }
    assert rows["one.csv", "a.png"]["tfrec_reason"].endswith("label in two.csv, line 3; keep the right row")
    again = convert(*sources, "--max-rejects", "9", cwd=tmp_path)
    assert (again["status"], again["problems"]) == ("already_complete", values["problems"])
    earlier = [{**row, "tfrec_line": row.pop("tfrec_row")} for row in read_csv(path)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, earlier[0])
        writer.writeheader()
        writer.writerows(earlier)
    again = convert(*sources, "--max-rejects", "9", cwd=tmp_path)
    assert (again["status"], again["problems"]) == ("already_complete", values["problems"])


def test_one_json_list_names_the_elements_of_its_rejects(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, coco({1: "cat"}, {"a.png": "cat", "lost.png": "cat"}), "list.json")
    values = convert("list.json", "--splits", "train=1", cwd=tmp_path, code=1)
    (problem,) = values["problems"]
    assert (problem["place"], problem["line"], problem["image_uri"]) == ("images[1]", None, "lost.png")
    assert "source" not in problem
    run = tfrec("convert", "list.json", "out", "--splits", "train=1", cwd=tmp_path)
    assert "images[1]: lost.png: file not found" in run.out


def test_plan_and_finish_tell_the_same_and_write_the_same(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image,label\na.png,x\nlost.png,x\n", "one.csv")
    write(tmp_path, "image,label\nb.png,x\n", "two.csv")
    sources = ("train=one.csv", "test=two.csv")
    whole = convert(*sources, cwd=tmp_path, code=1)
    assert tfrec("plan", *sources, "steps", cwd=tmp_path).code == 0
    assert tfrec("write-shards", "steps", cwd=tmp_path).code == 0
    (tmp_path / "two.csv").unlink()  # the rows are kept beside the plan
    finished = tfrec("finish", "steps", "--json", cwd=tmp_path).json
    assert finished["problems"] == whole["problems"]
    assert finished["problems"][0]["source"] == "one.csv"
    assert fingerprint(tmp_path / "steps") == fingerprint(tmp_path / "out")


def test_a_finished_dataset_is_known_again_and_a_changed_source_too(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image,label\na.png,x\n", "one.csv")
    write(tmp_path, "image,label\nb.png,x\n", "two.csv")
    convert("train=one.csv", "test=two.csv", cwd=tmp_path)
    assert convert("train=one.csv", "test=two.csv", cwd=tmp_path)["status"] == "already_complete"
    for changed in (("train=one.csv", "val=two.csv"), ("train=one.csv",)):
        run = tfrec("convert", *changed, "out", cwd=tmp_path)
        assert run.code != 0
        assert "the source" in run.err
    write(tmp_path, "image,label\nb.png,y\n", "two.csv")
    assert tfrec("convert", "train=one.csv", "test=two.csv", "out", cwd=tmp_path).code != 0


def test_python_takes_frames_and_lists_by_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    photos(tmp_path, "a.png", "b.png")
    photos(tmp_path / "deep", "c.png")
    write(tmp_path / "deep", "image,label\nc.png,x\n", "val.csv")
    frame = pd.DataFrame({"image": ["a.png", "b.png", "lost.png"], "label": ["x", "y", "x"]}, index=[5, 6, 7])
    result = tfrecordcli.convert({"train": frame, "validation": "deep/val.csv"}, "out")
    assert (result.records, result.rejected) == (3, 1)
    assert [(p["source"], p["place"]) for p in result.problems] == [("DataFrame train", "index 7")]
    assert records(tmp_path / "out").keys() == {"a.png", "b.png", "deep/c.png"}


# --- contradictions ---


def test_ids_of_categories_agree_or_both_places_are_named(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, coco({1: "cat", 2: "dog"}, {"a.png": "cat"}), "one.json")
    write(tmp_path, coco({1: "dog"}, {"b.png": "dog"}), "name.json")
    write(tmp_path, coco({1: "cow"}, {"b.png": "cow"}), "id.json")
    write(tmp_path, coco({5: "cow", 2: "dog"}, {"b.png": "cow"}), "more.json")
    assert "'dog' has the id 2 in one.json, but 1 in name.json" in refused(
        "one.json", "name.json", cwd=tmp_path
    )
    err = refused("one.json", "name.json", cwd=tmp_path)
    assert shell(err.partition("in a file: ")[2].partition("; then")[0], tmp_path).code == 0
    assert convert("one.json", "name.json", "--labels", "labels.txt", cwd=tmp_path)["records"] == 2
    assert list(manifest(tmp_path / "out")["labels"]) == ["cat", "dog"]
    shutil.rmtree(tmp_path / "out")
    err = refused("one.json", "id.json", cwd=tmp_path)
    assert "the id 1 stands for 'cat' in one.json, but for 'cow' in id.json" in err
    convert("one.json", "more.json", "--splits", "train=1", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"cat": 1, "dog": 2, "cow": 5}


@pytest.mark.parametrize("options", [(), ("--image-root", "a/images")])
def test_images_of_one_source_that_are_not_there_are_told_of_with_the_way(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    photos(tmp_path / "a" / "images", "a.png", "c.png")
    photos(tmp_path / "b", "b.png")
    write(tmp_path / "a" / "annotations", coco({1: "cat"}, {"a.png": "cat", "c.png": "cat"}), "one.json")
    write(tmp_path / "b", "image,label,xmin,ymin,xmax,ymax\nb.png,cat,1,2,30,20\n")
    given = ("a/annotations/one.json", "b/list.csv", *options, "--dry-run", "--json")
    done = tfrec("convert", *given, "out", cwd=tmp_path).json
    [told] = [each for each in done["warnings"] if each.startswith("none of the first images of ")]
    commands = told.partition("the same other options: ")[2].split("; ")
    for command in commands:
        assert tfrec(*shlex.split(command)[1:], cwd=tmp_path).code == 0, command
    assert records(tmp_path / "OUTPUT_DIR").keys() == {"a.png", "b.png", "c.png"}


def test_ways_for_all_sources_are_told_once(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        photos(tmp_path / "images" / name, f"{name}1.png", f"{name}2.png")
        rows = "".join(f"{name}{number}.png,{name}\n" for number in (1, 2))
        write(tmp_path / "labels", f"image,label\n{rows}", f"{name}.csv")
    given = [f"labels/{name}.csv" for name in ("a", "b", "c")]
    err = tfrec("convert", *given, "out", cwd=tmp_path).err
    assert err.count("none of the first images of ") == err.count("the same other options: ") == 1
    assert "; nor of labels/b.csv, labels/c.csv; --image-root counts for all" in err


def test_images_of_one_split_that_are_not_there_are_found_in_one_call(tmp_path: Path) -> None:
    photos(tmp_path / "img", "a.png", "b.png", "c.png")
    write(tmp_path, "image,label\nimg/a.png,cat\n", "a.csv")
    write(tmp_path, "image,label\nb.png,cat\n", "b.csv")
    given = ("train=a.csv", "test=b.csv", "--dry-run", "--json")
    told = tfrec("convert", *given, "out", cwd=tmp_path).json["warnings"][0]
    command = told.partition("the same other options: ")[2]
    assert tfrec(*shlex.split(command)[1:], cwd=tmp_path).code == 0, command
    assert records(tmp_path / "OUTPUT_DIR").keys() == {"img/a.png", "img/b.png"}
    write(tmp_path, "image,label\nx/img/b.png,cat\nx/img/c.png,cat\n", "b.csv")
    told = tfrec("convert", *given, "out", cwd=tmp_path).json["warnings"][0]
    assert "b.png is there with --map x/img/=img/; for all" in told
    command = told.partition("the same other options: ")[2]
    assert tfrec(*shlex.split(command)[1:], "--overwrite", cwd=tmp_path).code == 0, command
    assert records(tmp_path / "OUTPUT_DIR").keys() == {"img/a.png", "img/b.png", "img/c.png"}


@pytest.mark.parametrize("options", [(), ("--image-root", "256"), ("--image-root", "test=val_256")])
def test_absolute_paths_of_one_split_and_a_root_for_another_are_found_in_one_call(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    photos(tmp_path / "256" / "q9" / "sea", "a.png", "b.png")
    photos(tmp_path / "val_256", "v1.png", "v2.png")
    write(tmp_path, "/q9/sea/a.png 0\n/q9/sea/b.png 1\n", "train.txt")
    write(tmp_path, "v1.png 1\nv2.png 0\n", "val.txt")
    error = tfrec("convert", "train=train.txt", "test=val.txt", "out", *options, "--json", cwd=tmp_path).err
    told = next(line for line in error.splitlines() if "none of the first images of train.txt" in line)
    command = told.partition("the same other options: ")[2]
    assert tfrec(*shlex.split(command)[1:], cwd=tmp_path).code == 0, command
    found = {"256/q9/sea/a.png", "256/q9/sea/b.png", "val_256/v1.png", "val_256/v2.png"}
    assert {*records(tmp_path / "OUTPUT_DIR")} == found


def test_paths_that_begin_alike_where_they_are_right_are_mapped_by_themselves(tmp_path: Path) -> None:
    photos(tmp_path / "img", "a.png")
    photos(tmp_path / "more", "b.png", "c.png")
    write(tmp_path, "image,label\nimg/a.png,cat\n", "a.csv")
    write(tmp_path, "image,label\nimg/b.png,cat\nimg/c.png,cat\n", "b.csv")
    given = ("train=a.csv", "test=b.csv", "--dry-run", "--json")
    told = tfrec("convert", *given, "out", cwd=tmp_path).json["warnings"][0]
    for command in told.partition("the same other options: ")[2].split("; "):
        assert tfrec(*shlex.split(command)[1:], cwd=tmp_path).code == 0, command
    assert records(tmp_path / "OUTPUT_DIR").keys() == {"img/a.png", "more/b.png", "more/c.png"}


def test_ids_from_0_are_raised_once_over_all(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, coco({0: "cat", 1: "dog"}, {"a.png": "dog"}), "one.json")
    write(tmp_path, coco({0: "cat", 1: "dog"}, {"b.png": "cat"}), "two.json")
    convert("train=one.json", "test=two.json", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"cat": 1, "dog": 2}


@pytest.mark.parametrize(("first", "ids"), [(1, {"0", "1"}), (9, {"1", "9"})])
def test_numbers_of_images_count_when_no_two_sources_share_one(
    tmp_path: Path, first: int, ids: set[str]
) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, coco({1: "cat"}, {"a.png": "cat"}), "one.json")
    write(tmp_path, coco({1: "cat"}, {"b.png": "cat"}, first), "two.json")
    convert("train=one.json", "test=two.json", cwd=tmp_path)
    found = {values["image/source_id"][0].decode() for values in records(tmp_path / "out").values()}
    assert len(found) == 2
    assert (found == ids) is (first == 9)


def test_ids_in_one_and_names_in_another_are_no_labels_of_one_map(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image_uri,label\na.png,0\n", "ids.csv")
    write(tmp_path, "image_uri,label\nb.png,cat\n", "names.csv")
    message = refused("train=ids.csv", "validation=names.csv", cwd=tmp_path)
    assert "labels of ids.csv are numbers (0), those of names.csv are names ('cat')" in message
    write(tmp_path, "0,cat\n1,dog\n", "named.csv")
    convert("train=ids.csv", "validation=names.csv", "--label-names", "named.csv", cwd=tmp_path)
    assert list(manifest(tmp_path / "out")["labels"]) == ["cat", "dog"]
    further = ("--label-type", "name", "--overwrite")
    values = convert("train=ids.csv", "validation=names.csv", *further, cwd=tmp_path)
    assert values["records"] == 2


def test_lists_with_boxes_and_without_are_not_mixed(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, f"{BOXES}a.png,dog,8,4,40,20\n", "boxes.csv")
    write(tmp_path, "image,label\nb.png,x\n", "labels.csv")
    err = refused("train=labels.csv", "test=boxes.csv", cwd=tmp_path)
    assert "boxes.csv is a list of boxes, labels.csv is none" in err


def test_names_beside_boxes_become_rows_without_any(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png", "c d.png")
    write(tmp_path, "label,image,xmin,ymin,xmax,ymax\ncat,a.png,8,4,40,20", "boxes.csv")
    write(tmp_path, "b.png\r\nc d.png\r\n", "none.txt")
    err = refused("boxes.csv", "none.txt", "--unlabelled", "keep", cwd=tmp_path)
    command = err.partition("show nothing: ")[2].partition("; then")[0]
    subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True)
    write(tmp_path, "b.png,x\n", "none.txt")  # labels are no negatives
    assert "show nothing" not in refused("boxes.csv", "none.txt", "--unlabelled", "keep", cwd=tmp_path)
    values = convert("boxes-with-negatives.csv", cwd=tmp_path)
    assert (values["records"], values["boxes"]["stored"]) == (3, 1)


def test_numbers_to_predict_beside_folders_of_classes_are_no_boxes(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "folders/cat/b.png", "folders/dog/c.png")
    write(tmp_path, '{"image": "a.png", "label": 3}\n', "int.jsonl")
    err = refused("int.jsonl", "folders", "--task", "regression", cwd=tmp_path)
    assert "int.jsonl is read for regression, folders for classification\n" in err
    assert "boxes" not in err


def test_further_columns_are_those_of_all_sources(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image,label,age,zip\na.png,x,3,00123\n", "one.csv")
    write(tmp_path, "image,label,age,note\nb.png,x,2.5,hi\n", "two.csv")
    convert("train=one.csv", "test=two.csv", "--features", "all", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert (found["a.png"]["age"], found["b.png"]["age"]) == ([3.0], [2.5])
    assert (found["a.png"]["zip"], found["b.png"]["note"]) == ([b"00123"], [b"hi"])
    assert "zip" not in found["b.png"]
    assert tfrec("verify", tmp_path / "out", "--no-feed").code == 0
    run = tfrec("convert", "one.csv", "two.csv", "other", "--features", "agee", cwd=tmp_path)
    assert "no source has a column of that name" in run.err


def test_numbers_to_predict_of_several_sources(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image,price\na.png,3\n", "one.csv")
    write(tmp_path, "image,label\nb.png,2.5\n", "two.csv")
    options = ("--task", "regression", "--columns", "train=label=price")
    convert("train=one.csv", "test=two.csv", *options, cwd=tmp_path)
    found = records(tmp_path / "out")
    assert (found["a.png"]["image/target"], found["b.png"]["image/target"]) == ([3.0], [2.5])


# --- paths ---


@pytest.mark.parametrize(
    ("roots", "common"),
    [
        (["/d/a", "/d/b"], "/d"),
        (["/d/a", "/d/a"], "/d/a"),
        (["/d", "/d/a"], "/d"),
        (["/d/a", "/e"], ""),
        (["gs://b/x", "gs://b/y"], ""),
        (["gs://b/x", "gs://b/x"], "gs://b/x"),
        (["/d", "gs://b/x"], ""),
    ],
)
def test_the_nearest_common_folder(roots: list[str], common: str) -> None:
    assert common_root(roots) == common


@pytest.mark.parametrize(
    ("root", "common", "uri", "moved"),
    [
        ("/d/a", "/d", "x.jpg", "a/x.jpg"),
        ("/d/a", "/d", "./x.jpg", "a/x.jpg"),
        ("/d/a", "/d", "../b/x.jpg", "b/x.jpg"),
        ("/d/a/b", "/d", "../../../x.jpg", "../x.jpg"),
        ("/d/a", "/d", "/e/x.jpg", "/e/x.jpg"),
        ("/d/a", "/d", "gs://b/x.jpg", "gs://b/x.jpg"),
        ("/d", "/d", "x.jpg", "x.jpg"),
        ("/d", "", "x.jpg", "/d/x.jpg"),
        ("gs://b/x", "", "y.jpg", "gs://b/x/y.jpg"),
        ("https://h/x?sig=1", "", "a b.jpg", "https://h/x/a%20b.jpg?sig=1"),
    ],
)
def test_paths_below_the_common_folder(root: str, common: str, uri: str, moved: str) -> None:
    assert mover(root, common)(uri) == moved


def test_a_link_is_not_passed_over_by_dots(tmp_path: Path) -> None:
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "near").symlink_to(tmp_path / "far" / "deep")
    assert mover(f"{tmp_path}/near", str(tmp_path))("../x.jpg") == "near/../x.jpg"


# --- real sets ---


def test_folders_of_roboflow_are_one_source(tmp_path: Path) -> None:
    for split, image in (("train", "a.png"), ("valid", "b.png"), ("test", "c.png")):
        photos(tmp_path / "set" / split, image)
        names = {0: "cells", 1: "rbc", 2: "wbc"}
        write(tmp_path / "set" / split, coco(names, {image: "rbc"}), "_annotations.coco.json")
    convert("set", cwd=tmp_path)
    assert splits_of(tmp_path / "out") == {"train": 1, "validation": 1, "test": 1}
    assert records(tmp_path / "out").keys() == {"train/a.png", "valid/b.png", "test/c.png"}
    assert "has lists for splits of its own" in refused("train=set", cwd=_fresh(tmp_path))
    shutil.copy(
        tmp_path / "set" / "test" / "_annotations.coco.json", tmp_path / "set" / "test" / "_classes.csv"
    )
    assert "lists of several kinds" in refused("set", cwd=tmp_path)


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder / "out")
    return folder


@pytest.mark.skipif(not ROBOFLOW.is_dir(), reason="the sets that are tried are not here")
def test_a_real_set_of_roboflow(tmp_path: Path) -> None:
    convert(ROBOFLOW, cwd=tmp_path)
    assert splits_of(tmp_path / "out") == {"validation": 20, "test": 10}
    assert manifest(tmp_path / "out")["labels"] == {"rbc": 1, "wbc": 2}


@pytest.mark.skipif(not RACCOON.is_dir(), reason="the sets that are tried are not here")
def test_raccoon_in_two_lists_is_their_union(tmp_path: Path) -> None:
    data = RACCOON / "data"
    lists = (f"train={data / 'train_labels.csv'}", f"test={data / 'test_labels.csv'}")
    convert(*lists, "--image-root", RACCOON / "images", cwd=tmp_path)
    found = records(tmp_path / "out")
    union = (data / "train_labels.csv").read_text() + "".join(
        (data / "test_labels.csv").read_text().splitlines(keepends=True)[1:]
    )
    write(tmp_path, union, "union.csv")
    run = tfrec("convert", "union.csv", "one", "--image-root", RACCOON / "images", cwd=tmp_path)
    assert run.code == 0
    one = records(tmp_path / "one")
    assert found.keys() == one.keys()
    assert all(boxes_of(found[name]) == boxes_of(one[name]) for name in one)
    assert splits_of(tmp_path / "out") == {"train": 160, "test": 40}


def test_a_source_that_is_not_there_is_an_error_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "image,label\na.png,x\n")
    with pytest.raises(InputError, match="no such file"):
        tfrecordcli.convert({"train": tmp_path / "none.csv"}, tmp_path / "out")


def test_datasets_are_merged_and_records_beside_a_list(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png")
    for name in "ab":
        write(tmp_path, f"image,label\n{name}.png,x\n", f"{name}.csv")
        assert tfrec("convert", f"train={name}.csv", name, cwd=tmp_path).code == 0
    write(tmp_path, "image,label\nc.png,y\n", "c.csv")
    convert("a", "b", "test=c.csv", cwd=tmp_path)
    out = tmp_path / "out"
    found = records(out)
    assert found.keys() == {"a.png", "b.png", "c.png"}
    assert found["a.png"]["image/encoded"] == records(tmp_path / "a")["a.png"]["image/encoded"]
    assert splits_of(out) == {"train": 2, "test": 1}
    assert tfrec("verify", out, "--no-feed").code == 0


def test_datasets_of_boxes_are_merged(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    for name in "ab":
        write(tmp_path, f"{BOXES}{name}.png,dog,8,4,40,20\n", f"{name}.csv")
        assert tfrec("convert", f"train={name}.csv", name, cwd=tmp_path).code == 0
    done = convert("a", "val=b", cwd=tmp_path, code=1)
    (problem,) = done["problems"]
    assert (problem["source"], problem["code"]) == ("b", "other_split")
    assert not any("--columns" in each for each in done["warnings"])  # records have none
    (tmp_path / "b" / "train-00000-of-00001.tfrecord").rename(tmp_path / "b.tfrecord")
    convert("a", "val=b.tfrecord", "--overwrite", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert boxes_of(found["a.png"]) == boxes_of(found["b.png"]) == [("dog", (8, 4, 40, 20))]


def test_boxes_of_records_keep_their_frame_beside_a_list(tmp_path: Path) -> None:
    for name in ("old", "new"):
        sideways(tmp_path / f"{name}.jpg", 3)
        write(tmp_path, f"{BOXES}{name}.jpg,cat,0,0,20,10\n", f"{name}.csv")
    assert tfrec("convert", "train=old.csv", "old", "--exif", "keep", cwd=tmp_path).code == 0
    assert boxes_of(records(tmp_path / "old")["old.jpg"]) == [("cat", (60, 30, 80, 40))]
    convert("old", "train=new.csv", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert boxes_of(found["old.jpg"]) == boxes_of(found["new.jpg"]) == [("cat", (0, 0, 20, 10))]


def test_a_box_in_two_sources_is_one(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, f"{BOXES}a.png,cat,8,4,40,20\nb.png,cat,8,4,40,20\n", "one.csv")
    told = f"{BOXES[:-1]},difficult\na.png,cat,8,4,40,20,1\nb.png,cat,8,4,40,20,0\nb.png,cat,40,20,8,4,1\n"
    write(tmp_path, told, "two.csv")
    values = convert("train=one.csv", "train=two.csv", cwd=tmp_path, code=1)
    assert records(tmp_path / "out")["a.png"]["image/object/difficult"] == [1]
    (problem,) = values["problems"]
    assert (problem["source"], problem["line"], problem["code"]) == ("two.csv", 4, "conflicting_box")
    assert "other attributes in two.csv, line 3;" in problem["reason"]


def test_what_holds_for_several_sources_is_told_once(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, f"{BOXES}a.png,dog,8,4,40,20\n", "one.csv")
    write(tmp_path, f"{BOXES}b.png,dog,8,4,40,20\n", "two.csv")
    run = tfrec("convert", "train=one.csv", "test=two.csv", "out", cwd=tmp_path)
    assert "note: one.csv, two.csv: coordinates of boxes are pixels" in run.err
    assert run.err.count("coordinates of boxes") == 1


def test_rows_that_cannot_be_read_are_told_as_they_are_written(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png")
    lines = ["a.png,dog,8,4,x,20", "b.png,dog,8,4,40,20", "c.png,dog,8,4,40,20,9,9"]
    write(tmp_path, BOXES + "\n".join(lines), "one.csv")
    write(tmp_path, f"{BOXES}b.png,dog,8,4,40,20\n", "two.csv")
    values = convert("train=one.csv", "two.csv", "--max-rejects", "9", cwd=tmp_path)
    assert (values["rows"], values["records"], values["rejected"]) == (3, 1, 2)
    assert (values["boxes"]["stored"], values["boxes"]["merged"], values["boxes"]["rejected"]) == (1, 1, 2)
    rejects = {row["image_uri"]: row for row in read_csv(tmp_path / "out" / "rejects.csv")}
    assert (rejects["a.png"]["xmax"], rejects["c.png"]["xmax"]) == ("x", "40")
    assert {row["split"] for row in rejects.values()} == {"train"}


@pytest.mark.parametrize(
    "row",
    ["image,label", "c.png,ximage,label", '"c.png"x,y'],
    ids=["header again", "header behind", "quote"],
)
def test_labels_of_rows_that_cannot_be_read_are_told_and_no_classes(row: str, tmp_path: Path) -> None:
    """All of the row stands there, with tabs, which reject it again."""
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, f"image,label\na.png,dog\nb.png,cat\n{row}\n", "one.csv")
    write(tmp_path, "image,label\na.png,dog\n", "two.csv")
    convert("one.csv", "two.csv", "--max-rejects", "9", "--splits", "train=1", cwd=tmp_path)
    assert (tmp_path / "out" / "labels.txt").read_text() == "cat\ndog\n"
    (reject,) = read_csv(tmp_path / "out" / "rejects.csv")
    assert reject["label"] == row.replace(",", "\t")


@pytest.mark.parametrize(
    ("sources", "proposed"),
    [
        (
            ["train.csv", "validation.csv", "test.csv"],
            "train=train.csv validation=validation.csv test=test.csv",
        ),
        (["train/list.csv", "test/list.csv"], "train=train/list.csv test=test/list.csv"),
        (["train_list.csv", "val_list.csv", "b.csv"], "train=train_list.csv validation=val_list.csv b.csv"),
    ],
)
@pytest.mark.parametrize("again", ["", "00.png,a\n"], ids=["each once", "a row again"])
def test_sources_that_are_called_like_splits_are_told_of_with_the_command(
    sources: list[str], proposed: str, again: str, tmp_path: Path
) -> None:
    for number, name in enumerate(sources):
        folder, _, name = name.rpartition("/")
        (tmp_path / folder).mkdir(exist_ok=True)
        write(tmp_path / folder, f"image,label\n{number}0.png,a\n{number}1.png,b\n{again}", name)
        again = ""
    values = convert(*sources, "--dry-run", cwd=tmp_path)
    [warning] = [each for each in values["warnings"] if "called like splits" in each]
    assert f": tfrec convert {proposed} OUTPUT_DIR, with these options, takes each" in warning
    told = convert(*shlex.split(proposed), "--dry-run", cwd=tmp_path)
    assert told["splits"]["train"]["rows"] >= 2
    assert not any("called like splits" in each for each in told["warnings"])


@pytest.mark.parametrize(
    ("sources", "header", "options"),
    [
        (["train.csv", "test.csv"], "label", ["--splits", "train=70,test=30"]),
        (["train.csv", "test.csv"], "split", ["--unlabelled", "keep"]),
        (["train.csv", "more_train.csv"], "label", []),
        (["cats.csv", "dogs.csv"], "label", []),
    ],
)
def test_sources_whose_splits_are_settled_or_that_are_called_otherwise_are_not_told_of(
    sources: list[str], header: str, options: list[str], tmp_path: Path
) -> None:
    for number, name in enumerate(sources):
        fields = ("train", "test") if header == "split" else ("a", "b")
        text = "".join(f"{number}{i}.png,{field}\n" for i, field in enumerate(fields))
        write(tmp_path, f"image,{header}\n{text}", name)
    told = convert(*sources, "--dry-run", *options, cwd=tmp_path)
    assert told["rows"] == 4
    assert not any("called like splits" in each for each in told["warnings"])


_LISTS = ("healthy.csv", "rust.csv", "mildew.csv")


def _of_classes(folder: Path, names: tuple[str, ...], header: str, *, shared: int = 0) -> str:
    """What is said of lists of six rows with a camera each, which have some images of the first in common."""
    for number, name in enumerate(names):
        images = [f"{number if i >= shared else 0}{i}.png" for i in range(6)]
        photos(folder, *images)
        is_of_paths = name.endswith(".txt")
        rows = (image if is_of_paths else f"{image},{'ab'[i % 2]}" for i, image in enumerate(images))
        write(folder, "\n".join([*([] if is_of_paths else [header]), *rows, ""]), name)
    return refused(*names, cwd=folder)


@pytest.mark.parametrize(
    ("names", "header", "options"),
    [
        (_LISTS, "photo,camera", ""),
        (("healthy.txt", "rust.txt", "mildew.txt"), "", ""),
        (("plot healthy 1.csv", "plot rust 1.csv"), "photo,camera", ""),
        (_LISTS, "Bild der Probe,Kamera", "--columns 'image_uri=Bild der Probe,label=label'"),
    ],
)
def test_lists_of_other_images_are_of_the_classes_that_they_are_called_after(
    names: tuple[str, ...], header: str, options: str, tmp_path: Path
) -> None:
    told = _of_classes(tmp_path, names, header)
    command = told.partition("make one of all: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    assert f"tfrec convert all-labelled.csv OUTPUT_DIR {options}".strip() in told
    assert "where they are not, " in told
    convert("all-labelled.csv", *shlex.split(options), cwd=tmp_path)
    assert {*manifest(tmp_path / "out")["labels"]} == {Path(name).stem for name in names}


@pytest.mark.parametrize(
    ("names", "header", "shared"),
    [
        (("part-1.csv", "part-2.csv"), "photo,camera", 0),
        (("2024-05.csv", "2024-06.csv"), "photo,camera", 0),
        (("may.csv", "june.csv"), "photo,camera", 0),
        (("camera_a.csv", "camera_b.csv"), "photo,camera", 0),
        (("train_oak.csv", "val_elm.csv"), "photo,camera", 0),
        (("anna.csv", "ben.csv"), "photo,Diagnose", 0),
        (_LISTS, "photo,camera", 3),
    ],
)
def test_lists_of_splits_of_dates_or_of_the_same_images_are_of_no_classes(
    names: tuple[str, ...], header: str, shared: int, tmp_path: Path
) -> None:
    told = _of_classes(tmp_path, names, header, shared=shared)
    assert f"label={header.partition(',')[2]}" in told
    assert "make one of all" not in told
