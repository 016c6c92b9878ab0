"""Was it the image, or was it the memory? Many decoders tell of both in the same words."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tfrecordcli.reasons import Rejected

# What decoders take for each pixel, at most: coefficients of a progressive JPEG (6), a picture of four
# channels, and a copy of it in another order.
_BYTES_A_PIXEL: Final = 16
_ROOM: Final = 16 << 20  # for what does not depend on the picture


@contextmanager
def sparing_the_image(pixels: int) -> Iterator[None]:
    """What is rejected inside is not when a decoder could not have had the memory for so many pixels.

    Raises:
      MemoryError
    """
    try:
        yield
    except Rejected:
        need_memory(pixels)
        raise


def need_memory(pixels: int) -> None:
    """To be called when a decoder gave a picture up.

    Raises:
      MemoryError: it could not have had the memory for it, so that this says nothing about the image.
    """
    try:
        mmap.mmap(-1, _BYTES_A_PIXEL * pixels + _ROOM).close()  # asked for, but not touched
    except OSError:
        raise MemoryError from None
