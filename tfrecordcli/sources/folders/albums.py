"""Folders that hold the images of several classes again under one name: `Photos from 2023`, `all`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from zlib import crc32

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.exclusion import excluding
from tfrecordcli.units import some_of

# Names that are kept; where there are more, every second of them is, and so on.
_MOST_NAMES: Final = 20_000
_COMPARED: Final = 4  # images of each of two folders
_WHOLE: Final = 1 << 25  # bytes of an image: files of one kind may begin alike, as by a colour profile
_YEAR: Final = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_NEARLY_ALL: Final = 0.9  # of the images of others, which a folder that is no class by its name has again

_Name = tuple[str, str]  # split, name of a file
_Pairs = dict[str, list[tuple[str, str]]]  # images here and there, by the label there


@dataclass(frozen=True, slots=True)
class _Album:
    """A folder with images of others.

    Attributes:
      label: its name.
      others: labels of the folders that have its images.
      example: one of them, and the same one there.
      is_certain: whether it has no image of its own but nearly all of those, or is called after a year. A
        class may hold some images that show what two others do as well.
    """

    label: str
    others: list[str]
    example: tuple[str, str]
    is_certain: bool

    @property
    def images(self) -> str:
        """What its images are, for a message."""
        return f"again those of {some_of(self.others)} ({', '.join(self.example)})"


class Albums:
    """The images of the class folders of a listing, by their names.

    An image that comes in three folders tells of none of them.

    Args:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._places: dict[_Name, list[tuple[str, str]]] = {}  # labels and paths
        self._count = 0
        self._mask = 0  # bits that are 0 in the checksums of the names that are kept

    def add(self, split: str, path: str, label: str) -> None:
        """Takes in an image."""
        name = split, path.rpartition("/")[2]
        if not label or self._is_left_out(name):
            return
        self._places.setdefault(name, []).append((label, path))
        self._count += 1
        while self._count > _MOST_NAMES:
            self._mask = self._mask << 1 | 1
            self._places = {name: at for name, at in self._places.items() if not self._is_left_out(name)}
            self._count = sum(map(len, self._places.values()))

    def need_none(self, root: str) -> None:
        """Refuses a folder that has no other images than several folders beside it.

        Args:
          root: the folder that is listed.

        Raises:
          InputError: naming it, with the option that passes over it.
        """
        for album in self._found:
            if album.is_certain:
                raise InputError(
                    f"{root}: the folder {album.label!r} is no class: its images are {album.images}",
                    f"{excluding([album.label])} passes over it; --label-folder last takes folders and files "
                    "as they are",
                )

    def doubts(self) -> Iterator[str]:
        """What is said where such folders were taken for classes."""
        for album in self._found:
            yield (
                f"most images of the folder {album.label!r} are {album.images}: where it is no class, "
                f"{excluding([album.label])} passes over it and all that is in it"
            )

    def _is_left_out(self, name: _Name) -> bool:
        return crc32(name[1].encode()) & self._mask != 0

    @cached_property
    def _found(self) -> list[_Album]:
        """Such folders; of several that hold each other's images, those of years, or else one."""
        counts, pairs = self._pairs()
        may_be = [
            label
            for label, others in pairs.items()
            if len(others) > 1 and 2 * sum(map(len, others.values())) > counts[label]
        ]
        found: list[_Album] = []
        passed: set[str] = set()
        for label in sorted(may_be, key=lambda each: (not _YEAR.search(each), -counts[each], each)):
            same = {other: those for other, those in pairs[label].items() if self._are_same(those)}
            count = sum(map(len, same.values()))
            if label in passed or len(same) < 2 or 2 * count <= counts[label]:
                continue
            rivals = same.keys() & {*may_be}
            passed |= rivals
            example = min(those[0] for those in same.values())
            are_all = bool(_YEAR.search(label)) or count >= _NEARLY_ALL * sum(map(counts.__getitem__, same))
            is_certain = count == counts[label] and not rivals and are_all
            found.append(_Album(label, sorted(same), example, is_certain))
        return found

    def _pairs(self) -> tuple[Counter[str], dict[str, _Pairs]]:
        """How many images classes have, and for each the images that one other class has as well."""
        counts: Counter[str] = Counter()
        pairs: dict[str, _Pairs] = {}
        for places in self._places.values():
            counts.update(label for label, _ in places)
            if len(places) == 2 and places[0][0] != places[1][0]:
                for (label, path), (other, there) in (places, places[::-1]):
                    pairs.setdefault(label, {}).setdefault(other, []).append((path, there))
        return counts, pairs

    def _are_same(self, pairs: list[tuple[str, str]]) -> bool:
        files = (map(self._bytes, pair) for pair in pairs[:_COMPARED])
        return all(one != b"" and one == other for one, other in files)

    def _bytes(self, path: str) -> bytes:
        return self._head(path, _WHOLE)
