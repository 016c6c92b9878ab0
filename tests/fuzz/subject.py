"""What runs tfrec: its commands within this process, and its gate."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from inline import InlineWorker, run_here

from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.runners import local

# Shards are checked by this process itself: starting others would take a second each time.
local._Worker = InlineWorker  # type: ignore[assignment,misc]


class Done(NamedTuple):
    """What a command left.

    Attributes:
      peak: bytes that the process ever had in memory.
    """

    code: int
    out: str
    err: str
    peak: int

    @property
    def json(self) -> dict[str, Any]:
        values = json.loads(self.out)
        assert isinstance(values, dict)
        return values


def command(*arguments: str) -> Done:
    """Runs `tfrec` in this process, from its arguments to its exit code."""
    code, out, err = run_here([*arguments, "--debug"], None, None, None)
    return Done(code, out, err, peak_memory())


def peak_memory() -> int:
    """Bytes of memory that this process had at its most; what getrusage tells begins with its parent's."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        peak = next((line for line in status if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(peak.split()[1]) << 10


class Gated(NamedTuple):
    """What the gate said: `data` is None when the image was refused, for `reason` then."""

    data: bytes | None
    size: tuple[int, int, int]
    reason: str
    notes: tuple[str, ...]
    peak: int


def gate(data: bytes, options: ImageOptions) -> Gated:
    """One image through the gate; other exceptions than `Rejected` go on."""
    try:
        found = check_image(data, options)
    except Rejected as reject:
        return Gated(None, (0, 0, 0), f"{reject.code}: {reject.reason}", (), peak_memory())
    size = found.height, found.width, found.channels
    return Gated(found.data, size, "", found.notes, peak_memory())
