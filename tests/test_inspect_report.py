"""`tfrec inspect` and `inspect`: what is told of TFRecords, whoever wrote them, and however damaged."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, environment, image_list, jpeg, tfrec, write_csv

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.inspecting.features import MAX_DISTINCT, Histogram
from tfrecordcli.inspecting.inspection import Inspection, inspect
from tfrecordcli.inspecting.labels import Label

COMMON = {"schema_version", "command", "status", "exit_code", "error", "warnings"}
OF_INSPECT = {"records", "features", "splits", "labels", "images", "samples"}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12 photos in two shards, one split."""
    folder = tmp_path_factory.mktemp("ours")
    convert_json(image_list(folder / "in", 12), folder / "out", "--num-shards", "2")
    return folder / "out"


def example(tf: Any, values: Mapping[str, Any]) -> bytes:
    """A serialized tf.train.Example of lists of bytes, ints or floats."""
    features = {}
    for key, items in values.items():
        if items and isinstance(items[0], bytes):
            features[key] = tf.train.Feature(bytes_list=tf.train.BytesList(value=items))
        elif items and isinstance(items[0], float):
            features[key] = tf.train.Feature(float_list=tf.train.FloatList(value=items))
        else:
            features[key] = tf.train.Feature(int64_list=tf.train.Int64List(value=items))
    payload: bytes = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    return payload


