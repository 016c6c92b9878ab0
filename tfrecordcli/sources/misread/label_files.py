"""Lists of images whose boxes are in files beside these, as Darknet and Ultralytics have them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.image_paths import PathRules
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote

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
    label_file = _label_file(sample, rows)
    if label_file:
        raise InputError(
            f"its rows name images and nothing else, and boxes are in files such as {label_file}",
            f"convert the folder that holds both: {_converting(label_file)}",
        )


def told_label_files(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That images which are kept without labels have files with boxes beside them."""
    if rows.options.unlabelled == "error" or rows.is_spooled or not names_images_alone(sample):
        return
    label_file = _label_file(sample, rows)
    if label_file and _holds_a_box(label_file):
        yield (
            f"boxes are in files such as {label_file}, and are not read: {_converting(label_file)} converts "
            "the folder that holds both"
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


def _converting(label_file: str) -> str:
    """The command for the folder that holds a label file and its image."""
    folder = os.path.dirname(label_file)
    head, labels, _ = f"/{folder}/".rpartition("/labels/")
    whole = head[1:] or head if labels else folder
    return f"{command_line(['tfrec', 'convert', whole or '.'])} OUTPUT_DIR"
