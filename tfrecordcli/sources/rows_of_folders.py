"""Rows that name a folder of images each, with one label for all of them: studies, as MURA has them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.annotation_files import words_of
from tfrecordcli.sources.folders.mask_folders import OF_MASKS
from tfrecordcli.sources.folders.mask_names import OF_IMAGES
from tfrecordcli.sources.pandas_commands import beside, literal, python_command
from tfrecordcli.sources.sample import sample_of
from tfrecordcli.storage.uris import is_remote

_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff")
_PLAIN: Final = ("image", "label")
# Words of files that belong to an image and are none.
_BESIDE: Final = re.compile(rf"depths?|disparity|{OF_MASKS.pattern}")
_SHOWN: Final = re.compile(OF_IMAGES)
# Folders that are looked into, the share of them that is enough, and names that are few.
_LOOKED_INTO: Final = 100
_NEARLY_ALL: Final = 0.9
_FEW: Final = 10


@dataclass(frozen=True, slots=True)
class _Kinds:
    """What the same few files of each folder are, as Nutrition5k's ``rgb.png`` and ``depth_raw.png``.

    Attributes:
      kept, others: names of those that show what the label tells, and of the others.
    """

    kept: list[str]
    others: list[str]

    @property
    def condition(self) -> str:
        """Python that is true for a name ``n`` that is kept."""
        return f" and os.path.splitext(n)[0] in [{', '.join(literal(_stem(name)) for name in self.kept)}]"


def folders_hint(rows: RowFile, root: str) -> str:
    """The command that makes a row of each image of these folders; empty where none can be told.

    Args:
      rows: of a list whose images are folders.
      root: folder or URL that relative paths are relative to.
    """
    if rows.is_listing or rows.is_spooled or not os.path.isfile(rows.name) or is_remote(root):
        return ""
    sample = sample_of(rows)
    header, image = sample.shape.header, sample.shape.image
    if not header and {*map(len, sample.table)} != {len(_PLAIN)}:
        return ""
    names = [*(header or _PLAIN), "folder"]
    place = image or 0
    kinds = _kinds([os.path.join(root or ".", folder) for folder in dict.fromkeys(sample.fields(place))])
    code = (
        f'import csv, os; r = csv.reader(open({literal(rows.name)}, newline="", '
        f'encoding="utf-8-sig"), delimiter={literal(sample.shape.delimiter)}, skipinitialspace=True); '
        f"{'next(r); ' if header else ''}i, d = {place}, {literal(root or '.')}; "
        "t = [[*f[:i], os.path.join(f[i].strip(), n), *f[i + 1:], "
        f'*[""] * ({len(names) - 1} - len(f)), f[i]] for f in r if f '
        "for n in sorted(os.listdir(os.path.join(d, f[i].strip()))) "
        f'if n[0] != "." and n.lower().endswith({_quoted(_ENDINGS)}){kinds.condition if kinds else ""}]; '
        f'w = csv.writer(open({literal(beside(rows.name, "by-image"))}, "x", newline="", encoding="utf-8")); '
        f"w.writerows([{_quoted(names)}, *t])"
    )
    made = "each image in them"
    if kinds:
        made = f"{', '.join(kinds.kept)} in each of them, and none of {', '.join(kinds.others)}"
    return (
        f"its rows name folders: make a row of {made}: {python_command(code, rows.name)}, and "
        "convert that with --split-by folder"
    )


def _kinds(folders: Iterable[str]) -> _Kinds | None:
    """What the files are where nearly all folders have the same few; None for frames and views."""
    found = [names for names in map(_images_in, list(folders)[:_LOOKED_INTO]) if names]
    if len(found) < 2:
        return None
    (stems, count), *_ = Counter(tuple(sorted(map(_stem, names))) for names in found).most_common(1)
    # Frames and views are called alike up to their numbers: 0001, image1 and image2.
    are_parted = len({re.sub(r"\d+", "", stem) for stem in stems} - {""}) == len(stems)
    if count < _NEARLY_ALL * len(found) or not 1 < len(stems) <= _FEW or not are_parted:
        return None
    kept = _shown(stems)
    names = {_stem(name): name for each in found for name in each}
    others = [names[stem] for stem in stems if stem not in kept]
    return _Kinds([names[stem] for stem in kept], others) if kept and others else None


def _shown(stems: Iterable[str]) -> list[str]:
    """Those of these names that show something, as they say; none where no name says what any is."""
    plain = [stem for stem in stems if not any(map(_BESIDE.fullmatch, words_of(stem)))]
    shown = [stem for stem in plain if any(map(_SHOWN.fullmatch, words_of(stem)))]
    called = [stem for stem in shown if len(words_of(stem)) == 1]
    return called or shown or (plain[:1] if plain != [*stems] else [])


def _images_in(folder: str) -> list[str]:
    """Names of the images in a folder; none where it cannot be read."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [name for name in names if name[0] != "." and name.lower().endswith(_ENDINGS)]


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]


def _quoted(words: tuple[str, ...] | list[str]) -> str:
    return f"({', '.join(map(literal, words))})"
