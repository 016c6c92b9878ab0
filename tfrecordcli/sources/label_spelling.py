"""Labels that differ in case, blanks or the composing of letters only: how they become one."""

from __future__ import annotations

import codecs
import os

from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.in_text import beside, changed, literal
from tfrecordcli.sources.csv_file import RowFile


def one_spelling(rows: RowFile, *, several: bool) -> str:
    """What makes labels one that look alike: of a CSV the command, else words.

    Args:
      rows: of the list.
      several: whether some have several labels, as fields behind the last column are further ones.
    """
    if rows.is_listing:
        return "where they are one class, give their folders one name"
    options = rows.options
    are_several = several or options.label_separator is not None or options.one_hot or rows.reading.lists
    is_named = are_several or options.label_names is not None
    shape = rows.shape()
    is_utf_8 = codecs.lookup(options.encoding).name in ("utf-8", "utf-8-sig", "ascii")
    is_plain = not (rows.is_spooled or is_named) and is_utf_8 and os.path.isfile(rows.name)
    if not is_plain or not shape.header or len(shape.labels) != 1 or len({*shape.header}) < len(shape.header):
        return "where they are one class, write it one way in the source"
    change = (
        f"c = {literal(shape.header[shape.labels[0]])}; "
        'k = t[c].str.normalize("NFC").str.casefold().str.split().str.join(" "); '
        "t[c] = t[c].groupby(k).transform(lambda s: s.mode()[0]); t"
    )
    command = changed(rows.name, shape.delimiter, change, "one-spelling")
    target = command_line([beside(rows.name, "one-spelling")])
    return f"where they are one class, write the more frequent: {command}; then convert {target}"
