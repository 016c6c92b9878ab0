"""Which fields of a row hold what: by a header, or by their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.fields import (
    UNREAD,
    box_of_automl,
    is_automl,
    is_no_box,
    is_retinanet,
    split_of_retinanet,
)
from tfrecordcli.sources.column_words import ONE_CLASS, looks_like_image
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.row import Malformed
from tfrecordcli.split_words import UNASSIGNED, parse_split

Parsed = tuple[str, str, list[str]]  # split field, image_uri, label fields
# What the fields of a box are called where its list has no header.
CORNER_COLUMNS: Final = ("xmin", "ymin", "xmax", "ymax")


def without_padding(fields: list[str]) -> list[str]:
    """Without the empty fields that spreadsheets leave at the end of a row."""
    if fields[-1]:
        return fields
    end = len(fields)
    while end > 1 and not fields[end - 1]:
        end -= 1
    return fields[:end]


def within(fields: list[str], width: int) -> list[str]:
    """Without empty fields behind the last column of a header; a row with others there stays as it is."""
    return fields if any(fields[width:]) else fields[:width]


def words_of(shape: CsvShape, fields: list[str]) -> Parsed:
    """The split word, image and label fields of a row as they are written, outer blanks removed.

    Raises:
      Rejected: ``field_count``.
      InputError: the row shows the list to be of another kind.
    """
    fields = list(map(str.strip, fields))
    if shape.boxes is not None:
        word, uri, labels, _ = (box_by_header if shape.header else box_by_position)(fields, shape)
        return word, uri, list(labels)
    fields = without_padding(fields)
    return (parse_by_header if shape.header else parse_by_position)(fields, shape)


def parse_by_header(fields: list[str], shape: CsvShape) -> Parsed:
    """(split word, image, label fields) of a row below a header.

    Raises:
      Rejected: ``field_count``.
    """
    width = len(shape.header)
    if len(fields) > width and not shape.open_ended:
        raise Rejected("field_count", found=len(fields), expected=width)
    if shape.surplus and any(field_at(fields, column) for column in shape.surplus):
        columns = sum(not name.startswith("tfrec_") for name in shape.header)
        filled = sum(bool(field_at(fields, column)) for column in shape.surplus)
        raise Rejected("field_count", found=columns + filled, expected=columns)
    if len(fields) < width:
        fields = fields + [""] * (width - len(fields))
    names = [fields[column] for column in shape.labels]
    if len(fields) > width:
        names += fields[width:]
    word = UNASSIGNED if shape.split is None else fields[shape.split]
    return word, "" if shape.image is None else fields[shape.image], names


def field_at(fields: list[str], column: int) -> str:
    """A field; empty where the row ends before it."""
    return fields[column] if column < len(fields) else ""


def parse_by_position(fields: list[str], shape: CsvShape) -> Parsed:
    """``[SET,]URI[,LABEL…]``; a row with a box shows the whole list to be one of boxes."""
    split, uri, names = positions(fields)
    kind = "automl" if is_automl(names) else "retinanet" if is_retinanet([uri, *names]) else ""
    if kind:
        raise InputError(
            "this row has a box, but the first row of the list has none",
            f"--format {kind} reads boxes; --task classification takes the numbers for labels",
        )
    return split, uri, names


def positions(fields: list[str]) -> Parsed:
    """A row may leave SET out altogether (Vertex AI's samples do)."""
    first = fields[0]
    if parse_split(first) is not None and len(fields) > 1:
        split, uri, names = first, fields[1], fields[2:]
    elif looks_like_image(first):
        split, uri, names = UNASSIGNED, first, fields[1:]
    else:
        split, uri, names = first, fields[1] if len(fields) > 1 else "", fields[2:]
    return split, uri, names


def box_by_header(fields: list[str], shape: CsvShape) -> tuple[str, str, tuple[str, ...], Sequence[str]]:
    """(split word, image, label, all fields) of a row of boxes below a header."""
    fields = without_padding(fields) if len(fields) > len(shape.header) else fields
    word, uri, names = parse_by_header(fields, shape)
    if len(fields) < len(shape.header):
        fields = fields + [""] * (len(shape.header) - len(fields))
    if not shape.labels:
        assert shape.boxes is not None
        is_none = all(is_no_box(fields[column]) for column in shape.boxes.corners)
        names = [] if is_none else [ONE_CLASS]
    return word, uri, tuple(filter(None, names)), fields


def box_by_position(fields: list[str], shape: CsvShape) -> tuple[str, str, tuple[str, ...], Sequence[str]]:
    """(split field, image, label, texts of four corners) of a row without a header."""
    if shape.is_retinanet:
        split, row = split_of_retinanet(fields)
        if len(row) > 6:
            raise Rejected("field_count", found=len(fields), expected=6)
        path, *rest = [*row, *[""] * (6 - len(row))]
        return split, path, tuple(filter(None, rest[4:])), rest[:4]
    bare = without_padding(fields)
    split, uri, names = positions(bare)
    labels, box = tuple(filter(None, names[:1])), names[1:]
    if not any(box):
        return split, uri, labels, ("", "", "", "")
    counts = None if shape.boxes is None else shape.boxes.counts
    corners = box_of_automl(box, counts) if len(box) <= 8 else None
    if corners is None:
        raise Rejected("bad_box", what=f"has {len(box)} fields after the label, not 8")
    return split, uri, labels, corners


def fields_by_position(fields: list[str], shape: CsvShape) -> list[str]:
    """A headerless row with its split field in place, also where the row leaves it out."""
    stripped = [field.strip() for field in fields]
    if shape.boxes is None:
        split, uri, names = positions(without_padding(stripped))
        return [split, uri, *names]
    try:
        split, uri, labels, corners = box_by_position(stripped, shape)
    except Rejected:  # whose fields are no box: they are for a person to look at
        split, uri, names = positions(without_padding(stripped))
        return [split, uri, *names]
    return [split, uri, *(labels or ("",)), *corners]


def as_written(shape: CsvShape, fields: list[str] | Malformed) -> Parsed:
    """The split word, image and label fields of a row that cannot be used, as far as they can be told."""
    if isinstance(fields, Malformed):
        fields = fields.fields(shape.delimiter)
    if shape.header:
        columns = (shape.split, shape.image)
        word, uri = ("" if column is None else field_at(fields, column).strip() for column in columns)
        return word, uri, [field_at(fields, column).strip() for column in shape.labels]
    word, uri, *labels = fields_by_position(fields, shape) if fields else ("", "")
    return word, uri, labels[:1] if shape.boxes is not None else labels


def corners_as_written(shape: CsvShape, fields: list[str] | Malformed) -> list[str]:
    """The corners of a box that cannot be used; in one field, behind a mark, where they have another form."""
    boxes = shape.boxes
    if isinstance(fields, Malformed) or boxes is None:
        return [""] * 4
    texts: Sequence[str]
    if shape.header:
        texts = [field_at(fields, column).strip() for column in boxes.corners]
        if boxes.form == "xyxy" and len(texts) == 4:
            return list(texts)
    elif shape.is_retinanet:
        texts = split_of_retinanet([field.strip() for field in fields])[1][1:5]
    else:
        texts = positions(without_padding([field.strip() for field in fields]))[2][1:]
    return [f"{UNREAD} {' '.join(texts)}" if any(texts) else "", "", "", ""]


def attributes_as_written(shape: CsvShape, fields: list[str] | Malformed) -> dict[str, str]:
    """What is told of a box that cannot be used, by the names of `ATTRIBUTES`."""
    if isinstance(fields, Malformed) or shape.boxes is None or not shape.header:
        return {}
    return {name: field_at(fields, column).strip() for name, column in shape.boxes.attributes.items()}
