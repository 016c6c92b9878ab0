"""The check of JPEGs of another version of tfrec, for gate.py: run by the Python where that version is.

Reads files, each after its length (8 bytes, little-endian). Answers each by a byte: 1 lets it in, 0 does not.
"""

from __future__ import annotations

import sys

from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected


def is_right(data: bytes) -> bool:
    """Whether a conversion would take it."""
    try:
        check_image(data, ImageOptions(exif="keep"))
    except Rejected:
        return False
    return True


def main() -> None:
    """Answer until standard input ends."""
    while length := sys.stdin.buffer.read(8):
        data = sys.stdin.buffer.read(int.from_bytes(length, "little"))
        sys.stdout.buffer.write(b"1" if is_right(data) else b"0")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
