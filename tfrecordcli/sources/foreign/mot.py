"""Videos with boxes as the MOT Challenge has them: `gt/gt.txt` beside the frames in `img1`, a folder each.

A line is frame, track, x, y, width, height, whether it counts, class or -1, and what is of no use here. MOT17
has each video three times, for three detectors: https://motchallenge.net/instructions.
"""

from __future__ import annotations

import glob
import os
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.foreign.kind import EXTENT, lines_like
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.sources.made_list import made_by, made_of_folder, then_converted
from tfrecordcli.split_words import split_of

_SIGN: Final = lines_like(*[rf"[0-9]+,[0-9]+(?:,{WRITTEN}){{4}},[01],(?:[0-9]+,{WRITTEN}|-1,-1,-1)"] * 2)
_FRAMES: Final = "img1"
# Where no frames are beside the file.
_OF_FILE: Final = (
    """awk -F, -v OFS=, '{{i = sprintf("../img1/%06d.jpg", $1); n[i] += $7 == 1}} """
    """$7 == 1 {{print i, $3, $4, $5, $6, $8 < 0 ? "object" : $8}} """
    """END {{for (i in n) if (!n[i]) print i, "", "", "", "", ""}}' {name}"""
)
_OF_FOLDER: Final = (
    "import csv, pathlib, re, sys; o = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    f'{SPLIT_OF}a = sorted(o.glob("**/gt/gt.txt")); '
    "k = len({s(q.relative_to(o)) for q in a}) > 1; "
    'f = lambda d: {int(i.stem): i.relative_to(o) for i in d.glob("*") if i.stem.isdigit()}; '
    'v = lambda r: [*r[2:6], "object" if r[7].strip().startswith("-") else r[7]]; '
    "b = lambda q, t: [t.setdefault(int(float(r[0])), []).append(v(r)) "
    'for r in csv.reader(open(q, encoding="utf-8-sig")) if len(r) > 7 and float(r[6]) == 1] and t; '
    # What is left of a name without its detector is the video.
    'n = lambda d: re.sub("-(DPM|FRCNN|SDP)$", "", d.name); '
    'w.writerows(["image x y width height label sequence split".split()[:7 + k], '
    "*([i[m], *x, n(d), *[s(i[m])] * k] for q in a for d in [q.parent.parent] "
    'for i in [f(d / "img1")] for t in [b(q, {}) or {}] for m in sorted(i) '
    'for x in t.get(m, [[""] * 5]))])'
)


def need_no_mot(text: str, root: str, path: str) -> None:
    """Refuses a file that begins like one of the MOT Challenge.

    Args:
      root: the folder that was given; empty: the file was.
      path: of the file, relative to it.

    Raises:
      InputError: with the command that makes a list of the frames of all videos.
    """
    if not _SIGN.match(text):
        return
    name = joined(root, path)
    what = "the ground truth of a video, as MOT has it (gt.txt), which is not read"
    raise InputError(f"{name}: this is {what}", _hint(root, name))


def _hint(root: str, name: str) -> str:
    video = os.path.normpath(os.path.join(os.path.dirname(name), os.pardir))
    has_frames = os.path.isfile(name) and os.path.isdir(os.path.join(video, _FRAMES))
    if not has_frames or not name.endswith(os.path.join("gt", "gt.txt")):
        return made_by(EXTENT, _OF_FILE, name) + then_converted(name)
    folder = root or video
    videos = glob.glob("**/gt/gt.txt", root_dir=folder, recursive=True)
    made = made_of_folder("boxes", _OF_FOLDER, folder)
    if len(videos) == 1:
        return f"{made} --splits train=100; frames of one video are alike, and stay in one split so"
    has_splits = len({*map(_split_in, videos)}) > 1
    return made if has_splits else f"{made} --split-by sequence"


def _split_in(path: str) -> str:
    return next(filter(None, map(split_of, reversed(path.split(os.sep)))), "")
