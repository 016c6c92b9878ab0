"""Lists of images whose boxes are in files beside these, as Darknet and Ultralytics have them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.yolo_description import OBJ_DATA, is_description
from tfrecordcli.sources.folders.yolo_names import is_names_file
from tfrecordcli.sources.image_paths import PathRules
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

_LOOKED_FOR: Final = 20  # images
_WALKED: Final = 2_000  # folders
_BOX: Final = re.compile(rf"[0-9]+(?: {WRITTEN}){{4,}}\s*".encode())


def names_images_alone(sample: Sample) -> bool:
    """Whether rows without a header have neither a label nor a split."""
    told = any(names or word for word, _, names in sample.words)
    return bool(sample.words) and not sample.shape.header and not told


def need_no_label_files(sample: Sample, rows: RowFile) -> None:
    """Refuses a list of nothing but paths where labels are needed and files of boxes lie beside its images.

    Raises:
      InputError: with the folder to convert.
    """
    if rows.options.unlabelled != "error" or not names_images_alone(sample):
        return
    if label_file := _label_file(sample, rows):
        command = _converting(label_file, rows.name)
    else:
        label_file, command = _label_file_below(sample, rows), _converting_above(rows.name)
    if label_file:
        raise InputError(
            f"its rows name images and nothing else, and boxes are in files such as {label_file}",
            f"convert the folder that holds both: {command}",
        )


def told_label_files(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That images which are kept without labels have files with boxes beside them."""
    if rows.options.unlabelled == "error" or rows.is_spooled or not names_images_alone(sample):
        return
    label_file = _label_file(sample, rows)
    if label_file and _holds_a_box(label_file):
        yield (
            f"boxes are in files such as {label_file}, and are not read: "
            f"{_converting(label_file, rows.name)} converts the folder that holds both"
        )


def _label_file(sample: Sample, rows: RowFile) -> str:
    """Where the boxes of the first image are; empty where no file is there.

    Paths of another machine, which lead to no image here, are followed by their ends.
    """
    folder = rows.options.image_root or os.path.dirname(rows.name)
    path = PathRules(rows.options.map).apply(sample.words[0][1]).replace("\\", "/")
    if is_remote(path) or is_remote(folder):
        return ""
    parts = path.split("/")
    is_there = os.path.isfile(os.path.join(folder, path))
    ends = () if is_there else ("/".join(parts[start:]) for start in range(1, len(parts)))
    places = (os.path.join(folder, each) for each in chain((path,), ends))
    return next(filter(os.path.isfile, chain.from_iterable(map(_label_files, places))), "")


def _label_file_below(sample: Sample, rows: RowFile) -> str:
    """Where the boxes of the first image are beside it in the only folder that has it, below the list's.

    Empty where none is there, the first is no box, or the image leads somewhere by the end of its path.
    """
    root, paths = os.path.dirname(rows.name) or ".", [uri.replace("\\", "/") for _, uri, _ in sample.words]
    if (
        rows.is_spooled
        or rows.options.image_root
        or rows.options.map
        or any(map(is_remote, (root, paths[0])))
    ):
        return ""
    first, *others = dict.fromkeys(map(posixpath.basename, paths[:_LOOKED_FOR]))
    held = ((folder, {*files}) for folder, _, files in islice(walk_local(root), _WALKED))
    having = [folder for folder, files in held if files.issuperset((first, *others))]
    label_file = os.path.join(having[0], os.path.splitext(first)[0] + ".txt") if len(having) == 1 else ""
    return os.path.normpath(label_file) if others and label_file and _holds_a_box(label_file) else ""


def _label_files(path: str) -> Iterable[str]:
    """Where Darknet and Ultralytics look for the boxes of an image."""
    stem = os.path.splitext(path)[0]
    yield f"{stem}.txt"
    head, images, tail = f"/{stem}".rpartition("/images/")
    if images:
        yield f"{head}/labels/{tail}.txt"[1:]


def _holds_a_box(label_file: str) -> bool:
    with suppress(OSError), open(label_file, "rb") as file:
        return _BOX.fullmatch(file.readline(1 << 12)) is not None
    return False


def _converting_above(name: str) -> str:
    """The command for the folder of a list with the boxes of its images below."""
    folder = as_path(os.path.dirname(name) or ".")
    return f"{command_line(['tfrec', 'convert', folder])} OUTPUT_DIR --format yolo"


def _converting(label_file: str, name: str) -> str:
    """The command for the folder that holds a label file and its image, and the names of classes if it can.

    Args:
      name: of the list, whose folder is the highest that may hold these.
    """
    folder = os.path.dirname(label_file)
    head, labels, _ = f"/{folder}/".rpartition("/labels/")
    whole = head[1:] or head if labels else folder
    top = os.path.commonpath([*map(os.path.abspath, (os.path.dirname(name), whole))])
    above = [whole]
    while os.path.abspath(above[-1]) != top and (parent := os.path.dirname(above[-1])) != above[-1]:
        above.append(parent)
    described = next(filter(_has_names, above), whole)
    command = command_line(["tfrec", "convert", described or ".", "OUTPUT_DIR"])
    return command if described == whole else f"{command} --format yolo"


def _has_names(folder: str) -> bool:
    """Whether the names of YOLO's classes stand right in a folder, or what tells where they are."""
    with suppress(OSError):
        names = os.listdir(folder or os.curdir)
        return any(
            is_names_file(each) or each == OBJ_DATA or is_description(os.path.join(folder, each))
            for each in names
        )
    return False
