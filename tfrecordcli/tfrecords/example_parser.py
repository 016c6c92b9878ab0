"""A record: an Example or a SequenceExample, and none of the other messages that protobuf would take for one.

To protobuf, fields that it does not know are no fault, so that a serialised tensor is an empty Example to it.
Of a repeated map key the last entry counts.
"""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left
from collections.abc import ItemsView, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from tfrecordcli.tfrecords.feature import KINDS, SMALL, FeatureValues, parse_entry, remembered_entry
from tfrecordcli.tfrecords.wire import (
    DELIMITED,
    NotAnExample,
    delimited_fields_of,
    fields_of,
    read_delimited,
    read_tag,
    skip_field,
    tagged_fields_of,
)

_FEATURES, _FEATURE_LISTS = 1, 2
_MOST_KEYS: Final = 1 << 12  # of a record, above which its features are not kept one by one
_NO_LISTS: Final = b"\x12\0"  # a SequenceExample of nothing
_TENSOR: Final = "it looks like a tensor of tf.io.serialize_tensor, which tf.io.parse_tensor reads"

_FIRST: Final = 1 << 3 | DELIMITED
_FEATURE_TAGS: Final = frozenset(number << 3 | DELIMITED for number in KINDS)
_HASH_BITS: Final = 32
_CHUNK: Final = 1 << 16  # entries that are handled at a time
_SEEN, _FULL, _UNKNOWN = 1, 2, 4  # what an entry may be to TensorFlow


class ParsedRecord(NamedTuple):
    """What is in a record.

    Attributes:
      features: of the Example, or the context of the SequenceExample.
      is_sequence: whether it is the latter; its feature lists are skipped.
    """

    features: Mapping[str, FeatureValues]
    is_sequence: bool


def parse_record(data: bytes) -> ParsedRecord:
    """Parses a record. What it takes beside it is a copy of its images at most, and 8 bytes a key.

    Raises:
      NotAnExample: it is neither.
    """
    features = parse_example(data)
    is_example = lists = has_content = False
    are_lists = True
    for number, start, end in fields_of(data, 0, len(data)):  # one at a time: there may be millions
        if number == _FEATURES:
            is_example = True
        elif number == _FEATURE_LISTS:
            lists = True
            has_content = has_content or start < end
            are_lists = are_lists and _are_feature_lists(data, start, end)
    is_sequence = lists and are_lists
    if data and not (is_example or (is_sequence and has_content) or data == _NO_LISTS):
        is_tensor = data[0] == 1 << 3 and lists
        raise NotAnExample(_TENSOR if is_tensor else "none of its fields is that of an Example")
    return ParsedRecord(features, is_sequence)


def parse_example(data: bytes) -> Mapping[str, FeatureValues]:
    """The features of an Example.

    Raises:
      NotAnExample
    """
    features: dict[str, FeatureValues] = {}
    try:
        for number, start, end in fields_of(data, 0, len(data)):
            if number == _FEATURES and not _parse_features(data, start, end, features):
                features.clear()
                return ManyFeatures(data)
    except IndexError as error:
        raise NotAnExample("it ends too early") from error
    except UnicodeDecodeError as error:
        raise NotAnExample("a name in it is no UTF-8") from error
    return features


def _parse_features(data: bytes, start: int, end: int, features: dict[str, FeatureValues]) -> bool:
    """Adds what is there; False when these become too many."""
    for number, entry, entry_end in fields_of(data, start, end):
        if number != 1:
            continue
        if entry_end - entry <= SMALL:
            found = remembered_entry(data[entry:entry_end])
            if found is not None:
                key, value = found
                features[key] = FeatureValues(value.kind, value.values[:])
        else:
            found = parse_entry(data, entry, entry_end)
            if found is not None:
                features[found[0]] = found[1]
        if len(features) > _MOST_KEYS:
            return False
    return True


def _are_feature_lists(data: bytes, start: int, end: int) -> bool:
    """Whether each entry is a name and a list of what may be features; values are not looked at."""
    try:
        return all(
            number == 1 and _is_feature_list(data, at, stop)
            for number, at, stop in delimited_fields_of(data, start, end)
        )
    except NotAnExample:
        return False


def _is_feature_list(data: bytes, start: int, end: int) -> bool:
    entry = list(itertools.islice(delimited_fields_of(data, start, end), 3))
    if [field for field, _, _ in entry] != [1, 2]:
        return False
    _, start, end = entry[1]
    return all(
        field == 1 and all(kind in KINDS for kind, _, _ in delimited_fields_of(data, first, last))
        for field, first, last in delimited_fields_of(data, start, end)
    )


# --- records of very many keys ---


