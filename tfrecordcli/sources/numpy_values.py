"""Values as NumPy 2 writes them in lists: `[np.int64(77), np.int64(17)]`, `np.float32(0.5)`.

Each is read as what stands in it, so that such a field is that of older NumPy's: `[77, 17]`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_shape import DELIMITERS
from tfrecordcli.sources.pandas_commands import beside
from tfrecordcli.sources.text_encoding import OtherMark, open_text

_TYPE: Final = r"(?:np|numpy)\.(?:u?int[0-9]*|float[0-9]+|u?longlong|longdouble|str_|bool_?)"
_TEXT: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NUMBER: Final = r"""[^\s()'",]+"""
_TRUTH: Final = r"(?:np|numpy)\.(?:True|False)_"  # values themselves
_VALUE: Final = re.compile(rf"\b{_TYPE}\(({_TEXT}|{_NUMBER})\)|\b(?:np|numpy)\.(True|False)_\b")
# What else lists of such values have, as Python or JSON writes it.
_OTHER: Final = rf"{_TEXT}|(?:-?[0-9.]+(?:e[+-]?[0-9]+)?|-?inf|nan|None|True|False|null|true|false)(?![\w.])"
_LIST: Final = re.compile(rf"(?:[\[\](){{}},:\s]|{_TYPE}\((?:{_TEXT}|{_NUMBER})\)|{_TRUTH}|{_OTHER})*")
_LOOKED_AT: Final = 1 << 16  # characters of a list by which it is known
_SED: Final = (
    r"s/(np|numpy)\.((u?int[0-9]*|float[0-9]+|u?longlong|longdouble|str_|bool_?)\(('[^']*'|[^()]*)\)|"
    r"(True|False)_)/\4\5/g"
)
_SIGNS: Final = ("np.", "numpy.")
_AROUND: Final = frozenset(("[]", "()", "{}"))


def has_numpy_values(path: str, encoding: str, delimiters: str) -> bool:
    """Whether the first fields of a file are such values, some of them.

    Args:
      encoding: of the file.
      delimiters: one of which parts the fields.
    """
    with suppress(csv.Error, UnicodeError, OtherMark):  # told where rows are read
        with open_text(path, encoding) as file:
            text = file.read(_LOOKED_AT)
        return any(sign in text for sign in _SIGNS) and any(
            without_types(fields) != fields
            for delimiter in delimiters
            for fields in csv.reader(
                io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True
            )
        )
    return False


def note_of_numpy(path: str, encoding: str, delimiter: str) -> Iterator[str]:
    """What is told of a file of which they are read so."""
    if has_numpy_values(path, encoding, delimiter):
        yield "values as np.int64(77) or np.str_('cat'), which NumPy writes, are read as what stands in them"


def without_types(fields: Sequence[str]) -> list[str]:
    """Fields of a row, those that are such values, or lists of them, as their values alone."""
    return [_plain(field) if any(sign in field for sign in _SIGNS) else field for field in fields]


def _plain(field: str) -> str:
    text = field.strip()
    if text[:1] + text[-1:] in _AROUND and _LIST.fullmatch(text):
        return _VALUE.sub(lambda match: match[1] or match[2], text)
    whole = _VALUE.fullmatch(text)
    return (whole[1] or whole[2]).strip("'\"") if whole else field


@contextlib.contextmanager
def writing_plain_first(name: str, encoding: str) -> Iterator[None]:
    """In the place of a hint whose command would read a list itself, gives the one that leaves the types out.

    Args:
      name: of the list.
      encoding: its own.

    Raises:
      InputError: as it came, but for the hint.
    """
    try:
        yield
    except InputError as error:
        has_command = any(sign in error.hint for sign in ("literal_eval", "json.loads"))
        if not has_command or not os.path.isfile(name) or not has_numpy_values(name, encoding, DELIMITERS):
            raise
        command = command_line(["sed", "-E", _SED, as_path(name)])
        target = command_line([beside(as_path(name), "plain")])
        raise InputError(
            error.message,
            f"write its values without NumPy's types first: {command} > {target}; "
            f"then: tfrec convert {target} OUTPUT_DIR",
        ) from error
