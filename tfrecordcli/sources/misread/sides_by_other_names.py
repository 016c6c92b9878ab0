"""Four columns of a box whose names are not read: rows and columns, a corner and steps, other languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.four_columns import are_corners, have_extent
from tfrecordcli.sources.boxes.sides import likely_corners, likely_sides
from tfrecordcli.sources.boxes.words import (
    CORNER_WORDS,
    WHOLE_IMAGES,
    as_word,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.extents_by_rows import extents_by_rows
from tfrecordcli.sources.proposals.sides_by_words import (
    EXTENT,
    called_so,
    four_called,
    refused_sides,
    sides_by_words,
)
from tfrecordcli.sources.sample import Sample

_SOME: Final = 5  # arrows point anywhere: so many that all point down to the right are boxes
_SOME_IMAGES: Final = 2  # with several places: one may be listed again by mistake
# Of the size of a box beside its beginning.
_STEPS: Final = (
    ("dx", "dy"), ("deltax", "deltay"), ("xsize", "ysize"), ("sizex", "sizey"), ("xlen", "ylen"),
    ("lengthx", "lengthy"), ("xlength", "ylength"), ("xwidth", "yheight"),
)  # fmt: skip
# pandas writes `_x` and `_y` behind names that two tables have.
_JOINED: Final = (("widthy", "heighty"), ("widthx", "heightx"), ("wy", "hy"), ("wx", "hx"))


def need_no_rows_and_columns(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses four columns not read, called as scikit-image or German calls sides: `min_row`, …; `links`, ….

    So it does two corners that may be of an arrow by their names, where each begins before it ends.

    Raises:
      InputError: with the command that calls them as corners are called.
    """
    unread = _unread(sample, rows)
    by_rows = extents_by_rows(unread, sample.fields(sample.shape.image or 0), root)
    if sides := next(chain(sides_by_words(unread), by_rows), None):
        raise InputError(*refused_sides(sides, *_place(sample, unread, rows)))
    names = likely_corners([*unread])
    if len(four_called(unread, [*map(as_word, names)], are_corners)[1]) >= _SOME:
        raise InputError(
            f"columns {', '.join(names)} look like two corners of a box, and none of them is read",
            f"--task detection reads them; {WHOLE_IMAGES}",
        )


def need_no_steps(sample: Sample, rows: RowFile) -> None:
    """Refuses `x,y,dx,dy` that hold boxes where `y` is taken for the label, for want of a better one.

    Raises:
      InputError: with the command that calls them as an extent is called.
    """
    labels = [sample.shape.header[i] for i in sample.shape.labels if sample.shape.header]
    if [*map(as_word, labels)] != ["y"]:
        return
    unread = _unread(sample, rows)
    columns = {**unread, labels[0]: sample.fields(sample.shape.labels[0])}
    if sides := next(_sides_by(_STEPS, columns), None):
        raise InputError(*refused_sides(sides, *_place(sample, unread, rows)))


def need_no_objects(sample: Sample, rows: RowFile) -> None:
    """Refuses four columns not read that may be boxes by their names and are others in rows of an image.

    Raises:
      InputError: with what reads them.
    """
    unread = _unread(sample, rows)
    sides = likely_sides([*unread])
    if sides and _differ_in_images(sample, sides):
        raise InputError(
            f"columns {', '.join(sides)} tell several places in an image, and none of them is read",
            f"--task detection reads them as boxes; {WHOLE_IMAGES}",
        )
    steps = next(_sides_by(_STEPS, unread), None)
    if steps and _differ_in_images(sample, [*steps]):
        raise InputError(*refused_sides(steps, *_place(sample, unread, rows)))


def _differ_in_images(sample: Sample, names: Sequence[str]) -> bool:
    """Whether rows of two images and more have other fields in these columns."""
    image = sample.shape.header[sample.shape.image or 0]
    places: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for name, *fields in sample.parts([image, *names]):
        places[name].add(tuple(fields))
    return sum(len(each) > 1 for each in places.values()) >= _SOME_IMAGES


def told_steps(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That four columns which are not read may be where a box begins and how far it reaches, or its sides."""
    unread = _unread(sample, rows)
    for sides in (*sides_by_words(unread), *_sides_by((*_STEPS, *_JOINED), unread)):
        command = called_so(sides, *_place(sample, unread, rows))
        yield f"columns {', '.join(sides)} may be boxes, and are not read: if they are, {command}"


def _sides_by(
    steps: Iterable[tuple[str, str]], columns: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, str]]:
    """Four columns that say where a box begins and how far it reaches -> what they are to be called.

    Args:
      steps: names of its width and height.
      columns: names of those that may be such -> the field of each row.
    """
    words = columns_by_word([*columns])
    begins = [
        next((word for word in (side[0], *CORNER_WORDS[side]) if columns_called(words, [word])), "")
        for side in ("xmin", "ymin")
    ]
    found = [four_called(columns, (*begins, *names), have_extent) for names in steps]
    # Of two sizes that of the image is the larger one.
    likely = sorted(filter(all, found), key=lambda some: sum(sum(box[2:]) for box in some[1]))
    for names, _ in likely[:1]:
        yield dict(zip(names, EXTENT, strict=True))


def _place(
    sample: Sample, unread: Collection[str], rows: RowFile
) -> tuple[Sequence[str], Collection[str], str, str]:
    """What the command that renames columns is told of their list."""
    return sample.shape.header, unread, rows.name, sample.shape.delimiter


def _unread(sample: Sample, rows: RowFile) -> dict[str, list[str]]:
    """The columns that nothing is made of, by their names."""
    options = rows.options
    return sample.unread(lambda name: name != options.split_by and not is_asked_for(name, options.features))
