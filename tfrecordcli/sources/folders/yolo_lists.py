"""Lists of images of a YOLO dataset: a path a line, written on the machine of who made it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.folders.tree import Tree, joined, tidy

_MOST_BYTES: Final = 256 << 20
_TRIED: Final = 20  # lines, until one leads to an image
_SOME: Final = 2  # of these, that are looked for in all folders
_MOST_FOLDERS: Final = 200
_Way = tuple[str, int]  # base, and how many parts of a path are left out; -1: none, it is as written


def images_of_list(tree: Tree, path: str, bases: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(number of the line, path in the tree) of each image of a list.

    Args:
      path: of the list.
      bases: folders that its paths may be relative to, beside its own.

    Raises:
      InputError: it cannot be read, or none of its first lines leads to an image.
    """
    place = joined(tree.root, path)
    try:
        text = tree.read(path, _MOST_BYTES).decode("utf-8-sig")
    except (Rejected, UnicodeError) as problem:
        why = problem.reason if isinstance(problem, Rejected) else "it is not UTF-8"
        raise InputError(f"{place}: {why}", "give a list of images, a path a line") from problem
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    way = _way(tree, [line for _, line in lines], (posixpath.dirname(path), *bases))
    if lines and way is None:
        raise InputError(
            f"{place}: none of its first images is there, such as {lines[0][1]}",
            "correct the paths in it: relative to its folder, or absolute",
        )
    for number, line in lines:
        assert way is not None
        yield number, _along(way, line)


def _way(tree: Tree, lines: list[str], bases: tuple[str, ...]) -> _Way | None:
    """How the lines of a list lead to images: the first way that does for one of the first lines."""
    for line in islice(lines, _TRIED):
        for left_out in range(-1, line.count("/") + line.count("\\") + 1):
            for base in dict.fromkeys([*bases, ""]):
                if tree.is_file(_along((base, left_out), line)):
                    return base, left_out
    return _way_below(tree, list(dict.fromkeys(lines))[:_TRIED])


def _way_below(tree: Tree, lines: Sequence[str]) -> _Way | None:
    """The way into the only folder of all that has the images of the first lines; None: several have them."""
    if len(lines) < _SOME:
        return None
    folders = [path for path, _ in islice(tree.walk(), _MOST_FOLDERS)]
    for left_out in range(min(map(_depth, lines)) + 1):
        ways = [(folder, left_out) for folder in folders]
        having = [way for way in ways if all(tree.is_file(_along(way, line)) for line in lines)]
        if having:
            return having[0] if len(having) == 1 else None
    return None


def _depth(line: str) -> int:
    return len(_parts(line)) - 1


def _parts(line: str) -> list[str]:
    return [part for part in line.replace("\\", "/").split("/") if part not in ("", ".", "..")]


def _along(way: _Way, line: str) -> str:
    base, left_out = way
    return tidy(base, line.replace("\\", "/") if left_out < 0 else "/".join(_parts(line)[left_out:]))
