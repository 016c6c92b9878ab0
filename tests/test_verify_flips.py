"""Any one byte or bit of a dataset changed: found, whatever it is; and nothing makes verify stumble."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, write_csv
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sampling import examples
from verifying import content, flip, verify

from tfrecordcli.errors import TfrecError

PLAIN, GZIP, FOREIGN = "plain", "gzip", "foreign"
Folders = dict[str, Path]


@pytest.fixture(scope="module")
def folders(tf: Any, tmp_path_factory: pytest.TempPathFactory) -> Folders:
    folder = tmp_path_factory.mktemp("flips")
    rows = []
    for number in range(8):
        (folder / f"{number}.jpg").write_bytes(jpeg(number, width=16 + number))
        rows.append(("TRAIN" if number < 6 else "TEST", f"{number}.jpg", ("cat", "dog")[number % 2]))
    csv = write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))
    shards = ("--num-shards", "train=2,test=1", "--workers", "1")
    assert convert_json(csv, folder / PLAIN, *shards, "--index")["exit_code"] == 0
    assert convert_json(csv, folder / GZIP, *shards, "--compression", "gzip")["exit_code"] == 0
    (folder / FOREIGN).mkdir()
    for name, kind in (("a.tfrecord", ""), ("b.tfrecord.gz", "GZIP")):
        options = tf.io.TFRecordOptions(compression_type=kind)
        with tf.io.TFRecordWriter(str(folder / FOREIGN / name), options) as writer:
            for number in range(4):
                image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[jpeg(number)]))
                features = tf.train.Features(feature={"picture": image})
                writer.write(tf.train.Example(features=features).SerializeToString())
    return {kind: folder / kind for kind in (PLAIN, GZIP, FOREIGN)}


@contextmanager
def changed(path: Path, data: bytes) -> Iterator[None]:
    kept = path.read_bytes()
    path.write_bytes(data)
    try:
        yield
    finally:
        path.write_bytes(kept)


def change(data: bytes, at: int, mask: int) -> bytes:
    return flip(data, at % len(data), mask)


AT = st.integers(0, 1 << 20)
MASK = st.one_of(st.sampled_from([1 << bit for bit in range(8)]), st.integers(1, 255))
SHARD = "train-00000-of-00002.tfrecord"


@pytest.mark.parametrize("kind", [PLAIN, GZIP, FOREIGN])
def test_unchanged_they_are_right(folders: Folders, kind: str) -> None:
    report = verify(folders[kind])
    assert (report.exit_code, report.problem_count) == (0, 0 if kind != FOREIGN else 4)  # 4 in both files


@pytest.mark.parametrize(("kind", "name"), [(PLAIN, SHARD), (GZIP, SHARD + ".gz"), (FOREIGN, "a.tfrecord")])
@given(at=AT, mask=MASK)
@settings(max_examples=examples(150), deadline=None)
def test_any_byte_of_a_shard(folders: Folders, kind: str, name: str, at: int, mask: int) -> None:
    path = folders[kind] / name
    with changed(path, change(path.read_bytes(), at, mask)):
        report = verify(folders[kind])
    assert report.exit_code == 1
    errors = [problem for problem in report.problems if problem.severity == "error"]
    assert {problem.path for problem in errors} == {name}
    if kind != GZIP:  # whose name may be wrong then too
        assert len(errors) == 1


@given(at=AT, mask=MASK)
@example(at=3, mask=32)
@settings(max_examples=examples(150), deadline=None)
def test_any_byte_of_a_foreign_gzip_file_that_changes_what_is_in_it(
    folders: Folders, at: int, mask: int
) -> None:
    path = folders[FOREIGN] / "b.tfrecord.gz"
    data = change(path.read_bytes(), at, mask)
    # As TensorFlow reads it; Python's gzip module passes over reserved flags (RFC 1952, 2.3.1.2).
    inflater = zlib.decompressobj(wbits=31)
    try:
        is_same = inflater.decompress(data) == content(path)  # as with the time in the header
    except zlib.error:
        is_same = False
    is_same = is_same and inflater.eof and not inflater.unused_data
    with changed(path, data):
        report = verify(folders[FOREIGN])
    assert report.exit_code == (0 if is_same else 1)


@given(at=AT, mask=MASK)
@settings(max_examples=examples(100), deadline=None)
def test_any_byte_of_the_labels(folders: Folders, at: int, mask: int) -> None:
    path = folders[PLAIN] / "labels.txt"
    with changed(path, change(path.read_bytes(), at, mask)):
        report = verify(folders[PLAIN])
    assert (report.exit_code, dict(report.problem_counts)) == (1, {"labels_edited": 1})


@given(at=AT, mask=MASK)
@settings(max_examples=examples(100), deadline=None)
def test_any_byte_of_an_index(folders: Folders, at: int, mask: int) -> None:
    path = folders[PLAIN] / (SHARD + ".idx")
    with changed(path, change(path.read_bytes(), at, mask)):
        report = verify(folders[PLAIN])
    assert (report.exit_code, dict(report.problem_counts)) == (1, {"index_wrong": 1})


@given(at=AT, mask=MASK)
@settings(max_examples=examples(400), deadline=None)
def test_any_byte_of_the_list(folders: Folders, at: int, mask: int) -> None:
    path = folders[PLAIN] / "shards.jsonl"
    with changed(path, change(path.read_bytes(), at, mask)):
        report = verify(folders[PLAIN])
    assert (report.exit_code, dict(report.problem_counts)) == (1, {"shards_list_damaged": 1})


def test_shards_in_another_order_in_the_list(folders: Folders) -> None:
    """Readers take the records in this order, where they do not shuffle."""
    path = folders[PLAIN] / "shards.jsonl"
    first, second, *others = path.read_bytes().splitlines(keepends=True)
    with changed(path, b"".join([second, first, *others])):
        report = verify(folders[PLAIN])
    assert (report.exit_code, dict(report.problem_counts)) == (1, {"shards_list_damaged": 1})


@given(at=AT, mask=MASK)
@settings(max_examples=examples(400), deadline=None)
def test_any_byte_of_the_manifest_that_changes_what_it_says(folders: Folders, at: int, mask: int) -> None:
    path = folders[PLAIN] / "manifest.json"
    data = change(path.read_bytes(), at, mask)
    try:
        is_same = json.loads(data) == json.loads(path.read_bytes())
    except ValueError:
        is_same = False
    with changed(path, data):
        report = verify(folders[PLAIN])
    assert report.records == 8
    assert (report.exit_code, report.problem_counts) == ((0, {}) if is_same else (1, {"manifest_damaged": 1}))


def values_in(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(node, (dict, list)):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from values_in(node[key], (*path, key))


@given(data=st.data())
@settings(max_examples=examples(250), deadline=None)
def test_any_value_of_the_manifest(folders: Folders, data: st.DataObject) -> None:
    path = folders[PLAIN] / "manifest.json"
    manifest = json.loads(path.read_text())
    place = data.draw(st.sampled_from(list(values_in(manifest))[1:]))
    node = manifest
    for key in place[:-1]:
        node = node[key]
    kept = node[place[-1]]
    node[place[-1]] = data.draw(st.sampled_from([None, True, -1, 3, 0.5, "", "x", [], {}, [1], {"a": "b"}]))
    with changed(path, json.dumps(manifest).encode()):
        report = verify(folders[PLAIN])
    is_same = json.dumps(node[place[-1]]) == json.dumps(kept)
    assert report.exit_code == (0 if is_same else 1)


@pytest.mark.parametrize("name", [SHARD, "shards.jsonl", "labels.txt", "manifest.json", SHARD + ".idx"])
@given(data=st.binary(max_size=400))
@settings(max_examples=examples(40), deadline=None)
def test_any_bytes_in_the_place_of_a_file(folders: Folders, name: str, data: bytes) -> None:
    with changed(folders[PLAIN] / name, data):
        report = verify(folders[PLAIN])
    assert report.exit_code == 1


@given(
    data=st.binary(max_size=400),
    name=st.sampled_from(["x.tfrecord", "x.tfrecord.gz", "train-00000-of-00001"]),
)
@settings(max_examples=examples(150), deadline=None)
def test_any_bytes_under_the_name_of_a_shard(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    folder = tmp_path_factory.mktemp("junk")
    (folder / name).write_bytes(data)
    assert verify(folder).exit_code == 1
    assert verify(folder / name).exit_code == 1


def test_a_folder_of_nothing_known(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg(0))
    with pytest.raises(TfrecError) as caught:
        verify(tmp_path)
    assert caught.value.exit_code == 2
