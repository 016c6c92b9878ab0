"""The JSON object of `tfrec convert --json`."""

from __future__ import annotations

import dataclasses
from typing import Any

from tfrecordcli.result import ConvertResult

# What is in the text summary only.
_TEXT_ONLY = ("labels",)


def as_json_values(result: ConvertResult) -> dict[str, Any]:
    """The common keys of every command, then those of convert."""
    values = {
        field.name: getattr(result, field.name)
        for field in dataclasses.fields(result)
        if field.name not in _TEXT_ONLY
    }
    error: dict[str, str] | None = None
    if result.status == "failed":
        error = {
            "code": "rejects",
            "message": values.pop("error"),
            "hint": "mend them, or allow them with --max-rejects",
        }
    values.pop("error", None)
    head = {
        "schema_version": 1,
        "command": "convert",
        "status": values.pop("status"),
        "exit_code": values.pop("exit_code"),
        "error": error,
        "warnings": values.pop("warnings"),
    }
    return head | values
