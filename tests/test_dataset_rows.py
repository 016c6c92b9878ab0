"""What `RowFile` makes of image lists as people and programs write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_dataset_samples import read, rows_of

from tfrecordcli.errors import InputError

CAT = (2, "train", "a.jpg", "cat")

# One row, CAT, written in every way: all of these have a header in their first line.
HEADERS = {
    "as TFRecorder writes it": "split,image_uri,label\nTRAIN,a.jpg,cat\n",
    "other order": "label,split,image_uri\ncat,TRAIN,a.jpg\n",
    "capitals": "SPLIT,IMAGE_URI,LABEL\nTRAIN,a.jpg,cat\n",
    "blanks around names and values": " split , image_uri , label \n TRAIN , a.jpg , cat \n",
    "Vertex names": "ml_use,gcs_file_path,label\ntraining,a.jpg,cat\n",
    "Kaggle names": "Set,Filename,Class\nTRAIN,a.jpg,cat\n",
    "path and category": "subset,filepath,category\nTRAIN,a.jpg,cat\n",
    "byte order mark": "\ufeffsplit,image_uri,label\nTRAIN,a.jpg,cat\n",
    "byte order mark before a quote": '\ufeff"split","image_uri","label"\n"TRAIN","a.jpg","cat"\n',
    "CRLF": "split,image_uri,label\r\nTRAIN,a.jpg,cat\r\n",
    "CR": "split,image_uri,label\rTRAIN,a.jpg,cat\r",
    "no line end at the end": "split,image_uri,label\nTRAIN,a.jpg,cat",
    "tabs": "split\timage_uri\tlabel\nTRAIN\ta.jpg\tcat\n",
    "semicolons": "split;image_uri;label\nTRAIN;a.jpg;cat\n",
    "bars": "split|image_uri|label\nTRAIN|a.jpg|cat\n",
    "an unnamed index column, as pandas writes it": ",split,image_uri,label\n0,TRAIN,a.jpg,cat\n",
    "padding of a spreadsheet": "split,image_uri,label,,,\nTRAIN,a.jpg,cat,,,\n",
    "columns that are not used": "id,split,image_uri,label,size\n1,TRAIN,a.jpg,cat,9\n",
    "a column name with a slash": "split,image_uri,label,width/height\nTRAIN,a.jpg,cat,4/3\n",
    "columns of an earlier report": (
        "split,image_uri,label,tfrec_line,tfrec_code,tfrec_reason\nTRAIN,a.jpg,cat,7,no_label,why\n"
    ),
}


@pytest.mark.parametrize("content", HEADERS.values(), ids=HEADERS)
def test_header_is_found(content: str, tmp_path: Path) -> None:
    shape, rows = read(tmp_path, content)
    assert shape.header
    assert [(r.line, r.split, r.image_uri, *r.labels) for r in rows] == [CAT]


# Rows without a header line: (line, split, image_uri, *labels), or (line, code) of a reject.
HEADERLESS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "AutoML": (
        "TRAIN,a.jpg,cat\nTEST,b.jpg,dog\n",
        [(1, "train", "a.jpg", "cat"), (2, "test", "b.jpg", "dog")],
    ),
    "Vertex: some rows name no split": (
        "gs/a.jpg,cat\ntraining,b.jpg,dog\nc.png,cow\n",
        [(1, "", "gs/a.jpg", "cat"), (2, "train", "b.jpg", "dog"), (3, "", "c.png", "cow")],
    ),
    "empty split field": (",a.jpg,cat\n", [(1, "", "a.jpg", "cat")]),
    "blank split field": ("  ,a.jpg,cat\n", [(1, "", "a.jpg", "cat")]),
    "split and image only": ("TRAIN,a.jpg\n", [(1, "train", "a.jpg")]),
    "image only": ("a.jpg\n", [(1, "", "a.jpg")]),
    "a folder named as a split is a path": ("train/a.jpg,cat\n", [(1, "", "train/a.jpg", "cat")]),
    "a label named as a split": ("test,test.jpg,test\n", [(1, "test", "test.jpg", "test")]),
    "an image without extension after its split": ("TRAIN,img001,cat\n", [(1, "train", "img001", "cat")]),
    "ragged labels": (
        "TRAIN,a.jpg,x,y\nb.jpg,x\nTEST,c.jpg,x,y,z\nTEST,d.jpg\n",
        [
            (1, "train", "a.jpg", "x", "y"),
            (2, "", "b.jpg", "x"),
            (3, "test", "c.jpg", "x", "y", "z"),
            (4, "test", "d.jpg"),
        ],
    ),
    "doubled label": ("TRAIN,a.jpg,x,y,x\n", [(1, "train", "a.jpg", "x", "y")]),
    "empty labels between": ("TRAIN,a.jpg,,x,,y,,\n", [(1, "train", "a.jpg", "x", "y")]),
    "padding": ("TRAIN,a.jpg,x,,,\n,,,,,\n", [(1, "train", "a.jpg", "x")]),
    "unlabelled in a detection list": ("TRAIN,a.jpg,,,,,,,,,\n", [(1, "train", "a.jpg")]),
    "a label that is a column name elsewhere": (
        "TRAIN,a.jpg,label\nx/b,class\n",
        [(1, "train", "a.jpg", "label"), (2, "", "x/b", "class")],
    ),
    "a first row of an image and column names": (
        "TRAIN,a.jpg,image,label\n",
        [(1, "train", "a.jpg", "image", "label")],
    ),
    "a first row of a path and a column name": ("x/b,class\n", [(1, "", "x/b", "class")]),
    "semicolons, commas inside": ("TRAIN;b,c.jpg;x\n", [(1, "train", "b,c.jpg", "x")]),
    "Windows paths": ("C:\\x\\a,cat\nsub\\b,dog\n", [(1, "", "C:\\x\\a", "cat"), (2, "", "sub\\b", "dog")]),
    "spaces and percent signs stay": ("TRAIN,a b%20c.jpg,x\n", [(1, "train", "a b%20c.jpg", "x")]),
    "near miss": ("TRAIN,a.jpg,x\nvaliation,b.jpg,x\n", [(1, "train", "a.jpg", "x"), (2, "unknown_split")]),
    "neither split nor image": ("a.jpg,x\nimg2,y\n", [(1, "", "a.jpg", "x"), (2, "unknown_split")]),
    "split alone": ("TRAIN,a.jpg\nTRAIN\n", [(1, "train", "a.jpg"), (2, "no_image_uri")]),
    "no image": (
        "TRAIN,a.jpg\nTRAIN,,x\n,,x\n",
        [(1, "train", "a.jpg"), (2, "no_image_uri"), (3, "no_image_uri")],
    ),
    "a scheme that is not read": ("TRAIN,ftp://b/a.jpg,x\n", [(1, "unsupported_scheme")]),
    "a key that would be read as another": ("TRAIN,s3://b/x//a.jpg,x\n", [(1, "bad_url")]),
    "no encryption": ("TRAIN,http://example.com/a.jpg,x\n", [(1, "not_encrypted")]),
    "the web": ("https://x/a.jpg?b=1,x\n", [(1, "", "https://x/a.jpg?b=1", "x")]),
    "file URLs": ("TRAIN,file:///x/a%20b.jpg,x\n", [(1, "train", "file:///x/a%20b.jpg", "x")]),
    "label names that pandas loses": (
        "TRAIN,a.jpg,NA\nTRAIN,b.jpg,null\nTRAIN,c.jpg,nan\nTRAIN,d.jpg,None\n",
        [
            (1, "train", "a.jpg", "NA"),
            (2, "train", "b.jpg", "null"),
            (3, "train", "c.jpg", "nan"),
            (4, "train", "d.jpg", "None"),
        ],
    ),
    "label numbers that pandas changes": (
        "TRAIN,a.jpg,007\nTRAIN,b.jpg,1.0\nTRAIN,c.jpg,1e5\n",
        [(1, "train", "a.jpg", "007"), (2, "train", "b.jpg", "1.0"), (3, "train", "c.jpg", "1e5")],
    ),
    "many labels that are numbers": (
        "TRAIN,a.jpg,1,2,3,4,5,6,7\nTRAIN,b.jpg,1,2,3,4,5,6,7,8,9\n",
        [(1, "train", "a.jpg", *"1234567"), (2, "train", "b.jpg", *"123456789")],
    ),
}


@pytest.mark.parametrize(("content", "expected"), HEADERLESS.values(), ids=HEADERLESS)
def test_headerless(content: str, expected: list[tuple[Any, ...]], tmp_path: Path) -> None:
    assert not read(tmp_path, content)[0].header
    assert rows_of(tmp_path, content) == expected


# Rows below the header image_uri,label, which is line 1; with CRLF line ends the same must come out.
BELOW_HEADER: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "quoted comma": ('"a,b.jpg","x, y"\n', [(2, "", "a,b.jpg", "x, y")]),
    "doubled quote": ('a.jpg,"say ""x"""\n', [(2, "", "a.jpg", 'say "x"')]),
    "quote inside an open field": ('a.jpg,5" disk\n', [(2, "", "a.jpg", '5" disk')]),
    "blanks before a quote": (
        'a.jpg, "x, y"\nb.jpg,  "z"\n',
        [(2, "", "a.jpg", "x, y"), (3, "", "b.jpg", "z")],
    ),
    "blank lines": ("\na.jpg,x\n\n\nb.jpg,y\n\n", [(3, "", "a.jpg", "x"), (6, "", "b.jpg", "y")]),
    "lines of blanks": ("   \na.jpg,x\n \t \nb.jpg,y\n", [(3, "", "a.jpg", "x"), (5, "", "b.jpg", "y")]),
    "rows of commas": (",\n,,,\n , \na.jpg,x\n", [(5, "", "a.jpg", "x")]),
    "further labels": ("a.jpg,x,y,z\nb.jpg,x\n", [(2, "", "a.jpg", "x", "y", "z"), (3, "", "b.jpg", "x")]),
    "label left out": ("a.jpg\nb.jpg,\n", [(2, "", "a.jpg"), (3, "", "b.jpg")]),
    "text after a closing quote": ('"a.jpg"x,y\nb.jpg,z\n', [(2, "malformed_row"), (3, "", "b.jpg", "z")]),
    "NUL": (
        "a\0.jpg,x\nb.jpg,x\0y\nc.jpg,z\n",
        [(2, "control_character"), (3, "control_character"), (4, "", "c.jpg", "z")],
    ),
    "tab in a path": ("a\tb.jpg,x\n", [(2, "control_character")]),
    "escape sequence": ("a.jpg,\x1b[31mx\n", [(2, "control_character")]),
    "next line (C1)": ("a.jpg,x\x85y\n", [(2, "control_character")]),
    "line separator": ("a\u2028.jpg,x\n", [(2, "control_character")]),
    "unit separator": ("a.jpg,x\x1fy\n", [(2, "control_character")]),
    "form feed is no line end": (
        "a.jpg,x\x0cy\nb.jpg,z\n",
        [(2, "control_character"), (3, "", "b.jpg", "z")],
    ),
    "no split is guessed from a label": ("a.jpg,TRAIN\n", [(2, "", "a.jpg", "TRAIN")]),
    "the header again": (
        "a.jpg,x\nimage_uri, label\nimage_uri,x\n",
        [(2, "", "a.jpg", "x"), (3, "repeated_header"), (4, "", "image_uri", "x")],
    ),
    "the header behind a row": (
        "a.jpg,ximage_uri, label\nb.jpg,image_uri,label\n",
        [(2, "header_behind"), (3, "", "b.jpg", "image_uri", "label")],
    ),
    "the header again with blanks": (
        "a.jpg,x\nimage_uri ,label\n",
        [(2, "", "a.jpg", "x"), (3, "repeated_header")],
    ),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(("content", "expected"), BELOW_HEADER.values(), ids=BELOW_HEADER)
