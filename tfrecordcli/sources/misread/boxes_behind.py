"""Rows without a header with all boxes of their image behind it: `a.jpg 8 4 40 20 6 9 5 70 30 14`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.words import BOX_ROWS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.proposals.names_of_numbers import are_numbers, has_box, names_behind
from tfrecordcli.sources.sample import Sample

_SIDES: Final = 4
_MANY: Final = 10  # kinds of numbers, which answers of people are not of
_MOST_CLASSES: Final = 1_000
# Of each kind: names of the numbers of a box, and which of these are corners and a class.
_KINDS: Final[Sequence[tuple[Sequence[str], slice, int | None]]] = (
    (("xmin", "ymin", "xmax", "ymax", "label"), slice(0, 4), 4),
    (("label", "xmin", "ymin", "xmax", "ymax"), slice(1, 5), 0),
    (("xmin", "ymin", "xmax", "ymax"), slice(0, 4), None),
    (("x", "y", "width", "height", "label"), slice(0, 4), 4),
    (("x", "y", "width", "height"), slice(0, 4), None),
)


def boxes_behind(sample: Sample, rows: RowFile) -> str:
    """What makes rows of boxes of rows that have several; empty where rows have as many numbers, or few."""
    labels = [names for _, _, names in sample.words if names]
    told = {name for names in labels for name in names}
    lengths = {*map(len, labels)}
    is_said = sample.shape.header or any(word for word, _, _ in sample.words)
    if is_said or len(lengths) < 2 or min(lengths) < _SIDES or len(told) <= _MANY:
        return ""
    if not all(map(WRITTEN_NUMBER.fullmatch, told)):
        return ""
    numbers = [list(map(float, names)) for names in labels]
    kinds = (names for names, sides, label in _KINDS if _are_boxes(numbers, names, sides, label))
    names = next(kinds, ())
    if not names:
        return BOX_ROWS
    count = len(names)
    code = (
        f'w.writerows([f[0], *(f[i:i + {count}] or [""] * {count})] for f in ([*filter(None, f)] for f in r) '
        f"if f for i in range(1, max(len(f), 2), {count}))"
    )
    made = made_by(",".join(("image", *names)), rows_by(code, sample.shape.delimiter), rows.name)
    return f"{made}, a row of each box"


def box_and_more_behind(sample: Sample, rows: RowFile) -> str:
    """What names the box and label that all rows have, where some have further words; empty where not.

    As a traffic light has its colour behind its label, and a car has not.
    """
    labels = [names for _, _, names in sample.words if names]
    columns = list(zip(*labels, strict=False))
    further = [word for names in labels for word in names[len(columns) :]]
    is_said = sample.shape.header or any(word for word, _, _ in sample.words)
    if is_said or not further or any(map(WRITTEN_NUMBER.fullmatch, further)):
        return ""
    if not has_box(columns) or all(map(are_numbers, columns)):
        return ""
    names = names_behind(columns)[0]
    most = 1 + max(map(len, labels))
    header = ["image", *names, *(f"column_{number}" for number in range(len(names) + 2, most + 1))]
    code = f'w.writerows(f + [""] * ({most} - len(f)) for f in r if f)'
    made = made_by(",".join(header), rows_by(code, sample.shape.delimiter), rows.name)
    return f"{made}, with the names that are true"


def _are_boxes(
    rows: Sequence[Sequence[float]], names: Sequence[str], sides: slice, label: int | None
) -> bool:
    """Whether each so many numbers can be a box with these names.

    Args:
      rows: all numbers of each image.
      names: of the numbers of a box.
      sides, label: which of them are its corners or extent, and its class.
    """
    count = len(names)
    if any(len(row) % count for row in rows):
        return False
    boxes = [row[start : start + count] for row in rows for start in range(0, len(row), count)]
    if label is not None and not all(box[label] in range(_MOST_CLASSES) for box in boxes):
        return False
    if "xmax" in names:
        return all(a < c and b < d for a, b, c, d in (box[sides] for box in boxes))
    return all(min(a, b) >= 0 and min(w, h) > 0 for a, b, w, h in (box[sides] for box in boxes))
