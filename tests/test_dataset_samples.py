"""Sources and plans that the tests of the dataset model share; holds no test itself."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfrecordcli.dataset.plan import Plan, PlannedRow, parse_planned_row
from tfrecordcli.given_options import make_options
from tfrecordcli.planning.planner import Planned, make_plan
from tfrecordcli.planning.scan import PROBLEMS_FILE, RowProblem, read_problems
from tfrecordcli.schema import SPLITS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.opened_source import open_source
from tfrecordcli.sources.row import Row
from tfrecordcli.workdir.job import load_plan

_numbers = itertools.count()


def write(folder: Path, content: str | bytes, name: str = "list.csv") -> Path:
    """A file in a folder; line ends are kept as they are."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path, content: str | bytes, **options: Any) -> tuple[CsvShape, list[Row]]:
    """Shape and rows of a CSV with this content."""
    path = write(folder, content)
    shape, rows = RowFile(str(path), "list.csv", make_options(options).read).read()
    return shape, list(rows)


def rows_of(folder: Path, content: str | bytes, **options: Any) -> list[tuple[Any, ...]]:
    """(line, split, image_uri, *labels) of each row; a reject is (line, its code)."""
    return [
        (row.line, row.problem.code) if row.problem else (row.line, row.split, row.image_uri, *row.labels)
        for row in read(folder, content, **options)[1]
    ]


@dataclass
class Made:
    """A plan and what was written for it: rows by shard and by split in their order."""

    plan: Plan
    planned: Planned
    shards: dict[str, list[PlannedRow]]
    problems: list[RowProblem]
    labels_text: str

    def rows(self, split: str) -> list[PlannedRow]:
        return [row for name, rows in self.shards.items() if name.startswith(split + "-") for row in rows]

    def uris(self, split: str) -> list[str]:
        return [row.image_uri for row in self.rows(split)]

    @property
    def codes(self) -> dict[int, str]:
        """Reason code of each rejected row by line."""
        return {problem.line: problem.code for problem in self.problems}

    def outcomes(self, split: str) -> dict[str, int]:
        """How many rows of a split came to what; ``records`` are those planned."""
        return {**self.plan.tally.get(split, {}), "records": len(self.rows(split))}


def plan_from(source: Any, folder: Path, **options: Any) -> Made:
    """Plans any source in a fresh folder below ``folder``."""
    place = folder / f"plan-{next(_numbers)}"
    place.mkdir()
    chosen = make_options(options)
    with open_source(source, chosen.read, str(folder / "out")) as opened:
        planned = make_plan(opened, chosen, place)
    plan = load_plan(place)
    assert plan is not None
    shards = {path.name: _task(path) for path in sorted((place / "tasks").iterdir())}
    problems = list(read_problems(place / PROBLEMS_FILE))
    return Made(plan, planned, shards, problems, (place / "labels.txt").read_text(encoding="utf-8"))


def plan_of(folder: Path, content: str | bytes | Iterable[str], **options: Any) -> Made:
    """Plans a CSV with this content, or with these lines."""
    if not isinstance(content, (str, bytes)):
        content = "".join(f"{line}\n" for line in content)
    return plan_from(str(write(folder, content)), folder, **options)


def _task(path: Path) -> list[PlannedRow]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        return [parse_planned_row(line) for line in lines]


LINES = [f"{['TRAIN', 'TEST', ''][n % 3]},p/{n}.jpg,{n % 5}" for n in range(2000)]


def check_sums(made: Made) -> None:
    """rows = records + rejected + merged + discarded, in total and in every split."""
    plan = made.plan
    for split in (*SPLITS, "none"):
        outcomes = made.outcomes(split)
        parts = sum(outcomes.get(outcome, 0) for outcome in ("records", "rejected", "merged", "discarded"))
        assert outcomes.get("rows", 0) == parts, (split, outcomes)
        assert all(count >= 0 for count in outcomes.values())
    assert plan.rows == plan.total("rows")
    assert plan.planned == sum(len(made.rows(split)) for split in SPLITS)
    assert plan.rows == plan.planned + sum(plan.total(f) for f in ("rejected", "merged", "discarded"))
    assert plan.total("rejected") == len(made.problems) == sum(plan.problem_codes.values())
    assert Counter(p.code for p in made.problems) == plan.problem_codes
    assert set(plan.tally) <= {*SPLITS, "none"}
