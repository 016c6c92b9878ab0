"""The strict walk over a JPEG's picture data, in C (`native`). Its import fails where no compiler was."""

from typing import Final, Literal

from typing_extensions import Buffer

VERSION: Final[int]
"""Counts up whenever the verdict on any file changes."""

_Reason = Literal["truncated", "corrupt", "incomplete", "dc_range", "unsupported"]

def walk(data: Buffer, /) -> tuple[_Reason, str, int] | None:
    """Reads every code of a JPEG file, up to its first EOI, without decoding it; ``bytes`` without the GIL.

    Args:
      data: the file, in one piece of memory; of 8 bits, baseline, extended sequential or progressive.

    Returns:
      None when all is right. Else the first problem: a reason, a detail for people, and the byte of the file
      where it shows, 0 to ``len(data)``.

      - ``truncated``: the file ends before its picture does.
      - ``corrupt``: something that no encoder writes.
      - ``incomplete``: what is there is right, but scans never came.
      - ``dc_range``: all can be read, but a block is beyond black or white, in its mean or a sample. Only
        where nothing else is wrong.
      - ``unsupported``: not judged. Arithmetic, lossless or hierarchical coding, 12 bits, more than 65,500
        pixels a side or more than 4 components.

    Raises:
      BufferError: ``data`` is not contiguous.
      MemoryError: it would take up to 65 times the file, and 256 KiB.
    """

def next_marker(data: bytes, start: int, /) -> int:
    """Where the first marker from ``start`` on is that may end entropy-coded data; -1 if there is none.

    That is neither stuffing, nor a restart marker, nor fill (ITU-T T.81, B.1.1.2 and B.1.1.5).
    """
