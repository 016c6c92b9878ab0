"""Names for columns behind an image where no header has any: a box, its class and score, and what else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import StatisticsError, correlation
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.fit import are_in_order, nearly_all
from tfrecordcli.sources.boxes.four_corners import are_four_corners

CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
EXTENT: Final = ("x", "y", "width", "height")
CENTRE: Final = ("x_center", "y_center", "width", "height")
PAIRS: Final = ("xmin", "xmax", "ymin", "ymax")
_OUTLINE: Final = tuple(f"{axis}{number}" for number in range(1, 5) for axis in "xy")
_SIDES: Final = 4
_SURELY_PIXELS: Final = 2.0
_SOME_ROWS: Final = 10  # that show what is the same in nearly all of them
_NEARLY_ALL: Final = 0.8
_SOME_PAIRS: Final = 5  # rows: of fewer extents all may lie and stand so by chance
Fields = Sequence[Sequence[str]]


def names_behind(columns: Fields) -> list[list[str]]:
    """What columns behind an image are likely to be.

    Twice where the label may be before the box as well as behind it, the likelier first, where a box may
    begin at two numbers or have its centre there, and where both sides along x may come first.
    """
    if are_four_corners(columns):
        return [[*_OUTLINE]]
    starts = _boxes(columns) or {len(columns): ()}
    if len(starts) > 1 and len(columns) == _SIDES + 1:
        ends = {1: len({*columns[0]}), 0: len({*columns[-1]})}  # start of a box -> classes beside it
        likely = sorted(starts, key=lambda start: ends[start])
        few, many = (2 * ends[start] > len(columns[0]) for start in likely)
        starts = {start: starts[start] for start in (likely[:1] if many and not few else likely)}
    else:
        best = max(starts, key=lambda start: (_go_together(columns[start : start + _SIDES]), -start))
        starts = {best: starts[best]}
    if EXTENT in starts.values() and _are_nearly_in_order(columns[min(starts) :]):
        return [named_at(columns, min(starts), sides) for sides in (CORNERS, EXTENT)]
    if CORNERS not in starts.values() and _are_pairs(columns[min(starts) :]):
        return [named_at(columns, min(starts), sides) for sides in (PAIRS, EXTENT)]
    if EXTENT in starts.values() and _may_be_centres(columns[min(starts) :]):
        return [named_at(columns, min(starts), sides) for sides in (EXTENT, CENTRE)]
    return [named_at(columns, start, sides) for start, sides in starts.items()]


def _go_together(columns: Fields) -> float:
    """How much the far corners of boxes lie where their near ones do: -1 to 1; -2 for what are none.

    Behind a number of the set, `1 12 9 41 24`, the first four of five numbers may be in order, too.
    """
    if len(columns) != _SIDES or not all(map(are_numbers, columns)):
        return -2.0
    a, b, c, d = ([float(field) for field in column] for column in columns)
    try:
        return (correlation(a, c) + correlation(b, d)) / 2
    except StatisticsError:  # all are alike
        return -1.0


def _are_nearly_in_order(columns: Fields) -> bool:
    rows = (tuple(map(float, row)) for row in zip(*columns[:_SIDES], strict=True))
    return nearly_all(a <= c and b <= d for a, b, c, d in rows)


def _are_pairs(columns: Fields) -> bool:
    """Whether of four numbers in each row the first is below the second, and the third below the fourth."""
    four = columns[:_SIDES]
    if len(four) < _SIDES or len(four[0]) < _SOME_PAIRS or not all(map(are_numbers, four)):
        return False
    return all(float(a) < float(b) and float(c) < float(d) for a, b, c, d in zip(*four, strict=True))


def _may_be_centres(columns: Fields) -> bool:
    """Whether no box begins before its image where its first two numbers are its centre."""
    rows = (tuple(map(float, row)) for row in zip(*columns[:_SIDES], strict=True))
    return all(2 * a >= c and 2 * b >= d for a, b, c, d in rows)


def named_at(columns: Fields, start: int, sides: Sequence[str], size: int | None = None) -> list[str]:
    """Names of columns, of which a box begins at ``start``, and width and height of the image at ``size``."""
    known = dict(zip(range(start, start + _SIDES), sides, strict=False))
    known |= {} if size is None else {size: "width", size + 1: "height"}
    known |= {i: "score" for i in _scores(columns)[:1] if sides and i not in known}
    others = [i for i in range(len(columns)) if i not in known]
    label = next((i for i in others if not are_numbers(columns[i])), others[0] if others else -1)
    known[label] = "label"
    return [known.get(i, f"column_{i + 2}") for i in range(len(columns))]


def has_box(columns: Fields) -> bool:
    """Whether four columns behind an image can be those of a box."""
    return bool(_boxes(columns))


def may_be_no_box(columns: Fields) -> bool:
    """Whether there is none, or what is taken for an extent may be other numbers.

    Two of the four are nearly always the same, or boxes are one pixel wide in most rows.
    """
    names = names_behind(columns)[0]
    if _OUTLINE[0] in names:
        return False
    if EXTENT[0] not in names:
        return not has_box(columns)
    sides = [columns[names.index(name)] for name in EXTENT]
    widths = [min(map(float, row)) for row in zip(*sides[2:], strict=True)]
    are_slivers = _are_pixels(sides) and 2 * sum(width <= 1 for width in widths) > len(widths)
    return are_slivers or sum(map(_is_nearly_one, sides)) > 1


def are_numbers(column: Sequence[str]) -> bool:
    """Whether all fields of a column are numbers."""
    return all(map(WRITTEN_NUMBER.fullmatch, column))


def _boxes(columns: Fields) -> dict[int, Sequence[str]]:
    """Where a box may begin, and what its numbers are: corners where they can be, else an extent.

    Fractions are those of YOLO, from the centre, where these stay within the image.
    """
    runs = {start: columns[start : start + _SIDES] for start in range(len(columns) - _SIDES + 1)}
    scores = _scores(columns)
    boxes = {
        start: [tuple(map(float, row)) for row in zip(*run, strict=True)]
        for start, run in runs.items()
        if all(map(are_numbers, run)) and not any(start <= i < start + _SIDES for i in scores)
    }
    corners = [start for start, rows in boxes.items() if are_in_order(rows)]
    if corners or not boxes:
        return dict.fromkeys(corners, CORNERS)
    start = max(boxes)
    are_central = all(c / 2 <= a <= 1 - c / 2 and d / 2 <= b <= 1 - d / 2 for a, b, c, d in boxes[start])
    return {start: CENTRE if are_central else EXTENT}


def _scores(columns: Fields) -> list[int]:
    """Columns of fractions from 0 to 1 beside a box in pixels, as detectors write how sure they are."""
    numbers = {i: column for i, column in enumerate(columns) if are_numbers(column)}
    if not _are_pixels(list(numbers.values())):
        return []
    scores = [
        i
        for i, column in numbers.items()
        if all(0 <= float(field) <= 1 for field in column)
        and not all(float(field).is_integer() for field in column)
    ]
    return scores if len(numbers) - len(scores) >= _SIDES else []


def _are_pixels(columns: Fields) -> bool:
    return any(float(field) > _SURELY_PIXELS for column in columns for field in column)


def _is_nearly_one(column: Sequence[str]) -> bool:
    """Whether nearly all fields of many are the same."""
    most = max(Counter(column).values())
    return len(column) >= _SOME_ROWS and most > _NEARLY_ALL * len(column)
