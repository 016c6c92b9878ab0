"""A rejects.csv that somebody edited where it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from csv import reader
from pathlib import Path

import pytest
from boxing import photos, write
from converting import jpeg, read_csv, tfrec, write_csv

import tfrecordcli
from tfrecordcli.errors import OutputError
from tfrecordcli.given_options import make_options
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.workdir.rejects import read_rejects


def saved_as(delimiter: str, line: str = "{}", ending: str = "\r\n") -> Callable[[str], str]:
    """As a spreadsheet saves the file: with another delimiter, and lines as it takes numbers."""

    def change(text: str) -> str:
        header, *rows = reader(text.splitlines())
        place = header.index("tfrec_line")
        for row in rows:
            row[place] = line.format(row[place])
        quoted = [[f'"{field}"' if delimiter in field else field for field in row] for row in [header, *rows]]
        return "".join(delimiter.join(row) + ending for row in quoted)

    return change


def sorted_backwards(text: str) -> str:
    header, *rows = text.splitlines()
    return "\n".join([header, *rows[::-1], ""])


# What was done to a file of 3 rows -> rows that it still tells.
EDITS: dict[str, tuple[Callable[[str], str], int]] = {
    "nothing": (lambda text: text, 3),
    "semicolons": (saved_as(";"), 3),
    "tabs": (saved_as("\t"), 3),
    "lines as 62.0": (saved_as(",", "{}.0"), 3),
    "lines as 62,0": (saved_as(";", "{},0"), 3),
    "a mark": (lambda text: "\ufeff" + text, 3),
    "sorted": (sorted_backwards, 3),
    "another image": (lambda text: text.replace("no1.jpg", "001.jpg"), 3),
    "emptied": (lambda text: "", 0),
    "the header alone": (lambda text: text.splitlines()[0] + "\n", 0),
    "garbage": (lambda text: "\0\x01" + "x;" * 1000, 0),
    "no column of codes": (lambda text: text.replace("tfrec_code", "code"), 0),
    "one row less": (lambda text: "\n".join(text.splitlines()[:-1]) + "\n", 2),
    "a quote never closed": (lambda text: text.replace("TRAIN,no1", 'TRAIN,"no1'), 1),
    "cut": (lambda text: text[:-20], 2),
    "other lines": (saved_as(",", "x{}"), 0),
    "endless lines": (saved_as(",", "{}" + "0" * 500), 0),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_rerun_reads_rejects_that_were_edited_and_says_what_they_lack(
    csv: Path, tmp_path: Path, edit: str
) -> None:
    with csv.open("a") as file:
        file.writelines(f"TRAIN,no{number}.jpg,a\n" for number in range(3))
    output = tmp_path / "out"
    change, told = EDITS[edit]
    assert tfrecordcli.convert(csv, output, max_rejects=3).rejected == 3
    path = output / "rejects.csv"
    path.write_bytes(change(path.read_text()).encode())
    done = tfrecordcli.convert(csv, output, max_rejects=3)
    assert (done.status, done.exit_code, done.rejected) == ("already_complete", 0, 3)
    assert len(done.problems) == told
    said = [warning for warning in done.warnings if "rejects.csv was edited" in warning]
    assert len(said) == (told < 3)
    assert bool(done.mend_command) == (edit not in ("emptied", "the header alone", "garbage"))
    if said:
        assert f"it tells {f'only {told}' if told else 'none'} of the 3 rows" in said[0]
    if told == 3:
        (csv.parent / "no1.jpg").write_bytes(jpeg(1))
        with pytest.raises(OutputError, match=r"an image that was rejected has changed: line 11: no1\.jpg"):
            tfrecordcli.convert(csv, output, max_rejects=3)


def test_a_summary_names_no_rows_of_an_emptied_file(csv: Path, tmp_path: Path) -> None:
    with csv.open("a") as file:
        file.writelines(f"TRAIN,no{number}.jpg,a\n" for number in range(2))
    command = ("convert", csv, tmp_path / "out", "--max-rejects", "2")
    assert "2 rows rejected, listed in" in tfrec(*command).out
    rejects = tmp_path / "out" / "rejects.csv"
    rejects.write_text("".join(rejects.read_text().splitlines(keepends=True)[:-1]))
    done = tfrec(*command).out
    assert "listed" in done
    assert "  and 1 more" in done
    rejects.write_text("")
    done = tfrec(*command).out
    assert f"2 rows rejected; {tmp_path / 'out'}/rejects.csv tells none of them any more" in done
    assert "listed in" not in done


def test_rejects_in_any_order_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than wait in memory at a time."""
    monkeypatch.setattr("tfrecordcli.workdir.rejects._WAITING", 3)
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", f"{number}.jpg", "a") for number in range(20)])
    lines = [7, 3, 20, 1, 12, 19, 2, 4, 4, 99]
    entries = [(str(line), "not_found", f"why {line}") for line in lines]
    write_csv(tmp_path / "rejects.csv", entries, ("tfrec_line", "tfrec_code", "tfrec_reason"))
    rows = RowFile(str(csv), "list.csv", make_options({}).read)
    found = [(problem.line, problem.image_uri, problem.reason) for problem in read_rejects(tmp_path, rows)]
    assert sorted(found) == [(line, f"{line - 1}.jpg", f"why {line}") for line in sorted({*lines} - {99})]


# A list with a header in it -> what is said of its row when rejects.csv is converted as it is.
HEADERS: dict[str, tuple[str, str, str]] = {
    "behind a label": ("image_uri,label", "1.png,bimage_uri,label", "follows without a line break"),
    "behind a label, with a split": (
        "split,image_uri,label",
        "TRAIN,1.png,bsplit,image_uri,label",
        "follows without a line break",
    ),
    "again": ("image_uri,label", "image_uri,label", "repeats the header"),
    "again in a table": ("label,color", "label,color", "repeats the header"),
    "behind a row of a table": ("label,color", "b,redlabel,color", "follows without a line break"),
}


@pytest.mark.parametrize("is_of_several", [False, True])
@pytest.mark.parametrize(("header", "row", "said"), HEADERS.values(), ids=HEADERS)
def test_a_header_in_rejects_is_rejected_again_until_it_is_mended(
    header: str, row: str, said: str, is_of_several: bool, tmp_path: Path
) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(4)))
    values = {"split": "TRAIN", "label": "a", "color": "blue"}
    rows = [",".join(values.get(name, f"{n}.png") for name in header.split(",")) for n in (0, 2, 3)]
    lists = ["\n".join([header, rows[0], row, rows[1], ""]), f"{header}\n{rows[2]}\n"]
    sources = [write(tmp_path, text, f"{n}.csv") for n, text in enumerate(lists)][: 1 + is_of_several]
    task = ("--task", "tabular") if "color" in header else ()
    done = tfrec("convert", *sources, tmp_path / "out", *task, "--json")
    assert done.json["rejected"] == 1
    words = shlex.split(done.json["mend_command"])
    again = tfrec(*words[1:])
    assert again.code == 1
    assert ("the label holds a control character" if is_of_several else said) in again.out
    (reject,) = read_csv(tmp_path / "out" / "rejects.csv")
    further = {name: "" for name in reject if name.startswith(("tfrec_label_", "tfrec_field_"))}
    fields = {"split": "TRAIN", "image_uri": "1.png", "label": "b", "color": "red"}
    mended = {**reject, **further, **{name: text for name, text in fields.items() if name in reject}}
    write_csv(tmp_path / "out" / "rejects.csv", [tuple(mended.values())], tuple(mended))
    again = tfrec(*words[1:])
    assert again.code == 0, again.err
