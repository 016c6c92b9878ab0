"""What comes after a command that writes a list anew: said behind it, where a hint does not go on itself."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import given_words
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.made_list import made_path, then_converted
from tfrecordcli.sources.pandas_commands import literal

# What goes on by itself; `and convert that` alone leaves out the options.
_GOES_ON: Final = re.compile("then: |convert that(?!; |$)|then give")
# The end of a command of `pandas_commands`, and whatever ends the sentence that it stands in.
_OF_PANDAS: Final = re.compile(
    r"""(to_csv\("([^"']+)", index=False, mode="x"\)')(?:, and convert that)?(?=; |$)"""
)


@contextlib.contextmanager
def saying_what_is_next(name: str, options: ReadOptions) -> Iterator[None]:
    """Has hints say how the list is converted that their commands make of this one.

    Args:
      name: of the list.
      options: that it was given; of those that name columns, what the commands do not name holds further on.

    Raises:
      InputError: as it came, but for the hint.
    """
    try:
        yield
    except InputError as error:
        if not os.path.isfile(name) or options.is_part or _GOES_ON.search(error.hint):
            raise
        hint = _OF_PANDAS.sub(lambda found: found[1] + _then(found[2], options, found.string), error.hint)
        for as_lines in (False, True):
            hint = _behind_made(hint, name, options, as_lines=as_lines)
        raise InputError(error.message, hint, code=error.code) from error


def _behind_made(hint: str, name: str, options: ReadOptions, *, as_lines: bool) -> str:
    """A hint with what comes next behind commands of `made_list`."""
    made = re.escape(f" > {shlex.quote(as_path(made_path(name, as_lines=as_lines)))}")
    then = then_converted(name, kept_options(options), as_lines=as_lines)
    return re.sub(f"{made}(?=; |$)", lambda found: found[0] + then, hint)


def _then(target: str, options: ReadOptions, hint: str) -> str:
    columns = [pair for pair in options.columns if literal(pair[1]) not in hint]
    told = " ".join(filter(None, [columns_option(columns) if columns else "", kept_options(options)]))
    return f"; then: tfrec convert {command_line([as_path(target)])} OUTPUT_DIR{told and f' {told}'}"


def kept_options(options: ReadOptions) -> str:
    """Options that hold for every list that is made of one, for a shell; "" is none."""
    return command_line(given_words(options, ("task", "image_root")))
