"""Columns of yes and no that each stand for a split, as `is_train`, `is_val`, `is_test`; or of folds."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tfrecordcli.sources.label_fields import is_any_flag, is_any_yes
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.split_words import TEST, TRAIN, VALIDATION, split_of

IN_ONE: Final = "write them into one column called split"


# What stands around the word of a split in names of flags, as in `in_test`, `is_training_image`.
_BEFORE: Final = frozenset(("is", "in", "for", "use", "used"))
_BEHIND: Final = frozenset(("image", "images", "set", "flag", "split", "sample", "subset"))
_WORDS: Final = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_FOLD: Final = re.compile(r"(?:k|cv)?[ _-]?folds?(?:[ _-]?(?:id|no|nr|number|index|idx))?", re.IGNORECASE)
_YES: Final = '.str.strip().str.fullmatch("(?i)1|1[.]0|t|true|y|yes")'


def split_called(name: str) -> str:
    """The split that a column of flags is called by, as `test`, `is_val`, `isTrainingImage`; else empty.

    What is validated last, as `is_final_validation`, and what is held out, is the test.
    """
    words = [word.lower() for word in _WORDS.split(name) if word]
    while words[1:] and words[0] in _BEFORE:
        words.pop(0)
    while words[1:] and words[-1] in _BEHIND:
        words.pop()
    is_last = words[1:] != [] and words[0] == "final"
    plain = "".join(words[is_last:])
    split = split_of(plain) or split_of(plain.removeprefix("is").removesuffix("image"))
    is_test = plain in ("heldout", "isholdout", "isheldout") or (is_last and split == VALIDATION)
    return TEST if is_test else split


def is_of_folds(name: str) -> bool:
    """Whether a column is called like one of the numbers of folds."""
    return _FOLD.fullmatch(name) is not None


def is_said_of_split(name: str) -> bool:
    """Whether such a name says that it is a flag, as `is_valid` and `in_test` do, and `valid` does not."""
    words = [word.lower() for word in _WORDS.split(name) if word]
    return words[1:] != [] and words[0] in _BEFORE and bool(split_called(name))


def flags_of_splits(columns: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Which columns hold yes and no and are called by splits: name -> split.

    Args:
      columns: name -> fields.

    Returns:
      Nothing where all of them are of one split.
    """
    called = {name: split_called(name) for name, fields in columns.items() if any(fields)}
    found = {name: split for name, split in called.items() if split and all(map(is_any_flag, columns[name]))}
    return found if len({*found.values()}) > 1 else {}


def splits_of_flags(
    flags: Mapping[str, str], rows: Sequence[Sequence[str]], name: str, delimiter: str
) -> str:
    """What makes a column of splits of such columns: a command, where each row has one yes or means train.

    Args:
      flags: name of the column -> split.
      rows: fields of the first rows in these columns, in their order.
      name, delimiter: of the list.
    """
    counts = {sum(map(is_any_yes, fields)) for fields in rows}
    rest = "" if TRAIN in flags.values() else f'f["{TRAIN}"] = ~f.any(axis=1); '
    if not counts <= ({0, 1} if rest else {1}):
        return IN_ONE
    columns, splits = (", ".join(map(literal, each)) for each in (flags, flags.values()))
    change = (
        f"f = t[[{columns}]].apply(lambda c: c{_YES})"
        f".set_axis([{splits}], axis=1); {rest}"
        'assert (f.sum(axis=1) == 1).all(), "a row has no split, or several"; '
        't["split"] = f.idxmax(axis=1); t'
    )
    command = changed(name, delimiter, change, "with-splits")
    return f"{IN_ONE}{': ' * bool(command)}{command}"


def splits_with_flag(
    column: str, splits: Mapping[str, str], flag: tuple[str, str], name: str, delimiter: str, *, is_read: bool
) -> str:
    """What makes one column of splits out of one of other words, and a flag that counts before it.

    Args:
      column, splits: the one, and the split of each of its words.
      flag: the name of the column of yes and no, and the split that yes means.
      name, delimiter: of the list.
      is_read: whether the one is read as the split by its name, so that it has to go.
    """
    pairs = ", ".join(f"{literal(word)}: {literal(split)}" for word, split in splits.items())
    taken = f"t.pop({literal(column)})" if is_read else f"t[{literal(column)}]"
    change = (
        f't["split"] = {taken}.str.strip().map({{{pairs}}}).mask(t[{literal(flag[0])}]{_YES}, '
        f'{literal(flag[1])}); assert t["split"].notna().all(), "a row has no split"; t'
    )
    command = changed(name, delimiter, change, "with-splits")
    return f"{IN_ONE}{': ' * bool(command)}{command}"
