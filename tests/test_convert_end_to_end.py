"""`tfrec convert` from its source to what TensorFlow reads: every row, label, size and byte."""

from __future__ import annotations

import csv as csv_module
import json
import shutil
import struct
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pytest
from converting import (
    Record,
    by_filename,
    convert_json,
    fingerprint,
    image_list,
    jpeg,
    manifest,
    read_all,
    read_csv,
    tfrec,
    write_csv,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

import tfrecordcli
from tfrecordcli.formats.digest import record_digest

KEYS = {
    "image/encoded", "image/format", "image/height", "image/width", "image/channels", "image/filename",
    "image/class/label", "image/class/text",
}  # fmt: skip
SPLIT_WORDS = {"TRAIN": "train", "VALIDATION": "validation", "TEST": "test"}


def label_names(folder: Path) -> list[str]:
    return (folder / "labels.txt").read_text(encoding="utf-8").splitlines()


def facts_agree(folder: Path, found: dict[str, list[Record]]) -> None:
    """Manifest, shards.jsonl and labels.txt say what the records hold."""
    stands = manifest(folder)
    shards = [json.loads(line) for line in (folder / "shards.jsonl").read_text().splitlines()]
    assert stands["records"] == sum(map(len, found.values()))
    assert list(stands["labels"]) == (label_names(folder) if stands["num_labels"] else [])
    ids = stands["labels"]
    for split, counts in stands["splits"].items():
        if split == "none":
            continue
        records = found.get(split, [])
        assert counts["records"] == len(records)
        assert int(counts["digest"], 16) == sum(record_digest(r.raw) for r in records) % 2**64
        for name, label in ids.items():
            assert counts["labels"].get(str(label), 0) == sum(label in r.labels for r in records), name
        assert counts["bytes"] == sum(s["bytes"] for s in shards if s["split"] == split)
        assert counts["shards"] == sum(s["split"] == split for s in shards)
    for shard in shards:
        data = (folder / shard["file"]).read_bytes()
        assert (len(data), f"{google_crc32c.value(data):08x}") == (shard["bytes"], shard["crc32c"])
        assert shard["records"] == shard["planned"] - shard["rejected"]
    assert {p.name for p in folder.glob("*.tfrecord*") if p.suffix != ".idx"} == {s["file"] for s in shards}
    for records in found.values():
        for record in records:
            assert record.keys == (
                KEYS if record.labels else KEYS - {"image/class/label", "image/class/text"}
            )
            assert len(record.labels) == len(record.texts)
            assert [ids[text] for text in record.texts] == list(record.labels)


# --- the sample data ---


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, sample_data: Path) -> Path:
    output = tmp_path_factory.mktemp("sample") / "out"
    assert convert_json(sample_data / "data.csv", output)["exit_code"] == 0
    return output


def test_every_row_is_a_record(tf: Any, sample: Path, sample_data: Path) -> None:
    found = read_all(tf, sample)
    facts_agree(sample, found)
    rows = read_csv(sample_data / "data.csv")
    records = by_filename(found)
    assert len(rows) == len(records) == 30
    for row in rows:
        record = records[row["image_uri"]]
        assert record in found[SPLIT_WORDS[row["split"]]]
        assert record.texts == (row["label"],)
    assert label_names(sample) == ["circle", "square", "triangle"]


def test_kept_images_keep_their_bytes(tf: Any, sample: Path, sample_data: Path) -> None:
    changed = []
    for name, record in by_filename(read_all(tf, sample)).items():
        original = (sample_data / name).read_bytes()
        if record.encoded != original:
            changed.append(name)
            continue
        assert record.format == ("png" if name.endswith(".png") else "jpeg")
    assert sorted(changed) == ["images/circle/07.gif", "images/triangle/02.jpg"]  # a GIF; a turned photo


def test_the_gif_shows_the_same_pixels(tf: Any, sample: Path, sample_data: Path) -> None:
    record = by_filename(read_all(tf, sample))["images/circle/07.gif"]
    theirs = tf.io.decode_gif((sample_data / "images/circle/07.gif").read_bytes())[0].numpy()
    assert record.format == "png"
    assert np.array_equal(tf.io.decode_png(record.encoded).numpy(), theirs)


