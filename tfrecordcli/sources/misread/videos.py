"""Lists of videos whose frames are images in folders that are called like them, as those of UCF101 are."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import VIDEO_ENDINGS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.proposals.missing_images import folders_in, holds_images
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

# A path, maybe with the number of its class behind it.
_VIDEO: Final = re.compile(rf"(.+)\.(?:{VIDEO_ENDINGS})(?:[ \t]+[0-9]+)?", re.IGNORECASE)
_LOOKED_FOR: Final = 20  # videos
# The class is the folder of the video; paths of frames are relative to the folder of the list.
_ROWS: Final = (
    "import csv, os, sys; n, d = sys.argv[1:]; w = csv.writer(sys.stdout); "
    'w.writerow(["image", "label", "video"]); p = [l.replace(chr(92), "/").strip().rsplit(".", 1)[0] '
    'for l in open(n, encoding="utf-8-sig") if l.strip()]; '
    'w.writerows(["/".join([d, FOLDER, f]), v.split("/")[-2], v] for v in p '
    "for f in sorted(os.listdir(os.path.join(os.path.dirname(n), d, FOLDER))) "
    'if f.lower().endswith((".jpg", ".jpeg", ".png", ".bmp", ".webp")))'
)

# A row for each frame of the video that a row names, with what else the row has; others stay as they are.
_WITH_FRAMES: Final = (
    'import os; h = next(r); w.writerow([*h, "{video}"]); '
    'w.writerows([*f[:{at}], "/".join([{folder}, s, x]) if x else f[{at}], *f[{at} + 1:], s] for f in r if f '
    'for s in [os.path.splitext(f[{at}].replace(chr(92), "/").split("/")[-1])[0]] '
    "for p in [os.path.join({above}, {folder}, s)] for x in (sorted(n for n in os.listdir(p) "
    'if n.lower().endswith((".jpg", ".jpeg", ".png", ".bmp", ".webp"))) if os.path.isdir(p) else [""]))'
)
_WALKED: Final = 2_000  # folders
_NAMES: Final = 100


def need_no_videos(paths: Sequence[str], name: str, root: str) -> None:
    """Refuses rows that name videos.

    Args:
      paths: what the rows of a list have.
      name: of the list.
      root: local folder that relative paths are relative to.

    Raises:
      InputError: with the command that makes a row of each frame, where folders of them are found.
    """
    found = [match[1] for match in map(_VIDEO.fullmatch, paths) if match]
    if not found or len(found) < len(paths):
        return
    what = f"its rows name videos ({paths[0]}), and a record holds an image"
    for folder, code in _places(found, root):
        there = os.path.relpath(folder, os.path.dirname(name) or ".")
        command = shlex.join(["python", "-c", _ROWS.replace("FOLDER", code)])
        made = made_by("", f"{command} {{name}} {shlex.quote(there)}", name)
        raise InputError(
            f"{what}: their frames are in folders of these names in {there}",
            f"{made}; --split-by video keeps the frames of one in one split",
        )
    raise InputError(what, "take frames out of them, and write the path of each with its label")


def rows_of_frames(paths: Sequence[str], rows: RowFile, sample: Sample, root: str) -> str:
    """The command that makes a row of each frame, where a folder has those of most videos; or empty.

    Args:
      paths: of the videos.
      root: absolute folder or URL that relative paths are relative to.
    """
    shape, above = sample.shape, os.path.dirname(rows.name) or "."
    if is_remote(root) or not os.path.isfile(rows.name) or not shape.header or shape.image is None:
        return ""
    names = {os.path.splitext(re.split(r"[/\\]", path)[-1])[0] for path in paths[:_NAMES]}
    held = {folder: names.intersection(below) for folder, below, _ in islice(walk_local(root), _WALKED)}
    folder = max(held, key=lambda each: len(held[each]), default="")
    if not folder or 2 * len(held[folder]) < len(names):
        return ""
    code = _WITH_FRAMES.format(
        video=next(name for name in ("video", "video_name", "of_video") if name not in shape.header),
        at=shape.image,
        folder=literal(os.path.relpath(folder, above)),
        above=literal(above),
    )
    made = made_by("", rows_by(code, shape.delimiter), rows.name)
    return f"{made}; --split-by video keeps the frames of one in one split"


def _places(videos: Sequence[str], root: str) -> Iterator[tuple[str, str]]:
    """Folders that hold one with frames for each of the first videos, and Python for the name of that."""
    if not all("/" in video for video in videos):
        return
    above = os.path.dirname(root)
    for folder in dict.fromkeys(chain([root], folders_in(root), [above], folders_in(above))):
        for code, name in (("v", str), ('v.split("/")[-1]', os.path.basename)):
            if all(holds_images(os.path.join(folder, name(video))) for video in videos[:_LOOKED_FOR]):
                yield folder, code