def write(tf: Any, path: Path, records: Iterable[Mapping[str, Any] | bytes], compression: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for record in records:
            writer.write(record if isinstance(record, bytes) else example(tf, record))
    return path


def feature(inspection: Inspection, key: str) -> Any:
    return next(feature for feature in inspection.features if feature.key == key)


# --- ours and TFRecorder's ---


def test_ours(ours: Path) -> None:
    found = inspect(ours)
    assert (found.records, found.exit_code, found.stopped, found.problems) == (12, 0, False, ())
    assert [(f.name, f.split, f.records, f.whole) for f in found.files] == [
        ("train-00000-of-00002.tfrecord", "train", 6, True),
        ("train-00001-of-00002.tfrecord", "train", 6, True),
    ]
    assert [f.key for f in found.features if f.is_fixed] == [
        "image/channels", "image/class/label", "image/class/text", "image/encoded", "image/filename",
        "image/format", "image/height", "image/width",
    ]  # fmt: skip
    assert found.labels is not None
    assert (found.labels.key, found.labels.text_key) == ("image/class/label", "image/class/text")
    assert dict(found.labels.counts) == {Label(0, "a"): 6, Label(1, "b"): 6}
    assert found.images is not None
    assert found.images.formats == {"jpeg": 12}
    assert found.images.sizes == (((16, 24), 12),)
    assert {sample.file for sample in found.samples} == {file.name for file in found.files}


def test_tfrecorders_own(tfrecorder_data: Path) -> None:
    """Gzip, raw pixels in base64, and an empty file beside them."""
    found = inspect(tfrecorder_data / "sample_tfrecords")
    assert (found.records, found.exit_code, found.compressions) == (6, 0, ("gzip",))
    assert {name: counts["records"] for name, counts in found.splits.items()} == {
        "all": 0, "test": 2, "train": 2, "validation": 2,
    }  # fmt: skip
    assert found.images is not None
    assert found.images.formats == {"raw_base64": 6}
    assert found.images.size_keys == ("image_height", "image_width", "image_channels")
    assert (found.images.smallest, found.images.largest) == ((213, 320), (853, 800))
    assert found.labels is not None
    assert dict(found.labels.counts) == {Label(0, None): 3, Label(1, None): 3}


@pytest.mark.parametrize("where", ["folder", "file", "gzip", "gzip under a plain name"])
def test_the_text(ours: Path, tmp_path: Path, where: str) -> None:
    path = ours / "train-00000-of-00002.tfrecord"
    if where == "folder":
        path = ours
    elif where.startswith("gzip"):
        data = gzip.compress(path.read_bytes())
        path = tmp_path / ("x.tfrecord.gz" if where == "gzip" else "x.tfrecord")
        path.write_bytes(data)
    done = tfrec("inspect", path)
    assert (done.code, done.err) == (0, "")
    assert "image/class/label" in done.out
    assert "16x24" in done.out
    assert (", gzip" in done.out) == where.startswith("gzip")


def test_json_has_all_keys(ours: Path) -> None:
    done = tfrec("inspect", ours, "--json").json
    assert set(done) >= COMMON | OF_INSPECT
    assert (done["command"], done["status"], done["error"], done["records"]) == (
        "inspect", "complete", None, 12,
    )  # fmt: skip
    assert done["splits"]["train"] == {
        "records": 12, "files": 2, "bytes": sum(p.stat().st_size for p in ours.glob("*.tfrecord")),
    }  # fmt: skip
    assert {"label": 1, "text": "b", "count": 6} in done["labels"]["counts"]
    assert done["images"]["sizes"] == [{"height": 16, "width": 24, "count": 12}]


def test_quiet_says_nothing(ours: Path) -> None:
    done = tfrec("inspect", ours, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_max_records_is_kept_and_said(ours: Path) -> None:
    found = inspect(ours, max_records=5)
    assert (found.records, found.stopped, found.exit_code) == (5, True, 0)
    assert [(file.records, file.whole) for file in found.files] == [(5, False), (0, False)]
    assert "only the first 5 records were read" in tfrec("inspect", ours, "--max-records", 5).out
    assert not inspect(ours, max_records=12).stopped
    with pytest.raises(UsageError):
        inspect(ours, max_records=0)


# --- foreign ---


def test_floats_several_values_and_missing_keys(tf: Any, tmp_path: Path) -> None:
    records = [
        {"x": [0.5, float("nan"), -2.0], "tags": [b"a", b"bcd"], "n": [1], "class": [7]},
        {"x": [1.5], "n": [5], "class": [7]},
        {"x": [float("inf")], "tags": [b"e"], "n": [-9], "empty": []},
    ]
    found = inspect(write(tf, tmp_path / "val.tfrecord", records))
    assert (found.records, found.exit_code, found.images) == (3, 0, None)
    assert found.files[0].split == "validation"
    x, tags, n = feature(found, "x"), feature(found, "tags"), feature(found, "n")
    assert (x.kind, x.min_values, x.max_values, x.absent) == ("float", 1, 3, 0)
    assert (x.lowest, x.highest, x.example) == (-2.0, 1.5, "[0.5, nan, -2]")
    assert (tags.kind, tags.absent, tags.min_bytes, tags.max_bytes) == ("bytes", 1, 1, 3)
    assert n.is_fixed
    assert (n.lowest, n.highest) == (-9, 5)
    assert found.labels is not None
    assert (found.labels.key, found.labels.records) == ("class", 2)
    json.dumps(tfrec("inspect", tmp_path / "val.tfrecord", "--json").json, allow_nan=False)


def test_a_key_of_two_kinds(tf: Any, tmp_path: Path) -> None:
    found = inspect(write(tf, tmp_path / "a.tfrecord", [{"k": [1]}, {"k": [b"1"]}]))
    assert feature(found, "k").kinds == {"bytes": 1, "int64": 1}


def test_a_text_that_begins_like_an_image_is_none(tf: Any, tmp_path: Path) -> None:
    records = [{"a_label": [b"BMW"], "pixels": [jpeg(n)]} for n in range(3)]
    found = inspect(write(tf, tmp_path / "a.tfrecord", records))
    assert found.images is not None
    assert (found.images.key, found.images.formats) == ("pixels", {"jpeg": 3})
    assert found.labels is not None
    assert found.labels.counts == ((Label(None, "BMW"), 3),)


def test_a_mask_is_no_label(tf: Any, tmp_path: Path) -> None:
    found = inspect(write(tf, tmp_path / "a.tfrecord", [{"label": [0, 1] * 500}]))
    assert found.labels is None


def test_several_labels(tmp_path: Path) -> None:
    image_list(tmp_path / "in", 2)
    rows = [("TRAIN", "000.jpg", "a", "b"), ("TRAIN", "001.jpg", "b", "")]
    csv = write_csv(tmp_path / "in" / "multi.csv", rows)
    convert_json(csv, tmp_path / "out")
    found = inspect(tmp_path / "out")
    assert found.labels is not None
    assert dict(found.labels.counts) == {Label(0, "a"): 1, Label(1, "b"): 2}
    assert not feature(found, "image/class/label").is_fixed


def test_histograms_are_bounded() -> None:
    histogram: Histogram[int] = Histogram()
    for value in [*range(MAX_DISTINCT + 5), 0]:
        histogram.add(value)
    assert len(histogram.most_frequent()) == MAX_DISTINCT
    assert histogram.most_frequent()[0] == (0, 2)
    assert histogram.left_out == 5


def test_too_many_labels_are_said(tf: Any, tmp_path: Path) -> None:
    path = write(tf, tmp_path / "a.tfrecord", ({"label": [n]} for n in range(MAX_DISTINCT + 3)))
    done = tfrec("inspect", path)
    assert "at least 10,000 kinds" in done.out
    assert "3 labels were not counted one by one" in done.out


ESCAPE = "\x1b]0;owned\x07\x1b[31m"


@pytest.mark.parametrize("options", [(), ("--parse-fn",), ("--json",)], ids=str)
def test_no_escape_reaches_the_terminal(tf: Any, tmp_path: Path, options: tuple[str, ...]) -> None:
    record = {
        f"label{ESCAPE}": [ESCAPE.encode()],
        "image/class/label": [3],
        "image/class/text": [f"cat{ESCAPE}".encode()],
        f"number{ESCAPE}": [1, 2],
    }
    path = write(tf, tmp_path / f"x{ESCAPE.replace('/', '')}.tfrecord", [record, {"other": [1]}])
    done = tfrec("inspect", path, *options)
    assert done.code == 0
    assert done.out
    assert all(c.isprintable() or c == "\n" for c in done.out + done.err)


# --- damaged ---


def damage(path: Path, kind: str) -> str:
    """Damages a file of six records; returns what must be told."""
    data = path.read_bytes()
    if kind == "cut":
        path.write_bytes(data[:-7])
        return "the file ends inside this record"
    if kind == "payload":
        path.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
        return "the record's content does not match its checksum"
    if kind == "length":
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
        return "the record's length is damaged"
    if kind == "gzip cut":
        path.write_bytes(gzip.compress(data)[:-100])
        return "the gzip stream is cut short"
    if kind == "tiny gzip cut":
        path.write_bytes(gzip.compress(data)[:20])
        return "the gzip stream is cut short"
    if kind == "gzip damaged":
        packed = gzip.compress(data)
        path.write_bytes(packed[:200] + bytes(50) + packed[250:])
        return "error: x.tfrecord, record "  # garbage or no bytes at all: zlib's business
    if kind == "html":
        path.write_bytes(b"<!DOCTYPE html><html>not found</html>")
        return "this is no TFRecord file: it is a web page"
    path.write_bytes(b"")
    return "there is no record"


READABLE = {"cut": 5, "payload": 5, "gzip cut": 5}  # of six records; none of the others


@pytest.mark.parametrize(
    "kind", ["cut", "payload", "length", "gzip cut", "tiny gzip cut", "gzip damaged", "html", "empty"]
)
def test_damage_is_told_and_the_rest_is_shown(ours: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.tfrecord"
    path.write_bytes((ours / "train-00000-of-00002.tfrecord").read_bytes())
    said = damage(path, kind)
    done = tfrec("inspect", path)
    assert done.code == 1
    assert said in done.out
    assert "Traceback" not in done.out + done.err
    found = inspect(path)
    assert found.exit_code == 1
    if kind == "gzip damaged":
        assert found.records < 6
    else:
        assert found.records == READABLE.get(kind, 0)
    if kind in ("cut", "payload", "length"):
        (problem,) = found.problems
        assert (problem.path, problem.record) == ("x.tfrecord", 5 if kind == "cut" else 0)
        assert (problem.offset == 0) == (kind != "cut")


@pytest.mark.parametrize(("kind", "code"), [("payload", "problems"), ("empty", "no_records")])
def test_damage_in_json_and_in_quiet(ours: Path, tmp_path: Path, kind: str, code: str) -> None:
    path = tmp_path / "x.tfrecord"
    path.write_bytes((ours / "train-00000-of-00002.tfrecord").read_bytes())
    said = damage(path, kind)
    values = tfrec("inspect", path, "--json").json
    assert (values["status"], values["exit_code"], values["error"]["code"]) == ("failed", 1, code)
    quiet = tfrec("inspect", path, "--quiet")
    assert (quiet.code, quiet.out) == (1, "")
    assert said in quiet.err


def test_records_that_are_no_examples(tf: Any, tmp_path: Path) -> None:
    path = write(tf, tmp_path / "x.tfrecord", [{"a": [1]}, b"\xff\xff\xff", {"a": [2]}])
    found = inspect(path)
    assert (found.records, found.exit_code) == (2, 1)
    assert [(p.code, p.record) for p in found.problems] == [("not_an_example", 1)]


def test_an_unfinished_dataset_is_shown_and_said(ours: Path, tmp_path: Path) -> None:
    name = "train-00001-of-00002.tfrecord"
    (tmp_path / name).write_bytes((ours / name).read_bytes())
    done = tfrec("inspect", tmp_path)
    assert done.code == 1
    assert "train has 1 of 2 shards" in done.out
    assert "6 records" in done.out


@pytest.mark.parametrize(
    "make", [lambda path: None, lambda path: path.mkdir()], ids=["nothing", "empty folder"]
)
def test_nothing_to_inspect_is_2(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "x"
    make(path)
    with pytest.raises(InputError):
        inspect(path)
    done = tfrec("inspect", path, "--json")
    assert done.json["exit_code"] == done.code == 2


def test_images_that_lie(tf: Any, tmp_path: Path) -> None:
    """Cut, empty and unknown images are counted, not fatal."""
    records = [{"image/encoded": [data]} for data in (jpeg()[:30], b"", b"not an image", jpeg())]
    found = inspect(write(tf, tmp_path / "x.tfrecord", records))
    assert found.exit_code == 0
    assert found.images is not None
    assert found.images.unreadable == 3
    assert found.images.formats == {"jpeg": 2, "empty": 1, "unknown": 1}


# --- what it loads ---


def test_no_tensorflow_and_no_pandas_are_loaded(ours: Path, tmp_path: Path) -> None:
    code = (
        "import sys, atexit\n"
        "heavy = {'tensorflow', 'pandas', 'apache_beam', 'google.protobuf'}\n"
        "atexit.register(lambda: print('heavy:', sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "from tfrecordcli.cli.main import main\nmain()\n"
    )
    products = ("--export", tmp_path / "some", "--sheet", tmp_path / "s.png", "--parse-fn", "--json")
    done = tfrec("inspect", ours, *products, command=[sys.executable, "-c", code], env=environment())
    assert (done.code, done.err) == (0, "heavy: []\n")


@pytest.mark.parametrize("photo", ["image", "left", "zebra", "maskless"])
@pytest.mark.parametrize("mask", ["mask", "a/segmentation/class/encoded", "Depth", "annotation"])
def test_a_photo_goes_before_its_mask(tf: Any, tmp_path: Path, photo: str, mask: str) -> None:
    for keys in ((photo, mask), (mask, photo)):
        record = {key: [jpeg(number)] for number, key in enumerate(keys)}
        found = inspect(write(tf, tmp_path / "a.tfrecord", [record, record])).images
        assert found is not None
        assert (found.key, found.others, found.elsewhere) == (photo, {mask: 2}, 0)
    assert f"images beside them: {mask} 2" in tfrec("inspect", tmp_path / "a.tfrecord").out


def test_several_images_under_one_key_are_told(tf: Any, tmp_path: Path) -> None:
    path = write(tf, tmp_path / "a.tfrecord", [{"images": [jpeg(1), jpeg(2)]}, {"images": [jpeg(3)]}])
    assert "1 record with several: the first of each is counted here" in tfrec("inspect", path).out
