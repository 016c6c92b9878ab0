"""The manifest's checksum: that of its JSON text, however large its maps are."""

from __future__ import annotations

import json
from typing import Any

import google_crc32c
import pytest

from tfrecordcli.dataset.manifest import manifest_checksum


def of_whole_text(values: dict[str, Any]) -> str:
    text = "".join(json.dumps(entry) for entry in values.items() if entry[0] != "checksum")
    return f"{google_crc32c.value(text.encode()):08x}"


@pytest.mark.parametrize(
    "value",
    [
        "é",
        [1, {"b": 2.5}],
        {},
        {"empty": {}},
        {"a": {"b": {"c": 1}}, "d": None},
        {str(number): number for number in range(1_000)},
        {"train": {"labels": dict.fromkeys(range(2500), 1), "records": 3}, "e": True},
        {f"k{number}": {"x": number} if number % 999 == 0 else number for number in range(3_001)},
    ],
    ids=["text", "list", "empty", "inner empty", "nested", "one batch", "numbers as keys", "mixed"],
)
def test_the_checksum_is_that_of_the_whole_text(value: Any) -> None:
    values = {"first": 1, "value": value, "checksum": "left out"}
    assert manifest_checksum(values) == of_whole_text(values)
