"""A list of an image and eight numbers whose names tell nothing, which are the corners of an object."""

from __future__ import annotations

from tfrecordcli.sources.boxes.four_corners import are_four_corners
from tfrecordcli.sources.boxes.in_text import rectangles_around
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.proposals.image_columns import proposed_image
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns


def four_corners_hint(unread: Unread) -> str:
    """The command that writes the rectangle around these corners; empty where columns are others."""
    header, table, given = unread.header, unread.table, given_columns(unread.options)
    image = proposed_image(header, table, given)
    if unread.options.task not in ("auto", "detection") or not image or "label" in dict(given):
        return ""
    names = [name for name in header if name != image]
    columns = [column_of(table, i) for i, name in enumerate(header) if name != image]
    if len({*map(len, columns)}) != 1 or not are_four_corners(columns):
        return ""
    command = rectangles_around(names[::2], names[1::2], unread.name, unread.delimiter)
    made = f": {command}, and convert that with {columns_option([('image_uri', image)])}" if command else ""
    return f"where the eight numbers are four corners, write the rectangle around each{made}"
