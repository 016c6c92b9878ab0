"""Lists in which later rows of an image correct earlier ones: what the newest says, by a column of times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import product
from math import inf
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


def may_be_times(name: str, fields: Sequence[str]) -> bool:
    """Whether all fields of a column that are not blank can be read as times."""
    return any(_span(read, fields) is not None for read, _ in _readers(name))


def _ways(name: str, times: Sequence[str]) -> Iterator[tuple[_Read, str]]:
    """How to read all fields of a column as times, and how pandas does."""
    return ((read, code) for read, code in _readers(name) if _span(read, times))


def _readers(name: str) -> Iterator[tuple[_Read, str]]:
    yield _iso, 'pd.to_datetime(s, format="ISO8601", utc=True)'
    for form in map("".join, product(_DAYS, _CLOCKS)):
        yield partial(_in_form, form), f"pd.to_datetime(s, format={literal(form)})"
    if _CALLED_TIME.search(name):
        yield _epoch, "pd.to_numeric(s)"


def _span(read: _Read, fields: Iterable[str]) -> float | None:
    """Seconds between the first and the last of times, blank ones left out; None: one cannot be read."""
    first, last = inf, -inf
    try:
        for time in map(read, filter(None, fields)):
            first, last = min(first, time), max(last, time)
    except ValueError:
        return None
    return max(last - first, 0.0)


def _newest(rows: Sequence[Sequence[str]], read: _Read) -> dict[str, str]:
    """What the newest rows of images say of which rows contradict each other; none where one says several.

    Args:
      rows: image, answer, and time, which may be blank.
    """
    newest: dict[str, tuple[float, str]] = {}
    several, undecided = set[str](), set[str]()
    for image, answer, time in rows:
        when = read(time) if time else 0.0
        newest_yet, said = newest.setdefault(image, (when, answer))
        if answer != said:
            several.add(image)
        if when > newest_yet:
            undecided.discard(image)
            newest[image] = when, answer
        elif when == newest_yet and answer != said:
            undecided.add(image)
    return {} if undecided else {image: newest[image][1] for image in several}


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
