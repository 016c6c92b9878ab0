"""How fast batches arrive, and how long an accelerator would wait for them."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tfrecordcli.feed.assembly import Recipe, assemble
from tfrecordcli.feed.device import arrived_at, choose_device
from tfrecordcli.feed.labels import natural_mode, num_classes
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pacing import Clock, Drain, RealClock, Remembering, drain, pace, predicted_wait
from tfrecordcli.feed.source import Source, read_sources
from tfrecordcli.feed.taking import Taking
from tfrecordcli.storage.store_path import Place

# Share of the time that goes into the full-speed pass when there is a paced one too.
_FULL_SPEED_SHARE: Final = 0.5
# A paced pass of fewer steps than this would tell nothing.
_LEAST_STEPS: Final = 3

# Linux's getrusage tells the peak of the process that started this one when that was higher.
_HIGH_WATER: Final = re.compile(r"VmHWM:\s*(\d+) kB")


@dataclass(frozen=True, slots=True)
class Sample:
    """How a feed is timed.

    Attributes:
      seconds: in all.
      step_ms: milliseconds that a simulated accelerator computes for a batch; 0: none.
      clock: that time is taken with.
    """

    seconds: float
    step_ms: float = 0.0
    clock: Clock = field(default_factory=RealClock)

    def share(self, of: float) -> Sample:
        """A part of the sample's time."""
        return replace(self, seconds=self.seconds * of)


@dataclass(frozen=True, slots=True)
class FeedTimes:
    """What was measured.

    Attributes:
      device: where the batches arrived, as their tensors say.
      images: timed.
      images_per_second: in the steady state, after the first batch.
      mb_per_second: stored bytes of these images, in 10**6 bytes a second.
      first_batch_seconds: from the start of the iteration to the first batch.
      step_time_ms: of the simulated accelerator; 0: there was none.
      accelerator_wait: share of its time that it waited for batches, 0 to 1, as seen in a paced run;
        None without a step time, or when there was no time for such a run.
      accelerator_wait_predicted: the same as follows from the rate: 1 - step * rate / batch.
      break_even_step_ms: step time from which on the accelerator does not wait: batch / rate.
      peak_memory: of the whole process so far, bytes.
    """

    device: str
    images: int
    images_per_second: float
    mb_per_second: float
    first_batch_seconds: float
    step_time_ms: float
    accelerator_wait: float | None
    accelerator_wait_predicted: float | None
    break_even_step_ms: float
    peak_memory: int


def time_feed(
    folder: Place, manifest: Mapping[str, Any], options: FeedOptions, sample: Sample
) -> FeedTimes | None:
    """Times the feed of the largest split, its epochs repeated as needed.

    Takes the sample's seconds, and the time of one batch more at most.

    Returns:
      the times; None when there is no record.

    Raises:
      InputError, UsageError, MissingPackageError: as of `load`.
      tensorflow.errors.OpError: the records cannot be read.
    """
    source = largest(read_sources(folder, manifest))
    if source is None:
        return None
    recipe = timed_recipe(manifest, source, options)
    seconds, step_ms, clock = sample.seconds, sample.step_ms, sample.clock
    full_speed = seconds * (_FULL_SPEED_SHARE if step_ms else 1)
    with Taking(assemble(source, recipe)) as taking:
        batches = Remembering(taking)
        begin = clock.now()
        drained = drain(batches, full_speed, clock)
        wait = None
        if step_ms:
            left = begin + seconds - clock.now()
            batch_seconds = recipe.options.batch_size / drained.images_per_second
            if left >= _LEAST_STEPS * max(batch_seconds, step_ms / 1e3):
                wait = pace(batches, step_ms / 1e3, left, clock)
        device = arrived_at(batches.last)
    return _times(source, recipe.options.batch_size, drained, (device, step_ms, wait))


def largest(sources: list[Source]) -> Source | None:
    """The split with most records; None when there is no record at all."""
    return max((s for s in sources if s.records), key=lambda s: s.records, default=None)


def timed_recipe(manifest: Mapping[str, Any], source: Source, options: FeedOptions) -> Recipe:
    """The recipe of an endless pass over a split, with all labels."""
    mode = natural_mode(manifest, [source])
    endless = replace(options, repeat=True, raw=False, shard=(0, 1), label_mode=mode)
    return Recipe(endless, num_classes(manifest), choose_device(endless.device))


def peak_memory() -> int:
    """Most memory that this process has held so far, in bytes."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            found = _HIGH_WATER.search(file.read())
    except OSError:
        found = None
    if found:
        return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _times(
    source: Source, batch_size: int, drained: Drain, accelerator: tuple[str, float, float | None]
) -> FeedTimes:
    device, step_ms, wait = accelerator
    rate = drained.images_per_second
    return FeedTimes(
        device=device,
        images=drained.first_images + drained.images,
        images_per_second=rate,
        mb_per_second=rate * source.bytes_per_record / 1e6,
        first_batch_seconds=drained.first_batch_seconds,
        step_time_ms=step_ms,
        accelerator_wait=wait,
        accelerator_wait_predicted=predicted_wait(step_ms / 1e3, rate, batch_size) if step_ms else None,
        break_even_step_ms=batch_size / rate * 1e3,
        peak_memory=peak_memory(),
    )
