"""Payloads of records as odd writers could make them, and what both real parsers make of each.

`disagreements(payloads(seed, count))` is empty when every verdict of `parse_record` is the right one.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tfrecordcli.tfrecords.example_parser import ParsedRecord, parse_record
from tfrecordcli.tfrecords.tensorflow_view import Deviation, deviations
from tfrecordcli.tfrecords.wire import NotAnExample

KINDS: Final = ("bytes", "float", "int64")
KEYS: Final = (b"a", b"b", b"image/encoded", b"", "日本".encode())

# --- payloads ---


def varint(value: int, extra: int = 0) -> bytes:
    """A number in base 128, in more bytes than it needs if so wanted."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value]) if not extra else bytes([*out, value | 0x80, *[0x80] * (extra - 1), 0])


class Writer:
    """Writes Examples, oddly here and there.

    Args:
      odd: how likely every single step is to go another way.
      odd_inside: the same within a feature.
    """

    def __init__(self, chance: random.Random, odd: float, odd_inside: float) -> None:
        self.chance = chance
        self.odd = odd
        self.odd_inside = odd_inside

    def is_odd(self) -> bool:
        return self.chance.random() < self.odd

    def number(self, value: int) -> bytes:
        return varint(value, self.chance.randint(1, 4) if self.is_odd() and self.is_odd() else 0)

    def field(self, number: int, body: bytes) -> bytes:
        return self.number(number << 3 | 2) + self.number(len(body)) + body

    def unknown(self) -> bytes:
        """A field that nobody knows, or one of a known number and another type."""
        number = self.chance.choice((1, 2, 3, 4, 15, 16, 2047, (1 << 29) - 1))
        kind = self.chance.choice((0, 1, 2, 2, 3, 5))
        if number < 4 and kind == 2:
            number += 4
        return self.number(number << 3 | kind) + {
            0: self.number(self.chance.getrandbits(self.chance.choice((3, 40, 64)))),
            1: self.chance.randbytes(8),
            2: varint(3) + self.chance.randbytes(3),
            3: varint(7 << 3) + b"\5" + varint(number << 3 | 4),
            5: self.chance.randbytes(4),
        }.get(kind, b"")

    def around(self, parts: list[bytes]) -> bytes:
        """The parts of a message, perhaps with others between, twice, or in another order."""
        if self.is_odd():
            parts.insert(self.chance.randint(0, len(parts)), self.unknown())
        if parts and self.is_odd():
            parts.insert(self.chance.randint(0, len(parts)), self.chance.choice(parts))
        if self.is_odd():
            self.chance.shuffle(parts)
        return b"".join(parts)

    def values(self, kind: int) -> bytes:
        """A list of one kind: packed in one piece, unless it is odd."""
        count = self.chance.choice((0, 1, 1, 2, 3, 30))
        if kind == 1:
            return self.around([self.field(1, self.chance.randbytes(n % 7)) for n in range(count)])
        parts = []
        for piece in self.pieces(count):
            bodies = [self.value(kind) for _ in range(piece)]
            if self.is_odd():
                parts += [self.number(1 << 3 | (5 if kind == 2 else 0)) + body for body in bodies]
            else:
                parts.append(self.field(1, b"".join(bodies)))
        return self.around(parts)

    def value(self, kind: int) -> bytes:
        if kind == 2:
            return struct.pack("<f", self.chance.choice((0.0, 0.5, -1e9, float("nan"))))
        return self.number(self.chance.choice((0, 1, 127, 128, -1, 2**63 - 1, -(2**63))))

    def pieces(self, count: int) -> list[int]:
        if not self.is_odd():
            return [count]
        first = self.chance.randint(0, count)
        return [first, count - first]

    def feature(self) -> bytes:
        outside, self.odd = self.odd, self.odd_inside
        try:
            return self.lists()
        finally:
            self.odd = outside

    def lists(self) -> bytes:
        """What is in a feature: one list, unless it is odd."""
        kinds = [self.chance.randint(1, 3)]
        while self.is_odd():
            kinds.append(self.chance.choice((kinds[0], *range(1, 4))))
        if self.is_odd():
            kinds = []
        return self.around([self.field(kind, self.values(kind)) for kind in kinds])

    def entry(self) -> bytes:
        key = self.chance.choice(KEYS) if not self.is_odd() else self.chance.randbytes(2)
        parts = [self.field(1, key), self.field(2, self.feature())]
        if self.is_odd():
            parts.pop(self.chance.randint(0, 1))
        if self.is_odd():
            parts.append(self.field(2, self.feature()))
        return self.around(parts)

    def features(self) -> bytes:
        return self.around([self.field(1, self.entry()) for _ in range(self.chance.choice((0, 1, 2, 3)))])

    def example(self) -> bytes:
        parts = [self.field(1, self.features())]
        while self.is_odd():
            parts.append(self.field(1, self.features()))
        return self.around(parts)

    def sequence(self) -> bytes:
        """A SequenceExample; one without a context too."""
        lists = []
        for _ in range(self.chance.randint(0, 2)):
            frames = self.around([self.field(1, self.feature()) for _ in range(self.chance.randint(0, 3))])
            lists.append(self.field(1, self.around([self.field(1, b"frames"), self.field(2, frames)])))
        context = [self.field(1, self.features())] if self.chance.random() < 0.6 else []
        return self.around([*context, self.field(2, self.around(lists))])

    def tensor(self) -> bytes:
        """What tf.io.serialize_tensor gives."""
        sizes = [self.field(2, b"\x08" + varint(self.chance.randint(0, 300))) for _ in range(2)]
        shape = self.field(2, b"".join(sizes[: self.chance.randint(0, 2)]))
        content = self.field(self.chance.choice((4, 7, 8)), self.chance.randbytes(self.chance.randint(0, 9)))
        return b"\x08" + varint(self.chance.randint(1, 23)) + shape + content


