"""What files are that may be TFRecords, or stand in the place of records: by names and first bytes."""

from __future__ import annotations

import codecs
import os
import re
import zlib
from collections.abc import Iterable
from typing import Final

from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.store_path import Place
from tfrecordcli.tfrecords.framing import HEADER_BYTES, begins_record
from tfrecordcli.tfrecords.shard_stream import ShardStream, open_shard

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
_REPLACEMENT: Final = "\ufffd"  # what a decoder puts in the place of bytes that are no text
_LONE_LINE_FEED: Final = re.compile(rb"(?<!\r)\n")
NUMBERED: Final = re.compile(r"(?P<before>.*?)(?P<index>\d+)[-_]of[-_](?P<count>\d+)(?P<after>.*)", re.DOTALL)
_ZLIB_STARTS: Final = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")

# Names that are given to TFRecords alone: *.tfrecord, *.tfrecords.gz, *.tfrec, *.tfr, *.record,
# x.tfrecord-00000-of-00010, data-00000-of-00010; but no part of a checkpoint (x.data-00000-of-00001).
_NAME: Final = re.compile(
    r".*\.(tfrecords?|tfrec|tfr|records?)([-_.]?\d+[-_]of[-_]\d+)?(\.gz)?|(?!.*\.data-).*\d+[-_]of[-_]\d+",
    re.IGNORECASE,
)
# What may be one: train_tfrecord.bin, a.tfrecord.old, and train-00000-of-00001.parquet, which is none.
_LIKE_NAME: Final = re.compile(r"tfrec|\.tfr\b|\.records?\b|\d+[-_]of[-_]\d+", re.IGNORECASE)
# What stands beside them under a name that has the same in it.
_TEXTS: Final = (".json", ".txt", ".md", ".csv", ".py", ".yaml", ".pbtxt", ".log")
_BESIDE: Final = (INDEX_SUFFIX, ".tmp", ".index", *_TEXTS)
# Names of which only the content tells.
_UNNAMED: Final = re.compile(r"[^.]+|.*\.(bin|dat|data|gz|out|part|rec|shard|tf)", re.IGNORECASE)


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
        text = _decoded(head.removeprefix(_UTF8_MARK))
        kind = ""
    if not text or not all(sign.isprintable() or sign.isspace() for sign in text):
        return ""
    start = text.lstrip().lower()
    return kind or next(kind for starts, kind in _TEXT_KINDS if start.startswith(starts))


def describe_change(head: bytes) -> str:
    """How records were changed by a program that took them for text; empty when they were not."""
    if head.startswith(_UTF8_MARK) and begins_record(head[len(_UTF8_MARK) :]):
        return "a byte order mark was put before the first record"
    # Images hold such pairs, too, but every Example has line feeds that stand alone.
    is_paired = b"\r\n" in head and not _LONE_LINE_FEED.search(head)
    if is_paired and (begins_record(head) or begins_record(head.replace(b"\r\n", b"\n"))):
        return "line feeds became carriage return and line feed"
    text = _decoded(head)
    if text.count(_REPLACEMENT) >= 2:
        return "bytes that are no UTF-8 were replaced, and are lost"
    if not text.isascii() and begins_record(text[:HEADER_BYTES].encode("latin-1", errors="replace")):
        return "it was recoded from Latin-1 to UTF-8"
    return ""


def _decoded(head: bytes) -> str:
    """The text that the first bytes of a file are in UTF-8; empty when they are none."""
    try:
        return _NEW_UTF8_DECODER().decode(head)  # cut at its end, perhaps
    except UnicodeDecodeError:
        return ""


def _is_pickle(head: bytes) -> bool:
    """Protocols 4 and 5 begin with a frame, whose length a record's checksum does not look like."""
    if head[:1] == b"\x80" and head[1:2] in (b"\x04", b"\x05") and head[2:3] == b"\x95":
        return 0 < int.from_bytes(head[3:11], "little") < 1 << 32
    return _OLD_PICKLE.match(head) is not None


def _inflated(head: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(head, HEADER_BYTES)
    except zlib.error:
        return b""


# --- which files of a folder are TFRecords ---


def find_tfrecords(folder: Place, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The TFRecords among files, sorted, and those that are called like some, but begin like none.

    Args:
      names: of the files, relative to the folder.
    """
    names = list(names)
    found: list[str] = []
    others: list[str] = []
    for name in names:
        base = os.path.basename(name)
        if _NAME.fullmatch(base):
            found.append(name)
        elif is_like_name(base):
            (found if begins_like_shard(folder / name) else others).append(name)
    if not found:
        unnamed = [name for name in names if _UNNAMED.fullmatch(os.path.basename(name))]
        found = [name for name in unnamed if begins_like_shard(folder / name)]
    return sorted(found), sorted(others)


def is_like_name(name: str) -> bool:
    """Whether a file of this name may be a TFRecord file."""
    return _LIKE_NAME.search(name) is not None and not name.lower().endswith(_BESIDE)


def is_broken(path: str) -> bool:
    """Whether what is called like TFRecords on a disk is no file: a link to nowhere, a pipe, a device.

    A reader that takes all files of such names would fail there, or miss the records that it stands for.
    """
    return is_like_name(os.path.basename(path)) and not os.path.isfile(path) and not os.path.isdir(path)


def known_split(text: str) -> str:
    """train, validation or test when a word of the text says so, as in `coco_val.tfrecord`; else empty."""
    return next(filter(None, map(split_of, re.split(r"[^A-Za-z]+", text))), "")


def words_of_split(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """The words by which texts say each split, with the first text of each: `eval` and `val` are of one."""
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        word = next(filter(split_of, re.split(r"[^A-Za-z]+", text)), "")
        if word:
            found.setdefault(split_of(word), {}).setdefault(word.lower(), text)
    return found


def series_of(name: str) -> str:
    """What shards of one series have in common: `cats-` of `cats-00000-of-00002.tfrecord`."""
    match = NUMBERED.fullmatch(name)
    return match["before"] if match else ""


def incomplete_series(shards: Iterable[str]) -> list[tuple[str, int, int]]:
    """(what its files have in common, number of them, number that their names tell of) where these differ."""
    found: dict[tuple[str, str, int], set[int]] = {}
    for match in filter(None, map(NUMBERED.fullmatch, shards)):
        series = match["before"], match["after"], int(match["count"])
        found.setdefault(series, set()).add(int(match["index"]))
    return [
        (before.rstrip("-_.") or after, len(indexes), count)
        for (before, after, count), indexes in sorted(found.items())
        if len(indexes) < count
    ]


def is_stray(folder: Place, name: str) -> bool:
    """Whether a file beside the shards was meant to be one, or holds what one does."""
    if _LIKE_NAME.search(name) and not name.lower().endswith(_TEXTS):
        return True
    return name.endswith(INDEX_SUFFIX) or begins_like_shard(folder / name)


def begins_like_shard(path: Place) -> bool:
    """Whether a file, plain or gzip, begins as a record does; what cannot be read does not."""
    try:
        with open_shard(str(path)) as file:
            return begins_record(ShardStream(file).peek(HEADER_BYTES))
    except OSError:
        return False
