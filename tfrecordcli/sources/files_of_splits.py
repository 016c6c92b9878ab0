"""Finds files beside a list, or a dataset of boxes, that name the images of each split."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES
from tfrecordcli.sources.folders.json_splits import may_name_splits, names_by_split
from tfrecordcli.sources.folders.lists_of_splits import (
    FOLDERS,
    by_split,
    held_out,
    split_in_name,
    without_split,
)
from tfrecordcli.sources.splits_in_one_text import may_tell_splits, names_in_one_text
from tfrecordcli.split_words import DISCARD, TRAIN
from tfrecordcli.storage.uris import is_remote

_TEXTS: Final = (".txt", ".lst", ".csv", ".tsv")
_ENTRIES: Final = 10_000  # of a folder, that are looked at
_FILES: Final = 20  # that are read
_BYTES: Final = 64 << 20  # of each, at most
_DEPTHS: Final = (1, 2, 3)  # parts at the end of a path that may tell an image from others
_PART: Final = 0.9  # of the images, which are named
_SPLITS: Final = 2
_SOME: Final = 2  # images that a text of a split names at least, where others are of none
_KNOWN: Final = 1_000  # images, at most, of a longer list
_ENDING: Final = re.compile(r"(?i)\.(?:jpe?g|png|bmp|gif|tiff?|webp|xml|txt)$")
# What stands behind the name in a line of a text; whole lines come first, as names may have blanks.
_BEHIND: Final = ("", r"[,;\t].*", r"[\s,;].*")

_Key = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """Files of splits.

    Attributes:
      texts: one of each split, by it.
      json: the one of all, where there are no texts.
      depth: parts at the end of paths by which images are told.
      behind: a pattern of what is behind a name in the lines of the texts.
      one: a text of the split of each image, where there are none of these.
      others: the split of images that none of them names.
    """

    texts: Mapping[str, str]
    json: str
    depth: int
    behind: str = ""
    one: str = ""
    others: str = DISCARD

    @property
    def paths(self) -> list[str]:
        return [*filter(None, (self.json, self.one))] or [*self.texts.values()]


def files_of_splits(
    folder: str, own: str, uris: Collection[str], *, with_rest: bool = False
) -> SplitFiles | None:
    """Files in a local folder, or in one below it, that name most of these images in several splits.

    Args:
      own: the list itself, which is none of them.
      uris: of the first images.
      with_rest: where there are none, those of the images of validation or test alone will do.
    """
    depth = _depth(uris)
    if is_remote(folder) or not depth or len(uris) < _SPLITS:
        return None
    wanted, rest = {*map(_key(depth), uris)}, None
    for paths in _candidates(folder, own):
        rest = rest or (_held_out(paths, wanted, depth) if with_rest else None)
        for texts in _texts_alike(paths):
            read = {split: read_file(path) for split, path in texts.items()}
            for behind in _BEHIND:
                named = {split: lines_of(data, behind) for split, data in read.items()}
                if _name_most(named, wanted, _key(depth)):
                    return SplitFiles(texts, "", depth, behind)
        for path in (path for path in paths if path.lower().endswith(".json")):
            data = read_file(path) if may_name_splits(read_file(path, HEAD_BYTES)) else b""
            if _name_most(names_by_split(data), wanted, _key(depth)):
                return SplitFiles({}, path, depth)
        for path in (path for path in paths if path.lower().endswith(_TEXTS)):
            data = read_file(path) if may_tell_splits(read_file(path, HEAD_BYTES), path) else b""
            if _name_most(names_in_one_text(data, path), wanted, _key(depth)):
                return SplitFiles({}, "", depth, one=path)
    return rest


def _held_out(paths: Sequence[str], wanted: set[str], depth: int) -> SplitFiles | None:
    """Texts of the images of validation or test alone: all others are of training, as of Speech Commands."""
    texts = held_out(path for path in paths if path.lower().endswith(_TEXTS))
    read = {split: read_file(path) for split, path in texts.items()}
    for behind in _BEHIND if texts else ():
        named = [{*map(_key(depth), lines_of(data, behind))} for data in read.values()]
        if _are_parts(named, wanted):
            return SplitFiles(texts, "", depth, behind, others=TRAIN)
    return None


def _are_parts(named: Sequence[set[str]], wanted: set[str]) -> bool:
    """Whether each of these names images of some, apart from one another, and all leave some over."""
    met = [each & wanted for each in named]
    count = sum(map(len, met))
    # Of long lists the first images alone are known, and texts name others too; else all but a header.
    are_some = len(wanted) >= _KNOWN
    are_met = all(
        len(found) >= _SOME if are_some else _is_met(found, each)
        for found, each in zip(met, named, strict=True)
    )
    return are_met and len(set().union(*met)) == count < len(wanted)


def _texts_alike(paths: Sequence[str]) -> list[dict[str, str]]:
    """Texts of several splits by these, of each name that they have but for the word of a split."""
    named: dict[str, list[str]] = {}
    for path in paths:
        if path.lower().endswith(_TEXTS) and split_in_name(path):
            named.setdefault(without_split(path), []).append(path)
    return [*filter(None, map(by_split, named.values()))]


def _depth(uris: Collection[str]) -> int:
    """How many parts at the end of paths tell these from each other; none: 0."""
    return next((depth for depth in _DEPTHS if len({*map(_key(depth), uris)}) == len(uris)), 0)


def _key(depth: int) -> _Key:
    def key(path: str) -> str:
        return _ENDING.sub("", "/".join(path.strip().replace("\\", "/").split("/")[-depth:]))

    return key


def _name_most(named: Mapping[str, Collection[str]], wanted: set[str], key: _Key) -> bool:
    """Whether names of several splits, which have none in common, are those of most images.

    Or most of the names are those of images, some of training: others are of no split then.
    """
    met = [wanted.intersection(map(key, names)) for names in named.values()]
    count = sum(map(len, met))
    is_of_one = len(set().union(*met)) < count
    pairs = zip(met, named.values(), strict=True)
    are_all = TRAIN in named and all(_is_met(found, names) for found, names in pairs)
    return not is_of_one and sum(map(bool, met)) >= _SPLITS and (count >= _PART * len(wanted) or are_all)


def _is_met(found: Collection[str], names: Collection[str]) -> bool:
    """Whether most names of a text, but for a header, were found among images."""
    return len(found) >= max(_SOME, min(_PART * len(names), len(names) - 1))


def lines_of(data: bytes, behind: str) -> list[str]:
    text = data.decode("utf-8-sig", "replace")
    lines = filter(None, map(str.strip, text.splitlines()))
    return [(re.sub(behind, "", line) if behind else line).strip('"') for line in lines]


def _candidates(folder: str, own: str) -> Iterator[list[str]]:
    """The files of each folder that may tell splits, but for the list itself.

    As DeepFashion has its list in `Anno` and its splits in `Eval`, folders beside that of the list are some.
    """
    names, above = _names(folder), os.path.normpath(os.path.join(folder, os.pardir))
    below = (name for name in names if name.lower() in FOLDERS)
    beside = (name for name in _names(above) if name.lower() in FOLDERS) if own else ()
    others = [
        *(os.path.join(folder, name) for name in below),
        *(os.path.normpath(os.path.join(above, name)) for name in beside),
    ]
    for each in dict.fromkeys((folder, *others)):
        files = names if each == folder else _names(each)
        paths = (os.path.join(each, name) for name in files if name.lower().endswith((*_TEXTS, ".json")))
        yield [*islice((path for path in paths if path != own and os.path.isfile(path)), _FILES)]


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.name for entry in islice(entries, _ENTRIES))
    except OSError:
        return []


def read_file(path: str, most: int = _BYTES) -> bytes:
    """The first bytes of a file; nothing of a very large one, or of one that cannot be read."""
    try:
        with open(path, "rb") as file:
            is_read = os.fstat(file.fileno()).st_size <= _BYTES
            return file.read(most) if is_read else b""
    except OSError:
        return b""
