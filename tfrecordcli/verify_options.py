"""The options of `verify`."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tfrecordcli.errors import UsageError
from tfrecordcli.problems import PROBLEMS
from tfrecordcli.units import nearest


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What is verified, and how.

    Attributes:
      split: only this one; None is all.
      shards: only those of these numbers in their split, (first, last) inclusive; None is all.
      feed: whether the feed is proved and timed after integrity.
      check: ``decode`` or ``structure``: of each image.
      max_pixels: images above it are not decoded, and are problems; None is what the dataset was made with,
        or `DEFAULT_MAX_PIXELS`.
      batch_size, image_size: of the feed; image_size in pixels, square.
      device: auto, cpu, gpu or gpu:N: where batches must arrive.
      step_time: milliseconds that an accelerator computes for each batch.
      feed_seconds: length of the timed sample.
      strict: whether warnings count as errors.
      ignore: codes that are left out.
      workers: busy processes; None is one for each available core.
      max_problems: problems that are kept; all are counted.
    """

    split: str | None = None
    shards: tuple[int, int] | None = None
    feed: bool = True
    check: Literal["decode", "structure"] = "decode"
    max_pixels: int | None = None
    batch_size: int = 64
    image_size: int = 224
    device: str = "auto"
    step_time: float = 0.0
    feed_seconds: float = 10.0
    strict: bool = False
    ignore: tuple[str, ...] = ()
    workers: int | None = None
    max_problems: int = 100


def make_verify_options(values: Mapping[str, Any]) -> VerifyOptions:
    """Options from flat names, as the command line and `tfrecordcli.verify` take them.

    Raises:
      UsageError: for an unknown name or a value that cannot be right.
    """
    known = {field.name for field in dataclasses.fields(VerifyOptions)}
    unknown = sorted(values.keys() - known)
    if unknown:
        there_are = f"there are {', '.join(sorted(known))}"
        raise UsageError(f"unknown option: {', '.join(unknown)}", nearest(unknown[0], known) or there_are)
    chosen = {name: value for name, value in values.items() if value is not None}
    if isinstance(chosen.get("shards"), str):
        chosen["shards"] = parse_shard_range(chosen["shards"])
    if isinstance(chosen.get("ignore"), str):
        chosen["ignore"] = (chosen["ignore"],)
    if chosen.get("check", "decode") not in ("decode", "structure"):
        raise UsageError(f"--check must be one of decode, structure, got {chosen['check']!r}")
    _check_ignored(chosen.get("ignore", ()))
    _check_values(chosen)
    return VerifyOptions(**chosen)


# name -> least value, and whether it must be whole.
_NUMBERS: Final = {
    "max_pixels": (1, True),
    "batch_size": (1, True),
    "image_size": (1, True),
    "workers": (1, True),
    "max_problems": (1, True),
    "step_time": (0, False),
    "feed_seconds": (0, False),
}
_DEVICE: Final = re.compile(r"auto|cpu|gpu(:\d+)?")


def _check_values(chosen: Mapping[str, Any]) -> None:
    for name, value in chosen.items():
        option = "--" + name.replace("_", "-")
        if name in _NUMBERS:
            least, is_whole = _NUMBERS[name]
            kinds = (int,) if is_whole else (int, float)
            is_number = isinstance(value, kinds) and not isinstance(value, bool)
            if not is_number or not least <= value < math.inf:
                kind = "a whole number" if is_whole else "a number"
                raise UsageError(f"{option} must be {kind} from {least}, got {value!r}")
        elif name in ("feed", "strict") and not isinstance(value, bool):
            raise UsageError(f"{option} must be True or False, got {value!r}")
        elif name == "split" and not isinstance(value, str):
            raise UsageError(f"{option} must be the name of a split, got {value!r}")
        elif name == "device" and not (isinstance(value, str) and _DEVICE.fullmatch(value)):
            raise UsageError(f"{option} must be auto, cpu, gpu or gpu:N, got {value!r}")
        elif name == "shards" and not (isinstance(value, tuple) and len(value) == 2):
            raise UsageError(f"{option} must be a range of shards such as '0-99', got {value!r}")


def parse_shard_range(text: str) -> tuple[int, int]:
    """`3` or `0-99` as (first, last).

    Raises:
      UsageError
    """
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if first > last:
        raise UsageError(f"--shards: {text!r} is no range of shards", "as in --shards 0-99")
    return first, last


def _check_ignored(codes: Iterable[str]) -> None:
    for code in codes:
        if code not in PROBLEMS:
            raise UsageError(f"--ignore {code}: there is no such code", f"codes are {', '.join(PROBLEMS)}")
