"""JPEGs of any sampling factors, written coefficient by coefficient, which common encoders do not write."""

from __future__ import annotations

import functools
import io
import random
import struct
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image


class Segment(NamedTuple):
    """A segment of a sound JPEG; of a scan, with its data."""

    marker: int
    start: int
    end: int


def segments(data: bytes) -> list[Segment]:
    """Those of a sound JPEG, up to its EOI."""
    found, at = [], 2
    while data[at + 1] != 0xD9:
        marker, end = data[at + 1], at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            while data[end] != 0xFF or data[end + 1] == 0 or 0xD0 <= data[end + 1] <= 0xD7:
                end += 1
        found.append(Segment(marker, at, end))
        at = end
    return found


@functools.cache
def _standard_tables() -> bytes:
    """The DHT segments of ITU-T T.81 annex K.3, which libjpeg writes unless told to optimise."""
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "JPEG", optimize=False)
    data = file.getvalue()
    return b"".join(data[start:end] for marker, start, end in segments(data) if marker == 0xC4)


# symbol -> (code, bits)
Codes = dict[int, tuple[int, int]]


def _codes() -> dict[int, Codes]:
    """By table class and number, as in a DHT segment: 0x00, 0x01 are DC, 0x10, 0x11 AC."""
    found: dict[int, Codes] = {}
    data = _standard_tables()
    at = 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        start = at + 4
        while start < end:
            counts, symbols = data[start + 1 : start + 17], start + 17
            codes: Codes = {}
            code = 0
            for length, count in enumerate(counts, 1):
                for _ in range(count):
                    codes[data[symbols]] = (code, length)
                    code, symbols = code + 1, symbols + 1
                code <<= 1
            found[data[start]] = codes
            start = symbols
        at = end
    return found


class _Bits:
    def __init__(self) -> None:
        self._value = self._size = 0

    def add(self, value: int, size: int) -> None:
        self._value = self._value << size | value
        self._size += size

    def stuffed(self) -> bytes:
        """Filled up with ones, a zero byte after each 0xFF."""
        rest = -self._size % 8
        self.add((1 << rest) - 1, rest)
        return self._value.to_bytes(self._size // 8, "big").replace(b"\xff", b"\xff\0")


def _number(value: int) -> tuple[int, int]:
    """A coefficient as its category and the bits that follow."""
    size = abs(value).bit_length()
    return size, value if value >= 0 else value + (1 << size) - 1


def write_jpeg(width: int, height: int, sampling: Sequence[tuple[int, int]], seed: int = 0) -> bytes:
    """A baseline JPEG of one interleaved scan: random flat blocks with a little texture.

    Args:
      sampling: (horizontal, vertical) factors of each component.
    """
    random_, codes, bits = random.Random(seed), _codes(), _Bits()
    across, down = max(h for h, _ in sampling), max(v for _, v in sampling)
    blocks = [1] if len(sampling) == 1 else [h * v for h, v in sampling]
    if len(sampling) == 1:  # a scan of one component has its own blocks, whatever the factors
        across = down = 1
    before = [0] * len(sampling)
    for _ in range(-(-width // (8 * across)) * -(-height // (8 * down))):
        for number, count in enumerate(blocks):
            table = int(number in (1, 2))
            for _ in range(count):
                value = random_.randint(-400, 400) // (4 if table else 1)
                _add_block(bits, codes[table], codes[0x10 | table], value - before[number], random_)
                before[number] = value
    parts = [b"\xff\xd8\xff\xdb\0\x43\0" + bytes([2] * 64)]
    frame = b"".join(bytes([number + 1, h << 4 | v, 0]) for number, (h, v) in enumerate(sampling))
    parts.append(
        struct.pack(">2sHBHHB", b"\xff\xc0", 8 + len(frame), 8, height, width, len(sampling)) + frame
    )
    scan = b"".join(bytes([number + 1, 0x11 * (number in (1, 2))]) for number in range(len(sampling)))
    parts += [_standard_tables(), struct.pack(">2sHB", b"\xff\xda", 6 + len(scan), len(sampling)) + scan]
    return b"".join([*parts, b"\0\x3f\0", bits.stuffed(), b"\xff\xd9"])


def _add_block(bits: _Bits, dc: Codes, ac: Codes, difference: int, random_: random.Random) -> None:
    size, rest = _number(difference)
    bits.add(*dc[size])
    bits.add(rest, size)
    for _ in range(random_.randrange(4)):
        size, rest = _number(random_.choice([-9, -3, -1, 1, 2, 5]))
        bits.add(*ac[random_.randrange(3) << 4 | size])
        bits.add(rest, size)
    bits.add(*ac[0])
