"""Columns of yes and no that each stand for a split, as `is_train`, `is_val`, `is_test`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tfrecordcli.sources.label_fields import is_flag, is_yes
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.split_words import TRAIN, split_of

IN_ONE: Final = "write them into one column called split"


def split_called(name: str) -> str:
    """The split that a column of flags is called by, as `test`, `is_val`, `isTrainingImage`; else empty."""
    plain = name.lower().replace("_", "").replace("-", "")
    return split_of(plain) or split_of(plain.removeprefix("is").removesuffix("image"))


def flags_of_splits(columns: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Which columns hold yes and no and are called by splits: name -> split.

    Args:
      columns: name -> fields.

    Returns:
      Nothing where they are of fewer than two splits, or two are of one.
    """
    called = {name: split_called(name) for name, fields in columns.items() if any(fields)}
    found = {name: split for name, split in called.items() if split and all(map(is_flag, columns[name]))}
    return found if len({*found.values()}) == len(found) > 1 else {}


def splits_of_flags(
    flags: Mapping[str, str], rows: Sequence[Sequence[str]], name: str, delimiter: str
) -> str:
    """What makes a column of splits of such columns: a command, where each row has one yes or means train.

    Args:
      flags: name of the column -> split.
      rows: fields of the first rows in these columns, in their order.
      name, delimiter: of the list.
    """
    counts = {sum(map(is_yes, fields)) for fields in rows}
    rest = "" if TRAIN in flags.values() else f'f["{TRAIN}"] = ~f.any(axis=1); '
    if not counts <= ({0, 1} if rest else {1}):
        return IN_ONE
    columns, splits = (", ".join(map(literal, each)) for each in (flags, flags.values()))
    change = (
        f'f = t[[{columns}]].apply(lambda c: c.str.strip().str.fullmatch("(?i)1|1[.]0|true|yes"))'
        f".set_axis([{splits}], axis=1); {rest}"
        'assert (f.sum(axis=1) == 1).all(), "a row has no split, or several"; '
        't["split"] = f.idxmax(axis=1); t'
    )
    command = changed(name, delimiter, change, "with-splits")
    return f"{IN_ONE}{': ' * bool(command)}{command}"
