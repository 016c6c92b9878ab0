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
from tfrecordcli.sources.proposals.sizes_twice import calling_sizes
from tfrecordcli.sources.said_labels import names_labels, says_labels, says_names
from tfrecordcli.sources.sample import Sample

_FEW: Final = 10  # classes, which numbers beside them are of more kinds than

_MANY_ROWS: Final = 20


def need_no_point(sample: Sample, rows: RowFile) -> None:
    """Refuses a column `y` that is taken for the label where it and `x`, which is not read, hold numbers.

    Raises:
      InputError: with what stores both, and what makes classes of one, or predicts it alone.
    """
    columns = _point_with_label(sample, rows)
    if not columns:
        return
    shape, options = sample.shape, rows.options
    label = shape.header[shape.labels[0]]
    others = [shape.header[i] for i in columns if i != shape.labels[0]]
    named = columns_option([*options.columns, ("label", label)])
    what, alone = f"{label} alone is no class", f"{named} makes a class of each {label}"
    if options.task == "regression":
        what = f"--task regression takes {label} and leaves out {', '.join(others)}"
        alone = f"{named} --task regression takes {label} alone"
    raise InputError(
        f"{', '.join([*others, label])} are numbers that tell a place in each image: {what}",
        f"{_of_sizes(sample, rows)}{_of_others(sample, rows, columns)}"
        f"{storing_all(named, [*others, label])} stores all of them, "
        f"{label} as the number to predict; {alone}"
        f"{around_objects(shape.header, sample.table, columns, rows.name, shape.delimiter)}",
    )


def _point_with_label(sample: Sample, rows: RowFile) -> list[int]:
    """The columns of a point of which one is the label; none where that is no place, or is said."""
    shape, options = sample.shape, rows.options
    is_alone = options.task == "regression" and options.label_type == "auto"
    is_said = names_labels(options) if is_alone else says_labels(options)
    is_said = is_said or says_names(options) or options.stratify
    if is_said or rows.is_spooled or len(shape.labels) != 1 or not shape.header:
        return []
    label = shape.labels[0]
    columns = point_columns(
        ["" if i == shape.image else name for i, name in enumerate(shape.header)], sample.table
    )
    if as_word(shape.header[label]) != "y" or label not in columns:
        return []
    others = [i for i in columns if i != label]
    is_stored = any(is_asked_for(shape.header[i], options.features) for i in columns)
    is_class = is_stored or _are_classes(sample.fields(label), map(sample.fields, others))
    return [] if is_class else columns


def _of_sizes(sample: Sample, rows: RowFile) -> str:
    """The command that makes boxes of a point beside two sizes; empty where there are none."""
    if rows.options.task == "regression":
        return ""
    sizes = calling_sizes(sample.shape.header, sample.table, rows.name, sample.shape.delimiter)
    return f"{sizes}; " if sizes else ""


def _of_others(sample: Sample, rows: RowFile, columns: Sequence[int]) -> str:
    """What takes another column for the label, as one of words; empty where none is likely one."""
    header, image = sample.shape.header, sample.shape.image
    free = ["" if i in columns else name for i, name in enumerate(header)]
    given = dict(rows.options.columns)
    if image is not None:
        given["image_uri"] = header[image]
    task = rows.options.task
    first, *_ = [*propose_columns(free, sample.table, given.items(), task), None]
    is_number = task == "regression"
    if first is None or first.kind != ("target" if is_number else "label") or not first.column:
        return ""
    what = "number to predict" if is_number else "label"
    return f"{first.options} takes {first.column} for the {what}; "


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
