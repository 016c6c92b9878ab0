"""Files that are called like images, one for each: `gt/1.txt` for `images/1.jpg`; and the splits of these."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, split_in
from tfrecordcli.sources.folders.numbered_splits import split_by_number
from tfrecordcli.sources.folders.tree import image_of_file, stem_of
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF

# Folders of files, and of images, that are known, and names of each.
_FOLDERS: Final = 100
_IMAGES: Final = 2_000
MOST_FILES: Final = 50
# The part of the files of a folder that has to be called like images.
NEARLY_ALL: Final = 0.9
# The split of an image by the lists of names that are called like splits, as `SPLIT_OF` gives it by folders.
_SETS: Final = ("train", "val", "test")
SPLIT_LISTS: Final = frozenset(f"{name}.txt" for name in _SETS)
SPLIT_BY_SETS: Final = (
    f'y = {{k: {{pathlib.PurePath(l.strip()).name for f in r.rglob(k + ".txt") for l in '
    f'f.read_text(encoding="utf-8-sig").splitlines()}} for k in {json.dumps(_SETS)}}}; '
    'z = lambda q: "-".join(k for k in y if {q.name, q.stem} & y[k]); '
)


class FilesOfImages:
    """The files of one ending and the images of one listing, the first ones of each folder.

    Args:
      ending: of the files; or several.
      head: gives so many first bytes of a file; none of one that cannot be read.

    Attributes:
      by_folder: names of the files.
      endings: of the images; an empty one where files have those of images in their names.
    """

    def __init__(self, ending: str | tuple[str, ...], head: Callable[[str, int], bytes]) -> None:
        self.by_folder: dict[str, list[str]] = {}
        self.endings: set[str] = set()
        self._ending = ending
        self._head = head
        self._images: dict[str, set[str]] = {}  # names without extensions, by folder
        self._sets: list[str] = []  # lists that are called like splits
        self._named: list[str] = []  # texts whose names have no number

    def add_image(self, path: str) -> None:
        """Takes in an image."""
        folder, _, name = path.rpartition("/")
        if folder in self._images or len(self._images) < _FOLDERS:
            stems = self._images.setdefault(folder, set())
            if len(stems) < _IMAGES:
                stems.add(stem_of(name))
                self.endings.add(os.path.splitext(name)[1])

    def add(self, path: str) -> None:
        """Takes in a file that is no image."""
        folder, _, name = path.rpartition("/")
        if name in SPLIT_LISTS and len(self._sets) < _FOLDERS:
            self._sets.append(path)
        is_named = re.search("[0-9]", name) is None and name.lower().endswith(".txt")
        if is_named and len(self._named) < MOST_FILES:
            self._named.append(path)
        if path.lower().endswith(self._ending) and (
            folder in self.by_folder or len(self.by_folder) < _FOLDERS
        ):
            names = self.by_folder.setdefault(folder, [])
            names.append(name)
            self.endings |= {""} if image_of_file(name) != stem_of(name) else set()
            if len(names) == 2 * MOST_FILES:
                names.sort()
                del names[MOST_FILES:]

    def images_of(self, folder: str, before: str = "") -> list[str]:
        """The folders with the images that nearly all files in a folder are called like: its own, or others.

        Of several in which all are, that of the same split, then that whose path has most in common, or else
        that with the fewest images besides; empty where files are called like no image.

        Args:
          before: what stands before the names of images in those of files.
        """
        some = sorted(self.by_folder[folder])[:MOST_FILES]
        names = {image_of_file(name).removeprefix(before) for name in some}
        least = NEARLY_ALL * len(names)
        if folder in self._images:
            return [folder] if len(names & self._images[folder]) >= least else []
        parts, split = {*folder.split("/")}, _split_of(folder)
        whole = [images for images, stems in self._images.items() if len(names & stems) >= least]
        if whole:
            others = {images: len(self._images[images] - names) for images in whole}

            def distance(images: str) -> tuple[int, int, int]:
                is_other = split != _split_of(images)
                return is_other, -len(parts & {*images.split("/")}), others[images]

            return [min(whole, key=distance)]
        some = [images for images, stems in self._images.items() if names & stems]
        known = {*chain.from_iterable(self._images[images] for images in some)}
        return some if len(names & known) >= least else []

    def is_of_image(self, name: str, folders: Iterable[str]) -> bool:
        """Whether a file is called like an image in some folders."""
        return any(image_of_file(name) in self._images[folder] for folder in folders)

    def share_of(self, folder: str, images: Iterable[str]) -> tuple[int, int]:
        """How many images have a file in a folder, and of how many, as far as its files are known.

        Args:
          images: the folders with the images.
        """
        names = [image_of_file(name) for name in sorted(self.by_folder[folder])[:MOST_FILES]]
        is_whole = len(names) < MOST_FILES
        stems = {*chain.from_iterable(self._images[each] for each in images)}
        among = [stem for stem in stems if is_whole or stem <= names[-1]]
        return len(stems & {*names}), len(among)

    def split_of_images(self, pairs: Mapping[str, Sequence[str]]) -> str:
        """Python for ``z``, which gives the split of an image by its path; empty: nothing tells any.

        Folders that are called like splits tell it, or else the lists ``*.txt`` that are and name images, or
        a text of numbers.

        Args:
          pairs: the folders of images by those of their files.
        """
        folders = {*pairs, *chain.from_iterable(pairs.values())}
        if any(split_in(name) for folder in folders for name in folder.split("/")):
            return SPLIT_OF.replace("s = ", "z = ", 1)
        known = {*chain.from_iterable(self._images[each] for each in chain.from_iterable(pairs.values()))}
        heads = (self._head(path, HEAD_BYTES) for path in self._sets)
        names = (line.strip().rpartition("/")[2] for head in heads for line in lines_of(head))
        if any(name in known or stem_of(name) in known for name in names):
            return SPLIT_BY_SETS
        told = (split_by_number(path, lines_of(self._head(path, HEAD_BYTES)), known) for path in self._named)
        return next(filter(None, told), "")


def lines_of(head: bytes) -> list[str]:
    """The whole lines that are not blank of a text that begins like this."""
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    return [line for line in (lines[:-1] if len(head) == HEAD_BYTES else lines) if line.strip()]


def files_and_images(pairs: Mapping[str, Sequence[str]], pattern: str) -> str:
    """Python that walks through the files ``p``, each with ``m``, the folders that its image may be in.

    Args:
      pairs: the folders of images by those of their files.
      pattern: of the names of files.
    """
    if any([folder] != images for folder, images in pairs.items()):
        listed = json.dumps([*pairs.items()], ensure_ascii=False)
        return f't, m in {listed} for p in sorted((r / t).glob("{pattern}"))'
    return f'p in sorted(r.rglob("{pattern}")) for m in [[p.parent]]'


def _split_of(folder: str) -> str:
    """The split that the path of a folder has a word of; empty where it has none."""
    return next(filter(None, map(split_in, folder.split("/"))), "")
