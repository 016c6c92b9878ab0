"""Boxes whose numbers are all a word for no value, as databases and pandas write it: not read, but mended."""

from __future__ import annotations

from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.numbered import is_null
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import plural

_PART: Final = 10  # one row of so many, from which on they are no slip


def need_no_nulls(sample: Sample, rows: RowFile) -> None:
    """Refuses such rows where they are many: they would be rejected, and are images that show nothing.

    Raises:
      InputError: with the command that leaves these numbers empty, and their label where it is such a word.
    """
    shape = sample.shape
    if shape.boxes is None or len(shape.boxes.corners) != 4 or not shape.header:
        return
    corners = shape.boxes.corners
    found = [
        boxes
        for fields in sample.table
        if max(corners) < len(fields) and _are_nulls(boxes := [fields[i] for i in corners])
    ]
    if not found or len(found) * _PART < len(sample.table):
        return
    labels = {fields[i] for fields in sample.table for i in shape.labels if i < len(fields)}
    words = sorted(
        {word for boxes in found for word in boxes} | {each for each in labels if _are_nulls([each])}
    )
    sides = ", ".join(literal(shape.header[i]) for i in corners)
    named = ", ".join(literal(shape.header[i]) for i in (*corners, *shape.labels))
    change = (
        f"v = [{', '.join(map(literal, words))}]; k = [{named}]; b = t[[{sides}]].isin(v).all(axis=1); "
        't.loc[b, k] = t.loc[b, k].where(~t.loc[b, k].isin(v), ""); t'
    )
    command = changed(rows.name, shape.delimiter, change, "without-nulls") if rows.tells_lines else ""
    raise InputError(
        f"each number of a box is {found[0][0]} in {plural(len(found), 'row')}, as databases write no value",
        f"where their images show nothing, leave these fields empty{': ' * bool(command)}{command}",
    )


def _are_nulls(fields: list[str]) -> bool:
    return all(map(is_null, fields))
