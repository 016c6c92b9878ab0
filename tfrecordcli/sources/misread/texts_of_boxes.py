"""Lists whose rows pair an image with a text of its boxes, as `a.jpg a.txt`: `8 26 61 74 6` a line."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YOLO
from tfrecordcli.sources.folders.boxes_in_texts import FIRST, LAST, STRIPPED, form_of
from tfrecordcli.sources.folders.corners_in_texts import BETWEEN
from tfrecordcli.sources.folders.files_of_images import lines_of
from tfrecordcli.sources.folders.mask_names import masked_by
from tfrecordcli.sources.folders.tree import Tree
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.storage.uris import is_remote

_LOOKED_AT: Final = 20  # texts, and images
_CODE: Final = (
    "import csv, os, re, sys; d = os.path.dirname(sys.argv[1]); "
    'r = csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), delimiter={delimiter}, '
    'skipinitialspace=True); w = csv.writer(sys.stdout, lineterminator="\\n"); {skip}'
    'w.writerow("image {columns}".split()); '
    "w.writerows([{image}, *b] for f in r if f "
    'for t in [open(os.path.join(d, f[{file}]), encoding="utf-8-sig").read()] '
    "for b in [{box} for l in t.splitlines() if l.strip() "
    'for v in [re.split(r"{between}", l.strip({stripped}))]] or [[""] * 5])'
)
_BOXES: Final = {
    LAST: '[*v[:4], " ".join(v[4:])]',
    FIRST: '[" ".join(v[:-4]), *v[-4:]]',
    YOLO: "v[:5]",
}
_OF_YOLO: Final = re.compile(r"\s*\d+(?:[ \t]+(?:[01]|[01]?\.\d+)){4}\s*")
# Of images with these words at their ends the first is meant: DeepPCB has a template beside what is tested.
_MEANT: Final = {frozenset({"_test", "_temp"}): "_test"}
_WRITE: Final = "write a list with each image and its boxes, a row each"


def boxes_of_texts(
    rows: RowFile, pairs: Sequence[tuple[str, str]], columns: tuple[int, int, str], *, has_header: bool
) -> str:
    """The command that makes a list of the boxes; where it is not certain, what is to be done.

    Args:
      pairs: an image and a text of some rows.
      columns: the numbers of both, and what parts these.
    """
    root = rows.options.image_root or os.path.dirname(rows.name)
    if is_remote(root) or rows.options.image_root:
        return _WRITE
    ends = _ends(root, [image for image, _ in pairs[:_LOOKED_AT]])
    form, names, doubt = _form_of([file for _, file in pairs[:_LOOKED_AT]], Tree(root or os.curdir))
    if len(ends) != 1 or not form:
        return _WRITE
    (end,) = ends
    image, file, delimiter = columns
    code = _CODE.format(
        delimiter=json.dumps(delimiter),
        skip="next(r); " * has_header,
        columns=" ".join(names),
        image=f'"{end}".join(os.path.splitext(f[{image}]))' if end else f"f[{image}]",
        file=file,
        box=_BOXES[form],
        between=BETWEEN,
        stripped=json.dumps(STRIPPED),
    )
    command = f"python -c {shlex.quote(code)}".replace("{", "{{").replace("}", "}}")
    made = made_by("", f"{command} {{name}}", rows.name)
    called = f" (images are taken as they are called there: a{end}.jpg for a.jpg)" * bool(end)
    return f"{made}{called}{doubt}"


def _ends(root: str, images: Iterable[str]) -> set[str]:
    """What stands behind the names of images before their ending, as they are there: nothing, or `_test`."""
    found = {frozenset(_ends_of(os.path.join(root, image))) for image in images}
    common = frozenset.intersection(*found)
    return {""} if "" in common else {_MEANT[common]} if common in _MEANT else {*common}


def _ends_of(path: str) -> Iterable[str]:
    if os.path.isfile(path):
        return [""]
    folder, name = os.path.split(path)
    stem, ending = os.path.splitext(name)
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return []
    ends = (
        each[len(stem) : -len(ending)] for each in names if each.startswith(stem) and each.endswith(ending)
    )
    return [end for end in ends if end[:1] in ("_", "-") and not masked_by(f"a{end}.png")]


def _form_of(files: Iterable[str], tree: Tree) -> tuple[str, Sequence[str], str]:
    """How the lines of texts tell boxes, their columns, and what may be meant instead; empty: as no boxes."""
    lines = [*chain.from_iterable(lines_of(tree.head(file, HEAD_BYTES)) for file in files)]
    form = form_of(lines)
    if form is None and lines and all(map(_OF_YOLO.fullmatch, lines)):
        return YOLO, ("label", "x_center", "y_center", "w", "h"), ""
    if form is None or form.line not in _BOXES:
        return "", (), ""
    other = " (--box-format xywh then where the last two numbers are width and height)"
    return form.line, form.columns, "" if form.is_certain else other
