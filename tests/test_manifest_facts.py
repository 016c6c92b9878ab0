"""What the manifest tells readers of a dataset: sizes, formats and labels of its records, and its files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google_crc32c
import pytest
from converting import manifest, read_records, write_csv
from PIL import Image

import tfrecordcli
from tfrecordcli.converting.steps import finish, write_shards
from tfrecordcli.dataset.manifest_file import manifest_checksum, write_manifest

SIZES = ((30, 20), (10, 40), (25, 25), (12, 13))


def images(folder: Path) -> Path:
    """Three images for train (one GIF; a row of two labels), one for test, and one that is none."""
    folder.mkdir()
    for number, (width, height) in enumerate(SIZES):
        mode, ending = (("L", "png"), ("RGB", "jpg"), ("RGB", "jpg"), ("RGBA", "png"))[number]
        Image.new(mode, (width, height), 200).save(folder / f"{number}.{ending}")
    (folder / "bad.jpg").write_bytes(b"no image")
    rows = [
        ("TRAIN", "0.png", "b", ""), ("TRAIN", "1.jpg", "a", "b"), ("TRAIN", "2.jpg", "", ""),
        ("TEST", "3.png", "b", ""), ("VALIDATION", "bad.jpg", "a", ""),
    ]  # fmt: skip
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label1", "label2"))


IGNORED = ("empty_split", "file_without_records")  # the row of validation is rejected
OPTIONS: dict[str, Any] = {"unlabelled": "keep", "max_rejects": 1, "num_shards": "train=3"}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    tfrecordcli.convert(images(tmp_path / "in"), tmp_path / "out", **OPTIONS)
    return tmp_path / "out"


def test_ranges_formats_and_labels_of_each_split(dataset: Path) -> None:
    splits = manifest(dataset)["splits"]
    formats = {"png": 1, "jpeg": 2}
    keys = ("heights", "widths", "channels", "labels_per_record", "formats")
    assert [splits["train"][key] for key in keys] == [[20, 40], [10, 30], [1, 3], [0, 2], formats]
    assert [splits["test"][key] for key in keys] == [[13, 13], [12, 12], [4, 4], [1, 1], {"png": 1}]
    assert [splits["validation"][key] for key in keys] == [None, None, None, None, {}]


def test_they_are_those_of_the_records(dataset: Path, tf: Any) -> None:
    """Of what stands in the shards, that is: with the reader of TensorFlow."""
    for split in ("train", "test"):
        records = read_records(tf, dataset, split)
        counts = manifest(dataset)["splits"][split]
        for key, values in {
            "heights": [record.pixels[0] for record in records],
            "widths": [record.pixels[1] for record in records],
            "channels": [record.pixels[2] for record in records],
            "labels_per_record": [len(record.labels) for record in records],
        }.items():
            assert counts[key] == [min(values), max(values)]


def test_a_run_that_went_on_tells_the_same(dataset: Path, tmp_path: Path) -> None:
    """Shards of an attempt before are told of by their done records alone."""
    from tfrecordcli.converting.conversion import plan

    output = tmp_path / "steps"
    plan(tmp_path / "in" / "list.csv", output, **OPTIONS)
    for number in (3, 1):
        write_shards(output, shards=str(number))
    write_shards(output)
    finish(output, max_rejects=1)
    assert (output / "manifest.json").read_bytes() == (dataset / "manifest.json").read_bytes()


def test_every_file_beside_the_shards_has_its_size_and_checksum(dataset: Path) -> None:
    files = manifest(dataset)["files"]
    assert files.keys() == {path.name for path in dataset.iterdir() if "tfrecord" not in path.name} - {
        "manifest.json"
    }
    for name, entry in files.items():
        data = (dataset / name).read_bytes()
        assert entry == {"bytes": len(data), "crc32c": f"{google_crc32c.value(data):08x}"}


def found(dataset: Path) -> list[tuple[str, str]]:
    report = tfrecordcli.verify(dataset, feed=False, ignore=IGNORED)
    return [(problem.code, problem.path) for problem in report.problems]


@pytest.mark.parametrize(
    ("name", "code"), [("labels.txt", "labels_edited"), ("shards.jsonl", "shards_list_damaged")]
)
@pytest.mark.parametrize("edit", [lambda data: data + b"\n", lambda data: data.replace(b"\n", b"\r\n")])
def test_verify_finds_any_edit_of_them(
    dataset: Path, name: str, code: str, edit: Callable[[bytes], bytes]
) -> None:
    assert found(dataset) == []
    (dataset / name).write_bytes(edit((dataset / name).read_bytes()))
    assert found(dataset) == [(code, name)]


def sign(dataset: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    values = manifest(dataset)
    edit(values)
    write_manifest(dataset, values | {"checksum": manifest_checksum(values)}, dataset)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda files: files.update({"../x": {"bytes": 1, "crc32c": "0" * 8}}), "files: "),
        (lambda files: files["labels.txt"].pop("bytes"), "files.labels.txt.bytes: it is missing"),
        (lambda files: files["labels.txt"].update(bytes=-1), "files.labels.txt: "),
        (lambda files: files["labels.txt"].update(crc32c="X" * 8), "files.labels.txt: "),
        (lambda files: files["labels.txt"].update(crc32c=8), "files.labels.txt.crc32c: text is needed"),
    ],
)
def test_a_manifest_that_tells_nonsense_of_them_is_damaged(
    dataset: Path, edit: Callable[[dict[str, Any]], object], words: str
) -> None:
    sign(dataset, lambda values: edit(values["files"]))
    (problem,) = tfrecordcli.verify(dataset, feed=False, ignore=IGNORED).problems
    assert (problem.code, words in problem.message) == ("manifest_damaged", True), problem.message


def test_checksums_of_files_that_are_not_those_are_told(dataset: Path) -> None:
    for name in ("labels.txt", "shards.jsonl"):
        other = dataset.with_name(name)
        shutil.copytree(dataset, other)
        sign(other, lambda values, name=name: values["files"][name].update(crc32c="00000000"))
        assert [path for _, path in found(other)] == [name]


def test_datasets_without_these_entries_are_read(dataset: Path) -> None:
    def as_before(values: dict[str, Any]) -> None:
        for name in ("files", "schema"):
            del values[name]
        for split in ("train", "validation", "test"):
            for key in ("heights", "widths", "channels", "labels_per_record", "formats"):
                del values["splits"][split][key]

    sign(dataset, as_before)
    assert found(dataset) == []
    done = tfrecordcli.convert(dataset.with_name("in") / "list.csv", dataset, **OPTIONS)
    assert done.status == "already_complete"
