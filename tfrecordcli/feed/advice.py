"""What follows from the times of a feed: a verdict, and one sentence of advice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from tfrecordcli.feed.assembly import available_cores
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.source import Source
from tfrecordcli.feed.stages import StageTimes
from tfrecordcli.feed.timing import FeedTimes
from tfrecordcli.units import plural

# TensorFlow's profiler calls a step input-bound from these shares of waiting on
# (tensorflow/core/profiler, op_stats_to_input_pipeline_analysis.cc).
_MODERATE: Final = 0.05
_HIGH: Final = 0.20

# Stored images of more than this many times the fed pixels are worth shrinking.
_MUCH_LARGER: Final = 2.0
# Sides that --max-side should leave beyond the fed ones: room for cropping, and, where the middle is cut
# out, for the shorter side of a 4:3 photo.
_SPARE: Final = 8 / 7
_CUT: Final = 4 / 3

_WORK: Final = {
    "read": "reading",
    "parse": "parsing the records",
    "decode": "decoding",
    "resize": "resizing",
    "batch": "putting batches together",
    "device": "the copy to the device",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What was fed, and where: the split, the options, and cores at work."""

    source: Source
    options: FeedOptions
    cores: int

    @classmethod
    def here(cls, source: Source, options: FeedOptions) -> Setting:
        """The setting on this machine."""
        return cls(source, options, available_cores())


def verdict_of(wait: float | None) -> str | None:
    """`not`, `moderately` or `highly input-bound`, by the share of time waited; None for None."""
    if wait is None:
        return None
    degree = "not" if wait < _MODERATE else "moderately" if wait < _HIGH else "highly"
    return f"{degree} input-bound"


def advise(times: FeedTimes, stages: StageTimes, setting: Setting) -> str:
    """One sentence: what to change so that an accelerator waits less, or that nothing needs to be."""
    batch, even = setting.options.batch_size, f"{times.break_even_step_ms:.3g} ms"
    wait = wait_of(times)
    if wait is not None and wait < _MODERATE:
        return (
            f"Nothing to do: batches of {batch} are ready before an accelerator asks that takes "
            f"{times.step_time_ms:g} ms for one (it never waits from {even} on)."
        )
    work, cure = _WORK[stages.bottleneck], _cure(stages, setting)
    if wait is None:
        return (
            f"An accelerator that takes {even} or more for a batch of {batch} never waits; "
            f"for a faster one, {work} is the limit: {cure}."
        )
    seen = "waits" if times.accelerator_wait is not None else "would wait"
    return f"The accelerator {seen} {wait:.0%} of its time, mostly for {work}: {cure}."


def wait_of(times: FeedTimes) -> float | None:
    """The wait that was seen in the paced run; where there was none, the predicted one."""
    return times.accelerator_wait_predicted if times.accelerator_wait is None else times.accelerator_wait


def _cure(stages: StageTimes, setting: Setting) -> str:
    if stages.bottleneck in ("batch", "device"):
        return "use a larger --batch-size or a smaller --image-size"
    if stages.bottleneck in ("read", "parse"):
        return _cure_of_reading(setting)
    size = setting.options.height_width
    larger = stages.pixels / math.prod(size) if size else 1.0
    if size and larger > _MUCH_LARGER:
        return (
            f"the images are stored with {larger:.1f} times the pixels that are used, "
            f"so convert with --max-side {_max_side(size, setting.options)}"
        )
    return f"the images are small already and {_cores(setting.cores)} at work, so only more cores help"


def _cure_of_reading(setting: Setting) -> str:
    source = setting.source
    files, useful = len(source.shards), min(source.records, max(16, 2 * setting.cores))
    if files < min(useful, setting.cores):
        return (
            f"{plural(files, 'shard')} cannot keep {setting.cores} cores reading, "
            f"so convert with --num-shards {source.split}={useful}"
        )
    return "keep the dataset on a faster disk, nearer to the machine"


def _max_side(size: tuple[int, int], options: FeedOptions) -> int:
    """A multiple of 16 that leaves some room."""
    side = max(size) * _SPARE * (_CUT if options.resize == "crop" else 1)
    return math.ceil(side / 16) * 16


def _cores(count: int) -> str:
    return "one core is" if count == 1 else f"all {count} cores are"
