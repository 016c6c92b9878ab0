"""Option values as people type them, parsed and checked: one place for the command line and Python."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tfrecordcli.errors import UsageError
from tfrecordcli.options import DEFAULT_SPLITS, ConvertOptions
from tfrecordcli.schema import SPLITS
from tfrecordcli.split_words import parse_split
from tfrecordcli.units import nearest, parse_pairs, parse_size


def make_options(values: Mapping[str, Any]) -> ConvertOptions:
    """Options from flat names, as the command line and `tfrecordcli.convert` take them.

    Values may be the text that a user types (`"128MiB"`, `"5%"`, `"train=8"`) or the value itself.
    None stands for the default.

    Raises:
      UsageError: for an unknown name or a value that cannot be right.
    """
    given = {name: value for name, value in values.items() if value is not None and value != ()}
    if "labels" in given and "labels_file" not in given:
        given["labels_file"] = given.pop("labels")  # as the command line calls it
    groups: dict[str, Any] = {}
    known = ["labels"]
    for group in dataclasses.fields(ConvertOptions):
        kind = group.default_factory
        assert kind is not dataclasses.MISSING
        names = {f.name for f in dataclasses.fields(kind())}
        known += names
        chosen = {name: _parse(name, given.pop(name)) for name in names & given.keys()}
        groups[group.name] = kind(**chosen)
    if given:
        first = min(given)
        hint = "labels and labels_file are one option" if first == "labels" else nearest(first, sorted(known))
        raise UsageError(f"unknown option: {', '.join(sorted(given))}", hint)
    options = ConvertOptions(**groups)
    if options.shard.index and options.shard.compression != "none":
        raise UsageError("--index needs plain shards", "leave out --compression gzip, or --index")
    if options.read.new_labels == "append" and options.read.labels_file is None:
        raise UsageError("--new-labels append needs a vocabulary to append to", "give one by --labels FILE")
    return options


_CHOICES = {
    "unlabelled": ("error", "keep", "skip"),
    "label_folder": ("first", "last"),
    "label_type": ("auto", "name", "id"),
    "new_labels": ("reject", "append"),
    "check": ("decode", "structure"),
    "exif": ("apply", "keep"),
    "compression": ("none", "gzip"),
}
_MINIMA = {"workers": 1, "max_side": 1, "max_pixels": 1}
_TEXTS = ("image_root", "labels_file", "runner", "project", "region", "temp_location")
_FLAGS = ("index", "fail_fast", "dry_run", "overwrite")


def _parse(name: str, value: Any) -> Any:
    """One option's value, from text or checked as given."""
    option = "--" + ("labels" if name == "labels_file" else name.replace("_", "-"))
    if name in _CHOICES and value not in _CHOICES[name]:
        raise UsageError(f"{option} must be one of {', '.join(_CHOICES[name])}, got {value!r}")
    if name in _PARSERS:
        return _PARSERS[name](value, option)
    if name in _MINIMA or name in ("seed", "split_seed"):
        return _whole_number(value, option, _MINIMA.get(name))
    if name in _FLAGS and not isinstance(value, bool):
        raise UsageError(f"{option} must be True or False, got {value!r}")
    return str(value) if name in _TEXTS else value


def _whole_number(value: Any, option: str, minimum: int | None) -> int:
    try:
        number = int(str(value))
    except ValueError:
        raise UsageError(f"{option} must be a whole number, got {value!r}") from None
    if minimum is not None and number < minimum:
        raise UsageError(f"{option} must be at least {minimum}, got {number}")
    return number


def _columns(value: Any, option: str) -> tuple[tuple[str, str], ...]:
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


def _beam_options(value: Any, option: str) -> tuple[tuple[str, str | None], ...]:
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


def _splits(value: Any, option: str) -> tuple[tuple[str, float], ...]:
    pairs = [(_split(name, option), text) for name, text in _pairs(value, option)]
    _need_once((name for name, _ in pairs), option)
    weights = {name: _positive_weight(text, option) for name, text in pairs}
    if not any(weights.values()):
        raise UsageError(f"{option}: at least one share must be above 0")
    return tuple((name, weights[name]) for name in SPLITS if weights.get(name))


def _positive_weight(text: str, option: str) -> float:
    try:
        weight = float(text.removesuffix("%"))
    except ValueError:
        weight = -1.0
    if not 0 <= weight < 1e9:
        raise UsageError(f"{option}: {text!r} is not a share", f"as in {option} {DEFAULT_SPLITS}")
    return weight


def _num_shards(value: Any, option: str) -> tuple[tuple[str, int], ...]:
    if isinstance(value, int) or (isinstance(value, str) and "=" not in value):
        return (("", _whole_number(value, option, 1)),)
    pairs = [(_split(name, option) if name else "", count) for name, count in _pairs(value, option)]
    _need_once((name for name, _ in pairs), option)
    return tuple((name, _whole_number(count, option, 1)) for name, count in pairs)


def _split(word: str, option: str) -> str:
    """train, validation or test, of any word that a list may have for it."""
    split = parse_split(word)
    if split not in SPLITS:
        raise UsageError(f"{option}: {word!r} is none of {', '.join(SPLITS)}")
    return split


def _delimiter(value: Any, option: str) -> str:
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}
    delimiter = named.get(str(value).lower(), str(value))
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError(f"{option} must be one character (or tab), got {value!r}")
    return delimiter


def _encoding(value: Any, option: str) -> str:
    try:
        "".encode(value)
    except (LookupError, TypeError, ValueError):
        raise UsageError(f"{option}: {value!r} is no encoding that Python knows") from None
    return str(value)


def _max_rejects(value: Any, option: str) -> int | float:
    text = str(value).strip()
    if text.endswith("%"):
        with contextlib.suppress(ValueError):
            share = float(text[:-1]) / 100
            if 0 <= share <= 1:
                return share
    elif isinstance(value, float) and 0 <= value <= 1:
        return value
    elif text.isdecimal():
        return int(text)
    raise UsageError(f"{option} must be a number of rows or a share such as 1%, got {value!r}")


_PARSERS = {
    "columns": _columns,
    "splits": _splits,
    "num_shards": _num_shards,
    "delimiter": _delimiter,
    "encoding": _encoding,
    "max_rejects": _max_rejects,
    "beam_options": _beam_options,
    "shard_size": parse_size,
    "max_image_bytes": parse_size,
}
