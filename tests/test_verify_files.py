"""Shards that were exchanged, packed again, cut or changed as text, and files that are something else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from converting import jpeg
from damaging import FOREIGN, GZIP, KINDS, OURS, PLAIN, RECORD, Set, copy_of, has_index
from PIL import Image
from verifying import content, flip, found, framed, frames_of, store, verify, write_shard

from tfrecordcli.formats.example import encode_example

pytestmark = pytest.mark.usefixtures("nothing_left_open")


def test_records_in_another_order(ours: Set) -> None:
    store(ours.target, b"".join(reversed(frames_of(ours.target))))
    assert found(verify(ours.folder)) == [("file_checksum", ours.target.name, None, None)]


def test_a_gzip_file_packed_again(sound: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    each = copy_of(sound, (OURS, GZIP), tmp_path)
    each.target.write_bytes(gzip.compress(content(each.target), compresslevel=0))
    assert found(verify(each.folder)) == [("file_size", each.target.name, None, None)]


@pytest.mark.parametrize("packed", [PLAIN, GZIP])
def test_a_record_of_another_shard_in_the_place_of_one(
    packed: str, sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (OURS, packed), tmp_path)
    frames = frames_of(each.target)
    frames[RECORD] = frames_of(each.path("test", count=1))[0]
    store(each.target, b"".join(frames))
    report = verify(each.folder)
    place = (RECORD, sum(map(len, frames[:RECORD]))) if has_index(each.target) else (None, None)
    assert found(report) == [("content_digest", each.target.name, *place)]
    assert [place[0] for place in found(report, "warning")] == ["leakage"]


def test_a_record_of_another_shard_more(ours: Set) -> None:
    frames = frames_of(ours.target) + frames_of(ours.other)[:1]
    store(ours.target, b"".join(frames))
    report = verify(ours.folder)
    assert found(report) == [("record_count", ours.target.name, None, None)]
    assert [place[0] for place in found(report, "warning")] == ["duplicate_image"]


def test_two_files_swapped(ours: Set) -> None:
    kept = ours.target.read_bytes()
    ours.target.write_bytes(ours.other.read_bytes())
    ours.other.write_bytes(kept)
    report = verify(ours.folder)
    assert found(report) == [
        ("files_swapped", ours.target.name, None, None), ("files_swapped", ours.other.name, None, None),
    ]  # fmt: skip
    assert found(report, "warning") == []
    assert ours.other.name in report.problems[0].message


def test_a_file_copied_over_another(ours: Set) -> None:
    test = ours.path("test", count=1)
    ours.target.write_bytes(test.read_bytes())
    report = verify(ours.folder)
    assert found(report) == [("files_swapped", ours.target.name, None, None)]
    assert found(report, "warning") == []
    assert test.name in report.problems[0].message


def tar_archive() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("0001.jpg")
        member.size = 2000
        archive.addfile(member, io.BytesIO(bytes(2000)))
    return file.getvalue()


FOREIGN_CONTENT = {
    "it is a web page": b"\n<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n",
    "it is a Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "it is XML": b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>",
    "it is JSON": b'{"error": {"code": 403, "message": "no"}}',
    "it is text": b"image_uri,label\na.jpg,cat\n",
    "it is an image": jpeg(1),
    "it is a zip archive": b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(range(200)),
    "it is a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(100),
    "it holds only zero bytes": bytes(5000),
    "it holds only bytes 0xFF": b"\xff" * 5000,
    "it is a web page ": b"\xef\xbb\xbf<!DOCTYPE html>\n<html></html>\n",
    "it is text in UTF-16": "image_uri,label\na.jpg,cat\n".encode("utf-16"),
    "it is text ": "Straße,Käse\n".encode(),
    "it is a tar archive": tar_archive(),
    "it is a Parquet file": b"PAR1\x15\x04\x15" + bytes(range(200)),
    "it is a NumPy array": b"\x93NUMPY\x01\0v\0{'descr': '<f8'}" + bytes(200),
    "it is an HDF5 file": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "it is a Python pickle": pickle.dumps({"image": bytes(300)}, protocol=4),
    "it is a Python pickle ": pickle.dumps({"image": bytes(300)}, protocol=2),
    "it is an SQLite database": b"SQLite format 3\0" + bytes(100),
    "it is compressed with zstd": b"\x28\xb5\x2f\xfd\x24\x08" + bytes(range(100)),
    "it is compressed with xz": lzma.compress(b"records" * 50),
    "it is compressed with bzip2": bz2.compress(b"records" * 50),
    "it is an Arrow file": b"ARROW1\0\0" + bytes(range(100)),
    "it is a program": b"\x7fELF\x02\x01\x01" + bytes(100),
    "compressed with ZLIB": zlib.compress(framed(b"record") * 20),
}


@pytest.mark.parametrize("kind", FOREIGN_CONTENT)
def test_files_that_are_something_else(each: Set, kind: str) -> None:
    each.target.write_bytes(FOREIGN_CONTENT[kind])
    report = verify(each.folder)
    assert found(report) == [("not_tfrecord", each.target.name, None, None)]
    assert kind.strip() in report.problems[0].message


TEXT_CHANGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "line ends of Windows": (lambda d: d.replace(b"\n", b"\r\n"), "carriage return"),
    "a byte order mark": (lambda d: b"\xef\xbb\xbf" + d, "byte order mark"),
    "Latin-1 to UTF-8": (lambda d: d.decode("latin-1").encode(), "Latin-1"),
    "decoded with replacement": (lambda d: d.decode(errors="replace").encode(), "replaced"),
}


@pytest.mark.parametrize("each", [kind for kind in KINDS if PLAIN in kind], indirect=True, ids="-".join)
@pytest.mark.parametrize("change", TEXT_CHANGES)
def test_files_changed_as_text(each: Set, change: str) -> None:
    do, word = TEXT_CHANGES[change]
    each.target.write_bytes(do(each.target.read_bytes()))
    report = verify(each.folder)
    assert found(report) == [("changed_as_text", each.target.name, None, None)]
    assert word in report.problems[0].message


def test_a_damaged_first_record_that_looks_like_changed_text_in_places_is_damaged(tmp_path: Path) -> None:
    """A PNG begins with a carriage return and a line feed; a length may be ASCII, with UTF-8 behind it."""
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(file, "PNG")
    values = {"image/encoded": [file.getvalue()], "name": ["Käse\r\n".encode()]}
    padded = (encode_example({**values, "pad": [bytes(size)]}) for size in range(200))
    record = next(payload for payload in padded if framed(payload)[:12].isascii())
    write_shard(tmp_path / "a.tfrecord", [record, encode_example(values)])
    path = tmp_path / "a.tfrecord"
    path.write_bytes(flip(path.read_bytes(), len(record) // 2))
    report = verify(tmp_path)
    assert (found(report), report.records) == ([("payload_damaged", "a.tfrecord", 0, 0)], 2)


@pytest.mark.parametrize("kind", ["it is a web page", "it is JSON"])
def test_something_else_inside_gzip(kind: str, sound: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    each = copy_of(sound, (FOREIGN, GZIP), tmp_path)
    store(each.target, FOREIGN_CONTENT[kind])
    assert found(verify(each.folder)) == [("not_tfrecord", each.target.name, None, None)]


@pytest.mark.parametrize("first", [b"{", b"[", b"<", b" ", b"A", b"\xff"])
def test_a_damaged_first_length_is_never_taken_for_text(foreign: Set, first: bytes) -> None:
    data = content(foreign.target)
    assert data[:1] != first
    foreign.target.write_bytes(first + data[1:])
    assert found(verify(foreign.folder)) == [("length_damaged", foreign.target.name, 0, 0)]


def test_gzip_under_a_plain_name_and_the_reverse(each: Set) -> None:
    data = content(each.target)
    if each.packed == PLAIN:
        each.target.write_bytes(gzip.compress(data))
        expected = ("is_gzip", "error") if each.whose == OURS else ("gzip_unnamed", "warning")
    else:
        each.target.write_bytes(data)
        expected = ("not_gzip", "error")
    report = verify(each.folder)
    assert [(p.code, p.severity, p.path) for p in report.problems] == [(*expected, each.target.name)]
    assert report.records == (20 if each.whose == OURS else 18)  # read all the same


def test_neither_gzip_nor_records_under_a_gzip_name(
    sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (FOREIGN, GZIP), tmp_path)
    each.target.write_bytes(bytes(range(256)) * 20)
    assert found(verify(each.folder)) == [("not_gzip", each.target.name, None, None)]


@pytest.mark.parametrize("whose", [OURS, FOREIGN])
@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.7, 0.999])
def test_gzip_cut(whose: str, fraction: float, sound: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    each = copy_of(sound, (whose, GZIP), tmp_path)
    frames = frames_of(each.target)
    data = each.target.read_bytes()
    each.target.write_bytes(data[: int(len(data) * fraction)])
    report = verify(each.folder)
    (place,) = found(report)
    assert place[:2] == ("gzip_cut", each.target.name)
    record = len(whole_frames(frames, each.target.read_bytes()))
    assert place[2:] == (record, sum(map(len, frames[:record])))
    assert report.records == (14 if whose == OURS else 12) + record


@pytest.mark.parametrize("whose", [OURS, FOREIGN])
@pytest.mark.parametrize("fraction", [0.3, 0.7, 0.95])
def test_gzip_damaged(
    whose: str, fraction: float, sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (whose, GZIP), tmp_path)
    frames = frames_of(each.target)
    data = each.target.read_bytes()
    each.target.write_bytes(flip(data, int(len(data) * fraction)))
    report = verify(each.folder)
    (place,) = found(report)
    assert place[:2] == ("gzip_damaged", each.target.name)
    record = len(whole_frames(frames, each.target.read_bytes()))
    assert place[2:] == (record, sum(map(len, frames[:record])))
    assert report.records == (14 if whose == OURS else 12) + record


def whole_frames(frames: list[bytes], packed: bytes) -> list[bytes]:
    """The first of these records that a damaged gzip file still gives, byte by byte."""
    inflate = zlib.decompressobj(31)
    data = b""
    try:
        for byte in packed:
            data += inflate.decompress(bytes([byte]))
    except zlib.error:
        pass
    whole: list[bytes] = []
    while len(whole) < len(frames) and data.startswith(b"".join([*whole, frames[len(whole)]])):
        whole.append(frames[len(whole)])
    return whole


@pytest.mark.parametrize("whose", [OURS, FOREIGN])
def test_bytes_after_gzip(whose: str, sound: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    each = copy_of(sound, (whose, GZIP), tmp_path)
    end = len(content(each.target))
    each.target.write_bytes(each.target.read_bytes() + b"rubbish")
    assert found(verify(each.folder)) == [("gzip_damaged", each.target.name, 6, end)]


def test_damage_from_before_it_was_packed_is_that_of_the_record(
    sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (FOREIGN, GZIP), tmp_path)
    frames = frames_of(each.target)
    store(each.target, b"".join([flip(frame, 90) for frame in frames]))
    assert [place[0] for place in found(verify(each.folder))] == ["payload_damaged"] * 6
