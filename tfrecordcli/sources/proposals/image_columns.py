"""The column that names the images of a list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.sources.column_words import (
    IMAGE_EXTENSION,
    known_columns,
    likely_columns,
    looks_like_image,
    may_hold_an_image,
)
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.proposals.measured import are_dates
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.storage.uris import is_remote

# Between names of images in one field: `a.jpg, https://…/b.jpg`. Python's and that of `re.sub` in commands.
BETWEEN_IMAGES: Final = r"(?i)([.](?:jpe?g|png|gif|bmp|webp|tiff?)(?:[?][^,;|\s]*)?) *[,;|] *"
# In English, and in the languages of Europe that spreadsheets are written in.
_CALLED_IMAGE: Final = re.compile(
    r"imag|img|file|photo|pic|bild|foto|datei|fichier|archivo|arquivo|immag|plik|zdj", re.IGNORECASE
)
_NEARLY_ALL: Final = 0.9
_FEWEST: Final = 4  # rows
_CALLED_ID: Final = re.compile(r"[iI]d$|ID$|name$|uid$|stem$")


def proposed_image(header: Sequence[str], table: Table, given: Iterable[tuple[str, str]]) -> str:
    """The column that is given, or proposed, for images; empty when it cannot be told."""
    chosen = dict(given := list(given))
    found = _image_columns(header, table, free_columns(header, given))
    return chosen.get("image_uri") or next((header[i] for i in found), "")


def free_columns(header: Sequence[str], given: Iterable[tuple[str, str]]) -> list[int]:
    """Numbers of the columns that have a name, and were given for nothing."""
    taken = {name for _, name in given}
    return [i for i, name in enumerate(header) if name and name not in taken]


def is_called_image(name: str) -> bool:
    """Whether a column is called like images or their masks."""
    return bool(_CALLED_IMAGE.search(name) or CALLED_MASK.fullmatch(name))


def is_called_id(name: str) -> bool:
    """Whether a column is called like ids or names, by which images may be called, too."""
    return _CALLED_ID.search(name) is not None


def id_columns(header: Sequence[str], table: Table) -> list[int]:
    """Columns that are called like ids, in which nine in ten rows have another one."""
    columns = {i: column_of(table, i) for i, name in enumerate(header) if is_called_id(name)}
    return [i for i, fields in columns.items() if 10 * len({*fields}) >= 9 * len(table) == 9 * len(fields)]


def counting_columns(header: Sequence[str], table: Table, image: str) -> list[int]:
    """Columns that count the rows of each image from 0 or 1, as Flickr30k's `comment_number`.

    Args:
      image: the column of images; empty: it is not known.
    """
    rows = [row for row in table if len(row) == len(header)]
    if not image or len(rows) < _FEWEST:
        return []
    at = header.index(image)
    come_again = 2 * len({row[at] for row in rows}) <= len(rows)
    return [i for i in range(len(header)) if i != at and come_again and _counts(rows, at, i)]


def _counts(rows: Sequence[Sequence[str]], image: int, column: int) -> bool:
    """Whether the rows of nearly all images have the numbers one after the other."""
    told = defaultdict[str, list[str]](list)
    for row in rows:
        told[row[image]].append(row[column])
    return sum(map(_is_count, told.values())) >= _NEARLY_ALL * len(told)


def _is_count(values: Sequence[str]) -> bool:
    return any([*values] == [*map(str, range(begin, begin + len(values)))] for begin in (0, 1))


def images_in(field: str) -> list[str]:
    """The names of image files in a field, each alone or parted from the next by a comma or the like.

    Empty where it holds anything else.
    """
    parts = re.sub(BETWEEN_IMAGES, "\\1\n", field).split("\n")
    return parts if all(IMAGE_EXTENSION.search(part.partition("?")[0]) for part in parts) else []


def are_pages(fields: Sequence[str]) -> bool:
    """Whether fields are URLs none of which ends as those of images do."""
    return all(is_remote(field) and not IMAGE_EXTENSION.search(field.partition("?")[0]) for field in fields)


def hold_paths(fields: Sequence[str]) -> bool:
    """Whether all fields may be paths of images: of those with slashes days and `N/A` are none."""
    return may_hold_an_image(fields) and all(map(looks_like_image, fields)) and not are_dates(fields)


def are_nearly_all_images(fields: Sequence[str]) -> bool:
    count = sum(IMAGE_EXTENSION.search(field) is not None for field in fields)
    return bool(fields) and count >= _NEARLY_ALL * len(fields)


def _image_columns(header: Sequence[str], table: Table, free: Iterable[int]) -> Iterator[int]:
    """Columns that hold paths; without any, those of names of images but for a few fields, as of a sum below
    them; then those in which no field stands twice, then those called like ids.

    Those that are called like images come first, those called like ids before others that differ in each row,
    and pages of the web behind ids.
    """
    columns = {i: column_of(table, i) for i in free}
    free = sorted(columns, key=lambda i: (are_pages(columns[i]), not _CALLED_IMAGE.search(header[i])))
    paths = [i for i in free if hold_paths(columns[i])]
    pages = [i for i in paths if are_pages(columns[i]) and not _CALLED_IMAGE.search(header[i])]
    yield from (i for i in paths if i not in pages)
    yield from (i for i in free if are_nearly_all_images(columns[i]))
    yield from (
        i for i in known_columns(header, "image_uri") or likely_columns(header, "image_uri") if i in free
    )
    each_once = (i for i in free if columns[i] and len(set(columns[i])) == len(columns[i]) == len(table))
    # Descriptions and prices may all differ, too.
    called = [i for i in free if _CALLED_IMAGE.search(header[i]) or is_called_id(header[i])]
    yield from sorted(each_once, key=lambda i: (i not in called, i not in pages))
    yield from (i for i in free if columns[i] and is_called_id(header[i]))
    yield from pages
