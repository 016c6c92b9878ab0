"""Lists that look like those which are refused, and are read: each rule ends where these begin."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, jpeg, shell, tfrec

from tfrecordcli.sources.proposals import missing_images
from tfrecordcli.storage.store_path import walk_local

_ROWS: Final = 24


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("images")
    for number in range(_ROWS + 1):
        (folder / f"{number}.jpg").write_bytes(jpeg(number))
    (folder / "names.csv").write_text("0,cat\n1,dog\n2,owl\n", encoding="utf-8")
    (folder / "ids.txt").write_text("0\n1\n2\n", encoding="utf-8")
    return folder


def rows_of(head: str, row: str) -> str:
    """A list whose rows have their number for `{i}`, and one of three classes for `{c}`."""
    return head + "".join(f"{row.format(i=i, c=i % 3, k=i % 3 + 1)}\n" for i in range(_ROWS))


def few(text: str) -> str:
    """A header and the first rows of a list."""
    return "".join(text.splitlines(keepends=True)[:13])


def _beside(head: str, fields: str) -> str:
    """A list of an image and a class, with these fields behind an empty one in its first three rows."""
    header, *rows = rows_of(head, "{i}.jpg,{c}").splitlines()
    table = (f"{row},,{fields.format(i=i)}" for i, row in enumerate(rows[:3]))
    return "\n".join([header, *table, *(f"{row},," for row in rows[3:])])


def _at_head(head: str, fields: str, *firsts: str) -> str:
    """A list of images with these fields behind them, and others in its first rows."""
    text = rows_of(head, f"{{i}}.jpg,{fields}")
    for first in firsts:
        text = text.replace(f",{fields}\n", f",{first}\n", 1)
    return text


_POINTS: Final = rows_of("image,x,y\n", "{i}.jpg,{c},{c}")
_READ: Final = {
    "classes called y beside numbers": (rows_of("image,x,y\n", "{i}.jpg,{i}.5,{c}"), ""),
    "classes called y in few rows": (few(rows_of("image,x,y\n", "{i}.jpg,{i},{c}")), ""),
    "x is the image": (rows_of("x,y\n", "{i}.jpg,{c}"), "--columns image_uri=x"),
    "x is the image by number": (rows_of("x,y\n", "{i},{c}"), "--columns image_uri=x"),
    "y with its names": (_POINTS, "--label-names names.csv"),
    "y with its classes": (_POINTS, "--labels ids.txt"),
    "y in equal shares": (_POINTS, "--stratify"),
    "y beside x that is stored": (_POINTS, "--features x"),
    "y that is named": (_POINTS, "--columns label=y"),
    "two ids and --label-names": (rows_of("", "{i}.jpg,0,{c}"), "--label-names names.csv"),
    "two ids and --labels": (rows_of("", "{i}.jpg,0,{c}"), "--labels ids.txt"),
    "two ids and --label-separator": (rows_of("", "{i}.jpg,0,{c}"), "--label-separator none"),
    "two ids beside splits": (rows_of("", "TRAIN,{i}.jpg,{k},{c}"), ""),
    "names with signs before three numbers": (rows_of("image,label\n", "{i}.jpg,C+{c}.x 1 2 3"), ""),
    "names with signs before four numbers": (rows_of("image,label\n", "{i}.jpg,C-{c} 1 2 3 4"), ""),
    "two ids in many rows": (rows_of("", "{i}.jpg,{k},{c}"), ""),
    "words that tell of NumPy": (
        rows_of("image,note,label\n", "{i}.jpg,np.int64({i}) in np.mean(1),{c}"),
        "",
    ),
    "a legend beside a list that is known": (
        _beside("image,label,,legend,meaning\n", "0,cat"),
        "",
    ),
    "lists parted by empty rows": (rows_of("image,label\n", "{i}.jpg,{c}\n,"), ""),
    "ids behind an empty row": (few(rows_of("image,label\n", "{i}.jpg,{c}")) + ",\n20,d\n21,e\n", ""),
    "missing images of labels that are known": (
        rows_of("image,label\n", "{i}.jpg,{c}") + ",\nx24,0\nx25,new\n",
        "",
    ),
    "an empty line of a note": (
        few(rows_of("image,note,label\n", "{i}.jpg,,{c}")) + '20.jpg,"seen\n\nby,me,again",1\n',
        "",
    ),
    "labels in two columns": (rows_of("image,label,,label\n", "{i}.jpg,{c},,{k}"), ""),
    "splits in the first rows": (_beside("image,label,,split\n", "test"), ""),
    "other labels in the first rows": (_beside("image,label,,label_2\n", "pet"), ""),
    "labels in most rows": (
        rows_of("image,,label\n", "{i}.jpg,,{c}") + f"{_ROWS}.jpg,,\n",
        "--unlabelled keep",
    ),
    "labels in the first rows": (_at_head("image,kind,,label\n", "x,,", "x,,a", "x,,b"), "--unlabelled keep"),
    "one hot labels in the first rows": (
        _at_head("image,a,,b,c\n", "1,,,", "1,,1,0", "1,,0,1"),
        "--one-hot a,b,c",
    ),
    "boxes in the first rows": (
        _at_head("image,label,,xmin,ymin,xmax,ymax\n", ",,,,,", "k,,1,2,9,12", "n,,2,3,8,9"),
        "",
    ),
    "classes of boxes in the first rows": (
        _beside("image,name,,xmin,ymin,xmax,ymax,label\n", "{i},2,9,12,k{i}"),
        "--box-format xyxy",
    ),
    "columns for groups in the first rows": (
        _beside("image,label,,label_2,patient\n", "k{i},p{i}"),
        "--split-by patient",
    ),
    "a table with notes in its first rows": (
        _beside("age,income,,note\n", "hi{i}"),
        "--task tabular",
    ),
    "a column without a name that has values": (
        _beside("image,label,,label\n", "0").replace("\n1.jpg,1,,", "\n1.jpg,1,x,"),
        "",
    ),
    "images alone below two names": (rows_of("image;label\n", "{i}.jpg"), "--unlabelled keep"),
    "few classes called as thousands": (rows_of("image,label\n", '{i}.jpg,"{k},000"'), ""),
}


@pytest.mark.parametrize("name", _READ)
def test_a_list_near_others_is_read(name: str, images: Path) -> None:
    text, options = _READ[name]
    (images / "list.csv").write_text(text, encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", *options.split(), cwd=images)
    assert (told["exit_code"], told["records"]) == (0, told["rows"]), told


_REFUSED: Final = {
    "x that may be the image": (rows_of("x,y\n", "{i},{c}"), "image_uri=x,label=y"),
    "points beside words": (
        rows_of("picture,x,y,kind\n", "{i}.jpg,{i},{i},word{c}"),
        "--columns image_uri=picture,label=kind takes kind for the label; ",
    ),
    **{
        f"a table beside a list: {head}": (
            _beside(f"{head}\n", "A{i},12"),
            "w.writerows(f[:2] for f in r if any(f[:2]))' < list.csv > list-as-csv.csv; then: "
            "tfrec convert list-as-csv.csv OUTPUT_DIR; where all",
        )
        for head in ("image,label,,label,count", "Filename,Grade,,Grade,Count", "image,kind,,class,n")
    },
    "a table below a list": (
        rows_of("image,label\n", "{i}.jpg,kind{c}") + ",\n\nlabel,n\nkind0,8\nkind1,kind1\nall,9\n,\n",
        f"sed '{_ROWS + 2},$d' list.csv > list-alone.csv; then: tfrec convert list-alone.csv OUT",
    ),
    **{
        f"blanks below names parted by {mark!r}": (
            rows_of(f"image{mark}label{mark}light\n", "{i}.jpg {c}  {k}"),
            "[x.strip() for x in f] if len(f) > 1 else f[0].split()",
        )
        for mark in (" | ", ",", ";", "\t")
    },
    "points in few rows": (few(rows_of("image,x,y\n", "{i}.jpg,{i},1{c}")), "y alone is no class"),
    "points": (_POINTS, "y alone is no class"),
    "images beside an index of words": (
        rows_of(",Bild,label\n", "k{i},{i},{c}"),
        "image_uri=Bild,label=label",
    ),
    "images beside an index of words, under no name that is known": (
        rows_of(",Bild,Art\n", "k{i},{i},{c}"),
        "image_uri=Bild,label=Art",
    ),
    **{
        f"images in an index like {index}": (
            rows_of(",before,species\n", f"{index},{{i}},oak"),
            "call it image: ",
        )
        for index in ("{i}.jpg", "./{i}", "old/{i}.jpg", "old\\{i}")
    },
    "labels that icons are called by": (rows_of(",species\n", "k{i},{i}"), "call it image: "),
    "names of masks": (rows_of(",mask_id,species\n", "k{i},{i},{c}"), "call it image: "),
    "two ids alike in a row": (rows_of("", "TRAIN,{i}.jpg,0,{c}"), "no header says"),
    "a class and a year": (rows_of("", "TRAIN,{i}.jpg,20{i:02},{c}"), "no header says"),
    "two fractions": (rows_of("", "{i}.jpg,0.{i},1.{i}"), "--task regression --features column_2"),
    "fractions": (rows_of("image,label\n", "{i}.jpg,1.{i}"), "--task regression takes them"),
    "prices": (rows_of("image,label\n", '{i}.jpg,"1{i:02},000"'), "numbers with a comma"),
    "numbers of thousands of digits": (
        "Datei,Art\n" + "".join(f"{digit * 5_000},{digit}.jpg,cat\n" for digit in "123"),
        "name the columns",
    ),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_those_others_are_refused(name: str, images: Path) -> None:
    text, words = _REFUSED[name]
    (images / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=images)
    assert done.code == 2
    assert words in done.err


def test_a_small_table_beside_rows_without_images_is_refused(images: Path) -> None:
    (images / "list.csv").write_text(_beside("age,income,,legend,n\n", "k{i},{i}"), encoding="utf-8")
    refused = convert_json("list.csv", "out", "--task", "tabular", cwd=images)
    assert "two tables stand side by side" in refused["error"]["message"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_line_of_a_table_below_is_told_in_any_encoding(encoding: str, images: Path) -> None:
    text = rows_of("image,label\n", "{i}.jpg,kind{c}") + ",\nkind0,8\nall,24"
    (images / "list.csv").write_text(text, encoding=encoding)
    done = tfrec("convert", "list.csv", "out", "--encoding", encoding, cwd=images)
    assert f"behind the empty line {_ROWS + 2}, rows name no images, as 'kind0'" in done.err


def test_a_carriage_return_alone_ends_a_row(images: Path) -> None:
    text = rows_of("image,label\n", "{i}.jpg,kind{c}")
    (images / "list.csv").write_text(text.replace("\n", "\r"), encoding="utf-8", newline="")
    assert convert_json("list.csv", "out", "--dry-run", cwd=images)["records"] == _ROWS
    (images / "list.csv").write_text(text.replace(",kind", "\r,kind"), encoding="utf-8", newline="")
    assert convert_json("list.csv", "out", "--dry-run", cwd=images)["rejected"] == 2 * _ROWS


def test_a_list_of_exdark_leads_to_its_splits(images: Path) -> None:
    parts = {**dict.fromkeys(range(0, _ROWS, 4), 2), **dict.fromkeys(range(1, _ROWS, 4), 3)}
    rows = [f"{i}.jpg {i % 3 + 1} {i % 10} {i % 2} {parts.get(i, 1)}" for i in range(_ROWS)]
    text = "\r\n".join(["Name | Class | Light | In/Out | Train/Val/Test", *rows, ""])
    (images / "dark.txt").write_text(text, encoding="utf-8")
    told = convert_json("dark.txt", "out", "--dry-run", cwd=images)["error"]["hint"]
    assert shell(told.removeprefix("make a CSV of it: "), images).code == 0
    told = convert_json("dark-as-csv.csv", "out", "--dry-run", cwd=images)["error"]["hint"]
    options = shlex.split(told.partition("as in ")[2].partition(" (")[0])
    done = convert_json("dark-as-csv.csv", "out", "--dry-run", *options, cwd=images)
    counts = {split: part["records"] for split, part in done["splits"].items()}
    assert counts == {"train": _ROWS // 2, "validation": _ROWS // 4, "test": _ROWS // 4}


def test_folders_are_walked_once_for_all_columns(images: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []

    def walk(root: str) -> Iterator[tuple[str, list[str], list[str]]]:
        walked.append(root)
        yield from walk_local(root)

    monkeypatch.setattr(missing_images, "walk_local", walk)
    (images / "list.csv").write_text(rows_of(",a,b,c\n", "k{i},x{i},y{i},z{i}"), encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=images)
    assert (done.code, "call it image" in done.err, len(walked)) == (2, True, 1)


def test_one_row_of_nulls_in_a_list_of_boxes_is_rejected(images: Path) -> None:
    boxes = rows_of("image,xmin,ymin,xmax,ymax,label\n", "{i}.jpg,1,2,9,9,{c}")
    (images / "list.csv").write_text(f"{boxes}{_ROWS}.jpg,nan,nan,nan,nan,0\n", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", "--max-rejects", "5", cwd=images)
    assert (told["rows"], told["records"], told["rejected"]) == (_ROWS + 1, _ROWS, 1)
