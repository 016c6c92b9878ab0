"""Every reject that an image can get, and that TensorFlow would have refused what it must refuse."""

from __future__ import annotations

import base64
import gzip
import io
import re
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from test_images_samples import (
    BOTH_CHECKS,
    DECODE,
    STRUCTURE,
    chunk,
    encode,
    exif,
    insert_segment,
    photo,
    png,
    tensorflow_decodes,
    without_segments,
)

from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

pytestmark = pytest.mark.usefixtures("gates")

JPEG = encode(photo(), "JPEG")
PROGRESSIVE = encode(photo(), "JPEG", progressive=True)
GRAY = encode(photo().convert("L"), "JPEG")
PNG = encode(photo(), "PNG")
SOF = JPEG.index(b"\xff\xc0")
SOS = JPEG.index(b"\xff\xda")
HEIF_HEAD = b"\0\0\0\x18ftyp"


def patched(data: bytes, at: int, patch: bytes) -> bytes:
    return data[:at] + patch + data[at + len(patch) :]


def with_tiff_tag(tag: int, value: int) -> bytes:
    """A TIFF of Pillow's with another value of a tag that it has."""
    data = encode(photo(), "TIFF")
    first = struct.unpack_from("<I", data, 4)[0] + 2
    at = next(at for at in range(first, len(data), 12) if struct.unpack_from("<H", data, at)[0] == tag)
    return patched(data, at, struct.pack("<HHII", tag, 3, 1, value))


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("photo.jpg", JPEG)
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    return file.getvalue()


