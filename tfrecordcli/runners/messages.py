"""What the local runner and its workers say to each other: JSON lines over pipes.

To a worker::

    {"do": "make", "task": {…}}                           make one shard
    {"do": "check", "task": {…}}                          verify one shard
    {"do": "look", "uris": […], "root": …, "image": {…}}  check images without writing

From a worker::

    {"event": "progress", "rows": n, "rejected": n, "bytes": n, "rejects": […]}   since the last one
    {"event": "made"}                                             the shard and its done record stand
    {"event": "checked", "report": {…}}
    {"event": "looked", "results": [null | [code, reason], …]}
    {"event": "killed"}                      a checking child was killed from outside
    {"event": "failed", "kind": …, "message": …, "hint": …, "code": …}    a `TfrecError`
    {"event": "bug", "traceback": …}
"""

from __future__ import annotations

import dataclasses
import json
from typing import IO, Any

from tfrecordcli import errors
from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.naming import ShardName
from tfrecordcli.options import ImageOptions


def send(stream: IO[str], message: dict[str, Any]) -> None:
    """Writes one message.

    Raises:
      BrokenPipeError: the other side is gone.
    """
    stream.write(json.dumps(message) + "\n")
    stream.flush()


def request_of(task: ShardTask | CheckTask) -> dict[str, Any]:
    """What a worker is asked to do about a task."""
    return {"do": "make" if isinstance(task, ShardTask) else "check", "task": dataclasses.asdict(task)}


def task_from_json(values: dict[str, Any]) -> ShardTask:
    return ShardTask(
        **{**values, "name": ShardName(**values["name"]), "image": ImageOptions(**values["image"])}
    )


def error_to_json(error: errors.TfrecError) -> dict[str, str]:
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
        "code": error.code,
    }


def error_from_json(values: dict[str, str]) -> errors.TfrecError:
    kind: type[errors.TfrecError] = getattr(errors, values["kind"])
    return kind(values["message"], values["hint"], code=values["code"])
