"""Lists in which later rows of an image correct earlier ones: what the newest says, by a column of times."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Final

from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.sample import Sample

_CALLED_TIME: Final = re.compile(
    r"time|date|datum|zeit|stamp|epoch|created|changed|modified|(?:^|[ _-])(?:at|on|when)$|[a-z]At$",
    re.IGNORECASE,
)
_CALLED_CHANGE: Final = re.compile(r"update|modif|change|edit", re.IGNORECASE)
_ISO: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:.*)?")
# Seconds since 1970, or thousandths of them, of the years 2001 to 2033.
_EPOCH: Final = re.compile(r"1[0-9]{9}(?:[0-9]{3})?(?:\.[0-9]*)?")
_DAYS: Final = (
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y-%m-%d",
    "%Y.%m.%d",
)
_CLOCKS: Final = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S UTC")
_Read = Callable[[str], float]  # raises ValueError where it is no such time


def newest_first(sample: Sample, answer: str) -> tuple[str, str]:
    """The column that tells which row of each image is the newest, and Python that reads its fields ``s``.

    Empty where none does: where rows of an image have several answers, the newest has to have one.

    Args:
      answer: the column of what rows tell of their image.
    """
    shape = sample.shape
    used = (shape.image, shape.split, shape.header.index(answer))
    names = [name for i, name in enumerate(shape.header) if i not in used]
    for name in sorted(names, key=lambda name: not _CALLED_CHANGE.search(name)):
        rows = [row for row in sample.parts([shape.header[shape.image or 0], answer, name]) if row[1]]
        ways = list(_ways(name, [time for *_, time in rows if time]))
        told = [_newest(rows, read) for read, _ in ways]
        # Of 3/4/2024 and 4/4/2024 it does not matter which number is the day.
        if told and told[0] and all(each == told[0] for each in told):
            return name, ways[0][1]
    return "", ""


def _ways(name: str, times: Sequence[str]) -> Iterator[tuple[_Read, str]]:
    """How to read all fields of a column as times, and how pandas does."""
    forms = map("".join, product(_DAYS, _CLOCKS))
    ways: list[tuple[_Read, str]] = [
        (_iso, 'pd.to_datetime(s, format="ISO8601", utc=True)'),
        *((partial(_in_form, form), f"pd.to_datetime(s, format={literal(form)})") for form in forms),
    ]
    if _CALLED_TIME.search(name):
        ways.append((_epoch, "pd.to_numeric(s)"))
    for read, code in ways:
        with suppress(ValueError):
            if len(set(map(read, times))) > 1:
                yield read, code


def _newest(rows: Sequence[Sequence[str]], read: _Read) -> dict[str, str]:
    """What the newest rows of images say of which rows contradict each other; none where one says several.

    Args:
      rows: image, answer, and time, which may be blank.
    """
    met: defaultdict[str, defaultdict[float, set[str]]] = defaultdict(lambda: defaultdict(set))
    for image, answer, time in rows:
        met[image][read(time) if time else 0.0].add(answer)
    several = {image: by_time for image, by_time in met.items() if len(set().union(*by_time.values())) > 1}
    newest = {image: by_time[max(by_time)] for image, by_time in several.items()}
    return (
        {image: min(said) for image, said in newest.items()} if set(map(len, newest.values())) == {1} else {}
    )


def _iso(text: str) -> float:
    if not _ISO.fullmatch(text):
        raise ValueError(text)
    return _in_seconds(datetime.fromisoformat(text))


def _in_form(form: str, text: str) -> float:
    return _in_seconds(datetime.strptime(text, form))


def _in_seconds(time: datetime) -> float:
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _epoch(text: str) -> float:
    if not _EPOCH.fullmatch(text):
        raise ValueError(text)
    return float(text)
