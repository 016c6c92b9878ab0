"""Images of a listing by what lists beside them may call them: a path, a name, a number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tfrecordcli.sources.column_words import without_extension

_NUMBER: Final = re.compile(r"(?<![0-9])0*([0-9]+)(?![0-9])", re.ASCII)
_WRITTEN: Final = re.compile(r"0*([0-9]+)(?:\.0)?", re.ASCII)  # pandas writes `7.0` where others are missing
_MOST: Final = 50_000  # names: those of more would take memory by the size of the folder
_PLACES: Final = 20  # folders that have images of one name


class NamedImages:
    """The folders of the first images, by their names without extension and by the only number in these."""

    def __init__(self) -> None:
        self._by_stem: dict[str, tuple[str, ...]] = {}
        self._by_number: dict[str, tuple[str, ...]] = {}
        self._alone: dict[str, tuple[str, ...]] = {}  # each folder as all of its images share it

    def __len__(self) -> int:
        """How many names there are, which images in several folders may have in common."""
        return len(self._by_stem)

    def add(self, path: str) -> None:
        """Takes in an image."""
        if len(self._by_stem) >= _MOST:
            return
        folder, _, name = path.rpartition("/")
        stem = without_extension(name)
        numbers = _NUMBER.findall(stem)
        self._put(self._by_stem, stem.lower(), folder)  # lists of Windows have other capitals
        if len(numbers) == 1:
            self._put(self._by_number, numbers[0], folder)

    def _put(self, found: dict[str, tuple[str, ...]], key: str, folder: str) -> None:
        known = found.get(key, ())
        if not known:
            found[key] = self._alone.setdefault(folder, (folder,))
        elif folder not in known and len(known) < _PLACES:
            found[key] = (*known, folder)

    def folders_of_name(self, field: str) -> tuple[str, ...]:
        """Where images are that a field names by a path or name, with or without an extension; else empty.

        Without one, a word or a number alone names none, as both are often something else, unless the folder
        before it is that of the image: `apple_pie/1005649`.
        """
        folder, _, name = field.strip().replace("\\", "/").rpartition("/")
        stem = without_extension(name)
        found = self._by_stem.get(stem.lower(), ())
        if stem == name and (stem.isdecimal() or not any(map(str.isdecimal, stem))):
            return tuple(_fitting(found, folder))
        return tuple(_fitting(found, folder)) or found

    def folders_of_number(self, field: str) -> tuple[str, ...]:
        """Where images are in whose name is this number, and no other one, with zeros before it or not."""
        written = _WRITTEN.fullmatch(field.strip())
        return self._by_number.get(written[1], ()) if written else ()


def _fitting(folders: Iterable[str], named: str) -> Iterable[str]:
    """Those of some folders that end as the folder in a path does, which may begin elsewhere."""
    parts = [part for part in named.split("/") if part not in ("", ".")]
    for folder in folders:
        own = folder.split("/")
        size = min(len(own), len(parts))
        if size and own[-size:] == parts[-size:]:
            yield folder
