"""Folders that hold masks of segmentation by their names: `cat_masks` beside `cat`, or `masks`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from glob import escape
from typing import Final

from tfrecordcli.sources.folders.annotation_files import say_nothing, words_of

# What names of masks say that they are.
KINDS: Final = "masks?|seg|segmentations?|gt|groundtruth|ground_truth"
# Names of folders, in lower case, that hold masks when other folders beside them show something.
_MASK_FOLDERS: Final = frozenset(
    {"masks", "segmentationclass", "segmentationobject", "ground_truth", "groundtruth"}
)
# cat_masks beside cat.
_FOLDER_OF: Final = re.compile(rf"(.+?)([ _.-]+(?:{KINDS}))", re.IGNORECASE)
# Last words of folders that hold masks, where those beside them are called by kinds of files.
_LAST_WORDS: Final = frozenset({"mask", "masks", "seg", "segmentation", "segmentations", "gt", "groundtruth"})
_MAPS: Final = frozenset({"semantic", "segmentation", "segmentations"})  # `Semantic Maps`
# Words of folders that may hold masks, of images that are called alike.
OF_MASKS: Final = re.compile(r"masks?|seg.*|gt|(?:ground)?truth|(?:label|annot).*")
_WITHOUT: Final = frozenset({"no", "non", "not", "without"})
_UNMASKED: Final = frozenset({"nomask", "nomasks", "unmasked", "withoutmask", "withoutmasks"})


def mask_folders(labels: Collection[str]) -> list[str]:
    """Those label folders that hold masks of what is in the others; none where all tell who wears one."""
    if any(map(tells_of_faces, labels)) and all("mask" in label.lower() for label in labels):
        return []
    known = {label.lower() for label in labels}
    found = [label for label in labels if _holds(label, known)]
    if not found:  # PedMasks beside PNGImages
        called = [label for label in labels if _may_hold(label)]
        found = [label for label in called if not tells_of_faces(label)]
        others = [label for label in labels if label not in found]
        return found if others and say_nothing(others) else []
    return found if len(found) < len(known) else []


def may_be_called_so(folder: str) -> bool:
    """Whether a folder may be one of `mask_folders`, whatever is beside it."""
    return is_certain(folder) or _may_hold(folder) or _FOLDER_OF.fullmatch(folder) is not None


def tells_of_masks(folder: str) -> bool:
    """Whether the name of a folder has a word of masks, by which alone it may be anything else."""
    return any(map(OF_MASKS.fullmatch, words_of(folder)))


def is_certain(folder: str) -> bool:
    """Whether the name alone says that masks are in a folder."""
    return folder.lower() in _MASK_FOLDERS


def patterns_of(folders: Iterable[str]) -> list[str]:
    """What --exclude takes to pass over folders of masks: `*_masks`, `masks`."""
    ends = ((folder, _FOLDER_OF.fullmatch(folder)) for folder in folders)
    return sorted({f"*{escape(end[2])}" if end else escape(folder) for folder, end in ends})


def tells_of_faces(label: str) -> bool:
    """Whether a folder shows people who wear no mask: `NoMask`, `without_mask`."""
    words = set(words_of(label))
    has_mask = not words.isdisjoint({"mask", "masks"})
    return not words.isdisjoint(_UNMASKED) or (has_mask and not words.isdisjoint(_WITHOUT))


def _holds(label: str, known: Collection[str]) -> bool:
    """Whether a folder is called like one of masks, or by another folder: `cat_masks` beside `cat`."""
    match = _FOLDER_OF.fullmatch(label)
    return is_certain(label) or (match is not None and match[1].lower() in known)


def _may_hold(label: str) -> bool:
    words = words_of(label)
    return not (_LAST_WORDS.isdisjoint(words[-1:]) and _MAPS.isdisjoint(words))
