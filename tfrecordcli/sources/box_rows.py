"""Rows of a list of boxes: one with a box, or none when their image shows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfrecordcli.boxes import MARK, box_text
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxColumns
from tfrecordcli.sources.boxes.fields import are_unread, box_parser, says_nothing, text_of_image
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.reading import Reading
from tfrecordcli.sources.row import LONGEST_WORD, Malformed, Row, RowParser, problem_of
from tfrecordcli.sources.row_fields import (
    box_by_header,
    box_by_position,
)


def parser_of_boxes(
    shape: CsvShape, boxes: BoxColumns, reading: Reading, attributes: Sequence[str]
) -> RowParser:
    """A parser of rows that have a box, or none when their image shows nothing."""
    columns = boxes if shape.header else replace(boxes, corners=(0, 1, 2, 3))
    parse_box = box_parser(columns, attributes)
    split_fields = box_by_header if shape.header else box_by_position
    is_plain = reading.is_plain

    def to_row(line: int, fields: list[str] | Malformed) -> Row:
        if isinstance(fields, Malformed):
            return Row(line, None, "", (), fields.problem)
        try:
            word, uri, labels, numbers = split_fields(list(map(str.strip, fields)), shape)
        except Rejected as bad:
            return Row(line, None, "", (), bad)
        word, uri = reading.split(word), reading.paths.apply(uri)
        split = shape.parse_split(word)
        problem = problem_of(word, split, uri, labels)
        try:
            if not is_plain:
                labels = tuple(reading.labels(list(labels)))
            text = parse_box(line, numbers, bool(labels))
            has_box = MARK in text[1:]
            bad_box = _problem_of_box(labels, has_box)
            text += "" if has_box or bad_box is None else box_text(line, ())  # which has a label alone
        except Rejected as bad:
            text = text_of_image(columns, numbers)
            text += "" if are_unread(columns, numbers) and not labels else box_text(line, ())
            return Row(line, split, uri, labels, problem or bad, (), text)
        return Row(line, split, uri, labels if has_box else (), problem or bad_box, (), text)

    return to_row


def _problem_of_box(labels: tuple[str, ...], has_box: bool) -> Rejected | None:
    if has_box and not labels:
        return Rejected("bad_box", what="has no label (a word such as unknown is one, or leave the box out)")
    if has_box and len(labels) > 1:
        return Rejected("bad_box", what=f"has {len(labels)} labels, and a box has one")
    if labels and not has_box and not says_nothing(labels[0]):
        what = (
            f"of {labels[0][:LONGEST_WORD]!r} has no corners (when the image shows nothing, no label either)"
        )
        return Rejected("bad_box", what=what)
    return None
