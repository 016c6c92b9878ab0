"""Rows with boxes: those of one image become one row that holds all of its boxes.

In a list of boxes the image is what is converted or rejected, never a single row: an image without some of
its boxes would teach that nothing is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from tfrecordcli.boxes import BETWEEN, MARK, BoxCounts, box_text, corners_of, joined, merged_box, parts_of
from tfrecordcli.dataset.plan import LABEL_SEPARATOR
from tfrecordcli.planning.merging import lines_of
from tfrecordcli.reasons import Rejected, Told
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import DISCARD, UNASSIGNED

_PROBLEM: Final = "!"  # begins what is told of the image in a row that cannot be used


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
    boxes = parts_of(row.boxes)[1] or [box_text(row.line, ()).removeprefix(MARK)]
    return row._replace(boxes=joined(told, boxes), labels=(), extras=(), problem=None)


class PlainImage(NamedTuple):
    """An image whose rows leave nothing to decide.

    Attributes:
      split: that its rows name; empty when they name none.
      image_uri: as written.
      texts: label of each box.
      line: of the task file.
      listed: boxes of its rows, equal ones included.
    """

    split: str
    image_uri: str
    texts: tuple[str, ...]
    line: str
    listed: int


def merge_plain(lines: Sequence[str], ids: Mapping[str, int]) -> PlainImage | None:
    """The same as `settle_boxes`, from lines of a bucket to one of a task file; None: it takes a closer look.

    Nearly all images go this way, for rows cost several times as much as their text.
    """
    if len(lines) == 1:
        return _plain_alone(lines[0], ids)
    rows = [line[:-1].split("\t") for line in lines]
    _, split, _, number, uri, *extras, boxes = rows[0]
    head = boxes[: boxes.find(MARK, 1) + 1]
    if len(head) < 2 or head[1] == _PROBLEM or split == DISCARD:
        return None
    met: dict[tuple[str, str], str] = {}
    for _, its_split, label, _, its_uri, *its_extras, its_boxes in rows:
        box = its_boxes.removeprefix(head)
        if label not in ids or its_split != split or its_uri != uri or its_extras != extras or MARK in box:
            return None
        met.setdefault((label, box.partition(BETWEEN)[2]), box)
    # Boxes with the same four numbers may be equal but for the order of their corners, or their attributes.
    if len(met) > 1 and len({(label, frozenset(rest.split(BETWEEN, 4)[:4])) for label, rest in met}) < len(
        met
    ):
        return None
    texts = tuple([label for label, _ in met])
    label_ids = ",".join([str(ids[label]) for label in texts])
    rest = "\t".join((uri, *extras, head + MARK.join(met.values())))
    line = f"{label_ids}\t{LABEL_SEPARATOR.join(texts)}\t{number}\t{rest}\n"
    return PlainImage(split, uri, texts, line, len(rows))


def _plain_alone(line: str, ids: Mapping[str, int]) -> PlainImage | None:
    """The same for an image with one row."""
    _, split, label, rest = line.split("\t", 3)
    is_one_box = rest.count(MARK) == 2 and MARK + _PROBLEM not in rest
    if label not in ids or split == DISCARD or not is_one_box:
        return None
    uri = rest.split("\t", 2)[1]
    return PlainImage(split, uri, (label,), f"{ids[label]}\t{label}\t{rest}", 1)


def settle_boxes(rows: Sequence[Row]) -> SettledImage:
    """Makes one row of all rows of an image, in line order, at least one.

    Equal boxes become one. The image is rejected when one of its rows cannot be used, or when they name
    several splits, sizes, or values of further columns.
    """
    parts = [parts_of(row.boxes) for row in rows]
    listed = sum(len(boxes) for _, boxes in parts)
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
