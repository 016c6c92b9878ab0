"""Text in the encoding that was named: byte order marks, and the place of bytes that are of another one."""

from __future__ import annotations

import codecs
import io
import os
from typing import Final, TextIO

from tfrecordcli.errors import InputError
from tfrecordcli.sources.likely_encodings import likely_encodings

# Longer ones first: the mark of UTF-32 begins as that of UTF-16 does.
_MARKS: Final = (
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-8", codecs.BOM_UTF8),
)

_BINARY: Final = "binary"
_LOOKED_AT: Final = 4096  # bytes


class OtherMark(Exception):
    """A file begins with the byte order mark of another encoding than it is read in."""

    def __init__(self, encoding: str) -> None:
        super().__init__(encoding)
        self.encoding = encoding


def open_text(path: str, encoding: str) -> TextIO:
    """A text file after its byte order mark, which is not part of the text; line ends as they are.

    The mark of UTF-8 is left out in any encoding: editors put it before whatever follows.

    Raises:
      OtherMark: the text is UTF-16 or UTF-32, and ``encoding`` cannot read that.
      OSError: the file cannot be read.
    """
    name, (marked, mark) = codecs.lookup(encoding).name, _mark_of(path)
    family = marked[:6]
    is_left_out = marked in (name, "utf-8")
    if marked and not is_left_out and (not is_utf(name) or (name.startswith(family) and name != family)):
        raise OtherMark(family)
    file = io.FileIO(path)
    file.seek(len(mark) if is_left_out else 0)
    return io.TextIOWrapper(io.BufferedReader(file), encoding=encoding, newline="")


def is_utf(encoding: str) -> bool:
    """Whether it is one of the encodings of Unicode."""
    return codecs.lookup(encoding).name.startswith("utf")


def is_utf_8(encoding: str) -> bool:
    """Whether commands read what is in it without being told."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")


def then_without_encoding(encoding: str) -> str:
    """How a hint with a command that writes UTF-8 goes on for a list of this encoding."""
    return "" if is_utf_8(encoding) else ", and convert that without --encoding"


def encoding_by_mark(path: str) -> str:
    """utf-8, utf-16 or utf-32 when the file begins with its byte order mark; else empty."""
    return _mark_of(path)[0][:6]


def _encoding_by_zeros(path: str) -> str:
    """utf-16-le or utf-16-be when every other byte is zero, `_BINARY` for other zero bytes; else empty."""
    with open(path, "rb") as raw:
        head = raw.read(_LOOKED_AT)
    zeros, half = head.count(0), len(head) // 2
    for name, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        if zeros > half // 2 and head[first::2].count(0) == zeros:
            return name
    return _BINARY if zeros else ""


def _mark_of(path: str) -> tuple[str, bytes]:
    """(encoding, mark) that a file begins with."""
    with open(path, "rb") as raw:
        head = raw.read(4)
    return next(((name, mark) for name, mark in _MARKS if head.startswith(mark)), ("", b""))


def not_text(path: str, name: str, encoding: str) -> InputError:
    """What to say of a file with bytes that this encoding does not know: their place, and another one."""
    where = _find_bad_byte(path, encoding)
    guess = encoding_by_mark(path) or _encoding_by_zeros(path)
    if guess == _BINARY:
        return InputError(f"{name}: this is a binary file, not a list", "is it the right file?")
    guesses = _by_letters(path, encoding) if guess in ("", encoding.lower()) else [f"--encoding {guess}"]
    return InputError(
        f"{name}: {where} is not {encoding}",
        f"save the file as UTF-8 or name its encoding, as in {', or '.join(guesses)}",
    )


def _by_letters(path: str, encoding: str) -> list[str]:
    """Options for encodings, with what the file begins with in each where there are several."""
    others = [
        each for each in likely_encodings(path) if codecs.lookup(each[0]).name != codecs.lookup(encoding).name
    ]
    names = [codec for codec, _ in others]
    if names in ([], ["cp1252"]):
        return ["--encoding cp1252"]
    return [f"--encoding {codec}{f' ({shown})' if shown else ''}" for codec, shown in others]


def _find_bad_byte(path: str, encoding: str) -> str:
    """`line 7, byte 1234` of the first byte that the encoding does not know."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    line, step = 1, 1 << 16
    with open(path, "rb") as raw:
        while True:
            state = decoder.getstate()
            data = raw.read(step)
            try:
                line += decoder.decode(data, final=not data).count("\n")
            except UnicodeError as error:
                if step == 1:
                    # An error counts from what the decoder held back of the bytes before.
                    back = len(error.object) - error.start if isinstance(error, UnicodeDecodeError) else 0
                    return f"line {line}, byte {raw.tell() - back}"
                step = 1
                decoder.setstate(state)
                raw.seek(-len(data), os.SEEK_CUR)
            else:
                if not data:
                    return "the text"
