"""Damage that knows a format: JPEG headers and scans, PNG chunks."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from test_images_fuzz import with_right_checksums

from fuzz.damage import BYTES, Spoil
from fuzz.odd_jpeg import Segment, segments
from fuzz.pictures import sources

_EOI = b"\xff\xd9"
_SOF = (0xC0, 0xC1, 0xC2)


def _frame(data: bytes) -> Segment:
    return next(segment for segment in segments(data) if segment.marker in _SOF)


def _replaced(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def change_sampling(data: bytes, random_: random.Random) -> bytes:
    """The factors of one component replaced by others: by one bit, or by any legal ones."""
    frame = _frame(data)
    at = frame.start + 11 + 3 * random_.randrange(data[frame.start + 9])
    if random_.random() < 0.5:
        new = data[at] ^ 1 << random_.randrange(8)
    else:
        new = random_.randint(1, 4) << 4 | random_.randint(1, 4)
    return _replaced(data, at, bytes([new]))


def layout(data: bytes) -> object:
    """In which order blocks of which component come: of files that agree in this, no decoder knows that
    their sampling factors were exchanged. None when the factors are not legal."""
    frame = _frame(data)
    height = int.from_bytes(data[frame.start + 5 : frame.start + 7], "big")
    width = int.from_bytes(data[frame.start + 7 : frame.start + 9], "big")
    bytes_ = data[frame.start + 11 : frame.end : 3]
    factors = [(byte >> 4, byte & 15) for byte in bytes_]
    if not all(1 <= h <= 4 and 1 <= v <= 4 for h, v in factors):
        return None
    across, down = max(h for h, _ in factors), max(v for _, v in factors)
    units = -(-width // (8 * across)) * -(-height // (8 * down))
    alone = [-(-width * h // (8 * across)) * -(-height * v // (8 * down)) for h, v in factors]
    if len(factors) == 1:
        return alone
    return units, [h * v for h, v in factors], alone if data[frame.start + 1] == 0xC2 else None


def _scans(data: bytes) -> list[Segment]:
    return [segment for segment in segments(data) if segment.marker == 0xDA]


def cut_at_scan(data: bytes, random_: random.Random) -> bytes:
    """Cut before one of the later scans, and ended as if that were all."""
    return data[: random_.choice(_scans(data)[1:]).start] + _EOI


def leave_out_scan(data: bytes, random_: random.Random) -> bytes:
    scan = random_.choice(_scans(data)[1:])
    return data[: scan.start] + data[scan.end :]


def cut_and_end(data: bytes, random_: random.Random) -> bytes:
    scan = random_.choice(_scans(data))
    return data[: random_.randint(scan.start + 4, scan.end)] + _EOI


def put_marker(data: bytes, random_: random.Random) -> bytes:
    at = random_.randrange(2, len(data) - 2)
    return _replaced(data, at, bytes([0xFF, random_.randrange(256)]))


def _in_segments(markers: tuple[int, ...]) -> Spoil:
    def spoil(data: bytes, random_: random.Random) -> bytes:
        found = [segment for segment in segments(data) if segment.marker in markers]
        segment = random_.choice(found)
        end = segment.end if segment.marker != 0xDA else segment.start + 14
        at = random_.randrange(segment.start, min(end, segment.end))
        return _replaced(data, at, bytes([data[at] ^ 1 << random_.randrange(8)]))

    return spoil


def drop_segment(data: bytes, random_: random.Random) -> bytes:
    segment = random_.choice(segments(data))
    return data[: segment.start] + data[segment.end :]


def splice(data: bytes, random_: random.Random) -> bytes:
    """The second half is that of another JPEG."""
    other = random_.choice(
        [file for name, file in sources().items() if name.startswith(("jpeg ", "progressive"))]
    )
    return data[: random_.randrange(2, len(data))] + other[random_.randrange(2, len(other)) :]


SAMPLING, CUT_AT_SCAN, SCAN_LEFT_OUT = "sampling factors", "cut at a scan, EOI put back", "a scan left out"
# What is meant to be found whenever it shows.
MEANT = (SAMPLING, CUT_AT_SCAN, SCAN_LEFT_OUT)
_JPEG: Mapping[str, Spoil] = {
    SAMPLING: change_sampling,
    "cut, EOI put back": cut_and_end,
    "a marker put in": put_marker,
    "a bit of the frame or a scan header": _in_segments((*_SOF, 0xDA)),
    "a bit of a Huffman table": _in_segments((0xC4,)),
    "a bit of a quantisation table": _in_segments((0xDB,)),
    "a segment left out": drop_segment,
    "two files": splice,
}
_PROGRESSIVE: Mapping[str, Spoil] = {CUT_AT_SCAN: cut_at_scan, SCAN_LEFT_OUT: leave_out_scan}


def _chunks(data: bytes) -> list[bytes]:
    found, at = [], 8
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4], "big")
        found.append(data[at:end])
        at = end
    return found


def _change_chunks(change: Callable[[list[bytes], int, random.Random], None]) -> Spoil:
    def spoil(data: bytes, random_: random.Random) -> bytes:
        chunks = _chunks(data)
        change(chunks, random_.randrange(len(chunks)), random_)
        return data[:8] + b"".join(chunks)

    return spoil


def _swap_chunks(chunks: list[bytes], at: int, random_: random.Random) -> None:
    other = random_.randrange(len(chunks))
    chunks[at], chunks[other] = chunks[other], chunks[at]


def _sealed(spoil: Spoil) -> Spoil:
    """Damage under right checksums, as an encoder at fault makes it."""
    return lambda data, random_: with_right_checksums(spoil(data, random_))


_PNG: Mapping[str, Spoil] = {
    "a chunk left out": _change_chunks(lambda chunks, at, random_: chunks.pop(at) and None),
    "a chunk twice": _change_chunks(lambda chunks, at, random_: chunks.insert(at, chunks[at])),
    "chunks swapped": _change_chunks(_swap_chunks),
    **{
        f"{name}, checksums right": _sealed(BYTES[name])
        for name in ("bit", "byte", "some bytes", "deleted", "zeros")
    },
}


def ways_of(name: str) -> dict[str, Spoil]:
    """The ways in which a source can be spoilt."""
    ways = {how: spoil for how, spoil in BYTES.items() if how != "emptied"}
    if name == "jpeg two pictures":
        return ways
    if name.startswith(("jpeg ", "progressive")):
        ways |= _JPEG
    if name.startswith("progressive"):
        ways |= _PROGRESSIVE
    if name.startswith("png"):
        ways |= _PNG
    return ways
