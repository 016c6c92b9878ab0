"""What a list may be meant to say, told from its first rows: options to choose from, never a choice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tfrecordcli.number_notation import Notation
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option, known_columns
from tfrecordcli.sources.proposals.image_columns import free_columns, proposed_image
from tfrecordcli.sources.proposals.label_weights import vote_columns
from tfrecordcli.sources.proposals.measured import shown_range
from tfrecordcli.sources.proposals.splits import certain_flag, is_of_splits, propose_split_map, tells_splits
from tfrecordcli.sources.proposals.table import SAMPLE, Table, column_of
from tfrecordcli.sources.proposals.unread import Unread
from tfrecordcli.sources.proposals.way import Kind, Way
from tfrecordcli.sources.proposals.ways import likely_ways
from tfrecordcli.sources.proposals.written_numbers import in_plain_numbers, notations
from tfrecordcli.sources.said_splits import says_splits
from tfrecordcli.units import join_names, plural, some_of

_Pairs = Sequence[tuple[str, str]]

# Stands for the column of labels where none can be told.
NO_LABEL: Final = "NAME"
_SHOWN: Final = 2  # words of a column


@dataclass(frozen=True, slots=True)
class Proposal:
    """Options that read a list in one way.

    Attributes:
      kind: of what is learned then.
      column: that holds it; of columns of yes and no, and where it cannot be told, none.
      holds: what is there, as messages show it.
      options: as a shell has them.
      flags: numbers of the columns of yes and no.
      notation: how all numbers to predict are written; None: plainly, as they have to be.
    """

    kind: Kind
    column: str
    holds: str
    options: str
    flags: tuple[int, ...] = ()
    notation: Notation | None = None

    @property
    def has_label(self) -> bool:
        """Whether it can be told what is learned."""
        return bool(self.column) or self.kind == "flags"

    def __str__(self) -> str:
        """The options, and where they are right."""
        what = {
            "label": f"{self.column} is the label",
            "target": f"{self.column} is to be predicted",
            "flags": "columns of yes and no are the labels",
        }
        return f"where {what[self.kind]} ({self.holds}), {self.options}"


def propose_columns(
    header: Sequence[str],
    table: Table,
    given: Iterable[tuple[str, str]],
    task: str = "auto",
    *,
    with_flags: bool = False,
) -> list[Proposal]:
    """Options that name image and label columns where a header does not, the likeliest first.

    None, where the image cannot be told. Where the label cannot, `NO_LABEL` stands for it.

    Args:
      header: column names.
      table: fields of the first rows, outer blanks removed.
      given: (purpose, column) pairs that the user gave.
      task: that was asked for.
      with_flags: whether a column of yes and no may tell the split: no option says how rows get one.
    """
    given = list(given)
    image = proposed_image(header, table, given)
    if not image:
        return []
    free = [i for i in free_columns(header, given) if header[i] != image]
    words = [("image_uri", image), *(pair for pair in given if pair[0] not in ("image_uri", "label"))]
    splits = [i for i in free if tells_splits(header[i], column_of(table, i))]
    split_map = ""
    is_free = "split" not in dict(given) and not known_columns(header, "split")
    if splits and is_free:
        words.append(("split", header[splits[0]]))
        split_map = propose_split_map(header[splits[0]], column_of(table, splits[0]))
    elif with_flags and is_free:
        columns = {header[i]: column_of(table, i) for i in free}
        flag, split_map = certain_flag(columns, len(table), is_whole=len(table) < SAMPLE)
        words += [("split", flag)] * bool(flag)
    if "label" in dict(given):
        return [_of_column("label", dict(given)["label"], "", words, split_map)]
    free = [i for i in free if i not in splits and not is_of_splits(header[i], column_of(table, i))]
    votes = vote_columns(table, free)
    images = column_of(table, header.index(image)) if image in header else []
    comes_again = len({*images}) < len(images)
    free = [i for i in free if i not in votes and not (comes_again and _counts(table, i, header, image))]
    written = notations(table, free)
    plain = in_plain_numbers(table, written)
    ways = likely_ways(header, plain, free, task)
    if not ways and table:
        return [_of_column("label", "", "", words, split_map)]
    as_task = "--task regression" if task == "auto" else ""
    return [
        replace(
            _proposal(way, header, plain, words, (as_task, split_map)), notation=written.get(way.columns[0])
        )
        if way.kind == "target"
        else _proposal(way, header, table, words, (as_task, split_map))
        for way in ways
    ]


def propose_for(
    unread: Unread, header: Sequence[str], given: Iterable[tuple[str, str]], task: str = ""
) -> list[Proposal]:
    """The same for a list.

    Args:
      header: names of its columns, but for those that are none of an image or a label: these are empty.
      given: as above.
      task: empty: that which was asked for.
    """
    with_flags = not says_splits(unread.options)
    return propose_columns(header, unread.table, given, task or unread.options.task, with_flags=with_flags)


def mended(proposals: Iterable[Proposal], command: Callable[[str, Notation], str]) -> list[Proposal]:
    """The same, with the command before the options where numbers are not written plainly.

    Args:
      command: by column and notation, that writes them so; empty where there can be none.
    """
    return [
        replace(
            each,
            options=f"{plainly(each.notation, command(each.column, each.notation))}, "
            f"and convert that with {each.options}",
        )
        if each.notation
        else each
        for each in proposals
    ]


def plainly(notation: Notation, command: str) -> str:
    """What to do with numbers that are written so, with the command, which may be empty."""
    what = f"leave out the unit {notation.sign}" if notation.is_unit else "write plain numbers"
    return f"{what}{': ' * bool(command)}{command}"


def choice(proposals: Sequence[Proposal]) -> str:
    """Proposals to choose from, the options of the first at the beginning, with what their columns hold."""
    first, *others = proposals
    holds = f" ({first.holds})" if first.holds else ""
    return "; ".join([f"{first.options}{holds}", *map(str, others)])


def _proposal(
    way: Way, header: Sequence[str], table: Table, words: _Pairs, further: tuple[str, str]
) -> Proposal:
    """A way in words.

    Args:
      words: (purpose, column) of what is no label.
      further: the option for numbers to predict, the one for words of splits.
    """
    as_task, split_map = further
    if way.kind == "flags":
        one_hot = command_line(["--one-hot", join_names(header[i] for i in way.columns)])
        holds = f"{len(way.columns):,} columns"
        options = _joined(columns_option(words), one_hot, split_map)
        return Proposal("flags", "", holds, options, way.columns)
    fields = column_of(table, way.columns[0])
    shown = shown_range(fields) if way.kind == "target" else some_of(list(dict.fromkeys(fields)), _SHOWN)
    holds = f"{' '.join(shown.split())} in {plural(len(fields), 'row')}"
    option = as_task if way.kind == "target" else ""
    return _of_column(way.kind, header[way.columns[0]], holds, words, option, split_map)


def _of_column(kind: Kind, column: str, holds: str, words: _Pairs, *further: str) -> Proposal:
    """The proposal of one column; empty: it cannot be told."""
    options = columns_option([words[0], ("label", column or NO_LABEL), *words[1:]])
    return Proposal(kind, column, holds, _joined(options, *further))


def _joined(*options: str) -> str:
    return " ".join(filter(None, options))


def _counts(table: Table, column: int, header: Sequence[str], image: str) -> bool:
    """Whether a column numbers the rows of each image, from 0 or 1: such numbers are no labels."""
    met: defaultdict[str, list[str]] = defaultdict(list)
    place = header.index(image) if image in header else len(header)
    for row in table:
        if max(column, place) < len(row):
            met[row[place]].append(row[column])
    return any(len(numbers) > 1 for numbers in met.values()) and any(
        all(numbers == [str(first + i) for i in range(len(numbers))] for numbers in met.values())
        for first in (0, 1)
    )
