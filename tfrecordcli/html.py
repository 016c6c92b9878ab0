"""Results as notebooks show them: a heading, tables and lists, every text in them escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def page(heading: str, *parts: str) -> str:
    """A heading, and what stands below it; parts without anything in them are left out."""
    return "\n".join([f"<p><b>{_escaped(heading)}</b></p>", *filter(None, parts)])


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; empty without rows. Numbers have their thousands parted, and stand at the right."""
    lines = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
    if not lines:
        return ""
    head = "".join(f"<th>{_escaped(name)}</th>" for name in header)
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def listing(texts: Iterable[str]) -> str:
    """A list of sentences; empty when there is none."""
    items = "".join(f"<li>{_escaped(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def command(text: str) -> str:
    """A command to copy; empty when there is none."""
    return f"<pre>{_escaped(text)}</pre>" if text else ""


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td style="text-align: right">{value:,}</td>'
    return f'<td style="text-align: left">{_escaped(str(value))}</td>'


def _escaped(text: str) -> str:
    from html import escape  # here, because its names of all characters take long to load

    return escape(text)
