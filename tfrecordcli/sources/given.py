"""Sources as they are given: one, or several with the split that each is for, as `train=a.csv`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tfrecordcli.errors import UsageError
from tfrecordcli.shell import command_line
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.uris import is_remote


@dataclass(frozen=True, slots=True)
class GivenSource:
    """One source as it was given.

    Attributes:
      source: path or URL, `-` for standard input, or a pandas DataFrame.
      split: that all of its rows are for; "": its rows say so themselves, or are assigned.
    """

    source: Any
    split: str = ""


def given_sources(source: Any) -> tuple[GivenSource, ...]:
    """What a call was given, as a command or as Python has it.

    Args:
      source: a path, URL or DataFrame; several in a list; or by split in a mapping. Text may begin with the
        split that it is for: `train=a.csv`, but neither `date=2024/a.csv` nor `./train=a.csv`.

    Raises:
      UsageError: there is none, or which is meant is not certain.
    """
    if isinstance(source, Mapping):
        found = tuple(_by_split(source))
    elif isinstance(source, (list, tuple)):
        found = tuple(map(_one, source))
    else:
        return (_one(source),)
    if not found:
        raise UsageError("there is no source", "give a list or a folder of images")
    return found


def _one(source: Any) -> GivenSource:
    return _of_text(source) if isinstance(source, str) else GivenSource(source)


def _of_text(text: str) -> GivenSource:
    word, equals, rest = text.partition("=")
    split = split_of(word) if equals else ""
    if not split:
        return GivenSource(text)
    if not rest:
        raise UsageError(f"{text}: there is no source after {word}{equals}", f"as in {word}=list.csv")
    if not os.path.exists(text):
        return GivenSource(rest, split)
    if rest == "-" or is_remote(rest) or os.path.exists(rest):
        as_split = command_line([f"{word}={os.path.join('.', rest)}"])
        raise UsageError(
            f"{text}: this can be the file of that name, or {rest} for the split {split}",
            f"write {command_line([f'./{text}'])} for the file, {as_split} for the split",
        )
    return GivenSource(text)


def _by_split(sources: Mapping[Any, Any]) -> Iterator[GivenSource]:
    for word, some in sources.items():
        split = split_of(str(word))
        if not split:
            raise UsageError(f"{word!r} is no split", "give sources by train, validation or test")
        for source in _each(some):
            yield GivenSource(source, split)


def _each(some: Any) -> Iterable[Any]:
    return some if isinstance(some, (list, tuple)) else [some]
