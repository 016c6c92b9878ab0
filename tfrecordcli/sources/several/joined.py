"""Several sources as one: each is opened as it would be alone, and their rows become one list of tfrec's own.

So whatever comes after the sources, from the plan to rejects.csv, knows one list only.
"""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.options import ReadOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.schema import IMAGE_TARGET, Feature, Schema
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.data_frame import FrameLines
from tfrecordcli.sources.given import GivenSource, given_sources
from tfrecordcli.sources.opened_source import open_source
from tfrecordcli.sources.row import GROUP
from tfrecordcli.sources.several.common_list import CommonList
from tfrecordcli.sources.several.common_root import common_root, mover
from tfrecordcli.sources.several.common_schema import need_own_names, schema_of_all
from tfrecordcli.sources.several.labels_by_list import naming_classes
from tfrecordcli.sources.several.made_of_all import made_of_all, read_with
from tfrecordcli.sources.several.made_of_folders import made_of_folders
from tfrecordcli.sources.several.missing_of_one import missing_of_one
from tfrecordcli.sources.several.named_splits import command_of_named_splits
from tfrecordcli.sources.several.negatives import command_of_negatives
from tfrecordcli.sources.several.own_columns import for_it_alone
from tfrecordcli.sources.several.part import SourcePart
from tfrecordcli.sources.several.questions import several_questions
from tfrecordcli.sources.several.shared_names import need_own_images, one_root_doubt
from tfrecordcli.sources.source import (
    FolderOfLists,
    Source,
    digest_of,
    need_task,
    need_unchanged,
    plain_options,
)
from tfrecordcli.sources.unmatched import unmatched
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.writing import writing_to

_SHOWN: Final = 3  # names of sources in a message
_MOST_NAMES: Final = 200  # for which a command is proposed


@contextlib.contextmanager
def open_sources(
    source: Any, options: ReadOptions, output_dir: str, reporter: Reporter | None = None
) -> Iterator[Source]:
    """Opens one source or several, as `given_sources` takes them, as one.

    Args:
      source: what is converted.
      options: how it is read; those that name a split hold for the sources of that split.
      output_dir: left out when it is inside a source folder.
      reporter: told how long standard input is waited for.

    Raises:
      UsageError: which sources are meant is not certain, or an option names a split that none is for.
      InputError: one cannot be read, or they contradict each other.
    """
    given = given_sources(source)
    if len(given) == 1 and not given[0].split and not options.by_split:
        with ExitStack() as stack:
            try:
                yield stack.enter_context(open_source(given[0].source, options, output_dir, reporter))
                return
            except FolderOfLists as folder:
                given = tuple(GivenSource(path, split) for split, path in folder.lists)
    with scratch_folder() as scratch, ExitStack() as stack:
        parts = tuple(_opened(given, options, output_dir, reporter, stack))
        yield _combined(parts, options, scratch / "several.csv")


def _opened(
    given: Iterable[GivenSource],
    options: ReadOptions,
    output_dir: str,
    reporter: Reporter | None,
    stack: ExitStack,
) -> Iterator[SourcePart]:
    given = tuple(given)
    _need_known_splits(given, options)
    _need_one_stdin(given)
    for each in given:
        chosen = read_with(each, options, is_part=len(given) > 1)
        try:
            source = stack.enter_context(open_source(each.source, chosen, output_dir, reporter))
        except FolderOfLists as folder:
            lists = (GivenSource(path, split) for split, path in folder.lists)
            if each.split:
                raise InputError(
                    f"{each.split}={each.source}: this folder has lists for splits of its own",
                    f"give it without {each.split}=, or one of its lists: {folder.lists[0][1]}",
                ) from None
            yield from _opened(lists, options, output_dir, reporter, stack)
            continue
        except InputError as error:
            others = [other for other in given if other is not each]
            classes = naming_classes(error, given, chosen)
            of_all = made_of_all(error, each, given, options, output_dir)
            of_folders = made_of_folders(error, each, given, options, output_dir)
            alone = for_it_alone(error, each, others, chosen, options.by_split)
            raise classes or of_all or of_folders or alone from None
        is_frame = hasattr(each.source, "itertuples")
        name = " ".join(filter(None, [source.rows.name, each.split if is_frame else ""]))
        yield SourcePart(each, source, name, FrameLines(each.source, chosen) if is_frame else None)


def _need_known_splits(given: Sequence[GivenSource], options: ReadOptions) -> None:
    """Refuses an option for a split that no source is for, whose value would do nothing."""
    splits = {each.split for each in given}
    for split, option, text in options.by_split:
        if split not in splits and "" not in splits:
            flag = f"--{option.replace('_', '-')}"
            raise UsageError(f"{flag} {split}={text}: no source is for {split}", f"as in {split}=list.csv")


