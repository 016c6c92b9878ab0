"""The shape of an image list, told from its first row: delimiter, header, which column holds what.

Google's image formats have no header (AutoML Vision, Vertex AI: ``[SET,]URI[,LABEL…]``), TFRecorder
wants one, exports from elsewhere have one of their own; `docs/input-formats.md` has the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.schema import ROW_LABEL, Feature
from tfrecordcli.shell import command_line
from tfrecordcli.sources.box_columns import (
    BoxColumns,
    BoxFormat,
    find_box_columns,
    is_automl,
    is_retinanet,
)
from tfrecordcli.sources.box_words import need_no_part_of_a_box
from tfrecordcli.split_words import parse_split
from tfrecordcli.units import join_pairs

# Column names that are known without --columns, lower case.
KNOWN_COLUMNS = {
    "split": ("split", "ml_use", "set", "subset", "dataset_split"),
    "image_uri": (
        "image_uri", "gcs_file_path", "image", "image_path", "path", "filepath", "file_path",
        "filename", "file_name", "file", "uri", "url", "image_url",
    ),
    "label": ("label", "labels", "class", "class_name", "category"),
}  # fmt: skip
# Names that count where no column has one of those, without case, blanks, `-` and `_`; `id` after all others.
LIKELY_COLUMNS = {
    "split": (),
    "image_uri": (
        "imageid", "imagename", "imageindex", "imagefile", "imagefilename", "imagefilepath", "img", "imgid",
        "imgname", "imgpath", "imgfile", "idcode", "fname", "filenames", "photo", "photoid", "picture", "pic",
        "filename", "filepath", "imageuri", "imagepath", "imageurl",
    ),
    "label": (
        "breed", "target", "targets", "diagnosis", "classid", "classlabel", "classes", "classname",
        "categoryid", "categories", "categoryname", "y", "cls", "tag", "tags", "species", "findinglabels",
        "labelname", "labelid", "attributeids", "findinglabel", "choice",
    ),
}  # fmt: skip
_LAST_OF_ALL = {"image_uri": ("id",)}
# rejects.csv adds these; they are never input. Labels beyond the header stand in FURTHER_LABEL + "2", "3"…
REPORT_COLUMNS = ("tfrec_line", "tfrec_code", "tfrec_reason")
# Of lists that tfrec wrote itself: where a row comes from, the unit of its box (with a capital: on the stored
# pixels, whatever EXIF says), the number of its image, and why it cannot be used.
OWN_COLUMNS = ("tfrec_place", "tfrec_unit", "tfrec_source_id", "tfrec_problem")
# Of lists of images that are parts of other files: what their records are to call them, and by what they are
# dealt to splits.
FILENAME_COLUMN = "tfrec_filename"
CONTENT_COLUMN = "tfrec_content"
FEATURE_COLUMN = "tfrec_feature_"  # of theirs, with the key of the feature behind it
# Of lists of several sources: which one a row comes from.
SOURCE_COLUMN = "tfrec_source"
FURTHER_LABEL = "tfrec_label_"
FURTHER_FIELD = "tfrec_field_"

# The label of boxes whose list has none.
ONE_CLASS = "object"

_FURTHER_LABELS = re.compile(FURTHER_LABEL + r"\d+")
_NUMBERED_LABELS = re.compile(r"label_?\d+")
_WITH_BOXES = ("auto", "detection")  # tasks for which box columns are read
_NOT_LETTERS = re.compile(r"[\s_-]")
_EXTENSION = re.compile(
    r"\.(?:jpe?g|jpe|jfif|png|gif|bmp|dib|webp|tiff?|ico|hei[cf]|avif|jp2|jxl|p[pgbn]m|tga)$",
    re.IGNORECASE,
)
# Further words of lists of boxes, without case, blanks, `-` and `_`; in others they would say too little.
_DETECTION_WORDS = {
    "image_uri": ("imageid", "imagename", "img", "imagefilename"),
    "label": ("labelname", "categoryname", "displayname", "name", "tag", "object"),
}
# Column names that a message lists.
_LISTED = 50
_DELIMITERS = ",\t;|"
# The path of an image, and words that are none.
_PARTED_BY_BLANKS = re.compile(
    r"[^\s,;|]+\.(?:jpe?g|png|gif|bmp|webp|tiff?)(?: +[^\s,;|./]+)+", re.IGNORECASE
)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_QUOTED = re.compile('"[^"]*"?')


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
    problem: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def open_ended(self) -> bool:
        """Whether fields beyond the header are further labels: the last column is a label."""
        return (
            self.boxes is None
            and not self.is_table
            and bool(self.labels)
            and max(self.labels) == len(self.header) - 1
        )


def looks_like_image(field: str) -> bool:
    """Whether a field can be the path or URI of an image: a slash, or a known extension."""
    return "/" in field or "\\" in field or _EXTENSION.search(field) is not None


def names_a_file(field: str) -> bool:
    """Whether a field is the name of an image file or a URL, and nothing else."""
    return "://" in field or _EXTENSION.search(field) is not None


def without_extension(name: str) -> str:
    """A file name without the extension of an image, if it has one."""
    return _EXTENSION.sub("", name)


def detect_delimiter(line: str) -> str:
    """The delimiter under which the first line has most fields; a comma when nothing says more.

    Blanks count where nothing else does: in Caffe's lists, `path 0`.
    """
    bare = _QUOTED.sub("", line)
    if _PARTED_BY_BLANKS.fullmatch(bare.strip()):
        return " "
    return max(_DELIMITERS, key=lambda d: (bare.count(d), d == ","))


def detect_shape(
    first: Sequence[str],
    delimiter: str,
    options: ReadOptions,
    features: Sequence[Feature] = (),
) -> CsvShape:
    """The shape of a file whose first row is ``first`` (fields stripped).

    Args:
      first: fields of the first row that is not blank.
      delimiter: of the file.
      options: columns that the user named, what is made of the list, whether it needs labels.
      features: that come from further columns.

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
        boxes = find_box_columns(first, options.box_format)
    if boxes is not None:
        return _shape_of_boxes(first, delimiter, options, features, boxes)
    if options.task == "auto" and not options.columns:
        need_no_part_of_a_box(first)
    if options.columns or _is_header(first):
        if options.task == "detection":
            raise InputError(
                f"no columns of boxes; the columns are: {_listed(first)}",
                "call them xmin, ymin, xmax, ymax, or x, y, w, h, or bbox",
            )
        return _shape_by_name(first, delimiter, options.columns, options.unlabelled == "error", features)
    if options.task in _WITH_BOXES and is_retinanet(first):
        return _by_position(delimiter, features, options, is_retinanet=True)
    if options.task == "detection" or (options.task in _WITH_BOXES and _is_automl_row(first)):
        return _by_position(delimiter, features, options, is_retinanet=False)
    word = parse_split(first[0])
    if looks_like_image(first[0]) or word is not None or any(map(looks_like_image, first)):
        further = tuple(_further(first[:0], feature) for feature in features)
        return CsvShape(delimiter, further=further)
    raise InputError(
        f"no image and no known column in the first row; it reads: {_listed(first)}",
        "name the columns, as in --columns image_uri=Filename,label=Species",
    )