def payloads(seed: int, count: int) -> Iterator[bytes]:
    """So many payloads, the same ones for one seed; the first of more seeds are others."""
    chance = random.Random(seed)
    for _ in range(count):
        writer = Writer(chance, *chance.choice(((0, 0), (0, 0.1), (0, 0.3), (0.05, 0.05), (0.2, 0.2))))
        make = chance.choice((*[writer.example] * 12, writer.sequence, writer.tensor))
        payload = make()
        if chance.random() < 0.15:
            payload = changed(chance, payload)
        yield payload


def changed(chance: random.Random, payload: bytes) -> bytes:
    """A payload with some bytes changed, put in or left out."""
    data = bytearray(payload)
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(data))
        data[at : at + chance.randint(0, 1)] = chance.randbytes(chance.randint(0, 2))
    return bytes(data)


# --- the witnesses ---

# A feature as a witness reads it: kind and values; None where it reads nothing.
Reading = tuple[str, list[Any]] | None
REFUSED, ANOTHER = "refused", "another kind"


class Witnesses:
    """google.protobuf, and tf.io's parsers: one record or a batch; sparse, ragged or dense features."""

    def __init__(self) -> None:
        import tensorflow

        self.tf = tensorflow
        self.types = dict(zip(KINDS, (tensorflow.string, tensorflow.float32, tensorflow.int64), strict=True))

    def protobuf(self, payload: bytes) -> dict[str, Reading] | None:
        """The features by protobuf; None when it refuses the payload."""
        try:
            example = self.tf.train.Example.FromString(payload)
        except Exception:  # DecodeError, of whichever implementation
            return None
        found: dict[str, Reading] = {}
        for key, feature in example.features.feature.items():
            which = feature.WhichOneof("kind")
            values = list(getattr(feature, which).value) if which else []
            found[key] = (which.removesuffix("_list"), values) if which else None
        return found

    def refuses(self, payload: bytes) -> bool:
        """Whether TensorFlow refuses the record, whatever it is asked for."""
        return any(self.read(payload, b"no such key", "int64", n) == REFUSED for n in range(2))

    def tensorflow(self, payload: bytes, key: str, wanted: Iterable[str]) -> list[Reading | str]:
        """A feature by each of TensorFlow's ways of reading it; ANOTHER if it is not of the wanted kind."""
        name = key.encode()
        found = {kind: self.read(payload, name, kind, 0) for kind in KINDS}
        kinds = [kind for kind in KINDS if found[kind] != ANOTHER]
        ways = [self.read(payload, name, kind, way) for kind in kinds for way in range(6)]
        return [*ways, *(found[kind] for kind in wanted if found[kind] == ANOTHER)]

    def read(self, payload: bytes, key: bytes, kind: str, way: int) -> Reading | str:
        """Kind and values, None for nothing, REFUSED, or ANOTHER."""
        batched, form = bool(way % 2), ("sparse", "ragged", "dense")[way // 2]
        tf, dtype = self.tf, self.types[kind]
        default = [tf.constant("" if kind == "bytes" else 0, dtype)]
        try:
            given = tf.raw_ops.ParseExampleV2(
                serialized=tf.constant([payload] if batched else payload),
                names=tf.constant([], tf.string),
                sparse_keys=tf.constant([key] if form == "sparse" else [], tf.string),
                dense_keys=tf.constant([key] if form == "dense" else [], tf.string),
                ragged_keys=tf.constant([key] if form == "ragged" else [], tf.string),
                dense_defaults=default if form == "dense" else [],
                num_sparse=int(form == "sparse"),
                sparse_types=[dtype] if form == "sparse" else [],
                ragged_value_types=[dtype] if form == "ragged" else [],
                ragged_split_types=[tf.int64] if form == "ragged" else [],
                dense_shapes=[[None]] if form == "dense" else [],
            )
        except (tf.errors.InvalidArgumentError, UnicodeDecodeError) as error:
            text = error.object if isinstance(error, UnicodeDecodeError) else str(error).encode()
            return ANOTHER if b"Data types don't match" in text else REFUSED
        values = {"sparse": given[1], "dense": given[3], "ragged": given[4]}[form][0]
        flat = values.numpy().ravel().tolist()
        return (kind, flat) if flat else None


def disagreements(made: Iterable[bytes]) -> list[tuple[bytes, str]]:
    """(payload, what is wrong) for each of which our verdict is not that of the witnesses."""
    witnesses = Witnesses()
    return [(payload, wrong) for payload in made if (wrong := _disagreement(witnesses, payload))]


def _disagreement(witnesses: Witnesses, payload: bytes) -> str:
    """What is wrong with our verdict; empty when nothing is."""
    expected = witnesses.protobuf(payload)
    try:
        parsed = parse_record(payload)
    except NotAnExample as error:
        return f"refused: {error}" if expected else ""  # none that holds nothing need be an Example
    if expected is None:
        return "protobuf refuses it"
    told = [*deviations(payload, parsed.features)]
    is_refused = witnesses.refuses(payload)
    if is_refused != any(deviation.refused and deviation.key is None for deviation in told):
        return f"TensorFlow {'refuses' if is_refused else 'takes'} it: {told}"
    if is_refused:
        return ""
    # An entry with fields that nobody knows is set aside by some implementations of protobuf.
    mine = _readings(parsed)
    keys = {*expected, *(key for key, reading in mine.items() if reading and reading[1])}
    keys -= {deviation.key for deviation in told}
    if not _equal({key: mine.get(key) for key in keys}, {key: expected.get(key) for key in keys}):
        return f"protobuf reads {expected}"
    keys = (key for key in expected if "\0" not in key)  # at which the texts of TensorFlow's errors end
    return next(filter(None, (_of_key(witnesses, payload, parsed, told, key) for key in keys)), "")


def _of_key(
    witnesses: Witnesses, payload: bytes, parsed: ParsedRecord, deviations: list[Deviation], key: str
) -> str:
    mine = _readings(parsed)[key]
    ways = witnesses.tensorflow(payload, key, mine[:1] if mine else ())
    mine = mine if mine and mine[1] else None
    told = [deviation.refused for deviation in deviations if deviation.key == key]
    if all(way in (REFUSED, ANOTHER) for way in ways):
        expected = [True]
    elif all(_equal(way, mine) for way in ways):
        expected = []
    else:
        expected = [False]
    return "" if told == expected else f"{key!r}: TensorFlow reads {ways}, told was {deviations}"


def _readings(parsed: ParsedRecord) -> dict[str, Reading]:
    found = parsed.features.items()
    return {key: (feature.kind, [*feature.values]) if feature.kind else None for key, feature in found}


def _equal(first: Any, second: Any) -> bool:
    """NaN is not equal to itself, and features have no order."""
    if isinstance(first, dict):
        first, second = sorted(first.items()), sorted(second.items())
    return repr(first) == repr(second)
