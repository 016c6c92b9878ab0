"""A pandas DataFrame as a table of text, as a CSV of it would be."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os.path import dirname
from typing import TYPE_CHECKING, Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, names_a_file
from tfrecordcli.sources.label_fields import places_of

if TYPE_CHECKING:
    import pandas as pd

_LOOKED_AT: Final = 1_000  # rows, as many as a list is told by


def frame_table(frame: pd.DataFrame, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """(header, rows) of a frame, its label columns last: lists of labels make rows ragged there.

    Raises:
      InputError: the column of images holds something else than paths.
    """
    for column in _columns_for("image_uri", frame, options):
        _need_paths(frame[column], column)
    labels = _columns_for("label", frame, options)
    frame = frame[[c for c in frame.columns if c not in labels] + labels]
    as_vectors = len(labels) == 1 and options.label_separator is None and _holds_vectors(frame)
    return [str(column) for column in frame.columns], _frame_rows(frame, len(labels), as_vectors)


def has_names(frame: pd.DataFrame) -> bool:
    """Whether its columns have names: they are not the first row of a list that was read as its header.

    Such a row names an image, or a path without an extension in the folder of the one below it.
    """
    first = next(_frame_rows(frame, 0, as_vectors=False), [])
    columns = [(str(name), cell) for name, cell in zip(frame.columns, first, strict=False)]
    return not any(
        names_a_file(name) or ("/" in name and not names_a_file(cell) and dirname(name) == dirname(cell))
        for name, cell in columns
    )


def rows_of_boxes(frame: pd.DataFrame) -> str:
    """Python that makes a row of each box, where two columns have arrays of boxes and labels; else empty."""
    some = {column: [_items(cell) for cell in frame[column].iloc[:_LOOKED_AT]] for column in frame.columns}
    arrays = {
        str(column): cells
        for column, cells in some.items()
        if all(isinstance(cell, (list, tuple)) for cell in cells) and any(cells)
    }
    boxes = [name for name, cells in arrays.items() if all(_is_box(each) for cell in cells for each in cell)]
    if len(boxes) != 1:
        return ""
    counts = [*map(len, arrays.pop(boxes[0]))]
    labels = [name for name, cells in arrays.items() if [*map(len, cells)] == counts]
    if len(labels) != 1:
        return ""
    box = f"df[{boxes[0]!r}]"
    return (
        f"df = df.explode([{boxes[0]!r}, {labels[0]!r}]); df[['xmin', 'ymin', 'xmax', 'ymax']] = "
        f"[list(b) if hasattr(b, '__len__') else [None] * 4 for b in {box}]; del {box} (x, y, width, height "
        "where the last two are a size)"
    )


def _is_box(value: Any) -> bool:
    items = _items(value)
    is_four = isinstance(items, (list, tuple)) and len(items) == len("xyxy")
    return is_four and not any(isinstance(each, (str, bytes)) for each in items)


def _columns_for(purpose: str, frame: pd.DataFrame, options: ReadOptions) -> list[Any]:
    named = [column.lower() for name, column in options.columns if name == purpose]
    return [c for c in frame.columns if str(c).lower() in (named or KNOWN_COLUMNS[purpose])]


def _need_paths(column: Any, name: Any) -> None:
    """Refuses images themselves in the place of their paths.

    Raises:
      InputError: that is what a cell holds.
    """
    for value in column if getattr(column, "ndim", 1) == 1 else ():
        # Arrays have a shape, Pillow's images pixels; bytes may be a path all the same.
        is_image = len(getattr(value, "shape", ())) > 0 or hasattr(value, "getpixel")
        if is_image or isinstance(value, Mapping) or (isinstance(value, bytes) and not _is_text(value)):
            raise InputError(
                f"DataFrame: column {name} holds {type(value).__name__}, no paths of images",
                "write the images to files, and their paths into this column",
            )


def _holds_vectors(frame: pd.DataFrame) -> bool:
    """Whether the lists in the last column are rows of 0 and 1, a place a label, by the first of them."""
    cells = (_items(value) for value in frame.iloc[:_LOOKED_AT, -1])
    return places_of([*map(_flag, items)] for items in cells if isinstance(items, (list, tuple))) > 0


def _frame_rows(frame: pd.DataFrame, label_columns: int, as_vectors: bool) -> Iterator[list[str]]:
    """The rows of a frame whose last columns hold labels; only there a cell can hold several.

    Args:
      as_vectors: lists of labels stay one field, in the form that `label_fields.is_list` knows.
    """
    for values in frame.itertuples(index=False, name=None):
        first_label = len(values) - label_columns
        fields = [_cell(value) for value in values[:first_label]]
        for items in map(_items, values[first_label:]):
            if not isinstance(items, (list, tuple)):
                fields.append(_cell(items))
            elif as_vectors:
                fields.append(f"[{', '.join(map(_flag, items))}]")
            else:
                fields += map(_cell, items)
        yield fields


def _items(value: Any) -> Any:
    """A cell of labels: an array or a set as the list that it is, in an order that runs share."""
    items = value.tolist() if hasattr(value, "tolist") else value
    return sorted(items, key=str) if isinstance(items, (set, frozenset)) else items


def _flag(value: Any) -> str:
    """A value of a list in text, which has a word in each place; truth values are 1 and 0."""
    return _cell(int(value) if isinstance(value, bool) else value) or "nan"


def _cell(value: Any) -> str:
    """A DataFrame's value as a CSV has it: missing values empty, whole floats as the ints they were."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes) and _is_text(value):
        return value.decode()
    if value is None or str(value) in ("nan", "NaN", "NaT", "<NA>"):
        return ""
    # NumPy's narrower floats are none of Python's.
    is_float = isinstance(value, float) or type(value).__name__ in ("float16", "float32")
    if is_float and value.is_integer():
        return str(int(value))
    return str(value)


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


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
