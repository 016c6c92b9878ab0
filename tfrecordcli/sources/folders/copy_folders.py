"""Folders that hold images of others again, as their names say: `augmented`, `_backup_2023`, `cat - Copy`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES
from tfrecordcli.sources.folders.exclusion import excluding
from tfrecordcli.split_words import UNASSIGNED
from tfrecordcli.units import plural

# Names that say nothing else; `aug` is a month where another one stands anywhere.
_CHANGED: Final = re.compile(
    r"(?i)[ _.-]*(?:data[ _-]?)?aug(?:s|ment(?:ed|ations?)?(?:[ _.-]*(?:[0-9]+|images?|imgs?|photos?))*)?"
    r"[ _.-]*"
)
_BACKUP: Final = re.compile(r"(?i)[ _.-]*(?:back[ _-]?ups?|bak)(?:[ _.-]*[0-9]+)*[ _.-]*")
_MONTH: Final = re.compile(r"(?i)(?:jan|feb|mar|apr|may|jun|jul|sep|oct|nov|dec)[a-z]{0,6}")
# A word that may say so, for which bytes are compared; around it stands the name of the folder beside.
_AGAIN: Final = re.compile(
    r"(?i)[ _.(-]*(?<![a-z])(?:back[ _-]?ups?|bak|cop(?:y|ies)(?:[ _-]of)?|kopie(?:[ _-]von)?|old|archived?|"
    r"duplicates?)(?![a-z])(?:[ _.()-]*[0-9]+)*[ _.)-]*|(?<=.)[ _]?\([0-9]+\)$"
)
_COMPARED: Final = 8  # images of a folder
_FOLDERS: Final = 20  # that are compared


@dataclass(slots=True)
class _Changed:
    """The images below folders of one name."""

    example: str
    count: int = 0
    is_label: bool = False
    is_unassigned: bool = False


@dataclass(slots=True)
class CopyFolders:
    """What a listing has in such folders.

    Attributes:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    head: Callable[[str, int], bytes]
    _others: int = 0  # images in none of them
    _folder: str = "/"  # of the image before, as images come folder by folder
    _names: set[str] = field(default_factory=set)  # of folders around the image that say so
    _has_months: bool = False
    _named: dict[str, _Changed] = field(default_factory=dict)
    _again: dict[str, list[str]] = field(default_factory=dict)  # images by folder that may be one again
    _now: list[list[str]] = field(default_factory=list)  # those of the folders around the image

    def add(self, split: str, path: str, label: str) -> None:
        """Takes in an image."""
        folder = path.rpartition("/")[0]
        if folder != self._folder:
            self._enter(folder)
        for images in self._now:
            images += [path][: _COMPARED - len(images)]
        self._others += not self._names
        for name in self._names:
            named = self._named.setdefault(name, _Changed(path))
            named.count += 1
            named.is_label |= label == name
            named.is_unassigned |= split == UNASSIGNED

    def doubts(self) -> Iterator[str]:
        """What may not be meant."""
        twice = {
            folder: two for folder, images in self._again.items() if (two := self._twice(folder, images))
        }
        for folder, (one, other) in twice.items():
            yield (
                f"the folder {folder} holds images again that are in others, too ({one}, {other}): "
                f"{excluding([folder])} passes over it"
            )
        told = {name for folder in twice for name in folder.split("/")}
        for name, named in self._told():
            what = f"by its name, a folder {name!r} holds copies of images ({named.example})"
            if name in told or not (named.is_label or named.is_unassigned):
                continue
            if named.is_label:
                what += f", which are no class of their own ({plural(named.count, 'image')})"
            else:
                what += ", which may be in other splits than these"
            yield f"{what}: {excluding([name])} passes over {'it' if named.count == 1 else 'them'}"

    def hint(self) -> str:
        """The option that leaves out what is named so; empty where nothing is, or nothing else."""
        named = dict(self._told())
        if not named:
            return ""
        shown = ", ".join(each.example for each in named.values())
        return f"{excluding(named)} leaves out copies of images, by the names of their folders ({shown})"

    def _enter(self, folder: str) -> None:
        self._folder = folder
        parts = folder.split("/")
        self._has_months = self._has_months or any(map(_MONTH.fullmatch, parts))
        self._names = {part for part in parts if _CHANGED.fullmatch(part) or _BACKUP.fullmatch(part)}
        paths = ["/".join(parts[: at + 1]) for at, part in enumerate(parts) if _AGAIN.search(part)]
        self._now = [
            self._again.setdefault(path, [])
            for path in paths
            if path in self._again or len(self._again) < _FOLDERS
        ]

    def _told(self) -> Iterator[tuple[str, _Changed]]:
        """What is named so beside other images."""
        for name, named in self._named.items():
            if self._others and not (self._has_months and name.lower() == "aug"):
                yield name, named

    def _twice(self, folder: str, images: Iterable[str]) -> tuple[str, str] | None:
        """An image of a folder and what it is again, where all that are looked at are such."""
        above, _, name = folder.rpartition("/")
        places = ["/".join(filter(None, [above, rest])) for rest in ("", _AGAIN.sub("", name))]
        for place in dict.fromkeys(places):
            pairs = [(path, f"{place}{path[len(folder) :]}".lstrip("/")) for path in images]
            if all(self._are_same(*pair) for pair in pairs):
                return pairs[0]
        return None

    def _are_same(self, one: str, other: str) -> bool:
        head = self.head(one, HEAD_BYTES)
        return head != b"" and head == self.head(other, HEAD_BYTES)


def hint_of_copies(images: Iterable[str]) -> str:
    """As `CopyFolders.hint` of a listing's images."""
    folders = CopyFolders(lambda path, size: b"")
    for path in images:
        folders.add(UNASSIGNED, path, "")
    return folders.hint()
