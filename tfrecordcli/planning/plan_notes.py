"""What a plan says of its list as a whole: warnings, and remarks on what was decided."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tfrecordcli.dataset.labels import OF_BACKGROUND, quoted
from tfrecordcli.options import ConvertOptions, ReadOptions
from tfrecordcli.planning.label_doubts import LABEL_COLUMN, LABEL_FOLDER, made_of_others_warning
from tfrecordcli.planning.label_warnings import (
    absent_labels_warning,
    column_warnings,
    is_raised,
    label_warnings,
    no_value_doubt,
    only_outside_train,
    rejected_alone,
    several_rows_warning,
    several_splits_warning,
    several_values_warning,
    whole_floats_note,
    with_points,
)
from tfrecordcli.planning.origins_in_labels import city_warnings, listing, origin_warnings, patterns
from tfrecordcli.planning.shortened_labels import shortened
from tfrecordcli.planning.sorted_rows import SortedRows
from tfrecordcli.planning.split_rows import labels_of_rows
from tfrecordcli.planning.split_shares import lost_split_warning
from tfrecordcli.sources.boxes_unnamed import unnamed_boxes
from tfrecordcli.sources.column_words import CONTENT_COLUMN
from tfrecordcli.sources.folders.groups_in_names import folders_note
from tfrecordcli.sources.groups_in_columns import group_column_note
from tfrecordcli.sources.groups_in_lists import listed_groups_doubt
from tfrecordcli.sources.label_spelling import emptied, filled, one_spelling, parted, without_points
from tfrecordcli.sources.misread.sentences import captions_below_no_header
from tfrecordcli.sources.raters import answers_in, of_raters, of_times
from tfrecordcli.sources.rows_of_folds import one_fold
from tfrecordcli.sources.rows_of_numbers import of_numbers
from tfrecordcli.sources.source import Source
from tfrecordcli.sources.splits_beside import splits_beside_list
from tfrecordcli.sources.splits_in_paths import splits_in_paths_warning
from tfrecordcli.sources.true_paths import names_no_file, true_paths_hint
from tfrecordcli.sources.unlisted_images import unlisted_images_note
from tfrecordcli.sources.unmatched import assigning_all, is_of_rejects, unmatched
from tfrecordcli.sources.unused_options import unused_by_labels, unused_by_rows
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural

_SEVERAL = 2  # splits
_FEW_LABELLED = 4  # one row of so many without a label is no slip any more
# Codes of rows that only the second pass rejects, though their labels are in the map.
_CONTRADICTIONS = frozenset({"conflicting_label", "conflicting_split"})


def warnings_of(done: SortedRows, source: Source, options: ConvertOptions, folder: Path) -> Iterator[str]:
    """What may be wrong with the list, though each of its rows is right.

    Args:
      folder: where the rows of each split were written.
    """
    yield from _label_warnings(done, options.read, source)
    no_value = _no_value(done, source, are_by_programs=True)
    yield from _outside_train_warnings(done, source, folder, options.read.stratify)
    rows_of_one = _several_rows(done, source, options.read)
    lost = lost_split_warning(done.scan.assigned, done.counts, options.read) if done.counts else ""
    absent = absent_labels_warning(done.scan.labels.unlabelled, done.labels) if options.shard.index else ""
    in_paths = _splits_in_paths(done, source, options.read)
    splits_of_one = several_splits_warning(
        done.scan.problems.codes, lambda: source.contradiction or one_fold(source.rows)
    )
    united = _united(done, source)
    without = _without_label(done, source)
    groups = listed_groups_doubt(source.rows) if _may_part_groups(done, source, options.read) else ""
    # Of boxes the first pass knows no splits yet.
    met = done.scan.labels.splits if source.schema.task != "detection" else {}
    unused = rejected_alone(met, done.labels)
    told = no_value, rows_of_one, splits_of_one, united, lost, absent, in_paths, without, unused, groups
    yield from filter(None, told)


def _without_label(done: SortedRows, source: Source) -> str:
    """The warning of rows that are rejected for want of a label, where so many are that this may be one."""
    count, rows = done.scan.problems.codes.get("no_label", 0), done.scan.tally.of("rows")
    if source.schema.task != "classification" or count * _FEW_LABELLED < rows or _are_rejects(source):
        return ""
    how = filled(source.rows, several=done.scan.labels.several)
    have = "has" if count == 1 else "have"
    return f"{count:,} of {plural(rows, 'row')} {have} no label: {how}" if how else ""


def _kept_without(done: SortedRows, source: Source) -> str:
    """The note of rows that are kept without a label beside others with one."""
    count = done.scan.labels.unlabelled
    if source.schema.task != "classification" or not (count and done.labels.ids):
        return ""
    have, are = ("has", "is") if count == 1 else ("have", "are")
    rows = plural(done.scan.tally.of("rows"), "row")
    return f"{count:,} of {rows} {have} no label, and {are} kept without one"


def _several_rows(done: SortedRows, source: Source, options: ReadOptions) -> str:
    """The warning of images whose rows contradict each other in what is learned."""
    codes = done.scan.problems.codes

    def meant() -> str:
        rows = source.rows
        if source.contradiction:
            return source.contradiction
        if names_no_file(rows, source.image_root) and (paths := true_paths_hint(rows, source.image_root)):
            return paths
        answers = answers_in(rows)
        told = (of_raters(answers) if answers else "") or of_numbers(rows) or unnamed_boxes(rows)
        return told or (of_times(answers) if answers else "")

    if source.schema.task == "regression":
        return several_values_warning(codes, meant)
    return several_rows_warning(codes, options, meant)


def _united(done: SortedRows, source: Source) -> str:
    """The warning of images of several lists that may be others of the same names."""
    what = {"detection": "boxes"}.get(source.schema.task, "labels" if done.scan.labels.has_united else "")
    if not what or not source.contradiction:
        return ""
    return f"images of several sources have the {what} of all: {source.contradiction}"


def _no_value(done: SortedRows, source: Source, *, are_by_programs: bool) -> str:
    """What to know of labels as no value, where these are words of a column and nobody gave them."""
    if source.rows.is_listing or source.label_ids or done.labels.source:
        return ""
    are_of_boxes = source.schema.task == "detection"
    # Of boxes the first pass knows no splits yet.
    met = done.labels.ids if are_of_boxes else done.scan.labels.used()
    return no_value_doubt(
        met,
        are_by_programs=are_by_programs,
        are_of_boxes=are_of_boxes,
        columns=done.naming,
        emptied=partial(emptied, source.rows, several=bool(done.scan.labels.several)),
    )


def _splits_in_paths(done: SortedRows, source: Source, options: ReadOptions) -> str:
    """The warning where no row names a split, and nothing was said of how they are assigned."""
    is_said = options.split_by is not None or options.stratify or options.splits != ReadOptions().splits
    if is_said or not done.scan.assigned.are_all:
        return ""
    if source.named_splits:
        return (
            "sources or folders are called like splits, and their rows, which name none, are assigned "
            f"whatever that says: {source.named_splits} takes each for its own"
        )
    told = splits_in_paths_warning(source.rows, [row.image_uri for row in done.sample])
    told = told or source.splits_beside
    is_list = os.path.isfile(source.given) and source.schema.task != "tabular"
    return told or (splits_beside_list(source.rows, done.scan.assigned.first) if is_list else "")


def remarks_of(done: SortedRows, source: Source, options: ConvertOptions) -> Iterator[str]:
    """What was decided about the rows as a whole."""
    if done.leaking:
        yield f"rows of one {done.leaking} may be in several splits: some of the rows name theirs"
    yield from filter(None, [_group_column(done, source, options.read)])
    if options.read.stratify and done.scan.assigned.count:
        yield "splits are stratified: rows that are added later may move others to another split"
    if options.shard.tfds and options.shard.compression != "none":
        yield "TensorFlow Datasets opens plain shards only: its files are not written beside gzip ones"
    floats = whole_floats_note(done.labels, options.read.label_type, done.scan.labels.splits)
    if floats:
        yield floats
    yield from filter(None, [_no_value(done, source, are_by_programs=False), _kept_without(done, source)])
    if done.labels.note:
        yield done.labels.note
    ids = done.labels.ids
    are_of_boxes = source.schema.task == "detection"
    if are_of_boxes and done.labels.kind == "name" and not done.labels.source and is_raised(ids):
        yield f"label ids are the numbers of the list plus 1: {OF_BACKGROUND}"
    uris = [row.image_uri for row in done.sample]
    assigned, reading = done.scan.assigned.count, source.rows.options
    yield from filter(None, [_unlisted(done, source)])
    yield from unmatched([source.rows])
    is_joined = (
        source.rows.is_spooled and not source.given
    )  # of sources whose own words are not known any more
    assigning = (lambda: "") if is_joined else partial(assigning_all, source.rows)
    yield from unused_by_rows(options, reading, source.schema.task, assigned, done.counts, uris, assigning)
    if done.counts and not _are_rejects(source):
        labels = done.scan.labels
        yield from unused_by_labels(
            reading, source.schema.task, has_lists=labels.has_lists, has_united=labels.has_united
        )


def _are_rejects(source: Source) -> bool:
    return is_of_rejects(source.rows.shape().header)


def _group_column(done: SortedRows, source: Source, options: ReadOptions) -> str:
    """The note of a column by which rows were not assigned, though they may have to be."""
    if not _may_part_groups(done, source, options):
        return ""
    if source.rows.is_listing:
        return folders_note(source.rows)
    return group_column_note(source.rows) if source.schema.task != "tabular" else ""


def _may_part_groups(done: SortedRows, source: Source, options: ReadOptions) -> bool:
    """Whether rows are assigned to several splits one by one, and nothing was said of what they come from."""
    by = source.rows.options.split_by
    is_said = options.split_by is not None or by not in (None, CONTENT_COLUMN) or options.stratify
    are_several = bool(done.scan.assigned.count) and len(done.counts) >= _SEVERAL
    return are_several and not is_said and not _are_rejects(source)


def _unlisted(done: SortedRows, source: Source) -> str:
    """The note of images beside those of a list; a folder tells of its own."""
    is_folder = source.rows.is_listing or os.path.isdir(source.given)
    if is_folder or source.schema.task == "tabular" or _are_rejects(source):
        return ""
    uris = [row.image_uri for row in done.sample]
    are_boxes = source.schema.task == "detection"
    return unlisted_images_note(uris, source.image_root, done.scan.tally.of("rows"), are_boxes=are_boxes)


def _are_folders(source: Source) -> bool:
    """Whether labels are names of folders, of one source or of all that are joined."""
    return source.rows.is_listing or (bool(source.parts) and all(rows.is_listing for rows in source.parts))


def _label_warnings(done: SortedRows, options: ReadOptions, source: Source) -> list[str]:
    are_folders = _are_folders(source)
    census = done.scan.labels
    labelled = sum(done.counts.values()) - census.unlabelled
    is_told = bool(done.labels.source) or census.several or are_folders
    spelling = partial(one_spelling, source.rows, several=bool(census.several))
    may_be_targets = not (are_folders or census.several) and source.schema.task == "classification"
    several = "" if is_told else made_of_others_warning({*census.used()}, options)
    return [
        *label_warnings(
            done.labels,
            options.label_type,
            source.schema.first_id,
            spelling,
            may_be_targets=may_be_targets,
            rows=labelled,
        ),
        *filter(None, [several]),
        *column_warnings(
            census.used(),
            labelled,
            several=census.several,
            are_folders=are_folders,
            are_of_boxes=source.schema.task == "detection",
            as_texts=partial(_as_texts, done, source),
        ),
        *origin_warnings(
            census.used(), are_folders=are_folders, listed=partial(_without_origins, done, source)
        ),
        *city_warnings([row.image_uri for row in done.sample] if are_folders and labelled else []),
    ]


def _without_origins(done: SortedRows, source: Source) -> str:
    """The commands for a list of a folder or CSV with labels without what images come from; else empty."""
    rows, census = source.rows, done.scan.labels
    if not rows.is_listing:
        return parted(rows, *patterns({*census.used()}), several=census.several)
    return "" if is_remote(rows.name) else listing(rows.read()[1], rows.name)


def _as_texts(done: SortedRows, source: Source) -> str:
    """How texts in images are stored that became labels, in a list without a header; else empty."""
    rows, assigned = source.rows, done.scan.assigned.count
    is_list = not (rows.is_listing or rows.is_spooled or rows.is_own) and source.schema.task != "detection"
    if not is_list or 0 < assigned < sum(done.counts.values()):
        return ""
    if rows.shape().header:
        return ""
    return f"where they are texts of images, {captions_below_no_header(rows, have_splits=not assigned)}"


def _outside_train_warnings(
    done: SortedRows, source: Source, folder: Path, stratified: bool
) -> Iterator[str]:
    """Of labels that records of other splits have, and none of train."""
    if stratified:
        yield from _outside_train_of_files(done, folder)
        return
    census = done.scan.labels
    names = only_outside_train(done.labels, census.missing_from("train"), census.within("train"))
    if names and done.scan.problems.codes.keys() & _CONTRADICTIONS:
        others = [split for split in done.counts if split != "train"]
        met = labels_of_rows(folder, others)
        names = [name for name in names if name in met]
    if names and "train" in done.counts:
        differing = (
            _differing_in_points(names, done, source)
            or _shortened(names, done, source)
            or _sharing_none(done, source)
        )
        yield f"{_only_outside_train(names)}{differing}"


def _outside_train_of_files(done: SortedRows, folder: Path) -> Iterator[str]:
    """The same where the splits of rows are known only from the second pass."""
    others = labels_of_rows(folder, [split for split in done.counts if split != "train"])
    if "train" in done.counts:
        names = sorted(others - labels_of_rows(folder, ["train"]))
        yield from [_only_outside_train(names)] if names else []


def _only_outside_train(names: Sequence[str]) -> str:
    shown = ", ".join(map(quoted, names[:3])) + (", …" if len(names) > 3 else "")
    return f"labels that occur only outside train: {shown}"


def _sharing_none(done: SortedRows, source: Source) -> str:
    """A doubt where splits that rows name have no label in common, as where these are cities or persons."""
    census = done.scan.labels
    train = census.within("train")
    others = {label for split in done.counts if split != "train" for label in census.within(split)}
    is_named = not done.scan.assigned.count
    if not is_named or min(len(train), len(others)) < _SEVERAL or not others.isdisjoint(train):
        return ""
    where, hint = LABEL_FOLDER if _are_folders(source) else LABEL_COLUMN
    return f"; train has none of the labels of the other splits: is that {where}? {hint}"


def _shortened(names: Sequence[str], done: SortedRows, source: Source) -> str:
    root = source.rows.name
    return "" if not source.rows.is_listing or is_remote(root) else shortened(names, done.labels.ids, root)


def _differing_in_points(names: Sequence[str], done: SortedRows, source: Source) -> str:
    """How these become labels of train, where a final point is all that tells them from those."""
    found = with_points(names, done.labels.ids)
    if not found or source.rows.is_listing or done.scan.labels.several:
        return ""
    how = without_points(source.parts or [source.rows], found)
    first, plain = quoted(found[0]), quoted(found[0][:-1])
    return f"; {first} is {plain} with a final point: where they are one class, {how}"
