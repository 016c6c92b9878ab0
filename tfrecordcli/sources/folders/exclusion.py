"""Entries of a folder that are to be passed over, by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from glob import escape
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.units import join_names, plural, some_of

_TOLD: Final = 5


class Exclusion:
    """What `--exclude` passes over, counted.

    A pattern with a slash is for paths below the folder, any other for names at any depth; `*` and `?` are
    those of the shell, `*` for slashes too. A folder is skipped with all that is in it.

    Args:
      patterns: as they were given.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = {each: re.compile(translate(each.strip("/"))) for each in patterns}
        self._of_paths = {each for each in self._patterns if "/" in each.strip("/")}
        self._met: set[str] = set()  # patterns
        self._counts: dict[str, int] = {}  # by folder
        self._first: list[str] = []

    def begin(self, folder: str) -> None:
        """A folder is listed, maybe once more."""
        self._counts.pop(folder, None)

    def covers(self, folder: str, name: str) -> bool:
        """Whether an entry, right in a folder, is passed over; then it is counted."""
        path = f"{folder}/{name}" if folder else name
        for given, pattern in self._patterns.items():
            if pattern.fullmatch(path if given in self._of_paths else name):
                self._met.add(given)
                self._counts[folder] = self._counts.get(folder, 0) + 1
                self._first = sorted({*self._first, path})[:_TOLD]
                return True
        return False

    def notes(self) -> list[str]:
        """What was passed over, and patterns that nothing fits."""
        unmet = [each for each in self._patterns if each not in self._met]
        notes = [f"--exclude {each} is not used: nothing in the folder is called so" for each in unmet]
        count = sum(self._counts.values())
        if count:
            more = ", …" if count > len(self._first) else ""
            shown = some_of([repr(path)[1:-1] for path in self._first])
            notes.append(f"--exclude passed over {plural(count, 'entry', 'entries')}: {shown}{more}")
        return notes


def excluding(names: Iterable[str]) -> str:
    """The option that passes over entries of these names."""
    return command_line(["--exclude", join_names(map(escape, names))])
