"""Parts of commands that make something of TFRecords by TensorFlow."""

from __future__ import annotations

import glob
import os
from typing import Final

from tfrecordcli.sources.records.files import RecordFiles

ON_STORE: Final = "copy them to a disk here: the message then has the command that makes a file of each image"
_FEW: Final = 8  # files that a command names one by one
_ANY: Final = "tfrec"  # what the names of most others have in them


def patterns(files: RecordFiles) -> list[str]:
    """What glob finds the files by in their folder."""
    if len(files.names) > _FEW and all(_ANY in name.rpartition("/")[2] for name in files.names):
        return [f"**/*{_ANY}*"]
    return [*map(glob.escape, files.names)]


def folder_beside(files: RecordFiles, word: str) -> str:
    """A new folder beside what was given, called so."""
    folder, last = os.path.split(files.given.rstrip("/"))
    return os.path.join(folder, word if last in ("", ".", "..") else f"{last}-{word}")
