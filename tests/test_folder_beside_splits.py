"""A folder with the labels of others that are called after splits, and after none itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec

_WAY = "where folders are splits: "


@pytest.mark.parametrize("other", ["hands", "papers"])
def test_it_is_proposed_for_train_where_it_has_their_labels(other: str, tmp_path: Path) -> None:
    labels = ("rock", "paper")
    sets = {"hands": 3, "hands-test-set": 1, "hands-validation-set": 1}
    named = {name if name != "hands" else other: count for name, count in sets.items()}
    photos(
        tmp_path / "in",
        *(
            f"{name}/{label if name != 'papers' else f'{label}s'}/{number}{name}.png"
            for name, count in named.items()
            for label in labels
            for number in range(count)
        ),
    )
    refused = tfrec("convert", "in", "out", cwd=tmp_path)
    assert refused.code == 2
    command = refused.err.partition(_WAY)[2].partition("; else ")[0]
    is_train = other == "hands"
    assert (f"train=in/{other} " in command) == is_train
    assert (f"(without {other})" in command) != is_train
    assert shell(command.partition(" (without")[0].replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    done = convert_json("in", "out2", "--label-folder", "last", cwd=tmp_path)
    assert done["records"] == 10