def _is_automl_row(first: Sequence[str]) -> bool:
    """Whether a row is ``[SET,]URI,LABEL`` and a box."""
    return is_automl(first[2:] if parse_split(first[0]) is not None else first[1:])


def _by_position(
    delimiter: str, features: Sequence[Feature], options: ReadOptions, *, is_retinanet: bool
) -> CsvShape:
    """The shape of a list of boxes without a header; the numbers of its columns mean nothing."""
    form: BoxFormat = options.box_format or "xyxy"
    shape = "path, x1, y1, x2, y2, class" if is_retinanet else "[set,] path, label and the corners of a box"
    further = tuple(_further((), feature) for feature in features)
    boxes = BoxColumns((2, 3, 4, 5), form, note=f"boxes are read from rows of {shape}")
    return CsvShape(delimiter, further=further, boxes=boxes, is_retinanet=is_retinanet, notes=(boxes.note,))


def _shape_of_boxes(
    header: Sequence[str],
    delimiter: str,
    options: ReadOptions,
    features: Sequence[Feature],
    boxes: BoxColumns,
) -> CsvShape:
    taken = set(boxes.used)
    columns = _columns_beside_boxes(header, taken, options.columns)
    shape = _shape_by_name(header, delimiter, columns, False, features)
    if all(
        purpose != "label" for purpose, _ in columns
    ):  # `y` is a likely name of labels, and a side of boxes
        shape = replace(shape, labels=())
    used = {shape.split, shape.image, *shape.labels, *shape.further, *taken}
    ignored = [n for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
    notes = [boxes.note]
    if not shape.labels:
        notes.append(f"no column of labels: all boxes are of one class, {ONE_CLASS!r}")
    if ignored:
        notes.append(f"columns that are not used: {_listed(ignored)}")
    return replace(shape, boxes=boxes, notes=tuple(notes) if shape.problem is None else ())


def _columns_beside_boxes(
    header: Sequence[str], taken: Set[int], given: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The columns that the user named, and those of images and labels that the header names besides.

    Args:
      taken: numbers of the columns that the boxes are made of.

    Raises:
      InputError: several columns could hold the label, and none of them has a better name.
    """
    free = [name if number not in taken else "" for number, name in enumerate(header)]
    columns = list(given)
    named = {purpose for purpose, _ in given}
    for purpose in (purpose for purpose in ("image_uri", "label") if purpose not in named):
        known = KNOWN_COLUMNS[purpose]
        further = _DETECTION_WORDS[purpose]
        found = [i for i, name in enumerate(free) if name.lower() in known]
        found = found or [i for i, name in enumerate(free) if _NOT_LETTERS.sub("", name.lower()) in further]
        found = (found or _likely(free, purpose)) if purpose == "label" else found
        columns += [
            (purpose, header[i]) for i in (_only(header, purpose, found) if purpose == "label" else found[:1])
        ]
    return columns


def _is_header(first: Sequence[str]) -> bool:
    names = {field.lower() for field in first}
    purposes = {purpose for purpose, known in KNOWN_COLUMNS.items() if not names.isdisjoint(known)}
    if "image_uri" not in purposes and _likely(first, "image_uri"):
        purposes.add("image_uri")
    if {"image_uri", "label"} <= purposes:  # beside both of them, `width/height` is a column too
        return not any("://" in field or _EXTENSION.search(field) for field in first)
    return bool(purposes) and not any(map(looks_like_image, first))


def _shape_by_name(
    header: Sequence[str],
    delimiter: str,
    columns: Sequence[tuple[str, str]],
    need_label: bool,
    features: Sequence[Feature],
) -> CsvShape:
    split = _find(header, "split", columns)
    image = _find(header, "image_uri", columns)
    labels = _find(header, "label", columns)
    if not labels and (need_label or not _known(header, "image_uri")):
        labels = _likely_one(header, "label")
    if not image:
        raise InputError(
            f"no image column; the columns are: {_listed(header)}",
            "name it, as in --columns image_uri=Filename; --task tabular takes rows without images",
        )
    if not labels and need_label:
        raise InputError(
            f"no label column; the columns are: {_listed(header)}",
            "name it, as in --columns label=Species, or use --unlabelled keep",
        )
    further = tuple(_further(header, feature) for feature in features)
    used = {*split, *image, *labels, *further}
    ignored = [n for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
    notes = (f"columns that are not used: {_listed(ignored)}",) if ignored else ()
    surplus = tuple(i for i, name in enumerate(header) if name.startswith(FURTHER_FIELD))
    number = split[0] if split else None
    shape = CsvShape(delimiter, tuple(header), number, image[0], tuple(labels), further, surplus, notes=notes)
    is_own = OWN_COLUMNS[-1] in header
    return replace(shape, problem=header.index(OWN_COLUMNS[-1]), notes=()) if is_own else shape


def _shape_of_table(
    header: Sequence[str], delimiter: str, options: ReadOptions, features: Sequence[Feature]
) -> CsvShape:
    """The shape of rows without images. Of labels only the plainest name is known: any column may be one."""
    number = next(filter(_NUMBER.fullmatch, header), None)
    if number is not None:
        raise InputError(
            f"--task tabular needs a header, and {number} in the first row is a number",
            "write names of columns above the rows",
        )
    given = {purpose for purpose, _ in options.columns}
    if "image_uri" in given:
        raise InputError("--columns image_uri=…: rows of --task tabular have no image", "leave it out")
    split = _find(header, "split", options.columns)
    known = [i for i, name in enumerate(header) if name.lower() == ROW_LABEL]
    labels = _find(header, "label", options.columns) if "label" in given else _only(header, "label", known)
    further = tuple(_further(header, feature) for feature in features)
    used = {*split, *labels, *further}
    ignored = [n for i, n in enumerate(header) if i not in used and n and not n.startswith("tfrec_")]
    notes = [f"columns that are not used: {_listed(ignored)}"] if ignored else []
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


def _find(header: Sequence[str], purpose: str, columns: Sequence[tuple[str, str]]) -> list[int]:
    """Column numbers that serve a purpose: those the user named, else those of a known name."""
    wanted = [column for name, column in columns if name == purpose]
    names = [name.lower() for name in header]
    further = [i for i, name in enumerate(names) if purpose == "label" and _FURTHER_LABELS.fullmatch(name)]
    if wanted:
        return [_position(header, purpose, name) for name in wanted] + further
    found = _known(header, purpose)
    if not found and purpose != "label":
        return _likely_one(header, purpose)
    if purpose == "label" and len({names[i] for i in found}) <= 1:
        numbered = [i for i, name in enumerate(names) if _NUMBERED_LABELS.fullmatch(name)]
        return sorted(found + numbered) + further
    return _only(header, purpose, found)


def _known(header: Sequence[str], purpose: str) -> list[int]:
    return [i for i, name in enumerate(header) if name.lower() in KNOWN_COLUMNS.get(purpose, ())]


def _likely_one(header: Sequence[str], purpose: str) -> list[int]:
    return _only(header, purpose, _likely(header, purpose))


def _likely(header: Sequence[str], purpose: str) -> list[int]:
    """Column numbers whose names are used for a purpose, though not for it alone."""
    names = [_NOT_LETTERS.sub("", name.lower()) for name in header]
    for words in (LIKELY_COLUMNS.get(purpose, ()), _LAST_OF_ALL.get(purpose, ())):
        found = [i for i, name in enumerate(names) if name in words]
        if found:
            return found
    return []


def _only(header: Sequence[str], purpose: str, found: list[int]) -> list[int]:
    if len(found) > 1:
        raise InputError(
            f"several columns could hold the {purpose}: {_listed([header[i] for i in found])}",
            f"choose one, as in {columns_option([(purpose, header[found[0]])])}",
        )
    return found


def columns_option(columns: Sequence[tuple[str, str]]) -> str:
    """`--columns image_uri=Pic,label='Art des Tiers'`, for a shell."""
    return command_line(["--columns", join_pairs(columns)])


def _further(header: Sequence[str], feature: Feature) -> int | None:
    """The number of the column that a feature comes from."""
    if feature.column in header:
        return header.index(feature.column)
    if not feature.required:
        return None
    raise InputError(
        f"no column {feature.column!r}, which {feature.key} comes from; the columns are: {_listed(header)}",
        "give the list a header with this column",
    )


def _position(header: Sequence[str], purpose: str, name: str) -> int:
    matches = [i for i, column in enumerate(header) if column == name]
    matches = matches or [i for i, column in enumerate(header) if column.lower() == name.lower()]
    if len(matches) != 1:
        what = "no column" if not matches else "more than one column"
        raise InputError(
            f"--columns {purpose}={name}: {what} of that name; the columns are: {_listed(header)}",
            "write the name as the header has it",
        )
    return matches[0]


def _listed(names: Sequence[str]) -> str:
    """Names for a message: a header can have a million columns."""
    shown = ", ".join(name if len(name) <= 100 else name[:99] + "…" for name in names[:_LISTED])
    return shown + (f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else "")
