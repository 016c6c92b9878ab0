"""Lists among several that need a command, which makes a list that is read: for one, or for all alike."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import of_split
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.given import GivenSource
from tfrecordcli.sources.made_list import made_path
from tfrecordcli.sources.next_step import kept_options
from tfrecordcli.sources.opened_source import open_source
from tfrecordcli.sources.source import FolderOfLists

# What stands for the list, and for what is made of it.
_NAME, _MADE = "\0", "\1"
_CODE: Final = r" of it: ((?:(?! of it: ).)*) > "
_EXAMPLES: Final = re.compile(r" \([^()]*\)")
_WITH: Final = ", and convert that with --"


def made_of_all(
    error: InputError,
    source: GivenSource,
    given: Sequence[GivenSource],
    options: ReadOptions,
    output_dir: str,
) -> InputError | None:
    """The refusal of a list with a hint for all, or for it alone where others are not refused like it.

    Args:
      error: about the list, with the command that makes another one of it.
      source: the list.
      given: all sources.
      options, output_dir: with which all were to be read.

    Returns:
      None: the hint makes no list.
    """
    end, form = _form(error.hint, source)
    if not end or not all(isinstance(each.source, str) for each in given):
        return None
    others = {
        each: error_of(each, options, output_dir) for each in given if _is_file(each) and each != source
    }
    refused = [each for each in given if each == source or others.get(each)]
    forms = [_form(other.hint, each) for each, other in others.items() if other]
    if any((other_end, _alike(other)) != (end, _alike(form)) for other_end, other in forms):
        refused = [source]
    made = {each: made_path(each.source, as_lines=end.endswith("l")) for each in refused}
    sources = [(each.split, made.get(each, each.source)) for each in given]
    words = [f"{split}={name}" if split else as_path(name) for split, name in sources]
    kept = kept_options(options)
    then = f"then: {command_line(['tfrec', 'convert', *words])} OUTPUT_DIR{kept and f' {kept}'}"

    def making(found: re.Match[str]) -> str:
        code = _of_one(found[1], made) if refused == [source] else _of_each(found[1], refused, end)
        return f"{code}; {then}"

    hint = re.sub(rf"{_CODE}{_MADE}(?:; then: tfrec convert {_MADE} OUTPUT_DIR)?", making, form)
    if options.image_root is not None:  # a hint may have found the same folder
        hint = re.sub(rf"{re.escape(then)} --image-root (?:'[^']*'|\S+)", lambda _: then, hint)
    return InputError(error.message, hint.replace(f"{then}{_WITH}", f"{then} --"))


def _of_one(code: str, made: Mapping[GivenSource, str]) -> str:
    ((source, target),) = made.items()
    name, to = (shlex.quote(as_path(each)) for each in (source.source, target))
    return f" of it: {code.replace(_NAME, name)} > {to}"


def _of_each(code: str, refused: Sequence[GivenSource], end: str) -> str:
    names, of_each = command_line([as_path(each.source) for each in refused]), code.replace(_NAME, '"$f"')
    return f' of each: for f in {names}; do {of_each} > "${{f%.*}}{end}"; done'


def read_with(given: GivenSource, options: ReadOptions, *, is_part: bool) -> ReadOptions:
    """How one source is read."""
    chosen = replace(of_split(options, given.split), is_part=is_part)
    return replace(chosen, splits=((given.split, 1.0),)) if given.split else chosen  # of rows that say none


def error_of(given: GivenSource, options: ReadOptions, output_dir: str) -> InputError | None:
    """Why one of several sources is not read; None: it is."""
    chosen = read_with(given, options, is_part=True)
    try:
        with open_source(given.source, chosen, output_dir):
            return None
    except (InputError, FolderOfLists) as error:
        return error if isinstance(error, InputError) else None


def _is_file(source: GivenSource) -> bool:
    return isinstance(source.source, str) and os.path.isfile(source.source)


def _form(hint: str, source: GivenSource) -> tuple[str, str]:
    """The end of the name of what a hint makes of a list, and the hint with marks for both.

    Empty where it makes none, or names the list where a shell would put nothing in its place.
    """
    if not _is_file(source) or not os.path.splitext(source.source)[1]:
        return "", ""
    name = as_path(source.source)
    for as_lines in (False, True):
        made = as_path(made_path(source.source, as_lines=as_lines))
        form = re.sub(rf"{re.escape(shlex.quote(made))}(?![\w.-])", _MADE, hint)
        form = re.sub(rf"(?<![\w./-]){re.escape(shlex.quote(name))}(?![\w.-])", _NAME, form)
        codes = re.findall(_CODE + _MADE, form)
        if codes and form.count(_NAME) == sum(map(_count_words, codes)):
            return made.removeprefix(os.path.splitext(name)[0]), form
    return "", ""


def _alike(form: str) -> str:
    """A hint without the examples of a list, which stand in parentheses before its command."""
    told, _, code = form.partition(" of it: ")
    return f"{_EXAMPLES.sub('', told)} of it: {code}"


def _count_words(code: str) -> int:
    """How often a list is named in a command by a word of its own, and not within quotes."""
    try:
        return sum(word.strip("()<;") == _NAME for word in shlex.split(code))
    except ValueError:
        return 0
