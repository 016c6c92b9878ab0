"""The feed of a dataset in one report: proof, rates, stages, and what follows from them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from tfrecordcli.feed.advice import Setting, advise, verdict_of, wait_of
from tfrecordcli.feed.assembly import warm_up
from tfrecordcli.feed.device import choose_device, start_device
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.proof import Progress, out_of_memory, prove
from tfrecordcli.feed.quiet import import_tensorflow
from tfrecordcli.feed.room import timed_options
from tfrecordcli.feed.source import read_sources
from tfrecordcli.feed.stages import time_stages
from tfrecordcli.feed.store_cache import describe_cache
from tfrecordcli.feed.timing import FeedTimes, Sample, largest, time_feed
from tfrecordcli.problems import Problem
from tfrecordcli.storage.store_path import Place, StorePath

# Share of the timed sample that goes into the stages.
_STAGES_SHARE: Final = 0.4

# What a report takes over from the times.
_MEASURED: Final = tuple(field.name for field in fields(FeedTimes) if field.name != "images")


@dataclass(frozen=True, slots=True)
class FeedReport:
    """The feed, as the JSON output has it; what was not measured is None.

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

    The others are those of `tfrecordcli.feed.timing.FeedTimes` and `tfrecordcli.feed.stages.StageTimes`.
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

    def as_json(self) -> dict[str, Any]:
        """The object `feed` of the JSON output."""
        return asdict(self)


def feed_report(
    folder: Place,
    manifest: Mapping[str, Any],
    options: FeedOptions,
    sample: Sample,
    on_progress: Progress | None = None,
) -> tuple[FeedReport, list[Problem]]:
    """Proves the feed of a dataset, and when it holds, times a sample of it.

    Args:
      folder, manifest: of the dataset.
      options: of the feed.
      sample: how it is timed.
      on_progress: told how many more records the proof has read.

    Returns:
      the report, and what the proof found; with problems there are no rates.

    Raises:
      as `tfrecordcli.feed.proof.prove`.
    """
    device = choose_device(options.device)
    start_device(device)
    warm_up(device)
    sources = read_sources(folder, manifest)
    source = largest(sources)
    requested = options.batch_size
    options = timed_options(options, source.records if source else 0)
    begin = time.monotonic()
    problems = prove(folder, manifest, options, on_progress)
    proof: dict[str, Any] = {"ok": not problems, "seconds": round(time.monotonic() - begin, 3)}
    if isinstance(folder, StorePath):
        proof["read_through"] = describe_cache()
    images = sum(source.records for source in sources)
    report = FeedReport(device.name, options.batch_size, options.image_size, images, proof)
    report = replace(
        report,
        gpu_missing=options.device == "auto" and not device.is_gpu,
        requested_batch_size=requested,
    )
    if problems or source is None:
        return report, problems
    try:
        times = time_feed(folder, manifest, options, sample.share(1 - _STAGES_SHARE))
        stages = time_stages(folder, manifest, options, sample.share(_STAGES_SHARE))
    except import_tensorflow().errors.ResourceExhaustedError as error:
        raise out_of_memory(options) from error
    if times is None or stages is None:  # no records
        return report, problems
    measured = {name: getattr(times, name) for name in _MEASURED}
    return replace(
        report,
        **measured,
        stages={name: asdict(stage) for name, stage in stages.stages.items()},
        bottleneck=stages.bottleneck,
        verdict=verdict_of(wait_of(times)),
        advice=advise(times, stages, Setting.here(source, options)),
    ), problems
