"""The options of `verify`; each is defined here, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tfrecordcli import option_parsing as parse
from tfrecordcli.option_definition import changed, make_values, not_used, option
from tfrecordcli.problems import PROBLEMS
from tfrecordcli.schema import SPLITS


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What is verified, and how.

    Attributes:
      shards: numbers in their split, (first, last) inclusive; None is all.
      max_pixels: None is what the dataset was made with, or `DEFAULT_MAX_PIXELS`.
      image_size: pixels, square.
      step_time: milliseconds; 0 is no simulated accelerator.
    """

    split: str | None = option(None, "Only this split.", "NAME", shown="all", offered=SPLITS)
    shards: tuple[int, int] | None = option(
        None, "Only shards of these numbers, from 0.", "A-B", parse.shard_range, shown="all"
    )
    feed: bool = option(True, "TensorFlow reads everything too, and is timed.", off="--no-feed", shown="on")
    check: Literal["decode", "structure"] = option("decode", "Decode every image in full, or walk it only.")
    gate: Literal["auto", "native", "portable"] = option(
        "auto", "What it judges JPEGs by, whatever the dataset was made with."
    )
    max_pixels: int | None = option(
        None, "Larger images are problems, and not decoded.", "N", least=1,
        shown="as converted with, or 89478485",
    )  # fmt: skip
    batch_size: int = option(64, "Of the feed.", "N", least=1)
    image_size: int = option(224, "Of the feed.", "N", least=1)
    device: str = option(
        "auto", "Where batches must arrive: auto, cpu, gpu, gpu:1.", "NAME", parse.device,
        offered=("auto", "cpu", "gpu"),
    )  # fmt: skip
    step_time: float = option(
        0.0, "How long an accelerator computes for each batch: would it wait?", "MS", least=0
    )
    feed_seconds: float = option(10.0, "Length of the timed sample.", "S", parse.above_zero)
    strict: bool = option(False, "Warnings count as errors.")
    ignore: tuple[str, ...] = option(
        (), "Leave out a code.", "CODE", parse.problem_codes, is_repeated=True,
        offered=tuple(PROBLEMS),
    )  # fmt: skip
    workers: int | None = option(None, "Busy processes.", "N", least=1, shown="available cores")
    max_problems: int = option(100, "Problems that are listed; all are counted.", "N", least=1)


def unused_options(options: VerifyOptions, *, is_fed: bool, has_images: bool) -> Iterator[str]:
    """Notes for options that are given and do nothing.

    Args:
      is_fed: whether the feed is run.
      has_images: whether records have images.
    """
    of_feed = changed(options, ("batch_size", "image_size", "device", "step_time", "feed_seconds"))
    if of_feed and not is_fed:
        yield not_used(of_feed, "the feed is not run")
    of_images = changed(options, ("check", "gate", "max_pixels", *(("image_size",) if is_fed else ())))
    if of_images and not has_images:
        yield not_used(of_images, "rows have no image")
    elif options.check == "structure" and (gate := changed(options, ("gate",))):
        yield not_used(gate, "--check structure does not look into the data of images")


def make_verify_options(values: Mapping[str, Any]) -> VerifyOptions:
    """Options from flat names, as the command line and `tfrecordcli.verify` take them.

    Raises:
      UsageError: for an unknown name or a value that cannot be right.
    """
    options: VerifyOptions = make_values(values, VerifyOptions)[0]
    return options
