"""Text that people type, and values that Python gives, to the values of options.

Each function takes what was given and the option as messages call it, and raises UsageError, naming
that, for what cannot be right.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from tfrecordcli.errors import UsageError
from tfrecordcli.problems import PROBLEMS
from tfrecordcli.reasons import ADMISSIBLE
from tfrecordcli.schema import SPLITS
from tfrecordcli.shell import command_line
from tfrecordcli.split_words import parse_split
from tfrecordcli.units import parse_pairs

_LONGEST_SEPARATOR: Final = 16


def texts(value: Any, option: str) -> tuple[str, ...]:
    """One text or several."""
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def number(
    value: Any, option: str, kind: type[int] | type[float], least: int | None, hint: str = ""
) -> int | float:
    """A number of this type, from ``least``."""
    what = ("a whole number" if kind is int else "a number") + ("" if least is None else f" from {least}")
    try:
        found = kind(str(value))
    except ValueError:
        found = math.nan
    if not (-math.inf if least is None else least) <= found < math.inf:
        raise UsageError(f"{option} must be {what}, got {value!r}", hint)
    return found


def above_zero(value: Any, option: str) -> float:
    """A number above 0."""
    found = number(value, option, float, 0)
    if not found:
        raise UsageError(f"{option} must be above 0, got {value!r}")
    return found


def columns(value: Any, option: str) -> tuple[tuple[str, str], ...]:
    """(field, column name) pairs; of `split=`, which no column is, without a name."""
    pairs = _pairs(value, option, may_be_empty=True)
    for name, column in pairs:
        if name not in ("image_uri", "label", "split"):
            hint = _naming_sides(pairs) if name in _SIDES else ""
            raise UsageError(f"{option}: {name!r} is none of image_uri, label, split", hint)
        if not column and name != "split":
            raise UsageError(
                f"{option}: '{name}=' names no column, which only split= may", f"as in {option} {name}=COLUMN"
            )
    _need_once((name for name, _ in pairs if name != "label"), option)
    return tuple(pairs)


_SIDES: Final = frozenset(("x", "y", "w", "h", "width", "height", "xmin", "ymin", "xmax", "ymax", "bbox"))


def _naming_sides(pairs: Iterable[tuple[str, str]]) -> str:
    """A hint for columns of boxes: the command that calls all of them so."""
    names = json.dumps({column: name for name, column in pairs if name in _SIDES}, ensure_ascii=False)
    sign = 's = max(",;\\t", key=open("LIST.csv", encoding="utf-8").readline().count)'
    fields = "dtype=str, keep_default_na=False, skipinitialspace=True, index_col=False"
    change = f'rename(columns={names}, errors="raise").to_csv("LIST-boxes.csv", index=False, mode="x")'
    code = f'import pandas as pd; {sign}; pd.read_csv("LIST.csv", sep=s, {fields}).{change}'
    command = command_line(["python", "-c", code])
    return f"columns of boxes are known by their names in the header alone, write them there: {command}"


def names(value: Any, option: str) -> tuple[str, ...]:
    """Names from text, parted by commas as in a CSV and by line breaks, or from several."""
    found = _parted_names(value, option)
    _need_once(found, option)
    return found


def patterns(value: Any, option: str) -> tuple[str, ...]:
    """As `names`, of which each counts once however often it is given."""
    return tuple(dict.fromkeys(_parted_names(value, option)))


def _parted_names(value: Any, option: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = list(chain.from_iterable(csv.reader(io.StringIO(value, newline=""), skipinitialspace=True)))
    found = tuple(str(name).strip() for name in value)
    if not found or not all(found):
        raise UsageError(f"{option} must be one name or several, parted by commas, got {value!r}")
    return found


def admitted(value: Any, option: str) -> tuple[str, ...]:
    """Reasons that let an image in when they are named, one or several."""
    found = names(value, option)
    for code in found:
        if code not in ADMISSIBLE:
            raise UsageError(f"{option} {code}: it admits {', '.join(ADMISSIBLE)} only", "docs/rejects.md")
    return found


_TYPED: Final = re.compile(r"(.+):(int|float|text|bool)(?:\[(.+)\])?", re.DOTALL)


def typed_column(entry: str) -> tuple[str, str, str]:
    """(column, type, separator) of `age`, `zip:text`, `tags:text[;]`; type "" is not said."""
    match = _TYPED.fullmatch(entry)
    return (match[1], match[2], match[3] or "") if match else (entry, "", "")


def is_asked_for(column: str, entries: Sequence[str]) -> bool:
    """Whether entries of `--features` name a column, alone or with all others."""
    return tuple(entries) == ("all",) or any(column in (each, typed_column(each)[0]) for each in entries)


def features(value: Any, option: str) -> tuple[str, ...]:
    """Columns with or without a type, from text or a mapping of column to type."""
    if isinstance(value, Mapping):
        value = [f"{name}:{kind}" if kind else str(name) for name, kind in value.items()]
    found = names(value, option)
    for entry in found:
        column, kind, _ = typed_column(entry)
        if not kind and re.search(r":\w*(\[.*\])?$", column):
            raise UsageError(
                f"{option}: {entry!r}: there is no such type", "types are int, float, text, bool"
            )
    _need_once((typed_column(entry)[0] for entry in found), option)
    return found


def missing(value: Any, option: str) -> tuple[tuple[str, str], ...]:
    """(column, value) pairs."""
    pairs = _pairs(value, option)
    _need_once((name for name, _ in pairs), option)
    return tuple(pairs)


def label_separator(value: Any, option: str) -> str:
    """A text, or its name; nothing for ``none``."""
    named = {"blank": " ", "space": " ", "tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "none": ""}
    found = named.get(str(value).lower(), str(value))
    if len(found) > _LONGEST_SEPARATOR or any(mark in found for mark in '"\r\n'):
        raise UsageError(f"{option} must be a few characters, blank or none, got {value!r}")
    return found


def split_map(value: Any, option: str) -> tuple[tuple[str, str], ...]:
    """(word of a list, split) pairs; a split is any word that a list may have for it."""
    pairs = _pairs(value, option)
    for _, split in pairs:
        if parse_split(split) is None:
            raise UsageError(f"{option}: {split!r} is no split", "use train, validation, test or discard")
    _need_once((word for word, _ in pairs), option)
    return tuple(pairs)


def path_map(value: Any, option: str) -> tuple[tuple[str, str], ...]:
    """(prefix, prefix instead) pairs; the latter is empty for `.` and `./`."""
    if isinstance(value, str):
        value = re.sub(r"=(?=,|$)", "=./", value)  # nothing instead: relative to the image root
    pairs = _pairs(value, option)
    _need_once((prefix for prefix, _ in pairs), option)
    return tuple((prefix, "" if instead in (".", "./") else instead) for prefix, instead in pairs)


def _pairs(value: Any, option: str, *, may_be_empty: bool = False) -> list[tuple[str, str]]:
    """(name, value) pairs from text, a mapping, or pairs."""
    if isinstance(value, str):
        return parse_pairs(value, option, may_be_empty=may_be_empty)
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
    hint = f"give it once, as in {option} 8, or by split, as in {option} train=8,test=1"
    if isinstance(value, int) or (isinstance(value, str) and "=" not in value):
        if "," in str(value).strip(","):
            raise UsageError(f"{option} has more numbers than one: {value}", hint)
        value = {"": value}
    pairs = [(_split(name, option) if name else "", count) for name, count in _pairs(value, option)]
    _need_once((name for name, _ in pairs), option)
    return tuple((name, int(number(count, option, int, 1, hint))) for name, count in pairs)


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
        b"a".decode(value, "ignore")  # which that of host names cannot do
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