def _need_one_stdin(given: Sequence[GivenSource]) -> None:
    if sum(isinstance(each.source, str) and each.source == "-" for each in given) > 1:
        raise UsageError("standard input is given twice", "save one of the lists in a file")


def _combined(parts: Sequence[SourcePart], options: ReadOptions, path: Path) -> Source:
    """One source of all of these."""
    _need_one_task(parts)
    need_task(parts[0].source, options.task)
    need_own_images(parts)
    ids = {} if options.labels_file is not None else _agreed_ids(parts)
    schema, features, said = schema_of_all(parts, options)
    need_own_names(features, schema.task)
    common = common_root([part.source.image_root for part in parts])
    writer = CommonList(path, schema.task, _has_labels(schema), features, len(parts) > 1)
    notes = _written(writer, parts, common)
    if options.label_type == "auto" and options.labels_file is None:
        _need_one_kind_of_labels(writer.labels)
    name = _name_of([part.name for part in parts])
    own = RowFile(
        str(path),
        name,
        _options_of(options, schema, features, parts),
        is_own=True,
        features=features,
        attributes=schema.attributes if schema.task == "detection" else (),
        is_spooled=True,
    )
    root, as_given = _root_of(parts, common)
    contradiction, meant = _contradiction(parts, options)
    return Source(
        rows=own,
        given="",
        image_root=root,
        root_as_given=as_given,
        digest=digest_of(own),
        size=os.path.getsize(path),
        notes=(*_by_source(notes), *said, *meant, *unmatched([part.source.rows for part in parts])),
        schema=schema,
        doubts=(
            *_by_source((part.name, doubt) for part in parts for doubt in part.source.doubts),
            *_by_source(_other_splits(writer, parts, options)),
            *_by_source(writer.doubts),
            *missing_of_one(parts),
        ),
        label_ids=ids,
        has_ids=writer.has_ids and all(part.source.has_ids for part in parts),
        left_out=tuple(_left_out(parts)),
        box_frame="stored" if all(part.source.box_frame == "stored" for part in parts) else "auto",
        tells_units=schema.task == "detection",
        is_unpacked=any(part.source.is_unpacked for part in parts),
        contradiction=contradiction,
        named_splits=command_of_named_splits([part.given for part in parts]),
        parts=tuple(part.source.rows for part in parts),
    )


def _contradiction(parts: Sequence[SourcePart], options: ReadOptions) -> tuple[str, list[str]]:
    """What rows that contradict each other mean; and the note of it where `--multi-label` says otherwise."""
    if doubt := one_root_doubt(parts):
        return doubt, []
    questions = several_questions(parts)
    if questions and options.multi_label:
        return "", [f"images of several sources have the labels of all: {questions}"]
    return questions, []


def _written(writer: CommonList, parts: Sequence[SourcePart], common: str) -> list[tuple[str, str]]:
    """(source, note on how its rows were taken) of all that were written into the common list.

    Raises:
      BusyError: a source changed meanwhile.
    """
    with writing_to(writer.path.parent), writer.path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\r\n")  # so that fields with either are quoted
        rows.writerow(writer.header)
        notes = [
            (part.name, note)
            for part in parts
            for note in writer.write(rows, part, mover(part.source.image_root, common))
        ]
    for part in parts:
        need_unchanged(part.source)
    return notes


def _left_out(parts: Sequence[SourcePart]) -> Iterator[tuple[str, int, str]]:
    """What the sources left out, with the source in each place."""
    for part in parts:
        for place, box, why in part.source.left_out:
            yield ", ".join(filter(None, [part.name, place])), box, why


def _other_splits(
    writer: CommonList, parts: Sequence[SourcePart], options: ReadOptions
) -> Iterator[tuple[str, str]]:
    """Of lists whose rows name other splits than they were given for: what takes the given one."""
    columns = [pair for pair in options.columns if pair[0] != "split"]
    how = f"{columns_option([*columns, ('split', '')])} takes it for all of its rows"
    for name, count in writer.other_splits.items() if all(part.given.split for part in parts) else ():
        what = "row names" if count == 1 else "rows name"
        yield name, f"{count:,} {what} another split than it was given for: where that is right, {how}"


