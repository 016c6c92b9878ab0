"""Boxes that are swapped, doubled, clipped, left out or reject their image: each is counted."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from boxing import CAT, DOG, HEADER, Boxes, boxes_of, convert, photo, photos, records, witnessed, write
from converting import jpeg, manifest, read_csv, tfrec
from recording import foreign, records_of
from verifying import verify

import tfrecordcli

# rows of a.png -> (boxes stored, counts that are not 0), where the image is kept.
MESS: dict[str, tuple[str, Boxes, dict[str, int]]] = {
    "corners swapped": ("a.png,cat,40,20,8,4\n", [CAT], {"swapped": 1}),
    "rounded beyond the edge": ("a.png,dog,16,8,80.01,40.3\n", [DOG], {}),
    "beyond the edge": ("a.png,dog,16,8,300,40\n", [DOG], {"clipped": 1}),
    "no width": ("a.png,cat,8,4,40,20\na.png,dog,7,5,7,9\n", [CAT], {"left_out": 1}),
    "twice the same": ("a.png,cat,8,4,40,20\na.png,cat,8,4,40,20\n", [CAT], {"merged": 1}),
    "twice but for the corners": (
        "a.png,cat,8,4,40,20\na.png,cat,40,4,8,20\n",
        [CAT],
        {"merged": 1, "swapped": 0},
    ),
    "the same four numbers": (
        "a.png,cat,4,8,20,40\na.png,cat,8,4,40,20\n",
        [("cat", (4.0, 8.0, 20.0, 40.0)), CAT],
        {"merged": 0},
    ),
}


@pytest.mark.parametrize("case", MESS)
def test_mess_is_cleaned_up_and_counted(case: str, tmp_path: Path, tf: Any) -> None:
    rows, boxes, counts = MESS[case]
    source = write(photos(tmp_path / "in", "a.png"), HEADER + rows)
    done = convert(source, tmp_path / "out", splits="train=1")
    assert (done.exit_code, done.records) == (0, 1)
    assert boxes_of(witnessed(tf, tmp_path / "out")["a.png"]) == boxes
    told = manifest(tmp_path / "out")["boxes"]
    assert {name: told[name] for name in counts} == counts
    outcomes = ("stored", "left_out", "merged", "rejected", "discarded")
    assert sum(told[name] for name in outcomes) == rows.count("\n")
    assert verify(tmp_path / "out").exit_code == 0


def test_equal_boxes_are_one_with_what_either_says(tmp_path: Path, tf: Any) -> None:
    header = "filename,class,xmin,ymin,xmax,ymax,difficult,truncated,area\n"
    rows = "a.png,cat,8,4,40,20,1,,500\na.png,cat,8,20,40,4,,0,501\n"
    rows += "b.png,cat,8,4,40,20,0,,\nb.png,cat,8,4,40,20,1,,\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png"), header + rows)
    done = convert(source, tmp_path / "out", splits="train=1", max_rejects=1)
    values = witnessed(tf, tmp_path / "out")["a.png"]
    found = {name: values[f"image/object/{name}"] for name in ("difficult", "truncated", "area")}
    assert found == {"difficult": [1], "truncated": [0], "area": [500.0]}
    (problem,) = done.problems
    assert (problem["line"], problem["code"]) == (5, "conflicting_box")
    assert problem["reason"].startswith("an equal box of the image has other attributes in line 4")
    told = manifest(tmp_path / "out")["boxes"]
    assert (told["stored"], told["merged"], told["rejected"]) == (1, 1, 2)


def test_values_of_single_boxes_are_no_features(tmp_path: Path) -> None:
    rows = f"{HEADER[:-1]},colour,weather\na.png,cat,8,4,40,20,red,sun\na.png,dog,8,4,40,20,blue,sun\n"
    source = write(photos(tmp_path / "in", "a.png"), rows)
    run = tfrec("convert", source, tmp_path / "out", "--features", "all")
    assert run.code == 2
    assert "--features colour: boxes of one image have other values, as 'blue' and 'red'" in run.err
    convert(source, tmp_path / "out", features="weather", splits="train=1")
    assert records(tmp_path / "out")["a.png"]["weather"] == [b"sun"]


def test_boxes_with_scores_are_no_annotations(tmp_path: Path) -> None:
    rows = f"{HEADER[:-1]},Score\na.png,cat,8,4,40,20,{{score}}\n"
    folder = photos(tmp_path / "in", "a.png")
    assert convert(write(folder, rows.format(score=1)), tmp_path / "out").exit_code == 0
    run = tfrec("convert", write(folder, rows.format(score=0.87), 'sco"red.csv'), tmp_path / "scored")
    assert run.code == 2
    told = " ".join(run.err.split())
    assert "column Score has 0.87: these boxes are what a model predicted" in told
    exec(shlex.split(told[told.index("python -c") :])[2])
    assert convert(folder / 'sco"red-without-scores.csv', tmp_path / "scored").records == 1


def test_a_score_of_images_is_taken_where_it_is_asked_for(tmp_path: Path) -> None:
    scores = {"score": [0.5]}
    boxes = {f"image/object/bbox/{side}min": [0.25, 0.5] for side in "xy"}
    boxes |= {f"image/object/bbox/{side}max": [0.75, 0.75] for side in "xy"}
    labels = {"image/object/class/label": [1, 1], "image/object/class/text": [b"cat", b"cat"]}
    foreign(tmp_path / "train.tfrecord", {"image/encoded": [jpeg(1)], **boxes, **labels, **scores})
    told = tfrec("inspect", tmp_path / "train.tfrecord", "--export", tmp_path / "some").out
    (command,) = [line for line in told.splitlines() if "tfrec convert" in line]
    words = shlex.split(command.replace("OUTPUT_DIR", str(tmp_path / "out")))
    done = tfrec(*words[1:])
    assert done.code == 0, done.err
    (record,) = records_of(tmp_path / "out")
    assert (record["score"], record["image/object/class/text"]) == ([0.5], [b"cat", b"cat"])
    refused = tfrec("convert", tmp_path / "some/data.csv", tmp_path / "all", "--features", "all")
    assert "these boxes are what a model predicted" in refused.err


def test_boxes_left_out_are_listed_and_cost_no_exit_code(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,cat,8,4,40,20\na.png,dog,7,5,7,9\n")
    assert convert(source, tmp_path / "out").exit_code == 0
    assert read_csv(tmp_path / "out" / "boxes-left-out.csv") == [
        {
            "image_uri": "a.png",
            "label": "dog",
            "tfrec_line": "3",
            "tfrec_place": "",
            "tfrec_code": "no_extent",
            "tfrec_reason": "the box has no width or no height",
        }
    ]
    assert verify(tmp_path / "out").exit_code == 0
    (tmp_path / "out" / "boxes-left-out.csv").write_text("gone")
    assert [problem.code for problem in verify(tmp_path / "out").problems] == ["side_file_edited"]


# second row of a.png -> (code, words of the reason); its first row is good.
REJECTED = {
    "text": ("a.png,dog,1,2,x,4\n", "bad_box", "'x'"),
    "nothing": ("a.png,dog,1,2,,4\n", "bad_box", "lacks a number"),
    "not a number": ("a.png,dog,1,2,nan,4\n", "bad_box", "'nan'"),
    "without end": ("a.png,dog,1,2,1e999,4\n", "bad_box", "1e999"),
    "no label": ("a.png,,1,2,3,4\n", "bad_box", "no label"),
    "no corners": ("a.png,dog,,,,\n", "bad_box", "'dog' has no corners"),
    "outside": ("a.png,dog,100,50,120,60\n", "box_outside", "is it the right image?"),
    "fields too many": ("a.png,dog,1,2,3,4,5,6\n", "field_count", "8 fields"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_a_box_that_cannot_be_used_rejects_its_whole_image(case: str, tmp_path: Path) -> None:
    row, code, words = REJECTED[case]
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    good = "a.png,cat,8,4,40,20\n"
    source = write(folder, f"{HEADER}{good}{row}b.png,cat,8,4,40,20\nc.png,cat,8,4,40,20\n")
    done = convert(source, tmp_path / "out", splits="train=1")
    is_alone = code == "field_count"  # such a row names no image for certain
    assert (done.exit_code, done.records, done.rejected) == (1, 3 if is_alone else 2, 1)
    rows = read_csv(tmp_path / "out" / "rejects.csv")
    told = {each["tfrec_line"]: each["tfrec_code"] for each in rows}
    if is_alone:
        assert told == {"3": code}
    else:
        assert told in ({"2": "same_image", "3": code}, {"2": code, "3": "same_image"})
    assert any(words in each["tfrec_reason"] for each in rows)
    assert verify(tmp_path / "out").exit_code == 0
    again = convert(source, tmp_path / "out", splits="train=1")
    assert (again.status, again.rejected) == ("already_complete", 1)


def test_a_box_with_two_labels_of_a_data_frame_is_rejected_and_one_with_one_is_read(tmp_path: Path) -> None:
    rows = "a.png,[cat],8,4,40,20\nb.png,\"['cat', 'dog']\",8,4,40,20\n"
    frame = pd.read_csv(write(photos(tmp_path / "in", "a.png", "b.png"), f"{HEADER}{rows}"))
    root = str(tmp_path / "in")
    done = convert(frame, tmp_path / "out", splits="train=1", max_rejects=1, image_root=root)
    assert (done.records, done.rejected, dict(done.reasons)) == (1, 1, {"bad_box": 1})
    assert "2 labels" in read_csv(tmp_path / "out" / "rejects.csv")[0]["tfrec_reason"]
    assert boxes_of(records(tmp_path / "out")["a.png"])[0][0] == "cat"


def test_rejected_images_are_mended_and_converted_once(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    text = f"{HEADER}a.png,cat,8,4,40,20\na.png,dog,16,8,x,40\nb.png,dog,16,8,80,40\n"
    done = convert(write(folder, text), tmp_path / "out")
    rejects = tmp_path / "out" / "rejects.csv"
    rejects.write_text(rejects.read_text().replace(",x,", ",80,"))
    words = shlex.split(done.mend_command)
    assert "--box-unit" in words
    mended = tfrec(*words[1:])
    assert mended.code == 0, mended.err
    assert boxes_of(records(tmp_path / "out-mended")["a.png"]) == [CAT, DOG]
    assert records(tmp_path / "out-mended").keys() == {"a.png"}
    assert (tmp_path / "out-mended" / "label_map.pbtxt").read_bytes() == (
        tmp_path / "out" / "label_map.pbtxt"
    ).read_bytes()


def test_rejects_of_a_list_without_a_header_can_be_converted_again(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "b.png", "c.png")
    text = "a.png,8,4,40,20,cat\na.png,16,8,80,40,dog\nb.png,8,4,40,20,cat\nc.png,,,,,\n"
    done = convert(write(folder, text), tmp_path / "out", splits="train=1")
    assert (done.exit_code, done.records, done.rejected) == (1, 2, 1)
    photo(folder / "a.png")
    mended = tfrec(*shlex.split(done.mend_command)[1:])
    assert mended.code == 0, mended.err
    assert boxes_of(records(tmp_path / "out-mended")["a.png"]) == [CAT, DOG]


def test_a_missing_image_is_one_reject(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "b.png")
    rows = "a.png,cat,8,4,40,20\na.png,dog,16,8,80,40\nb.png,cat,8,4,40,20\n"
    done = convert(write(folder, HEADER + rows), tmp_path / "out")
    assert (done.exit_code, done.records, done.rejected, done.rows) == (1, 1, 1, 2)
    assert manifest(tmp_path / "out")["boxes"]["rejected"] == 2


def test_an_image_in_two_splits_is_rejected(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "split,filename,class,xmin,ymin,xmax,ymax\n"
    rows = "train,a.png,cat,8,4,40,20\ntest,a.png,dog,16,8,80,40\ntrain,b.png,cat,8,4,40,20\n"
    done = convert(write(folder, header + rows), tmp_path / "out")
    assert (done.records, done.rejected, dict(done.reasons)) == (1, 1, {"conflicting_split": 1})


def test_another_size_than_listed(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    rows = "a.png,160,80,cat,16,8,80,40\nb.png,100,100,cat,8,4,40,20\n"
    done = convert(write(folder, header + rows), tmp_path / "out")
    assert (done.records, dict(done.reasons), done.notes["boxes_of_another_size"]) == (
        1,
        {"other_size": 1},
        1,
    )
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


def test_strict_boxes_reject_their_image(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, f"{HEADER}a.png,dog,16,8,300,40\nb.png,cat,8,4,40,20\n")
    done = convert(source, tmp_path / "out", boxes="strict")
    assert (done.records, dict(done.reasons)) == (1, {"bad_box": 1})


def test_strict_boxes_reject_an_image_of_which_one_would_be_left_out(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, f"{HEADER}a.png,dog,16,8,40,40\na.png,dog,7,5,7,9\nb.png,cat,8,4,40,20\n")
    done = convert(source, tmp_path / "out", boxes="strict")
    assert (done.exit_code, done.records, dict(done.reasons)) == (1, 1, {"bad_box": 1})
    (problem,) = done.problems
    assert problem["reason"].startswith("the box has no width or height (")


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ("a.png,cat,0,0,1,1\n", {}, ["not certain", "box_unit"]),
        ("a.png,cat,0,0,1.5,1\n", {}, ["not certain", "box_unit"]),
    ],
)
def test_an_uncertain_unit_is_asked_for(
    rows: str, options: dict[str, Any], words: Sequence[str], tmp_path: Path
) -> None:
    source = write(photos(tmp_path / "in", "a.png"), HEADER + rows)
    with pytest.raises(tfrecordcli.InputError) as caught:
        convert(source, tmp_path / "out", **options)
    assert all(word in str(caught.value) for word in words)
    assert convert(source, tmp_path / "out", box_unit="fractions").exit_code == 0


@pytest.mark.parametrize("box", ["-1,-1,-1,-1", "90,50,90,50", "-3,5,-3,9", "5,-1,9,-1"])
def test_a_box_without_extent_beside_its_image_is_left_out(box: str, tmp_path: Path, tf: Any) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,cat,{box}\na.png,cat,8,4,40,20\n")
    convert(source, tmp_path / "out")
    assert boxes_of(witnessed(tf, tmp_path / "out")["a.png"]) == [("cat", (8.0, 4.0, 40.0, 20.0))]
    (row,) = read_csv(tmp_path / "out" / "boxes-left-out.csv")
    assert (row["tfrec_line"], row["tfrec_code"]) == ("2", "no_extent")


def test_boxes_left_out_of_several_sources_have_their_own_places(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    write(folder, f"{HEADER}c.png,cat,8,4,40,20\nc.png,dog,8,4,20,20\n", "first.csv")
    write(folder, f"{HEADER}a.png,cat,7,5,7,9\na.png,cat,8,4,40,20\n", "second.csv")
    boxes = [{"label": "cat", "xmin": 8, "ymin": 4, "xmax": x, "ymax": 20} for x in (40, 8)]
    write(folder, json.dumps({"image": "b.png", "boxes": boxes}) + "\n", "third.jsonl")
    sources = ("train=first.csv", "test=second.csv", "train=third.jsonl")
    assert tfrec("convert", *sources, tmp_path / "out", cwd=folder).code == 0
    rows = read_csv(tmp_path / "out" / "boxes-left-out.csv")
    assert sorted((row["image_uri"], row["tfrec_line"], row["tfrec_place"]) for row in rows) == [
        ("a.png", "2", "second.csv, line 2"),
        ("b.png", "1", "third.jsonl, line 1, box 1"),
    ]
    tfrec("convert", folder / "third.jsonl", tmp_path / "alone")
    (row,) = read_csv(tmp_path / "alone" / "boxes-left-out.csv")
    assert (row["tfrec_line"], row["tfrec_place"]) == ("1", "line 1, box 1")
