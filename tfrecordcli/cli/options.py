"""Options of the commands, as click has them, from where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tfrecordcli.option_definition import Option, joined_texts, options_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Decorator = Callable[[_Command], _Command]
_Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]

# What stands for a value in the help -> what a shell completes.
_PLACES: Final = {"FILE": "file", "FILE.png": "file", "[SPLIT=]SOURCE": "file", "DIR": "dir"}


def takes(kind: type, *names: str) -> _Decorator[Any]:
    """Gives a command the options of a dataclass, or these of them."""
    table = options_of(kind)
    return _all(_click_option(table[name]) for name in names or table)


def takes_conversion() -> _Decorator[Any]:
    """Gives a command sources, output directory and the options that say what is written."""
    from tfrecordcli.options import ImageOptions, ReadOptions, ShardOptions  # which other commands do without

    sources = click.argument(
        "sources",
        metavar="[SPLIT=]SOURCE...",
        nargs=-1,
        required=True,
        shell_complete=completes(place="file"),
    )
    output = click.argument("output_dir", shell_complete=completes(place="dir"))
    return _all((sources, output, *map(takes, (ReadOptions, ImageOptions, ShardOptions))))


def _click_option(option: Option) -> _Decorator[Any]:
    default = f"  [{option.shown_default}]" if option.shown_default else ""
    again = " May be given again." if option.is_repeated or option.is_joined else ""
    return click.option(
        f"{option.flag}/{option.off}" if option.off else option.flag,
        option.name,
        help=option.help + again + default,
        metavar=_metavar(option),
        type=click.Choice(option.choices) if option.choices and not option.of_source else None,
        multiple=option.is_repeated or option.is_joined or option.of_source,
        callback=_joined if option.is_joined and not option.of_source else None,
        is_flag=option.kind is bool,
        default=None,
        shell_complete=_completing(option),
    )


def _joined(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> str | None:
    """The values of an option that was given again as those of one, None where it was not given."""
    return joined_texts(texts) if texts else None


def _completing(option: Option) -> _Complete | None:
    """How a shell completes its value, where that is not among the choices of click."""
    words = option.offered or (option.choices if option.of_source else ())
    place = _PLACES.get(option.metavar)
    return completes(*words, place=place) if words or place else None


def completes(*words: str, place: str | None = None) -> _Complete:
    """What completes a value: these words, and names of files (``place`` "file") or folders ("dir").

    After `train=` it is the rest that is completed.
    """

    def propose(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        rest = typed.rpartition("=")[2]
        found = [CompletionItem(word) for word in words if word.startswith(rest)]
        return [*found, CompletionItem(rest, type=place)] if place else found

    return propose


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
            # Seen to by `main`.
            click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of errors."),
        )
    )
