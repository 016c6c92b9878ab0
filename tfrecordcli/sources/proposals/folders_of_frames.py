"""Rows without a header that begin with the folder of a video's frames, as those of Jester and TSN do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.proposals.missing_images import folders_in, holds_images
from tfrecordcli.storage.uris import is_remote

TRUE_NAMES: Final = "with the names that are true"
_LOOKED_INTO: Final = 20
_FRAMES: Final = 2  # fields behind a folder: how many frames it has, and the label


def header_above_folders(rows: Sequence[Sequence[str]], root: str, name: str, command: str) -> str:
    """The command that writes a header above such rows, and where their folders are; empty where none are.

    Args:
      rows: first ones of the list.
      root: folder or URL that relative paths are relative to.
      name: of the list.
      command: as of `made_by`.
    """
    if is_remote(root) or len(rows) < 2 or len({*map(len, rows)}) != 1:
        return ""
    folder = _folder_of([row[0] for row in rows[:_LOOKED_INTO]], root)
    if not folder:
        return ""
    # Whole numbers between a folder and the last field say where its frames begin, and how many there are.
    counted = len(rows[0]) > _FRAMES and all(map(str.isdecimal, chain(*(row[1:-1] for row in rows))))
    names = [f"column_{at}" for at in range(2, len(rows[0]) + 1)]
    if counted:
        names = ["frames", "label"] if len(names) == _FRAMES else [*names[:-1], "label"]
    elif names:
        names[0] = "label"
    header = ["image", *names]
    made = made_by(",".join(header), command, name)
    said = f", {TRUE_NAMES}" * (len(names) > 1 and not counted)
    words = [] if folder == root else ["--image-root", as_path(folder)]
    at = command_line([*words, *([] if names else ["--unlabelled", "keep"])])
    return f"has it no header? {made}{said}{at and f', and convert that with {at}'}"


def _folder_of(names: Sequence[str], root: str) -> str:
    """The root, or a folder in it, in which all of these are folders of images; empty where there is none."""
    near = chain([root], folders_in(root)) if all(names) else ()
    return next((at for at in near if all(holds_images(os.path.join(at, name)) for name in names)), "")
