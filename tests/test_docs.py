"""README, docs and metadata say what the code does."""

from __future__ import annotations

import configparser
import json
import math
import re
import runpy
import subprocess
from pathlib import Path

import click
import pytest
from converting import commands, shell
from PIL import Image

from tfrecordcli.images.decode import LOSSY_FORMATS
from tfrecordcli.images.notes import REENCODED_FORMATS
from tfrecordcli.naming import SIDE_FILES
from tfrecordcli.problems import HINTS, PROBLEMS
from tfrecordcli.reasons import IMAGE_REASONS, ROW_REASONS
from tfrecordcli.schema import CLASSIFICATION, detection
from tfrecordcli.sources.column_words import KNOWN_COLUMNS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def _console_commands() -> list[str]:
    lines = "".join(_blocks("console")).splitlines()
    return [line[2:].partition("    #")[0].strip() for line in lines if line.startswith("$ tfrec")]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder in which the README's commands find what they name, and may write."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    return tmp_path


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    done = shell(command, folder, "-euo", "pipefail")
    return subprocess.CompletedProcess(command, done.code, done.out, done.err)


@pytest.fixture
def converted(checkout: Path) -> Path:
    """The same, after the first command of the README."""
    done = _run("tfrec convert sample_data/data.csv out/", checkout)
    assert done.returncode == 0, done.stderr
    return checkout


