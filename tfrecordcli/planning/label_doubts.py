"""Labels that are no classes as they stand and are refused: several in one, lists in text, names of files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import names_a_file, without_extension
from tfrecordcli.sources.label_fields import are_vectors, is_list, parts_of
from tfrecordcli.units import plural

# What may stand between labels, the most certain first, and how many labels of several parts are enough.
_SEPARATORS: Final = {"|": 1, ";": 1, ",": 2, " ": 2, "+": 2, "&": 2}
# Those that stand between ids and in no number.
_BETWEEN_IDS: Final = "|; "
# Those that hardly any name of one class has.
_RARE_IN_NAMES: Final = "|;"
# What stands within the names of many classes, as `on/off`, and between others.
_HYPHENS: Final = "/_-"
# Where labels come from, and how others are chosen.
LABEL_COLUMN: Final = "the label column", "--columns label=NAME names another one"
LABEL_FOLDER: Final = "the folder of the label", "--label-folder first or last chooses it"

_NAMED: Final = {" ": "blank"}
_MANY: Final = 6  # names that can show that they are combinations
_SIBLINGS: Final = 2  # names below another that show a hierarchy
# Names of classes can have parts in common; of more labels than these a few show that.
_LOOKED_AT: Final = 10_000


def need_classes(
    names: Collection[str], options: ReadOptions, *, several: bool = False, are_folders: bool = False
) -> None:
    """Refuses labels that would each become a class and are none.

    Args:
      names: distinct labels of the list.
      options: that may say that they are meant so.
      several: whether rows have several labels already.
      are_folders: whether they are names of folders, not words of a column.

    Raises:
      InputError: what they are, with the option that settles it.
    """
    if options.label_type != "auto" or options.one_hot:
        return
    _need_no_paths(names, are_folders)
    if not are_folders and options.label_separator is None and options.label_names is None:
        _need_no_lists(names)
        if not several:
            _need_single_labels(names)


def _need_no_paths(names: Collection[str], are_folders: bool) -> None:
    paths = sorted(name for name in names if names_a_file(name) and without_extension(name))
    if 2 * len(paths) > len(names):
        where, hint = LABEL_FOLDER if are_folders else LABEL_COLUMN
        raise InputError(
            f"labels are names of files ({', '.join(map(quoted, paths[:2]))}): is that {where}?",
            f"{hint}; --label-type name makes a class of each",
        )


def _need_no_lists(names: Collection[str]) -> None:
    lists = sorted(filter(is_list, names))
    if lists:
        others = sorted({*names} - {*lists})
        beside = f" beside others ({quoted(others[0])})" if others else ""
        raise InputError(
            f"{plural(len(lists), 'label')} {'is a list' if len(lists) == 1 else 'are lists'} in text "
            f"({quoted(lists[0])}){beside}",
            "write all as lists or none; --label-separator none takes each field as one label",
        )


def _need_single_labels(names: Collection[str]) -> None:
    for separator, least in _SEPARATORS.items():
        several = _several(names, separator)
        if len(several) == len(names) and are_vectors(several.values()):
            example = quoted(min(names))
            raise InputError(
                f"labels are rows of 0 and 1, a place each: {example}",
                "write them in brackets, as [1 0 0]; --label-separator none makes a class of each",
            )
        made = _made_of_others(several, names)
        are_few = len(made) < least or 2 * len(made) < len(several)
        again = _with_labels_again(several, names) if separator in _RARE_IN_NAMES else []
        if separator == ",":
            again = _in_other_places(several)
        if (
            are_few
            and not again
            and not _are_combinations(several, names)
            and not _are_ids(several, names, separator)
        ):
            continue
        what, example = (
            "labels are made of several",
            min(made or again or several, key=lambda name: (len(name), name)),
        )
        raise InputError(
            f"{what}: {quoted(example)} of {' and '.join(map(quoted, several[example]))}",
            f"{_option(separator)} parts them; --label-separator none takes each field as one label",
        )


def made_of_others_warning(names: Collection[str], options: ReadOptions) -> str:
    """What to know of a label that may be two, where that is too little to refuse it; empty when none is."""
    is_settled = options.label_separator is not None or options.label_names is not None
    if is_settled or options.one_hot or options.label_type != "auto":
        return ""
    for separator in (*_SEPARATORS, *_HYPHENS):
        several, are = _several(names, separator), "labels as well"
        if several and separator in _RARE_IN_NAMES:
            name = min(several)
            return f"label {quoted(name)} may be {len(several[name])} labels: {_option(separator)} parts it"
        made = sorted(name for name, parts in several.items() if all(part in names for part in parts))
        if not made and separator not in _HYPHENS:
            made = sorted(_made_of_others(several, names)) or sorted(_in_other_places(several))
            are = "words of other labels as well"
        if made:
            parts = " and ".join(map(quoted, several[made[0]]))
            return f"label {quoted(made[0])} may be {parts}, {are}: {_option(separator)} parts it"
    return ""


def _option(separator: str) -> str:
    return command_line(["--label-separator", _NAMED.get(separator, separator)])


def _several(names: Iterable[str], separator: str) -> dict[str, list[str]]:
    """The parts of those names that have more than one."""
    parted = {name: parts_of(name, separator) for name in _first(names) if separator in name}
    return {name: parts for name, parts in parted.items() if len(parts) > 1}


def _are_combinations(several: dict[str, list[str]], names: Collection[str]) -> bool:
    """Whether few words, in numbers that vary, make many names: names of classes have words of their own."""
    words = {part for parts in several.values() for part in parts}
    lengths = set(map(len, several.values()))
    is_most = 2 * len(several) > len(names)
    return is_most and len(several) >= _MANY and len(lengths) > 1 and 4 * len(words) <= 3 * len(several)


def _are_ids(several: dict[str, list[str]], names: Collection[str], separator: str) -> bool:
    """Whether all names are whole numbers, one or several: the Human Protein Atlas' `16 0`."""
    if not several or separator not in _BETWEEN_IDS:
        return False
    return all(part.isdecimal() for name in _first(names) for part in several.get(name, [name]))


