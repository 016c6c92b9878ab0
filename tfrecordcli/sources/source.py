"""What is converted: a CSV, standard input, a folder of images or a DataFrame, all as one row file.

Everything that is not a CSV on disk is first written as one, so that a single reader serves them
all and two passes are always possible.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import os
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

from tfrecordcli import schema
from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError, MalformedAnswerError
from tfrecordcli.naming import WORK_DIR, is_dataset_file
from tfrecordcli.option_definition import options_of
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.schema import CLASSIFICATION, Schema
from tfrecordcli.sources.coco import read_coco
from tfrecordcli.sources.createml import read_createml
from tfrecordcli.sources.csv_columns import CONTENT_COLUMN, FILENAME_COLUMN
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.data_frame import frame_table
from tfrecordcli.sources.folder import FolderListing
from tfrecordcli.sources.folder_kind import FolderFormat, FolderKind, kind_of_folder
from tfrecordcli.sources.foreign_lists import need_no_foreign_list
from tfrecordcli.sources.json_kinds import JsonKind, kind_of_json
from tfrecordcli.sources.json_lines import read_json_lines
from tfrecordcli.sources.listed import Findings, ListedImage
from tfrecordcli.sources.own_list import OwnList, Reader, write_own_list
from tfrecordcli.sources.record_files import RecordFiles, find_record_files, is_own_dataset, unpacked
from tfrecordcli.sources.records import read_tfrecords
from tfrecordcli.sources.store_listing import StoreListing
from tfrecordcli.sources.survey import survey
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.sources.voc import read_voc
from tfrecordcli.sources.yolo import read_yolo, yolo_root
from tfrecordcli.sources.yolo_description import is_description
from tfrecordcli.storage.remote import download
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.store import hint_of
from tfrecordcli.storage.store_path import StorePath, file_names, place_of, special_kind
from tfrecordcli.storage.uris import WEB, is_on_store, is_remote, public_uri, scheme_of
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.tfrecords.foreign import is_like_name
from tfrecordcli.units import plural, some_of

_HEADER = ("split", "image_uri", "label")

# Options about images in lists, which rows without one have no use for.
_OF_IMAGES = ("image_root", "map", "multi_label", "box_format", "box_unit", "empty_images")
_FORMATS = {"voc": "Pascal VOC", "yolo": "YOLO"}
# Formats that a file and a folder can have.
_OF_FILES = ("auto", "csv", "jsonl", "coco", "createml", "automl", "retinanet", "tfrecord")
_OF_FOLDERS = ("auto", "folder", "voc", "yolo", "tfrecord")
_HEAD = 1 << 14  # bytes by which the kind of a list is told
_PIECE = 1 << 20  # bytes of standard input that are copied at once
_TELL_EVERY = 1.0  # seconds


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
      notes: what was decided and passed over, for a person to check.
      schema: of the records that its rows become.
      doubts: what may not be meant, to be warned of.
      label_ids: name -> id where the source itself gives its labels ids.
      has_ids: whether it gives each image a number of its own.
      left_out: (place of the image, number of the box, reason) of boxes that are in none of its rows.
      box_frame: of boxes, where the source itself settles it.
      is_unpacked: whether its images are in temporary files, which end with this process.
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
    is_unpacked: bool = False


class FolderOfLists(Exception):
    """A folder is no source itself, but has a list in the folder of each split, as Roboflow exports it.

    Attributes:
      lists: (split or "", path) of each.
    """

    def __init__(self, lists: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self.lists = tuple(lists)


@contextlib.contextmanager
def open_source(
    source: Any, options: ReadOptions, output_dir: str, reporter: Reporter | None = None
) -> Iterator[Source]:
    """Opens a source by what it is.

    Args:
      source: path or URL of a CSV or a folder, `-` for a CSV on standard input, or a pandas DataFrame.
      options: how it is read.
      output_dir: left out when it stands inside a source folder.
      reporter: told how long standard input is waited for.

    Raises:
      InputError: there is no such source, or it cannot be read.
      FolderOfLists: it is several.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if scheme_of(path) not in ("", "file") and not is_remote(path):
            raise InputError(f"{path}: {scheme_of(path)}:// is not read", "copy it to a local file")
        if path != "-" and not is_remote(path) and not os.path.isdir(path):
            _need_file(path, output_dir)
            if _is_description(path, options):
                with scratch_folder() as folder:
                    yield _from_description(path, options, output_dir, folder / "rows.csv")
                return
            _need_format(path, options.format, _OF_FILES)
            if _json_kind(path, path, options) is None and _record_files(path, options) is None:
                yield _finish(RowFile(path, path, options), path, os.path.dirname(path) or ".")
                return
    with scratch_folder() as folder:
        spool = folder / "rows.csv"
        if not isinstance(source, (str, os.PathLike)):
            yield _from_frame(source, options, spool)
        elif path == "-":
            yield _from_stdin(options, spool, reporter or Reporter())
        elif not is_remote(path) and not os.path.isdir(path):
            files = _record_files(path, options)
            if files is not None:
                yield _from_records(files, options, spool, reporter or Reporter())
            else:
                yield _from_list(path, path, options, spool, path, os.path.dirname(path) or ".")
        elif is_remote(path):
            yield _from_remote(path, options, output_dir, spool)
        else:
            yield _from_folder(path, options, output_dir, spool, reporter or Reporter())


