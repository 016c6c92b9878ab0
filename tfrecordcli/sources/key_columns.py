"""Further keys as columns, and the fields that stand for their values."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.reasons import Rejected

# Characters of one value: a CSV field is at most 131,072.
_LONGEST: Final = 100_000
_LONGEST_SHOWN: Final = 10_000  # of one that has more, or that no field can hold
# What parts several values in a field: of texts a sign that occurs in none of them.
BETWEEN_TEXTS: Final = "\u241f"
BETWEEN_NUMBERS: Final = ";"


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A further key as a column.

    Attributes:
      name: of both.
      entry: what `--features` has to say of it; empty: it keeps rows in one split only.
      separator: between several values of a field.
      parts_texts: whether it parts a single text, too, as the user's own separator does in a CSV.
    """

    name: str
    entry: str
    separator: str = ""
    parts_texts: bool = True


def texts_of(columns: Collection[KeyColumn], values: Mapping[str, Any]) -> tuple[list[str], Rejected | None]:
    """(field of each column, why one of these cannot be: that one is as `for_a_person` writes it)."""
    texts: list[str] = []
    problem = None
    for column in columns:
        value = values.get(column.name)
        try:
            texts.append(_text_of(column, value))
        except Rejected as error:
            texts.append(for_a_person([value] if _is_cut(column, value) else value))
            problem = problem or error
    return texts, problem


def _is_cut(column: KeyColumn, value: Any) -> bool:
    """Whether one text would be read as several values."""
    return not column.parts_texts and isinstance(value, str) and column.separator in value


def for_a_person(value: Any) -> str:
    """A value that no field can hold: a tab in it rejects its row again until it is mended.

    A list is as JSON has it; a text has a tab for each line break, or `⇥…` where it was cut.
    """
    if isinstance(value, str) and len(value) <= _LONGEST_SHOWN:
        return "\t".join(value.strip().splitlines())
    text = value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list) and len(text) <= _LONGEST_SHOWN:
        return "[\t" + text[1:]
    return "\t".join(text[:_LONGEST_SHOWN].splitlines()) + "\t…"


def form_wanted(separator: str) -> str:
    """How several values are written in a field."""
    return f"write the values with {separator} between them"


def _text_of(column: KeyColumn, value: Any) -> str:
    """The field that stands for a value.

    Raises:
      Rejected: none can.
    """
    is_list = isinstance(value, list)
    texts = [_single(each) for each in (value if is_list else [value])]
    text = column.separator.join(texts).strip()  # as fields are read
    is_cut = _is_cut(column, value)
    odd = (each for each in texts if not each.strip() or column.separator in each)
    what, form = "", form_wanted(column.separator) if is_list else ""
    if is_list and (found := next(odd, None)) is not None:
        what = f"has {quoted(found)} in its list, which cannot be told from its neighbours"
    if is_cut:
        what, form = (
            f"is {quoted(value)}, which would be several values",
            f"write it without {column.separator}",
        )
    if len(text) > _LONGEST:
        what = f"has more than {_LONGEST:,} characters"
    if len(text.splitlines()) > 1:
        what = "has a line break, which no field of a list can hold"
        form = f"{form}, on one line" if is_list else "write it on one line"
    if what:
        raise Rejected("bad_value", column=column.name, what=f"{what} ({form})" if form else what)
    return text


def _single(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
