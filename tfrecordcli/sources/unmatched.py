"""Entries of `--map` and `--split-map` that no row of a list has any use for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress

from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import SPLITS
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import REPORT_COLUMNS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.row import Malformed
from tfrecordcli.sources.row_fields import words_of
from tfrecordcli.split_words import split_of
from tfrecordcli.units import join_pairs


def unmatched(files: Sequence[RowFile]) -> Iterator[str]:
    """Notes for these entries; lists are read until each entry has met a row, which is soon where all do.

    Args:
      files: read with the same entries. Of a rejects.csv nothing is said: its few rows need not have them.
    """
    prefixes = {prefix: instead for file in files for prefix, instead in file.reading.paths.prefixes}
    words = {word: split for file in files for word, split in file.reading.splits.items()}
    behind: set[str] = set()  # entries that fit a path which one before them takes
    for file in files:
        if not (prefixes or words):
            return
        if is_of_rejects(file.shape().header):
            return
        if file.shape().is_table:  # that rows have no paths is said
            prefixes.clear()
        for word, uri in _words(file):
            words.pop(word, None)
            first, *others = [
                prefix for prefix, _ in file.reading.paths.prefixes if uri.startswith(prefix)
            ] or [""]
            prefixes.pop(first, None)
            behind.update(others)
            if not (prefixes or words):
                return
    met = {prefix: instead for prefix, instead in prefixes.items() if prefix in behind}
    if unmet := {prefix: instead for prefix, instead in prefixes.items() if prefix not in met}:
        yield _told("--map", unmet, "no path of the list begins so")
    if met:
        yield _told("--map", met, "an entry before takes all paths that begin so; the longest goes first")
    if words:
        yield _told("--split-map", words, "no row has such a word for its split")


def assigning_all(file: RowFile) -> str:
    """What assigns rows that name their splits all the same, option or command; empty where none does."""
    if file.is_listing:
        return _splits_as_sources(file.name)
    if file.is_spooled and not file.has_own_words:
        return ""
    parse = file.shape().parse_split
    found = {word for word, _ in _words(file) if parse(file.reading.split(word)) in SPLITS}
    others = [pair for pair in file.options.split_map if pair[0] not in found]
    return command_line(
        ["--split-map", join_pairs([*((word, "unassigned") for word in sorted(found)), *others])]
    )


def _splits_as_sources(folder: str) -> str:
    """The command that takes the folders of splits in a folder for sources that name none."""
    with suppress(OSError), os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir() and entry.name[0] != ".")
        if len(names) > 1 and all(map(split_of, names)):
            sources = [as_path(os.path.join(folder, name)) for name in names]
            return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR, with these options"
    return ""


def is_of_rejects(header: Iterable[str]) -> bool:
    """Whether a list is a rejects.csv, whose few rows need not have what options are for."""
    return {*REPORT_COLUMNS} <= {*header}


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
