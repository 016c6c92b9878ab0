"""UA-DETRAC's boxes: an XML file for each video, beside a folder of frames that is called like it.

`<sequence name="MVI_20011"><frame num="1"><target_list><target id="1"><box left="592.7" top="378.8"
width="160" height="162.2"/><attribute vehicle_type="car"/></target>…` for `MVI_20011/img00001.jpg`.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.sources.made_list import made_of_folder

_SIGN: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*>|<!--[\s\S]*?-->)*<sequence\s[^>]*\bname\s*=[^>]*>"
    rb"\s*<(?:sequence_attribute|ignored_region|frame)\b"
)
_HEAD: Final = 1 << 12
_FEW: Final = 3  # files of a folder, and folders of frames, that are looked at
_INSIST: Final = "to classify whole images by their folders all the same, use --label-folder last"
# Splits are told where folders are called like several. Frames of which no object is told have no box.
_CODE: Final = (
    "import csv, glob, pathlib, re, sys, xml.etree.ElementTree as E; r = pathlib.Path(sys.argv[1]); "
    'x = {p: t for p in sorted(r.rglob("*.xml")) for t in [E.parse(p).getroot()] if t.tag == "sequence"}; '
    "d = {p: [q for q in sorted(r.rglob(glob.escape(p.stem))) if q.is_dir()] for p in x}; "
    "c = [p for p in x if len(d[p]) > 1 or sum(q.stem == p.stem for q in x) > 1]; "
    'c and sys.exit(f"{c[0]}: several files or folders are called so"); '
    'n = [p.stem for p in x if not d[p]]; n and print("no frames here:", *n, file=sys.stderr); '
    f"{SPLIT_OF}z = {{p: s(q / p.name) for p in x for q in d[p]}}; k = len({{*z.values()}}) > 1; "
    "w = csv.writer(sys.stdout); "
    'w.writerow("image x y width height label sequence split".split()); '
    'h = re.compile(r"([0-9]+)\\.(?:jpe?g|png|bmp|webp)", re.IGNORECASE); '
    "w.writerows([i.relative_to(r).as_posix(), *b, p.stem, z[p] * k] for p, t in x.items() "
    'for f in [{int(f.get("num")): f for f in t.iter("frame")}] for q in d[p] for i in sorted(q.iterdir()) '
    "for m in [h.search(i.name)] if m for o in [f.get(int(m[1]))] "
    'for b in [[*map(v.find("box").get, "left top width height".split()), '
    'v.find("attribute").get("vehicle_type")] for v in (() if o is None else o.iter("target"))] '
    'or [[""] * 5])'
)


def is_of_detrac(head: bytes) -> bool:
    """Whether XML begins like such a file."""
    return _SIGN.match(head) is not None


def detrac_hint(name: str) -> str:
    """The command that makes a list of such a file and those beside it, with the frames that are near."""
    above = [
        os.path.normpath(os.path.join(os.path.dirname(name), *[os.pardir] * count)) for count in range(3)
    ]
    files = _files(os.path.dirname(name))
    if root := next((folder for folder in above if any(_has_frames(folder, file) for file in files)), ""):
        made = made_of_folder("boxes", _CODE, root)
        return f"{made} --split-by sequence; regions to be ignored are left out"
    return "convert the folder that holds such files and those of frames, which are called like them"


def need_no_detrac(root: str, folders: Iterable[str]) -> None:
    """Refuses a local folder with such files, or with the frames of some that are beside it.

    Args:
      folders: paths in there that may have some.

    Raises:
      InputError: naming a file, with the command that makes a list of all boxes.
    """
    places = [os.path.join(root, folder) for folder in folders]
    frames = [os.path.basename(place) for place in places[1 : 1 + _FEW]]
    beside = [os.path.join(glob.escape(root), os.pardir, "*", f"{glob.escape(name)}.xml") for name in frames]
    found = [file for pattern in beside for file in glob.glob(pattern) if is_of_detrac(_head(file))]
    for file in [*(file for place in places for file in _files(place)), *map(os.path.normpath, found)]:
        raise InputError(
            f"{root}: {file} tells of boxes in the frames of a video, as UA-DETRAC has them, and folders of "
            "these are no classes",
            f"{detrac_hint(file)}; {_INSIST}",
        )


def _files(folder: str) -> list[str]:
    """Such files among the first ones in a folder."""
    some = sorted(glob.glob(os.path.join(glob.escape(folder), "*.xml")))[:_FEW]
    return [path for path in some if is_of_detrac(_head(path))]


def _has_frames(folder: str, file: str) -> bool:
    """Whether a folder in this one, or in one in it, is called like a file."""
    name = glob.escape(os.path.splitext(os.path.basename(file))[0])
    found = (glob.glob(os.path.join(glob.escape(folder), *["*"] * level, name)) for level in range(3))
    return any(os.path.isdir(path) for paths in found for path in paths)


def _head(path: str) -> bytes:
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read(_HEAD)
