"""What the local runner and its workers say to each other: a line of JSON for each, over pipes.

To a worker: `Make`, `Check` or `Look`. From it: `Progress` now and then, at last one of the others.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, Final, get_args

from tfrecordcli import errors
from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.dataset.shard_info import RejectedImage
from tfrecordcli.formats.typed_json import of_type, to_json
from tfrecordcli.integrity.reports import CheckTask, ShardReport
from tfrecordcli.options import ImageOptions


@dataclass(frozen=True, slots=True)
class Make:
    """Make one shard."""

    task: ShardTask


@dataclass(frozen=True, slots=True)
class Check:
    """Verify one shard."""

    task: CheckTask


@dataclass(frozen=True, slots=True)
class Look:
    """Check images without writing."""

    uris: tuple[str, ...]
    root: str
    image: ImageOptions


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows, rejected rows and bytes read since the last one; the first of those that were rejected."""

    rows: int
    rejected: int
    bytes: int
    rejects: tuple[RejectedImage, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """The shard and its done record exist."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The shard was verified."""

    report: ShardReport


@dataclass(frozen=True, slots=True)
class Looked:
    """For each image None, or (code, reason) of its rejection."""

    results: tuple[tuple[str, str] | None, ...]


@dataclass(frozen=True, slots=True)
class Killed:
    """A child that checked an image was killed from outside."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A `TfrecError`, as it travels."""

    kind: str
    message: str
    hint: str
    code: str

    def error(self) -> errors.TfrecError:
        """The error itself.

        Raises:
          ValueError: there is none of this kind.
        """
        kind = getattr(errors, self.kind, None)
        if not (isinstance(kind, type) and issubclass(kind, errors.TfrecError)):
            raise ValueError(f"there is no error {self.kind!r}")
        return kind(self.message, self.hint, code=self.code)


@dataclass(frozen=True, slots=True)
class Bug:
    """Any other exception."""

    traceback: str


Request = Make | Check | Look
Message = Request | Progress | Made | Checked | Looked | Killed | Failed | Bug

_KINDS: Final = {kind.__name__: kind for kind in get_args(Message)}


def send(stream: IO[str], message: Message) -> None:
    """Writes one message.

    Raises:
      BrokenPipeError: the other side is gone.
    """
    stream.write(to_json({type(message).__name__: message}) + "\n")
    stream.flush()


def received(line: str) -> Message:
    """The message of a line."""
    ((name, values),) = json.loads(line).items()
    message: Message = of_type(_KINDS[name], values)
    return message


def failed(error: errors.TfrecError) -> Failed:
    """The message of an error."""
    return Failed(type(error).__name__, error.message, error.hint, error.code)
