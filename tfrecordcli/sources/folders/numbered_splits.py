"""Texts that tell the split of each image by a number, below `Train/Val/Test`: `2015_00001.png 1 1 1 3`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Final

from tfrecordcli.sources.folders.tree import stem_of
from tfrecordcli.split_words import split_of

_BETWEEN: Final = re.compile(r"\s*\|\s*|\s+")
_SPLITS: Final = re.compile("[A-Za-z]+(?:/[A-Za-z]+)+")


def split_by_number(path: str, lines: Sequence[str], images: Collection[str]) -> str:
    """Python for ``z``, which gives the split of an image by its path; empty where a text tells none.

    Args:
      path: of the text.
      lines: the first ones of it.
      images: names of some without their extension, of which a line names one.
    """
    fields = [_BETWEEN.split(line.strip()) for line in lines]
    header, rows = (fields or [[""]])[0], fields[1:]
    splits = [*map(split_of, header[-1].split("/"))] if _SPLITS.fullmatch(header[-1]) else []
    numbers = {*map(str, range(1, len(splits) + 1))}
    if (
        not splits
        or not all(splits)
        or any(len(row) != len(header) or row[-1] not in numbers for row in rows)
    ):
        return ""
    if not any(stem_of(row[0]) in images for row in rows):
        return ""
    return (
        f"y = {{k: {json.dumps(splits)}[int(f[-1]) - 1] "
        f'for l in (r / {json.dumps(path)}).read_text(encoding="utf-8-sig").splitlines()[1:] '
        'for f in [l.replace("|", " ").split()] if f for k in (f[0], f[0].rpartition(".")[0])}; '
        'z = lambda q: y.get(q.name) or y.get(q.stem, ""); '
    )
