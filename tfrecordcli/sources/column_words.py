"""Words by which columns are known, and which columns of a header they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.schema import Feature
from tfrecordcli.shell import command_line
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
# Further words of lists of boxes, without case, blanks, `-` and `_`; in others they would say too little.
_DETECTION_WORDS = {
    "image_uri": ("imageid", "imagename", "img", "imagefilename"),
    "label": ("labelname", "categoryname", "displayname", "name", "tag", "object", "annotationtag"),
}
# Words that count in such lists where there is none of those.
_LABELS_OF_BOXES = ("objectclass", "objectname", "objclass", "speciesname", "annotationlabel")
# rejects.csv adds these; they are never input. Labels beyond the header stand in FURTHER_LABEL + "2", "3"…
REPORT_COLUMNS = ("tfrec_line", "tfrec_code", "tfrec_reason")
# Of lists that tfrec wrote itself: where a row comes from, the unit of its box (with a capital: on the stored
# pixels, whatever EXIF says), the number of its image, and why it cannot be used.
OWN_COLUMNS = ("tfrec_place", "tfrec_unit", "tfrec_source_id", "tfrec_problem")
# Of lists of images that are parts of other files: what their records are to call them, and by what they are
# assigned to splits.
FILENAME_COLUMN = "tfrec_filename"
CONTENT_COLUMN = "tfrec_content"
FEATURE_COLUMN = "tfrec_feature_"  # of theirs, with the key of the feature behind it
# Of lists of several sources: which one a row comes from; its line in the list of all, in their rejects.csv.
SOURCE_COLUMN = "tfrec_source"
ROW_COLUMN = "tfrec_row"
FURTHER_LABEL = "tfrec_label_"
FURTHER_FIELD = "tfrec_field_"
# The label of boxes whose list has none.
ONE_CLASS = "object"
NO_LABELS_OF_BOXES = f"no {{}} of labels: all boxes are of one class, {ONE_CLASS!r}"
_FURTHER_LABELS = re.compile(FURTHER_LABEL + r"\d+")
_NUMBERED_LABELS = re.compile(r"label_?\d+")
_NOT_LETTERS = re.compile(r"[\s_-]")
# Of what has frames; `video_files` knows further ones.
VIDEO_ENDINGS = "avi|mp4|mov|mkv|webm|mpe?g|wmv|flv|m4v"
IMAGE_EXTENSION = re.compile(
    r"\.(?:jpe?g|jpe|jfif|png|gif|bmp|dib|webp|tiff?|ico|hei[cf]|avif|jp2|jxl|p[pgbn]m|tga"
    r"|cur|dds|icns|j2k|pcx|psd|qoi|sgi|xbm|xpm)$",
    re.IGNORECASE,
)
# `0% (0/0)`, `75 % (3/4)`, `3/4 (75%)`: the sign tells it from numbers of folders.
_SHARE = re.compile(r"(?=.*%)[\d\s.,%()]+/[\d\s.,%()]+")
# Fields of a row without a header, as SET,URI,LABEL, one of which may be the label `image`.
_FEW = 3
_SOME = 2  # rows with an image
# Column names that a message lists.
_LISTED = 50


def looks_like_image(field: str) -> bool:
    """Whether a field can be the path or URI of an image: a slash, not of a percentage, or an extension."""
    if "/" in field or "\\" in field:
        return _SHARE.fullmatch(field) is None
    return IMAGE_EXTENSION.search(field) is not None


def may_hold_an_image(first: Sequence[str]) -> bool:
    """Whether a field of a first row can be the path or URI of an image: not `N/A`, a column's name."""
    return any(looks_like_image(field) for field in first if field.upper() != "N/A")


def names_a_file(field: str) -> bool:
    """Whether a field is the name of an image file or a URL, and nothing else."""
    return "://" in field or IMAGE_EXTENSION.search(field) is not None


