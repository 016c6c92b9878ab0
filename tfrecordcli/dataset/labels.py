"""The label map: which id each label name has, the same in every file of a dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tfrecordcli.errors import InputError
from tfrecordcli.number_notation import are_amounts
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import MAX_LABEL_ID

_CANONICAL_ID = re.compile(r"0|[1-9][0-9]{0,18}")
# An id as pandas writes it where a column had an empty field, which made floats of all: 3.0.
_WHOLE_FLOAT = re.compile(r"(0|[1-9][0-9]{0,18})\.0")
# What takes labels for numbers to predict: of images, and of a table, where they need not be labels.
_OF_IMAGES = "--task regression takes them for numbers to predict"
_TELLS_HOW = "--task regression tells how to write"
_OF_TABLE = (
    "numbers to predict are a further column of a table, stored without --columns label=NAME "
    "(one called label under another name)"
)
_ROUND_NUMBER = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})*,000")  # of banknotes, say
_MOST_ROUND = 10  # classes called `1,000` and so on: more are prices
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
# Characters of a label that a message shows.
_LONGEST_SHOWN = 100


def has_control_characters(text: str) -> bool:
    """Whether text holds C0, C1, line separators or a byte order mark, which names and paths must not."""
    # Most text is printable, which is told faster; a soft hyphen or an odd space is neither.
    return not text.isprintable() and _CONTROL.search(text) is not None


def is_canonical_id(text: str) -> bool:
    """Whether text is an id as a program prints it: 0 to 2**63-1, no sign, no leading zero."""
    return _CANONICAL_ID.fullmatch(text) is not None and int(text) <= MAX_LABEL_ID


def are_numbers(names: Iterable[str]) -> bool:
    """Whether all names could be ids, so that nothing but ``--label-type`` tells which they are."""
    return all(map(is_canonical_id, names))


def is_whole_float(text: str) -> bool:
    """Whether text is an id with `.0` behind it."""
    return _WHOLE_FLOAT.fullmatch(text) is not None and is_canonical_id(text[:-2])


@dataclass(frozen=True, slots=True)
class LabelMap:
    """Names and their ids.

    Attributes:
      kind: ``name``: names numbered from 0; ``id``: the names are the ids themselves.
      ids: name -> id, in id order.
      source: the file that fixed them; empty when they were collected.
      added: names that were not in that file.
      whole_floats: whether ids may be written as whole floats, 3.0 for 3.
      note: what is to be told of the ids.
      warning: what may be wrong with them.
    """

    kind: Literal["name", "id"]
    ids: dict[str, int]
    source: str = ""
    added: tuple[str, ...] = ()
    whole_floats: bool = False
    note: str = ""
    warning: str = ""

    def with_note(self, note: str) -> LabelMap:
        return replace(self, note=note)

    def id_of(self, name: str) -> int:
        """The id of a label.

        Raises:
          Rejected: ``unknown_label`` or ``bad_label_id``.
        """
        label_id = self.ids.get(name)
        if label_id is None and self.whole_floats and is_whole_float(name):
            label_id = self.ids.get(name[:-2])
        if label_id is not None:
            return label_id
        if self.kind == "id" and not is_canonical_id(name):
            raise Rejected("bad_label_id", value=quoted(name))
        raise Rejected("unknown_label", value=quoted(name), labels_file=self.source or "the label map")

    def text_of(self, name: str) -> str:
        """A label that has an id as the map has it."""
        return name if name in self.ids else name[:-2]

    def ids_and_texts(self, names: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """What a record holds for these labels: their ids, and their names as the map has them.

        Raises:
          Rejected: as `id_of`.
        """
        ids = tuple([self.id_of(name) for name in names])
        if self.whole_floats:
            texts = dict.fromkeys(map(self.text_of, names))  # 3 and 3.0 are one
            return tuple(dict.fromkeys(ids)), tuple(texts)
        return ids, names

    def text(self) -> str:
        """Content of labels.txt: one name a line in id order."""
        return "\n".join([*self.ids, ""])


def build_label_map(
    names: Iterable[str],
    label_type: str,
    first_id: int = 0,
    ids: Mapping[str, int] | None = None,
    *,
    of_table: bool = False,
) -> LabelMap:
    """The map of all labels of a source: ids stay as they are, names are numbered sorted.

    Args:
      names: distinct labels.
      label_type: ``auto`` takes them for ids when every one is a canonical id, or every one a whole float;
        ``id`` leaves out those that are neither (their rows are rejected); ``name`` numbers them all.
      first_id: that names are numbered from; 1 where 0 stands for the background.
      ids: that the source itself gives its labels.
      of_table: whether its rows have no images, so that numbers to predict are further columns.

    Raises:
      InputError: ``auto`` was given other numbers with a point.
    """
    names = sorted(names)
    if ids:
        return _map_of_source(names, ids, first_id)
    if label_type == "auto" and names:
        if all(map(is_whole_float, names)):
            return _above_background(_map_of_ids(names, whole_floats=True), first_id)
        if all(map(is_canonical_id, names)):
            return _above_background(_map_of_ids(names, whole_floats=False), first_id)
        _need_no_floats(names, _OF_TABLE if of_table else _OF_IMAGES)
    if label_type == "id":
        return _map_of_ids(names, whole_floats=any(map(is_whole_float, names)))
    return LabelMap("name", {name: number for number, name in enumerate(names, first_id)})


# Why ids of boxes are raised.
OF_BACKGROUND = "in lists of boxes 0 stands for the background"


def _map_of_source(names: Iterable[str], ids: Mapping[str, int], first_id: int) -> LabelMap:
    """Ids as the source has them, all raised where one is below the first; further names come after them."""
    used = [ids[name] for name in names if name in ids]
    more = max(0, first_id - min(used, default=first_id))
    raised = {name: number + more for name, number in sorted(ids.items(), key=lambda item: item[1])}
    known = {name: number for name, number in raised.items() if number >= first_id}
    last = max(known.values(), default=first_id - 1)
    others = sorted(name for name in names if name not in known)
    labels = LabelMap("name", known | {name: number for number, name in enumerate(others, last + 1)})
    left_out = _left_out(raised.keys() - known.keys() - {*others}, first_id)
    return labels.with_note(
        f"label ids are those of the list plus {more}: {OF_BACKGROUND}" if more else left_out
    )


def _left_out(names: Iterable[str], first_id: int) -> str:
    """What is to be told of labels whose ids are below the first one, and which nothing has."""
    shown = ", ".join(map(quoted, sorted(names)))
    return (
        f"{shown} has an id below {first_id} and no box, and is left out; in a list with a box of it all ids "
        "are raised: --labels FILE, all names in order, a line each, gives both the same"
        if shown
        else ""
    )


def _map_of_ids(names: Iterable[str], *, whole_floats: bool) -> LabelMap:
    ids = sorted({int(id_text) for id_text in _id_texts(names, whole_floats)})
    return LabelMap("id", {str(i): i for i in ids}, whole_floats=whole_floats)


def _above_background(labels: LabelMap, first_id: int) -> LabelMap:
    """Ids as they are, or all raised where one of them is below the first."""
    if first_id <= min(labels.ids.values()):
        return labels
    return replace(labels, kind="name", ids={name: number + first_id for name, number in labels.ids.items()})


def _id_texts(names: Iterable[str], whole_floats: bool) -> Iterator[str]:
    """Those names that are ids, as a program prints them."""
    for name in names:
        if is_canonical_id(name):
            yield name
        elif whole_floats and is_whole_float(name):
            yield name[:-2]


def _need_no_floats(names: Sequence[str], way_out: str) -> None:
    """Refuses labels that are measurements: each would become a class of its own.

    Args:
      way_out: what takes them for numbers.

    Raises:
      InputError: more than half are numbers, and some of them have a point.
    """
    _need_no_amounts(names, way_out)
    _need_no_commas(names)
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    floats = [name for name in numbers if not name.lstrip("+-").isdecimal()]
    if not floats or 2 * len(numbers) <= len(names):
        return
    others = [name for name in names if not is_whole_float(name)]
    but = 0 < 2 * len(others) < len(names)  # those are what was not expected, and what a person looks for
    odd = others if but else floats
    shown = ", ".join(map(quoted, odd[:3])) + (f" and {len(odd) - 3:,} more" if len(odd) > 3 else "")
    what = "whole numbers with a decimal point but for some" if but else "numbers with a decimal point"
    raise InputError(
        f"the labels are {what} ({shown}), not classes: is this the label column?",
        f"{way_out}; --label-type name makes a class of each; "
        "--label-type id takes 3.0 for 3 and rejects what is no id",
    )


def _need_no_amounts(names: Sequence[str], way_out: str) -> None:
    """The same of sums of money, and of numbers with marks of thousands.

    Raises:
      InputError: more than half are such, but a few kinds of banknotes or coins.
    """
    if are_amounts(names):
        shown = ", ".join(map(quoted, names[:3]))
        how = f"{_TELLS_HOW} them as numbers to predict" if way_out == _OF_IMAGES else way_out
        raise InputError(
            f"the labels are amounts ({shown}), not classes: is this the label column?",
            f"{how}; --label-type name makes a class of each",
        )


def _need_no_commas(names: Sequence[str]) -> None:
    """The same of measurements as half of the world writes them.

    Raises:
      InputError: more than half are numbers, and some have a comma, but as a few kinds of `1,000` have it.
    """
    found = [name for name in names if _COMMA_NUMBER.fullmatch(name)]
    numbers = [*found, *filter(NUMBER.fullmatch, names)]
    are_kinds = len(names) <= _MOST_ROUND and all(map(_ROUND_NUMBER.fullmatch, found))
    if found and not are_kinds and 2 * len(numbers) > len(names):
        shown = ", ".join(map(quoted, found[:3]))
        raise InputError(
            f"the labels are numbers with a comma ({shown}), not classes: is this the label column?",
            f"{_TELLS_HOW} them as numbers to predict; --label-separator , "
            "takes them for several labels; --label-type name makes a class of each",
        )


def extended(labels: LabelMap, names: Iterable[str]) -> LabelMap:
    """A map with those names that it lacks: ids stay as they are, names are numbered after it, sorted.

    No id of the map changes. Names that are no ids are left out of a map of ids, and their rows rejected.
    """
    if labels.kind == "id":
        texts = set(_id_texts(names, labels.whole_floats)) - labels.ids.keys()
        added = sorted(texts, key=int)
        ids = labels.ids | {name: int(name) for name in added}
        ids = dict(sorted(ids.items(), key=lambda item: item[1]))
    else:
        plain = (name[:-2] if labels.whole_floats and is_whole_float(name) else name for name in names)
        added = sorted({name for name in plain if name not in labels.ids})
        following = max(labels.ids.values(), default=-1) + 1
        ids = labels.ids | {name: number for number, name in enumerate(added, following)}
    return replace(labels, ids=ids, added=tuple(added))


def quoted(name: str) -> str:
    """A name between quotes, with its escapes written out; a very long one is cut."""
    return repr(name if len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…")
