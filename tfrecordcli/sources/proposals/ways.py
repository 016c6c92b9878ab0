"""What may be to be learned of a list, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.column_words import known_columns, likely_columns
from tfrecordcli.sources.label_fields import is_flag, is_yes
from tfrecordcli.sources.proposals.answers import answers_in
from tfrecordcli.sources.proposals.flag_columns import are_one_of, finding_columns, ticked_columns
from tfrecordcli.sources.proposals.label_columns import label_ways
from tfrecordcli.sources.proposals.label_names import UNTOLD, chooses_rows, is_beside_target, unlikely
from tfrecordcli.sources.proposals.measured import are_numbered, are_whole
from tfrecordcli.sources.proposals.number_names import is_id
from tfrecordcli.sources.proposals.table import SAMPLE, Columns, Table, boxes_columns, columns_of
from tfrecordcli.sources.proposals.target_columns import are_many, target_ways
from tfrecordcli.sources.proposals.way import Rank, Way

_MOST: Final = 3
_MOST_UNNAMED: Final = 5
# What columns are called in lists that had no header: their names say nothing of what is learned.
_UNNAMED: Final = re.compile(r"column_[0-9]+")
_PAIR: Final = 2
_ENOUGH: Final = 10  # rows, before a column that is the same in all says nothing
_CLASSES: Final = 3
_RARE: Final = 10  # an image in so many at most
_KINDS: Final = ("label", "target", "flags")


def likely_ways(header: Sequence[str], table: Table, free: Sequence[int], task: str) -> list[Way]:
    """What may be to be learned: one way where only one is plausible, up to three where more are; or none.

    Args:
      header, table: the first rows.
      free: numbers of the columns that may hold it.
      task: that was asked for.
    """
    boxes = boxes_columns(table, free)
    columns = columns_of(header, table, [i for i in free if i not in boxes])
    answers = answers_in(columns) if task != "regression" else None
    settled = answers if answers and answers.is_settled else None
    if settled:
        columns = columns_of(header, table, [i for i in columns.fields if i not in settled.raters])
    known = _known_ways(columns)
    named = {way.columns for way in known}
    targets = target_ways(columns, task)
    fractions = {way.columns for way in targets if not are_whole(columns.fields[way.columns[0]])}
    targets = [replace(way, rank=Rank.SURELY) if way.columns in named & fractions else way for way in targets]
    known = [way for way in known if way.columns not in fractions]
    taken = {i for way in known for i in way.columns}
    flags = _flag_way(columns, taken) if task != "regression" else None
    labels = _other_labels(columns, flags, taken)
    flags = _behind_words(columns, flags, labels) if flags else None
    if settled:
        agreed = (settled.agreed,)
        labels = [replace(way, rank=Rank.SURELY) if way.columns == agreed else way for way in labels]
    known, others = _before_tags(columns, known, labels)
    ways = [*known, *others, *_beside_flags(columns, targets, flags)]
    ways += [flags] if flags else []
    if task == "regression" and targets:
        ways = targets
    most = _MOST_UNNAMED if all(_UNNAMED.fullmatch(header[i]) for i in free) else _MOST
    ordered = sorted(ways, key=lambda way: (way.rank, _KINDS.index(way.kind)))
    return _plausible(ordered, most, _coded_at_the_end(columns))


def _known_ways(columns: Columns) -> list[Way]:
    """Columns with a name that is known for labels, or used for them."""
    known = known_columns(columns.names, "label")
    rank = Rank.KNOWN if known else Rank.SURELY
    found = known or likely_columns(columns.names, "label")
    filled = [i for i in found if columns.fields.get(i)]
    # One word for all images is a class, where nothing else may be one.
    several = [i for i in filled if rank is Rank.KNOWN or len({*columns.fields[i]}) > 1]
    ways = [Way("label", (i,), rank) for i in several]
    return [*ways, *(Way("label", (i,), Rank.LAST) for i in filled if i not in several)]


def _before_tags(
    columns: Columns, known: Sequence[Way], others: Sequence[Way]
) -> tuple[list[Way], list[Way]]:
    """The same, but for tags, several of an image, behind the first column called like labels, as `Type`."""
    fields = {way: columns.fields[way.columns[0]] for way in known if _is_called_tags(columns, way)}
    tags = [way for way, some in fields.items() if any("," in field for field in some)]
    called = next((way for way in others if unlikely(columns.names[way.columns[0]]) < UNTOLD), None)
    if not tags or called is None:
        return [*known], [*others]
    first = replace(called, rank=tags[0].rank)
    behind = [replace(way, rank=Rank.CALLED) for way in tags]
    return (
        [first, *(way for way in known if way not in tags)],
        [*(way for way in others if way is not called), *behind],
    )


def _is_called_tags(columns: Columns, way: Way) -> bool:
    return columns.names[way.columns[0]].lower() == "tags"


def _flag_way(columns: Columns, taken: set[int]) -> Way | None:
    """Several columns of yes and no, or of ticks."""
    free = [i for i in columns.fields if i not in taken]
    flags = [i for i in finding_columns(columns.table, free) if not is_id(columns.names[i])]
    flags = flags or ticked_columns(columns.table, free)
    flags = [i for i in flags if not chooses_rows(columns.names[i])] or flags
    flags = _varied(columns, flags)
    fields = {*chain.from_iterable(columns.fields[i] for i in flags)}
    if fields and all(NUMBER.fullmatch(field) and not float(field) for field in fields):
        flags = []  # shares of what is in no image
    return Way("flags", (*flags,), _rank_of_flags(columns, flags)) if len(flags) > 1 else None


def _varied(columns: Columns, flags: Sequence[int]) -> list[int]:
    """These but for those that say yes of every image of the list, as `gradable`; none where none varies.

    Of columns one of which is yes in each row the first rows may all be of one class.
    """
    rows = len(columns.table)
    answers = {i: [*map(is_yes, columns.fields[i])] for i in flags}
    full = [i for i in flags if len(answers[i]) == rows and all(answers[i])]
    varies = any(len(answers[i]) < rows or len({*answers[i]}) > 1 for i in flags)
    if rows < _ENOUGH or (not varies and len(full) == 1):
        return [*flags]
    return [i for i in flags if i not in full or rows >= SAMPLE] if varies else []


def _rank_of_flags(columns: Columns, flags: Sequence[int]) -> Rank:
    is_pair = len(flags) == _PAIR
    if is_pair and any(is_beside_target(columns.names[i]) for i in flags):
        return Rank.BESIDE
    if are_one_of(columns.table, flags):
        return Rank.SURELY
    # Names of findings stand above 0 and 1 mostly, with what else is known of the image beside them.
    if any(all(map(NUMBER.fullmatch, columns.fields[i])) for i in flags):
        return Rank.FINDINGS
    # `Y`, `N` and blank in all of them, as what became of patients, is known of some images alone.
    are_known_of_some = all(len({*columns.fields[i]}) > 1 and _has_blanks(columns, i) for i in flags)
    is_rare = is_pair and _has_mostly_neither(columns, flags)
    return Rank.MANY_CLASSES if are_known_of_some or is_rare else Rank.SEVERAL


def _has_mostly_neither(columns: Columns, flags: Sequence[int]) -> bool:
    """Whether most rows say no to all of these, as to remarks on images."""
    rows = [[row[i] for i in flags if i < len(row)] for row in columns.table]
    return 2 * sum(all(map(is_flag, row)) and not any(map(is_yes, row)) for row in rows) > len(rows)


def _has_blanks(columns: Columns, number: int) -> bool:
    return len(columns.fields[number]) < len(columns.table)


def _other_labels(columns: Columns, flags: Way | None, taken: set[int]) -> list[Way]:
    """Columns whose names are not known; of two of yes and no each may be the only one after all."""
    ways = label_ways(columns, beside_flags=flags is not None and flags.rank < Rank.BESIDE)
    ways = [way for way in ways if taken.isdisjoint(way.columns)]
    if flags is None or flags.rank is Rank.BESIDE:
        return ways
    is_certain = flags.rank is Rank.SURELY
    others = [way for way in ways if way.columns[0] not in flags.columns]
    others = [replace(way, rank=max(way.rank, Rank.UNSAID)) if is_certain else way for way in others]
    if is_certain or len(flags.columns) > _PAIR:
        return others
    pair = (way for way in ways if way.columns[0] in flags.columns)
    return [*others, *(replace(way, rank=Rank.MANY_CLASSES) for way in pair)]


def _behind_words(columns: Columns, flags: Way, labels: Sequence[Way]) -> Way:
    """The same, less likely where at most two columns say yes, and of hardly any image, beside words.

    What counts or measures is 0 as well, as a rank of images and a depth: where at most one column says yes,
    words count of whose name nothing is said, too.
    """
    yes = [
        {n for n, row in enumerate(columns.table) if i < len(row) and is_yes(row[i])} for i in flags.columns
    ]
    said = [*filter(None, yes)]
    is_rare = _RARE * len(set().union(*said)) <= len(columns.table) >= _ENOUGH
    if not is_rare or len(said) > _PAIR or flags.rank > Rank.FINDINGS:
        return flags
    last, rank = (Rank.CALLED, Rank.UNSAID) if len(said) == _PAIR else (Rank.UNSAID, Rank.MANY_CLASSES)
    fields = (columns.fields[way.columns[0]] for way in labels if way.rank <= last)
    has_words = any(not any(map(NUMBER.fullmatch, some)) for some in fields)
    return replace(flags, rank=rank) if has_words else flags


def _beside_flags(columns: Columns, targets: list[Way], flags: Way | None) -> list[Way]:
    """Numbers to predict: the only ones, or such as are called so, before columns of yes and no.

    More than two columns of which one is yes in each row are no chance.
    """
    if flags is None or (flags.rank is Rank.SURELY and len(flags.columns) > _PAIR):
        return targets
    many = [way for way in targets if way.rank <= Rank.NUMBERS and are_many(columns, way)]
    first = many if len(many) == 1 else [way for way in many if way.rank <= Rank.CALLED]
    return [replace(way, rank=min(way.rank, flags.rank)) if way in first else way for way in targets]


def _coded_at_the_end(columns: Columns) -> tuple[int, ...]:
    """The last column, where it has classes as programs number them: it is often the one to be learned."""
    last = len(columns.names) - 1
    fields = columns.fields.get(last, ())
    is_coded = "0" in fields and are_whole(fields) and are_numbered(fields) and len({*fields}) >= _CLASSES
    return (last,) if is_coded else ()


def _plausible(ways: Sequence[Way], most: int, coded: tuple[int, ...]) -> list[Way]:
    """The first, the best of each other kind that may be meant as well, then others of these kinds.

    Args:
      coded: the last column, where it has numbered classes: it may be meant beside any other.
    """
    if not ways:
        return []
    first = ways[0]
    if first.rank is Rank.KNOWN:
        return [first, *(way for way in ways if way.kind == "flags")]
    best, further = [first], []
    for way in ways[1:]:
        is_coded = way.columns == coded and way.rank <= Rank.UNSAID
        is_other = all(way.kind != each.kind for each in best) and way.rank <= _last_plausible(first)
        if is_other or is_coded:
            best.append(way)
        elif way.rank <= _last_alike(first):
            further.append(way)
    chosen = [*best, *further][:most]
    return [way for way in ways if way in chosen]


def _last_alike(first: Way) -> Rank:
    """Up to which rank a further column may be meant where this way is the likeliest."""
    if first.rank is Rank.AGED and first.kind == "target":
        return Rank.AGED
    return Rank.CALLED if first.rank <= Rank.SEVERAL else Rank.NUMBERS


def _last_plausible(first: Way) -> Rank:
    """Up to which rank another kind may be meant where this way is the likeliest."""
    if first.kind == "flags":
        return Rank.MANY_CLASSES
    if first.kind == "target" and first.rank is Rank.SURELY:
        return Rank.CALLED
    return Rank.NUMBERS if first.rank <= Rank.SEVERAL else Rank.IDS
