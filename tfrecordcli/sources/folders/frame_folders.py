"""Folders that hold the frames of a video each, as their numbers say: `GOT-10k_Train_000001`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from tfrecordcli.sources.folders.splits_in_names import (
    is_numbered_split,
    list_by_frames,
    list_by_sequences,
    without_split,
)
from tfrecordcli.units import some_of

# A word and a running number, which has a zero before it: three digits or more. Ids such as `n01440764`
# are those of classes.
_RUNNING: Final = re.compile(r"(.*?)[_. -]*([0-9]{3,8})")
_WORDS: Final = re.compile(
    r"(?:.*[^a-z])?(?:seq|sequence|video|vid|clip|scene|track|episode|recording|subject|patient|case)",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 50  # folders
# Files of a box for each frame, as GOT-10k, LaSOT and VOT call them, and OTB.
_OF_FRAMES: Final = ("groundtruth.txt", "groundtruth_rect.txt")
_NUMBER: Final = r"-?[0-9]+(?:[.][0-9]+)?"
_BOX: Final = re.compile(rf"\s*{_NUMBER}(?:[,\s]+{_NUMBER}){{3}}\s*", re.ASCII)


def are_sequences(names: Collection[str]) -> bool:
    """Whether names of folders, each with the word of a split, are one word and running numbers.

    The number stands behind the word of the split (`Train_000001`), or behind one of sequences
    (`video_0001_train`): `class01_train` is a class. Numbers have as many digits, and zeros before them.
    """
    found = [match for name in names if (match := _RUNNING.fullmatch(without_split(name)))]
    if len(found) < len(names) or len({match[1].lower() for match in found}) != 1:
        return False
    numbers = {match[2] for match in found}
    is_running = len({*map(len, numbers)}) == 1 and any(number.startswith("0") for number in numbers)
    return is_running and (all(map(is_numbered_split, names)) or bool(_WORDS.fullmatch(found[0][1])))


def frames_hint(root: str, folders: Sequence[str], endings: Iterable[str], exclude: Collection[str]) -> str:
    """What to do with such folders: a list with a box for each frame, where files say it, and one without.

    Args:
      root: local folder.
      folders: those of the images, relative to it.
      endings: of the images.
      exclude: patterns of what is passed over.
    """
    endings = sorted(endings)
    some = [Path(root, folder) for folder in folders[:_LOOKED_AT]]
    beside = _in_each(some, endings)
    name = next((name for name in _OF_FRAMES if name in beside), "")
    has_boxes = bool(name) and any(_is_of_frames(folder, name, endings) for folder in some)
    told = f"each holds {some_of(beside)}; " if beside else ""
    boxes = f"a list of the boxes in {name}: {list_by_frames(root, name, endings, exclude)}; " * has_boxes
    plain = f"a list without labels: {list_by_sequences(root, endings, exclude)}, for --unlabelled keep"
    return f"they are numbered, as sequences are: {told}{boxes}{plain}"


def _in_each(folders: Iterable[Path], endings: Sequence[str]) -> list[str]:
    """The names of files that stand in each of some folders and are no images."""
    names = [{*os.listdir(folder)} for folder in folders]
    return sorted(
        name for name in set.intersection(*names) if not name.endswith((*filter(None, endings), ".db"))
    )


def _is_of_frames(folder: Path, name: str, endings: Sequence[str]) -> bool:
    """Whether a file has a line of four numbers for each image of its folder."""
    lines = (folder / name).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    images = [each for each in os.listdir(folder) if os.path.splitext(each)[1] in endings]
    boxes = [line for line in lines if line.strip()]
    return len(boxes) == len(images) > 0 and all(map(_BOX.fullmatch, boxes)) and len({*map(len, images)}) == 1
