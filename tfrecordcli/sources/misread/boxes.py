"""Boxes that would be stored as what they are not: refused, with the command that mends the list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.boxes.corners_in_pairs import corners_in_pairs, parted_corners
from tfrecordcli.sources.boxes.fields import is_no_box, is_null, says_nothing
from tfrecordcli.sources.boxes.in_text import (
    as_many_beside,
    is_json_of_boxes,
    parted,
    parted_texts,
    shown,
)
from tfrecordcli.sources.boxes.named_sides import name_sides, parted_sides
from tfrecordcli.sources.boxes.numbered import numbered_box, renamed_numbers
from tfrecordcli.sources.boxes.predictions import is_score, need_no_scored_rows
from tfrecordcli.sources.boxes.two_points import are_two_points, parted_points
from tfrecordcli.sources.boxes.unread_columns import BOX_WORDS, is_called, unread_boxes
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.foreign.label_studio import boxes_of_studio, is_label_studio
from tfrecordcli.sources.further_columns import ALL
from tfrecordcli.sources.label_fields import is_boxes, is_list, items_of
from tfrecordcli.sources.misread.boxes_of_one_class import need_labels_of_boxes
from tfrecordcli.sources.misread.boxes_of_several_labels import need_one_label_a_box
from tfrecordcli.sources.misread.boxes_turned import need_upright_boxes
from tfrecordcli.sources.misread.decimal_commas import need_points_of_boxes
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample

_BELOW_0: Final = re.compile(r"-[0-9.]*[1-9][0-9.]*")
_CORNERS: Final = 4
_SOME: Final = 2  # rows with one label and no box; a single one has lost its box


def need_plain_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes that would be stored wrong silently, by the first rows.

    Raises:
      InputError: with what settles it.
    """
    asked = () if rows.options.features == ALL else rows.options.features  # by name: one value an image
    scores = sample.unread(lambda name: is_score(name) and not is_asked_for(name, asked))
    need_no_scored_rows(rows.name, scores, sample.shape.delimiter)
    _need_one_box_a_row(sample, rows)
    need_points_of_boxes(sample, rows)
    need_upright_boxes(sample, rows.name)
    need_labels_of_boxes(sample, rows)
    _need_numbers_in_boxes(sample, rows)
    need_one_label_a_box(sample, rows)
    _need_unlabelled_negatives(sample, rows)


def need_no_unread_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses labels beside a column called after boxes or outlines that holds some, and is not read.

    Raises:
      InputError: with the command that makes a list of boxes, and what takes whole images.
    """
    delimiter = sample.shape.delimiter
    unread = sample.unread(
        lambda name: not (is_asked_for(name, rows.options.features) or name == rows.options.split_by)
    )
    found = unread_boxes(unread, rows.name, delimiter, lambda name: _beside(sample, name))
    if found:
        raise InputError(found.what, f"{found.hint}; {WHOLE_IMAGES}")
    _need_no_texts_of_boxes(sample, rows, unread)
    corners = corners_in_pairs(sample.unread(lambda name: not is_asked_for(name, rows.options.features)))
    if corners:
        hint = parted_corners(corners, rows.name, delimiter)
        what = f"columns {' and '.join(corners)} hold the corners of boxes, and are not read"
        raise InputError(what, f"{hint}; {WHOLE_IMAGES}")
    numbered = sample.unread(lambda name: not is_asked_for(name, rows.options.features))
    columns = numbered_box(numbered)
    if columns:
        raise InputError(
            f"columns {', '.join(columns)} look like the four numbers of a box, and none of them is read",
            f"{renamed_numbers({each: numbered[each] for each in columns}, rows.name, delimiter)}; "
            f"{WHOLE_IMAGES}",
        )


def _need_no_texts_of_boxes(sample: Sample, rows: RowFile, unread: Mapping[str, Sequence[str]]) -> None:
    """Refuses a column called after boxes that holds classes and boxes as text.

    Raises:
      InputError: with the command that makes a row of each.
    """
    for name, fields in unread.items():
        texts = [*filter(None, fields)]
        if texts and is_called(name, BOX_WORDS) and all(map(is_boxes, texts)):
            header = sample.shape.header
            listing = header[sample.shape.image or 0]
            hint = parted_texts(texts[0], rows.name, sample.shape.delimiter, header, listing, name)
            what = f"column {name} holds classes and boxes as text, which is not read"
            raise InputError(what, f"{hint}; {WHOLE_IMAGES}")


def _beside(sample: Sample, name: str) -> dict[str, str]:
    """The columns with a value for each box of a column."""
    return as_many_beside(sample.shape.header, sample.table, name)


def thousandths(sample: Sample, rows: RowFile) -> InputError:
    """What is said of boxes that are parts of a thousand of their images."""
    shape, hint = sample.shape, "divide them by 1000"
    if shape.boxes is not None and shape.header and len(shape.boxes.corners) == 4:
        columns = ", ".join(literal(shape.header[column]) for column in shape.boxes.corners)
        change = f"c = [{columns}]; t[c] = t[c].apply(pd.to_numeric) / 1000; t"
        command = changed(rows.name, shape.delimiter, change, "fractions")
        hint += f": {command}" if command else ""
    return InputError(
        "most boxes end beyond their image, and none beyond 1000: are these pixels of larger originals, or "
        "thousandths of the image's size, as of Gemini?",
        "of larger originals: give columns width and height, their size; thousandths: "
        f"{hint}, and convert that with --box-unit fractions; --box-unit pixels takes them as they are",
    )


def need_values_of_images(sample: Sample, names: Iterable[str]) -> None:
    """Refuses further columns whose values are those of single boxes: a record holds one for its image.

    Raises:
      InputError: in most images with several boxes these have other values.
    """
    shape = sample.shape
    if shape.image is None:
        return
    rows = [
        fields
        for fields in sample.table
        if len(fields) >= len(shape.header) and not (shape.problem is not None and fields[shape.problem])
    ]
    for name in names:
        values: dict[str, list[str]] = {}
        for fields in rows:
            values.setdefault(fields[shape.image], []).append(fields[shape.header.index(name)])
        several = {image: some for image, some in values.items() if len(some) > 1}
        mixed = {image: sorted(set(some)) for image, some in several.items() if len(set(some)) > 1}
        if 2 * len(mixed) > len(several):
            one, other, *_ = next(iter(mixed.values()))
            raise InputError(
                f"--features {name}: boxes of one image have other values, as {one!r} and {other!r}",
                f"leave it out: of single boxes {', '.join(ATTRIBUTES)} are stored, where the list has such "
                "columns",
            )


def _need_one_box_a_row(sample: Sample, rows: RowFile) -> None:
    """Refuses four columns of lists in text, as many values in each, as pandas groups rows of an image."""
    boxes, header = sample.shape.boxes, sample.shape.header
    if boxes is None or len(boxes.corners) != _CORNERS or not header:
        return
    column, *others = (header[i] for i in boxes.corners)
    beside = _beside(sample, column)
    if set(others) <= set(beside):
        field = next(filter(None, sample.fields(boxes.corners[0])))
        raise InputError(
            f"columns {', '.join([column, *others])} hold lists, as {shown(field)}: a number for each of "
            "several boxes, which is not read",
            parted(column, field, rows.name, sample.shape.delimiter, beside),
        )


def _need_numbers_in_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses a column of boxes that are JSON, or several in a field, or that name their sides."""
    boxes = sample.shape.boxes
    if boxes is None or len(boxes.corners) != 1 or not sample.shape.header:
        return
    name = sample.shape.header[boxes.corners[0]]
    for field in sample.fields(boxes.corners[0]):
        if is_json_of_boxes(field):
            hint = parted(name, field, rows.name, sample.shape.delimiter, _beside(sample, name))
            if is_label_studio(field) and sample.shape.image is not None:
                image = sample.shape.header[sample.shape.image]
                hint = boxes_of_studio(image, rows.name, sample.shape.delimiter)
            raise InputError(f"column {name} has {shown(field)}, which is not read", hint)
    told = [field for field in sample.fields(boxes.corners[0]) if not is_no_box(field)]
    hint = parted_sides(name, told[0], rows.name, sample.shape.delimiter) if told and name_sides(told) else ""
    if hint or are_two_points(told):
        hint = hint or parted_points(name, rows.name, sample.shape.delimiter)
        raise InputError(f"column {name} holds boxes, as {shown(told[0])}, which is not read", hint)


