"""How fast batches arrive, what each stage of the feed costs, and how long an accelerator would wait."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.feed.batches import Clock, Taking, drain, first_of, pace, predicted_wait
from tfrecordcli.feed.labels import natural_mode, num_classes
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pipeline import assemble
from tfrecordcli.feed.recipe import Recipe, Stage
from tfrecordcli.feed.splits import Split
from tfrecordcli.feed.tensorflow import arrived_at, choose_device

# Share of the time that goes into the full-speed pass when there is a paced one too.
_FULL_SPEED_SHARE: Final = 0.5
# A paced pass of fewer steps than this would tell nothing.
_LEAST_STEPS: Final = 3

_HOST_STAGES: Final[tuple[Stage, ...]] = ("read", "parse", "decode", "resize", "batch")
# Rounds through all stages, so that a machine that is slow for a while does not slow one stage only.
_ROUNDS: Final = 2

# Linux's getrusage tells the peak of the process that started this one when that was higher.
_HIGH_WATER: Final = re.compile(r"VmHWM:\s*(\d+) kB")


@dataclass(frozen=True, slots=True)
class Timing:
    """How a feed is timed.

    Attributes:
      seconds: in all.
      step_ms: milliseconds that a simulated accelerator computes for a batch; 0: none.
      clock: that time is taken with.
    """

    seconds: float
    step_ms: float = 0.0
    clock: Clock = field(default_factory=Clock)

    def share(self, of: float) -> Timing:
        """A part of the given time."""
        return replace(self, seconds=self.seconds * of)


@dataclass(frozen=True, slots=True)
class FeedTimes:
    """What was measured.

    Attributes:
      device: where the batches arrived, as their tensors say.
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
    images_per_second: float
    mb_per_second: float
    first_batch_seconds: float
    step_time_ms: float
    accelerator_wait: float | None
    accelerator_wait_predicted: float | None
    break_even_step_ms: float
    peak_memory: int


@dataclass(frozen=True, slots=True)
class StageTime:
    """One stage.

    Attributes:
      images_per_second: of a feed that ends with this stage.
      microseconds: that the stage itself adds to an image, with all cores at work; 0 or more.
    """

    images_per_second: float
    microseconds: float


@dataclass(frozen=True, slots=True)
class StageTimes:
    """All stages of a feed.

    Attributes:
      stages: name -> times, in the order of the feed: read, parse, decode, resize, batch and, when batches
        go to a GPU, device (the copy).
      bottleneck: the stage that costs most for an image.
      pixels: height times width of the mean image as stored, of one batch.
    """

    stages: Mapping[Stage, StageTime]
    bottleneck: Stage
    pixels: float


def timed_recipe(manifest: Manifest, split: Split, options: FeedOptions) -> Recipe:
    """The recipe of an endless pass over a split, with all labels.

    Raises:
      UsageError, MissingPackageError: as of `load`.
    """
    mode = natural_mode(manifest, [split])
    endless = replace(options, repeat=True, raw=False, shard=(0, 1), label_mode=mode)
    return Recipe(endless, num_classes(manifest), choose_device(endless.device))


def time_feed(split: Split, recipe: Recipe, timing: Timing) -> FeedTimes:
    """Times an endless feed; takes the given seconds, and the time of one batch more at most.

    Raises:
      tensorflow.errors.OpError: the records cannot be read.
    """
    seconds, step_ms, clock = timing.seconds, timing.step_ms, timing.clock
    batch_size = recipe.options.batch_size
    with Taking(assemble(split, recipe)) as batches:
        begin = clock.now()
        drained = drain(batches, seconds * (_FULL_SPEED_SHARE if step_ms else 1), clock)
        rate = drained.images_per_second
        left = begin + seconds - clock.now() if step_ms else 0.0
        wait = None
        if step_ms and left >= _LEAST_STEPS * max(batch_size / rate, step_ms / 1e3):
            wait = pace(batches, step_ms / 1e3, left, clock)
        device = arrived_at(batches.last)
    return FeedTimes(
        device=device,
        images_per_second=rate,
        mb_per_second=rate * split.bytes_per_record / 1e6,
        first_batch_seconds=drained.first_batch_seconds,
        step_time_ms=step_ms,
        accelerator_wait=wait,
        accelerator_wait_predicted=predicted_wait(step_ms / 1e3, rate, batch_size) if step_ms else None,
        break_even_step_ms=batch_size / rate * 1e3,
        peak_memory=peak_memory(),
    )


def time_stages(split: Split, recipe: Recipe, timing: Timing) -> StageTimes:
    """Times an endless feed up to each of its stages, the very code that `load` runs.

    Takes the given seconds, and a batch more of each stage at most.

    Raises:
      tensorflow.errors.OpError: the records cannot be read.
    """
    recipe = recipe.with_options(shuffle=False)  # filling a shuffle buffer would be taken for slow reading
    names = (*_HOST_STAGES, "device") if recipe.device.is_gpu else _HOST_STAGES
    rates: dict[Stage, float] = dict.fromkeys(names, 0.0)
    pixels = 0.0
    seconds, clock = timing.seconds, timing.clock
    begin = clock.now()
    for _ in range(_ROUNDS):
        for name in names:
            with Taking(assemble(split, replace(recipe, until=name))) as batches:
                drained = drain(batches, seconds / (_ROUNDS * len(names)), clock)
                rates[name] = max(rates[name], drained.images_per_second)
                if name == "decode":
                    pixels = float(first_of(batches.last).numpy().mean())
        if clock.now() - begin > seconds * (1 - 1 / _ROUNDS / 2):
            break  # batches are slow, and another round would take far more than the time given
    times = costs(rates)
    bottleneck = max(times, key=lambda name: times[name].microseconds)
    return StageTimes(times, bottleneck, pixels)


def costs(rates: Mapping[Stage, float]) -> dict[Stage, StageTime]:
    """The times of stages from the rates (images/s) of feeds that end with them, in order."""
    times: dict[Stage, StageTime] = {}
    before = 0.0
    for name, rate in rates.items():
        cost = max(1e6 / rate, before)  # a later stage cannot make earlier ones faster: that is noise
        times[name] = StageTime(rate, cost - before)
        before = cost
    return times


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
