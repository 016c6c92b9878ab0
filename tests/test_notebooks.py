"""What notebooks show: results as HTML, a bar while work goes on; scripts stay silent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.dom.minidom import parseString

import pandas as pd
import pytest
from converting import image_list

import tfrecordcli
from tfrecordcli.progress import Reporter
from tfrecordcli.progress_bar import ProgressBar, bar_for_python


def _text(html: str) -> str:
    """The text of what must be well-formed."""
    node = parseString(f"<div>{html}</div>").documentElement
    assert node is not None

    def texts(of: object) -> str:
        children = getattr(of, "childNodes", ())
        return "\n".join([getattr(of, "data", ""), *map(texts, children)])

    return texts(node)


def test_results_are_shown_as_html(tmp_path: Path) -> None:
    csv = image_list(tmp_path, 6)
    (tmp_path / "003.jpg").write_bytes(b"")
    out = tmp_path / "<out>"
    done = _text(tfrecordcli.convert(csv, out)._repr_html_())
    for said in (f"{out}: complete, 5 records of 6 rows", "train", "1 rejected: empty_file", "tfrec convert"):
        assert said in done
    verified = _text(tfrecordcli.verify(out, feed=False)._repr_html_())
    assert f"{out} is right: 5 records" in verified
    inspected = _text(tfrecordcli.inspect(out)._repr_html_())
    assert "image/encoded" in inspected
    assert "5 records" in inspected
    assert "is not right" in _text(tfrecordcli.verify(_damaged(out), feed=False)._repr_html_())


def _damaged(folder: Path) -> Path:
    shard = next(folder.glob("train-*"))
    shard.write_bytes(shard.read_bytes()[:-1])
    return folder


def test_shards_are_shown_as_html(tmp_path: Path) -> None:
    tfrecordcli.plan(image_list(tmp_path, 6), tmp_path / "out", num_shards={"train": 2})
    text = _text(tfrecordcli.write_shards(tmp_path / "out", shards="0")._repr_html_())
    assert "complete, 1 of 2 shards chosen" in text


def test_splits_are_shown_as_html(tmp_path: Path, tf: Any) -> None:
    csv = image_list(tmp_path, 6)
    tfrecordcli.convert(csv, tmp_path / "out")
    splits = tfrecordcli.load(tmp_path / "out", image_size=8, batch_size=2)
    text = _text(splits._repr_html_())
    assert f"{len(splits)} split" in text
    assert "shape=(None, 8, 8, 3), dtype=tf.uint8" in text
    assert f": {', '.join(splits.class_names)}" in text


def test_scripts_are_silent_unless_they_ask(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    csv = image_list(tmp_path, 4)
    tfrecordcli.convert(csv, tmp_path / "out")
    tfrecordcli.verify(tmp_path / "out", feed=False)
    assert capfd.readouterr() == ("", "")
    pd.read_csv(csv).tensorflow.to_tfrecord(tmp_path / "asked", image_root=tmp_path, progress=True)
    assert "images" in capfd.readouterr().err


def test_a_bar_is_shown_where_there_is_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    ipython = ModuleType("IPython")
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    for shell, wanted, kind in (
        (SimpleNamespace(kernel=object()), None, ProgressBar),
        (SimpleNamespace(kernel=object()), False, Reporter),
        (SimpleNamespace(), None, Reporter),  # IPython in a terminal
        (None, None, Reporter),
    ):
        monkeypatch.setattr(ipython, "get_ipython", lambda shell=shell: shell, raising=False)
        assert type(bar_for_python(wanted)) is kind


def test_the_command_does_not_wait_for_bars_of_notebooks() -> None:
    code = "import sys; from tfrecordcli.cli.progress import _Bar; _Bar().plan(1, 0.5); "
    code += "sys.exit('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, "planning" in done.stderr) == (0, True)
