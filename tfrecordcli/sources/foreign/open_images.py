"""Open Images: boxes in lists of one split each, names of classes in another, images in folders of splits."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.split_words import split_of

_BOXES: Final = "-annotations-bbox.csv"
_NAMES: Final = "class-descriptions"
# Where lists stand in a folder, and images of each split; the last is of OIDv4's toolkit.
_LISTS: Final = ("", "annotations", "csv_folder")
_OF_FIFTY_ONE: Final = os.path.join("labels", "detections.csv")


def need_no_open_images(folder: str) -> None:
    """Refuses a folder of Open Images, with the command that reads its boxes.

    The names of the files are those of https://storage.googleapis.com/openimages/web/download_v7.html, or
    those that FiftyOne gives them, a folder a split.

    Raises:
      InputError: that is what it is.
    """
    for found in (_by_name(folder), _of_fifty_one(folder)):
        if found is not None:
            raise InputError(
                f"{folder or '.'}: boxes and names of classes are in lists, as in Open Images",
                f"convert these: {_command(*found)} OUTPUT_DIR",
            )


_Found = tuple[
    Mapping[str, str], Mapping[str, str], str
]  # list and folder of images by split, names of classes


def _by_name(folder: str) -> _Found | None:
    for beside in _LISTS:
        files = sorted(glob.glob(os.path.join(glob.escape(folder), beside, "*.csv")))
        lists = {_split(path): path for path in files if path.endswith(_BOXES)}
        names = [path for path in files if _NAMES in os.path.basename(path)]
        roots = {split: _images(folder, split) for split in lists}
        if lists and names and all(lists) and all(roots.values()):
            return lists, roots, names[0]
    return None


def _of_fifty_one(folder: str) -> _Found | None:
    files = glob.glob(os.path.join(glob.escape(folder), "*", _OF_FIFTY_ONE))
    folders = {path: path.removesuffix(_OF_FIFTY_ONE) for path in sorted(files)}
    lists = {split_of(os.path.basename(above.rstrip(os.sep))): path for path, above in folders.items()}
    roots = {split: os.path.join(folders[path], "data") for split, path in lists.items()}
    names = [os.path.join(above, "metadata", "classes.csv") for above in folders.values()]
    is_whole = all(map(_has_images, roots.values())) and all(map(os.path.isfile, names))
    return (lists, roots, names[0]) if lists and all(lists) and is_whole else None


def _images(folder: str, split: str) -> str:
    """The folder with images of a split right in it; empty where there is none."""
    below = [os.path.join(folder, "images"), folder]
    for above in below:
        names = sorted(os.listdir(above)) if os.path.isdir(above) else ()
        own = [os.path.join(above, name) for name in names if split_of(name) == split]
        if own and os.path.isdir(own[0]):
            return own[0] if _has_images(own[0]) else ""
    return below[0] if _has_images(below[0]) else ""


def _has_images(folder: str) -> bool:
    if not os.path.isdir(folder):
        return False
    with os.scandir(folder) as entries:
        return any(looks_like_image(entry.name) for entry in entries)


def _split(path: str) -> str:
    """`train` of `oidv6-train-annotations-bbox.csv`."""
    return split_of(os.path.basename(path).removesuffix(_BOXES).rpartition("-")[2])


def _command(lists: Mapping[str, str], roots: Mapping[str, str], names: str) -> str:
    words = [f"{split}={path}" for split, path in lists.items()]
    for split in lists:
        words += ["--image-root", f"{split}={roots[split]}"]
    return command_line(["tfrec", "convert", *words, "--label-names", names])
