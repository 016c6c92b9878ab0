"""A contact sheet: thumbnails of some records with their labels, drawn as one PNG."""

from __future__ import annotations

import io
import math
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from tfrecordcli.errors import OutputError, UsageError
from tfrecordcli.inspecting.boxes import Box, boxes_of
from tfrecordcli.inspecting.features import escaped
from tfrecordcli.inspecting.images import Picture, find_picture, open_picture
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.inspecting.records import Entry, opened_dataset, split_of, spread_entries
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.tfds import agreed
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.writing import write_whole, writing_to
from tfrecordcli.tfrecords.label_keys import Label, labels_of
from tfrecordcli.units import plural

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
_LEAST_LABELLED: Final = 24  # pixels of a box that has room for a label

_Font = ImageFont.ImageFont | ImageFont.FreeTypeFont
_Point = tuple[int, int]


def check_sheet_path(path: Path) -> None:
    """Refuses a path that a sheet cannot go to, before any work is done.

    Raises:
      UsageError: it is not called .png.
      OutputError: something is there already, or its folder is not.
    """
    if path.suffix.lower() != ".png":
        raise UsageError(f"--sheet {path}: a contact sheet is a PNG", "choose a name that ends in .png")
    if path.exists():
        raise OutputError(f"{path}: it is there already", "choose another name")
    if not path.parent.is_dir():
        raise OutputError(f"{path.parent}: there is no such folder", "make it first")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A thumbnail (None when it cannot be decoded) and two lines under it."""

    thumbnail: Image.Image | None
    label: str
    detail: str


def draw_sheet(inspection: Inspection, path: Path, num_images: int) -> int:
    """Draws images from all files in turn; returns how many.

    Raises:
      InputError, UsageError, OutputError, ResourceError
      BusyError: the dataset was replaced meanwhile.
    """
    check_sheet_path(path)
    label_key = inspection.labels.key if inspection.labels else ""
    cells: list[_Cell] = []
    with opened_dataset(inspection.path) as dataset:
        declared = agreed(dataset.tfds.values()).get(label_key)
        names = declared.names if declared is not None else ()
        for entry in spread_entries(dataset, inspection.max_records):
            picture = find_picture(entry.features)
            if picture is not None:
                labels = labels_of(entry.features, label_key, names)
                cells.append(_cell(dataset, entry, picture, labels))
            if len(cells) == num_images:
                break
    if not cells:
        raise OutputError(f"{path}: not drawn, since no record holds an image that is known")
    file = io.BytesIO()
    _draw(_title(inspection), cells).save(file, "PNG", optimize=True)
    with writing_to(path.parent):
        write_whole(path, file.getvalue())
    return len(cells)


def _cell(dataset: Dataset, entry: Entry, picture: Picture, found: Sequence[Label]) -> _Cell:
    counts = Counter(label.name for label in found)
    labels = ", ".join(name if count == 1 else f"{name} × {count}" for name, count in counts.items())
    size = f"{picture.width} × {picture.height}" if picture.width else "size unknown"
    split = split_of(dataset, entry.file)
    thumbnail = _thumbnail(picture)
    if thumbnail is not None:
        thumbnail = _with_boxes(thumbnail, boxes_of(entry.features) or [])
    return _Cell(thumbnail, escaped(labels), escaped(f"{split} · {size}" if split else size))


def _thumbnail(picture: Picture) -> Image.Image | None:
    try:
        image = open_picture(picture, (2 * _THUMBNAIL, 2 * _THUMBNAIL))
    except Rejected:
        return None
    scale = _THUMBNAIL / max(image.size)
    sharp = scale >= 3  # tiny images, as of MNIST, would be a blur
    if sharp:
        scale = int(scale)
    width, height = (max(1, round(side * scale)) for side in image.size)
    method = Image.Resampling.NEAREST if sharp else Image.Resampling.LANCZOS
    return image.resize((width, height), method, reducing_gap=3.0)


def _with_boxes(thumbnail: Image.Image, boxes: Sequence[Box]) -> Image.Image:
    """The thumbnail with its boxes, each with its label, one colour a label."""
    drawn = [box for box in boxes[:_MAX_BOXES] if all(map(math.isfinite, box.corners))]
    if not drawn:
        return thumbnail
    image = thumbnail.convert("RGB")
    draw, font = ImageDraw.Draw(image), _font(10)
    for corners, label in drawn:
        xmin, ymin, xmax, ymax = (min(max(value, 0.0), 1.0) for value in corners)
        left, top = min(xmin, xmax) * image.width, min(ymin, ymax) * image.height
        right, bottom = max(xmin, xmax) * image.width - 1, max(ymin, ymax) * image.height - 1
        name = "" if label is None else escaped(label.name)
        colour = _COLOURS[_number_of(label) % len(_COLOURS)]
        draw.rectangle((left, top, max(left, right), max(top, bottom)), outline=colour, width=2)
        if name and right - left >= _LEAST_LABELLED:
            _text(draw, (round(left) + 4, round(top) + 2), name, font, round(right - left) - 4, colour)
    return image


def _number_of(label: Label | None) -> int:
    """A number that tells labels apart, the same in each image: their id, or one made of their name."""
    if label is None:
        return 0
    return zlib.crc32(label.name.encode()) if label.id is None else label.id


def _title(inspection: Inspection) -> tuple[str, str]:
    facts = [plural(inspection.records, "record"), plural(len(inspection.files), "file")]
    if inspection.stopped:
        facts[0] = f"the first {facts[0]}"
    if inspection.labels is not None:
        more = "more than " if inspection.labels.left_out else ""
        facts.append(f"{more}{plural(len(inspection.labels.counts), 'label')}")
    name = Path(inspection.path).absolute().name
    return escaped(name), " · ".join(facts)


def _columns(count: int) -> int:
    """A shape somewhat wider than high, with few empty places in the last row."""
    wanted = min(_MAX_COLUMNS, max(3, round(count**0.5 * 1.2)))
    return min(range(wanted, _MAX_COLUMNS + 1), key=lambda columns: (-count % columns, columns))


def _draw(title: tuple[str, str], cells: list[_Cell]) -> Image.Image:
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


def _draw_card(sheet: Image.Image, draw: ImageDraw.ImageDraw, at: _Point, size: _Point, cell: _Cell) -> None:
    left, top = at
    box = (left, top, left + size[0] - 1, top + size[1] - 1)
    draw.rounded_rectangle(box, _RADIUS, fill=_CARD, outline=_EDGE)
    inner = left + _PADDING, top + _PADDING
    draw.rectangle((*inner, inner[0] + _THUMBNAIL - 1, inner[1] + _THUMBNAIL - 1), fill=_EMPTY)
    if cell.thumbnail is None:
        _text(
            draw, (inner[0] + 10, inner[1] + _THUMBNAIL // 2 - 8), "cannot be decoded", _font(13), 160, _FAINT
        )
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