class ManyFeatures(Mapping[str, FeatureValues]):
    """Key -> feature, in an order that is always the same and means nothing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._entries = array("Q")  # sorted
        self._count = 0
        most = _CHUNK
        for entry in self._read():
            self._entries.append(entry)
            if len(self._entries) == most:
                self._compact()
                most = max(_CHUNK, 2 * len(self._entries))
        self._compact()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.items())

    def __getitem__(self, key: str) -> FeatureValues:
        begin = _hash(key) << _HASH_BITS
        at = bisect_left(self._entries, begin)
        later = (self._entries[n] for n in range(at, len(self._entries)))
        same = itertools.takewhile(lambda entry: entry >> _HASH_BITS == begin >> _HASH_BITS, later)
        found = None
        for entry in same:
            name, feature = self._parsed(entry)
            if name == key:
                found = feature
        if found is None:
            raise KeyError(key)
        return found

    def items(self) -> ItemsView[str, FeatureValues]:
        return _Items(self)

    def spans(self) -> Iterator[tuple[str, FeatureValues, list[tuple[int, int]]]]:
        """Of each key its feature, and where the entries are that matter to TensorFlow.

        These are the last, the last that is not empty, and one that begins with an unknown field.
        """
        for _, same in itertools.groupby(self._entries, lambda entry: entry >> _HASH_BITS):
            found: dict[str, tuple[FeatureValues, list[tuple[int, int]]]] = {}
            for entry in same:
                key, feature = self._parsed(entry)
                spans = found[key][1] if key in found else []
                if not entry & 1:
                    spans.append(self._span(entry))
                found[key] = feature, spans
            for key, (feature, spans) in found.items():
                yield key, feature, spans

    def _span(self, entry: int) -> tuple[int, int]:
        return read_delimited(self._data, (entry & (1 << _HASH_BITS) - 1) >> 1, len(self._data))

    def _parsed(self, entry: int) -> tuple[str, FeatureValues]:
        found = parse_entry(self._data, *self._span(entry))
        assert found is not None
        return found

    # --- the table ---

    def _read(self) -> Iterator[int]:
        """All entries, but for those that protobuf does not take for one, and repetitions of the last one."""
        data, at, last = self._data, 0, (b"", -1)
        while at < len(data):
            is_passed_over = data[at] != _FIRST  # TensorFlow knows the tag in one byte only
            tag, at = read_tag(data, at, len(data))
            inner, at = skip_field(data, tag, at, len(data))
            while tag == _FIRST and inner < at:
                entry_tag, length = read_tag(data, inner, at)
                first, inner = skip_field(data, entry_tag, length, at)
                this = data[first : min(inner, first + SMALL)], is_passed_over
                if entry_tag != _FIRST or (this == last and inner - first < SMALL):
                    continue
                found = parse_entry(data, first, inner)
                if found is not None:
                    yield _hash(found[0]) << _HASH_BITS | length << 1 | is_passed_over
                    last = this

    def _compact(self) -> None:
        """Sorts the entries and drops those that matter to nobody, in little more than their own memory."""
        import numpy as np  # only here: whoever lists TFRecords as a source loads this module too

        entries = np.frombuffer(self._entries, np.uint64)
        entries.sort()
        kept = np.ones(len(entries), bool)
        self._count = len(entries) - sum(self._drop(entries, kept, run) for run in _runs(entries))
        total = 0
        for start in range(0, len(entries), _CHUNK):
            part = entries[start : start + _CHUNK][kept[start : start + _CHUNK]]
            entries[total : total + len(part)] = part
            total += len(part)
        del entries  # or the array could not be resized
        del self._entries[total:]

    def _drop(self, entries: Any, kept: Any, run: range) -> int:
        """Marks those of one hash that later ones replace; by how many they are more than their keys."""
        seen: dict[str, int] = {}
        for index in reversed(run):
            key, roles = self._roles(int(entries[index]))
            before = seen.get(key)
            kept[index] = before is None or roles & ~before
            seen[key] = roles | (before or 0)
        return len(run) - len(seen)

    def _roles(self, entry: int) -> tuple[str, int]:
        key, roles = "", 0 if entry & 1 else _SEEN
        for tag, first, stop in tagged_fields_of(self._data, *self._span(entry)):
            if tag == _FIRST:
                key = self._data[first:stop].decode()
            elif first < stop and not entry & 1:
                roles |= _FULL if self._data[first] in _FEATURE_TAGS else _FULL | _UNKNOWN
        return key, roles


class _Items(ItemsView[str, FeatureValues]):
    """All of them in one pass."""

    def __init__(self, features: ManyFeatures) -> None:
        super().__init__(features)
        self._features = features

    def __iter__(self) -> Iterator[tuple[str, FeatureValues]]:
        return ((key, feature) for key, feature, _ in self._features.spans())


def _hash(key: str) -> int:
    """One of which nobody can make many alike."""
    return int.from_bytes(blake2b(key.encode(), digest_size=_HASH_BITS // 8).digest())


def _runs(entries: Any) -> Iterator[range]:
    """Where neighbours have one hash."""
    run = range(0)
    for start in range(0, len(entries), _CHUNK):
        hashes = entries[start : start + _CHUNK + 1] >> entries.dtype.type(_HASH_BITS)
        for index in ((hashes[1:] == hashes[:-1]).nonzero()[0] + start).tolist():
            if run.stop == index + 1:
                run = range(run.start, index + 2)
            else:
                if run:
                    yield run
                run = range(index, index + 2)
    if run:
        yield run
