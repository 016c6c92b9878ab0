"""The VGG Image Annotator's CSV with regions, as a list of boxes: their labels are one of several attributes.

https://www.robots.ox.ac.uk/~vgg/software/via/: COCO, which it exports too, has no categories where labels
were typed as text, and none after a CSV was loaded.
"""

from __future__ import annotations

import csv
import json
import math
import shlex
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import columns_beside_boxes, columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.source import Source, finished_source, write_rows

_HEADER: Final = (
    "filename", "file_size", "file_attributes", "region_count", "region_id", "region_shape_attributes",
    "region_attributes",
)  # fmt: skip
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_NONE: Final = ("", "{}")  # regions of images that show nothing
_POINT: Final = '""name"": *""point""'
_FLAGS: Final = frozenset(("yes", "no", "true", "false", "0", "1"))


class _Region(NamedTuple):
    """A row: its image, the corners of its box, none where it has no region, and texts of its attributes."""

    image: str
    corners: Sequence[float]
    attributes: Mapping[str, str]


def has_regions(path: str, encoding: str) -> bool:
    """Whether a file is such a list, of which a row has a region, or which has no row."""
    with suppress(UnicodeError, csv.Error), closing(_rows(path, encoding)) as rows:
        if next(rows, None) is None:
            return False
        first = next(rows, None)
        return first is None or _has_region(first) or any(map(_has_region, rows))
    return False


def source_of_regions(
    path: str, name: str, options: ReadOptions, spool: Path, given: str, root: str
) -> Source:
    """The source of such a list; as `source_of_list` has its arguments.

    Raises:
      InputError: a region is no box, or nothing tells which attribute is the label.
    """
    try:
        with closing(_rows(path, options.encoding)) as rows:
            next(rows)
            regions = [_region(fields, f"{name}: line {line}") for line, fields in enumerate(rows, 2)]
    except (UnicodeError, csv.Error) as error:
        raise InputError(f"{name}: {error}", "save it as CSV in UTF-8") from error
    _need_extents(regions, name)
    columns = dict(options.columns)
    columns.pop("image_uri", None)
    label, notes = _label_of(regions, columns.pop("label", ""), name)
    labels = ["label"] if label else []
    write_rows(spool, (_fields(each, label) for each in regions), ["image_uri", *_SIDES, *labels])
    plain = replace(options, columns=tuple(columns.items()), encoding="utf-8", delimiter=",", format="auto")
    return finished_source(RowFile(str(spool), name, plain, is_own=True), given, root, notes)


def _fields(region: _Region, label: str) -> Iterable[str]:
    """The row of a list of boxes; ``label`` is the attribute, empty where there is none."""
    labels = [region.attributes.get(label, "")] if label else []
    corners = map(str, region.corners) if region.corners else [""] * len(_SIDES)
    return (region.image, *corners, *labels)


def _rows(path: str, encoding: str) -> Generator[list[str], None, None]:
    """The rows of such a list, its header first; none where it is another list."""
    with open(path, newline="", encoding="utf-8-sig" if encoding == "utf-8" else encoding) as file:
        header = file.readline(1 << 10).lstrip("#").strip()
        delimiter = ";" if ";" in header else ","
        if tuple(next(csv.reader([header], delimiter=delimiter), [])) == _HEADER:
            yield [*_HEADER]
            yield from filter(None, csv.reader(file, delimiter=delimiter, skipinitialspace=True))


def _has_region(fields: Sequence[str]) -> bool:
    return len(fields) > len(_HEADER) - 2 and fields[5].strip() not in _NONE


def _region(fields: Sequence[str], place: str) -> _Region:
    """A row.

    Raises:
      InputError: it is none of such a list.
    """
    try:
        shape, attributes = (json.loads(field or "{}") for field in fields[5:7])
        corners = _corners(shape)
        texts = {key: _text(value) for key, value in attributes.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"{place}: this is no region", "correct it") from error
    return _Region(fields[0], corners, {key: text for key, text in texts.items() if text})


def _corners(shape: Mapping[str, Any]) -> Sequence[float]:
    """Least and greatest x and y of a shape: a point is its own, what is no shape has none."""
    if not shape:
        return ()
    if "all_points_x" in shape:
        xs, ys = shape["all_points_x"], shape["all_points_y"]
    elif "cx" in shape:
        turn = float(shape.get("theta", 0))
        rx, ry = (float(shape.get(key, shape.get("r", 0))) for key in ("rx", "ry"))
        wide = math.hypot(rx * math.cos(turn), ry * math.sin(turn))
        high = math.hypot(rx * math.sin(turn), ry * math.cos(turn))
        xs, ys = (shape["cx"] - wide, shape["cx"] + wide), (shape["cy"] - high, shape["cy"] + high)
    else:
        xs, ys = ((shape[key], shape[key] + shape[size]) for key, size in (("x", "width"), ("y", "height")))
    return min(xs), min(ys), max(xs), max(ys)


def _text(value: Any) -> str:
    """The text of an attribute: several that are ticked have a sign between them."""
    if isinstance(value, dict):
        value = [key for key, is_ticked in value.items() if is_ticked]
    return "|".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _need_extents(regions: Sequence[_Region], name: str) -> None:
    """Refuses points, around which there is no box.

    Raises:
      InputError: with the command that leaves their rows out.
    """
    points = [n for n, each in enumerate(regions, 2) if each.corners and each.corners[:2] == each.corners[2:]]
    if points:
        without = made_by("", f"grep -v {shlex.quote(_POINT)} {{name}}", name)
        raise InputError(f"{name}: line {points[0]}: a point has no extent", f"leave such out: {without}")


def _label_of(regions: Sequence[_Region], asked: str, name: str) -> tuple[str, list[str]]:
    """(the attribute that is the label, notes); empty where regions have none.

    Raises:
      InputError: several may be it, or it is not the one that was asked for.
    """
    texts: dict[str, set[str]] = {}
    for key, text in chain.from_iterable(each.attributes.items() for each in regions if each.corners):
        texts.setdefault(key, set()).add(text)
    found = [asked] if asked in texts else _likely(texts)
    ways = " or ".join(columns_option([("label", key)]) for key in texts)
    if asked and asked not in texts:
        raise InputError(f"{name}: no region has the attribute {asked}", ways or "leave --columns out")
    if len(found) > 1:
        raise InputError(f"{name}: regions have several attributes that may be the label", ways)
    label, others = "".join(found), ", ".join(key for key in texts if key not in found)
    if not others or asked:
        return label, []
    another = columns_option([("label", "NAME")])
    return label, [
        f"labels are the attribute {label} of regions; not used: {others} ({another} takes another)"
    ]


def _likely(texts: Mapping[str, Set[str]]) -> list[str]:
    """The attributes that may be the label: one that is called so and tells regions apart, else all that do.

    Yes and no do not.
    """
    telling = [key for key in texts if len(texts[key]) > 1 and not {*map(str.lower, texts[key])} <= _FLAGS]
    known = []
    with suppress(InputError):  # several could be it
        known = [key for purpose, key in columns_beside_boxes([*texts], set(), ()) if purpose == "label"]
    if known and (known[0] in telling or not telling):
        return known
    return [*known, *telling] or [*texts]
