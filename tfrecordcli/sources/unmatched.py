"""Entries of `--map` and `--split-map` that no row of a list has any use for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.column_words import REPORT_COLUMNS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.row import Malformed
from tfrecordcli.sources.row_fields import words_of
from tfrecordcli.units import join_pairs


def unmatched(files: Sequence[RowFile]) -> Iterator[str]:
    """Notes for these entries; lists are read until each entry has met a row, which is soon where all do.

    Args:
      files: read with the same entries. Of a rejects.csv nothing is said: its few rows need not have them.
    """
    prefixes = {prefix: instead for file in files for prefix, instead in file.reading.paths.prefixes}
    words = {word: split for file in files for word, split in file.reading.splits.items()}
    for file in files:
        if not (prefixes or words):
            return
        shape = file.shape()
        if {*REPORT_COLUMNS} <= {*shape.header}:
            return
        if shape.is_table:  # that rows have no paths is said
            prefixes.clear()
        for word, uri in _words(file):
            words.pop(word, None)
            fitting = (prefix for prefix, _ in file.reading.paths.prefixes if uri.startswith(prefix))
            prefixes.pop(next(fitting, ""), None)
            if not (prefixes or words):
                return
    if prefixes:
        yield _told("--map", prefixes, "no path of the list begins so")
    if words:
        yield _told("--split-map", words, "no row has such a word for its split")


def _words(file: RowFile) -> Iterator[tuple[str, str]]:
    """(split word, image) of each row, as written."""
    shape, records = file.read_records()
    with closing(records):
        for _, fields in records:
            if isinstance(fields, Malformed):
                continue
            try:
                word, uri, _ = words_of(shape, fields)
            except Rejected:
                continue
            yield word, uri


def _told(flag: str, entries: Mapping[str, str], why: str) -> str:
    are = "is" if len(entries) == 1 else "are"
    return f"{flag} {join_pairs(entries.items())} {are} not used: {why}"
