"""The splits of a Pascal VOC dataset: the files in ImageSets/Main that name the images of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.folders.tree import Tree, child, joined
from tfrecordcli.split_words import TRAIN, VALIDATION, parse_split

_MOST_BYTES: Final = 256 << 20
_TRAINVAL: Final = "trainval"
# `stem  1` is how the files of a class say whether it is in the image.
_PRESENCE: Final = re.compile(r"\s+-?[01]$")


@dataclass(slots=True)
class ImageSets:
    """Which image belongs to which split.

    Attributes:
      files: paths of the files that were read, and the split of each; empty: the dataset has none.
      splits: stem of an image, which may have folders before it -> its split. Stems are taken out once
        their image was met.
      twice: stem -> the other split that it is in as well.
      notes: what was decided.
    """

    files: dict[str, str] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    twice: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, path: str) -> str | None:
        """The split of an image by the path of its XML file without the extension; None: it is in none.

        Raises:
          Rejected: ``bad_annotation``: it is in two.
        """
        for stem in (path, path.rpartition("/")[2]):
            split = self.splits.pop(stem, None)
            if stem in self.twice:
                detail = f"{stem} is in the sets of {split} and of {self.twice[stem]}"
                raise Rejected("bad_annotation", detail=detail)
            if split is not None:
                return split
        return None


def read_sets(tree: Tree, base: str) -> ImageSets:
    """The sets of a dataset in the folder ``base``; none when it has no files of them.

    trainval counts where train or val is missing: for the rest of its images, or for train when both are.

    Raises:
      InputError: a file that cannot be read.
    """
    found = ImageSets()
    sets = joined(base, child(tree.entries(base), "imagesets"))
    main = joined(sets, child(tree.entries(sets), "main"))
    if sets == base:
        return found
    names = [name for name in tree.entries(main).files if name.endswith(".txt")]
    files = {name[:-4].lower(): joined(main, name) for name in names}
    known = {word: parse_split(word) for word in files if word and parse_split(word)}
    for word, split in known.items():
        assert split is not None
        _add(found, tree, files[word], split)
    if _TRAINVAL in files and not {TRAIN, VALIDATION} <= {*known.values()}:
        rest = TRAIN if VALIDATION in known.values() or TRAIN not in known.values() else VALIDATION
        _add(found, tree, files[_TRAINVAL], rest, known_too=True)
        found.notes.append(f"images that only {files[_TRAINVAL]} names are taken for {rest}")
    return found


def _add(found: ImageSets, tree: Tree, path: str, split: str, known_too: bool = False) -> None:
    """Adds the stems of one file; with ``known_too`` those that have a split keep it."""
    found.files[path] = split
    for stem in _stems(tree, path):
        before = found.splits.setdefault(stem, split)
        if before != split and not known_too:
            found.twice[stem] = split


def _stems(tree: Tree, path: str) -> Iterator[str]:
    try:
        text = tree.read(path, _MOST_BYTES).decode("utf-8-sig")
    except (Rejected, UnicodeError) as problem:
        why = problem.reason if isinstance(problem, Rejected) else "it is not UTF-8"
        raise InputError(f"{joined(tree.root, path)}: {why}", "mend it, or move it away") from problem
    for line in text.splitlines():
        line = _PRESENCE.sub("", line.strip().strip('"')).replace("\\", "/")
        if line and not line.startswith("#"):
            yield without_extension(line).removesuffix(".xml").removeprefix("./")
