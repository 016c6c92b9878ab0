"""Rows of an image list that leave nothing to decide, a block of them at a time, column by column.

Nearly all rows of nearly all lists are such. What would be asked of each row is asked of a whole block, which
costs a fraction; where the answer is no, the block is halved, and in the end its rows are parsed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import Feature
from tfrecordcli.sources.boxes.blocks import plain_boxes
from tfrecordcli.sources.boxes.columns import BoxColumns
from tfrecordcli.sources.column_words import ONE_CLASS, looks_like_image
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.image_paths import AS_LISTED
from tfrecordcli.sources.reading import Reading
from tfrecordcli.sources.row import Malformed, Row, RowParser
from tfrecordcli.split_words import DISCARD
from tfrecordcli.storage.uris import check_uri

# Rows of a block, and of the smallest part of one.
_ROWS: Final = 512
_FEW: Final = 32

Record = tuple[int, list[str] | Malformed]  # line, and its fields as written


@dataclass(frozen=True, slots=True)
class PlainRows:
    """Rows that can be used, each with one label, as columns of one length.

    Attributes:
      lines: as in `Row`.
      splits: train, validation, test, or ``""`` when a row leaves it to the splitter.
      uris, labels: as in `Row`.
      boxes: as in `Row`, one each; empty when the list has no boxes.
    """

    lines: Sequence[int]
    splits: Sequence[str]
    uris: Sequence[str]
    labels: Sequence[str]
    boxes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Row]:
        boxes = self.boxes or [""] * len(self)
        columns = (self.lines, self.splits, self.uris, self.labels, boxes)
        for line, split, uri, label, box in zip(*columns, strict=True):
            yield Row(line, split, uri, (label,), boxes=box)


Block = PlainRows | list[Row]
BlockParser = Callable[[Sequence[Record]], PlainRows | None]


def blocks_of(
    records: Iterable[Record], parse: RowParser, parse_block: BlockParser | None
) -> Iterator[Block]:
    """The rows of all records, in their order."""
    rest = iter(records)
    while records := list(islice(rest, _ROWS)):
        if parse_block is None:
            yield [parse(line, fields) for line, fields in records]
        else:
            yield from _parts_of(records, parse, parse_block)


def _parts_of(records: Sequence[Record], parse: RowParser, parse_block: BlockParser) -> Iterator[Block]:
    plain = parse_block(records)
    if plain is not None:
        yield plain
    elif len(records) <= _FEW:
        yield [parse(line, fields) for line, fields in records]
    else:
        half = len(records) // 2
        yield from _parts_of(records[:half], parse, parse_block)
        yield from _parts_of(records[half:], parse, parse_block)


def block_parser(
    shape: CsvShape, is_listing: bool, features: Sequence[Feature], reading: Reading
) -> BlockParser | None:
    """A function from records to their rows, or to None when one of them takes a closer look.

    None: all rows of such a list do. The arguments are those of `row_parser`.
    """
    if features or shape.is_table or shape.surplus or shape.problem is not None or reading.changes_labels:
        return None
    if is_listing and reading.paths != AS_LISTED:
        return None
    if shape.header:
        is_plain = len(shape.labels) == 1 or (shape.boxes is not None and not shape.labels)
    else:
        is_plain = not shape.labels and not reading.splits
    is_plain = is_plain and (shape.boxes is None or _are_numbers_alone(shape.boxes))
    return partial(_plain_rows, shape, is_listing, reading) if is_plain else None


def _are_numbers_alone(boxes: BoxColumns) -> bool:
    """Whether nothing is told of boxes but where they are."""
    return not boxes.attributes and boxes.unit is None and boxes.source_id is None


def _plain_rows(
    shape: CsvShape, is_listing: bool, reading: Reading, records: Sequence[Record]
) -> PlainRows | None:
    lines, rows = zip(*records, strict=True)
    columns = _columns(shape, rows)
    found = _words_of(shape, columns) if columns else None
    if found is None:
        return None
    words, paths, names = found
    uris, labels = list(map(str.strip, paths)), list(map(str.strip, names))
    if not (all(uris) and all(labels)) or (is_listing and uris != list(paths)):
        return None
    if reading.paths != AS_LISTED:
        uris = list(map(reading.paths.apply, uris))
    splits = {word: shape.parse_split(reading.split(word.strip())) for word in set(words)}
    if None in splits.values() or DISCARD in splits.values() or not _are_fit(uris, labels):
        return None
    boxes: Sequence[str] | None = ()
    if shape.boxes is not None:
        corners = (
            [columns[column] for column in shape.boxes.corners]
            if shape.header
            else _corners_by_position(shape, columns)
        )
        sizes = [columns[column] for column in shape.boxes.size or ()]
        boxes = plain_boxes(lines, shape.boxes, corners, sizes) if corners else None
    if boxes is None:
        return None
    return PlainRows(lines, [splits[word] or "" for word in words], uris, labels, boxes)


def _columns(shape: CsvShape, rows: Sequence[list[str] | Malformed]) -> list[tuple[str, ...]]:
    """The fields of rows, column by column; none when some row is longer or shorter, or malformed."""
    fields = [row for row in rows if not isinstance(row, Malformed)]
    if len(fields) < len(rows):
        return []
    width = len(shape.header) or len(fields[0])
    return list(zip(*fields, strict=True)) if {*map(len, fields)} == {width} else []


def _words_of(shape: CsvShape, columns: Sequence[tuple[str, ...]]) -> Sequence[Sequence[str]] | None:
    """Split words, images and labels as written; None where each row must tell which is which."""
    no_words = ("",) * len(columns[0])
    if shape.header:
        assert shape.image is not None
        words = no_words if shape.split is None else columns[shape.split]
        names = columns[shape.labels[0]] if shape.labels else (ONE_CLASS,) * len(no_words)
        return words, columns[shape.image], names
    width = _width_of_boxes(shape) if shape.boxes is not None else 2
    if len(columns) == width + 1:
        words, *columns = columns
    # Without its split a row begins with the image.
    elif len(columns) == width and all(looks_like_image(field.strip()) for field in columns[0]):
        words = no_words
    else:
        return None
    return words, columns[0], columns[-1 if shape.is_retinanet else 1]


def _width_of_boxes(shape: CsvShape) -> int:
    """How many fields a row of boxes without a header has, but for its split."""
    return 6 if shape.is_retinanet else 10


def _corners_by_position(shape: CsvShape, columns: Sequence[tuple[str, ...]]) -> Sequence[tuple[str, ...]]:
    """The four columns of corners of such rows; none where some have four vertices."""
    columns = columns[-_width_of_boxes(shape) :]
    if shape.is_retinanet:
        return columns[1:5]
    x0, y0, _, _, x1, y1, _, _ = columns[2:]
    return () if any(map(any, (*columns[4:6], *columns[8:]))) else (x0, y0, x1, y1)


def _are_fit(uris: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether none of them must be rejected for what it holds."""
    text = "".join(uris)
    if has_control_characters(text) or has_control_characters("".join(labels)):
        return False
    with suppress(Rejected):
        for uri in uris if ":" in text else ():
            check_uri(uri)
        return all(uris)
    return False
