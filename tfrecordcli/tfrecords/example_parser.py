"""A record: an Example or a SequenceExample, and none of the other messages that protobuf would take for one.

To protobuf, fields that it does not know are no fault, so that a serialised tensor is an empty Example to it.
Of a repeated map key the last entry counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tfrecordcli.tfrecords.feature import KINDS, SMALL, Feature, parse_entry, remembered_entry
from tfrecordcli.tfrecords.many_features import ManyFeatures
from tfrecordcli.tfrecords.tensorflow_view import Deviation, deviations
from tfrecordcli.tfrecords.wire import NotAnExample, delimited_fields_of, fields_of

_FEATURES, _FEATURE_LISTS = 1, 2
_MOST_KEYS: Final = 1 << 12  # of a record, above which its features are not kept one by one
_NO_LISTS: Final = b"\x12\0"  # a SequenceExample of nothing
_TENSOR: Final = "it looks like a tensor of tf.io.serialize_tensor, which tf.io.parse_tensor reads"


class ParsedRecord(NamedTuple):
    """What is in a record.

    Attributes:
      data: the record.
      features: of the Example, or the context of the SequenceExample.
      is_sequence: whether it is the latter; its feature lists are passed over.
    """

    data: bytes
    features: Mapping[str, Feature]
    is_sequence: bool

    def deviations(self) -> Iterator[Deviation]:
        """What tf.io.parse_example makes otherwise of them."""
        return deviations(self.data, self.features)


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
    return ParsedRecord(data, features, is_sequence)


def parse_example(data: bytes) -> Mapping[str, Feature]:
    """The features of an Example.

    Raises:
      NotAnExample
    """
    features: dict[str, Feature] = {}
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


def _parse_features(data: bytes, start: int, end: int, features: dict[str, Feature]) -> bool:
    """Adds what is there; False when these become too many."""
    for number, entry, entry_end in fields_of(data, start, end):
        if number != 1:
            continue
        if entry_end - entry <= SMALL:
            found = remembered_entry(data[entry:entry_end])
            if found is not None:
                key, value = found
                features[key] = Feature(value.kind, value.values[:])
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
