"""Columns of splits, and the options that make splits of their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.further_columns import NO_VALUE
from tfrecordcli.sources.label_fields import is_any_flag, is_any_yes
from tfrecordcli.sources.split_flags import is_of_folds, is_said_of_split, split_called
from tfrecordcli.split_words import (
    DISCARD,
    PUBLISHED,
    TEST,
    TRAIN,
    UNASSIGNED,
    VALIDATION,
    begun_split,
    derived_from,
    is_no_split,
    likely_split,
    parse_split,
    parse_split_in_column,
    split_in_column,
    split_of,
)
from tfrecordcli.units import join_pairs

# Folds and the like: more different words than this are no splits.
MOST_SPLITS: Final = 32
_SPLITS: Final = 3
OR_LEAVE_OUT: Final = "; --split-map WORD=discard leaves rows out"
_CALLED_SPLIT: Final = ("usage", "split", "subset", "partition", "phase")
_SPLIT_FLAGS: Final = frozenset(
    ("isvalid", "isvalidation", "isval", "istest", "istrain", "istraining", "istrainingimage", "valid",
     "fold", "kfold", "phase", "partition", "train")
)  # fmt: skip
_CALLED_GROUP: Final = frozenset(
    ("group", "cohort", "sample", "gruppe", "stichprobe", "datensatz", "teilmenge", "groupe", "échantillon",
     "grupo", "muestra", "conjunto", "gruppo", "campione", "insieme", "amostra", "выборка", "набор", "zbiór")
)  # fmt: skip
_OTHER_FLAGS: Final = {
    one: other
    for pair in ("0 1", "0.0 1.0", "no yes", "No Yes", "false true", "False True", "FALSE TRUE", "f t", "n y")
    for one, other in (pair.split(), pair.split()[::-1])
}
_ENDS_IN_SPLIT: Final = re.compile(r"[\s_-]split$", re.IGNORECASE)  # `new_split`
_NAMES_IN_NAME: Final = re.compile(r"[\W_]+")
# Of rows that are in no split, or were left out of all.
_IN_NO_SPLIT: Final = re.compile(
    r"[^\w\s]+|0|no|false|undefined|unspecified|(?:un|not[ _-]?)(?:used|assigned|labell?ed|annotated)"
    r"|exclu\w*|escluso|ignored?|drop(?:ped)?|skip(?:ped)?|left[ _-]?out|omit(?:ted)?|discarded|removed?"
    r"|deleted?|reject(?:ed)?|ausgeschlossen|unbenutzt",
    re.IGNORECASE,
)


def tells_splits(name: str, fields: Sequence[str]) -> bool:
    """Whether a column says the split of its rows: by its words, or by its name where they are few."""
    if (name.lower() in _CALLED_SPLIT or _splits_in(name)) and propose_split_map(name, fields):
        return True
    words = {field.lower() for field in fields}
    is_enough = len(words) > (name.lower() not in _CALLED_SPLIT)
    are_known = all(word in PUBLISHED or parse_split(word) is not None for word in words)
    are_foreign = are_splits_to_train(words) or bool(_third_word(words))
    return bool((is_enough and are_known) or are_foreign or derived_from(words))


def are_splits_to_train(words: Iterable[str]) -> bool:
    """Whether words of any language are those of several splits: a training alone is something to be seen."""
    splits = {*map(split_in_column, words)}
    return "" not in splits and TRAIN in splits and len(splits) > 1


def _third_word(words: Iterable[str]) -> tuple[str, str] | None:
    """The only word of three that stands for no split nor for none, and the split that is left, if so it is.

    One of these is train: a test and a control may be things to be seen.
    """
    splits = {word: split_in_column(word) for word in words}
    others = [word for word, split in splits.items() if not split and not _is_left_out(word)]
    left = {TRAIN, VALIDATION, TEST}.difference(splits.values())
    is_one = len(splits) == _SPLITS and len(others) == len(left) == 1 and TRAIN not in left
    return (others[0], left.pop()) if is_one and is_no_split(others[0]) else None


def _is_left_out(word: str) -> bool:
    """Whether a field of a column of splits is of rows that are in none."""
    return word.lower() in NO_VALUE or _IN_NO_SPLIT.fullmatch(word) is not None


def is_of_splits(name: str, fields: Sequence[str]) -> bool:
    """Whether a column is called like one of splits, whose words are no labels, whatever they are."""
    return (
        name.lower() in _CALLED_SPLIT
        or bool(_splits_in(name))
        or (bool(split_called(name)) and all(map(is_any_flag, fields)))
    )


def propose_split_map(column: str, words: Iterable[str]) -> str:
    """`--split-map True=validation,False=train` for a column of flags or folds; empty for other words.

    Args:
      column: its name.
      words: of its fields.
    """
    return _as_option(likely_splits(column, words))


def _as_option(pairs: Iterable[tuple[str, str]]) -> str:
    return command_line(["--split-map", joined]) if (joined := join_pairs(pairs)) else ""


def likely_splits(column: str, words: Iterable[str]) -> list[tuple[str, str]]:
    """The (word, split) pairs of that option; none for other words."""
    counts = Counter(filter(None, words))
    met = sorted(counts, key=lambda word: (len(word), word))
    published = [(word, PUBLISHED[word.lower()]) for word in met if word.lower() in PUBLISHED]
    if published:
        others = (word for word in met if word.lower() not in PUBLISHED)
        return published if all(map(split_in_column, others)) else []
    if derived := derived_from(met):
        return [(derived, TRAIN)]
    if third := _third_word(met):
        return [third]
    if not met or len(met) > MOST_SPLITS or any(parse_split_in_column(word) is not None for word in met):
        return []
    if named := _splits_in(column):
        return _by_their_numbers(named, met)
    within = (split for split in (TEST, TRAIN) if split in column.lower())
    meant = split_called(column) or next(within, VALIDATION)
    if all(map(is_any_flag, met)) and len(met) <= 2:
        other = VALIDATION if meant == TRAIN else TRAIN
        return [(word, meant if is_any_yes(word) else other) for word in met]
    if all(word.removesuffix(".0").isdecimal() and word.isascii() for word in met):
        return _of_three(column, counts) or [
            (word, TRAIN if number else VALIDATION) for number, word in enumerate(met)
        ]
    return []


def _of_three(column: str, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """What three numbers stand for that are no folds, the first or largest of them for train; else none.

    CelebA's `partition` and the `split` of WILDS are 0, 1, 2; three folds have as many rows each.

    Args:
      counts: rows by word; 1 of each where that is not known.
    """
    words = sorted(counts)
    if [word.removesuffix(".0") for word in words] not in (["0", "1", "2"], ["1", "2", "3"]):
        return []
    least, most = min(counts.values()), max(counts.values())
    if "fold" in column.lower() or (least > 1 and 2 * most < 3 * least):
        return []
    train = words[0] if counts[words[0]] == most else max(words, key=counts.__getitem__)
    others = (word for word in words if word != train)
    return sorted([(train, TRAIN), *zip(others, (VALIDATION, TEST), strict=True)])


def propose_likely_splits(words: Iterable[str]) -> str:
    """`--split-map model=train,blind=test` by how words begin; empty where one tells nothing.

    Args:
      words: of a column of splits, which stand for none.
    """
    likely = {word: likely_split(word) for word in words}
    if not likely or len(likely) > MOST_SPLITS or not all(likely.values()):
        return ""
    return command_line(["--split-map", join_pairs(likely.items())])


def words_of_splits(fields: Iterable[str], later: Iterable[str]) -> list[str]:
    """The words of a column that holds nothing else than those of train and of another split; else none.

    Args:
      fields: of the first rows.
      later: those of all others, which are looked at where these are of train alone: lists are sorted.
    """
    met = dict.fromkeys(fields)
    if {*map(_known, met)} <= {TRAIN, UNASSIGNED} and TRAIN in map(_known, met):
        for word in later:
            met[word] = None
            if len(met) > MOST_SPLITS:
                break
    splits = {*map(_known, met)}
    are_splits = None not in splits and TRAIN in splits and not splits.isdisjoint((VALIDATION, TEST))
    return sorted(filter(None, met)) if are_splits else []


def _known(word: str) -> str | None:
    """The split that a word stands for in a column of splits, or in a published set; None for another."""
    split = parse_split_in_column(word)
    return PUBLISHED.get(word.lower()) if split is None else split


def reading_splits(name: str, words: Iterable[str], others: Iterable[tuple[str, str]] = ()) -> str:
    """The options that read a column of such words.

    Args:
      others: (purpose, column) pairs that are given.
    """
    published = [(word, PUBLISHED[word.lower()]) for word in words if word.lower() in PUBLISHED]
    return " ".join(filter(None, (columns_option([*others, ("split", name)]), _as_option(published))))


def propose_split(unread: Mapping[str, Sequence[str]], *, is_whole: bool) -> str:
    """Of a list without a split column: options that make one of a column that may be it.

    Args:
      unread: fields of the columns that are not read, by their names.
      is_whole: whether these are all of the list.
    """
    told = [split_option(name, fields, is_whole=is_whole) for name, fields in unread.items() if name]
    # Words of splits say more than numbers of folds, which a map makes splits of.
    return min(filter(None, told), key=lambda option: "--split-map" in option, default="")


def split_option(name: str, words: Sequence[str], *, is_whole: bool = True) -> str:
    """Options that take a column for the split: one called like it, or of nothing but words of splits.

    Lists are often sorted by split, so that their first rows have one of them only.

    Args:
      name: of the column.
      words: of its fields.
      is_whole: whether these are all of the list.
    """
    is_called = name.lower().replace("_", "").replace("-", "") in _SPLIT_FLAGS or (
        bool(_splits_in(name)) or (bool(split_called(name)) and all(map(is_any_flag, words)))
    )
    later = _other_flag(words) if words and split_called(name) and not is_whole else ()
    as_map = propose_split_map(name, [*words, *later]) if is_called else ""
    if as_map:
        return f"{columns_option([('split', name)])} {as_map}"
    splits = {*map(split_in_column, words)} - {""}
    is_told = (
        is_called or _ENDS_IN_SPLIT.search(name) or (TRAIN in splits and (len(splits) > 1 or not is_whole))
    )
    if pair := _other_word(words):
        return f"{columns_option([('split', name)])} {command_line(['--split-map', join_pairs([pair])])}"
    if grouped := _by_groups(name, words):
        return f"{columns_option([('split', name)])} {grouped}"
    are_words = bool(words) and all(parse_split_in_column(word) is not None for word in words)
    return columns_option([("split", name)]) if is_told and are_words else ""


def certain_flag(columns: Mapping[str, Sequence[str]], rows: int, *, is_whole: bool) -> tuple[str, str]:
    """The column of yes and no that tells for certain what is held out, and its option; else two empty ones.

    Where several do, or folds beside it, these tell splits together. Few rows are held out: `is_valid`
    of most says that they are sound. Beside other flags, `is_train` may be that of trains.

    Args:
      columns: fields that are not blank, by name.
      rows: how many these are of.
      is_whole: whether these are all of the list, which may be sorted by split.
    """
    flags = {name: fields for name, fields in columns.items() if fields and all(map(is_any_flag, fields))}
    called = [name for name in flags if split_called(name)]
    if len(called) != 1 or not is_said_of_split(called[0]) or any(map(is_of_folds, columns)):
        return "", ""
    name, fields = called[0], flags[called[0]]
    held_out = sum(is_any_yes(field) != (split_called(name) == TRAIN) for field in fields)
    is_class = split_called(name) == TRAIN and len(flags) > 1
    if len(fields) < rows or is_class or 2 * held_out > rows or not (held_out or not is_whole):
        return "", ""
    split_map = propose_split_map(name, [*fields, *_other_flag(fields)])
    return (name, split_map) if split_map else ("", "")


def _other_flag(fields: Sequence[str]) -> list[str]:
    """The other word of a column of yes and no, all first rows of which may have one; none of other words."""
    return [_OTHER_FLAGS[field] for field in fields[:1] if field in _OTHER_FLAGS]


def _by_groups(name: str, words: Sequence[str]) -> str:
    """The option for a column called after groups, all words of which begin as those of two splits do."""
    met = {*words}
    splits = {word: begun_split(word) for word in sorted(met)}
    are_two = TRAIN in splits.values() and len({*splits.values()}) > 1 and all(splits.values())
    if name.lower() not in _CALLED_GROUP or not are_two or len(met) > len((TRAIN, VALIDATION, TEST)):
        return ""
    return command_line(["--split-map", join_pairs(splits.items())])


def _splits_in(name: str) -> list[str]:
    """The splits that the name of a column tells in their order, as `Train/Val/Test`; empty for another."""
    splits = [*map(split_of, _NAMES_IN_NAME.split(name))]
    return splits if len({*splits} - {""}) == len(splits) == len((TRAIN, VALIDATION, TEST)) else []


def _by_their_numbers(splits: Sequence[str], words: Sequence[str]) -> list[tuple[str, str]]:
    """The splits of words that number them from 0 or from 1, which the first or the last of them tells."""
    for first in (0, 1):
        numbers = [str(number) for number in range(first, first + len(splits))]
        if {*words} <= {*numbers} and numbers[-first] in words:
            return [*zip(numbers, splits, strict=True)]
    return []


def _other_word(words: Sequence[str]) -> tuple[str, str] | None:
    """The only word beside those of splits, and what it stands for: the split of train where none does.

    Train has half of the rows or more; a word of fewer may be anything. Beside train, and one of the others,
    a word for nothing is of rows in no split.
    """
    met = Counter(words)
    others = [word for word in met if parse_split_in_column(word) is None]
    splits = {*map(split_in_column, met)} - {""}
    if derived := derived_from(met):
        return (derived, TRAIN)
    if len(others) != 1:
        return None
    if splits == {VALIDATION, TEST}:
        is_most = 2 * met[others[0]] >= met.total()
        return (others[0], TRAIN) if is_most else None
    return (others[0], DISCARD) if len(splits) > 1 and _is_left_out(others[0]) else None
