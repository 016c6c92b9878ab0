"""Circles around objects, by centre and radius: what is read are boxes, such as the squares around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.fit import fits
from tfrecordcli.sources.boxes.unit import sizes_of
from tfrecordcli.sources.boxes.words import (
    BOX_ROWS,
    CIRCLE_CENTERS,
    DIAMETERS,
    RADII,
    WHOLE_IMAGES,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.points import squares_around
from tfrecordcli.sources.sample import Sample


class _Circle(NamedTuple):
    """What a row says of one: of its ``radius``, or of its diameter if that is what the column has."""

    image: str
    x: float
    y: float
    radius: float
    labels: tuple[str, ...]


class _Circles(NamedTuple):
    """Names of three columns, and the circles of the rows that have one."""

    names: Sequence[str]
    is_diameter: bool
    found: Sequence[_Circle]


def need_no_circles(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses rows of which several have circles in one image, so that they tell of objects.

    Raises:
      InputError: with the command that writes the square around each, and what takes whole images.
    """
    circles = None if rows.options.multi_label else _circles_in(sample, rows, root)
    if circles is not None and len({each.image for each in circles.found}) < len({*circles.found}):
        names = ", ".join(circles.names)
        raise InputError(
            f"columns {names} are circles around objects, several in an image, which are not read",
            f"{_as_squares(circles, sample, rows)}; {WHOLE_IMAGES}",
        )


def told_circles(sample: Sample, rows: RowFile, root: str) -> Iterator[str]:
    """That each image may have one circle around an object."""
    circles = _circles_in(sample, rows, root)
    if circles is not None:
        names = ", ".join(circles.names)
        how = _as_squares(circles, sample, rows)
        yield f"columns {names} may be circles around objects, and are not read: if they are, {how}"


def _circles_in(sample: Sample, rows: RowFile, root: str) -> _Circles | None:
    """The circles that three columns tell, whose centres lie in their images; None: they do not."""
    shape, options = sample.shape, rows.options
    if shape.image is None or options.task != "auto" or rows.is_spooled:
        return None
    words = columns_by_word(shape.header)
    radii = RADII if not {"g", "b"} <= words.keys() else tuple(word for word in RADII if word != "r")
    x, y = (columns_called(words, CIRCLE_CENTERS[way]) for way in "xy")
    radius = columns_called(words, (*radii, *DIAMETERS))
    if not all(len(columns) == 1 for columns in (x, y, radius)):
        return None
    columns = [*x, *y, *radius]
    names = [shape.header[column] for column in columns]
    if options.split_by in names or any(is_asked_for(name, options.features) for name in names):
        return None
    labels = [shape.header[column] for column in shape.labels]
    told = [row for row in sample.parts([shape.header[shape.image], *names, *labels]) if any(row[1:4])]
    if not told or not all(NUMBER.fullmatch(field) for field in chain(*(row[1:4] for row in told))):
        return None
    found = [_Circle(image, float(x), float(y), float(r), tuple(rest)) for image, x, y, r, *rest in told]
    are_inside = all(min(each.x, each.y) >= 0 and each.radius > 0 for each in found) and _fit(found, root)
    return _Circles(names, not columns_called(words, radii), found) if are_inside else None


def _fit(found: Sequence[_Circle], root: str) -> bool:
    """Whether all centres lie in their images, as far as these are here; places on a map do not."""
    if _are_fractions(found):
        return True
    uris = dict.fromkeys(each.image for each in found)
    sizes = {uri: size for (uri, _), size in sizes_of(((uri, "") for uri in uris), root)}
    return all(
        fits(each.x, each.y, sizes[each.image]) and each.radius <= max(sizes[each.image])
        for each in found
        if each.image in sizes
    )


def _are_fractions(found: Sequence[_Circle]) -> bool:
    return all(max(each.x, each.y, each.radius) <= 1 for each in found)


def _as_squares(circles: _Circles, sample: Sample, rows: RowFile) -> str:
    """The command that writes the sides of the square around each circle in place of it."""
    if _are_fractions(circles.found):
        return BOX_ROWS  # a radius is no fraction of width and height both
    names, delimiter = circles.names, sample.shape.delimiter
    return squares_around(names, rows.name, delimiter, is_diameter=circles.is_diameter)
