"""Records that are nearly a tf.train.Example, or one written as nobody writes it."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from fuzz.damage import BYTES

_INTS = (0, 1, -1, 5, 300, 1 << 40, (1 << 63) - 1, -(1 << 63))
_FLOATS = (0.0, -1.5, 1e30, float("inf"), float("nan"))
_TEXTS = (b"", b"cat", "dög".encode(), b"\xff\xfe", b"x" * 300)

Features = Mapping[str, Sequence[Any]]


def _values(random_: random.Random) -> list[Any]:
    pool = random_.choice([_INTS, _FLOATS, _TEXTS])
    return [random_.choice(pool) for _ in range(random_.choice([0, 1, 1, 1, 2, 5]))]


def quirky(features: Features, random_: random.Random) -> bytes:
    """An Example of these features in which some things are written in odd ways, or wrong."""
    data = _Writer(random_, random_.choice([0.0, 0.03, 0.1, 0.3])).example(features)
    if random_.random() < 0.2:
        data = BYTES[random_.choice(list(BYTES))](data, random_)
    return data


def tensor(random_: random.Random) -> bytes:
    """As `tf.io.serialize_tensor` gives: a TensorProto."""
    sizes = [random_.randrange(1, 9) for _ in range(random_.randrange(3))]
    shape = b"".join(_field(2, _number(1, size)) for size in sizes)
    return _number(1, random_.choice([1, 3, 4, 9])) + _field(2, shape) + _field(4, random_.randbytes(8))


def varint(value: int, length: int = 1) -> bytes:
    """Base 128, of at least ``length`` bytes: longer ones are legal, up to ten."""
    value &= (1 << 64) - 1
    parts = []
    while value > 0x7F or len(parts) < length - 1:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


class _Writer:
    """Writes messages; each oddity comes with a probability."""

    def __init__(self, random_: random.Random, oddity: float) -> None:
        self._random = random_
        self._oddity = oddity

    def _odd(self) -> bool:
        return self._random.random() < self._oddity

    def _message(self, fields: list[bytes]) -> bytes:
        """Fields in a row, sometimes in another order, with one that nobody knows."""
        if self._odd():
            fields.insert(self._random.randrange(len(fields) + 1), self._unknown())
        if self._odd():
            self._random.shuffle(fields)
        return b"".join(fields)

    def _unknown(self) -> bytes:
        number = self._random.choice([2, 3, 4, 15, 99, (1 << 29) - 1, 0])
        group = varint(number << 3 | 3) + _number(1, 5) + varint(number << 3 | 4)
        return self._random.choice(
            [
                _number(number, 7),
                varint(number << 3 | 1) + bytes(8),
                _field(number, b"abc"),
                _field(number, b""),
                group,
                varint(number << 3 | 5) + bytes(4),
                varint(number << 3 | 3),
                varint(number << 3 | 6),
            ]
        )

    def example(self, features: Features) -> bytes:
        entries = [self._entry(key, values) for key, values in features.items()]
        if entries and self._odd():
            key = self._random.choice(list(features))
            entries.append(self._entry(key, _values(self._random)))
        if self._odd():  # in two parts, which are merged
            return self._message(
                [_field(1, self._message(entries[:1])), _field(1, self._message(entries[1:]))]
            )
        fields = [_field(1, self._message(entries))]
        if self._odd():  # a SequenceExample
            fields.append(_field(2, _field(1, _field(1, b"list") + _field(2, _field(1, b"")))))
        return self._message(fields)

    def _entry(self, key: str, values: Sequence[Any]) -> bytes:
        fields = [_field(1, key.encode()), _field(2, self._feature(values))]
        if self._odd():
            fields.append(_field(2, self._feature(self._random.choice([values, _values(self._random)]))))
        if self._odd():
            fields.insert(0, _field(1, b"another key"))
        if self._odd():
            del fields[self._random.randrange(len(fields))]
        return _field(1, self._message(fields))

    def _feature(self, values: Sequence[Any]) -> bytes:
        if self._odd():  # nothing is set
            return b""
        kind = {bytes: 1, float: 2, int: 3}[type(values[0])] if values else self._random.randint(1, 3)
        halves = [values[: len(values) // 2], values[len(values) // 2 :]] if self._odd() else [values]
        fields = [_field(kind, self._list(kind, part)) for part in halves]
        if self._odd():
            other = self._random.choice([1, 2, 3])
            fields.insert(self._random.randrange(2), _field(other, self._list(other, [])))
        return self._message(fields)

    def _list(self, kind: int, values: Sequence[Any]) -> bytes:
        if kind == 1:
            return self._message([_field(1, value) for value in values])
        texts = [self._scalar(value) for value in values]
        tag = varint(1 << 3 | (5 if kind == 2 else 0))
        if self._odd():
            return self._message([tag + text for text in texts])
        if self._odd():
            middle = len(texts) // 2
            return self._message(
                [_field(1, b"".join(texts[:middle])), *(tag + text for text in texts[middle:])]
            )
        return self._message([_field(1, b"".join(texts))] if texts or self._odd() else [])

    def _scalar(self, value: Any) -> bytes:
        if isinstance(value, float):
            return (
                struct.pack("<f", value)
                if abs(value) < 3e38 or value != value
                else struct.pack("<f", float("inf"))
            )
        return varint(value, self._random.randint(2, 10) if self._odd() else 1)