def test_below_header(content: str, expected: list[tuple[Any, ...]], line_end: str, tmp_path: Path) -> None:
    content = ("image_uri,label\n" + content).replace("\n", line_end)
    assert rows_of(tmp_path, content) == expected


@pytest.mark.parametrize("before", ["\n", "\n\n  \n", ",,,\n", " , \n", "\r\n\r\n"])
def test_what_stands_before_the_header_is_skipped(before: str, tmp_path: Path) -> None:
    shape, rows = read(tmp_path, before + "image_uri,label\na.jpg,x\n")
    assert shape.header == ("image_uri", "label")
    assert [(row.line, row.image_uri) for row in rows] == [(before.count("\n") + 2, "a.jpg")]


WORDS = {
    "train": ["train", "training"],
    "validation": ["validation", "validate", "valid", "val", "dev", "eval"],
    "test": ["test", "testing", "holdout"],
    "": ["unassigned", ""],
    "discard": ["discard"],
}


@pytest.mark.parametrize("header", ["", "split,image_uri,label\n"], ids=["headerless", "header"])
@pytest.mark.parametrize(("split", "word"), [(s, w) for s, words in WORDS.items() for w in words])
def test_split_words_in_any_case(split: str, word: str, header: str, tmp_path: Path) -> None:
    for written in {word, word.upper(), word.title(), f" {word}  "}:
        rows = rows_of(tmp_path, f"{header}{written},a.jpg,x\n")
        assert [row[1:] for row in rows] == [(split, "a.jpg", "x")]


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("valiation", "validation"),
        ("trian", "train"),
        ("Tset", "test"),
        ("TRAIN_", "train"),
        ("discarded", "discard"),
    ],
)
def test_near_misses_suggest_a_word(word: str, nearest: str, tmp_path: Path) -> None:
    (row,) = read(tmp_path, f"split,image_uri,label\n{word},a.jpg,x\n")[1]
    assert row.split is None
    assert row.problem is not None
    assert row.problem.reason == f"unknown split {word!r}: did you mean {nearest}?"