def far_reaching_png(window_bits: int) -> bytes:
    """A PNG whose data repeats after 20,000 bytes, and declares a window of 2**window_bits bytes."""
    noise = np.random.default_rng(0).integers(0, 256, 20_000, np.uint8).tobytes() * 4
    rows = b"".join(b"\0" + noise[at : at + 1000] for at in range(0, len(noise), 1000))
    stream = bytearray(zlib.compress(rows, 9))
    stream[0] = (window_bits - 8) << 4 | 8
    stream[1] = 31 - (stream[0] << 8) % 31
    return png(1000, len(rows) // 1001, stream=bytes(stream))


def many_scans(count: int) -> bytes:
    """A progressive JPEG that repeats its last scan, a refinement of no effect on decoders."""
    last = PROGRESSIVE.rindex(b"\xff\xda")
    return PROGRESSIVE[:-2] + PROGRESSIVE[last:-2] * count + b"\xff\xd9"


def cr2() -> bytes:
    """A TIFF with Canon's mark after its header, where Pillow wrote the directory."""
    data = encode(photo(), "TIFF")
    directory = data[8 : 8 + 2 + 12 * data[8] + 4]
    return data[:4] + struct.pack("<I", len(data)) + b"CR\2\0" + data[12:] + directory


# Name -> file and its code, for what no `--check` lets pass.
REJECTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty_file"),
    "zeros": (bytes(4096), "zeros"),
    "html": (b"<!DOCTYPE html>\n<html><body>404</body></html>", "html"),
    "html with spaces": (b"\xef\xbb\xbf\n  <HTML lang=de>", "html"),
    "html fragment": (b"<p>Not found</p>", "html"),
    "xml": (b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', "xml"),
    "svg": (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "svg"),
    "json": (b'{"error": "no such image"}', "json"),
    "json list": (b"[1, 2]", "json"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3", "pdf"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n", "lfs_pointer"),
    "text": ("Überall\tText.\r\n".encode(), "text"),
    "text utf-16": ("Überall Text".encode("utf-16"), "text"),
    "csv": (b"image_uri,label\na.jpg,cat\n", "text"),
    "base64": (base64.b64encode(JPEG), "base64"),
    "base64 lines": (base64.encodebytes(PNG), "base64"),
    "data uri": (b"data:image/png;base64," + base64.b64encode(PNG), "base64"),
    "mp4": (b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + bytes(60), "video"),
    "mov": (b"\0\0\0\x08wide\0\0\1\0mdat", "video"),
    "avi": (b"RIFF\0\0\0\0AVI LIST", "video"),
    "webm": (b"\x1aE\xdf\xa3\x01\0", "video"),
    "mp3": (b"ID3\x04\0", "video"),
    "gzip": (gzip.compress(JPEG), "archive"),
    "zip": (zipped(), "archive"),
    "tar": (tarred(), "archive"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04", "archive"),
    "newline before": (b"\n" + JPEG, "prefixed_image"),
    "bom before": (b"\xef\xbb\xbf" + PNG, "prefixed_image"),
    "http headers before": (b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n" + JPEG, "prefixed_image"),
    "noise": (np.random.default_rng(3).bytes(5000), "unknown_format"),
    "one byte": (b"\x07", "unknown_format"),
    "wave": (b"RIFF\0\0\0\0ACON", "unknown_format"),
    "canon raw": (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", "unknown_format"),
    "jpeg xl": (b"\xff\x0a" + bytes(40), "jpeg_xl"),
    "jpeg xl box": (b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(40), "jpeg_xl"),
    # --- JPEG ---
    "jpeg: nothing": (JPEG[:2], "truncated"),
    "jpeg: in header": (JPEG[:200], "truncated"),
    "jpeg: half": (JPEG[: len(JPEG) // 2], "truncated"),
    "jpeg: no end": (JPEG[:-2], "truncated"),
    "jpeg: one byte short": (JPEG[:-1], "truncated"),
    "jpeg: zeros at the end": (JPEG[:-500] + bytes(500), "truncated"),
    "jpeg: header only": (JPEG[:SOS] + b"\xff\xd9", "corrupt"),
    "jpeg: no frame": (without_segments(JPEG, 0xC0), "corrupt"),
    "jpeg: two frames": (JPEG[:SOS] + JPEG[SOF : SOF + 19] + JPEG[SOS:], "corrupt"),
    "jpeg: no quantisation": (without_segments(JPEG, 0xDB), "corrupt"),
    "jpeg: progressive without tables": (without_segments(PROGRESSIVE, 0xC4), "corrupt"),
    "jpeg: junk between segments": (JPEG[:20] + b"junk" + JPEG[20:], "corrupt"),
    "jpeg: marker in data": (patched(JPEG, SOS + 100, b"\xff\x42"), "corrupt"),
    "jpeg: second scan": (JPEG[:-2] + JPEG[SOS:], "corrupt"),
    "jpeg: segment of length 1": (patched(JPEG, 4, b"\0\1"), "corrupt"),
    "jpeg: restart interval": (insert_segment(JPEG, 0xDD, b"\0\0\0"), "corrupt"),
    "jpeg: no height": (patched(JPEG, SOF + 5, b"\0\0"), "corrupt"),
    "jpeg: 4x4 sampling": (patched(JPEG, SOF + 11, b"\x44"), "corrupt"),
    "jpeg: sampling 0": (patched(JPEG, SOF + 11, b"\x20"), "corrupt"),
    "jpeg: other component": (patched(JPEG, SOS + 5, b"\x09"), "corrupt"),
    "jpeg: component twice": (patched(JPEG, SOS + 7, b"\x01"), "corrupt"),
    "jpeg: bad huffman": (insert_segment(JPEG, 0xC4, b"\0\3" + bytes(15) + b"\0\0\0"), "corrupt"),
    "jpeg: short huffman": (insert_segment(JPEG, 0xC4, b"\0\1"), "corrupt"),
    "jpeg: dc symbol": (insert_segment(JPEG, 0xC4, b"\0\1" + bytes(15) + b"\x10"), "corrupt"),
    "jpeg: short quantisation": (insert_segment(JPEG, 0xDB, b"\0" + bytes(63)), "corrupt"),
    "jpeg: dnl": (insert_segment(JPEG, 0xDC, b"\0\x30"), "corrupt"),
    "jpeg: scan of one colour only": (
        GRAY[:-2].replace(GRAY[GRAY.index(b"\xff\xc0") :][:13], JPEG[SOF : SOF + 19]) + b"\xff\xd9",
        "incomplete",
    ),
    "jpeg: saved as text": (JPEG.decode(errors="replace").encode(), "corrupt"),
    "jpeg: fractional sampling": (patched(JPEG, SOF + 11, b"\x31\1\2\x21"), "unsupported_jpeg"),
    "jpeg: 12 bits": (patched(JPEG, SOF + 4, b"\x0c"), "unsupported_jpeg"),
    "jpeg: hierarchical": (patched(JPEG, SOF + 1, b"\xc5"), "unsupported_jpeg"),
    "jpeg: damaged lossless": (patched(JPEG, SOF + 1, b"\xc3"), "unsupported_jpeg"),
    "jpeg: jpeg-ls": (patched(JPEG, SOF + 1, b"\xf7"), "unsupported_jpeg"),
    "jpeg: 65501 wide": (patched(JPEG, SOF + 7, b"\xff\xdd"), "unsupported_jpeg"),
    "jpeg: too many scans": (many_scans(100), "too_many_scans"),
    # --- PNG ---
    "png: signature": (PNG[:8], "truncated"),
    "png: part of the signature": (PNG[:3], "truncated"),
    "png: header": (PNG[:30], "truncated"),
    "png: half": (PNG[: len(PNG) // 2], "truncated"),
    "png: no end": (PNG[:-12], "truncated"),
    "png: one byte short": (PNG[:-1], "truncated"),
    "png: damaged header": (patched(PNG, 16, b"\1"), "corrupt"),
    "png: damaged data": (patched(PNG, 100, b"\0\0\0\0"), "corrupt"),
    "png: damaged end": (PNG[:-1] + b"\0", "corrupt"),
    "png: bad depth": (png(depth=3), "corrupt"),
    "png: depth of palette": (png(depth=16, colour_type=3), "corrupt"),
    "png: no width": (png(width=0), "corrupt"),
    "png: no data": (png(stream=[]), "corrupt"),
    "png: empty data": (png(stream=b""), "corrupt"),
    "png: rows missing": (png(stream=zlib.compress(bytes(71))), "corrupt"),
    "png: stream cut": (png(stream=zlib.compress(bytes(72))[:-5]), "corrupt"),
    "png: stream checksum": (png(stream=zlib.compress(bytes(72))[:-1] + b"\xff"), "corrupt"),
    "png: surplus checksum": (png(stream=zlib.compress(bytes(5000))[:-1] + b"\xff"), "corrupt"),
    "png: too much surplus": (png(stream=zlib.compress(bytes(20 << 20))), "corrupt"),
    "png: filter type": (png(stream=zlib.compress(b"\5" + bytes(71))), "corrupt"),
    "png: filter type of a later row": (png(stream=zlib.compress(bytes(63) + b"\5" + bytes(8))), "corrupt"),
    "png: window": (far_reaching_png(11), "corrupt"),
    "png: impossible window": (far_reaching_png(16), "corrupt"),
    "png: not deflated": (png(stream=b"\x77" + zlib.compress(bytes(72))[1:]), "corrupt"),
    "png: chunk name": (png(before=[chunk(b"te1t")]), "corrupt"),
    "png: late chunk name": (png(after=[chunk(b"te1t")]), "corrupt"),
    "png: critical chunk": (png(before=[chunk(b"ABCD")]), "corrupt"),
    "png: interrupted data": (
        png(stream=b"", before=[chunk(b"IDAT", zlib.compress(bytes(72))), chunk(b"tIME")]),
        "corrupt",
    ),
    "png: no palette": (png(colour_type=3), "corrupt"),
    "png: empty palette": (png(colour_type=3, before=[chunk(b"PLTE")]), "corrupt"),
    "png: empty palette of a colour picture": (png(colour_type=2, before=[chunk(b"PLTE")]), "corrupt"),
    "png: empty palette with alpha": (png(colour_type=6, before=[chunk(b"PLTE")]), "corrupt"),
    "png: odd palette": (png(colour_type=3, before=[chunk(b"PLTE", bytes(4))]), "corrupt"),
    "png: two palettes": (png(colour_type=3, before=[chunk(b"PLTE", bytes(3))] * 2), "corrupt"),
    "png: copied as text": (PNG.replace(b"\r\n", b"\n"), "corrupt"),
    "png: saved as text": (PNG.decode(errors="replace").encode(), "corrupt"),
    "png: too wide": (png(1_000_001, 1), "unsupported_image"),
    # --- others ---
    "gif: cut": (encode(photo(), "GIF")[:400], "corrupt"),
    "gif: header": (b"GIF89a", "corrupt"),
    "bmp: cut": (encode(photo(), "BMP")[:400], "corrupt"),
    "webp: cut": (encode(photo(), "WEBP")[:200], "corrupt"),
    "webp: header": (b"RIFF\0\0\0\0WEBPVP8 ", "corrupt"),
    "tiff: cut": (encode(photo(), "TIFF")[:4000], "corrupt"),
    "avif: cut": (encode(photo(), "AVIF")[:200], "corrupt"),
    "float": (encode(Image.new("F", (4, 4)), "TIFF"), "unsupported_image"),
    "32 bits": (encode(Image.new("I", (4, 4)), "TIFF"), "unsupported_image"),
    "raw photo": (encode(photo(), "TIFF", tiffinfo={50706: b"\1\4\0\0"}), "unsupported_image"),
    "preview": (encode(photo(), "TIFF", tiffinfo={254: 1}), "unsupported_image"),
    "canon's older raw photo": (cr2(), "unsupported_image"),
    "tiff: LERC": (with_tiff_tag(259, 34887), "unsupported_image"),
    "tiff: lab of logarithms": (with_tiff_tag(262, 32845), "unsupported_image"),
    "tiff: no compression of this number": (with_tiff_tag(259, 777), "corrupt"),
    "bmp: a JPEG inside": (patched(encode(photo(), "BMP"), 30, b"\4"), "unsupported_image"),
    "bmp: 64 bits": (patched(encode(photo(), "BMP"), 28, b"\x40"), "unsupported_image"),
}

# Row of the table in docs/images.md -> files of these formats, or such as begin like them.
NOT_READ: dict[str, list[bytes]] = {
    "JPEG of 12 bits, lossless of a kind Pillow lacks, hierarchical": [
        REJECTS[name][0] for name in ("jpeg: 12 bits", "jpeg: hierarchical", "jpeg: damaged lossless")
    ],
    "JPEG-LS": [REJECTS["jpeg: jpeg-ls"][0]],
    "JPEG XL": [REJECTS["jpeg xl"][0], REJECTS["jpeg xl box"][0]],
    "kinds of TIFF, BMP, DDS and SGI that Pillow does not read: their compression or pixel format": [
        REJECTS[name][0] for name in ("tiff: LERC", "bmp: a JPEG inside", "bmp: 64 bits")
    ]
    + [
        b"DDS "
        + struct.pack("<7I", 124, 0x1007, 4, 4, 16, 0, 0)
        + bytes(44)
        + struct.pack("<8I", 32, 4, int.from_bytes(b"XXXX", "little"), 0, 0, 0, 0, 0)
        + bytes(99),
        b"\x01\xda\0\1" + struct.pack(">4H", 9, 4, 4, 1) + bytes(600),
    ],
    "pixels of 32 bits or in floating point": [REJECTS["float"][0], REJECTS["32 bits"][0]],
    "raw photos that are TIFF: DNG, CR2, NEF, ARW": [
        REJECTS[name][0] for name in ("raw photo", "canon's older raw photo", "preview")
    ],
    "other raw photos: CR3, RW2, RAF, ORF": [
        REJECTS["canon raw"][0],
        b"IIU\0\x18\0\0\0" + bytes(100),
        b"FUJIFILMCCD-RAW 0201" + bytes(100),
        b"IIRO\x08\0\0\0" + bytes(100),
    ],
    "OpenEXR, Radiance HDR, FITS, DICOM, WMF, EMF": [
        b"\x76\x2f\x31\x01\2\0\0\0" + bytes(100),
        b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 10 +X 10\n\2\2\0\x0a\xff\xfe",
        b"SIMPLE  =                    T".ljust(2880) + b"\0\1" * 99,
        bytes(128) + b"DICM\2\0\0\0" + bytes(20),
        b"\xd7\xcd\xc6\x9a" + bytes(80),
        b"\1\0\0\0\x6c\0\0\0" + bytes(100),
    ],
    "SVG": [REJECTS["svg"][0]],
    "compressed SVG (SVGZ)": [gzip.compress(REJECTS["svg"][0])],
    "PDF": [REJECTS["pdf"][0]],
    "PostScript, EPS": [b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n"],
    "MP4, QuickTime, AVI, WebM": [REJECTS[name][0] for name in ("mp4", "mov", "avi", "webm")],
}

# Name -> file and code for what TensorFlow decodes to garbage; only `--check decode` finds it.
LARGE = encode(photo(160, 120), "JPEG")
LARGE_PROGRESSIVE = encode(photo(160, 120), "JPEG", progressive=True)
DATA = LARGE.index(b"\xff\xda") + 300
GARBAGE: dict[str, bytes] = {
    "end put back": LARGE[:DATA] + b"\xff\xd9",
    "part left out": LARGE[:DATA] + LARGE[DATA + 700 :],
    "zeros in between": patched(LARGE, DATA, bytes(700)),
    "progressive, end put back": LARGE_PROGRESSIVE[: LARGE_PROGRESSIVE.rindex(b"\xff\xda") + 100]
    + b"\xff\xd9",
}


def code_of(data: bytes, options: ImageOptions) -> str:
    with pytest.raises(Rejected) as found:
        check_image(data, options)
    assert "{" not in found.value.reason
    return found.value.code


@BOTH_CHECKS
@pytest.mark.parametrize("name", REJECTS)
def test_rejected(name: str, options: ImageOptions) -> None:
    data, code = REJECTS[name]
    assert code_of(data, options) == code


def test_formats_that_are_not_read_are_documented() -> None:
    text = (Path(__file__).parents[1] / "docs" / "images.md").read_text(encoding="utf-8")
    section = text.partition("## Not read\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (.+) \| `(\w+)` \|$", section, re.MULTILINE))
    assert rows.keys() == NOT_READ.keys()
    for name, files in NOT_READ.items():
        assert {code_of(data, DECODE) for data in files} == {rows[name]}, name


# TensorFlow stands for the reader that must never fail; of these it shows something all the same.
TENSORFLOW_IS_LAXER = {
    "jpeg: one byte short",
    "jpeg: segment of length 1",
    "jpeg: bad huffman",
    "jpeg: dnl",
    "png: surplus checksum",
    "png: interrupted data",
    "jpeg: junk between segments",
    "jpeg: dc symbol",
    "jpeg: no quantisation",
    "jpeg: scan of one colour only",
    "jpeg: too many scans",
    "png: too much surplus",
    "gif: cut",
    "bmp: cut",
}


@pytest.mark.parametrize(
    "name",
    [name for name in REJECTS if name.startswith(("jpeg: ", "png: ")) and name not in TENSORFLOW_IS_LAXER],
)
def test_tensorflow_refuses_what_is_rejected(name: str) -> None:
    with pytest.raises(Exception, match=r"(?i)invalid|unknown|unsupported|too|input|decode"):
        tensorflow_decodes(REJECTS[name][0])


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_found_by_decoding(name: str) -> None:
    assert tensorflow_decodes(GARBAGE[name]).shape == (120, 160, 3)
    assert code_of(GARBAGE[name], DECODE) == "corrupt"
    assert check_image(GARBAGE[name], STRUCTURE).data is GARBAGE[name]


@pytest.mark.parametrize("data", [JPEG, PNG, encode(photo(), "GIF")], ids=["JPEG", "PNG", "GIF"])
def test_too_many_bytes(data: bytes) -> None:
    assert code_of(data, ImageOptions(max_image_bytes=len(data) - 1)) == "too_many_bytes"


def huge(width: int, height: int) -> dict[str, bytes]:
    """Small files whose headers promise much; nothing in them may be decoded to find out."""
    gif = b"GIF89a" + struct.pack("<HH", width, height) + encode(photo(), "GIF")[10:]
    webp = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    bmp = encode(photo(), "BMP")
    return {
        "JPEG": patched(JPEG, SOF + 5, struct.pack(">HH", height, width)),
        "PNG": png(width, height, stream=b""),
        "GIF": gif,
        "BMP": patched(bmp, 18, struct.pack("<II", width, height)),
        "WEBP": b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + webp + b"VP8L" + bytes(40),
        "PPM": f"P6 {width} {height} 255\n".encode(),
    }


@pytest.mark.parametrize("name", huge(1, 1))
def test_too_many_pixels(name: str) -> None:
    assert code_of(huge(16_000, 16_000)[name], DECODE) == "too_many_pixels"
    assert code_of(huge(16_000, 16_000)[name], STRUCTURE) == "too_many_pixels"


@pytest.mark.parametrize("name", ["JPEG", "PNG"])
def test_more_than_tensorflow_decodes(name: str) -> None:
    options = ImageOptions(check="structure", max_pixels=1 << 40)
    assert code_of(huge(1 << 15, 1 << 14)[name], options) == "decoder_limit"


def test_an_icon_with_a_larger_picture_inside() -> None:
    icon = encode(photo(32, 32), "ICO")
    start = icon.index(b"\x89PNG")
    bomb = icon[:start] + png(2_100, 2_000)  # more than an icon has
    assert code_of(patched(bomb, 14, struct.pack("<I", len(bomb) - start)), DECODE) == "corrupt"


def test_lossless_jpeg_is_never_decoded_at_a_smaller_scale() -> None:
    damaged = patched(encode(photo(640, 480), "JPEG", exif=exif(6)), 0, b"\xff\xd8")
    damaged = damaged.replace(b"\xff\xc0\0\x11", b"\xff\xc3\0\x11")
    for max_side in (None, 16, 600):
        assert code_of(damaged, ImageOptions(max_side=max_side)) == "unsupported_jpeg"


def test_memory_errors_are_no_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Image.Image, "load", no_memory)
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", no_memory)
    with pytest.raises(MemoryError):
        check_image(encode(photo(), "BMP"), DECODE)
