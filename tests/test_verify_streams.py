"""Damage to the stream of records, whoever wrote it and however it is packed; several kinds at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import jpeg
from damaging import GZIP, OURS, PLAIN, RECORD, Set, copy_of, has_index
from verifying import change_features, content, flip, found, framed, frames_of, masked, store, verify

from tfrecordcli.formats.example import encode_example

pytestmark = pytest.mark.usefixtures("nothing_left_open")


# --- the stream of records, whoever wrote it, however it is packed ---

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
