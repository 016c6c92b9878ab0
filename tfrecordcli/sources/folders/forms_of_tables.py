"""What the tables of single images hold: boxes with a header or without one, or something else."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.boxes.fit import Numbers, Size, are_extents, fits, nearly_all
from tfrecordcli.sources.boxes.words import (
    CIRCLE_CENTERS,
    DIAMETERS,
    RADII,
    as_word,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.column_words import is_any_id, known_columns, likely_columns
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.folders.files_of_images import lines_of
from tfrecordcli.sources.foreign.napari import AROUND, BOXES, SHAPES
from tfrecordcli.sources.proposals.names_of_numbers import (
    CENTRE,
    CORNERS,
    EXTENT,
    are_numbers,
    may_be_no_box,
    names_behind,
)

_SIDES: Final = 4
_SOME: Final = 2  # tables at least
# How far a box reaches from its corner, as columns of a list say it.
_STEPS: Final = {"dx": "w", "dy": "h"}
_OTHERWISE: Final = (
    " (--box-format xywh where the last two numbers are width and height, which fit the images as well)"
)

Rows = Sequence[Sequence[str]]
Table = tuple[Rows, Size | None]  # of an image, and its width and height


@dataclass(frozen=True, slots=True)
class TableForm:
    """How the table of each image is read.

    Attributes:
      what: it holds; empty: something else than boxes.
      header: its first row; empty: it has none.
      columns: those of one list of all, behind the image.
      rows: Python for these of the rows ``t`` of a table.
      told: what stands behind the command.
    """

    what: str
    header: Sequence[str]
    columns: Sequence[str]
    rows: str
    told: str = ""


def rows_of(head: bytes) -> Rows:
    """The rows of a table that begins like this, as far as they are whole."""
    lines = lines_of(head)
    with suppress(csv.Error):
        delimiter = detect_delimiter(lines[0]) if lines else ","
        read = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        return [[field.strip() for field in row] for row in read]
    return []


def form_with_header(heads: Sequence[Rows]) -> TableForm | None:
    """The form of tables whose first rows are alike and have no number; None: they have no header."""
    first = next(iter(heads[0]), []) if heads else []
    if len(heads) < _SOME or any(rows[0] != first for rows in heads) or any(map(_is_number, first)):
        return None
    if first == SHAPES:
        return TableForm("shapes of napari", first, BOXES, AROUND)
    are_boxes = _tell_boxes(first)
    if not are_boxes and all(len(rows) == 1 for rows in heads):
        return None
    return TableForm("boxes" * are_boxes, first, _read_names(first), "t[1:]")


def form_without_header(tables: Sequence[Table]) -> TableForm | None:
    """The form of tables without a header; None: their rows differ in length."""
    rows = [row for some, _ in tables for row in some]
    if len({*map(len, rows)}) != 1 or len(tables) < _SOME:
        return None
    columns = [*zip(*rows, strict=True)]
    names, told = _names_of_boxes(columns, tables) or ([], "")
    return TableForm("boxes" * bool(names), (), names or [*map(_unnamed, range(len(columns)))], "t", told)


def _names_of_boxes(
    columns: Sequence[Sequence[str]], tables: Sequence[Table]
) -> tuple[list[str], str] | None:
    """Names of columns that are boxes in images for certain, and what is told of these; None for others."""
    if len(columns) < _SIDES or may_be_no_box(columns):
        return None
    names = names_behind(columns)[0]
    forms = [sides for sides in (CORNERS, EXTENT, CENTRE) if {*sides} <= {*names}]
    if not forms or any(_count_on(tables, names.index(side)) for side in forms[0]):
        return None
    start = names.index(forms[0][0])
    boxes = [
        (numbers, size)
        for rows, size in tables
        if size
        for row in rows
        for numbers in [_numbers(row[start : start + _SIDES])]
    ]
    if boxes and max(map(max, (numbers for numbers, _ in boxes))) <= 1:
        boxes = [(numbers, (1.0, 1.0)) for numbers, _ in boxes]
    are_corners = forms[0] == CORNERS and _are_corners(boxes)
    fit_as_extents = bool(boxes) and min(min(box[2:]) for box, _ in boxes) > 0 and are_extents(boxes)
    if not are_corners and not fit_as_extents:
        return None
    if not are_corners and forms[0] == CORNERS:
        names[start : start + _SIDES] = EXTENT
    labels = _may_be_labels(columns, start)
    # A row an image may be measurements of it.
    if all(len(rows) < _SOME for rows, _ in tables) and not any(_come_again(columns[i]) for i in labels):
        return None
    names = [
        "label" if [i] == labels else _unnamed(i) if name == "label" else name for i, name in enumerate(names)
    ]
    told = ""
    if len(labels) > 1:
        first, *others = map(_unnamed, labels)
        ways = ", label=".join(others)
        told = f" --columns label={first} (or label={ways}: it is not certain which has the labels)"
    return names, told + _OTHERWISE * (are_corners and fit_as_extents)


def _unnamed(column: int) -> str:
    return f"column_{column + 2}"  # behind that of the image


def _are_corners(boxes: Sequence[tuple[Numbers, Size]]) -> bool:
    return bool(boxes) and nearly_all(
        0 <= a < c and 0 <= b < d and fits(c, d, size) for (a, b, c, d), size in boxes
    )


def _count_on(tables: Sequence[Table], column: int) -> bool:
    """Whether a column is numbers of rows, or times: in all tables it begins at 0 or 1 and goes on alike."""
    counts = [[row[column] for row in rows] for rows, _ in tables if len(rows) >= _SOME]
    longest = max(counts, key=len, default=["2"])
    are_alike = all(count == longest[: len(count)] for count in counts)
    return are_alike and float(longest[0]) in (0, 1) and len({*longest}) == len(longest)


def _may_be_labels(columns: Sequence[Sequence[str]], start: int) -> list[int]:
    """Columns of words beside a box, or else of whole numbers that are no points in it."""
    others = [i for i in range(len(columns)) if not start <= i < start + _SIDES]
    words = [i for i in others if not are_numbers(columns[i])]
    sides = [[*map(float, columns[start + i])] for i in range(_SIDES)]
    return words or [i for i in others if _are_whole(columns[i]) and not _are_points(columns[i], sides)]


def _are_whole(column: Sequence[str]) -> bool:
    return all(field.removeprefix("-").isdecimal() for field in column)


def _are_points(column: Sequence[str], sides: Sequence[Sequence[float]]) -> bool:
    """Whether numbers are nearly all from one side of their boxes to the other: stems, centres."""
    left, top, right, bottom = sides
    return any(
        nearly_all(near <= float(field) <= far for field, near, far in zip(column, *both, strict=True))
        for both in ((left, right), (top, bottom))
    )


def _come_again(column: Sequence[str]) -> bool:
    return 2 * len({*column}) <= len(column)


def _numbers(fields: Iterable[str]) -> Numbers:
    a, b, c, d = map(float, fields)
    return a, b, c, d


def _is_number(field: str) -> bool:
    return WRITTEN_NUMBER.fullmatch(field) is not None


def may_tell_boxes(head: bytes) -> bool:
    """Whether a table that begins like this has columns of boxes, or rows that begin with four numbers."""
    first = next(iter(rows_of(head)), [])
    return (
        all(map(_is_number, first[:_SIDES]))
        if len(first) >= _SIDES and _is_number(first[0])
        else _tell_boxes(first)
    )


def _tell_boxes(header: Sequence[str]) -> bool:
    """Whether columns are those of boxes, circles or shapes of napari, and none names images."""
    if header == SHAPES:
        return True
    images = [*known_columns(header, "image_uri"), *likely_columns(header, "image_uri")]
    if any(not is_any_id(header[number]) for number in images):
        return False
    words = columns_by_word(header)
    if all(columns_called(words, names) for names in (*CIRCLE_CENTERS.values(), (*RADII, *DIAMETERS))):
        return True
    with suppress(InputError):
        return find_box_columns(_read_names(header)) is not None
    return False


def _read_names(header: Sequence[str]) -> list[str]:
    """The names of columns, those that say how far a box reaches as they are read."""
    names = [_STEPS.get(as_word(name), name) for name in header]
    return names if {"x", "y", "w", "h"} <= {*map(as_word, names)} else [*header]
