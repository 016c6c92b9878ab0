"""Our datasets as TensorFlow Datasets reads them where they stand, and its files among ours."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from converting import SPLITS, convert_json, fingerprint, image_list, manifest, tfrec, write_csv
from PIL import Image
from storing import running
from verifying import found, verify

from tfrecordcli.naming import TFDS_FEATURES, TFDS_FILES, TFDS_INFO, parse_shard_name

_SAMPLES: Final = Path(__file__).resolve().parents[1] / "sample_data"
_LABEL: Final = "image/class/label"
_BOX_LABEL: Final = "image/object/class/label"


def _image(number: int, mode: str = "RGB", size: tuple[int, int] = (12, 10), kind: str = "PNG") -> bytes:
    pixels = np.random.default_rng(number).integers(0, 256, (size[1], size[0], len(mode)), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels.squeeze(), mode).save(file, kind)
    return file.getvalue()


_HEADER: Final = "split,image_uri,label"


def _list(*lines: str, header: str = _HEADER, **images: Any) -> Callable[[Path], Path]:
    """What makes a CSV of these lines in a folder, and an image of its own for each of ten numbers."""

    def make(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(10):
            (folder / f"{number}.png").write_bytes(_image(number, **images))
        return write_csv(folder / "list.csv", [line.split(",") for line in lines], header.split(","))

    return make


@dataclass(frozen=True)
class Kind:
    """A dataset: its list, made in an empty folder, options, and features that TFDS must have."""

    source: Callable[[Path], Path]
    options: Sequence[str] = ()
    features: Mapping[str, str] | None = None
    names: Sequence[str] | None = None
    supervised: Any = None


def _grown(folder: Path) -> Path:
    """Images of other sizes, formats and channels."""
    path = _list("TRAIN,0.png,a", "TRAIN,1.png,b", "TRAIN,2.jpg,a", "TEST,3.png,b")(folder)
    (folder / "1.png").write_bytes(_image(1, "LA", (7, 30)))
    (folder / "2.jpg").write_bytes(_image(2, "L", (40, 20), "JPEG"))
    (folder / "3.png").write_bytes(_image(3, "RGBA"))
    return path


def _categories(folder: Path) -> Path:
    """A COCO list, whose ids have gaps; one of its names is that of the filler."""
    _list()(folder)
    values = {
        "images": [{"id": n, "file_name": f"{n}.png", "width": 12, "height": 10} for n in (1, 2, 3)],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 2, "bbox": [1, 1, 5, 5], "iscrowd": 0},
            {"id": 2, "image_id": 1, "category_id": 5, "bbox": [2, 2, 6, 5], "iscrowd": 1},
            {"id": 3, "image_id": 2, "category_id": 5, "bbox": [0, 0, 12, 10], "iscrowd": 0},
        ],
        "categories": [{"id": 2, "name": "unused 3"}, {"id": 5, "name": "Ärger mit Blank"}],
    }
    (folder / "list.csv").unlink()
    (folder / "train.json").write_text(json.dumps(values))
    return folder / "train.json"


_ROWS: Final = (
    *(f"TRAIN,{number}.png,{'cba'[number % 3]}" for number in range(6)),
    *("TEST,7.png,a", "VALIDATION,8.png,b"),
)
_PAIR: Final = ("image/encoded", _LABEL)

KINDS: Final = {
    "single": Kind(
        lambda folder: _SAMPLES / "data.csv",
        ("--num-shards", "train=3"),
        {_LABEL: "ClassLabel", "image/encoded": "Image(shape=(None, None, 3), dtype=uint8)"},
        ("circle", "square", "triangle"),
        _PAIR,
    ),
    "boxes": Kind(
        lambda folder: _SAMPLES / "boxes.csv",
        (),
        {
            _BOX_LABEL: "Sequence(ClassLabel",
            "image/object/bbox/xmin": "Sequence(Scalar(shape=(), dtype=float32)",
        },
        ("background", "circle", "square", "triangle"),
    ),
    "of one size": Kind(
        _list(*_ROWS),
        (),
        {"image/encoded": "Image(shape=(10, 12, 3), dtype=uint8)", _LABEL: "ClassLabel"},
        ("a", "b", "c"),
        _PAIR,
    ),
    "grey": Kind(
        _list(*_ROWS, mode="L"),
        (),
        {"image/encoded": "Image(shape=(10, 12, 1), dtype=uint8)"},
        ("a", "b", "c"),
        _PAIR,
    ),
    "grey with alpha": Kind(
        _list(*_ROWS, mode="LA"),
        (),
        {"image/encoded": "Image(shape=(10, 12, 3), dtype=uint8)"},
        ("a", "b", "c"),
        _PAIR,
    ),
    "with alpha": Kind(
        _list(*_ROWS, mode="RGBA"),
        (),
        {"image/encoded": "Image(shape=(10, 12, 4), dtype=uint8)"},
        ("a", "b", "c"),
        _PAIR,
    ),
    "PNG and JPEG": Kind(
        _grown, (), {"image/encoded": "Image(shape=(None, None, 3), dtype=uint8)"}, ("a", "b"), _PAIR
    ),
    "several labels": Kind(
        _list("TRAIN,0.png,a,b", "TRAIN,1.png,b,", "TEST,2.png,c,a", header="split,image_uri,label,label"),
        (),
        {_LABEL: "Sequence(ClassLabel", "image/class/text": "Sequence(Text"},
        ("a", "b", "c"),
        _PAIR,
    ),
    "partly labelled": Kind(
        _list("TRAIN,0.png,a", "TRAIN,1.png,", "TEST,2.png,b"),
        ("--unlabelled", "keep"),
        {_LABEL: "Sequence(ClassLabel"},
        ("a", "b"),
        _PAIR,
    ),
    "unlabelled": Kind(
        _list("TRAIN,0.png,", "TRAIN,1.png,", "TEST,2.png,"),
        ("--unlabelled", "keep"),
    ),
    "ids with gaps": Kind(
        _list("TRAIN,0.png,7", "TRAIN,1.png,2", "TEST,2.png,7"),
        (),
        {_LABEL: "ClassLabel(shape=(), dtype=int64, num_classes=8)"},
        None,
        _PAIR,
    ),
    "ids beyond counting": Kind(
        _list(f"TRAIN,0.png,{2**63 - 1}", "TRAIN,1.png,2", "TEST,2.png,2"),
        (),
        {_LABEL: "Scalar(shape=(), dtype=int64)"},
        None,
        _PAIR,
    ),
    "categories with gaps": Kind(
        _categories,
        (),
        {_BOX_LABEL: "num_classes=6"},
        ("background", "unused 1", "unused 3", "unused 3_", "unused 4", "Ärger mit Blank"),
    ),
    "further columns": Kind(
        _list(
            "TRAIN,0.png,a,3,007,1.5,x;y,yes",
            *("TRAIN,1.png,b,4,1,,,no", "TEST,2.png,a,5,2,2,z,no"),
            header=f"{_HEADER},age,zip code,score,tags,old",
        ),
        ("--features", "age,zip code:text,score,tags:text[;],old:bool"),
        {
            "age": "Scalar(shape=(), dtype=int64)",
            "zip code": "Text(",
            "score": "Sequence(Scalar(shape=(), dtype=float32)",
            "tags": "Sequence(Text(",
            "old": "Scalar(shape=(), dtype=int64)",
        },
        ("a", "b"),
        _PAIR,
    ),
    "regression": Kind(
        _list("TRAIN,0.png,1.5", "TRAIN,1.png,-2", "TEST,2.png,0"),
        ("--task", "regression"),
        {"image/target": "Scalar(shape=(), dtype=float32)"},
        None,
        ("image/encoded", "image/target"),
    ),
    "regression, some missing": Kind(
        _list("TRAIN,0.png,1.5", "TRAIN,1.png,", "TEST,2.png,0"),
        ("--task", "regression", "--unlabelled", "keep"),
        {"image/target": "Sequence(Scalar(shape=(), dtype=float32)"},
        None,
        ("image/encoded", "image/target"),
    ),
    "tabular": Kind(
        _list("TRAIN,1,Bonn,a", "TRAIN,2,Köln,b", "TEST,3,,a", header="split,age,town,label"),
        ("--task", "tabular"),
        {"age": "Scalar(shape=(), dtype=int64)", "town": "Sequence(Text(", "label": "ClassLabel"},
        ("a", "b"),
        ({"age": "age", "town": "town"}, "label"),
    ),
    "a shard and a split without records": Kind(
        _list(*_ROWS[:-1], "TRAIN,gone.png,a", "VALIDATION,lost.png,b", "TEST,none.png,a"),
        ("--num-shards", "train=7,validation=1,test=2", "--max-rejects", "3"),
        {_LABEL: "ClassLabel"},
        ("a", "b", "c"),
        _PAIR,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def tfds() -> Any:
    import tensorflow_datasets

    return tensorflow_datasets


def _records(tf: Any, folder: Path, split: str) -> Iterator[dict[str, list[Any]]]:
    """Key -> values, by TensorFlow's own protobuf, in the order of the shards."""
    for path in sorted(folder.glob(f"{split}-*.tfrecord")):
        for raw in tf.data.TFRecordDataset(str(path)):
            features = tf.train.Example.FromString(raw.numpy()).features.feature
            yield {key: list(getattr(f, f.WhichOneof("kind")).value) for key, f in features.items()}


