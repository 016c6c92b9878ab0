"""Labels that would be read as what they are not: refused, with the option that settles it."""

from __future__ import annotations

from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.fields import four_numbers, is_no_box, may_be_boxes
from tfrecordcli.sources.boxes.in_text import (
    is_json_object,
    is_list_of_boxes,
    parted_texts,
)
from tfrecordcli.sources.boxes.words import BOX_ROWS, WHOLE_WORDS, as_word
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.foreign.label_studio import boxes_of_studio, is_label_studio
from tfrecordcli.sources.label_fields import is_flag, is_list, items_of, odd_among_vectors, places_of
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.misread.annotation_files import need_no_annotation_files
from tfrecordcli.sources.misread.counts_in_lists import need_no_counts
from tfrecordcli.sources.misread.images_alone import need_labels
from tfrecordcli.sources.misread.label_files import need_no_label_files
from tfrecordcli.sources.misread.numbers_behind import need_labels_behind, need_one_number_behind
from tfrecordcli.sources.misread.repeated_labels import need_no_repeated_labels, of_one_column
from tfrecordcli.sources.misread.sentences import need_no_captions
from tfrecordcli.sources.misread.splits import need_no_split_words
from tfrecordcli.sources.misread.weighted_labels import need_no_weights
from tfrecordcli.sources.misread.words_behind import need_single_words
from tfrecordcli.sources.pandas_commands import beside, with_names
from tfrecordcli.sources.proposals.boxes_by_class import CELLS, holds_boxes, parted_classes
from tfrecordcli.sources.proposals.flag_columns import are_one_of, flag_columns
from tfrecordcli.sources.proposals.table import boxes_columns
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.studio_choices import are_choices, choices_as_lists
from tfrecordcli.units import join_names

# Words of columns by which Open Images tells whether a label is in the image, and of rows where it is not.
_ABSENT: Final = {"confidence": ("0", "0.0"), "estimatedyesno": ("no", "unsure")}

_TASKS_OF_LABELS: Final = ("classification", "regression")


