"""Images out of records, as files beside a list that `tfrec convert` reads: a CSV or COCO."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

from tfrecordcli.dataset.label_map_pbtxt import to_pbtxt
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import OutputError, UsageError
from tfrecordcli.inspecting.boxes import COLUMNS
from tfrecordcli.inspecting.coco import ATTRIBUTES as COCO_ATTRIBUTES
from tfrecordcli.inspecting.coco import CocoFiles
from tfrecordcli.inspecting.csv_rows import CsvRows
from tfrecordcli.inspecting.images import Picture, find_picture, raw_to_png
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.inspecting.records import Entry, opened_dataset, spread_entries
from tfrecordcli.integrity.tfds import agreed
from tfrecordcli.naming import LABEL_MAP, LABELS
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import (
    ATTRIBUTES,
    IMAGE_FILENAME,
    IMAGE_SHA256,
    IMAGE_SOURCE_ID,
    IMAGE_TARGET,
    OBJECT_CORNERS,
    OBJECT_LABEL,
    OBJECT_TEXT,
    attribute_key,
)
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.tfrecords.feature import Feature
from tfrecordcli.tfrecords.foreign import known_split
from tfrecordcli.tfrecords.image_features import find_images
from tfrecordcli.tfrecords.label_keys import as_text, text_key_of

CSV_NAME: Final = "data.csv"
# Names that a further column may not have beside the others, and what types are called.
_TAKEN: Final = frozenset(("split", "image_uri", "label", *COLUMNS))
_TYPES: Final = {"int64": "int", "float": "float", "bytes": "text"}

_SUFFIXES: Final = {"jpeg": ".jpg", "tiff": ".tif", "jpeg2000": ".jp2", "unknown": ".bin", "empty": ".bin"}
_FILENAME_KEYS: Final = (IMAGE_FILENAME, "image_name", "filename", "file_name", "image/source_id", "image_id")
# Keys of what an image file tells by itself.
_TOLD_BY_FILE: Final = re.compile(r"(^|[/_])(format|height|width|channels|depth|colorspace)$")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_IMAGE_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_MAX_STEM: Final = 100  # characters
_MAX_FILENAME: Final = 1_000  # bytes of a feature that can be a file name


@dataclass(frozen=True, slots=True)
class Export:
    """What was written.

    Attributes:
      folder: that it is in.
      images: files beside the CSV.
      unlabelled: images without a label, where a row is an image.
      made: images that are PNGs made of raw pixels; all others are the bytes as they were stored.
      without_image: records that were passed over, since they hold no image.
      several: records with several images, of which one was written.
      float_label: the key of floats that were left out, since they are no labels; empty when there is none.
      left_out: keys of features that neither the images nor the CSV have.
      sequences: records whose feature lists were left out.
      labels_file: a file of all label names of the dataset with or in the order of their ids; empty when the
        ids that the CSV gives are right without it, or the dataset does not tell.
      boxes: rows of the CSV that have one; None when the records have none.
      uneven: records that were passed over, since their lists of boxes differ in length or hold no numbers.
      lists: file -> split of the images that it lists; "" is any.
      columns: further columns of the CSV by their types: ``int``, ``float``, ``text``.
      is_target: whether the column ``label`` holds numbers to predict.
    """

    folder: str
    images: int
    unlabelled: int
    made: int
    without_image: int
    several: int
    float_label: str
    labels_file: str
    left_out: tuple[str, ...] = ()
    sequences: int = 0
    boxes: int | None = None
    uneven: int = 0
    lists: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    is_target: bool = False


def check_export_folder(folder: Path) -> None:
    """Refuses a folder that holds anything: nothing is overwritten.

    Raises:
      OutputError
    """
    with writing_to(folder):
        if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
            raise OutputError(f"{folder}: it is there already, and not empty", "choose another folder")


def export(inspection: Inspection, folder: Path, num_records: int, export_format: str = "csv") -> Export:
    """Writes the images of some records, taken from all files in turn, and a list of them.

    Args:
      export_format: ``csv``, or ``coco`` for boxes.

    Raises:
      OutputError, ResourceError
      UsageError: COCO is asked for, and there are no boxes with labels.
      BusyError: the dataset was replaced meanwhile.
    """
    check_export_folder(folder)
    has_boxes = _has_boxes(inspection)
    is_coco = export_format == "coco"
    if is_coco and not has_boxes:
        hint = "leave out --export-format for a CSV"
        raise UsageError("--export-format coco: the records have no boxes with labels", hint)
    label_key = OBJECT_LABEL if has_boxes else inspection.labels.key if inspection.labels else ""
    if inspection.float_label == IMAGE_TARGET and not label_key:
        label_key = IMAGE_TARGET
    attributes = _attributes(inspection) if has_boxes else None
    if is_coco and attributes:
        attributes = tuple(name for name in attributes if name in COCO_ATTRIBUTES)
    columns = {} if is_coco else _columns(inspection, _left_out(inspection, label_key, attributes or ()))
    written: list[Path] = []
    with opened_dataset(inspection.path) as dataset, writing_to(folder), _whole(folder, written):
        entries = spread_entries(dataset, inspection.max_records)
        declared = agreed(dataset.tfds.values()).get(label_key)
        names = needed_names(declared.names) if declared else label_names(dataset.manifest)
        ids = _label_ids(inspection, dataset.manifest) if has_boxes else {}
        folder.mkdir(parents=True, exist_ok=True)
        exporter = _Exporter(folder, num_records, written)
        if is_coco:
            coco = CocoFiles(folder, ids, written)
            with contextlib.closing(coco):
                exporter.run(entries, coco)
            return exporter.done(inspection, label_key, attributes, boxes=coco.boxes, lists=coco.lists)
        with (folder / CSV_NAME).open("x", encoding="utf-8", newline="") as file:
            written.append(folder / CSV_NAME)
            rows = CsvRows(file, label_key, names, attributes, tuple(columns))
            exporter.run(entries, rows)
        text = to_pbtxt(ids) if has_boxes else "".join(f"{name}\n" for name in names)
        labels_file = folder / (LABEL_MAP if has_boxes else LABELS) if text else None
        if labels_file:
            with labels_file.open("x", encoding="utf-8", newline="\n") as file:
                written.append(labels_file)
                file.write(text)
    boxes = rows.boxes if has_boxes else None
    done = exporter.done(inspection, label_key, attributes, boxes=boxes, lists={CSV_NAME: ""})
    left_out = tuple(key for key in done.left_out if key not in columns)
    done = replace(done, left_out=left_out, columns=columns, float_label=_not_target(inspection))
    return replace(done, labels_file=str(labels_file or ""), unlabelled=rows.unlabelled)


@contextlib.contextmanager
def _whole(folder: Path, written: Sequence[Path]) -> Iterator[None]:
    """Takes away what was written when the block fails: no more, as others may write to the folder too.

    Args:
      written: the files that the block has made so far; it adds to them.
    """
    is_new = not folder.exists()
    try:
        yield
    except BaseException:
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink()
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _has_boxes(inspection: Inspection) -> bool:
    """Whether a row is to be a box: there are boxes whose labels are told."""
    keys = {feature.key for feature in inspection.features if feature.max_values}
    return bool(inspection.boxes and inspection.boxes.records and keys & {OBJECT_LABEL, OBJECT_TEXT})


def _attributes(inspection: Inspection) -> tuple[str, ...]:
    """Names of what is told of boxes beside their labels, of the kinds that `tfrec convert` reads."""
    kinds = {each.key: each.kind for each in inspection.features if each.max_values}
    return tuple(name for name, kind in ATTRIBUTES.items() if kinds.get(attribute_key(name)) == kind)


def _columns(inspection: Inspection, keys: Iterable[str]) -> dict[str, str]:
    """Key -> type of what a CSV can hold as further columns: numbers, and texts of a dataset of ours."""
    summaries = {each.key: each for each in inspection.features}
    taken = {*_TAKEN, *ATTRIBUTES} if _has_boxes(inspection) else _TAKEN
    columns = {}
    for key in keys:
        kind, is_one = summaries[key].kind, summaries[key].max_values == 1
        of_list = key in inspection.schema and inspection.schema[key].column is not None
        is_name = key.isprintable() and key == key.strip() and not key.startswith("image/")
        if is_one and is_name and key not in taken and kind in _TYPES and (kind != "bytes" or of_list):
            columns[key] = _TYPES[kind]
    return columns


def _not_target(inspection: Inspection) -> str:
    """The key of floats that are no labels, and no numbers to predict either; empty when there is none."""
    return "" if inspection.float_label == IMAGE_TARGET else inspection.float_label


def _label_ids(inspection: Inspection, manifest: Manifest | None) -> dict[str, int]:
    """Name -> id, in the order of the ids: of a dataset of ours, or of all pairs that were read.

    Empty where labels have no names, or these do not tell the ids.
    """
    ids: dict[str, int] = dict(manifest.labels) if manifest is not None else {}
    if manifest is not None and manifest.label_kind == "id":
        return {}
    labels = inspection.labels
    if manifest is None and labels is not None and labels.key == OBJECT_LABEL and not labels.left_out:
        pairs = {(label.text, label.id) for label, _ in labels.counts}
        ids = {text: number for text, number in pairs if text and number is not None and number > 0}
        if not len(ids) == len({*ids.values()}) == len(pairs):
            return {}
    return dict(sorted(ids.items(), key=lambda item: item[1]))


def _left_out(inspection: Inspection, label_key: str, attributes: Iterable[str]) -> Iterator[str]:
    """The keys of which nothing is written.

    Args:
      attributes: of boxes, that are.
    """
    keys = [feature.key for feature in inspection.features]
    if label_key == OBJECT_LABEL:
        keys = [key for key in keys if key not in (*OBJECT_CORNERS, IMAGE_SOURCE_ID, IMAGE_SHA256)]
        keys = [key for key in keys if key not in map(attribute_key, attributes)]
    name = next((key for key in _FILENAME_KEYS if key in keys), "")
    written = {label_key, text_key_of(label_key), inspection.float_label, name, "split"}
    if inspection.images is not None:
        written |= {inspection.images.key, *inspection.images.size_keys}
    yield from (key for key in keys if key not in written and not _TOLD_BY_FILE.search(key))


def label_names(manifest: Manifest | None) -> list[str]:
    """The names that a dataset of ours numbers, in the order of their ids; none when the names are ids."""
    labels = manifest.labels if manifest is not None else {}
    names = sorted(labels, key=lambda name: labels[name])
    return needed_names(names) if [labels[name] for name in names] == [*range(len(names))] else []


def needed_names(names: Sequence[str]) -> list[str]:
    """Names in the order of their ids from 0; none when they are the ids."""
    return [] if [*names] == [*map(str, range(len(names)))] else [*names]


class _List(Protocol):
    """What tells of the images that are written."""

    def add(
        self, split: str, picture: Picture, features: Mapping[str, Feature], write: Callable[[], str]
    ) -> bool:
        """Takes in a record, if it can; then it calls ``write`` for the name of its image's file."""


