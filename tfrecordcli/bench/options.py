"""The options of `bench`; each is defined here, once."""

from __future__ import annotations

from dataclasses import dataclass

from tfrecordcli.option_definition import option
from tfrecordcli.option_parsing import above_zero, texts


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What is compared.

    Attributes:
      source: None: ways that read files get the images of the records.
      ways: names of `WAYS`; empty is all.
      image_size: images are stretched to image_size x image_size pixels.
      step_ms: milliseconds; 0 is no simulated accelerator.
    """

    source: str | None = option(
        None, "What was converted: ways that read files get these, as they are.", "LIST",
        shown="the images in the records",
    )  # fmt: skip
    ways: tuple[str, ...] = option(
        (), "Only this way; repeatable.", "NAME", texts, flag="--way", is_repeated=True, shown="all"
    )
    batch_size: int = option(64, "Of every way.", "N", least=1)
    image_size: int = option(224, "Of every way.", "N", least=1)
    seconds: float = option(10.0, "How long each way is measured.", "S", above_zero)
    step_ms: float = option(
        0.0, "How long an accelerator computes for each batch: would it wait?", "MS", least=0,
        flag="--step-time",
    )  # fmt: skip
