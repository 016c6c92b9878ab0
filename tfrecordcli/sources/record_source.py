"""TFRecords as a source: a row for each record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from tfrecordcli.errors import InputError
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.sources.column_words import CONTENT_COLUMN
from tfrecordcli.sources.list_source import (
    source_of_own,
)
from tfrecordcli.sources.own_list import write_own_list
from tfrecordcli.sources.records.files import RecordFiles, find_record_files, unpacked
from tfrecordcli.sources.records.rows import read_tfrecords
from tfrecordcli.sources.source import (
    Source,
    need_images,
)
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.units import plural


def record_files(path: str, options: ReadOptions) -> RecordFiles | None:
    """The TFRecords at a path; None: it is none, or is said to be something else."""
    if options.format not in ("auto", "tfrecord"):
        return None
    files = find_record_files(path)
    if files is None and options.format == "tfrecord":
        raise InputError(f"{path}: there is no TFRecord in it", "check the path, or leave out --format")
    return files


def source_of_records(files: RecordFiles, options: ReadOptions, spool: Path, reporter: Reporter) -> Source:
    """TFRecords, a row for each record."""
    need_images(files.given, "TFRecords", options)
    files = unpacked(files, spool.parent, reporter)
    given, root = files.given, files.root
    about_lists = ("image_root", *ABOUT_COLUMNS, "encoding", "delimiter", "exclude")
    unused = unused_by("TFRecords", options, about_lists)
    own = write_own_list(spool, lambda found: read_tfrecords(files, found, options), given, "keep")
    own.findings.notes[:0] = [f"read as TFRecords: {plural(len(files.names), 'file')}", *unused]
    if not options.stratify:
        options = replace(options, split_by=CONTENT_COLUMN)
    source = source_of_own(spool, own, given, replace(options, image_root=None), given, root)
    shown = replace(source, root_as_given=files.folder)
    doubts = (*files.doubts, *source.doubts)
    frame: Literal["auto", "stored"] = "stored" if own.has_boxes else "auto"
    return replace(shown, doubts=doubts, box_frame=frame, is_unpacked=files.is_unpacked)
