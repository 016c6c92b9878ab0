"""Images that claim to be huge: problems of their records, which cost neither memory nor the other files."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from converting import convert_json, image_list, jpeg, tfrec
from PIL import Image
from sampling import first
from test_images_samples import chunk, encode, insert_segment, photo
from verifying import change_features, found, frames_of, verify, write_shard

from tfrecordcli.errors import UsageError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.images.check import check_image
from tfrecordcli.images.size import read_size
from tfrecordcli.inspecting.images import StoredImage, open_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.tfrecords.example_parser import parse_record
from tfrecordcli.tfrecords.wire import NotAnExample
from tfrecordcli.verify_options import make_verify_options

SIDE = 65_500  # the most that a JPEG may have
HALF = 32_752  # tiles of 2 GiB are refused by Pillow itself


def tiff(*entries: tuple[int, int]) -> bytes:
    fields = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + fields + bytes(4)


def huge_tiff() -> bytes:
    strip = [(273, 8), (277, 1), (278, SIDE), (279, 9)]
    return tiff((256, SIDE), (257, SIDE), (258, 8), (259, 1), (262, 1), *strip)


def huge_tile(*others: tuple[int, int], width: int = HALF) -> bytes:
    """An image of 10 x 10 in the corner of a tile, compressed (so that libtiff reads it)."""
    tile = [(277, 1), (322, width), (323, SIDE), *others, (324, 8), (325, 64)]
    return tiff((256, 10), (257, 10), (258, 8), (259, 8), (262, 1), *tile)


def huge_big_tiff() -> bytes:
    """The same as BigTIFF."""
    tile = [(277, 1), (322, HALF), (323, SIDE), (324, 16), (325, 64)]
    entries = [(256, 10), (257, 10), (258, 8), (259, 8), (262, 1), *tile]
    fields = b"".join(struct.pack("<HHQQ", tag, 16, 1, value) for tag, value in entries)
    return b"II+\0\x08\0\0\0" + struct.pack("<QQ", 16, len(entries)) + fields + bytes(8)


def huge_jpeg(**options: object) -> bytes:
    data = encode(photo(), "JPEG", **options)
    at = next(data.index(mark) for mark in (b"\xff\xc0", b"\xff\xc2") if mark in data) + 5
    return data[:at] + struct.pack(">HH", SIDE, SIDE) + data[at + 4 :]


def huge_webp() -> bytes:
    """One of 16,384 x 16,384, the most there is."""
    data = encode(photo(), "WEBP", lossless=True)
    assert data[12:16] == b"VP8L"
    return data[:21] + struct.pack("<I", 16_383 << 14 | 16_383) + data[25:]


def huge_bmp() -> bytes:
    sizes = struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 8, 0, 0, 0, 0, 2, 0)
    return b"BM" + struct.pack("<IHHI", 100, 0, 0, 62) + sizes + bytes(8)


PALETTE_AND_FRAME = bytes(6) + b"," + bytes(4) + struct.pack("<HH", SIDE, SIDE) + b"\0\x02\x02\x44\x01\0;"
BOMBS = {
    "gif": b"GIF89a" + struct.pack("<HH", SIDE, SIDE) + b"\x80\0\0" + PALETTE_AND_FRAME,
    "gif of a small canvas": b"GIF89a\1\0\1\0\x80\0\0" + PALETTE_AND_FRAME,
    "png": b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 6, 0, 0, 0))
    + chunk(b"IDAT", bytes(20))
    + chunk(b"IEND"),
    "jpeg": huge_jpeg(),
    "jpeg progressive": huge_jpeg(progressive=True),
    "bmp": huge_bmp(),
    "tiff": huge_tiff(),
    "tiff of a huge tile": huge_tile(),
    "tiff of a huge tile, and of a small one": huge_tile((322, 16), (323, 16)),
    "tiff of a huge tile, big": huge_big_tiff(),
    "webp": huge_webp(),
}
CLAIMS = {name: f"{HALF if 'tile' in name else SIDE} x {SIDE}" for name in BOMBS} | {"webp": "16384 x 16384"}

MEASURE = r"""
import json, pathlib, re, sys
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.integrity.shard_check import check_shard
from tfrecordcli.inspecting.inspection import inspect
def peak():
    return int(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) * 1024
def check(path):
    return check_shard(CheckTask(
        path=path, name=path, number=0, split="", expected=None, manifest_path="",
        check="decode", index=False, keys_folder="", max_problems=100,
    ))
