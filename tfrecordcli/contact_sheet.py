"""A contact sheet: thumbnails with their boxes and labels, drawn as one PNG."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from tfrecordcli.errors import OutputError, UsageError
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.writing import write_whole, writing_to

# Stands in a sheet's first bytes, so that it can be told from other images.
_MARK: Final = "tfrec contact sheet"
_HEAD: Final = 256

# Pixels.
_THUMBNAIL: Final = 176
_CAPTION: Final = 44
_GAP: Final = 14
_MARGIN: Final = 24
_HEADER: Final = 78
_PADDING: Final = 8  # of a card
_RADIUS: Final = 8

_MAX_COLUMNS: Final = 8

_PAPER, _CARD, _EDGE = "#f3f4f6", "#ffffff", "#dfe2e7"
_INK, _FAINT, _EMPTY = "#1b1f24", "#6b7280", "#eceef1"
# Of boxes, apart from each other and from most photos.
_COLOURS: Final = ("#e6194b", "#ffe119", "#4363d8", "#f58231", "#42d4f4", "#f032e6", "#bfef45", "#3cb44b")
_MAX_BOXES: Final = 200  # of a thumbnail that are drawn
_MAX_LINES: Final = 9  # in the place of a thumbnail
_LEAST_LABELLED: Final = 24  # pixels of a box that has room for a label

_Font = ImageFont.ImageFont | ImageFont.FreeTypeFont
_Point = tuple[int, int]

# Width and height in pixels that an image needs to make a sharp thumbnail.
ENOUGH: Final = (2 * _THUMBNAIL, 2 * _THUMBNAIL)


def check_sheet_path(given: str | Path) -> None:
    """Refuses a path that a sheet cannot go to, before any work is done.

    Raises:
      UsageError: it is not called .png.
      OutputError: something is there already that is no sheet, or its folder is not.
    """
    path = Path(given)
    if ":/" in str(given):
        raise UsageError(f"--sheet {given}: this is written to a local path only", "copy it from there")
    if path.suffix.lower() != ".png":
        raise UsageError(f"--sheet {path}: a contact sheet is a PNG", "choose a name that ends in .png")
    if path.exists() and not _is_sheet(path):
        raise OutputError(f"{path}: it is there already, and no contact sheet", "choose another name")
    if not path.parent.is_dir():
        raise OutputError(f"{path.parent}: there is no such folder", "make it first")


def _is_sheet(path: Path) -> bool:
    """Whether a file is a sheet that was drawn here, and can be drawn again."""
    try:
        with open_binary(path) as file:
            return _MARK.encode() in file.read(_HEAD)
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Cell:
    """A thumbnail, or why there is none, and two lines under it."""

    thumbnail: Image.Image | str
    label: str
    detail: str


class DrawnBox(NamedTuple):
    """A box: xmin, ymin, xmax, ymax as fractions of the image's size; its label, a number for its colour."""

    corners: tuple[float, float, float, float]
    name: str
    number: int


def write_sheet(path: Path, title: tuple[str, str], cells: Sequence[Cell]) -> None:
    """Draws a sheet.

    Args:
      title: its name, and facts under it.
      cells: one at least.

    Raises:
      OutputError, ResourceError: it cannot be written.
    """
    file, marks = io.BytesIO(), PngInfo()
    marks.add_text("Software", _MARK)
    _draw(title, cells).save(file, "PNG", optimize=True, pnginfo=marks)
    with writing_to(path.parent):
        write_whole(path, file.getvalue())


def on_white(image: Image.Image) -> Image.Image:
    """An image in RGB, transparent parts on white."""
    if image.mode.startswith("I"):  # 16 bits, which Pillow would clip instead of scaling
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L").convert("RGB")
    if "A" in image.mode or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")


def thumbnail(image: Image.Image, boxes: Iterable[DrawnBox]) -> Image.Image:
    """An image at the size of a cell with its boxes, each with its label, one colour a label."""
    scale = _THUMBNAIL / max(image.size)
    sharp = scale >= 3  # tiny images, as of MNIST, would be a blur
    if sharp:
        scale = int(scale)
    width, height = (max(1, round(side * scale)) for side in image.size)
    method = Image.Resampling.NEAREST if sharp else Image.Resampling.LANCZOS
    return _with_boxes(image.resize((width, height), method, reducing_gap=3.0), [*boxes])


