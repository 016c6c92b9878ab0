"""docs/from-tfrecorder.md: what TFRecorder's users wrote works, or says what to write."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import image_list, tfrec

import tfrecordcli
from tfrecordcli.errors import UsageError
from tfrecordcli.tfrecorder_arguments import in_our_words

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "from-tfrecorder.md").read_text(encoding="utf-8")
OLD = ROOT.parent / "shared" / "data" / "tfrecorder"


class _SplitKey:
    """Its types were classes."""


class _FloatInput:
    pass


class _IntegerLabel:
    pass


class _Schema:
    """What its `input_schema.Schema` was to others."""

    def __init__(self, input_schema_map: dict[str, Any]) -> None:
        self.input_schema_map = input_schema_map


_SplitKey.__name__, _FloatInput.__name__, _IntegerLabel.__name__ = "SplitKey", "FloatInput", "IntegerLabel"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_the_page_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tf: Any) -> None:
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    found = runpy.run_path("example.py")
    if "results" in found:
        assert found["results"]["tfrecord_dir"] == "from-frame"
        assert found["results"]["metrics"] == {"rows": 30, "good_images": 30, "bad_images": 0}
    else:
        assert sorted(found["columns"]) == ["Age", "Fare", "Name", "Survived"]


def test_a_schema_of_images_says_which_column_is_what(tmp_path: Path) -> None:
    frame = pd.read_csv(image_list(tmp_path, 4))
    frame.columns = ["which", "file", "kind"]
    frame["kind"] = [7, 9, 7, 9]
    schema = {"which": "SplitKey", "file": "ImageUri", "kind": "IntegerLabel"}
    done = frame.tensorflow.to_tfr(tmp_path / "out", schema_map=schema, image_root=tmp_path)
    assert (done["job_id"], done["dataflow_url"], done["metrics"]["good_images"]) == ("", "", 4)
    assert done.labels == ("7", "9")


def test_classes_of_a_schema_are_known_by_their_names() -> None:
    schema = _Schema({"set": _SplitKey, "x": _FloatInput, "y": _IntegerLabel})
    frame = pd.DataFrame({"set": ["TRAIN"], "x": [0.5], "y": [1], "unused": ["u"]})
    chosen, ours = in_our_words(frame, {"schema": schema, "num_shards": 2})
    assert list(chosen.columns) == ["set", "x", "y"]
    assert ours == {
        "columns": {"split": "set", "label": "y"},
        "features": {"x": "float"},
        "task": "tabular",
        "label_type": "id",
        "num_shards": 2,
    }


def test_names_choose_columns() -> None:
    frame = pd.DataFrame({"a": [1], "b": [2]})
    chosen, ours = in_our_words(frame, {"names": ["b"]})
    assert (list(chosen.columns), ours) == (["b"], {})


def test_options_of_dataflow_are_those_of_beam() -> None:
    given = {"runner": "DataflowRunner", "dataflow_options": {"max_num_workers": 5}, "job_label": "To_Photos"}
    assert in_our_words("gs://b/list.csv", given)[1] == {
        "runner": "DataflowRunner",
        "beam_options": {"job_name": "to-photos", "max_num_workers": 5},
    }


FRAME = pd.DataFrame({"a": [1]})
REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (FRAME, {"header": None}, "a CSV has a header, and columns="),
    (FRAME, {"tfrecorder_wheel": "x.whl"}, "the tfrec that runs here"),
    (FRAME, {"job_label": "photos"}, "name it there"),
    (FRAME, {"names": ["b"]}, "it has a"),
    ("list.csv", {"names": ["split", "image_uri"]}, "use columns="),
    (FRAME, {"schema": {"a": "CategoricalInput"}}, "there are SplitKey, ImageUri"),
    (FRAME, {"schema": ["a"]}, "docs/from-tfrecorder.md"),
    (FRAME, {"schema": {"a": "SplitKey"}, "columns": {"split": "a"}}, "give one of the two"),
    (FRAME, {"dataflow_options": {}, "beam_options": {}}, "give one of the two"),
]


@pytest.mark.parametrize(("source", "options", "hint"), REFUSED, ids=lambda value: str(value)[:30])
def test_what_does_nothing_any_more_is_refused_with_what_does(
    source: Any, options: dict[str, Any], hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        tfrecordcli.convert(source, "out", **options)
    assert hint in caught.value.hint


def test_its_functions_name_ours() -> None:
    with pytest.raises(AttributeError, match=r"then tfrecordcli\.load\(output_dir\)"):
        tfrecordcli.convert_and_load("data.csv", "out")  # type: ignore[attr-defined]
    assert not hasattr(tfrecordcli, "input_schema")


@pytest.mark.parametrize(
    ("command", "instead"), [("create-tfrecords", "tfrec convert"), ("check-tfrecords", "tfrec verify")]
)
def test_its_commands_name_ours(command: str, instead: str) -> None:
    done = tfrec(command, "--input_data=a.csv")
    assert done.code == 2
    assert instead in done.err


@pytest.mark.skipif(not OLD.is_dir(), reason=f"files that TFRecorder wrote are not at {OLD}")
def test_its_own_files_are_read(tmp_path: Path) -> None:
    folder = OLD / "sample_tfrecords"
    assert tfrec("inspect", folder, "--json").json["records"] == 6
    assert tfrec("verify", folder, "--no-feed", "--json").code == 0
    words = (folder / "transform_fn/assets/vocab_compute_and_apply_vocabulary_vocabulary").read_text()
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{id_} {word}\n" for id_, word in enumerate(words.split())))
    done = tfrec("convert", folder, tmp_path / "out", "--label-names", names, "--json")
    assert (done.code, done.json["records"]) == (0, 6)
    assert (tmp_path / "out" / "labels.txt").read_text().split() == ["goat", "cat"]
    splits = {split: counts["records"] for split, counts in done.json["splits"].items() if counts["records"]}
    assert splits == {"train": 2, "validation": 2, "test": 2}


@pytest.mark.skipif(not OLD.is_dir(), reason=f"photos of TFRecorder's are not at {OLD}")
def test_its_sample_list_is_read(tmp_path: Path) -> None:
    shutil.copytree(OLD / "tfrecorder", tmp_path / "tfrecorder")
    shutil.copy(OLD / "data.csv", tmp_path)
    done = tfrec("convert", tmp_path / "data.csv", tmp_path / "out", "--json")
    assert (done.code, done.json["records"], done.json["num_labels"]) == (0, 6, 2)
