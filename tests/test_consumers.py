"""What docs/consumers.md says: its examples run, and programs of others read the boxes of the list.

`make consumers` installs the readers that are programs of others; without them those tests are skipped.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import os
import re
import runpy
import shlex
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from boxing import convert
from converting import run_process, tfrec

import tfrecordcli
from tfrecordcli.schema import SPLITS

Boxes = list[tuple[str, tuple[float, ...]]]

NAMES = {1: "circle", 2: "square", 3: "triangle"}


@pytest.fixture(scope="module")
def dataset(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("consumers") / "out"
    assert convert(sample_data / "boxes.csv", folder).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def listed(sample_data: Path) -> dict[str, Boxes]:
    """filename -> (label, (xmin, ymin, xmax, ymax) in pixels), sorted, as the list has them."""
    found: dict[str, Boxes] = {}
    with (sample_data / "boxes.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            boxes = found.setdefault(row["filename"], [])
            if row["class"]:
                corners = tuple(float(row[side]) for side in ("xmin", "ymin", "xmax", "ymax"))
                boxes.append((row["class"], corners))
    return {name: sorted(boxes) for name, boxes in found.items()}


def raw_records(tf: Any, folder: Path) -> Iterator[Any]:
    for split in SPLITS:
        yield from tf.data.TFRecordDataset(sorted(map(str, folder.glob(f"{split}-*.tfrecord"))))


def in_pixels(label_ids: Any, boxes: Any, height: int, width: int) -> Boxes:
    """Labels and boxes (ymin, xmin, ymax, xmax as fractions) as `listed` has them."""
    pixels = [(x0 * width, y0 * height, x1 * width, y1 * height) for y0, x0, y1, x1 in boxes.tolist()]
    corners = [tuple(round(value, 3) for value in box) for box in pixels]
    return sorted(zip((NAMES[label] for label in label_ids.tolist()), corners, strict=True))


def _of_others(name: str) -> Any:
    """A module that `make consumers` installs; without it the test is skipped."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"{name} is not installed: make consumers")
    return importlib.import_module(name)


def object_detection_spec(tf: Any) -> dict[str, Any]:
    """The features that the Object Detection API parses.

    tensorflow/models, research/object_detection/data_decoders/tf_example_decoder.py, keys_to_features.
    """
    one = {
        **dict.fromkeys(("encoded", "filename", "key/sha256", "source_id"), ("string", "")),
        "format": ("string", "jpeg"),
        **dict.fromkeys(("height", "width"), ("int64", 1)),
    }
    several = {
        **dict.fromkeys(("class/text", "object/class/text"), "string"),
        **dict.fromkeys(("class/label", "neg_category_ids", "not_exhaustive_category_ids"), "int64"),
        **dict.fromkeys((f"object/{name}" for name in ("class/label", "is_crowd", "difficult")), "int64"),
        **dict.fromkeys((f"object/bbox/{side}" for side in ("xmin", "xmax", "ymin", "ymax")), "float32"),
        **dict.fromkeys(("class/confidence", "object/area", "object/weight"), "float32"),
        "object/group_of": "int64",
    }
    fixed = {key: tf.io.FixedLenFeature((), getattr(tf, kind), value) for key, (kind, value) in one.items()}
    lists = {key: tf.io.VarLenFeature(getattr(tf, kind)) for key, kind in several.items()}
    return {f"image/{key}": spec for key, spec in (fixed | lists).items()}


def test_the_object_detection_api_parses_every_record(
    dataset: Path, listed: dict[str, Boxes], tf: Any
) -> None:
    spec = object_detection_spec(tf)
    found = {}
    for record in raw_records(tf, dataset):
        example = tf.io.parse_single_example(record, spec)
        dense = {
            key: tf.sparse.to_dense(value).numpy() if isinstance(value, tf.SparseTensor) else value.numpy()
            for key, value in example.items()
        }
        image = tf.io.decode_image(dense["image/encoded"]).numpy()
        height, width = int(dense["image/height"]), int(dense["image/width"])
        assert (height, width) == image.shape[:2]
        sides = [dense[f"image/object/bbox/{side}"] for side in ("ymin", "xmin", "ymax", "xmax")]
        boxes = tf.stack(sides, axis=1).numpy()
        labels = dense["image/object/class/label"]
        assert [NAMES[label] for label in labels] == [t.decode() for t in dense["image/object/class/text"]]
        assert len(dense["image/object/is_crowd"]) == len(dense["image/object/area"]) == len(labels)
        assert dense["image/source_id"].isdigit()
        assert len(dense["image/key/sha256"]) == 64
        found[dense["image/filename"].decode()] = in_pixels(labels, boxes, height, width)
    assert found == listed