def _class_label(feature: Any) -> Any:
    """The ClassLabel of a feature that is one or a sequence of them."""
    return getattr(feature, "feature", feature)


def _compare(tf: Any, tfds: Any, builder: Any, folder: Path) -> int:
    """Holds each record against what TFDS makes of it; how many there are."""
    features = builder.info.features
    config = tfds.ReadConfig(interleave_cycle_length=1)
    count = 0
    for split in builder.info.splits:
        wanted = list(_records(tf, folder, split))
        read = list(builder.as_dataset(split=split, read_config=config).as_numpy_iterator())
        assert len(read) == len(wanted) == builder.info.splits[split].num_examples
        count += len(read)
        for made, record in zip(read, wanted, strict=True):
            assert record.keys() <= made.keys()
            for key, value in made.items():
                values = record.get(key, [])
                if key == "image/encoded":
                    pixels = tf.io.decode_image(values[0], features[key].shape[-1])
                    assert (value == pixels.numpy()).all()
                else:
                    assert np.atleast_1d(value).tolist() == values, key
    return count


def _names_fit(builder: Any, folder: Path, tf: Any) -> None:
    """The names of the ids are those in the records."""
    for split in SPLITS:
        for record in _records(tf, folder, split):
            for label, text in (
                (_LABEL, "image/class/text"), (_BOX_LABEL, "image/object/class/text"), ("label", "label_text")
            ):  # fmt: skip
                if label in record:
                    names = map(_class_label(builder.info.features[label]).int2str, record[label])
                    assert [name.encode() for name in names] == record[text]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in ("single", "boxes") else pytest.mark.thorough) for name in KINDS],
)
def test_every_kind_is_read_record_for_record(name: str, tmp_path: Path, tf: Any, tfds: Any) -> None:
    kind = KINDS[name]
    out = tmp_path / "photos" / "1.0.0"
    done = convert_json(kind.source(tmp_path / "in"), out, *kind.options)
    assert done["records"]
    builder = tfds.builder_from_directory(out)
    assert _compare(tf, tfds, builder, out) == done["records"]
    features = {key: repr(feature) for key, feature in builder.info.features.items()}
    for key, wanted in (kind.features or {}).items():
        assert features[key].startswith(wanted) or wanted in features[key]
    labels = [
        _class_label(builder.info.features[key]) for key in (_LABEL, _BOX_LABEL, "label") if key in features
    ]
    if kind.names is not None:
        assert tuple(labels[0].names) == tuple(kind.names)
        _names_fit(builder, out, tf)
    assert builder.info.supervised_keys == kind.supervised
    if kind.supervised:
        ((inputs, _),) = builder.as_dataset(split="train", as_supervised=True).take(1)
        assert isinstance(inputs, dict) == isinstance(kind.supervised[0], dict)
    # By the name of its folder, too, and as rows of a table.
    dataset, info = tfds.load("photos", data_dir=tmp_path, split="train[:50%]", with_info=True)
    assert 0 < len(dataset) <= info.splits["train"].num_examples
    assert len(tfds.as_dataframe(dataset.take(2), info)) in (1, 2)
    assert verify(out).exit_code in (0, 1 if "without records" in name else 0)


