"""Further columns as features: which there are, and of what type each is, told from the whole list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.schema import ROW_LABEL, ROW_LABEL_TEXT, Feature, Kind
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import FEATURE_COLUMN, OWN_COLUMNS
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.reading import Reading
from tfrecordcli.units import some_of

ALL: Final = ("all",)
# Numbers as programs print them. Python's int() and float() take more: 1_000, ١, +1, inf.
_INT: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})", re.ASCII)
_FLOAT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_LEADING_ZERO: Final = re.compile(r"-?0[0-9]+(?:\.[0-9]+)?", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r"-?[0-9]+,[0-9]+", re.ASCII)
NO_VALUE: Final = frozenset(
    ("na", "n/a", "#n/a", "nan", "null", r"\n", "none", "nil", "-", "?", ".", "unknown", "missing", "<na>")
)
KIND_OF_WORD: Final[Mapping[str, Kind]] = {"int": "int64", "bool": "int64", "float": "float", "text": "bytes"}
_EXACT_IN_FLOAT: Final = 1 << 24  # whole numbers up to this are floats of 32 bits without loss
_KEPT: Final = 8  # odd words that are kept of a column


@dataclass(frozen=True, slots=True)
class FurtherColumns:
    """The further columns that are stored.

    Attributes:
      features: of them.
      flags: names of those that hold yes or no.
      notes: a line for each type that was told by the values.
      doubts: what may not be meant.
    """

    features: tuple[Feature, ...] = ()
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(slots=True)
class _Column:
    """What the fields of one column have been so far."""

    name: str
    values: int = 0
    missing: int = 0
    ints: int = 0
    floats: int = 0
    leading_zero: bool = False
    largest: int = 0
    words: dict[str, None] = field(default_factory=dict)
    other_words: int = 0

    def add(self, text: str) -> None:
        if not text:
            self.missing += 1
            return
        self.values += 1
        if _INT.fullmatch(text) and -(2**63) <= int(text) < 2**63:
            self.ints += 1
            self.largest = max(self.largest, int(text), key=abs)
        elif _FLOAT.fullmatch(text):
            self.floats += 1
        elif _LEADING_ZERO.fullmatch(text):
            self.leading_zero = True
        else:
            self.other_words += 1
            if len(self.words) < _KEPT:
                self.words[text] = None

    @property
    def kind(self) -> str:
        """`int`, `float` or `text`."""
        if self.leading_zero or self.other_words or not self.values:
            return "text"
        return "float" if self.floats else "int"

    def told(self) -> str:
        """What is said of a type that was told by the values."""
        why = [f"{self.missing:,} missing"] if self.missing else []
        why += ["leading zeros"] if self.leading_zero else []
        return f"{self.name} {self.kind}" + (f" ({', '.join(why)})" if why else "")

    def doubts(self) -> Iterator[str]:
        """Why it may be meant otherwise."""
        numbers = self.ints + self.floats
        is_gap = 0 < len(self.words) < _KEPT and all(word.lower() in NO_VALUE for word in self.words)
        if self.kind == "text" and numbers > len(self.words) and is_gap:
            kind = "float" if self.floats else "int"
            words = ",".join(self.words)
            option = command_line(["--na", words])
            yield f"column {self.name} is text because of {words}: {option} makes it {kind}"
        if self.kind == "text" and self.words and all(map(_DECIMAL_COMMA.fullmatch, self.words)):
            word = next(iter(self.words))
            yield f"column {self.name} is text: {quoted(word)} has a comma where numbers need a point"
        if self.kind == "float" and abs(self.largest) > _EXACT_IN_FLOAT:
            yield (
                f"column {self.name} is float because some values have a point; of {self.largest} a float of "
                "32 bits loses digits"
            )


def every_column(shape: CsvShape) -> tuple[str, ...]:
    """Names of the columns of rows without images that are stored where none is named."""
    used = {shape.split, *shape.labels}
    free = [name for number, name in enumerate(shape.header) if number not in used]
    return tuple(name for name in free if name and not name.startswith("tfrec_"))


def told_columns(shape: CsvShape) -> str:
    """What a message says of the columns of a list: those that tfrec made of one are not for people."""
    if not shape.header:
        return "the list has no header"
    names = list(shape.header)
    if not {*OWN_COLUMNS}.isdisjoint(names):
        used = used_columns(shape)
        names = [name for i, name in enumerate(names) if i not in used and not name.startswith("tfrec_")]
    return f"the columns are: {some_of(names, 50)}" if names else "there is none"


def further_columns(
    shape: CsvShape, entries: Sequence[str], reading: Reading, records: Iterable[list[str]]
) -> FurtherColumns:
    """The features of further columns.

    Args:
      shape: of the list.
      entries: `all`, or columns with or without a type, as `--features` has them.
      reading: which words stand for no value, and what is stored instead.
      records: fields of every row of the list.

    Raises:
      InputError: there is no such column, or it cannot be a feature.
    """
    chosen = _chosen(shape, entries)
    columns = {number: _Column(shape.header[number]) for number in chosen}
    for fields in records:
        for number, column in columns.items():
            text = fields[number].strip() if number < len(fields) else ""
            column.add(reading.value(column.name, text))
    features: list[Feature] = []
    flags: list[str] = []
    told: list[str] = []
    doubts: list[str] = []
    empty: list[str] = []
    for number, column in columns.items():
        kind, separator = chosen[number]
        if not kind and not column.values:
            empty.append(column.name)
            continue
        if not kind:
            told.append(column.told())
            doubts += column.doubts()
        flags += [column.name] if kind == "bool" else []
        features.append(_feature(column, kind or column.kind, separator))
    notes = [f"further columns: {', '.join(told)}"] if told else []
    notes += [f"columns without any value: {some_of(empty)}"] if empty else []
    return FurtherColumns(tuple(features), tuple(flags), tuple(notes), tuple(doubts))


def _feature(column: _Column, kind: str, separator: str) -> Feature:
    shape = (None,) if separator else ()
    doc = f"column {column.name} of the list"
    key = column.name.removeprefix(FEATURE_COLUMN)
    return Feature(key, KIND_OF_WORD[kind], shape, not column.missing, doc, column.name, separator)


def _chosen(shape: CsvShape, entries: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Column number -> (type, separator) of the columns that are to be features."""
    header = shape.header
    if not header:
        raise InputError("--features needs a header, whose names become those of the features", "write one")
    used = used_columns(shape)
    if tuple(entries) == ALL and "all" not in header:
        numbers = [i for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
        if not numbers:
            raise InputError("--features all: there is no further column", "leave it out")
        chosen = dict.fromkeys(numbers, ("", ""))
    else:
        chosen = {}
        for entry in entries:
            column, kind, separator = typed_column(entry)
            column, kind = (entry, "") if entry in header else (column, kind)
            chosen[_number(shape, column, used)] = (kind, separator)
    for number in chosen:
        _need_a_key(header, number)
        if shape.is_table and header[number] in (ROW_LABEL, ROW_LABEL_TEXT):
            raise InputError(
                f"--task tabular: column {header[number]} is called like the feature of the labels",
                f"rename it, or name it as that of the labels: --columns label={header[number]}",
            )
    return chosen


def used_columns(shape: CsvShape) -> set[int | None]:
    """Numbers of the columns that are read, and no further ones."""
    of_boxes = shape.boxes.used if shape.boxes is not None else ()
    return {shape.split, shape.image, *shape.labels, *shape.further, *of_boxes}


def _number(shape: CsvShape, column: str, used: set[int | None]) -> int:
    header = shape.header
    if column not in header or column in OWN_COLUMNS:
        raise InputError(f"--features {column}: no column of that name; {told_columns(shape)}")
    if header.index(column) in used:
        as_further = "--columns split= takes that of splits for a further one"
        raise InputError(
            f"--features {column}: this column is read already, as split, image, label or box",
            as_further if header.index(column) == shape.split else "",
        )
    return header.index(column)


def _need_a_key(header: Sequence[str], number: int) -> None:
    name = header[number]
    if header.count(name) > 1:
        raise InputError(f"--features: two columns are called {quoted(name)}", "rename one of them")
    if name.startswith("image/"):
        raise InputError(
            f"--features: a column cannot be called {quoted(name)}: image/… are names of features",
            "rename it",
        )


def as_entries(features: Iterable[Feature], flags: Iterable[str]) -> tuple[str, ...]:
    """What `--features` has to say so that these come of it, whatever rows a list has."""
    words = {"int64": "int", "float": "float", "bytes": "text"}
    flags = {*flags}
    return tuple(
        f"{feature.column}:{'bool' if feature.column in flags else words[feature.kind]}"
        + (f"[{feature.separator}]" if feature.separator else "")
        for feature in features
    )