def test_the_turned_photo_is_upright_unless_kept(
    tf: Any, sample: Path, sample_data: Path, tmp_path: Path
) -> None:
    name = "images/triangle/02.jpg"
    lying = tf.io.decode_jpeg((sample_data / name).read_bytes()).numpy()
    upright = by_filename(read_all(tf, sample))[name]
    turned = tf.io.decode_image(upright.encoded).numpy()
    assert turned.shape == np.rot90(lying, -1).shape
    assert np.abs(turned.astype(int) - np.rot90(lying, -1).astype(int)).mean() < 3
    kept = tmp_path / "kept"
    assert convert_json(sample_data / "data.csv", kept, "--exif", "keep")["exit_code"] == 0
    assert by_filename(read_all(tf, kept))[name].encoded == (sample_data / name).read_bytes()


def test_nothing_is_left_behind_and_nothing_private_is_written(sample: Path, sample_data: Path) -> None:
    names = {path.name for path in sample.iterdir()}
    shards = {f"{split}-00000-of-00001.tfrecord" for split in SPLIT_WORDS.values()}
    tfds = {"dataset_info.json", "features.json", "image.class.label.labels.txt"}
    assert names == {"manifest.json", "shards.jsonl", "labels.txt", *tfds, *shards}
    for name in ("manifest.json", "shards.jsonl"):
        text = (sample / name).read_text()
        assert str(sample_data) not in text
        assert str(sample.parent) not in text


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_same_bytes_whatever_the_workers(tmp_path: Path, compression: str) -> None:
    csv = image_list(tmp_path / "in", 40, {})
    (tmp_path / "in" / "013.jpg").write_bytes(b"no image")
    prints = []
    for workers in (1, 2, 4):
        output = tmp_path / f"out-{workers}"
        options = ("--num-shards", "7", "--compression", compression, "--workers", workers)
        assert convert_json(csv, output, *options, "--max-rejects", workers)["exit_code"] == 0
        prints.append(fingerprint(output))
    assert prints[0] == prints[1] == prints[2]
    assert "rejects.csv" in prints[0]


def test_python_writes_the_same_bytes(sample: Path, sample_data: Path, tmp_path: Path) -> None:
    result = tfrecordcli.convert(sample_data / "data.csv", tmp_path / "out")
    assert (result.status, result.exit_code, result.records) == ("complete", 0, 30)
    assert fingerprint(tmp_path / "out") == fingerprint(sample)


def test_another_seed_is_another_order_of_the_same_records(tf: Any, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 30)
    orders = {}
    for seed in ("0", "1", "-7"):
        convert_json(csv, tmp_path / seed, "--seed", seed)
        orders[seed] = [record.filename for record in read_all(tf, tmp_path / seed)["train"]]
    assert len({tuple(order) for order in orders.values()}) == 3
    assert len({tuple(sorted(order)) for order in orders.values()}) == 1
    assert orders["0"] != sorted(orders["0"])  # mixed


# --- the shape of the output ---


