"""Sizes, shares and lists as people write them: `128MiB`, `5%`, `train=8,test=1`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tfrecordcli.errors import UsageError

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
# Up to a comma outside a value's quotes, or the end.
_ENTRY = re.compile(r'(?:^|(?<=,))((?:[^,="]*=\s*"(?:[^"]|"")*"\s*(?=,|$))|[^,]*)(?:,|$)')
_LONGEST = 60  # characters of one name among several
_MAX_SIZE = 2**63 - 1  # what a file can have


def parse_size(text: str | int, option: str) -> int:
    """Bytes of `1000`, `64MiB` (2**20), `1.5GB` (10**9) or `2m` (MiB, as most tools mean it).

    Raises:
      UsageError: for anything else, for zero, and for more than a file can have.
    """
    match = _SIZE.fullmatch(str(text).strip())
    if match is None:
        raise UsageError(f"{option}: {text!r} is not a size", "write bytes, or e.g. 64MiB, 1GB")
    number, prefix, binary = match.groups()
    decimal = not binary and str(text).strip().lower().endswith("b")
    size = float(number) * (1000 if decimal else 1024) ** _POWERS[prefix.lower()]
    if size > _MAX_SIZE:
        raise UsageError(f"{option}: the size {text!r} is too large")
    if size < 1:
        raise UsageError(f"{option}: the size must be at least 1 byte, got {text!r}")
    return int(size)


def format_size(size: int) -> str:
    """`1.4 MB`: decimal units, as file managers and clouds show them."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 999.5 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 99.5 else f"{value:.1f} {unit}"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 row`, `2,000 rows`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """`a, b, c, d, e and 12 more`: the first names, and how many there are besides."""
    shown = ", ".join(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name in names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def format_rate(rate: float, noun: str) -> str:
    """`1 image/s`, `75 images/s`, `0.4 images/s`: whole numbers but for the slowest."""
    if 0 < rate < 0.95:
        return f"{rate:.1g} {noun}s/s"
    return f"{plural(round(rate), noun)}/s"


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean columns?` for a name that is none of the known ones; empty when none is near."""
    import difflib  # only where a word is wrong

    near = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


def parse_pairs(text: str, option: str, *, may_be_empty: bool = False) -> list[tuple[str, str]]:
    """`a=1,b="2, 3"` as [("a", "1"), ("b", "2, 3")]; a quote inside quotes is doubled, as in a CSV.

    Args:
      may_be_empty: whether nothing may stand behind the `=`.

    Raises:
      UsageError: for an entry without `=` or with an empty side.
    """
    pairs = []
    for entry in _ENTRY.findall(text):
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not (name and equals and (value or may_be_empty)):
            raise UsageError(f"{option}: {entry!r} is not NAME=VALUE", f"as in {option} name=value,…")
        if _QUOTED.fullmatch(value):
            value = value[1:-1].replace('""', '"')
        pairs.append((name, value))
    return pairs


def join_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """The text of which `parse_pairs` makes these pairs."""
    return ",".join(f"{name}={_as_value(value)}" for name, value in pairs)


def join_names(names: Iterable[str]) -> str:
    """Names as one entry of a CSV: `a,"b, c"`."""
    return ",".join(map(_as_value, names))


def _as_value(value: str) -> str:
    if "," not in value and not value.startswith('"') and value == value.strip():
        return value
    return '"' + value.replace('"', '""') + '"'
