"""Names of images that come again in every folder, and may be their labels: `patient 7/{left,right}.jpg`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from string import ascii_lowercase
from typing import Final

from tfrecordcli.sources.folders.annotation_files import say_nothing, words_of
from tfrecordcli.sources.folders.folders_in_columns import column_names
from tfrecordcli.sources.folders.splits_in_names import COPY, list_by_levels
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_COPY: Final = re.compile(COPY)
_WORDS: Final = re.compile(r"[^\W\d_]{2,}(?:[ _-][^\W\d_]+)*")
# Versions of one image, or what belongs to one, and no labels.
_VERSION: Final = re.compile(
    "thumb(?:nail)?s?|previews?|small|medium|large|big|full|mini|icon|cover|orig(?:inals?)?|cropp?(?:ed)?"
    "|resized|edit(?:ed)?|raw|rgb|depth|disp(?:arity)?|normals?|gr[ae]y|colou?r|ir|nir|masks?|seg.*|gt"
    "|(?:ground)?truth|inputs?|outputs?|targets?|results?|noisy|clean|blur(?:red|ry)?|sharp|[hl]r|source|ref",
)
# What images are numbered by in words.
_NUMBER: Final = re.compile(
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    "|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    "|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
)
_MOST: Final = 20  # names that are few
_FEWEST: Final = 5  # folders, or groups that a split keeps together
_NEARLY_ALL: Final = 0.9


class NamesAgain:
    """What the images of a listing are called in each folder.

    Args:
      root: the folder that is listed.
      exclude: patterns of what was passed over.
    """

    def __init__(self, root: str, exclude: Collection[str]) -> None:
        self._root = root
        self._exclude = exclude
        self._numbers: dict[str, int] = {}  # of names
        self._folders: dict[str, int] = {}  # which of these each has, as bits: there may be many folders
        self._endings: set[str] = set()

    def add(self, folder: str, path: str) -> None:
        """Takes in an image in a folder, unless there are too many names for labels that come again."""
        if len(self._numbers) > _MOST:
            return
        stem, ending = posixpath.splitext(posixpath.basename(path))
        number = self._numbers.setdefault(_COPY.sub("", stem), len(self._numbers))
        self._folders[folder] = self._folders.get(folder, 0) | 1 << number
        self._endings.add(ending)

    def shown(self) -> str:
        """Some of the names that come again in most folders and may be labels; empty for none."""
        if len(self._numbers) > _MOST or len(self._folders) < _FEWEST:
            return ""
        counts = {
            name: sum(names >> number & 1 for names in self._folders.values())
            for name, number in self._numbers.items()
        }
        again = [name for name, count in counts.items() if 2 * count > len(self._folders)]
        are_most = sum(counts[name] for name in again) >= _NEARLY_ALL * sum(counts.values())
        are_few = 1 < len(again) <= len(self._folders) and not _are_lettered(again)
        return some_of(sorted(again)) if are_few and are_most and all(map(_may_be_label, again)) else ""

    def as_list(self, *, is_part: bool = False) -> str:
        """The commands that make and read a list whose labels are the names; empty for none, or on a store.

        Args:
          is_part: whether others are converted with it.
        """
        shown = self.shown()
        if not shown or is_remote(self._root):
            return ""
        parted = [folder.split("/") for folder in self._folders]
        columns = column_names(parted)
        command, made = list_by_levels(self._root, columns, self._endings, self._exclude, are_labels=True)
        what = f"where names that come again in most folders are what images show ({shown})"
        what = f"{what}, make a list: {command}"
        if is_part:
            return f"{what}; make one of each of the other folders so, and give these lists in their place"
        return f"{what}; then: tfrec convert {made} OUTPUT_DIR{_keeping_together(columns, parted)}"

    def doubts(self, *, is_part: bool) -> Iterator[str]:
        """What is said where folders gave the labels.

        Args:
          is_part: as of `as_list`.
        """
        if shown := self.shown():
            ways = self.as_list(is_part=is_part)
            ways = ways or f"where images are called what they show ({shown}), a list tells that"
            yield f"labels are names of folders, and images are called the same in most of these: {ways}"


def list_of_names(root: str, images: Iterable[str], exclude: Collection[str]) -> str:
    """The commands for a list whose labels are the names of images; empty where these are none.

    Args:
      images: paths of all.
      root, exclude: as of `NamesAgain`.
    """
    names = NamesAgain(root, exclude)
    for path in images:
        names.add(posixpath.dirname(path), path)
    return names.as_list()


def _may_be_label(name: str) -> bool:
    words = words_of(name)
    is_version = any(map(_VERSION.fullmatch, words)) or all(map(_NUMBER.fullmatch, words))
    is_none = is_version or say_nothing([name]) or parse_split(name) is not None
    return _WORDS.fullmatch(name) is not None and not is_none


def _are_lettered(names: Collection[str]) -> bool:
    """Whether names differ in their last letter only, which runs from a on as numbers do."""
    lasts = sorted(name[-1:].lower() for name in names)
    return len({name[:-1] for name in names}) == 1 and lasts == [*ascii_lowercase[: len(lasts)]]


def _keeping_together(columns: list[str], parted: list[list[str]]) -> str:
    """The option that keeps the images of one folder on top in one split; empty where splits are given."""
    if "split" in columns:
        return ""
    counts = [len({parts[at] for parts in parted if len(parts) > at}) for at in range(len(columns))]
    several = [at for at, count in enumerate(counts) if count > 1]
    at = next((at for at in several if counts[at] >= _FEWEST), several[0])
    return f" --split-by {columns[at]}"
