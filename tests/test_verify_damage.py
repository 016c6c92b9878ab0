"""Every kind of damage, on datasets of ours and of others, plain and gzip: its own code and place."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import random
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, tfrec, write_csv
from PIL import Image
from verifying import (
    Found,
    change_features,
    content,
    features_of,
    flip,
    found,
    framed,
    frames_of,
    masked,
    offset_of,
    split_frames,
    store,
    verify,
    write_shard,
)

from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.errors import InputError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.integrity import shard_check
from tfrecordcli.naming import SIDE_FILES
from tfrecordcli.problems import PROBLEMS

OURS, FOREIGN = "ours", "foreign"
PLAIN, GZIP = "plain", "gzip"
KINDS = [(OURS, PLAIN), (OURS, GZIP), (FOREIGN, PLAIN), (FOREIGN, GZIP)]


@dataclass(frozen=True)
class Set:
    """A copy of a sound dataset, to be damaged."""

    folder: Path
    whose: str
    packed: str

    def path(self, split: str = "train", number: int = 0, count: int = 2) -> Path:
        suffix = ".gz" if self.packed == GZIP else ""
        return self.folder / f"{split}-{number:05}-of-{count:05}.tfrecord{suffix}"

    @property
    def target(self) -> Path:
        return self.path()

    @property
    def other(self) -> Path:
        return self.path(number=1)

    @property
    def index(self) -> Path:
        return self.target.with_name(self.target.name + ".idx")


@pytest.fixture(scope="module")
def sound(tf: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    folder = tmp_path_factory.mktemp("sound")
    (folder / "in").mkdir()
    rows = []
    for number in range(20):
        name = f"{number:03}.jpg"
        (folder / "in" / name).write_bytes(jpeg(number, width=16 + number))
        split = "TRAIN" if number < 12 else ("VALIDATE" if number < 16 else "TEST")
        rows.append((split, name, "ab"[number % 2]))
    csv = write_csv(folder / "in" / "list.csv", rows, ("split", "image_uri", "label"))
    shards = ("--num-shards", "train=2,validation=1,test=1", "--workers", "1")
    assert convert_json(csv, folder / "plain", *shards, "--index")["exit_code"] == 0
    assert convert_json(csv, folder / "gzip", *shards, "--compression", "gzip")["exit_code"] == 0
    for packed in (PLAIN, GZIP):
        (folder / f"foreign-{packed}").mkdir()
        for split, number, count in (("train", 0, 2), ("train", 1, 2), ("test", 0, 1)):
            copy = Set(folder / f"foreign-{packed}", FOREIGN, packed)
            write_with_tensorflow(tf, copy.path(split, number, count), number if split == "train" else 2)
    return {
        (OURS, PLAIN): folder / "plain",
        (OURS, GZIP): folder / "gzip",
        (FOREIGN, PLAIN): folder / "foreign-plain",
        (FOREIGN, GZIP): folder / "foreign-gzip",
    }


def write_with_tensorflow(tf: Any, path: Path, seed: int) -> None:
    options = tf.io.TFRecordOptions(compression_type="GZIP" if path.suffix == ".gz" else "")
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for number in range(6):
            image = tf.train.BytesList(value=[jpeg(100 * seed + number, width=16 + number)])
            features = {
                "picture": tf.train.Feature(bytes_list=image),
                "class": tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 2])),
                "weight": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())


@pytest.fixture(params=KINDS, ids="-".join)
def each(request: pytest.FixtureRequest, sound: dict[tuple[str, str], Path], tmp_path: Path) -> Set:
    return copy_of(sound, request.param, tmp_path)


@pytest.fixture
def ours(sound: dict[tuple[str, str], Path], tmp_path: Path) -> Set:
    return copy_of(sound, (OURS, PLAIN), tmp_path)


@pytest.fixture
def foreign(sound: dict[tuple[str, str], Path], tmp_path: Path) -> Set:
    return copy_of(sound, (FOREIGN, PLAIN), tmp_path)


def copy_of(sound: dict[tuple[str, str], Path], kind: tuple[str, str], tmp_path: Path) -> Set:
    folder = tmp_path / "set"
    shutil.copytree(sound[kind], folder)
    return Set(folder, *kind)


def test_sound_sets_are_right(each: Set) -> None:
    report = verify(each.folder, strict=True)
    assert (report.exit_code, report.problems, report.problem_counts) == (0, (), {})
    assert report.records == (20 if each.whose == OURS else 18)
    assert report.splits["train"] == {
        "records": 12,
        "shards": 2,
        "bytes": each.target.stat().st_size + each.other.stat().st_size,
    }
    if each.whose == OURS:
        assert report.not_checked == ()
    else:  # it finds the images by itself, under a key that nobody told it, and decodes them
        assert report.integrity["images_per_second"] > 0
        assert any("manifest" in sentence for sentence in report.not_checked)
        assert not any("images:" in sentence for sentence in report.not_checked)


# --- the stream of records, whoever wrote it, however it is packed ---

RECORD = 2  # of the six in a shard: damaged where only one is

Change = Callable[[list[bytes]], bytes]
# damage -> (what is done, expected of ours, expected of foreign sets); places by (code, record).
Expected = tuple[str, int | None] | None
STREAMS: dict[str, tuple[Change, Expected, Expected]] = {
    "cut in a payload": (
        lambda f: b"".join(f[:RECORD]) + f[RECORD][:100],
        ("cut_in_record", RECORD), ("cut_in_record", RECORD),
    ),
    "cut in a footer": (
        lambda f: b"".join(f[: RECORD + 1])[:-2],
        ("cut_in_record", RECORD), ("cut_in_record", RECORD),
    ),
    "cut in a header": (
        lambda f: b"".join(f[:RECORD]) + f[RECORD][:9],
        ("cut_in_record", RECORD), ("cut_in_record", RECORD),
    ),
    "cut in the first header": (lambda f: f[0][:8], ("cut_in_record", 0), ("cut_in_record", 0)),
    "cut between records": (lambda f: b"".join(f[:RECORD]), ("cut_between_records", RECORD), None),
    "bit of a length": (
        lambda f: b"".join([*f[:RECORD], flip(f[RECORD], 0), *f[RECORD + 1 :]]),
        ("length_damaged", RECORD), ("length_damaged", RECORD),
    ),
    "bit of a length's checksum": (
        lambda f: b"".join([*f[:RECORD], flip(f[RECORD], 9), *f[RECORD + 1 :]]),
        ("length_damaged", RECORD), ("length_damaged", RECORD),
    ),
    "bit of the first length": (
        lambda f: b"".join([flip(f[0], 1), *f[1:]]), ("length_damaged", 0), ("length_damaged", 0),
    ),
    "length with a right checksum, far too long": (
        lambda f: b"".join(f) + huge_header(),
        ("trailing_bytes", 6), ("length_damaged", 6),
    ),
    "bit of a payload": (
        lambda f: b"".join([*f[:RECORD], flip(f[RECORD], 300), *f[RECORD + 1 :]]),
        ("payload_damaged", RECORD), ("payload_damaged", RECORD),
    ),
    "bit of a payload's checksum": (
        lambda f: b"".join([*f[:RECORD], flip(f[RECORD], -2), *f[RECORD + 1 :]]),
        ("payload_damaged", RECORD), ("payload_damaged", RECORD),
    ),
    "bit of the last payload": (
        lambda f: b"".join([*f[:5], flip(f[5], 60)]), ("payload_damaged", 5), ("payload_damaged", 5),
    ),
    "bytes after the last record": (
        lambda f: b"".join(f) + bytes(40), ("trailing_bytes", 6), ("trailing_bytes", 6),
    ),
    "a few bytes after the last record": (
        lambda f: b"".join(f) + b"\0\0", ("trailing_bytes", 6), ("trailing_bytes", 6),
    ),
    "a line feed after the last record": (
        lambda f: b"".join(f) + b"\n", ("trailing_bytes", 6), ("trailing_bytes", 6),
    ),
    "a web page after the last record": (
        lambda f: b"".join(f) + b"<html>503 Service Unavailable</html>",
        ("trailing_bytes", 6), ("trailing_bytes", 6),
    ),
    "noise after the last record": (
        lambda f: b"".join(f) + bytes(range(100, 200)), ("trailing_bytes", 6), ("length_damaged", 6),
    ),
    "record dropped": (lambda f: b"".join(f[:RECORD] + f[RECORD + 1 :]), ("record_dropped", RECORD), None),
    "first record dropped": (lambda f: b"".join(f[1:]), ("record_dropped", 0), None),
    "record doubled": (lambda f: b"".join([*f[:3], f[2], *f[3:]]), ("record_doubled", 3), None),
    "first record at the end again": (lambda f: b"".join([*f, f[0]]), ("record_doubled", 6), None),
    "no record at all, but a message": (
        lambda f: b"".join([*f[:RECORD], framed(b"\xff\xff"), *f[RECORD + 1 :]]),
        ("not_an_example", RECORD), ("not_an_example", RECORD),
    ),
}  # fmt: skip


def has_index(path: Path) -> bool:
    return path.with_name(path.name + ".idx").exists()


def huge_header() -> bytes:
    length = (1 << 40).to_bytes(8, "little")
    return length + masked(length).to_bytes(4, "little") + bytes(100)


@pytest.mark.parametrize("damage", STREAMS)
def test_damaged_streams(each: Set, damage: str) -> None:
    change, of_ours, of_foreign = STREAMS[damage]
    frames = frames_of(each.target)
    store(each.target, change(frames))
    expected = of_ours if each.whose == OURS else of_foreign
    report = verify(each.folder)
    if expected is None:
        assert found(report) == []
        return
    code, record = expected
    if code == "record_dropped" and not has_index(each.target):
        record = None  # only an index tells which one
    offset = None if record is None else sum(map(len, frames[:record]))
    if code == "record_doubled" and record == 3:
        offset = sum(map(len, frames[:3]))
    assert {place[:1] + place[2:] for place in found(report)} == {(code, record, offset)}
    assert {place[1] for place in found(report)} == {each.target.name}
    assert report.exit_code == 1


def test_after_a_damaged_payload_the_rest_is_checked(each: Set) -> None:
    frames = frames_of(each.target)
    sizes = [sum(map(len, frames[:number])) for number in range(6)]
    store(
        each.target, b"".join([frames[0], flip(frames[1], 80), *frames[2:4], flip(frames[4], 80), frames[5]])
    )
    report = verify(each.folder)
    name = each.target.name
    assert found(report) == [
        ("payload_damaged", name, 1, sizes[1]), ("payload_damaged", name, 4, sizes[4]),
    ]  # fmt: skip
    assert report.records == (20 if each.whose == OURS else 18)


def test_after_a_damaged_length_the_other_files_are_checked(each: Set) -> None:
    for path in (each.target, each.other):
        store(path, flip(content(path), 0))
    assert found(verify(each.folder)) == [
        ("length_damaged", each.target.name, 0, 0), ("length_damaged", each.other.name, 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("packed", [PLAIN, GZIP])
def test_a_file_of_ours_whose_stream_is_empty(
    packed: str, sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (OURS, packed), tmp_path)
    each.target.write_bytes(b"")
    assert found(verify(each.folder)) == [("file_empty", each.target.name, None, None)]
    if packed == GZIP:
        store(each.target, b"")
        assert found(verify(each.folder)) == [("cut_between_records", each.target.name, 0, 0)]


def test_an_empty_foreign_file_is_warned_about(foreign: Set) -> None:
    foreign.target.write_bytes(b"")
    report = verify(foreign.folder)
    assert (found(report), found(report, "warning")) == (
        [], [("file_without_records", foreign.target.name, None, None)],
    )  # fmt: skip


def test_nothing_but_empty_files_is_never_right(tmp_path: Path) -> None:
    for name in ("a.tfrecord", "b.tfrecord"):
        (tmp_path / name).write_bytes(b"")
    for ignore in ((), ("no_records",), ("no_records", "file_without_records")):
        report = verify(tmp_path, ignore=ignore)
        assert (report.exit_code, found(report)) == (1, [("no_records", "", None, None)])


# --- several kinds of damage in one file: none hides another, and none hides behind --ignore ---

SEVERAL: dict[str, tuple[Change, set[str]]] = {
    "payload and the end cut off": (
        lambda f: b"".join([flip(f[0], 40), *f[1:3]]), {"payload_damaged", "cut_between_records"},
    ),
    "payload and a record dropped": (
        lambda f: b"".join([flip(f[0], 40), *f[1:3], *f[4:]]), {"payload_damaged", "record_dropped"},
    ),
    "payload and a record doubled": (
        lambda f: b"".join([flip(f[0], 40), *f[1:], f[2]]), {"payload_damaged", "record_doubled"},
    ),
    "length, and the end cut off": (
        lambda f: b"".join([f[0], flip(f[1], 0), *f[2:4]]), {"length_damaged", "file_size"},
    ),
    "one dropped, another doubled": (
        lambda f: b"".join([*f[:2], f[3], f[3], *f[4:]]), {"record_dropped", "record_doubled"},
    ),
    "first and last dropped": (lambda f: b"".join(f[1:5]), {"cut_between_records"}),
    "one more record, which is empty": (
        lambda f: b"".join([*f, framed(b"")]), {"feature_missing", "record_count"},
    ),
    "one doubled and one more": (
        lambda f: b"".join([*f, f[1], another_record()]), {"record_doubled", "record_count"},
    ),
}  # fmt: skip


def another_record() -> bytes:
    values: dict[str, Any] = {
        "image/encoded": [jpeg(77)],
        "image/format": [b"jpeg"],
        "image/filename": [b"x"],
    }
    sizes = {"image/height": [16], "image/width": [24], "image/channels": [3]}
    return framed(encode_example({**values, **sizes, "image/class/label": [0], "image/class/text": [b"a"]}))


@pytest.mark.parametrize("damage", SEVERAL)
@pytest.mark.parametrize("packed", [PLAIN, GZIP])
def test_several_kinds_of_damage(
    damage: str, packed: str, sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (OURS, packed), tmp_path)
    change, codes = SEVERAL[damage]
    store(each.target, change(frames_of(each.target)))
    if packed == GZIP:  # a cut stream packed again has another size anyhow
        codes = codes - {"file_size"}
    report = verify(each.folder)
    assert {problem.code for problem in report.problems if problem.severity == "error"} == codes
    for code in codes:
        assert verify(each.folder, ignore=(code,)).exit_code == 1


def test_a_label_of_another_name_and_a_record_dropped(ours: Set) -> None:
    change_features(ours.target, 0, image__class__text=[b"c"])
    store(ours.target, b"".join(frames_of(ours.target)[:4]))
    assert verify(ours.folder).problem_counts == {"label_text": 1, "cut_between_records": 1}
    assert verify(ours.folder, ignore=("label_text",)).problem_counts == {"cut_between_records": 1}


def test_a_label_of_another_name_beside_a_feature_that_is_missing(ours: Set) -> None:
    change_features(ours.target, 0, image__class__text=[b"c"], image__filename=None)
    assert verify(ours.folder).problem_counts == {"label_text": 1, "feature_missing": 1}


def test_what_is_ignored_explains_nothing(ours: Set) -> None:
    """Each code that is ignored leaves the next that tells, down to the digest of the split."""
    store(ours.target, flip(content(ours.target), 30))
    ignore: list[str] = []
    for code in ("payload_damaged", "content_digest", "file_checksum", "split_digest"):
        report = verify(ours.folder, ignore=tuple(ignore))
        assert (report.exit_code, report.problem_counts) == (1, {code: 1})
        ignore.append(code)
    assert verify(ours.folder, ignore=tuple(ignore)).exit_code == 0  # the user has said it four times


def test_a_missing_file_that_is_ignored_leaves_the_split_short(ours: Set) -> None:
    ours.target.unlink()
    assert verify(ours.folder, ignore=("file_missing",)).problem_counts == {"split_digest": 1}


# --- whole files ---


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


# --- what a record holds, under right checksums ---

RECORDS: dict[str, tuple[dict[str, Any], str]] = {
    "image missing": ({"image__encoded": None}, "feature_missing"),
    "filename missing": ({"image__filename": None}, "feature_missing"),
    "height as a float": ({"image__height": [16.0]}, "feature_kind"),
    "label as text": ({"image__class__label": [b"a"]}, "feature_kind"),
    "text as number": ({"image__class__text": [1]}, "feature_kind"),
    "two heights": ({"image__height": [16, 16]}, "feature_count"),
    "two texts for a label": ({"image__class__text": [b"a", b"b"]}, "feature_count"),
    "text missing": ({"image__class__text": None}, "feature_count"),
    "label missing": ({"image__class__label": None}, "feature_count"),
    "label out of range": ({"image__class__label": [2]}, "label_unknown"),
    "label -1": ({"image__class__label": [-1]}, "label_unknown"),
    "label of another name": ({"image__class__text": [b"c"]}, "label_text"),
    "image cut": ({"image__encoded": [jpeg(5)[:-200]]}, "image_damaged"),
    "image not one": ({"image__encoded": [b"no image"]}, "image_damaged"),
    "image empty": ({"image__encoded": [b""]}, "image_damaged"),
    "format of another": ({"image__format": [b"png"]}, "image_format"),
    "height of another": ({"image__height": [17]}, "image_size"),
    "width of another": ({"image__width": [9999]}, "image_size"),
    "channels of another": ({"image__channels": [1]}, "image_size"),
}


@pytest.mark.parametrize("damage", RECORDS)
@pytest.mark.parametrize("packed", [PLAIN, GZIP])
def test_records_that_hold_something_else(
    damage: str, packed: str, sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (OURS, packed), tmp_path)
    offset = offset_of(each.target, RECORD)
    changes, code = RECORDS[damage]
    change_features(each.target, RECORD, **changes)
    assert found(verify(each.folder)) == [(code, each.target.name, RECORD, offset)]


def test_what_was_wanted_and_what_was_found_are_named(ours: Set) -> None:
    change_features(ours.target, 0, image__height=[16.0])
    change_features(ours.target, 1, image__class__text=[b"zebra"])
    change_features(ours.target, 2, image__width=[9999])
    change_features(ours.target, 3, image__filename=None)
    messages = [problem.message for problem in verify(ours.folder).problems]
    for message, words in zip(
        messages,
        [
            ("image/height", "float", "int64"),
            ("label ", "zebra"),
            ("stored as 16 x 9999", "the image is 16 x "),
            ("image/filename",),
        ],
        strict=True,
    ):
        for word in words:
            assert word in message


def test_a_damaged_picture_takes_decoding(ours: Set) -> None:
    """A flipped bit in the entropy-coded data under right checksums: what only decoding shows."""
    (image,) = features_of(frames_of(ours.target)[0])["image/encoded"]
    broken = image[:-60] + b"\x7f" * 40 + image[-20:]
    change_features(ours.target, 0, image__encoded=[broken])
    decoded, walked = verify(ours.folder), verify(ours.folder, check="structure")
    assert found(decoded) == [("image_damaged", ours.target.name, 0, 0)]
    assert "image_damaged" not in walked.problem_counts
    assert any("structure" in sentence for sentence in walked.not_checked)


@pytest.mark.parametrize(("stored", "is_right"), [(b"webp", True), (b"WEBP", True), (b"jpeg", False)])
def test_formats_that_tfrec_would_not_write(foreign: Set, stored: bytes, is_right: bool) -> None:
    file = io.BytesIO()
    Image.new("RGB", (20, 10), "red").save(file, "WEBP")
    change_features(
        foreign.target, 0, picture=None, image__encoded=[file.getvalue()], image__format=[stored],
        image__height=[10], image__width=[20],
    )  # fmt: skip
    expected: list[Found] = [] if is_right else [("image_format", foreign.target.name, 0, 0)]
    assert found(verify(foreign.folder)) == expected


def test_a_foreign_image_that_is_damaged_or_of_another_size(foreign: Set) -> None:
    change_features(foreign.target, 0, picture=[jpeg(3)[:300]])
    change_features(foreign.target, 1, image__height=[1], image__width=[1])
    assert [place[0] for place in found(verify(foreign.folder))] == ["image_damaged", "image_size"]


@pytest.mark.parametrize(
    "features",
    [
        {"jpeg": "photo", "brand": b"BMW"},
        {"jpeg": "photo", "sound": b"RIFF\x24\0\0\0WAVEfmt " + bytes(30)},
        {"jpeg": "photo", "note": b"GIF89a is the format of the other picture"},
        {"image/encoded": "photo", "image/format": b".JPG"},
        {"image/encoded": "photo", "image/format": b"image/jpeg"},
        {"jpeg": "photo", "height": 16, "width": 24},
        {"left": "photo", "right": "other", "height": 16, "width": 24},  # that of one of them
    ],
    ids=str,
)
def test_sound_features_of_others(tmp_path: Path, features: dict[str, Any]) -> None:
    write_shard(tmp_path / "a.tfrecord", [foreign_record(features), foreign_record(features, 9)])
    assert verify(tmp_path, strict=True).problem_counts == {}
    cut = {**features, **{key: "cut" for key, value in features.items() if value == "photo"}}
    write_shard(tmp_path / "a.tfrecord", [foreign_record(cut)])
    assert verify(tmp_path).problem_counts == {"image_damaged": 1}  # and the image is looked at


@pytest.mark.parametrize(
    ("features", "code"),
    [
        ({"left": "photo", "right": "cut"}, "image_damaged"),
        ({"image/encoded": "photo", "image/mask": "cut"}, "image_damaged"),
        ({"frames": ["photo", "cut"]}, "image_damaged"),
        ({"jpeg": "photo", "height": 999, "width": 1}, "image_size_beside"),
        ({"image/encoded": "photo", "height": 999, "width": 1}, "image_size_beside"),
        ({"a": "photo", "a_height": 9, "a_width": 1, "b": "other"}, "image_size_beside"),
        ({"left": "photo", "right": "other", "height": 9, "width": 9}, "image_size_beside"),
    ],
    ids=str,
)
def test_every_image_of_a_record_is_checked(tmp_path: Path, features: dict[str, Any], code: str) -> None:
    write_shard(tmp_path / "a.tfrecord", [foreign_record(features)])
    report = verify(tmp_path)
    assert report.problem_counts == {code: 1}
    assert report.problems[0].record == 0


def test_a_record_whose_image_is_elsewhere_is_told(tmp_path: Path) -> None:
    """As one byte of a key does, where the checksum was made of what is there."""
    records = [foreign_record({"image/encoded": "photo", "n": n}, n) for n in range(12)]
    write_shard(tmp_path / "a.tfrecord", records[:6])
    write_shard(tmp_path / "b.tfrecord", records[6:])
    assert verify(tmp_path).problem_counts == {}
    write_shard(
        tmp_path / "b.tfrecord", [*records[6:8], foreign_record({"imag\1/encoded": "photo"}, 8), *records[9:]]
    )
    (problem,) = verify(tmp_path).problems
    assert (problem.code, problem.path, problem.record) == ("image_elsewhere", "b.tfrecord", 2)
    assert "under imag\1/encoded, and not under image/encoded" in problem.message
    done = tfrec("verify", tmp_path, "--no-feed")
    assert (done.code, r"imag\x01/encoded" in done.out) == (0, True)


@pytest.mark.parametrize(
    "odd",
    [
        [{"image/encoded": "photo", "mask": "other"}] * 3,
        [{"photo": "photo"}] * 6,
        [{"text": b"no image"}],
    ],
    ids=["one more image", "two ways of writing", "none"],
)
def test_records_that_hold_images_in_their_own_ways_are_right(
    odd: list[dict[str, Any]], tmp_path: Path
) -> None:
    usual = [foreign_record({"image/encoded": "photo"}, n) for n in range(20)]
    write_shard(tmp_path / "a.tfrecord", [*usual, *(foreign_record(f, n + 50) for n, f in enumerate(odd))])
    assert "image_elsewhere" not in verify(tmp_path).problem_counts


def foreign_record(features: dict[str, Any], seed: int = 0) -> bytes:
    images = {"photo": jpeg(seed), "other": jpeg(seed + 100, 8, 8), "cut": jpeg(seed)[:300]}

    def value(word: Any) -> Any:
        return images.get(word, word) if isinstance(word, str) else word

    values = {key: word if isinstance(word, list) else [word] for key, word in features.items()}
    return encode_example({key: [value(word) for word in words] for key, words in values.items()})


# --- beside the shards ---


def edit(name: str, change: Callable[[bytes], bytes]) -> Callable[[Set], None]:
    def do(ours: Set) -> None:
        path = ours.folder / name
        path.write_bytes(change(path.read_bytes()))

    return do


def remove(name: str) -> Callable[[Set], None]:
    return lambda ours: (ours.folder / name).unlink()


def as_folder(name: str) -> Callable[[Set], None]:
    def do(ours: Set) -> None:
        (ours.folder / name).unlink()
        (ours.folder / name).mkdir()

    return do


def edit_manifest(
    change: Callable[[dict[str, Any]], object], *, signed: bool = True
) -> Callable[[Set], None]:
    def do(ours: Set) -> None:
        path = ours.folder / "manifest.json"
        values = json.loads(path.read_text())
        change(values)
        if signed:
            values["checksum"] = manifest_checksum(values)
        path.write_text(json.dumps(values))

    return do


def copy_first_shard(name: str) -> Callable[[Set], None]:
    return lambda ours: shutil.copy(ours.target, ours.folder / name) and None


T0 = "train-00000-of-00002.tfrecord"
LIST, MAP, MAN = "shards.jsonl", "labels.txt", "manifest.json"
# damage -> (what is done, code, path).
BESIDE: dict[str, tuple[Callable[[Set], None], str, str]] = {
    "label renamed": (edit(MAP, lambda d: d.replace(b"b", b"c")), "labels_edited", MAP),
    "labels in another order": (edit(MAP, lambda d: b"b\na\n"), "labels_edited", MAP),
    "label more": (edit(MAP, lambda d: d + b"c\n"), "labels_edited", MAP),
    "label less": (edit(MAP, lambda d: b"a\n"), "labels_edited", MAP),
    "labels of Windows": (edit(MAP, lambda d: d.replace(b"\n", b"\r\n")), "labels_edited", MAP),
    "old Macintosh": (edit(MAP, lambda d: d.replace(b"\n", b"\r")), "labels_edited", MAP),
    "no last line break": (edit(MAP, lambda d: d[:-1]), "labels_edited", MAP),
    "labels in another encoding": (edit(MAP, lambda d: b"a\n\xe4\n"), "labels_edited", MAP),
    "labels gone": (remove(MAP), "labels_edited", MAP),
    "labels unreadable": (as_folder(MAP), "unreadable", MAP),
    "list gone": (remove(LIST), "shards_list_damaged", LIST),
    "list unreadable": (as_folder(LIST), "unreadable", LIST),
    "list short of a line": (
        edit(LIST, lambda d: b"".join(d.splitlines(True)[1:])), "shards_list_damaged", LIST,
    ),
    "list with a line twice": (
        edit(LIST, lambda d: d + d.splitlines(True)[0]), "shards_list_damaged", LIST,
    ),
    "list is none": (edit(LIST, lambda d: b"[]\n"), "shards_list_damaged", LIST),
    "list says other counts": (
        edit(LIST, lambda d: d.replace(b'"records": 6', b'"records": 5', 1)), "shards_list_damaged", LIST,
    ),
    "list says other rejects": (
        edit(LIST, lambda d: d.replace(b'"rejected": 0', b'"rejected": 1', 1)), "shards_list_damaged", LIST,
    ),
    "manifest cut": (edit(MAN, lambda d: d[:-20]), "manifest_damaged", MAN),
    "manifest empty": (edit(MAN, lambda d: b""), "manifest_damaged", MAN),
    "manifest of somebody else": (edit(MAN, lambda d: b'{"name": "app"}'), "manifest_damaged", MAN),
    "manifest is a list": (edit(MAN, lambda d: b"[1]"), "manifest_damaged", MAN),
    "manifest without splits": (edit_manifest(lambda m: m.pop("splits")), "manifest_damaged", MAN),
    "manifest whose sums differ": (
        edit_manifest(lambda m: m.update(records=m["records"] + 1)), "manifest_damaged", MAN,
    ),
    "manifest with an id twice": (
        edit_manifest(lambda m: m["labels"].update(b=0)), "manifest_damaged", MAN,
    ),
    "manifest of a later version": (
        edit_manifest(lambda m: m.update(schema_version=99)), "manifest_damaged", MAN,
    ),
    "manifest with a version that is none": (
        edit_manifest(lambda m: m.update(schema_version=True)), "manifest_damaged", MAN,
    ),
    "manifest without its compression": (
        edit_manifest(lambda m: m["options"]["shard"].pop("compression")), "manifest_damaged", MAN,
    ),
    "manifest with other rows": (edit_manifest(lambda m: m.update(rows=999)), "manifest_damaged", MAN),
    "manifest with rows that add up to others": (
        edit_manifest(lambda m: m["splits"]["train"].update(rejected=5)), "manifest_damaged", MAN,
    ),
    "manifest without features": (edit_manifest(lambda m: m.update(features={})), "manifest_damaged", MAN),
    "manifest without one feature": (
        edit_manifest(lambda m: m["features"].pop("image/format")), "manifest_damaged", MAN,
    ),
    "manifest with a feature of another kind": (
        edit_manifest(lambda m: m["features"]["image/height"].update(kind="float")), "manifest_damaged", MAN,
    ),
    "manifest with a label renamed": (
        edit_manifest(lambda m: m.update(labels={"a": 0, "z": 1}), signed=False), "manifest_damaged", MAN,
    ),
    "manifest without its checksum": (
        edit_manifest(lambda m: m.pop("checksum"), signed=False), "manifest_damaged", MAN,
    ),
    "class counts of a split edited": (
        edit_manifest(lambda m: m["splits"]["train"]["labels"].update({"0": 7, "1": 5})), "split_digest", "",
    ),
    "shard gone": (remove(T0), "file_missing", T0),
    "shard of another run": (
        copy_first_shard("train-00002-of-00003.tfrecord"), "file_extra", "train-00002-of-00003.tfrecord",
    ),
    "temporary file beside it": (copy_first_shard(T0 + ".tmp"), "file_extra", T0 + ".tmp"),
    "shard under another name": (copy_first_shard("foo.bin"), "file_extra", "foo.bin"),
    "backup beside it": (copy_first_shard(T0 + ".bak"), "file_extra", T0 + ".bak"),
    "index of nothing": (
        lambda s: (s.folder / "train-00002-of-00003.tfrecord.idx").write_bytes(b"0 5\n") and None,
        "file_extra", "train-00002-of-00003.tfrecord.idx",
    ),
    "index gone": (remove(T0 + ".idx"), "index_missing", T0),
    "index unreadable": (as_folder(T0 + ".idx"), "unreadable", T0 + ".idx"),
    "index with another offset": (edit(T0 + ".idx", lambda d: d.replace(b"0 ", b"1 ", 1)), "index_wrong", T0),
    "index cut": (edit(T0 + ".idx", lambda d: b"".join(d.splitlines(True)[:-1])), "index_wrong", T0),
    "index cut in a line": (edit(T0 + ".idx", lambda d: d[:-1]), "index_wrong", T0),
    "index too long": (edit(T0 + ".idx", lambda d: d + b"1 2\n"), "index_wrong", T0),
    "index empty": (edit(T0 + ".idx", lambda d: b""), "index_wrong", T0),
    "index without an end": (edit(T0 + ".idx", lambda d: b"7" * 100_000), "index_wrong", T0),
}  # fmt: skip


@pytest.mark.parametrize("damage", BESIDE)
def test_damage_beside_the_shards(ours: Set, damage: str) -> None:
    do, code, path = BESIDE[damage]
    do(ours)
    report = verify(ours.folder)
    assert found(report) == [(code, path, None, None)]
    assert report.exit_code == 1
    assert report.records >= 14  # whatever is wrong beside them, all shards that are there are read


def test_an_index_is_judged_beside_a_damaged_payload_too(ours: Set) -> None:
    store(ours.target, flip(content(ours.target), 50))
    ours.index.write_bytes(b"0 1\n" * 6)
    codes = {place[0] for place in found(verify(ours.folder))}
    assert codes == {"payload_damaged", "index_wrong"}


def test_a_foreign_index_shows_a_file_cut_between_records(foreign: Set) -> None:
    frames = frames_of(foreign.target)
    lines, at = [], 0
    for frame in frames:
        lines.append(f"{at} {len(frame)}\n")
        at += len(frame)
    foreign.index.write_text("".join(lines))
    assert found(verify(foreign.folder)) == []
    store(foreign.target, b"".join(frames[:4]))
    assert found(verify(foreign.folder)) == [("index_wrong", foreign.target.name, None, None)]


def test_a_foreign_index_of_another_kind_is_left_alone(foreign: Set) -> None:
    foreign.index.write_bytes(b"\x89index of another program")
    report = verify(foreign.folder)
    assert (report.exit_code, report.problem_counts) == (0, {})
    assert any("index" in sentence and foreign.target.name in sentence for sentence in report.not_checked)


@pytest.mark.parametrize("name", [T0, T0 + ".idx", LIST, MAP, MAN])
def test_a_pipe_in_the_place_of_a_file_does_not_hang(ours: Set, name: str) -> None:
    (ours.folder / name).unlink()
    os.mkfifo(ours.folder / name)
    report = verify(ours.folder)
    assert report.exit_code == 1
    if name.endswith((".idx", ".jsonl", ".txt")):
        assert found(report) == [("unreadable", name, None, None)]
        assert "no regular file" in report.problems[0].message


@pytest.mark.parametrize("name", ["loop", T0])
def test_a_link_that_leads_in_a_circle(ours: Set, name: str) -> None:
    path = ours.folder / name
    path.unlink(missing_ok=True)
    path.symlink_to(path)
    report = verify(ours.folder)
    assert found(report) == ([("unreadable", name, None, None)] if name == T0 else [])
    assert report.records == (20 if name == "loop" else 14)


def test_a_file_that_goes_away_meanwhile(ours: Set, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shard_check.open_shard

    def vanishing(path: str) -> Any:
        if path.endswith(ours.target.name):
            ours.target.unlink(missing_ok=True)
        return real(path)

    monkeypatch.setattr(shard_check, "open_shard", vanishing)
    assert found(verify(ours.folder)) == [("unreadable", ours.target.name, None, None)]


def test_a_file_without_permission(ours: Set) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    ours.target.chmod(0)
    assert found(verify(ours.folder)) == [("unreadable", ours.target.name, None, None)]


# --- the dataset as a whole ---


def test_an_unfinished_dataset_is_never_taken_for_a_foreign_one(ours: Set) -> None:
    (ours.folder / "manifest.json").unlink()
    assert "manifest_missing" in verify(ours.folder).problem_counts
    (ours.folder / "_tfrec").mkdir()
    assert found(verify(ours.folder)) == [("unfinished", "", None, None)]


def test_a_set_that_lacks_a_shard(each: Set) -> None:
    for name in SIDE_FILES:
        (each.folder / name).unlink(missing_ok=True)
    each.other.unlink()
    report = verify(each.folder)
    assert (report.exit_code, found(report)) == (1, [("shards_missing", "", None, None)])
    assert "1 of 2" in report.problems[0].message


def test_shards_of_ours_that_are_all_damaged_or_empty(ours: Set) -> None:
    for path in [*(ours.folder / name for name in SIDE_FILES), *ours.folder.glob("*.idx")]:
        path.unlink(missing_ok=True)
    for path in ours.folder.glob("*.tfrecord"):
        path.write_bytes(b"".join(flip(frame, 30) for frame in frames_of(path)))
    report = verify(ours.folder)
    assert {place[0] for place in found(report)} == {"payload_damaged"}
    for path in ours.folder.glob("*.tfrecord"):
        path.write_bytes(b"")
    assert found(verify(ours.folder)) == [("no_records", "", None, None)]


def test_one_shard_of_an_unfinished_dataset(ours: Set) -> None:
    (ours.folder / "manifest.json").unlink()
    (ours.folder / "shards.jsonl").unlink()
    (ours.folder / "_tfrec").mkdir()
    report = verify(ours.target)
    assert (report.exit_code, found(report)) == (1, [("unfinished", "", None, None)])
    assert report.records == 6  # and it is read all the same


def test_a_manifest_of_another_program_says_nothing(foreign: Set) -> None:
    (foreign.folder / "manifest.json").write_text('{"name": "web app", "icons": []}')
    assert (verify(foreign.folder).exit_code, verify(foreign.target).exit_code) == (0, 0)


def test_files_in_folders_count_too(foreign: Set, sound: dict[tuple[str, str], Path]) -> None:
    (foreign.folder / "train").mkdir()
    (foreign.folder / "test").mkdir()
    for path in foreign.folder.glob("*.tfrecord"):
        split, _, rest = path.name.partition("-")
        path.rename(foreign.folder / split / rest)
    report = verify(foreign.folder)
    assert (report.exit_code, report.records, sorted(report.splits)) == (0, 18, ["test", "train"])
    target = foreign.folder / "train" / "00000-of-00002.tfrecord"
    store(target, flip(content(target), 30))
    assert found(verify(foreign.folder)) == [("payload_damaged", "train/00000-of-00002.tfrecord", 0, 0)]
    shutil.copytree(sound[OURS, PLAIN], foreign.folder / "mine")
    report = verify(foreign.folder)
    assert report.records == 18
    assert any("mine" in sentence for sentence in report.not_checked)


def test_datasets_in_a_folder_are_verified_one_at_a_time(
    tmp_path: Path, sound: dict[tuple[str, str], Path]
) -> None:
    for name in ("first", "second"):
        shutil.copytree(sound[OURS, PLAIN], tmp_path / name)
    with pytest.raises(InputError, match="first, second"):
        verify(tmp_path)


@pytest.mark.parametrize("name", ["a.tfr", "records", "records.bin", "a.TFRECORD.GZ"])
def test_names_that_people_give(tmp_path: Path, name: str) -> None:
    data = framed(encode_example({"image/encoded": [jpeg(1)]}))
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("GZ") else data)
    (tmp_path / "notes").write_text("nothing to see")
    report = verify(tmp_path, strict=True)
    assert (report.exit_code, report.records) == (0, 1)


def test_series_are_no_splits(tmp_path: Path) -> None:
    for name in ("cats-00000-of-00001.tfrecord", "dogs-00000-of-00001.tfrecord"):
        labelled(tmp_path, name, [0] * 60 if "cats" in name else [1] * 60, 0)
    assert {*verify(tmp_path).problem_counts} == {"duplicate_image"}


def test_names_without_a_suffix_count_too(foreign: Set) -> None:
    for path in list(foreign.folder.iterdir()):
        path.rename(path.with_suffix(""))
    assert verify(foreign.folder).exit_code == 0
    (foreign.folder / "train-00001-of-00002").unlink()
    assert found(verify(foreign.folder)) == [("shards_missing", "", None, None)]


def test_a_split_all_of_whose_rows_were_rejected(tmp_path: Path) -> None:
    rows = []
    for number in range(6):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number) if number < 4 else b"no image")
        rows.append(("TRAIN" if number < 4 else "TEST", f"{number}.jpg", "a"))
    csv = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    convert_json(csv, tmp_path / "out", "--max-rejects", "2")
    report = verify(tmp_path / "out")
    assert found(report) == [("empty_split", "", None, None)]
    assert "test" in report.problems[0].message


def labelled(folder: Path, name: str, labels: list[int], first: int) -> None:
    write_shard(
        folder / name,
        [
            encode_example({"image/encoded": [jpeg(first + n, 8, 8)], "image/class/label": [label]})
            for n, label in enumerate(labels)
        ],
    )


def test_shards_whose_classes_are_sorted(tmp_path: Path) -> None:
    for number in range(3):
        labelled(tmp_path, f"train-{number:05}-of-00003.tfrecord", [number] * 60, number * 60)
    report = verify(tmp_path)
    assert report.problem_counts == {"class_mix": 3}
    assert (report.exit_code, verify(tmp_path, strict=True).exit_code) == (0, 1)
    assert verify(tmp_path, strict=True, ignore=("class_mix",)).exit_code == 0


def test_shards_whose_classes_are_mixed(tmp_path: Path) -> None:
    labels = [label for label in range(3) for _ in range(60)]
    random.Random(1).shuffle(labels)
    for number in range(3):
        part = labels[number * 60 : number * 60 + 60]
        labelled(tmp_path, f"train-{number:05}-of-00003.tfrecord", part, number * 60)
    labelled(tmp_path, "test-00000-of-00001.tfrecord", [0] * 60, 200)  # another split may be different
    assert verify(tmp_path, strict=True).problem_counts == {}


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("train-00000-of-00001.tfrecord", "test-00000-of-00001.tfrecord"),
        ("train.record", "test.record"),
        ("set-train.tfrecord-00000-of-00001", "set-test.tfrecord-00000-of-00001"),
        ("training_0000_of_0001", "validation_0000_of_0001"),
    ],
)
def test_the_same_image_twice_and_in_two_splits(tmp_path: Path, train: str, test: str) -> None:
    labelled(tmp_path, train, [0] * 5, 0)
    labelled(tmp_path, test, [0] * 5, 4)
    report = verify(tmp_path)
    name, record = max((train, 4), (test, 0))
    assert found(report, "warning") == [("leakage", name, record, offset_of(tmp_path / name, record))]
    labelled(tmp_path, test, [0] * 5, 10)
    frames = frames_of(tmp_path / train)
    store(tmp_path / train, b"".join([*frames, frames[1]]))
    report = verify(tmp_path)
    assert found(report, "warning") == [("duplicate_image", train, 5, offset_of(tmp_path / train, 5))]
    assert "record 1 of" in report.problems[0].message


def test_raw_pixels_in_two_splits(tmp_path: Path) -> None:
    def record(first: int) -> bytes:
        data = bytes(range(first, first + 12))
        sizes = {"image/height": [2], "image/width": [2], "image/channels": [3]}
        return framed(encode_example({"image/raw": [data], **sizes}))

    store(tmp_path / "train.tfrecord", b"".join(map(record, range(5))))
    store(tmp_path / "test.tfrecord", b"".join(map(record, (7, 3))))
    report = verify(tmp_path)
    leak = max(("train.tfrecord", 3), ("test.tfrecord", 1))
    assert found(report, "warning") == [("leakage", *leak, offset_of(tmp_path / leak[0], leak[1]))]


def test_tfrecorder_sets_are_read(tfrecorder_data: Path) -> None:
    """Raw pixels in base64 under a key of their own: read, and it is said that they cannot be decoded."""
    report = verify(tfrecorder_data / "sample_tfrecords")
    assert (report.exit_code, report.records, found(report)) == (0, 6, [])
    assert any("6 records hold raw pixels" in sentence for sentence in report.not_checked)


# --- the table of problems ---


def test_every_code_of_integrity_has_a_test() -> None:
    here = Path(__file__).parent
    sources = [
        *here.glob("test_verify_*.py"),
        *here.glob("test_integrity_*.py"),
        here / "test_boxes.py",
        here / "test_gate.py",
    ]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    before = "".join(text.partition("# --- the table of problems ---")[0] for text in texts)
    codes = [code for code in PROBLEMS if not code.startswith("feed_")]
    assert [code for code in codes if f'"{code}"' not in before] == []


@pytest.fixture(autouse=True)
def _nothing_is_left_open() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    yield
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before


assert split_frames(framed(b"a") + framed(b"")) == [framed(b"a"), framed(b"")]


def test_files_of_no_split_beside_those_of_splits(tmp_path: Path) -> None:
    """As TFRecorder's empty discarded-data-00000-of-00001."""
    write_shard(tmp_path / "train-00000-of-00001.tfrecord", [encode_example({"x": [1]})])
    write_shard(tmp_path / "rest-00000-of-00001.tfrecord", [encode_example({"x": [2]})])
    assert set(verify(tmp_path).splits) == {"train", "other"}
    (tmp_path / "train-00000-of-00001.tfrecord").unlink()
    assert set(verify(tmp_path).splits) == {"all"}


def test_folders_in_a_dataset_are_told(sound: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    each = copy_of(sound, (OURS, PLAIN), tmp_path)
    assert verify(each.folder).not_checked == ()
    for name in ("_tfrec", "copies", ".git"):
        (each.folder / name).mkdir()
    report = verify(each.folder)
    assert report.ok
    assert report.not_checked == (
        "what is in copies: no part of the dataset",
        "what is in _tfrec: left by a run that died, unless one begins just now; "
        f"tfrec finish {each.folder} clears it up",
    )
