"""What a record holds: the values of each feature of the schema, from a planned row and its image."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from tfrecordcli import schema
from tfrecordcli.boxes import BoxCounts, parse_boxes
from tfrecordcli.dataset.plan import PlannedRow, ShardTask
from tfrecordcli.dataset.shard_info import LeftOutBox
from tfrecordcli.formats.example import Empty, Values
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.schema import ATTRIBUTES, OBJECT_CORNERS, attribute_key
from tfrecordcli.shards.box_placement import PlacedBoxes, place_boxes
from tfrecordcli.storage.uris import public_uri

Features = dict[str, Values | Empty]


class UnencodedRecord(NamedTuple):
    """One record before it is bytes.

    Attributes:
      features: key -> values; a list that is there without a value is `Empty`.
      label_ids: that are counted.
      notes: keys of `NOTES` about what became of the image and its boxes.
      boxes: what became of its boxes.
      left_out: boxes that it is stored without.
    """

    features: Features
    label_ids: Sequence[int]
    notes: Sequence[str]
    boxes: BoxCounts | None = None
    left_out: Sequence[LeftOutBox] = ()


def make_record(row: PlannedRow, image: CheckedImage, number: int, task: ShardTask) -> UnencodedRecord:
    """The record of a row.

    Args:
      number: of the row among all planned rows, from 1.

    Raises:
      Rejected: its boxes cannot be those of this image.
    """
    if row.boxes:
        return _detection(row, image, number, task)
    features = _features(row, image, task.schema)
    present = {key: values for key, values in features.items() if values}
    return UnencodedRecord(present, row.label_ids, image.notes)


def record_of_row(row: PlannedRow, of: schema.Schema) -> UnencodedRecord:
    """The record of a row without an image."""
    texts = [text.encode() for text in row.label_texts]
    labels: Features = {of.label_key: row.label_ids, of.text_key: texts} if row.label_ids else {}
    return UnencodedRecord(labels | of.further_values(row.extras), row.label_ids, ())


# Where the values of each feature come from, but for those of boxes and of further columns of the list.
_VALUES: Final[Mapping[str, Callable[[PlannedRow, CheckedImage], Values]]] = {
    schema.IMAGE_ENCODED: lambda row, image: [image.data],
    schema.IMAGE_FORMAT: lambda row, image: [image.format.encode()],
    schema.IMAGE_HEIGHT: lambda row, image: [image.height],
    schema.IMAGE_WIDTH: lambda row, image: [image.width],
    schema.IMAGE_CHANNELS: lambda row, image: [image.channels],
    schema.IMAGE_FILENAME: lambda row, image: [public_uri(row.image_uri).encode()],
    schema.IMAGE_SHA256: lambda row, image: [hashlib.sha256(image.data).hexdigest().encode()],
    schema.CLASS_LABEL: lambda row, image: row.label_ids,
    schema.CLASS_TEXT: lambda row, image: [text.encode() for text in row.label_texts],
}


def _features(row: PlannedRow, image: CheckedImage, of: schema.Schema) -> Features:
    features: Features = {
        each.key: _VALUES[each.key](row, image)
        for each in of.features
        if each.column is None and each.key in _VALUES
    }
    if row.extras:
        features |= of.further_values(row.extras)
    return features


def _detection(row: PlannedRow, image: CheckedImage, number: int, task: ShardTask) -> UnencodedRecord:
    listed = parse_boxes(row.boxes, task.schema.attributes)
    placed = place_boxes(listed, task.unit, image, task.image)
    source_id = number if task.numbers_images or listed.source_id is None else listed.source_id
    ids = [row.label_ids[box.number] for box in placed.boxes]
    texts = [row.label_texts[box.number].encode() for box in placed.boxes]
    lists: dict[str, Values] = {
        schema.IMAGE_SOURCE_ID: [str(source_id).encode()],
        schema.OBJECT_LABEL: ids,
        schema.OBJECT_TEXT: texts,
        **{key: [box.corners[side] for box in placed.boxes] for side, key in enumerate(OBJECT_CORNERS)},
        **{attribute_key(name): _attribute(name, placed) for name in task.schema.attributes},
    }
    kinds = {feature.key: feature.kind for feature in task.schema.features}
    features = _features(row, image, task.schema)
    features |= {key: values or Empty[kinds[key]] for key, values in lists.items()}
    left_out = [
        LeftOutBox(listed.boxes[at].place, row.image_uri, row.label_texts[at], code)
        for at, code in placed.left_out
    ]
    notes = (*image.notes, *placed.notes)
    return UnencodedRecord(features, ids, notes, _counts(placed), left_out)


def _attribute(name: str, placed: PlacedBoxes) -> Values:
    """One value for each box; of those of which the list says nothing, none of it."""
    if name == "area":
        return [box.area for box in placed.boxes]
    nothing = b"" if ATTRIBUTES[name] == "bytes" else 0
    return [box.listed.attributes.get(name, nothing) for box in placed.boxes]  # type: ignore[return-value]


def _counts(placed: PlacedBoxes) -> BoxCounts:
    return BoxCounts(
        stored=len(placed.boxes),
        left_out=len(placed.left_out),
        clipped=placed.counts["clipped"],
        swapped=placed.counts["swapped"],
        most=len(placed.boxes),
    )
