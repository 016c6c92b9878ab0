"""rejects.csv: it says why, it can be mended, and read again it gives the same rows."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from test_dataset_samples import Made, plan_from, plan_of

from tfrecordcli.given_options import make_options
from tfrecordcli.planning.scan import RowProblem
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.workdir.rejects import ProblemList, RejectBook, read_rejects, write_rejects

REPORT = ["tfrec_line", "tfrec_code", "tfrec_reason"]


def rejects_of(folder: Path, content: str, **options: Any) -> tuple[Made, Path]:
    """Plans a list and writes the rejects.csv of its rows."""
    made = plan_of(folder, content, **options)
    rows = RowFile(str(folder / "list.csv"), "list.csv", make_options(options).read)
    book = RejectBook(folder / "book")
    for problem in made.problems:
        book.add(problem)
    write_rejects(folder, rows, book)
    return made, folder / "rejects.csv"


def table(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


# content, options, header and rows of rejects.csv without the reason
WRITTEN: dict[str, tuple[str, dict[str, Any], list[str], list[list[str]]]] = {
    "headerless": (
        "TRAIN,a.jpg,x\nTRIAN,b.jpg,x\n\nftp://b/c.jpg,x\nTEST,d.jpg\n",
        {},
        ["split", "image_uri", "label"],
        [
            ["TRIAN", "b.jpg", "x", "2", "unknown_split"],
            ["", "ftp://b/c.jpg", "x", "4", "unsupported_scheme"],
            ["TEST", "d.jpg", "", "5", "no_label"],
        ],
    ),
    "headerless, several labels": (
        "TRAIN,a.jpg,x\nTRIAN,b.jpg,x,y,z\nTRIAN,c.jpg,x\n",
        {},
        ["split", "image_uri", "label", "tfrec_label_2", "tfrec_label_3"],
        [
            ["TRIAN", "b.jpg", "x", "y", "z", "2", "unknown_split"],
            ["TRIAN", "c.jpg", "x", "", "", "3", "unknown_split"],
        ],
    ),
    "columns of its own": (
        "id;Pic;Set;Kind\n1;a.jpg;TRIAN;x\n2;b.jpg;;x\n",
        {"columns": "image_uri=Pic,label=Kind"},
        ["id", "Pic", "Set", "Kind"],
        [["1", "a.jpg", "TRIAN", "x", "2", "unknown_split"]],
    ),
    "more labels than columns": (
        "split,image_uri,label\nTRIAN,a.jpg,x,y\nTRAIN,b.jpg,x\n",
        {},
        ["split", "image_uri", "label", "tfrec_label_2"],
        [["TRIAN", "a.jpg", "x", "y", "2", "unknown_split"]],
    ),
    "more fields than columns": (
        "image_uri,label,note\na.jpg,Smith, John,ill\nb.jpg,x,\n",
        {},
        ["image_uri", "label", "note", "tfrec_field_2"],
        [["a.jpg", "Smith", "John", "ill", "2", "field_count"]],
    ),
    "quotes, commas and line breaks": (
        'split,image_uri,label\nTRIAN,"a,b.jpg","say ""x"""\nTRAIN,a\x01b.jpg,"x, y"\n',
        {},
        ["split", "image_uri", "label"],
        [
            ["TRIAN", "a,b.jpg", 'say "x"', "2", "unknown_split"],
            ["TRAIN", "a\x01b.jpg", "x, y", "3", "control_character"],
        ],
    ),
    "a row that is no CSV": (
        'split,image_uri,label\nTRAIN,"a.jpg"x,y\nTRAIN,b.jpg,x\n',
        {},
        ["split", "image_uri", "label"],
        [["TRAIN", '"a.jpg"x', "y", "2", "malformed_row"]],
    ),
    "a report of an earlier run": (
        "split,image_uri,label,tfrec_line,tfrec_code,tfrec_reason\nTRIAN,a.jpg,x,77,no_label,why\nTRAIN,b.jpg,x,78,,\n",
        {},
        ["split", "image_uri", "label"],
        [["TRIAN", "a.jpg", "x", "2", "unknown_split"]],
    ),
}


