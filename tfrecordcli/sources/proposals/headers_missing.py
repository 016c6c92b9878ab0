"""Commands that write a header above rows which have none."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence, Set
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.in_text import (
    tells_of_boxes,
)
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, names_a_file
from tfrecordcli.sources.csv_shape import is_no_header
from tfrecordcli.sources.foreign.kind import EXTENSION
from tfrecordcli.sources.label_fields import is_flag
from tfrecordcli.sources.made_list import as_commas, as_words, made_by, rows_by
from tfrecordcli.sources.proposals.folders_of_frames import TRUE_NAMES, header_above_folders
from tfrecordcli.sources.proposals.headers_beside import header_beside_or
from tfrecordcli.sources.proposals.missing_images import are_below
from tfrecordcli.sources.proposals.names_of_numbers import are_numbers, may_be_no_box, names_behind
from tfrecordcli.sources.proposals.unread import Unread
from tfrecordcli.sources.row_fields import without_padding
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import join_names

_PAIR: Final = 2
# An image and the first of the fields that commas part.
_PARTED_TWICE: Final = re.compile(rf"\S+{EXTENSION}[ \t]+\S+", re.IGNORECASE)
# The command that parts rows at each blank; a tab parts as well.
_BY_WORD: Final = rows_by('w.writerows(" ".join(f).split() for f in r if f)', " ")
# The same for fields that may be quoted.
_BY_BLANKS: Final = rows_by("w.writerows([*filter(None, f)] for f in r if f)", " ")


def header_for(unread: Unread) -> str:
    """The command that writes a header above rows of words and numbers; empty where the first is none."""
    return header_beside_or(_written_header(unread), unread.name)


def _written_header(unread: Unread) -> str:
    first = unread.header
    boxes = [tells_of_boxes(field) for field in first]
    if sum(boxes) == 1 < len(first):
        names = ["boxes" if boxes[i] else name for i, name in enumerate(_unnamed(len(first)))]
        return f"has it no header? {made_by(','.join(names), as_commas(unread.delimiter), unread.name)}"
    rows = [first, *filter(any, unread.table)]
    if are_parted_twice(unread):
        return _header_above_parted_twice(rows, unread.name)
    are_values = len(first) > 1 and is_no_header(first) and not all(map(WRITTEN_NUMBER.fullmatch, first))
    if not are_values or any(map(names_a_file, first)):
        return ""
    is_table = unread.options.task == "tabular"
    if unread.delimiter == " " and not is_table:
        return _header_above_words([list(filter(None, row)) for row in rows], unread.name)
    names = [] if is_table else _of_box(rows)
    names = names or _above([without_padding(row) for row in rows], is_table=is_table)
    command = made_by(",".join(names), as_commas(unread.delimiter), unread.name)
    return f"has it no header? {command}, {TRUE_NAMES}"


def are_parted_twice(unread: Unread) -> bool:
    """Whether all rows are an image and a word behind a blank, and more behind a comma."""
    rows = [unread.header, *filter(any, unread.table)]
    return unread.delimiter == "," and all(row[1:] and _PARTED_TWICE.fullmatch(row[0]) for row in rows)


def _header_above_parted_twice(rows: Sequence[list[str]], name: str) -> str:
    """The same where a tab or a blank parts the image from what is behind it, and commas part that."""
    fields = [[row[0].split()[1], *without_padding(row)[1:]] for row in rows]
    most = max(map(len, fields))
    are_flags = most == min(map(len, fields)) and all(is_flag(field) for row in fields for field in row)
    labels = [f"label_{number}" for number in range(most)] if are_flags else _unnamed(1 + most)[1:]
    command = made_by(",".join(["image", *labels]), "sed -E 's/[[:blank:]]+/,/' {name}", name)
    one_hot = command_line(["--one-hot", join_names(labels)])
    behind = f"and convert that with {one_hot}" if are_flags else TRUE_NAMES
    return f"has it no header? {command}, {behind}"


def header_above_ids(unread: Unread) -> str:
    """The same where the first row, as others, begins with what an image is called that is there.

    Or where blanks part all of them into as many words, of which the second is an image.
    """
    root = unread.options.image_root or os.path.dirname(unread.name) or "."
    rows = [unread.header, *filter(any, unread.table)]
    are_words = unread.delimiter == " " or (unread.delimiter == "," and all(len(row) == 1 for row in rows))
    if are_words:
        rows = [" ".join(row).split() for row in rows]
    around = _around_images(rows) if are_words else []
    if around:
        return f"has it no header? {made_by(','.join(around), _BY_WORD, unread.name)}, {TRUE_NAMES}"
    if is_remote(root):
        return ""
    if all(len(row) == 1 for row in rows):
        of_folders = header_above_folders(rows, root, unread.name, as_commas(unread.delimiter))
        return of_folders or _above_names({row[0] for row in rows}, root, unread.name)
    if any(len(row) < _PAIR for row in rows):
        return ""
    parted = _BY_WORD if are_words else as_commas(unread.delimiter)
    if folders := header_above_folders(rows, root, unread.name, parted):
        return folders
    if not are_below({rows[0][0]}, root, 1) or not are_below({row[0] for row in rows}, root):
        return ""
    names = _of_box(rows)
    if names and are_words:
        return f"has it no header? {made_by(','.join(names), _BY_WORD, unread.name)}, {TRUE_NAMES}"
    if are_words:
        return _header_above_words(rows, unread.name)
    names = names or _above([without_padding(row) for row in rows])
    command = made_by(",".join(names), as_commas(unread.delimiter), unread.name)
    return f"has it no header? {command}, {TRUE_NAMES}"


def _above_names(names: Set[str], root: str, name: str) -> str:
    """The same for rows that are nothing but what images are called; empty where these are not near.

    Args:
      names: that they are.
      root: of the list.
      name: of the list.
    """
    above = os.path.dirname(os.path.abspath(root))
    folder = next((each for each in (root, above) if are_below(names, each)), "")
    if not folder:
        return ""
    folder = os.path.relpath(folder) if folder == above and not os.path.isabs(name) else folder
    command = command_line(["tfrec", "convert", as_path(folder)])
    return (
        f"its lines name images, without an extension and a label: {command} OUTPUT_DIR reads what tells "
        "labels or boxes there, or tells how; where images are wanted without labels, "
        f"{made_by('image', as_commas(','), name)}, and convert that with --unlabelled keep"
    )


def _around_images(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names of the columns of rows of one image, a word before it and others behind it; else none."""
    count = len(rows[0])
    if count <= _PAIR or any(len(row) != count for row in rows):
        return []
    images = [i for i, words in enumerate(zip(*rows, strict=True)) if all(map(IMAGE_EXTENSION.search, words))]
    return ["id", "image", "label", *_unnamed(count)[3:]] if images == [1] else []


