"""First columns without a name: numbers of rows, as R's `write.table` writes them, and images as an index."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import (
    columns_option,
    known_columns,
    likely_columns,
    listed,
    looks_like_image,
    without_extension,
)
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.proposals.missing_images import names_below
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote

_FEW: Final = 2
_MOST_DIGITS: Final = 18  # of the number of a row
_LOOKED_AT: Final = 1_000  # rows
_FOLDERS: Final = re.compile(r".*[/\\]")
_CODE: Final = 'w.writerow(["row", *next(r)]); w.writerows(r)'
_IMAGES_CODE: Final = 'w.writerow(["image", *next(r)[1:]]); w.writerows(r)'
_STORING_ALL: Final = ", and convert that with --features all --unlabelled keep, which stores these numbers"
ROW_NAMES: Final = (
    "each row begins with its number, for which the header has no name, "
    "as R's write.table writes names of rows"
)


def have_row_names(header: Sequence[str], table: Sequence[Sequence[str]]) -> bool:
    """Whether each row below a header has a field more than it, and they begin with numbers in order.

    Args:
      table: first rows, without blanks around their fields.
    """
    if len(table) < _FEW or any(len(fields) != len(header) + 1 for fields in table):
        return False
    names = [fields[0] for fields in table]
    are_numbers = all(name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS for name in names)
    return are_numbers and all(int(one) < int(next_one) for one, next_one in pairwise(names))


def naming_row_names(delimiter: str, name: str) -> str:
    """A hint with the command that gives these numbers a name.

    Args:
      delimiter, name: of the list.
    """
    return made_by("", rows_by(_CODE, delimiter), name)


def need_named_index(
    header: Sequence[str], rows: Iterable[list[str]], options: ReadOptions, name: str, delimiter: str
) -> None:
    """Refuses a first column without a name that holds images, as pandas writes those that are its index.

    Args:
      header: first row of a list.
      rows: those below it, as wide as it, without blanks around their fields.
      name, delimiter: of the list.

    Raises:
      InputError: with the command that gives it a name; or another column, whose name is not known, does.
    """
    is_said = options.task == "tabular" or dict(options.columns).get("image_uri")
    if header[0] or is_said:
        return
    table, root = list(islice(rows, _LOOKED_AT)), options.image_root or os.path.dirname(name) or "."
    if not _have_index_of_images(header[1:], table):
        return
    if image := _naming_images(header, table, root):
        hint = f"name it, as in {columns_option([('image_uri', image)])}"
        raise InputError(f"no image column; the columns are: {listed(header)}", hint)
    called = f"call it image: {made_by('', rows_by(_IMAGES_CODE, delimiter), name)}"
    are_many = len(header) > _FEW and all(WRITTEN_NUMBER.fullmatch(each) for row in table for each in row[1:])
    if _are_counted(header[1:]):
        hint = f"{called}{_STORING_ALL if are_many else ''}"
    else:
        hint = f"{called}; --columns image_uri=NAME where another one holds them"
    raise InputError("the first column has no name, and none of the others holds images", hint)


def _have_index_of_images(names: Sequence[str], table: Sequence[Sequence[str]]) -> bool:
    """Whether rows begin with what images are called, and names are above all that is behind it.

    An index of numbers is none of images, and one of splits is the first column of a list without a header.
    """
    if len(table) < _FEW or not all(names) or (any(map(_is_value, names)) and not _are_counted(names)):
        return False
    if known_columns(names, "image_uri") or likely_columns(names, "image_uri"):
        return False
    index = [row[0] for row in table]
    if any(WRITTEN_NUMBER.fullmatch(each) or parse_split(each) is not None for each in index):
        return False
    return not any(looks_like_image(field) for row in table for field in row[1:])


def _are_counted(names: Sequence[str]) -> bool:
    """Whether columns are called 0, 1, 2 and so on, or 1, 2, 3, as those that nobody gave a name."""
    return (
        bool(names)
        and names[0] in ("0", "1")
        and [*names] == [str(int(names[0]) + i) for i in range(len(names))]
    )


def _naming_images(header: Sequence[str], table: Sequence[Sequence[str]], root: str) -> str:
    """The column that names images which are there, where the first does not; empty where none does."""
    if is_remote(root):
        return ""
    first, *others = ({*column} for column in zip(*table, strict=False))
    labels = {*known_columns(header, "label"), *likely_columns(header, "label")}
    columns = {
        name: column
        for number, (name, column) in enumerate(zip(header[1:], others, strict=False), 1)
        if 2 * len(column) > len(table) and number not in labels and not CALLED_MASK.fullmatch(name)
    }
    images = {without_extension(_FOLDERS.sub("", each)) for each in first}
    there = {*names_below(images.union(*columns.values()), root)} if columns else set()
    if not images.isdisjoint(there):
        return ""
    return next((name for name, column in columns.items() if len(column & there) >= _FEW), "")


def _is_value(field: str) -> bool:
    return looks_like_image(field) or WRITTEN_NUMBER.fullmatch(field) is not None
