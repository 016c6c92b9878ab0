"""Boxes by columns of their beginning and their size, beside others each of which could be these."""

from __future__ import annotations

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.columns import begins_of_boxes
from tfrecordcli.sources.boxes.words import IMAGEJ, WHOLE_IMAGES
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.boxes_in_columns import corners_chosen
from tfrecordcli.sources.proposals.sizes_twice import calling_sizes, sizes_twice
from tfrecordcli.sources.sample import Sample


def need_one_begin(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes where another pair of columns says that they begin elsewhere; ImageJ's begin at BX, BY.

    Raises:
      InputError: with the commands each of which leaves one pair.
    """
    boxes, options, header = sample.shape.boxes, rows.options, sample.shape.header
    if boxes is None or boxes.form != "xywh" or len(boxes.corners) != 4 or options.box_format is not None:
        return
    read = (header[boxes.corners[0]], header[boxes.corners[1]])
    said = {name for _, name in options.columns}
    pairs = begins_of_boxes(header)
    others = [
        pair
        for pair in pairs
        if pair != read and said.isdisjoint(pair) and not any(is_asked_for(n, options.features) for n in pair)
    ]
    if read == IMAGEJ[:2] or read not in pairs or not any(_differ(sample, read, pair) for pair in others):
        return
    raise InputError(
        "beside one width and height, several columns could be where boxes begin: "
        + " or ".join(map(", ".join, pairs)),
        corners_chosen(header, rows.name, sample.shape.delimiter)
        or f"call the others point_x and point_y in the header; {WHOLE_IMAGES}",
    )


def need_one_size(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes of the size of the image, beside one by which they lie in it.

    Raises:
      InputError: with the command that calls both as they are read.
    """
    boxes, header = sample.shape.boxes, sample.shape.header
    if boxes is None or boxes.form == "xyxy" or len(boxes.corners) != 4 or not header:
        return
    names, size = sizes_twice(header, sample.table), [header[column] for column in boxes.corners[2:]]
    if names.get(size[0]) != "image_width":
        return
    of_boxes = [old for old, new in names.items() if new in ("width", "height")]
    raise InputError(
        f"{' and '.join(size)} are those of the image, in which boxes of {' and '.join(of_boxes)} lie",
        calling_sizes(header, sample.table, "" if rows.is_spooled else rows.name, sample.shape.delimiter),
    )


def _differ(sample: Sample, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two pairs of columns have other numbers in a row that has both."""
    parts = (row for row in sample.parts([*one, *other]) if all(map(NUMBER.fullmatch, row)))
    return any((float(x), float(y)) != (float(a), float(b)) for x, y, a, b in parts)
