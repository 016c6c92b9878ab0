"""JSON of any length, element by element: a document of which only one element is in memory at a time.

`json.JSONDecoder.raw_decode` parses values out of blocks of text: nothing but the standard library is needed,
and parsers of events are slower. What json.loads lets pass and no JSON has is distinguished here. A key that
occurs twice in one object is refused. NaN, Infinity and numbers beyond a float (1e999) come as floats that
are not finite, so that whoever needs a number refuses that one value and not the whole file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, TextIO

from tfrecordcli.errors import InputError
from tfrecordcli.formats.typed_json import shown
from tfrecordcli.sources.text_encoding import OtherMark, not_text, open_text

# (key, index, value): see `stream`.
Part = tuple[str | None, int | None, Any]

# Characters of one element: a broken file is not searched to its end for a quote that closes.
MAX_ELEMENT: Final = 1 << 24
_BLOCK: Final = 1 << 20
# An error so near the end of the text may be one of text that goes on: \ud83d\ude00 and -Infinity can be cut.
_LONGEST_CUT: Final = 16
_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_SCALAR: Final = re.compile(r"[^\s,\]}:]*")
_ENDS_WITHIN: Final = "the file ends within it; is the copy or the download complete?"


class NotJson(ValueError):
    """Text that is no JSON: what is wrong, and at which character of it."""

    def __init__(self, what: str, position: int = 0, *, may_go_on: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.position = position
        self.may_go_on = may_go_on


class _TwiceInOne(ValueError):
    """A key that occurs twice in one object, of which json.loads takes the last."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceInOne(next(key for key in keys if keys.count(key) > 1))
    return found


_decode = json.JSONDecoder(object_pairs_hook=_object).raw_decode


def parse(text: str) -> Any:
    """The one value that a text holds.

    Raises:
      NotJson: it holds none, or more than that.
    """
    start = _end_of_blanks(text, 0)
    value, end = _value_at(text, start)
    end = _end_of_blanks(text, end)
    if end < len(text):
        raise NotJson(f"{shown(text[end : end + 20])} follows what should be its end", end)
    return value