def _need_no_part_of(path: str, output_dir: str) -> None:
    """Refuses a list that `--overwrite` would replace together with the dataset that it belongs to."""
    folder, name = os.path.split(os.path.realpath(path))
    if folder == os.path.realpath(output_dir) and is_dataset_file(name):
        raise _part_of(path, output_dir)


def _part_of(path: str, output_dir: str) -> InputError:
    return InputError(
        f"{path}: this file belongs to the dataset in {output_dir}", "choose another output directory"
    )


def _need_file(path: str, output_dir: str) -> None:
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file or folder", "check the path")
    if not os.path.isfile(path):
        kind = special_kind(Path(path))
        what = f"{kind}, not a regular file" if kind else "not a regular file"
        raise InputError(f"{path}: {what}", "pipe it in: … | tfrec convert - OUTPUT_DIR")
    _need_no_part_of(path, output_dir)


def _need_format(name: str, chosen: str, possible: Iterable[str]) -> None:
    """Refuses a format that a source of this kind cannot have.

    Raises:
      InputError: naming those that it can.
    """
    if chosen not in possible:
        what = "a file" if "csv" in possible else "a folder"
        raise InputError(
            f"{name}: --format {chosen} cannot be that of {what}", f"use one of {', '.join(possible)}"
        )


def _record_files(path: str, options: ReadOptions) -> RecordFiles | None:
    """The TFRecords at a path; None: it is none, or is said to be something else."""
    if options.format not in ("auto", "tfrecord"):
        return None
    files = find_record_files(path)
    if files is None and options.format == "tfrecord":
        raise InputError(f"{path}: there is no TFRecord in it", "check the path, or leave out --format")
    return files


def _need_images(name: str, what: str, options: ReadOptions) -> None:
    if options.task == "tabular":
        raise InputError(
            f"{name}: --task tabular takes a CSV or a DataFrame, and this is {what}",
            "write its rows as a CSV with a header, or leave out --task tabular",
        )


def _json_kind(path: str, name: str, options: ReadOptions) -> JsonKind | None:
    """Which reader of JSON a list is for; None: it is no JSON."""
    if options.format != "auto":
        return next((kind for kind in get_args(JsonKind) if kind == options.format), None)
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read", "check its permissions") from error
    need_no_foreign_list(head, name, options.encoding)
    return kind_of_json(head, name, options.encoding)


def _from_list(path: str, name: str, options: ReadOptions, spool: Path, given: str, root: str) -> Source:
    """A list on disk, whatever its form.

    Args:
      path: where it is.
      name: as messages call it.
      spool: that it is written to in tfrec's own form when it is no CSV.
      given, root: of the source.
    """
    _need_format(name, options.format, _OF_FILES)
    kind = _json_kind(path, name, options)
    if kind is None:
        return _finish(RowFile(path, name, options), given, root)
    _need_images(name, "JSON", options)
    own = spool.with_name("own.csv")
    read = _json_reader(kind, path, name, options)
    source = _from_own(own, write_own_list(own, read, name, options.unlabelled), name, options, given, root)
    used = ("columns",) if kind == "jsonl" else ()
    return _telling_unused(source, "a list in JSON", options, used)


