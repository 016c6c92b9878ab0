"""The unit of the boxes of a list, by all of its numbers; percents are told by images that are far larger."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from tfrecordcli.boxes import Unit, parts_of, texts_of_image
from tfrecordcli.errors import InputError, TfrecError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import SURELY_PIXELS, Extremes
from tfrecordcli.sources.boxes.fit import FixedSize
from tfrecordcli.storage.reading import read_image
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural

LOOKED_AT: Final = 8  # images whose size is asked for
# Beyond this a number is of pixels: percents end at 100, and drawing is not exact.
MOST_PERCENT: Final = 101.0
# Of this many boxes some end near the far side of their image: at about 100 where numbers are percents.
SOME_BOXES: Final = 10
LIKE_PERCENTS: Final = 80.0
# Kinds of lists that are defined in pixels are doubted only where boxes end closer to 100: logos and time
# stamps fill a corner of every image.
_SURELY_LIKE_PERCENTS: Final = 90.0
# Fewer boxes may all be in a corner of their images by chance, and say less.
_FEWEST_BOXES: Final = 3
SIDE: Final = 200  # pixels: boxes that end at 100 leave three quarters of such an image empty
_SIDE_OF_FEW: Final = 400
_MOST_BYTES: Final = 64 << 20

_Image = tuple[str, str]  # its path or URL, and what `tfrecordcli.boxes` has of its boxes


def unit_of(numbers: Extremes, images: Iterable[_Image], root: str, name: str) -> tuple[Unit, list[str]]:
    """The unit of all boxes, and what is said of it.

    Args:
      numbers: of all boxes.
      images: the first of the list.
      root: absolute folder or URL that relative paths are relative to.
      name: of the list, for messages.

    Raises:
      InputError: the numbers can be of two units.
    """
    unit = numbers.unit(name)
    what = "pixels" if unit == "pixels" else "fractions of the image's size"
    said = f"coordinates of boxes are {what}, by the numbers of the whole list"
    if unit == "pixels" and numbers.most <= MOST_PERCENT and numbers.count >= _FEWEST_BOXES:
        _need_no_percents(numbers, images, root, name)
        if numbers.most >= LIKE_PERCENTS and numbers.count >= SOME_BOXES:
            said += "; none is above 100: --box-unit percent takes them so"
    return unit, [said]


def told_within_one(numbers: Extremes, asked: str) -> Iterator[str]:
    """That boxes which are taken to be in pixels are smaller than one, as boxes in fractions are.

    Args:
      asked: the value of --box-unit.
    """
    share = f"{numbers.within_one:,} of {plural(numbers.count, 'box', 'boxes')}"
    if asked == "pixels" and numbers.are_of_two_units():
        yield (
            f"--box-unit pixels: {share} lie within the first pixel of their image, and have numbers as "
            "fractions have: these need --box-unit fractions, in a list of their own"
        )
    elif asked == "auto" and numbers.within_one and numbers.most > SURELY_PIXELS:
        yield (
            f"{share} {'lies' if numbers.within_one == 1 else 'lie'} within the first pixel of the image: in "
            "a list of pixels, numbers from 0 to 1 may be fractions"
        )


def need_pixels(numbers: Extremes, images: Iterable[_Image], root: str, name: str) -> None:
    """Refuses boxes of a list whose kind has pixels, where their numbers look like fractions or percents.

    Whole numbers up to 100 are taken for the pixels that such lists have, as are those that end well before.

    Args:
      numbers, images, root, name: as of `unit_of`.

    Raises:
      InputError: with the options that settle it.
    """
    if not numbers.has_fraction:
        return
    numbers.need_one_unit(name)
    if numbers.most <= 1:
        what = "no number of a box is above 1: such lists have pixels, these look like fractions of the image"
        raise InputError(f"{name}: {what}", "--box-unit fractions takes them so, --box-unit pixels as pixels")
    if _SURELY_LIKE_PERCENTS <= numbers.most <= MOST_PERCENT and numbers.count >= SOME_BOXES:
        _need_no_percents(numbers, images, root, name)


def _need_no_percents(numbers: Extremes, images: Iterable[_Image], root: str, name: str) -> None:
    """Refuses numbers that end at 100 where all images looked at are far larger."""
    sizes = [size for _, size in sizes_of(images, root)]
    least = min(sizes, key=min, default=(0, 0))
    if min(least) >= (SIDE if numbers.count >= SOME_BOXES else _SIDE_OF_FEW):
        what = (
            f"no box reaches beyond {numbers.most:g}, and images have {least[0]} x {least[1]} pixels and more"
        )
        hint = "say which: --box-unit percent or --box-unit pixels"
        raise InputError(f"{name}: {what}: it is not certain whether boxes are percents or pixels", hint)


def listed_size(boxes: str) -> tuple[int, int] | None:
    """Width and height of an image as `tfrecordcli.boxes` has them; None: its list has not."""
    listed = texts_of_image(parts_of(boxes)[0])[:2] if boxes else ("", "")
    sides = [float(side) for side in listed if side]
    if len(sides) != 2:
        return None
    width, height = (int(side) if math.isfinite(side) else 0 for side in sides)
    return width, height


def sizes_of(images: Iterable[_Image], root: str) -> Iterator[tuple[_Image, tuple[int, int]]]:
    """The first images of a list that can be read here, with width and height; a few are tried, each once.

    A store or host that fails once is not asked again: each try may take seconds.
    """
    failed: set[str] = set()
    for image in islice(_first_of_each(images), LOOKED_AT):
        host = "/".join((image[0] if is_remote(image[0]) else root).split("/", 3)[:3])
        if host in failed:
            continue
        try:
            size = _size_of(image, root)
        except TfrecError:
            failed.add(host)
            continue
        if size is not None:
            yield image, size


def _first_of_each(images: Iterable[_Image]) -> Iterator[_Image]:
    """The first entry of each image: a list may have one for each of its boxes."""
    met: set[str] = set()
    for image in images:
        if image[0] not in met:
            met.add(image[0])
            yield image


def size_of_image(image: _Image, root: str) -> tuple[int, int] | None:
    """Width and height of an image: as listed, else of its file; None for one that cannot be read here."""
    try:
        return _size_of(image, root)
    except TfrecError:
        return None


def size_of_file(uri: str, root: str) -> tuple[int, int] | None:
    """Width and height of an image, whatever its list says; None for one that cannot be read here."""
    try:
        return _size_of((uri, ""), root)
    except TfrecError:
        return None


def _size_of(image: _Image, root: str) -> tuple[int, int] | None:
    """As `size_of_image`; raises as `read_image` does where no image is to blame."""
    uri, boxes = image
    listed = listed_size(boxes)
    if listed is not None:
        return listed
    # Loads NumPy, which whoever plans can do without.
    from tfrecordcli.images.size import may_be_turned, read_size

    try:
        data = read_image(uri, root, _MOST_BYTES)
        _, height, width = read_size(data)
        return (width, height) if may_be_turned(data) else FixedSize((width, height))
    except Rejected:
        return None
