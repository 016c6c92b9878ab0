"""The schema of the records of several sources: each further column once, of a kind that holds all values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.schema import (
    ATTRIBUTES,
    CLASSIFICATION,
    IMAGE_FILENAME,
    IMAGE_TARGET,
    Feature,
    Schema,
    detection,
    named_by_column,
    regression,
    tabular,
)
from tfrecordcli.sources.column_words import FILENAME_COLUMN, OWN_COLUMNS, SOURCE_COLUMN
from tfrecordcli.sources.key_columns import BETWEEN_NUMBERS, BETWEEN_TEXTS
from tfrecordcli.sources.row import GROUP
from tfrecordcli.sources.several.common_list import OF_BOXES
from tfrecordcli.sources.several.part import NAMED, SourcePart


def schema_of_all(
    parts: Sequence[SourcePart], options: ReadOptions
) -> tuple[Schema, tuple[Feature, ...], list[str]]:
    """The schema of all records, the features of further columns as the rows have them, what to tell."""
    schema: Schema = CLASSIFICATION
    if parts[0].task == "detection":
        told = {name for part in parts for name in part.source.schema.attributes}
        schema = detection(name for name in ATTRIBUTES if name in told)
    if parts[0].task == "tabular":
        schema = tabular(has_labels=any(part.has_labels for part in parts))
    if parts[0].task == "regression":
        targets = [each for part in parts for each in part.source.schema.columns if each.key == IMAGE_TARGET]
        is_required = all(each.required for each in targets)
        schema = regression(schema, replace(targets[0], required=is_required, column="label"))
    if any(each.key == IMAGE_FILENAME for part in parts for each in part.source.rows.features):
        schema = named_by_column(schema, FILENAME_COLUMN)
    merged, said = _merged_features(parts)
    _need_all_found(merged, options)
    group = [feature for feature in merged if feature.key == GROUP]
    further = [feature for feature in merged if feature.key != GROUP]
    schema = replace(schema, features=(*schema.features, *further))
    return schema, (*schema.columns, *group), said


def _merged_features(parts: Sequence[SourcePart]) -> tuple[list[Feature], list[str]]:
    """Each further feature once, of a kind that holds what all sources have."""
    found: dict[str, list[Feature]] = {}
    holders: dict[str, list[SourcePart]] = {}
    for part in parts:
        for feature in part.further:
            found.setdefault(feature.key, []).append(feature)
            holders.setdefault(feature.key, []).append(part)
    merged, said = [], []
    for key, some in found.items():
        _need_lists_alike(some, holders[key])
        kinds = {each.kind for each in some}
        kind = "bytes" if "bytes" in kinds else "float" if len(kinds) > 1 else some[0].kind
        if len(kinds) > 1:
            word = "text" if kind == "bytes" else "float"
            said.append(f"column {key} is {word}, as not all sources have it so")
        is_required = len(some) == len(parts) and all(each.required for each in some)
        separator = _common_separator(some, kind)
        shape = (None,) if separator else some[0].shape
        merged.append(replace(some[0], kind=kind, required=is_required, shape=shape, separator=separator))
        if separator and not all(each.separator for each in some):
            said.append(f"column {key} holds lists, as some sources have them; one value is a list of one")
    return merged, said


def _common_separator(some: Sequence[Feature], kind: str) -> str:
    """What parts the values of a field in the list of all; empty: a field is one value everywhere."""
    separators = {each.separator for each in some}
    if len(separators) == 1:
        return separators.pop()
    return BETWEEN_TEXTS if kind == "bytes" else BETWEEN_NUMBERS


def _need_lists_alike(some: Sequence[Feature], parts: Sequence[SourcePart]) -> None:
    """Refuses lists beside fields of a CSV's text, which may be one value or several in one."""
    lists = next((part for each, part in zip(some, parts, strict=True) if each.separator), None)
    for each, part in zip(some, parts, strict=True):
        is_unclear = each.kind == "bytes" and not each.separator and not part.source.rows.is_spooled
        if lists is not None and is_unclear and each.key != GROUP:
            raise InputError(
                f"{each.column} is one text in {part.name} and a list in {lists.name}",
                f"say what parts the values there: --features '{each.column}:text[;]', with the further "
                "columns that are to be stored behind a comma",
            )


def _need_all_found(merged: Sequence[Feature], options: ReadOptions) -> None:
    """A column that one source lacks is missing there; one that all lack was misspelt."""
    if tuple(options.features) == ("all",):
        return
    known = {name for feature in merged for name in (feature.column, feature.key)}
    for entry in options.features:
        if entry not in known and typed_column(entry)[0] not in known:
            raise InputError(f"--features {entry}: no source has a column of that name with a value in it")


def need_own_names(features: Sequence[Feature], task: str) -> None:
    """Refuses further columns that are called like those of the list that tfrec writes."""
    own = {SOURCE_COLUMN, "split", "image_uri", "label", *OWN_COLUMNS}
    own |= {*OF_BOXES} if task == "detection" else set()
    for feature in features:
        if feature.key not in NAMED and str(feature.column).lower() in own:
            raise InputError(
                f"several sources cannot have a further column called {feature.column}", "rename it"
            )