def _of_box(rows: Sequence[list[str]]) -> list[str]:
    """Names of the columns of rows of an image and numbers, four of which can be a box; else none.

    A word before or behind all of these is the label.
    """
    behind = [[field.strip() for field in without_padding(row)[1:]] for row in rows]
    columns = list(zip(*behind, strict=False))
    if len({*map(len, behind)}) > 1 or not columns:
        return []
    words = [i for i, column in enumerate(columns) if not any(map(WRITTEN_NUMBER.fullmatch, column))]
    before, after = words == [0], words == [len(columns) - 1]
    numbers = columns[before : len(columns) - after]
    if not numbers or not all(map(are_numbers, numbers)) or may_be_no_box(numbers):
        return []
    return ["image", *["label"] * before, *names_behind(numbers)[0], *["label"] * after]


def _header_above_words(rows: Sequence[list[str]], name: str) -> str:
    """The same where blanks part fields, so that a label of several words stands in several of them."""
    names = _unnamed(min(map(len, rows)))
    columns = as_words(names, " ", name)
    if len(names) > _PAIR and len(names) < max(map(len, rows)):
        columns = made_by(",".join(_above(rows)), _BY_BLANKS, name)
    several = [row[1:] for row in rows if len(row) > _PAIR]
    if all(WRITTEN_NUMBER.fullmatch(word) for row in several for word in row):
        return f"has it no header? {columns}, {TRUE_NAMES}"
    shown = " ".join(several[0])
    ways = f"where {shown!r} is one label, {as_words(names[:_PAIR], ' ', name)}"
    if len(names) > _PAIR:
        return f"{ways}; where these are columns, {columns}, {TRUE_NAMES}"
    return f"{ways}, and where each word is a label, convert that with --label-separator blank"


def _above(rows: Sequence[Sequence[str]], *, is_table: bool = False) -> list[str]:
    """Names for the columns of rows; where some are shorter, no place behind the image says what is there."""
    counts = {*map(len, rows)}
    names = _unnamed(max(counts), is_table=is_table)
    return names if is_table or len(counts) == 1 else [names[0], "column_2", *names[_PAIR:]]


def _unnamed(count: int, *, is_table: bool = False) -> list[str]:
    """Names for so many columns, or for two where there are fewer; those of a table tell nothing."""
    first = ["column_1", "column_2"] if is_table else ["image", "label"]
    return [*first, *(f"column_{number}" for number in range(3, count + 1))]
