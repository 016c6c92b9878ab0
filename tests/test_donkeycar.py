"""Tubs of Donkeycar: records that their manifest tells to be deleted are no images to learn from."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, shell


def tub(folder: Path, last: str, kind: type[float] = int) -> Path:
    """A tub of four records.

    Args:
      last: line of its manifest.
      kind: of its numbers.
    """
    names = [f"{number}_cam_image_array_.png" for number in range(4)]
    photos(folder / "images", *names)
    lines = [
        {"_index": kind(n), "cam/image_array": name, "user/angle": n / 10} for n, name in enumerate(names)
    ]
    (folder / "catalog_0.catalog").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "manifest.json").write_text(f'["cam/image_array"]\n["image_array"]\n{{}}\n{{}}\n{last}\n')
    return folder


def options_in(hint: str) -> Sequence[str]:
    options = hint.partition("--columns")[2].partition(" (")[0]  # behind them stands what the key holds
    return ["--columns", *shlex.split(options), "--splits", "train=1"]


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("deleted", ["1, 3, 70", "1.0, 3.0"])
def test_deleted_records_are_left_out_by_the_proposed_command(
    kind: type[float], deleted: str, tmp_path: Path
) -> None:
    last = f'{{"paths": ["catalog_0.catalog"], "deleted_indexes": [{deleted}]}}'
    folder = tub(tmp_path / "tub", last, kind)
    error = convert_json("catalog_0.catalog", "../out", cwd=folder)["error"]
    assert "2 of the records in this catalog of Donkeycar were deleted" in error["message"]
    command = error["hint"].removeprefix("make JSON Lines of it: ").partition("; then ")[0]
    assert shell(command, folder).code == 0
    words = options_in(error["hint"])
    assert convert_json("catalog_0.catalog", "../out", *words, cwd=folder)["exit_code"] == 2
    assert convert_json("catalog_0-as-lines.jsonl", "../out", *words, cwd=folder)["exit_code"] == 0
    targets = {name[0]: record["image/target"] for name, record in records(tmp_path / "out").items()}
    assert targets == {"0": [0.0], "2": [pytest.approx(0.2)]}


LASTS = {
    "none deleted": '{"paths": ["catalog_0.catalog"], "deleted_indexes": []}',
    "others deleted": '{"paths": ["catalog_0.catalog"], "deleted_indexes": [1000]}',
    "of another tool": '{"deleted_indexes": "all"}',
    "no JSON": "}",
    "empty": "",
    "arrays without end": "[" * 100_000,
}


@pytest.mark.parametrize("last", LASTS.values(), ids=LASTS)
def test_a_catalog_without_deleted_records_is_read(last: str, tmp_path: Path) -> None:
    folder = tub(tmp_path / "tub", last)
    error = convert_json("catalog_0.catalog", "../out", cwd=folder)["error"]
    assert error["hint"].startswith("name them, as in --columns")
    words = options_in(error["hint"])
    assert convert_json("catalog_0.catalog", "../out", *words, cwd=folder)["records"] == 4
