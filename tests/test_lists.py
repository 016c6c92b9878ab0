"""Lists as people have them: each folder of `lists` holds one, and what must come of it.

`expected.json` of a folder says:
  source: the list, or folder, in there; `list.csv` when left out.
  sources: further ones.
  images: files that are drawn before; turned: photos whose EXIF has this orientation.
  options: of the command.
  refused: words of the message that refuses it; nothing may be written then.
  cure: options which that message proposes; with them the rest of the file holds.
  run: a command for a shell which that message proposes, and `then` source and options of the list that it
    makes; of that the rest of the file holds.
  says: words of notes and warnings.
  rejects: reason by image, as rejects.csv has it in the first row of each.
  records, rejected, splits, labels: counts, records by split, names in id order.
  boxes: of a list of boxes, how many became what.
  texts: labels by image, of all records, as TensorFlow reads them.
  values: further features by image, as TensorFlow reads them.
"""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pytest
from converting import by_filename, convert_json, jpeg, manifest, read_all, shell, tfrec
from PIL import Image

import tfrecordcli
from tfrecordcli.schema import SPLITS

_LISTS: Final = Path(__file__).with_name("lists")
_CASES: Final = sorted(path.name for path in _LISTS.iterdir() if (path / "expected.json").is_file())


@pytest.mark.parametrize("name", _CASES)
def test_a_list_gives_what_it_must(name: str, tmp_path: Path, tf: Any) -> None:
    expected = json.loads((_LISTS / name / "expected.json").read_text(encoding="utf-8"))
    folder = tmp_path / "in"
    shutil.copytree(_LISTS / name, folder)
    (folder / "expected.json").unlink()
    for number, image in enumerate(expected.get("images", ())):
        (folder / image).parent.mkdir(parents=True, exist_ok=True)
        (folder / image).write_bytes(jpeg(number))
    for image, orientation in expected.get("turned", {}).items():
        exif = Image.Exif()
        exif[0x0112] = orientation
        Image.new("RGB", (24, 16)).save(folder / image, exif=exif)
    options = shlex.split(expected.get("options", ""))
    source = expected.get("source", "list.csv")
    done = convert_json(source, *expected.get("sources", ()), "../out", *options, cwd=folder)
    if "refused" in expected:
        told = _told(done)
        proposed = filter(None, map(expected.get, ("cure", "run")))
        for words in (*expected["refused"], *proposed):
            assert words in told, told
        assert done["exit_code"] in (1, 2)
        if "run" in expected:
            assert shell(expected["run"], folder).code == 0
            source, *further = shlex.split(expected["then"])
        elif "cure" in expected:
            further = shlex.split(expected["cure"])
        else:
            return
        done = convert_json(source, "../out", *options, *further, cwd=folder)
    _check(expected, done, tmp_path / "out", tf)


# Lists with each of the options that say what columns hold.
_OPTIONS: Final = (
    "one-hot-several",
    "features-typed",
    "ids-with-names",
    "cloud-paths-here",
    "regression-with-gaps",
    "tabular-titanic",
)


@pytest.mark.parametrize("name", _OPTIONS)
def test_a_pipe_a_frame_and_a_plan_give_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = json.loads((_LISTS / name / "expected.json").read_text(encoding="utf-8"))
    folder = tmp_path / "in"
    shutil.copytree(_LISTS / name, folder)
    for number, image in enumerate(expected.get("images", ())):
        (folder / image).parent.mkdir(parents=True, exist_ok=True)
        (folder / image).write_bytes(jpeg(number))
    monkeypatch.chdir(folder)
    words = shlex.split(expected["options"])
    convert_json("list.csv", "../file", *words)
    convert_json("-", "../pipe", *words, stdin=(folder / "list.csv").read_bytes())
    for step in (
        ("plan", "list.csv", "../steps", *words),
        ("write-shards", "../steps"),
        ("finish", "../steps"),
    ):
        tfrec(*step)
    header = None if name == "cloud-paths-here" else 0
    frame = pd.read_csv("list.csv", dtype=str, keep_default_na=False, header=header)
    frame.columns = ["image", "label"] if header is None else frame.columns
    values = dict(
        zip((word.removeprefix("--").replace("-", "_") for word in words[::2]), words[1::2], strict=True)
    )
    tfrecordcli.convert(frame, "../frame", **values)
    shards = {path.name: path.read_bytes() for path in (tmp_path / "file").glob("*.tfrecord")}
    for other in ("pipe", "steps", "frame"):
        found = {path.name: path.read_bytes() for path in (tmp_path / other).glob("*.tfrecord")}
        assert found == shards, other


def _told(done: dict[str, Any]) -> str:
    """All that a person is told."""
    texts = [*done.get("warnings", ()), *done.get("remarks", ())]
    error = done.get("error") or {}
    texts += error.values() if isinstance(error, dict) else [error]
    return "\n".join(str(text) for text in texts)


def _check(expected: dict[str, Any], done: dict[str, Any], output: Path, tf: Any) -> None:
    assert "records" in done, done
    for words in expected.get("says", ()):
        assert words in _told(done), _told(done)
    counted = {key: done[key] for key in ("exit_code", "records", "rejected")}
    wanted = {"exit_code": 0, "records": expected["records"], "rejected": expected.get("rejected", 0)}
    assert counted == {**wanted, "exit_code": expected.get("exit_code", 0)}, done
    if "rejects" in expected:
        with (output / "rejects.csv").open(encoding="utf-8", newline="") as file:
            listed = list(csv.DictReader(file))
        image = "filename" if "filename" in listed[0] else "image_uri"
        rows = {row[image]: row["tfrec_reason"] for row in reversed(listed)}
        assert rows == expected["rejects"]
    made = manifest(output)
    if "splits" in expected:
        counts = {split: made["splits"].get(split, {}).get("records", 0) for split in SPLITS}
        assert {split: count for split, count in counts.items() if count} == expected["splits"]
    if "labels" in expected:
        assert sorted(made["labels"], key=made["labels"].__getitem__) == expected["labels"]
    if "boxes" in expected:
        assert {key: made["boxes"][key] for key in expected["boxes"]} == expected["boxes"]
        return
    if "key" in expected:
        _check_rows(expected, output, tf)
        return
    splits = read_all(tf, output)
    records = by_filename(splits)
    if "texts" in expected:
        assert {name: list(record.texts) for name, record in records.items()} == expected["texts"]
    for image, values in expected.get("values", {}).items():
        features = tf.train.Example.FromString(records[image].raw).features.feature
        assert {key: _values(features, key) for key in values} == values


def _check_rows(expected: dict[str, Any], output: Path, tf: Any) -> None:
    """The same of rows without images, which a column tells apart."""
    paths = sorted(map(str, output.glob("*.tfrecord")))
    records = [tf.train.Example.FromString(raw.numpy()) for raw in tf.data.TFRecordDataset(paths)]
    rows = [example.features.feature for example in records]
    assert not any(key.startswith("image/") for row in rows for key in row)
    found = {str(_values(row, expected["key"])[0]): row for row in rows}
    for name, values in expected["values"].items():
        assert {key: _values(found[name], key) for key in values} == values


def _values(features: Any, key: str) -> Any:
    if key not in features:
        return None
    kind = features[key].WhichOneof("kind")
    values = list(getattr(features[key], kind).value)
    return [value.decode() for value in values] if kind == "bytes_list" else values
