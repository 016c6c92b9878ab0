"""Folders as sources: of labels, of boxes, of records, or of lists."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError, UnfinishedSourceError
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fields import corners_in_form
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import copies_doubt
from tfrecordcli.sources.folders.boxes_in_tables import need_no_tables_in
from tfrecordcli.sources.folders.groups_in_names import need_no_groups
from tfrecordcli.sources.folders.image_folders import ANNOTATIONS, IMAGES
from tfrecordcli.sources.folders.kind import (
    FolderFormat,
    FolderKind,
    kind_of_boxes,
    kind_of_folder,
    need_no_json_of_images,
    need_no_other_xml,
)
from tfrecordcli.sources.folders.known_sets import need_no_known_set
from tfrecordcli.sources.folders.lists_beside import ListsBeside
from tfrecordcli.sources.folders.lists_of_splits import is_table
from tfrecordcli.sources.folders.local import FolderListing
from tfrecordcli.sources.folders.on_store import StoreListing
from tfrecordcli.sources.folders.same_files import same_files_doubt
from tfrecordcli.sources.folders.tree import Tree
from tfrecordcli.sources.folders.video_files import frames_of, is_video
from tfrecordcli.sources.folders.voc import read_voc
from tfrecordcli.sources.folders.yolo import read_yolo, yolo_root
from tfrecordcli.sources.folders.yolo_description import is_description
from tfrecordcli.sources.further_keys import FurtherKeys
from tfrecordcli.sources.list_source import (
    ABOUT_KEYS,
    source_of_own,
    telling_unused,
)
from tfrecordcli.sources.listed import Findings, ListedImage
from tfrecordcli.sources.own_list import write_own_list
from tfrecordcli.sources.record_source import source_of_records
from tfrecordcli.sources.records.files import find_record_files, is_own_dataset
from tfrecordcli.sources.source import (
    OF_FOLDERS,
    TFRECORDS,
    FolderOfLists,
    Source,
    finished_source,
    need_format,
    need_images,
    plain_options,
    write_rows,
)
from tfrecordcli.sources.splits_beside import making_sets, splits_beside_voc, splits_beside_yolo
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.storage.store_path import Place, StorePath, place_of
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.units import plural

# Images of a folder between two words on how many there are.
_TELL_EVERY = 1_000
_FIRST = 1_000  # images that lists of splits may name
_FORMATS = {"voc": "Pascal VOC", "yolo": "YOLO"}


def source_of_folder(
    path: str, options: ReadOptions, output_dir: str, spool: Path, reporter: Reporter
) -> Source:
    """A folder, by what is in it.

    Raises:
      InputError: nothing that is read, or signs of two kinds.
      FolderOfLists: it is several sources.
    """
    need_images(path, TFRECORDS if is_own_dataset(path) else "a folder", options)
    out = "" if is_on_store(output_dir) else os.path.realpath(output_dir)
    if out == os.path.realpath(path):
        raise InputError(f"{path}: source and output are the same folder", "choose another output directory")
    need_format(path, options.format, OF_FOLDERS)
    if options.format in ("voc", "yolo"):
        name: FolderFormat = "voc" if options.format == "voc" else "yolo"
        if name == "voc":
            need_no_other_xml(path, out, options.exclude)
        return _from_annotated_folder(FolderKind(name, f"--format {name}"), path, options, spool, out)
    if options.format == "folder":
        listing = FolderListing(path, options, skip=out)
        return source_of_listing(listing, listing.rows(), path, options, spool, reporter)
    if (options.format == "tfrecord" or is_own_dataset(path)) and (
        files := find_record_files(path, out)
    ) is not None:
        return source_of_records(files, options, spool, reporter)
    if options.format == "tfrecord":
        raise _no_records(path)
    if options.label_folder is None and options.task != "classification":
        kind = kind_of_folder(path, out, options.exclude)
        if kind is not None:
            return _from_annotated_folder(kind, path, options, spool, out)
    need_no_known_set(
        path,
        out,
        has_labels=options.label_folder is not None,
        may_have_boxes=options.task != "classification",
    )
    if options.label_folder is None:
        kind = kind_of_boxes(path, out, options.exclude) if options.task == "detection" else None
        if kind is not None:
            return _from_annotated_folder(kind, path, options, spool, out)
    try:
        return _from_listing(FolderListing(path, options, skip=out), path, options, out, spool, reporter)
    except InputError:
        if options.label_folder is None and options.task != "classification":
            for folder in _around(path):
                need_no_json_of_images(folder, out, options.exclude)
            need_no_tables_in(_around(path), out, options.exclude)
        raise


def _around(path: str) -> list[str]:
    """A folder, and the one above where its name says that it holds images or annotations alone."""
    above, name = os.path.split(os.path.normpath(path))
    if name.lower() in ANNOTATIONS:
        return [above or ".", path]
    return [path, above or "."] if name.lower() in IMAGES else [path]


def _from_listing(
    listing: FolderListing | StoreListing,
    path: str,
    options: ReadOptions,
    out: str,
    spool: Path,
    reporter: Reporter,
) -> Source:
    """A folder without annotations: of splits and labels, or of records.

    Raises:
      InputError: as `source_of_listing`.
    """
    rows = listing.rows()
    first = next(rows, None)
    if first is None and (files := find_record_files(path, out)) is not None:
        return source_of_records(files, options, spool, reporter)
    if first is None and _is_unfinished(path):
        raise UnfinishedSourceError(path)
    return source_of_listing(listing, chain([first] if first else [], rows), path, options, spool, reporter)


def source_of_store_folder(
    folder: StorePath, options: ReadOptions, skip: Place | None, spool: Path, reporter: Reporter
) -> Source:
    """A folder on a store: of labels, or of records.

    Args:
      skip: the output directory, which may be in there.

    Raises:
      InputError: nothing that is read.
    """
    path, out = str(folder), str(skip or "")
    if options.format == "tfrecord" or (options.format == "auto" and is_own_dataset(path)):
        files = find_record_files(path, out)
        if files is not None:
            return source_of_records(files, options, spool, reporter)
        if options.format == "tfrecord":
            raise _no_records(path)
    return _from_listing(StoreListing(folder, options, skip=skip), path, options, out, spool, reporter)


def _is_unfinished(path: str) -> bool:
    return (place_of(path) / WORK_DIR).is_dir()


def _no_records(path: str) -> InputError:
    if _is_unfinished(path):
        return UnfinishedSourceError(path)
    return InputError(f"{path}: there is no TFRecord in it", "check the path, or leave out --format")


def names_a_dataset(path: str, options: ReadOptions) -> bool:
    """Whether a file is the data.yaml of a YOLO dataset, whose boxes are wanted."""
    return options.format in ("auto", "yolo") and options.task != "classification" and is_description(path)


def source_of_description(path: str, options: ReadOptions, output_dir: str, spool: Path) -> Source:
    """A YOLO dataset by its data.yaml, where the folder has several or another one."""
    need_images(path, "a YOLO dataset", options)
    skip = "" if is_on_store(output_dir) else os.path.realpath(output_dir)
    return _from_annotated_folder(FolderKind("yolo", os.path.basename(path)), path, options, spool, skip)


def _from_annotated_folder(
    kind: FolderKind, path: str, options: ReadOptions, spool: Path, skip: str
) -> Source:
    """A folder of images with files that tell the boxes in them, or the data.yaml of one."""

    def read(findings: Findings) -> Iterator[ListedImage]:
        findings.notes.append(f"this is read as a folder of {_FORMATS[kind.name]} ({kind.sign})")
        if kind.name == "voc":
            findings.form = "xyxy"
            findings.notes += _lists_passed_over(path)
            images = read_voc(path, findings, skip, options.exclude, has_further=further is not None)
            unit: Unit = "pixels" if options.box_unit == "auto" else options.box_unit
            images = (replace(image, unit=unit) for image in images)
            return (_in_form(image, options.box_format or "xyxy") for image in images)
        return read_yolo(path, findings, skip, options.exclude, options.box_format or "center_xywh")

    if kind.lists:
        raise _folder_of_lists(kind, path)
    further = FurtherKeys.asked_by(options) if kind.name == "voc" else None
    own = write_own_list(spool, read, path, options.unlabelled, further)
    root = yolo_root(path) if os.path.isfile(path) else path
    source = source_of_own(spool, own, path, options, path, root)
    if further is None:
        need_no_groups(source.rows, path, options.split_by, options.exclude)
    if not own.has_splits and not is_on_store(root):
        first = (row.image_uri for row in islice(source.rows.read()[1], _FIRST))
        told = splits_beside_yolo if kind.name == "yolo" else splits_beside_voc
        beside = told(root, dict.fromkeys(first)) or making_sets(own.findings.splits_beside)
        source = replace(source, splits_beside=beside)
    used = ABOUT_KEYS if kind.name == "voc" else ()
    return telling_unused(source, "a folder", options, ("exclude", *used))


def _lists_passed_over(path: str) -> Iterator[str]:
    """That lists beside annotations name the same images, as those of splits do."""
    tree = Tree(path)
    lists = ListsBeside(tree.head)
    for name in filter(is_table, tree.entries().files):
        lists.add(name)
    if command := lists.of_images_there(path):
        yield f"lists that name images are passed over, whatever splits they tell: {command} reads these"


def _in_form(image: ListedImage, form: BoxFormat) -> ListedImage:
    """An image whose boxes have their four numbers in another form than they are called."""
    if form == "xyxy" or image.problem is not None or image.boxes is None:
        return image
    try:
        boxes = [replace(box, corners=corners_in_form(box.corners, form)) for box in image.boxes]
    except Rejected as problem:
        return replace(image, problem=problem)
    return replace(image, boxes=tuple(boxes))


def _folder_of_lists(kind: FolderKind, path: str) -> FolderOfLists | InputError:
    names = {os.path.basename(name) for _, name in kind.lists}
    if len(names) > 1:
        one = [(split, name) for split, name in kind.lists if os.path.basename(name) == min(names)]
        alike = [f"{split}={os.path.join(path, name)}".removeprefix("=") for split, name in one]
        return InputError(
            f"{path}: this folder has lists of several kinds: {', '.join(sorted(names))}",
            f"give those of one kind, as in {command_line(['tfrec', 'convert', *alike])} OUTPUT_DIR",
        )
    return FolderOfLists([(split, os.path.join(path, name)) for split, name in kind.lists])


def source_of_listing(
    listing: FolderListing | StoreListing,
    rows: Iterator[tuple[str, ...]],
    path: str,
    options: ReadOptions,
    spool: Path,
    reporter: Reporter,
) -> Source:
    """A folder whose folders are splits and labels.

    Raises:
      InputError: there is no image in it, or what `Listing.rows` raises.
    """
    need_images(path, "a folder", options)
    first = next(rows, None)
    if first is None:
        held = f"it holds {', '.join(listing.passed_over)}: " if listing.passed_over else ""
        videos = [name for name in listing.passed_over if is_video(name)]
        hint = (
            "unpack the archives first"
            if any(map(_is_archive, listing.passed_over))
            else f"videos, and a record holds an image; {frames_of(videos, path)}"
            if videos
            else f"convert its lists of images that are elsewhere: {listing.lists}"
            if listing.lists
            else next(_names_lost(listing), "is it the right folder?")
        )
        raise InputError(f"{path}: there is no image in this folder", f"{held}{hint}")
    write_rows(spool, _counted(chain([first], rows), f"listing {path}", reporter))
    notes = [*unused_by("a folder", options, ("image_root", *ABOUT_COLUMNS, "encoding", "delimiter"))]
    notes += listing.exclusion.notes()
    if listing.base:
        notes.append(f"all images are in {listing.base}: the folders in there are the splits and labels")
    if listing.are_splits_below:
        notes.append("the folders of splits stand in those of labels, and are read so")
    if listing.no_labels:
        names = ", ".join(sorted(listing.no_labels))
        taken = "left out" if options.unlabelled == "skip" else "taken without a label"
        notes.append(f"images in {names} are {taken}, as --unlabelled {options.unlabelled} says")
    if listing.passed_over_count:
        count = plural(listing.passed_over_count, "entry", "entries")
        more = ", …" if listing.passed_over_count > len(listing.passed_over) else ""
        are = "is" if listing.passed_over_count == 1 else "are"
        notes.append(f"passed over {count} that {are} no image: {', '.join(listing.passed_over)}{more}")
    rows_file = RowFile(str(spool), path, plain_options(options), is_own=True, is_listing=True)
    source = finished_source(rows_file, path, path, notes)
    need_no_groups(source.rows, path, options.split_by, options.exclude)
    copies = copies_doubt(source.rows, path, options.split_by, options.exclude)
    again = same_files_doubt(source.rows, path)
    unread = _splits_unread(listing)
    doubts = (*listing.doubts, *filter(None, [copies, again, unread]), *_names_lost(listing), *source.doubts)
    return replace(source, doubts=doubts, named_splits=listing.named_splits)


def _counted(rows: Iterator[tuple[str, ...]], part: str, reporter: Reporter) -> Iterator[tuple[str, ...]]:
    """The rows, told of as they come."""
    for number, row in enumerate(rows):
        if number % _TELL_EVERY == 0:
            reporter.begin(f"{part}: {number:,} images so far")
        yield row


def _splits_unread(listing: FolderListing | StoreListing) -> str:
    """The doubt of folders that are called like splits and are none; empty without such."""
    names = ", ".join(sorted(listing.unread_splits))
    return names and (
        f"folders that are called like splits are not read as splits: {names}; those have to stand above the "
        "folders of labels, all at one depth, and be called train, validation, test; where some do, convert "
        "the folder that they are in"
    )


def _names_lost(listing: FolderListing | StoreListing) -> Iterator[str]:
    """What to do about names that no list and no record can hold."""
    if listing.not_text:
        more = ", …" if listing.not_text_count > len(listing.not_text) else ""
        rename = command_line(["convmv", "-r", "-f", "latin1", "-t", "utf8", "--notest", listing.root])
        count = plural(listing.not_text_count, "image or folder", "images and folders")
        yield (
            f"passed over {count} by names that are not UTF-8 ({', '.join(listing.not_text)}{more}); "
            f"where they are Latin-1, {rename} renames them"
        )


def _is_archive(name: str) -> bool:
    return name.lower().endswith((".tar", ".zip", ".tgz", ".tar.gz", ".7z", ".rar"))
