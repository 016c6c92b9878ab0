"""Where records of somebody else contradict each other, or the label map beside them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import ROW_LABEL
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.store_path import Place
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_files import Names, names_beside
from tfrecordcli.tfrecords.label_keys import NO_LABEL, labels_of

# Of each sort that are kept, of all files: these take some hundred bytes each.
_MOST_LABELS: Final = 100_000
_MOST_KINDS: Final = 10_000
_MOST_KEYS: Final = 100  # of labels
_LONGEST_KEY: Final = 1_000
# Keys of ids whose names stand beside them, where a record has names at all.
_OF_CLASSES: Final = "class/label"

# What is said -> records that say so, number and offset of the first.
Sayings = dict[str, list[int]]
_What = TypeVar("_What", bound=tuple[Any, ...])


@dataclass(slots=True)
class Said:
    """What the records of one file, or of a part of it, say of labels and of kinds of features.

    Attributes:
      kinds: by kind and key, between which is a blank.
      labels: by key, and there by id and name, likewise; the name is empty where a record tells none.
    """

    kinds: Sayings = field(default_factory=dict)
    labels: dict[str, Sayings] = field(default_factory=dict)

    def add(self, features: Mapping[str, FeatureValues], number: int, offset: int) -> None:
        """Takes in a record.

        Args:
          number, offset: of the record.
        """
        for key, feature in features.items():
            if feature.kind and len(key) <= _LONGEST_KEY:
                _count(self.kinds, f"{feature.kind} {key}", _MOST_KINDS, number, offset)
                if key == ROW_LABEL or key.endswith(_OF_CLASSES):
                    self._add_labels(features, key, number, offset)

    def _add_labels(self, features: Mapping[str, FeatureValues], key: str, number: int, offset: int) -> None:
        if key not in self.labels and len(self.labels) == _MOST_KEYS:
            return
        known = self.labels.setdefault(key, {})
        for label in dict.fromkeys(labels_of(features, key)):
            if label.id not in (None, NO_LABEL):
                name = label.text if key != ROW_LABEL else ""  # `text` beside `label` may be a caption
                _count(known, f"{label.id} {name or ''}", _MOST_LABELS, number, offset)


def _count(known: Sayings, what: str, most: int, number: int, offset: int) -> None:
    if what in known:
        known[what][0] += 1
    elif len(known) < most:
        known[what] = [1, number, offset]


class _Place(NamedTuple):
    """The first record, by file and number, that says something."""

    file: str
    number: int
    offset: int


@dataclass(slots=True)
class _Seen:
    """How many records say something, and the first of them."""

    records: int
    first: _Place


class Agreement:
    """What the records of all files say; files that may be of several datasets are kept apart."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str, str], _Seen] = {}
        self._labels: dict[tuple[str, str, int, str], _Seen] = {}

    def take(self, file: str, said: Said) -> None:
        """Takes in what a file, or a part of it, says."""
        one = set_of(file)
        for what, seen in said.kinds.items():
            kind, _, key = what.partition(" ")
            _join(self._kinds, (one, key, kind), _MOST_KINDS, file, seen)
        for key, labels in said.labels.items():
            for what, seen in labels.items():
                label, _, name = what.partition(" ")
                _join(self._labels, (one, key, int(label), name), _MOST_LABELS, file, seen)

    @property
    def not_checked(self) -> str:
        """What of it was too much, as a sentence; else empty."""
        if len(self._labels) < _MOST_LABELS and len(self._kinds) < _MOST_KINDS:
            return ""
        return "labels and kinds of features against each other: there are too many to remember them all"

    def contradictions(self, folder: Place) -> Iterator[Problem]:
        """What the records say in two ways, each told of the records that are fewer.

        Args:
          folder: of the files.
        """
        for (_, key), kinds in _grouped(self._kinds, lambda what: (what[:2], what[2])).items():
            for kind, details in _fewer(kinds):
                yield _told("kinds_differ", kinds[kind], key=key, found=kind, **details)
        named = {what: seen for what, seen in self._labels.items() if what[3]}
        told: set[_Place] = set()
        for (_, key, label), names in _grouped(named, lambda what: (what[:3], what[3])).items():
            for name, details in _fewer(names):
                told.add(names[name].first)
                details["expected"] = repr(details["expected"])
                yield _told("names_differ", names[name], key=key, label=label, found=repr(name), **details)
        for (_, key, name), ids in _grouped(named, lambda what: (what[:2] + what[3:], what[2])).items():
            for label, details in _fewer(ids):
                if ids[label].first not in told:
                    yield _told("ids_differ", ids[label], key=key, name=repr(name), found=label, **details)
        yield from self._against_files(folder)

    def _against_files(self, folder: Place) -> Iterator[Problem]:
        """What differs from the label map, or the list of labels, that stands beside a file or above it."""

        def file_and_key(what: tuple[str, str, int, str]) -> tuple[str, str]:
            return os.path.dirname(self._labels[what].first.file), what[1]

        for (below, key), labels in _grouped(self._labels, lambda what: (file_and_key(what), what)).items():
            names = names_beside(folder / below if below else folder, key)
            if below and not names.by_id:
                names = names_beside(folder, key)
            maps = _readings(names)
            if not maps:
                continue
            known = max(
                maps, key=lambda known: sum(_agrees(known, label, name) for *_, label, name in labels)
            )
            for what, seen in labels.items():
                *_, label, name = what
                if not _agrees(known, label, name):
                    found = f"{name!r}, but {known[label][0]!r} in" if label in known else "not in"
                    yield _told("label_beside", seen, label=label, detail=f"{found} {names.file}")


