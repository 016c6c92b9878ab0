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
# Stored images of fewer than this many times the fed pixels are enlarged; between, borders may explain it:
# of a 4:3 photo in a square they are a quarter.
_SMALLER: Final = 3 / 4
# A stage that costs at least this share of what the dearest one does costs about as much: rates of a busy
# machine are no better known.
_RIVAL: Final = 0.8
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
    batch, even = f"{setting.options.batch_size:,}", f"{milliseconds(times.break_even_step_ms)} ms"
    wait = wait_of(times)
    if is_in_doubt(times.accelerator_wait, times.accelerator_wait_predicted):
        return (
            f"What was seen ({times.accelerator_wait:.0%} of waiting) and what follows from the rate "
            f"({times.accelerator_wait_predicted:.0%}) disagree: the machine was busy with other things, or "
            f"{times.step_time_ms:g} ms is at the edge (an accelerator never waits from {even} on); verify "
            "again with more --feed-seconds."
        )
    if wait is not None and wait < _MODERATE:
        is_ready = times.step_time_ms >= times.break_even_step_ms
        found = "are ready before an accelerator asks" if is_ready else "hardly keep an accelerator waiting"
        return (
            f"Nothing to do: batches of {batch} {found} that takes "
            f"{times.step_time_ms:g} ms for one (it never waits from {even} on)."
        )
    work, cure = _work(stages), _cure(stages, setting)
    if wait is None:
        return (
            f"An accelerator that takes {even} or more for a batch of {batch} never waits; "
            f"for a faster one, the limit is {work}: {cure}."
        )
    seen = "waits" if times.accelerator_wait is not None else "would wait"
    return f"The accelerator {seen} {wait:.0%} of its time, mostly for {work}: {cure}."


def is_in_doubt(seen: float | None, predicted: float | None) -> bool:
    """Whether the wait of a paced run and the predicted one lead to different verdicts."""
    return seen is not None and predicted is not None and verdict_of(seen) != verdict_of(predicted)


def milliseconds(value: float) -> str:
    """`1,235`, `35.2`, `0.71`: three digits that count, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def wait_of(times: FeedTimes) -> float | None:
    """The wait that was seen in the paced run; where there was none, the predicted one."""
    return times.accelerator_wait_predicted if times.accelerator_wait is None else times.accelerator_wait


def _cure(stages: StageTimes, setting: Setting) -> str:
    if stages.bottleneck == "read":
        return _cure_of_reading(setting)
    size = setting.options.height_width
    larger = stages.pixels / math.prod(size) if size else 1.0
    if size and larger < _SMALLER and stages.bottleneck != "parse":
        return (
            f"the images are enlarged to {1 / larger:,.1f} times the pixels that they are stored with "
            f"(about {math.isqrt(round(stages.pixels))} a side), so use a smaller --image-size"
        )
    if stages.bottleneck == "device":
        return "a smaller --image-size leaves less to copy, and a larger --batch-size may help"
    if stages.bottleneck == "batch":
        return "every pixel is copied into its batch, so a smaller --image-size helps, or more cores"
    if size and larger > _MUCH_LARGER:
        return (
            f"the images are stored with {larger:.1f} times the pixels that are used, "
            f"so convert with --max-side {_max_side(size, setting.options)}"
        )
    small = "" if stages.bottleneck == "parse" else "the images are small already and "
    return f"{small}{_cores(setting.cores)} at work, so only more cores help"


def _work(stages: StageTimes) -> str:
    """What the bottleneck does, and the stages that cost about as much."""
    most = stages.stages[stages.bottleneck].microseconds if stages.stages else 0.0
    rivals = [
        _WORK[name]
        for name, stage in stages.stages.items()
        if name != stages.bottleneck and most and stage.microseconds >= _RIVAL * most
    ]
    if not rivals:
        return _WORK[stages.bottleneck]
    return f"{_WORK[stages.bottleneck]} and {' and '.join(rivals)}, which cost about the same"


def _cure_of_reading(setting: Setting) -> str:
    source = setting.source
    if source.compression:
        return "the shards are gzip, and reading has to inflate them, so convert with --compression none"
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
