"""What a folder without a manifest lacks: the end of a conversion, or shards of a series."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.dataset.plan import PLAN_FILE
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.problems import Problem, problem
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.storage.store_path import Place
from tfrecordcli.workdir.workspace import Workspace

_NUMBERED: Final = re.compile(
    r"(?P<before>.*?)(?P<index>\d+)[-_]of[-_](?P<count>\d+)(?P<after>.*)", re.DOTALL
)


def series_of(name: str) -> str:
    """What shards of one series have in common: `cats-` of `cats-00000-of-00002.tfrecord`."""
    match = _NUMBERED.fullmatch(name)
    return match["before"] if match else ""


def unfinished(folder: Place) -> list[Problem]:
    """That a conversion into this folder has not ended, and how it goes on; nothing when none was begun."""
    if not (folder / WORK_DIR).is_dir():
        return []
    if not (Workspace(folder).plan / PLAN_FILE).is_file():
        return [problem("unfinished", detail="there is no plan yet")]
    steps = [command_line(("tfrec", step, as_path(str(folder)))) for step in ("write-shards", "finish")]
    detail = f"its plan stands, and {steps[0]}, then {steps[1]} carry it out"
    return [problem("unfinished", detail=detail)]


def missing_shards(shards: list[str]) -> list[Problem]:
    """What the names of shards tell of others that are not there."""
    found: dict[tuple[str, str, int], set[int]] = {}
    for match in filter(None, map(_NUMBERED.fullmatch, shards)):
        series = match["before"], match["after"], int(match["count"])
        found.setdefault(series, set()).add(int(match["index"]))
    return [
        problem("shards_missing", series=before.rstrip("-_.") or after, found=len(indexes), expected=count)
        for (before, after, count), indexes in sorted(found.items())
        if len(indexes) < count
    ]