def _with_boxes(thumbnail: Image.Image, boxes: Sequence[DrawnBox]) -> Image.Image:
    drawn = [box for box in boxes[:_MAX_BOXES] if all(map(math.isfinite, box.corners))]
    if not drawn:
        return thumbnail
    image = thumbnail.convert("RGB")
    draw, font = ImageDraw.Draw(image), _font(10)
    for corners, name, number in drawn:
        xmin, ymin, xmax, ymax = (min(max(value, 0.0), 1.0) for value in corners)
        left, top = min(xmin, xmax) * image.width, min(ymin, ymax) * image.height
        right, bottom = max(xmin, xmax) * image.width - 1, max(ymin, ymax) * image.height - 1
        colour = _COLOURS[number % len(_COLOURS)]
        draw.rectangle((left, top, max(left, right), max(top, bottom)), outline=colour, width=2)
        if name and right - left >= _LEAST_LABELLED:
            _text(draw, (round(left) + 4, round(top) + 2), name, font, round(right - left) - 4, colour)
    return image


def _columns(count: int) -> int:
    """A shape somewhat wider than high, with few empty places in the last row."""
    wanted = min(_MAX_COLUMNS, max(3, round(count**0.5 * 1.2)))
    return min(range(wanted, _MAX_COLUMNS + 1), key=lambda columns: (-count % columns, columns))


def _draw(title: tuple[str, str], cells: Sequence[Cell]) -> Image.Image:
    columns = _columns(len(cells))
    rows = -(-len(cells) // columns)
    card = _THUMBNAIL + 2 * _PADDING, _THUMBNAIL + 2 * _PADDING + _CAPTION
    width = 2 * _MARGIN + columns * (card[0] + _GAP) - _GAP
    height = _HEADER + _MARGIN + rows * (card[1] + _GAP) - _GAP
    sheet = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(sheet)
    _text(draw, (_MARGIN, 16), title[0], _font(21), width - 2 * _MARGIN)
    _text(draw, (_MARGIN, 42), title[1], _font(13), width - 2 * _MARGIN, _FAINT)
    for number, cell in enumerate(cells):
        row, column = divmod(number, columns)
        at = _MARGIN + column * (card[0] + _GAP), _HEADER + row * (card[1] + _GAP)
        _draw_card(sheet, draw, at, card, cell)
    return sheet


def _draw_card(sheet: Image.Image, draw: ImageDraw.ImageDraw, at: _Point, size: _Point, cell: Cell) -> None:
    left, top = at
    box = (left, top, left + size[0] - 1, top + size[1] - 1)
    draw.rounded_rectangle(box, _RADIUS, fill=_CARD, outline=_EDGE)
    inner = left + _PADDING, top + _PADDING
    draw.rectangle((*inner, inner[0] + _THUMBNAIL - 1, inner[1] + _THUMBNAIL - 1), fill=_EMPTY)
    if isinstance(cell.thumbnail, str):
        for number, line in enumerate(textwrap.wrap(cell.thumbnail, 22)[:_MAX_LINES]):
            at = inner[0] + 10, inner[1] + 10 + 18 * number
            _text(draw, at, line, _font(13), _THUMBNAIL - 20, _FAINT)
    else:
        wide, high = cell.thumbnail.size
        sheet.paste(
            cell.thumbnail, (inner[0] + (_THUMBNAIL - wide) // 2, inner[1] + (_THUMBNAIL - high) // 2)
        )
    below = inner[1] + _THUMBNAIL
    ink = _INK if cell.label else _FAINT
    _text(draw, (inner[0], below + 8), cell.label or "no label", _font(15), _THUMBNAIL, ink)
    _text(draw, (inner[0], below + 29), cell.detail, _font(11), _THUMBNAIL, _FAINT)


def _text(draw: ImageDraw.ImageDraw, at: _Point, text: str, font: _Font, width: int, ink: str = _INK) -> None:
    """One line, cut with an ellipsis where it is too wide."""
    text = text[:300]
    shown = text
    while text and draw.textlength(shown, font) > width:
        text = text[:-1]
        shown = f"{text.rstrip()}…"
    draw.text(at, shown, ink, font)


def _font(size: int) -> _Font:
    """DejaVu knows most alphabets; Pillow's own font knows Latin letters and is always there."""
    try:
        return ImageFont.truetype("DejaVuSans.ttf", size)
    except (OSError, ImportError):
        return ImageFont.load_default(size)
