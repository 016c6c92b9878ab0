"""What a feed does with the records of a split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.tensorflow import CPU, Device
from tfrecordcli.processes import available_cores

Stage = Literal["read", "parse", "decode", "resize", "batch", "device"]
Augment = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a feed does with the records of a split.

    Attributes:
      options: of the feed.
      classes: length of a multi-hot label.
      device: where batches arrive.
      augment: applied to (image, label) of each element before batching; None: nothing.
      digest: whether elements become pairs (element, digest of the record).
      ids: whether elements become triples then, with the label ids of the record, whatever ``label_mode``
        is: int64 [n], in a batch filled up with -1.
      ranked: ids in use, in order, where labels are their ranks among them; empty: labels are ids.
      until: the last stage; a feed that ends early is only good for being timed.
      cores: that the stages which compute keep busy.
    """

    options: FeedOptions
    classes: int
    device: Device = CPU
    augment: Augment | None = None
    digest: bool = False
    ids: bool = False
    ranked: tuple[int, ...] = ()
    until: Stage = "device"
    cores: int = field(default_factory=available_cores)

    def with_options(self, **changes: Any) -> Recipe:
        """The recipe with some of its `FeedOptions` changed."""
        return replace(self, options=replace(self.options, **changes))
