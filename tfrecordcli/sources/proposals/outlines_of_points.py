"""What is proposed for lists with outlines of points in a field, beside what else may be learned of them."""

from __future__ import annotations

from tfrecordcli.sources.boxes.in_text import shown
from tfrecordcli.sources.boxes.points_in_text import around_points, holds_outlines
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.proposals.columns import choice, propose_for
from tfrecordcli.sources.proposals.image_columns import proposed_image
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns


def outlines_hint(unread: Unread) -> str:
    """The command for the boxes around them, and options for whole images; empty where there are none."""
    header, table = unread.header, unread.table
    columns = {name: [*filter(str.strip, column_of(table, i))] for i, name in enumerate(header) if name}
    found = [name for name, fields in columns.items() if fields and all(map(holds_outlines, fields))]
    if not found:
        return ""
    column, field = found[0], columns[found[0]][0]
    around = around_points(column, field, unread.name, unread.delimiter)
    others = ["" if name in found else name for name in header]
    given = given_columns(unread.options)
    whole = propose_for(unread, others, given)
    what = f"column {column} holds outlines of objects, as {shown(field)}: {around}"
    if not whole:
        return f"{what}; {WHOLE_IMAGES}"
    image = proposed_image(others, table, given)
    of_labels = whole[0].kind == "label" and whole[0].has_label
    how = whole[0].options if of_labels or not image else columns_option([("image_uri", image)])
    return f"{what}, and convert that with {how}; {choice(whole)} takes whole images"
