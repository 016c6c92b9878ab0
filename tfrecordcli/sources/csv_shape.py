"""The shape of an image list, told from its first row: delimiter, header, which column holds what.

Google's image formats have no header (AutoML Vision, Vertex AI: ``[SET,]URI[,LABEL…]``), TFRecorder
wants one, exports from elsewhere have one of their own; `docs/input-formats.md` has the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN, WRITTEN_NUMBER
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.options import ReadOptions
from tfrecordcli.schema import ROW_LABEL, Feature
from tfrecordcli.sources.boxes.columns import BoxColumns, BoxFormat, find_box_columns
from tfrecordcli.sources.boxes.fields import is_automl, is_retinanet, split_of_retinanet
from tfrecordcli.sources.boxes.sides import need_one_box_a_row
from tfrecordcli.sources.boxes.words import need_no_part_of_a_box
from tfrecordcli.sources.column_words import (
    FURTHER_FIELD,
    KNOWN_COLUMNS,
    NO_LABELS_OF_BOXES,
    OWN_COLUMNS,
    columns_beside_boxes,
    columns_for,
    further_column,
    is_header,
    known_columns,
    likely_column,
    listed,
    may_hold_an_image,
    names_a_file,
    only_one,
)
from tfrecordcli.split_words import parse_split, parse_split_in_column


@dataclass(frozen=True, slots=True)
class CsvShape:
    """How rows of one file are read.

    Attributes:
      delimiter: one character.
      header: the column names as written; empty when the file has no header.
      split, image: column numbers from 0; None: no such column. Without a header both are None.
      labels: column numbers that hold labels.
      further: column numbers of the features that come from further columns; None: no such column, which
        the feature does not require.
      surplus: column numbers of a rejects.csv that hold fields for which its source had no column.
      boxes: where boxes are; None: the list has none.
      is_retinanet: whether a list of boxes without a header is one for keras-retinanet, and not for AutoML.
      is_table: whether rows have no image.
      is_open_ended: whether the header ends in a name, so that labels may go on behind it.
      problem: column of a list of tfrec's own that says why a row cannot be used; None: no such column.
      notes: what was decided, for a person to check.
    """

    delimiter: str
    header: tuple[str, ...] = ()
    split: int | None = None
    image: int | None = None
    labels: tuple[int, ...] = ()
    further: tuple[int | None, ...] = ()
    surplus: tuple[int, ...] = ()
    boxes: BoxColumns | None = None
    is_retinanet: bool = False
    is_table: bool = False
    is_open_ended: bool = True
    problem: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def open_ended(self) -> bool:
        """Whether fields beyond the header are further labels: the last column is a label."""
        return (
            self.is_open_ended
            and self.boxes is None
            and not self.is_table
            and bool(self.labels)
            and max(self.labels) == len(self.header) - 1
        )

    def parse_split(self, word: str) -> str | None:
        """What the word of a row stands for, as a column of splits has it where there is one."""
        return parse_split(word) if self.split is None else parse_split_in_column(word)


_WITH_BOXES = ("auto", "detection")  # tasks for which box columns are read
DELIMITERS = ",\t;|"
# The path of an image, and words that are none.
_PARTED_BY_BLANKS = re.compile(
    rf"[^\s,;|]+\.(?:jpe?g|png|gif|bmp|webp|tiff?)(?: +(?:[^\s,;|./]+|{WRITTEN}))+"
    r"|[^\s,;|]+/[^\s,;|/.]+ +[0-9]+",
    re.IGNORECASE,
)
_PARTED_BY_A_COLON = re.compile(
    r"[^\s:]+\.(?:jpe?g|png|gif|bmp|webp|tiff?) *: *[^\s:/\\][^:]*", re.IGNORECASE
)
_QUOTED = re.compile('"[^"]*"?')


def detect_delimiter(line: str) -> str:
    """The delimiter under which the first line has most fields; a comma when nothing says more.

    Blanks count where nothing else does: in Caffe's lists, `path 0`.
    """
    bare = _QUOTED.sub("", line)
    if _PARTED_BY_BLANKS.fullmatch(bare.strip()):
        return " "
    return max(DELIMITERS, key=lambda d: (bare.count(d), d == ","))


def detect_shape(
    first: Sequence[str],
    delimiter: str,
    options: ReadOptions,
    features: Sequence[Feature] = (),
    *,
    is_named: bool = False,
) -> CsvShape:
    """The shape of a file whose first row is ``first`` (fields stripped).

    Args:
      first: fields of the first row that is not blank.
      delimiter: of the file.
      options: columns that the user named, what is made of the list, whether it needs labels.
      features: that come from further columns.
      is_named: whether a slash in the first row is in the name of a column for certain.

    Raises:
      InputError: a header that lacks the image or label column or that of a feature, or names two for one
        purpose.
    """
    if options.task == "tabular":
        return _shape_of_table(first, delimiter, options, features)
    boxes = None
    if options.format in ("retinanet", "automl"):
        return _by_position(delimiter, features, options, is_retinanet=options.format == "retinanet")
    if options.task in _WITH_BOXES and not any(map(names_a_file, first)):
        boxes = find_box_columns(first, options.box_format, are_boxes=options.task == "detection")
    named = {name for _, name in options.columns}
    if boxes is not None and options.task == "auto" and not named.isdisjoint(first[i] for i in boxes.corners):
        boxes = None  # such as `left` and `top` of --one-hot: whoever names them has seen what they are
    if boxes is not None:
        return _shape_of_boxes(first, delimiter, options, features, boxes)
    if options.task == "auto" and "label" not in dict(options.columns):
        unnamed = [name for name in first if name not in named]
        need_no_part_of_a_box(unnamed)
        need_one_box_a_row([name for name in unnamed if not is_asked_for(name, options.features)])
    if options.columns or is_header(first, is_named=is_named):
        if options.task == "detection":
            raise InputError(
                f"no columns of boxes; the columns are: {listed(first)}",
                "call them xmin, ymin, xmax, ymax, or x, y, w, h, or bbox",
            )
        return _shape_by_name(first, delimiter, options.columns, options.unlabelled == "error", features)
    if options.task in _WITH_BOXES and is_retinanet(split_of_retinanet(first)[1]):
        return _by_position(delimiter, features, options, is_retinanet=True)
    if options.task == "detection" or (options.task in _WITH_BOXES and _is_automl_row(first)):
        return _by_position(delimiter, features, options, is_retinanet=False)
    word = parse_split(first[0])
    # A blank there may stand above an index.
    may_hold_one = (first[0] and word is not None) or may_hold_an_image(first)
    if may_hold_one and not is_named:
        further = tuple(further_column(first[:0], feature) for feature in features)
        return CsvShape(delimiter, further=further)
    hint = "name the columns, as in --columns image_uri=Filename,label=Species"
    if len(first) == 1 and _PARTED_BY_A_COLON.fullmatch(first[0]):
        hint = "where a colon stands between its fields: --delimiter :"
    elif len(first) == 1 and is_no_header(first):
        hint = f"where blanks stand between its fields: --delimiter ' '; where it has a header, {hint}"
    elif is_no_header(first):
        hint = "it names no image: is it the right list? Give one of images and labels"
    raise InputError(f"no image and no known column in the first row; it reads: {listed(first)}", hint)


def is_no_header(first: Sequence[str]) -> bool:
    """Whether a first row holds values and no names: a field with blanks in it, or numbers among fields.

    A DataFrame whose columns have no names is saved with a header of 0, 1, 2; years may be names, too.
    Behind the known name of a column, numbers are names.
    """
    if len(first) == 1:
        return " " in first[0]
    if any(known_columns(first[:1], purpose) for purpose in KNOWN_COLUMNS):
        return False
    numbers = [field for field in first if WRITTEN_NUMBER.fullmatch(field)]
    are_names = numbers and numbers[0].isdecimal()
    return bool(numbers) and not (
        are_names and numbers == [str(int(numbers[0]) + i) for i in range(len(numbers))]
    )


def _is_automl_row(first: Sequence[str]) -> bool:
    """Whether a row is ``[SET,]URI,LABEL`` and a box."""
    return is_automl(first[2:] if parse_split(first[0]) is not None else first[1:])


def _by_position(
    delimiter: str, features: Sequence[Feature], options: ReadOptions, *, is_retinanet: bool
) -> CsvShape:
    """The shape of a list of boxes without a header; the numbers of its columns mean nothing."""
    form: BoxFormat = options.box_format or "xyxy"
    rest = "x1, y1, x2, y2, class" if is_retinanet else "label and the corners of a box"
    further = tuple(further_column((), feature) for feature in features)
    boxes = BoxColumns((2, 3, 4, 5), form, note=f"boxes are read from rows of [set,] path, {rest}")
    return CsvShape(delimiter, further=further, boxes=boxes, is_retinanet=is_retinanet, notes=(boxes.note,))


def _shape_of_boxes(
    header: Sequence[str],
    delimiter: str,
    options: ReadOptions,
    features: Sequence[Feature],
    boxes: BoxColumns,
) -> CsvShape:
    taken = set(boxes.used)
    columns = columns_beside_boxes(header, taken, options.columns)
    shape = _shape_by_name(header, delimiter, columns, False, features)
    if all(
        purpose != "label" for purpose, _ in columns
    ):  # `y` is a likely name of labels, and a side of boxes
        shape = replace(shape, labels=())
    used = {shape.split, shape.image, *shape.labels, *shape.further, *taken}
    ignored = [n for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
    notes = [boxes.note]
    if not shape.labels:
        notes.append(NO_LABELS_OF_BOXES.format("column"))
    if ignored:
        notes.append(f"columns that are not used: {listed(ignored)}")
    return replace(shape, boxes=boxes, notes=tuple(notes) if shape.problem is None else ())


def _shape_by_name(
    header: Sequence[str],
    delimiter: str,
    columns: Sequence[tuple[str, str]],
    need_label: bool,
    features: Sequence[Feature],
) -> CsvShape:
    split = columns_for(header, "split", columns)
    image = columns_for(header, "image_uri", columns)
    labels = columns_for(header, "label", columns)
    if not labels and (need_label or not known_columns(header, "image_uri")):
        labels = likely_column(header, "label")
    if all(purpose != "label" for purpose, _ in columns):
        labels = [number for number in labels if header[number] not in dict(columns).values()]
    if not image:
        raise InputError(
            f"no image column; the columns are: {listed(header)}",
            "name it, as in --columns image_uri=Filename; --task tabular takes rows without images",
        )
    if not labels and need_label:
        raise InputError(
            f"no label column; the columns are: {listed(header)}",
            "name it, as in --columns label=Species, or use --unlabelled keep",
        )
    further = tuple(further_column(header, feature) for feature in features)
    used = {*split, *image, *labels, *further}
    ignored = [n for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
    notes = (f"columns that are not used: {listed(ignored)}",) if ignored else ()
    surplus = tuple(i for i, name in enumerate(header) if name.startswith(FURTHER_FIELD))
    number = split[0] if split else None
    shape = CsvShape(delimiter, tuple(header), number, image[0], tuple(labels), further, surplus, notes=notes)
    is_own = OWN_COLUMNS[-1] in header
    return replace(shape, problem=header.index(OWN_COLUMNS[-1]), notes=()) if is_own else shape


def _shape_of_table(
    header: Sequence[str], delimiter: str, options: ReadOptions, features: Sequence[Feature]
) -> CsvShape:
    """The shape of rows without images. Of labels only the plainest name is known: any column may be one."""
    number = next(filter(WRITTEN_NUMBER.fullmatch, header), None)
    if number is not None:
        raise InputError(
            f"--task tabular needs a header, and {number} in the first row is a number",
            "write names of columns above the rows",
        )
    given = {purpose for purpose, _ in options.columns}
    if "image_uri" in given:
        raise InputError("--columns image_uri=…: rows of --task tabular have no image", "leave it out")
    split = columns_for(header, "split", options.columns)
    known = [i for i, name in enumerate(header) if name.lower() == ROW_LABEL]
    labels = (
        columns_for(header, "label", options.columns)
        if "label" in given
        else only_one(header, "label", known)
    )
    further = tuple(further_column(header, feature) for feature in features)
    used = {*split, *labels, *further}
    ignored = [n for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
    notes = [f"columns that are not used: {listed(ignored)}"] if ignored else []
    if "" in header:
        notes.append("columns without a name are not stored")
    if not labels:
        notes.append("no column is called label: records get none (--columns label=NAME names one)")
    surplus = tuple(i for i, name in enumerate(header) if name.startswith(FURTHER_FIELD))
    is_own = OWN_COLUMNS[-1] in header
    return CsvShape(
        delimiter,
        tuple(header),
        split[0] if split else None,
        None,
        tuple(labels),
        further,
        surplus,
        is_table=True,
        problem=header.index(OWN_COLUMNS[-1]) if is_own else None,
        notes=() if is_own else tuple(notes),
    )
