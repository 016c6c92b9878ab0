"""Tables in notes in Markdown: refused with a command that takes their rows, and names of embedded images."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from converting import convert_json, jpeg, shell, tfrec
from test_dataset_layouts import put

HEADER = "| Probe | Foto | Bruch |\n"
RULE = "| --- | :---: | ---: |\n"
ROWS = ("| P 1 | {} | a\\|b |\n", "| P 2 | {} |  |\n")
NOTES = {
    "words above and below": "# Charge 7: 1, 2\n\nAll at 20 °C, 30 J.\n![[p 1.jpg]]\n\n{}\nAgain?\n",
    "front matter": "\ufeff---\ntags: [a, b]\n---\n\n{}",
    "another table": "{}\n| sp | brittle |\n| - | - |\n| x | y |\n",
    "the table again": "{}\n{}",
    "alone": "{}",
}
EMBEDDED = {
    "Obsidian": "![[{}]]",
    "Obsidian with a size": "![[{}\\|200]]",
    "words": "![a photo]({})",
    "brackets and a title": '![](<{}> "of P")',
    "plain": "{}",
}


def made(folder: Path) -> list[list[str]]:
    with (folder / "note-as-csv.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.reader(file)]


@pytest.mark.parametrize(
    ("note", "embedded"),
    [*((each, EMBEDDED["Obsidian"]) for each in NOTES), *(("alone", each) for each in EMBEDDED.values())],
)
def test_tables_of_notes_become_lists(note: str, embedded: str, tmp_path: Path) -> None:
    names = ["p%201.jpg" if "](" in embedded and "<" not in embedded else "p 1.jpg", "p_2.jpg"]
    table = HEADER + RULE + "".join(map(str.format, ROWS, map(embedded.format, names)))
    text = NOTES[note].replace("{}", table)
    put(tmp_path, {"p 1.jpg": jpeg(1), "p_2.jpg": jpeg(2), "note.md": text.encode()})
    refused = tfrec("convert", "note.md", "out", cwd=tmp_path)
    assert "note.md: this is a table in Markdown" in refused.err
    assert shell(refused.err.partition("make a CSV of it: ")[2].partition("; then: ")[0], tmp_path).code == 0
    rows = [["P 1", "p 1.jpg", "a|b"], ["P 2", "p_2.jpg", ""]]
    expected = [["Probe", "Foto", "Bruch"], *rows * NOTES[note].count("{}")]
    assert made(tmp_path) == expected


def test_rows_of_embedded_images_without_a_rule_are_told_too(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("| P 1 | ![[p.jpg]] | a |\n")
    refused = tfrec("convert", "note.md", "out", cwd=tmp_path)
    assert shell(refused.err.partition("make a CSV of it: ")[2].partition("; then: ")[0], tmp_path).code == 0
    assert made(tmp_path) == [["P 1", "p.jpg", "a"]]


def test_rows_between_bars_without_a_rule_are_read(tmp_path: Path) -> None:
    text = "| photo | class |\n| 0.jpg | - |\n| 1.jpg | cat |\n"
    put(tmp_path, {"0.jpg": jpeg(1), "1.jpg": jpeg(2), "list.csv": text.encode()})
    assert convert_json("list.csv", "out", cwd=tmp_path)["records"] == 2