# --- its files among those of the dataset ---


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return image_list(tmp_path / "in", 6)


def tfds_files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} & {*TFDS_FILES}


NAMES: Final = "image.class.label.labels.txt"
ALL: Final = {TFDS_INFO, TFDS_FEATURES, NAMES}


def test_they_change_nothing_else_and_can_be_left_out(csv: Path, tmp_path: Path) -> None:
    convert_json(csv, tmp_path / "with")
    convert_json(csv, tmp_path / "without", "--no-tfds")
    assert tfds_files(tmp_path / "with") == ALL
    assert tfds_files(tmp_path / "without") == set()
    one, other = (fingerprint(tmp_path / name) for name in ("with", "without"))
    assert {name for name in one if one[name] != other.get(name)} == {"manifest.json", *ALL}
    assert manifest(tmp_path / "with")["files"].keys() >= ALL
    assert verify(tmp_path / "without", strict=True).problems == ()


def test_they_are_the_same_wherever_the_dataset_stands(csv: Path, tmp_path: Path) -> None:
    convert_json(csv, tmp_path / "here")
    convert_json(csv, tmp_path / "elsewhere" / "under another name" / "2.0.0")
    assert fingerprint(tmp_path / "here") == fingerprint(tmp_path / "elsewhere/under another name/2.0.0")


