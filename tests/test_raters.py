"""Lists with a row for each answer of several raters: what most of them say, or the mean, by the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, read_csv, shell


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


def test_what_most_raters_say_is_made_a_list_of(tmp_path: Path) -> None:
    (warning,) = _asked(_WORDS, "--max-rejects", "9", folder=tmp_path)
    assert "column annotator_id tells who says so" in warning
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