check(sys.argv[1])
before = peak()
report = check(sys.argv[2])
print(json.dumps([report.records, report.problem_counts, peak() - before]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_images_that_claim_to_be_huge_take_no_memory(tmp_path: Path) -> None:
    sound, hostile = tmp_path / "sound.tfrecord", tmp_path / "hostile.tfrecord"
    write_shard(
        sound, [encode_example({"image/encoded": [encode(photo(), kind)]}) for kind in ("JPEG", "GIF")]
    )
    write_shard(hostile, [encode_example({"image/encoded": [data]}) for data in BOMBS.values()])
    done = tfrec(command=[sys.executable, "-c", MEASURE, sound, hostile])
    records, problems, used = json.loads(done.out)
    assert (records, problems) == (len(BOMBS), {"image_too_large": len(BOMBS)})
    assert used < 32 << 20


@pytest.mark.parametrize("name", BOMBS)
def test_an_image_that_claims_to_be_huge_is_the_problem_of_its_record(name: str, tmp_path: Path) -> None:
    good = encode_example({"image/encoded": [jpeg(1)]})
    write_shard(tmp_path / "a.tfrecord", [good, encode_example({"image/encoded": [BOMBS[name]]}), good])
    write_shard(tmp_path / "b.tfrecord", [good, encode_example({"image/encoded": [jpeg(2)[:-200]]})])
    report = verify(tmp_path)
    assert [place[:3] for place in found(report)] == [
        ("image_damaged", "b.tfrecord", 1),
        ("image_too_large", "a.tfrecord", 1),
    ]
    assert report.records == 5
    (message,) = [problem.message for problem in report.problems if problem.code == "image_too_large"]
    assert f"{CLAIMS[name]} pixels" in message


def test_a_sheet_of_them_takes_no_memory_either() -> None:
    for name, data in BOMBS.items():
        kind, height, width = read_size(data)
        with pytest.raises(Rejected) as caught:
            open_image(StoredImage("x", data, kind, height, width), (9, 9))
        assert caught.value.code == "too_many_pixels", name


def test_a_tile_larger_than_its_image_is_read() -> None:
    pixels = bytes(range(256)) * 1024
    data = bytearray(huge_tile(width=512))
    at = data.index(struct.pack("<HHII", 323, 4, 1, SIDE))
    data[at + 8 : at + 12] = struct.pack("<I", 512)
    packed = zlib.compress(pixels)
    for tag, value in ((324, len(data)), (325, len(packed))):
        at = data.index(struct.pack("<HHI", tag, 4, 1))
        data[at + 8 : at + 12] = struct.pack("<I", value)
    checked = check_image(bytes(data) + packed, ImageOptions(max_pixels=100))
    assert (checked.format, checked.width, checked.height) == ("png", 10, 10)


def test_the_command_reports_the_other_files_too(tmp_path: Path) -> None:
    write_shard(tmp_path / "a.tfrecord", [encode_example({"image": [BOMBS["gif"]]})])
    write_shard(tmp_path / "b.tfrecord", [encode_example({"image": [jpeg(1)]})])
    values = tfrec("verify", tmp_path, "--no-feed", "--json").json
    assert (values["exit_code"], values["records"]) == (1, 2)
    assert values["problem_counts"] == {"image_too_large": 1}


def test_the_limit_can_be_chosen(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.new("L", (50, 40)).save(file, "GIF")
    for number, data in enumerate((file.getvalue(), insert_segment(jpeg(1, 50, 40), 0xFE, b"text"))):
        write_shard(tmp_path / f"{number}.tfrecord", [encode_example({"image": [data]})])
    assert found(verify(tmp_path, max_pixels=2000)) == []
    report = verify(tmp_path, max_pixels=1999)
    assert [place[0] for place in found(report)] == ["image_too_large"] * 2
    assert "50 x 40 pixels, more than 1999" in report.problems[0].message
    for value in (0, -1, 1.5, True, "many"):
        with pytest.raises(UsageError, match="--max-pixels must be a whole number from 1"):
            make_verify_options({"max_pixels": value})


def test_a_dataset_is_held_to_the_limit_that_it_was_made_with(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    output = tmp_path / "out"
    assert convert_json(csv, output, "--max-pixels", "1000")["exit_code"] == 0
    assert found(verify(output)) == []
    path = next(path for path in sorted(output.glob("train*.tfrecord")) if frames_of(path))
    change_features(path, 0, image__encoded=[jpeg(1, 40, 30)], image__height=[30], image__width=[40])
    assert "image_too_large" in verify(output).problem_counts
    assert "image_too_large" not in verify(output, max_pixels=1200).problem_counts


def field(number: int, body: bytes) -> bytes:
    size, length = len(body), b""
    while size > 127:
        size, length = size >> 7, length + bytes([size & 127 | 128])
    return bytes([number << 3 | 2]) + length + bytes([size]) + body


EMPTY = field(1, b"") * 20_000


def feature(body: bytes, key: bytes = b"k") -> bytes:
    """An Example of one feature."""
    return field(1, field(1, field(1, key) + field(2, body)))


def keys(count: int, body: bytes) -> bytes:
    """An Example of so many features, each under another key of five letters."""
    entries = (field(1, field(1, b"%05x" % number) + field(2, body)) for number in range(count))
    return field(1, b"".join(entries))


# Name -> a record of very many parts of a few bytes, and how often its size is taken beside it.
MANY_PARTS = {
    "parts of an Example": (EMPTY, 0.5),
    "entries without a key": (field(1, EMPTY), 0.5),
    "lists of a feature": (feature(EMPTY), 0.5),
    "values": (feature(field(1, EMPTY)), 0.5),
    "features of one name": (field(1, field(1, field(1, b"") + field(2, b"")) * 30_000), 0.5),
    "numbers in two lists": (feature(field(3, field(1, bytes(100_000))) * 2), 0.5),
    "plain numbers": (feature(field(3, b"\x08\1" * 20_000)), 0.5),
    "floats": (feature(field(2, field(1, bytes(400_000)))), 0.5),
    "feature lists": (field(2, b"") * 20_000, 0.5),
    "fields of a feature list": (field(2, field(1, EMPTY)), 0.5),
    "steps of a feature list": (field(2, field(1, field(1, b"k") + field(2, EMPTY))), 0.5),
}
DISTINCT = "features of distinct names"  # which take a second to make


@pytest.mark.parametrize("name", first(MANY_PARTS, [DISTINCT]))
def test_a_record_of_very_many_parts_takes_no_multiple_of_its_memory(name: str) -> None:
    record, most = (keys(200_000, b""), 2.5) if name == DISTINCT else MANY_PARTS[name]
    parse_record(keys(5_000, b""))  # fills what remembers small entries
    tracemalloc.start()
    try:
        with contextlib.suppress(NotAnExample):
            parse_record(record)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most * len(record)


# Name -> a record of the kind of which a few took all memory.
ODD_RECORDS: dict[str, Callable[[], bytes]] = {
    "numbers of one byte": lambda: feature(field(3, field(1, bytes(range(128)) * 65_536))),
    "labels of one byte": lambda: feature(field(3, field(1, bytes(8 << 20))), b"image/class/label"),
    "values of one byte": lambda: feature(field(1, b"\x0a\1z" * 4_000_000)),
    "images of three bytes": lambda: feature(field(1, b"\x0a\3\xff\xd8\xff" * 100_000)),
    "distinct keys": lambda: keys(300_000, b""),
    "features that TensorFlow refuses one by one": lambda: keys(60_000, field(9, b"")),
    "unknown fields in each other": lambda: feature(INT + field(9, b"") * 1_000_000) + NESTED * 10_000,
}
INT = field(3, field(1, b"\1"))
NESTED = b"\x4b" * 90 + b"\x4c" * 90
BESIDE = 16 << 20  # bytes, beside twice the record


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("use", ["verify", "inspect"])
@pytest.mark.parametrize("name", ODD_RECORDS)
def test_no_record_takes_more_than_twice_its_size(name: str, use: str, tmp_path: Path) -> None:
    sound, odd = tmp_path / "sound.tfrecord", tmp_path / "odd.tfrecord"
    write_shard(sound, [encode_example({"image/encoded": [jpeg(1)], "n": [1]})])
    write_shard(odd, [ODD_RECORDS[name]()])
    script = MEASURE.replace("check(sys", "inspect(sys") if use == "inspect" else MEASURE
    done = tfrec(command=[sys.executable, "-c", script, sound, odd])
    records, _, used = json.loads(done.out)
    assert records == 1
    assert used <= 2 * odd.stat().st_size + BESIDE
