"""Quotes that are the text of a field, as a transcription has them, swallow no rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos, records, write
from converting import convert_json, shell, tfrec

from tfrecordcli.sources.lone_quotes import has_lone_quotes
from tfrecordcli.sources.text_lines import MAX_ROW


@pytest.mark.parametrize(
    ("text", "delimiter", "has_some"),
    [
        ('a ok "\nb ok x\nc ok "\n', " ", True),
        ('a ok "\nb ok x y\n', " ", True),
        ('a.jpg\t"\nb.jpg\tx\n', "\t", True),
        ('a.jpg\t5"\nb.jpg\tx\n', "\t", False),
        ('"a b.jpg" cat\nb.jpg "\n', " ", False),
        ('a.jpg\t"x"\nb.jpg\t"\n', "\t", False),
        ('a.jpg\tx\t"n\nm"\nb.jpg\ty\tk\n', "\t", False),
        ('a.jpg,"n, and\nm"\nb.jpg,y\n', ",", False),
    ],
)
def test_quotes_are_lone_where_no_line_closes_one(
    text: str, delimiter: str, *, has_some: bool, tmp_path: Path
) -> None:
    write(tmp_path, text)
    assert has_lone_quotes(str(tmp_path / "list.csv"), delimiter) == has_some


def test_words_that_are_a_quote_are_rows_of_their_own(tmp_path: Path) -> None:
    words = {"a": '"', "b": "MOVE", "c": "#", "d": '"', "e": ",", "f": "MOVE", "g": "to", "h": "to"}
    photos(tmp_path, *(f"{name}.png" for name in words))
    rows = (f"{name} ok 154 {n} 768 27 51 NN {word}\n" for n, (name, word) in enumerate(words.items()))
    write(tmp_path, "".join(rows))
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    command = hint[hint.rindex("(echo image,column_2,") : hint.rindex(", with the names")]
    assert shell(command, tmp_path).code == 0
    told = tfrec("convert", "list-as-csv.csv", "out", cwd=tmp_path).err
    columns = "--columns image_uri=image,label=column_9"
    assert columns in told
    assert tfrec("convert", "list-as-csv.csv", "out", *columns.split(), cwd=tmp_path).code == 0
    found = {name: values["image/class/text"] for name, values in records(tmp_path / "out").items()}
    assert found == {f"{name}.png": [word.encode()] for name, word in words.items()}


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ('Bild\tWort\na.png\t"\nb.png\tü\nc.png\t"\n', ("--columns", "image_uri=Bild,label=Wort")),
        ('a.png\t"\nb.png\tü\nc.png\tx\n', ("--delimiter", "tab")),
    ],
    ids=["closed", "never closed"],
)
def test_a_list_with_lone_quotes_is_refused_with_the_command_that_doubles_them(
    text: str, given: tuple[str, ...], tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png")
    (tmp_path / "list.tsv").write_text(text, encoding="latin-1")
    more = ("--encoding", "latin-1", "--splits", "train=1")
    told = tfrec("convert", "list.tsv", "out", *given, *more, cwd=tmp_path).err
    command, _, then = told.partition("make a CSV of it: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert shell(then.strip().replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name: values["image/class/text"][0] for name, values in records(tmp_path / "out").items()}
    assert found == {"a.png": b'"', "b.png": "ü".encode(), "c.png": b"x" if "c.png\tx" in text else b'"'}


def test_a_line_that_no_list_has_is_not_kept_whole(tmp_path: Path) -> None:
    """Where blanks part fields, rows may be of any width, up to what a row may have."""
    write(tmp_path, 'a.jpg "\n' * 300_000)
    assert has_lone_quotes(str(tmp_path / "list.csv"), " ")
    write(tmp_path, f'a.jpg "\nb.jpg {"x " * (MAX_ROW // 4)}\n')
    assert has_lone_quotes(str(tmp_path / "list.csv"), " ")
    write(tmp_path, f'a.jpg "\nb.jpg {"x " * MAX_ROW}\n')
    assert not has_lone_quotes(str(tmp_path / "list.csv"), " ")