def _need_unlabelled_negatives(sample: Sample, rows: RowFile) -> None:
    """Refuses a label that all rows without a box have, and none with one: it says that nothing is there.

    Four numbers below 0 are no box either: `-1,-1,-2,-2`.
    """
    shape = sample.shape
    if shape.boxes is None or not shape.header or len(shape.labels) != 1:
        return
    (label,) = shape.labels
    empty: Counter[str] = Counter()
    others: set[str] = set()
    nulls: set[str] = set()
    are_below = False
    for fields in sample.table:
        texts = [fields[column] for column in (*shape.boxes.corners, label) if column < len(fields)]
        if len(texts) == len(shape.boxes.corners) + 1 and texts[-1]:
            *box, word = texts
            is_below = len(box) > 1 and all(map(_BELOW_0.fullmatch, box))
            (empty if is_below or all(map(is_no_box, box)) else others).update([word])
            are_below |= is_below
            nulls.update(filter(is_null, box))
    if len(empty) != 1 or min(empty.values()) < _SOME or not others.isdisjoint(empty) or not others:
        return
    if _is_nothing(*empty) and not are_below:
        return
    (word,), name = empty, shape.header[label]
    corners = [shape.header[column] for column in shape.boxes.corners]
    told = "without a box" if not are_below else "with numbers below 0 in place of a box"
    change = _without(word, name, corners, sorted(nulls), are_below=are_below)
    hint = changed(rows.name, shape.delimiter, change, "negatives")
    raise InputError(
        f"rows {told} have {word!r} in column {name}, as no other row has: "
        "is that for images which show nothing?",
        f"then these rows need no label: {hint or f'leave the field {name} of these rows empty'}",
    )


def _without(word: str, name: str, corners: Sequence[str], nulls: Sequence[str], *, are_below: bool) -> str:
    """The change of a table that empties the labels of rows without a box, and numbers that stand for none.

    Args:
      word: the label.
      name, corners: the columns of labels and of boxes.
      nulls: words for no value in those of boxes.
      are_below: whether numbers below 0 stand for none.
    """
    trimmed = '.str.strip("[]() ")' if len(corners) == 1 else ""
    is_blank = f".isin({['', *nulls]})" if nulls else ' == ""'
    blank = f"t[{literal(corners[0])}]{trimmed}{is_blank}"
    if not are_below:
        return f't.loc[{blank}, {literal(name)}] = ""; t'
    columns = ", ".join(map(literal, (*corners, name)))
    below = f't[{literal(corners[-1])}].str.startswith("-")'
    return f't.loc[(t[{literal(name)}] == {literal(word)}) & ({below} | ({blank})), [{columns}]] = ""; t'


def _is_nothing(word: str) -> bool:
    labels = items_of(word) if is_list(word) else [word]
    return all(map(says_nothing, labels))
