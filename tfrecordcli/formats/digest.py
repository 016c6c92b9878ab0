"""An order-free digest of records, which C, NumPy and a TensorFlow graph compute alike.

One record: its bytes, padded with zeros to whole 8-byte words, as little-endian uint64 ``w[i]``::

    d = sum(w[i] * ((i * GOLDEN) | 1)) + length * GOLDEN           mod 2**64
    d = (d ^ (d >> 32)) * MIX ;  d = d ^ (d >> 29)                 mod 2**64

Odd weights make every changed bit of a word change the sum; weights that differ by position make
moved words show; the last step keeps two damaged records from cancelling out. A set of records has
the sum of its records' digests mod 2**64, whatever their order, so a reader that interleaves shards
can prove that it saw every record. It is a checksum against accidents, not against an adversary.

GOLDEN is 2**64 over the golden ratio, MIX a multiplier of SplitMix64 (Steele et al., 2014).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

GOLDEN: Final = 0x9E3779B97F4A7C15
MIX: Final = 0xBF58476D1CE4E5B9

_MASK = (1 << 64) - 1
_MOST_WORDS: Final = 1 << 20  # of a record whose weights are kept


def digest_by_numpy(*pieces: bytes) -> int:
    """Digest of one record's bytes, 0 to 2**64-1; of all pieces joined."""
    import numpy as np  # here: it takes longer to load than a short command otherwise runs

    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    whole = len(data) >> 3
    words = np.frombuffer(data, "<u8", whole)
    # Integers wrap; unlike `*`, a dot product makes no array of products. Only the first weights are kept.
    first = min(whole, _MOST_WORDS)
    total = int(np.dot(words[:first], _weights(max(14, first.bit_length()))[:first]))
    for start in range(_MOST_WORDS, whole, _MOST_WORDS):
        part = words[start : start + _MOST_WORDS]
        weights = np.arange(start, start + len(part), dtype=np.uint64) * np.uint64(GOLDEN) | np.uint64(1)
        total += int(np.dot(part, weights))
    tail = data[whole << 3 :]
    if tail:
        total += int.from_bytes(tail, "little") * ((whole * GOLDEN & _MASK) | 1)
    total = total + len(data) * GOLDEN & _MASK
    total = (total ^ total >> 32) * MIX & _MASK
    return total ^ total >> 29


record_digest: Callable[..., int] = digest_by_numpy
with contextlib.suppress(ImportError, AttributeError):  # built without a compiler, or of an earlier version
    from tfrecordcli.formats import _digest

    record_digest = _digest.digest_of_pieces


def add_digests(first: int, second: int) -> int:
    """Digest of two sets of records together."""
    return first + second & _MASK


@functools.cache
def _weights(bits: int) -> npt.NDArray[np.uint64]:
    """The first 2**bits weights."""
    import numpy as np

    return np.arange(1 << bits, dtype=np.uint64) * np.uint64(GOLDEN) | np.uint64(1)