def _telling_unused(source: Source, what: str, options: ReadOptions, used: Sequence[str] = ()) -> Source:
    """The source with a note for options about columns that it has no use for, but for ``used``."""
    names = [name for name in (*ABOUT_COLUMNS, "delimiter", "exclude") if name not in ("task", "map", *used)]
    return replace(source, notes=(*unused_by(what, options, names), *source.notes))


def _json_reader(kind: JsonKind, path: str, name: str, options: ReadOptions) -> Reader:
    unit: Unit | None = None if options.box_unit == "auto" else options.box_unit
    encoding, form = options.encoding, options.box_format
    if kind == "coco":
        return lambda findings: read_coco(path, findings, name, encoding, unit, form)
    if kind == "createml":
        return lambda findings: read_createml(path, findings, name, encoding, form or "center_xywh")
    return lambda findings: read_json_lines(path, findings, name, encoding, options.columns, form or "xywh")


def _from_own(path: Path, own: OwnList, name: str, options: ReadOptions, given: str, root: str) -> Source:
    """The source of a list that was written in tfrec's own form."""
    findings = own.findings
    notes = [*findings.notes, *(f"{count:,} {what}" for what, count in sorted(findings.counts.items()))]
    if own.extras:
        notes.append(f"fields that are not used: {some_of(list(own.extras))}")
    plain = replace(plain_options(options), image_root=options.image_root, map=options.map, box_format=None)
    if findings.tells_names:
        plain = replace(plain, split_by=options.split_by)
    rows = RowFile(str(path), name, plain, is_own=True, attributes=own.attributes, is_spooled=True)
    rows = replace(rows, features=findings.features)
    source = _finish(rows, given, root, notes)
    left_out = tuple(findings.left_out)
    return replace(source, label_ids=findings.label_ids, has_ids=own.has_ids, left_out=left_out)


def _from_stdin(options: ReadOptions, spool: Path, reporter: Reporter) -> Source:
    if sys.stdin is None:
        raise InputError("standard input is closed", "pipe the list in: … | tfrec convert - OUTPUT_DIR")
    with writing_to(spool.parent), spool.open("wb", buffering=0) as file, _telling(reporter, spool):
        shutil.copyfileobj(sys.stdin.buffer, file, _PIECE)
    return _from_list(str(spool), "standard input", options, spool, "-", ".")


@contextlib.contextmanager
def _telling(reporter: Reporter, spool: Path) -> Iterator[None]:
    """Tells of a file that grows, also while nothing comes."""
    done = threading.Event()

    def tell() -> None:
        while not done.wait(_TELL_EVERY):
            reporter.wait(spool.stat().st_size)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _from_remote(url: str, options: ReadOptions, output_dir: str, spool: Path) -> Source:
    """A list by its URL, which is copied first, since it is read more than once; or a folder on a store."""
    name = public_uri(url)
    if is_on_store(url):
        place = place_of(url)
        assert isinstance(place, StorePath)
        out = place_of(output_dir) if is_on_store(output_dir) else None
        if place.parent == out and is_dataset_file(place.name):
            raise _part_of(url, output_dir)
        try:
            if url.endswith("/") or not place.is_file():
                listing = StoreListing(place, options, skip=out)
                rows = listing.rows()
                first = next(rows, None)
                if first is None and any(map(is_like_name, file_names(place))):
                    what = "TFRecords are converted from a disk only"
                    raise InputError(f"{name}: {what}", "copy them to a folder, then convert that")
                return _from_listing(
                    listing, chain([first] if first else [], rows), str(place), options, spool
                )
        except PermissionError as error:
            raise InputError(f"{name}: may not be read", hint_of(place.scheme)) from error
        except MalformedAnswerError as error:
            raise InputError(error.message, "check the URL, and what answers there") from error
    with writing_to(spool.parent), spool.open("wb") as file:
        download(url, file)
    root = public_uri(url) if scheme_of(url) in WEB else url
    return _from_list(str(spool), name, options, spool, name, root.rpartition("/")[0])


