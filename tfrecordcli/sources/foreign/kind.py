"""One kind of list of another tool: what shows it, and the command that makes a list of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_by, then_converted

# Of patterns: the end of a path of an image, and such a path. Headers of the lists that are made: boxes by
# corners, and by their extent.
EXTENSION: Final = r"\.(?:jpe?g|png|bmp|gif|webp|tiff?)"
IMAGE: Final = rf"[^\s,;|]+{EXTENSION}"
FILE_OF_IMAGE: Final = rf"(?i){EXTENSION}$"
_FILE: Final = FILE_OF_IMAGE.replace(")$", "|xml|txt)$")  # of an image, or called like one
CORNERS: Final = "image,xmin,ymin,xmax,ymax,label"
EXTENT: Final = "image,x,y,width,height,label"
# The begin of a command that makes a table of JSON: ``t`` is all of it.
LOADED: Final = 'python -c \'import json, sys, pandas as pd; t = json.load(open(sys.argv[1], "rb")); '
# Of Python of commands: ``near`` of all URLs makes what gives the only file near the list that is called as
# one URL alone ends, else the URL.
FILES_OF_URLS: Final = (
    "import glob, os, urllib.parse as U; o = os.path.dirname(sys.argv[1]) or None; F, N = {}, {}; "
    "b = lambda p: os.path.basename(U.unquote(U.urlsplit(p).path)); "
    "near = lambda P: ([N.setdefault(b(p), set()).add(p) for p in P], [F.setdefault(os.path.basename(p), [])"
    '.append(p) for p in glob.glob("**", root_dir=o, recursive=True)], '
    "lambda p: F[b(p)][0] if len(F.get(b(p), [])) == len(N[b(p)]) == 1 else p)[2]; "
)
# Of a line of a list, what stands before the first of what parts its fields.
FIRST_FIELD: Final = r're.split(r"[,;\t]", s.strip())[0].strip("\"")'
_EXPORT: Final = "export the annotations as COCO there, and convert that file"


def keyed_by_name(depth: int, path: str = "s.strip()") -> str:
    """Of Python of commands: ``n`` of a text ``s`` tells an image by the end of its path, without extension.

    Args:
      depth: parts at the end of the path that tell images from each other.
      path: Python that takes it out of the text.
    """
    parts = f'"/".join({path}.replace("\\\\", "/").split("/")[-{depth}:])'
    return f'n = lambda s: re.sub(r"{_FILE}", "", {parts}); '


@dataclass(frozen=True, slots=True)
class ForeignList:
    """One kind of list.

    Attributes:
      what: it is.
      sign: of its first lines.
      header: of the list that is made of it; empty: the command writes it, if there is one.
      command: that makes the other rows; ``{name}`` stands for the file. Empty: none does.
      as_lines: whether the command writes JSON Lines and no CSV.
      otherwise: option that reads the list all the same; empty: none does.
      others: what the list may be as well, and the command for that; empty: nothing else.
      options: that the list which is made needs, for a shell.
      tells_boxes: of images in the folders around, so that such a file shows that these are no classes.
    """

    what: str
    sign: re.Pattern[str]
    header: str
    command: str
    tells_boxes: bool = False
    otherwise: str = ""
    as_lines: bool = False
    others: tuple[str, str] = ("", "")
    options: str = ""


def lines_like(*patterns: str) -> re.Pattern[str]:
    """A pattern of lines, with blank ends, at the begin of a text."""
    return re.compile(r"[ \t]*\r?\n".join(patterns) + r"[ \t]*(?:\r?\n|$)", re.IGNORECASE | re.ASCII)


def need_none(kinds: Iterable[ForeignList], text: str, name: str, but: Collection[str] = ()) -> None:
    """Refuses a text that begins like one of these, the first, unless ``but`` has what it is."""
    kind = next((kind for kind in kinds if kind.sign.match(text)), None)
    if kind is not None and kind.what not in but:
        raise _refusal(kind, name)


def _refusal(kind: ForeignList, name: str) -> InputError:
    hint = made_by(kind.header, kind.command, name, as_lines=kind.as_lines) if kind.command else _EXPORT
    what, command = kind.others
    then = then_converted(name, kind.options, as_lines=kind.as_lines) if kind.command else ""
    hint += then
    hint += f"; {what}, {made_by('', command, name, as_lines=kind.as_lines)}{then}" if command else ""
    hint += f"; {kind.otherwise}" if kind.otherwise else ""
    return InputError(f"{name}: this is {kind.what}, which is not read", hint)
