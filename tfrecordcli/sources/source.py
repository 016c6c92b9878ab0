"""What is converted, as one row file.

What is no CSV on disk was written as one, so that a single reader serves all and two passes are possible.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from tfrecordcli import schema
from tfrecordcli.errors import BusyError, InputError
from tfrecordcli.option_definition import options_of
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.schema import CLASSIFICATION, Schema, Task
from tfrecordcli.sources.column_words import FILENAME_COLUMN
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.uris import is_on_store, is_remote
from tfrecordcli.storage.writing import writing_to

_HEADER = ("split", "image_uri", "label")
# Options about images in lists, which rows without one have no use for.
_OF_IMAGES = ("image_root", "map", "multi_label", "box_format", "box_unit", "empty_images")
# What lists for each task tell.
_TELLS: Final[Mapping[Task, str]] = {
    "classification": "labels of whole images",
    "detection": "boxes",
    "regression": "numbers of whole images",
    "tabular": "rows without images",
}
TFRECORDS: Final = "TFRecords"  # as messages call such a source
# Formats that a file and a folder can have.
OF_FILES = ("auto", "csv", "jsonl", "coco", "createml", "automl", "retinanet", "tfrecord")
OF_FOLDERS = ("auto", "folder", "voc", "yolo", "tfrecord")


class FolderOfLists(Exception):
    """A folder is no source itself, but has a list in the folder of each split, as Roboflow exports it.

    Attributes:
      lists: (split or "", path) of each.
    """

    def __init__(self, lists: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self.lists = tuple(lists)


@dataclass(frozen=True, slots=True)
class Source:
    """A source that is ready to be read.

    Attributes:
      rows: its row file.
      given: the source as the user named it, for messages and commands; "" for a DataFrame.
      image_root: absolute folder or URL that relative image URIs are relative to.
      root_as_given: the same as the user would write it.
      digest: SHA-256 of the row file.
      size: bytes of the row file.
      notes: what was decided and skipped, for a person to check.
      schema: of the records that its rows become.
      doubts: what may not be meant, to be warned of.
      label_ids: name -> id where the source itself gives its labels ids.
      has_ids: whether it gives each image a number of its own.
      left_out: (place of the image, number of the box, reason) of boxes that are in none of its rows.
      box_frame: of boxes, where the source itself settles it.
      tells_units: whether each of its rows names the unit of its box.
      is_unpacked: whether its images are in temporary files, which end with this process.
      contradiction: of several, what rows that contradict each other mean; "": one image.
      named_splits: of several, the command that gives them the splits they are called by; "": they have them.
      splits_beside: of a folder of boxes, the warning of files beside that name the images of splits.
      parts: of several, the row file of each.
    """

    rows: RowFile
    given: str
    image_root: str
    root_as_given: str
    digest: str
    size: int
    notes: tuple[str, ...] = ()
    schema: Schema = CLASSIFICATION
    doubts: tuple[str, ...] = ()
    label_ids: Mapping[str, int] = field(default_factory=dict)
    has_ids: bool = False
    left_out: tuple[tuple[str, int, str], ...] = ()
    box_frame: Literal["auto", "stored"] = "auto"
    tells_units: bool = False
    is_unpacked: bool = False
    contradiction: str = ""
    named_splits: str = ""
    splits_beside: str = ""
    parts: tuple[RowFile, ...] = ()


def need_unchanged(source: Source) -> None:
    """Sees that a list which was just read is still the one whose digest was taken before.

    Raises:
      BusyError: somebody wrote to it meanwhile.
      InputError: it cannot be read any more.
    """
    if digest_of(source.rows) != source.digest:
        raise BusyError(
            f"{source.rows.name}: it changed while it was read",
            "run the same command again when nobody writes to it",
        )


def digest_of(rows: RowFile) -> str:
    """SHA-256 of a row file.

    Raises:
      InputError: it cannot be read.
    """
    try:
        with open(rows.path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{rows.name}: the file cannot be read", "check its permissions") from error


def finished_source(rows: RowFile, given: str, root: str, notes: Iterable[str] = ()) -> Source:
    """The source of a row file, after a look at its first rows.

    Args:
      given: as the user named it.
      root: of its images, unless the user named another one.
      notes: on how it was read.

    Raises:
      InputError: it is no list, or only an option can say how it is read.
    """
    from tfrecordcli.sources.survey import survey  # here: what reads a plan needs none of it

    root = rows.options.image_root or root
    if is_on_store(root):
        place_of(root)
    elif not is_remote(root) and not os.path.isdir(root):
        what = "it is no folder" if os.path.exists(root) else "no such folder"
        raise InputError(f"--image-root {root}: {what}", "check the path")
    digest = digest_of(rows)
    size = os.path.getsize(rows.path)
    if not rows.is_own:
        notes = unused_by("a list", rows.options, ("label_folder", "exclude"))
    if rows.options.task == "tabular":
        notes = (*notes, *unused_by("a table, whose rows have no image", rows.options, _OF_IMAGES))
    absolute = root if is_remote(root) else os.path.abspath(root)
    rows, records = _with_schema(rows)
    seen = survey(rows, absolute, records)
    notes = (*notes, *seen.notes)
    return Source(seen.rows, given, absolute, root, digest, size, notes, seen.schema, seen.doubts)


def _with_schema(rows: RowFile) -> tuple[RowFile, Schema]:
    """The schema of the records that rows become, and the rows as they are read for it."""
    further = rows.features
    rows = replace(rows, features=schema.CLASSIFICATION.columns)
    shape = rows.shape()
    if shape.is_table:
        return rows, schema.tabular(has_labels=bool(shape.labels))
    records = schema.CLASSIFICATION
    if shape.boxes is not None:
        records = schema.detection(rows.attributes if rows.is_spooled else shape.boxes.attributes)
    elif FILENAME_COLUMN not in shape.header:
        return rows, records
    if FILENAME_COLUMN in shape.header:
        records = schema.named_by_column(records, FILENAME_COLUMN)
    target = next((each for each in further if each.key == schema.IMAGE_TARGET), None)
    if target is not None:
        records = schema.regression(records, target)
    others = [each for each in further if each != target]
    records = replace(records, features=(*records.features, *others))
    return replace(rows, features=records.columns, attributes=records.attributes), records


def need_format(name: str, chosen: str, possible: Iterable[str]) -> None:
    """Refuses a format that a source of this kind cannot have.

    Raises:
      InputError: naming those that it can.
    """
    if chosen not in possible:
        what = "a file" if "csv" in possible else "a folder"
        raise InputError(
            f"{name}: --format {chosen} cannot be that of {what}", f"use one of {', '.join(possible)}"
        )


def need_images(name: str, what: str, options: ReadOptions) -> None:
    """Refuses what is no table where rows without images were asked for.

    Raises:
      InputError: naming what it is.
    """
    if options.task == "tabular":
        other = "give the table that they were made of" if what == TFRECORDS else "leave out --task tabular"
        raise InputError(
            f"{name}: --task tabular takes a CSV or a DataFrame, and this is {what}",
            f"write its rows as a CSV with a header, or {other}",
        )


def need_task(source: Source, task: Task | Literal["auto"]) -> None:
    """Refuses a source that tells other things than the task is about: folders and JSON have one shape.

    Raises:
      InputError: naming both.
    """
    told = source.schema.task
    if task == "auto" or task == told:
        return
    name = source.given or "the source"
    raise InputError(
        f"{name}: --task {task} is for {_TELLS[task]}, and this tells {_TELLS[told]}",
        f"leave out --task {task}, or give a list that tells {_TELLS[task]}",
    )


def plain_options(options: ReadOptions) -> ReadOptions:
    """Options for a list that tfrec wrote itself."""
    defaults = {
        name: option.default for name, option in options_of(ReadOptions).items() if name in ABOUT_COLUMNS
    }
    return replace(options, image_root=None, encoding="utf-8", delimiter=",", format="auto", **defaults)


def write_rows(spool: Path, rows: Iterable[Iterable[str]], header: Iterable[str] = _HEADER) -> None:
    """Writes rows as a CSV, below a header."""
    with writing_to(spool.parent), spool.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")  # so that fields with either are quoted
        writer.writerow(header)
        writer.writerows(rows)
