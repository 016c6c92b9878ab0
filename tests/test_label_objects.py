"""Labels of JSON Lines that are objects, and splits that stand in objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from boxing import photos
from converting import convert_json, tfrec

_COUNT: Final = 6
_SPLITS: Final = ("train", "train", "val")
# What the label of an image is, and the first option that is proposed; empty: it is read, or none fits.
LABELS: Final[dict[str, tuple[Any, str]]] = {
    "a name and a share": (lambda n: {"confidence": 0.5, "name": "ab"[n % 2]}, "label=label.name"),
    "an id and a name": (lambda n: {"id": n % 2, "text": "ab"[n % 2]}, "label=label.text"),
    "two deep": (lambda n: {"top": {"name": "ab"[n % 2]}}, "label=label.top.name"),
    "text": (lambda n: "ab"[n % 2], ""),
    "shares alone": (lambda n: {"a": n / 10, "b": 1 - n / 10}, ""),
    "objects and texts": (lambda n: {"name": "a"} if n else "a", ""),
}


@pytest.mark.parametrize(("label", "option"), LABELS.values(), ids=LABELS)
def test_a_label_in_an_object_is_proposed(label: Any, option: str, tmp_path: Path) -> None:
    names = [f"{number}.png" for number in range(_COUNT)]
    photos(tmp_path, *names)
    lines = (json.dumps({"image": name, "label": label(number)}) for number, name in enumerate(names))
    (tmp_path / "list.jsonl").write_text("\n".join(lines), encoding="utf-8")
    told = tfrec("convert", "list.jsonl", "out", "--splits", "train=1", cwd=tmp_path)
    assert (f"name what is in it: --columns {option}" in told.err) == bool(option)
    assert ("is an object, as" in told.err) == bool(option)
    if option:
        given = "--splits", "train=1", "--columns", option
        assert convert_json("list.jsonl", "out", *given, cwd=tmp_path)["records"] == _COUNT
        assert (tmp_path / "out" / "labels.txt").read_text(encoding="utf-8").split() == ["a", "b"]


def test_a_split_in_an_object_is_asked_about(tmp_path: Path) -> None:
    names = [f"{number}.png" for number in range(_COUNT)]
    photos(tmp_path, *names)
    lines = (
        {"image": name, "label": "ab"[number % 2], "meta": {"part": _SPLITS[number % 3]}}
        for number, name in enumerate(names)
    )
    (tmp_path / "list.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    refused = tfrec("convert", "list.jsonl", "out", cwd=tmp_path)
    assert refused.code == 2
    assert "key meta.part holds words of splits (train, val), and is not read" in refused.err
    assert "--columns split=meta.part reads it" in refused.err
    done = convert_json("list.jsonl", "out", "--columns", "split=meta.part", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == {"train": 4, "validation": 2}
