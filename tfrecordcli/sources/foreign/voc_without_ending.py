"""Pascal VOC's files without `.xml`: `Annotation/n02085620-Chihuahua/n02085620_7` of Stanford Dogs."""

from __future__ import annotations

import os
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import ANNOTATION_FOLDERS

_BEGINS: Final = b"<annotation"
_LOOKED_AT: Final = 5  # entries of a folder


def need_no_voc_without_ending(folder: str) -> None:
    """Refuses a local folder of such files.

    Raises:
      InputError: with the command that gives them their ending.
    """
    for name in _names(folder):
        place = os.path.join(folder, name)
        if name.lower() in ANNOTATION_FOLDERS and _holds_them(place):
            path = as_path(place)
            ending = command_line(
                ["find", path, "-type", "f", "!", "-name", "*.*", "-exec", "mv", "{}", "{}.xml"]
            )
            then = command_line(["tfrec", "convert", as_path(folder)])
            raise InputError(
                f"{place}: these are files of Pascal VOC without .xml, by which they are known",
                f"give them that ending: {ending} ';'; then: {then} OUTPUT_DIR; "
                "--task classification takes folders for classes",
            )


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, 100) if not entry.name.startswith("."))
    except OSError:  # told by the listing
        return []


def _holds_them(folder: str, *, may_be_deeper: bool = True) -> bool:
    for name in _names(folder)[:_LOOKED_AT]:
        path = os.path.join(folder, name)
        if may_be_deeper and os.path.isdir(path):
            return _holds_them(path, may_be_deeper=False)
        if "." not in name and os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(len(_BEGINS) + 64).lstrip().startswith(_BEGINS)
    return False
