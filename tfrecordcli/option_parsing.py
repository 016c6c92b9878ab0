"""What an option is, and how its text becomes a value: for the command line and Python alike.

A field of a dataclass of options is made by `option`: name, type and default are the field's. The command
line, its help, `make_values`, messages, commands that are printed and the identity of a run come from that.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from tfrecordcli.errors import UsageError
from tfrecordcli.problems import PROBLEMS
from tfrecordcli.schema import SPLITS
from tfrecordcli.split_words import parse_split
from tfrecordcli.units import join_pairs, nearest, parse_pairs

# (value as given, option as messages call it) -> value; raises UsageError for what cannot be right.
Parser = Callable[[Any, str], Any]
_Options = TypeVar("_Options")


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
    """

    name: str
    default: Any
    kind: Any
    help: str
    metavar: str
    parse: Parser | None
    shown: str | None
    least: int | None
    keyword: str
    flag: str
    off: str
    is_repeated: bool

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
            return _number(given, self.flag, int if int in self.kinds else float, self.least)
        return str(given) if str in self.kinds else given

    def words(self, value: Any) -> list[str]:
        """What gives it this value on the command line."""
        if isinstance(value, bool):
            return [self.flag if value else self.off]
        if isinstance(value, tuple):
            value = join_pairs((name, f"{v:g}" if isinstance(v, float) else str(v)) for name, v in value)
        return [self.flag, str(value)]


def option(
    default: Any,
    help: str,
    metavar: str = "",
    parse: Parser | None = None,
    *,
    shown: str | None = None,
    least: int | None = None,
    keyword: str = "",
    flag: str = "",
    off: str = "",
    is_repeated: bool = False,
) -> Any:
    """A field of a dataclass of options; see `Option`."""
    about = {"help": help, "metavar": metavar, "parse": parse, "shown": shown, "least": least}
    about |= {"keyword": keyword, "flag": flag, "off": off, "is_repeated": is_repeated}
    return field(default=default, metadata=about)


@functools.cache
def options_of(kind: Hashable) -> Mapping[str, Option]:
    """The options that a dataclass holds, by name."""
    types = get_type_hints(kind)
    found = {}
    for each in fields(kind):  # type: ignore[arg-type]
        about = dict(each.metadata)
        keyword = about.pop("keyword") or each.name
        flag = about.pop("flag") or "--" + keyword.replace("_", "-")
        found[each.name] = Option(
            each.name, each.default, types[each.name], keyword=keyword, flag=flag, **about
        )
    return found


def changed(options: Any, names: Iterable[str] = ()) -> list[Option]:
    """Those of these options, by default of all, that are not at their default."""
    table = options_of(options.__class__)
    chosen = map(table.__getitem__, names) if names else table.values()
    return [each for each in chosen if getattr(options, each.name) != each.default]


def changed_words(options: Any, names: Iterable[str] = ()) -> list[str]:
    """What gives these options their values on the command line."""
    return [word for each in changed(options, names) for word in each.words(getattr(options, each.name))]


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
    if given:
        hint = nearest(min(given), sorted(known)) or f"there are {', '.join(sorted(known))}"
        raise UsageError(f"unknown option: {', '.join(sorted(given))}", hint)
    return made


# --- text to values ---


def texts(value: Any, option: str) -> tuple[str, ...]:
    """One text or several."""
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def _number(value: Any, option: str, kind: type[int] | type[float], least: int | None) -> int | float:
    """A number of this type, from ``least``."""
    what = ("a whole number" if kind is int else "a number") + ("" if least is None else f" from {least}")
    try:
        number = kind(str(value))
    except ValueError:
        number = math.nan
    if not (-math.inf if least is None else least) <= number < math.inf:
        raise UsageError(f"{option} must be {what}, got {value!r}")
    return number


def above_zero(value: Any, option: str) -> float:
    """A number above 0."""
    number = _number(value, option, float, 0)
    if not number:
        raise UsageError(f"{option} must be above 0, got {value!r}")
    return number


def columns(value: Any, option: str) -> tuple[tuple[str, str], ...]:
    """(field, column name) pairs."""
    pairs = _pairs(value, option)
    for name, _ in pairs:
        if name not in ("image_uri", "label", "split"):
            raise UsageError(f"{option}: {name!r} is none of image_uri, label, split")
    _need_once((name for name, _ in pairs if name != "label"), option)
    return tuple(pairs)


def _pairs(value: Any, option: str) -> list[tuple[str, str]]:
    """(name, value) pairs from text, a mapping, or pairs."""
    if isinstance(value, str):
        return parse_pairs(value, option)
    try:
        pairs = value.items() if isinstance(value, Mapping) else value
        return [(str(name), str(item)) for name, item in pairs]
    except (TypeError, ValueError):
        raise UsageError(f"{option}: {value!r} is not a list of NAME=VALUE") from None


