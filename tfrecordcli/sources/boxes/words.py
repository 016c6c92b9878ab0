"""Words for columns of boxes, and columns that hold boxes in a way that is not read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from tfrecordcli.errors import InputError

# Words for columns, lower case, without `_`, `-`, blanks.
CORNER_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "xmin": (
        "xmin",
        "x1",
        "left",
        "xtl",
        "bboxxmin",
        "bboxx1",
        "boxxmin",
        "roix1",
        "minx",
        "startx",
        "topleftx",
    ),
    "ymin": (
        "ymin",
        "y1",
        "top",
        "ytl",
        "bboxymin",
        "bboxy1",
        "boxymin",
        "roiy1",
        "miny",
        "starty",
        "toplefty",
    ),
    "xmax": (
        "xmax",
        "x2",
        "right",
        "xbr",
        "bboxxmax",
        "bboxx2",
        "boxxmax",
        "roix2",
        "maxx",
        "endx",
        "bottomrightx",
    ),
    "ymax": (
        "ymax",
        "y2",
        "bottom",
        "ybr",
        "bboxymax",
        "bboxy2",
        "boxymax",
        "roiy2",
        "maxy",
        "endy",
        "bottomrighty",
    ),
}
# Before those: beside x0 the far side is x1; pdfplumber counts `y0` from below, and `top` from above.
FROM_ZERO: Final[Mapping[str, tuple[str, ...]]] = {
    "xmin": ("x0", "x0", "bboxx0"),
    "ymin": ("top", "y0", "bboxy0"),
    "xmax": ("x1", "x1", "bboxx1"),
    "ymax": ("bottom", "y1", "bboxy1"),
}
EXTENT_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "x": ("x", "bboxx", "x1", "xmin", "left", "x0"),
    "y": ("y", "bboxy", "y1", "ymin", "top", "y0"),
    "w": ("w", "bboxwidth", "bboxw", "boxwidth", "width"),
    "h": ("h", "bboxheight", "bboxh", "boxheight", "height"),
}
# As ImageJ writes them into its table of results, where X and Y are the centroid.
IMAGEJ: Final = ("BX", "BY", "Width", "Height")
CENTER_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "x": ("xcenter", "centerx", "cx", "xc"),
    "y": ("ycenter", "centery", "cy", "yc"),
    "w": EXTENT_WORDS["w"],
    "h": EXTENT_WORDS["h"],
}
# Of circles around objects: their centres, ways in the same order, and how far they reach.
CIRCLE_CENTERS: Final[Mapping[str, tuple[str, ...]]] = {
    way: (*CENTER_WORDS[way], f"{way}centre", f"centre{way}", f"circle{way}", f"{way}0", way) for way in "xy"
}
RADII: Final = ("radius", "r", "radiuspx", "circleradius", "circler")
DIAMETERS: Final = ("diameter", "diam", "diameterpx", "circlediameter")
WHOLE_WORDS: Final = ("bbox", "boundingbox", "bboxes")
# Whose width and height a column beside boxes tells: after `width` alone, in this order.
_SIZED: Final = ("image", "img", "im", "frame", "photo", "picture")
SIZE_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    side: (side, *(f"{what}{word}" for word in (side, side[0]) for what in _SIZED))
    for side in ("width", "height")
}
# Of the page in whose points boxes are, beside pdfplumber's names of their sides.
PAGE_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    side: (f"page{side}", f"page{side[0]}") for side in ("width", "height")
}
OF_PAGES: Final = ("x0", "top", "x1", "bottom")
_ORIGINAL: Final = (
    "original", "orig", "src", "imageoriginal", "originalimage", "net", "network", "input", "model",
    "resized",
)  # fmt: skip
# Of the size in whose pixels boxes are, or of the one before or after image and boxes were resized.
ORIGINAL_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    side: tuple(f"{what}{word}" for word in (side, side[0]) for what in _ORIGINAL)
    for side in ("width", "height")
}
ATTRIBUTE_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "area": ("area",),
    "is_crowd": ("iscrowd", "crowd"),
    "difficult": ("difficult", "isdifficult"),
    "group_of": ("isgroupof", "groupof"),
    "truncated": ("truncated", "istruncated"),
    "occluded": ("occluded", "isoccluded"),
    "depiction": ("isdepiction", "depiction"),
    "view": ("view", "pose"),
}
OWN_WORDS: Final = ("tfrecunit", "tfrecsourceid")
_VIA_SHAPES: Final = "regionshapeattributes"
# Columns with all boxes of an image in one text, and of what boxes could be drawn around.
_SEVERAL_WORDS: Final = frozenset({"boxesstring", "boxstring"})
_OUTLINES: Final = frozenset({
    "encodedpixels", "rle", "maskrle", "rlemask", "segmentation", "segmentations", "polygon", "polygons",
    "xpath",
})  # fmt: skip
_CORNER: Final = re.compile(r"[xy]\d+")
BOX_ROWS: Final = "write a row for each box, as image,xmin,ymin,xmax,ymax,label"
MASKS: Final = "holds outlines or masks of objects"
OUTLINES: Final = "are of outlines or turned boxes"
WHOLE_IMAGES: Final = "--task classification takes whole images without boxes"


@lru_cache(maxsize=1024)  # many rules look through the same header
@lru_cache(maxsize=4096)  # names of columns are compared with many words
def as_word(name: str) -> str:
    """The name of a column as it is compared: lower case, without `_`, `-`, `.`, blanks and brackets."""
    return re.sub(r"[._\-\s\[\]()]", "", unicodedata.normalize("NFC", name).lower())


def columns_by_word(header: Sequence[str]) -> Mapping[str, list[int]]:
    """Names of columns as they are compared -> the columns of that name."""
    words: dict[str, list[int]] = {}
    for column, name in enumerate(header):
        words.setdefault(as_word(name), []).append(column)
    return words


def columns_called(words: Mapping[str, list[int]], names: Sequence[str]) -> Sequence[int]:
    """The columns of the first of these names that there is."""
    return next((words[name] for name in names if name in words), ())


def columns_of_sides(
    words: Mapping[str, Sequence[int]], sides: Sequence[Sequence[str]], *, are_corners: bool
) -> list[Sequence[int]]:
    """The columns of each of four sides, of which several may have a column: those that belong together.

    Beside `xmin,ymin` a single `x` is none. Where none belong together, the first name of each side counts.

    Args:
      words: columns by name.
      sides: names of each; those of near sides, and of far ones, in the same order.
      are_corners: whether all four have names in the same order.
    """
    found = _called_alike(words, sides) if are_corners else ()
    return [words.get(name, ()) for name in found or (*_pair(words, sides[:2]), *_pair(words, sides[2:]))]


def _pair(words: Mapping[str, Sequence[int]], sides: Sequence[Sequence[str]]) -> Sequence[str]:
    """The names of columns of two sides; beside others of both, width and height are those of the image."""
    first = [next((name for name in names if name in words), "") for names in sides]
    alike = _called_alike(words, sides)
    is_size = [*alike] == [*SIZE_WORDS] and all(first) and not {*first} & {*alike}
    return first if is_size else alike or first


def _called_alike(words: Mapping[str, Sequence[int]], sides: Sequence[Sequence[str]]) -> Sequence[str]:
    """The first names of the same place of which there are columns of all these sides."""
    alike = (names for names in zip(*sides, strict=True) if all(name in words for name in names))
    return next(alike, ())


def without_outlines(words: Mapping[str, list[int]]) -> Mapping[str, list[int]]:
    """The columns without those of outlines, two corners of which are no rectangle, beside the four sides.

    Raises:
      InputError: there are outlines only, or they are of a tool whose lists are not read.
    """
    if _VIA_SHAPES in words:
        raise InputError(
            "column region_shape_attributes is one of the VGG Image Annotator's CSV, which is not read",
            "export the annotations as COCO there, and convert that file",
        )
    for corners in (("x2", "y2", "x3", "y3"), ("x0", "y0", "x1", "y1", "x2", "y2")):
        if not set(corners) <= set(words):
            continue
        others = {word: columns for word, columns in words.items() if not _CORNER.fullmatch(word)}
        if all(columns_called(others, names) for names in CORNER_WORDS.values()):
            return others
        raise InputError(
            f"columns {', '.join(corners)} {OUTLINES}, which are not read",
            "write the rectangle around each into columns xmin, ymin, xmax, ymax, and leave those out; "
            f"{WHOLE_IMAGES}",
        )
    return words


def corner_columns(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns `x1`, `x2`, … of outlines, and `y1`, `y2`, …; none where they are not as many."""
    words = columns_by_word(header)
    numbers = sorted((word for word in words if _CORNER.fullmatch(word)), key=lambda word: int(word[1:]))
    x, y = ([header[i] for word in numbers if word[0] == axis for i in words[word]] for axis in "xy")
    return (x, y) if len(x) == len(y) == len(numbers) // 2 else ([], [])


