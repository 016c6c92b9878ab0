"""Huffman-coded blocks of a JPEG, counted bit by bit but not decoded.

A pass is called for the blocks of one restart interval: ``bits`` is its data without stuffing and with
`PADDING` zero bytes after it, and what is returned is the number of bits that were used. Section numbers are
those of ITU-T T.81.
"""

from __future__ import annotations

import functools
from array import array
from dataclasses import dataclass
from typing import Final, NamedTuple, NoReturn

from tfrecordcli.images.jpeg_segments import corrupt

# Bytes: more than any block takes, of 64 codes of 16 bits with 15 bits after each.
PADDING: Final = 256

_END_OF_BLOCK: Final = 1 << 10  # added to the index of a coefficient
_LENGTH, _SYMBOL = 31, 8  # in entries of `HuffmanTable.symbols`: mask of the length, shift of the symbol


@dataclass(frozen=True, slots=True)
class HuffmanTable:
    """What each 16 bits begin with; 0 where they begin with no code.

    Attributes:
      symbols: ``symbol << 8 | length`` of the code.
      steps: of sequential coding of AC, ``step << 5 | bits``: the bits of the code and of the number after
        it, and by how many coefficients that goes on.
    """

    symbols: array[int]
    steps: array[int]


NO_TABLE: Final = HuffmanTable(array("H", bytes(1 << 17)), array("H", bytes(1 << 17)))


class Block(NamedTuple):
    """One block of a group: its component, the largest DC that it can have, and its tables."""

    component: int
    most_dc: int
    dc: HuffmanTable
    ac: HuffmanTable


@functools.lru_cache(maxsize=16)
def read_tables(body: bytes) -> dict[int, HuffmanTable]:
    """The tables of a DHT segment that `huffman_tables` found right, by its numbers."""
    tables = {}
    at = 0
    while at < len(body):
        counts = body[at + 1 : at + 17]
        values = body[at + 17 : at + 17 + sum(counts)]
        tables[body[at]] = _table(counts, values)
        at += 17 + len(values)
    return tables


def _table(counts: bytes, values: bytes) -> HuffmanTable:
    symbols, steps = array("H", bytes(1 << 17)), array("H", bytes(1 << 17))
    code = number = 0  # of 16 bits
    for length, count in enumerate(counts, start=1):
        for symbol in values[number : number + count]:
            width = 1 << 16 - length
            window = slice(code, code := code + width)
            run, size = symbol >> 4, symbol & 15
            symbols[window] = array("H", [symbol << _SYMBOL | length]) * width
            step = run + 1 if size or run == 15 else _END_OF_BLOCK
            steps[window] = array("H", [step << 5 | length + size]) * width
        number += count
    return HuffmanTable(symbols, steps)


def _window(bits: bytearray, at: int) -> int:
    """The 16 bits from a position on."""
    byte = at >> 3
    return (bits[byte] << 16 | bits[byte + 1] << 8 | bits[byte + 2]) >> (8 - (at & 7)) & 0xFFFF


def pass_sequential(bits: bytearray, blocks: list[Block], count: int) -> int:
    """Goes over ``count`` groups of blocks.

    Raises:
      Rejected: corrupt.
    """
    at, end = 0, 8 * (len(bits) - PADDING)
    before = dict.fromkeys((block.component for block in blocks), 0)
    for _ in range(count):
        for component, most_dc, dc, ac in blocks:
            difference, at = _dc_difference(bits, at, dc)
            before[component] += difference
            index = step = 1
            while step and index < 64:
                byte = at >> 3  # `_window`, without the call
                three = bits[byte] << 16 | bits[byte + 1] << 8 | bits[byte + 2]
                step = ac.steps[three >> (8 - (at & 7)) & 0xFFFF]
                index += step >> 5
                at += step & 31
            if not step or 64 < index < _END_OF_BLOCK or at > end or abs(before[component]) > most_dc:
                damaged()
    return at


def pass_dc(bits: bytearray, blocks: list[Block], count: int) -> int:
    """Goes over the first pass over DC of ``count`` groups of blocks (G.1.2.1).

    Raises:
      Rejected: corrupt.
    """
    at, end = 0, 8 * (len(bits) - PADDING)
    before = dict.fromkeys((block.component for block in blocks), 0)
    for _ in range(count):
        for component, most_dc, dc, _ in blocks:
            difference, at = _dc_difference(bits, at, dc)
            before[component] += difference
            if at > end or abs(before[component]) > most_dc:
                damaged()
    return at


def _dc_difference(bits: bytearray, at: int, table: HuffmanTable) -> tuple[int, int]:
    """By how much DC differs from that of the block before (F.2.2.1), and the position after that."""
    entry = table.symbols[_window(bits, at)]
    at += entry & _LENGTH
    size = entry >> _SYMBOL
    if not size:
        return (0, at) if entry else damaged()
    number = _window(bits, at) >> 16 - size
    return number - (0 if number >> size - 1 else (1 << size) - 1), at + size


def pass_ac(bits: bytearray, table: HuffmanTable, band: tuple[int, int], masks: memoryview) -> int:
    """Goes over a first pass over AC (G.1.2.2).

    Args:
      band: first and last coefficient.
      masks: of each block, a bit for each coefficient that is not zero; the pass sets them.

    Raises:
      Rejected: corrupt.
    """
    first, last = band
    at = block = 0
    symbols, end = table.symbols, 8 * (len(bits) - PADDING)
    while block < len(masks):
        mask, index, skipped = masks[block], first, 0
        while index <= last:
            entry = symbols[_window(bits, at)]
            run, size = entry >> 12, entry >> _SYMBOL & 15
            at += (entry & _LENGTH) + size
            index += run + 1
            if size and index <= last + 1:
                mask |= 1 << index - 1
            elif size or not entry:
                damaged()
            elif run < 15:  # the end of this block, and of more of them
                skipped, at = _end_run(bits, at, run)
                break
        masks[block] = mask
        block += 1 + skipped
        if at > end:
            damaged()
    if block > len(masks):
        damaged()
    return at


def refine_ac(bits: bytearray, table: HuffmanTable, band: tuple[int, int], masks: memoryview) -> int:
    """Goes over a refinement of AC: a bit for each coefficient that is not zero yet, and new ones (G.1.2.3).

    Args and raises as `pass_ac`.
    """
    first, last = band
    at = ended = 0
    end = 8 * (len(bits) - PADDING)
    for block, mask in enumerate(masks):
        index = first
        while not ended and index <= last:
            entry = table.symbols[_window(bits, at)]
            run, size = entry >> 12, entry >> _SYMBOL & 15
            at += (entry & _LENGTH) + size
            if not entry or size > 1:
                damaged()
            if not size and run < 15:
                ended, at = _end_run(bits, at, run)
                ended += 1
                break
            while index <= last and (run or mask >> index & 1):
                is_set = mask >> index & 1
                at += is_set
                run -= not is_set
                index += 1
            if size and index > last:
                damaged()
            mask |= size << index
            index += 1
        if ended:
            at += (mask >> index << index & (2 << last) - 1).bit_count()
            ended -= 1
        masks[block] = mask
        if at > end:
            damaged()
    if ended:
        damaged()
    return at


def _end_run(bits: bytearray, at: int, size: int) -> tuple[int, int]:
    """How many blocks after this one have no more coefficients, and the position after that (G.1.2.2)."""
    return (1 << size) - 1 + (_window(bits, at) >> 16 - size), at + size


def damaged() -> NoReturn:
    """Raises the `Rejected` for any fault of picture data."""
    corrupt("errors in the picture data")