def test_headers_in_quotes_are_told_without_these(tmp_path: Path) -> None:
    lines = ['"image_uri","label"', '"a.jpg","x""image_uri","label"', '"b.jpg","x, y"', '"image_uri","label"']
    rows = table(rejects_of(tmp_path, "\n".join(lines))[1])
    assert [row[:-1] for row in rows[1:]] == [
        ["a.jpg", 'x"image_uri', "label", "2", "header_behind"],
        ["image_uri", "label", "", "4", "repeated_header"],
    ]


@pytest.mark.parametrize(("content", "options", "header", "rows"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written(
    content: str, options: dict[str, Any], header: list[str], rows: list[list[str]], tmp_path: Path
) -> None:
    made, path = rejects_of(tmp_path, content, **options)
    first, *others = table(path)
    assert first == header + REPORT
    assert [row[:-1] for row in others] == rows
    assert {int(row[-3]): row[-1] for row in others} == {p.line: p.reason for p in made.problems}
    assert not path.with_name("rejects.csv.tmp").exists()


@pytest.mark.parametrize(("content", "options", "header", "rows"), WRITTEN.values(), ids=WRITTEN)
def test_unmended_rows_are_rejected_again(
    content: str, options: dict[str, Any], header: list[str], rows: list[list[str]], tmp_path: Path
) -> None:
    again = plan_from(str(rejects_of(tmp_path, content, **options)[1]), tmp_path, **options)
    # A line that was no CSV is one now; its stray quotes are still there, for the image check to refuse.
    expected = [row[-1] for row in rows if row[-1] != "malformed_row"]
    assert again.plan.planned == len(rows) - len(expected)
    assert all('"' in row.image_uri for row in again.rows("train"))
    assert again.plan.rows == len(rows)
    assert [again.codes[line] for line in sorted(again.codes)] == expected


def test_mended_rows_are_taken(tmp_path: Path) -> None:
    content = "TRAIN,a.jpg,x\nTRIAN,b.jpg,x,y\nTSET,c.jpg,z\n"
    path = rejects_of(tmp_path, content)[1]
    path.write_text(path.read_text().replace("TRIAN", "TRAIN").replace("TSET", "TEST"))
    mended = plan_from(str(path), tmp_path)
    assert mended.codes == {}
    assert [(row.image_uri, row.label_texts) for row in mended.rows("train")] == [("b.jpg", ("x", "y"))]
    assert mended.uris("test") == ["c.jpg"]
    assert not any("not used" in remark for remark in mended.plan.remarks)


def test_surplus_fields_are_mended_by_clearing_them(tmp_path: Path) -> None:
    path = rejects_of(tmp_path, "image_uri,label,note\na.jpg,Smith, John,ill\nb.jpg,x,\n")[1]
    path.write_text(path.read_text().replace("Smith,John,ill", '"Smith, John",ill,'))
    (row,) = plan_from(str(path), tmp_path, splits="train=1").rows("train")
    assert row.label_texts == ("Smith, John",)


def test_rejects_of_a_finished_dataset(tmp_path: Path) -> None:
    content = "TRAIN,a.jpg,x\nTRIAN,b.jpg,x\nTRAIN,c.jpg\n"
    made, _ = rejects_of(tmp_path, content)
    rows = RowFile(str(tmp_path / "list.csv"), "list.csv", make_options({}).read)
    found = list(read_rejects(tmp_path, rows))
    assert {(p.line, p.code, p.reason) for p in found} == {(p.line, p.code, p.reason) for p in made.problems}
    assert [(p.line, p.image_uri) for p in found] == [(2, "b.jpg"), (3, "c.jpg")]
    (tmp_path / "rejects.csv").unlink()
    assert list(read_rejects(tmp_path, rows)) == []


def test_a_book_gives_every_line_its_reason_whatever_the_order(tmp_path: Path) -> None:
    """Lines of several ranges, more of them than wait in memory, added out of order."""
    lines = [*range(250_000, 3, -7), 1, 2]
    book = RejectBook(tmp_path / "book")
    for line in lines:
        book.add(RowProblem(line, "train", "a.jpg", "no_label", f"reason {line}"))
    assert len(book) == len(lines)
    rejected = set(lines)
    for line in range(1, 250_002, 3):
        expected = ("no_label", f"reason {line}") if line in rejected else None
        assert book.reason_of(line) == expected


def test_the_first_problems_are_shown_by_line() -> None:
    problems = [RowProblem(line, "", "", "no_label", "why") for line in range(3000, 0, -1)]
    shown = ProblemList(problems).shown()
    assert [problem.line for problem in shown] == list(range(2001, 3001))
