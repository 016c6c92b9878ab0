"""Several labels in the fields of a row: parted by a character, as a list in text, as columns of 0 and 1."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.reasons import Rejected

# One value of a list in text: between quotes, with escapes, or bare.
_BARE: Final = r"""[^\s,'"\[\](){}]+"""
_QUOTED: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_ITEM: Final = rf"""\s*(?:{_QUOTED}|{_BARE}(?:[ ]+{_BARE})*)\s*"""
# `[1, 0]`, `['cat', 'dog']`, `("a",)`, the set `{'cat', 'dog'}`; NumPy's `[1 0 0]` and `['cat' 'wild boar']`.
_INNER: Final = rf"(?:\s*|{_ITEM}(?:,{_ITEM})*,?\s*)"
_LIST: Final = re.compile(rf"\[{_INNER}\]|\({_INNER}\)|\{{(?!.*:){_INNER}\}}")
_IN_BRACES: Final = re.compile(rf"\{{\s*{_BARE}(?:[ ]+{_BARE})*\s*\}}")
_ITEMS: Final = re.compile(_ITEM)
_OF_NUMPY: Final = rf"(?:[0-9.]+|{_QUOTED})"
_NUMPY: Final = re.compile(rf"\[\s*{_OF_NUMPY}(?:\s+{_OF_NUMPY})+\s*\]")
_NUMPY_ITEMS: Final = re.compile(_OF_NUMPY)
_BOXES: Final = re.compile(r"(?:[A-Za-z][\w+.-]*(?: -?[0-9]+(?:\.[0-9]+)?){4,5} ?)+", re.ASCII)
_ONE: Final = frozenset(("1", "1.0", "true", "yes"))
_ZERO: Final = frozenset(("0", "0.0", "-1", "false", "no", ""))
_ONE_BY_LETTER: Final = _ONE | {"t", "y"}
_BY_LETTER: Final = _ONE_BY_LETTER | _ZERO | {"f", "n"}
# Words that stand for yes where a list has no other; `n` beside `y`.
_TICKS: Final = frozenset(("x", "✓", "✔", "☑", "y"))
_FLAGS: Final = frozenset(("0", "1", "0.0", "1.0"))  # of a matrix
_LONGEST_SHOWN: Final = 60
_PAIR: Final = 2  # two labels of an image may be called 0 and 1
NOTE_OF_PLACES: Final = (
    "labels are rows of 0 and 1, as {example}: the places of the ones, from 0, are the labels"
)


def is_boxes(field: str) -> bool:
    """Whether a field holds classes and boxes as text, as ImageNet's `n01978287 85 1 499 272`."""
    return _BOXES.fullmatch(field) is not None


def is_list(field: str) -> bool:
    """Whether a field is the text of a list: `[1, 0, 0]`, `['cat', 'dog']`, `["cat"]`, `[]`."""
    return field[:1] in ("[", "(", "{") and (_LIST.fullmatch(field) or _NUMPY.fullmatch(field)) is not None


def is_wrapped_list(field: str) -> bool:
    """Whether it is one over several lines, as NumPy writes them: each further line begins with a blank."""
    lines = field.splitlines()[1:]
    are_further = bool(lines) and all(line.startswith(" ") for line in lines)
    return are_further and _NUMPY.fullmatch(field) is not None


def are_names_in_braces(fields: Iterable[str]) -> bool:
    """Whether all fields are as `{cat}`, one bare word in braces each, which no program writes as a set."""
    return all(_IN_BRACES.fullmatch(field) for field in fields)


def items_of(field: str) -> list[str]:
    """The values of a list in text; of an empty field none.

    Raises:
      Rejected: ``bad_value``: it is no list.
    """
    if not field:
        return []
    if not is_list(field):
        raise _bad("the label", field, "a list, as those of other rows are")
    pieces = (_NUMPY_ITEMS if _NUMPY.fullmatch(field) else _ITEMS).findall(field[1:-1])
    items = (_unquoted(piece.strip()).strip() for piece in pieces)
    return [*filter(None, items)]


def _unquoted(text: str) -> str:
    if text[:1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            pass  # as Python writes it
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in "'\"" else text


def is_flag(field: str) -> bool:
    """Whether a field says yes or no in one of the ways that columns of labels have it."""
    return field.lower() in _ONE or field.lower() in _ZERO


def is_yes(field: str) -> bool:
    """Whether it says yes."""
    return field.lower() in _ONE


def is_any_flag(field: str) -> bool:
    """Whether a field says yes or no, maybe by the letter alone that databases write: `t` and `f`."""
    return field.lower() in _BY_LETTER


def is_any_yes(field: str) -> bool:
    """Whether it says yes, maybe by its letter."""
    return field.lower() in _ONE_BY_LETTER


def tick_of(fields: Iterable[str]) -> str:
    """The one word, in small letters, that fields have for yes beside blanks and zeros; empty: none.

    Where others stand beside it, `x` may be no (`✓,x,x` or `yes,x,x`).
    """
    words = {field.lower() for field in fields} - _ZERO
    words -= {"n"} if "y" in words else set()
    return next(iter(words)) if len(words) == 1 and words <= _TICKS else ""


def names_of_ones(fields: Sequence[str], names: Sequence[str], tick: str = "") -> list[str]:
    """The names of those columns whose field is 1.

    Args:
      tick: as `tick_of` has it.

    Raises:
      Rejected: ``bad_value``, ``field_count``: a field is neither 1 nor 0, or there are others than these.
    """
    if len(fields) > len(names):
        raise Rejected("field_count", found=len(fields), expected=len(names))
    found = []
    for name, field in zip(names, fields, strict=False):
        if field in _ONE or field.lower() in _ONE or (tick and field.lower() == tick):
            found.append(name)
        elif field not in _ZERO and field.lower() not in _ZERO and not (tick == "y" and field.lower() == "n"):
            raise _bad(name, field, "0 or 1")
    return found


def positions_of_ones(values: Sequence[str], places: int = 0) -> list[str]:
    """`0`, `2` for `1`, `0`, `1`.

    Args:
      places: how many values there have to be, or none at all; 0: any number.

    Raises:
      Rejected: as `names_of_ones`; ``bad_value``: there are more or fewer values.
    """
    if places and values and len(values) != places:
        raise _bad(
            "the label", f"[{', '.join(values)}]", f"{places} values of 0 and 1, as those of other rows"
        )
    return names_of_ones(values, list(map(str, range(len(values)))))


def parts_of(field: str, separator: str) -> list[str]:
    """The labels of a field, outer blanks removed; empty ones are left out."""
    return [part for part in map(str.strip, field.split(separator)) if part]


def are_vectors(lists: Iterable[Sequence[str]]) -> bool:
    """Whether lists are rows of a matrix of 0 and 1, a column a label, and not labels themselves.

    They have one length, hold nothing else, and are no sets: some value occurs twice in one, or they differ
    in order only.
    """
    kept = [tuple(values) for values in lists if values]
    if not kept or len(set(map(len, kept))) != 1 or len(kept[0]) < 2:
        return False
    if not all(value in _FLAGS for values in kept for value in values):
        return False
    return any(len(set(values)) < len(values) for values in kept) or len(set(kept)) > 1


def places_of(lists: Iterable[Sequence[str]]) -> int:
    """How many places the rows of a matrix of 0 and 1 have; 0: the lists are labels themselves.

    An odd list in ten, as with a value missing, changes nothing: of three places two are alike, as no two
    labels of an image are.
    """
    kept = [tuple(values) for values in lists if values]
    if are_vectors(kept):
        return len(kept[0])
    width = Counter(map(len, kept)).most_common(1)[0][0] if kept else 0
    regular = [values for values in kept if len(values) == width and {*values} <= _FLAGS]
    is_odd_rare = len(regular) > 1 and len(kept) - len(regular) <= len(kept) // 10
    return width if width > _PAIR and is_odd_rare and are_vectors(regular) else 0


def odd_among_vectors(lists: Sequence[Sequence[str]]) -> str:
    """What is odd where most lists are rows of 0 and 1 of three places or more, and some are not; else empty.

    Of lists that `places_of` knows as such rows, nothing is.
    """
    kept = [tuple(values) for values in lists if values]
    vectors = [values for values in kept if len(values) > _PAIR and {*values} <= _FLAGS]
    width = Counter(map(len, vectors)).most_common(1)[0][0] if vectors else 0
    odd = next((values for values in kept if len(values) != width or not {*values} <= _FLAGS), None)
    if odd is None or 2 * len(vectors) <= len(kept):
        return ""
    values = next(values for values in vectors if len(values) == width)
    shown, other = (f"[{', '.join(values)}]"[:_LONGEST_SHOWN] for values in (values, odd))
    return f"most labels are rows of 0 and 1, a place for each label, as {shown}; {other} is none"


def _bad(column: str, field: str, what: str) -> Rejected:
    return Rejected("bad_value", column=column, what=f"is {field[:_LONGEST_SHOWN]!r}, not {what}")
