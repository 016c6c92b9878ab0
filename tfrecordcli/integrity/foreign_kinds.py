"""What a file is that is no TFRecord file."""

from __future__ import annotations

from typing import Final

_Kinds = tuple[tuple[tuple[bytes, ...], str], ...]

_BINARY_KINDS: Final[_Kinds] = (
    ((b"\xff\xd8\xff", b"\x89png\r\n", b"gif8"), "it is an image"),
    ((b"pk\x03\x04",), "it is a zip archive"),
    ((b"%pdf",), "it is a PDF"),
)
_TEXT_KINDS: Final[_Kinds] = (
    ((b"<!doctype html", b"<html"), "it is a web page"),
    ((b"version https://git-lfs",), "it is a Git LFS pointer"),
    ((b"<",), "it is XML"),
    ((b"{", b"["), "it is JSON"),
    ((b"",), "it is text"),
)


def describe_foreign(head: bytes) -> str:
    """What a file that is no TFRecord file is, by its first bytes; empty when that cannot be told."""
    start = head.lstrip().lower()
    kinds = _BINARY_KINDS
    if head and not head.strip(b"\0"):
        return "it holds only zero bytes"
    # A length has zero bytes in it, so that no damaged TFRecord file is taken for text.
    if head and all(byte >= 32 or byte in b"\t\r\n\f" for byte in head):
        kinds += _TEXT_KINDS
    return next((kind for magics, kind in kinds if start.startswith(magics)), "")
