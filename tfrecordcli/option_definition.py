"""What an option is: defined once, as a field of a dataclass, for the command line and Python alike.

Name, type and default are those of the field, which `option` makes. The command line, its help, parsing,
messages, commands that are printed and the identity of a run come from that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from tfrecordcli.errors import UsageError
from tfrecordcli.option_parsing import number
from tfrecordcli.units import join_names, join_pairs, nearest

# (value as given, option as messages call it) -> value; raises UsageError for what cannot be right.
Parser = Callable[[Any, str], Any]


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
      name: of the field that holds it, and among the options of a plan and a manifest.
      default: its value when it is not given.
      kind: its type, as annotated.
      help: what it does, in a sentence.
      metavar: what stands for its value in the help; "" for choices and flags.
      parse: makes the value; None: the type says how.
      shown: its default for people; None: the default itself.
      least: smallest number that it may be; None is any.
      keyword: its name in Python.
      flag: its name on the command line.
      off: the flag that switches it off; "" is none.
      is_repeated: whether the flag is given again for each of several values.
      is_joined: whether it may be given again for more of what commas part in its value.
      of_source: whether it describes one source, and can be given again as `SPLIT=VALUE` for others.
      offered: words that a shell completes where there are no `choices`: others are right too.
    """

    name: str
    default: Any
    kind: Any
    help: str
    metavar: str
    parse: Parser | None
    shown: str | None = None
    least: int | None = None
    keyword: str = ""
    flag: str = ""
    off: str = ""
    is_repeated: bool = False
    is_joined: bool = False
    of_source: bool = False
    offered: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types of its value, one or several."""
        is_union = get_origin(self.kind) not in (None, Literal, tuple)
        return get_args(self.kind) if is_union else (self.kind,)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it can have; empty when any text will do."""
        return next((get_args(kind) for kind in self.kinds if get_origin(kind) is Literal), ())

    @property
    def shown_default(self) -> str:
        """Its default for people; empty when there is nothing to say."""
        if self.shown is None and self.default not in (None, ()) and self.kind is not bool:
            return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)
        return self.shown or ""

    def value_of(self, given: Any) -> Any:
        """The value of what was given: text as typed, or the value itself.

        Raises:
          UsageError: it cannot be right.
        """
        if self.parse is not None:
            return self.parse(given, self.flag)
        if self.choices and given not in self.choices:
            raise UsageError(f"{self.flag} must be one of {', '.join(self.choices)}, got {given!r}")
        if self.kind is bool and not isinstance(given, bool):
            raise UsageError(f"{self.flag} must be True or False, got {given!r}")
        if int in self.kinds or float in self.kinds:
            return number(given, self.flag, int if int in self.kinds else float, self.least)
        return str(given) if str in self.kinds else given

    def words(self, value: Any) -> list[str]:
        """What gives it this value on the command line."""
        if isinstance(value, bool):
            return [self.flag if value else self.off]
        if isinstance(value, tuple) and value and isinstance(value[0], str):
            value = join_names(value)
        elif isinstance(value, tuple):
            value = join_pairs((name, f"{v:g}" if isinstance(v, float) else str(v)) for name, v in value)
        return [self.flag, str(value)]


def option(default: Any, help: str, metavar: str = "", parse: Parser | None = None, **about: Any) -> Any:
    """A field of a dataclass of options; ``about`` is what else `Option` has."""
    return field(default=default, metadata={"help": help, "metavar": metavar, "parse": parse, **about})


def joined_texts(texts: Iterable[str]) -> str:
    """The values of an option that was given again as those of one; what is the same counts once."""
    return ",".join(dict.fromkeys(texts))


@functools.cache
def options_of(kind: Hashable) -> Mapping[str, Option]:
    """The options that a dataclass holds, by name."""
    types = get_type_hints(kind)
    found = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if "help" not in each.metadata:
            continue  # what options say of each other, which nobody gives
        keyword = each.metadata.get("keyword", each.name)
        about = {"keyword": keyword, "flag": "--" + keyword.replace("_", "-"), **each.metadata}
        found[each.name] = Option(each.name, each.default, types[each.name], **about)
    return found


def changed(options: Any, names: Iterable[str] = ()) -> list[Option]:
    """Those of these options, by default of all, that are not at their default."""
    table = options_of(options.__class__)
    chosen = map(table.__getitem__, names) if names else table.values()
    return [each for each in chosen if getattr(options, each.name) != each.default]


def not_used(options: Sequence[Option], why: str) -> str:
    """The note that these options, which are given, do nothing."""
    flags = ", ".join(option.flag for option in options)
    return f"{flags} {'is' if len(options) == 1 else 'are'} not used: {why}"


def changed_words(options: Any, names: Iterable[str] = ()) -> list[str]:
    """What gives these options their values on the command line."""
    return [word for each in changed(options, names) for word in each.words(getattr(options, each.name))]


# Keywords of Python's functions beside their options.
_OF_PYTHON: Final = ("progress",)


def make_values(values: Mapping[str, Any], *kinds: Callable[..., Any]) -> list[Any]:
    """Options of these kinds from flat names, as the command line and Python take them.

    None stands for the default.

    Raises:
      UsageError: for an unknown name or a value that cannot be right.
    """
    given = {name: value for name, value in values.items() if value is not None and value != ()}
    made, known = [], []
    for kind in kinds:
        table = options_of(kind)
        known += [each.keyword for each in table.values()]
        chosen = {}
        for each in table.values():
            word = each.keyword if each.keyword in given else each.name
            if word in given:
                chosen[each.name] = each.value_of(given.pop(word))
        made.append(kind(**chosen))
    need_known(given, [*known, *_OF_PYTHON])
    return made


def need_known(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuses names of options that are left when all known ones were taken.

    Raises:
      UsageError: there is one; the hint has the known name that is nearest to it.
    """
    names, known = sorted(given), sorted(known)
    if names:
        hint = nearest(names[0], known) or f"there are {', '.join(known)}"
        raise UsageError(f"unknown option: {', '.join(names)}", hint)
