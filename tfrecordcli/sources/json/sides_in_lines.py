"""JSON Lines with a box a line, whose sides are keys beside the image and the label: `{…, "links": 4, …}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.boxes.four_columns import tell_places, told_boxes
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES, as_word
from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.sources.json.cloud_lines import SAGEMAKER_IMAGE
from tfrecordcli.sources.json.line_file import MOST_UNCLEAR
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES, UNCERTAIN_BOXES
from tfrecordcli.sources.json.line_stream import lines_of
from tfrecordcli.sources.json.lines import VERTEX_IMAGE
from tfrecordcli.sources.pandas_commands import lines_as_csv
from tfrecordcli.sources.proposals.extents_by_rows import extents_by_rows
from tfrecordcli.sources.proposals.sides_by_words import refused_sides, sides_by_words

# Keys of lines that hold their boxes otherwise.
_OF_OTHERS: Final = frozenset((*PLAIN_BOXES, *UNCERTAIN_BOXES, VERTEX_IMAGE, SAGEMAKER_IMAGE))


def need_no_sides_in_lines(path: str, name: str, options: ReadOptions, root: str) -> None:
    """Refuses lines whose keys tell four sides of a box, as columns of a CSV do, which alone is read so.

    Args:
      path: of JSON Lines, or an array of their objects.
      name: as messages call it.
      root: that images are relative to.

    Raises:
      InputError: with the command that makes such a CSV.
    """
    if options.task not in ("auto", "detection"):
        return
    first = (value for _, value in lines_of(path, name, options.encoding) if isinstance(value, dict))
    columns = _columns_of([*islice(first, MOST_UNCLEAR)])
    named = dict(options.columns)
    unread = {
        key: fields
        for key, fields in columns.items()
        if key not in (*named.values(), options.split_by) and not is_asked_for(key, options.features)
    }
    if sides := _known_sides(unread):
        command = lines_as_csv(name) or "pandas.read_json reads it"
        what = f"this is a list with one box a line: it has {', '.join(sides)}"
        raise InputError(f"{name}: {what}", f"make a CSV of it: {command}; {WHOLE_IMAGES}")
    if "label" in named:
        return
    images = next((columns[key] for key in columns if key.lower() in KNOWN_COLUMNS["image_uri"]), ())
    images = columns.get(named.get("image_uri", ""), images)
    others = next(chain(sides_by_words(unread), extents_by_rows(unread, images, root)), None)
    if others:
        what, hint = refused_sides(others, [*columns], unread, name, "")
        raise InputError(f"{name}: {what.replace('columns', 'keys')}", hint)


def _columns_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Keys of texts and numbers alone -> the field of each line, as a CSV has it; none beside other boxes."""
    keys = dict.fromkeys(key for line in lines for key in line)
    if not _OF_OTHERS.isdisjoint(chain(keys, map(str.lower, keys))):
        return {}
    return {key: [*map(_as_field, values)] for key in keys if _are_plain(values := [*_values(lines, key)])}


def _values(lines: Iterable[Mapping[str, Any]], key: str) -> Iterable[Any]:
    return (line.get(key) for line in lines)


def _are_plain(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, (str, int, float)) for value in values)


def _as_field(value: str | float | None) -> str:
    return "" if value is None else str(value)


def _known_sides(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Keys that are called and filled as the sides of boxes in a CSV, or the first one alone."""
    header = [*columns]
    with suppress(InputError):
        boxes = find_box_columns(header)
        names = [header[i] for i in boxes.corners] if boxes is not None else []
        told = told_boxes([columns[key] for key in names]) if names else []
        if any(tell_places([box]) for box in told if box):
            return names
    return [key for key in header if as_word(key) == "xmin"][:1]
