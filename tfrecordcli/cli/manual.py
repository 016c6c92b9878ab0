"""Manual pages, made of the same definitions as `--help`; `setup.py` has them installed with the package.

The language is that of man(7): lines that begin with a dot are requests, `\\-` is a hyphen to copy.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from tfrecordcli.cli.main import tfrec
from tfrecordcli.version import __version__

_EXAMPLES = "\b\n"  # what click leaves as it is


def write_pages(folder: Path) -> list[Path]:
    """Writes a page a command, and one for all of them; their paths, which end in `.1`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in sorted(pages().items()):
        written.append(folder / f"{name}.1")
        written[-1].write_text(text, encoding="utf-8")
    return written


def pages() -> dict[str, str]:
    """Name of a page -> its text: `tfrec`, `tfrec-convert`, …"""
    top = click.Context(tfrec, info_name="tfrec", **tfrec.context_settings)
    found = {name: tfrec.get_command(top, name) for name in tfrec.list_commands(top)}
    commands = {name: command for name, command in found.items() if command is not None}
    made = {"tfrec": _page(top, [f"tfrec-{name}" for name in commands])}
    for name, command in commands.items():
        made[f"tfrec-{name}"] = _page(click.Context(command, info_name=name, parent=top), ["tfrec"])
    return made


def _page(context: click.Context, related: list[str]) -> str:
    title = context.command_path.replace(" ", "-")
    usage = " ".join(context.command.collect_usage_pieces(context))
    lines = [
        f'.TH {title.upper()} 1 "" "tfrec {__version__}" "tfrec"',
        *(".SH NAME", f"{_text(title)} \\- {_text(context.command.get_short_help_str(200).rstrip('.'))}"),
        *(".SH SYNOPSIS", f"\\fB{_text(context.command_path)}\\fR {_text(usage)}"),
        *(".SH DESCRIPTION", *_description(context.command.help or "")),
        *(".SH OPTIONS", *_options(context)),
        *(".SH EXIT STATUS", _text((tfrec.epilog or "").removeprefix("Exit codes: "))),
        *(".SH SEE ALSO", ", ".join(f"\\fB{_text(name)}\\fR(1)" for name in related)),
    ]
    return "\n".join(lines) + "\n"


def _description(text: str) -> Iterator[str]:
    """Its paragraphs, and its examples line by line."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        yield ".PP"
        if paragraph.startswith(_EXAMPLES):
            yield from (".nf", *map(_text, paragraph.removeprefix(_EXAMPLES).split("\n")), ".fi")
        else:
            yield _text(" ".join(paragraph.split()))


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            yield from (".TP", f"\\fB{_text(record[0])}\\fR", _text(record[1]))


def _text(words: str) -> str:
    """A line of text as the language wants it: no request, no escapes but its own."""
    line = words.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{line}" if line.startswith((".", "'")) else line
