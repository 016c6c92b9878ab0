"""The VGG Image Annotator's CSV with regions, as a list of boxes: their labels are one of several attributes.

https://www.robots.ox.ac.uk/~vgg/software/via/: COCO, which it exports too, has no categories where labels
were typed as text, and none after a CSV was loaded.
"""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.boxes.columns import Extremes
from tfrecordcli.sources.boxes.unit import need_pixels, told_within_one
from tfrecordcli.sources.column_words import columns_beside_boxes, columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.source import Source, finished_source, write_rows

_HEADER: Final = (
    "filename", "file_size", "file_attributes", "region_count", "region_id", "region_shape_attributes",
    "region_attributes",
)  # fmt: skip
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
# Beside a box: the size of its image, which is not told, and the unit, by which an image has no id.
_BESIDE: Final = ("width", "height", "tfrec_unit", "tfrec_source_id")
_NONE: Final = ("", "{}")  # regions of images that show nothing
# Patterns of rows whose regions have no extent: points, and lines from one to another.
_FLAT: Final = {
    "point": '""name"": *""point""',
    "line": r'""name"": *""polyline"", *""all_points_x"": *\[[^],]*,[^],]*\]',
}
_FLAGS: Final = frozenset(("yes", "no", "true", "false", "0", "1"))


class _Region(NamedTuple):
    """A row.

    Attributes:
      image: its path.
      corners: texts of those of its box, none where it has no region; the first may be no number.
      attributes: texts of them.
      flat: the word for its region where that is no outline of anything: a point or a line.
    """

    image: str
    corners: Sequence[str]
    attributes: Mapping[str, str]
    flat: str


class _NoNumber(Exception):
    """What stands for a number of a shape, as its text."""


def has_regions(path: str, head: bytes, encoding: str) -> bool:
    """Whether a file that begins so is such a list, of which a row has a region, or which has no row."""
    if not _delimiter(re.split("[\r\n]", head.decode(encoding, "ignore"), maxsplit=1)[0]):
        return False
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
    if options.box_format not in (None, "xywh"):
        what = "regions have x, y, width and height, or are outlines, whose corners are taken"
        raise InputError(f"{name}: {what}", f"leave --box-format {options.box_format} out")
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
    is_told = options.box_unit != "auto"
    beside = ("", "", "" if is_told else "pixels", "")
    header = ["image_uri", *_SIDES, *_BESIDE, *labels]
    write_rows(spool, (_fields(each, beside, label) for each in regions), header)
    plain = replace(options, columns=tuple(columns.items()), encoding="utf-8", delimiter=",", format="auto")
    boxes = RowFile(str(spool), name, replace(plain, box_format=None), is_own=True, assumed_form="xyxy")
    source = finished_source(boxes, given, root, notes)
    if is_told:
        return source
    images = ((each.image, "") for each in regions if each.corners)
    numbers = _extremes(regions)
    need_pixels(numbers, images, source.image_root, name)
    return replace(source, doubts=(*source.doubts, *told_within_one(numbers, options.box_unit)))


def _fields(region: _Region, beside: Iterable[str], label: str) -> Iterable[str]:
    """The row of a list of boxes; ``label`` is the attribute, empty where there is none."""
    labels = [region.attributes.get(label, "")] if label else []
    return (region.image, *(region.corners or [""] * len(_SIDES)), *beside, *labels)


def _extremes(regions: Iterable[_Region]) -> Extremes:
    """The numbers of those boxes that have four."""
    numbers = Extremes()
    for region in regions:
        with suppress(ValueError):  # none, or what is no number
            left, top, right, bottom = map(float, region.corners)
            if math.isfinite(left):
                numbers.take((left, top, right, bottom))
    return numbers


def _rows(path: str, encoding: str) -> Generator[list[str], None, None]:
    """The rows of such a list, its header first; none where it is another list."""
    with open(path, newline="", encoding=encoding) as file:
        if delimiter := _delimiter(file.readline(1 << 10)):
            yield [*_HEADER]
            yield from filter(None, csv.reader(file, delimiter=delimiter, skipinitialspace=True))


