"""All the rules about rows that may be meant otherwise than they would be read, in their order."""

from __future__ import annotations

from collections.abc import Iterable

from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.sides import boxes_side_by_side, is_no_object, likely_sides
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_flag
from tfrecordcli.sources.misread.begins import need_one_begin, need_one_size
from tfrecordcli.sources.misread.boxes import need_no_unread_boxes, need_plain_boxes
from tfrecordcli.sources.misread.boxes_drawn_twice import told_twice
from tfrecordcli.sources.misread.boxes_of_one_class import one_word_doubt
from tfrecordcli.sources.misread.boxes_of_tiles import told_tiles
from tfrecordcli.sources.misread.circles import need_no_circles, told_circles
from tfrecordcli.sources.misread.headers import need_header
from tfrecordcli.sources.misread.images import need_column_of_images, told_image_for_header
from tfrecordcli.sources.misread.images_here import need_no_files_here
from tfrecordcli.sources.misread.images_in_a_field import need_one_image_a_field
from tfrecordcli.sources.misread.images_left_out import need_no_pairs, told_images_left_out
from tfrecordcli.sources.misread.images_side_by_side import need_one_image_a_row
from tfrecordcli.sources.misread.label_files import told_label_files
from tfrecordcli.sources.misread.labels import need_plain_labels
from tfrecordcli.sources.misread.labels_in_ids import need_no_labels_in_ids
from tfrecordcli.sources.misread.merged_cells import (
    merged_labels_doubt,
    need_no_merged_groups,
    need_no_merged_splits,
    told_merged_groups,
)
from tfrecordcli.sources.misread.numbers_behind import told_numbers_behind
from tfrecordcli.sources.misread.one_answer import told_one_answer
from tfrecordcli.sources.misread.points import need_no_point
from tfrecordcli.sources.misread.relative_paths import need_whole_paths
from tfrecordcli.sources.misread.repeated_labels import repeated_labels_doubt
from tfrecordcli.sources.misread.rival_labels import told_rival_labels
from tfrecordcli.sources.misread.rounded_ids import need_whole_ids
from tfrecordcli.sources.misread.sides_by_other_names import (
    need_no_objects,
    need_no_rows_and_columns,
    need_no_steps,
    told_steps,
)
from tfrecordcli.sources.misread.sounds import need_no_sounds
from tfrecordcli.sources.misread.splits import need_known_splits
from tfrecordcli.sources.misread.splits_unread import need_splits_read, told_splits
from tfrecordcli.sources.misread.tables_below import need_no_table_below
from tfrecordcli.sources.misread.taxonomic_ranks import need_no_rank
from tfrecordcli.sources.misread.words_behind import told_several_words
from tfrecordcli.sources.proposals.boxes_in_columns import parted_columns
from tfrecordcli.sources.proposals.flag_columns import flag_columns, settled, unsure_columns
from tfrecordcli.sources.rows_set_aside import told_set_aside
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import join_names, some_of


