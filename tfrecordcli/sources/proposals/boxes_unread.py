"""What makes boxes of columns that are not read as such: the commands that call, part or explode them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Final

from tfrecordcli.sources.boxes.corners_in_pairs import corners_in_pairs, parted_corners
from tfrecordcli.sources.boxes.in_text import (
    as_many_beside,
    parted,
    parted_texts,
    tells_of_boxes,
)
from tfrecordcli.sources.boxes.numbered import numbered_box, renamed_numbers
from tfrecordcli.sources.boxes.unread_columns import unread_boxes
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.proposals.boxes_by_class import (
    CELLS,
    classes_of_lists,
    holds_boxes,
    numbered_classes,
    parted_classes,
    parted_lists,
    parted_numbers,
)
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.extents_by_rows import extents_by_rows
from tfrecordcli.sources.proposals.image_columns import proposed_image
from tfrecordcli.sources.proposals.outlines_of_points import outlines_hint
from tfrecordcli.sources.proposals.sides_by_words import refused_sides, sides_by_words
from tfrecordcli.sources.proposals.table import boxes_columns, column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns
from tfrecordcli.units import some_of

_WITH_BOXES: Final = ("auto", "detection")


def parting_boxes(unread: Unread, table: Sequence[list[str]]) -> str:
    """The command that makes columns of boxes which stand in one as text."""
    header = unread.header
    boxes = boxes_columns(table, range(len(header)))
    if boxes:
        column, field = header[boxes[0]], column_of(table, boxes[0])[0]
        image = proposed_image(header, unread.table, given_columns(unread.options))
        image = image or next(name for number, name in enumerate([*header, ""]) if number not in boxes)
        what = f"column {column} holds classes and boxes as text, which is not read"
        return f"{what}: {parted_texts(field, unread.name, unread.delimiter, header, image, column)}"
    if corners := corners_in_pairs({name: column_of(table, i) for i, name in enumerate(header)}):
        what = f"columns {' and '.join(corners)} hold the corners of boxes, which are not read"
        return f"{what}: {parted_corners(corners, unread.name, unread.delimiter)}"
    outlines = outlines_hint(unread) if unread.options.task in _WITH_BOXES else ""
    found = outlines or calling_boxes(unread) or _calling_numbers(unread)
    if found:
        return found
    if unread.options.task not in _WITH_BOXES:
        return ""
    if by_class := _parting_lists(unread, table):
        return by_class
    for number, name in enumerate(header):
        field = next(filter(tells_of_boxes, column_of(table, number)), "")
        if field:
            beside_it = as_many_beside(header, table, name)
            each = parted(name, field, unread.name, unread.delimiter, beside_it, as_bbox=True)
            return f"column {name} holds boxes as text, which is not read: {each}; {WHOLE_IMAGES}"
    return ""


def _parting_lists(unread: Unread, table: Sequence[list[str]]) -> str:
    """The command that makes rows of boxes which stand in a column for each class as text."""
    image = proposed_image(unread.header, table, given_columns(unread.options))
    columns = {name: column_of(table, i) for i, name in enumerate(unread.header) if name != image}
    classes = classes_of_lists(columns) if image else []
    if not classes:
        return ""
    each = parted_lists(image, unread.name, unread.delimiter)
    return f"columns {some_of(classes)} hold boxes as text, which are not read: {each}; {WHOLE_IMAGES}"


def calling_boxes(unread: Unread) -> str:
    """What makes boxes of a column that is called so and is not read; empty where there is none."""
    header = unread.header
    if unread.options.task not in _WITH_BOXES:
        return ""
    columns = {name: column_of(unread.table, i) for i, name in enumerate(header) if name}
    of_list = unread.name, unread.delimiter
    beside = partial(as_many_beside, header, unread.table)
    found = unread_boxes(columns, *of_list, beside, of_any_name=True)
    return f"{found.what}: {found.hint}; {WHOLE_IMAGES}" if found else ""


def _calling_numbers(unread: Unread) -> str:
    """What calls four columns of a box otherwise that are called by numbers; empty where there are none."""
    columns = {name: column_of(unread.table, i) for i, name in enumerate(unread.header) if name}
    names = numbered_box(columns) if unread.options.task in _WITH_BOXES else []
    if not names:
        return ""
    how = renamed_numbers({name: columns[name] for name in names}, unread.name, unread.delimiter)
    return f"columns {', '.join(names)} look like the four numbers of a box: {how}; {WHOLE_IMAGES}"


def parting_classes(unread: Unread, table: Sequence[list[str]]) -> str:
    """The command that makes rows of boxes which stand in a column, or in four, for each class."""
    header, given = unread.header, given_columns(unread.options)
    image = proposed_image(header, table, given)
    if not image:
        return ""
    found = [name for i, name in enumerate(header) if name != image and holds_boxes(column_of(table, i))]
    if found:
        what = f"column {found[0]} holds {CELLS}, which are not read"
        return f"{what}: {parted_classes(image, unread.name, unread.delimiter)}"
    classes = numbered_classes(header, table)
    others = ["" if any(name.startswith(f"{each}_") for each in classes) else name for name in header]
    proposals = propose_columns(others, table, given, unread.options.task) if classes else []
    if not proposals or proposals[0].has_label:
        return ""
    how = parted_numbers(classes, image, unread.name, unread.delimiter)
    names = f"{classes[0]}_1 to {classes[0]}_4"
    return f"columns {names} may be x, y, width, height of a box, as MATLAB writes them; then {how}"


def calling_sides(unread: Unread, table: Sequence[list[str]]) -> str:
    """The command that calls columns as the sides of a box are called."""
    rows = [row for row in table if len(row) >= len(unread.header)]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(unread.header)}
    images = columns.get(proposed_image(unread.header, table, given_columns(unread.options)), ())
    root = unread.options.image_root or os.path.dirname(unread.name)
    found = chain(sides_by_words(columns), extents_by_rows(columns, images, root))
    sides = next(found, {}) if unread.options.task in _WITH_BOXES else {}
    return (
        "; ".join(refused_sides(sides, unread.header, columns, unread.name, unread.delimiter))
        if sides
        else ""
    )
