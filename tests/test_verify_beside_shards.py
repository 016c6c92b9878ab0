"""Labels, lists of shards, manifests and index files that were edited, lost or made unreadable."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from damaging import Set
from verifying import content, flip, found, frames_of, store, verify

from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.integrity import shard_check

pytestmark = pytest.mark.usefixtures("nothing_left_open")


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
    "more labels than the records of a split have": (
        edit_manifest(lambda m: m["splits"]["train"].update(labels_per_record=[2, 2])), "split_digest", "",
    ),
    "shard gone": (remove(T0), "file_missing", T0),
    "shard of another run": (
        copy_first_shard("train-00002-of-00003.tfrecord"), "file_extra", "train-00002-of-00003.tfrecord",
    ),
    "temporary file beside it": (copy_first_shard(T0 + ".tmp"), "file_extra", T0 + ".tmp"),
    "shard under another name": (copy_first_shard("foo.bin"), "file_extra", "foo.bin"),
    "shard under a name without an extension": (copy_first_shard("extra"), "file_extra", "extra"),
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
