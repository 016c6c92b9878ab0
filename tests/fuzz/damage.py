"""Ways in which bytes are spoilt: each takes bytes and a random source, and gives other bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

Spoil = Callable[[bytes, random.Random], bytes]


def _place(data: bytes, random_: random.Random) -> int:
    """Anywhere; every other time at one of the ends, where structure is."""
    size = max(1, len(data))
    if random_.random() < 0.25:
        return random_.randrange(min(size, 32))
    if random_.random() < 0.15:
        return size - 1 - random_.randrange(min(size, 32))
    return random_.randrange(size)


def flip_bit(data: bytes, random_: random.Random) -> bytes:
    at = _place(data, random_)
    return data[:at] + bytes([data[at] ^ 1 << random_.randrange(8)]) + data[at + 1 :] if data else b"\1"


def set_byte(data: bytes, random_: random.Random) -> bytes:
    at = _place(data, random_)
    return (
        data[:at] + bytes([random_.choice([0, 1, 0x7F, 0x80, 0xFF, random_.randrange(256)])]) + data[at + 1 :]
    )


def spoil_some(data: bytes, random_: random.Random) -> bytes:
    at, size = _place(data, random_), random_.randint(2, 32)
    return data[:at] + random_.randbytes(min(size, len(data) - at)) + data[at + size :]


def zero_some(data: bytes, random_: random.Random) -> bytes:
    at, size = _place(data, random_), random_.choice([4, 16, 64, 512, 4096])
    size = min(size, len(data) - at)
    return data[:at] + bytes(size) + data[at + size :]


def delete_some(data: bytes, random_: random.Random) -> bytes:
    at = _place(data, random_)
    return data[:at] + data[at + random_.choice([1, 2, 4, 12, 64, 500]) :]


def insert_some(data: bytes, random_: random.Random) -> bytes:
    at = _place(data, random_)
    return data[:at] + random_.randbytes(random_.choice([1, 2, 4, 12, 64])) + data[at:]


def double_some(data: bytes, random_: random.Random) -> bytes:
    first, last = sorted((_place(data, random_), _place(data, random_)))
    return data[:last] + data[first:last] + data[last:]


def swap_blocks(data: bytes, random_: random.Random) -> bytes:
    size = random_.choice([1, 4, 16, 64, 512])
    first, second = sorted((_place(data, random_), _place(data, random_)))
    if second < first + size:
        return data
    head, tail = data[:first], data[second + size :]
    return (
        head + data[second : second + size] + data[first + size : second] + data[first : first + size] + tail
    )


def truncate(data: bytes, random_: random.Random) -> bytes:
    return data[: _place(data, random_)]


def extend(data: bytes, random_: random.Random) -> bytes:
    return data + random_.choice(
        [bytes(random_.randint(1, 600)), random_.randbytes(random_.randint(1, 60)), b"\n"]
    )


def zero_tail(data: bytes, random_: random.Random) -> bytes:
    at = _place(data, random_)
    return data[:at] + bytes(len(data) - at)


def as_text(data: bytes, random_: random.Random) -> bytes:
    """As a copy in text mode does."""
    changes = [(b"\n", b"\r\n"), (b"\r\n", b"\n"), (b"\r", b""), (b"\0", b""), (b"\xff", b"\xef\xbf\xbd")]
    return data.replace(*random_.choice(changes))


def empty(data: bytes, random_: random.Random) -> bytes:
    return b""


BYTES: Mapping[str, Spoil] = {
    "bit": flip_bit,
    "byte": set_byte,
    "some bytes": spoil_some,
    "zeros": zero_some,
    "deleted": delete_some,
    "inserted": insert_some,
    "doubled": double_some,
    "swapped": swap_blocks,
    "cut": truncate,
    "longer": extend,
    "zero tail": zero_tail,
    "as text": as_text,
    "emptied": empty,
}
