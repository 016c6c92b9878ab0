"""Rows with boxes: those of one image become one row that holds all of its boxes.

In a list of boxes the image is what is converted or rejected, never a single row: an image without some of
its boxes would teach that nothing is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tfrecordcli.boxes import (
    BETWEEN,
    MARK,
    BoxCounts,
    box_text,
    corners_of,
    joined,
    merged_box,
    parts_of,
    texts_of_box,
)
from tfrecordcli.dataset.plan import LABEL_SEPARATOR
from tfrecordcli.planning.merging import lines_of
from tfrecordcli.reasons import Rejected, Told
from tfrecordcli.sources.plain_rows import PlainRows
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import DISCARD, UNASSIGNED

_PROBLEM: Final = "!"  # begins what is told of the image in a row that cannot be used
_NO_BOX: Final = ("",)  # in the place of the corners of such a row's box, where it has none


class SettledImage(NamedTuple):
    """What the rows of one image come to.

    Attributes:
      row: all of them as one, or why the image is rejected.
      culprit: the line of the row that is at fault, of a rejected image.
      boxes: how many the rows list, and how many of them are equal to another one.
    """

    row: Row | Rejected
    culprit: int
    boxes: BoxCounts


def with_problem(row: Row, problem: Rejected) -> Row:
    """A row of boxes that cannot be used, in a form that goes through the buckets."""
    told = f"{_PROBLEM}{problem.code}{BETWEEN}{problem.reason}"
    boxes = parts_of(row.boxes)[1] or [box_text(row.line, _NO_BOX).removeprefix(MARK)]
    return row._replace(boxes=joined(told, boxes), labels=(), extras=(), problem=None)


def neighbours_joined(rows: PlainRows) -> PlainRows:
    """Rows with boxes, neighbours of one image as one row with the labels and boxes of all.

    So most lists have them. Those of which two boxes may be equal stay as they are.
    """
    if len(set(rows.uris)) == len(rows):
        return rows
    images, _, boxes = zip(*[field.rpartition(MARK) for field in rows.boxes], strict=True)
    keys = list(zip(rows.uris, rows.splits, images, strict=True))
    ends = [number for number, (one, other) in enumerate(pairwise(keys), 1) if one != other]
    starts: list[int] = []
    fields: list[tuple[str, str]] = []
    for start, end in pairwise((0, *ends, len(rows))):
        labels = rows.labels[start:end]
        if _are_distinct(labels, boxes[start:end]):
            starts.append(start)
            fields.append((LABEL_SEPARATOR.join(labels), MARK.join((images[start], *boxes[start:end]))))
        else:
            starts += range(start, end)
            fields += zip(labels, rows.boxes[start:end], strict=True)
    labels_of, boxes_of = zip(*fields, strict=True)
    lines, firsts = [rows.lines[start] for start in starts], [keys[start] for start in starts]
    uris, splits, _ = zip(*firsts, strict=True)
    return PlainRows(lines, splits, uris, labels_of, boxes_of)


def _are_distinct(labels: Sequence[str], boxes: Sequence[str]) -> bool:
    """Whether no two boxes can be equal, in whatever order their corners are."""
    corners = [frozenset(box.split(BETWEEN, 5)[1:5]) for box in boxes]
    return len(set(zip(labels, corners, strict=True))) == len(boxes)


def merge_plain(lines: Sequence[str]) -> list[str]:
    """Lines of a bucket, all of one image, as one: [hash, split, labels, the rest of the line].

    No labels: what `settle_boxes` makes of their rows takes a closer look.
    """
    rows = [line[:-1].split("\t") for line in lines]
    point, split, _, number, uri, *extras, first = rows[0]
    told = parts_of(first)[0]
    labels: list[str] = []
    boxes: list[str] = []
    for _, its_split, label, _, its_uri, *its_extras, field in rows:
        its_told, its_boxes = parts_of(field)
        is_same = its_split == split and its_uri == uri and its_extras == extras and its_told == told
        if not (label and is_same):
            return [point, split, "", ""]
        labels += label.split(LABEL_SEPARATOR)
        boxes += its_boxes
    if not _are_distinct(labels, boxes):
        return [point, split, "", ""]
    rest = "\t".join((number, uri, *extras, joined(told, boxes)))
    return [point, split, LABEL_SEPARATOR.join(labels), rest + "\n"]


def settle_boxes(rows: Sequence[Row]) -> SettledImage:
    """Makes one row of all rows of an image, in line order, at least one.

    Equal boxes become one. The image is rejected when one of its rows cannot be used, or when they name
    several splits, sizes, or values of further columns.
    """
    parts = [parts_of(row.boxes) for row in rows]
    listed = sum(texts_of_box(box)[0] != _NO_BOX for _, boxes in parts for box in boxes)
    for row, (told, _) in zip(rows, parts, strict=True):
        if told.startswith(_PROBLEM):
            code, _, reason = told.removeprefix(_PROBLEM).partition(BETWEEN)
            return SettledImage(Told(code, reason), row.line, BoxCounts(rejected=listed))
    first = rows[0]
    named = sorted({row.split or UNASSIGNED for row in rows} - {UNASSIGNED})
    if len(named) > 1:
        reject = Rejected("conflicting_split", lines=_others(rows, lambda row: row.split or UNASSIGNED))
        return SettledImage(reject, first.line, BoxCounts(rejected=listed))
    if named == [DISCARD]:
        return SettledImage(first._replace(split=DISCARD), first.line, BoxCounts(discarded=listed))
    images = {told for told, _ in parts}
    if len(images) > 1 or any(row.extras != first.extras for row in rows):
        lines = _others(rows, lambda row: (parts_of(row.boxes)[0], row.extras))
        return SettledImage(
            Rejected("conflicting_value", lines=lines), first.line, BoxCounts(rejected=listed)
        )
    try:
        labels, boxes = _distinct(rows, [boxes for _, boxes in parts])
    except _OtherAttributes as found:
        reject = Rejected("conflicting_box", lines=str(found.first))
        return SettledImage(reject, found.second, BoxCounts(rejected=listed))
    row = first._replace(
        split=named[0] if named else UNASSIGNED, labels=labels, boxes=joined(parts[0][0], boxes)
    )
    return SettledImage(
        row, first.line, BoxCounts(stored=len(boxes), merged=listed - len(boxes), most=len(boxes))
    )


class _OtherAttributes(Exception):
    """Two equal boxes contradict each other in what else they say; holds the lines of their rows."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)
        self.first, self.second = first, second


def _distinct(rows: Sequence[Row], boxes: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[str]]:
    """Labels and boxes, those that are equal to an earlier one left out, in whatever order their corners are.

    Raises:
      _OtherAttributes: two equal boxes have other values of an attribute.
    """
    met: dict[tuple[str, tuple[float, ...]], tuple[int, str]] = {}
    for row, some in zip(rows, boxes, strict=True):
        for label, box in zip(row.labels, some, strict=True):
            key = (label, corners_of(box))
            line, known = met.setdefault(key, (row.line, box))
            both = merged_box(known, box)
            if both is None:
                raise _OtherAttributes(line, row.line)
            met[key] = (line if both == known else row.line, both)
    return tuple(label for label, _ in met), [box for _, box in met.values()]


def _others(rows: Sequence[Row], says: Callable[[Row], object]) -> str:
    """Lines that say something else than the first row."""
    return lines_of(row for row in rows if says(row) != says(rows[0]))
