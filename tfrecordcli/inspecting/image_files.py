"""The images of records as files of a folder, named after what the records say of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tfrecordcli.inspecting.images import StoredImage, raw_to_png
from tfrecordcli.inspecting.records import Entry
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_FILENAME
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import as_text

# Features that hold the name of an image, the best first.
FILENAME_KEYS: Final = (IMAGE_FILENAME, "image_name", "filename", "file_name", "image/source_id", "image_id")
_SUFFIXES: Final = {"jpeg": ".jpg", "tiff": ".tif", "jpeg2000": ".jp2", "unknown": ".bin", "empty": ".bin"}
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_IMAGE_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_MAX_STEM: Final = 100  # characters
_MAX_FILENAME: Final = 1_000  # bytes of a feature that can be a file name


class ImageFiles:
    """Writes images to a folder, each to a file of its own.

    Args:
      written: all files that an export has made; each is added to it.

    Attributes:
      made: PNGs made of raw pixels so far.
    """

    def __init__(self, folder: Path, written: list[Path]) -> None:
        self._folder = folder
        self._written = written
        self._names: set[str] = set()
        self.made = 0

    def write(self, entry: Entry, stored: StoredImage) -> str:
        """Writes the image; returns the name of its file."""
        data, suffix = _file_of(stored)
        name = self._free_name(_stem(entry), suffix)
        with (self._folder / name).open("xb") as file:
            self._written.append(self._folder / name)
            file.write(data)
        self.made += stored.is_raw and suffix == ".png"
        return name

    def _free_name(self, stem: str, suffix: str) -> str:
        """A name that no file has yet, on file systems that fold case too."""
        name, number = stem + suffix, 1
        while name.lower() in self._names:
            number += 1
            name = f"{stem}-{number}{suffix}"
        self._names.add(name.lower())
        return name


def _file_of(stored: StoredImage) -> tuple[bytes, str]:
    """Content and suffix of the file for an image."""
    if stored.is_raw:
        try:
            return raw_to_png(stored), ".png"
        except Rejected:
            return stored.data, ".bin"
    return stored.data, _SUFFIXES.get(stored.format, f".{stored.format}")


def _stem(entry: Entry) -> str:
    """A file name without suffix, made of the name in the record, or of the record's place."""
    for key in FILENAME_KEYS:
        feature = entry.features.get(key)
        if feature is not None and feature.kind == "bytes" and len(feature.values) == 1:
            stem = _safe_stem(feature)
            if stem:
                return stem
    return f"{_UNSAFE.sub('_', entry.file.partition('.')[0]).strip('._')[:_MAX_STEM]}-{entry.record:06}"


def _safe_stem(feature: FeatureValues) -> str:
    """A path as one harmless name: `images/cat/1.jpg` as `images_cat_1`."""
    value = feature.values[0]
    if not isinstance(value, bytes) or len(value) > _MAX_FILENAME:
        return ""
    path = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", as_text(value)).replace("\\", "/")
    stem = _IMAGE_SUFFIX.sub("", path)
    return _UNSAFE.sub("_", stem).strip("._-")[-_MAX_STEM:].strip("._-")