def test_readme_opens_with_the_two_commands() -> None:
    first = _blocks("console")[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["$ make demo", "$ make test"]


@pytest.mark.parametrize("command", _console_commands())
def test_readme_commands_run(command: str, converted: Path) -> None:
    done = _run(command, converted)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", _blocks("bash"))
def test_readme_scripts_run(script: str, checkout: Path) -> None:
    done = _run(script, checkout)
    assert done.returncode == 0, done.stderr


def test_readme_shows_what_convert_prints(checkout: Path) -> None:
    """All of it but the line with times."""
    block = next(
        block for block in _blocks("console") if "$ tfrec convert sample_data/data.csv out/\n" in block
    )
    shown = block.partition("$ tfrec convert sample_data/data.csv out/\n")[2]
    printed = _run("tfrec convert sample_data/data.csv out/", checkout).stdout
    assert shown.splitlines()[:-1] == printed.splitlines()[:-1]
    untimed = re.compile(r"[\d.]+ s \([\d,]+ images")
    assert untimed.sub("", shown.splitlines()[-1]) == untimed.sub("", printed.splitlines()[-1])


@pytest.mark.thorough
def test_the_model_of_the_docs_trains(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = (
        block
        for block in _blocks("python", (ROOT / "docs" / "records.md").read_text(encoding="utf-8"))
        if "model.fit" in block
    )
    monkeypatch.chdir(checkout)
    (checkout / "code.py").write_text(code, encoding="utf-8")
    model = runpy.run_path(str(checkout / "code.py"))["model"]
    assert all(math.isfinite(loss) for losses in model.history.history.values() for loss in losses)
    assert "Epoch 3/3" in capsys.readouterr().out


@pytest.mark.parametrize("code", _blocks("python"))
def test_readme_python_runs(code: str, converted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (converted / "example.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(converted)
    runpy.run_path("example.py", run_name="__main__")


def _all_options() -> list[tuple[str, click.Option]]:
    return [
        (name, option)
        for name, command in commands().items()
        for option in command.params
        if isinstance(option, click.Option)
    ]


@pytest.mark.parametrize(
    ("command", "option"), _all_options(), ids=lambda value: getattr(value, "name", value)
)
def test_options_have_help_and_stand_in_the_readme(command: str, option: click.Option) -> None:
    assert option.help
    section = README.partition(f"### tfrec {command}")[2]
    assert f"`{option.opts[0]}" in section


def _table(text: str) -> dict[str, str]:
    return dict(re.findall(r"^\| `([a-z0-9_]+)` \| (.+) \|$", text, re.MULTILINE))


def test_every_reason_is_documented_as_it_is() -> None:
    text = (ROOT / "docs" / "rejects.md").read_text(encoding="utf-8")
    assert _table(text) == ROW_REASONS | IMAGE_REASONS


def test_every_image_format_is_documented_as_it_is() -> None:
    text = (ROOT / "docs" / "images.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (Pillow|the extra `heif`) \| (JPEG|PNG) \|$", text, re.MULTILINE)
    lossy = {REENCODED_FORMATS[name] for name in LOSSY_FORMATS} | {REENCODED_FORMATS["JPEG"]}
    stored = {name: "JPEG" if name in lossy else "PNG" for name in REENCODED_FORMATS.values()}
    assert {name: kind for name, _, kind in rows} == stored
    assert [name for name, reader, _ in rows if reader != "Pillow"] == [REENCODED_FORMATS["HEIF"]]


def test_every_problem_is_documented_as_it_is() -> None:
    text = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9_]+)` \| (.+ \| .+ \| .+) \|$", text, re.MULTILINE))
    assert rows == {code: " | ".join((*row, HINTS[code])) for code, row in PROBLEMS.items()}
    assert HINTS.keys() == PROBLEMS.keys()


def test_every_feature_and_file_is_documented() -> None:
    text = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    for name in (*CLASSIFICATION.table(), *detection().table()):
        assert f"`{name}`" in text
    for name in SIDE_FILES:
        assert name in README


def test_every_known_column_is_documented() -> None:
    text = (ROOT / "docs" / "input-formats.md").read_text(encoding="utf-8")
    for names in KNOWN_COLUMNS.values():
        for name in names:
            assert f"`{name}`" in text


def _samples_of_lists() -> list[tuple[str, str, str]]:
    """The samples of docs/input-formats.md, each with the command below it and the counts that this tells."""
    text = (ROOT / "docs" / "input-formats.md").read_text(encoding="utf-8")
    return re.findall(r"```(?:json)?\n([^`]*)```\n\n    (tfrec convert .*?) +# (.*)", text)


def test_most_samples_of_lists_have_a_command() -> None:
    assert len(_samples_of_lists()) >= 14


@pytest.mark.parametrize(("sample", "command", "told"), _samples_of_lists())
def test_every_sample_of_a_list_is_read_by_the_command_below_it(
    sample: str, command: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / command.split()[2]).write_text(sample, encoding="utf-8")
    named = {
        name.removeprefix("gs://bucket/") for name in re.findall(r"(?:gs:/)?[\w/]+\.(?:jpg|png)", sample)
    }
    ids = re.findall(r"^([0-9a-f]{9,}),", sample, re.MULTILINE)
    for name in (*named, *(f"{name}.jpg" for name in ids)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (640, 480)).save(tmp_path / name)
    done = _run(f"{command} --json --num-shards 1", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    counts = [(result["records"], "record"), (result["num_labels"], "label")]
    if result["boxes"]:
        counts.append((result["boxes"]["stored"], "box"))
    plural = {"box": "boxes"}
    assert told == ", ".join(
        f"{n} {word if n == 1 else plural.get(word, word + 's')}" for n, word in counts if n
    )


def _requirements() -> dict[str, str]:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    lines = config["options"]["install_requires"].split("\n")
    return {re.split(r"[<>=\[; ]", line)[0]: line for line in lines if line and not line.startswith("#")}


def test_writer_requirements_are_those_of_the_package() -> None:
    lines = (ROOT / "requirements-writer.txt").read_text(encoding="utf-8").splitlines()
    writer = [line for line in lines if not line.startswith("#")]
    wanted = [line for name, line in _requirements().items() if name not in ("tensorflow", "pandas")]
    assert writer == wanted


def test_every_dependency_is_explained() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    for name in _requirements():
        assert f"\n| {name} " in text


def test_every_guarantee_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| (?!fault|what grows|---)", line)]
    assert len(rows) > 30
    for row in rows:
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`( \(test-all\))?", row.split("|")[-2])
        assert named, row
        for file, test, later in named:
            source = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert f"\ndef {test}(" in source, f"{file}::{test}"
            assert bool(later) == _is_thorough(source, test), f"{file}::{test}"


def _is_thorough(source: str, test: str) -> bool:
    """Whether no case of a test is run by `make test`."""
    of_all = source.partition("\npytestmark = ")[2].partition("\n\n")[0]
    decorators = source.partition(f"\ndef {test}(")[0].rpartition("\n\n")[2]
    return "pytest.mark.thorough" in of_all or "\n@pytest.mark.thorough\n" in f"\n{decorators}\n"


def test_changelog_has_an_open_section() -> None:
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_architecture_names_every_module_at_the_top() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "tfrecordcli"
    for path in package.iterdir():
        if path.name not in ("__init__.py", "__main__.py", "__pycache__"):
            assert f"`{path.name}{'/' if path.is_dir() else ''}`" in text, path.name


@pytest.mark.parametrize("page", ["architecture.md", "inside.md"])
def test_the_files_that_it_names_are_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+\.(?:py|c|cfg))`", text))
    assert len(named) > 30
    files = {
        f"/{path.relative_to(ROOT)}" for path in [*(ROOT / "tfrecordcli").rglob("*.*"), ROOT / "setup.cfg"]
    }
    assert {name for name in named if not any(path.endswith(f"/{name}") for path in files)} == set()


def test_manifest_features_match_the_documented_kinds(checkout: Path) -> None:
    done = _run("tfrec convert sample_data/data.csv out --quiet && cat out/manifest.json", checkout)
    features = json.loads(done.stdout)["features"]
    text = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    assert features.keys() == CLASSIFICATION.table().keys()
    for key, entry in features.items():
        row = next(line for line in text.splitlines() if line.startswith("|") and f"`{key}`" in line)
        assert row.split("|")[2].strip() == entry["kind"]
