"""Images that come several of one thing by their names: `1.bmp`, `1-d.bmp`; `2_rgb.png`, `2_depth.png`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import translate
from glob import escape
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.augmented_copies import MORE
from tfrecordcli.sources.folders.mask_names import NEARLY_ALL, OF_IMAGES, stem_of_path
from tfrecordcli.units import join_names

# What ends in the kind of an image at the end of its name, in letters: numbers count things.
_PARTING: Final = " _.-"
_ENDING: Final = re.compile(rf"(?:[{_PARTING}]+|(?<=[0-9]))[^\W\d_]+$")
_COPY: Final = re.compile(MORE)
_IMAGE: Final = re.compile(rf"[{_PARTING}]*(?:{OF_IMAGES})", re.IGNORECASE)
# Sides and moments, each of which shows the thing itself.
_VIEW: Final = re.compile(
    rf"[{_PARTING}]*(?:left|right|l|r|o[ds]|front(?:al)?|lat(?:eral)?|ap|pa|cc|mlo|back|rear|side|top|bottom"
    "|up|down|cent(?:er|re)|middle|before|after|pre|post|day|night|open|closed?|far|inside|outside)",
    re.IGNORECASE,
)
_MOST_NAMES: Final = 10_000  # of one folder, in the order of their letters
_MOST_KINDS: Final = 5  # where there are more, they are faces a person makes, letters, or so
_MOST_SETS: Final = 1_000  # of kinds that are counted: where there are more, none is that of nearly all
_FEWEST: Final = 3  # things
_OF_A_FOLDER: Final = 2  # things, on average: a person may be one, in several poses
_OPENED: Final = 3
_LARGEST: Final = 16 << 20  # bytes of an image that is opened

_Kinds = frozenset[str]  # endings of names; empty for none


class CompanionSearch:
    """Finds out whether nearly all images of a listing come several of one thing, of the same kinds each.

    Args:
      head: gives the first bytes of a file, none when it is not there.
      exclude: patterns of what is passed over.
    """

    def __init__(self, head: Callable[[str, int], bytes], exclude: Collection[str]) -> None:
        self._head = head
        self._exclude = exclude
        self._folder = ""  # that is listed now
        self._paths: dict[str, str] = {}  # in it, by their names without extension
        self._count = 0  # of all names
        self._folders = 0
        self._names: set[str] = set()  # of folders
        self._things: Counter[_Kinds] = Counter()
        self._first: dict[_Kinds, list[Mapping[str, str]]] = {}  # things: paths by kind

    def add(self, path: str) -> None:
        """Takes in an image; those of a folder come together."""
        folder = path.rpartition("/")[0]
        if folder != self._folder:
            self._end_folder()
            self._folder = folder
        if len(self._paths) < _MOST_NAMES:
            self._paths[stem_of_path(path)] = path

    def need_none(self, root: str, insist: str) -> list[str]:
        """What is said of companions; none of views and copies, all of which may be samples.

        Args:
          root: the folder that is listed.
          insist: what takes them for samples all the same; empty: that was said, or they have no labels.

        Raises:
          InputError: they are no photos each, and nobody insists on them.
        """
        self._end_folder()
        kinds, things = max(self._things.items(), key=lambda each: each[1] * len(each[0]), default=((), 0))
        are_nearly_all = things * len(kinds) >= NEARLY_ALL * self._count
        if things < max(_FEWEST, _OF_A_FOLDER * self._folders) or not are_nearly_all or _may_be_all(kinds):
            return []
        first = self._first[frozenset(kinds)]
        photos = {kind for kind in kinds if self._are_photos([thing[kind] for thing in first])}
        ranks = {kind: (not kind, bool(_IMAGE.fullmatch(kind)), kind in photos) for kind in kinds}
        likely = sorted(kind for kind in kinds if ranks[kind] == max(ranks.values()))
        shown = " and ".join(
            first[0][kind] for kind in sorted(kinds, key=lambda kind: (kind not in likely, kind))
        )
        way = "; ".join(self._keeping(kind, first) for kind in likely)
        if insist and len(photos) < len(kinds):
            raise InputError(
                f"{root}: nearly all images come several of one thing, as {shown}", f"{way}; {insist}"
            )
        return [f"nearly all images come several of one thing, and are samples of their own ({shown}): {way}"]

    def _keeping(self, kept: str, things: Sequence[Mapping[str, str]]) -> str:
        """How one kind is kept, of which these are the first things."""
        others = sorted(kind for kind in things[0] if kind != kept)
        patterns = [f"*{'' if kind[0] in _PARTING else '[0-9]'}{escape(kind)}.*" for kind in others]
        covered = re.compile("|".join(map(translate, patterns)))
        names = [thing[kept].rpartition("/")[2] for thing in things]
        if any(map(covered.fullmatch, {*self._names, *names})):
            return f"move all away but those called as {names[0]}"
        option = command_line(["--exclude", join_names([*self._exclude, *patterns])])
        return f"{option} keeps those called as {names[0]}"

    def _end_folder(self) -> None:
        things: dict[str, dict[str, str]] = {}
        for stem, path in self._paths.items():
            ending = _ENDING.search(stem)
            if ending and ending.start():
                things.setdefault(stem[: ending.start()], {})[ending[0]] = path
        for thing, kinds in things.items():
            if thing in self._paths:
                kinds[""] = self._paths[thing]
            # What has no number may be in every folder: a font in bold, of each letter.
            if 1 < len(kinds) <= _MOST_KINDS and any(map(str.isdecimal, thing)):
                found = frozenset(kinds)
                if found not in self._things and len(self._things) == _MOST_SETS:
                    continue
                self._things[found] += 1
                first = self._first.setdefault(found, [])
                first += [kinds][: _OPENED - len(first)]
        if self._paths:
            self._folders += 1
            self._names.update(self._folder.split("/"))
        self._count += len(self._paths)
        self._paths = {}

    def _are_photos(self, paths: Sequence[str]) -> bool:
        from tfrecordcli.images.photo import is_photo  # loads Pillow, which most folders can do without

        return all(is_photo(self._head(path, _LARGEST)) for path in paths)


def _may_be_all(kinds: Collection[str]) -> bool:
    """Whether images of all kinds may be samples: views, copies told of elsewhere, or counted by letters."""
    named = [*filter(None, kinds)]
    letters = {kind.strip(_PARTING).lower() for kind in named}
    return (
        letters <= {*"abcdefg"[: len(kinds)]}
        or all(map(_VIEW.fullmatch, named))
        or all(map(_COPY.search, named))
    )
