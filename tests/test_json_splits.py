"""Splits that the images of COCO and of CreateML name, by the same words as JSON Lines."""

from __future__ import annotations

import json
import shlex
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from boxing import convert, photos, write
from converting import convert_json, manifest, read_csv
from listing_json import read_with, write_json

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.coco import read_coco
from tfrecordcli.sources.json.createml import read_createml
from tfrecordcli.sources.json.split_keys import SplitKeys

WORDS = ("TRAIN", "val", "test")


def coco(images: list[dict[str, Any]]) -> dict[str, Any]:
    """A COCO file of these further keys of images."""
    return {
        "images": [{"id": n, "file_name": f"{n}.png"} | each for n, each in enumerate(images)],
        "annotations": [
            {"id": n, "image_id": n, "category_id": 1, "bbox": [8, 4, 32, 16]} for n in range(len(images))
        ],
        "categories": [{"id": 1, "name": "cat"}],
    }


def createml(images: list[dict[str, Any]]) -> list[dict[str, Any]]:
    box = {"label": "cat", "coordinates": {"x": 24, "y": 12, "width": 32, "height": 16}}
    return [{"image": f"{n}.png", "annotations": [box]} | each for n, each in enumerate(images)]


KINDS = {"COCO": (coco, read_coco), "CreateML": (createml, read_createml)}


def words_of(key: str, *words: Any) -> list[dict[str, Any]]:
    return [{} if word is None else {key: word} for word in words]