def test_gzip_has_none_and_says_so(csv: Path, tmp_path: Path) -> None:
    done = convert_json(csv, tmp_path / "out", "--compression", "gzip")
    assert tfds_files(tmp_path / "out") == set()
    assert any("plain shards only" in remark for remark in done["remarks"])
    assert not convert_json(csv, tmp_path / "quiet", "--compression", "gzip", "--no-tfds")["remarks"]


def test_a_dataset_of_before_is_complete_without_them(csv: Path, tmp_path: Path) -> None:
    """Its options do not tell of them; one that was made without them is another one."""
    done = tmp_path / "out"
    convert_json(csv, done, "--no-tfds")
    error = convert_json(csv, done)["error"]
    assert "--tfds" in error["message"]
    earlier = Path(__file__).with_name("earlier") / "samples"
    shutil.copytree(earlier, tmp_path / "earlier")
    again = convert_json(_SAMPLES / "data.csv", tmp_path / "earlier")
    assert (again["status"], again["exit_code"]) == ("already_complete", 0)
    assert tfds_files(tmp_path / "earlier") == set()


def test_overwrite_replaces_them_and_takes_them_away(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    convert_json(csv, out)
    before = fingerprint(out)
    rows = [line.replace("a", "z") for line in csv.read_text().splitlines()[1:] if line.endswith(",a")]
    renamed = write_csv(csv.parent / "z.csv", [line.split(",") for line in rows])
    renamed.write_text("split,image_uri,label\n" + csv.read_text().partition("\n")[2].replace(",a\n", ",z\n"))
    convert_json(renamed, out, "--overwrite")
    assert (out / NAMES).read_text() == "b\nz\n"
    assert verify(out, strict=True).problems == ()
    convert_json(csv, out, "--overwrite")
    assert fingerprint(out) == before
    for options in (("--no-tfds",), ("--compression", "gzip")):
        convert_json(csv, out, "--overwrite", *options)
        assert tfds_files(out) == set()
        convert_json(csv, out, "--overwrite")
        assert fingerprint(out) == before


def test_overwrite_takes_them_away_on_a_store(csv: Path) -> None:
    with running("oss") as store:
        url = f"{store.url}/out"
        convert_json(csv, url, env=store.env)
        assert {*store.contents("out")} >= ALL
        assert tfrec("verify", url, "--no-feed", "--strict", env=store.env).code == 0
        convert_json(csv, url, "--no-tfds", "--overwrite", env=store.env)
        assert not {*store.contents("out")} & {*TFDS_FILES}
        assert tfrec("verify", url, "--no-feed", "--strict", env=store.env).code == 0


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("how", ["lost", "edited"])
def test_one_that_is_not_as_written_is_found(csv: Path, tmp_path: Path, name: str, how: str) -> None:
    out = tmp_path / "out"
    convert_json(csv, out)
    if how == "lost":
        (out / name).unlink()
    else:
        (out / name).write_text((out / name).read_text().replace("a", "c"))
    assert found(verify(out)) == [("side_file_edited", name, None, None)]
    if how == "lost":
        assert name in convert_json(csv, out)["error"]["message"]


def test_without_the_manifest_they_tell_what_is_missing(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    convert_json(csv, out, "--num-shards", "3")
    for name in ("manifest.json", "shards.jsonl", "labels.txt"):
        (out / name).unlink()
    assert verify(out, strict=True).problems == ()
    shard = max(path.name for path in out.iterdir() if parse_shard_name(path.name))
    (out / shard).unlink()
    assert ("file_missing", shard, None, None) in found(verify(out))


def test_an_unfinished_run_of_before_goes_on_with_them(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert tfrec("plan", csv, out).code == 0
    assert tfrec("write-shards", out).code == 0
    assert tfds_files(out) == set()
    assert tfrec("finish", out).code == 0
    assert tfds_files(out) == ALL


def test_an_index_beside_rows_without_a_label_warns(tmp_path: Path) -> None:
    rows = [("TRAIN", "0.png", "a"), ("TRAIN", "1.png", "")]
    _list()(tmp_path)
    source = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    options = ("--unlabelled", "keep", "--index")
    (warning,) = convert_json(source, tmp_path / "out", *options)["warnings"]
    assert "1 row without a label" in warning
    assert "DALI" in warning
    assert not convert_json(source, tmp_path / "plain", *options[:2])["warnings"]
    write_csv(source, [(*row[:2], "") for row in rows], ("split", "image_uri", "label"))
    assert not convert_json(source, tmp_path / "none", *options)["warnings"]
