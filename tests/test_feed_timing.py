"""Rates, waits, stages and advice, with a clock and a feed that the tests make themselves."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from converting import image_list

import tfrecordcli
from tfrecordcli.cli.verify import summary
from tfrecordcli.feed.batches import drain, pace, predicted_wait
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pipeline import number_of_batches
from tfrecordcli.feed.recipe import Recipe
from tfrecordcli.feed.report import FeedReport, advise, feed_report, milliseconds, verdict_of
from tfrecordcli.feed.splits import Shard, Split, open_dataset, read_splits
from tfrecordcli.feed.timing import (
    FeedTimes,
    StageTime,
    StageTimes,
    Timing,
    costs,
    time_feed,
    time_stages,
    timed_recipe,
)
from tfrecordcli.progress import Reporter
from tfrecordcli.verify_options import VerifyOptions
from tfrecordcli.verifying.verification import verify

BATCH = 64


class FakeClock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.time += seconds


def fake_feed(clock: FakeClock, rate: float, first: float = 0.0, ahead: int = 2) -> Iterator[Any]:
    """Batches made side by side with their consumer, at ``rate`` images/s, at most ``ahead`` waiting."""
    made = clock.now() + first
    taken: list[float] = []
    while True:
        made += BATCH / rate
        clock.time = max(clock.time, made)
        taken.append(clock.time)
        yield (SimpleNamespace(shape=(BATCH, 8, 8, 3)), None)
        if len(taken) > ahead:  # the maker stood still while nobody took
            made = max(made, taken[-ahead - 1])


def test_full_speed_is_measured_after_the_first_batch() -> None:
    clock = FakeClock()
    drained = drain(fake_feed(clock, rate=800, first=3), 10, clock)
    assert drained.first_batch_seconds == pytest.approx(3 + BATCH / 800)
    assert drained.images_per_second == pytest.approx(800)
    assert 100 + 10 <= clock.time <= 100 + 10 + BATCH / 800 + 1e-9


def test_a_feed_of_one_slow_batch_still_has_a_rate() -> None:
    clock = FakeClock()
    drained = drain(fake_feed(clock, rate=2), 10, clock)
    assert drained.images == 0
    assert drained.images_per_second == pytest.approx(2)
    assert clock.time == pytest.approx(100 + BATCH / 2)


def test_a_feed_that_ends() -> None:
    clock = FakeClock()
    feed = fake_feed(clock, rate=100)
    drained = drain(iter([next(feed)]), 10, clock)
    assert (drained.first_images, drained.images) == (BATCH, 0)


@pytest.mark.parametrize("step_ms", [10, 40, 60, 66, 70, 80, 200])
@pytest.mark.parametrize("rate", [940.0, 200.0])
def test_the_paced_wait_follows_the_formula(rate: float, step_ms: float) -> None:
    clock = FakeClock()
    wait = pace(fake_feed(clock, rate), step_ms / 1e3, 60, clock)
    assert wait == pytest.approx(predicted_wait(step_ms / 1e3, rate, BATCH), abs=0.005)


def test_the_first_batch_is_no_waiting() -> None:
    clock = FakeClock()
    assert pace(fake_feed(clock, rate=1e6, first=30), 0.05, 5, clock) == 0


def test_prediction_and_verdict() -> None:
    assert predicted_wait(0.032, 1000, 64) == pytest.approx(0.5)
    assert predicted_wait(0.064, 1000, 64) == predicted_wait(1, 1000, 64) == 0
    verdicts = [verdict_of(wait) for wait in (None, 0, 0.049, 0.05, 0.199, 0.2, 1)]
    assert verdicts == [None] + [
        f"{word} input-bound" for word in ("not", "not", "moderately", "moderately", "highly", "highly")
    ]


def test_costs_of_stages_add_up() -> None:
    times = costs({"read": 10_000, "parse": 5_000, "decode": 1_000, "resize": 1_010})
    assert {name: time.microseconds for name, time in times.items()} == pytest.approx(
        {"read": 100, "parse": 100, "decode": 800, "resize": 0}
    )


def advice(bottleneck: Any, *, wait: float | None = 0.5, pixels: float = 50_000, shards: int = 16,
           cores: int = 2, compression: str = "", costs_of: Any = None, predicted: float | None = None,
           step_ms: float | None = None, **options: Any) -> str:  # fmt: skip
    step = 0 if wait is None else 80 * (1 - wait) if step_ms is None else step_ms
    seen_and_predicted = (wait, wait if predicted is None else predicted)
    times = FeedTimes("cpu", 800, 80, 0.1, step, *seen_and_predicted, 80, 1)
    split = Split("train", (Shard("x", 100, 1),) * shards, compression, 100 * shards, 1, "", {})
    recipe = Recipe(FeedOptions(**options), 0, cores=cores)
    stages = {name: StageTime(1, cost) for name, cost in (costs_of or {}).items()}
    return advise(times, StageTimes(stages, bottleneck, pixels), split, recipe)


def test_advice_follows_from_the_bottleneck() -> None:
    assert advice("decode", wait=0.01).startswith("Nothing to do")
    assert "waits 50% of its time, mostly for decoding" in advice("decode")
    assert "80 ms or more for a batch of 64 never waits" in advice("decode", wait=None)
    large = 224 * 224 * 4
    assert "4.0 times the pixels that are used, so convert with --max-side 256" in advice(
        "decode", pixels=large
    )
    assert "--max-side 352" in advice("decode", pixels=large, resize="crop")
    assert "--max-side 464" in advice("resize", pixels=1e7, image_size=(100, 400))
    assert "all 2 cores are at work" in advice("decode")
    assert "more cores" in advice("resize", image_size=None, batch_size=1, pixels=1e7)
    assert "2 shards cannot keep 8 cores reading" in advice("read", shards=2, cores=8)
    assert "--num-shards train=16" in advice("read", shards=2, cores=8)
    assert "faster disk" in advice("read", shards=8, cores=8)
    assert "--batch-size" in advice("device")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("timing")
    tfrecordcli.convert(image_list(folder / "in", 7), folder / "out")
    return folder / "out"


def timed(folder: Path) -> tuple[Split, Recipe]:
    """The one split of a dataset, and the recipe by which it is timed at 16 pixels."""
    (split,) = read_splits(folder, open_dataset(folder))
    return split, timed_recipe(open_dataset(folder), split, FeedOptions(image_size=16))


def test_times_of_a_tiny_dataset(dataset: Path) -> None:
    """Fewer records than a batch: epochs go round."""
    split, recipe = timed(dataset)
    assert number_of_batches(split, recipe.options) == -1
    times = time_feed(split, recipe, Timing(0.3, 1.0))
    assert times.break_even_step_ms == pytest.approx(64 / times.images_per_second * 1e3)
    assert times.accelerator_wait_predicted == pytest.approx(max(0, 1 - 1e-3 * times.images_per_second / 64))
    assert times.device == "cpu"
    assert times.peak_memory > 1 << 20
    idle = time_feed(split, recipe, Timing(0.1))
    assert idle.accelerator_wait is None
    assert idle.accelerator_wait_predicted is None


def test_stages_of_a_tiny_dataset(dataset: Path) -> None:
    stages = time_stages(*timed(dataset), Timing(0.4))
    assert list(stages.stages) == ["read", "parse", "decode", "resize", "batch"]
    assert stages.pixels == 24 * 16
    assert stages.bottleneck in stages.stages


def test_report(dataset: Path) -> None:
    read: list[int] = []
    report, problems = feed_report(
        dataset,
        open_dataset(dataset),
        FeedOptions(batch_size=4, image_size=16),
        Timing(0.5, 100.0),
        read.append,
    )
    assert problems == []
    assert sum(read) == report.images == 7
    assert report.proof["ok"] is True
    values = json.loads(json.dumps(dataclasses.asdict(report)))
    assert set(values) == {
        "device", "batch_size", "image_size", "images", "proof", "images_per_second", "mb_per_second",
        "first_batch_seconds", "step_time_ms", "accelerator_wait", "accelerator_wait_predicted",
        "break_even_step_ms", "stages", "bottleneck", "verdict", "advice", "peak_memory", "gpu_missing",
        "requested_batch_size",
    }  # fmt: skip
    assert values["step_time_ms"] == 100
    assert values["verdict"].endswith("input-bound")
    assert values["advice"].endswith(".")


@pytest.mark.thorough
def test_the_timed_sample_tells_how_it_goes_on(dataset: Path) -> None:
    told: list[tuple[float, float]] = []

    class Told(Reporter):
        def timing(self, seconds: float, total: float) -> None:
            told.append((seconds, total))

    report = verify(dataset, VerifyOptions(image_size=16, feed_seconds=2.0, step_time=1.0), Told())
    assert report.exit_code == 0
    seconds = [at for at, _ in told]
    assert {total for _, total in told} == {2.0}
    assert seconds[0] == 0
    assert seconds == sorted(seconds)
    assert seconds[-1] > 1  # the stages are timed by the same clock
    assert len(seconds) > 3


def test_no_rates_of_what_is_not_proven(dataset: Path) -> None:
    made = open_dataset(dataset)
    train = replace(made.splits["train"], digest="0" * 16)
    promised = replace(made, splits={**made.splits, "train": train})
    report, problems = feed_report(dataset, promised, FeedOptions(image_size=16), Timing(5))
    assert [problem.code for problem in problems] == ["feed_digest"]
    assert isinstance(report, FeedReport)
    assert report.proof["ok"] is False
    assert report.images_per_second is None
    assert report.advice is None


def test_advice_for_gzip_is_to_leave_it() -> None:
    for shards in (2, 16):
        said = advice("read", compression="GZIP", shards=shards, cores=8)
        assert "--compression none" in said
        assert "disk" not in said


def test_advice_for_parsing_speaks_of_no_disk() -> None:
    for compression in ("", "GZIP"):
        said = advice("parse", compression=compression, pixels=50_000)
        assert "only more cores help" in said
        assert "disk" not in said
    assert "--max-side 256" in advice("parse", pixels=224 * 224 * 4)


@pytest.mark.parametrize("bottleneck", ["decode", "resize", "batch", "device"])
def test_advice_for_images_that_are_enlarged(bottleneck: str) -> None:
    said = advice(bottleneck, pixels=100 * 100, image_size=1500)
    assert "enlarged to 225.0 times the pixels" in said
    assert "(about 100 a side), so use a smaller --image-size" in said
    assert "enlarged" not in advice(bottleneck, pixels=224 * 168)  # a 4:3 photo within its borders


def test_advice_for_batching_follows_from_what_it_does() -> None:
    said = advice("batch")
    assert "smaller --image-size" in said
    assert "--batch-size" not in said


def test_stages_that_cost_the_same_are_named_together() -> None:
    said = advice("decode", costs_of={"read": 50, "decode": 100, "resize": 95})
    assert "mostly for decoding and resizing, which cost about the same: " in said
    assert "about the same" not in advice("decode", costs_of={"read": 50, "decode": 100, "resize": 70})


def test_a_wait_that_was_seen_and_one_that_was_predicted_can_disagree() -> None:
    said = advice("decode", wait=0.0, predicted=0.26, step_ms=59)
    assert said.startswith("What was seen (0% of waiting) and what follows from the rate (26%) disagree")
    assert "busy" in said
    assert "never waits from 80 ms on" in said
    assert "disagree" in advice("decode", wait=0.3, predicted=0.0, step_ms=90)
    below = advice("decode", wait=0.01, predicted=0.03, step_ms=78)
    assert "ready before" not in below
    assert below.startswith("Nothing to do: batches of 64 hardly keep an accelerator waiting")
    assert "ready before an accelerator asks" in advice("decode", wait=0.0, step_ms=80)


def test_the_summary_gives_no_verdict_when_they_disagree(dataset: Path) -> None:
    report = verify(dataset, VerifyOptions(image_size=16, feed_seconds=0.2))
    assert report.feed is not None
    feed = dataclasses.replace(
        report.feed, step_time_ms=26, accelerator_wait=0.0, accelerator_wait_predicted=0.26,
        break_even_step_ms=35.16, verdict="not input-bound", advice="Verify again.",
    )  # fmt: skip
    told = summary(dataclasses.replace(report, feed=feed))
    assert "never waits if it takes 35.2 ms or more" in told
    assert "one that takes 26 ms waits 0% of the time (predicted: 26%): the two disagree" in told
    assert "input-bound" not in told


def test_milliseconds() -> None:
    assert [milliseconds(value) for value in (0.7123, 35.16, 99.96, 1234.5)] == [
        "0.712",
        "35.2",
        "100",
        "1,234",
    ]
