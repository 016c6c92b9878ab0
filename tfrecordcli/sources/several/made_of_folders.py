"""Folders among several that need a command, which makes a list in each of them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.given import GivenSource
from tfrecordcli.sources.made_list import MADE_OF_FOLDER
from tfrecordcli.sources.next_step import kept_options
from tfrecordcli.sources.several.made_of_all import error_of
from tfrecordcli.sources.several.named_splits import with_named_splits

# What stands for the folder, and for the list in it.
_NAME, _MADE = "\0", "\1"
_COMMAND: Final = re.compile(
    rf"(?s)make a list of its (.*?): (python -c .*) {_NAME} > {_MADE}\.part && .*; then: .* OUTPUT_DIR"
)


def made_of_folders(
    error: InputError,
    source: GivenSource,
    given: Sequence[GivenSource],
    options: ReadOptions,
    output_dir: str,
) -> InputError | None:
    """The refusal of a folder with a hint for all, where all are folders that are refused like it.

    Args:
      error: about the folder, with the command of `made_of_folder`.
      source: the folder.
      given: all sources.
      options, output_dir: with which all were to be read.

    Returns:
      None: the hint makes no such list, or not of each.
    """
    form = _form(error.hint, source)
    if form is None or any(not os.path.isdir(each.source) for each in given):
        return None
    others = [(each, error_of(each, options, output_dir)) for each in given if each != source]
    if any(other is None or _form(other.hint, each) != form for each, other in others):
        return None
    what, code = form
    folders = command_line([as_path(os.path.normpath(each.source)) for each in given])
    lists = [replace(each, source=os.path.join(each.source, MADE_OF_FOLDER)) for each in given]
    kept = kept_options(options)
    then = f"{command_line(['tfrec', 'convert', *with_named_splits(lists)])} OUTPUT_DIR{kept and f' {kept}'}"
    target = f'"$f"/{MADE_OF_FOLDER}'
    loop = f'for f in {folders}; do {code} "$f" > {target}.part && mv {target}.part {target}; done'
    return InputError(error.message, f"make a list of each, of its {what}: {loop}; then: {then}")


def _form(hint: str, source: GivenSource) -> tuple[str, str] | None:
    """What a hint makes a list of and its code, without the folder; None: it does not, or of another one."""
    if not isinstance(source.source, str):
        return None
    made = shlex.quote(as_path(os.path.join(source.source, MADE_OF_FOLDER)))
    form = hint.replace(made, _MADE).replace(f" {shlex.quote(as_path(source.source))} > ", f" {_NAME} > ")
    found = _COMMAND.fullmatch(form)
    return (found[1], found[2]) if found else None
