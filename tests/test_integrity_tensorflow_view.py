"""Records that TensorFlow refuses or reads otherwise than protobuf does, and those that are no Examples."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from converting import tfrec
from payloads import Witnesses, disagreements, payloads, varint
from sampling import first
from verifying import found, verify, write_shard

from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting.inspection import inspect
from tfrecordcli.tfrecords import example_parser, feature
from tfrecordcli.tfrecords.example_parser import parse_record
from tfrecordcli.tfrecords.tensorflow_view import deviations
from tfrecordcli.tfrecords.wire import NotAnExample

COUNT = 1500


def field(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(body)) + body


def example(*features: bytes) -> bytes:
    """An Example whose features, all of them `x`, are these."""
    return field(1, b"".join(field(1, field(1, b"x") + field(2, feature)) for feature in features))


INTS = field(3, field(1, b"\1\2"))
BYTES = field(1, field(1, b"text"))
UNKNOWN = field(9, b"z")
FLOAT = struct.pack("<f", 0.5)
TENSOR = "it looks like a tensor of tf.io.serialize_tensor, which tf.io.parse_tensor reads"

REFUSED: dict[str, tuple[bytes, str]] = {
    "an unknown field inside an entry": (
        field(1, field(1, field(1, b"x") + field(2, INTS) + UNKNOWN)),
        "an entry is not one name and one feature",
    ),
    "entries merged into one": (
        field(1, field(1, field(1, b"x") + field(2, INTS) + field(2, INTS))),
        "an entry is not one name and one feature",
    ),
    "an entry without a value": (
        field(1, field(1, field(1, b"x"))),
        "an entry is not one name and one feature",
    ),
    "an unknown field between the features": (
        field(1, UNKNOWN + field(1, field(1, b"x") + field(2, INTS))),
        "a field that it does not know stands between the features",
    ),
    "a group": (b"\x4b\x4c" + example(INTS), "there is a group in it"),
    "an unknown field before the list": (
        example(UNKNOWN + INTS),
        "it does not know what begins the feature x",
    ),
    "an unknown field in the list": (
        example(field(1, field(1, b"text") + UNKNOWN)),
        "there is more than plain values in the list of x",
    ),
    "numbers packed after plain ones": (
        example(field(2, b"\x0d" + FLOAT + field(1, FLOAT))),
        "there is more than plain values in the list of x",
    ),
}
DIFFERENT: dict[str, tuple[bytes, str]] = {
    "two lists of a kind": (example(INTS + INTS), "it takes 2 of 4 values"),
    "numbers packed in two pieces": (
        example(field(3, field(1, b"\1\2") + field(1, b"\3"))),
        "it takes 2 of 3 values",
    ),
    "plain numbers after packed ones": (
        example(field(2, field(1, FLOAT) + b"\x0d" + FLOAT)),
        "it takes 1 of 2 values",
    ),
    "another kind first": (example(INTS + BYTES), "it takes the int64 values, which are not the last"),
    "another list, of as many values": (
        example(field(2, field(1, struct.pack("<f", float("nan")))) + BYTES + field(2, field(1, FLOAT))),
        "it takes other values",
    ),
    "empty at the second time": (
        example(INTS, b""),
        "it is there several times, and empty at the end",
    ),
    "features under a long tag": (b"\x8a\0" + example(INTS)[1:], "it does not find it"),
}
FINE = {
    "nothing": b"",
    "no feature": field(1, b""),
    "a feature of nothing": example(b""),
    "an empty list": example(field(3, b"")),
    "plain numbers": example(field(3, b"\x08\1\x08\2")),
    "the value before its key": field(1, field(1, field(2, INTS) + field(1, b"x"))),
    "the same key twice, of which the last counts": example(BYTES, INTS),
    "features in two parts": field(1, field(1, field(1, b"y") + field(2, BYTES))) + example(INTS),
    "an unknown field after the list": example(INTS + UNKNOWN),
    "an unknown field after the features": example(INTS) + UNKNOWN,
}


@pytest.mark.parametrize("count", first([COUNT // 4], [COUNT]))
def test_our_verdict_is_that_of_both_parsers(count: int, tf: Any) -> None:
    assert disagreements(payloads(seed=1, count=count)) == []


def test_an_entry_with_fields_that_nobody_knows_is_kept_apart_by_protobuf(tf: Any) -> None:
    """What stood before it stands; behind a tag of two bytes TensorFlow sees neither."""
    entries = field(1, field(1, b"x") + field(2, INTS)) + field(1, UNKNOWN + field(1, b"x") + field(2, b""))
    assert list(parse_record(field(1, entries)).features["x"].values) == [1, 2]
    assert disagreements([field(1, entries), b"\x8a\0" + varint(len(entries)) + entries]) == []


def test_the_payloads_are_of_every_kind_and_always_the_same() -> None:
    made = [*payloads(seed=1, count=COUNT)]
    assert made == [*payloads(seed=1, count=COUNT)]
    assert made[:50] != [*payloads(seed=2, count=50)]
    seen = {"none": 0, "plain": 0, "sequence": 0, "refused": 0, "a feature refused": 0, "different": 0}
    for payload in made:
        try:
            record = parse_record(payload)
        except NotAnExample:
            seen["none"] += 1
            continue
        departures = [*deviations(payload, record.features)]
        seen["plain"] += not departures
        seen["sequence"] += record.is_sequence
        seen["refused"] += any(told.refused and told.key is None for told in departures)
        seen["a feature refused"] += any(told.refused and told.key is not None for told in departures)
        seen["different"] += any(not told.refused for told in departures)
    assert min(seen.values()) >= COUNT // 40, seen


def test_records_of_many_keys_and_values_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of them is less, and nothing else is read."""
    made = [*payloads(seed=3, count=COUNT)]
    made += [b"".join(made[n : n + 4]) for n in range(0, COUNT, 4)]  # messages that go together
    expected = [*map(reading, made)]
    for chunk in (1, 2, 5):
        monkeypatch.setattr(example_parser, "_MOST_KEYS", 0)
        monkeypatch.setattr(example_parser, "_CHUNK", chunk)
        monkeypatch.setattr(feature, "_CHUNK", chunk)
        monkeypatch.setattr(feature, "_KEPT", 4 * chunk)
        feature.remembered_entry.cache_clear()
        assert [*map(reading, made)] == expected
    feature.remembered_entry.cache_clear()


