"""Lists whose rows name sounds or videos where images should be, as GTZAN's `blues.00000.wav`."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

_KINDS: Final = {
    "sounds": re.compile(r".+\.(?:wav|mp3|flac|ogg|oga|opus|m4a|aac|aiff?|wma|au)", re.IGNORECASE),
    "videos": re.compile(r".+\.(?:avi|mp4|mov|mkv|webm|mpe?g|wmv|flv|m4v)", re.IGNORECASE),
}
# A row for each frame of the video that a row names, with what else the row has; others stay as they are.
_FRAMES: Final = (
    'import os; h = next(r); w.writerow([*h, "{video}"]); '
    'w.writerows([*f[:{at}], "/".join([{folder}, s, x]) if x else f[{at}], *f[{at} + 1:], s] for f in r if f '
    'for s in [os.path.splitext(f[{at}].replace(chr(92), "/").split("/")[-1])[0]] '
    "for p in [os.path.join({above}, {folder}, s)] for x in (sorted(n for n in os.listdir(p) "
    'if n.lower().endswith((".jpg", ".jpeg", ".png", ".bmp", ".webp"))) if os.path.isdir(p) else [""]))'
)
_LOOKED_FOR: Final = 100  # names
_WALKED: Final = 2_000  # folders
_NOT_SAID: Final = re.compile(r"[\W_]+")
_FEW: Final = 2


def need_no_sounds(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses rows with labels all of which name sounds, or all of which name videos.

    Args:
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with what takes rows without images, and the folder of images that are called like them.
    """
    shape = sample.shape
    paths = [uri for _, uri, labels in sample.words if uri and (labels or not shape.labels)]
    kind = next((kind for kind, sign in _KINDS.items() if paths and all(map(sign.fullmatch, paths))), "")
    if not kind or shape.is_table or not any(labels for _, _, labels in sample.words):
        return
    ways = [
        f"images called like them are in {folder}: {command_line(['tfrec', 'convert', folder])} OUTPUT_DIR"
        for folder in _folders_of_images(paths, root)
    ]
    if len(shape.header) > _FEW and os.path.isfile(rows.name):
        command = command_line(["tfrec", "convert", as_path(rows.name), "OUTPUT_DIR", "--task", "tabular"])
        ways.append(f"{command} takes the rows without images")
    if kind == "videos" and (made := _rows_of_frames(paths, rows, sample, root)):
        raise InputError(f"its rows name videos ({paths[0]}), whose frames are in folders called so", made)
    drawn = "draw their spectrograms" if kind == "sounds" else "take frames out of them"
    raise InputError(
        f"its rows name {kind} ({paths[0]}), and a record holds an image",
        "; ".join([*ways, f"else {drawn}, and write the path of each image with its label"]),
    )


def _rows_of_frames(paths: Sequence[str], rows: RowFile, sample: Sample, root: str) -> str:
    """The command that makes a row of each frame, where a folder has those of most videos; or empty."""
    shape, above = sample.shape, os.path.dirname(rows.name) or "."
    if is_remote(root) or not os.path.isfile(rows.name) or not shape.header or shape.image is None:
        return ""
    names = {os.path.splitext(re.split(r"[/\\]", path)[-1])[0] for path in paths[:_LOOKED_FOR]}
    held = {folder: names.intersection(below) for folder, below, _ in islice(walk_local(root), _WALKED)}
    folder = max(held, key=lambda each: len(held[each]), default="")
    if not folder or 2 * len(held[folder]) < len(names):
        return ""
    code = _FRAMES.format(
        video=next(name for name in ("video", "video_name", "of_video") if name not in shape.header),
        at=shape.image,
        folder=literal(os.path.relpath(folder, above)),
        above=literal(above),
    )
    made = made_by("", rows_by(code, shape.delimiter), rows.name)
    return f"{made}; --split-by video keeps the frames of one in one split"


def _folders_of_images(paths: Sequence[str], root: str) -> list[str]:
    """Folders right below a local root, or itself, that hold images called like half of these, if not all."""
    if is_remote(root):
        return []
    names = {_bare(path) for path in paths[:_LOOKED_FOR]}
    found: Counter[str] = Counter()
    for folder, _, files in islice(walk_local(root), _WALKED):
        there = {_bare(file) for file in files if IMAGE_EXTENSION.search(file)}
        found[os.path.join(root, os.path.relpath(folder, root).partition(os.sep)[0])] += len(there & names)
    return [os.path.relpath(folder) for folder, count in found.items() if 2 * count >= len(names)]


def _bare(path: str) -> str:
    """What a file is called, without its ending and all signs: `blues00000` of `blues.00000.wav`."""
    return _NOT_SAID.sub("", os.path.splitext(re.split(r"[/\\]", path)[-1])[0]).lower()