def need_plain_labels(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses labels that would be read wrong silently, by the first rows of a list without boxes.

    Args:
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with what settles it.
    """
    options = rows.options
    need_no_annotation_files(sample, rows)
    _need_no_boxes(sample, rows)
    _need_no_lists_of_boxes(sample, rows)
    _need_no_whole_boxes(sample, options)
    need_no_weights(sample, rows)
    _need_whole_one_hot(sample, options)
    _need_no_flags(sample, options)
    _need_no_vectors(sample, rows)
    _need_equal_vectors(sample, options)
    need_no_counts(sample, rows)
    need_no_split_words(sample, rows)
    need_labels_behind(sample, rows, root)
    need_single_words(sample, rows)
    need_no_repeated_labels(sample, rows)
    need_one_number_behind(sample, rows, root)
    need_no_captions(sample, rows)
    if not rows.is_spooled:
        need_no_label_files(sample, rows)
        need_labels(sample, rows)
    _need_present_labels(sample, options, rows.name)


def _need_no_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses a label column of classes and boxes in one text, or of objects in JSON.

    Raises:
      InputError: that is what it is.
    """
    boxes = boxes_columns(sample.table, sample.shape.labels)
    if boxes:
        names, field = sample.shape.header, next(filter(None, sample.fields(boxes[0])))
        listing, name = names[sample.shape.image or 0], names[boxes[0]]
        raise InputError(
            f"column {name} holds classes and boxes as text, which is not read",
            parted_texts(field, rows.name, sample.shape.delimiter, names, listing, name),
        )
    is_said = rows.options.label_type != "auto" or rows.options.label_separator is not None
    columns = () if is_said else sample.shape.labels
    matlab = next((i for i in columns if holds_boxes(sample.fields(i))), None)
    if matlab is not None and not rows.is_spooled and sample.shape.header and sample.shape.image is not None:
        header = sample.shape.header
        raise InputError(
            f"column {header[matlab]} holds {CELLS}, which are not read",
            f"{parted_classes(header[sample.shape.image], rows.name, sample.shape.delimiter)}; "
            "--label-type id takes each number for a label",
        )
    objects = [name for _, _, names in sample.words for name in names if is_json_object(name)]
    if objects:
        hint = f"export the annotations as COCO where they were made, or {BOX_ROWS}"
        header, image = sample.shape.header, sample.shape.image
        if header and image is not None and is_label_studio(objects[0]):
            hint = boxes_of_studio(header[image], rows.name, sample.shape.delimiter)
        elif header and len(sample.shape.labels) == 1 and all(map(are_choices, objects)):
            hint = choices_as_lists(header[sample.shape.labels[0]], rows.name, sample.shape.delimiter)
        raise InputError(f"a label is a JSON object, as {objects[0][:60]}, which is not read", hint)


def _need_no_lists_of_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses labels each of which is a list of boxes, as `[('cat', (1, 2, 30, 40))]`.

    Raises:
      InputError: with the command that calls them boxes, of which the next message makes rows.
    """
    options, header = rows.options, sample.shape.header
    fields = [name for _, _, names in sample.words for name in names if name]
    is_said = options.label_type != "auto" or options.label_separator is not None
    if is_said or not fields or not all(map(is_list_of_boxes, fields)):
        return
    if rows.is_spooled:
        hint = BOX_ROWS
    elif header:
        column, delimiter = header[sample.shape.labels[0]], sample.shape.delimiter
        command = with_names({column: "boxes"}, rows.name, delimiter)
        hint = f"call that column boxes{': ' * bool(command)}{command}"
    else:
        names = f"{'split,' * all(word for word, _, _ in sample.words)}image,boxes"
        hint = f"call that column boxes: {made_by(names, as_commas(sample.shape.delimiter), rows.name)}"
    raise InputError(
        f"labels are lists of boxes, as {fields[0][:60]}", f"{hint}; --label-type name makes a class of each"
    )


def _need_no_whole_boxes(sample: Sample, options: ReadOptions) -> None:
    """Refuses a column called `bbox` or the like that `--columns` names for labels and that holds boxes."""
    is_said = options.task != "auto" or options.label_type != "auto" or options.label_separator is not None
    called = [
        i
        for i in sample.shape.labels
        if sample.shape.header and as_word(sample.shape.header[i]) in WHOLE_WORDS
    ]
    for column in () if is_said else called:
        name, told = (
            sample.shape.header[column],
            [field for field in sample.fields(column) if not is_no_box(field)],
        )
        if told and all(map(four_numbers, told)) and may_be_boxes(told):
            raise InputError(
                f"column {name}, which --columns takes for the label, holds boxes, as {told[0][:60]}",
                f"leave label={name} out, which reads them as boxes; --label-type name makes a class of each",
            )


def _need_whole_one_hot(sample: Sample, options: ReadOptions) -> None:
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


def _need_no_flags(sample: Sample, options: ReadOptions) -> None:
    """Refuses several columns of labels that are all 0 or 1: each of them stands for a label.

    Raises:
      InputError: with the option that reads them so.
    """
    labels = sample.shape.labels
    if len(labels) < 2 or options.one_hot or options.label_type != "auto":
        return
    if not all(all(map(is_flag, sample.fields(column))) for column in labels):
        return
    names = [sample.shape.header[column] for column in labels]
    one_hot = command_line(["--one-hot", join_names(names)])
    raise InputError(
        f"all fields of the columns {', '.join(names[:20])} are 0 or 1",
        f"{one_hot} makes a label of each column, --label-type id takes 0 and 1 for labels; "
        f"where they are answers of several people: {of_one_column(names, options.columns)}",
    )


def _need_no_vectors(sample: Sample, rows: RowFile) -> None:
    """Refuses rows of 0 and 1 behind paths, without a header: places, and no labels."""
    labels = [names for _, _, names in sample.words if names]
    if sample.shape.header or rows.options.label_type != "auto" or not labels or min(map(len, labels)) < 2:
        return
    if len(set(map(len, labels))) > 1 or not all(all(map(is_flag, names)) for names in labels):
        return
    # A tab between image and flags, and commas between these.
    tabs = [uri.rpartition("\t")[2] for _, uri, _ in sample.words if "\t" in uri]
    is_parted_twice = len(tabs) == len(sample.words) and all(map(is_flag, tabs))
    columns = [f"label_{number}" for number in range(len(labels[0]) + is_parted_twice)]
    # As in MedMNIST: `train,0_1.png,0,1,…`.
    before = ["split"] if any(word for word, _, _ in sample.words) else []
    command = "tr '\\t' , < {name}" if is_parted_twice else as_commas(sample.shape.delimiter)
    raise InputError(
        f"each row has {len(columns)} fields of 0 and 1 behind its image, a place for each label",
        f"{made_by(','.join([*before, 'image', *columns]), command, rows.name)}, and convert that with "
        f"{command_line(['--one-hot', join_names(columns)])}; --label-type id takes 0 and 1 for labels",
    )


def _need_equal_vectors(sample: Sample, options: ReadOptions) -> None:
    """Refuses lists of which most are rows of 0 and 1 with three places or more, and too many others are not.

    Two of three places are alike, as no two labels of an image are.
    """
    fields = [field for _, _, names in sample.words for field in names if field]
    if options.one_hot or options.label_separator is not None or not all(map(is_list, fields)):
        return
    lists = list(map(items_of, fields))
    odd = "" if places_of(lists) else odd_among_vectors(lists)
    if odd:
        raise InputError(
            odd,
            "write all of them with the same number of places, or leave such rows out; "
            "--label-separator none makes a class of each field; where each value is a label, write them "
            "without brackets, as 1,0, and give --label-separator ,",
        )


def _need_present_labels(sample: Sample, options: ReadOptions, name: str) -> None:
    """Refuses Open Images' lists of labels that people verified: some of these are not in the image.

    Raises:
      InputError: with what to do first.
    """
    words = [as_word(name) for name in sample.shape.header]
    if options.columns or "imageid" not in words:
        return
    for word, absent in _ABSENT.items():
        column = words.index(word) if word in words else -1
        found = (
            next((field for field in sample.fields(column) if field in absent), None) if column >= 0 else None
        )
        if found is not None:
            keep = f"${column + 1} > 0" if word == "confidence" else f'${column + 1} == "yes"'
            command = command_line(["awk", "-F,", f"NR == 1 || {keep}", as_path(name)])
            target = command_line([as_path(beside(name, "present"))])
            raise InputError(
                f"rows of {sample.shape.header[column]} {found} name labels that were verified to be absent "
                "from the image",
                f"leave them out first: {command} > {target}, and convert that with --multi-label",
            )
