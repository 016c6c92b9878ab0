"""What every command prints: errors, warnings, JSON; nothing unprintable ever reaches a terminal."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
import traceback
import unicodedata
from typing import Any, Final

import click

from tfrecordcli.errors import TfrecError

_WARNING: Final = "warning: "
# Longest piece of foreign text (a path, a label) that is shown whole.
_LONGEST = 200
# Columns below which nothing is made to fit.
_NARROWEST = 40
# A path that was taken for a local one has lost a slash.
_CREDENTIALS = re.compile(r"(https?://?)[^/\s]*@", re.IGNORECASE)
# Up to what ends a URL that a sentence quotes: `https://h/a?sig=x: there is none`.
_QUERY = re.compile(r"(https?:/[^\s?]*)\?\S*?(?=[:,;.)]?(?:\s|$))", re.IGNORECASE)


def printable(text: str, longest: int = _LONGEST) -> str:
    """Text without control characters or terminal escapes, cut when it is very long."""
    if len(text) > longest:
        text = f"{text[: longest - 20]}… ({len(text):,} characters)"
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) else c.encode("unicode_escape").decode() for c in text)


def terminal_width() -> int:
    """Columns of the terminal (of the variable COLUMNS, if that is set); 80 where there is none."""
    return max(_NARROWEST, shutil.get_terminal_size((80, 24)).columns)


def wrapped(text: str, indent: int = 2, *, keep_words: bool = False) -> str:
    """A sentence of a report in lines that fit the terminal; all but the first are indented by two more.

    With ``keep_words`` a longer word, such as a path, stays whole.
    """
    return textwrap.fill(
        text,
        terminal_width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
        break_long_words=not keep_words,
    )


def without_credentials(text: str) -> str:
    """Text whose URLs have `***` for user and password, and no query, as in an argument that is quoted."""
    return _QUERY.sub(r"\1", _CREDENTIALS.sub(r"\1***@", text))


def _is_shown(character: str) -> bool:
    """Printable, or a space of another script, which Python does not count as printable."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def print_error(error: TfrecError) -> None:
    """One line on stderr, and one that says what to do."""
    message, hint = map(without_credentials, (error.message, error.hint))
    click.echo(click.style("tfrec: ", fg="red", bold=True) + printable(message, 2000), err=True)
    if hint:
        click.echo(f"       {printable(hint, 2000)}", err=True)


def print_said(text: str) -> None:
    """A warning or note on stderr; the word before a warning has its colour.

    It is wrapped on a terminal only: in a log, one line is what people search for.
    """
    shown = printable(text, 1000)
    if sys.stderr.isatty():
        shown = wrapped(shown, 0, keep_words=True)
    is_warning = shown.startswith(_WARNING)
    head = click.style(_WARNING, fg="yellow") if is_warning else ""
    click.echo(head + (shown.removeprefix(_WARNING) if is_warning else shown), err=True)


def print_traceback(error: BaseException) -> None:
    """The whole traceback on stderr."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        click.echo(printable(line, 10_000), err=True)


def print_json(values: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    click.echo(json.dumps(values))  # ASCII: every stream takes it


def print_json_failure(command: str, error: TfrecError, exit_code: int) -> None:
    """The JSON object of a command that could not run."""
    print_json(
        {
            "schema_version": 1,
            "command": command,
            "status": "failed",
            "exit_code": exit_code,
            "error": {
                "code": error.code,
                "message": without_credentials(error.message),
                "hint": without_credentials(error.hint),
            },
            "warnings": [],
        }
    )
