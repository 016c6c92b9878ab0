"""`load`: what TensorFlow gets of the sample data and of small generated lists."""

from __future__ import annotations

import io
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import image_list, jpeg, manifest, read_all, write_csv
from PIL import Image
from sampling import first

import tfrecordcli
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.feed.labels import SparseNames
from tfrecordcli.feed.loading import load
from tfrecordcli.feed.records import share_of, share_size
from tfrecordcli.feed.splits import Shard, Split

VICTIM = "train-00001-of-00004.tfrecord"
COUNTS = {"train": 20, "validation": 5, "test": 5}


@pytest.fixture(scope="module")
def sample(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "out"
    tfrecordcli.convert(sample_data / "data.csv", folder, num_shards="train=4")
    return folder


@pytest.fixture(scope="module")
def gzipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """25 images in 4 shards, gzip."""
    folder = tmp_path_factory.mktemp("gzipped")
    split = image_list(folder / "in", 25)
    tfrecordcli.convert(split, folder / "out", num_shards="train=4", compression="gzip")
    return folder / "out"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four images with one to three labels of a, b, c."""
    folder = tmp_path_factory.mktemp("several")
    labels = [("a",), ("a", "b"), ("c", "b", "a"), ("c",)]
    for number in range(4):
        (folder / f"{number}.jpg").write_bytes(jpeg(number))
    rows = [("TRAIN", f"{number}.jpg", *names) for number, names in enumerate(labels)]
    tfrecordcli.convert(write_csv(folder / "list.csv", rows), folder / "out")
    return folder / "out"


def files_of(dataset: Any) -> list[bytes]:
    """Encoded files of a raw dataset, in its order."""
    return [bytes(file) for files, _ in dataset for file in files.numpy()]


def test_batches_of_the_sample_data(sample: Path) -> None:
    splits = load(sample, batch_size=8, image_size=(32, 48))
    assert set(splits) == set(COUNTS)
    for split, dataset in splits.items():
        batches = list(dataset)
        assert len(dataset) == int(dataset.cardinality()) == len(batches) == -(-COUNTS[split] // 8)
        assert sum(len(labels) for _, labels in batches) == COUNTS[split]
        for images, labels in batches:
            assert images.dtype == "uint8"
            assert images.shape[1:] == (32, 48, 3)
            assert labels.dtype == "int64"
            assert labels.shape == images.shape[:1]
        counts = Counter(int(label) for _, labels in batches for label in labels)
        assert {str(label): n for label, n in counts.items()} == manifest(sample)["splits"][split]["labels"]


def test_splits_are_found_by_their_other_names(sample: Path) -> None:
    splits = load(sample)
    assert splits["TRAIN"] is splits["training"] is splits["train"]
    assert splits["val"] is splits["VALIDATE"] is splits["dev"] is splits["validation"]
    assert "VAL" in splits
    assert "discard" not in splits
    assert splits.get("Holdout") is splits["test"]
    assert splits.get("nothing") is None
    with pytest.raises(KeyError, match="train, validation, test"):
        splits["nothing"]


def test_what_splits_know(sample: Path) -> None:
    splits = load(sample)
    assert splits.class_names == ["circle", "square", "triangle"]
    assert splits.num_classes == 3
    assert splits.manifest == manifest(sample)


def test_labels_belong_to_their_images(sample: Path, tf: Any) -> None:
    found = {(file, int(label)) for files, labels in load(sample, raw=True)["train"]
             for file, label in zip(files.numpy(), labels.numpy(), strict=True)}  # fmt: skip
    assert found == {(r.encoded, r.labels[0]) for r in read_all(tf, sample)["train"]}


def test_raw_gives_the_files_themselves(sample: Path, tf: Any) -> None:
    splits = load(sample, raw=True, image_size=None, shuffle=False)
    assert {split: Counter(files_of(dataset)) for split, dataset in splits.items()} == {
        split: Counter(record.encoded for record in records)
        for split, records in read_all(tf, sample).items()
    }


def test_pixels_are_those_of_the_image(tmp_path: Path) -> None:
    tfrecordcli.convert(image_list(tmp_path / "in", 3), tmp_path / "out")
    (images,) = load(tmp_path / "out", label_mode="none", shuffle=False, image_size=(16, 24))["train"]
    originals = [np.asarray(Image.open(io.BytesIO(jpeg(n))).convert("RGB"), int) for n in range(3)]
    # TensorFlow's default decoder rounds differently from Pillow's, by a few levels.
    near = [[np.abs(image - original).max() <= 8 for image in images.numpy()] for original in originals]
    assert [sum(row) for row in near] == [1, 1, 1]


def test_each_epoch_is_shuffled_again(gzipped: Path) -> None:
    dataset = load(gzipped, raw=True, batch_size=4)["train"]
    first, second, third = files_of(dataset), files_of(dataset), files_of(dataset)
    assert len({tuple(epoch) for epoch in (first, second, third)}) == 3
    assert Counter(first) == Counter(second) == Counter(third)
    assert len(set(first)) == 25


def test_a_seed_makes_the_epochs_reproducible(gzipped: Path) -> None:
    one, other = (load(gzipped, raw=True, seed=5)["train"] for _ in range(2))
    epochs = [files_of(one), files_of(one)]
    assert epochs == [files_of(other), files_of(other)]
    assert epochs[0] != epochs[1]
    assert files_of(load(gzipped, raw=True, seed=6)["train"]) not in epochs


def test_without_shuffling_the_order_stays(gzipped: Path) -> None:
    dataset = load(gzipped, raw=True, shuffle=False)["train"]
    assert files_of(dataset) == files_of(dataset)


@pytest.mark.parametrize("count", first([1, 3, 7], [2, 30]))
def test_shards_hold_every_record_once(gzipped: Path, count: int) -> None:
    parts = [load(gzipped, raw=True, batch_size=2, shard=(i, count))["train"] for i in range(count)]
    files = [files_of(part) for part in parts]
    sizes = [len(part) for part in files]
    assert max(sizes) - min(sizes) <= 1
    assert [len(part) for part in parts] == [-(-size // 2) for size in sizes]
    (everything,) = [files_of(load(gzipped, raw=True)["train"])]
    assert Counter(file for part in files for file in part) == Counter(everything)


@pytest.mark.parametrize("records", [(4, 0, 3, 9), (1,), (0, 0), (5, 5, 5)])
@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_shares_divide_the_shards(records: tuple[int, ...], count: int) -> None:
    shards = tuple(Shard(str(i), n, 0) for i, n in enumerate(records))
    split = Split("train", shards, "", sum(records), 0, "", {})
    seen: Counter[tuple[str, int]] = Counter()
    for i in range(count):
        pieces = share_of(split, (i, count))
        assert sum(take for _, _, take in pieces) == share_size(split, (i, count))
        seen.update((path, skip + k) for path, skip, take in pieces for k in range(take))
    assert set(seen) == {(str(i), k) for i, n in enumerate(records) for k in range(n)}
    assert set(seen.values()) <= {1}


def test_drop_remainder_and_repeat(sample: Path, tf: Any) -> None:
    dropped = load(sample, batch_size=8, drop_remainder=True, image_size=8)["train"]
    assert [len(labels) for _, labels in dropped] == [8, 8]
    assert len(dropped) == 2
    assert dropped.element_spec[0].shape == (8, 8, 8, 3)
    endless = load(sample, batch_size=8, repeat=True, image_size=8)["train"]
    assert int(endless.cardinality()) == tf.data.INFINITE_CARDINALITY
    assert [len(labels) for _, labels in endless.take(12)] == [8] * 12


def test_several_labels(several: Path) -> None:
    splits = load(several, label_mode="multi_hot", image_size=8, batch_size=3)
    rows = [tuple(row) for _, labels in splits["train"] for row in labels.numpy()]
    assert sorted(rows) == sorted([(1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 0, 1)])
    assert splits["train"].element_spec[1].dtype == "float32"
    assert splits["train"].element_spec[1].shape == (None, 3)
    with pytest.raises(InputError, match=r"4 records hold 7 labels.*multi_hot"):
        load(several)


def test_unlabelled_images(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    rows = [("TRAIN", "0.jpg", "a"), ("TRAIN", "1.jpg", "")]
    split = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    tfrecordcli.convert(split, tmp_path / "out", unlabelled="keep")
    with pytest.raises(InputError, match="2 records hold 1 label "):
        load(tmp_path / "out")
    (images,) = load(tmp_path / "out", label_mode="none", image_size=8)["train"]
    assert images.shape == (2, 8, 8, 3)
    ((_, labels),) = load(tmp_path / "out", label_mode="multi_hot", image_size=8)["train"]
    assert sorted(labels.numpy().ravel()) == [0, 1]


def test_ids_with_gaps_have_names_at_their_places(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    rows = [("TRAIN", "0.jpg", "1"), ("TRAIN", "1.jpg", "3")]
    tfrecordcli.convert(
        write_csv(tmp_path / "l.csv", rows, ("split", "image_uri", "label")), tmp_path / "out"
    )
    splits = load(tmp_path / "out", image_size=8)
    assert splits.class_names == ["0", "1", "2", "3"]
    assert splits.num_classes == 4


def test_augment_sees_each_image_and_label(sample: Path, tf: Any) -> None:
    def darken(image: Any, label: Any) -> Any:
        if tf.reduce_max(label) > 0:  # AutoGraph must have turned this into the graph's own
            image = image // 2
        return image, label + 10

    seen: set[int] = set()
    for images, labels in load(sample, augment=darken, image_size=16)["train"]:
        seen |= set(labels.numpy().tolist())
        assert images.numpy()[labels.numpy() > 10].max() <= 127
        assert images.numpy()[labels.numpy() == 10].max() > 127
    assert seen == {10, 11, 12}


def test_augment_may_change_type_and_size(sample: Path, tf: Any) -> None:
    def crop(image: Any, label: Any) -> Any:
        return tf.image.random_crop(tf.cast(image, tf.float32) / 255, [8, 8, 3]), label

    images, _ = next(iter(load(sample, augment=crop, image_size=16)["train"]))
    assert images.shape[1:] == (8, 8, 3)
    assert images.dtype == tf.float32


def test_augment_sees_whole_images_and_may_bring_them_to_one_size(sample: Path, tf: Any) -> None:
    def own_size(image: Any, label: Any) -> Any:
        return tf.shape(image), label

    everywhere = ("train", "validation", "test")
    splits = load(sample, augment=own_size, augment_splits=everywhere, image_size=None, batch_size=8)
    assert [len(dataset) for dataset in splits.values()] == [3, 1, 1]
    sizes = Counter(tuple(size) for shapes, _ in splits["train"] for size in shapes.numpy().tolist())
    assert sizes == Counter((*record.stored[:2], 3) for record in read_all(tf, sample)["train"])


def test_whole_images_of_several_sizes_make_no_batch(sample: Path, tf: Any) -> None:
    with pytest.raises(UsageError, match="those of train, validation, test to one") as told:
        load(sample, image_size=None)
    assert "augment_splits=('train', 'validation', 'test')" in told.value.hint
    with pytest.raises(UsageError, match="those of validation, test to one"):
        load(sample, image_size=None, augment=lambda image, label: (tf.shape(image), label))


def test_augment_is_for_training_unless_told(sample: Path, tf: Any) -> None:
    def mark(image: Any, label: Any) -> Any:
        return image, label + 10

    def is_marked(splits: Any, split: str) -> bool:
        return bool(next(iter(splits[split]))[1].numpy().min() >= 10)

    splits = load(sample, augment=mark, image_size=16)
    assert [is_marked(splits, split) for split in ("train", "validation", "test")] == [True, False, False]
    for words in (["TEST"], "test"):
        splits = load(sample, augment=mark, augment_splits=words, image_size=16)
        found = [is_marked(splits, split) for split in ("train", "validation", "test")]
        assert found == [False, False, True]


@pytest.mark.parametrize(
    ("words", "said"), [(["trian"], "no split 'trian'"), (5, "got 5"), (None, "got None")]
)
def test_splits_to_augment_are_never_passed_over(words: Any, said: str, sample: Path, tf: Any) -> None:
    with pytest.raises(UsageError, match=said):
        load(sample, augment=lambda image, label: (image, label), augment_splits=words)


def test_augment_must_return_both(sample: Path, tf: Any) -> None:
    with pytest.raises(UsageError, match=r"must return \(image, label\), got 1 value"):
        load(sample, augment=lambda image, label: image)
    with pytest.raises(UsageError, match=r"callable as augment\(image, label\): too many positional"):
        load(sample, augment=lambda image: image)
    with pytest.raises(UsageError, match=r"callable as augment\(image\): missing a required"):
        load(sample, augment=lambda image, label: (image, label), label_mode="none")
    with pytest.raises(UsageError, match="callable"):
        load(sample, augment="flip")
    assert set(load(sample, augment=tf.image.flip_left_right, label_mode="none")) == set(COUNTS)
    with pytest.raises(UsageError, match="raw"):
        load(sample, augment=lambda image, label: (image, label), raw=True)


def test_images_as_they_are(sample: Path, tf: Any) -> None:
    sizes = Counter(tuple(images.shape) for images, _ in load(sample, image_size=None, batch_size=1)["train"])
    assert sizes == Counter((1, *r.stored[:2], 3) for r in read_all(tf, sample)["train"])


def test_a_shard_that_lost_records_is_noticed(gzipped: Path, tmp_path: Path, tf: Any) -> None:
    folder = Path(shutil.copytree(gzipped, tmp_path / "out"))
    train = load(folder, batch_size=1, image_size=8)["train"]
    victim = folder / "train-00001-of-00004.tfrecord.gz"
    kept = list(tf.data.TFRecordDataset(str(victim), "GZIP"))[1:]
    with tf.io.TFRecordWriter(str(victim), "GZIP") as writer:
        for record in kept:
            writer.write(record.numpy())
    with pytest.raises(tf.errors.OpError, match="expected to contain"):
        list(train)


@pytest.mark.parametrize("damage", ["missing", "cut", "a folder"])
def test_shards_that_are_not_those_of_the_dataset_are_named_at_once(
    damage: str, sample: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(sample, tmp_path / "out"))
    size = (folder / VICTIM).stat().st_size
    if damage == "cut":
        os.truncate(folder / VICTIM, size - 1)
        says = f"{size - 1:,} bytes instead of {size:,}"
    else:
        (folder / VICTIM).unlink()
        says = "it is missing"
    if damage == "a folder":
        (folder / VICTIM).mkdir()
    (folder / "train-00002-of-00004.tfrecord").unlink()
    with pytest.raises(InputError) as caught:
        load(folder, image_size=8)
    assert caught.value.message == f"{folder}: {VICTIM}: {says} (and one more like it)"
    assert caught.value.hint == f"tfrec verify {folder} says what is wrong"


def test_a_link_to_a_shard_is_one(sample: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample, tmp_path / "out"))
    (folder / VICTIM).unlink()
    (folder / VICTIM).symlink_to(sample / VICTIM)
    assert sum(len(labels) for _, labels in load(folder, image_size=8)["train"]) == 20


@pytest.mark.parametrize("kind", ["missing", "file", "foreign", "unfinished", "no list", "odd manifest"])
def test_folders_that_cannot_be_loaded(kind: str, tmp_path: Path, sample: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    says = "there is no manifest.json"
    if kind == "missing":
        folder, says = tmp_path / "nowhere", "no such folder"
    elif kind == "file":
        folder, says = next(sample.glob("train-*")), "a file, where the folder"
    elif kind == "foreign":
        (folder / "data.tfrecord").write_bytes(b"")
    elif kind == "unfinished":
        (folder / "_tfrec").mkdir()
        says = "this conversion was not finished"
    elif kind == "no list":
        (folder / "manifest.json").write_bytes((sample / "manifest.json").read_bytes())
        says = "shards.jsonl is missing or damaged"
    else:
        (folder / "manifest.json").write_text("{}")
        says = "manifest.json: this is no manifest of tfrec"
    with pytest.raises(InputError) as caught:
        load(folder)
    assert says in caught.value.message
    assert caught.value.hint


def test_unknown_options_are_named(sample: Path) -> None:
    with pytest.raises(UsageError, match=r"batchsize.*batch_size"):
        load(sample, batchsize=3)


def test_high_ids_have_names_too(tmp_path: Path) -> None:
    """Names of ids are looked up alike, be they few and high; beyond what len() can tell too."""
    image_list(tmp_path, 2)
    for high in (5_000_000, 2**63 - 1):
        rows = [("TRAIN", "000.jpg", "7"), ("TRAIN", "001.jpg", str(high))]
        out = tmp_path / f"out{high}"
        tfrecordcli.convert(write_csv(tmp_path / "l.csv", rows, ("split", "image_uri", "label")), out)
        splits = load(out, image_size=8)
        ((_, labels),) = splits["train"]
        names = splits.class_names
        assert sorted(names[label] for label in labels.numpy()) == sorted(["7", str(high)])
        assert names[8] == "8"
        assert names[5:8] == ["5", "6", "7"]
        assert names.in_use == {7: "7", high: str(high)}  # type: ignore[attr-defined]
        assert splits.num_classes == high + 1
        assert "8" in names
        assert "z" not in names
        assert str(high + 1) not in names
        with pytest.raises(IndexError):
            names[high + 1]


def test_names_of_high_ids_as_a_sequence() -> None:
    names = SparseNames({"b": 3, "a": 1})
    assert (list(names), len(names), names[-1], repr(names)) == (
        ["0", "a", "2", "b"], 4, "b", "SparseNames({1: 'a', 3: 'b'})",
    )  # fmt: skip
    assert names[np.int64(1)] == "a"
    assert (names.index("b"), "b" in names, "z" in names, list(SparseNames({}))) == (3, True, False, [])
