"""Masks of segmentation that stand among images: known by their names, so that they become no samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from tfrecordcli.sources.folders.annotation_files import say_nothing, words_of

# Names of folders, in lower case, that hold masks when other folders beside them show something.
_MASK_FOLDERS: Final = frozenset(
    {"masks", "segmentationclass", "segmentationobject", "ground_truth", "groundtruth"}
)
_KINDS: Final = "masks?|seg|segmentations?|gt|groundtruth|ground_truth"
# cat_masks beside cat.
_FOLDER_OF: Final = re.compile(rf"(.+?)[ _.-]+(?:{_KINDS})", re.IGNORECASE)
# i0_mask.png, i0_mask_1.png, mask_i0.png beside i0.jpg.
_FILE_OF: Final = re.compile(
    rf"(?:(?P<before>.+?)[ _.-]+(?:{_KINDS})(?:[ _.-]*\d+)?|(?:{_KINDS})[ _.-]+(?P<after>.+))",
    re.IGNORECASE,
)
_EXTENSIONS: Final = (".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG", ".bmp", ".tif", ".tiff", ".webp")
# Last words of folders that hold masks, where those beside them are called by kinds of files.
_LAST_WORDS: Final = frozenset({"mask", "masks", "seg", "segmentation", "segmentations", "gt", "groundtruth"})
_WITHOUT: Final = frozenset({"no", "non", "not", "without"})
_UNMASKED: Final = frozenset({"nomask", "nomasks", "unmasked", "withoutmask", "withoutmasks"})

# Folders that are told, and files of one folder that are asked about.
_TOLD: Final = 5
_ASKED: Final = 50


class MaskSearch:
    """Finds out whether images of one listing are masks of others.

    Args:
      head: gives the first bytes of a file, none when it is not there.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._folder, self._asked = "", 0
        self._pair = ""

    def ask(self, path: str) -> None:
        """Looks for the image beside a file that is called like a mask, until one is found."""
        if self._pair:
            return
        for image in _masked_by(path):
            folder = path.rpartition("/")[0]
            if folder != self._folder:
                self._folder, self._asked = folder, 0
            self._asked += 1
            if self._asked > _ASKED * len(_EXTENSIONS):
                return
            if self._head(image, 1):
                self._pair = f"{path} beside {image}"
                return

    def found(self, labels: Collection[str]) -> str:
        """What is certainly masks: label folders by name, or a file; empty for nothing."""
        folders = _mask_folders(labels)
        if folders:
            return f"folders of masks ({', '.join(folders[:_TOLD])}{', …' if len(folders) > _TOLD else ''})"
        return f"masks ({self._pair})" if self._pair else ""


def _mask_folders(labels: Collection[str]) -> list[str]:
    """Those label folders that hold masks of what is in the others; none where all tell who wears one."""
    if any(map(_tells_of_faces, labels)) and all("mask" in label.lower() for label in labels):
        return []
    known = {label.lower() for label in labels}
    found = [label for label in labels if _holds(label, known)]
    if not found:  # PedMasks beside PNGImages
        called = [label for label in labels if not _LAST_WORDS.isdisjoint(words_of(label)[-1:])]
        found = [label for label in called if not _tells_of_faces(label)]
        others = [label for label in labels if label not in found]
        return found if others and say_nothing(others) else []
    return found if len(found) < len(known) else []


def _holds(label: str, known: Collection[str]) -> bool:
    """Whether a folder is called like one of masks, or by another folder: `cat_masks` beside `cat`."""
    match = _FOLDER_OF.fullmatch(label)
    return label.lower() in _MASK_FOLDERS or (match is not None and match[1].lower() in known)


def _tells_of_faces(label: str) -> bool:
    """Whether a folder shows people who wear no mask: `NoMask`, `without_mask`."""
    words = set(words_of(label))
    has_mask = not words.isdisjoint({"mask", "masks"})
    return not words.isdisjoint(_UNMASKED) or (has_mask and not words.isdisjoint(_WITHOUT))


def may_be_masks(labels: Collection[str]) -> str:
    """A label folder that may hold masks, or photos of people who wear one; empty when there is none."""
    named = [label for label in labels if "mask" in label.lower()]
    return named[0] if len(named) == 1 < len(labels) and named[0].lower() == "mask" else ""


def _masked_by(path: str) -> Iterator[str]:
    """Paths beside a file of which one is the image, if the file is its mask; else none."""
    folder, slash, name = path.rpartition("/")
    match = _FILE_OF.fullmatch(name.rpartition(".")[0])
    if match is not None and "mask" not in folder.rpartition("/")[2].lower():
        stem = match["before"] or match["after"]
        yield from (f"{folder}{slash}{stem}{extension}" for extension in _EXTENSIONS)
