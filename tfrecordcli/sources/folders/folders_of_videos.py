"""Folders of frames that are called like videos of a list beside them, which tells what these show."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import VIDEO_ENDINGS

_READ: Final = 1 << 16  # bytes of a list
_NAME: Final = re.compile(rf"([^\"'\s,;|/\\]+)\.(?:{VIDEO_ENDINGS})\b", re.IGNORECASE)
_FEWEST: Final = 2


def told_of_videos(
    root: str, paths: Iterable[str], head: Callable[[str, int], bytes], class_folders: Collection[str]
) -> str:
    """What is said where names of videos are taken for labels, and a list beside tells of these; else empty.

    Args:
      root: the folder that is listed.
      paths: of lists in it.
      head: gives so many first bytes of a file.
      class_folders: those of the images that have labels.
    """
    classes = {folder.rpartition("/")[2] for folder in class_folders}
    for path in paths:
        text = head(path, _READ).decode("utf-8", "replace")
        found = {match[1] for match in _NAME.finditer(text)} & classes
        if len(found) >= max(_FEWEST, len(classes) / 2):
            name = os.path.join(root, path)
            reading = command_line(["tfrec", "convert", as_path(name)])
            return (
                f"folders are called like videos of which {name} tells ({min(found)}), and these names "
                f"are taken for labels: {reading} OUTPUT_DIR reads what it tells"
            )
    return ""
