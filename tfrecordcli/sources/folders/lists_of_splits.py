"""Lists called after splits, as `val_labels.csv` or `TestImages.txt`, and the commands that read lists."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, words_of
from tfrecordcli.split_words import TEST, VALIDATION, split_of

# The end of the path of an image, at that of a field in a row of a table, or before a blank in one of a text.
_END: Final = re.compile(rb"\.(?:jpe?g|png|bmp|gif|tiff?|webp)(?=[,;|\t\"\r ]|$)", re.IGNORECASE)
_BETWEEN: Final = re.compile(rb"[,;|\t\"\r]")
_TABLES: Final = (".csv", ".tsv")
# Folders beside images, or beside a list of these, in which such lists are kept.
FOLDERS: Final = frozenset({
    "annotations", "csv", "data", "eval", "imagesets", "lists", "meta", "partition", "partitions", "set",
    "sets", "split", "splits",
})  # fmt: skip


def by_split(paths: Collection[str]) -> dict[str, str]:
    """Lists by the splits that they are called after; empty where two are of one, or one is of none."""
    found = {split: path for path in paths if (split := split_in_name(path))}
    return found if len(found) > 1 and len(found) == len(paths) else {}


def held_out(paths: Iterable[str]) -> dict[str, str]:
    """Lists of validation and test by these, where none is of training, or two are of one; else empty."""
    named = [(split, path) for path in paths if (split := split_in_name(path))]
    found = dict(named)
    return found if found.keys() <= {VALIDATION, TEST} and len(found) == len(named) else {}


def split_in_name(path: str) -> str:
    """The split that a list is called after, as `val_labels.csv`; empty where it is none, or several."""
    splits = {*map(split_of, words_of(os.path.splitext(os.path.basename(path))[0]))} - {""}
    return splits.pop() if len(splits) == 1 else ""


def without_split(path: str) -> str:
    """The name of a list without the word of a split: that of `train_labels.csv` is that of `labels.csv`."""
    name, ending = os.path.splitext(os.path.basename(path).lower())
    return "_".join(word for word in re.split(r"[^a-z0-9]+", name) if not split_of(word)) + ending


def lists_of_images_there(root: str, tables: Sequence[str], head: Callable[[str, int], bytes]) -> str:
    """The command that reads tables whose first rows name images relative to them; or empty.

    Args:
      root: the local folder that the other paths are relative to.
      tables: likeliest first.
      head: gives the first bytes of a file, as many as it is told.
    """
    folders = (os.path.join(root, os.path.dirname(path)) for path in tables)
    named = [
        path
        for path, folder in zip(tables, folders, strict=True)
        if names_one(folder, head(path, HEAD_BYTES))
    ]
    return converting_lists(root, (by_split(named) or {"": named[0]}).items()) if named else ""


def lists_of_all_splits(root: str, head: Callable[[str, int], bytes]) -> str:
    """The command for all lists right in a local folder that are called after splits and name images in it.

    Several may be of one split, as those of DomainNet: `clipart_train.txt` beside `sketch_train.txt`. Empty
    where they are of fewer than two.

    Args:
      head: as of `lists_of_images_there`.
    """
    if not os.path.isdir(root):
        return ""
    names = (name for name in sorted(os.listdir(root)) if name.lower().endswith((*_TABLES, ".txt")))
    found = [
        (split, name)
        for name in names
        if (split := split_in_name(name)) and names_one(root, head(name, HEAD_BYTES))
    ]
    return converting_lists(root, found) if len({split for split, _ in found}) > 1 else ""


def names_one(folder: str, head: bytes) -> bool:
    """Whether a list or JSON that begins like this names a file that is there, relative to a folder."""
    return any(os.path.isfile(os.path.join(os.fsencode(folder), name)) for name in images_named(head))


def images_named(head: bytes) -> Iterator[bytes]:
    """The images that a list or JSON names which begins like this."""
    for line in head.split(b"\n"):
        at = 0
        for end in _END.finditer(line):
            *_, field = _BETWEEN.split(line[at : end.start()])
            if field:
                yield (field + end[0]).strip()
                at = end.end()


def converting_lists(root: str, lists: Iterable[tuple[str, str]], *options: str) -> str:
    """The command for lists below a root, each with its split, or none."""
    sources = [as_path(f"{split}={os.path.join(root, path)}".removeprefix("=")) for split, path in lists]
    return command_line(["tfrec", "convert", *sources, "OUTPUT_DIR", *options])


def is_table(path: str) -> bool:
    """Whether a file is called like a list that can be converted."""
    return path.lower().endswith(_TABLES)