def reading(payload: bytes) -> Any:
    """All that is told of a payload, in a form that can be compared."""
    try:
        record = parse_record(payload)
    except NotAnExample as error:
        return str(error)
    values = {key: (kind, repr([*values])) for key, (kind, values) in record.features.items()}
    assert len(record.features) == len(values)
    assert all(repr([*record.features[key].values]) == shown for key, (_, shown) in values.items())
    assert record.features.get("no such key") is None
    return values, record.is_sequence, sorted(map(repr, deviations(payload, record.features)))


def test_keys_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example_parser, "_MOST_KEYS", 0)
    monkeypatch.setattr(example_parser, "_hash", lambda key: 7)
    entries = [(b"a", INTS), (b"b", BYTES), (b"a", BYTES), (b"c", b""), (b"b", INTS)]
    data = field(1, b"".join(field(1, field(1, key) + field(2, body)) for key, body in entries))
    features = parse_record(data).features
    assert {key: found.kind for key, found in features.items()} == {"a": "bytes", "b": "int64", "c": ""}
    assert [features[key].kind for key in "abc"] == ["bytes", "int64", ""]
    assert "d" not in features


@pytest.fixture(scope="module")
def witnesses(tf: Any) -> Witnesses:
    return Witnesses()


@pytest.mark.parametrize(
    ("code", "payload", "detail"),
    [
        *(("tensorflow_refuses", *case) for case in REFUSED.values()),
        *(("tensorflow_differs", *case) for case in DIFFERENT.values()),
    ],
    ids=[*REFUSED, *DIFFERENT],
)
def test_every_command_says_what_tensorflow_does(
    code: str, payload: bytes, detail: str, witnesses: Witnesses, tmp_path: Path
) -> None:
    assert witnesses.protobuf(payload) is not None
    path = tmp_path / "a.tfrecord"
    write_shard(path, [encode_example({"x": [1]}), payload])
    report, seen = verify(path, ignore=("kinds_differ",)), inspect(path)
    assert [(problem.code, problem.record) for problem in report.problems] == [(code, 1)]
    assert detail in report.problems[0].message
    assert seen.problems == report.problems
    assert (seen.records, report.records, seen.exit_code, report.exit_code) == (2, 2, 1, 1)


