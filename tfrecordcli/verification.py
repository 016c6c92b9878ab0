"""The use case `verify`: integrity of every file and record, then the feed."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.union import disagreements
from tfrecordcli.errors import TfrecError
from tfrecordcli.images.gate import settled, told
from tfrecordcli.integrity.dataset_check import (
    check_class_mix,
    check_image_keys,
    check_source_ids,
    check_splits,
    check_twice,
    tell_swapped,
    totals_by_split,
    what_was_not_checked,
)
from tfrecordcli.integrity.discovery import choose_shards, discover
from tfrecordcli.integrity.large_shards import join_reports, split_large
from tfrecordcli.integrity.manifest_check import check_side_files
from tfrecordcli.integrity.reports import CheckTask, ProblemTally, ShardReport
from tfrecordcli.integrity.tfds import compare_counts, what_was_compared
from tfrecordcli.naming import MANIFEST
from tfrecordcli.options import DEFAULT_MAX_PIXELS
from tfrecordcli.problems import Problem, problem
from tfrecordcli.processes import available_cores
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.local import LocalRunner
from tfrecordcli.storage.scratch import writing_scratch
from tfrecordcli.storage.store import forget_stores
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.verify_options import VerifyOptions, unused_options
from tfrecordcli.verify_report import JointReport, VerifyReport
from tfrecordcli.workdir.replacement import one_dataset

if TYPE_CHECKING:
    from tfrecordcli.feed.report import FeedReport


def verify(
    path: str | os.PathLike[str], options: VerifyOptions | None = None, reporter: Reporter | None = None
) -> VerifyReport:
    """Verifies a dataset or a single file; see `tfrecordcli.verify`.

    Raises:
      InputError: there is nothing to verify.
      UsageError: options that cannot be right.
      BusyError: the dataset was replaced meanwhile.
    """
    options = _prepared(options)
    with one_dataset(path), _temporary_folder() as keys:
        return _Verification(os.fspath(path), options, reporter or Reporter(), keys).run()


def verify_together(
    paths: Sequence[str | os.PathLike[str]],
    options: VerifyOptions | None = None,
    reporter: Reporter | None = None,
) -> JointReport:
    """Verifies datasets that are to be read as one; see `tfrecordcli.verify`.

    Raises:
      as of `verify`.
    """
    options, reporter = _prepared(options), reporter or Reporter()
    parts: list[_Verification] = []
    reports: list[VerifyReport] = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_temporary_folder())
        for number, path in enumerate(paths):
            stack.enter_context(one_dataset(path))
            keys = os.path.join(folder, str(number))
            os.mkdir(keys)
            part = _Verification(os.fspath(path), options, reporter, keys, sum(map(len, parts)), is_part=True)
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


def _prepared(options: VerifyOptions | None) -> VerifyOptions:
    """The options, of which what this machine lacks is told before anything is read."""
    forget_stores()
    options = options or VerifyOptions()
    settled(options.gate)
    if options.feed and options.device.startswith("gpu"):
        _need_device(options.device)
    return options


def _disagreements(named: Sequence[tuple[str, Manifest | None]]) -> Iterator[Problem]:
    """What keeps datasets of ours from being one; of those of others nothing is known."""
    ours = [(path, manifest) for path, manifest in named if manifest is not None]
    told = disagreements(ours) if ours else ()
    return (problem("datasets_disagree", path="", detail=detail) for detail in told)


def _twins(parts: Sequence[_Verification]) -> Iterator[Problem]:
    """Images that stand in two records of any of them."""
    shards = {
        number: (str(part.dataset.folder / name), split)
        for part in parts
        for number, (name, split) in part.numbered_shards().items()
    }
    reports = [
        replace(report, name=str(part.dataset.folder / report.name))
        for part in parts
        for report in part.reports
    ]
    return check_twice([part.keys for part in parts], shards, reports)


def _need_device(wanted: str) -> None:
    """Refuses a GPU that is not there before hours of reading, not after them."""
    from tfrecordcli.feed.tensorflow import choose_device

    choose_device(wanted)


def _need_room(manifest: Manifest, options: VerifyOptions) -> None:
    """Refuses batches beyond the machine's memory as early."""
    from tfrecordcli.feed.options import FeedOptions, check_room

    records = max((counts.records for counts in manifest.splits.values()), default=0)
    check_room(FeedOptions(batch_size=options.batch_size, image_size=options.image_size), records)


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    """A folder that is gone afterwards.

    Raises:
      ResourceError: there is nowhere to put it.
    """
    with writing_scratch():
        folder = tempfile.TemporaryDirectory(prefix="tfrec-verify-")
    with folder as name:
        yield name


