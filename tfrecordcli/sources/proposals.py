"""What a list may be meant to say, told from its first rows: commands to choose from, never a choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option, known_columns, likely_columns, looks_like_image
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.label_fields import is_boxes, is_flag, is_yes
from tfrecordcli.split_words import parse_split
from tfrecordcli.units import join_names, join_pairs

_Table = Sequence[Sequence[str]]

# Folds and the like: more different words than this are no splits.
_MOST_WORDS: Final = 32
_CALLED_IMAGE: Final = re.compile(r"image|img|file|photo|pic", re.IGNORECASE)
# Of HAM10000, CBIS-DDSM, diabetic retinopathy, and many others.
_CALLED_LABEL: Final = re.compile(r"^(dx|level|grade)$|patholog|disease|severity|class|label", re.IGNORECASE)
_CALLED_ID: Final = re.compile(r"[iI]d$|ID$|name$|uid$")


def column_of(table: _Table, number: int) -> list[str]:
    """The fields of one column, blank ones left out."""
    return [row[number] for row in table if number < len(row) and row[number]]


def propose_columns(header: Sequence[str], table: _Table, given: Iterable[tuple[str, str]]) -> str:
    """Options that name image and label columns where a header does not; empty when it cannot be told.

    Args:
      header: column names.
      table: fields of the first rows, outer blanks removed.
      given: (purpose, column) pairs that the user gave.
    """
    chosen = dict(given)
    taken = set(chosen.values())
    free = [i for i, name in enumerate(header) if name and name not in taken]
    image = chosen.get("image_uri") or _first_name(header, _image_columns(header, table, free))
    if not image:
        return ""
    free = [i for i in free if header[i] != image]
    flags = flag_columns(table, free)
    words = [("image_uri", image)]
    known = [i for i in known_columns(header, "label") or likely_columns(header, "label") if i in free]
    if "label" not in chosen and len(flags) > 1 and not known:
        one_hot = command_line(["--one-hot", join_names(header[i] for i in flags)])
        return f"{columns_option(words)} {one_hot}"
    label = chosen.get("label") or _first_name(header, known or _label_columns(header, table, free))
    return columns_option([*words, ("label", label or "NAME")]) if label or table else ""


def _first_name(header: Sequence[str], numbers: Iterable[int]) -> str:
    return next((header[i] for i in numbers), "")


def _image_columns(header: Sequence[str], table: _Table, free: Iterable[int]) -> Iterator[int]:
    """Columns that hold paths; without any, those in which no field stands twice, then those called like ids.

    Those that are called like images come first.
    """
    free = sorted(free, key=lambda i: not _CALLED_IMAGE.search(header[i]))
    columns = {i: column_of(table, i) for i in free}
    yield from (i for i in free if columns[i] and all(map(looks_like_image, columns[i])))
    yield from (i for i in free if columns[i] and len(set(columns[i])) == len(columns[i]) == len(table))
    yield from (i for i in free if columns[i] and _CALLED_ID.search(header[i]))


def _label_columns(header: Sequence[str], table: _Table, free: Sequence[int]) -> Iterator[int]:
    """Columns in which fields come again: called like findings, words, few different ones come first."""
    columns = {i: column_of(table, i) for i in free if i not in boxes_columns(table, free)}
    kinds = {i: len(set(fields)) for i, fields in columns.items()}
    likely = [i for i, fields in columns.items() if 1 < kinds[i] < max(2, 0.9 * len(fields))]

    def rank(i: int) -> tuple[bool, bool, int, int]:
        are_numbers = all(map(NUMBER.fullmatch, columns[i]))
        return not _CALLED_LABEL.search(header[i]), are_numbers, kinds[i], i

    return iter(sorted(likely, key=rank))


def boxes_columns(table: _Table, free: Iterable[int]) -> list[int]:
    """Columns that hold classes and boxes as text."""
    columns = {i: column_of(table, i) for i in free}
    return [i for i, fields in columns.items() if fields and all(map(is_boxes, fields))]


def flag_columns(table: _Table, free: Iterable[int]) -> list[int]:
    """Columns that hold 0 and 1 and nothing else."""
    columns = {i: column_of(table, i) for i in free}
    return [i for i, fields in columns.items() if fields and all(map(is_flag, fields))]


def are_one_of(table: _Table, columns: Sequence[int]) -> bool:
    """Whether each row has a 1 in exactly one of these columns, and each of these in some row."""
    ones = [[i for i in columns if i < len(row) and is_yes(row[i])] for row in table]
    return bool(ones) and all(len(each) == 1 for each in ones) and {each[0] for each in ones} == set(columns)


def propose_split_map(column: str, words: Iterable[str]) -> str:
    """`--split-map True=validation,False=train` for a column of flags or folds; empty for other words.

    Args:
      column: its name.
      words: of its fields.
    """
    met = sorted({word for word in words if word}, key=lambda word: (len(word), word))
    if not met or len(met) > _MOST_WORDS or any(parse_split(word) is not None for word in met):
        return ""
    name = column.lower()
    meant = "test" if "test" in name else "train" if "train" in name else "validation"
    if all(map(is_flag, met)) and len(met) <= 2:
        other = "validation" if meant == "train" else "train"
        pairs = [(word, meant if is_yes(word) else other) for word in met]
    elif all(word.removesuffix(".0").isdecimal() and word.isascii() for word in met):
        pairs = [(word, "train" if number else "validation") for number, word in enumerate(met)]
    else:
        return ""
    return command_line(["--split-map", join_pairs(pairs)])


def propose_split(shape: CsvShape, table: _Table, taken: Iterable[int]) -> str:
    """Of a list without a split column: options that make one of a column of flags such as `is_valid`."""
    for i, name in enumerate(shape.header):
        if i in taken or name.lower().replace("_", "").replace("-", "") not in _SPLIT_FLAGS:
            continue
        words = column_of(table, i)
        as_map = propose_split_map(name, words)
        if as_map:
            return f"{columns_option([('split', name)])} {as_map}"
        if words and all(parse_split(word) is not None for word in words):
            return columns_option([("split", name)])
    return ""


_SPLIT_FLAGS: Final = frozenset(
    ("isvalid", "isvalidation", "isval", "istest", "istrain", "istraining", "valid", "fold", "kfold", "phase",
     "partition", "train")
)  # fmt: skip
