"""Choices of an image in Label Studio's CSV and JSON-MIN: one is a word, several are an object.

https://labelstud.io/guide/export#CSV: `Rust`, and `{"choices": ["Rust", "Scab"]}` where `choice="multiple"`.
"""

from __future__ import annotations

import json
from typing import Any

from tfrecordcli.sources.pandas_commands import changed, literal


def choices_in(value: Any) -> list[str] | None:
    """The labels of such an object; None: the value is none."""
    if not isinstance(value, dict) or value.keys() != {"choices"}:
        return None
    choices = value["choices"]
    return choices if isinstance(choices, list) and all(isinstance(each, str) for each in choices) else None


def are_choices(field: str) -> bool:
    """Whether a field of a CSV holds such an object."""
    try:
        return choices_in(json.loads(field)) is not None
    except (ValueError, RecursionError):
        return False


def choices_as_lists(column: str, name: str, delimiter: str) -> str:
    """A hint with the command that writes the choices of each row as a list, which is read.

    Args:
      column: that holds them.
      name, delimiter: of the list.
    """
    each = 's and json.dumps(json.loads(s)["choices"] if s[0] == "{" else [s])'
    change = f"c = {literal(column)}; t[c] = [{each} for s in t[c]]; t"
    command = changed(name, delimiter, change, "choices", modules="json, pandas as pd")
    return f'write the choices of each row as a list, as ["Rust", "Scab"]{": " * bool(command)}{command}'
