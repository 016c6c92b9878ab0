"""Damages JPEGs as disks, networks and programs do, and tells whether a decoder would show it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import simplejpeg
from numpy.typing import NDArray

_SOS, _DHT = 0xDA, 0xC4
_EOI: Final = b"\xff\xd9"
_NEXT_MARKER: Final = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
# A picture is harmed when it differs by so much on average, or one of its 8 x 8 blocks does.
_HARMFUL_MEAN, _HARMFUL_BLOCK = 0.5, 32

# Takes a file, where its picture data begin, another file to take bytes of, and chance.
Damage = Callable[[bytes, int, bytes, random.Random], bytes]


def one_bit(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    at = _place(data, start, chance)
    return _replaced(data, at, bytes([data[at] ^ 1 << chance.randrange(8)]))


def one_byte(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    at = _place(data, start, chance)
    return _replaced(data, at, bytes([(data[at] + chance.randint(1, 255)) % 256]))


def some_zeroed(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    return _replaced(data, _place(data, start, chance), bytes(chance.randint(2, 64)))


def dropped(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    at = _place(data, start, chance)
    return data[:at] + data[min(at + chance.randint(1, 64), len(data) - 2) :]


def inserted(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    at = _place(data, start, chance)
    return data[:at] + chance.randbytes(chance.randint(1, 64)) + data[at:]


def page_zeroed(size: int) -> Damage:
    def damage(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
        return _replaced(data, max(start, _place(data, start, chance) // size * size), bytes(size))

    return damage


def page_of_another(size: int) -> Damage:
    def damage(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
        at = max(start, _place(data, start, chance) // size * size)
        source = chance.randrange(700, len(other) - size)
        return _replaced(data, at, other[source : source + size])

    return damage


def truncated(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    return data[: _place(data, start, chance)]


def truncated_and_ended(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    return data[: _place(data, start, chance)] + _EOI


def swapped(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    first, second = sorted(chance.sample(range(start // 512 + 1, len(data) // 512), 2))
    parts = data[: first * 512], data[first * 512 : first * 512 + 512]
    after = data[first * 512 + 512 : second * 512], data[second * 512 : second * 512 + 512]
    return parts[0] + after[1] + after[0] + parts[1] + data[second * 512 + 512 :]


def cut_at_scan(data: bytes, start: int, other: bytes, chance: random.Random) -> bytes:
    """A progressive download that stopped, and a program that ended the file."""
    return data[: chance.choice(_scan_ends(data, start))] + _EOI


KINDS: Mapping[str, Damage] = {
    "one bit": one_bit,
    "one byte": one_byte,
    "2 to 64 bytes zeroed": some_zeroed,
    "1 to 64 bytes dropped": dropped,
    "1 to 64 bytes inserted": inserted,
    "512 bytes zeroed": page_zeroed(512),
    "512 bytes of another file": page_of_another(512),
    "4 KiB zeroed": page_zeroed(4096),
    "4 KiB of another file": page_of_another(4096),
    "truncated": truncated,
    "truncated, ended with EOI": truncated_and_ended,
    "two blocks of 512 bytes swapped": swapped,
}
OF_PROGRESSIVE: Mapping[str, Damage] = {**KINDS, "cut between scans, ended with EOI": cut_at_scan}


def picture_data(data: bytes) -> int:
    """Where the data of the first scan begin."""
    at = 2
    while True:
        marker, at = data[at + 1], at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _SOS:
            return at


def _scan_ends(data: bytes, start: int) -> list[int]:
    """Where the data of each scan but the last end."""
    ends, at = [], start
    while (found := _NEXT_MARKER.search(data, at)) and data[found.start() + 1] in (_SOS, _DHT):
        at = found.start()
        ends.append(at)
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return ends


def _place(data: bytes, start: int, chance: random.Random) -> int:
    """Anywhere in what follows the first scan's header, but EOI."""
    return chance.randrange(start, len(data) - 2)


def _replaced(data: bytes, at: int, new: bytes) -> bytes:
    """`new` over what is there, up to EOI."""
    new = new[: len(data) - 2 - at]
    return data[:at] + new + data[at + len(new) :]


def pixels(data: bytes) -> NDArray[np.uint8] | None:
    """What libjpeg shows when it forgives all that it can, as TensorFlow does; None when it gives up."""
    try:
        shown: NDArray[np.uint8] = simplejpeg.decode_jpeg(data, "RGB", strict=False)
    except ValueError:
        return None
    return shown


def is_harmed(right: NDArray[np.uint8], shown: NDArray[np.uint8] | None) -> bool:
    """Whether a person or a model would see another picture."""
    if shown is None or shown.shape != right.shape:
        return True
    difference: NDArray[Any] = np.abs(right.astype(np.int16) - shown)
    if difference.mean() > _HARMFUL_MEAN:
        return True
    height, width = (side // 8 * 8 for side in difference.shape[:2])
    blocks = difference[:height, :width].reshape(height // 8, 8, width // 8, 8, 3)
    return bool(blocks.mean(axis=(1, 3, 4)).max(initial=0) > _HARMFUL_BLOCK)
