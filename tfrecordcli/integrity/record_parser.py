"""A record: an Example or a SequenceExample, and none of the other messages that protobuf would take for one.

To protobuf, fields that it does not know are no fault, so that a serialised tensor is an empty Example to it.
"""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

from tfrecordcli.integrity.example_parser import KINDS, Feature, parse_example
from tfrecordcli.integrity.tensorflow_view import Deviation, deviations
from tfrecordcli.integrity.wire import NotAnExample, delimited_fields_of, fields_of

_FEATURES, _FEATURE_LISTS = 1, 2
_NO_LISTS: Final = b"\x12\0"  # a SequenceExample of nothing
_TENSOR: Final = "it looks like a tensor of tf.io.serialize_tensor, which tf.io.parse_tensor reads"


class ParsedRecord(NamedTuple):
    """What is in a record.

    Attributes:
      features: of the Example, or the context of the SequenceExample.
      is_sequence: whether it is the latter; its feature lists are passed over.
      deviations: what tf.io.parse_example makes otherwise of them.
    """

    features: dict[str, Feature]
    is_sequence: bool
    deviations: list[Deviation]


def parse_record(data: bytes) -> ParsedRecord:
    """Parses a record.

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
    return ParsedRecord(features, is_sequence, deviations(data, features))


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
