"""Class folders that hold smaller copies of images in others: `husky - thumbnail` beside `husky`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from glob import escape
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.units import join_names

_COPIES: Final = re.compile(
    r"(?P<of>.+?)[ _.-]+\(?(?:thumbnails?|thumbs?|previews?|resized|small)\)?", re.IGNORECASE
)
# What no class is called; the other words may tell of what is shown: `apple small`, `left thumb`.
_CERTAIN: Final = "thumbnail"
# Images of a folder that are looked for beside it, how many of them show something, and which share.
_LOOKED_FOR: Final = 20
_SOME: Final = 2
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Copies:
    """Class folders of copies.

    Attributes:
      shown: one of them and the folder beside it, for a message.
      are_certain: whether they are called as no class is.
      way: the option that leaves all of them out, and that for what may be such, too.
    """

    shown: str
    are_certain: bool
    way: str

    @property
    def doubt(self) -> str:
        """What is said where the folder is read as a class."""
        return f"the folder {self.shown} and is taken for a class: if it holds copies of them, {self.way}"


class CopySearch:
    """Finds out which class folders of one listing hold copies of what is in others.

    Args:
      head: gives the first bytes of a file, none when it is not there.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._some: dict[str, list[str]] = {}  # the first images of each folder that is called so

    def add(self, path: str) -> None:
        """Notes an image in a class folder that is called like one of copies."""
        folder, _, name = path.rpartition("/")
        if folder not in self._some and not _COPIES.fullmatch(folder.rpartition("/")[2]):
            return
        names = self._some.setdefault(folder, [])
        names += [name][: _LOOKED_FOR - len(names)]

    def need_none(self, root: str, folders: Collection[str], insisting: str) -> list[str]:
        """Refuses such folders; what only may be such, or was insisted on, is a doubt.

        Args:
          root: that is listed.
          folders: paths of all class folders.
          insisting: what takes them all the same; empty where somebody did.

        Raises:
          InputError: naming a folder.
        """
        found = self.found(folders)
        if found is None:
            return []
        if found.are_certain and insisting:
            what = f"{root}: the folder {found.shown}: thumbnails, and no class"
            raise InputError(what, f"{found.way}; {insisting}")
        return [found.doubt]

    def found(self, folders: Collection[str]) -> Copies | None:
        """The folders of which most images are in the one beside it that they are called after.

        Where some are certain, others only may be such.

        Args:
          folders: paths of all class folders.
        """
        pairs = {folder: folder[: _end_of_original(folder)] for folder in self._some}
        copies = {copy: of for copy, of in pairs.items() if of in folders and self._are_in(of, copy)}
        if not copies:
            return None
        certain = {copy: of for copy, of in copies.items() if _CERTAIN in copy[len(of) :].lower()}
        first, of = min((certain or copies).items())
        way = f"{_leaving_out(certain or copies, folders)} leaves them out"
        if certain and (others := sorted(copies.keys() - certain)):
            may_be = repr(others[0].rpartition("/")[2])
            way += f", and {_leaving_out(copies, folders)} those such as {may_be}, too, if they hold copies"
        return Copies(
            f"{first.rpartition('/')[2]!r} holds images of the names of those in {of.rpartition('/')[2]!r}",
            bool(certain),
            way,
        )

    def _are_in(self, original: str, copy: str) -> bool:
        names = self._some[copy]
        count = sum(bool(self._head(f"{original}/{name}", 1)) for name in names)
        return count >= max(_SOME, _MOST * len(names))


def _leaving_out(copies: Mapping[str, str], folders: Collection[str]) -> str:
    """The option that leaves out folders of copies, by the originals of each, among those of classes."""
    names = {copy.rpartition("/")[2] for copy in copies}
    endings = {copy[len(of) :] for copy, of in copies.items()}
    others = {name for each in folders if (name := each.rpartition("/")[2]) not in names}
    are_told = not any(other.endswith(tuple(endings)) for other in others)
    patterns = [f"*{end}" for end in endings] if are_told else [escape(name) for name in names]
    return command_line(["--exclude", join_names(sorted(patterns))])


def _end_of_original(folder: str) -> int:
    """Where the name of the folder that one is called after ends in its path."""
    above, slash, name = folder.rpartition("/")
    match = _COPIES.fullmatch(name)
    return len(above) + len(slash) + (match.end("of") if match else 0)
