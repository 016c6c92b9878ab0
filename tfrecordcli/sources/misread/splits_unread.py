"""Columns that are not used and tell splits: alone, several together, or beside the one that is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_any_flag, is_any_yes
from tfrecordcli.sources.proposals.splits import (
    MOST_SPLITS,
    likely_splits,
    propose_split,
    reading_splits,
    tells_splits,
    words_of_splits,
)
from tfrecordcli.sources.said_splits import says_no_split, says_splits
from tfrecordcli.sources.sample import MOST_ROWS, Sample, later_rows
from tfrecordcli.sources.split_flags import (
    flags_of_splits,
    is_of_folds,
    split_called,
    splits_of_flags,
    splits_with_flag,
)
from tfrecordcli.split_words import (
    TEST,
    TRAIN,
    UNASSIGNED,
    VALIDATION,
    in_one_split,
    parse_split_in_column,
    parted,
    split_in_column,
)
from tfrecordcli.units import join_pairs, some_of

_LATER: Final = 20_000  # rows whose words of splits are looked at, as lists are sorted by them


def need_splits_read(sample: Sample, rows: RowFile) -> None:
    """Refuses a list of which one column that is not read says for certain what to train on and what not.

    Raises:
      InputError: with the option that reads it, and the one by which rows are assigned all the same.
    """
    shape = sample.shape
    if shape.split is not None or rows.is_spooled or says_splits(rows.options):
        return
    for name, fields in sample.unread(lambda name: bool(name) and shape.header.count(name) == 1).items():
        column = shape.header.index(name)
        later = (field for row in later_rows(rows) for field in row[column : column + 1])
        if words := words_of_splits(fields, later):
            raise splits_not_read("column", name, words, rows.options)


def splits_not_read(what: str, name: str, words: Sequence[str], options: ReadOptions) -> InputError:
    """What is said of a column of splits that is not read.

    Args:
      what: it is: a column, or a key.
      words: of it.
    """
    return InputError(
        f"{what} {name} holds words of splits ({some_of(words)}), and is not read",
        f"{reading_splits(name, words, options.columns)} reads it; "
        f"{columns_option([*options.columns, ('split', '')])} assigns images to splits without it",
    )


def told_splits(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That columns which are not used may tell the split, with what reads them."""
    shape = sample.shape
    if shape.split is not None:
        yield from _told_of_one(sample, rows, shape.split)
        yield from told_beside(sample, rows, dict(rows.options.split_map))
        return
    if says_no_split(rows.options):
        return
    unread = sample.unread(lambda name: shape.header.count(name) == 1)
    if flags := flags_of_splits(unread):
        how = splits_of_flags(flags, sample.parts(flags), rows.name, shape.delimiter)
        yield f"columns that are not used tell splits together ({', '.join(flags)}): {how}"
    elif how := _folds_with_a_test(sample, rows, unread):
        yield how
    elif split := propose_split(sample.unread(bool), is_whole=len(sample.table) < MOST_ROWS):
        yield f"a column that is not used may be the split: {split}"


def _told_of_one(sample: Sample, rows: RowFile, column: int) -> Iterator[str]:
    """That two words of the column that is read stand for one split, where they may be meant for two."""
    given = dict(rows.options.split_map)
    later = (field for row in islice(later_rows(rows), _LATER) for field in row[column : column + 1])
    met = {*sample.fields(column), *later} - {*given}
    splits = {*map(split_in_column, met), *given.values()}
    for split, words in in_one_split(met).items():
        pairs = join_pairs([parted(words, splits)])
        yield (
            f"{', '.join(words)} are taken for one split, {split}: where they are two, "
            f"{command_line(['--split-map', pairs])} tells them apart"
        )


def _folds_with_a_test(sample: Sample, rows: RowFile, unread: Mapping[str, Sequence[str]]) -> str:
    """That a column tells folds, and a flag which rows are in none of them but in the test; or empty."""
    tests = [name for name, fields in unread.items() if split_called(name) == TEST and _are_few(fields)]
    folds = [name for name in unread if is_of_folds(name)]
    if len(tests) != 1 or len(folds) != 1:
        return ""
    others = {fold for fold, flag in sample.parts([*folds, *tests]) if not is_any_yes(flag)}
    splits = dict(likely_splits(folds[0], others))
    if not splits or others != {*splits}:
        return ""
    flag = (tests[0], TEST)
    how = splits_with_flag(folds[0], splits, flag, rows.name, sample.shape.delimiter, is_read=False)
    return f"columns that are not used tell splits together ({folds[0]}, {tests[0]}): {how}"


def told_beside(sample: Sample, rows: RowFile, words: Mapping[str, str]) -> Iterator[str]:
    """That a column which is not used holds rows out that another one does not, with what has both.

    Where the column that is read tells that split of other rows, it is taken at its word, and so is its own
    word for another split than that to train on.

    Args:
      words: split by word of the column that is read, of words that stand for none themselves.
    """
    header, column = sample.shape.header, sample.shape.split
    if column is None or not header or rows.is_spooled:
        return
    read = {word: parse_split_in_column(words.get(word, word)) for word in sample.fields(column)}
    known = {word: split for word, split in read.items() if split is not None}
    trained = (TRAIN, UNASSIGNED)
    for name in sample.unread(lambda name: header.count(name) == 1):
        said = _splits_said(name, sample.fields(header.index(name)))
        parts = sample.parts([header[column], name])
        lost = (own for word, own in parts if word in known and (known[word] in trained or word in words))
        held_out = {said.get(own, "") for own in lost} & {VALIDATION, TEST} - {*known.values()}
        if held_out:
            how = _with_both(header[column], known, name, said, rows, sample.shape.delimiter)
            yield (
                f"column {name}, which is not used, says {' and '.join(sorted(held_out))} of rows that are "
                f"not by {header[column]}: {how}"
            )


def _splits_said(name: str, fields: Sequence[str]) -> Mapping[str, str]:
    """The split by word of a column called or filled like one of splits; nothing for another column."""
    met = {*fields}
    called = split_called(name)
    if called and all(map(is_any_flag, met)):
        return {word: called for word in met if is_any_yes(word)} if _are_few(fields) else {}
    are_words = len(met) <= MOST_SPLITS and tells_splits(name, fields)
    return {word: split_in_column(word) for word in met} if are_words else {}


def _with_both(
    column: str, known: Mapping[str, str], name: str, said: Mapping[str, str], rows: RowFile, delimiter: str
) -> str:
    if not all(map(is_any_flag, said)):
        others = [pair for pair in rows.options.columns if pair[0] != "split"]
        return f"{columns_option([*others, ('split', name)])} takes that column instead"
    is_read = "split" not in dict(rows.options.columns)
    flag = (name, next(iter(said.values())))
    return splits_with_flag(column, known, flag, rows.name, delimiter, is_read=is_read)


def _are_few(flags: Sequence[str]) -> bool:
    """Whether flags say yes of some rows, and of no more than half: `is_valid` may mean sound rows."""
    return 0 < 2 * sum(map(is_any_yes, flags)) <= len(flags)