def test_the_model_garden_decodes_every_record(dataset: Path, listed: dict[str, Boxes], tf: Any) -> None:
    decoder = _of_others("official.vision.dataloaders.tf_example_decoder").TfExampleDecoder()
    found, ids = [], set()
    for record in raw_records(tf, dataset):
        decoded = {key: value.numpy() for key, value in decoder.decode(record).items()}
        labels, boxes = decoded["groundtruth_classes"], decoded["groundtruth_boxes"]
        found.append(in_pixels(labels, boxes, int(decoded["height"]), int(decoded["width"])))
        ids.add(int(tf.strings.to_number(decoded["source_id"], tf.int64)))
        assert decoded["image"].shape[:2] == (decoded["height"], decoded["width"])
        assert not decoded["groundtruth_is_crowd"].any()
    assert sorted(found) == sorted(listed.values())
    assert ids == set(range(1, len(listed) + 1))


def test_datumaro_reads_every_record(dataset: Path, listed: dict[str, Boxes], tf: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        datumaro = _of_others("datumaro")
        read = datumaro.Dataset.import_from(str(dataset), "tf_detection_api")
        names = [item.name for item in read.categories()[datumaro.AnnotationType.label].items]
        found = {}
        for item in read:
            boxes = [each for each in item.annotations if isinstance(each, datumaro.Bbox)]
            corners = [(b.x, b.y, b.x + b.w, b.y + b.h) for b in boxes]
            rounded = [tuple(round(float(value), 2) for value in box) for box in corners]
            labels = [names[box.label] for box in boxes]
            found[f"{item.id}.jpg"] = sorted(zip(labels, rounded, strict=True))
    assert found == listed


def test_keras_takes_the_batches_as_they_are(dataset: Path, tf: Any) -> None:
    """Its layers move boxes with the image; where there is none, the label stays -1."""
    splits = tfrecordcli.load(
        dataset, image_size=64, batch_size=6, box_format="xyxy", max_boxes=5, shuffle=False
    )
    images, objects = next(iter(splits["train"]))
    flip = tf.keras.layers.RandomFlip("horizontal", seed=1, bounding_box_format="xyxy")
    turned = flip({"images": tf.cast(images, tf.float32), "bounding_boxes": {**objects}}, training=True)
    after = turned["bounding_boxes"]
    assert (after["labels"].numpy() == objects["labels"].numpy()).all()
    is_flipped = (turned["images"].numpy() != images.numpy()).any(axis=(1, 2, 3))
    assert is_flipped.any()
    for number, label in zip(*objects["labels"].numpy().nonzero(), strict=True):
        if objects["labels"][number, label] < 0:
            continue
        left, top, right, bottom = objects["boxes"][number, label].numpy()
        wanted = (64 - right, top, 64 - left, bottom) if is_flipped[number] else (left, top, right, bottom)
        assert after["boxes"][number, label].numpy() == pytest.approx(wanted, abs=1e-3)


# --- the examples of docs/consumers.md ---

_ROOT: Final = Path(__file__).resolve().parents[1]
_DOC: Final = (_ROOT / "docs" / "consumers.md").read_text(encoding="utf-8")
_EXAMPLES: Final = re.findall(r"<!-- runs with: (.*?) -->\n```python\n(.*?)```", _DOC, re.DOTALL)
# What the tests have anyway, and run without a process of its own.
_AT_HAND: Final = ("tensorflow", "tensorflow_datasets")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the datasets of the examples."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "sample_data").symlink_to(_ROOT / "sample_data")
    commands = re.findall(r"^\$ tfrec (.*)$", _DOC, re.MULTILINE)
    assert commands
    for command in commands:
        assert tfrec(*shlex.split(command), cwd=folder).code == 0
    return folder


def test_every_example_says_what_it_runs_with() -> None:
    assert len(_EXAMPLES) == _DOC.count("```python\n") > 10


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("needs", "code"), _EXAMPLES, ids=[f"{n} {needs}" for n, (needs, _) in enumerate(_EXAMPLES, 1)]
)
def test_an_example_runs(needs: str, code: str, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (examples / "example.py").write_text(code, encoding="utf-8")
    if needs in _AT_HAND:
        monkeypatch.chdir(examples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path("example.py", run_name="__main__")
        return
    for name in needs.split(", "):
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            pytest.skip(f"{name} is not installed: make consumers")
    env = {**os.environ, "PYTHONPATH": str(_ROOT), "HF_HOME": str(examples / "cache")}
    done = run_process("example.py", cwd=examples, env=env, command=(sys.executable,))
    assert done.code == 0, done.err
    assert done.out
