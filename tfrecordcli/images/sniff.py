"""What do these bytes look like? By content only: file names and servers' types are often wrong."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from typing import Final

from tfrecordcli.reasons import Rejected

# What a file begins with -> which of Pillow's formats it may be.
_IMAGES: Final[tuple[tuple[bytes, tuple[str, ...]], ...]] = (
    (b"GIF87a", ("GIF",)),
    (b"GIF89a", ("GIF",)),
    (b"BM", ("BMP",)),
    (b"II*\0", ("TIFF",)),
    (b"MM\0*", ("TIFF",)),
    (b"II+\0", ("TIFF",)),
    (b"MM\0+", ("TIFF",)),
    (b"\0\0\0\x0cjP  \r\n\x87\n", ("JPEG2000",)),
    (b"\xff\x4f\xff\x51", ("JPEG2000",)),
    (b"8BPS", ("PSD",)),
    (b"\0\0\1\0", ("ICO", "TGA")),
    (b"\0\0\2\0", ("CUR", "TGA")),  # a TGA of 24 bits may begin like a cursor
    (b"icns", ("ICNS",)),
    (b"DDS ", ("DDS",)),
    (b"qoif", ("QOI",)),
    (b"\x01\xda", ("SGI",)),
    (b"\x28\0\0\0", ("DIB",)),
    (b"/* XPM */", ("XPM",)),
)
_NETPBM: Final = re.compile(rb"P[0-7fFyPM]\s|P[1-6]#")
_X_BITMAP: Final = re.compile(rb"\s*(/\*.*?\*/\s*)?#define\s+\S+\s+\d+", re.DOTALL)
# Formats without a signature: tried when nothing else fits.
UNSIGNED_FORMATS: Final = ("TGA", "PCX")

_OTHER_FILES: Final[tuple[tuple[bytes, str], ...]] = (
    (b"%PDF-", "pdf"),
    (b"version https://git-lfs.", "lfs_pointer"),
    (b"PK\x03\x04", "archive"),
    (b"PK\x05\x06", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"\x1f\x9d", "archive"),
    (b"BZh", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"\xfd7zXZ\0", "archive"),
    (b"\x28\xb5\x2f\xfd", "archive"),
    (b"\xff\x0a", "jpeg_xl"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "jpeg_xl"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"OggS", "video"),
    (b"fLaC", "video"),
    (b"ID3", "video"),
    (b"FLV\x01", "video"),
    (b"\0\0\1\xba", "video"),
    (b"\0\0\1\xb3", "video"),
    (b"0&\xb2u\x8ef\xcf\x11", "video"),
)
_AVIF_BRANDS: Final = frozenset({b"avif", b"avis"})
_HEIF_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)
_QUICKTIME_ATOMS: Final = frozenset({b"moov", b"mdat", b"wide"})

_HEAD_BYTES: Final = 4096  # of text that are looked at
_MAX_PREFIX_BYTES: Final = 1024  # HTTP headers before an image are the longest that was seen
_EMBEDDED_IMAGE: Final = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff(?:[\xe0\xe1]..(?:JFIF|Exif)\0|\xdb\0[\x43\x84]\0)|GIF8[79]a|RIFF....WEBP",
    re.DOTALL,
)
_BASE64: Final = re.compile(rb"(?:data:image/[\w.+-]+;base64,)?([A-Za-z0-9+/=_\-\s]+)")
_BASE64_IMAGES: Final = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*")
_REPLACEMENT: Final = "\ufffd".encode()  # what UTF-8 decoders put in place of bytes that are no text
_NEW_UTF8_DECODER: Final = codecs.getincrementaldecoder("utf-8")
_BYTE_ORDER_MARK: Final = "\ufeff".encode()


def pillow_formats(data: bytes) -> tuple[str, ...]:
    """Pillow's names of the formats that a file may have, which begins neither like JPEG nor PNG.

    Raises:
      Rejected: with the code of what it is instead; unknown_format is left to the caller, who gets
        `UNSIGNED_FORMATS` when nothing fits.
    """
    for signature, formats in _IMAGES:
        if data.startswith(signature):
            return formats
    for signature, code in _OTHER_FILES:
        if data.startswith(signature):
            raise Rejected(code)
    container = _container(data)
    if container is not None:
        return container
    if _NETPBM.match(data):
        return ("PPM",)
    if _X_BITMAP.match(data[:_HEAD_BYTES]):
        return ("XBM",)
    _reject_damaged(data)
    _reject_text(data)
    return UNSIGNED_FORMATS


def _container(data: bytes) -> tuple[str, ...] | None:
    """Formats that are distinguished by what stands after their size: RIFF, ISO base media, tar."""
    kind, brand = data[4:8], data[8:12]
    if data.startswith(b"RIFF"):
        if brand == b"WEBP":
            return ("WEBP",)
        raise Rejected("video" if brand in (b"AVI ", b"WAVE") else "unknown_format")
    if kind == b"ftyp":
        length = min(int.from_bytes(data[:4], "big"), 256)
        brands = {brand, *(data[at : at + 4] for at in range(16, length, 4))}
        if brand in _AVIF_BRANDS or (brand in _HEIF_BRANDS and brands & _AVIF_BRANDS):
            return ("AVIF",)
        if brands & _HEIF_BRANDS:
            return ("HEIF",)
        if brand == b"jxl ":
            raise Rejected("jpeg_xl")
        raise Rejected("unknown_format" if brand == b"crx " else "video")  # crx: Canon's raw photos
    if kind in _QUICKTIME_ATOMS:
        raise Rejected("video")
    if data[257:262] == b"ustar":
        raise Rejected("archive")
    return None


def _reject_damaged(data: bytes) -> None:
    """Rejects what was an image before a copy or a program spoiled its beginning."""
    if data.startswith((b"\x89PNG", b"PNG\r\n\x1a\n")):
        raise Rejected("corrupt", format="PNG", detail="it was copied as text")
    if data.startswith(_REPLACEMENT):
        what = "PNG" if data.startswith(b"PNG", len(_REPLACEMENT)) else "JPEG"
        if what == "PNG" or data.startswith(_REPLACEMENT * 3):
            raise Rejected("corrupt", format=what, detail="it was saved as text")
    if not data[0] and data.count(0) == len(data):
        raise Rejected("zeros")
    embedded = _EMBEDDED_IMAGE.search(data, 1, _MAX_PREFIX_BYTES + 16)
    if embedded is not None:
        raise Rejected("prefixed_image", count=embedded.start())


def _reject_text(data: bytes) -> None:
    """Rejects text, by its kind."""
    head = data[:_HEAD_BYTES]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", errors="ignore").encode(errors="ignore")
    if not _is_text(head):
        return
    head = head.removeprefix(_BYTE_ORDER_MARK).strip()
    lower = head.lower()
    if head.startswith(b"<"):
        for mark, code in ((b"<html", "html"), (b"<!doctype html", "html"), (b"<svg", "svg")):
            if mark in lower:
                raise Rejected(code)
        begins = lower.startswith((b"<?xml", b"<!--", b"<annotation"))
        raise Rejected("xml" if begins or b"xmlns" in lower or b"</" not in lower else "html")
    if re.match(rb"\{\s*[\"}]|\[\s*[\[{\"\]\d]", head):
        raise Rejected("json")
    raise Rejected("base64" if _is_base64_image(head) else "text")


def _is_text(head: bytes) -> bool:
    """Whether these bytes are UTF-8 text without control characters but spaces."""
    try:
        text = _NEW_UTF8_DECODER().decode(head)  # a character may be cut at the end of the head
    except UnicodeDecodeError:
        return False
    return bool(text) and all(
        character.isprintable() or character.isspace() or character == "\ufeff" for character in text
    )


def _is_base64_image(head: bytes) -> bool:
    match = _BASE64.match(head)
    if match is None:
        return False
    digits = b"".join(match[1].split())[:64].translate(bytes.maketrans(b"-_", b"+/"))
    try:
        decoded = base64.b64decode(digits[: len(digits) // 4 * 4])
    except binascii.Error:
        return False
    return decoded.startswith(_BASE64_IMAGES) or decoded[4:8] == b"ftyp"
