"""Arrays of numbers under keys of JSON Lines, as a pose is: no label, and not one number to predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, columns_option
from tfrecordcli.sources.json.line_file import MOST_UNCLEAR, LineFile
from tfrecordcli.sources.json.line_stream import lines_of
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.units import join_names

_SHOWN: Final = 4
_CALLED_OTHERWISE: Final = (
    """python -c 'import json, sys; s = open(sys.argv[1], encoding="utf-8-sig").read().strip(); """
    """t = json.loads(s) if s[0] == "[" else map(json.loads, filter(str.strip, s.split("\\n"))); """
    """[print(json.dumps({{"numbers" if k == "%s" else k: v for k, v in r.items()}})) for r in t]' {name}"""
)


def need_one_number(path: str, encoding: str, begin: LineFile) -> None:
    """Refuses labels that are several numbers each, as a pose: one is predicted.

    Args:
      begin: the first lines, as they were met.

    Raises:
      InputError: with the options that store all numbers.
    """
    several = [each for each in begin.vectors if len(each) > 1]
    if 2 * len(several) <= len(begin.vectors):
        return
    key = next(roles.label for roles in begin.roles.values() if roles.label)
    others = columns_option(rest) if (rest := [each for each in begin.columns if each[0] != "label"]) else ""
    hint = f"without --task regression and label={key}, {storing(path, encoding, begin, others, key)}"
    if key.lower() in KNOWN_COLUMNS["label"]:  # it stays the label by its name
        made = made_by("", _CALLED_OTHERWISE % key, begin.name, as_lines=True)
        further = f"{others} --unlabelled keep --features numbers".lstrip()
        hint = f"{made}, and convert that without --task regression, with {further}"
    shown = f"[{', '.join(several[0][:_SHOWN])}{', …' * (len(several[0]) > _SHOWN)}]"
    raise InputError(f"{begin.name}: --task regression predicts one number, and {key} is {shown}", hint)


def storing(path: str, encoding: str, file: LineFile, options: str, key: str = "") -> str:
    """Options that store this key of arrays and others of numbers; empty where there is none."""
    values = (value for _, value in lines_of(path, file.name, encoding) if isinstance(value, dict))
    vectors = _keys_of_vectors([*islice(values, MOST_UNCLEAR)])
    keys = list(dict.fromkeys([*filter(None, [key]), *vectors]))
    further = f"--unlabelled keep {command_line(['--features', join_names(keys)])}"
    return f"{options} {further} stores the numbers in {', '.join(keys)}".lstrip() if keys else ""


def _keys_of_vectors(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys that hold arrays of as many numbers in all of these lines, not all of them whole."""
    keys = lines[0] if lines else ()
    return [key for key in keys if key and _are_vectors([line.get(key) for line in lines])]


def _are_vectors(values: Sequence[Any]) -> bool:
    if not all(isinstance(each, list) for each in values) or len({*map(len, values)}) > 1:
        return False
    types = {type(number) for each in values for number in each}
    return len(values[0]) > 1 and float in types <= {int, float}
