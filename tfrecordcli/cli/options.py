"""Options of the commands, as click has them, from where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from tfrecordcli.option_definition import Option, options_of

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Decorator = Callable[[_Command], _Command]


def takes(kind: type, *names: str) -> _Decorator[Any]:
    """Gives a command the options of a dataclass, or these of them."""
    table = options_of(kind)
    return _all(_click_option(table[name]) for name in names or table)


def _click_option(option: Option) -> _Decorator[Any]:
    default = f"  [{option.shown_default}]" if option.shown_default else ""
    return click.option(
        f"{option.flag}/{option.off}" if option.off else option.flag,
        option.name,
        help=option.help + default,
        metavar=_metavar(option),
        type=click.Choice(option.choices) if option.choices and not option.of_source else None,
        multiple=option.is_repeated or option.of_source,
        is_flag=option.kind is bool,
        default=None,
    )


def _metavar(option: Option) -> str | None:
    if not option.of_source:
        return option.metavar or None
    return f"[SPLIT=]{option.metavar or '|'.join(option.choices) or 'TEXT'}"


def _all(options: Iterable[_Decorator[Any]]) -> _Decorator[Any]:
    chosen = list(options)

    def decorate(function: _Command) -> _Command:
        for option in reversed(chosen):
            function = option(function)
        return function

    return decorate


def printing(what: str = "summary", quiet: str = "Print errors only.") -> _Decorator[Any]:
    """Gives a command the options of how it tells its result, in a summary, a report, …"""
    return _all(
        (
            click.option(
                "--json", "as_json", is_flag=True, help=f"Print one JSON object instead of the {what}."
            ),
            click.option("--quiet", is_flag=True, help=quiet),
            click.option("--debug", is_flag=True, help="Show the traceback of errors."),
        )
    )
