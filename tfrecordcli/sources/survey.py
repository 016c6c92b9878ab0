"""A look at the first rows of a list before all of it is read: how its words are understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final, Literal

from tfrecordcli.dataset.label_names import LabelNames, read_label_names
from tfrecordcli.dataset.labels import is_canonical_id
from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.schema import IMAGE_TARGET, Feature, Schema, regression
from tfrecordcli.sources.column_words import OWN_COLUMNS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.further_columns import (
    ALL,
    FurtherColumns,
    every_column,
    further_columns,
    told_columns,
    used_columns,
)
from tfrecordcli.sources.groups_of_images import need_one_group
from tfrecordcli.sources.image_paths import PathRules, with_endings
from tfrecordcli.sources.label_fields import (
    NOTE_OF_PLACES,
    are_names_in_braces,
    is_list,
    items_of,
    places_of,
    tick_of,
)
from tfrecordcli.sources.misread.boxes import need_values_of_images
from tfrecordcli.sources.misread.decimal_commas import need_points_of_targets
from tfrecordcli.sources.misread.forms import told_forms
from tfrecordcli.sources.misread.header_of_targets import header_of_targets
from tfrecordcli.sources.misread.headers import without_first_again
from tfrecordcli.sources.misread.names_of_urls import told_names_of_urls
from tfrecordcli.sources.misread.numbers_of_names import need_names_of_numbers, need_same_numbers
from tfrecordcli.sources.misread.written_numbers import need_plain_numbers
from tfrecordcli.sources.misreadings import doubts_of, need_plain
from tfrecordcli.sources.numpy_values import note_of_numpy
from tfrecordcli.sources.reading import Reading
from tfrecordcli.sources.row import GROUP, Malformed
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.units import plural

# Images whose files are looked at.
_IMAGES: Final = 100
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
        sample = sample_of(rows)
    except InputError:  # whoever reads the rows meets it again, in its turn
        return Survey(rows, schema)
    try:
        lists, places, notes = _lists(sample, options)
        if names is not None and not (lists or options.one_hot or options.label_separator):
            labels = {field.removesuffix(".0") for _, _, fields in sample.words for field in fields if field}
            need_same_numbers(labels, names, str(options.label_names))
            need_names_of_numbers(labels, names, str(options.label_names))
        need_plain(sample, rows, root)
        tick = tick_of(field for _, _, fields in sample.words for field in fields) if options.one_hot else ""
        reading = replace(_of_options(options, names), lists=lists, places=places, tick=tick)
        further = _further(rows, sample.shape, reading)
        if sample.shape.boxes is not None:
            need_values_of_images(sample, [str(each.column) for each in further.features])
        reading = replace(reading, flags=further.flags)
        if options.task == "regression":
            target = _target(sample, rows)
            need_plain_numbers(sample, rows, str(target.column))
            need_points_of_targets(sample, rows, str(target.column))
            schema = regression(schema, target)
    except InputError as error:
        raise InputError(f"{rows.name}: {error.message}", error.hint) from None
    schema = replace(schema, features=(*schema.features, *further.features))
    if not schema.features:
        raise InputError(f"{rows.name}: no column is left to be stored", "is it the right file?")
    uris = list(dict.fromkeys(uri for _, uri, _ in sample.words if uri))
    paths, told = with_endings(reading.paths, uris[:_IMAGES], root)
    notes = [
        *notes,
        *told,
        *note_of_numpy(rows.path, rows.options.encoding, sample.shape.delimiter),
        *_notes_of_names(names, options),
        *_codes_note(sample, options),
        *further.notes,
    ]
    features = (*schema.columns, *_group(rows, sample))
    rows = replace(rows, features=features, reading=replace(reading, paths=paths))
    of_form = told_forms(rows, sample, root)
    doubts = told_names_of_urls(sample, rows, uris, root)
    return Survey(
        rows, schema, tuple(notes), (*of_form, *doubts, *doubts_of(sample, rows, root), *further.doubts)
    )


def _group(rows: RowFile, sample: Sample) -> list[Feature]:
    """What keeps rows in one split, as a feature that is no part of a record.

    Raises:
      InputError: there is no such column, or images have several of its values.
    """
    column, shape = rows.options.split_by, sample.shape
    if column is None:
        return []
    if column not in shape.header or column in OWN_COLUMNS:
        what = "no column of that name"
        raise InputError(f"{rows.name}: --split-by {column}: {what}; {told_columns(shape)}")
    need_one_group(sample, rows)
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
        fields = ((line, each) for line, each in records if not isinstance(each, Malformed))
        found = further_columns(shape, entries, reading, without_first_again(fields, shape, rows))
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
    used = used_columns(shape)
    return (entry,) == ALL and any(name and i not in used for i, name in enumerate(shape.header))


def _target(sample: Sample, rows: RowFile) -> Feature:
    """The feature of the number to predict.

    Raises:
      InputError: no column, or several, can hold it.
    """
    if not sample.shape.header:
        raise InputError("--task regression needs a header", header_of_targets(sample, rows))
    names = [sample.shape.header[i] for i in sample.shape.labels]
    if len(names) != 1:
        which = f"there are {', '.join(names)}" if names else "there is no label column"
        raise InputError(f"--task regression needs one column: {which}", "name it: --columns label=NAME")
    is_required = rows.options.unlabelled == "error"
    return Feature(IMAGE_TARGET, "float", (), is_required, "number to predict", names[0])


def _of_options(options: ReadOptions, names: LabelNames | None) -> Reading:
    return Reading(
        one_hot=options.one_hot,
        separator=options.label_separator or "",
        names=_with_themselves(names.names) if names else {},
        names_file=options.label_names or "",
        splits=dict(options.split_map),
        na=options.na,
        skips_without_target=options.unlabelled == "skip" and options.task == "regression",
        missing=dict(options.missing),
        paths=PathRules(options.map),
    )


def _with_themselves(names: Mapping[str, str]) -> dict[str, str]:
    """Names by id, and by themselves, as another source has them; of codes, which may be words, alone."""
    own = {name: name for name in names.values() if not is_canonical_id(name)}
    return {**own, **names} if all(map(is_canonical_id, names)) else dict(names)


def _notes_of_names(names: LabelNames | None, options: ReadOptions) -> Iterable[str]:
    if names and names.doubled:
        shown = ", ".join(map(repr, names.doubled[:3])) + (", …" if len(names.doubled) > 3 else "")
        count = plural(len(names.doubled), "name")
        yield f"{count} in {options.label_names} stand for several codes ({shown}), which stand behind them"


def _lists(sample: Sample, options: ReadOptions) -> tuple[Literal["", "labels", "positions"], int, list[str]]:
    """How label fields that are lists in text are read, how many places they have, and what to tell of it."""
    fields = [field for _, _, names in sample.words for field in names if field]
    lists = [field for field in fields if is_list(field)]
    if not lists or options.one_hot or options.label_separator is not None or len(lists) < len(fields):
        return "", 0, []
    if are_names_in_braces(lists):
        return "", 0, []  # which are refused, unless it is said that each is one label
    example = " ".join(max(lists, key=len).split())[:60]
    values = [items_of(field) for field in lists]
    places = places_of(values)
    if places:
        return (
            "positions",
            places,
            [NOTE_OF_PLACES.format(example=example)],
        )
    return "labels", 0, [f"labels are lists in text, as {example}: each value is a label"]


def _codes_note(sample: Sample, options: ReadOptions) -> Iterable[str]:
    """That labels are codes of Open Images, which have names elsewhere."""
    labels = {label for _, _, names in sample.words for label in names if label}
    if labels and not options.label_names and all(map(_CODE.fullmatch, labels)):
        yield f"labels are codes such as {min(labels)}: --label-names class-descriptions.csv gives them names"
