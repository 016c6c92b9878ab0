"""How many cores this process may use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def available_cores(cgroup: Path = _CGROUP, own_groups: Path = Path("/proc/self/cgroup")) -> int:
    """Cores by affinity and by the container's CPU quota, whichever is less; at least 1."""
    has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    quota = _quota(cgroup, own_groups)
    return max(1, min(cores, math.ceil(quota)) if quota else cores)


def _quota(root: Path, own_groups: Path) -> float | None:
    """Cores that the cgroup grants, the least of this group and those above it; None: no limit."""
    quotas = [_quota_v1(root / "cpu")]
    for line in _read(own_groups).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            quotas += map(_quota_v2, _with_parents(root, path))
        elif "cpu" in controllers.split(","):
            quotas += map(_quota_v1, _with_parents(root / "cpu", path))
    return min((quota for quota in quotas if quota), default=None)


def _with_parents(root: Path, path: str) -> Iterator[Path]:
    """The folder of a group and those above it, up to ``root``."""
    group = root / path.lstrip("/")
    while group.is_relative_to(root):
        yield group
        group = group.parent


def _quota_v2(group: Path) -> float | None:
    """cpu.max of cgroup v2: `<quota> <period>` in microseconds, or `max <period>`."""
    quota, _, period = _read(group / "cpu.max").partition(" ")
    return int(quota) / int(period) if quota.isdecimal() and period.strip().isdecimal() else None


def _quota_v1(group: Path) -> float | None:
    """cpu.cfs_quota_us of cgroup v1: -1 means no limit."""
    quota = _read(group / "cpu.cfs_quota_us").strip()
    period = _read(group / "cpu.cfs_period_us").strip()
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() else None


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
