"""Boxes whose numbers fit into their images in another form or unit than the one that is assumed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Final

from tfrecordcli.boxes import has_boxes
from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.fit import Size
from tfrecordcli.sources.boxes.form import (
    are_in_others,
    are_thousandths,
    extents_in,
    may_be_centers,
    need_form,
    told_otherwise,
)
from tfrecordcli.sources.boxes.unit import LOOKED_AT, MOST_PERCENT, size_of_image, sizes_of
from tfrecordcli.sources.boxes.words import (
    ORIGINAL_WORDS,
    SIZE_WORDS,
    WHOLE_IMAGES,
    as_word,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.misread.boxes import thousandths
from tfrecordcli.sources.misread.boxes_cut import need_no_pairs, need_whole_boxes, told_pairs
from tfrecordcli.sources.misread.corners_as_centers import told_corners
from tfrecordcli.sources.misread.corners_as_extents import told_corners_of_extents
from tfrecordcli.sources.misread.percents_of_corners import need_no_percents_of_corners
from tfrecordcli.sources.misread.splits_unread import told_splits
from tfrecordcli.sources.misread.squashed import need_no_squashed
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.row import Row
from tfrecordcli.sources.sample import MOST_ROWS, Sample, later_rows

_CENTERS: Final = (
    "x and y are taken for the corner of a box, and may be its centre, as in YOLO: --box-format center_xywh "
    "takes them so, --box-format xywh as they are, without this warning"
)


def told_forms(rows: RowFile, sample: Sample, root: str) -> list[str]:
    """Refuses boxes of which the first rows are corners where extents are assumed, or the other way round.

    Those that are thousandths of their images, or fit into another size of these alone, are refused, too.

    Returns:
      what may be meant otherwise: centres called x and y, pixels of another size of the image.

    Raises:
      InputError: with the option that reads them, or the command that mends the list.
    """
    boxes, options = sample.shape.boxes, rows.options
    if boxes is None:
        return []
    form = rows.assumed_form if boxes.unit is not None else boxes.form
    form = None if options.box_format is not None else form
    given = rows.form_of_origin or options.box_format
    may_be_thousandths = options.box_unit == "auto" and not rows.is_spooled
    if form is None and not may_be_thousandths and given is None:
        return []
    sample, parsed = _with_boxes(sample, rows)
    images = [(row.image_uri, row.boxes) for row in parsed]
    are_pixels = options.box_unit == "pixels" or (options.box_unit == "auto" and boxes.extremes.most > 2)
    originals = _originals(sample, parsed) if are_pixels and boxes.size is None else {}
    try:
        if form == "xywh":
            _need_no_points(images, root)
        if form == "xywh" and len(boxes.corners) == 1 and options.box_unit == "auto":
            need_no_percents_of_corners(images, root)
        if originals and options.box_unit == "auto" and are_in_others(images, originals, root):
            raise _in_originals(rows, sample, boxes.extremes.most)
        if form is not None:
            if form == "xyxy":
                need_no_pairs(images, root, sample, rows)
            need_form(form, options.box_unit, images, root)
        if may_be_thousandths and are_thousandths(images, root):
            raise thousandths(sample, rows)
        if may_be_thousandths:
            need_no_squashed(rows, sample, images, root)
        if form is not None and options.box_unit == "auto":
            need_whole_boxes(images, root, has_labels=bool(sample.shape.labels) and not rows.is_own)
        is_yolo = form == rows.assumed_form == "center_xywh"
        corners = told_corners(options.box_unit, images, root) if is_yolo else []
        if form == "xywh" and (len(boxes.corners) == 1 or rows.assumed_form == form):
            corners = told_corners_of_extents(options.box_unit, images, root)
    except InputError as error:
        splits = told_splits(sample, rows) if sample.shape.header else ()
        raise InputError(f"{rows.name}: {error.message}", "; ".join([error.hint, *splits])) from None
    calls_xy = rows.calls_xy or (form == "xywh" and _called(boxes.corners[:2], sample) == ["x", "y"])
    is_doubted = form == "xywh" and calls_xy and may_be_centers(options.box_unit, images, root)
    of_originals = _of_originals(originals, sample, images, root)
    pairs = told_pairs(images, root, sample, rows) if "xyxy" in (options.box_format, form) else []
    otherwise = told_otherwise(given, options.box_unit, images, root) if given else []
    return [*([_CENTERS] if is_doubted else []), *corners, *otherwise, *pairs, *of_originals]


def _with_boxes(sample: Sample, rows: RowFile) -> tuple[Sample, list[Row]]:
    """The sample without rows that have no box, and what is in the others.

    Where these are of a few images only, as where those that show nothing stand first, it has later rows,
    but no more than a sample: images may have any number of boxes each.
    """
    parse = replace(rows, features=()).parser(sample.shape)  # of the box alone
    table: list[Sequence[str]] = []
    parsed: list[Row] = []
    met: set[str] = set()
    most = math.inf
    for number, fields in enumerate(chain(sample.table, later_rows(rows))):
        if number == len(sample.table):
            most = len(table) + MOST_ROWS
        if number >= len(sample.table) and (len(met) >= LOOKED_AT or len(table) >= most):
            break
        row = parse(0, list(fields))
        if has_boxes(row.boxes):
            table.append(fields)
            parsed.append(row)
            met.add(row.image_uri)
    return replace(sample, table=table), parsed


def _need_no_points(images: Iterable[tuple[str, str]], root: str) -> None:
    """Refuses extents that are the sizes of their images in every row, and begin elsewhere than at 0 or 1.

    Points that are the centres of all images make whole images, of which `need_form` tells.

    Raises:
      InputError: that these are points, with what takes whole images.
    """
    some = [(image, extents_in(image[1])) for image in islice(images, LOOKED_AT)]
    boxes = [box for _, each in some for box in each]
    are_whole = all(max(a, b) <= 1 for a, b, _, _ in boxes)
    are_middles = all(abs(a - c / 2) <= 1 and abs(b - d / 2) <= 1 for a, b, c, d in boxes)
    if are_whole or are_middles or any(a > c or b > d for a, b, c, d in boxes):
        return  # without a look at the images
    sizes = ((size_of_image(image, root), each) for image, each in some)
    if all(size == (round(c), round(d)) for size, each in sizes for _, _, c, d in each):
        raise InputError(
            "width and height are the size of the image in every row, so x and y are points and no boxes",
            "write the sides of each box into the list, as x, y, width, height with its own size; "
            f"{WHOLE_IMAGES}; --box-format xywh takes them as they are",
        )


def _columns_of_originals(sample: Sample) -> list[int]:
    """The columns of width and height of images before these were resized, or none."""
    words = columns_by_word(sample.shape.header)
    columns = [columns_called(words, names)[:1] for names in ORIGINAL_WORDS.values()]
    return [column for (column,) in columns] if all(columns) else []


def _originals(sample: Sample, parsed: Iterable[Row]) -> dict[str, Size]:
    """That width and height by image."""
    columns = _columns_of_originals(sample)
    sizes = {
        row.image_uri: tuple(fields[column] for column in columns)
        for row, fields in zip(parsed, sample.table, strict=True)
        if columns and max(columns) < len(fields)
    }
    return {
        uri: (float(width), float(height))
        for uri, (width, height) in sizes.items()
        if WRITTEN_NUMBER.fullmatch(width) and WRITTEN_NUMBER.fullmatch(height)
    }


def _in_originals(rows: RowFile, sample: Sample, most: float) -> InputError:
    """What is said of boxes that fit into images of that size, and not into theirs."""
    names = [sample.shape.header[column] for column in _columns_of_originals(sample)]
    pairs = ", ".join(
        f'{literal(name)}: "image_{side}"' for name, side in zip(names, SIZE_WORDS, strict=True)
    )
    change = f"t = t.rename(columns=lambda c: {{{pairs}}}.get(c.strip(), c)); t"
    command = changed(rows.name, sample.shape.delimiter, change, "sized")
    percent = "; --box-unit percent where they are parts of 100" * (most <= MOST_PERCENT)
    return InputError(
        f"boxes end beyond their images, and all fit into {', '.join(names)}: were they drawn in that size?",
        f"call these columns image_width and image_height, by which boxes are scaled{': ' * bool(command)}"
        f"{command}{percent}; --box-unit pixels takes them for pixels of the images as they are",
    )


def _of_originals(
    originals: Mapping[str, Size], sample: Sample, images: Iterable[tuple[str, str]], root: str
) -> Iterable[str]:
    """That boxes may be in pixels of a size beside them, which their images do not have."""
    if not originals:
        return
    listed = {*originals.values()}
    if any(size not in listed for _, size in sizes_of(images, root)):
        width, height = (sample.shape.header[column] for column in _columns_of_originals(sample))
        yield (
            f"images have other sizes than {width}, {height}, and boxes are taken for pixels of the images "
            "as they are: where they are pixels of those, call these columns image_width and image_height"
        )


def _called(columns: Iterable[int], sample: Sample) -> list[str]:
    return [as_word(sample.shape.header[column]) for column in columns]
