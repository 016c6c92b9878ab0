"""Labels as a list has them, and the commands that write them otherwise: one spelling, no point, nothing."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import beside, changed, literal
from tfrecordcli.sources.sample import sample_of
from tfrecordcli.sources.text_encoding import is_utf_8


def one_spelling(rows: RowFile, *, several: bool) -> str:
    """What makes labels one that look alike: of a CSV the command, else words.

    Args:
      rows: of the list.
      several: whether some have several labels, as fields behind the last column are further ones.
    """
    if rows.is_listing:
        return "where they are one class, give their folders one name"
    column = "" if several else _column_of_labels(rows)
    if not column:
        return "where they are one class, write it one way in the source"
    change = (
        f"c = {literal(column)}; "
        'k = t[c].str.normalize("NFKC").str.casefold().str.split().str.join(" "); '
        "t[c] = t[c].groupby(k).transform(lambda s: s.mode()[0]); t"
    )
    command = changed(rows.name, rows.shape().delimiter, change, "one-spelling")
    target = command_line([beside(rows.name, "one-spelling")])
    return f"where they are one class, write the more frequent: {command}; then convert {target}"


def without_points(lists: Sequence[RowFile], names: Collection[str]) -> str:
    """What takes the final point off such labels: the command for each list that has them, else words.

    Args:
      lists: that become one dataset.
      names: all of its labels that end in a point.
    """
    commands = []
    for rows in lists:
        column = _column_of_labels(rows)
        if not column or (len(lists) > 1 and {*names}.isdisjoint(_first_labels(rows))):
            continue
        change = f't[{literal(column)}] = t[{literal(column)}].str.strip().str.removesuffix("."); t'
        command = changed(rows.name, rows.shape().delimiter, change, "without-points")
        target = command_line([beside(rows.name, "without-points")])
        commands.append(f"{command}; then convert {target} in the place of {command_line([rows.name])}")
    return f"take it off: {'; '.join(commands)}" if commands else "take it off in the source"


def emptied(rows: RowFile, names: Sequence[str], *, several: bool) -> str:
    """The command that leaves fields of these labels empty, and what to convert then; empty where none does.

    Args:
      rows: of the list.
      several: whether some have several labels.
    """
    column = "" if several else _column_of_labels(rows)
    if not column:
        return ""
    change = (
        f'c = {literal(column)}; t[c] = t[c].str.strip().replace([{", ".join(map(literal, names))}], ""); t'
    )
    command = changed(rows.name, rows.shape().delimiter, change, "emptied")
    return f"{command}; convert {command_line([beside(rows.name, 'emptied')])}" if command else ""


def filled(rows: RowFile, *, several: bool) -> str:
    """How a word is written into empty fields of the labels of a list, and what to convert then; or empty.

    Args:
      rows: of the list.
      several: whether some have several labels.
    """
    column = "" if several else _column_of_labels(rows)
    change = f'c = {literal(column)}; t[c] = t[c].where(t[c].str.strip() != "", sys.argv[1]); t'
    of_list = rows.name, rows.shape().delimiter
    command = changed(*of_list, change, "filled", modules="sys, pandas as pd") if column else ""
    if not command:
        return ""
    target = command_line([beside(rows.name, "filled")])
    return (
        f"where an empty {column} is a class of its own, write a word for it in place of WORD: "
        f"{command} WORD; convert {target}"
    )


def parted(rows: RowFile, origins: str, beside_labels: str, *, several: bool) -> str:
    """The command that parts what images come from from the labels of a list; empty where there is none.

    Args:
      rows: of the list.
      origins, beside_labels: patterns of the words of labels that tell it, and of all that are left out.
      several: whether some have several labels.
    """
    column = "" if several else _column_of_labels(rows)
    if not column or "origin" in rows.shape().header:
        return ""
    change = (
        f"c = {literal(column)}; s = t[c].str.strip().str.split(sys.argv[1], regex=True); "
        't["origin"] = s.map(lambda d: next((p for p in d if re.fullmatch(sys.argv[2], p)), "")); '
        't[c] = s.map(lambda d: "_".join(p for p in d if not re.fullmatch(sys.argv[3], p))); t'
    )
    command = changed(rows.name, rows.shape().delimiter, change, "parted", modules="re, sys, pandas as pd")
    words = command_line(["[_. -]+", origins, beside_labels])
    target = command_line([beside(rows.name, "parted")])
    return f"{command} {words}; convert {target} with --split-by origin" if command else ""


def _first_labels(rows: RowFile) -> list[str]:
    sample = sample_of(rows)
    return sample.fields(sample.shape.labels[0])


def _column_of_labels(rows: RowFile) -> str:
    """The column of a CSV that holds nothing but one label of each row, so that a command may change it."""
    options = rows.options
    are_several = options.label_separator is not None or options.one_hot or rows.reading.lists
    is_plain = not (rows.is_listing or rows.is_spooled or are_several or options.label_names is not None)
    if not (is_plain and is_utf_8(options.encoding) and os.path.isfile(rows.name)):
        return ""
    shape = rows.shape()
    if len(shape.labels) != 1 or len({*shape.header}) < len(shape.header):
        return ""
    return shape.header[shape.labels[0]]
