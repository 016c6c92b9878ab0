"""Lists that were joined as tables (`pd.concat`), whose columns of other names are filled in other rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.sources.column_words import KNOWN_COLUMNS, known_columns, likely_columns
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.units import plural

SEVERAL_COLUMNS: Final = "several columns could hold the "


def joined_lists_hint(header: Sequence[str], rows: Iterable[Sequence[str]], name: str, delimiter: str) -> str:
    """A hint with the command that makes one column of those which each row has one of; else empty.

    Args:
      header: of the list.
      rows: all below it, outer blanks removed.
      name, delimiter: of the list.
    """
    found = [_called(header, purpose) for purpose in KNOWN_COLUMNS]
    counts = _filled_in_turn([columns for columns in found if len(columns) > 1], rows)
    if not counts:
        return ""
    told = "; ".join(
        " and ".join(f"{header[i]} in {plural(count, 'row')}" for i, count in each.items()) for each in counts
    )
    first = {next(iter(each)): [*each] for each in counts}
    others = sorted(i for columns in first.values() for i in columns[1:])
    code = (
        f"g = {first}; d = {others}; h = next(filter(any, r)); k = [i for i in range(len(h)) if i not in d]; "
        "w.writerow([h[i] for i in k]); "
        'w.writerows([next(filter(str.strip, [x[j] for j in g.get(i, [i]) if x[j:]]), "") for i in k] '
        "for x in r if any(x))"
    )
    command = made_by("", rows_by(code, delimiter), name)
    return f"no row has two of them ({told}), as where lists were joined: {command}"


def _called(header: Sequence[str], purpose: str) -> list[int]:
    """The columns whose names are used for a purpose."""
    return sorted({*known_columns(header, purpose), *likely_columns(header, purpose)})


def _filled_in_turn(groups: Sequence[Sequence[int]], rows: Iterable[Sequence[str]]) -> list[dict[int, int]]:
    """In how many rows each column is filled, of groups with several such columns and no row that has two."""
    counts = [dict.fromkeys(columns, 0) for columns in groups]
    for fields in rows:
        for each in [*counts]:
            filled = [i for i in each if i < len(fields) and fields[i]]
            if len(filled) > 1:
                counts.remove(each)
            for i in filled:
                each[i] += 1
    used = [{i: count for i, count in each.items() if count} for each in counts]
    return [each for each in used if len(each) > 1]
