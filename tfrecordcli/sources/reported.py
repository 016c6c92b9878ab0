"""A rejects.csv as a list: which of its rows are certainly as they were when they were rejected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tfrecordcli.reasons import ROW_REASONS, Told
from tfrecordcli.sources.column_words import REPORT_COLUMNS, ROW_COLUMN
from tfrecordcli.sources.repeated_header import header_in
from tfrecordcli.sources.row_fields import field_at, without_padding


@dataclass(frozen=True, slots=True)
class Report:
    """The columns of a rejects.csv.

    Attributes:
      header: names of those that its source had.
      columns: the numbers of these, and of the ones for fields that its source had no column for.
      code, reason: the numbers of those that say why a row was rejected.
    """

    header: tuple[str, ...]
    columns: tuple[int, ...]
    code: int
    reason: int

    def header_in(self, fields: list[str]) -> str:
        """The code of a row that was rejected for a header in it which still is there; empty for others."""
        code = field_at(fields, self.code).strip()
        if code not in ("repeated_header", "header_behind"):
            return ""
        own = without_padding([field_at(fields, column).strip() for column in self.columns])
        return code if header_in(own, self.header) == code else ""

    def told(self, fields: list[str]) -> Told | None:
        """Why a row was rejected; None where it was for another row of its image, or that is not told."""
        code, reason = (field_at(fields, column).strip() for column in (self.code, self.reason))
        return Told(code, reason) if code in ROW_REASONS and code != "same_image" and reason else None

    def has_json(self, fields: list[str], column: str, text: str) -> bool:
        """Whether a field that could hold no several values holds the JSON of these still.

        A tab that spreadsheets take out is all that keeps it from being one text, and so may be a bracket.
        """
        is_it = field_at(fields, self.code).strip() == "bad_value"
        is_it = is_it and field_at(fields, self.reason).strip().startswith(f"{column} ")
        return is_it and _is_json_list(text)


def report_of(header: Sequence[str]) -> Report | None:
    """The report that a list with this header is; None where it is none."""
    if not {*REPORT_COLUMNS} <= {*header}:
        return None
    names = {name: number for number, name in enumerate(header)}
    columns = tuple(i for i, name in enumerate(header) if name not in (*REPORT_COLUMNS, ROW_COLUMN))
    own = tuple(header[i] for i in columns if not header[i].startswith("tfrec_"))
    return Report(own, columns, *(names[name] for name in REPORT_COLUMNS[1:]))


_BRACKETS: Final = ("", "]"), ("[", "")  # what may be missing of a list


def _is_json_list(text: str) -> bool:
    """Whether a text is a list in JSON, one of whose brackets may be missing."""
    if not (text.startswith("[") or text.endswith("]")):
        return False
    for before, after in (("", ""), *_BRACKETS):
        with suppress(ValueError):
            return isinstance(json.loads(f"{before}{text}{after}"), list)
    return False
