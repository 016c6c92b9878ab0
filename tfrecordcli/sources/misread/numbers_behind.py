"""Rows without a header that have more behind their image than labels: boxes, or further images."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.fields import says_nothing, stand_for_none
from tfrecordcli.sources.boxes.fit import fits
from tfrecordcli.sources.boxes.words import BOX_ROWS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.image_paths import PathRules
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.misread.boxes_behind import box_and_more_behind, boxes_behind
from tfrecordcli.sources.misread.header_of_targets import header_of_targets
from tfrecordcli.sources.misread.images_behind import need_no_images_behind
from tfrecordcli.sources.misread.sizes_behind import size_behind, sizes_of_files
from tfrecordcli.sources.proposals.headers_beside import header_beside_or
from tfrecordcli.sources.proposals.names_of_numbers import (
    CENTRE,
    CORNERS,
    EXTENT,
    are_numbers,
    has_box,
    may_be_no_box,
    named_at,
    names_behind,
)
from tfrecordcli.sources.sample import Sample
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote

_SIDES: Final = 4
_PART: Final = 10  # rows, of which a value in all but one tells nothing
_BY_CHANCE: Final = 4  # rows that have one twice in columns of two things
_SOME_ROWS: Final = 3  # that show what a column holds
_ALL_LABELS: Final = "--task classification takes all of them for labels"
_Columns = Sequence[tuple[str, ...]]


def need_labels_behind(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses four numbers behind each image, or names of further images: nothing says that they are labels.

    Args:
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with the command that writes a header, and what takes them for labels all the same.
    """
    need_no_images_behind(sample, rows)
    labels, columns = _behind(sample, rows)
    numbers = sum(map(are_numbers, columns))
    if numbers >= _SIDES:
        if not _are_alike(labels):
            how = box_and_more_behind(sample, rows) or boxes_behind(sample, rows) or BOX_ROWS
            raise InputError(
                f"rows have {_told_counts(labels)} numbers behind their images, and no header says what they "
                "are",
                header_beside_or(f"are they boxes? {how}; {_ALL_LABELS}", rows.name),
            )
        raise InputError(
            f"each row has {numbers} numbers behind its image, and no header says what they are",
            header_beside_or(f"{_box_or_numbers(sample, columns, rows, root)}; {_ALL_LABELS}", rows.name),
        )
    if 0 < numbers < len(columns) and _are_alike(labels, _SOME_ROWS) and _are_told_apart(columns):
        raise InputError(
            "each row has words and numbers behind its image, and no header says which are its label",
            header_beside_or(f"{_with_header(sample, columns, rows, root)}; {_ALL_LABELS}", rows.name),
        )


def _told_counts(labels: Sequence[Sequence[str]]) -> str:
    """`5 to 25`, of numbers behind images."""
    counts = [sum(1 for name in names if WRITTEN_NUMBER.fullmatch(name)) for names in labels]
    return f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else str(counts[0])


