"""The use case `verify`: integrity of every file and record, then the feed."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tfrecordcli.errors import TfrecError
from tfrecordcli.images.gate import settled, told
from tfrecordcli.integrity.agreement import Agreement
from tfrecordcli.integrity.dataset_check import (
    check_class_mix,
    check_image_keys,
    check_source_ids,
    check_splits,
    check_twice,
    totals_by_split,
    what_was_not_checked,
)
from tfrecordcli.integrity.discovery import choose_shards, discover
from tfrecordcli.integrity.manifest_check import check_side_files
from tfrecordcli.integrity.reports import ProblemTally, ShardReport
from tfrecordcli.integrity.tfds import compare_counts, what_was_compared
from tfrecordcli.problems import problem
from tfrecordcli.progress import Reporter
from tfrecordcli.storage.scratch import writing_scratch
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.stores import forget_stores
from tfrecordcli.verify_options import VerifyOptions, unused_options
from tfrecordcli.verify_report import VerifyReport
from tfrecordcli.verifying.feed_check import feed, need_room
from tfrecordcli.verifying.shard_checks import ShardChecks
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
    options = prepared(options)
    with one_dataset(path), temporary_folder() as keys:
        return Verification(os.fspath(path), options, reporter or Reporter(), keys).run()


def prepared(options: VerifyOptions | None) -> VerifyOptions:
    """The options, of which what this machine lacks is told before anything is read."""
    forget_stores()
    options = options or VerifyOptions()
    settled(options.gate)
    if options.feed and options.device.startswith("gpu"):
        from tfrecordcli.feed.tensorflow import choose_device

        choose_device(options.device)  # which refuses one that is not there
    return options


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder that is gone afterwards.

    Raises:
      ResourceError: there is nowhere to put it.
    """
    with writing_scratch():
        folder = tempfile.TemporaryDirectory(prefix="tfrec-verify-")
    with folder as name:
        yield name


class Verification:
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
        reporter.begin("looking for TFRecords")
        self.dataset = choose_shards(discover(path), options.split, options.shards)
        self.is_one_file = place_of(path).is_file()
        if options.feed and self.dataset.manifest is not None:
            need_room(self.dataset.manifest, options)
        self.is_part = is_part
        self.options = options
        self.reporter = reporter
        self.problems = ProblemTally(options.max_problems, options.ignore)
        self.reports: list[ShardReport] = []
        self.notes: list[str] = []
        self.unused: list[str] = []
        self.seconds = 0.0
        self.agreement = Agreement()
        self.checks = ShardChecks(self.dataset, options, settled(options.gate), keys, first_number)

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
            splits = {report.split for report in self.reports}
            told_by_feed, problems = feed(self.dataset, self.options, splits, self.reporter)
        except TfrecError as error:
            # What was found in the files is worth telling, whatever the feed lacks, and comes first.
            report = self._report(None, [*not_checked, f"the feed: {error.message}"])
            return replace(report, failure=error, exit_code=report.exit_code or error.exit_code)
        self.problems.add(problems)
        return self._report(told_by_feed, not_checked)

    def _check_shards(self) -> None:
        started = time.monotonic()
        self.reports = self.checks.run(self.reporter, self.agreement)
        for report in self.reports:
            self.problems.add_report(report)
        self.seconds = time.monotonic() - started

    def _not_checked(self) -> list[str]:
        sentences = what_was_not_checked(self.dataset, self.reports)
        sentences += filter(None, [self.agreement.not_checked])
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

    def _check_whole(self) -> None:
        shards = self.checks.numbered_shards()
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
            self.problems.add(check_twice([self.checks.keys], shards, self.reports))
        is_ours = self.dataset.manifest is not None
        self.problems.add(check_source_ids(self.checks.keys, shards, self.reports, is_ours=is_ours))
        self.problems.add(self.agreement.contradictions(self.dataset.folder))

    # --- the feed ---

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
            gate=told(self.checks.gate),
            notes=tuple(self.notes),
            integrity={
                "seconds": round(self.seconds, 3),
                "images_per_second": round(images / seconds, 1),
                "mb_per_second": round(size / seconds / 1e6, 1),
            },
            feed=feed,
        )
