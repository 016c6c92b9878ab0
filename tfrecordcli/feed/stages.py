"""What each stage of a feed costs, and which one holds it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tfrecordcli.feed.assembly import Stage, assemble
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pacing import Remembering, drain, first_of
from tfrecordcli.feed.source import read_sources
from tfrecordcli.feed.taking import Taking
from tfrecordcli.feed.timing import Sample, largest, timed_recipe
from tfrecordcli.storage.store_path import Place

_HOST_STAGES: Final[tuple[Stage, ...]] = ("read", "parse", "decode", "resize", "batch")
# Rounds through all stages, so that a machine that is slow for a while does not slow one stage only.
_ROUNDS: Final = 2


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


def time_stages(
    folder: Place, manifest: Mapping[str, Any], options: FeedOptions, sample: Sample
) -> StageTimes | None:
    """Times the feed of the largest split up to each of its stages, the very code that `load` runs.

    Takes the sample's seconds, and a batch more of each stage at most. None when there is no record.

    Raises:
      as `tfrecordcli.feed.timing.time_feed`.
    """
    source = largest(read_sources(folder, manifest))
    if source is None:
        return None
    # In order: filling a shuffle buffer would be taken for slow reading.
    recipe = timed_recipe(manifest, source, replace(options, shuffle=False))
    names = (*_HOST_STAGES, "device") if recipe.device.is_gpu else _HOST_STAGES
    rates: dict[Stage, float] = dict.fromkeys(names, 0.0)
    pixels = 0.0
    seconds, clock = sample.seconds, sample.clock
    begin = clock.now()
    for _ in range(_ROUNDS):
        for name in names:
            with Taking(assemble(source, replace(recipe, until=name))) as taking:
                batches = Remembering(taking)
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
