"""Lists for labels that the last folder alone is not: `church/outdoor` and `house/outdoor`, or one above."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.splits_in_names import list_by_paths
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.split_words import parse_split, split_of
from tfrecordcli.storage.uris import is_remote

_TOLD: Final = 3
# Classes that have a number in the folder above, as Omniglot's characters in each alphabet.
_NUMBERED: Final = re.compile(r"(?:char(?:acter)?|letter|glyph)[ _-]?[0-9]+", re.IGNORECASE)

Folder = tuple[str, ...]


class SharedNames:
    """The folders right above images, by their names below those of splits.

    Args:
      root: the folder that is listed.
      exclude: patterns of what was passed over.
    """

    def __init__(self, root: str, exclude: Collection[str]) -> None:
        self._root = root
        self._exclude = exclude
        self._folders: set[Folder] = set()
        self._endings: set[str] = set()
        self._depth = 0  # of the folder in which those of labels stand
        self._has_splits = False

    def add(self, base: str, split: str, path: str) -> None:
        """Takes in an image.

        Args:
          base: the folder in which those of splits or labels stand; empty for the root.
          split: the name of the folder of its split; empty for none.
          path: relative to the root.
        """
        self._has_splits = bool(split)
        self._depth = len(base.split("/")) * bool(base) + self._has_splits
        self._folders.add(tuple(path.split("/")[self._depth : -1]))
        self._endings.add(posixpath.splitext(path)[1])

    def shown(self) -> str:
        """A last folder's name that several classes have, and where it stands; empty for none."""
        for name, folders in sorted(_shared(self._folders).items()):
            where = ", ".join("/".join(folder) for folder in folders[:_TOLD])
            return f"{name!r} is the last folder of several: {where}" + ", …" * (len(folders) > _TOLD)
        return ""

    def as_list(self, *, is_part: bool = False) -> str:
        """The commands that make and read a list whose labels are paths; empty on a store.

        Args:
          is_part: whether others are converted with it, whose labels have to be such paths, too.
        """
        if is_remote(self._root):
            return ""
        start = self._depth + _start(self._folders)
        split_at = self._depth - 1 if self._has_splits else None
        command, made = list_by_paths(self._root, start, split_at, self._endings, self._exclude)
        if is_part:
            return f"{command}; make one of each of the other folders so, and give these lists in their place"
        return f"{command}; then: tfrec convert {made} OUTPUT_DIR"

    def doubts(self, *, is_part: bool) -> Iterator[str]:
        """What is said where the last folder was chosen for the label.

        Args:
          is_part: as of `as_list`.
        """
        if shown := self.shown():
            ways = self.as_list(is_part=is_part) or "a list of the images tells them apart"
            yield f"{shown}; these got one label: where they are different classes: {ways}"


def list_of_paths(root: str, base: str, top: Iterable[str], levels: Levels, exclude: Collection[str]) -> str:
    """The command for a list with paths as labels, where the last folder alone is none of a class.

    Args:
      top: names of the folders in base.
      root, base, exclude: as of `SharedNames`.
    """
    shared = SharedNames(root, exclude)
    for name in top:
        split = name if parse_split(name) is not None else ""
        for path in levels.images_below([joined(base, name)]):
            shared.add(base, split, path)
    shown, ways = shared.shown(), shared.as_list()
    return f"; {shown}; where these are different classes: {ways}" if shown and ways else ""


def _shared(folders: Collection[Folder]) -> dict[str, list[Folder]]:
    """The folders that have their last name in common and are deeper than most classes, by that name.

    Names of classes below subjects, recordings or years stand again in each of these, and at one depth, or
    no others stand beside them: of each shared name all folders are at one depth, in folders of different
    names, and more names of one folder alone are less deep. Classes that are but
    numbered are details wherever they stand.
    """
    named: dict[str, list[Folder]] = {}
    for folder in sorted(filter(None, folders)):
        named.setdefault(folder[-1], []).append(folder)
    alone = [found[0] for found in named.values() if len(found) == 1]
    several = {name: found for name, found in named.items() if len(found) > 1}
    if not all(map(_is_detail, several.values())):
        return {}
    if several and all(map(_NUMBERED.fullmatch, named)):
        return several
    least = min((len(found[0]) for found in several.values()), default=0)
    return several if sum(len(folder) < least for folder in alone) > len(several) else {}


def _is_detail(folders: list[Folder]) -> bool:
    """Whether folders of one name tell classes apart only together with those above them."""
    above = {folder[-2:-1] for folder in folders}
    is_at_one_depth = len({*map(len, folders)}) == 1
    return is_at_one_depth and len(above) == len(folders) and () not in above and not split_of(folders[0][-1])


def _start(folders: Collection[Folder]) -> int:
    """How many folders on top no label needs: wrappers, and one more where all labels differ without it."""
    common = len(posixpath.commonprefix([*folders]))
    shorter = {folder[common + 1 :] for folder in folders}
    return common + (len(shorter) == len(folders) and () not in shorter)