def need_plain(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses rows that may be meant otherwise than they would be read.

    Args:
      sample: the first rows.
      rows: the list.
      root: absolute folder or URL that relative image paths are relative to.

    Raises:
      InputError: with a command or an option that says what is meant.
    """
    need_header(sample, rows)
    need_no_sounds(sample, rows, root)
    need_column_of_images(sample, rows, root)
    need_no_files_here(sample, rows, root)
    need_one_image_a_field(sample, rows, root)
    need_whole_paths(sample, rows, root)
    need_one_image_a_row(sample, rows)
    need_no_pairs(sample, rows)
    need_known_splits(sample, rows)
    need_splits_read(sample, rows)
    need_no_merged_splits(sample, rows)
    need_no_merged_groups(sample, rows)
    need_no_rank(sample, rows)
    if sample.shape.boxes is None and not sample.shape.is_table:
        options = rows.options
        may_be_boxes = options.task == "auto" and "label" not in dict(options.columns) and not rows.is_spooled
        need_no_table_below(sample, rows, root)
        need_no_circles(sample, rows, root)
        if may_be_boxes:
            need_no_steps(sample, rows)
        need_no_point(sample, rows)
        need_plain_labels(sample, rows, root)
        need_whole_ids(sample, root)
        need_no_labels_in_ids(sample, rows, root)
        if may_be_boxes:
            need_no_unread_boxes(sample, rows)
            need_no_rows_and_columns(sample, rows, root)
        if options.task == "auto" and not (options.multi_label or rows.is_spooled) and sample.shape.header:
            need_no_objects(sample, rows)
    elif sample.shape.boxes is not None:
        need_one_begin(sample, rows)
        need_one_size(sample, rows)
        if not rows.is_spooled:
            need_plain_boxes(sample, rows)


def doubts_of(sample: Sample, rows: RowFile, root: str) -> Iterable[str]:
    """What may be meant otherwise in rows that are read, each with the way to say so; as of `need_plain`."""
    shape, options = sample.shape, rows.options
    if shape.boxes is None and not shape.is_table:
        yield from repeated_labels_doubt(sample, rows)
        yield from merged_labels_doubt(sample, rows)
        yield from [*told_one_answer(sample, rows)] or told_rival_labels(sample, rows)
        yield from told_several_words(sample, rows)
        yield from told_numbers_behind(sample, rows, root)
        yield from told_label_files(sample, rows)
        yield from _unsure_doubt(sample, rows)
    if shape.boxes is not None:
        yield from told_twice(sample, rows)
    if not shape.header:
        return
    yield from told_image_for_header(sample, rows, root)
    yield from told_images_left_out(sample, rows, root)
    yield from told_splits(sample, rows)
    yield from told_set_aside(sample, rows)
    yield from told_merged_groups(sample, rows)
    if shape.boxes is not None:
        yield from told_tiles(sample, rows)
        yield from one_word_doubt(sample, rows)
        return
    header = [name for name in shape.header if not is_asked_for(name, options.features)]
    sides = likely_sides(header) if options.task == "auto" else []
    if sides:
        yield f"columns {', '.join(sides)} may be boxes: --task detection reads them"
    elif options.task == "auto":
        yield from told_steps(sample, rows)
        yield from told_circles(sample, rows, root)
    boxes = boxes_side_by_side(header) if options.task == "auto" else []
    if not all(is_no_object(box, header) for box in boxes):
        named = ", ".join(header[box.columns[0]] for box in boxes)
        hint = parted_columns(header, rows.name, shape.delimiter)
        yield f"there may be several boxes a row ({named}): {hint}"
    yield from _flags_doubt(sample)


def _flags_doubt(sample: Sample) -> Iterable[str]:
    """That a label of 0 and 1 is one of several, whose columns are not used."""
    shape = sample.shape
    taken = {shape.split, shape.image, *shape.labels, *shape.further} - {None}
    if not shape.is_table and len(shape.labels) == 1 and all(map(is_flag, sample.fields(shape.labels[0]))):
        flags = [i for i in flag_columns(sample.table, range(len(shape.header))) if i not in taken]
        if len(flags) > 1:
            names = [shape.header[i] for i in (*shape.labels, *flags)]
            yield (
                f"{shape.header[shape.labels[0]]} is 0 or 1, and so are columns that are not used: "
                f"{command_line(['--one-hot', join_names(names)])} makes a label of each"
            )


def _unsure_doubt(sample: Sample, rows: RowFile) -> Iterable[str]:
    """That -1 beside 0 and 1 in columns of labels may be unsure, with the command that settles it."""
    shape = sample.shape
    columns = (
        unsure_columns(sample.table, shape.labels) if rows.options.one_hot and not rows.is_spooled else []
    )
    if columns:
        names = [shape.header[i] for i in columns]
        are_refused = any(field == "-1.0" for i in columns for field in sample.fields(i))
        what = "such rows are rejected" if are_refused else "it is read as 0"
        yield (
            f"-1 in {some_of(names)} may be unsure, and {what}: {settled(names, rows.name, shape.delimiter)}"
        )
