"""Records of a dataset as Examples, whatever state its files are in."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tfrecordcli.integrity.discovery import Dataset, discover
from tfrecordcli.naming import parse_shard_name
from tfrecordcli.problems import Problem, problem
from tfrecordcli.storage.files import why_unreadable
from tfrecordcli.storage.store_path import file_names
from tfrecordcli.tfrecords.example_parser import parse_record
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.foreign import describe_foreign, known_split
from tfrecordcli.tfrecords.record_reader import Record, read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream, open_shard
from tfrecordcli.tfrecords.tensorflow_view import deviations, problem_of
from tfrecordcli.tfrecords.tensors import opened
from tfrecordcli.tfrecords.wire import NotAnExample
from tfrecordcli.units import plural
from tfrecordcli.workdir.replacement import one_dataset

# Files that are open at the same time when records are picked from all of them in turn.
_OPEN_FILES: Final = 16
_HEAD_BYTES: Final = 512

Tell = Callable[[Iterable[Problem]], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A record that is an Example: its file, its number there, where it starts, and what it holds.

    Of a SequenceExample that is its context; its feature lists are not read.
    """

    file: str
    record: int
    offset: int
    features: Mapping[str, FeatureValues]
    is_sequence: bool = False


@contextlib.contextmanager
def opened_dataset(path: str) -> Iterator[Dataset]:
    """What is at a path; of an unfinished dataset the shards that are there.

    Raises:
      InputError: there is nothing, or no TFRecord file.
      BusyError: it was replaced before the block ended.
    """
    with one_dataset(path):
        dataset = discover(path)
        if not dataset.shards and any(found.code == "unfinished" for found in dataset.problems):
            shards = filter(parse_shard_name, file_names(dataset.folder))
            dataset = dataclasses.replace(dataset, shards=tuple(shards))
        yield dataset


def split_of(dataset: Dataset, name: str) -> str:
    """The split that a file belongs to, by its name; empty when that does not tell."""
    return dataset.split_of(name) or known_split(name)


def read_entries(dataset: Dataset, name: str, tell: Tell) -> Iterator[Entry]:
    """The Examples of a file, up to where it cannot be read any further.

    Args:
      tell: is given what is wrong with it.
    """
    try:
        with open_shard(str(dataset.folder / name)) as file:
            stream = ShardStream(file)
            head = stream.peek(_HEAD_BYTES)
            for record in read_records(stream):
                if record.damage:
                    tell([_damage(name, record, head, stream.unread)])
                if record.payload is None:
                    continue
                try:
                    parsed = parse_record(record.payload)
                except NotAnExample as error:
                    tell([problem("not_an_example", name, record.number, record.offset, detail=error)])
                    continue
                for code, details in map(problem_of, deviations(record.payload, parsed.features)):
                    tell([problem(code, name, record.number, record.offset, **details)])
                yield Entry(name, record.number, record.offset, parsed.features, parsed.is_sequence)
    except OSError as error:
        tell([problem("unreadable", name, detail=why_unreadable(error))])


def spread_entries(dataset: Dataset, max_records: int | None) -> Iterator[Entry]:
    """Examples from all files in turn, so that the first ones are a mix of splits and shards.

    What is wrong with the files is skipped. Small tensors are opened.
    """
    names = _first_of_each_split_first(dataset)
    left = max_records
    for first in range(0, len(names), _OPEN_FILES):
        group = [read_entries(dataset, name, lambda _: None) for name in names[first : first + _OPEN_FILES]]
        while group:
            group, current = [], group
            for entries in current:
                if left == 0:
                    return
                entry = next(entries, None)
                if entry is not None:
                    left = None if left is None else left - 1
                    group.append(entries)
                    yield replace(entry, features=opened(entry.features))


def _first_of_each_split_first(dataset: Dataset) -> list[str]:
    seen: dict[str, int] = {}
    ranks: dict[str, tuple[int, str]] = {}
    for name in dataset.shards:
        split = split_of(dataset, name)
        ranks[name] = (seen.setdefault(split, 0), name)
        seen[split] += 1
    return sorted(dataset.shards, key=lambda name: ranks[name])


def _damage(name: str, record: Record, head: bytes, unread: int) -> Problem:
    assert record.damage is not None
    if record.damage == "length_damaged" and not record.number:
        kind = describe_foreign(head)
        if kind:
            return problem("not_tfrecord", name, detail=kind)
    return problem(record.damage, name, record.number, record.offset, unread=plural(unread, "byte"))
