"""Files that hold the same bytes in folders of several classes: the image of two labels, or of two splits."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.row import Row
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural

_LOOKED_AT: Final = 10_000  # images
_READ: Final = 64 << 20  # bytes of files of one size, at most


def same_files_doubt(rows: RowFile, path: str) -> str:
    """What to know of images that are there again under another label; empty where none of the first is.

    Args:
      rows: of the folder.
      path: of the folder.
    """
    if is_remote(path):
        return ""
    again = [alike for alike in _of_same_bytes(rows, path) if _have_several_labels(alike)]
    if not again:
        return ""
    one, other = again[0][:2]
    count = sum(map(len, again))
    return (
        f"{plural(count, 'file')} with the bytes of others under another label (such as {one.image_uri} and "
        f"{other.image_uri}): one image is of two classes, and maybe of two splits; take out what is wrong "
        "there (tfrec verify OUTPUT_DIR tells all of them)"
    )


def _of_same_bytes(rows: RowFile, path: str) -> list[list[Row]]:
    """The rows of files of the same bytes."""
    by_size: defaultdict[int, list[Row]] = defaultdict(list)
    for row in islice((row for row in rows.read()[1] if row.problem is None), _LOOKED_AT):
        by_size[_size_of(row, path)].append(row)
    found: defaultdict[bytes, list[Row]] = defaultdict(list)
    left = _READ
    for size, some in by_size.items():
        if size < 0 or not _have_several_labels(some):
            continue
        left -= size * len(some)
        if left < 0:
            break
        for row in some:
            found[_digest_of(row, path)].append(row)
    return [some for digest, some in found.items() if digest and len(some) > 1]


def _have_several_labels(rows: Sequence[Row]) -> bool:
    return len({row.labels for row in rows}) > 1


def _size_of(row: Row, path: str) -> int:
    try:
        return os.stat(os.path.join(path, row.image_uri)).st_size
    except OSError:
        return -1


def _digest_of(row: Row, path: str) -> bytes:
    """The digest of a file; empty of one that cannot be read, which is told where it is read."""
    try:
        with open(os.path.join(path, row.image_uri), "rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b""
