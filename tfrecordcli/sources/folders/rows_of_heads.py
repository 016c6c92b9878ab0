"""The first rows of tables, texts and JSON that may be lists, by the first bytes of their files."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.column_words import names_a_file
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.likely_encodings import likely_text

_BETWEEN: Final = re.compile(r"[\s,]*")
_BEGIN: Final = re.compile(r"\s*\[?\s*")
# A pair of an object whose keys are images, perhaps: `"a.jpg": "cat"`.
_PAIR: Final = re.compile(r'"([^"\n]+)"\s*:\s*"?([^"\n,{}\[\]]+)"?\s*(?=[,}])')
_DECODER: Final = json.JSONDecoder()

Row = Sequence[str]


def rows_of_head(path: str, head: bytes, size: int) -> tuple[Row, list[Row]]:
    """The names of columns, or what stands for them, and the rows below; none for what is no list.

    Args:
      head: the first bytes of the file, at most ``size``.
    """
    text = likely_text(head)
    if path.lower().endswith((".json", ".jsonl", ".ndjson")):
        return _rows_of_objects(text)
    lines = text.splitlines()
    whole = [line for line in (lines[:-1] if len(head) == size else lines) if line.strip()]
    rows: list[Row] = []
    with suppress(csv.Error):  # told where it is converted
        delimiter = detect_delimiter(whole[0]) if whole else ","
        rows += csv.reader(whole, delimiter=delimiter, skipinitialspace=True)
    if rows and all(len(row) == 1 for row in rows):
        rows = _behind_numbers(rows) or rows
    return (rows[0], rows[1:]) if rows else ((), [])


def _behind_numbers(rows: Sequence[Row]) -> list[Row]:
    """The fields of rows that name an image behind a number and a blank, as scores do; none of other rows."""
    parts = [row[0].split(maxsplit=1) for row in rows]
    are_scores = all(
        len(each) > 1 and WRITTEN_NUMBER.fullmatch(each[0]) and names_a_file(each[1]) for each in parts
    )
    return [*parts] if are_scores else []


def _rows_of_objects(text: str) -> tuple[Row, list[Row]]:
    """Those of JSON Lines, or of an array of objects; the keys are columns. Of one flat object, its pairs."""
    objects = list(_objects(text))
    if len(objects) <= 1 and text.lstrip().startswith("{"):
        is_flat = text.count("{") + text.count("[") == 1
        return (("", "value"), [*map(list, _PAIR.findall(text))]) if is_flat else ((), [])
    keys = [*dict.fromkeys(key for each in objects for key in each)]
    return keys, [[_as_field(each.get(key, "")) for key in keys] for each in objects]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    at = _end(_BEGIN, text, 0)
    with suppress(ValueError, RecursionError):  # the last one may be cut
        while at < len(text):
            value, at = _DECODER.raw_decode(text, at)
            if not isinstance(value, dict):
                return
            yield value
            at = _end(_BETWEEN, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _as_field(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
