"""Names by numbers that count from another number than the labels do."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec

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


@pytest.mark.parametrize(("labels", "names", "start"), CASES.values(), ids=CASES)
def test_names_that_count_from_another_number_are_refused(
    labels: str, names: str, start: int | None, tmp_path: Path
) -> None:
    rows = [f"{number}.png,{label}\n" for number, label in enumerate(labels.split())]
    photos(tmp_path, *(row.partition(",")[0] for row in rows))
    (tmp_path / "list.csv").write_text(f"image,label\n{''.join(rows)}", encoding="utf-8")
    (tmp_path / "names.txt").write_text(names, encoding="utf-8")
    named = "--splits", "train=1", "--label-names"
    done = tfrec("convert", "list.csv", "out", *named, "names.txt", cwd=tmp_path)
    assert (f"labels are numbers from {start} (" in done.err) == (start is not None)
    if start is not None:
        assert done.code == 2
        assert ("--label-names names-from-" in done.err) == (not names.startswith("{"))
        other = 0 if start == 0 else 3
        more = f"{other},zero\n{names}" if names[0].isdigit() else ""
        if more:
            (tmp_path / "more.txt").write_text(more, encoding="utf-8")
            assert convert_json("list.csv", "out2", *named, "more.txt", cwd=tmp_path)["exit_code"] == 0


SYNSETS = "n01440764 tench, Tinca tinca\nn01443537 goldfish\nn01484850 great white shark, white shark\n"


@pytest.mark.parametrize(
    ("labels", "names"), [("0 1 2 1", SYNSETS), ("1 3 2 1", SYNSETS), ("0 1 3 1", SYNSETS)]
)
def test_names_behind_codes_get_the_numbers_of_their_lines(labels: str, names: str, tmp_path: Path) -> None:
    rows = [f"{number}.png,{label}\n" for number, label in enumerate(labels.split())]
    photos(tmp_path, *(row.partition(",")[0] for row in rows))
    (tmp_path / "list.csv").write_text(f"image,label\n{''.join(rows)}", encoding="utf-8")
    (tmp_path / "names.txt").write_text(SYNSETS, encoding="utf-8")
    named = "--splits", "train=1", "--label-names"
    refused = tfrec("convert", "list.csv", "out", *named, "names.txt", cwd=tmp_path).err
    if labels == "0 1 3 1":  # of three lines, none is 3 where one is 0
        assert "stand behind codes" not in refused
        return
    command = refused.partition("for the codes: ")[2].partition("; then --label-names names-by-number.txt")[0]
    assert shell(command, tmp_path).code == 0
    assert convert_json("list.csv", "out", *named, "names-by-number.txt", cwd=tmp_path)["records"] == 4
    told = (tmp_path / "out" / "labels.txt").read_text(encoding="utf-8").splitlines()
    assert told == ["tench, Tinca tinca", "goldfish", "great white shark, white shark"]