class _Exporter:
    """Writes so many images at most, and counts by the names of `Export`."""

    def __init__(self, folder: Path, num_records: int, written: list[Path]) -> None:
        self._folder = folder
        self._written = written
        self._most = num_records
        self._names: set[str] = set()
        self._counts: Counter[str] = Counter()

    def run(self, entries: Iterable[Entry], lists: _List) -> None:
        """Writes the images, and their list."""
        for entry in entries:
            picture = find_picture(entry.features)
            if picture is None or not picture.data:
                self._counts["without_image"] += 1
                continue
            write = functools.partial(self._write, entry, picture)
            if not lists.add(_split(entry), picture, entry.features, write):
                self._counts["uneven"] += 1
                continue
            self._counts["images"] += 1
            self._counts["several"] += len([*itertools.islice(find_images(entry.features), 2)]) > 1
            if self._counts["images"] == self._most:
                break

    def done(
        self,
        inspection: Inspection,
        label_key: str,
        attributes: Iterable[str] | None,
        boxes: int | None,
        lists: Mapping[str, str],
    ) -> Export:
        """What was written, but for what is beside the list."""
        return Export(
            folder=str(self._folder),
            images=self._counts["images"],
            unlabelled=0,
            made=self._counts["made"],
            without_image=self._counts["without_image"],
            several=self._counts["several"],
            float_label=inspection.float_label,
            labels_file="",
            left_out=tuple(_left_out(inspection, label_key, attributes or ())),
            sequences=inspection.sequences,
            boxes=boxes,
            uneven=self._counts["uneven"],
            lists=dict(lists),
            is_target=label_key == IMAGE_TARGET,
        )

    def _write(self, entry: Entry, picture: Picture) -> str:
        """The image; returns the name of its file."""
        data, suffix = _file_of(picture)
        name = self._free_name(_stem(entry), suffix)
        with (self._folder / name).open("xb") as file:
            self._written.append(self._folder / name)
            file.write(data)
        self._counts["made"] += picture.is_raw and suffix == ".png"
        return name

    def _free_name(self, stem: str, suffix: str) -> str:
        """A name that no file has yet, on file systems that fold case too."""
        name, number = stem + suffix, 1
        while name.lower() in self._names:
            number += 1
            name = f"{stem}-{number}{suffix}"
        self._names.add(name.lower())
        return name


