"""A pandas DataFrame as a table of text, as a CSV of it would be."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import KNOWN_COLUMNS

if TYPE_CHECKING:
    import pandas as pd


def frame_table(frame: pd.DataFrame, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """(header, rows) of a frame, its label columns last: lists of labels make rows ragged there."""
    labels = _label_columns(frame, options)
    frame = frame[[c for c in frame.columns if c not in labels] + labels]
    return [str(column) for column in frame.columns], _frame_rows(frame, len(labels))


def _label_columns(frame: pd.DataFrame, options: ReadOptions) -> list[Any]:
    named = [column.lower() for name, column in options.columns if name == "label"]
    return [c for c in frame.columns if str(c).lower() in (named or KNOWN_COLUMNS["label"])]


def _frame_rows(frame: pd.DataFrame, label_columns: int) -> Iterator[list[str]]:
    """The rows of a frame whose last columns hold labels; only there a cell can hold several."""
    for values in frame.itertuples(index=False, name=None):
        first_label = len(values) - label_columns
        fields = [_cell(value) for value in values[:first_label]]
        for value in values[first_label:]:
            items = value.tolist() if hasattr(value, "tolist") else value
            if isinstance(items, (set, frozenset)):
                items = sorted(items, key=str)  # a set's own order differs from run to run
            fields += map(_cell, items if isinstance(items, (list, tuple)) else [items])
        yield fields


def _cell(value: Any) -> str:
    """A DataFrame's value as a CSV has it: missing values empty, whole floats as the ints they were."""
    if isinstance(value, str):
        return value
    if value is None or str(value) in ("nan", "NaN", "NaT", "<NA>"):
        return ""
    # NumPy's narrower floats are none of Python's.
    is_float = isinstance(value, float) or type(value).__name__ in ("float16", "float32")
    if is_float and value.is_integer():
        return str(int(value))
    return str(value)


class FrameLines:
    """The rows of a frame by the lines of the CSV that it is read as."""

    def __init__(self, frame: pd.DataFrame, options: ReadOptions) -> None:
        self._frame = frame
        self._options = options

    def index_label(self, line: int) -> Any:
        """What the frame's index calls the row that begins at this line, from 1."""
        label = self._frame.index[bisect_right(self._starts, line) - 1]
        return label.item() if hasattr(label, "item") else label

    @cached_property
    def _starts(self) -> array[int]:
        header, rows = frame_table(self._frame, self._options)
        line = 1 + _line_count(header)
        starts = array("Q")
        for row in rows:
            starts.append(line)
            line += _line_count(row)
        return starts


def _line_count(cells: Iterable[str]) -> int:
    """Lines that a row of a CSV takes, with the breaks in its cells."""
    return 1 + sum(len(re.findall("\r\n|\r|\n", cell)) for cell in cells)