def _by_source(told: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What is to be told of sources, by (name, text): once for all of which it holds."""
    names: dict[str, list[str]] = {}
    for name, text in told:
        names.setdefault(text, []).append(name)
    return (f"{_name_of(some)}: {text}" for text, some in names.items())


def _name_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _root_of(parts: Sequence[SourcePart], common: str) -> tuple[str, str]:
    """(root of the images, the same as a user would write it)."""
    first = parts[0].source
    if common == first.image_root:
        return common, first.root_as_given
    if not common:
        return os.path.abspath(os.sep), os.path.abspath(os.sep)
    givens = [part.source.root_as_given for part in parts]
    return common, common if any(map(os.path.isabs, givens)) else os.path.relpath(common)


def _has_labels(schema: Schema) -> bool:
    return bool({schema.label_key, IMAGE_TARGET} & {feature.key for feature in schema.features}) or (
        schema.task == "detection"
    )


def _options_of(
    options: ReadOptions, schema: Schema, features: Sequence[Feature], parts: Sequence[SourcePart]
) -> ReadOptions:
    """How the list of all rows is read, by whose words the command for mended rows is made.

    What parts labels in all of the sources parts them in mended rows, too: no label of theirs has it.
    """
    separators = {part.source.rows.options.label_separator for part in parts}
    purposes = ["split", *(["image_uri"] if schema.task != "tabular" else [])]
    purposes += ["label"] if _has_labels(schema) else []
    pinned = tuple((name, name) for name in purposes) if features else ()
    groups = [str(each.column) for each in features if each.key == GROUP]
    return replace(
        plain_options(options),
        columns=pinned,
        task=schema.task,
        features=options.features,
        split_by=groups[0] if groups else None,
        box_format=None,
        box_unit="auto",
        label_names=None,
        label_separator=separators.pop() if len(separators) == 1 else None,
        image_root=options.image_root,
        by_split=(),
    )


# --- what all have in common ---


def _need_one_task(parts: Sequence[SourcePart]) -> None:
    first = parts[0]
    other = next((part for part in parts if part.task != first.task), None)
    if other is None:
        return
    if "detection" not in (first.task, other.task):
        what = f"{first.name} is read for {first.task}, {other.name} for {other.task}"
        raise InputError(what, "convert them apart")
    boxes, labels = (first, other) if first.task == "detection" else (other, first)
    # JSON and folders tell boxes or none; of a CSV the columns of boxes may be left out.
    instead = (
        "" if boxes.source.rows.is_spooled else ", or take no boxes from any of them: --task classification"
    )
    is_apart = boxes.given.split or labels.given.split
    negatives = "" if is_apart else command_of_negatives(boxes.source.rows, labels.source.rows)
    hint = "; else ".join(filter(None, [negatives, f"convert them apart{instead}"]))
    raise InputError(f"{boxes.name} is a list of boxes, {labels.name} is none", hint)


def _need_one_kind_of_labels(labels: Mapping[str, Mapping[bool, str]]) -> None:
    """Refuses ids in one source and names in another: as labels of one map they would be different classes.

    Args:
      labels: source -> whether it is a number -> such a label.
    """
    ids = next((name for name, met in labels.items() if set(met) == {True}), None)
    names = next((name for name, met in labels.items() if set(met) == {False}), None)
    if ids is not None and names is not None:
        raise InputError(
            f"the labels of {ids} are numbers ({labels[ids][True]}), those of {names} are names "
            f"({labels[names][False]!r})",
            f"write names in {ids} too, or give a file of lines such as 0,cat to --label-names; or, where "
            "the numbers name other classes: --label-type name",
        )


def _agreed_ids(parts: Sequence[SourcePart]) -> dict[str, int]:
    """name -> id of all sources that give ids.

    Raises:
      InputError: two give a name different ids, or an id different names.
    """
    ids: dict[str, tuple[int, str]] = {}
    names: dict[int, tuple[str, str]] = {}
    all_names = list(dict.fromkeys(name for part in parts for name in part.source.label_ids))
    hint = "give all of them the same ids, or settle the names in a file: --labels FILE"
    if len(all_names) <= _MOST_NAMES:
        words = command_line(["printf", "%s\\n", *all_names])
        hint = f"settle the names in a file: {words} > labels.txt; then --labels labels.txt"
    for part in parts:
        for name, number in part.source.label_ids.items():
            known, where = ids.setdefault(name, (number, part.name))
            if known != number:
                raise InputError(f"{name!r} has the id {known} in {where}, but {number} in {part.name}", hint)
            taken, where = names.setdefault(number, (name, part.name))
            if taken != name:
                raise InputError(
                    f"the id {number} stands for {taken!r} in {where}, but for {name!r} in {part.name}", hint
                )
    return {name: number for name, (number, _) in ids.items()}
