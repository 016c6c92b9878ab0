"""What stands beside the code and has to agree with it: metadata, workflows, the pages of CI and versions."""

from __future__ import annotations

import configparser
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from converting import shell

from tfrecordcli.version import __version__

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def _setup() -> configparser.ConfigParser:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    return config


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def _page_blocks(language: str) -> list[str]:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_citation_has_the_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == __version__
    assert citation["license"] == _setup()["metadata"]["license_expression"]


def test_the_pythons_are_the_same_everywhere() -> None:
    classifiers = _setup()["metadata"]["classifiers"]
    pythons = re.findall(r"Python :: (3\.\d+)", classifiers)
    listed = str(tuple(pythons)).replace("'", '"')
    assert f"PYTHONS = {listed}" in (ROOT / "tests" / "matrix.py").read_text(encoding="utf-8")
    for workflow in WORKFLOWS:
        if workflow.name == "ci.yml":
            assert str(pythons).replace("'", '"') in workflow.read_text(encoding="utf-8")


def test_workflows_only_call_the_makefile() -> None:
    if not WORKFLOWS:
        assert (ROOT / "PKG-INFO").exists()  # an sdist has none
        return
    called = set()
    for workflow in WORKFLOWS:
        jobs: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
        for step in (step for job in jobs.values() for step in job["steps"] if "run" in step):
            words = step["run"].split()
            assert words[0] == "make", step
            called.add(words[1])
    assert called <= _targets()
    assert {"test", "test-all", "package", "matrix"} <= called


def test_the_matrix_page_has_what_make_matrix_tries() -> None:
    page = (ROOT / "docs" / "matrix.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (3\.\d+) \| (.*?) \| (oldest|newest) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    pythons = re.findall(r"Python :: (3\.\d+)", _setup()["metadata"]["classifiers"])
    assert {python for python, *_ in rows} == set(pythons)
    assert len({row[:3] for row in rows}) == len(rows)
    assert {verdict for *_, verdict in rows} == {"right"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of a dataset, as docs/ci.md has it: a list, its images, and the script."""
    (tmp_path / ".github").mkdir()
    (script,) = _page_blocks("bash")
    (tmp_path / ".github" / "check-dataset.sh").write_text(script, encoding="utf-8")
    for name in ("data.csv", "images"):
        (tmp_path / name).symlink_to(ROOT / "sample_data" / name)
    return tmp_path


def _steps() -> list[str]:
    (workflow,) = _page_blocks("yaml")
    (job,) = yaml.safe_load(workflow)["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.thorough
def test_the_workflow_of_the_docs_runs(repository: Path) -> None:
    install, *steps = _steps()
    assert install == "python -m pip install tfrecordcli"
    for step in steps:
        done = shell(step, repository, "-eo", "pipefail")
        assert done.code == 0, done.err
    (console,) = _page_blocks("console")
    commands = re.findall(r"^\$ (.*)\n(.*)$", console, re.MULTILINE)
    assert [shell(command, repository).out.strip() for command, _ in commands] == [out for _, out in commands]


@pytest.mark.thorough
def test_the_workflow_of_the_docs_fails_for_a_row_that_cannot_be_used(repository: Path) -> None:
    rows = (repository / "data.csv").read_text(encoding="utf-8")
    (repository / "data.csv").unlink()
    (repository / "data.csv").write_text(rows + "TRAIN,images/none.jpg,circle\n", encoding="utf-8")
    *_, convert, rejected = _steps()
    assert shell(convert, repository, "-eo", "pipefail").code == 1
    assert "not_found" in shell(rejected, repository).out
    assert not (repository / "reports" / "verify.json").exists()


@pytest.mark.thorough
def test_the_example_script_is_valid_bash(repository: Path) -> None:
    script = repository / ".github" / "check-dataset.sh"
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
