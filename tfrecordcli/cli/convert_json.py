"""The JSON object of `tfrec convert --json`, and of the commands that are steps of it."""

from __future__ import annotations

import dataclasses
from typing import Any

from tfrecordcli.cli.reject_listing import REJECTS_HINT
from tfrecordcli.result import ConvertResult, ShardsResult

# What is in the text summary only.
_TEXT_ONLY = ("labels", "reject_groups")


def as_json_values(command: str, result: ConvertResult | ShardsResult) -> dict[str, Any]:
    """The common keys of every command, then those of the result."""
    values = {
        field.name: getattr(result, field.name)
        for field in dataclasses.fields(result)
        if field.name not in _TEXT_ONLY
    }
    error: dict[str, str] | None = None
    if isinstance(result, ConvertResult) and result.status == "failed":
        error = {
            "code": "rejects" if result.rejected else "no_records",
            "message": values.pop("error"),
            "hint": REJECTS_HINT if result.rejected else "is it the right file?",
        }
    values.pop("error", None)
    head = {
        "schema_version": 1,
        "command": command,
        "status": values.pop("status"),
        "exit_code": values.pop("exit_code", 0),
        "error": error,
        "warnings": values.pop("warnings", ()),
    }
    return head | values
