"""dlib's XML of boxes, as its tool imglab writes it: http://dlib.net/dlib/data_io/image_dataset_metadata.h.html."""

from __future__ import annotations

import glob
import os
import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.made_list import made_by

_SIGN: Final = re.compile(rb"<dataset>(?:(?!<image\b)[\s\S])*<images>\s*(?:<image\s+file=|</images>|$)")
_IMAGE: Final = re.compile(rb"<image\s+file=(?:'([^'\n]+)'|\"([^\"\n]+)\")")
_HEAD: Final = 1 << 12
_MOST: Final = 20  # files that are looked into
_SEARCHED: Final = 1 << 24  # bytes
_IGNORED: Final = re.compile(rb"\bignore=['\"]1")
_OF_IGNORED: Final = (
    "boxes to be ignored become boxes of a crowd (is_crowd), of each class where they have none: "
    'load(crowd="drop") leaves them out'
)
# A box to be ignored is one of a crowd here, of each class where it has no label. Where no box has one, all
# are of one class.
_COMMAND: Final = (
    "python -c 'import csv, sys, xml.etree.ElementTree as E; t = E.parse(sys.argv[1]); "
    'c = sorted({{l.text for l in t.iter("label") if l.text}}); g = lambda b: b.get("ignore") == "1"; '
    'h = lambda b: b.findtext("label") or ""; n = lambda b: '
    '[h(b)] if h(b) or c and not g(b) else c or ["object"]; '
    'w = csv.writer(sys.stdout); w.writerow("image x y width height label is_crowd".split()); '
    'w.writerows([i.get("file"), *r] for i in t.iter("image") for r in '
    '[[*map(b.get, "left top width height".split()), k, int(g(b))] for b in i.findall("box") for k in n(b)] '
    'or [[""] * 6])\' {name}'
)


def is_of_dlib(head: bytes) -> bool:
    """Whether XML begins like such a file."""
    return _SIGN.search(head) is not None


def dlib_hint(name: str) -> str:
    """The command that makes a list of such a file, by its name, and what becomes of boxes to be ignored."""
    made = made_by("", _COMMAND, name)
    return f"{made}; {_OF_IGNORED}" if _IGNORED.search(_head(name, _SEARCHED)) else made


def need_no_dlib(folder: str) -> None:
    """Refuses a local folder with such a file right in it, where the first image that it names is there.

    Raises:
      InputError: naming that file, which tells of boxes.
    """
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.xml")))[:_MOST]:
        head = _head(path)
        found = _IMAGE.search(head) if is_of_dlib(head) else None
        name = os.fsdecode(found[1] or found[2]) if found else ""
        if name and os.path.isfile(os.path.join(folder, name)):
            command = command_line(["tfrec", "convert", as_path(path)])
            raise InputError(
                f"{folder}: {os.path.basename(path)} tells of boxes in these images, as dlib has them, and "
                "their folders are no classes",
                f"{command} OUTPUT_DIR tells how to make a list of it; to classify whole images by their "
                "folders all the same, use --label-folder last",
            )


def _head(path: str, most: int = _HEAD) -> bytes:
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read(most)
