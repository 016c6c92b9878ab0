"""What comes after a command that writes a list anew: said behind it, where a hint does not go on itself."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import given_words
from tfrecordcli.option_definition import options_of
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import known_columns, likely_columns
from tfrecordcli.sources.made_list import made_path, then_converted

# What goes on by itself; `and convert that` alone leaves out the options.
_GOES_ON: Final = re.compile("then: |convert that(?!; |$)|then give")
# The end of a command of `pandas_commands`, and whatever ends the sentence that it stands in.
_OF_PANDAS: Final = re.compile(
    r"""(to_csv\("([^"']+)", index=False, mode="x"\)')(?:, and convert that)?(?=; |$)"""
)
# Commands that leave lines out of a list.
_OF_LINES: Final = re.compile(
    r"(?:sed|grep -av) [^;]*? > ('[^']*'|[^\s;']+)(?<!-as-csv\.csv)(?<!-as-csv\.csv')(?=; |$)"
)
# Commands of `made_list` that copy all rows as they are; those that keep the bytes of fields.
_COPYING: Final = re.compile(
    r"(?:\(echo [^;]*; )?(?:(?:cat|tail -c \+4) [^|]*|.*writerows\((?:csv\.reader\(|r\)).*)"
)
_KEEPING_BYTES: Final = re.compile(r'\bcat |\btail -c [^|]*$|encoding="latin-1"')
# Options that hold for every list that is made of one; those about its labels and boxes.
_ALWAYS: Final = ("task", "image_root")
_OF_ROWS: Final = ("unlabelled", "empty_images", "splits", "split_seed", "stratify")
_OF_LABELS: Final = (
    "label_type", "labels_file", "new_labels", "label_separator", "multi_label", "label_names",
)  # fmt: skip
_OF_BOXES: Final = ("box_format", "box_unit")
_OF_COPIES: Final = (*_ALWAYS, *_OF_ROWS, *_OF_LABELS, "split_map", "map")
_OF_FURTHER: Final = ("features", "missing", "na")
_PURPOSES: Final = ("image_uri", "label", "split")


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
        hint = _OF_PANDAS.sub(lambda found: found[1] + _then(found, options), error.hint)
        every = command_line(given_words(options, options_of(ReadOptions)))
        hint = _OF_LINES.sub(lambda found: found[0] + _converting(found[1], every), hint)
        for as_lines in (False, True):
            hint = _behind_made(hint, name, options, as_lines=as_lines)
        raise InputError(error.message, hint, code=error.code) from error


def _behind_made(hint: str, name: str, options: ReadOptions, *, as_lines: bool) -> str:
    """A hint with what comes next behind commands of `made_list`."""
    made = re.escape(f" > {shlex.quote(as_path(made_path(name, as_lines=as_lines)))}")

    def with_next(found: re.Match[str]) -> str:
        command = found.string[: found.start()].rpartition(" of it: ")[2]
        kept = [*(_OF_COPIES if _COPYING.fullmatch(command) else _ALWAYS)]
        if kept != [*_ALWAYS] and not command.startswith("(echo "):  # its header is that of the list
            kept = [each for each in options_of(ReadOptions) if each not in ("encoding", "delimiter")]
        kept += ["encoding"] if _KEEPING_BYTES.search(command) else []
        return found[0] + then_converted(name, command_line(given_words(options, kept)), as_lines=as_lines)

    return re.sub(f"{made}(?=; |$)", with_next, hint)


def _then(found: re.Match[str], options: ReadOptions) -> str:
    command = found.string[found.string.rindex("python -c ", 0, found.end(1)) : found.end(1)]
    return _converting(command_line([as_path(found[2])]), options_behind(command, options))


def _converting(target: str, told: str) -> str:
    return f"; then: tfrec convert {target} OUTPUT_DIR{told and f' {told}'}"


def kept_options(options: ReadOptions) -> str:
    """Options that hold for every list that is made of one, for a shell; "" is none."""
    return command_line(given_words(options, _ALWAYS))


def options_behind(command: str, options: ReadOptions) -> str:
    """Options of a list that hold for what a command with pandas makes of it, for a shell; "" is none.

    These are all that are about columns which the command leaves as they are.
    """
    if "$'" in command:  # of a name that is no plain text: what it changes is not looked into
        return kept_options(options)
    changed, are_others_kept = _changed_columns(shlex.split(command)[2])
    purposes = {each for each in _PURPOSES if _purpose_of(changed, each, options)}
    are_known = all(any(_purpose_of({name}, each, options) for each in _PURPOSES) for name in changed)

    def are_there(*names: str) -> bool:
        return are_others_kept or changed.isdisjoint(names)

    features = [typed_column(each)[0] for each in options.features]
    columns = [
        (purpose, name)
        for purpose, name in options.columns
        if (name in changed or purpose not in purposes if are_others_kept else name not in changed)
    ]
    holds = {
        ("columns", *_ALWAYS, *_OF_ROWS): True,
        _OF_LABELS: "label" not in purposes,
        ("one_hot",): "label" not in purposes and are_there(*options.one_hot),
        ("split_map",): "split" not in purposes,
        ("map",): "image_uri" not in purposes,
        ("split_by",): are_there(options.split_by or ""),
        _OF_FURTHER: are_there(*features),
        _OF_BOXES: are_others_kept and are_known,
    }
    names = [name for group, is_kept in holds.items() if is_kept for name in group]
    return command_line(given_words(replace(options, columns=tuple(columns)), names))


def _changed_columns(code: str) -> tuple[set[str], bool]:
    """The columns that code with pandas changes or makes, and whether it leaves all others as they are.

    Where that is not certain, every text that the code has may be a column which it changes.
    """
    tree = ast.parse(code)
    nodes = [*ast.walk(tree)]
    stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)]
    tables = [node for node in stored if isinstance(node, ast.Name) and node.id == "t"]
    fields = [ast.unparse(node) for node in stored if isinstance(node, ast.Subscript)]
    if len(tables) == 1 and fields and ast.unparse(tree.body[-1]).startswith("t.to_csv("):
        found = [re.fullmatch(r"t\[(['\"].*['\"])\]", field) for field in fields]
        if all(found):
            return {ast.literal_eval(match[1]) for match in found if match}, True
    return {str(node.value) for node in nodes if isinstance(node, ast.Constant)}, False


def _purpose_of(columns: set[str], purpose: str, options: ReadOptions) -> bool:
    """Whether one of these columns serves a purpose, or may."""
    names = sorted(columns)
    given = any(pair in options.columns for pair in ((purpose, name) for name in names))
    return given or bool(known_columns(names, purpose) or likely_columns(names, purpose))