def without_extension(name: str) -> str:
    """A file name without the extension of an image, if it has one."""
    return IMAGE_EXTENSION.sub("", name)


def columns_beside_boxes(
    header: Sequence[str], taken: Set[int], given: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The columns that the user named, and those of images and labels that the header names besides.

    Args:
      taken: numbers of the columns that the boxes are made of.

    Raises:
      InputError: several columns could hold the label, and none of them has a better name.
    """
    columns = list(given)
    named = {purpose for purpose, _ in given}
    said = {name for _, name in given}  # ImageJ calls the image `Label`
    free = ["" if number in taken or name in said else name for number, name in enumerate(header)]
    for purpose in (purpose for purpose in ("image_uri", "label") if purpose not in named):
        known = KNOWN_COLUMNS[purpose]
        further = _DETECTION_WORDS[purpose]
        found = [i for i, name in enumerate(free) if name.lower() in known]
        found = found or [i for i, name in enumerate(free) if _plain(name) in further]
        if purpose == "label":
            found = found or _likely_beside_boxes(free)
            found = found or [i for i, each in enumerate(free) if _plain(each) in _LABELS_OF_BOXES]
        columns += [
            (purpose, header[i])
            for i in (only_one(header, purpose, found) if purpose == "label" else found[:1])
        ]
    return columns


def _likely_beside_boxes(free: Sequence[str]) -> list[int]:
    """Likely columns of labels; `y` beside `x` is a point of the box."""
    has_points = any(_plain(name) == "x" for name in free)
    return likely_columns(["" if has_points and _plain(name) == "y" else name for name in free], "label")


def are_names_above(first: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Whether a slash in fields of a first row is no path, as in `Symptoms/rust` of Kobo's and ODK's exports.

    Below them no field has one, and images stand in another column, above which none is; or all are numbers,
    or all are images with the extension of one, and the name above them has none.

    Args:
      rows: some below it, as wide as it.
    """
    if not any(map(looks_like_image, first)) or any(map(names_a_file, first)):
        return False
    table = list(rows)
    columns = [[row[i] for row in table if i < len(row) and row[i]] for i in range(len(first))]
    below_slashes = [columns[i] for i, name in enumerate(first) if looks_like_image(name)]
    if all(len(fields) >= _SOME and all(map(WRITTEN_NUMBER.fullmatch, fields)) for fields in below_slashes):
        return True
    of_images = [len(fields) >= _SOME and all(map(names_a_file, fields)) for fields in columns]
    above_others = [
        name
        for name, fields, are_images in zip(first, columns, of_images, strict=True)
        if any(map(looks_like_image, fields)) and not (are_images and "." not in name)
    ]
    return any(of_images) and not any(map(looks_like_image, above_others))


def is_header(first: Sequence[str], *, is_named: bool = False) -> bool:
    """Whether a first row names columns and is no row itself; ``is_named``: a slash in it is in a name."""
    names = {field.lower() for field in first}
    purposes = {purpose for purpose, known in KNOWN_COLUMNS.items() if not names.isdisjoint(known)}
    if "image_uri" not in purposes and likely_columns(first, "image_uri"):
        purposes.add("image_uri")
    uri = first[1] if len(first) > _FEW and parse_split(first[0]) is not None else first[0]
    plain = not names.isdisjoint(KNOWN_COLUMNS["image_uri"]) and len(first) > _FEW
    plain = plain and not looks_like_image(uri)  # as in TRAIN,img/001,image,cat
    if {"image_uri", "label"} <= purposes or plain:  # beside these, `width/height` is a column too
        return not any(map(names_a_file, first))
    return bool(purposes) and (is_named or not may_hold_an_image(first))


def columns_for(header: Sequence[str], purpose: str, columns: Sequence[tuple[str, str]]) -> list[int]:
    """Column numbers that serve a purpose: those the user named, else those of a known name."""
    wanted = [column for name, column in columns if name == purpose]
    names = [name.lower() for name in header]
    further = [i for i, name in enumerate(names) if purpose == "label" and _FURTHER_LABELS.fullmatch(name)]
    if wanted == [""]:
        return []  # the user says so, who can of the split
    if wanted:
        return [_position(header, purpose, name) for name in wanted] + further
    found = known_columns(header, purpose)
    if not found and purpose != "label":
        return likely_column(header, purpose)
    if purpose == "label" and len({names[i] for i in found}) <= 1:
        numbered = [i for i, name in enumerate(names) if _NUMBERED_LABELS.fullmatch(name)]
        return sorted(found + numbered) + further
    return only_one(header, purpose, found)


def known_columns(header: Sequence[str], purpose: str) -> list[int]:
    """Column numbers whose names are known for a purpose."""
    return [i for i, name in enumerate(header) if name.lower() in KNOWN_COLUMNS.get(purpose, ())]


def likely_column(header: Sequence[str], purpose: str) -> list[int]:
    """The column number whose name is used for a purpose, if there is one.

    Raises:
      InputError: there are several.
    """
    return only_one(header, purpose, likely_columns(header, purpose))


def likely_columns(header: Sequence[str], purpose: str) -> list[int]:
    """Column numbers whose names are used for a purpose, though not for it alone."""
    names = [_plain(name) for name in header]
    for words in (LIKELY_COLUMNS.get(purpose, ()), _LAST_OF_ALL.get(purpose, ())):
        found = [i for i, name in enumerate(names) if name in words]
        if len(found) > 1 and "x" in names:  # beside which `y` tells a place
            found = [i for i in found if names[i] != "y"]
        if found:
            return found
    return []


def is_any_id(name: str) -> bool:
    """Whether a column is called `id`, which names images only where nothing else does."""
    return _plain(name) in _LAST_OF_ALL["image_uri"]


def _plain(name: str) -> str:
    """A column name without case, blanks, `-` and `_`."""
    return _NOT_LETTERS.sub("", name.lower())


def only_one(header: Sequence[str], purpose: str, found: list[int]) -> list[int]:
    """These column numbers, which are one or none.

    Raises:
      InputError: they are several: with the option that chooses.
    """
    if len(found) > 1:
        likely = min((header[i] for i in found), key=_is_url)
        raise InputError(
            f"several columns could hold the {purpose}: {listed([header[i] for i in found])}",
            f"choose one, as in {columns_option([(purpose, likely)])}",
        )
    return found


def _is_url(name: str) -> bool:
    """Whether a column is called like URLs, which tell where images came from that are files now."""
    return _plain(name) in ("url", "uri", "imageurl")


def columns_option(columns: Sequence[tuple[str, str]]) -> str:
    """`--columns image_uri=Pic,label='Art des Tiers'`, for a shell."""
    return command_line(["--columns", join_pairs(columns)])


def further_column(header: Sequence[str], feature: Feature) -> int | None:
    """The number of the column that a feature comes from."""
    if feature.column in header:
        return header.index(feature.column)
    if not feature.required:
        return None
    raise InputError(
        f"no column {feature.column!r}, which {feature.key} comes from; the columns are: {listed(header)}",
        "give the list a header with this column",
    )


def _position(header: Sequence[str], purpose: str, name: str) -> int:
    matches = [i for i, column in enumerate(header) if column == name]
    matches = matches or [i for i, column in enumerate(header) if column.lower() == name.lower()]
    if len(matches) != 1:
        what = "no column" if not matches else "more than one column"
        raise InputError(
            f"--columns {purpose}={name}: {what} of that name; the columns are: {listed(header)}",
            "write the name as the header has it",
        )
    return matches[0]


def listed(names: Sequence[str]) -> str:
    """Names for a message: a header can have a million columns."""
    shown = ", ".join(name if len(name) <= 100 else name[:99] + "…" for name in names[:_LISTED])
    return shown + (f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else "")