def need_one_number_behind(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses as many numbers, two or three, behind each image: no set of labels has one size in all rows.

    Those that ascend in each row, and some of which stand in several columns, may be the ids of such a set,
    and those of one vocabulary of which no row has one twice.

    Raises:
      InputError: as `need_labels_behind`.
    """
    columns = _numbers_behind(sample, rows)
    if columns and _have_points(columns):
        raise InputError(
            f"each row has {len(columns)} numbers with a decimal point behind its image, and no header",
            header_beside_or(
                f"where they are to be predicted, {header_of_targets(sample, rows)}; "
                "--label-type name makes a class of each",
                rows.name,
            ),
        )
    if columns and not _may_be_a_set(columns) and not _are_one_vocabulary(sample, columns):
        raise InputError(
            f"each row has {len(columns)} numbers behind its image, and no header says which is its label",
            header_beside_or(f"{_with_header(sample, columns, rows, root)}; {_ALL_LABELS}", rows.name),
        )


def told_numbers_behind(sample: Sample, rows: RowFile, root: str) -> Iterator[str]:
    """That as many numbers in all rows are taken for labels, where they do not ascend; args as above."""
    columns = _numbers_behind(sample, rows)
    if columns and not _may_be_a_set(columns) and _are_one_vocabulary(sample, columns):
        yield (
            f"the {len(columns)} numbers behind each image are taken for labels of it; where one is not: "
            f"{header_beside_or(_with_header(sample, columns, rows, root), rows.name)}"
        )


def _numbers_behind(sample: Sample, rows: RowFile) -> _Columns:
    """Columns of two or three numbers behind each image; none where options tell of labels.

    Nor for `--task regression`: of these others tell.
    """
    options, (labels, columns) = rows.options, _behind(sample, rows)
    is_said = options.labels_file or options.label_names or options.label_separator is not None
    are_several = len(columns) > 1 and all(map(are_numbers, columns)) and _are_alike(labels, _SOME_ROWS)
    if is_said or options.task == "regression" or not are_several:
        return []
    return columns


def _have_points(columns: _Columns) -> bool:
    """Whether each column has numbers with a decimal point, which are no ids."""
    return all(any("." in field for field in column) for column in columns)


def _behind(sample: Sample, rows: RowFile) -> tuple[Sequence[Sequence[str]], _Columns]:
    """What is behind each image without a header, and the columns of all rows; none where it is said.

    Rows of images that show nothing say nothing of it.
    """
    options = rows.options
    is_said = options.label_type != "auto" or options.task == "classification" or options.multi_label
    if sample.shape.header or is_said:
        return [], []
    labels = [names for _, _, names in sample.words if _show_something(names)]
    return labels, list(zip(*labels, strict=False))


def _show_something(names: Sequence[str]) -> bool:
    """Whether what is behind an image is more than `No finding`, or than four numbers that are no box."""
    told = [name for name in names if name and not says_nothing(name)]
    return bool(told) and not stand_for_none(told)


def _are_alike(labels: Sequence[Sequence[str]], least: int = 1) -> bool:
    """Whether all rows have as many fields, and there are at least so many rows."""
    return len(labels) >= least and len(set(map(len, labels))) == 1


def _may_be_a_set(columns: _Columns) -> bool:
    """Whether numbers ascend in each row, and columns side by side have some in common, as ids of labels."""
    return all(
        not {*left}.isdisjoint(right) and all(float(a) < float(b) for a, b in zip(left, right, strict=True))
        for left, right in pairwise(columns)
    )


def _are_one_vocabulary(sample: Sample, columns: _Columns) -> bool:
    """Whether columns have most values in common, none the same in nearly all rows, and no row one twice.

    Where rows name no split and no URL of an image, as those of AutoML do, so many rows need to have none
    twice that columns of two things would have had some by chance.
    """
    kinds, count = list(map(Counter, columns)), len(columns[0])
    if any(len({*row}) < len(row) for row in zip(*columns, strict=True)):
        return False
    if any(max(each.values()) * _PART > count * (_PART - 1) for each in kinds):
        return False
    pairs = list(combinations(kinds, 2))
    if any(2 * len(left.keys() & right.keys()) < max(len(left), len(right)) for left, right in pairs):
        return False
    if all(parse_split(word) is not None if word else is_remote(uri) for word, uri, _ in sample.words):
        return True
    by_chance = sum(left[each] * right[each] for left, right in pairs for each in left)
    return by_chance >= _BY_CHANCE * count


def _are_told_apart(columns: _Columns) -> bool:
    """Whether each column holds numbers or none."""
    return all(are_numbers(column) or not any(map(WRITTEN_NUMBER.fullmatch, column)) for column in columns)


def _box_or_numbers(sample: Sample, columns: _Columns, rows: RowFile, root: str) -> str:
    """A hint with the headers for such a list: of a box, and of numbers to predict where it may be none."""
    header = _with_header(sample, columns, rows, root)
    if not may_be_no_box(columns):
        return f"are they a box? {header}"
    targets = header_of_targets(sample, rows)
    if not has_box(columns):
        return f"are they to be predicted? {targets}; where one is the label, {header}"
    return f"are they a box? {header}; where they are none, but numbers to predict, {targets}"


def _with_header(sample: Sample, columns: _Columns, rows: RowFile, root: str) -> str:
    """A hint with the commands that write the likeliest headers above such a list."""
    ways, otherwise = names_behind(columns), "the class is at the other end"
    mapped = PathRules(rows.options.map).apply
    uris = [mapped(uri) for _, uri, labels in sample.words if _show_something(labels)]
    if len(ways) > 1 and CENTRE[0] in ways[1]:
        otherwise = "x and y are the centre of each box"
        if _reach_beyond(columns[ways[0].index(EXTENT[0]) :], uris, root):
            ways, otherwise = ways[::-1], "x and y are the corner of each box"
    elif len(ways) > 1 and EXTENT[0] in ways[-1]:
        otherwise = "numbers are x, y, width, height and not sides"
    elif CORNERS[0] in ways[0]:
        start = ways[0].index(CORNERS[0])
        size = size_behind(columns, start, uris, root)
        if size is not None:
            sized = named_at(columns, start, CORNERS, size.place)
            ways = [sized] if size.is_certain else [sized, ways[0]]
            otherwise = "width and height are no sizes of images"
    commands = (_header(sample, names, rows.name) for names in ways)
    return f"; or, where {otherwise}, ".join(f"{way}, with the names that are true" for way in commands)


def _reach_beyond(columns: _Columns, uris: Sequence[str], root: str) -> bool:
    """Whether some box reaches beyond its image, of those that can be read here, as x, y, width, height."""
    boxes = [tuple(map(float, row)) for row in zip(*columns[:_SIDES], strict=True)]
    known = ((size, boxes[row]) for row, size in sizes_of_files(uris, root))
    return any(not fits(x + w, y + h, size) for size, (x, y, w, h) in known)


def _header(sample: Sample, names: Sequence[str], name: str) -> str:
    """The command that writes this header.

    Args:
      names: of the columns behind the image.
      name: of the list.
    """
    word = next(word for word, _, labels in sample.words if labels)
    before = ["split" if parse_split(word) is not None else "label"] if word else []
    if before == ["label"]:
        names = ["column_0" if name == "label" else name for name in names]
    header = [*before, "image", *names]
    delimiter = sample.shape.delimiter
    if delimiter in " \t":
        return made_by(",".join(header), as_commas(delimiter), name)
    return made_by(shlex.quote(delimiter.join(header)), "cat {name}", name)
