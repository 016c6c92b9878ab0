"""Further keys of lists that are no CSV, as further columns: which there are, and of what type by JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, columns_option
from tfrecordcli.sources.further_columns import ALL
from tfrecordcli.sources.key_columns import BETWEEN_NUMBERS, BETWEEN_TEXTS, KeyColumn
from tfrecordcli.sources.listed import Untyped
from tfrecordcli.units import some_of

_MOST_KEYS: Final = 1_000
_CHANGE: Final = "leave it out, or change it in the list"
_LISTS: Final = frozenset(("numbers", "texts"))
_NUMBERS: Final = frozenset(("number", "numbers"))


@dataclass(slots=True)
class _Key:
    """What the values of one key have been so far.

    Attributes:
      kinds: of its values -> the place of the first such.
      has_float: whether a list has a number that no int64 holds.
      quoted: texts that are numbers.
      words: other texts.
    """

    kinds: dict[str, str] = field(default_factory=dict)
    has_float: bool = False
    quoted: int = 0
    words: int = 0

    def add(self, value: Any, place: str) -> None:
        kind = _kind_of(value)
        if kind:
            self.kinds.setdefault(kind, place)
        if kind == "text":
            is_number = WRITTEN_NUMBER.fullmatch(value) is not None
            self.quoted += is_number
            self.words += not is_number
        if kind == "numbers":
            self.has_float = self.has_float or not all(type(n) is int and abs(n) < 2**63 for n in value)


def _kind_of(value: Any) -> str:
    """`number`, `text`, `bool`, `numbers`, `texts`, `other`; empty for what says nothing.

    What may be a number tells itself whether it is one, as the field of a CSV does.
    """
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float, Untyped)):
        return "number"
    if isinstance(value, str):
        return "text" if value.strip() else ""
    if value is None or value == []:
        return ""
    if isinstance(value, list):
        kinds = set(map(_kind_of, value))
        if kinds == {"number"}:
            return "numbers"
        return "texts" if all(isinstance(each, str) for each in value) else "other"
    return "other"


class FurtherKeys:
    """The further keys that options ask for, as a list is read.

    Attributes:
      notes: what was told by the values, for a person to check; complete after `columns`.
    """

    def __init__(self, options: ReadOptions) -> None:
        self.notes: list[str] = []
        self._takes_all = tuple(options.features) == ALL
        self._asked = {} if self._takes_all else {each: typed_column(each) for each in options.features}
        self._group = options.split_by
        self._na = options.na
        self._is_part = options.is_part
        self._keys: dict[str, _Key] = {}

    @staticmethod
    def asked_by(options: ReadOptions) -> FurtherKeys | None:
        """Those that these options ask for; None: they ask for none."""
        return FurtherKeys(options) if options.features or options.split_by is not None else None

    def add(self, place: str, extras: Mapping[str, Any]) -> str:
        """Takes in what an image has; returns the part of it that is asked for, as JSON.

        Raises:
          InputError: `all` would be too many keys.
        """
        wanted = self.wanted(extras)
        for key, value in wanted.items():
            known = self._keys.get(key)
            if known is None:
                known = self._keys[key] = _Key()
                if len(self._keys) > _MOST_KEYS:
                    raise InputError(
                        f"--features all: there are more than {_MOST_KEYS:,} further keys",
                        "name those that are to be stored: --features KEY,KEY",
                    )
            if not (isinstance(value, str) and value.strip() in self._na):
                known.add(value, place)
        return json.dumps(wanted)

    def wanted(self, extras: Mapping[str, Any]) -> dict[str, Any]:
        """Those that are stored, or that rows are grouped by."""
        names = {name for entry, (column, _, _) in self._asked.items() for name in (entry, column)}
        names |= {*extras} if self._takes_all else set()
        return {key: value for key, value in extras.items() if key in names or key == self._group}

    def columns(
        self, keys: Collection[str], of_boxes: Collection[str], own: Sequence[str]
    ) -> list[KeyColumn]:
        """The columns that are to be written.

        Args:
          keys: all further keys of the list.
          of_boxes: keys of its boxes.
          own: columns that every such list has.

        Raises:
          InputError: a key that was named is not there, or cannot be a column.
        """
        entries = [(key, "", "") for key in self._keys] if self._takes_all else [*self._found(keys, of_boxes)]
        if self._takes_all and not entries and not self._is_part:
            raise InputError("--features all: there is no further key", "leave it out")
        told, found = [], []
        left_out: dict[str, list[str]] = {}
        for name, kind, separator in entries:
            why = self._why_not(name, own)
            if why and self._takes_all:
                left_out.setdefault(why, []).append(name)
            elif why:
                raise InputError(f"--features {name}: {why}", _CHANGE)
            else:
                column, what = self._column(name, kind, separator)
                found.append(column)
                told += [what] if what else []
        self.notes += [f"further keys: {', '.join(told)}"] if told else []
        self.notes += [f"not stored: {some_of(names)}: {why}" for why, names in left_out.items()]
        return [*found, *self._column_of_group(found, keys, of_boxes, own)]

    def _found(self, keys: Collection[str], of_boxes: Collection[str]) -> Iterator[tuple[str, str, str]]:
        """(key, type, separator) of those that were named."""
        for entry, (column, kind, separator) in self._asked.items():
            if entry in keys:
                yield entry, "", ""
            elif column in keys:
                yield column, kind, separator
            elif not self._is_part:  # other sources may have what this one lacks
                others = [each for each, (name, _, _) in self._asked.items() if {each, name} & {*keys}]
                raise _unknown(f"--features {column}", column, keys, of_boxes, others)

    def _why_not(self, name: str, own: Sequence[str]) -> str:
        """Why a key cannot be a column; empty where it can."""
        place = self._keys[name].kinds.get("other")
        if place is not None:
            return f"{place} has an object or a list there that is none of numbers, and none of texts"
        if name.lower() in own or name.startswith("tfrec_") or _is_of_boxes(name, own):
            return "images, labels or boxes have a column of that name"
        if not name.strip() or name != name.strip() or has_control_characters(name):
            return "no column can be called so"
        return ""

    def _column(self, name: str, kind: str, separator: str) -> tuple[KeyColumn, str]:
        """(column, what to tell of it)."""
        key = self._keys[name]
        kinds = {*key.kinds}
        is_own = bool(kinds & _LISTS and not separator)
        if is_own:
            separator = BETWEEN_NUMBERS if kinds <= _NUMBERS else BETWEEN_TEXTS
        told = "" if kind else _told(key)
        kind = kind or told.partition(" ")[0]
        entry = f"{name}:{kind}" if kind else name
        entry += f"[{separator}]" if kind and separator else ""
        return KeyColumn(name, entry, separator, not is_own), f"{name} {told}" if told else ""

    def _column_of_group(
        self,
        found: Collection[KeyColumn],
        keys: Collection[str],
        of_boxes: Collection[str],
        own: Sequence[str],
    ) -> Iterator[KeyColumn]:
        name = self._group
        if name is None or any(column.name == name for column in found):
            return
        if name not in keys:
            raise _unknown(f"--split-by {name}", name, keys, of_boxes)
        why = self._why_not(name, own)
        if why:
            raise InputError(f"--split-by {name}: {why}", _CHANGE)
        yield KeyColumn(name, "", BETWEEN_TEXTS)


def _is_of_boxes(name: str, own: Sequence[str]) -> bool:
    """Whether a column of that name would be taken for one of boxes, beside those that are."""
    try:
        return find_box_columns([*own, name]) != find_box_columns(own)
    except InputError:
        return True


def _told(key: _Key) -> str:
    """The type that JSON says values have, and why; empty where they tell it themselves, as those of a CSV.

    So do numbers, and numbers beside words, which may stand for no value.
    """
    kinds = {*key.kinds}
    if not kinds or kinds == {"number"} or (kinds == {"number", "text"} and not key.quoted):
        return ""
    if kinds == {"bool"}:
        return "bool"
    if kinds <= _NUMBERS:
        return "float (lists)" if key.has_float else "int (lists)"
    if kinds == {"text"}:
        return "text" if key.words else "text (numbers in quotes)"
    return "text (lists)" if kinds <= {"text", "texts"} else f"text ({' and '.join(sorted(kinds))})"


def _unknown(
    option: str, name: str, keys: Collection[str], of_boxes: Collection[str], others: Collection[str] = ()
) -> InputError:
    rest = command_line(["--features", ",".join(others)]) if others else ""
    if name in of_boxes or name.partition(".")[0] in of_boxes:
        return InputError(
            f"{option}: this is a key of boxes, and further keys are those of images",
            f"leave it out{': ' * bool(others)}{rest}; area, iscrowd, difficult, truncated, occluded and "
            "VOC's pose are stored of boxes without it",
        )
    told = (
        f"{option}: no further key of images has that name; there are: {some_of(sorted(keys), 50) or 'none'}"
    )
    how = "write it as the list has it"
    if name.lower() in KNOWN_COLUMNS["split"]:
        as_key = f"{columns_option([('split', '')])} takes it for a further key"
        as_key = "leave it out" if name.lower() == "split" else as_key  # every list has a column called so
        how = f"where splits are read of it, {as_key}; else {how}"
    return InputError(told, how)