def _from_records(files: RecordFiles, options: ReadOptions, spool: Path, reporter: Reporter) -> Source:
    """TFRecords, a row for each record."""
    _need_images(files.given, "TFRecords", options)
    files = unpacked(files, spool.parent, reporter)
    given, root = files.given, files.root
    about_lists = ("image_root", *ABOUT_COLUMNS, "encoding", "delimiter", "exclude")
    unused = unused_by("TFRecords", options, about_lists)
    own = write_own_list(spool, lambda found: read_tfrecords(files, found, options), given, "keep")
    own.findings.notes[:0] = [f"read as TFRecords: {plural(len(files.names), 'file')}", *unused]
    if not options.stratify:
        options = replace(options, split_by=CONTENT_COLUMN)
    source = _from_own(spool, own, given, replace(options, image_root=None), given, root)
    shown = replace(source, root_as_given=os.path.dirname(given) or "." if os.path.isfile(given) else given)
    doubts = (*files.doubts, *source.doubts)
    frame: Literal["auto", "stored"] = "stored" if own.has_boxes else "auto"
    return replace(shown, doubts=doubts, box_frame=frame, is_unpacked=files.is_unpacked)


def _from_folder(path: str, options: ReadOptions, output_dir: str, spool: Path, reporter: Reporter) -> Source:
    _need_images(path, "a folder", options)
    out = "" if is_on_store(output_dir) else os.path.realpath(output_dir)
    if out == os.path.realpath(path):
        raise InputError(f"{path}: source and output are the same folder", "choose another output directory")
    _need_format(path, options.format, _OF_FOLDERS)
    if options.format in ("voc", "yolo"):
        name: FolderFormat = "voc" if options.format == "voc" else "yolo"
        return _from_annotated_folder(FolderKind(name, f"--format {name}"), path, options, spool, out)
    if options.format == "folder":
        listing = FolderListing(path, options, skip=out)
        return _from_listing(listing, listing.rows(), path, options, spool)
    if (options.format == "tfrecord" or is_own_dataset(path)) and (
        files := find_record_files(path, out)
    ) is not None:
        return _from_records(files, options, spool, reporter)
    if options.format == "tfrecord":
        raise InputError(f"{path}: there is no TFRecord in it", "check the path, or leave out --format")
    if options.label_folder is None and options.task != "classification":
        kind = kind_of_folder(path, out, options.exclude)
        if kind is not None:
            return _from_annotated_folder(kind, path, options, spool, out)
    listing = FolderListing(path, options, skip=out)
    rows = listing.rows()
    first = next(rows, None)
    if first is None and (files := find_record_files(path, out)) is not None:
        return _from_records(files, options, spool, reporter)
    if first is None and os.path.isdir(os.path.join(path, WORK_DIR)):
        raise InputError(f"{path}: a conversion into this folder has not ended", "finish it, then convert it")
    return _from_listing(listing, chain([first] if first else [], rows), path, options, spool)


def _is_description(path: str, options: ReadOptions) -> bool:
    """Whether a file is the data.yaml of a YOLO dataset, whose boxes are wanted."""
    return options.format in ("auto", "yolo") and options.task != "classification" and is_description(path)


def _from_description(path: str, options: ReadOptions, output_dir: str, spool: Path) -> Source:
    """A YOLO dataset by its data.yaml, where the folder has several or another one."""
    _need_images(path, "a YOLO dataset", options)
    skip = "" if is_on_store(output_dir) else os.path.realpath(output_dir)
    return _from_annotated_folder(FolderKind("yolo", os.path.basename(path)), path, options, spool, skip)


def _from_annotated_folder(
    kind: FolderKind, path: str, options: ReadOptions, spool: Path, skip: str
) -> Source:
    """A folder of images with files that tell the boxes in them, or the data.yaml of one."""

    def read(findings: Findings) -> Iterator[ListedImage]:
        findings.notes.append(f"this is read as a folder of {_FORMATS[kind.name]} ({kind.sign})")
        read = read_voc if kind.name == "voc" else read_yolo
        return read(path, findings, skip, options.exclude)

    if kind.lists:
        raise _folder_of_lists(kind, path)
    own = write_own_list(spool, read, path, options.unlabelled)
    root = yolo_root(path) if os.path.isfile(path) else path
    source = _from_own(spool, own, path, options, path, root)
    return _telling_unused(source, "a folder", options, ("exclude",))