class _Verification:
    """One run of verify: what its steps share.

    Args:
      keys: a folder for keys of images, empty.
      first_number: of its shards, among those of several datasets.
      is_part: whether images that stand in two records are looked for later, in all of these datasets.
    """

    def __init__(
        self,
        path: str,
        options: VerifyOptions,
        reporter: Reporter,
        keys: str,
        first_number: int = 0,
        *,
        is_part: bool = False,
    ) -> None:
        self.path = path
        self.dataset = choose_shards(discover(path), options.split, options.shards)
        self.is_one_file = place_of(path).is_file()
        if options.feed and self.dataset.manifest is not None:
            _need_room(self.dataset.manifest, options)
        self.keys = keys
        self.first_number = first_number
        self.is_part = is_part
        self.options = options
        self.reporter = reporter
        self.problems = ProblemTally(options.max_problems, options.ignore)
        self.parts: dict[str, list[ShardReport]] = {}
        self.reports: list[ShardReport] = []
        self.notes: list[str] = []
        self.unused: list[str] = []
        self.seconds = 0.0
        self.gate = settled(options.gate)

    def run(self) -> VerifyReport:
        self.problems.add(self.dataset.problems)
        self._check_shards()
        self._check_whole()
        if not any(report.records for report in self.reports) and "error" not in self.problems.severities():
            self.problems.add([problem("no_records")])
        not_checked = self._not_checked()
        obstacle = self._obstacle_to_feed() if self.options.feed else ""
        is_fed = self.options.feed and not obstacle
        self.unused = [*unused_options(self.options, is_fed=is_fed, has_images=self._has_images())]
        self.notes += [] if self.is_part else self.unused
        if not is_fed:
            return self._report(None, [*not_checked, f"the feed: {obstacle}"] if obstacle else not_checked)
        try:
            return self._report(self._feed(), not_checked)
        except TfrecError as error:
            # What was found in the files is worth telling, whatever the feed lacks, and comes first.
            report = self._report(None, [*not_checked, f"the feed: {error.message}"])
            return replace(report, failure=error, exit_code=report.exit_code or error.exit_code)

    def _not_checked(self) -> list[str]:
        sentences = what_was_not_checked(self.dataset, self.reports)
        is_foreign_file = self.is_one_file and self.dataset.manifest is None  # which has no splits
        if self._is_partial() and not is_foreign_file:
            sentences.append(f"the splits as a whole: {self._what_was_chosen()}")
        if self.options.check == "structure" and self._has_images():
            sentences.append("the picture data of the images: --check structure does not decode them")
        return sentences

    def _obstacle_to_feed(self) -> str:
        """Why records cannot be fed; empty when they can."""
        if self.dataset.manifest is None:
            return "without a manifest it is not known how to parse the records"
        if "error" in self.problems.severities():
            return "there are errors in the files"
        if self.options.shards is not None or self.is_one_file:
            return f"it takes whole splits, and {self._what_was_chosen()}"
        return ""

    def _has_images(self) -> bool:
        return self.dataset.manifest is None or self.dataset.manifest.schema.task != "tabular"

    def _what_was_chosen(self) -> str:
        if self.is_one_file:
            return "this is one file"
        return "one split alone was chosen" if self.options.shards is None else "only some shards were chosen"

    def _is_partial(self) -> bool:
        return self.options.split is not None or self.options.shards is not None or self.is_one_file

    # --- integrity ---

    def _check_shards(self) -> None:
        started = time.monotonic()
        expected = self.dataset.expected
        chosen = [expected[name] for name in self.dataset.shards if name in expected]
        self.reporter.start(sum(entry.records for entry in chosen), 0)
        try:
            workers = self.options.workers or available_cores()
            with LocalRunner(workers) as runner:
                runner.run(split_large(list(self._tasks()), workers), self._on_progress, self._on_report)
        finally:
            self.reporter.finish()
        self.reports = [self._joined(task) for task in self._tasks()]
        self.reports.sort(key=lambda report: report.name)
        by_content = {(entry.bytes, entry.crc32c): name for name, entry in expected.items()}
        for report in self.reports:
            if "files_swapped" not in self.options.ignore:
                tell_swapped(report, self.dataset, by_content)
            self.problems.add_report(report)
        self.seconds = time.monotonic() - started

    def _on_report(self, report: ShardReport) -> None:
        self.parts.setdefault(report.name, []).append(report)

    def _joined(self, task: CheckTask) -> ShardReport:
        return join_reports(task, self.parts.pop(task.name))

    def _on_progress(self, rows: int, bad: int, size: int) -> bool:
        self.reporter.advance(rows, bad, size)
        return False

    def _tasks(self) -> Iterator[CheckTask]:
        manifest = self.dataset.manifest
        for number, name in enumerate(self.dataset.shards, self.first_number):
            yield CheckTask(
                path=str((self.dataset.folder / name).absolute()),
                name=name,
                number=number,
                split=self.dataset.split_of(name),
                expected=self.dataset.expected.get(name),
                manifest_path=str((self.dataset.folder / MANIFEST).absolute()) if manifest else "",
                check=self.options.check,
                index=manifest is not None and manifest.has_index,
                keys_folder=self.keys,
                max_problems=self.options.max_problems,
                ignore=self.options.ignore,
                max_pixels=self._max_pixels(),
                gate=self.gate,
                admit=tuple(manifest.options["image"].get("admit", ())) if manifest else (),
                declared=self._declared(name),
            )

    def _max_pixels(self) -> int:
        """The largest image that is decoded: as asked for, or as large as the conversion admitted."""
        manifest = self.dataset.manifest
        made_with = manifest.options["image"]["max_pixels"] if manifest else DEFAULT_MAX_PIXELS
        return self.options.max_pixels or int(made_with)

    def _declared(self, name: str) -> dict[str, Sequence[Any]]:
        metadata = self.dataset.tfds.get(os.path.dirname(name))
        features = metadata.features.items() if metadata is not None else ()
        return {key: (found.kind, found.is_single, found.num_classes) for key, found in features}

    def __len__(self) -> int:
        return len(self.dataset.shards)

    def numbered_shards(self) -> dict[int, tuple[str, str]]:
        """(name, split) of every shard by the number that its keys have."""
        shards = self.dataset.shards
        return {self.first_number + at: (name, self.dataset.split_of(name)) for at, name in enumerate(shards)}

    def _check_whole(self) -> None:
        shards = self.numbered_shards()
        if self.dataset.manifest is not None:
            if not self.is_one_file:
                folder, manifest = self.dataset.folder, self.dataset.manifest
                self.problems.add(check_side_files(folder, manifest, self.notes))
            if not self._is_partial():
                self.problems.add(check_splits(self.dataset, self.reports, self.options.ignore))
        self.problems.add(compare_counts(self.dataset.tfds, self.reports))
        self.notes += what_was_compared(self.dataset.tfds, self.reports)
        self.problems.add(check_class_mix(self.reports))
        self.problems.add(check_image_keys(self.reports))
        if not self.is_part:
            self.problems.add(check_twice([self.keys], shards, self.reports))
        self.problems.add(check_source_ids(self.keys, shards, self.reports))

    # --- the feed ---

    def _feed(self) -> FeedReport:
        from tfrecordcli.feed.batches import TellingClock
        from tfrecordcli.feed.options import FeedOptions
        from tfrecordcli.feed.report import feed_report
        from tfrecordcli.feed.timing import Sample

        assert self.dataset.manifest is not None
        options = self.options
        feed_options = FeedOptions(
            batch_size=options.batch_size, image_size=options.image_size, device=options.device
        )
        manifest = self.dataset.manifest
        if options.split is not None:
            chosen = {report.split for report in self.reports}
            manifest = replace(manifest, splits={s: v for s, v in manifest.splits.items() if s in chosen})
        clock = TellingClock(lambda seconds: self.reporter.timing(seconds, options.feed_seconds))
        self.reporter.start(manifest.total("records"), 0)
        try:
            report, problems = feed_report(
                self.dataset.folder,
                manifest,
                feed_options,
                Sample(options.feed_seconds, options.step_time, clock),
                lambda records: self.reporter.advance(records, 0, 0),
            )
        finally:
            self.reporter.finish()
        self.problems.add(problems)
        return report

    # --- the report ---

    def _report(self, feed: FeedReport | None, not_checked: list[str]) -> VerifyReport:
        severities = self.problems.severities()
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
            problems=tuple(self.problems.kept),
            problem_counts=dict(sorted(self.problems.counts.items())),
            not_checked=tuple(not_checked),
            gate=told(self.gate),
            notes=tuple(self.notes),
            integrity={
                "seconds": round(self.seconds, 3),
                "images_per_second": round(images / seconds, 1),
                "mb_per_second": round(size / seconds / 1e6, 1),
            },
            feed=feed,
        )
