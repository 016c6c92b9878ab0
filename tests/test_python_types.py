"""What an editor and a type checker know of `tfrecordcli`: names, keywords, values and results."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from converting import environment

import tfrecordcli
from tfrecordcli import errors, keywords
from tfrecordcli.accessor import TensorFlowAccessor
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.option_definition import options_of
from tfrecordcli.options import ConvertOptions
from tfrecordcli.verify_options import VerifyOptions

ROOT = Path(__file__).parents[1]

RIGHT = """
from pathlib import Path
import tfrecordcli
from tfrecordcli import TfrecError, UsageError
from typing_extensions import assert_type
try:
    result = tfrecordcli.convert(
        "a.csv", Path("out"), num_shards=8, check="structure", columns={"label": "Kind"}, labels=Path("l"),
        shard_size="64MiB", image_root=None, workers=2, beam_options={"max_num_workers": 5},
    )
    assert_type(result, tfrecordcli.ConvertResult)
    assert_type(result.records, int)
    assert_type(result.problems, tuple[tfrecordcli.RejectedRow, ...])
    assert_type(result.reject_groups[0]["named"][0]["reason"], str)
    assert_type(tfrecordcli.plan("a.csv", "out", splits={"train": 8, "test": 2}).exit_code, int)
    assert_type(tfrecordcli.write_shards("out", part="0/2", workers=4), tfrecordcli.ShardsResult)
    assert_type(tfrecordcli.finish("out", max_rejects="1%"), tfrecordcli.ConvertResult)
    report = tfrecordcli.verify("out", feed=False, shards="0-9", ignore=["corrupt_data"])
    assert_type(report, tfrecordcli.VerifyReport)
    assert_type(report.problems, tuple[tfrecordcli.Problem, ...])
    assert_type(report.feed, tfrecordcli.FeedReport | None)
    assert_type(tfrecordcli.inspect("out", max_records=5), tfrecordcli.Inspection)
    splits = tfrecordcli.load("out", image_size=(64, 32), label_mode="multi_hot", augment_splits="train")
    assert_type(splits, tfrecordcli.Splits)
except UsageError as error:
    assert_type(error.hint, str)
except TfrecError as error:
    assert_type(error.exit_code, int)
"""

# Each line by itself is wrong.
WRONG = """\
import tfrecordcli
tfrecordcli.convert("a.csv", "out", num_shard=8)
tfrecordcli.convert("a.csv", "out", check="structur")
tfrecordcli.convert("a.csv", "out", seed="seven")
tfrecordcli.convert("a.csv", "out", "train=8")
tfrecordcli.plan("a.csv", "out", runner="local")
tfrecordcli.write_shards("out", workers="4")
tfrecordcli.finish("out", max_reject=1)
tfrecordcli.verify("out", feed="no")
tfrecordcli.load("out", label_mode="onehot")
tfrecordcli.inspect("out", records=5)
tfrecordcli.convrt("a.csv", "out")
tfrecordcli.ConvertResults
text: str = tfrecordcli.convert("a.csv", "out").records
tfrecordcli.convert("a.csv", "out").problems[0]["lines"]
"""


def _errors(command: list[str], folder: Path) -> dict[str, set[int]]:
    """File -> lines in which a type checker finds errors."""
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    env = environment(MYPYPATH=str(ROOT))
    done = subprocess.run(
        [*command, "right.py", "wrong.py"], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    found: dict[str, set[int]] = {"right.py": set(), "wrong.py": set()}
    for name, line in re.findall(r"(\w+\.py):(\d+)(?::\d+)?(?::| -) error", done.stdout):
        found[name].add(int(line))
    assert any(found.values()), done.stdout + done.stderr
    return found


_EXPECTED = {"right.py": set(), "wrong.py": set(range(2, len(WRONG.splitlines()) + 1))}


@pytest.mark.thorough
def test_mypy_knows_right_from_wrong(tmp_path: Path) -> None:
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "scripts")]
    mypy = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent", *cache]
    assert _errors(mypy, tmp_path) == _EXPECTED


@pytest.mark.thorough
def test_pyright_knows_right_from_wrong(tmp_path: Path) -> None:
    """As basedpyright, which is pyright with a Node of its own: pyright's package downloads one."""
    command = Path(sys.executable).with_name("basedpyright")
    if not command.exists():
        pytest.skip("basedpyright is not installed")
    settings = {"extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    assert _errors([str(command), "--pythonpath", sys.executable], tmp_path) == _EXPECTED


def test_every_name_is_there_and_comes_when_it_is_asked_for() -> None:
    for name in tfrecordcli.__all__:
        assert getattr(tfrecordcli, name).__class__ is not type(os), f"{name} is a module"
    assert set(tfrecordcli.__all__) <= set(dir(tfrecordcli))
    with pytest.raises(AttributeError, match="convrt"):
        tfrecordcli.__getattr__("convrt")
    own = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert own - {"MalformedAnswerError", "RequestTimeoutError"} <= set(tfrecordcli.__all__)
    assert (ROOT / "tfrecordcli" / "py.typed").exists()


def test_no_module_at_the_root_is_called_like_a_function() -> None:
    modules = {path.stem for path in (ROOT / "tfrecordcli").iterdir()}
    assert not modules & set(tfrecordcli.__all__)


def test_signatures_name_what_editors_complete() -> None:
    hints: dict[Any, type] = {
        tfrecordcli.convert: keywords.ConvertKeywords,
        TensorFlowAccessor.to_tfrecord: keywords.ConvertKeywords,
        tfrecordcli.plan: keywords.PlanKeywords,
        tfrecordcli.verify: keywords.VerifyKeywords,
        tfrecordcli.load: keywords.LoadKeywords,
    }
    for function, expected in hints.items():
        assert inspect.get_annotations(function)["options"] == f"Unpack[{expected.__name__}]"


def _literals(kind: Any) -> set[Any]:
    """The values that a type names, None among them."""
    if kind is NoneType:
        return {None}
    if get_origin(kind) is Literal:
        return set(get_args(kind))
    return set().union(*map(_literals, get_args(kind))) if get_origin(kind) in (Union, UnionType) else set()


def _typed(kind: type) -> dict[str, set[Any]]:
    """Field -> the values that its type names."""
    known = options_of(kind) if dataclasses.is_dataclass(kind) else {}
    hints = get_type_hints(kind)
    return {name: _literals(hint) for name, hint in hints.items() if not known or name in known}


def test_keywords_are_the_options_with_their_choices() -> None:
    options: dict[str, set[Any]] = {}
    for group in get_type_hints(ConvertOptions).values():
        options |= _typed(group)
    options["labels"] = options.pop("labels_file")
    assert _typed(keywords.ConvertKeywords) == options
    assert _typed(keywords.VerifyKeywords) == _typed(VerifyOptions)
    feed = _typed(keywords.LoadKeywords)
    assert (feed.pop("augment"), feed.pop("augment_splits")) == ({None}, set())
    assert feed == _typed(FeedOptions)
