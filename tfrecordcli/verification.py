"""The use case `verify`: integrity of every file and record, then the feed."""

from __future__ import annotations

import dataclasses
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tfrecordcli.dataset.splits import parse_split
from tfrecordcli.dataset.workspace import locked, roll_forward
from tfrecordcli.errors import TfrecError, UsageError
from tfrecordcli.integrity.dataset_check import (
    check_class_mix,
    check_labels_file,
    check_splits,
    check_twice,
    tell_swapped,
    totals_by_split,
    what_was_not_checked,
)
from tfrecordcli.integrity.discovery import Dataset, discover
from tfrecordcli.integrity.reports import CheckTask, ShardReport
from tfrecordcli.naming import MANIFEST, WORK_DIR
from tfrecordcli.problems import PROBLEMS, Problem, problem
from tfrecordcli.progress import Reporter, SilentReporter
from tfrecordcli.runners.cores import available_cores
from tfrecordcli.runners.local import LocalRunner

if TYPE_CHECKING:
    from tfrecordcli.feed.report import FeedReport


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What is verified, and how.

    Attributes:
      split: only this one; None is all.
      shards: only those of these numbers in their split, (first, last) inclusive; None is all.
      feed: whether the feed is proved and timed after integrity.
      check: ``decode`` or ``structure``: of each image.
      batch_size, image_size: of the feed; image_size in pixels, square.
      device: auto, cpu, gpu or gpu:N: where batches must arrive.
      step_time: milliseconds that an accelerator computes for each batch.
      feed_seconds: length of the timed sample.
      strict: whether warnings count as errors.
      ignore: codes that are left out.
      workers: busy processes; None is one for each available core.
      max_problems: problems that are kept; all are counted.
    """

    split: str | None = None
    shards: tuple[int, int] | None = None
    feed: bool = True
    check: Literal["decode", "structure"] = "decode"
    batch_size: int = 64
    image_size: int = 224
    device: str = "auto"
    step_time: float = 0.0
    feed_seconds: float = 10.0
    strict: bool = False
    ignore: tuple[str, ...] = ()
    workers: int | None = None
    max_problems: int = 100


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What `verify` found.

    Attributes:
      exit_code: 0, or 1 when there are errors (or warnings, when strict).
      records, bytes: read; bytes are those of the files.
      splits: split -> records, bytes, shards.
      problems: the first ones; problem_counts has all of them by code.
      not_checked: what could not be checked, as sentences.
      integrity: seconds, images_per_second, mb_per_second of the integrity pass.
      feed: what the feed did; None when it was not run.
      failure: why the feed could not be run at all (TensorFlow is not installed, no such device); the
        files were checked all the same.
    """

    path: str
    exit_code: int
    records: int
    bytes: int
    splits: Mapping[str, Mapping[str, int]]
    problems: tuple[Problem, ...]
    problem_counts: Mapping[str, int]
    not_checked: tuple[str, ...]
    integrity: Mapping[str, float]
    feed: FeedReport | None = None
    failure: TfrecError | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing was found that counts as an error."""
        return self.exit_code == 0

    @property
    def problem_count(self) -> int:
        return sum(self.problem_counts.values())


def make_verify_options(values: Mapping[str, Any]) -> VerifyOptions:
    """Options from flat names, as the command line and `tfrecordcli.verify` take them.

    Raises:
      UsageError: for an unknown name or a value that cannot be right.
    """
    known = {field.name for field in dataclasses.fields(VerifyOptions)}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise UsageError(f"unknown option: {', '.join(unknown)}", f"there are {', '.join(sorted(known))}")
    chosen = {name: value for name, value in values.items() if value is not None}
    if isinstance(chosen.get("shards"), str):
        chosen["shards"] = parse_shard_range(chosen["shards"])
    if isinstance(chosen.get("ignore"), str):
        chosen["ignore"] = (chosen["ignore"],)
    if chosen.get("check", "decode") not in ("decode", "structure"):
        raise UsageError(f"--check must be one of decode, structure, got {chosen['check']!r}")
    return VerifyOptions(**chosen)


def parse_shard_range(text: str) -> tuple[int, int]:
    """`3` or `0-99` as (first, last).

    Raises:
      UsageError
    """
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if first > last:
        raise UsageError(f"--shards: {text!r} is no range of shards", "as in --shards 0-99")
    return first, last


def verify(
    path: str | os.PathLike[str], options: VerifyOptions | None = None, reporter: Reporter | None = None
) -> VerifyReport:
    """Verifies a dataset or a single file; see `tfrecordcli.verify`.

    Raises:
      InputError: there is nothing to verify.
      UsageError: options that cannot be right.
    """
    options = options or VerifyOptions()
    _check_ignored(options.ignore)
    if os.path.exists(Path(path) / WORK_DIR / "roll.json"):  # Path.exists raises where nothing may be read
        with locked(Path(path) / WORK_DIR):
            roll_forward(Path(path))
    dataset = _choose(discover(os.fspath(path)), options)
    return _Verification(os.fspath(path), dataset, options, reporter or SilentReporter()).run()


def _check_ignored(codes: Iterable[str]) -> None:
    for code in codes:
        if code not in PROBLEMS:
            raise UsageError(f"--ignore {code}: there is no such code", f"codes are {', '.join(PROBLEMS)}")


def _choose(dataset: Dataset, options: VerifyOptions) -> Dataset:
    """What the options leave of a dataset.

    Raises:
      UsageError: nothing.
    """

    def is_chosen(name: str) -> bool:
        return _is_chosen(dataset.split_of(name), _number_of(name), options)

    others = [found.path for found in dataset.problems if found.code in ("file_missing", "file_extra")]
    if not dataset.problems and not any(map(is_chosen, dataset.shards)):
        raise UsageError("--split and --shards leave no shard", "check the name; shards count from 0")
    return dataclasses.replace(
        dataset,
        shards=tuple(filter(is_chosen, dataset.shards)),
        problems=tuple(p for p in dataset.problems if p.path not in others or is_chosen(p.path)),
    )


def _is_chosen(split: str, number: int, options: VerifyOptions) -> bool:
    if options.split is not None and split != (parse_split(options.split) or options.split):
        return False
    first, last = options.shards or (0, number)
    return options.shards is None or first <= number <= last


def _number_of(name: str) -> int:
    match = re.search(r"(\d+)[-_]of[-_]\d+", name)
    return int(match[1]) if match else -1


class _ProblemBox:
    """Counts all problems and keeps the first, without those that are ignored."""

    def __init__(self, options: VerifyOptions) -> None:
        self._options = options
        self.kept: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def add(self, problems: Iterable[Problem]) -> None:
        for found in problems:
            if found.code not in self._options.ignore:
                self.counts[found.code] += 1
                self._keep(found)

    def add_report(self, report: ShardReport) -> None:
        for code, count in report.problem_counts.items():
            if code not in self._options.ignore:
                self.counts[code] += count
        for found in report.problems:
            if found.code not in self._options.ignore:
                self._keep(found)

    def _keep(self, found: Problem) -> None:
        if len(self.kept) < self._options.max_problems:
            self.kept.append(found)

    def severities(self) -> set[str]:
        return {PROBLEMS[code][0] for code in self.counts}


class _Verification:
    """One run of verify: what its steps share."""

    def __init__(
        self,
        path: str,
        dataset: Dataset,
        options: VerifyOptions,
        reporter: Reporter,
    ) -> None:
        self.path = path
        self.dataset = dataset
        self.options = options
        self.reporter = reporter
        self.box = _ProblemBox(options)
        self.reports: list[ShardReport] = []
        self.seconds = 0.0

    def run(self) -> VerifyReport:
        self.box.add(self.dataset.problems)
        with tempfile.TemporaryDirectory(prefix="tfrec-verify-") as keys:
            self._check_shards(keys)
            self._check_whole(keys)
        if not any(report.records for report in self.reports) and "error" not in self.box.severities():
            self.box.add([problem("no_records")])
        feed = None
        not_checked = what_was_not_checked(self.dataset, self.reports)
        if self._is_partial():
            not_checked.append("the splits as a whole: only some shards were chosen")
        if self.options.check == "structure":
            not_checked.append("the picture data of the images: --check structure does not decode them")
        if self.options.feed and self.dataset.manifest is None:
            not_checked.append("the feed: without a manifest it is not known how to parse the records")
        elif self.options.feed and "error" in self.box.severities():
            not_checked.append("the feed: there are errors in the files")
        elif self.options.feed and (self.options.shards is not None or os.path.isfile(self.path)):
            not_checked.append("the feed: it takes whole splits, and only some shards were chosen")
        elif self.options.feed:
            try:
                feed = self._feed()
            except TfrecError as error:
                # What was found in the files is worth telling, whatever the feed lacks.
                return replace(self._report(None, not_checked), failure=error, exit_code=error.exit_code)
        return self._report(feed, not_checked)

    def _is_partial(self) -> bool:
        return self.options.split is not None or self.options.shards is not None or os.path.isfile(self.path)

    # --- integrity ---

    def _check_shards(self, keys: str) -> None:
        started = time.monotonic()
        expected = [self.dataset.expected.get(name, {}) for name in self.dataset.shards]
        self.reporter.start(sum(entry.get("records", 0) for entry in expected), 0)
        try:
            with LocalRunner(self.options.workers or available_cores()) as runner:
                runner.run(self._tasks(keys), self._on_progress, self._on_report)
        finally:
            self.reporter.finish()
        self.reports.sort(key=lambda report: report.name)
        by_content = {(e["bytes"], e["crc32c"]): name for name, e in self.dataset.expected.items()}
        for report in self.reports:
            tell_swapped(report, by_content)
            self.box.add_report(report)
        self.seconds = time.monotonic() - started

    def _on_report(self, report: ShardReport) -> None:
        self.reports.append(report)

    def _on_progress(self, rows: int, bad: int, size: int) -> bool:
        self.reporter.advance(rows, bad, size)
        return False

    def _tasks(self, keys: str) -> Iterator[CheckTask]:
        manifest = self.dataset.manifest
        for number, name in enumerate(self.dataset.shards):
            yield CheckTask(
                path=str((self.dataset.folder / name).absolute()),
                name=name,
                number=number,
                split=self.dataset.split_of(name),
                expected=self.dataset.expected.get(name),
                manifest_path=str((self.dataset.folder / MANIFEST).absolute()) if manifest else "",
                check=self.options.check,
                index=bool(manifest and manifest["options"]["shard"]["index"]),
                keys_folder=keys,
                max_problems=self.options.max_problems,
                ignore=self.options.ignore,
            )

    def _check_whole(self, keys: str) -> None:
        shards = [(name, self.dataset.split_of(name)) for name in self.dataset.shards]
        if self.dataset.manifest is not None:
            if not os.path.isfile(self.path):
                self.box.add(check_labels_file(self.dataset))
            if not self._is_partial():
                self.box.add(check_splits(self.dataset, self.reports))
        self.box.add(check_class_mix(self.reports))
        self.box.add(check_twice(keys, shards, self.reports))

    # --- the feed ---

    def _feed(self) -> FeedReport:
        from tfrecordcli.feed.options import FeedOptions
        from tfrecordcli.feed.report import feed_report

        assert self.dataset.manifest is not None
        options = self.options
        feed_options = FeedOptions(
            batch_size=options.batch_size, image_size=options.image_size, device=options.device
        )
        manifest = dict(self.dataset.manifest)
        if options.split is not None:
            chosen = {report.split for report in self.reports}
            manifest["splits"] = {s: v for s, v in manifest["splits"].items() if s in chosen}
        self.reporter.start(sum(counts["records"] for counts in manifest["splits"].values()), 0)
        try:
            report, problems = feed_report(
                self.dataset.folder,
                manifest,
                feed_options,
                options.feed_seconds,
                options.step_time,
                lambda records: self.reporter.advance(records, 0, 0),
            )
        finally:
            self.reporter.finish()
        self.box.add(problems)
        return report

    # --- the report ---

    def _report(self, feed: FeedReport | None, not_checked: list[str]) -> VerifyReport:
        severities = self.box.severities()
        bad = "error" in severities or (self.options.strict and "warning" in severities)
        images = sum(report.images for report in self.reports)
        size = sum(report.bytes for report in self.reports)
        seconds = max(self.seconds, 1e-9)
        return VerifyReport(
            path=self.path,
            exit_code=1 if bad else 0,
            records=sum(report.records for report in self.reports),
            bytes=size,
            splits=totals_by_split(self.reports),
            problems=tuple(self.box.kept),
            problem_counts=dict(sorted(self.box.counts.items())),
            not_checked=tuple(not_checked),
            integrity={
                "seconds": round(self.seconds, 3),
                "images_per_second": round(images / seconds, 1),
                "mb_per_second": round(size / seconds / 1e6, 1),
            },
            feed=feed,
        )
