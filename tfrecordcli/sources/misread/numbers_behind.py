"""Rows without a header that have more behind their image than labels: boxes, or further images."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.words import BOX_ROWS
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.sample import Sample
from tfrecordcli.split_words import parse_split

_SIDES: Final = 4
_SOME_ROWS: Final = 3  # that show what a column holds
# A log of Udacity's driving simulator.
_CAMERAS: Final = ("center", "left", "right")
_DRIVEN: Final = ("steering", "throttle", "brake", "speed")
_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_EXTENT: Final = ("x", "y", "width", "height")
_CENTRE: Final = ("x_center", "y_center", "width", "height")
_Columns = Sequence[tuple[str, ...]]


def need_labels_behind(sample: Sample, rows: RowFile) -> None:
    """Refuses four numbers behind each image, or names of further images: nothing says that they are labels.

    Raises:
      InputError: with the command that writes a header, and what takes them for labels all the same.
    """
    options = rows.options
    labels = [names for _, _, names in sample.words if names]
    is_said = options.label_type != "auto" or options.task == "classification" or options.multi_label
    if sample.shape.header or is_said or not labels:
        return
    columns = list(zip(*labels, strict=False))  # those that all rows have
    images = next((column for column in columns if all(map(IMAGE_EXTENSION.search, column))), None)
    if images is not None and len(columns) > 1:
        raise InputError(
            f"each row names a further image behind the first, as {images[0]}",
            f"{_further_images(sample, columns, rows.name)}; --label-type name takes all of them for labels",
        )
    numbers = sum(map(_are_numbers, columns))
    if numbers >= _SIDES:
        command = BOX_ROWS
        if len(set(map(len, labels))) == 1:
            command = f"{_with_header(sample, columns, rows.name)}, with the names that are true"
        raise InputError(
            f"each row has {numbers} numbers behind its image, and no header says what they are",
            f"are they a box? {command}; --task classification takes all of them for labels",
        )
    if 0 < numbers < len(columns) and _are_told_apart(labels, columns):
        command = f"{_with_header(sample, columns, rows.name)}, with the names that are true"
        raise InputError(
            "each row has words and numbers behind its image, and no header says which are its label",
            f"{command}; --task classification takes all of them for labels",
        )


def _further_images(sample: Sample, columns: _Columns, name: str) -> str:
    """A hint with the command that writes a header, that of a log of Udacity's simulator where it is one."""
    firsts = [next(uri for _, uri, labels in sample.words if labels), *(column[0] for column in columns)]
    cameras = [re.split(r"[/\\]", first)[-1].partition("_")[0] for first in firsts[: len(_CAMERAS)]]
    if (
        tuple(cameras) == _CAMERAS
        and len(firsts) == len(_CAMERAS + _DRIVEN)
        and all(map(_are_numbers, columns[2:]))
    ):
        how = "convert that with --columns image_uri=center,label=steering --task regression"
        return f"{made_by(','.join(_CAMERAS + _DRIVEN), as_commas(sample.shape.delimiter), name)}, and {how}"
    return "write a header that says which column is the image and which the label, as image,other,label"


def _are_told_apart(labels: Sequence[Sequence[str]], columns: _Columns) -> bool:
    """Whether all rows are of one length, and each column holds numbers or none."""
    if len(set(map(len, labels))) > 1 or len(labels) < _SOME_ROWS:
        return False
    return all(_are_numbers(column) or not any(map(WRITTEN_NUMBER.fullmatch, column)) for column in columns)


def _are_numbers(column: Sequence[str]) -> bool:
    return all(map(WRITTEN_NUMBER.fullmatch, column))


def _with_header(sample: Sample, columns: _Columns, name: str) -> str:
    """A hint with the command that writes the likeliest header above such a list."""
    word = next(word for word, _, labels in sample.words if labels)
    names = _names(columns)
    before = ["split" if parse_split(word) is not None else "label"] if word else []
    if before == ["label"]:
        names = ["column_0" if name == "label" else name for name in names]
    header = [*before, "image", *names]
    delimiter = sample.shape.delimiter
    if delimiter in " \t":
        return made_by(",".join(header), as_commas(delimiter), name)
    return made_by(shlex.quote(delimiter.join(header)), "cat {name}", name)


def _names(columns: _Columns) -> list[str]:
    """What columns behind an image are likely to be: a box, a label, and what nobody reads."""
    start, sides = _box(columns)
    others = [i for i in range(len(columns)) if not start <= i < start + _SIDES]
    label = next((i for i in others if not _are_numbers(columns[i])), others[0] if others else -1)
    return [
        sides[i - start] if start <= i < start + _SIDES else "label" if i == label else f"column_{i + 2}"
        for i in range(len(columns))
    ]


def _box(columns: _Columns) -> tuple[int, Sequence[str]]:
    """The first column of a box, and what its numbers are: corners where they can be, else an extent.

    Fractions are those of YOLO, from the centre, where these stay within the image.
    """
    starts = range(len(columns) - _SIDES + 1)
    runs = {start: columns[start : start + _SIDES] for start in starts}
    boxes = {
        start: [tuple(map(float, row)) for row in zip(*run, strict=True)]
        for start, run in runs.items()
        if all(map(_are_numbers, run))
    }
    for start, rows in boxes.items():
        if all(a < c and b < d for a, b, c, d in rows):
            return start, _CORNERS
    if not boxes:
        return len(columns), ()
    start = max(boxes)
    are_central = all(c / 2 <= a <= 1 - c / 2 and d / 2 <= b <= 1 - d / 2 for a, b, c, d in boxes[start])
    return start, _CENTRE if are_central else _EXTENT
