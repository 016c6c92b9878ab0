"""How many cores there are: affinity, and the CPU quotas of both versions of cgroups as fake trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tfrecordcli.processes import available_cores

AFFINITY = 64


@pytest.fixture(autouse=True)
def affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(AFFINITY)), raising=False)


def cores(tmp_path: Path, own: str = "", **files: str) -> int:
    """Cores with a tree of these files; `__` in a name stands for `/`."""
    root = tmp_path / "cgroup"
    root.mkdir()
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("cpu_max", "cpu.max").replace("cfs", "cpu.cfs")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (tmp_path / "own").write_text(own)
    return available_cores(root, tmp_path / "own")


def test_without_cgroups_affinity_counts(tmp_path: Path) -> None:
    assert available_cores(tmp_path / "none", tmp_path / "neither") == AFFINITY


def test_without_affinity_all_cores_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert available_cores(tmp_path / "none", tmp_path / "neither") == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores(tmp_path / "none", tmp_path / "neither") == 1


@pytest.mark.parametrize(
    ("quota", "expected"),
    [
        ("200000 100000\n", 2),
        ("250000 100000\n", 3),  # half a core is worth a worker
        ("10000 100000\n", 1),
        ("50000 50000", 1),
        ("max 100000\n", AFFINITY),
        ("99999900000 100000\n", AFFINITY),
        ("", AFFINITY),
        ("nonsense", AFFINITY),
    ],
)
def test_quota_of_version_2(tmp_path: Path, quota: str, expected: int) -> None:
    assert cores(tmp_path, "0::/\n", cpu_max=quota) == expected


@pytest.mark.parametrize(
    ("inner", "outer", "expected"),
    [
        ("400000 100000", "200000 100000", 2),
        ("300000 100000", "max 100000", 3),
        ("max 100000", "500000 100000", 5),
    ],
)
def test_the_least_quota_above_counts(tmp_path: Path, inner: str, outer: str, expected: int) -> None:
    own = "0::/system.slice/job.scope\n"
    assert cores(tmp_path, own, system__placeholder="", **{
        "system.slice__job.scope__cpu_max": inner, "system.slice__cpu_max": outer,
    }) == expected  # fmt: skip


@pytest.mark.parametrize("own", ["0::/../../elsewhere\n", "0::/gone\n"])
def test_a_group_that_cannot_be_seen_sets_no_limit(tmp_path: Path, own: str) -> None:
    assert cores(tmp_path, own) == AFFINITY


@pytest.mark.parametrize(
    ("quota", "period", "expected"),
    [
        ("200000\n", "100000\n", 2),
        ("150000", "100000", 2),
        ("-1\n", "100000\n", AFFINITY),
        ("x", "100000", AFFINITY),
    ],
)
def test_quota_of_version_1(tmp_path: Path, quota: str, period: str, expected: int) -> None:
    files = {"cpu__cfs_quota_us": quota, "cpu__cfs_period_us": period}
    assert cores(tmp_path, "4:cpu,cpuacct:/\n3:memory:/\n", **files) == expected


def test_quota_of_a_group_of_version_1(tmp_path: Path) -> None:
    own = "5:memory:/batch/job\n4:cpu,cpuacct:/batch/job\n1:name=systemd:/batch/job\n"
    files = {"cpu__batch__job__cfs_quota_us": "300000", "cpu__batch__job__cfs_period_us": "100000"}
    assert cores(tmp_path, own, cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000", **files) == 3
