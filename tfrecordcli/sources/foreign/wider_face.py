"""WIDER FACE: boxes of faces in a text for each split, images in folders of events, which are no labels.

A block is the path of an image, how many faces it has, and a line for each, of its box and six attributes:
http://shuoyang1213.me/WIDERFACE/.
"""

from __future__ import annotations

import glob
import os
import re
from itertools import chain, product
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.shell import command_line
from tfrecordcli.sources.foreign.kind import EXTENT, IMAGE, ForeignList, lines_like
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.storage.files import open_binary

WIDER_FACE: Final = ForeignList(
    "a list of WIDER FACE",
    lines_like(IMAGE, r"[0-9]+", rf"(?:{WRITTEN}[ \t]+){{9}}{WRITTEN}"),
    EXTENT,
    """awk -v OFS=, 'NF == 1 && /[.]/ {{image = $1}} NF > 3 {{if ($3 > 0 && $4 > 0) """
    """print image, $1, $2, $3, $4, "face"; else print image, "", "", "", "", ""}}' {name}""",
)
_LISTS: Final = {"train": "wider_face_train_bbx_gt.txt", "validation": "wider_face_val_bbx_gt.txt"}
_FOLDER: Final = re.compile(r"wider_(?:train|val|test)", re.IGNORECASE)
_HEAD: Final = 4096
# Where lists stand in a folder, and the folders that paths are relative to.
_PLACES: Final = ("", "wider_face_split")
_ROOTS: Final = ("images", "*/images", "*/*/images", "")


def need_no_wider_face(folder: str) -> None:
    """Refuses a folder with lists of WIDER FACE, in it or beside one of a split, and the images of one.

    Raises:
      InputError: with the commands that make lists and read them, and what takes folders for labels.
    """
    above, name = os.path.split(os.path.normpath(folder))
    places = [folder or ".", above or "."] if _FOLDER.fullmatch(name) else [folder or "."]
    found = next(filter(None, map(_found, places)), {})
    if not found:
        return
    made = [made_by(WIDER_FACE.header, WIDER_FACE.command, path) for path, _ in found.values()]
    words = [f"{split}={os.path.splitext(path)[0]}-as-csv.csv" for split, (path, _) in found.items()]
    roots = [["--image-root", f"{split}={root}"] for split, (_, root) in found.items()]
    command = command_line(["tfrec", "convert", *words, *chain.from_iterable(roots)])
    lists = ", ".join(path for path, _ in found.values())
    raise InputError(
        f"{folder}: boxes of faces are in {lists}, as in WIDER FACE; its folders are of events",
        f"{'; '.join(made)}; then: {command} OUTPUT_DIR; --task classification takes folders for labels",
    )


def _found(folder: str) -> dict[str, tuple[str, str]]:
    """List and folder of images by split, of those whose first image is there."""
    found = {}
    for (split, name), place in product(_LISTS.items(), _PLACES):
        path = os.path.join(folder, place, name)
        if os.path.isfile(path) and (root := _root(folder, path)):
            found[split] = path, root
    return found


def _root(folder: str, path: str) -> str:
    """The folder below another in which the first image of a list is; empty where none is known."""
    with open_binary(path) as file:
        head = file.read(_HEAD).decode(errors="replace")
    if WIDER_FACE.sign.match(head) is None:
        return ""
    image = head.partition("\n")[0].strip()
    places = (glob.glob(os.path.join(glob.escape(folder), place)) for place in _ROOTS)
    roots = sorted(chain.from_iterable(places))
    return next((root for root in roots if os.path.isfile(os.path.join(root, image))), "")
