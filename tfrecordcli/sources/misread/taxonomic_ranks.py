"""A column `class` among those of other ranks of taxonomy: the rank (`Aves`), and no class to be learnt.

As exports of Wildlife Insights, iNaturalist and GBIF (Darwin Core) have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.said_labels import names_labels, says_names
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.unmatched import is_of_rejects

_ABOVE: Final = ("kingdom", "phylum")
_BELOW: Final = ("order", "family", "genus", "species")
_SOME: Final = 3
# What the animal or plant itself is called; a species of one word (`leo`) is but a part of its name.
_NAMES: Final = ("commonname", "vernacularname", "scientificname", "species")


def need_no_rank(sample: Sample, rows: RowFile) -> None:
    """Refuses the rank `class` taken for the label, beside three other ranks or more.

    Where it has more values than the rank below it, it is none.

    Raises:
      InputError: with the options that take the name, and those that take the rank all the same.
    """
    shape, options = sample.shape, rows.options
    if shape.image is None or [shape.header[i].lower() for i in shape.labels] != ["class"]:
        return
    is_said = names_labels(options) or says_names(options)
    if is_said or rows.is_spooled or is_of_rejects(sample.shape.header):
        return
    columns = {as_word(name): number for number, name in enumerate(shape.header)}
    ranks = [
        rank
        for rank in (*_ABOVE, *_BELOW)
        if rank in columns and not any(map(str.isdecimal, sample.fields(columns[rank])))
    ]
    if len(ranks) < _SOME:
        return
    below = next(rank for rank in ranks if rank in _BELOW)
    values = sorted(_values(sample, shape.labels[0]))
    if not values or len(values) > len(_values(sample, columns[below])):
        return
    image, rank = shape.header[shape.image], shape.header[shape.labels[0]]
    name = shape.header[_named(sample, columns, ranks)]
    others = [each for each in options.columns if each[0] != "image_uri"]
    ways = [columns_option([("image_uri", image), ("label", each), *others]) for each in (name, rank)]
    told = ", ".join(shape.header[columns[each]] for each in ranks)
    raise InputError(
        f"column {rank} is the rank of taxonomy beside {told}, as {', '.join(values[:3])}, "
        "and may not be the label",
        f"say which column is: {ways[0]}; {ways[1]} takes the rank",
    )


def _values(sample: Sample, column: int) -> set[str]:
    return {*filter(None, sample.fields(column))}


def _named(sample: Sample, columns: dict[str, int], ranks: Sequence[str]) -> int:
    """The column of names, or of the lowest rank where there is none."""
    for word in _NAMES:
        fields = _values(sample, columns[word]) if word in columns else set()
        if fields and (word != "species" or any(" " in field for field in fields)):
            return columns[word]
    return columns[next((rank for rank in reversed(ranks) if rank != "species"), ranks[-1])]
