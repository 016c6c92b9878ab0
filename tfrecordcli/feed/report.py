"""The feed of a dataset in one report: proof, rates, stages, and what follows from them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.feed.options import FeedOptions, timed_options
from tfrecordcli.feed.pipeline import warm_up
from tfrecordcli.feed.proof import Progress, out_of_memory, prove
from tfrecordcli.feed.recipe import Recipe
from tfrecordcli.feed.splits import Split, largest, read_splits
from tfrecordcli.feed.store_cache import describe_cache
from tfrecordcli.feed.tensorflow import choose_device, import_tensorflow, start_device
from tfrecordcli.feed.timing import FeedTimes, StageTimes, Timing, time_feed, time_stages, timed_recipe
from tfrecordcli.problems import Problem
from tfrecordcli.storage.store_path import Place, StorePath
from tfrecordcli.units import plural

# Share of the timed sample that goes into the stages.
_STAGES_SHARE: Final = 0.4

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
class FeedReport:
    """The feed, as the object `feed` of the JSON output has it; what was not measured is None.

    Attributes:
      device: where batches arrived: `cpu`, `gpu:0`.
      batch_size: as proved and timed; requested_batch_size: as it was asked for, which can be more than
        a small split fills in a bounded time.
      gpu_missing: a GPU would have been used, and TensorFlow sees none.
      images: read in the proof, from the manifest's splits.
      proof: `ok`, and the `seconds` that it took.
      stages: name -> `images_per_second` of a feed that ends there, `microseconds` of the stage itself.
      verdict: `not input-bound`, `moderately input-bound` or `highly input-bound`, of an accelerator of
        this step time (waiting below 5 %, below 20 %, more), by the wait that was seen; None without a
        step time. `advice` says so when the predicted wait would lead to another verdict.
      advice: one sentence.

    The others are those of `tfrecordcli.feed.timing.FeedTimes` and `tfrecordcli.feed.timing.StageTimes`.
    """

    device: str
    batch_size: int
    image_size: int | tuple[int, int] | None
    images: int
    proof: Mapping[str, Any]
    images_per_second: float | None = None
    mb_per_second: float | None = None
    first_batch_seconds: float | None = None
    step_time_ms: float = 0.0
    accelerator_wait: float | None = None
    accelerator_wait_predicted: float | None = None
    break_even_step_ms: float | None = None
    stages: Mapping[str, Mapping[str, float]] | None = None
    bottleneck: str | None = None
    verdict: str | None = None
    advice: str | None = None
    peak_memory: int | None = None
    gpu_missing: bool = False
    requested_batch_size: int | None = None


def feed_report(
    folder: Place,
    manifest: Manifest,
    options: FeedOptions,
    timing: Timing,
    on_progress: Progress | None = None,
) -> tuple[FeedReport, list[Problem]]:
    """Proves the feed of a dataset, and when it holds, times a sample of it.

    Args:
      folder, manifest: of the dataset.
      options: of the feed.
      timing: how it is timed.
      on_progress: told how many more records the proof has read.

    Returns:
      the report, and what the proof found; with problems there are no rates.

    Raises:
      as `tfrecordcli.feed.proof.prove`.
    """
    device = choose_device(options.device)
    start_device(device)
    warm_up(device)
    splits = read_splits(folder, manifest)
    split = largest(splits)
    requested = options.batch_size
    options = timed_options(options, split.records if split else 0)
    begin = time.monotonic()
    problems = prove(folder, manifest, options, on_progress)
    proof: dict[str, Any] = {"ok": not problems, "seconds": round(time.monotonic() - begin, 3)}
    if isinstance(folder, StorePath):
        proof["read_through"] = describe_cache()
    report = FeedReport(
        device=device.name,
        batch_size=options.batch_size,
        image_size=options.image_size,
        images=sum(split.records for split in splits),
        proof=proof,
        gpu_missing=options.device == "auto" and not device.is_gpu,
        requested_batch_size=requested,
    )
    if problems or split is None or split.schema.task == "tabular":  # which no image holds back
        return report, problems
    recipe = timed_recipe(manifest, split, options)
    try:
        times = time_feed(split, recipe, timing.share(1 - _STAGES_SHARE))
        stages = time_stages(split, recipe, timing.share(_STAGES_SHARE))
    except import_tensorflow().errors.ResourceExhaustedError as error:
        raise out_of_memory(options) from error
    return replace(
        report,
        **asdict(times),
        stages={name: asdict(stage) for name, stage in stages.stages.items()},
        bottleneck=stages.bottleneck,
        verdict=verdict_of(wait_of(times)),
        advice=advise(times, stages, split, recipe),
    ), problems


def verdict_of(wait: float | None) -> str | None:
    """`not`, `moderately` or `highly input-bound`, by the share of time waited; None for None."""
    if wait is None:
        return None
    degree = "not" if wait < _MODERATE else "moderately" if wait < _HIGH else "highly"
    return f"{degree} input-bound"


def advise(times: FeedTimes, stages: StageTimes, split: Split, recipe: Recipe) -> str:
    """One sentence: what to change so that an accelerator waits less, or that nothing needs to be."""
    batch, even = f"{recipe.options.batch_size:,}", f"{milliseconds(times.break_even_step_ms)} ms"
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
    work, hint = _work(stages), _hint(stages, split, recipe)
    if wait is None:
        return (
            f"An accelerator that takes {even} or more for a batch of {batch} never waits; "
            f"for a faster one, the limit is {work}: {hint}."
        )
    seen = "waits" if times.accelerator_wait is not None else "would wait"
    return f"The accelerator {seen} {wait:.0%} of its time, mostly for {work}: {hint}."


def is_in_doubt(seen: float | None, predicted: float | None) -> bool:
    """Whether the wait of a paced run and the predicted one lead to different verdicts."""
    return seen is not None and predicted is not None and verdict_of(seen) != verdict_of(predicted)


def milliseconds(value: float) -> str:
    """`1,235`, `35.2`, `0.71`: three digits that count, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def wait_of(times: FeedTimes) -> float | None:
    """The wait that was seen in the paced run; where there was none, the predicted one."""
    return times.accelerator_wait_predicted if times.accelerator_wait is None else times.accelerator_wait


def _hint(stages: StageTimes, split: Split, recipe: Recipe) -> str:
    if stages.bottleneck == "read":
        return _hint_on_reading(split, recipe.cores)
    size = recipe.options.height_width
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
            f"so convert with --max-side {_max_side(size, recipe.options)}"
        )
    small = "" if stages.bottleneck == "parse" else "the images are small already and "
    cores = "one core is" if recipe.cores == 1 else f"all {recipe.cores} cores are"
    return f"{small}{cores} at work, so only more cores help"


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


def _hint_on_reading(split: Split, cores: int) -> str:
    if split.compression:
        return "the shards are gzip, and reading has to inflate them, so convert with --compression none"
    files, useful = len(split.shards), min(split.records, max(16, 2 * cores))
    if files < min(useful, cores):
        return (
            f"{plural(files, 'shard')} cannot keep {cores} cores reading, "
            f"so convert with --num-shards {split.name}={useful}"
        )
    return "keep the dataset on a faster disk, nearer to the machine"


def _max_side(size: tuple[int, int], options: FeedOptions) -> int:
    """A multiple of 16 that leaves some room."""
    side = max(size) * _SPARE * (_CUT if options.resize == "crop" else 1)
    return math.ceil(side / 16) * 16
