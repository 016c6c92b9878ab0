"""What every command prints: errors, warnings, JSON; nothing unprintable ever reaches a terminal."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
import traceback
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from tfrecordcli.errors import TfrecError
from tfrecordcli.reasons import RECORD_REASONS
from tfrecordcli.units import plural

if TYPE_CHECKING:
    from tfrecordcli.problems import Problem
    from tfrecordcli.result import RejectedRow, RejectGroup

_WARNING: Final = "warning: "
# Longest piece of foreign text (a path, a label) that is shown whole.
_LONGEST = 200
_LONGEST_MESSAGE: Final = 2_000
_LONGEST_HINT: Final = 8_000  # a command that is cut cannot be run
# Columns below which nothing is made to fit.
_NARROWEST = 40
# A path that was taken for a local one has lost a slash.
_CREDENTIALS = re.compile(r"(https?://?)[^/\s]*@", re.IGNORECASE)
# Up to what ends a URL that a sentence quotes: `https://h/a?sig=x: there is none`.
_QUERY = re.compile(r"(https?:/[^\s?]*)\?\S*?(?=[:,;.)]?(?:\s|$))", re.IGNORECASE)

# Columns that names and other texts of a table get however narrow the terminal is.
_LEAST = 8

_LIST_HINT: Final = "mend them in the list, or allow them with --max-rejects"
_RECORDS_HINT: Final = (
    "tfrec inspect FILE shows what records hold; --max-rejects allows such as cannot be used"
)

# One more line may say how many rows are not listed.
_LINES = 19


def rejects_hint(codes: Iterable[str], shown: Sequence[RejectedRow]) -> str:
    """What to do about rejects.

    Args:
      codes: of all.
      shown: those that are shown.
    """
    are_of_records = RECORD_REASONS.issuperset(codes) or all(map(_is_of_record, shown))
    return _RECORDS_HINT if are_of_records else _LIST_HINT


def _is_of_record(row: RejectedRow) -> bool:
    """Whether a row is a record of a TFRecord file, and no line of a list that names it."""
    from tfrecordcli.storage.record_parts import part_of  # not for --help: it loads a library

    is_of_record = row["code"] in RECORD_REASONS or part_of(row["image_uri"]) is not None
    return row["line"] is None and is_of_record


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
    click.echo(click.style("tfrec: ", fg="red", bold=True) + printable(message, _LONGEST_MESSAGE), err=True)
    if hint:
        click.echo(f"       {printable(hint, _LONGEST_HINT)}", err=True)


def print_said(text: str) -> None:
    """A warning or note on stderr; the word before a warning has its colour.

    It is wrapped on a terminal only: in a log, one line is what people search for.
    """
    shown = printable(text, _LONGEST_HINT)  # it may propose a command
    if sys.stderr.isatty():
        shown = wrapped(shown, 0, keep_words=True)
    is_warning = shown.startswith(_WARNING)
    head = click.style(_WARNING, fg="yellow") if is_warning else ""
    click.echo(head + (shown.removeprefix(_WARNING) if is_warning else shown), err=True)


def print_traceback(error: BaseException) -> None:
    """The whole traceback on stderr."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        click.echo(printable(line, 10_000), err=True)


def print_json(
    command: str,
    exit_code: int,
    values: Mapping[str, Any],
    error: TfrecError | None = None,
    status: str = "",
    warnings: Sequence[str] = (),
) -> None:
    """One JSON object on stdout: the keys that all commands share, then those of this one."""
    head = {
        "schema_version": 1,
        "command": command,
        "status": status or ("failed" if error else "complete"),
        "exit_code": exit_code,
        "error": None,
        "warnings": warnings,
    }
    if error is not None:
        message, hint = map(without_credentials, (error.message, error.hint))
        head["error"] = {"code": error.code, "message": message, "hint": hint}
    click.echo(json.dumps({**head, **values}))  # ASCII: every stream takes it