def _join(into: dict[_What, _Seen], what: _What, most: int, file: str, seen: Iterable[int]) -> None:
    records, number, offset = seen
    place = _Place(file, number, offset)
    known = into.get(what)
    if known is not None:
        known.records += records
        known.first = min(known.first, place)
    elif len(into) < most:
        into[what] = _Seen(records, place)


def set_of(name: str) -> str:
    """What files of one dataset have in common: the words of their paths that are no splits."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    return " ".join(word for word in words if word != "of" and parse_split(word) is None)


def _grouped(
    seen: Mapping[_What, _Seen], parts: Callable[[_What], tuple[Any, Any]]
) -> dict[Any, dict[Any, _Seen]]:
    groups: dict[Any, dict[Any, _Seen]] = {}
    for what in sorted(seen):
        group, member = parts(what)
        groups.setdefault(group, {})[member] = seen[what]
    return groups


def _fewer(ways: Mapping[Any, _Seen]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Of several ways to say something all but the usual one, with what tells of that."""
    usual = max(ways, key=lambda value: ways[value].records)
    for value in ways:
        if value != usual:
            yield value, {"expected": usual, "most": f"{ways[usual].records:,}"}


def _told(code: str, seen: _Seen, **details: Any) -> Problem:
    file, number, offset = seen.first
    return problem(code, file, number, offset, records=f"{seen.records:,}", **details)


def _readings(names: Names) -> list[dict[int, tuple[str, str]]]:
    """The names of each id, in every way in which the file may be meant.

    The lines of a list count from 0, or from 1 where 0 is the background; ids that are labels themselves may
    have gaps.
    """
    known = {number: (name, names.displayed.get(number, name)) for number, name in names.by_id.items()}
    if not known or not names.is_list:
        return [known] if known else []
    own = {int(name): (name, name) for name, _ in known.values() if name.isdecimal()}
    ways = [known, {number + 1: name for number, name in known.items()}]
    return [*ways, own] if len(own) == len(known) else ways


def _agrees(known: Mapping[int, tuple[str, str]], label: int, name: str) -> bool:
    return label in known and (not name or name in known[label])
