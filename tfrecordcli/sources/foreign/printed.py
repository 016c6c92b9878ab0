"""What commands of a shell print of files, which says nothing of labels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.foreign.kind import IMAGE, lines_like

_SIZE: Final = "[0-9]+x[0-9]+"
_FIELDS: Final = r"[ \t]+[^\n]*"
_MODE: Final = r"[-dl](?:[r-][w-][xst-]){3}[.+@]?[ ]+[0-9]+"
_OF_DU: Final = re.compile(r"[0-9.]+[KMGTP]?\t([^\n]+)")


def _is_of_du(text: str) -> bool:
    """Whether lines are sizes and paths, and one of these is the folder of that before."""
    lines = [_OF_DU.fullmatch(line.rstrip("\r")) for line in text.split("\n")[:-1]]
    paths = [line[1] for line in lines if line]
    pairs = itertools.pairwise(paths)
    return len(paths) == len(lines) and any(path.startswith(f"{after}/") for path, after in pairs)


# By the command that prints them, whether a text begins so.
_SIGNS: Final[dict[str, Callable[[str], object]]] = {
    "identify": lines_like(rf"{IMAGE}(?:\[[0-9]+\])?[ ]+[A-Z0-9]+[ ]+{_SIZE}[ ]+{_SIZE}\+[^\n]*").match,
    "ls -l": lines_like(rf"(?:total [^\n]*\n)?{_MODE}{_FIELDS}").match,
    "ls -s": lines_like(r"total [0-9.]+[KMGT]?", rf"[ ]*[0-9.]+[KMGT]?[ ]+{IMAGE}").match,
    "ls -R": lines_like(
        r"(?:\.|[^\s,;|\"{}\[\]]+/[^\s,;|\"{}\[\]]*):", r"(?:total [^\n]*|[^\n,;|\t:]+)"
    ).match,
    "find -ls": lines_like(rf"[ ]*[0-9]+[ ]+[0-9]+[ ]+{_MODE}{_FIELDS}").match,
    "tree": re.compile(r"[^\n]+\n(?:├── |\|-- |└── |`-- )").match,
    "du": _is_of_du,
    "file": lines_like(r"[^\n:]+:[ \t]+(?:JPEG|PNG|GIF|TIFF) image data[^\n]*").match,
    "md5sum, sha256sum or the like": lines_like(rf"[0-9a-f]{{32,128}}[ ][ *]{IMAGE}").match,
}


def need_nothing_printed(text: str, name: str) -> None:
    """Refuses a text that begins like what a command prints of files.

    Args:
      text: the first of the list.
      name: of the file, as messages call it.

    Raises:
      InputError: which command that is.
    """
    command = next((command for command, shows in _SIGNS.items() if shows(text)), None)
    if command is not None:
        raise InputError(
            f"{name}: this is what {command} prints, which has no labels",
            "give a list of images and labels; where folders are the labels, convert the folder above them; "
            "to convert the images without labels, give their folder with --unlabelled keep",
        )
