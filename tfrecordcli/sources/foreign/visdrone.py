"""VisDrone's images with boxes: a text file for each image, in a folder `annotations` beside `images`.

A line is x, y, width, height, whether it counts, class, truncation, occlusion; class 0 are regions to be
passed over: https://github.com/VisDrone/VisDrone2018-DET-toolkit.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.made_list import made_of_folder

_LINE: Final = re.compile(rb"-?[0-9]+(?:,-?[0-9]+){7},?\s*(?:\n|$)")
_CLASSES: Final = "pedestrian people bicycle car van truck tricycle awning-tricycle bus motor others"
# A function that gives the split of a path, in Python: what the nearest folder with such a word says; with
# several it is said to be none.
SPLIT_OF: Final = (
    's = lambda q: next(("-".join(sorted({*k})) for d in q.parents for k in '
    '[re.findall("(?<![a-z])(?:train(?:ing)?|val(?:idation)?|test(?:ing)?)(?![a-z])", d.name.lower())] '
    'if k), ""); '
)
_CODE: Final = (
    "import csv, glob, pathlib, re, sys; o = pathlib.Path(sys.argv[1]); "
    f'n = "{_CLASSES}".split(); w = csv.writer(sys.stdout); '
    f'w.writerow("image x y w h label split".split()); {SPLIT_OF}'
    "w.writerows([i.relative_to(o).as_posix(), *b, s(pathlib.Path(q))] "
    'for q in sorted(glob.glob("**/annotations/*.txt", root_dir=o, recursive=True)) for p in [o / q] '
    'for i in sorted((p.parent.parent / "images").glob(glob.escape(p.stem) + ".*"))[:1] '
    'for b in [[*r[:4], n[int(r[5]) - 1]] for r in csv.reader(open(p, encoding="utf-8-sig")) '
    'if len(r) > 7 and r[4] == "1" and r[5] != "0"] '
    'or [[""] * 5])'
)


def visdrone_hint(root: str, head: bytes) -> str:
    """The command that makes a list of a local folder; empty where the file is one of a video.

    Args:
      head: the first bytes of one of its files.
    """
    return made_of_folder("boxes", _CODE, root) if _LINE.match(head) else ""