@pytest.mark.parametrize("name", FINE)
def test_what_both_read_alike_is_right(name: str, witnesses: Witnesses, tmp_path: Path) -> None:
    assert disagreements([FINE[name]]) == []
    path = tmp_path / "a.tfrecord"
    write_shard(path, [FINE[name]])
    assert (found(verify(path)), inspect(path).problems) == ([], ())


def test_the_commands_print_it(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    write_shard(path, [example(INTS + INTS), example(UNKNOWN)])
    for command in ("verify", "inspect"):
        done = tfrec(command, path)
        assert done.code == 1
        assert "tf.io.parse_example reads x otherwise than protobuf: it takes 2 of 4 values" in done.out
        assert "tf.io.parse_example refuses the record: it does not know what begins" in done.out


# --- what is no Example ---


@pytest.mark.parametrize("value", [[1, 2], [[0.5]], 7, ["a", "b"], [], True], ids=repr)
def test_tensors_are_no_examples(value: Any, tf: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    write_shard(path, [tf.io.serialize_tensor(tf.constant(value)).numpy()] * 2)
    report = verify(path)
    assert [(p.code, p.record) for p in report.problems] == [("not_an_example", 0), ("not_an_example", 1)]
    assert TENSOR in report.problems[0].message
    assert not any("Sequence" in said for said in report.not_checked)
    done = tfrec("inspect", path)
    assert done.code == 1
    assert TENSOR in done.out
    assert "Sequence" not in done.out


@pytest.mark.parametrize(
    "payload",
    [
        UNKNOWN,
        b"\x10\1",
        field(2, b"\x12\0"),
        field(2, field(1, b"rubbish")),
        field(2, b"rubbish" * 9),
        b"\x12\2\x08\5" * 2,
    ],
    ids=bytes.hex,
)
def test_what_holds_no_field_of_an_example_is_none(payload: bytes, tf: Any, tmp_path: Path) -> None:
    tf.train.Example.FromString(payload)  # to which unknown fields are no fault
    path = tmp_path / "a.tfrecord"
    write_shard(path, [payload])
    assert [place[0] for place in found(verify(path))] == ["not_an_example"]


def test_sequence_examples_of_any_kind_are_known(tf: Any) -> None:
    number = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    frames = {
        "frames": tf.train.FeatureList(feature=[number, tf.train.Feature()]),
        "none": tf.train.FeatureList(),
    }
    for context in ({}, {"id": number}):
        for lists in ({}, frames):
            given = tf.train.SequenceExample(
                context=tf.train.Features(feature=context),
                feature_lists=tf.train.FeatureLists(feature_list=lists),
            )
            payload = given.SerializeToString()
            record = parse_record(payload)
            assert (record.is_sequence, {*record.features}) == (True, {*context})
            assert [*deviations(payload, record.features)] == []
    assert parse_record(b"\x12\0").is_sequence
    plain = parse_record(encode_example({"x": [1]}) + field(2, b"something of another program"))
    assert (plain.is_sequence, {*plain.features}) == (False, {"x"})
