"""The JSON object of `tfrec convert --json`."""

from __future__ import annotations

import dataclasses
from typing import Any

from tfrecordcli.result import ConvertResult

_REJECTS_HINT = "mend them, or allow them with --max-rejects"
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
            "code": "rejects" if result.rejected else "no_records",
            "message": values.pop("error"),
            "hint": _REJECTS_HINT if result.rejected else "is it the right file?",
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
