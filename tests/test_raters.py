"""Lists with several rows of an image by what they tell: answers of raters, or a number of each thing."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, read_csv, shell

from tfrecordcli.sources.proposals.numbers_by_row import numbers_by_row


def _asked(text: str, *options: str, folder: Path) -> list[str]:
    """The warnings of a list of four images."""
    for number in range(4):
        (folder / f"{number}.jpg").write_bytes(jpeg(number))
    (folder / "l.csv").write_text(text, encoding="utf-8")
    done = convert_json("l.csv", "out", *options, "--dry-run", cwd=folder)
    warnings: list[str] = done["warnings"]
    return [each for each in warnings if "than others do" in each]


def _made(warning: str, of: str, folder: Path) -> dict[str, Any]:
    """What comes of the commands that the warning has."""
    command, then = warning.partition(f"{of}: ")[2].partition("; where")[0].split(", then ")
    assert shell(command, folder).code == 0
    return convert_json(*then.replace("OUTPUT_DIR", "out").split()[2:], "--splits", "train=1", cwd=folder)


_WORDS = (
    "set;seconds;img;annotator_id;site;diagnosis\n"
    "TRAIN;1;0.jpg;ann;north;cat\n;2;0.jpg;bob;north;dog\nTRAIN;3;0.jpg;eve;north;dog\n;3;0.jpg;kim;north;cat\n"
    "TRAIN;3;0.jpg;zoe;north;cat\n"
    "TEST;4;1.jpg;ann;south; dog\nTEST;5;1.jpg;bob;south;dog\n"
    "TEST;6;2.jpg;ann;south;dog\nTEST;7;2.jpg;bob;south;cat\n"  # at odds
    "TRAIN;6;3.jpg;ann;south;\nTRAIN;7;3.jpg;bob;south;cat\n"
)


@pytest.mark.parametrize("rater", ["annotator_id", "ASSIGNMENT:worker_id", "Labeler:", "Rater no."])
def test_what_most_raters_say_is_made_a_list_of(rater: str, tmp_path: Path) -> None:
    words = _WORDS.replace("annotator_id", rater)
    (warning,) = _asked(words, "--max-rejects", "9", folder=tmp_path)
    assert f"column {rater} tells who says so" in warning
    assert warning.endswith("where an image has all of these labels, --multi-label makes one record of such "
                            "rows, with all of their labels")  # fmt: skip
    done = _made(warning, "without images for which they are at odds", tmp_path)
    assert (done["records"], done["rejected"]) == (3, 0)
    assert [list(row.values()) for row in read_csv(tmp_path / "l-majority.csv")] == [
        ["0.jpg", "TRAIN", "north", "cat"],
        ["1.jpg", "TEST", "south", "dog"],
        ["3.jpg", "TRAIN", "south", "cat"],
    ]


def test_raters_come_before_numbers_that_may_be_boxes(tmp_path: Path) -> None:
    rows = "".join(
        f"{i}.jpg,{r},{i + 11 * r},{5 + r},{i + 7 * r + 9},{9 + 3 * i},{'ab'[r]}\n"
        for i in range(4)
        for r in (0, 1)
    )
    (warning,) = _asked(f"image,rater,q1,q2,q3,q4,label\n{rows}", folder=tmp_path)
    assert "column rater tells who says so" in warning


def test_numbers_of_raters_have_their_mean(tmp_path: Path) -> None:
    text = "Rater,Filename,Rating\n" + "".join(
        f"{r},{i}.jpg,{1 + (int(r) + i) % 5}\n" for i in range(4) for r in "012"
    )
    (as_labels,) = _asked(text, "--columns", "image_uri=Filename,label=Rating", folder=tmp_path)
    options = "--columns image_uri=Filename,label=Rating --task regression"
    assert f"where they are numbers to predict, {options} has the command for their mean" in as_labels
    (warning,) = _asked(text, *options.split(), folder=tmp_path)
    assert _made(warning, "the mean of each image", tmp_path)["records"] == 4
    means = [float(row["Rating"]) for row in read_csv(tmp_path / "l-mean.csv")]
    assert means == pytest.approx([2, 3, 4, 10 / 3])


_RELABELLED = (
    "timestamp,path,label,annotator\n"
    "2024-02-11T09:05:00,0.jpg,cat,ann\n2024-02-11T09:06:00.25Z,1.jpg,dog,ann\n2024-02-11T11:06:00+02:00,3.jpg,cat,ann\n"
    "timestamp,path,label,annotator\n"
    "2024-02-12T09:06:00,0.jpg,dog,ann\n2024-02-10T09:06:00,3.jpg,dog,bob\n,3.jpg,dog,ann\n2024-02-11T09:06:00Z,1.jpg,cat,eve\n"
    "2024-02-12T09:06:00,2.jpg,cat,bob\n"
)


def test_the_newest_row_of_each_image_is_made_a_list_of(tmp_path: Path) -> None:
    (warning,) = _asked(_RELABELLED, "--max-rejects", "9", folder=tmp_path)
    told, *ways = warning.split("; what ")
    assert told.endswith("column annotator tells who says so, and timestamp when")
    # Ann has changed her mind.
    assert [way.partition(":")[0] for way in ways] == [
        "the newest row of each image says",
        "most of them say, without images for which they are at odds",
    ]
    newest = "; ".join(warning.split("; ")[:-1])
    assert newest.count("then tfrec convert") == 2
    command, then = warning.partition("image says: ")[2].partition("; what most")[0].split(", then ")
    assert shell(command, tmp_path).code == 0
    done = convert_json(*then.replace("OUTPUT_DIR", "out").split()[2:], "--splits", "train=1", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 4)
    made = {row["path"]: row["label"] for row in read_csv(tmp_path / "l-newest.csv")}
    assert made == {"0.jpg": "dog", "1.jpg": "dog", "2.jpg": "cat", "3.jpg": "cat"}


def test_what_most_say_is_no_header_that_comes_again(tmp_path: Path) -> None:
    index = "".join(
        f"{'' if line.startswith('timestamp') else number},{line}\n"
        for number, line in enumerate(_RELABELLED.splitlines())
    )
    (warning,) = _asked(index, "--max-rejects", "9", folder=tmp_path)
    done = _made(warning, "without images for which they are at odds", tmp_path)
    assert (done["exit_code"], done["records"], done["rejected"]) == (0, 2, 0)


def _rows(*times: str) -> str:
    cells = ("0.jpg", "cat"), ("1.jpg", "dog"), ("2.jpg", "cat"), ("3.jpg", "dog"), ("0.jpg", "dog")
    return "".join(f"{image},{label},{time}\n" for (image, label), time in zip(cells, times, strict=True))


@pytest.mark.parametrize(
    ("name", "times", "of_0"),
    [
        ("updated_at", ("1707642300.5", "1707642301", "1707642302", "1707642303", "999642303"), ""),
        ("updated_at", ("1707642300.5", "1707642301", "1707642302", "1707642303", "1707642304"), "dog"),
        (
            "updatedAt",
            ("1707642309000", "1707642301000", "1707642302000", "1707642303000", "1707642304000"),
            "cat",
        ),
        ("number", ("1707642300", "1707642301", "1707642302", "1707642303", "1707642304"), ""),
        (
            "when it was",
            ("30.09.2023 8:05", "1.10.2023 8:05", "1.10.2023 8:06", "2.10.2023 8:05", "1.10.2023 8:05"),
            "dog",
        ),
        ("day", ("9/30/2023", "10/1/2023", "10/1/2023", "10/2/2023", "10/2/2023"), "dog"),
        (
            "day",
            ("9/10/2023", "10/1/2023", "10/1/2023", "10/2/2023", "10/2/2023"),
            "",
        ),  # 10 February, or 2 October?
        ("day", ("2023/9/30", "2023/9/30", "2023/9/30", "2023/10/1", "2023/9/30"), ""),  # both of one day
        ("photo", ("2023-09-30", "2023-09-29", "2023-09-28", "2023-10-01", "2023-09-30"), ""),
    ],
)
def test_times_are_told_by_their_texts(name: str, times: Sequence[str], of_0: str, tmp_path: Path) -> None:
    (warning,) = _asked(f"image,label,{name}\n{_rows(*times)}", folder=tmp_path)
    assert (f"column {name} tells when; what the newest row of each image says" in warning) == bool(of_0)
    if of_0:
        assert _made(warning, "newest row of each image says", tmp_path)["records"] == 4
        made = {row["image"]: row["label"] for row in read_csv(tmp_path / "l-newest.csv")}
        assert made == {"0.jpg": of_0, "1.jpg": "dog", "2.jpg": "cat", "3.jpg": "dog"}


_SEVERAL = (
    "2 rows name an image with another label than others do: --multi-label makes one record of such rows, "
    "with all of their labels"
)


@pytest.mark.parametrize(
    ("rows", "warned"),
    [
        # One user each has uploaded an image, and two labels of it.
        ("0.jpg,ann,cat\n0.jpg,ann,dog\n1.jpg,bob,cat\n2.jpg,eve,dog\n", [_SEVERAL]),
        ("0.jpg,ann,cat\n0.jpg,bob,cat\n1.jpg,bob,cat\n2.jpg,eve,dog\n", []),  # of one mind
    ],
)
def test_users_who_are_no_raters_change_nothing(rows: str, warned: list[str], tmp_path: Path) -> None:
    assert _asked(f"image,user,label\n{rows}", folder=tmp_path) == warned


def _rows_of_numbers(*things: str) -> list[str]:
    return [
        f"{i}__{each},{i}.jpg,{'ab'[i % 2]},{each},{i}.{n}" for i in range(4) for n, each in enumerate(things)
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "several columns could hold the label"),
        (("--columns", "label=target", "--task", "regression"), "another number than others do"),
        (("--columns", "label=target_name"), "another label than others do"),
    ],
)
def test_rows_of_a_number_each_become_rows_of_images(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    rows = [
        "sample_id,image_path,Species,target_name,target",
        *_rows_of_numbers("dead", "dry green", "clover"),
    ]
    (tmp_path / "l.csv").write_text("\n".join(rows) + "\n")
    done = convert_json("l.csv", "out", *options, "--dry-run", cwd=tmp_path)
    told = [f"{each['message']}{each['hint']}" for each in [done.get("error")] if each] or done["warnings"]
    (told,) = [each for each in told if said in each]
    assert "target_name tells what target is (dead, dry green, clover): make a row of each image" in told
    if not options:
        command, then = (
            told.partition("to be predicted: ")[2].partition("; else choose one")[0].split(", then ")
        )
        assert shell(command, tmp_path).code == 0
        made = (tmp_path / "l-by-image.csv").read_text().splitlines()
        assert made[:2] == ["image_path,Species,clover,dead,dry green", "0.jpg,a,0.2,0.0,0.1"]
        words = shlex.split(then.replace("OUTPUT_DIR", "out"))[2:]
        assert convert_json(*words, "--splits", "train=1", cwd=tmp_path)["records"] == 4


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("image,label,score", ["a,cat,0.9", "a,dog,0.1", "b,fox,0.8", "b,owl,0.2", "c,elk,1", "c,emu,0.1"]),
        ("image,rater,score", [f"{i},{r},{n}{i}" for i in range(4) for n, r in enumerate(("ann", "bob"))]),
        ("image,frame,score", [f"{i},{n},{n}{i}" for i in range(4) for n in range(2)]),
        (
            "image,point,x,y",
            [f"{i},{p},{n}{i},{i}{n}" for i in range(4) for n, p in enumerate(("eye", "ear"))],
        ),
        ("image,class,size", ["a,cat,1", "a,cat,2", "b,cat,3", "b,cat,4", "c,cat,4", "c,cat,7"]),
        ("image,name,id", [f"{i},{p},{i}{n}" for i in range(4) for n, p in enumerate(("eye", "ear"))]),
    ],
    ids=["labels of each image", "raters", "frames", "points", "objects", "ids"],
)
def test_rows_of_something_else_are_left_alone(header: str, rows: list[str]) -> None:
    assert numbers_by_row(header.split(","), [row.split(",") for row in rows], "image") is None
