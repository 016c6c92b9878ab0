"""A small table below a list in one sheet, such as counts of its labels, cut off by an empty row."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import dropwhile
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.missing_images import has_image
from tfrecordcli.sources.row_fields import words_of
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.title_lines import without_lines
from tfrecordcli.storage.uris import is_remote

_LOOKED_AT: Final = 1 << 16  # bytes at the end of a list


def need_no_table_below(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses rows at the end of a list, below an empty one, that name no image and have labels of their own.

    Where a label of theirs is one of the rows above, they may be rows whose images are missing, unless it is
    labels of the list that stand in the place of images.

    Args:
      root: absolute folder or URL that relative image paths are relative to.

    Raises:
      InputError: with the command that keeps the list alone.
    """
    if rows.is_own or rows.is_spooled or rows.options.task == "regression":
        return
    lines = _last_lines(rows)
    count = _count_below(lines, sample, root)
    below = [(uri, labels) for uri, labels in _words(lines[len(lines) - count :], sample) if uri and labels]
    above = [
        *_words(lines[: len(lines) - count], sample),
        *((uri, labels) for _, uri, labels in sample.words if looks_like_image(uri)),
    ]
    known = {label for _, labels in above for label in labels}
    are_known = any(label in known for _, labels in below for label in labels)
    are_counted = 2 * sum(uri in known for uri, _ in below) > len(below)
    if not below or (are_known and not are_counted):
        return
    with open(rows.path, encoding=rows.options.encoding, errors="replace", newline="\n") as file:
        begin = sum(1 for _ in file) - count + 1
    raise InputError(
        f"a table stands below the list: behind the empty line {begin}, rows name no images, as "
        f"{below[0][0]!r}",
        f"keep what is above: {without_lines(begin, None, rows.name, 'alone')}; where they are rows of the "
        "list, take out the empty line",
    )


def _last_lines(rows: RowFile) -> list[str]:
    """Whole lines at the end of a list, without empty ones behind its last row."""
    with open(rows.path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LOOKED_AT))
        text = file.read().decode(rows.options.encoding, "replace")
    return text.removesuffix("\n").split("\n")[size > _LOOKED_AT :]


def _count_below(lines: Sequence[str], sample: Sample, root: str) -> int:
    """How many lines at the end of a list have no image, the first of which is empty; 0: there are none."""
    blanks = f"{sample.shape.delimiter} \r"
    if not any(line.strip(blanks) for line in dropwhile(lambda line: line.strip(blanks), lines)):
        return 0
    images = (i for i, line in enumerate(reversed(lines)) if _has_image(line, sample, root))
    count = next(images, 0)
    last, *below = lines[len(lines) - count - 1 :]
    # In quotes an empty line is part of a field.
    is_cut_off = (
        bool(below) and not below[0].strip(blanks) and not any(each.count('"') % 2 for each in (last, *below))
    )
    return count if is_cut_off else 0


def _has_image(line: str, sample: Sample, root: str) -> bool:
    uri = next((uri for uri, _ in _words([line], sample)), "")
    return bool(uri) and (looks_like_image(uri) or (not is_remote(root) and has_image(root, uri)))


def _words(lines: Iterable[str], sample: Sample) -> Iterator[tuple[str, list[str]]]:
    """The image and the labels of lines that are rows; as where rows are read, CR alone ends one too."""
    parts = (part for line in lines for part in line.split("\r"))
    for fields in csv.reader(parts, delimiter=sample.shape.delimiter, skipinitialspace=True):
        with suppress(InputError, Rejected):
            _, uri, labels = words_of(sample.shape, fields or [""])
            yield uri, [label for label in labels if label]