def column_of_several(header: Sequence[str]) -> str:
    """The name of a column with all boxes of an image in one text; empty where there is none."""
    words = columns_by_word(header)
    return next((header[columns[0]] for word, columns in words.items() if word in _SEVERAL_WORDS), "")


def need_no_part_of_a_box(header: Sequence[str]) -> None:
    """Refuses a list that tells of boxes in columns which are not read: images must not lose them silently.

    Raises:
      InputError: three of four sides have a column; one holds several boxes or an outline in a text.
    """
    words = columns_by_word(header)
    several = column_of_several(header)
    if several:
        raise InputError(
            f"column {several} holds all boxes of an image in one text, which is not read",
            f"{BOX_ROWS}; {WHOLE_IMAGES}",
        )
    outline = next((header[columns[0]] for word, columns in words.items() if word in _OUTLINES), None)
    if outline is not None:
        raise InputError(
            f"column {outline} {MASKS}, which are not read",
            "write the rectangle around each into a row of image,xmin,ymin,xmax,ymax,label; "
            f"{WHOLE_IMAGES} or outlines",
        )
    sides = {side: columns_called(words, names) for side, names in CORNER_WORDS.items()}
    missing = [side for side, columns in sides.items() if not columns]
    if len(missing) == 1:
        known = ", ".join(header[columns[0]] for columns in sides.values() if columns)
        raise InputError(
            f"of the four sides of a box there are columns for three only ({known}): none is {missing[0]}",
            f"call that column {missing[0]}; {WHOLE_IMAGES}",
        )
