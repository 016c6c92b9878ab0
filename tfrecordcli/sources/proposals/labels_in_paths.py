"""Labels that no column has, and folders in the paths of the images may be: `breast/malignant/SOB/1.png`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.sources.sizes_in_names import is_magnification
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote, with_forward_slashes
from tfrecordcli.units import some_of

_MOST: Final = 20  # folders at one place of the paths, which are patients where there are many
_FEWEST_IMAGES: Final = 3  # of each of them, by and large
_SHOWN: Final = 3


def folders_hint(header: Sequence[str], table: Table, image: str, name: str, delimiter: str) -> str:
    """A hint with the command that makes labels of the first folders that differ; empty where none may be.

    Args:
      header, table: the first rows.
      image: the column of images.
      name, delimiter: of the list.
    """
    fields = column_of(table, header.index(image)) if image in header else []
    paths = [(with_forward_slashes(field) or field).split("/")[:-1] for field in fields]
    if len({*map(len, paths)}) != 1 or any(map(is_remote, fields)):
        return ""
    places = [(i, sorted({*words})) for i, words in enumerate(zip(*paths, strict=True))]
    place, words = next(((i, words) for i, words in places if _may_be_labels(words, len(paths))), (0, []))
    if not words:
        return ""
    parts = f't[{literal(image)}].str.strip().str.replace(chr(92), "/").str.split("/")'
    command = changed(name, delimiter, f't["label"] = {parts}.str[{place}]; t', "with-labels")
    return command and f"where folders are the labels ({some_of(words, _SHOWN)}): {command}"


def _may_be_labels(words: Sequence[str], count: int) -> bool:
    """Whether folders are several, each of several images, and none is a number, a split, a magnification."""
    is_few = 1 < len(words) <= min(_MOST, count / _FEWEST_IMAGES)
    return is_few and not any(
        word.isdecimal() or is_magnification(word) or parse_split(word) is not None for word in words
    )
