"""A look at the first rows of a list before all of it is read: how its words are understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from tfrecordcli.dataset.label_names import LabelNames, read_label_names
from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_TARGET, Feature, Schema, regression
from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_columns import CsvShape
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.further_columns import ALL, FurtherColumns, every_column, further_columns
from tfrecordcli.sources.image_paths import PathRules, with_endings
from tfrecordcli.sources.label_fields import are_vectors, is_flag, is_list, items_of
from tfrecordcli.sources.predictions import need_no_scored_rows
from tfrecordcli.sources.proposals import (
    are_one_of,
    boxes_columns,
    flag_columns,
    propose_split,
    propose_split_map,
)
from tfrecordcli.sources.reading import Reading
from tfrecordcli.sources.rows import GROUP, Malformed, words_of
from tfrecordcli.units import join_names, plural, some_of

# Rows that are looked at, and images whose files are.
_ROWS: Final = 1_000
_IMAGES: Final = 100
# The begin of a JSON object, or of several in an array, as Label Studio writes boxes into a field.
_OBJECTS: Final = re.compile(r"""\[?\s*\{\s*["'][^"']*["']\s*:""")
_CODE: Final = re.compile(r"/[mgt]/[0-9a-z_]+")


@dataclass(frozen=True, slots=True)
class Survey:
    """What the first rows of a list showed.

    Attributes:
      rows: the list, with how its words are understood.
      notes: what was decided, for a person to check.
      doubts: what may not be meant.
      schema: of the records that its rows become.
    """

    rows: RowFile
    schema: Schema
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sample:
    """Fields of the first rows, and their (split word, image, label fields)."""

    shape: CsvShape
    table: Sequence[Sequence[str]]
    words: Sequence[tuple[str, str, list[str]]]


def survey(rows: RowFile, root: str, schema: Schema) -> Survey:
    """Looks at the first rows of a list.

    Args:
      rows: the list.
      root: absolute folder or URL that relative image paths are relative to.
      schema: of images with labels.

    Raises:
      InputError: its columns hold what only an option can settle; the option is named.
    """
    rows = replace(rows, features=schema.columns)
    options = rows.options
    names = read_label_names(options.label_names) if options.label_names is not None else None
    if rows.is_listing:
        reading = _of_options(options, names)
        return Survey(replace(rows, reading=reading), schema, tuple(_notes_of_names(names, options)))
    try:
        sample = _sample(rows)
    except InputError:  # whoever reads the rows meets it again, in its turn
        return Survey(rows, schema)
    try:
        lists, notes = _lists(sample, options)
        _need_known_splits(sample, options)
        if sample.shape.boxes is not None:
            unread = _unread_columns(sample)
            need_no_scored_rows(rows.name, unread, sample.shape.delimiter)
        elif not sample.shape.is_table:
            _need_no_boxes(sample)
            _need_whole_one_hot(sample, options)
            _need_no_flags(sample, options)
            _need_present_labels(sample, options)
        reading = replace(_of_options(options, names), lists=lists)
        further = _further(rows, sample.shape, reading)
        reading = replace(reading, flags=further.flags)
        if options.task == "regression":
            schema = regression(schema, _target(sample, options))
    except InputError as error:
        raise InputError(f"{rows.name}: {error.message}", error.hint) from None
    schema = replace(schema, features=(*schema.features, *further.features))
    if not schema.features:
        raise InputError(f"{rows.name}: no column is left to be stored", "is it the right file?")
    uris = list(dict.fromkeys(uri for _, uri, _ in sample.words if uri))[:_IMAGES]
    paths, told = with_endings(reading.paths, uris, root)
    notes = [*notes, *told, *_notes_of_names(names, options), *_codes_note(sample, options), *further.notes]
    features = (*schema.columns, *_group(rows, sample.shape))
    rows = replace(rows, features=features, reading=replace(reading, paths=paths))
    return Survey(rows, schema, tuple(notes), (*_doubts(sample), *further.doubts))


def _group(rows: RowFile, shape: CsvShape) -> list[Feature]:
    """What keeps rows in one split, as a feature that is no part of a record.

    Raises:
      InputError: there is no such column.
    """
    column = rows.options.split_by
    if column is None:
        return []
    if column not in shape.header:
        what = f"the columns are: {some_of(shape.header, 50)}" if shape.header else "the list has no header"
        raise InputError(f"{rows.name}: --split-by {column}: no column of that name; {what}")
    return [Feature(GROUP, "bytes", (), False, "", column)]


def _further(rows: RowFile, shape: CsvShape, reading: Reading) -> FurtherColumns:
    """The further columns that are to be stored: all of the list is read for their types."""
    options = rows.options
    entries = options.features or (every_column(shape) if shape.is_table else ())
    if options.is_part:  # other sources may have what this one lacks
        entries = tuple(each for each in entries if _is_there(each, shape)) if shape.header else ()
    if not entries:
        return FurtherColumns()
    with closing(rows.read_records()[1]) as records:
        fields = (each for _, each in records if not isinstance(each, Malformed))
        found = further_columns(shape, entries, reading, fields)
    for name, value in options.missing:
        feature = next((each for each in found.features if each.column == name), None)
        if feature is None and options.is_part:
            continue
        if feature is None:
            raise InputError(f"--missing {name}: this column is not stored", "name it by --features")
        try:
            feature.values_of(value)
        except ValueError:
            raise InputError(
                f"--missing {name}={value}: the column holds {feature.kind}, which this is not"
            ) from None
    return found


def _is_there(entry: str, shape: CsvShape) -> bool:
    """Whether a list has the column of an entry of `--features`; all: it has any that is not used."""
    if entry in shape.header or typed_column(entry)[0] in shape.header:
        return True
    used = {shape.split, shape.image, *shape.labels, *shape.further}
    return (entry,) == ALL and any(name and i not in used for i, name in enumerate(shape.header))


def _target(sample: _Sample, options: ReadOptions) -> Feature:
    """The feature of the number to predict.

    Raises:
      InputError: no column, or several, can hold it.
    """
    if not sample.shape.header:
        raise InputError("--task regression needs a header", "write one, as image,target")
    names = [sample.shape.header[i] for i in sample.shape.labels]
    if len(names) != 1:
        which = f"there are {', '.join(names)}" if names else "there is no label column"
        raise InputError(f"--task regression needs one column: {which}", "name it: --columns label=NAME")
    is_required = options.unlabelled == "error"
    return Feature(IMAGE_TARGET, "float", (), is_required, "number to predict", names[0])


def _sample(rows: RowFile) -> _Sample:
    shape, records = rows.read_records()
    with closing(records):
        first = [fields for _, fields in islice(records, _ROWS) if not isinstance(fields, Malformed)]
    table = [[field.strip() for field in fields] for fields in first]
    words = []
    for fields in table:
        try:
            words.append(words_of(shape, fields))
        except Rejected:
            continue  # told with the other rejects
    return _Sample(shape, table, words)


def _unread_columns(sample: _Sample) -> dict[str, list[str]]:
    """Fields of the columns that no part of a record is made of."""
    shape = sample.shape
    used = {shape.split, shape.image, *shape.labels, *shape.further}
    used.update(shape.boxes.used if shape.boxes else ())
    return {name: _fields_of(sample, i) for i, name in enumerate(shape.header) if name and i not in used}


def _of_options(options: ReadOptions, names: LabelNames | None) -> Reading:
    return Reading(
        one_hot=options.one_hot,
        separator=options.label_separator or "",
        names=names.names if names else {},
        names_file=options.label_names or "",
        splits=dict(options.split_map),
        na=options.na,
        skips_without_target=options.unlabelled == "skip" and options.task == "regression",
        missing=dict(options.missing),
        paths=PathRules(options.map),
    )


def _notes_of_names(names: LabelNames | None, options: ReadOptions) -> Iterable[str]:
    if names and names.doubled:
        shown = ", ".join(map(repr, names.doubled[:3])) + (", …" if len(names.doubled) > 3 else "")
        count = plural(len(names.doubled), "name")
        yield f"{count} in {options.label_names} stand for several codes ({shown}), which stand behind them"


def _lists(sample: _Sample, options: ReadOptions) -> tuple[Literal["", "labels", "positions"], list[str]]:
    """How label fields that are lists in text are read, and what to tell of it."""
    fields = [field for _, _, names in sample.words for field in names if field]
    lists = [field for field in fields if is_list(field)]
    if not lists or options.one_hot or options.label_separator is not None or len(lists) < len(fields):
        return "", []
    example = max(lists, key=len)[:60]
    values = [items_of(field) for field in lists]
    if are_vectors(values):
        return "positions", [
            f"labels are rows of 0 and 1, as {example}: the places of the ones, from 0, are the labels"
        ]
    return "labels", [f"labels are lists in text, as {example}: each value is a label"]


def _need_known_splits(sample: _Sample, options: ReadOptions) -> None:
    """Refuses a split column of flags or numbers of folds, and proposes what they may mean.

    Raises:
      InputError: with the option that says it.
    """
    if sample.shape.split is None or not sample.shape.header or options.split_map:
        return
    words = {word for word, _, _ in sample.words}
    name = sample.shape.header[sample.shape.split]
    proposal = propose_split_map(name, words)
    if proposal:
        shown = ", ".join(sorted(words)[:5])
        raise InputError(f"column {name} says {shown}, which are no splits", f"say what they are: {proposal}")


def _need_no_boxes(sample: _Sample) -> None:
    """Refuses a label column of classes and boxes in one text, or of objects in JSON.

    Raises:
      InputError: that is what it is.
    """
    boxes = boxes_columns(sample.table, sample.shape.labels)
    if boxes:
        raise InputError(
            f"column {sample.shape.header[boxes[0]]} holds classes and boxes as text, which is not read",
            "write a row for each box, as image,xmin,ymin,xmax,ymax,label",
        )
    objects = [name for _, _, names in sample.words for name in names if _OBJECTS.match(name)]
    if objects:
        raise InputError(
            f"a label is a JSON object, as {objects[0][:60]}, which is not read",
            "export the annotations as COCO where they were made, or write a row for each box, as "
            "image,xmin,ymin,xmax,ymax,label",
        )


def _need_whole_one_hot(sample: _Sample, options: ReadOptions) -> None:
    """Refuses one column of several that are 0 or 1 and together name the label.

    Raises:
      InputError: with the option that takes all of them.
    """
    if (
        len(sample.shape.labels) != 1
        or options.one_hot
        or options.task == "regression"
        or options.label_type != "auto"
    ):
        return
    (label,) = sample.shape.labels
    header = sample.shape.header
    others = {*range(len(header))} - {sample.shape.image, sample.shape.split}
    flags = flag_columns(sample.table, sorted(others))
    if label not in flags or len(flags) < 2 or not are_one_of(sample.table, flags):
        return
    names = [header[i] for i in flags]
    one_hot = command_line(["--one-hot", join_names(names)])
    raise InputError(
        f"of the columns {', '.join(names[:20])} one is 1 in each row, so {header[label]} alone is no label",
        f"{one_hot} takes all of them, --label-type id only {header[label]}",
    )


def _need_no_flags(sample: _Sample, options: ReadOptions) -> None:
    """Refuses several columns of labels that are all 0 or 1: each of them stands for a label.

    Raises:
      InputError: with the option that reads them so.
    """
    labels = sample.shape.labels
    if len(labels) < 2 or options.one_hot or options.label_type != "auto":
        return
    if not all(all(map(is_flag, _fields_of(sample, column))) for column in labels):
        return
    names = [sample.shape.header[column] for column in labels]
    one_hot = command_line(["--one-hot", join_names(names)])
    raise InputError(
        f"all fields of the columns {', '.join(names[:20])} are 0 or 1",
        f"{one_hot} makes a label of each column, --label-type id takes 0 and 1 for labels",
    )


def _need_present_labels(sample: _Sample, options: ReadOptions) -> None:
    """Refuses Open Images' list of labels that people verified: those of confidence 0 are not in the image.

    Raises:
      InputError: with what to do first.
    """
    words = [name.lower().replace("_", "") for name in sample.shape.header]
    if options.columns or not {"imageid", "labelname", "confidence"} <= {*words}:
        return
    column = words.index("confidence")
    if any(field in ("0", "0.0") for field in _fields_of(sample, column)):
        raise InputError(
            "rows of Confidence 0 name labels that were verified to be absent from the image",
            "leave them out first, as in awk -F, 'NR == 1 || "
            f"${column + 1} > 0' LIST, and convert the rest with --multi-label",
        )


def _codes_note(sample: _Sample, options: ReadOptions) -> Iterable[str]:
    """That labels are codes of Open Images, which have names elsewhere."""
    labels = {label for _, _, names in sample.words for label in names if label}
    if labels and not options.label_names and all(map(_CODE.fullmatch, labels)):
        yield f"labels are codes such as {min(labels)}: --label-names class-descriptions.csv gives them names"


def _doubts(sample: _Sample) -> Iterable[str]:
    shape = sample.shape
    if not shape.header or shape.boxes is not None:
        return
    taken = {shape.split, shape.image, *shape.labels, *shape.further} - {None}
    if shape.split is None:
        split = propose_split(shape, sample.table, {i for i in taken if i is not None})
        if split:
            yield f"a column that is not used may be the split: {split}"
    if (
        not shape.is_table
        and len(shape.labels) == 1
        and all(map(is_flag, _fields_of(sample, shape.labels[0])))
    ):
        flags = [i for i in flag_columns(sample.table, range(len(shape.header))) if i not in taken]
        if len(flags) > 1:
            names = [shape.header[i] for i in (*shape.labels, *flags)]
            yield (
                f"{shape.header[shape.labels[0]]} is 0 or 1, and so are columns that are not used: "
                f"{command_line(['--one-hot', join_names(names)])} makes a label of each"
            )


def _fields_of(sample: _Sample, column: int) -> list[str]:
    return [fields[column] for fields in sample.table if column < len(fields)]
