"""The box of one COCO annotation: its bbox, or what is around its segmentation."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any, Final

from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.json.fields import Corners, as_number, as_shown, corners_in, need_finite

# Where an annotation does not say.
NO_AREA: Final = math.nan
NO_CROWD: Final = -1


def need_upright(annotation: dict[str, Any], index: int) -> None:
    """Refuses a box that CVAT says is turned: its bbox is that of the box before it was.

    Raises:
      Rejected: it is turned.
    """
    attributes = annotation.get("attributes")
    turn = attributes.get("rotation") if isinstance(attributes, dict) else None
    if isinstance(turn, (int, float)) and turn:
        detail = f"annotations[{index}] is turned by {turn:g} degrees, which its bbox does not tell"
        raise Rejected("bad_annotation", detail=detail)


def corners_of(annotation: dict[str, Any], index: int, box_format: BoxFormat) -> Corners:
    """Its corners, also when it has no bbox and a segmentation that is not compressed. It has one of them.

    Raises:
      Rejected: there are none.
    """
    box, outline = annotation.get("bbox"), annotation.get("segmentation")
    if box is not None and box != []:
        return corners_in(box, f"of annotations[{index}]", box_format)
    try:
        found = around_runs(outline) if isinstance(outline, dict) else _around_polygons(outline or [])
    except (ValueError, TypeError):
        detail = f"annotations[{index}] has no bbox, and none can be made of its segmentation"
        raise Rejected("bad_annotation", detail=detail) from None
    if found is None:
        detail = (
            f"annotations[{index}] has no bbox, and its segmentation is compressed"
            " (pycocotools.mask.toBbox gives its box)"
        )
        raise Rejected("bad_annotation", detail=detail)
    return need_finite(found, f"of annotations[{index}]")


def _around_polygons(polygons: list[list[float]]) -> Corners:
    """The box around [[x, y, x, y, …], …].

    Raises:
      ValueError, TypeError: there is no such thing.
    """
    if any(len(polygon) % 2 or len(polygon) < 4 for polygon in polygons):
        raise ValueError
    numbers = [list(map(as_number, polygon)) for polygon in polygons]
    across = [x for polygon in numbers for x in polygon[0::2]]
    down = [y for polygon in numbers for y in polygon[1::2]]
    return min(across), min(down), max(across), max(down)


def around_runs(mask: dict[str, Any]) -> Corners | None:
    """The box around a mask of run lengths, column by column, every other one set; None: compressed.

    pycocotools.mask.toBbox does the same.

    Raises:
      ValueError, TypeError: there is no such thing, or the mask is empty.
    """
    counts, (rows, _) = mask.get("counts", ()), mask.get("size", ())
    if isinstance(counts, str):
        return None
    if type(rows) is not int or rows < 1 or any(type(count) is not int or count < 0 for count in counts):
        raise ValueError
    ends = list(accumulate(counts))
    runs = [(end - count, end - 1) for count, end in zip(counts[1::2], ends[1::2], strict=True) if count]
    columns = [pixel // rows for run in runs for pixel in run]
    whole = any(first // rows != last // rows for first, last in runs)
    lines = [0, rows - 1] if whole else [pixel % rows for run in runs for pixel in run]
    return min(columns), min(lines), max(columns) + 1, max(lines) + 1


def area_of(value: Any) -> float:
    """Pixels of the object itself, not of its box; nan when the list does not say."""
    try:
        return max(as_number(value), 0.0)
    except ValueError:
        return NO_AREA


def crowd_of(value: Any, index: int) -> int:
    """0 or 1.

    Raises:
      Rejected: it is something else.
    """
    if value is None:
        return NO_CROWD
    if value in (0, 1):  # also false and true
        return int(value)
    raise Rejected(
        "bad_annotation", detail=f"iscrowd of annotations[{index}] is {as_shown(value)}, not 0 or 1"
    )