def _folder_of_lists(kind: FolderKind, path: str) -> FolderOfLists | InputError:
    names = {os.path.basename(name) for _, name in kind.lists}
    if len(names) > 1:
        return InputError(
            f"{path}: this folder has lists of several kinds: {', '.join(sorted(names))}",
            "give those of one kind, one after another, as in train=train/_annotations.coco.json",
        )
    return FolderOfLists([(split, os.path.join(path, name)) for split, name in kind.lists])


def _from_listing(
    listing: FolderListing | StoreListing,
    rows: Iterator[tuple[str, ...]],
    path: str,
    options: ReadOptions,
    spool: Path,
) -> Source:
    _need_images(path, "a folder", options)
    first = next(rows, None)
    if first is None:
        held = f"it holds {', '.join(listing.passed_over)}: " if listing.passed_over else ""
        cure = (
            "unpack the archives first"
            if any(map(_is_archive, listing.passed_over))
            else "is it the right folder?"
        )
        raise InputError(f"{path}: there is no image in this folder", f"{held}{cure}")
    _write_rows(spool, chain([first], rows))
    notes = [*unused_by("a folder", options, ("image_root", *ABOUT_COLUMNS, "encoding", "delimiter"))]
    notes += listing.exclusion.notes()
    if listing.base:
        notes.append(f"all images are in {listing.base}: the folders in there are the splits and labels")
    if listing.no_labels:
        names = ", ".join(sorted(listing.no_labels))
        notes.append(f"images in {names} are taken without a label, as --unlabelled keep says")
    if listing.unread_splits:
        names = ", ".join(sorted(listing.unread_splits))
        notes.append(
            f"folders that are called like splits are not read as splits: {names}; those have to stand above "
            "the folders of labels and be called train, validation, test"
        )
    if listing.passed_over_count:
        count = plural(listing.passed_over_count, "entry", "entries")
        more = ", …" if listing.passed_over_count > len(listing.passed_over) else ""
        are = "is" if listing.passed_over_count == 1 else "are"
        notes.append(f"passed over {count} that {are} no image: {', '.join(listing.passed_over)}{more}")
    rows_file = RowFile(str(spool), path, plain_options(options), is_own=True, is_listing=True)
    source = _finish(rows_file, path, path, notes)
    return replace(source, doubts=(*listing.doubts, *source.doubts))


def _is_archive(name: str) -> bool:
    return name.lower().endswith((".tar", ".zip", ".tgz", ".tar.gz", ".7z", ".rar"))


def _from_frame(frame: Any, options: ReadOptions, spool: Path) -> Source:
    if not hasattr(frame, "itertuples"):
        raise InputError(f"a {type(frame).__name__} cannot be converted", "give a path or a pandas DataFrame")
    header, rows = frame_table(frame, options)
    try:
        _write_rows(spool, rows, header)
    except UnicodeEncodeError as error:
        text = ascii(error.object.strip())
        raise InputError(f"DataFrame: not every character is Unicode: {text}", "rename the file") from error
    notes = unused_by("a DataFrame", options, ("encoding", "delimiter", "label_folder", "exclude"))
    options = replace(options, encoding="utf-8", delimiter=",")
    return _finish(RowFile(str(spool), "DataFrame", options, is_own=True), "", ".", notes)


def plain_options(options: ReadOptions) -> ReadOptions:
    """Options for a list that tfrec wrote itself."""
    defaults = {
        name: option.default for name, option in options_of(ReadOptions).items() if name in ABOUT_COLUMNS
    }
    return replace(options, image_root=None, encoding="utf-8", delimiter=",", format="auto", **defaults)


def _write_rows(spool: Path, rows: Iterable[Iterable[str]], header: Iterable[str] = _HEADER) -> None:
    with writing_to(spool.parent), spool.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")  # so that fields with either are quoted
        writer.writerow(header)
        writer.writerows(rows)


def _finish(rows: RowFile, given: str, root: str, notes: Iterable[str] = ()) -> Source:
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


def need_unchanged(source: Source) -> None:
    """Sees that a list which was just read is still the one whose digest was taken before.

    Raises:
      InputError: somebody wrote to it meanwhile.
    """
    if digest_of(source.rows) != source.digest:
        raise InputError(
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
