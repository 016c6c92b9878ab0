"""A list that an earlier version converted gives the same bytes today, and earlier datasets stay readable.

`earlier/checksums.json` was made with the code of the version that it names and is never made again; a
case that is added later brings its own line (`python tests/test_same_bytes.py CASE …` prints it, from a
checkout of the version that the line is to stand for).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from converting import manifest, write_csv

import tfrecordcli
from tfrecordcli.naming import TFDS_FILES

_PROJECT: Final = Path(__file__).resolve().parents[1]
_SAMPLES: Final = _PROJECT / "sample_data"
_REFERENCE: Final = _PROJECT.parent / "shared" / "data"
_EARLIER: Final = Path(__file__).with_name("earlier")
_CHECKSUMS: Final[dict[str, Any]] = json.loads((_EARLIER / "checksums.json").read_text())


@dataclass(frozen=True)
class Case:
    """A conversion: its source, made in an empty folder where it has to be, and its options."""

    source: Callable[[Path], Path]
    options: dict[str, Any]


def _samples(name: str) -> Callable[[Path], Path]:
    return lambda folder: _SAMPLES / name


def _reference(name: str) -> Callable[[Path], Path]:
    def source(folder: Path) -> Path:
        if not (_REFERENCE / name).exists():
            pytest.skip(f"{name} is not beside this checkout (looked in {_REFERENCE})")
        return _REFERENCE / name

    return source


def _images() -> list[str]:
    return sorted(str(p.relative_to(_SAMPLES)) for p in (_SAMPLES / "images").rglob("*.*"))


def _several_labels(folder: Path) -> Path:
    shapes = ("circle", "square", "triangle", "")
    rows = [
        ("TRAIN" if n % 3 else "TEST", uri, shapes[n % 3], shapes[n % 4]) for n, uri in enumerate(_images())
    ]
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label1", "label2"))


def _without_splits(folder: Path) -> Path:
    rows = [(uri, str(n % 5)) for n, uri in enumerate(_images())]
    return write_csv(folder / "list.csv", rows, ("image_uri", "label"))


def _partly_labelled(folder: Path) -> Path:
    rows = [("TRAIN", uri, "" if n % 3 else "a") for n, uri in enumerate(_images())]
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))


_HERE: Final = {"image_root": str(_SAMPLES)}

CASES: Final = {
    "samples": Case(_samples("data.csv"), {}),
    "samples-gzip": Case(_samples("data.csv"), {"compression": "gzip"}),
    "samples-index": Case(_samples("data.csv"), {"index": True, "num_shards": "train=4"}),
    "samples-seed": Case(_samples("data.csv"), {"seed": 7, "num_shards": "train=2", "exif": "keep"}),
    "samples-small": Case(_samples("data.csv"), {"max_side": 16, "check": "structure"}),
    "samples-folder": Case(_samples("images"), {"num_shards": "train=3"}),
    "bad": Case(_samples("bad.csv"), {"max_rejects": "100%"}),
    "several-labels": Case(_several_labels, _HERE),
    "without-splits": Case(_without_splits, {**_HERE, "splits": "train=60,test=40", "split_seed": 3}),
    "unlabelled": Case(_partly_labelled, {**_HERE, "unlabelled": "keep"}),
    "photos": Case(_reference("tfrecorder/data.csv"), {"max_rejects": "100%"}),
    "pillow": Case(
        _reference("pillow/images"),
        # Without being asked earlier versions took the first of several folders for the label.
        {"unlabelled": "keep", "max_rejects": "100%", "num_shards": "train=2", "label_folder": "first"},
    ),
}

# Cases of which every image is kept byte for byte, whatever the codecs.
_KEPT: Final = ("photos",)


def checksums(case: Case, folder: Path) -> dict[str, str]:
    """File -> SHA-256 of what a conversion gives; of gzip files what they hold, as zlibs differ."""
    source = case.source(folder)
    output = folder / "out"
    tfrecordcli.convert(source, output, **case.options)
    others = {"manifest.json", "shards.jsonl", *TFDS_FILES}
    kept = [p for p in sorted(output.iterdir()) if p.name not in others]
    return {p.name: _sha256(p) for p in kept}


def _sha256(path: Path) -> str:
    data = path.read_bytes()
    return hashlib.sha256(gzip.decompress(data) if path.name.endswith(".gz") else data).hexdigest()


@pytest.mark.parametrize("name", CASES)
def test_the_same_list_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    found = checksums(CASES[name], tmp_path)
    expected = _CHECKSUMS["cases"][name]
    if (
        found != expected
        and name not in _KEPT
        and manifest(tmp_path / "out")["codecs"] != _CHECKSUMS["codecs"]
    ):
        assert (found.keys(), found["labels.txt"]) == (expected.keys(), expected["labels.txt"])
        pytest.skip("images that are encoded again depend on codecs, which are of other versions here")
    assert found == expected


@pytest.mark.parametrize("name", ["samples", "bad"])
def test_a_dataset_of_an_earlier_version_is_complete_and_right(name: str, tmp_path: Path) -> None:
    dataset = tmp_path / name
    shutil.copytree(_EARLIER / name, dataset)
    case = CASES[name]
    assert tfrecordcli.convert(case.source(tmp_path), dataset, **case.options).status == "already_complete"
    assert tfrecordcli.verify(dataset, feed=False).exit_code == 0
    assert tfrecordcli.inspect(dataset).records == manifest(dataset)["records"]
    splits = tfrecordcli.load(dataset, image_size=8, batch_size=4)
    assert sum(1 for _ in splits["train"].unbatch()) == manifest(dataset)["splits"]["train"]["records"]


if __name__ == "__main__":
    import tempfile

    for asked in sys.argv[1:] or CASES:
        with tempfile.TemporaryDirectory() as scratch:
            print(json.dumps({asked: checksums(CASES[asked], Path(scratch))}, indent=1))