def _file_of(picture: Picture) -> tuple[bytes, str]:
    """Content and suffix of the file for an image."""
    if picture.is_raw:
        try:
            return raw_to_png(picture), ".png"
        except Rejected:
            return picture.data, ".bin"
    return picture.data, _SUFFIXES.get(picture.format, f".{picture.format}")


def _stem(entry: Entry) -> str:
    """A file name without suffix, made of the name in the record, or of the record's place."""
    for key in _FILENAME_KEYS:
        feature = entry.features.get(key)
        if feature is not None and feature.kind == "bytes" and len(feature.values) == 1:
            stem = _safe_stem(feature)
            if stem:
                return stem
    return f"{_UNSAFE.sub('_', entry.file.partition('.')[0]).strip('._')[:_MAX_STEM]}-{entry.record:06}"


def _safe_stem(feature: Feature) -> str:
    """A path as one harmless name: `images/cat/1.jpg` as `images_cat_1`."""
    value = feature.values[0]
    if not isinstance(value, bytes) or len(value) > _MAX_FILENAME:
        return ""
    path = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", as_text(value)).replace("\\", "/")
    stem = _IMAGE_SUFFIX.sub("", path)
    return _UNSAFE.sub("_", stem).strip("._-")[-_MAX_STEM:].strip("._-")


def _split(entry: Entry) -> str:
    """A split that convert knows, by the file's name or the record's own feature; else empty."""
    split = known_split(entry.file)
    feature = entry.features.get("split")
    if not split and feature is not None and feature.kind == "bytes" and len(feature.values) == 1:
        split = known_split(as_text(feature.values[0][:20]))  # type: ignore[index]
    return split
