"""KITTI's images with boxes: a text file for each image, in a folder `label_2` beside `image_2`.

A line is class, truncation, occlusion, angle, xmin, ymin, xmax, ymax, seven numbers in space, and a score
where it is predicted; `DontCare` are regions to be passed over: https://www.cvlibs.net/datasets/kitti.
"""

from __future__ import annotations

import os
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.folders.tree import is_image_name, joined
from tfrecordcli.sources.foreign.kind import lines_like
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.sources.image_paths import EXTENSIONS
from tfrecordcli.sources.made_list import AS_CSV, made_of_folder

_SIGN: Final = lines_like(rf"[A-Za-z_]+(?: {WRITTEN}){{14,15}}")
_CODE: Final = (
    "import csv, glob, pathlib, re, sys; o = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    f'{SPLIT_OF}a = [*map(pathlib.Path, sorted(glob.glob("**", root_dir=o, recursive=True)))]; '
    't = {q: [*map(str.split, filter(str.strip, open(o / q, encoding="utf-8-sig", errors="replace")))] '
    'for q in a if q.suffix == ".txt"}; '
    # Files of images without an object are empty.
    "d = {q.parent for q, r in t.items() if r and {*map(len, r)} <= {15, 16}}; "
    "b = [q for q in t if q.parent in d]; k = len({*map(s, b)}) > 1; "
    "m = {}; [m.setdefault(i.stem, []).append(i) for i in a "
    f'if i.suffix in "{" ".join(EXTENSIONS)}".split()]; '
    # Of images that are called so, in folders of cameras and splits, that whose path is most alike.
    'n = lambda q: max([i for i in m.get(q.stem, []) if s(q) in ("", s(i))], '
    "key=lambda i: sum(x == y for x, y in zip(i.parts, q.parts)), default=q.stem); "
    'w.writerows(["image xmin ymin xmax ymax label split".split()[:6 + k], '
    "*([n(q), *v, *[s(q)] * k] for q in b "
    'for v in [[*l[4:8], l[0]] for l in t[q] if l[0] != "DontCare"] or [[""] * 5])])'
)


def kitti_hint(root: str, _: bytes) -> str:
    """The command that makes a list of a local folder."""
    made = made_of_folder("boxes", _CODE, root)
    return made and f"{made}; DontCare, regions to be passed over, is left out"


def need_no_kitti(text: str, root: str, path: str) -> None:
    """Refuses a file that begins like one of KITTI.

    Args:
      root: the folder that was given; empty: the file was.
      path: of the file, relative to it.

    Raises:
      InputError: with the command that makes a list of all such files and their images.
    """
    if not _SIGN.match(text):
        return
    name = joined(root, path)
    folder = os.path.dirname(name) or os.curdir
    is_within = root and os.path.dirname(path)
    beside = os.path.isfile(name) and any(map(is_image_name, os.listdir(folder)))
    above = root if is_within else folder if beside else os.path.normpath(os.path.join(folder, os.pardir))
    hint = kitti_hint(above, b"") if os.path.isfile(name) else AS_CSV
    raise InputError(f"{name}: this is a label file of KITTI, which is not read", hint)
