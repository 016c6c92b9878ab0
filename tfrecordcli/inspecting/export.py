"""Images out of records, as files beside a list that `tfrec convert` reads: a CSV or COCO."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TextIO

from tfrecordcli.dataset.label_map_pbtxt import to_pbtxt
from tfrecordcli.dataset.labels import are_numbers
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import OutputError, UsageError
from tfrecordcli.inspecting.coco import CocoFiles
from tfrecordcli.inspecting.csv_rows import CsvRows
from tfrecordcli.inspecting.exported_fields import ExportedFields, exported_fields, has_boxes
from tfrecordcli.inspecting.image_files import ImageFiles
from tfrecordcli.inspecting.images import find_image
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.inspecting.records import Entry, opened_dataset, spread_entries
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.tfds import agreed
from tfrecordcli.naming import LABEL_MAP, LABELS
from tfrecordcli.schema import OBJECT_LABEL
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.tfrecords.foreign import known_split
from tfrecordcli.tfrecords.image_features import find_images
from tfrecordcli.tfrecords.label_keys import as_text

CSV_NAME: Final = "data.csv"


@dataclass(frozen=True, slots=True)
class Export:
    """What was written.

    Attributes:
      folder: that it is in.
      images: files beside the CSV.
      unlabelled: images without a label, where a row is an image.
      made: images that are PNGs made of raw pixels; all others are the bytes as they were stored.
      without_image: records that were skipped, since they hold no image.
      several: records with several images, of which one was written.
      float_label: the key of floats that were left out, since they are no labels; empty when there is none.
      left_out: keys of features that neither the images nor the CSV have.
      sequences: records whose feature lists were left out.
      labels_file: a file of all label names of the dataset with or in the order of their ids; empty when the
        ids that the CSV gives are right without it, or the dataset does not tell.
      label_type: that is to be given with it: ``name`` where the names are numbers; else empty.
      boxes: rows of the CSV that have one; None when the records have none.
      uneven: records that were skipped, since their lists of boxes differ in length or hold no numbers.
      lists: file -> split of the images that it lists; "" is any.
      columns: further columns of the CSV by their types: ``int``, ``float``, ``text``.
      is_target: whether the column ``label`` holds numbers to predict.
    """

    folder: str
    images: int = 0
    unlabelled: int = 0
    made: int = 0
    without_image: int = 0
    several: int = 0
    float_label: str = ""
    labels_file: str = ""
    label_type: str = ""
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
    is_coco = export_format == "coco"
    if is_coco and not has_boxes(inspection):
        hint = "leave out --export-format for a CSV"
        raise UsageError("--export-format coco: the records have no boxes with labels", hint)
    fields = exported_fields(inspection, is_coco=is_coco)
    written: list[Path] = []
    with opened_dataset(inspection.path) as dataset, writing_to(folder), _whole(folder, written):
        entries = spread_entries(dataset, inspection.max_records)
        ids = _label_ids(inspection, dataset.manifest) if fields.has_boxes else {}
        folder.mkdir(parents=True, exist_ok=True)
        files = ImageFiles(folder, written)
        if is_coco:
            with contextlib.closing(CocoFiles(folder, ids, written)) as coco:
                counts = _write_images(entries, files, coco, num_records)
            done = _told(inspection, folder, fields, counts)
            return replace(done, made=files.made, boxes=coco.boxes, lists=coco.lists)
        names = _label_names(dataset, fields.label_key)
        with _created(folder / CSV_NAME, written) as file:
            rows = CsvRows(file, fields.label_key, names, fields.attributes, tuple(fields.columns))
            counts = _write_images(entries, files, rows, num_records)
        text = to_pbtxt(ids) if fields.has_boxes else "".join(f"{name}\n" for name in names)
        labels_file = folder / (LABEL_MAP if fields.has_boxes else LABELS) if text else None
        if labels_file:
            with _created(labels_file, written) as file:
                file.write(text)
    return replace(
        _told(inspection, folder, fields, counts),
        made=files.made,
        unlabelled=rows.unlabelled,
        labels_file=str(labels_file or ""),
        label_type="name" if labels_file and are_numbers(ids or names) else "",
        boxes=rows.boxes if fields.has_boxes else None,
        lists={CSV_NAME: ""},
    )


def _created(path: Path, written: list[Path]) -> TextIO:
    """A new text file, which counts as written from now on."""
    file = path.open("x", encoding="utf-8", newline="\n")
    written.append(path)
    return file


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


def _label_names(dataset: Dataset, label_key: str) -> list[str]:
    """Names in the order of their ids; none when they are the ids, or when labels have no numbers."""
    declared = agreed(dataset.tfds.values()).get(label_key)
    return _needed(declared.names) if declared else _names_in(dataset.manifest)


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


def _names_in(manifest: Manifest | None) -> list[str]:
    """The names that a dataset of ours numbers, in the order of their ids; none when the names are ids."""
    labels = manifest.labels if manifest is not None else {}
    names = sorted(labels, key=lambda name: labels[name])
    return _needed(names) if [labels[name] for name in names] == [*range(len(names))] else []


def _needed(names: Sequence[str]) -> list[str]:
    """Names in the order of their ids from 0; none when they are the ids."""
    return [] if [*names] == [*map(str, range(len(names)))] else [*names]


def _write_images(
    entries: Iterable[Entry], files: ImageFiles, lists: CocoFiles | CsvRows, most: int
) -> Counter[str]:
    """Writes so many images at most, and their list; returns counts by the names of `Export`."""
    counts: Counter[str] = Counter()
    for entry in entries:
        stored = find_image(entry.features)
        if stored is None or not stored.data:
            counts["without_image"] += 1
            continue
        write = functools.partial(files.write, entry, stored)
        if not lists.add(_split(entry), stored, entry.features, write):
            counts["uneven"] += 1
            continue
        counts["images"] += 1
        counts["several"] += len([*itertools.islice(find_images(entry.features), 2)]) > 1
        if counts["images"] == most:
            break
    return counts


def _told(inspection: Inspection, folder: Path, fields: ExportedFields, counts: Mapping[str, int]) -> Export:
    """What was written, as far as no list tells it."""
    return Export(
        folder=str(folder),
        **dict[str, Any](counts),
        float_label=fields.float_label,
        left_out=fields.left_out,
        sequences=inspection.sequences,
        columns=fields.columns,
        is_target=fields.is_target,
    )


def _split(entry: Entry) -> str:
    """A split that convert knows, by the file's name or the record's own feature; else empty."""
    split = known_split(entry.file)
    feature = entry.features.get("split")
    if not split and feature is not None and feature.kind == "bytes" and len(feature.values) == 1:
        split = known_split(as_text(feature.values[0][:20]))  # type: ignore[index]
    return split