def problem_line(problem: Problem) -> str:
    """What is wrong, and where."""
    place = printable(problem.path)
    if problem.record is not None:
        place += f", record {problem.record}"
    if problem.offset is not None:
        place += f" at byte {problem.offset}"
    severity = click.style(problem.severity, fg="red" if problem.severity == "error" else "yellow")
    return f"  {severity}: {place}{': ' if place else ''}{printable(problem.message, 400)}"


def fitted(
    rows: Sequence[Sequence[str]], alignment: str, header: bool = True, indent: int = 2
) -> Iterable[str]:
    """The lines of a table. To fit the terminal columns move closer, then those of text are made narrower.

    The first of these holds names, which go on below; texts of the others are cut. Columns that are empty
    throughout are left out.

    Args:
      alignment: a character a column, `<` text or `>` figures.
    """
    body = rows[1:] if header else rows
    kept = [i for i in range(len(alignment)) if any(row[i] for row in body)]
    widths = {i: max(len(row[i]) for row in rows) for i in kept}
    room = terminal_width() - indent
    gap = "  " if sum(widths.values()) + 2 * (len(kept) - 1) <= room else " "
    room -= len(gap) * (len(kept) - 1)
    texts = [i for i in kept if alignment[i] == "<"]
    while sum(widths.values()) > room and widths[widest := max(texts, key=widths.__getitem__)] > _LEAST:
        widths[widest] -= 1
    names = texts[0]
    below = " " * (indent + sum(widths[i] + len(gap) for i in kept if i < names) + 2)
    for number, row in enumerate(rows):
        name, *more = textwrap.wrap(row[names], widths[names]) or [""]
        texts_of_row = {
            i: row[i] if len(row[i]) <= widths[i] else f"{row[i][: widths[i] - 1]}…" for i in texts
        } | {names: name}
        cells = (texts_of_row[i].ljust(widths[i]) if i in texts else row[i].rjust(widths[i]) for i in kept)
        line = " " * indent + gap.join(cells).rstrip()
        yield click.style(line, dim=True) if header and number == 0 else line
        yield from (below + rest for rest in more)


def reject_listing(rejected: int, groups: Sequence[RejectGroup]) -> list[str]:
    """Lines for rejected rows: each group with its number of rows, and as many rows by name as there is room.

    Args:
      rejected: rows, of which the groups may hold fewer.
      groups: as `tfrecordcli.result.ConvertResult` has them, the largest first.
    """
    listed = [group for number, group in enumerate(groups) if _length(groups[: number + 1], 1) <= _LINES]
    named = max((n for n in range(1, _LINES) if _length(listed, n) <= _LINES), default=1)
    lines = [line for group in listed for line in _lines_of(group, named)]
    rest = rejected - sum(group["rows"] for group in listed)
    if rest > 0:
        lines.append(f"  and {rest:,} more" if lines else f"  {plural(rest, 'row')}")
    return lines


def _length(groups: Sequence[RejectGroup], named: int) -> int:
    """Lines that these groups take with so many rows named of each."""
    return sum(1 if group["rows"] == 1 else 1 + min(named, len(group["named"])) for group in groups)


def _lines_of(group: RejectGroup, named: int) -> list[str]:
    rows = [_row(problem, group["rows"] == 1 or not group["reason"]) for problem in group["named"][:named]]
    if group["rows"] == 1:
        return [f"  {rows[0]}"]
    why = printable(group["reason"], 400) or f"{group['code']}, as in"
    return [f"  {plural(group['rows'], 'row')}: {why}", *(f"    {row}" for row in rows)]


def _row(problem: RejectedRow, with_reason: bool) -> str:
    line = problem["line"]  # a folder has none
    places = [printable(each) for each in (problem.get("source"), problem.get("place")) if each]
    place = ", ".join(places) if "place" in problem else "" if line is None else f"line {line}"
    parts = [place, printable(problem["image_uri"])]
    if with_reason:
        parts.append(printable(problem["reason"], 400))
    return ": ".join(part for part in parts if part)
