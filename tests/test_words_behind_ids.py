"""Lists of ids and words without a header: what the proposed command makes of them is what they say."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, jpeg, manifest, shell

_AIRCRAFT: Final = "07 A320\n08 Cessna 172\n09 Falcon\n10 Embraer E-Jet\n"
_NUMBERED: Final = "07 Boeing 737\n08 Cessna 172\n09 Boeing 707\n10 Boeing 737\n"
_PARTED: Final = "--label-separator blank"


@pytest.mark.parametrize(
    ("content", "options", "labels"),
    [
        (_AIRCRAFT, "", ["A320", "Cessna 172", "Embraer E-Jet", "Falcon"]),
        (_AIRCRAFT, _PARTED, ["172", "A320", "Cessna", "E-Jet", "Embraer", "Falcon"]),
        (_AIRCRAFT.replace("A320", "Su 27"), "", ["Cessna 172", "Embraer E-Jet", "Falcon", "Su 27"]),
        (_NUMBERED, "", ["Boeing 707", "Boeing 737", "Cessna 172"]),
        ("07  cat\n08 cat\n09 dog\n10  dog\n", "", ["cat", "dog"]),
    ],
    ids=["one-word-first", "each-a-label", "two-words-first", "two-words-everywhere", "one-word-everywhere"],
)
def test_words_behind_an_id_become_labels_as_they_stand(
    tmp_path: Path, content: str, options: str, labels: list[str]
) -> None:
    (tmp_path / "l.txt").write_text(content)
    for number, line in enumerate(content.splitlines()):
        (tmp_path / f"{line.split()[0]}.jpg").write_bytes(jpeg(number))
    refused = convert_json("l.txt", "out", "--delimiter", " ", cwd=tmp_path)
    assert refused["exit_code"] == 2
    hint = refused["error"]["hint"]
    command = hint[hint.index("(echo ") : hint.index("l-as-csv.csv") + len("l-as-csv.csv")]
    assert shell(command, tmp_path).code == 0
    with (tmp_path / "l-as-csv.csv").open(newline="") as file:
        assert {len(fields) for fields in csv.reader(file)} == {2}
    done = convert_json("l-as-csv.csv", "out", "--splits", "train=1", *options.split(), cwd=tmp_path)
    assert done["records"] == 4
    assert sorted(manifest(tmp_path / "out")["labels"]) == labels


@pytest.mark.parametrize("between", [" ", ",", "\t"])
def test_a_first_row_that_names_an_image_by_letters_is_no_header(between: str, tmp_path: Path) -> None:
    rows = [f"n0{i}{between}{'golden retriever' if i < 2 else 'pug'}\n" for i in range(4)]
    (tmp_path / "l.txt").write_text("".join(rows))
    for number in range(4):
        (tmp_path / f"n0{number}.jpg").write_bytes(jpeg(number))
    hint = convert_json("l.txt", "out", cwd=tmp_path)["error"]["hint"]
    command = hint[hint.index("(echo ") : hint.index("l-as-csv.csv") + len("l-as-csv.csv")]
    assert shell(command, tmp_path).code == 0
    done = convert_json("l-as-csv.csv", "out", "--splits", "train=1", cwd=tmp_path)
    assert (done["records"], [*manifest(tmp_path / "out")["labels"]]) == (4, ["golden retriever", "pug"])


@pytest.mark.parametrize(("header", "told"), [("n00,pug\n", 1), ("tier,pug\n", 0)])
def test_a_first_row_of_an_image_that_is_named_as_the_header_is_told_of(
    header: str, told: int, tmp_path: Path
) -> None:
    (tmp_path / "l.csv").write_text(f"{header}n01,pug\nn02,cat\n")
    for number in range(3):
        (tmp_path / f"n0{number}.jpg").write_bytes(jpeg(number))
    columns = f"image_uri={header.partition(',')[0]},label=pug"
    done = convert_json("l.csv", "out", "--columns", columns, "--dry-run", cwd=tmp_path)
    warnings = [each for each in done["warnings"] if "the first row is taken for a header" in each]
    assert len(warnings) == told
    for each in warnings:
        assert shell(each.partition("make a CSV of it: ")[2], tmp_path).code == 0
        assert convert_json("l-as-csv.csv", "out", "--dry-run", cwd=tmp_path)["records"] == 3


def test_a_first_row_above_names_of_images_is_a_header(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("tier,art\nn01,Hund\nn02,Katze\n")
    for number in range(1, 3):
        (tmp_path / f"n0{number}.jpg").write_bytes(jpeg(number))
    hint = convert_json("l.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert "--columns image_uri=tier" in hint


def test_a_header_is_as_wide_as_the_widest_row(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("7,cat 1,2\n8,dog 1,2,x\n")
    hint = convert_json("l.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert "(echo image,column_2,column_3,column_4; cat l.csv)" in hint


def test_words_of_rows_of_different_counts_stay_apart_and_none_is_called_the_label(tmp_path: Path) -> None:
    (tmp_path / "l.txt").write_text("m1 D SPIC M 49\nm2 G NORM\nm3 F NORM\nm4  D SPIC B 53\n")
    for number in range(1, 5):
        (tmp_path / f"m{number}.jpg").write_bytes(jpeg(number))
    hint = convert_json("l.txt", "out", cwd=tmp_path)["error"]["hint"]
    way = hint.partition("where these are columns, make a CSV of it: ")[2]
    assert shell(way.partition(", with the names")[0], tmp_path).code == 0
    made = (tmp_path / "l-as-csv.csv").read_text().splitlines()
    assert made[:3] == ["image,column_2,column_3,column_4,column_5", "m1,D,SPIC,M,49", "m2,G,NORM"]
    assert made[4] == "m4,D,SPIC,B,53"
    further = convert_json("l-as-csv.csv", "out", cwd=tmp_path)["error"]["hint"]
    for column, holds in (("column_2", "D, G and 1 more in 4 rows"), ("column_3", "SPIC, NORM in 4 rows")):
        assert f"label={column}" in further
        assert f"({holds})" in further
    columns = "image_uri=image,label=column_3"
    assert (
        convert_json("l-as-csv.csv", "out", "--columns", columns, "--dry-run", cwd=tmp_path)["records"] == 4
    )


def test_no_column_of_a_table_becomes_its_label_unasked(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("39, State-gov, 775, <=50K\n50, Private, 833, >50K\n")
    hint = convert_json("l.csv", "out", "--task", "tabular", cwd=tmp_path)["error"]["hint"]
    assert "(echo column_1,column_2,column_3,column_4; cat l.csv)" in hint