def test_a_word_like_none_lists_the_words(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "split,image_uri,label\n17,a.jpg,x\n")[1]
    assert row.problem is not None
    for word in ("'17'", "train", "validation", "test", "discard"):
        assert word in row.problem.reason


# --columns; content, columns, expected rows
COLUMNS: dict[str, tuple[str, Any, list[tuple[Any, ...]]]] = {
    "all named": (
        "Pic,Species,Part\na.jpg,x,TEST\n",
        "image_uri=Pic,label=Species,split=Part",
        [(2, "test", "a.jpg", "x")],
    ),
    "case does not matter": (
        "Pic,Species\na.jpg,x\n",
        "image_uri=pic,label=SPECIES",
        [(2, "", "a.jpg", "x")],
    ),
    "unless it tells two apart": (
        "Pic,kind,Kind\na.jpg,x,y\n",
        "image_uri=Pic,label=Kind",
        [(2, "", "a.jpg", "y")],
    ),
    "the rest by known names": (
        "split,Pic,label\nTEST,a.jpg,x\n",
        "image_uri=Pic",
        [(2, "test", "a.jpg", "x")],
    ),
    "one of two that could be": (
        "image,path,label\na.jpg,b.jpg,x\n",
        "image_uri=path",
        [(2, "", "b.jpg", "x")],
    ),
    "two labels, in the order given": (
        "Pic,A,B\na.jpg,x,y\n",
        "image_uri=Pic,label=B,label=A",
        [(2, "", "a.jpg", "y", "x")],
    ),
    "a label column that is not the known one": (
        "image,label,fine\na.jpg,x,y\n",
        "label=fine",
        [(2, "", "a.jpg", "y")],
    ),
    "names with blanks": (
        "Pic of it,Kind\na.jpg,x\n",
        "image_uri=Pic of it,label=Kind",
        [(2, "", "a.jpg", "x")],
    ),
    "a header that looks like an image": (
        "x.jpg,Kind\na.jpg,x\n",
        "image_uri=x.jpg,label=Kind",
        [(2, "", "a.jpg", "x")],
    ),
    "as a mapping": (
        "Pic,Species\na.jpg,x\n",
        {"image_uri": "Pic", "label": "Species"},
        [(2, "", "a.jpg", "x")],
    ),
    "as pairs": (
        "Pic,A,B\na.jpg,x,y\n",
        [("image_uri", "Pic"), ("label", "A"), ("label", "B")],
        [(2, "", "a.jpg", "x", "y")],
    ),
}


