"""Rows that a column or key says were deleted are told of: they are converted as all others are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec

_COUNT = 9


def _rows() -> list[tuple[str, str, bool]]:
    return [(f"{n}.png", "ab"[n % 2], n in (2, 5)) for n in range(_COUNT)]


@pytest.mark.parametrize("name", ["isDeleted", "is_deleted", "archived"])
@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("1", "0"), ("t", "f"), ("True", "")])
def test_rows_that_were_deleted_are_told_of_with_what_leaves_them_out(
    name: str, yes: str, no: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    rows = "".join(f"{image},{label},{yes if is_out else no}\n" for image, label, is_out in _rows())
    (tmp_path / "list.csv").write_text(f"image,label,{name}\n{rows}", encoding="utf-8")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    command = re.search(rf"{name} says yes in 2 rows .*leave them out: (python .*), and convert that", told)
    assert command, told
    assert shell(command[1], tmp_path).code == 0
    assert convert_json("list-kept.csv", "kept", cwd=tmp_path)["records"] == _COUNT - 2


# column, what it says of rows that are out, and of others
STATES = {
    "Mechanical Turk": ("AssignmentStatus", "Rejected", "Approved"),
    "not looked at yet": ("AssignmentStatus", "Rejected", "Submitted"),
    "in German": ("Status", "abgelehnt", "Freigegeben"),
    "skipped": ("annotation_status", "SKIPPED", "done"),
    "review": ("review.state", "invalid", "accepted"),
    "drafts": ("state", "draft", "published"),
    "no word for others": ("label status", "deleted", ""),
}


@pytest.mark.parametrize(("name", "out", "others"), STATES.values(), ids=STATES)
def test_rows_of_a_state_in_which_they_are_out_are_told_of(
    name: str, out: str, others: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    rows = "".join(f"{image},{label},{out if is_out else others}\n" for image, label, is_out in _rows())
    (tmp_path / "list.csv").write_text(f"image,label,{name}\n{rows}", encoding="utf-8")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    said = f"{re.escape(name)} says {out} in 2 rows .*leave them out: (python .*), and convert that"
    command = re.search(said, told)
    assert command, told
    assert shell(command[1], tmp_path).code == 0
    done = tfrec("convert", "list-kept.csv", "kept", "--json", cwd=tmp_path)
    assert json.loads(done.out)["records"] == _COUNT - 2
    assert "leave them out" not in done.err


# header, the label and state of rows by turns, and options
OTHER_STATES = {
    "a place": ("image,label,state", ("cat,Ohio", "dog,Utah"), ""),
    "other words beside": ("image,label,status", ("cat,cancelled", "dog,running", "cat,running"), ""),
    "all": ("image,label,review_status", ("cat,rejected", "dog,rejected"), ""),
    "the label": ("image,status", ("rejected", "accepted"), "--columns label=status"),
    "a feature": (
        "image,label,status",
        ("cat,rejected", "dog,accepted", "cat,accepted"),
        "--features status",
    ),
    "the split": (
        "image,label,status",
        ("cat,rejected", "dog,accepted", "cat,accepted"),
        "--columns split=status --split-map rejected=test,accepted=train",
    ),
    "of the part": ("image,label,status", ("scratch,rejected", "none,accepted", "dirt,accepted"), ""),
    "of an order": ("image,label,order_status", ("cat,cancelled", "dog,done", "cat,done"), ""),
}


@pytest.mark.parametrize(("header", "words", "options"), OTHER_STATES.values(), ids=OTHER_STATES)
def test_states_of_what_images_show_are_no_states_of_rows(
    header: str, words: tuple[str, ...], options: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    rows = "".join(f"{image},{words[n % len(words)]}\n" for n, (image, *_) in enumerate(_rows()))
    (tmp_path / "list.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", *options.split(), cwd=tmp_path)
    assert (done.code, "leave them out" in done.err) == (0, False), done.err


@pytest.mark.parametrize("form", ["{}", '{{"meta": {}}}'])
def test_keys_that_say_so_are_told_of(form: str, tmp_path: Path) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    lines = [
        json.dumps(
            {"image": image, "label": label} | json.loads(form.format(json.dumps({"isDeleted": is_out})))
        )
        for image, label, is_out in _rows()
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(lines), encoding="utf-8")
    told = tfrec("convert", "list.jsonl", "out", cwd=tmp_path).err
    assert re.search("isDeleted says yes of some images", told), told


@pytest.mark.parametrize(
    ("header", "word"),
    [("image,label,deleted", "0"), ("image,label,hidden", "layer"), ("image,label,is_dog", "1")],
)
def test_of_other_columns_nothing_is_said(header: str, word: str, tmp_path: Path) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    rows = "".join(f"{image},{label},{word if n else 0}\n" for n, (image, label, _) in enumerate(_rows()))
    (tmp_path / "list.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    assert "says yes in" not in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