def _delimiter(line: str) -> str:
    """What separates the fields of such a list by its first line; empty for that of another list."""
    header = line.removeprefix("\ufeff").lstrip("#").strip()
    delimiter = ";" if ";" in header else ","
    with suppress(csv.Error):
        if tuple(next(csv.reader([header], delimiter=delimiter), [])) == _HEADER:
            return delimiter
    return ""


def _has_region(fields: Sequence[str]) -> bool:
    return len(fields) > len(_HEADER) - 2 and fields[5].strip() not in _NONE


def _region(fields: Sequence[str], place: str) -> _Region:
    """A row.

    Raises:
      InputError: it is none of such a list.
    """
    try:
        shape = json.loads(fields[5] or "{}", parse_int=float)  # which may have any number of digits
        attributes = json.loads(fields[6] or "{}")
        corners, flat = _texts_of_corners(shape), _flat(shape)
        texts = {key: _text(value) for key, value in attributes.items()}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(f"{place}: this is no region", "correct it") from error
    return _Region(fields[0], corners, {key: text for key, text in texts.items() if text}, flat)


def _flat(shape: Mapping[str, Any]) -> str:
    """The word for a shape around which there is no box; empty for others, and a line of more points."""
    kind, points = shape.get("name"), shape.get("all_points_x")
    is_line = kind == "polyline" and isinstance(points, list) and len(points) == 2
    return "line" if is_line else "point" if kind == "point" else ""


def _texts_of_corners(shape: Mapping[str, Any]) -> Sequence[str]:
    """Texts of the corners of a shape, the first of which is what is no number; none of what is no shape."""
    try:
        return [repr(corner).removesuffix(".0") for corner in _corners(shape)] if shape else ()
    except _NoNumber as error:
        return (str(error), "0", "0", "0")  # for the first of which the row is rejected


def _corners(shape: Mapping[str, Any]) -> Sequence[float]:
    """Least and greatest x and y of a shape: a point is its own.

    Raises:
      _NoNumber: one of its numbers is none.
    """
    if "all_points_x" in shape:
        xs, ys = (tuple(map(_number, shape[f"all_points_{axis}"])) for axis in "xy")
        if not xs or len(xs) != len(ys):
            raise _NoNumber(f"{len(xs)} x and {len(ys)} y" if xs or ys else "[]")
    elif "cx" in shape:
        x, y, turn = _number(shape["cx"]), _number(shape["cy"]), _number(shape.get("theta", 0.0))
        rx, ry = (_number(shape.get(key, shape.get("r", 0.0))) for key in ("rx", "ry"))
        wide = math.hypot(rx * math.cos(turn), ry * math.sin(turn))
        high = math.hypot(rx * math.sin(turn), ry * math.cos(turn))
        xs, ys = (x - wide, x + wide), (y - high, y + high)
    else:
        x, y, width, height = (_number(shape[key]) for key in ("x", "y", "width", "height"))
        xs, ys = (x, x + width), (y, y + height)
    return min(xs), min(ys), max(xs), max(ys)


def _number(value: Any) -> float:
    """A number, or the text of one.

    Raises:
      _NoNumber: it is neither, or too large.
    """
    if not isinstance(value, bool):
        with suppress(ValueError, TypeError):
            if math.isfinite(number := float(value)):
                return number
    raise _NoNumber("null" if value is None else str(value))


def _text(value: Any) -> str:
    """The text of an attribute: several that are ticked have a sign between them."""
    if isinstance(value, dict):
        value = [key for key, is_ticked in value.items() if is_ticked]
    return "|".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _need_extents(regions: Sequence[_Region], name: str) -> None:
    """Refuses points and lines, around which there is no box.

    Raises:
      InputError: with the command that leaves their rows out, where others are left.
    """
    flat = {each.flat: n for n, each in reversed([*enumerate(regions, 2)]) if each.flat}
    if not flat:
        return
    where = f"{name}: line {min(flat.values())}: a {min(flat, key=flat.__getitem__)} has no extent"
    if all(each.flat for each in regions if each.corners):
        raise InputError(
            f"{where}, and no region has", "outline what is to be found there, by rectangles or polygons"
        )
    patterns = " ".join(f"-e {shlex.quote(_FLAT[kind])}" for kind in sorted(flat, reverse=True))
    raise InputError(where, f"leave such out: {made_by('', f'grep -av {patterns} {{name}}', name)}")


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
