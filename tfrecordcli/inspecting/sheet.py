"""A contact sheet of some records with their labels and boxes."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image

from tfrecordcli.contact_sheet import ENOUGH, Cell, DrawnBox, check_sheet_path, thumbnail, write_sheet
from tfrecordcli.errors import OutputError
from tfrecordcli.inspecting.boxes import boxes_of
from tfrecordcli.inspecting.features import escaped
from tfrecordcli.inspecting.images import StoredImage, find_image, open_image
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.inspecting.records import Entry, opened_dataset, split_of, spread_entries
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.tfds import agreed
from tfrecordcli.reasons import Rejected
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import Label, labels_of
from tfrecordcli.units import plural


def draw_sheet(inspection: Inspection, path: Path, num_images: int) -> int:
    """Draws images from all files in turn; returns how many.

    Raises:
      InputError, UsageError, OutputError, ResourceError
      BusyError: the dataset was replaced meanwhile.
    """
    check_sheet_path(path)
    label_key = inspection.labels.key if inspection.labels else ""
    cells: list[Cell] = []
    with opened_dataset(inspection.path) as dataset:
        declared = agreed(dataset.tfds.values()).get(label_key)
        names = declared.names if declared is not None else ()
        for entry in spread_entries(dataset, inspection.max_records):
            stored = find_image(entry.features)
            if stored is not None:
                labels = labels_of(entry.features, label_key, names)
                cells.append(_cell(dataset, entry, stored, labels))
            if len(cells) == num_images:
                break
    if not cells:
        raise OutputError(f"{path}: not drawn, since no record holds an image that is known")
    write_sheet(path, _title(inspection), cells)
    return len(cells)


def _cell(dataset: Dataset, entry: Entry, stored: StoredImage, found: Sequence[Label]) -> Cell:
    counts = Counter(label.name for label in found)
    labels = ", ".join(name if count == 1 else f"{name} × {count}" for name, count in counts.items())
    size = f"{stored.width} × {stored.height}" if stored.width else "size unknown"
    split = split_of(dataset, entry.file)
    shown = _thumbnail(stored, entry.features)
    return Cell(shown, escaped(labels), escaped(f"{split} · {size}" if split else size))


def _thumbnail(stored: StoredImage, features: Mapping[str, FeatureValues]) -> Image.Image | str:
    try:
        image = open_image(stored, ENOUGH)
    except Rejected:
        return "cannot be decoded"
    boxes = boxes_of(features) or []
    return thumbnail(image, (DrawnBox(corners, *_name_and_number(label)) for corners, label in boxes))


def _name_and_number(label: Label | None) -> tuple[str, int]:
    """The number tells labels apart, the same in each image: their id, or one made of their name."""
    if label is None:
        return "", 0
    return escaped(label.name), zlib.crc32(label.name.encode()) if label.id is None else label.id


def _title(inspection: Inspection) -> tuple[str, str]:
    facts = [plural(inspection.records, "record"), plural(len(inspection.files), "file")]
    if inspection.stopped:
        facts[0] = f"the first {facts[0]}"
    if inspection.labels is not None:
        more = "more than " if inspection.labels.left_out else ""
        facts.append(f"{more}{plural(len(inspection.labels.counts), 'label')}")
    name = Path(inspection.path).absolute().name
    return escaped(name), " · ".join(facts)
