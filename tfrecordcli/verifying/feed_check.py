"""The feed of a dataset: what it needs is looked for before anything is read, what it does is timed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.problems import Problem
from tfrecordcli.progress import Reporter
from tfrecordcli.verify_options import VerifyOptions

if TYPE_CHECKING:
    from tfrecordcli.feed.report import FeedReport


def need_room(manifest: Manifest, options: VerifyOptions) -> None:
    """Refuses batches beyond the machine's memory before hours of reading, not after them."""
    from tfrecordcli.feed.options import FeedOptions, check_room

    records = max((counts.records for counts in manifest.splits.values()), default=0)
    check_room(FeedOptions(batch_size=options.batch_size, image_size=options.image_size), records)


def feed(
    dataset: Dataset, options: VerifyOptions, splits: Collection[str], reporter: Reporter
) -> tuple[FeedReport, Sequence[Problem]]:
    """Feeds a dataset of ours, and times it.

    Args:
      splits: that were chosen, where `options` name one.

    Raises:
      TfrecError: it cannot be fed.
    """
    from tfrecordcli.feed.batches import TellingClock
    from tfrecordcli.feed.options import FeedOptions
    from tfrecordcli.feed.report import feed_report
    from tfrecordcli.feed.timing import Timing

    assert dataset.manifest is not None
    manifest = dataset.manifest
    if options.split is not None:
        manifest = replace(manifest, splits={s: v for s, v in manifest.splits.items() if s in splits})
    clock = TellingClock(lambda seconds: reporter.timing(seconds, options.feed_seconds))
    reporter.start(manifest.total("records"), 0)
    try:
        return feed_report(
            dataset.folder,
            manifest,
            FeedOptions(batch_size=options.batch_size, image_size=options.image_size, device=options.device),
            Timing(options.feed_seconds, options.step_time, clock),
            lambda records: reporter.advance(records, 0, 0),
        )
    finally:
        reporter.finish()