def _first(names: Iterable[str]) -> list[str]:
    return [name for name, _ in zip(names, range(_LOOKED_AT), strict=False)]


def _with_labels_again(several: dict[str, list[str]], names: Collection[str]) -> list[str]:
    """Those names of which a part is a label by itself, or stands in another place of another name.

    In names of a hierarchy (`animal|dog`, `animal|cat`) what comes again is in the same place, and what is a
    label by itself, too (`animal`), is in the first, with several below it.
    """
    places = defaultdict[str, set[int]](set)
    below = Counter(parts[0] for parts in several.values())
    for parts in several.values():
        for place, part in enumerate(parts):
            places[part].add(place)
    known = {name for name in names if name in places}  # of many labels most are part of none
    for name in known:
        places[name].add(0)
    return [
        name
        for name, parts in several.items()
        if any(len(places[part]) > 1 or (part in known and below[part] < _SIBLINGS) for part in parts)
    ]


def _in_other_places(several: dict[str, list[str]]) -> list[str]:
    """Those names of which a part stands in another place of another, if these are most: `sea, beach`.

    Names of classes are hardly turned round, as `beach, sunset` and `sea, beach` are.
    """
    places = defaultdict[str, set[int]](set)
    for parts in several.values():
        for place, part in enumerate(parts):
            places[part].add(place)
    again = [name for name, parts in several.items() if any(len(places[part]) > 1 for part in parts)]
    return again if len(again) > 1 and 2 * len(again) > len(several) else []


def _made_of_others(several: dict[str, list[str]], names: Collection[str]) -> list[str]:
    """Those names whose parts are all labels by themselves, or parts of other names."""
    met = Counter(part for parts in several.values() for part in dict.fromkeys(parts))
    known = {*names}
    is_shared = {part: part in known or count > 1 for part, count in met.items()}
    made = [name for name, parts in several.items() if all(is_shared[part] for part in parts)]
    # Words that no label stands for by itself are adjectives and the like.
    return [name for name in made if sum(part in known for part in several[name]) * 2 >= len(several[name])]
