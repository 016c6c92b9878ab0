"""OIDv4 ToolKit's images: folders of classes, each with a folder `Label` of text files, one for each image.

A line is the class, which may hold blanks, then xmin, ymin, xmax, ymax in pixels. An image with objects of
two classes stands in the folder of each, with the boxes of that class alone:
https://github.com/EscVM/OIDv4_ToolKit.
"""

from __future__ import annotations

from typing import Final

from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.sources.made_list import made_of_folder

_CODE: Final = (
    "import csv, glob, hashlib, pathlib, re, sys; o = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    f'w.writerow("image xmin ymin xmax ymax label split".split()); {SPLIT_OF}'
    # An image is the first file of those that have an id of Open Images, or a name and content, in common: it
    # gets the boxes of all of them. Numbers that were given in each folder are no such names.
    'h = lambda q, i: q.stem if re.fullmatch("[0-9a-f]{16}", q.stem) '
    "else (q.stem, hashlib.sha256(i.read_bytes()).digest()); "
    "d = {}; w.writerows([d.setdefault(k, i.relative_to(o).as_posix()), *r[-4:], "
    '" ".join(r[:-4]), s(q)] '
    'for q in map(pathlib.Path, sorted(glob.glob("**/Label/*.txt", root_dir=o, recursive=True))) '
    'for i in sorted((o / q.parent.parent).glob(glob.escape(q.stem) + ".*"))[:1] for k in [(s(q), h(q, i))] '
    'for r in map(str.split, open(o / q, encoding="utf-8-sig")) if len(r) > 4)'
)


def oidv4_hint(root: str, head: bytes) -> str:
    """The command that makes a list of a local folder; empty for one on a store."""
    del head  # all such files are of images
    return made_of_folder("boxes", _CODE, root)
