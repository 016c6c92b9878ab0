"""The names of YOLO's classes in a text file: one a line, in the order of their numbers from 0."""

from __future__ import annotations

from typing import Final

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.folders.tree import Tree, joined

_MOST_BYTES: Final = 1 << 20
# labelImg and Label Studio, Darknet, Roboflow.
_FILES_OF_NAMES: Final = frozenset({"classes.txt", "obj.names", "_darknet.labels"})


def is_names_file(name: str) -> bool:
    """Whether a file is called like one of names of classes."""
    return name.lower() in _FILES_OF_NAMES or name.lower().endswith(".names")


def read_names(tree: Tree, path: str) -> dict[int, str]:
    """The names by their numbers.

    Raises:
      InputError: it cannot be read, is empty, has a blank line between names, or a name twice.
    """
    try:
        text = tree.read(path, _MOST_BYTES).decode("utf-8-sig")
    except (Rejected, UnicodeError) as problem:
        why = problem.reason if isinstance(problem, Rejected) else "it is not UTF-8"
        raise InputError(f"{joined(tree.root, path)}: {why}", "write one name a line") from problem
    return checked_names(joined(tree.root, path), dict(enumerate(text.strip("\r\n\t ").splitlines())))


def checked_names(place: str, names: dict[int, str]) -> dict[int, str]:
    """The names without outer blanks.

    Args:
      place: that says so, for messages.

    Raises:
      InputError: there is none, one is blank, has control characters or is that of two classes.
    """
    found = {number: name.strip() for number, name in sorted(names.items())}
    if not found:
        raise InputError(f"{place}: it names no class", "write one name for each class")
    seen: dict[str, int] = {}
    for number, name in found.items():
        if not name or has_control_characters(name):
            what = "holds control characters" if name else "is empty"
            raise InputError(f"{place}: the name of class {number} {what}", "write one name for each class")
        if name in seen:
            raise InputError(
                f"{place}: class {seen[name]} and class {number} have the same name, {name!r}",
                "give each class a name of its own",
            )
        seen[name] = number
    return found


def agreed_names(tree: Tree, paths: list[str]) -> dict[int, str]:
    """The names that all these files give.

    Raises:
      InputError: two of them differ, as happens where labelImg wrote one a session.
    """
    first = read_names(tree, paths[0])
    for path in paths[1:]:
        if read_names(tree, path) != first:
            raise InputError(
                f"{tree.root}: {paths[0]} and {path} name different classes, so that it is not certain what "
                "a number means",
                "convert the folders that belong to each by themselves, or move the wrong file away",
            )
    return first
