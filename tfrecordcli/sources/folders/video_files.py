"""Videos in folders, which are no images, and the command that takes images out of them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import VIDEO_ENDINGS
from tfrecordcli.storage.uris import is_remote

_VIDEO: Final = re.compile(rf"\.(?:{VIDEO_ENDINGS}|mts|m2ts|3gp|ogv|vob)$", re.IGNORECASE)


def is_video(path: str) -> bool:
    """Whether a file is called like a video; `.ts` may be a program, too."""
    return _VIDEO.search(path) is not None


def frames_of(paths: Iterable[str], root: str) -> str:
    """What to do for images of videos: of a local folder the command that writes them beside each.

    Args:
      paths: of videos, at least one of each kind.
      root: the folder.
    """
    if is_remote(root):
        return "take frames out of them, and put these into the folder of their label"
    endings = sorted({os.path.splitext(path)[1] for path in paths})
    names = " -o ".join(f"-name {shlex.quote(f'*{ending}')}" for ending in endings)
    # Frames are called like their video with its ending: a.mp4 may stand beside a.mov.
    code = shlex.quote('ffmpeg -nostdin -i "$1" -vf fps=1 -q:v 2 "$1-%05d.jpg"')
    return (
        f"a frame of each second, with ffmpeg: find {shlex.quote(as_path(root))} -type f "
        f"'(' {names} ')' -exec sh -c {code} - {{}} ';'"
    )
