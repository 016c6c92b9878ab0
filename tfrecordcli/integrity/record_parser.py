"""A record: an Example or a SequenceExample, and none of the other messages that protobuf would take for one.

To protobuf, fields that it does not know are no fault, so that a serialised tensor is an empty Example to it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tfrecordcli.integrity.example_parser import KINDS, Feature, parse_example
from tfrecordcli.integrity.tensorflow_view import Deviation, deviations
from tfrecordcli.integrity.wire import NotAnExample, fields_of

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
    is_example = are_lists = has_lists = False
    all_lists = True
    for number, start, end in fields_of(data, 0, len(data)):  # of which a record may have any number
        is_example = is_example or number == _FEATURES
        if number == _FEATURE_LISTS:
            are_lists = True
            has_lists = has_lists or start < end
            all_lists = all_lists and _are_feature_lists(data, start, end)
    is_sequence = are_lists and all_lists
    if data and not (is_example or (is_sequence and has_lists) or data == _NO_LISTS):
        is_tensor = data[0] == 1 << 3 and are_lists
        raise NotAnExample(_TENSOR if is_tensor else "none of its fields is that of an Example")
    return ParsedRecord(features, is_sequence, deviations(data, features))


def _are_feature_lists(data: bytes, start: int, end: int) -> bool:
    """Whether each entry is a name and a list of what may be features; values are not looked at."""
    try:
        return all(
            number == 1 and _is_feature_list(data, list(fields_of(data, at, stop)))
            for number, at, stop in fields_of(data, start, end)
        )
    except NotAnExample:
        return False


def _is_feature_list(data: bytes, entry: list[tuple[int, int, int]]) -> bool:
    if [field for field, _, _ in entry] != [1, 2]:
        return False
    _, start, end = entry[1]
    return all(
        field == 1 and all(kind in KINDS for kind, _, _ in fields_of(data, first, last))
        for field, first, last in fields_of(data, start, end)
    )
