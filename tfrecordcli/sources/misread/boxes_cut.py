"""Boxes of which much lies beyond their images, and which no --box-format makes fit into these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.fit import Numbers, Size, are_extents, are_swapped, nearly_all
from tfrecordcli.sources.boxes.form import boxes_with_sizes, grouped
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.pandas_commands import with_names
from tfrecordcli.sources.sample import Sample

# A box that loses more than this part of its area is drawn on something else; a few may be drawn badly.
_MUCH: Final = 0.25
_SHARE: Final = 0.25
_SOME: Final = 5
_FIELDS_OF_RETINANET: Final = 6


def need_whole_boxes(images: Sequence[tuple[str, str]], root: str, *, has_labels: bool) -> None:
    """Refuses boxes in pixels of which a quarter lose much at the right and lower edges of their images.

    Whoever guesses at what is hidden draws beyond all edges: where any box begins before its image, none is
    doubted.

    Args:
      images, root: as of `tfrecordcli.sources.box_form.need_form`.
      has_labels: whether the list has any, which may be those of images that were cut out.

    Raises:
      InputError: with the ways out.
    """
    boxes = boxes_with_sizes("xyxy", "auto", images, root)
    if any(min(box) < -1 or max(size) <= 1 for box, size in boxes):
        return
    cut = sum(_lost(box, size) > _MUCH for box, size in boxes)
    if cut < _SOME or cut <= _SHARE * len(boxes):
        return
    are_alone = len({uri for uri, _ in images}) == len(images)
    of_crops = "; of pictures that they were cut from: --task classification takes labels without boxes"
    raise InputError(
        f"{cut:,} of the first {len(boxes):,} boxes lose more than a quarter at the right and lower edges of "
        "their images: are these pixels of larger originals, or of pictures that the images were cut from?",
        "of larger originals: give width and height of these (columns of a table, <size> in XML), and boxes "
        "are scaled; --box-unit pixels takes them as they are, cut at the edges"
        f"{of_crops * (has_labels and are_alone)}",
    )


def _lost(box: Numbers, size: Size) -> float:
    """The part of a box beyond its image, as this is stored or turned, whichever is less."""
    (left, right), (top, bottom) = sorted(box[::2]), sorted(box[1::2])
    area = (right - left) * (bottom - top)
    kept = max(
        max(min(right, width) - left, 0.0) * max(min(bottom, height) - top, 0.0)
        for width, height in (size, size[::-1])
    )
    return 1 - kept / area if area > 0 else 0.0


def need_no_pairs(images: Sequence[tuple[str, str]], root: str, sample: Sample, rows: RowFile) -> None:
    """Refuses corners that fit into their images as x1, x2, y1, y2, and many of which end before they begin.

    Args:
      images, root: as of `tfrecordcli.sources.box_form.need_form`.

    Raises:
      InputError: as corners, sorted, a quarter reach beyond their images; or all fit as extents, too; or most
        end before they begin, some in one direction and others in the other, or in both.
    """
    boxes = boxes_with_sizes("xyxy", rows.options.box_unit, images, root, are_doubtful=True)
    fit = [_fits_as_pairs(box, size) for box, size in boxes]
    if len(boxes) < _SOME or not nearly_all(fit):
        return
    beyond = sum(max(box[::2]) > width + 1 or max(box[1::2]) > height + 1 for box, (width, height) in boxes)
    may_be_extents = are_extents(boxes)
    are_beyond = beyond > _SHARE * len(boxes)
    is_doubted = may_be_extents and not are_swapped(boxes) and fit.count(False) <= beyond
    if not (are_beyond or is_doubted or (all(fit) and _are_in_order_as_pairs(_numbers(images)))):
        return
    hint = _calling_pairs(sample, rows)
    if not sample.shape.header and all(len(row) == _FIELDS_OF_RETINANET for row in sample.table):
        hint = made_by("image,x1,x2,y1,y2,label", as_commas(sample.shape.delimiter), rows.name)
    also = " and as x, y, width, height" if may_be_extents else ""
    ways = ["--box-format xywh takes them as x, y, width, height"] * may_be_extents
    ways += ["--box-format xyxy takes them as they are"] * (not are_beyond)
    raise InputError(
        "many boxes end before they begin as xmin, ymin, xmax, ymax; "
        f"nearly all fit as xmin, xmax, ymin, ymax{also}",
        "; ".join([hint, *ways]),
    )


def _fits_as_pairs(box: Numbers, size: Size) -> bool:
    a, b, c, d = box
    width, height = size
    return a <= b <= width + 1 and c <= d <= height + 1


def _numbers(images: Sequence[tuple[str, str]]) -> list[Numbers]:
    return [box for some in grouped(images, "xyxy")[0].values() for box in some]


def _are_in_order_as_pairs(boxes: Sequence[Numbers]) -> bool:
    """Whether all are, and most end before they begin as corners, not all of these in the same direction.

    Those whose y is counted from below all do in this one, and those drawn from their far corner in both.
    """
    turned = Counter((c < a, d < b) for a, b, c, d in boxes)
    others = turned.pop((False, False), 0)
    return len(turned) > 1 and turned.total() > others and all(a <= b and c <= d for a, b, c, d in boxes)


def told_pairs(images: Sequence[tuple[str, str]], root: str, sample: Sample, rows: RowFile) -> list[str]:
    """That corners may be x1, x2, y1, y2: a quarter end before they begin, and not each in both directions.

    Args:
      images, root: as of `tfrecordcli.sources.box_form.need_form`.
    """
    boxes = _numbers(images)
    turned = [box for box in boxes if box[2] < box[0] or box[3] < box[1]]
    if len(turned) < _SOME or len(turned) <= _SHARE * len(boxes) or are_swapped([(b, (1, 1)) for b in boxes]):
        return []
    if all(box[2] >= box[0] for box in turned):
        return []  # their y is counted from below
    if not nearly_all(a <= b and c <= d for a, b, c, d in boxes):
        return []
    if not nearly_all(
        _fits_as_pairs(*each) for each in boxes_with_sizes("xyxy", rows.options.box_unit, images, root)
    ):
        return []
    how = _calling_pairs(sample, rows)
    return [
        f"{len(turned):,} of the first {len(boxes):,} boxes end before they begin as xmin, ymin, xmax, ymax, "
        f"and nearly all are in order as xmin, xmax, ymin, ymax: where they are these, {how}"
    ]


def _calling_pairs(sample: Sample, rows: RowFile) -> str:
    """A hint with what columns of corners are to be called that hold both x first, and the command for it."""
    boxes, header = sample.shape.boxes, sample.shape.header
    if boxes is None or len(boxes.corners) != 4 or not header or rows.is_spooled:
        return "write each box as xmin, ymin, xmax, ymax"
    old = [header[column] for column in boxes.corners]
    pairs = zip(old, ("xmin", "xmax", "ymin", "ymax"), strict=True)
    names = {before: after for before, after in pairs if before != after}
    told = ", ".join(f"{before} to {after}" for before, after in names.items())
    command = with_names(names, rows.name, sample.shape.delimiter)
    return f"rename {told}{': ' * bool(command)}{command}"
