"""Folders that hold one of their own name, as archives do that were made twice: `cats/cats`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, split_in
from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.same_images import held_twice
from tfrecordcli.sources.folders.tree import joined

# Folders, and images of each, that are compared.
_FOLDERS: Final = 20
_COMPARED: Final = 8
_TOLD: Final = 3


class FoldersAgain:
    """Images below such folders, the first ones of each, and the folders of images in those on top.

    Args:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._inner: dict[str, list[str]] = {}  # images by the folder of that name in another
        self._tops: dict[str, set[str]] = {}

    def add(self, path: str) -> None:
        """Takes in an image."""
        *folders, _ = path.split("/")
        if folders:
            self._tops.setdefault(folders[0], set()).add("/".join(folders[1:]))
        for depth, (one, other) in enumerate(pairwise(folders), 2):
            folder = "/".join(folders[:depth])
            if one == other and (folder in self._inner or len(self._inner) < _FOLDERS):
                inner = self._inner.setdefault(folder, [])
                inner += [path][: _COMPARED - len(inner)]

    def doubts(self, *, are_last: bool) -> Iterator[str]:
        """What may not be meant.

        Args:
          are_last: whether the last folders are the labels.
        """
        for folder, paths in self._inner.items():
            above = folder.rpartition("/")[0]
            outer = [above + path.removeprefix(folder) for path in paths]
            if all(map(self._are_same, outer, paths)):
                yield (
                    f"the folder {folder} holds images of {above} again ({paths[0]}, {outer[0]}): "
                    f"{command_line(['--exclude', folder])} passes over it"
                )
        if are_last and any(len(inner) > 1 for inner in self._tops.values()):
            for top in (top for top, inner in self._tops.items() if inner == {top}):
                yield (
                    f"the folder {top} holds nothing but a folder of this name, which is taken for a class "
                    f"beside others: {command_line(['--exclude', top])} leaves it out where it is none"
                )

    def _are_same(self, one: str, other: str) -> bool:
        head = self._head(one, HEAD_BYTES)
        return head != b"" and head == self._head(other, HEAD_BYTES)


def classes_beside(root: str, base: str, top: Sequence[str], levels: Levels) -> str:
    """The command for the only folder of classes beside those that hold nothing but one of their own name.

    Args:
      root: of all paths.
      base: the folder in which those on top stand.
      top: the names of these, with images in all of them.
      levels: what is in folders.
    """
    found = {name: levels.look(joined(base, name)) for name in top}
    alone = [name for name, level in found.items() if level.folders == [name] and not level.has_images]
    others = [name for name in top if name not in alone]
    if not alone or len(others) != 1 or any(map(split_in, top)):
        return ""
    folder = joined(base, others[0])
    classes = levels.look(levels.unwrapped(folder)).folders
    command = command_line(["tfrec", "convert", as_path(joined(root, folder))])
    shown = ", ".join([*classes[:_TOLD], *["…"][: len(classes) > _TOLD]])
    return f"{command} OUTPUT_DIR takes {shown}, without {', '.join(alone)}" if len(classes) > 1 else ""


def need_no_copies(
    root: str,
    base: str,
    top: Sequence[str],
    folder: str,
    levels: Levels,
    head: Callable[[str, int], bytes],
) -> None:
    """Refuses a folder that holds the folders beside it again, image for image, as archives and backups do.

    So each folder on top that does with one of its own name, or has one called like another on top.

    Args:
      root: of all paths.
      base: the folder in which those on top stand.
      top: the names of these.
      folder: path of one of them.
      levels: what is in folders.
      head: gives so many first bytes of a file.

    Raises:
      InputError: with the option that passes over it.
    """
    inner = {name: levels.look(joined(base, name)).folders for name in top}
    again = [
        (joined(base, f"{name}/{name}"), joined(base, name), inner[name])
        for name in top
        if name in inner[name]
    ]
    backups = [(joined(base, name), base, top) for name in top if {*inner[name]} & {*top} - {name}]
    for each, above, names in [(folder, base, top), *backups, *again]:
        if copies := _copies(each, above, names, levels, head):
            name = each.rpartition("/")[2]
            passed = each if name in above.split("/") else name  # a name counts at any depth
            raise InputError(
                f"{root}: the folder {each} holds the folders beside it again, image for image: "
                f"{', '.join(copies)}",
                f"{command_line(['--exclude', passed])} passes over it",
            )


def _copies(
    folder: str, above: str, names: Sequence[str], levels: Levels, head: Callable[[str, int], bytes]
) -> tuple[str, str] | None:
    """Two paths of one image where all in a folder are in the others of these names, too; else None."""
    beside = (joined(above, name) for name in names)
    inner = {path[len(folder) + 1 :]: path for path in levels.images_below([folder])}
    others = levels.images_below(path for path in beside if path != folder)
    outer = {path[len(above) + bool(above) :]: path for path in others}
    return held_twice([inner, outer], head) if inner.keys() <= outer.keys() else None