# Images, what the user says, the splits that are read, the options that a doubt proposes.
@pytest.mark.parametrize(
    ("images", "said", "found", "doubt"),
    [
        (words_of("split", *WORDS), {}, [*WORDS], ""),
        (words_of("ML_Use", None, *WORDS, None), {}, ["", *WORDS, ""], ""),
        (words_of("subset", "train", "val", "restval"), {}, ["train", "val", "restval"], ""),
        (words_of("set", "train", "restval", "restval"), {}, ["train", "restval", "restval"], ""),
        ([{"set": "siteA", **each} for each in words_of("split", *WORDS)], {}, [*WORDS], ""),
        (words_of("fold", *WORDS), {"columns": (("split", "fold"),)}, [*WORDS], ""),
        (words_of("split", *WORDS), {"columns": (("split", ""),)}, ["", "", ""], ""),
        (words_of("split", ["train"], ["val"], "test"), {}, ["train", "val", "test"], ""),
        (words_of("split", *[None] * 1100, *["test"] * 3), {}, [""] * 1100 + ["test"] * 3, ""),
        (
            words_of("fold", *[None] * 1100, "test"),
            {"columns": (("split", "fold"),)},
            [""] * 1100 + ["test"],
            "",
        ),
        ([each | {"subset": each["split"]} for each in words_of("split", *WORDS)], {}, [*WORDS], ""),
        (words_of("", *WORDS), {}, [""] * 3, ""),
        (words_of("split", "a", "b"), {"renamed": ("a", "b")}, ["a", "b"], ""),
        (words_of("split", "train", "train", "\ud800"), {}, ["train", "train", r"\ud800"], ""),
        # Other meanings: the key is a further one.
        (words_of("subset", "siteA", "siteB"), {}, ["", ""], ""),
        (words_of("set", "train", "bus", "tram"), {}, ["", "", ""], ""),
        (words_of("set", *map(str, range(40)), *["train"] * 80), {}, [""] * 120, ""),
        (words_of("split", {"a": 1}, [1], 7.5), {}, ["", "", ""], ""),
        (
            words_of("set", "train", "test", "a", "b"),
            {},
            [""] * 4,
            "--columns split=set --split-map a=unassigned,b=unassigned",
        ),
        (words_of("split", 0, 1), {}, ["", ""], "--columns split=split --split-map 0=train,1=validation"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_words_under_a_key(
    kind: str,
    images: list[dict[str, Any]],
    said: dict[str, Any],
    found: list[str],
    doubt: str,
    tmp_path: Path,
) -> None:
    make, read = KINDS[kind]
    listed, findings = read_with(read, write_json(tmp_path, make(images)), splits=SplitKeys(**said))
    assert [each.split for each in listed] == found
    assert findings.tells_splits == any(found)
    assert [*findings.unsure_splits.values()] == ([doubt] if doubt else [])


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_without_a_name_stays_a_further_one(kind: str, tmp_path: Path) -> None:
    make, read = KINDS[kind]
    how = {"further": tmp_path / "kept"} if kind == "COCO" else {}
    ((image,), _) = read_with(read, write_json(tmp_path, make(words_of("", "train"))), **how)
    assert (image.split, image.extras) == ("", {"": "train"})


def test_a_key_of_splits_becomes_a_further_one_by_the_option_proposed(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(3)))
    for key, advice in [("set", "--columns split= takes it for a further key"), ("split", "leave it out")]:
        source = write_json(tmp_path, coco(words_of(key, *WORDS)), f"{key}.json")
        refused = convert_json(source, "out", "--features", key, cwd=tmp_path)["error"]
        assert refused["hint"] == f"where splits are read of it, {advice}; else write it as the list has it"
    done = convert_json("set.json", "out", "--features", "set", "--columns", "split=", cwd=tmp_path)
    assert (done["records"], "further keys: set text" in done["remarks"]) == (3, True)
    (tmp_path / "list.csv").write_text("image,set,label\n0.png,train,a\n1.png,test,b\n2.png,train,b\n")
    of_csv = convert_json("list.csv", "out2", "--features", "set", cwd=tmp_path)["error"]
    assert of_csv["hint"] == "--columns split= takes that of splits for a further one"
    done = convert_json("list.csv", "out2", "--features", "set", "--columns", "split=", cwd=tmp_path)
    assert done["records"] == 3


@pytest.mark.parametrize("kind", KINDS)
def test_two_keys_could_be_it(kind: str, tmp_path: Path) -> None:
    make, read = KINDS[kind]
    path = write_json(tmp_path, make([{"split": "train", "subset": "val"}]))
    with pytest.raises(InputError, match="both split and subset") as error:
        read_with(read, path)
    ((listed,), _) = read_with(read, path, splits=SplitKeys((("split", "subset"),)))
    assert error.value.hint == "--columns split=split chooses"
    assert listed.split == "val"


def test_entries_of_one_image_that_name_other_splits_are_not_used(tmp_path: Path) -> None:
    document = coco(words_of("split", "train", "val"))
    document["images"] += [{**document["images"][0]}, {**document["images"][1], "split": "test"}]
    listed, findings = read_with(read_coco, write_json(tmp_path, document))
    assert [(each.image_uri, each.problem is None) for each in listed] == [
        ("0.png", True), ("1.png", False), ("1.png", False),
    ]  # fmt: skip
    assert findings.counts == {"images listed twice alike": 1}
    assert "further keys: 'split'" in listed[1].problem.reason  # type: ignore[union-attr]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return photos(tmp_path / "in", *(f"{n}.png" for n in range(4)))


@pytest.mark.parametrize("kind", KINDS)
def test_records_are_in_the_splits_that_images_name(kind: str, folder: Path, tmp_path: Path) -> None:
    images = [each | {"site": "a"} for each in words_of("split", *WORDS, "dev")]
    source = write(folder, json.dumps(KINDS[kind][0](images)), "list.json")
    into = partial(convert, source, features=["site"])
    assert into(tmp_path / "a", split_map={"dev": "train"}).exit_code == 0
    assert {k: v["records"] for k, v in manifest(tmp_path / "a")["splits"].items()} == {
        "train": 2, "validation": 1, "test": 1,
    }  # fmt: skip
    done = convert(f"val={source}", tmp_path / "b")
    assert (done.records, dict(done.reasons)) == (2, {"other_split": 2})
    assert [row["split"] for row in read_csv(tmp_path / "b" / "rejects.csv")] == ["train", "test"]
    (warning,) = (each for each in done.warnings if "another split" in each)
    assert "2 rows name another split than it was given for: where that is right, " in warning
    assert warning.endswith('columns="split=" takes it for all of its rows')
    done = convert(f"val={source}", tmp_path / "c", columns={"split": ""})
    assert (done.splits["validation"]["records"], done.warnings) == (4, ())


def test_the_proposed_options_read_it(folder: Path) -> None:
    write(folder, json.dumps(coco(words_of("split", 0, 1, 1, 0))), "a.json")
    done = convert_json("a.json", "out", "--dry-run", cwd=folder)
    (doubt,) = (each for each in done["warnings"] if "may be the split" in each)
    options = shlex.split(doubt.partition(": ")[2])
    done = convert_json("a.json", "out", "--dry-run", *options, cwd=folder)
    assert not any("not used" in each for each in done["remarks"])
    assert done["splits"]["validation"]["records"] == 2


def test_a_key_of_words_of_splits_that_is_not_read_is_refused(folder: Path) -> None:
    words = ("train", "train", "val", "PrivateTest")
    lines = [{"image": f"{n}.png", "label": "a", "usage": word} for n, word in enumerate(words)]
    write(folder, "".join(f"{json.dumps(line)}\n" for line in lines), "a.jsonl")
    told = convert_json("a.jsonl", "out", "--dry-run", cwd=folder)["error"]
    assert (
        told["message"]
        == "a.jsonl: key usage holds words of splits (PrivateTest, train, val), and is not read"
    )
    options = shlex.split(told["hint"].partition(" reads it")[0])
    done = convert_json("a.jsonl", "out", "--dry-run", *options, cwd=folder)
    assert done["splits"]["test"]["records"] == 1
    dealt = convert_json("a.jsonl", "out", "--dry-run", "--columns", "split=", cwd=folder)
    assert (dealt["records"], any("may be the split" in each for each in dealt["warnings"])) == (4, False)


@pytest.mark.parametrize("kind", KINDS)
def test_images_that_tell_splits_under_another_key_are_not_assigned(kind: str, folder: Path) -> None:
    images = [each | {"site": "train"} for each in words_of("usage", *WORDS, "PrivateTest")]
    write(folder, json.dumps(KINDS[kind][0](images)), "a.json")
    told = convert_json("a.json", "out", "--dry-run", cwd=folder)["error"]
    assert (
        told["message"]
        == "a.json: key usage holds words of splits (PrivateTest, TRAIN, test, val), and is not read"
    )
    options = shlex.split(told["hint"].partition(" reads it")[0])
    done = convert_json("a.json", "out", "--dry-run", *options, cwd=folder)
    assert {split: each["records"] for split, each in done["splits"].items()} == {
        "train": 1, "validation": 1, "test": 2,
    }  # fmt: skip
    for kept in (("--columns", "split="), ("--features", "usage")):
        assert convert_json("a.json", "out", "--dry-run", *kept, cwd=folder)["records"] == 4


def test_a_key_that_no_image_has_is_refused(folder: Path, tmp_path: Path) -> None:
    source = write(folder, json.dumps(coco(words_of("split", *WORDS))), "a.json")
    with pytest.raises(InputError, match="no image has the key 'fold'"):
        convert(source, tmp_path / "out", columns={"split": "fold"})
