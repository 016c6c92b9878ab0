"""Points in images, as `x,y` beside each: `y` is a name of labels elsewhere, and no class here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.dataset.labels import is_canonical_id
from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.points import around_objects, point_columns, storing_all
from tfrecordcli.sources.said_labels import says_labels, says_names
from tfrecordcli.sources.sample import Sample

_FEW: Final = 10  # classes, which numbers beside them are of more kinds than

_MANY_ROWS: Final = 20


def need_no_point(sample: Sample, rows: RowFile) -> None:
    """Refuses a column `y` that is taken for the label where it and `x`, which is not read, hold numbers.

    Raises:
      InputError: with what stores both, and what makes classes of one.
    """
    shape, options = sample.shape, rows.options
    is_said = says_labels(options) or says_names(options) or options.stratify
    if is_said or rows.is_spooled or len(shape.labels) != 1 or not shape.header:
        return
    label = shape.header[shape.labels[0]]
    header = ["" if i == shape.image else name for i, name in enumerate(shape.header)]
    columns = point_columns(header, sample.table)
    if as_word(label) != "y" or shape.labels[0] not in columns:
        return
    others = [i for i in columns if i != shape.labels[0]]
    names = [*(shape.header[i] for i in others), label]
    is_stored = any(is_asked_for(name, options.features) for name in names)
    if is_stored or _are_classes(sample.fields(shape.labels[0]), map(sample.fields, others)):
        return
    named = columns_option([*options.columns, ("label", label)])
    raise InputError(
        f"{', '.join(names)} are numbers that tell a place in each image: {label} alone is no class",
        f"{_of_words(sample, rows, columns)}{storing_all(named, names)} stores all of them, "
        f"{label} as the number to predict; {named} makes a class of each {label}"
        f"{around_objects(shape.header, sample.table, columns, rows.name, shape.delimiter)}",
    )


def _of_words(sample: Sample, rows: RowFile, columns: Sequence[int]) -> str:
    """What takes another column, as one of words, for the label; empty where none is likely one."""
    header, image = sample.shape.header, sample.shape.image
    free = ["" if i in columns else name for i, name in enumerate(header)]
    given = dict(rows.options.columns)
    if image is not None:
        given["image_uri"] = header[image]
    first, *_ = [*propose_columns(free, sample.table, given.items()), None]
    if first is None or first.kind != "label" or not first.column:
        return ""
    return f"{first.options} takes {first.column} for the label; "


def _are_classes(fields: Sequence[str], others: Iterable[Sequence[str]]) -> bool:
    """Whether these are whole numbers of few kinds, which come again, and numbers beside them are of many.

    In few rows places come again, too: there these are numbered as classes are, without gaps.
    """
    kinds = {*fields}
    is_few = len(kinds) <= _FEW and 2 * len(kinds) <= len(fields)
    if not is_few or not all(map(is_canonical_id, kinds)):
        return False
    are_likely = len(fields) >= _MANY_ROWS or max(map(int, kinds)) <= len(kinds)
    return are_likely and any(len({*each}) > _FEW for each in others)