@pytest.mark.parametrize(("content", "columns", "expected"), COLUMNS.values(), ids=COLUMNS)
def test_columns(content: str, columns: Any, expected: list[tuple[Any, ...]], tmp_path: Path) -> None:
    assert rows_of(tmp_path, content, columns=columns) == expected


def test_numbered_label_columns(tmp_path: Path) -> None:
    content = "image,label_1,other,label_2,label3\na.jpg,x,o,y,z\nb.jpg,x,o,,\n"
    assert rows_of(tmp_path, content) == [(2, "", "a.jpg", "x", "y", "z"), (3, "", "b.jpg", "x")]


def test_a_note_far_below_a_header_that_has_no_name_for_it_is_no_label(tmp_path: Path) -> None:
    """Where the header goes on behind its last name, fields there are labels only if others are."""
    named = "".join(f"{number}.jpg,{number % 3},\n" for number in range(1_000))
    *rows, last = rows_of(tmp_path, f"image,label,\n{named}last.jpg,1,CHECK\n")
    assert {labels for *_, labels in rows} == {"0", "1", "2"}
    assert last == (1_002, "field_count")


def test_more_fields_than_columns(tmp_path: Path) -> None:
    """An unquoted comma moves fields; only where the label comes last can they be further labels."""
    content = "image,label,note\na.jpg,Smith, John,ill\nb.jpg,x,,,,\n"
    shape, rows = read(tmp_path, content)
    assert rows[0].problem is not None
    assert (rows[0].line, rows[0].problem.code) == (2, "field_count")
    assert "4 fields" in rows[0].problem.reason
    assert "3 columns" in rows[0].problem.reason
    assert rows[1].problem is None
    assert shape.notes == ("columns that are not used: note",)


