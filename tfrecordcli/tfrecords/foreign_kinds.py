"""What bytes are that are no TFRecords, by the first of them."""

from __future__ import annotations

import codecs
import re
import zlib
from typing import Final

from tfrecordcli.tfrecords.checksum import begins_record

_BINARY_KINDS: Final = (
    (b"PK\x03\x04", "it is a zip archive"),
    (b"%PDF", "it is a PDF"),
    (b"PAR1", "it is a Parquet file"),
    (b"ARROW1\0\0", "it is an Arrow file"),
    (b"\x93NUMPY", "it is a NumPy array"),
    (b"\x89HDF\r\n\x1a\n", "it is an HDF5 file"),
    (b"SQLite format 3\0", "it is an SQLite database"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd, which TensorFlow does not read"),
    (b"\xfd7zXZ\0", "it is compressed with xz, which TensorFlow does not read"),
    (b"\x04\x22\x4d\x18", "it is compressed with lz4, which TensorFlow does not read"),
    (b"\x7fELF", "it is a program"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7z archive"),
    (b"Rar!\x1a\x07", "it is a RAR archive"),
    (b"\xff\xd8\xff", "it is an image"),
    (b"\x89PNG\r\n", "it is an image"),
    (b"GIF8", "it is an image"),
)
_BZIP2: Final = re.compile(rb"BZh[1-9]1AY&SY")
_OLD_PICKLE: Final = re.compile(rb"\x80[\x02\x03](?:[\]})]q|c[a-z_])")
_TEXT_KINDS: Final = (
    (("<!doctype html", "<html"), "it is a web page"),
    (("version https://git-lfs",), "it is a Git LFS pointer"),
    (("<",), "it is XML"),
    (("{", "["), "it is JSON"),
    (("",), "it is text"),
)
_UTF8_MARK: Final = codecs.BOM_UTF8
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NEW_UTF8_DECODER: Final = codecs.getincrementaldecoder("utf-8")
_REPLACEMENT: Final = "\ufffd".encode()  # what a decoder puts in the place of bytes that are no text
_ZLIB_STARTS: Final = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_HEADER: Final = 12  # bytes before a record's payload


def describe_foreign(head: bytes) -> str:
    """What a file is, or what follows its records; empty when that cannot be told.

    A record's length has zero bytes in it, so that one that is damaged is not taken for text.

    Args:
      head: the first bytes, 512 if there are so many.
    """
    if head and head.count(head[0]) == len(head) and head[0] in (0x00, 0xFF):
        return "it holds only zero bytes" if not head[0] else "it holds only bytes 0xFF"
    for magic, kind in _BINARY_KINDS:
        if head.startswith(magic):
            return kind
    if _BZIP2.match(head):
        return "it is compressed with bzip2, which TensorFlow does not read"
    if head[257:262] == b"ustar":
        return "it is a tar archive, as WebDataset has them"
    if _is_pickle(head):
        return "it is a Python pickle"
    if head.startswith(_ZLIB_STARTS) and begins_record(_inflated(head)):
        return "it is a TFRecord file compressed with ZLIB, which only TensorFlow reads; use GZIP or none"
    return _describe_text(head)


def _describe_text(head: bytes) -> str:
    if head.startswith(_UTF16_MARKS):
        text = head[: len(head) & ~1].decode("utf-16", errors="replace")
        kind = "it is text in UTF-16"
    else:
        try:
            text = _NEW_UTF8_DECODER().decode(head.removeprefix(_UTF8_MARK))  # cut at its end, perhaps
        except UnicodeDecodeError:
            return ""
        kind = ""
    if not text or not all(sign.isprintable() or sign.isspace() for sign in text):
        return ""
    start = text.lstrip().lower()
    return kind or next(kind for starts, kind in _TEXT_KINDS if start.startswith(starts))


def describe_change(head: bytes) -> str:
    """How records were changed by a program that took them for text; empty when they were not."""
    if head.startswith(_UTF8_MARK) and begins_record(head[len(_UTF8_MARK) :]):
        return "a byte order mark was put before the first record"
    if begins_record(head) and head[_HEADER : _HEADER + 2] == b"\r\n":  # an Example begins with a line feed
        return "line feeds became carriage return and line feed"
    if b"\r\n" in head and begins_record(head.replace(b"\r\n", b"\n")):
        return "line feeds became carriage return and line feed"
    if head.count(_REPLACEMENT) >= 2 and _decodes(head):
        return "bytes that are no UTF-8 were replaced, and are lost"
    if b"\xc2" in head or b"\xc3" in head:
        recoded = _NEW_UTF8_DECODER(errors="replace").decode(head)
        if begins_record(recoded[:_HEADER].encode("latin-1", errors="replace")):
            return "it was recoded from Latin-1 to UTF-8"
    return ""


def _decodes(head: bytes) -> bool:
    try:
        _NEW_UTF8_DECODER().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_pickle(head: bytes) -> bool:
    """Protocols 4 and 5 begin with a frame, whose length a record's checksum does not look like."""
    if head[:1] == b"\x80" and head[1:2] in (b"\x04", b"\x05") and head[2:3] == b"\x95":
        return 0 < int.from_bytes(head[3:11], "little") < 1 << 32
    return _OLD_PICKLE.match(head) is not None


def _inflated(head: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(head, _HEADER)
    except zlib.error:
        return b""
