"""Names by numbers that count from another number than the labels do."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, manifest, shell, tfrec

# Labels, file of names, and the number that it would have to count from; None: nothing is refused.
CASES = {
    "from 1 for labels from 0": ("0 1 2 0", "1,a\n2,b\n3,c\n", 0),
    "from 0 for labels from 1": ("1 2 3 3", "0,a\n1,b\n2,c\n", 1),
    "points": ("0.0 1.0 2.0 1.0", "1,a\n2,b\n3,c\n", 0),
    "names before numbers": ("0 1 2 0", "a 2,1\nb 4,2\nc 6,3\n", 0),
    "JSON": ("0 1 2 0", '{"1": "a", "2": "b", "3": "c"}', 0),
    "not all labels": ("0 2 2 0", "1,a\n2,b\n3,c\n4,d\n", 0),
    "the last as well": ("0 1 3 3", "1,a\n2,b\n3,c\n", None),
    "gaps": ("0 1 2 1", "1,a\n2,b\n4,c\n", None),
    "far from 0": ("4 5 6 5", "5,a\n6,b\n7,c\n", None),
    "a label that no number names": ("0 1 9 9", "1,a\n2,b\n3,c\n", None),
    "as they are": ("0 1 2 1", "0,a\n1,b\n2,c\n", None),
    "words": ("x y z x", "x,a\ny,b\nz,c\n", None),
}


NAMED = ("--splits", "train=1", "--label-names")


def _write(folder: Path, labels: str, names: str) -> None:
    """A list of images with these labels, and a file of names."""
    rows = [f"{number}.png,{label}\n" for number, label in enumerate(labels.split())]
    photos(folder, *(row.partition(",")[0] for row in rows))
    (folder / "list.csv").write_text(f"image,label\n{''.join(rows)}", encoding="utf-8")
    (folder / "names.txt").write_text(names, encoding="utf-8")


@pytest.mark.parametrize(("labels", "names", "start"), CASES.values(), ids=CASES)
def test_names_that_count_from_another_number_are_refused(
    labels: str, names: str, start: int | None, tmp_path: Path
) -> None:
    _write(tmp_path, labels, names)
    done = tfrec("convert", "list.csv", "out", *NAMED, "names.txt", cwd=tmp_path)
    assert (f"labels are numbers from {start} (" in done.err) == (start is not None)
    if start is None:
        return
    assert done.code == 2
    way = f"; then --label-names names-from-{start}.txt; where label"
    assert (way in done.err) == (not names.startswith("{"))
    if way in done.err:
        command = done.err.partition(f"count its numbers from {start}: ")[2].partition(way)[0]
        assert shell(command, tmp_path).code == 0
        made = f"names-from-{start}.txt"
        assert convert_json("list.csv", "out", *NAMED, made, cwd=tmp_path)["records"] == 4
        told = (tmp_path / "out" / "labels.txt").read_text(encoding="utf-8").split()
        assert told[0] == "a"


@pytest.mark.parametrize(
    ("labels", "names"), [("0 1 2 0", "1,a\n2,b\n3,c\n0,background\n"), ("1 2 3 3", "0,a\n1,b\n2,c\n3,d\n")]
)
def test_a_name_for_the_label_without_one_is_the_other_way(labels: str, names: str, tmp_path: Path) -> None:
    _write(tmp_path, labels, names)
    assert convert_json("list.csv", "out", *NAMED, "names.txt", cwd=tmp_path)["records"] == 4


SYNSETS = "n01440764 tench, Tinca tinca\nn01443537 goldfish\nn01484850 great white shark, white shark\n"


@pytest.mark.parametrize("labels", ["0 1 2 1", "1 3 2 1", "0 1 3 1"])
def test_names_behind_codes_get_the_numbers_of_their_lines(labels: str, tmp_path: Path) -> None:
    _write(tmp_path, labels, SYNSETS)
    refused = tfrec("convert", "list.csv", "out", *NAMED, "names.txt", cwd=tmp_path).err
    if labels == "0 1 3 1":  # of three lines, none is 3 where one is 0
        assert "stand behind codes" not in refused
        return
    command = refused.partition("for the codes: ")[2].partition("; then --label-names names-by-number.txt")[0]
    assert shell(command, tmp_path).code == 0
    assert convert_json("list.csv", "out", *NAMED, "names-by-number.txt", cwd=tmp_path)["records"] == 4
    told = (tmp_path / "out" / "labels.txt").read_text(encoding="utf-8").splitlines()
    assert told == ["tench, Tinca tinca", "goldfish", "great white shark, white shark"]


def test_names_of_several_words_without_numbers_are_kept_whole(tmp_path: Path) -> None:
    """As VireoFood's `Braised Pork` and `Steam Pork Ribs`, whose first words are no codes."""
    names = ["Braised Pork", "Sauteed Spicy Pork", "Steam Pork Ribs", "Fried Sour Tenderloin"]
    _write(tmp_path, "1 2 3 4", "".join(f"{name}\n" for name in names))
    refused = tfrec("convert", "list.csv", "out", *NAMED, "names.txt", cwd=tmp_path).err
    command = refused.partition("before the names: ")[2].partition("; then --label-names ")[0]
    assert shell(command, tmp_path).code == 0
    assert convert_json("list.csv", "out", *NAMED, "names-by-number.txt", cwd=tmp_path)["records"] == 4
    assert manifest(tmp_path / "out")["labels"] == {name: number for number, name in enumerate(names)}
