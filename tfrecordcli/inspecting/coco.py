"""Boxes of records as COCO instances: https://cocodataset.org/#format-data, a file for each split."""

from __future__ import annotations

import contextlib
import json
import math
import struct
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Final

from tfrecordcli.inspecting.boxes import Box, boxes_of, shortest, source_id_of
from tfrecordcli.inspecting.images import StoredImage
from tfrecordcli.schema import SPLITS, attribute_key
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import Label

ATTRIBUTES: Final = ("area", "is_crowd")
_DIGITS: Final = 10  # after the point, of pixels


def file_name(split: str) -> str:
    """What the file of a split is called; "" is no split."""
    return f"instances_{split}.json" if split else "instances.json"


class CocoFiles:
    """Writes images and annotations, of which no more than a few are in memory.

    Args:
      folder: that the files go to, beside the images.
      ids: name -> id of labels that are known, in use or not.
      written: that the files are added to as they are made.

    Attributes:
      boxes: annotations that were written.
    """

    def __init__(self, folder: Path, ids: Mapping[str, int], written: list[Path]) -> None:
        self.boxes = 0
        self._folder = folder
        self._written = written
        self._ids = dict(ids)
        self._image_ids: set[int] = set()
        self._files: dict[str, _CocoFile] = {}
        self._open = contextlib.ExitStack()

    @property
    def lists(self) -> dict[str, str]:
        """File -> split of the images that it lists."""
        ordered = [split for split in (*SPLITS, "") if split in self._files]
        return {file_name(split): split for split in ordered}

    def add(
        self, split: str, stored: StoredImage, features: Mapping[str, FeatureValues], write: Callable[[], str]
    ) -> bool:
        """Takes in a record, unless its boxes cannot be told.

        Args:
          write: writes its image; returns the name of the file.
        """
        boxes = boxes_of(features, none_is_empty=True)
        if boxes is None or stored.width is None or stored.height is None:
            return False
        if not all(math.isfinite(value) for box in boxes for value in box.corners):
            return False
        if split not in self._files:
            self._files[split] = _CocoFile(self._folder / file_name(split), self._open, self._written)
        image = {"id": self._image_id(features), "file_name": write()}
        self._files[split].images.add({**image, "width": stored.width, "height": stored.height})
        for number, box in enumerate(boxes):
            self.boxes += 1
            told = self._annotation(box, number, features, (stored.width, stored.height))
            self._files[split].annotations.add({"id": self.boxes, "image_id": image["id"], **told})
        return True

    def _annotation(
        self, box: Box, number: int, features: Mapping[str, FeatureValues], size: tuple[int, int]
    ) -> dict[str, Any]:
        width, height = size
        xmin, ymin, xmax, ymax = box.corners
        x, across = _extent(xmin, xmax, width)
        y, down = _extent(ymin, ymax, height)
        area = _told(features, "area", number)
        return {
            "category_id": self._category_id(box.label),
            "bbox": [x, y, across, down],
            "area": across * down if area is None else area,
            "iscrowd": int(_told(features, "is_crowd", number) or 0),
        }

    def _image_id(self, features: Mapping[str, FeatureValues]) -> int:
        """The number that the record has, if no other image has it; else the next free one."""
        told = source_id_of(features)
        number = int(told) if told else len(self._image_ids) + 1
        while number in self._image_ids:
            number += 1
        self._image_ids.add(number)
        return number

    def _category_id(self, label: Label | None) -> int:
        """The id of a label; a new one where it has none, or that of another label."""
        name = label.name if label else ""
        if name not in self._ids:
            taken = set(self._ids.values())
            is_free = label is not None and label.id is not None and label.id >= 0 and label.id not in taken
            self._ids[name] = label.id if is_free else max(taken, default=0) + 1  # type: ignore[union-attr,assignment]
        return self._ids[name]

    def close(self) -> None:
        """Ends the files, each with all categories."""
        ordered = sorted(self._ids.items(), key=lambda item: item[1])
        with self._open:
            for file in self._files.values():
                file.end([{"id": number, "name": name} for name, number in ordered])


def _extent(low: float, high: float, side: int) -> tuple[float, float]:
    """Where a box begins and how far it goes, in pixels, in few digits that give the same float32s again."""
    begin = float(shortest(low, side))
    wanted = struct.pack("<f", high)
    for digits in range(_DIGITS):
        length = round(high * side - begin, digits)
        if struct.pack("<f", (begin + length) / side) == wanted:
            return begin, length
    return begin, high * side - begin


def _told(features: Mapping[str, FeatureValues], name: str, number: int) -> Any:
    """The value of an attribute of one box; None where there are not as many as boxes."""
    feature = features.get(attribute_key(name))
    if feature is None or number >= len(feature.values):
        return None
    value = feature.values[number]
    return float(shortest(value, 1)) if isinstance(value, float) else value


class _CocoFile:
    """One file: its images stream into it, its annotations into a temporary one until the end."""

    def __init__(self, path: Path, opened: contextlib.ExitStack, written: list[Path]) -> None:
        self._file = opened.enter_context(path.open("x", encoding="utf-8", newline=""))
        written.append(path)
        rest = tempfile.TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115
        self._rest = opened.enter_context(rest)
        self._file.write('{"images":[')
        self.images, self.annotations = _Array(self._file), _Array(self._rest)

    def end(self, categories: list[dict[str, Any]]) -> None:
        """Writes all that is left."""
        self._file.write('\n],"annotations":[')
        self._rest.seek(0)
        while block := self._rest.read(1 << 20):
            self._file.write(block)
        self._file.write(f'\n],"categories":{json.dumps(categories, ensure_ascii=False)}}}\n')


class _Array:
    """The elements of an array in JSON, a line each."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._begin = file, "\n"

    def add(self, element: Mapping[str, Any]) -> None:
        self._file.write(self._begin + json.dumps(element, ensure_ascii=False, allow_nan=False))
        self._begin = ",\n"
