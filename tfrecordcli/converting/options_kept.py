"""Options that the commands of a hint leave out: pasted without them, these would make another dataset."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import given_words
from tfrecordcli.option_definition import changed, changed_words, options_of
from tfrecordcli.options import ConvertOptions, ReadOptions
from tfrecordcli.shell import command_line

_COMMAND: Final = "tfrec convert "
# They say what the list is like, which a command may change; or go with a command that says so itself.
_OF_THE_LIST: Final = (
    *("columns", "encoding", "delimiter", "format", "box_format", "box_unit"),
    *("label_folder", "one_hot", "label_separator"),
)


@contextlib.contextmanager
def keeping_options(options: ConvertOptions) -> Iterator[None]:
    """Has hints with commands say which options that were given these leave out.

    Raises:
      InputError: as it came, but for the hint.
    """
    try:
        yield
    except InputError as error:
        left_out = _left_out(error.hint, options)
        if left_out:
            error.hint += f"; your other options, where they still fit: {command_line(left_out)}"
        raise


def _left_out(hint: str, options: ConvertOptions) -> list[str]:
    """The words of the options that no command of a hint has; none where it has no command."""
    if _COMMAND not in hint or "other options" in hint:
        return []
    names = [name for name in options_of(ReadOptions) if name not in _OF_THE_LIST]
    given = [given_words(options.read, [name]) for name in names]
    given += [
        changed_words(kind, [each.name]) for kind in (options.image, options.shard) for each in changed(kind)
    ]
    return [word for words in filter(None, given) if not _is_named(words[0], hint) for word in words]


def _is_named(flag: str, hint: str) -> bool:
    return re.search(rf"(?<![\w-]){flag}(?![\w-])", hint) is not None
