"""The segments of a JPEG that decide whether it can be decoded, parsed from their bodies.

Every check here stands for a file that libjpeg refused. A body is the segment without its marker
and length. Section numbers are those of ITU-T T.81.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final, NoReturn

from tfrecordcli.reasons import Rejected

BASELINE: Final = 0xC0
PROGRESSIVE: Final = 0xC2
LOSSLESS: Final = 0xC3
# Baseline, extended sequential and progressive Huffman coding: all that TensorFlow decodes.
_KEPT: Final = frozenset({BASELINE, 0xC1, PROGRESSIVE})
# Lossless and arithmetic coding, which Pillow's libjpeg-turbo may know.
_MAYBE_KNOWN: Final = frozenset({LOSSLESS, 0xC9, 0xCA})

_MAX_SIDE: Final = 65500  # libjpeg's JPEG_MAX_DIMENSION, less than the 65535 of the format
_MAX_BLOCKS_IN_MCU: Final = 10  # B.2.3
_AC: Final = 0x10  # set in the number of an AC table (B.2.4.2)


@dataclass(frozen=True, slots=True)
class Component:
    """One colour component: sampling factors (1 to 4) and the number of its quantisation table."""

    horizontal: int
    vertical: int
    quantisation: int

    @property
    def blocks(self) -> int:
        """Blocks in each group of a scan of several components (A.2.3)."""
        return self.horizontal * self.vertical


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A frame header (B.2.2). It equals itself alone: equal headers are one, as long as they are remembered.

    Attributes:
      process: its marker's second byte, 0xC0 to 0xCF.
      width: pixels, 1 to 65500.
      height: pixels, 1 to 65500.
      components: by their identifiers.
    """

    process: int
    width: int
    height: int
    components: dict[int, Component]

    @property
    def is_kept(self) -> bool:
        """Whether TensorFlow decodes this coding process."""
        return self.process in _KEPT


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan header (B.2.3).

    Attributes:
      components: their identifiers, in order.
      tables: the Huffman tables that it needs, numbered as in `huffman_tables`.
      band: the coefficients that it brings, of 0 to 63.
      refined_bits: how many of their lowest bits the scans before have left to it and later ones (Ah); 0
        when it is their first.
      missing_bits: how many it leaves to later ones (Al).
    """

    components: tuple[int, ...]
    tables: frozenset[int]
    band: range
    refined_bits: int
    missing_bits: int


# Most files of a dataset come from a few encoders and hold the very same segments.
_remembered = functools.lru_cache(maxsize=256)


@_remembered
def huffman_tables(body: bytes) -> frozenset[int]:
    """Numbers of the tables that a DHT segment defines (B.2.4.2): 0 to 3 for DC, 16 to 19 for AC.

    Raises:
      Rejected: corrupt.
    """
    found: set[int] = set()
    at = 0
    while at < len(body):
        number, counts = body[at], body[at + 1 : at + 17]
        total = sum(counts)
        symbols = body[at + 17 : at + 17 + total]
        if number & 0xEC or len(counts) != 16 or total > 256 or len(symbols) != total:
            _bad_huffman()
        if not number & _AC and any(symbol > 15 for symbol in symbols):
            _bad_huffman()
        code = 0
        for length, count in enumerate(counts, start=1):  # codes of one length follow on (C.2)
            code = (code << 1) + count
            if code > 1 << length:
                _bad_huffman()
        found.add(number)
        at += 17 + total
    return frozenset(found)


@_remembered
def quantisation_tables(body: bytes) -> dict[int, int]:
    """Numbers (0 to 3) of the tables that a DQT segment defines (B.2.4.1), and their steps of DC.

    Raises:
      Rejected: corrupt.
    """
    found: dict[int, int] = {}
    at = 0
    while at < len(body):
        precision, number = body[at] >> 4, body[at] & 15
        step = body[at + 1 : at + 2 + precision]
        at += 129 if precision else 65
        if number > 3 or precision > 1 or at > len(body):
            corrupt("a bad quantisation table")
        found[number] = int.from_bytes(step, "big")
    return found


@_remembered
def read_frame(process: int, body: bytes) -> Frame:
    """Parses a frame header (B.2.2); `process` is its marker's second byte.

    Raises:
      Rejected: corrupt, unsupported_jpeg.
    """
    if len(body) < 6 or len(body) != 6 + 3 * body[5]:
        corrupt("a bad frame header")
    precision, count = body[0], body[5]
    height, width = int.from_bytes(body[1:3], "big"), int.from_bytes(body[3:5], "big")
    if process not in _KEPT | _MAYBE_KNOWN:
        unsupported("hierarchical or another rare coding process")
    if precision != 8 and process != LOSSLESS:
        unsupported(f"{precision} bits a channel")
    if count not in (1, 3, 4):
        unsupported(f"{count} colour components")
    if not height or not width:
        corrupt("its size is missing")
    if max(height, width) > _MAX_SIDE:
        unsupported(f"more than {_MAX_SIDE} pixels wide or high")
    components = {
        body[at]: Component(body[at + 1] >> 4, body[at + 1] & 15, body[at + 2])
        for at in range(6, len(body), 3)
    }
    if len(components) != count:
        corrupt("a bad frame header")
    _check_sampling(list(components.values()))
    return Frame(process, width, height, components)


def _check_sampling(components: list[Component]) -> None:
    for component in components:
        factors = component.horizontal, component.vertical
        if min(factors) < 1 or max(factors) > 4 or component.quantisation > 3:
            corrupt("a bad frame header")
    widest = max(component.horizontal for component in components)
    highest = max(component.vertical for component in components)
    if any(widest % component.horizontal or highest % component.vertical for component in components):
        unsupported("fractional sampling of its colours")  # libjpeg: JERR_FRACT_SAMPLE_NOTIMPL


@_remembered
def read_scan(body: bytes, frame: Frame, quantisation: frozenset[int]) -> Scan:
    """Parses a scan header (B.2.3) against its frame and the quantisation tables defined so far.

    Raises:
      Rejected: corrupt.
    """
    count = body[0] if body else 0
    if not 1 <= count <= 4 or len(body) != 4 + 2 * count:
        _bad_scan()
    chosen = dict(zip(body[1:-3:2], body[2:-3:2], strict=True))
    if len(chosen) != count or not chosen.keys() <= frame.components.keys():
        _bad_scan()
    members = [frame.components[identifier] for identifier in chosen]
    if any(member.quantisation not in quantisation for member in members):
        corrupt("a quantisation table is missing")
    if count > 1 and sum(member.blocks for member in members) > _MAX_BLOCKS_IN_MCU:
        corrupt("impossible sampling of its colours")
    first, last, approximation = body[-3:]
    if frame.process == PROGRESSIVE:
        _check_progression(first, last, approximation, count)
        # A first pass over DC needs DC tables, a refinement none; passes over AC need AC tables.
        use_dc, use_ac = first == 0 and approximation >> 4 == 0, first > 0
    else:
        if (first, last, approximation) != (0, 63, 0):
            _bad_scan()
        use_dc = use_ac = True
    tables = {number >> 4 for number in chosen.values() if use_dc}
    tables |= {_AC + (number & 15) for number in chosen.values() if use_ac}
    band = range(first, last + 1)
    return Scan(tuple(chosen), frozenset(tables), band, approximation >> 4, approximation & 15)


def _check_progression(first: int, last: int, approximation: int, components: int) -> None:
    """The rules of G.1.1.1.1, as libjpeg's jdphuff.c enforces them."""
    high, low = approximation >> 4, approximation & 15
    if last > 63 or first > last or (first == 0) != (last == 0) or (first and components > 1):
        _bad_scan()
    if low > 13 or (high and high - 1 != low):
        _bad_scan()


def corrupt(detail: str) -> NoReturn:
    raise Rejected("corrupt", format="JPEG", detail=detail)


def unsupported(detail: str) -> NoReturn:
    raise Rejected("unsupported_jpeg", detail=detail)


def _bad_huffman() -> NoReturn:
    corrupt("a bad Huffman table")


def _bad_scan() -> NoReturn:
    corrupt("a bad scan header")
