"""Rejected rows as text, in at most 20 lines whatever their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tfrecordcli.cli.output import printable
from tfrecordcli.units import plural

REJECTS_HINT: Final = "mend them in the list, or allow them with --max-rejects"

# One more line may say how many rows are not listed.
_LINES = 19


def reject_listing(rejected: int, groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines for rejected rows: each group with its number of rows, and as many rows by name as there is room.

    Args:
      rejected: rows, of which the groups may hold fewer.
      groups: as `tfrecordcli.result.ConvertResult` has them, the largest first.
    """
    listed = [group for number, group in enumerate(groups) if _length(groups[: number + 1], 1) <= _LINES]
    named = max((n for n in range(1, _LINES) if _length(listed, n) <= _LINES), default=1)
    lines = [line for group in listed for line in _lines_of(group, named)]
    rest = rejected - sum(group["rows"] for group in listed)
    if rest > 0:
        lines.append(f"  and {rest:,} more" if lines else f"  {plural(rest, 'row')}")
    return lines


def _length(groups: Sequence[Mapping[str, Any]], named: int) -> int:
    """Lines that these groups take with so many rows named of each."""
    return sum(1 if group["rows"] == 1 else 1 + min(named, len(group["named"])) for group in groups)


def _lines_of(group: Mapping[str, Any], named: int) -> list[str]:
    rows = [_row(problem, group["rows"] == 1 or not group["reason"]) for problem in group["named"][:named]]
    if group["rows"] == 1:
        return [f"  {rows[0]}"]
    why = printable(group["reason"], 400) or f"{group['code']}, as in"
    return [f"  {plural(group['rows'], 'row')}: {why}", *(f"    {row}" for row in rows)]


def _row(problem: Mapping[str, Any], with_reason: bool) -> str:
    line = problem["line"]  # a folder has none
    parts = ["" if line is None else f"line {line}", printable(problem["image_uri"])]
    if with_reason:
        parts.append(printable(problem["reason"], 400))
    return ": ".join(part for part in parts if part)
