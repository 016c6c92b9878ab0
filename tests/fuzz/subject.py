"""What runs tfrec: its commands within this process, and its gate."""

from __future__ import annotations

import io
import json
import resource
import sys
from queue import SimpleQueue
from typing import Any, NamedTuple

from tfrecordcli.cli import main as cli
from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.runners import local, worker


class InlineWorker:
    """Stands in for a worker process of the local runner, which would take a second to start each time."""

    def __init__(self, events: SimpleQueue[Any]) -> None:
        self._events = events
        self.task: Any = None
        self.rows = self.rejected = self.bytes = 0

    def ask(self, request: dict[str, Any]) -> None:
        answers = io.StringIO()
        worker._serve(json.loads(json.dumps(request)), answers)
        for line in answers.getvalue().splitlines():
            self._events.put((self, json.loads(line)))

    def end(self) -> None:
        pass


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
    before = sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in before]
    sys.stdout, sys.stderr = streams
    try:
        code = cli._run([*arguments, "--debug"], False)
    finally:
        sys.stdout, sys.stderr = before
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode(errors="replace"))  # type: ignore[attr-defined]
    return Done(code, texts[0], texts[1], peak_memory())


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


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
