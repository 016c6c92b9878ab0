"""What a person should know about the labels of a dataset before training on them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, starmap
from typing import Final

from tfrecordcli.dataset.labels import LabelMap, is_canonical_id, is_whole_float, quoted
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.options import ReadOptions
from tfrecordcli.planning.label_doubts import LABEL_COLUMN, LABEL_FOLDER
from tfrecordcli.reasons import Rejected
from tfrecordcli.units import plural

# With fewer rows, a label for each of them can be meant where some come again.
_FEW_ROWS: Final = 20
_SOME_ROWS: Final = 8  # of which each has a word of its own
# Above this share of the rows, labels are names or numbers of the rows, of which some come twice by chance.
_OWN_LABELS: Final = 0.9

_MANY_IDS: Final = 20
_SELDOM: Final = 3  # rows of each id, on average, below which these may be numbers to predict
_LOOKED_AT: Final = 10_000  # names
# As programs write that there is no value, to the letter. Of further columns, which have no names of classes,
# more words are taken for it (`further_columns.NO_VALUE`).
_NO_VALUES: Final = frozenset(
    ("nan", "NaN", "NAN", "NaT", "None", "null", "NULL", "Null", r"\N", "N/A", "n/a", "#N/A", "<NA>", "nil",
     "?", "??", "-", "--", "---", ".", "[]", "{}")
)  # fmt: skip
# As people write it, in any case; names of classes, too. Camera traps have classes `empty` and `blank`.
_MAY_BE_NO_VALUES: Final = frozenset(
    ("na", "none", "unknown", "undefined", "missing", "unlabeled", "unlabelled", "unspecified", "unassigned",
     "not labeled", "not labelled", "no label", "no_label", "nolabel", "tbd", "todo")
)  # fmt: skip
# What stands behind the name of a class whose images were copied or changed: `cat (1)`, `cat_augmented`.
_COPIES: Final = re.compile(
    r"(.+?)(?: ?\([0-9]+\)|[ _-]+(?:aug|augmented|copy|copies|flipped|rotated|duplicates?))", re.IGNORECASE
)


def label_warnings(
    labels: LabelMap,
    label_type: str,
    first_id: int = 0,
    one_spelling: Callable[[], str] | None = None,
    *,
    may_be_targets: bool = False,
    rows: int = 0,
) -> list[str]:
    """The warnings about a label map, one line each.

    Args:
      labels: the map.
      label_type: that was asked for: ``auto``, ``name`` or ``id``.
      first_id: 1 in a list of boxes, where 0 stands for the background.
      one_spelling: says what makes labels one that look alike.
      may_be_targets: whether ids could be numbers to predict, one a row of a list.
      rows: that have a label.
    """
    warnings = [labels.warning] if labels.warning else []
    is_guess = label_type == "auto" and labels.kind == "name" and not labels.source
    mixed = _mixed_with_numbers(labels) if is_guess else ""
    if mixed:
        warnings.append(mixed)
    if labels.added:
        warnings.append(f"labels that are not in {labels.source}: {_first(map(quoted, labels.added))}")
    alike = _first(starmap(_told_apart, _alike(labels.ids)))
    if alike:
        how = f"; {one_spelling()}" if one_spelling else ""
        warnings.append(f"labels that look alike are kept apart: {alike}{how}")
    copies = _first(_copies(labels.ids)) if len(labels.ids) <= _LOOKED_AT else ""
    if copies:
        warnings.append(f"labels that may be copies of others are kept apart: {copies}")
    if labels.kind == "id" and labels.ids and _have_gaps(labels.ids.values(), first_id):
        are_rare = 0 < rows < _SELDOM * len(labels.ids)
        warnings.append(_of_gaps(labels.ids, first_id, may_be_targets=may_be_targets, are_rare=are_rare))
    if first_id and 0 in labels.ids.values():
        warnings.append(
            "a label of boxes has the id 0, which readers take for the background: "
            "without --label-type id all ids are raised by one"
        )
    background = next((name for name in labels.ids if name.lower().strip("_") == "background"), None)
    if first_id and background is not None and labels.ids[background]:
        warnings.append(
            f"label {quoted(background)} is a class of boxes with the id {labels.ids[background]}, "
            "and 0 stands for the background besides: if it is that, leave it out of the list or of the names"
        )
    return warnings


def _have_gaps(ids: Collection[int], first_id: int) -> bool:
    return max(ids) != len(ids) - 1 + min(first_id, *ids)


def _of_gaps(ids: Mapping[str, int], first_id: int, *, may_be_targets: bool, are_rare: bool) -> str:
    """That ids have gaps; many that are far apart, or in hardly any rows each, may be no classes at all."""
    top = max(ids.values())
    are_spread = may_be_targets and len(ids) >= _MANY_IDS and (are_rare or top >= 2 * len(ids))
    numbers = "; where they are numbers to predict, --task regression takes them so" * are_spread
    return (
        f"label ids have gaps: {plural(len(ids), 'id')}, the highest is {top}; "
        f"a {'detector' if first_id else 'classifier'} needs highest + 1 outputs "
        f"(--label-type name numbers them from {first_id}{numbers})"
    )


def is_raised(ids: Mapping[str, int]) -> bool:
    """Whether labels are numbers, and their ids these plus 1."""
    return bool(ids) and all(name == str(number - 1) for name, number in ids.items())


def column_warnings(
    met: Collection[str],
    rows: int,
    *,
    several: bool,
    are_folders: bool,
    are_of_boxes: bool,
    as_texts: Callable[[], str] = str,
) -> Iterator[str]:
    """Whether what stands in the label column can be meant as labels.

    Args:
      met: the distinct labels of rows that are used.
      rows: that are planned and have a label.
      several: whether rows have several labels.
      are_folders: whether the labels are names of folders.
      are_of_boxes: boxes of one class alone can be learned from.
      as_texts: says how labels are stored that are texts; empty where nothing does.
    """
    where, hint = LABEL_FOLDER if are_folders else LABEL_COLUMN
    if len(met) == 1 < _FEW_ROWS <= rows and not are_of_boxes:
        yield (
            f"all {rows:,} rows have the label {_first(map(quoted, met))}, so nothing can be told apart: "
            f"is that {where}? {hint}"
        )
    are_words = not all(map(NUMBER.fullmatch, met))
    is_enough = rows >= _FEW_ROWS or (are_words and len(met) == rows >= _SOME_ROWS)
    if is_enough and len(met) > _OWN_LABELS * rows and not several:
        shown = _first(map(quoted, sorted(met)), 2)
        many = "as many labels as rows" if len(met) >= rows else f"{len(met):,} labels in {rows:,} rows"
        yield (
            f"there are {many} ({shown}), so hardly anything can be learned from them: "
            f"is that {where}? {(are_words and as_texts()) or hint}"
        )


def no_value_doubt(
    met: Iterable[str],
    *,
    are_by_programs: bool,
    are_of_boxes: bool,
    columns: str = "",
    emptied: Callable[[Sequence[str]], str] = lambda _: "",
) -> str:
    """What to know of labels that are written where there is no value; empty when there is none.

    Args:
      met: the distinct labels of a column, of rows that are used.
      are_by_programs: whether of words that programs write there; else of those that people write, which are
        names of classes as well.
      are_of_boxes: which need a label each.
      columns: the option that names the label column where labels are not needed; empty: none is needed.
      emptied: the command that empties the fields of such words; empty where there is none.
    """
    command = ""
    if are_by_programs:
        found = sorted(_NO_VALUES.intersection(met))
        are = "label {} is a class, and a word" if len(found) == 1 else "labels {} are classes, and words"
        doubt = f"{are.format(', '.join(map(quoted, found)))} for no value elsewhere: where that is meant"
        command = emptied(found) if found else ""
    else:
        found = sorted(label for label in {*met} - _NO_VALUES if label.lower() in _MAY_BE_NO_VALUES)
        are = "is a class" if len(found) == 1 else "are classes"
        doubt = f"{_first(map(quoted, found))} {are} like others; where no label is meant"
    options = " ".join(filter(None, [columns, "--unlabelled"]))
    empty = f"leave these fields of the list empty{': ' * bool(command)}{command}"
    hint = f"{empty}, and give {options} keep or skip"
    if are_of_boxes:
        # Without their rows, these boxes would be background in images that have others.
        hint = f"{empty}, which rejects their images"
    return f"{doubt}, {hint}" if found else ""


def absent_labels_warning(unlabelled: int, labels: LabelMap) -> str:
    """What to know of an index beside records of which some have no label; empty where none or all have."""
    if not unlabelled or not labels.ids:
        return ""
    return (
        f"{plural(unlabelled, 'row')} without a label: NVIDIA DALI, which --index is for, fails on labels "
        "that some records lack, or makes them up; --unlabelled skip leaves these rows out"
    )


def rejected_alone(splits: Mapping[str, int], labels: LabelMap) -> str:
    """The warning of labels that nothing but rows which are rejected has; empty for none, or for given ids.

    Args:
      splits: bits of the splits that each label occurs in.
      labels: the ids.
    """
    alone = sorted(label for label, bits in splits.items() if not bits and label in labels.ids)
    if not alone or labels.source:
        return ""
    have, get = ("has", "gets an id") if len(alone) == 1 else ("have", "get ids")
    named = _first(map(quoted, alone))
    return (
        f"{plural(len(alone), 'label')} of rejected rows alone {get} and {have} no record ({named}): "
        "where these rows are no images, as totals are none, delete them from the list"
    )


def several_rows_warning(problems: Mapping[str, int], options: ReadOptions, meant: Callable[[], str]) -> str:
    """What to know of images that stand in several rows with other labels; empty when there is none.

    Args:
      problems: rows by their codes.
      meant: says what else such rows can be, and what to do then; empty where nothing tells.
    """
    rows = problems.get("conflicting_label", 0)
    if not rows or options.multi_label:
        return ""
    told = f"{plural(rows, 'row')} name an image with another label than others do"
    how = "--multi-label makes one record of such rows, with all of their labels"
    other = meant()
    return f"{told}: {other}; where an image has all of these labels, {how}" if other else f"{told}: {how}"


def several_splits_warning(problems: Mapping[str, int], meant: Callable[[], str]) -> str:
    """The same of splits; empty also where nothing tells what such rows are."""
    rows = problems.get("conflicting_split", 0)
    other = meant() if rows else ""
    return f"{plural(rows, 'row')} name an image in another split than others do: {other}" if other else ""


def several_values_warning(problems: Mapping[str, int], meant: Callable[[], str]) -> str:
    """The same of numbers to predict; empty also where nothing tells what such rows are."""
    rows = problems.get("conflicting_value", 0)
    other = meant() if rows else ""
    return f"{plural(rows, 'row')} name an image with another number than others do: {other}" if other else ""


def whole_floats_note(labels: LabelMap, label_type: str, met: Collection[str]) -> str:
    """What was made of labels such as 3.0; empty when there is none."""
    floats = _first(map(quoted, filter(is_whole_float, met)), 2) if labels.whole_floats else ""
    if not floats or labels.source:
        return ""
    how = "; --label-type name makes names of them" if label_type == "auto" else ""
    return f"labels that are whole floats ({floats}) are taken for ids, in the order of the numbers{how}"


def only_outside_train(labels: LabelMap, elsewhere: Iterable[str], in_train: Collection[str]) -> list[str]:
    """Labels as records have them, which occur in other splits and not in train; in the order of the map.

    Args:
      labels: the map; what it does not have is in no record.
      elsewhere, in_train: labels as the source writes them.
    """

    def ids(names: Iterable[str]) -> Iterator[int]:
        for name in names:
            with suppress(Rejected):
                yield labels.id_of(name)

    missing = set(ids(elsewhere)).difference(ids(in_train))
    return [name for name, number in labels.ids.items() if number in missing] if missing else []


def with_points(outside: Collection[str], ids: Collection[str]) -> list[str]:
    """All labels that end in a point, where each is one of train with that behind it; else none.

    Args:
      outside: labels that occur only outside train, in the order of the map.
      ids: all labels.
    """
    found, outside = [name for name in ids if name.endswith(".")], frozenset(outside)
    are_twins = all(name in outside and name[:-1] in ids and name[:-1] not in outside for name in found)
    return found if are_twins else []


def _mixed_with_numbers(labels: LabelMap) -> str:
    """Of numbers that became names because of a few labels that are no ids."""
    others = sum(not is_canonical_id(name) for name in labels.ids)
    if not others or 2 * others > len(labels.ids):
        return ""
    shown = _first(quoted(name) for name in labels.ids if not is_canonical_id(name))
    return (
        f"labels are numbers but for {shown}, so all are taken for names and "
        "renumbered; --label-type id keeps the numbers and rejects the other rows"
    )


def _alike(names: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Pairs of names that differ in case, blanks, the composing or the width of letters only, in their order.

    Names that are written as they are compared cost no memory: of a million labels most are.
    """
    first: dict[str, str] = {}
    for name, place in names.items():
        plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
        folded = " ".join(plain.casefold().split())
        if folded == name:
            other = first.get(name, name)
        elif names.get(folded, place) < place:
            other = first.setdefault(folded, folded)
        else:
            other = first.setdefault(folded, name)
        if other != name:
            yield other, name


def _composed(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _copies(names: Mapping[str, int]) -> Iterator[str]:
    """Names of classes that may hold images of another, copied or changed, with that other."""
    for name in names:
        match = _COPIES.fullmatch(name)
        if match and match[1] in names:
            yield f"{quoted(name)} of {quoted(match[1])}"


def _told_apart(one: str, other: str) -> str:
    """Both names; letters that are put together from several characters are told by these."""
    if _composed(one) == one and _composed(other) == other:
        return f"{quoted(one)} and {quoted(other)}"
    return f"{one!a} and {other!a} (Unicode normalization)"


def _first(items: Iterable[str], most: int = 3) -> str:
    """The first few of any number of items, and how many more there are; empty when there is none."""
    rest = iter(items)
    shown = list(islice(rest, most))
    more = sum(1 for _ in rest)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
