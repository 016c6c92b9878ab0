"""Folders that hold one dataset in several sizes, as `jpeg-192x192` beside `jpeg-512x512`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.units import some_of

_SIZE: Final = re.compile(
    r"(?<![0-9])(?:([0-9]{2,4})[xX][0-9]{2,4}|([0-9]{2,4})px)(?![0-9A-Za-z])"
    r"|(?:^|(?<=[_.\- ]))([0-9]{2,4})$"
)
# Numbers alone are of years, parts and classes, too: they are sizes where all beside each other are known.
_KNOWN: Final = frozenset({
    *range(64, 2049, 64), 28, 32, 48, 96, 112, 144, 160, 168, 224, 288, 299, 300, 331, 336, 352, 380, 392,
    416, 456, 480, 518, 528, 544, 600, 608, 672, 720, 800, 1080,
})  # fmt: skip
_COMPARED: Final = 1_000  # images of a folder whose names are compared with those of another size
# Of a microscope: 40X, 400x.
_MAGNIFICATION: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?[xX]")


class SizeSearch:
    """Folders with a size in their names, as a listing meets their images."""

    def __init__(self) -> None:
        self._images: dict[str, list[str]] = {}

    def add(self, folder: str, path: str) -> None:
        """Takes in an image and the folder in which it lies, both with `/`."""
        if size_in(folder) and len(some := self._images.setdefault(folder, [])) < _COMPARED:
            some.append(path)

    def found(self) -> list[str]:
        """As `folders_of_sizes`, of the first images of each folder."""
        return folders_of_sizes(chain.from_iterable(self._images.values()))


def is_magnification(name: str) -> bool:
    """Whether a folder is called after how much its images are enlarged: `40X`."""
    return _MAGNIFICATION.fullmatch(name) is not None


def folders_of_sizes(paths: Iterable[str]) -> list[str]:
    """Folders, from the smallest size on, that differ in a size alone and hold files of the same names.

    Args:
      paths: of files, with `/`; sizes in the names of files do not count.
    """
    held: dict[str, dict[str, set[str]]] = {}
    for path in paths:
        *folders, _ = path.split("/")
        at = next((i for i, name in enumerate(folders) if _SIZE.search(name)), None)
        if at is not None:
            folder = "/".join(folders[: at + 1])
            rest = path[len(folder) + 1 :]
            alike = f"{folder.rpartition('/')[0]}/{_SIZE.sub('#', folders[at])}"
            files = held.setdefault(alike, {}).setdefault(folder, set())
            files.add("/".join(map(_without, rest.split("/"))))
    return next(filter(None, map(_alike, held.values())), [])


def several_sizes(root: str, folders: Sequence[str], *others: str) -> InputError:
    """What is said of such folders of labels or records, which may hold different images all the same.

    Args:
      root: the folder that was to be converted.
      folders: of each size, relative to root, the largest last.
      others: further ways out.
    """
    paths = [as_path(os.path.join(root, folder)) for folder in folders]
    one, all_of_them = (command_line(["tfrec", "convert", *some]) for some in (paths[-1:], paths))
    all_ways = [
        f"convert one of them: {one} OUTPUT_DIR",
        f"{all_of_them} OUTPUT_DIR takes all, where they are different images",
        *others,
    ]
    return _looks_so(root, folders, "; ".join(all_ways))


def flat_sizes(root: str, folders: Sequence[str], listed: str) -> InputError:
    """What is said of such folders that hold images and no folders of labels.

    Args:
      folders: relative to root.
      listed: the list of their images with its command; empty where none is known.
    """
    largest = as_path(os.path.join(root, folders[-1]))
    way = f"convert one of them: {command_line(['tfrec', 'convert', largest])} OUTPUT_DIR"
    if listed:
        way = (
            f"{listed}, and where it does not tell the folder, with {command_line(['--image-root', largest])}"
        )
    return _looks_so(root, folders, f"{way}; --label-folder first takes them for labels all the same")


def _looks_so(root: str, folders: Sequence[str], hint: str) -> InputError:
    return InputError(
        f"{root}: this looks like one dataset in several sizes, with files of the same names "
        f"({some_of(folders)})",
        hint,
    )


def _alike(held: dict[str, set[str]]) -> list[str]:
    """The folders of one name, where each holds the same; no folder where they are none of sizes."""
    first = next(iter(held.values()))
    sizes = {folder: size_in(folder) for folder in held}
    if len(held) < 2 or not all(sizes.values()) or any(files != first for files in held.values()):
        return []
    return sorted(held, key=sizes.__getitem__)


def size_in(folder: str) -> int:
    """The size that the last name of a path tells; 0: none for certain."""
    found = _SIZE.search(folder.rpartition("/")[2])
    if found is None:
        return 0
    certain, number = found[1] or found[2], found[3]
    return int(certain or (number if int(number) in _KNOWN else 0))


def _without(name: str) -> str:
    """A name without the size in it; of a file, its ending stays."""
    stem, dot, ending = name.rpartition(".")
    return _SIZE.sub("#", stem) + dot + ending if dot else _SIZE.sub("#", name)
