"""Open Images: boxes in lists of one split each, names of classes in another, images in folders of splits."""

from __future__ import annotations

import glob
import os
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.split_words import split_of

_BOXES: Final = "-annotations-bbox.csv"
_NAMES: Final = "class-descriptions"


def need_no_open_images(folder: str) -> None:
    """Refuses a folder of Open Images, with the command that reads its boxes.

    The names of the files are those of https://storage.googleapis.com/openimages/web/download_v7.html.

    Raises:
      InputError: that is what it is.
    """
    images = os.path.join(folder, "images")
    for beside in (folder, os.path.join(folder, "annotations")) if os.path.isdir(images) else ():
        files = sorted(glob.glob(os.path.join(glob.escape(beside), "*.csv")))
        lists = {_split(path): path for path in files if path.endswith(_BOXES)}
        names = [path for path in files if _NAMES in os.path.basename(path)]
        if lists and names and all(lists):
            raise InputError(
                f"{folder or '.'}: boxes and names of classes are in lists, as in Open Images",
                f"convert these: {_command(images, lists, names[0])} OUTPUT_DIR",
            )


def _split(path: str) -> str:
    """`train` of `oidv6-train-annotations-bbox.csv`."""
    return split_of(os.path.basename(path).removesuffix(_BOXES).rpartition("-")[2])


def _command(images: str, lists: dict[str, str], names: str) -> str:
    words = [f"{split}={path}" for split, path in lists.items()]
    for split in lists:
        own = os.path.join(images, split)
        words += ["--image-root", f"{split}={own if os.path.isdir(own) else images}"]
    return command_line(["tfrec", "convert", *words, "--label-names", names])