# What ends the reading at once: content, options, words of the message and hint.
REFUSED: dict[str, tuple[str | bytes, dict[str, Any], list[str]]] = {
    "no image column": (
        "label,foo,bar\nx,1,2\n",
        {},
        ["no image column", "label, foo, bar", "--columns image_uri="],
    ),
    "no label column": (
        "image,foo,bar\na.jpg,1,2\n",
        {},
        ["no label column", "image, foo, bar", "label=NAME", "--unlabelled"],
    ),
    "unknown names": ("Bild,Art\na.jpg,x\n", {}, ["Bild, Art", "--columns"]),
    "two image columns": (
        "image,path,label\na.jpg,b.jpg,x\n",
        {},
        ["image, path", "--columns image_uri=image"],
    ),
    "two label columns": ("image,class,label\na.jpg,x,y\n", {}, ["class, label", "--columns label=class"]),
    "two split columns": ("split,set,image,label\n,,a.jpg,x\n", {}, ["split, set", "--columns split=split"]),
    "--columns names none": (
        "Pic,Species\na.jpg,x\n",
        {"columns": "image_uri=Nope,label=Species"},
        ["image_uri=Nope", "Pic, Species"],
    ),
    "--columns names two": (
        "image,x,X\na.jpg,x,y\n",
        {"columns": "label=x,image_uri=IMAGES"},
        ["image_uri=IMAGES", "image, x, X"],
    ),
    "--columns names a doubled name": (
        "image,k,k\na.jpg,x,y\n",
        {"columns": "label=k"},
        ["label=k", "more than one"],
    ),
    "--columns without a header": (
        "TRAIN,a.jpg,x\n",
        {"columns": "image_uri=Pic,label=k"},
        ["image_uri=Pic", "TRAIN, a.jpg, x"],
    ),
    "no row": ("", {}, ["no row"]),
    "blank lines only": ("\n\n  \n,,\n", {}, ["no row"]),
    "a byte order mark only": ("\ufeff", {}, ["no row"]),
    "JSON Lines": ('{"imageGcsUri": "a.jpg"}\n', {}, ["JSON"]),
    "indented JSON": ('\n  {"imageGcsUri": "a.jpg", "x": 1}\n', {}, ["JSON"]),
    "box in a later row": (
        "TRAIN,a.jpg\nTRAIN,b.jpg\n\nTRAIN,c.jpg,cat,0,0,,,1,1,,\n",
        {},
        ["line 4", "has a box", "--format automl"],
    ),
    "Latin-1": (
        "image,label\na.jpg,café\n".encode("latin-1"),
        {},
        ["line 2, byte 21", "not utf-8", "--encoding"],
    ),
    "Latin-1 in the header": ("image,libellé,label\n".encode("latin-1"), {}, ["line 1, byte 12"]),
    "Latin-1 after quoted lines": (
        'image,label\r\n"a\r\nb",x\r\nc.jpg,é\r\n'.encode("latin-1"),
        {},
        ["line 4, byte 29"],
    ),
    "Latin-1 far down": (
        b"image,label\n" + b"a.jpg,x\n" * 20_000 + b"b.jpg,\xe9\n",
        {},
        ["line 20002, byte 160018"],
    ),
    "cut inside a character": ("image,label\na.jpg,é".encode()[:-1], {}, ["line 2, byte 18"]),
    "a surrogate as UTF-8": (b"image,label\n\xed\xa0\x80.jpg,x\n", {}, ["line 2, byte 12"]),
    "UTF-16 without --encoding": (
        "image,label\na.jpg,x\n".encode("utf-16"),
        {},
        ["line 1, byte 0", "--encoding"],
    ),
    "UTF-16, half a pair": (
        "image,label\na.jpg,x\nb.jpg,".encode("utf-16") + b"\x00\xd8\n\0",
        {"encoding": "utf-16"},
        ["line 3, byte 54", "utf-16"],
    ),
    "UTF-16 without its mark": (
        "image,label\na.jpg,x\n".encode("utf-16-le"),
        {"encoding": "utf-16"},
        ["line 1", "utf-16"],
    ),
    "the mark of the other end": (
        "\ufeffimage,label\na.jpg,x\n".encode("utf-16-be"),
        {"encoding": "utf-16-le"},
        ["begins with the mark of utf-16, not of utf-16-le", "use --encoding utf-16"],
    ),
    "the mark of UTF-16 before cp1252": (
        "image,label\na.jpg,x\n".encode("utf-16"),
        {"encoding": "cp1252"},
        ["begins with the mark of utf-16, not of cp1252", "use --encoding utf-16"],
    ),
    "Latin-1 after the mark of UTF-8": (
        b"\xef\xbb\xbfimage,label\na.jpg,\xe9\n",
        {},
        ["line 2, byte 21", "--encoding cp1252"],
    ),
    "ASCII was named": ("image,label\na.jpg,é\n", {"encoding": "ascii"}, ["line 2, byte 18", "not ascii"]),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", {}, ["this is an image"]),
    "line break in a path": (
        'image,label\n"a\nb.jpg",x\nc.jpg,y\n',
        {},
        ["line 2", "closed only in line 3"],
    ),
    "line break in a label": (
        'image,label\na.jpg,"x\n\ny"\nc.jpg,y\n',
        {},
        ["line 2", "closed only in line 4"],
    ),
    "line break at the edge": (
        'image,label\na.jpg,"\nb.jpg,"\nc.jpg,y\n',
        {},
        ["line 2", "closed only in line 3"],
    ),
    "text after a quote that ran on": (
        'image,label\n"a\n.jpg"x,y\nb.jpg,z\n',
        {},
        ["line 2", "closed only in line 3"],
    ),
    "a quote closed by a later one": (
        'image,label\n"a.jpg,x\n"b.jpg,y\nc.jpg,z\n',
        {},
        ["line 2", "closed only in line 3", "double it"],
    ),
    "a quote in a column that is not used": (
        'image,label,note\na.jpg,x,"n\nb.jpg,y,\nc.jpg,z,"\nd.jpg,x,\n',
        {},
        ["line 2", "closed only in line 4"],
    ),
    "a quote in a column that is not used, closed in the next row": (
        'image,label,note\na.jpg,x,"n\nb.jpg,y,m"\nd.jpg,x,\n',
        {},
        ["line 2", "closed only in line 3"],
    ),
    "a quote of a list whose columns are not known, closed in the next row": (
        'Photo of it,Kind,note\na.jpg,x,"n\nb.jpg,y,m"\nd.jpg,x,\n',
        {},
        ["line 2", "closed only in line 3"],
    ),
    "notes of two lines in a list whose columns are not known": (
        'Photo of it,Kind,note\na.jpg,x,"n, and\nm"\nb.jpg,y,n\nc.jpg,x,n\nd.jpg,y,n\n',
        {},
        ["--columns 'image_uri=Photo of it,label=Kind'"],
    ),
    "a JSON array in a line": ('[{"image": "a.jpg", "label": "x"}]', {}, ["looks like a JSON array"]),
    "a JSON object in lines": ('{\n"pictures": []}', {}, ["looks like JSON (convert"]),
    "a JSON array in lines": ('\n [\n{"image": "a.jpg",\n"label": "x"}]', {}, ["looks like a JSON array"]),
    "a JSON array of strings": ('["a.jpg", "x"]\n', {}, ["looks like a JSON array"]),
    "quote never closed": ('image,label\na.jpg,x\n\n"b.jpg,y\nc.jpg,z\n', {}, ["line 4", "never closed"]),
    "quote never closed in the header": ('"image,label\na.jpg,x\n', {}, ["line 1", "never closed"]),
    "quote never closed in a long list": (
        'image,label\n"a.jpg,x\n' + "b.jpg,y\n" * 20_000,
        {},
        ["line 2", "never closed"],
    ),
    "a huge field": ("image,label\na.jpg,x\n" + "b" * 200_000 + ".jpg,y\n", {}, ["line 3", "131,072"]),
    "a huge first field": ("b" * 200_000 + ".jpg,y\n", {}, ["line 1", "131,072"]),
    "text after a quote in the first row": ('"image"x,label\na.jpg,x\n', {}, ["line 1", "closing quote"]),
}


@pytest.mark.parametrize(("content", "options", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(content: str | bytes, options: dict[str, Any], words: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content, **options)
    error = caught.value
    assert error.exit_code == 2
    assert error.message.startswith("list.csv: ")
    for word in words:
        assert word in str(error)