def test_gzip_shards(tf: Any, sample: Path, sample_data: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert convert_json(sample_data / "data.csv", output, "--compression", "gzip")["exit_code"] == 0
    found = read_all(tf, output)
    facts_agree(output, found)
    assert len(list(output.glob("*.tfrecord.gz"))) == 3
    plain = read_all(tf, sample)
    assert {s: [r.raw for r in rs] for s, rs in found.items()} == {
        s: [r.raw for r in rs] for s, rs in plain.items()
    }


def test_index_files_find_the_records(tf: Any, sample_data: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    convert_json(sample_data / "data.csv", output, "--index", "--num-shards", "train=3,test=2")
    shards = sorted(output.glob("*.tfrecord"))
    assert len(shards) == 6
    for shard in shards:
        data = shard.read_bytes()
        entries = [tuple(map(int, line.split())) for line in Path(f"{shard}.idx").read_text().splitlines()]
        records = [bytes(raw.numpy()) for raw in tf.data.TFRecordDataset(str(shard))]
        assert [data[offset + 12 : offset + size - 4] for offset, size in entries] == records
        assert [struct.unpack_from("<Q", data, offset)[0] for offset, _ in entries] == [
            size - 16 for _, size in entries
        ]
        assert sum(entries[-1]) == len(data)


def test_shards_differ_by_at_most_one_planned_row(tf: Any, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 23)
    (tmp_path / "in" / "005.jpg").unlink()
    convert_json(csv, tmp_path / "out", "--num-shards", "5")
    shards = [json.loads(line) for line in (tmp_path / "out" / "shards.jsonl").read_text().splitlines()]
    assert [s["file"] for s in shards] == [f"train-0000{i}-of-00005.tfrecord" for i in range(5)]
    assert {s["planned"] for s in shards} == {4, 5}
    assert sum(s["planned"] for s in shards) == 23
    assert sorted(s["rejected"] for s in shards) == [0, 0, 0, 0, 1]
    facts_agree(tmp_path / "out", read_all(tf, tmp_path / "out"))


def test_max_side_shrinks(tf: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "wide.jpg").write_bytes(jpeg(1, 80, 40))
    (folder / "small.jpg").write_bytes(jpeg(2, 20, 30))
    csv = write_csv(folder / "list.csv", [("TRAIN", "wide.jpg", "a"), ("TRAIN", "small.jpg", "a")])
    convert_json(csv, tmp_path / "out", "--max-side", "40")
    records = by_filename(read_all(tf, tmp_path / "out"))
    assert records["wide.jpg"].stored == (20, 40, 3)
    assert records["small.jpg"].encoded == (folder / "small.jpg").read_bytes()


# --- labels ---


def test_several_labels_a_row(tf: Any, tmp_path: Path) -> None:
    image_list(tmp_path / "in", 4)
    rows = [
        ("TRAIN", "000.jpg", "sky", "tree"), ("TRAIN", "001.jpg", "tree"),
        ("TRAIN", "002.jpg", "tree", "sky", "tree", "cat"), ("TRAIN", "003.jpg", "sky", "", "cat", ""),
    ]  # fmt: skip
    csv = write_csv(tmp_path / "in" / "multi.csv", rows)
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0
    found = read_all(tf, tmp_path / "out")
    facts_agree(tmp_path / "out", found)
    texts = {name: record.texts for name, record in by_filename(found).items()}
    assert texts == {
        "000.jpg": ("sky", "tree"),
        "001.jpg": ("tree",),
        "002.jpg": ("tree", "sky", "cat"),
        "003.jpg": ("sky", "cat"),
    }


@pytest.mark.parametrize("what", ["error", "keep", "skip"])
def test_rows_without_a_label(tf: Any, tmp_path: Path, what: str) -> None:
    image_list(tmp_path / "in", 3)
    rows = [("TRAIN", "000.jpg", "a"), ("TRAIN", "001.jpg", ""), ("TRAIN", "002.jpg", "b")]
    csv = write_csv(tmp_path / "in" / "some.csv", rows)
    done = convert_json(csv, tmp_path / "out", "--unlabelled", what, "--max-rejects", "1")
    assert done["exit_code"] == 0
    expected = {"error": (2, 1, 0), "keep": (3, 0, 0), "skip": (2, 0, 1)}[what]
    assert (done["records"], done["rejected"], done["discarded"]) == expected
    found = read_all(tf, tmp_path / "out")
    facts_agree(tmp_path / "out", found)
    records = by_filename(found)
    assert ("001.jpg" in records) == (what == "keep")
    if what == "keep":
        assert not records["001.jpg"].keys & {"image/class/label", "image/class/text"}


def test_no_label_at_all(tf: Any, tmp_path: Path) -> None:
    image_list(tmp_path / "in", 3)
    csv = write_csv(tmp_path / "in" / "bare.csv", [(f"00{n}.jpg",) for n in range(3)], ("image_uri",))
    done = convert_json(csv, tmp_path / "out", "--unlabelled", "keep", "--splits", "train=1")
    assert (done["exit_code"], done["num_labels"], done["records"]) == (0, 0, 3)
    assert not (tmp_path / "out" / "labels.txt").exists()
    facts_agree(tmp_path / "out", read_all(tf, tmp_path / "out"))


@pytest.mark.parametrize(
    ("words", "more", "ids"),
    [
        (["0", "7", "3"], (), [0, 7, 3]),
        (["0", "7", "9223372036854775807"], (), [0, 7, 2**63 - 1]),
        (["0", "7", "3"], ("--label-type", "name"), [0, 2, 1]),
        (["0", "7", "x"], (), [0, 1, 2]),
        (["0", "07", "3"], (), [0, 1, 2]),
        (["10", "9", "2"], ("--label-type", "id"), [10, 9, 2]),
    ],
)
def test_integer_labels(tf: Any, tmp_path: Path, words: list[str], more: Any, ids: list[int]) -> None:
    image_list(tmp_path / "in", 3)
    rows = [("TRAIN", f"00{n}.jpg", word) for n, word in enumerate(words)]
    csv = write_csv(tmp_path / "in" / "ids.csv", rows)
    assert convert_json(csv, tmp_path / "out", *more)["exit_code"] == 0
    found = read_all(tf, tmp_path / "out")
    facts_agree(tmp_path / "out", found)
    records = by_filename(found)
    assert [records[f"00{n}.jpg"].labels for n in range(3)] == [(label,) for label in ids]
    assert [records[f"00{n}.jpg"].texts for n in range(3)] == [(word,) for word in words]


def test_a_fixed_vocabulary(tf: Any, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    (tmp_path / "vocabulary").write_text("zebra\nb\nunused\na\n")
    done = convert_json(csv, tmp_path / "out", "--labels", tmp_path / "vocabulary")
    assert (done["exit_code"], done["num_labels"]) == (0, 4)
    assert label_names(tmp_path / "out") == ["zebra", "b", "unused", "a"]
    found = read_all(tf, tmp_path / "out")
    facts_agree(tmp_path / "out", found)
    assert {record.texts: record.labels for record in found["train"]} == {("a",): (3,), ("b",): (1,)}
    (tmp_path / "vocabulary").write_text("a\n")
    unknown = convert_json(csv, tmp_path / "short", "--labels", tmp_path / "vocabulary", "--max-rejects", "2")
    assert (unknown["exit_code"], unknown["reasons"]) == (0, {"unknown_label": 2})
    assert [problem["line"] for problem in unknown["problems"]] == [3, 5]


# --- sources ---


def test_the_photos_of_tfrecorder_from_another_folder(tf: Any, tfrecorder_data: Path, tmp_path: Path) -> None:
    source = tfrecorder_data / "data.csv"
    done = convert_json(source, "out", cwd=tmp_path)
    assert (done["exit_code"], done["rejected"]) == (0, 0)
    found = read_all(tf, tmp_path / "out")
    facts_agree(tmp_path / "out", found)
    records = by_filename(found)
    for row in read_csv(source):
        record = records[row["image_uri"]]
        assert record.texts == (row["label"],)
        assert record in found[SPLIT_WORDS[row["split"]]]
        assert record.encoded == (tfrecorder_data / row["image_uri"]).read_bytes()
        assert record.stored == tuple(tf.io.decode_jpeg(record.encoded).shape)


def test_a_folder_is_a_source(tf: Any, tmp_path: Path, sample_data: Path) -> None:
    source = tmp_path / "photos"
    shutil.copytree(sample_data / "images", source / "train")
    shutil.copytree(sample_data / "images" / "circle", source / "val" / "circle")
    (source / "train" / "circle" / "notes.txt").write_text("not an image")
    (source / "train" / "square" / "._01.jpg").write_bytes(b"left by a Mac")
    done = convert_json(source, source / "out")
    assert (done["exit_code"], done["records"]) == (0, 40)
    assert any("notes.txt" in remark for remark in done["remarks"])
    found = read_all(tf, source / "out")
    facts_agree(source / "out", found)
    for split, folder in (("train", "train"), ("validation", "val")):
        for record in found[split]:
            assert record.filename.split("/")[:2] == [folder, record.texts[0]]
    assert convert_json(source, source / "out")["status"] == "already_complete"


def test_standard_input_is_a_source(tf: Any, tmp_path: Path, sample_data: Path, sample: Path) -> None:
    text = (sample_data / "data.csv").read_bytes()
    done = convert_json("-", tmp_path / "out", cwd=sample_data, stdin=text)
    assert done["exit_code"] == 0
    assert fingerprint(tmp_path / "out") == fingerprint(sample)
    rooted = convert_json("-", tmp_path / "rooted", "--image-root", sample_data, stdin=text)
    assert (rooted["exit_code"], rooted["records"]) == (0, 30)
    assert convert_json("-", tmp_path / "none", stdin=b"")["exit_code"] == 2


@pytest.mark.parametrize(
    ("write", "more"),
    [
        (lambda text: text.replace(",", "\t"), ()),
        (lambda text: text.replace(",", ";"), ("--delimiter", ";")),
        (lambda text: "\ufeff" + text.replace("\n", "\r\n"), ()),
        (lambda text: text.partition("\n")[2], ()),
    ],
    ids=["tabs", "semicolons", "bom-crlf", "headerless"],
)
def test_the_same_list_written_otherwise(
    tf: Any, tmp_path: Path, sample_data: Path, sample: Path, write: Any, more: Any
) -> None:
    csv = tmp_path / "list.csv"
    csv.write_text(write((sample_data / "data.csv").read_text()), newline="")
    assert convert_json(csv, tmp_path / "out", "--image-root", sample_data, *more)["exit_code"] == 0
    shards = {p.name: p.read_bytes() for p in sample.glob("*.tfrecord")}
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").glob("*.tfrecord")} == shards


def test_adding_rows_moves_no_row_to_another_split(tf: Any, tmp_path: Path) -> None:
    image_list(tmp_path / "in", 60)
    rows = [("", f"{n:03}.jpg", "a") for n in range(60)]
    dealt = []
    for name, some in (("few", rows[:40]), ("all", rows[::-1])):
        csv = write_csv(tmp_path / "in" / f"{name}.csv", some)
        convert_json(csv, tmp_path / name, "--splits", "train=50,validation=25,test=25")
        found = read_all(tf, tmp_path / name)
        dealt.append({r.filename: split for split, records in found.items() for r in records})
    assert dealt[0].items() <= dealt[1].items()
    assert set(dealt[1].values()) == {"train", "validation", "test"}


def test_every_odd_image_of_pillow(tf: Any, pillow_images: Path, tmp_path: Path) -> None:
    """Good ones in, bad ones named with a reason, and TensorFlow decodes whatever was written."""
    files = sorted(path.relative_to(pillow_images) for path in pillow_images.rglob("*") if path.is_file())
    rows = [("TRAIN", str(path), path.suffix or "none") for path in files]
    csv = write_csv(tmp_path / "list.csv", rows)
    output = tmp_path / "out"
    done = convert_json(csv, output, "--image-root", pillow_images, "--max-rejects", "100%")
    assert (done["exit_code"], done["status"]) == (0, "complete")
    assert done["rows"] == len(files)
    found = read_all(tf, output)
    facts_agree(output, found)
    records = by_filename(found)
    rejects = {row["image_uri"]: row for row in read_csv(output / "rejects.csv")}
    assert records.keys() | rejects.keys() == {str(path) for path in files}
    assert not records.keys() & rejects.keys()
    assert len(records) > 100
    assert all(row["tfrec_code"] and row["tfrec_reason"] for row in rejects.values())
    assert "decoder_crash" not in done["reasons"]


# --- whatever the list: rows add up and nothing is dropped ---

_URIS = st.sampled_from(["000.jpg", "001.jpg", "./002.jpg", "none.jpg", "bad.jpg", "", "x\ty.jpg"])
_ROWS = st.tuples(
    st.sampled_from(["TRAIN", "test", "Val", "", "UNASSIGNED", "DISCARD", "TRIAN"]),
    _URIS,
    st.sampled_from(["a", "b", "é", "", "a\x1bb"]),
)


@given(rows=st.lists(_ROWS.filter(any), min_size=1, max_size=25))
@settings(max_examples=examples(15), deadline=None)
def test_no_row_is_lost(
    tf: Any, rows: list[tuple[str, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    image_list(folder / "in", 3)
    (folder / "in" / "bad.jpg").write_bytes(b"\xff\xd8\xff")
    csv = write_csv(folder / "in" / "any.csv", rows, ("split", "image_uri", "label"))
    try:
        result = tfrecordcli.convert(csv, folder / "out", max_rejects="100%", workers=1)
    except tfrecordcli.errors.InputError as error:
        if error.code != "no_usable_image" and "as merged cells do" not in error.message:
            raise
        assert not (folder / "out").exists()
        return
    assert result.rows == len(rows)
    if result.status == "failed":
        assert result.error.split(";")[0] == "no row can be used"
        return
    assert result.rows == result.records + result.rejected + result.merged + result.discarded
    found = read_all(tf, folder / "out")
    facts_agree(folder / "out", found)
    assert sum(map(len, found.values())) == result.records
    listed: list[dict[str, str]] = []
    if result.rejected:
        with (folder / "out" / "rejects.csv").open(newline="", encoding="utf-8") as file:
            listed = list(csv_module.DictReader(file))
    assert len(listed) == result.rejected
    assert all(row["tfrec_reason"] for row in listed)


def test_the_summary_names_what_was_done(sample_data: Path, tmp_path: Path) -> None:
    done = tfrec("convert", sample_data / "data.csv", tmp_path / "out")
    assert done.code == 0
    assert "30 records from 30 rows in 3 shards" in done.out
    assert "3 labels: circle, square, triangle" in done.out
    assert "GIF" in done.out
