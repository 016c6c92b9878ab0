"""Lists of nothing but names of images that lie in folders of their classes: the command that tells these."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.proposals.spread_images import folders_of
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_NEARLY_ALL: Final = 0.9
_SHOWN: Final = 3
_FEWEST: Final = 2  # folders, and images in each
_CODE: Final = (
    "import csv, os, sys; root = sys.argv[1]; "
    "f = {k: (os.path.relpath(os.path.join(d, n), root), os.path.basename(d)) for d, _, s in os.walk(root) "
    "for n in s for k in (os.path.splitext(n)[0], n)}; "
    'w = csv.writer(sys.stdout, lineterminator="\\n"); w.writerow(["image", "label"]); '
    'w.writerows(f.get(s, (s, "")) for s in map(str.strip, open(sys.argv[2], encoding="utf-8-sig")) if s)'
)


def labels_in_folders(paths: Sequence[str], rows: RowFile) -> str:
    """How a list gets the labels, and what they are; empty where its images are not in several folders.

    Args:
      paths: of its first images.
    """
    root = os.path.normpath(rows.options.image_root or os.path.dirname(rows.name) or ".")
    if (
        is_remote(rows.options.image_root or "")
        or not os.path.isfile(rows.name)
        or any("/" in path for path in paths)
    ):
        return ""
    folders = {name: os.path.normpath(folder) for name, folder in folders_of({*paths}, root).items()}
    if len(folders) < _NEARLY_ALL * len({*paths}) or root in folders.values():
        return ""
    beside = _beside(folders.values())
    classes = sorted({os.path.basename(folder) for folder in beside})
    if len({*folders.values()}) < _FEWEST or any(map(split_of, classes)):
        return ""
    counts = [*filter(None, map(_images_in, beside))]  # up to the fewest
    if 2 * counts.count(_FEWEST) <= len(counts):
        return ""
    code = shlex.quote(_CODE).replace("{", "{{").replace("}", "}}")
    made = made_by("", f"python -c {code} {shlex.quote(as_path(root))} {{name}}", rows.name)
    return f"where the folders that they are in are the labels ({some_of(classes, _SHOWN)}), {made}"


def _beside(folders: Iterable[str]) -> Sequence[str]:
    """The folders beside some, and these: other lists have images in others of them."""
    parents = {os.path.dirname(folder) for folder in folders}
    return [entry.path for parent in parents for entry in os.scandir(parent or ".") if entry.is_dir()]


def _images_in(folder: str) -> int:
    with contextlib.suppress(OSError):
        return len([*islice(filter(IMAGE_EXTENSION.search, os.listdir(folder)), _FEWEST)])
    return 0
