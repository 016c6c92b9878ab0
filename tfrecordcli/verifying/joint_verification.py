"""Several datasets verified as the one that they are to be read as."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.union import disagreements
from tfrecordcli.integrity.dataset_check import check_twice
from tfrecordcli.integrity.reports import ProblemTally
from tfrecordcli.problems import Problem, problem
from tfrecordcli.progress import Reporter
from tfrecordcli.verify_options import VerifyOptions
from tfrecordcli.verify_report import JointReport, VerifyReport
from tfrecordcli.verifying.verification import Verification, prepared, temporary_folder
from tfrecordcli.workdir.replacement import one_dataset


def verify_together(
    paths: Sequence[str | os.PathLike[str]],
    options: VerifyOptions | None = None,
    reporter: Reporter | None = None,
) -> JointReport:
    """Verifies datasets that are to be read as one; see `tfrecordcli.verify`.

    Raises:
      as of `verify`.
    """
    options, reporter = prepared(options), reporter or Reporter()
    parts: list[Verification] = []
    reports: list[VerifyReport] = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        for at, path in enumerate(paths):
            stack.enter_context(one_dataset(path))
            keys = os.path.join(folder, str(at))
            os.mkdir(keys)
            first_number = sum(len(part.checks) for part in parts)
            part = Verification(os.fspath(path), options, reporter, keys, first_number, is_part=True)
            parts.append(part)
            reports.append(part.run())
        # What one of them has no use for, another one may have.
        unused = [note for note in parts[0].unused if all(note in part.unused for part in parts)]
        reports[0] = replace(reports[0], notes=(*reports[0].notes, *unused))
        problems = ProblemTally(options.max_problems, options.ignore)
        named = [(part.path, part.dataset.manifest) for part in parts]
        problems.add(_disagreements(named))
        problems.add(_twins(parts))
    return JointReport(
        tuple(reports), tuple(problems.kept), dict(sorted(problems.counts.items())), options.strict
    )


def _disagreements(named: Sequence[tuple[str, Manifest | None]]) -> Iterator[Problem]:
    """What keeps datasets of ours from being one; of those of others nothing is known."""
    ours = [(path, manifest) for path, manifest in named if manifest is not None]
    told = disagreements(ours) if ours else ()
    return (problem(code, path="", detail=detail) for code, detail in told)


def _twins(parts: Sequence[Verification]) -> Iterator[Problem]:
    """Images that stand in two records of any of them."""
    shards = {
        number: (str(part.dataset.folder / name), split)
        for part in parts
        for number, (name, split) in part.checks.numbered_shards().items()
    }
    reports = [
        replace(report, name=str(part.dataset.folder / report.name))
        for part in parts
        for report in part.reports
    ]
    return check_twice([part.checks.keys for part in parts], shards, reports)
