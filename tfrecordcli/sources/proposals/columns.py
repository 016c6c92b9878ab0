"""What a list may be meant to say, told from its first rows: commands to choose from, never a choice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option, known_columns, likely_columns, looks_like_image
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.label_fields import is_boxes, is_flag, is_yes, tick_of
from tfrecordcli.sources.proposals.label_names import is_beside_target, unlikely
from tfrecordcli.sources.proposals.label_weights import vote_columns, weight_columns
from tfrecordcli.sources.proposals.measured import are_decimal, are_many_numbers, is_measured
from tfrecordcli.sources.split_flags import split_called
from tfrecordcli.split_words import PUBLISHED, TRAIN, parse_split, split_of
from tfrecordcli.units import join_names, join_pairs

_Table = Sequence[Sequence[str]]

# Folds and the like: more different words than this are no splits.
MOST_SPLITS: Final = 32
_CALLED_IMAGE: Final = re.compile(r"image|img|file|photo|pic", re.IGNORECASE)
_UNSURE: Final = frozenset(("-1", "-1.0"))
# Stands for the column of labels where none can be told.
NO_LABEL: Final = "NAME"
_CALLED_SPLIT: Final = ("usage", "split", "subset", "partition", "phase")
# Numbers to predict: what cars are steered by (as Donkeycar has it, too), what fields bring.
_CALLED_TARGET: Final = re.compile(r"(?:\w+/)?(?:steer|angle$|yield)", re.IGNORECASE)
# What comes again and is no label.
_NO_LABEL: Final = re.compile(
    r"^(k?fold|date|(date)?time(stamp)?|ext(ension)?|format|frame)$|_(date|time)$", re.IGNORECASE
)
# The same where they are many and nothing else is a label: of images, people, goods.
_OF_MANY: Final = re.compile(
    r"(.*_)?(mos|score|rating|target|value|price|age|bone_?age)(_.*)?", re.IGNORECASE
)
# Ids of which each has a name, so that it is no chance.
_NAMED: Final = 3
_CALLED_ID: Final = re.compile(r"[iI]d$|ID$|name$|uid$")


def column_of(table: _Table, number: int) -> list[str]:
    """The fields of one column, blank ones left out."""
    return [row[number] for row in table if number < len(row) and row[number]]


def propose_columns(
    header: Sequence[str], table: _Table, given: Iterable[tuple[str, str]], task: str = "auto"
) -> str:
    """Options that name image and label columns where a header does not; empty when it cannot be told.

    Args:
      header: column names.
      table: fields of the first rows, outer blanks removed.
      given: (purpose, column) pairs that the user gave.
      task: that was asked for.
    """
    chosen = dict(given := list(given))
    image = proposed_image(header, table, given)
    if not image:
        return ""
    free = [i for i in _free(header, given) if header[i] != image]
    flags = [i for i in _flags_of_findings(table, free) if not _CALLED_ID.search(header[i])]
    flags = flags or _ticked_columns(table, free)
    others = [(purpose, name) for purpose, name in given if purpose not in ("image_uri", "label")]
    splits = [i for i in free if _tells_splits(header[i], column_of(table, i))]
    free = [i for i in free if not _is_of_splits(header[i], column_of(table, i))]
    votes = vote_columns(table, free)
    flags = [i for i in flags if i in free and i not in votes]
    free = [
        i for i in free if i not in splits and i not in votes and not _counts(table, i, header.index(image))
    ]
    split_map = ""
    if splits and "split" not in chosen and not known_columns(header, "split"):
        others.append(("split", header[splits[0]]))
        split_map = propose_split_map(header[splits[0]], column_of(table, splits[0]))
    words = [("image_uri", image), *others]
    known = [i for i in known_columns(header, "label") or likely_columns(header, "label") if i in free]
    known = known or list(_words_before(header, table, free, flags))
    if "label" not in chosen and len(flags) > 1 and not known and task != "regression":
        one_hot = command_line(["--one-hot", join_names(header[i] for i in flags)])
        return f"{columns_option(words)} {one_hot}"
    classes = known or [*_label_columns(header, table, free)]
    label = chosen.get("label") or _first_name(header, classes)
    targets = [i for i in free if _is_target(header[i], column_of(table, i))]
    if task == "regression" or all(_is_beside_target(header[i], column_of(table, i)) for i in classes):
        targets += _target_columns(header, table, free, task)
    is_called = "label" in chosen or known or unlikely(label) < 2
    is_target = bool(targets) and (not is_called or (task == "regression" and "label" not in chosen))
    label = header[targets[0]] if is_target else label
    as_task = "--task regression" if is_target and task == "auto" else ""
    options = columns_option([words[0], ("label", label or NO_LABEL), *others])
    return " ".join(filter(None, [options, as_task, split_map])) if label or table else ""


def _is_target(name: str, fields: Sequence[str]) -> bool:
    """Whether a column is called and filled like one of numbers to predict."""
    return bool(fields) and _CALLED_TARGET.match(name) is not None and all(map(NUMBER.fullmatch, fields))


def _tells_splits(name: str, fields: Sequence[str]) -> bool:
    """Whether a column says the split of its rows: by its words, or by its name where they are few."""
    if name.lower() in _CALLED_SPLIT and propose_split_map(name, fields):
        return True
    words = {field.lower() for field in fields}
    is_enough = len(words) > (name.lower() not in _CALLED_SPLIT)
    return is_enough and all(word in PUBLISHED or parse_split(word) is not None for word in words)


def _is_of_splits(name: str, fields: Sequence[str]) -> bool:
    """Whether a column is called like one of splits, whose words are no labels, whatever they are."""
    return name.lower() in _CALLED_SPLIT or (bool(split_called(name)) and all(map(is_flag, fields)))


def _counts(table: _Table, column: int, image: int) -> bool:
    """Whether a column numbers the rows of each image, from 0 or 1: such numbers are no labels."""
    met: defaultdict[str, list[str]] = defaultdict(list)
    for row in table:
        if max(column, image) < len(row):
            met[row[image]].append(row[column])
    return any(len(numbers) > 1 for numbers in met.values()) and any(
        all(numbers == [str(first + i) for i in range(len(numbers))] for numbers in met.values())
        for first in (0, 1)
    )


def proposed_image(header: Sequence[str], table: _Table, given: Iterable[tuple[str, str]]) -> str:
    """The column that is given, or proposed, for images; empty when it cannot be told."""
    chosen = dict(given := list(given))
    return chosen.get("image_uri") or _first_name(header, _image_columns(header, table, _free(header, given)))


def id_columns(header: Sequence[str], table: _Table) -> list[int]:
    """Columns that are called like ids, in which each row has another one."""
    columns = {i: column_of(table, i) for i, name in enumerate(header) if _CALLED_ID.search(name)}
    return [i for i, fields in columns.items() if len({*fields}) == len(fields) == len(table)]


def _free(header: Sequence[str], given: Iterable[tuple[str, str]]) -> list[int]:
    taken = {name for _, name in given}
    return [i for i, name in enumerate(header) if name and name not in taken]


def _first_name(header: Sequence[str], numbers: Iterable[int]) -> str:
    return next((header[i] for i in numbers), "")


def _image_columns(header: Sequence[str], table: _Table, free: Iterable[int]) -> Iterator[int]:
    """Columns that hold paths; without any, those in which no field stands twice, then those called like ids.

    Those that are called like images come first.
    """
    free = sorted(free, key=lambda i: not _CALLED_IMAGE.search(header[i]))
    columns = {i: column_of(table, i) for i in free}
    yield from (i for i in free if columns[i] and all(map(looks_like_image, columns[i])))
    yield from (
        i for i in known_columns(header, "image_uri") or likely_columns(header, "image_uri") if i in free
    )
    yield from (i for i in free if columns[i] and len(set(columns[i])) == len(columns[i]) == len(table))
    yield from (i for i in free if columns[i] and _CALLED_ID.search(header[i]))


def _label_columns(header: Sequence[str], table: _Table, free: Sequence[int]) -> Iterator[int]:
    """Columns in which fields come again: by names, filled, words, few different ones first."""
    boxes = boxes_columns(table, free)
    columns = {i: column_of(table, i) for i in free if i not in boxes and not _NO_LABEL.search(header[i])}
    kinds = {i: len(set(fields)) for i, fields in columns.items()}
    likely = [i for i, fields in columns.items() if 1 < kinds[i] < max(2, 0.9 * len(fields))]

    numbers = {i for i in likely if all(map(NUMBER.fullmatch, columns[i]))}

    def rank(i: int) -> tuple[int, bool, bool, int, int]:
        return unlikely(header[i]), 2 * len(columns[i]) <= len(table), i in numbers, kinds[i], i

    for i in sorted(likely, key=rank):
        if i in numbers:
            words = (j for j in likely if j not in numbers and kinds[j] == kinds[i])
            yield from (j for j in words if _are_names_of(table, i, j))
        yield i


def _words_before(
    header: Sequence[str], table: _Table, free: Sequence[int], flags: Sequence[int]
) -> Iterator[int]:
    """Columns of several words before several flags: called like labels, before 0 and 1 surely so."""
    if len(flags) <= 1 or are_one_of(table, flags):
        return
    # Names of findings stand above 0 and 1 mostly, with what else is known of the image beside them.
    most = 0 if any(all(map(NUMBER.fullmatch, column_of(table, i))) for i in flags) else 1
    for i in _label_columns(header, table, free):
        fields = column_of(table, i)
        is_filled = 2 * len(fields) > len(table) and len({*fields}) > 2
        if is_filled and unlikely(header[i]) <= most and not any(map(_is_flag_or_number, fields)):
            yield i


def _is_flag_or_number(field: str) -> bool:
    return is_flag(field) or NUMBER.fullmatch(field) is not None


def _are_names_of(table: _Table, numbers: int, words: int) -> bool:
    """Whether a column has a name for each id of another, and another one for each; grades are no ids."""
    pairs = {(row[numbers], row[words]) for row in table if max(numbers, words) < len(row)}
    ids, names = ({pair[side] for pair in pairs} for side in (0, 1))
    if not len(pairs) == len(ids) == len(names) >= _NAMED or "" in ids | names:
        return False
    return max(map(float, ids)) > len(ids)


def _target_columns(header: Sequence[str], table: _Table, free: Sequence[int], task: str) -> Iterator[int]:
    """Columns of many numbers: those that are called like what is predicted, then those with a point.

    Without the task, weights of labels are left out, and whole numbers of which nothing is said.
    """
    if task not in ("auto", "regression"):
        return
    columns = {i: column_of(table, i) for i in free if not _CALLED_ID.search(header[i])}
    weights = [] if task == "regression" else weight_columns(columns)
    columns = {i: fields for i, fields in columns.items() if i not in weights}
    many = [i for i, fields in columns.items() if are_many_numbers(fields)]

    def rank(i: int) -> int:
        if _OF_MANY.fullmatch(header[i]):
            return 0
        return 1 if are_decimal(columns[i]) else 2

    yield from sorted((i for i in many if task == "regression" or rank(i) < 2), key=rank)


def _is_beside_target(name: str, fields: Sequence[str]) -> bool:
    """Whether a column is no label where numbers to predict stand beside it, or is such itself."""
    is_number = are_many_numbers(fields) and (are_decimal(fields) or is_measured(name))
    return is_number or is_beside_target(name)


def boxes_columns(table: _Table, free: Iterable[int]) -> list[int]:
    """Columns that hold classes and boxes as text."""
    columns = {i: column_of(table, i) for i in free}
    return [i for i, fields in columns.items() if fields and all(map(is_boxes, fields))]


def flag_columns(table: _Table, free: Iterable[int]) -> list[int]:
    """Columns that hold 0 and 1 and nothing else."""
    columns = {i: column_of(table, i) for i in free}
    return [i for i, fields in columns.items() if fields and all(map(is_flag, fields))]


def _flags_of_findings(table: _Table, free: Sequence[int]) -> list[int]:
    """Columns of 0 and 1, and beside these such with -1 as well, which stands for unsure in CheXpert.

    Left out they would be missed silently; rows with -1 are rejected, and counted.
    """
    flags = flag_columns(table, free)
    columns = {i: {*column_of(table, i)} - _UNSURE for i in free if flags}
    return [i for i in free if i in flags or (columns.get(i) and all(map(is_flag, columns[i])))]


def _ticked_columns(table: _Table, free: Iterable[int]) -> list[int]:
    """Columns whose fields are ticks or blank, the same tick in all of them."""
    ticks = {i: tick_of(column_of(table, i)) for i in free}
    chosen = [i for i, tick in ticks.items() if tick]
    return chosen if len({ticks[i] for i in chosen}) == 1 else []


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
    published = [(word, PUBLISHED[word.lower()]) for word in met if word.lower() in PUBLISHED]
    if published:
        others = (word for word in met if word.lower() not in PUBLISHED)
        return command_line(["--split-map", join_pairs(published)]) if all(map(split_of, others)) else ""
    if not met or len(met) > MOST_SPLITS or any(parse_split(word) is not None for word in met):
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


def propose_split(shape: CsvShape, table: _Table, taken: Collection[int | None], *, is_whole: bool) -> str:
    """Of a list without a split column: options that make one of a column that may be it.

    Args:
      taken: numbers of columns that are read.
      is_whole: whether the table is the whole list.
    """
    free = ((i, name) for i, name in enumerate(shape.header) if name and i not in taken)
    told = (split_option(name, column_of(table, i), is_whole=is_whole) for i, name in free)
    return next(filter(None, told), "")


def split_option(name: str, words: Sequence[str], *, is_whole: bool = True) -> str:
    """Options that take a column for the split: one called like it, or of nothing but words of splits.

    Lists are often sorted by split, so that their first rows have one of them only.

    Args:
      name: of the column.
      words: of its fields.
      is_whole: whether these are all of the list.
    """
    is_called = name.lower().replace("_", "").replace("-", "") in _SPLIT_FLAGS or (
        bool(split_called(name)) and all(map(is_flag, words))
    )
    as_map = propose_split_map(name, words) if is_called else ""
    if as_map:
        return f"{columns_option([('split', name)])} {as_map}"
    splits = {*map(split_of, words)} - {""}
    is_told = is_called or (TRAIN in splits and (len(splits) > 1 or not is_whole))
    are_words = bool(words) and all(parse_split(word) is not None for word in words)
    return columns_option([("split", name)]) if is_told and are_words else ""


_SPLIT_FLAGS: Final = frozenset(
    ("isvalid", "isvalidation", "isval", "istest", "istrain", "istraining", "istrainingimage", "valid",
     "fold", "kfold", "phase", "partition", "train")
)  # fmt: skip
