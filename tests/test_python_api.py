"""`tfrecordcli.convert` and the DataFrame accessor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import by_filename, fingerprint, image_list, read_all, read_csv

import tfrecordcli
from tfrecordcli import processes
from tfrecordcli.errors import BusyError, InputError, OutputError, ResourceError, TfrecError, UsageError


def test_the_result_is_an_object_and_a_mapping(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    result = tfrecordcli.convert(str(csv), str(tmp_path / "out"), num_shards=2, workers=1)
    assert (result.status, result.exit_code, result.rows, result.records) == ("complete", 0, 6, 6)
    assert result["tfrecord_dir"] == result["output_dir"] == str(tmp_path / "out")
    assert result["records"] == 6
    assert result.splits["train"]["shards"] == 2
    with pytest.raises(KeyError, match="nothing"):
        result["nothing"]
    assert tfrecordcli.convert(csv, tmp_path / "out", num_shards="2").status == "already_complete"


def test_rejects_do_not_raise(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    (tmp_path / "in" / "003.jpg").unlink()
    result = tfrecordcli.convert(csv, tmp_path / "out")
    assert (result.exit_code, result.rejected, result.reasons) == (1, 1, {"not_found": 1})
    (problem,) = result.problems
    assert (problem["line"], problem["image_uri"], problem["code"]) == (5, "003.jpg", "not_found")
    assert tfrecordcli.convert(csv, tmp_path / "out", max_rejects=0.5).exit_code == 0


def test_what_cannot_be_done_raises(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    out = tmp_path / "out"
    cases: list[tuple[type[TfrecError], Any, dict[str, Any]]] = [
        (InputError, tmp_path / "none.csv", {}),
        (InputError, 5, {}),
        (UsageError, csv, {"colour": "red"}),
        (UsageError, csv, {"index": "yes"}),
        (UsageError, csv, {"num_shards": 5}),
        (InputError, csv, {"image_root": tmp_path / "none"}),
        (OutputError, csv, {"output_dir": csv}),
    ]
    for kind, source, options in cases:
        output = options.pop("output_dir", out)
        with pytest.raises(kind) as caught:
            tfrecordcli.convert(source, output, **options)
        assert caught.value.exit_code == 2
        assert str(caught.value)
        assert not out.exists()
    assert BusyError("x").exit_code == 3


@pytest.mark.parametrize(
    ("function", "given", "hint"),
    [
        (tfrecordcli.convert, {"num_shard": 2}, "did you mean num_shards?"),
        (tfrecordcli.convert, {"progres": True}, "did you mean progress?"),
        (tfrecordcli.verify, {"progres": True}, "did you mean progress?"),
        (tfrecordcli.plan, {"num_shard": 2}, "did you mean num_shards?"),
        (tfrecordcli.write_shards, {"worker": 2}, "did you mean workers?"),
        (tfrecordcli.write_shards, {"zzz": 2}, "there are part, progress, shards, workers"),
        (tfrecordcli.finish, {"max_reject": 2}, "did you mean max_rejects?"),
        (tfrecordcli.verify, {"feeds": True}, "did you mean feed?"),
        (tfrecordcli.inspect, {"max_record": 2}, "did you mean max_records?"),
        (tfrecordcli.load, {"batchsize": 2}, "did you mean batch_size?"),
    ],
)
def test_a_misspelt_keyword_is_told_the_nearest(
    function: Callable[..., Any], given: dict[str, Any], hint: str, tmp_path: Path
) -> None:
    places = (
        [tmp_path, tmp_path / "out"] if function in (tfrecordcli.convert, tfrecordcli.plan) else [tmp_path]
    )
    with pytest.raises(UsageError, match=next(iter(given))) as caught:
        function(*places, **given)
    assert caught.value.hint == hint


def test_an_output_directory_that_python_names_is_free_again_after_an_error(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    with pytest.raises(UsageError):
        tfrecordcli.convert(csv, tmp_path / "out", labels_file=tmp_path / "none")
    assert tfrecordcli.convert(csv, tmp_path / "out").exit_code == 0


def test_a_frame_is_a_csv(tf: Any, tmp_path: Path, sample_data: Path) -> None:
    frame = pd.read_csv(sample_data / "data.csv")
    result = frame.tensorflow.to_tfrecord(output_dir=tmp_path / "frame", image_root=sample_data)
    assert (result.exit_code, result.records) == (0, 30)
    tfrecordcli.convert(sample_data / "data.csv", tmp_path / "csv")
    shards = {p.name: p.read_bytes() for p in (tmp_path / "csv").glob("*.tfrecord")}
    assert {p.name: p.read_bytes() for p in (tmp_path / "frame").glob("*.tfrecord")} == shards
    again = frame.tensorflow.to_tfr(output_dir=tmp_path / "frame", image_root=sample_data)
    assert again.status == "already_complete"


def test_a_frame_with_lists_numbers_and_gaps(
    tf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image_list(tmp_path, 4)
    monkeypatch.chdir(tmp_path)  # relative paths are relative to the working folder
    frame = pd.DataFrame(
        {
            "label": [["a", "b"], ["b"], ("c",), float("nan")],
            "image_uri": [f"00{n}.jpg" for n in range(4)],
            "split": ["train", None, "test", "train"],
        }
    )
    result = tfrecordcli.convert(frame, "out", unlabelled="keep", splits="validation=1")
    assert (result.exit_code, result.records) == (0, 4)
    found = read_all(tf, tmp_path / "out")
    texts = {name: record.texts for name, record in by_filename(found).items()}
    assert texts == {"000.jpg": ("a", "b"), "001.jpg": ("b",), "002.jpg": ("c",), "003.jpg": ()}
    assert [record.filename for record in found["validation"]] == ["001.jpg"]


def test_integer_labels_that_pandas_made_floats(tf: Any, tmp_path: Path) -> None:
    image_list(tmp_path / "in", 3)
    frame = pd.DataFrame({"image_uri": [f"00{n}.jpg" for n in range(3)], "label": [4, 2, None]})
    result = tfrecordcli.convert(
        frame, tmp_path / "out", image_root=tmp_path / "in", unlabelled="keep", splits={"train": 1}
    )
    assert (result.exit_code, result.label_kind) == (0, "id")
    records = by_filename(read_all(tf, tmp_path / "out"))
    assert [records[f"00{n}.jpg"].labels for n in range(3)] == [(4,), (2,), ()]


def test_options_may_be_text_or_values(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    csv.write_text(csv.read_text().replace("image_uri", "Pic").replace("label", "Kind"))
    values: dict[str, Any] = {
        "columns": {"image_uri": "Pic", "label": "Kind"}, "num_shards": {"train": 2}, "max_side": 10,
        "shard_size": 1 << 20, "max_rejects": 0.1, "splits": {"train": 1}, "seed": 3, "index": True,
    }  # fmt: skip
    texts = {
        "columns": "image_uri=Pic,label=Kind", "num_shards": "train=2", "max_side": "10",
        "shard_size": "1MiB", "max_rejects": "10%", "splits": "train=1", "seed": "3", "index": True,
    }  # fmt: skip
    tfrecordcli.convert(csv, tmp_path / "values", **values)
    tfrecordcli.convert(csv, tmp_path / "texts", **texts)
    assert fingerprint(tmp_path / "values") == fingerprint(tmp_path / "texts")


def test_a_dry_run_and_an_overwrite(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    assert tfrecordcli.convert(csv, tmp_path / "out", dry_run=True).status == "planned"
    assert not (tmp_path / "out").exists()
    tfrecordcli.convert(csv, tmp_path / "out")
    with pytest.raises(OutputError, match="seed="):
        tfrecordcli.convert(csv, tmp_path / "out", seed=1)
    assert tfrecordcli.convert(csv, tmp_path / "out", seed=1, overwrite=True).status == "complete"
    assert len(read_csv(csv)) == 6


def test_progress_is_told_to_a_reporter_and_adds_up(tmp_path: Path) -> None:
    from tfrecordcli.converting.conversion import convert
    from tfrecordcli.progress import Reporter

    csv = image_list(tmp_path / "in", 12)
    (tmp_path / "in" / "003.jpg").write_bytes(b"?")

    class Counting(Reporter):
        def __init__(self) -> None:
            self.planned = self.done = self.rows = self.rejected = self.bytes = self.finished = 0

        def plan(self, rows: int, share: float) -> None:
            raise AssertionError("a short list is planned at once")

        def start(self, rows: int, done: int) -> None:
            self.planned, self.done = rows, done

        def advance(self, rows: int, rejected: int, size: int) -> None:
            self.rows += rows
            self.rejected += rejected
            self.bytes += size

        def finish(self) -> None:
            self.finished += 1

    told = Counting()
    result = convert(csv, tmp_path / "out", reporter=told, num_shards=5)
    assert (told.planned, told.done, told.rows, told.rejected, told.finished) == (12, 0, 12, 1, 1)
    assert told.bytes == result.bytes_read


@pytest.mark.parametrize("call", ["convert", "verify"])
@pytest.mark.processes
def test_a_worker_that_cannot_be_started_is_not_the_fault_of_the_output(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a user who may not execute the interpreter."""
    csv = image_list(tmp_path / "in", 4)
    tfrecordcli.convert(csv, tmp_path / "out")
    monkeypatch.setattr(processes, "python_command", lambda module: [str(tmp_path)])
    calls: dict[str, Callable[[], object]] = {
        "convert": lambda: tfrecordcli.convert(csv, tmp_path / "other"),
        "verify": lambda: tfrecordcli.verify(tmp_path / "out", feed=False),
    }
    with pytest.raises(ResourceError, match="worker process cannot be started: Permission denied") as caught:
        calls[call]()
    assert sys.executable in caught.value.hint
