"""Values as NumPy 2 writes them in lists: `[np.int64(77), np.int64(17)]`, `np.float32(0.5)`.

Each is read as what stands in it, so that such a field is that of older NumPy's: `[77, 17]`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.pandas_commands import beside

_TYPE: Final = r"(?:np|numpy)\.(?:u?int[0-9]*|float[0-9]+|u?longlong|longdouble|str_|bool_?)"
_TEXT: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
# A type with its value; the two of truth are values themselves.
_VALUE: Final = re.compile(rf"""\b{_TYPE}\(({_TEXT}|[^\s()'",]+)\)|\b(?:np|numpy)\.(True|False)_\b""")
# At the begin of a field, or of a list.
_BEGIN: Final = re.compile(rf"""[\[({{,;\t"](?:{_TYPE}\(|(?:np|numpy)\.(?:True|False)_\b)""".encode())
_LOOKED_AT: Final = 1 << 16  # bytes of a list by which it is known
_SED: Final = (
    r"s/(np|numpy)\.((u?int[0-9]*|float[0-9]+|u?longlong|longdouble|str_|bool_?)\(('[^']*'|[^()]*)\)|"
    r"(True|False)_)/\4\5/g"
)
_AROUND: Final = frozenset(("[]", "()", "{}"))


def has_numpy_values(path: str) -> bool:
    """Whether the first rows of a file may have such values."""
    with open(path, "rb") as file:
        return _BEGIN.search(file.read(_LOOKED_AT)) is not None


def note_of_numpy(path: str) -> Iterator[str]:
    """What is told of a file of which they are read so."""
    if has_numpy_values(path):
        yield "values as np.int64(77) or np.str_('cat'), which NumPy writes, are read as what stands in them"


def without_types(fields: Sequence[str]) -> list[str]:
    """Fields of a row, those that are such values, or lists of them, as their values alone."""
    return [_plain(field) if "np." in field or "numpy." in field else field for field in fields]


def _plain(field: str) -> str:
    text = field.strip()
    if text[:1] + text[-1:] in _AROUND:
        return _VALUE.sub(lambda match: match[1] or match[2], text)
    whole = _VALUE.fullmatch(text)
    return (whole[1] or whole[2]).strip("'\"") if whole else field


@contextlib.contextmanager
def writing_plain_first(name: str) -> Iterator[None]:
    """In the place of a hint whose command would read a list itself, gives the one that leaves the types out.

    Args:
      name: of the list.

    Raises:
      InputError: as it came, but for the hint.
    """
    try:
        yield
    except InputError as error:
        has_command = any(sign in error.hint for sign in ("literal_eval", "json.loads"))
        if not has_command or not os.path.isfile(name) or not has_numpy_values(name):
            raise
        command = command_line(["sed", "-E", _SED, as_path(name)])
        target = command_line([beside(as_path(name), "plain")])
        raise InputError(
            error.message,
            f"write its values without NumPy's types first: {command} > {target}; "
            f"then: tfrec convert {target} OUTPUT_DIR",
        ) from error
