"""What a list says of images that the folders they stand in do not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from tfrecordcli.sources.column_words import names_a_file
from tfrecordcli.sources.folders.annotation_files import words_of
from tfrecordcli.sources.folders.named_images import NamedImages
from tfrecordcli.sources.folders.rows_of_heads import Row

_Find = Callable[[str], tuple[str, ...]]

_ROWS: Final = 20  # the first ones, by which it is told what names images
_MOST: Final = 0.5  # of these
_SOME: Final = 2
# What a number is called that is one image's, and no count: `Frame`, but not `images`.
_ONE_IMAGE: Final = frozenset(
    {"image", "img", "frame", "photo", "picture", "file", "filename", "slide", "scan"}
)
_ID: Final = "id"
_DIGITS: Final = 5  # of an id that names an image by chance hardly ever
# What a file is, which is no label.
_OF_FILES: Final = frozenset({
    "index", "id", "no", "nr", "number", "size", "bytes", "filesize", "md5", "sha1", "sha256", "hash",
    "format", "mode", "channels", "extension", "ext", "filename", "file", "path", "image", "unnamed", "url",
})  # fmt: skip
_SIDES: Final = frozenset({"width", "height"})
# A string of JSON, and the colon behind it where it is a key.
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')


def told_beyond_folders(
    header: Row, rows: Sequence[Row], images: NamedImages, classes: int
) -> Sequence[str] | None:
    """The columns of a list that say more of its images than their folders; None where it names none.

    Args:
      header: the first row, which may be one of an image.
      classes: how many folders of labels there are: a list of these has a row of each.
    """
    is_row = any(images.folders_of_name(field) for field in header)
    below = [header, *rows] if is_row else rows
    names = [f"column {at + 1}" for at in range(len(header))] if is_row else header
    first = below[:_ROWS]
    find = images.folders_of_name
    column = _by_name(first, len(names), images)
    if column is None and len(below) > classes:
        find = images.folders_of_number
        column = _by_number(names, first, images)
    if column is None:
        return None
    named = [(where, row) for row in below if column < len(row) and (where := find(row[column]))]
    others = [at for at in range(len(names)) if at != column and not _is_of_files(names, at)]
    return [
        names[at]
        for at in others
        if not _is_told([(where, row[at].strip()) for where, row in named if at < len(row)], images)
    ]


def told_by_strings(text: str, images: NamedImages) -> Sequence[str] | None:
    """As `told_beyond_folders`, of JSON that is no table, by its strings: the word for all that it says."""
    by_key = _strings_by_key(text)
    strings = {each for some in by_key.values() for each in some} - {""}
    # Beside names of images may stand URLs, names of files elsewhere, …, under keys of their own.
    if not any(_name_images(some, images) for some in (strings, *by_key.values())):
        return ["annotations"] if _are_images(by_key[""], images) else None
    named = {each for each in strings if names_a_file(each)}
    folders = [*{folder for each in named for folder in images.folders_of_name(each)}]
    is_by_folder = all(_is_called(folders, each) for each in strings - named)
    return [] if is_by_folder and not any(map(str.isdecimal, _STRING.sub("", text))) else ["annotations"]


def _strings_by_key(text: str) -> dict[str, set[str]]:
    """The strings of JSON by the key before them; the keys themselves by an empty one."""
    found: dict[str, set[str]] = {"": set()}
    key = ""
    for string, colon in _STRING.findall(text):
        key = string if colon else key
        found.setdefault("" if colon else key, set()).add(string)
    return found


def _name_images(strings: Collection[str], images: NamedImages) -> bool:
    """Whether several strings name images, and most that name files do."""
    named = [each for each in strings if names_a_file(each)]
    there = sum(bool(images.folders_of_name(each)) for each in named)
    return there >= max(_SOME, _MOST * len(named))


def _are_images(keys: Collection[str], images: NamedImages) -> bool:
    """Whether most keys are what images are called, without an extension: `{"a1b2": {"bboxes": …}, …}`."""
    there = sum(bool(images.folders_of_name(key)) for key in keys)
    return there >= max(_SOME, _MOST * len(keys) / 2)


def _by_name(rows: Sequence[Row], width: int, images: NamedImages) -> int | None:
    """The column whose fields name images by path or name, in most rows, or in one by the name of a file."""
    named = [_named(rows, at, images.folders_of_name) for at in range(width)]
    column = max(range(width), key=lambda at: len(named[at]), default=0)
    fields = named[column] if named else []
    are_most = len(fields) >= _MOST * len(rows) and len({*fields}) >= _SOME
    return column if any(map(names_a_file, fields)) or are_most else None


def _by_number(header: Row, rows: Sequence[Row], images: NamedImages) -> int | None:
    """The column whose numbers are those in the names of images, in most rows."""
    for at, name in enumerate(header):
        words = {*words_of(name)}
        fields = _named(rows, at, images.folders_of_number) if words & {_ID, *_ONE_IMAGE} else []
        are_long = sum(len(field.strip().lstrip("0")) >= _DIGITS for field in fields) > _MOST * len(fields)
        is_image = are_long or not words.isdisjoint(_ONE_IMAGE)
        if is_image and len(fields) >= _MOST * len(rows) and len({*fields}) > _SOME:
            return at
    return None


def _named(rows: Sequence[Row], column: int, find: _Find) -> list[str]:
    """The fields of a column that name images."""
    return [row[column] for row in rows if column < len(row) and find(row[column])]


def _is_of_files(header: Row, at: int) -> bool:
    """Whether a column tells of files, or counts rows."""
    words = {word for word in words_of(header[at]) if not word.isdecimal()}
    has_sides = {*map(str.lower, header)} >= _SIDES
    return _OF_FILES.issuperset(words) or (has_sides and header[at].lower() in _SIDES)


def _is_told(told: Sequence[tuple[tuple[str, ...], str]], images: NamedImages) -> bool:
    """Whether the folders of images say what a column does: by their names, or as each has one value."""
    values = {value for _, value in told}
    if values <= {""} or all(images.folders_of_name(value) for value in values):
        return True
    if all(_is_called(where, value) for where, value in told):
        return True
    by_folder = {(where, value) for where, value in told}
    folders = {where for where, _ in told}
    # Where hardly any folder comes again, nothing shows that another image of it would have the same.
    comes_again = len(told) - len(folders) >= len(folders) / _SOME
    return len(by_folder) == len(folders) and comes_again


def _is_called(folders: Sequence[str], value: str) -> bool:
    """Whether a folder, or one that it stands in, is called like a value."""
    own = _letters(value)
    return any(own == _letters(part) for folder in folders for part in folder.split("/"))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
