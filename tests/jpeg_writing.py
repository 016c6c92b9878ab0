"""A small JPEG encoder for any sampling factors and scan scripts, which no library at hand writes.

Its Huffman codes are of 5 bits for DC and 8 or 9 for AC, whatever is coded: long, but right for all.
Section numbers are those of ITU-T T.81.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from PIL import Image

STEP = 5  # of quantisation, for all coefficients
ZIGZAG = sorted(range(64), key=lambda n: (n // 8 + n % 8, n // 8 if (n // 8 + n % 8) % 2 else n % 8))
_ANGLES = (2 * np.arange(8) + 1) * np.arange(8)[:, None] * np.pi / 16
DCT = np.cos(_ANGLES) * np.where(np.arange(8)[:, None], 0.5, 8**-0.5)


class Pass(NamedTuple):
    """One scan: numbers of its components, first and last coefficient, Ah and Al (B.2.3)."""

    components: tuple[int, ...]
    first: int = 0
    last: int = 63
    high: int = 0
    low: int = 0


SEQUENTIAL = (Pass((0, 1, 2)),)
ONE_BY_ONE = (Pass((0,)), Pass((1,)), Pass((2,)))
PROGRESSIVE = (
    Pass((0, 1, 2), 0, 0, 0, 1),
    Pass((0,), 1, 5, 0, 2),
    Pass((2,), 1, 63, 0, 1),
    Pass((1,), 1, 63, 0, 1),
    Pass((0,), 6, 63, 0, 2),
    Pass((0,), 1, 63, 2, 1),
    Pass((0, 1, 2), 0, 0, 1, 0),
    Pass((2,), 1, 63, 1, 0),
    Pass((1,), 1, 63, 1, 0),
    Pass((0,), 1, 63, 1, 0),
)


def write_jpeg(
    picture: Image.Image,
    factors: Sequence[tuple[int, int]],
    passes: Sequence[Pass] = SEQUENTIAL,
    restarts: int = 0,
) -> bytes:
    """A YCbCr JPEG; `restarts` is the restart interval in groups of blocks."""
    process = 0xC2 if any(one.last < 63 for one in passes) else 0xC0
    frame = struct.pack(">BHHB", 8, picture.height, picture.width, 3)
    frame += b"".join(bytes([1 + n, h << 4 | v, 0]) for n, (h, v) in enumerate(factors))
    dc_table = b"\0" + bytes([0, 0, 0, 0, 16]) + bytes(11) + bytes(range(16))
    ac_table = b"\x10" + bytes(7) + bytes([254, 2]) + bytes(7) + bytes(range(256))
    parts = [b"\xff\xd8", _segment(0xDB, b"\0" + bytes([STEP]) * 64), _segment(process, frame)]
    parts += [_segment(0xC4, dc_table + ac_table), _segment(0xDD, struct.pack(">H", restarts))]
    coefficients = planes(picture, factors)
    for one in passes:
        header = bytes([len(one.components)]) + b"".join(bytes([1 + n, 0]) for n in one.components)
        parts.append(_segment(0xDA, header + bytes([one.first, one.last, one.high << 4 | one.low])))
        groups = list(_groups(one, factors, picture.size))
        step = restarts or len(groups)
        for number, at in enumerate(range(0, len(groups), step)):
            parts.append(bytes([0xFF, 0xD0 + (number - 1) % 8]) if number else b"")
            blocks = [(n, coefficients[n][place]) for group in groups[at : at + step] for n, place in group]
            parts.append(_Coder(one, process).code(blocks))
    return b"".join(parts) + b"\xff\xd9"


def layout(
    factors: Sequence[tuple[int, int]], passes: Sequence[Pass], size: tuple[int, int]
) -> list[list[int]]:
    """The component of every block, scan by scan: all that data can tell of sampling factors."""
    return [[n for group in _groups(one, factors, size) for n, _ in group] for one in passes]


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _up(number: int, divisor: int) -> int:
    return -(-number // divisor)


def planes(picture: Image.Image, factors: Sequence[tuple[int, int]]) -> list[np.ndarray]:
    """Quantised coefficients of each component, [rows, columns, 64] in zigzag order."""
    widest, highest = max(h for h, _ in factors), max(v for _, v in factors)
    across, down = _up(picture.width, 8 * widest), _up(picture.height, 8 * highest)
    made = []
    for band, (h, v) in zip(picture.convert("YCbCr").split(), factors, strict=True):
        size = _up(picture.width * h, widest), _up(picture.height * v, highest)
        samples = np.asarray(band.resize(size, Image.Resampling.BOX)).astype(float) - 128
        rows, columns = down * v, across * h
        missing = ((0, rows * 8 - size[1]), (0, columns * 8 - size[0]))
        blocks = np.pad(samples, missing, "edge").reshape(rows, 8, columns, 8).transpose(0, 2, 1, 3)
        quantised = np.rint(DCT @ blocks @ DCT.T / STEP).astype(int)
        made.append(quantised.reshape(rows, columns, 64)[:, :, ZIGZAG])
    return made


def _groups(
    one: Pass, factors: Sequence[tuple[int, int]], size: tuple[int, int]
) -> Iterator[list[tuple[int, tuple[int, int]]]]:
    """Component and place of the blocks of each group of a scan (A.2)."""
    widest, highest = max(h for h, _ in factors), max(v for _, v in factors)
    width, height = size
    if len(one.components) == 1:
        (n,) = one.components
        columns = _up(_up(width * factors[n][0], widest), 8)
        rows = _up(_up(height * factors[n][1], highest), 8)
        yield from ([(n, place)] for place in product(range(rows), range(columns)))
        return
    for row, column in product(range(_up(height, 8 * highest)), range(_up(width, 8 * widest))):
        yield [
            (n, (row * factors[n][1] + y, column * factors[n][0] + x))
            for n in one.components
            for y, x in product(range(factors[n][1]), range(factors[n][0]))
        ]


class _Coder:
    """The bits of one restart interval."""

    def __init__(self, one: Pass, process: int) -> None:
        self._pass = one
        self._is_progressive = process == 0xC2
        self._bits: list[str] = []
        self._ended = 0  # blocks that have no more coefficients
        self._corrections = ""  # of those

    def code(self, blocks: list[tuple[int, np.ndarray]]) -> bytes:
        first, last, high, low = self._pass[1:]
        before = dict.fromkeys(self._pass.components, 0)
        for n, block in blocks:
            values = [int(value) for value in block]
            if first == 0 and high:
                self._bits.append(str(values[0] >> low & 1))
            elif first == 0:
                value = values[0] >> low
                self._dc(value - before[n])
                before[n] = value
            if last:
                band = [abs(value) >> low for value in values[max(first, 1) : last + 1]]
                signs = [value > 0 for value in values[max(first, 1) : last + 1]]
                (self._refine if high else self._ac)(band, signs)
        self._end()
        bits = "".join(self._bits)
        bits += "1" * (-len(bits) % 8)
        return int(bits or "0", 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")

    def _symbol(self, symbol: int) -> None:
        self._bits.append(f"{symbol:08b}" if symbol < 254 else f"{symbol + 254:09b}")

    def _number(self, absolute: int, is_positive: bool) -> None:
        size = absolute.bit_length()
        if size:
            self._bits.append(f"{absolute if is_positive else (1 << size) - 1 - absolute:0{size}b}")

    def _dc(self, difference: int) -> None:
        self._bits.append(f"{abs(difference).bit_length():05b}")
        self._number(abs(difference), difference > 0)

    def _ac(self, band: list[int], signs: list[bool]) -> None:
        run = 0
        for absolute, is_positive in zip(band, signs, strict=True):
            if not absolute:
                run += 1
                continue
            self._end()
            while run > 15:
                self._symbol(0xF0)
                run -= 16
            self._symbol(run << 4 | absolute.bit_length())
            self._number(absolute, is_positive)
            run = 0
        if run:
            self._ended += 1
            if not self._is_progressive:
                self._end()

    def _refine(self, band: list[int], signs: list[bool]) -> None:
        """A refinement of AC (G.1.2.3), as figure G.7 has it."""
        newest = max((n for n, absolute in enumerate(band) if absolute == 1), default=-1)
        run, corrections = 0, ""
        for n, (absolute, is_positive) in enumerate(zip(band, signs, strict=True)):
            if not absolute:
                run += 1
                continue
            while run > 15 and n <= newest:
                self._end()
                self._symbol(0xF0)
                self._bits.append(corrections)
                run, corrections = run - 16, ""
            if absolute > 1:
                corrections += str(absolute & 1)
                continue
            self._end()
            self._symbol(run << 4 | 1)
            self._bits.append(f"{is_positive:d}{corrections}")
            run, corrections = 0, ""
        if run or corrections:
            self._ended += 1
            self._corrections += corrections

    def _end(self) -> None:
        """Writes how many blocks have ended (EOBRUN), and the corrections that were in them."""
        if self._ended:
            assert self._ended < 1 << 15, "too large a picture for this encoder"
            self._symbol(self._ended.bit_length() - 1 << 4)
            self._bits.append(f"{self._ended:b}"[1:])
            self._ended = 0
        self._bits.append(self._corrections)
        self._corrections = ""
