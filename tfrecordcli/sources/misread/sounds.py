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
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, VIDEO_ENDINGS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.misread.videos import rows_of_frames
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

_KINDS: Final = {
    "sounds": re.compile(r".+\.(?:wav|mp3|flac|ogg|oga|opus|m4a|aac|aiff?|wma|au)", re.IGNORECASE),
    "videos": re.compile(rf".+\.(?:{VIDEO_ENDINGS})", re.IGNORECASE),
}
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
    if kind == "videos" and (made := rows_of_frames(paths, rows, sample, root)):
        raise InputError(f"its rows name videos ({paths[0]}), whose frames are in folders called so", made)
    drawn = "draw their spectrograms" if kind == "sounds" else "take frames out of them"
    raise InputError(
        f"its rows name {kind} ({paths[0]}), and a record holds an image",
        "; ".join([*ways, f"else {drawn}, and write the path of each image with its label"]),
    )


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
