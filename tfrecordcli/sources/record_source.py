"""TFRecords as a source: a row for each record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.schema import IMAGE_TARGET, SPLITS, Feature
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import CONTENT_COLUMN
from tfrecordcli.sources.further_columns import ALL, KIND_OF_WORD
from tfrecordcli.sources.list_source import (
    source_of_own,
)
from tfrecordcli.sources.listed import Findings
from tfrecordcli.sources.own_list import write_own_list
from tfrecordcli.sources.records.files import RecordFiles, find_record_files, unpacked
from tfrecordcli.sources.records.files_beside import told_beside
from tfrecordcli.sources.records.rows import read_tfrecords
from tfrecordcli.sources.records.splits_of_files import told_unnamed
from tfrecordcli.sources.source import (
    TFRECORDS,
    Source,
    need_images,
)
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.units import join_pairs, plural, some_of

# Options about columns that hold for records, too.
_USED: Final = ("features", "one_hot", "split_by", "split_map", "task")


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
    need_images(files.given, TFRECORDS, options)
    files = unpacked(files, spool.parent, reporter)
    given, root = files.given, files.root
    is_told = len(options.splits) == 1 or files.schema is not None  # of which split all are
    unnamed = [] if is_told else [*told_unnamed(given, files.names)]
    about_lists = ("image_root", *ABOUT_COLUMNS, "encoding", "delimiter", "exclude")
    of_label = ("columns",) if {*dict(options.columns)} <= {"label"} else ()
    unused = unused_by(TFRECORDS, options, [name for name in about_lists if name not in (*_USED, *of_label)])
    _need_no_split_column(given, options)
    own = write_own_list(spool, lambda found: read_tfrecords(files, found, options), given, "keep")
    if own.has_boxes and own.findings.form is None:
        unused = (*unused, *unused_by("TFRecords whose keys say it", options, ["box_format"]))
    own.findings.notes[:0] = [f"read as TFRecords: {plural(len(files.names), 'file')}", *unused]
    if options.split_by is not None:
        options = replace(options, split_by=_column_of(given, options.split_by, own.findings))
    elif not options.stratify:
        options = replace(options, split_by=CONTENT_COLUMN)
    own.findings.features = tuple(_asked_for(given, own.findings.features, options))
    source = source_of_own(spool, own, given, replace(options, image_root=None), given, root)
    shown = replace(source, root_as_given=files.folder)
    named = [path for path in (options.label_names, options.labels_file) if path]
    beside = told_beside(files, named)
    doubts = (*files.doubts, *unnamed, *_told_replaced(files.replaced), *beside, *source.doubts)
    frame: Literal["auto", "stored"] = "stored" if own.has_boxes else "auto"
    return replace(shown, doubts=doubts, box_frame=frame, is_unpacked=files.is_unpacked)


def _need_no_split_column(given: str, options: ReadOptions) -> None:
    """Refuses a column for splits: records have theirs by the names of their files, or by their feature."""
    if "split" in dict(options.columns):
        raise InputError(
            f"{given}: --columns split={dict(options.columns)['split']}: TFRecords have no columns",
            "--split-by FEATURE assigns all records by a feature; --split-map renames the splits they have",
        )


def _told_replaced(replaced: Mapping[str, int]) -> Iterator[str]:
    """That records of several splits are assigned anew, with the option that leaves those of one alone."""
    if len(replaced) > 1:
        counts = [f"{replaced[split]:,} of {split}" for split in SPLITS if split in replaced]
        kept = next(split for split in reversed(SPLITS) if split in replaced)
        others = join_pairs((split, "unassigned") for split in SPLITS if split in replaced and split != kept)
        keep = f"{command_line(['--split-map', others])} leaves those of {kept} where they are"
        yield f"--split-by assigns all records anew, {' and '.join(counts)} among them: {keep}"


def _asked_for(given: str, features: Sequence[Feature], options: ReadOptions) -> Iterator[Feature]:
    """The further features that are stored: those of `--features`, else all.

    Raises:
      InputError: one that is asked for is not there, or of another type.
    """
    entries = [typed_column(entry) for entry in options.features if options.features != ALL]
    chosen = {IMAGE_TARGET}
    for name, kind, _ in entries:
        found = _called(name, features)
        if len(found) != 1 and not (options.is_part and not found):
            raise _not_there(given, f"--features {name}", features)
        for each in found:
            if kind and each.kind != KIND_OF_WORD[kind]:
                what = f"--features {name}:{kind}: the records hold {each.kind}"
                raise InputError(f"{given}: {what}", "leave the type out: that of the records stays")
            chosen.add(each.key)
    return (each for each in features if not entries or each.key in chosen)


def _column_of(given: str, name: str, findings: Findings) -> str:
    """The column of a further feature.

    Raises:
      InputError: the records have none of that name, or several.
    """
    found = _called(name, findings.features)
    if len(found) == 1:
        return str(found[0].column)
    raise _not_there(given, f"--split-by {name}", findings.features)


def _called(name: str, features: Iterable[Feature]) -> list[Feature]:
    """Further features by their key or the last part of it."""
    by_key = {each.key: each for each in features}
    if name in by_key:
        return [by_key[name]]
    return [each for key, each in by_key.items() if key.rpartition("/")[2] == name]


def _not_there(given: str, asked: str, features: Iterable[Feature]) -> InputError:
    return InputError(
        f"{given}: {asked}: not one feature of that name; further features of the records: "
        f"{some_of([each.key for each in features], 50) or 'none'}",
        "convert the list that they were made of, if it has such a column",
    )