def beam_options(value: Any, option: str) -> tuple[tuple[str, str | None], ...]:
    """(name, value) pairs from `NAME=VALUE`, a list of those, or a mapping; True stands for a bare name."""
    if isinstance(value, Mapping):
        pairs = [(str(name), item) for name, item in value.items() if item is not False]
        value = [name if item is True else f"{name}={item}" for name, item in pairs]
    found = []
    for text in [value] if isinstance(value, str) else value:
        name, equals, item = str(text).partition("=")
        name = name.strip().removeprefix("--").replace("-", "_")
        if not name.isidentifier():
            raise UsageError(f"{option}: {text!r} is not NAME=VALUE", f"as in {option} max_num_workers=50")
        found.append((name, item if equals else None))
    return tuple(found)


def _need_once(names: Iterable[str], option: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f"{option}: {name} can be given once only")


def splits(value: Any, option: str) -> tuple[tuple[str, float], ...]:
    """(split, weight) pairs in the order of `SPLITS`, those of weight 0 left out."""
    pairs = [(_split(name, option), text) for name, text in _pairs(value, option)]
    _need_once((name for name, _ in pairs), option)
    weights = {name: _weight(text, option) for name, text in pairs}
    if not any(weights.values()):
        raise UsageError(f"{option}: at least one share must be above 0")
    return tuple((name, weights[name]) for name in SPLITS if weights.get(name))


def _weight(text: str, option: str) -> float:
    try:
        weight = float(text.removesuffix("%"))
    except ValueError:
        weight = -1.0
    if not 0 <= weight < 1e9:
        raise UsageError(
            f"{option}: {text!r} is not a share", f"as in {option} train=80,validation=10,test=10"
        )
    return weight


def num_shards(value: Any, option: str) -> tuple[tuple[str, int], ...]:
    """(split, shards) pairs; a number alone is for "", which is every split."""
    if isinstance(value, int) or (isinstance(value, str) and "=" not in value):
        value = {"": value}
    pairs = [(_split(name, option) if name else "", count) for name, count in _pairs(value, option)]
    _need_once((name for name, _ in pairs), option)
    return tuple((name, int(_number(count, option, int, 1))) for name, count in pairs)


def _split(word: str, option: str) -> str:
    """train, validation or test, of any word that a list may have for it."""
    split = parse_split(word)
    if split not in SPLITS:
        raise UsageError(f"{option}: {word!r} is none of {', '.join(SPLITS)}")
    return split


def delimiter(value: Any, option: str) -> str:
    """One character, or its name."""
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}
    found = named.get(str(value).lower(), str(value))
    if len(found) != 1 or found in '"\r\n':
        raise UsageError(f"{option} must be one character (or tab), got {value!r}")
    return found


def encoding(value: Any, option: str) -> str:
    """A codec of text."""
    try:
        "".encode(value)
    except (LookupError, TypeError, ValueError):
        raise UsageError(f"{option}: {value!r} is no encoding that Python knows") from None
    return str(value)


def max_rejects(value: Any, option: str) -> int | float:
    """A number of rows as int, a share of them as float."""
    text = str(value).strip()
    if text.isdecimal() and not isinstance(value, float):
        return int(text)
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else value
        if isinstance(share, float) and 0 <= share <= 1:
            return share
    except ValueError:
        pass  # as for shares that cannot be
    raise UsageError(f"{option} must be a number of rows or a share such as 1%, got {value!r}")


_DEVICE: Final = re.compile(r"auto|cpu|gpu(:\d+)?")


def device(value: Any, option: str) -> str:
    """Where batches arrive."""
    if isinstance(value, str) and _DEVICE.fullmatch(value):
        return value
    raise UsageError(f"{option} must be auto, cpu, gpu or gpu:N, got {value!r}")


def shard_range(value: Any, option: str) -> tuple[int, int]:
    """`3` or `0-99` as (first, last)."""
    if isinstance(value, tuple) and len(value) == 2:
        return value
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", str(value).strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if first > last:
        raise UsageError(f"{option}: {value!r} is no range of shards", f"as in {option} 0-99")
    return first, last


def problem_codes(value: Any, option: str) -> tuple[str, ...]:
    """Codes of `PROBLEMS`, one or several."""
    codes = texts(value, option)
    for code in codes:
        if code not in PROBLEMS:
            raise UsageError(f"{option} {code}: there is no such code", f"codes are {', '.join(PROBLEMS)}")
    return codes