def _end_of_blanks(text: str, start: int) -> int:
    match = _BLANKS.match(text, start)
    assert match is not None  # no blank at all is one, too
    return match.end()


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins here, and where it ends."""
    try:
        return _decode(text, start)
    except json.JSONDecodeError as error:
        position = len(text) if error.msg.startswith("Unterminated string") else error.pos
        raise NotJson(_what(error, text), position, may_go_on=position >= len(text) - _LONGEST_CUT) from None
    except _TwiceInOne as error:
        raise NotJson(f"the key {shown(json.dumps(str(error)))} occurs twice in one object", start) from None
    except RecursionError:
        raise NotJson("it is nested too deep", start) from None
    except ValueError:  # what Python says of more than 4,300 digits
        raise NotJson("a number has too many digits", start) from None


def _what(error: json.JSONDecodeError, text: str) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "it ends too early"
    found = shown(text[error.pos : error.pos + 1])
    if found == "'":
        return "' stands where \" should (written by Python's print? json.dump writes JSON)"
    return f"{error.msg[:1].lower()}{error.msg[1:]}, found {found}"


def stream(path: str, name: str, encoding: str = "utf-8", block: int = _BLOCK) -> Iterator[Part]:
    """The parts of a document, in its order.

    Of an array at the top: ``(None, 0, element)``, ``(None, 1, element)``, … Of an object at the top, for
    each key: ``(key, None, value)``, or, of an array, ``(key, None, [])`` and then ``(key, 0, element)``, …
    Of anything else: ``(None, None, value)``.

    Args:
      path: of the file.
      name: as messages call it.
      encoding: of its text; a byte order mark is skipped.
      block: characters that are read at once.

    Raises:
      InputError: it cannot be read, is no JSON (named by element, line and column), or has an element of more
        than `MAX_ELEMENT` characters.
    """
    with open_json(path, name, encoding) as file:
        try:
            yield from _Reader(file, name, block).parts()
        except UnicodeError:
            raise not_text(path, name, encoding) from None


def open_json(path: str, name: str, encoding: str) -> TextIO:
    """The file as text.

    Raises:
      InputError: it cannot be read, or begins with the mark of another encoding.
    """
    try:
        return open_text(path, encoding)
    except OtherMark as error:
        what = f"the file begins with the mark of {error.encoding}, not of {encoding}"
        raise InputError(f"{name}: {what}", f"use --encoding {error.encoding}") from None
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read", "check the path") from error


class _Reader:
    """Text of which a window is kept: what was parsed is dropped, what comes next is read as it is needed."""

    def __init__(self, file: TextIO, name: str, block: int) -> None:
        self._file = file
        self._name = name
        self._block = block
        self._text = ""
        self._at = 0
        self._line = 1  # of the first character of the window
        self._column = 1
        self._key: str | None = None
        self._index: int | None = None

    def parts(self) -> Iterator[Part]:
        first = self._peek()
        if not first:
            raise InputError(f"{self._name}: there is nothing in it", "is it the right file?")
        if first == "[":
            yield from self._elements()
        elif first == "{":
            yield from self._members()
        else:
            yield None, None, self._value()
        if self._peek():
            raise self._broken("something follows the end of the document", self._at)

    def _members(self) -> Iterator[Part]:
        self._at += 1
        seen: set[str] = set()
        while self._peek() != "}" or seen:
            self._key = self._index = None
            key = self._value() if self._peek() == '"' else None
            if not isinstance(key, str) or self._peek() != ":":
                raise self._broken("a key in double quotes and a colon are needed", self._at)
            if key in seen:
                raise self._broken(f"the key {shown(json.dumps(key))} occurs twice in one object", self._at)
            seen.add(key)
            self._at += 1
            self._key = key
            if self._peek() == "[":
                yield key, None, []
                yield from self._elements()
            else:
                yield key, None, self._value()
            self._key = self._index = None
            if not self._goes_on("}"):
                return
        self._at += 1

    def _elements(self) -> Iterator[Part]:
        self._at += 1
        key, index = self._key, 0
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            self._index = index
            yield key, index, self._value()
            index += 1
            if not self._goes_on("]"):
                return

    def _goes_on(self, end: str) -> bool:
        """Passes over a comma, or over the end of an array or an object."""
        found = self._peek()
        if found != "," and found != end:
            raise self._broken(f"a comma or {end} is needed behind it", self._at)
        self._at += 1
        return found == ","

    def _value(self) -> Any:
        is_scalar = self._peek() not in '{["'
        while True:
            try:
                value, end = _value_at(self._text, self._at)
            except NotJson as error:
                if error.may_go_on and len(self._text) - self._at > MAX_ELEMENT:
                    what = f"it is longer than {MAX_ELEMENT:,} characters; is a quote or a bracket missing?"
                    raise self._broken(what, self._at) from None
                if not error.may_go_on or not self._fill():
                    raise self._broken(error.what, error.position) from None
                continue
            if is_scalar:  # a number that ends with the block may go on in the next
                match = _SCALAR.match(self._text, self._at)
                assert match is not None
                if match.end() == len(self._text) and self._fill():
                    continue
                if match.end() != end:
                    raise self._broken("this is no value of JSON", self._at)
            self._at = end
            return value

    def _peek(self) -> str:
        """The next character that is no blank; empty at the end of the file."""
        while True:
            self._at = _end_of_blanks(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _fill(self) -> bool:
        """Reads on; the window doubles while its first element is longer: parsing that again costs little."""
        more = self._file.read(max(self._block, len(self._text) - self._at))
        if more:
            self._line, self._column = self._place(self._at)
            self._text = self._text[self._at :] + more
            self._at = 0
        return bool(more)

    def _place(self, position: int) -> tuple[int, int]:
        """(line, column) of a character of the window, from 1."""
        lines = self._text.count("\n", 0, position)
        if not lines:
            return self._line, self._column + position
        return self._line + lines, position - self._text.rfind("\n", 0, position)

    def _broken(self, what: str, position: int) -> InputError:
        if position >= len(self._text.rstrip()) and not self._file.read(1):
            what = _ENDS_WITHIN
        line, column = self._place(position)
        element = "" if self._index is None else f"[{self._index}]"
        within = f"{self._key or ''}{element}: " if self._key is not None or element else ""
        return InputError(
            f"{self._name}: line {line}, column {column}: {within}{what}",
            "mend it, or export it again; this is no JSON",
        )
