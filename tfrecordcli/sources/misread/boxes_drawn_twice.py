"""Images whose boxes were drawn by several people, upon each other's: each object would be there twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Final, NamedTuple

from tfrecordcli.boxes import corners_of, has_boxes, parts_of
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.label_names import is_rater
from tfrecordcli.sources.rows_set_aside import without_set_aside
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.text_encoding import then_without_encoding
from tfrecordcli.units import plural

# Two people agree on an object by more than this; objects of one kind hardly ever cover each other so.
_NEAR: Final = 0.6  # intersection over union
_NEARLY_ALL: Final = 0.8  # of the boxes of an image have a twin
_SOME: Final = 3  # images
_SHARE: Final = 0.05  # of the images with boxes
_MOST: Final = 100  # boxes of an image that are compared with each other
_MOST_OF_PEOPLE: Final = 300  # the same, where several people have theirs
_NEAR_OF_PEOPLE: Final = 0.4  # where a column says that two drew them
_HALF: Final = 0.5  # of the boxes of images that several people drew boxes lie upon those of others
_MANY: Final = 0.5  # columns with so many values, by row, tell of the rows and not of people


class _Drawn(NamedTuple):
    """A box of the sample, and the number of its row there."""

    row: int
    labels: tuple[str, ...]
    corners: tuple[float, ...]


_Images = Mapping[str, Sequence[_Drawn]]
_Pairs = Sequence[tuple[_Drawn, _Drawn]]


def told_twice(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That nearly all boxes of several images have a twin of the same label, if not the same corners.

    A column that tells the twins apart is named, with the command that keeps those of one person an image.
    One called like people, whose boxes lie upon each other's, is told of for any number of people and images.
    """
    sample, left_out = without_set_aside(sample, rows)
    images = _images(sample, rows)
    of_images = f"of the first {plural(len(images), 'image')}"
    pairs = {uri: found for uri, boxes in images.items() if (found := _twins(boxes))}
    are_some = len(pairs) >= max(_SOME, _SHARE * len(images))
    column = _column_of_people(sample, {uri: images[uri] for uri in pairs}, pairs) if are_some else ""
    people, several = ("", []) if column else _people(sample, images)
    if people:
        what = f"in {len(several):,} {of_images} several people drew the same things ({min(several)}, …)"
    elif are_some:
        what = (
            f"in {len(pairs):,} {of_images} nearly all boxes lie upon another one of their label "
            f"({min(pairs)}, …), as where two people drew them"
        )
    else:
        return
    way = "if they did, keep those of one"
    if column or people:
        kept = _keeping_one(sample, rows, column or people, left_out)
        way = f"{column or people} tells them apart: {kept}"
    yield f"{what}: each is stored; {way}"


def _people(sample: Sample, images: _Images) -> tuple[str, Sequence[str]]:
    """The first column called like people where boxes of several lie upon each other's, and those images."""
    for name in sample.unread(is_rater):
        column = sample.shape.header.index(name)
        people = [fields[column] if column < len(fields) else "" for fields in sample.table]
        several = {
            uri: each for uri, each in images.items() if len({people[box.row] for box in each} - {""}) > 1
        }
        boxes = sum(map(len, several.values()))
        if boxes and sum(_upon_others(each, people) for each in several.values()) >= _HALF * boxes:
            return name, [*several]
    return "", []


def _upon_others(boxes: Sequence[_Drawn], people: Sequence[str]) -> int:
    """How many boxes lie nearly upon one of their label that somebody else drew."""
    upon = set[_Drawn]()
    for one, other in combinations(boxes, 2) if len(boxes) <= _MOST_OF_PEOPLE else ():
        is_of_two = people[one.row] != people[other.row] and one.labels == other.labels
        is_the_same = one.corners == other.corners  # which is stored once
        if is_of_two and not is_the_same and _overlap(one.corners, other.corners) >= _NEAR_OF_PEOPLE:
            upon |= {one, other}
    return len(upon)


def _keeping_one(sample: Sample, rows: RowFile, column: str, left_out: str) -> str:
    """How the boxes of one person an image are kept, by the column of people.

    Args:
      left_out: Python that leaves rows out before.
    """
    image = sample.shape.header[sample.shape.image or 0]
    kept = f't[t[{literal(column)}] == t.groupby({literal(image)})[{literal(column)}].transform("first")]'
    encoding = rows.options.encoding
    command = changed(rows.name, sample.shape.delimiter, left_out + kept, "of-one", encoding=encoding)
    told = f"the command that keeps those of one an image: {command}{then_without_encoding(encoding)}"
    return told if command else "keep those of one"


def _images(sample: Sample, rows: RowFile) -> dict[str, list[_Drawn]]:
    """The boxes of each image in the sample."""
    images = defaultdict[str, list[_Drawn]](list)
    if len({uri for _, uri, _ in sample.words}) == len(sample.words):
        return images
    parse = replace(rows, features=()).parser(sample.shape)
    for number, fields in enumerate(sample.table):
        row = parse(0, list(fields))
        if row.problem is None and has_boxes(row.boxes):
            boxes = map(corners_of, parts_of(row.boxes)[1])
            images[row.image_uri] += [_Drawn(number, row.labels, corners) for corners in boxes]
    return images


def _twins(boxes: Sequence[_Drawn]) -> _Pairs:
    """Each box with the one that it lies upon, where nearly all boxes of the image have such; else none."""
    pairs: list[tuple[_Drawn, _Drawn]] = []
    left = {*range(len(boxes))}
    if not 2 <= len(boxes) <= _MOST:
        return pairs
    alike = (
        (_overlap(one.corners, other.corners), i, j)
        for (i, one), (j, other) in combinations(enumerate(boxes), 2)
        if one.labels == other.labels and one.corners != other.corners
    )
    for overlap, i, j in sorted(alike, reverse=True):
        if overlap >= _NEAR and {i, j} <= left:
            left -= {i, j}
            pairs.append((boxes[i], boxes[j]))
    return pairs if 2 * len(pairs) >= _NEARLY_ALL * len(boxes) else []


def _overlap(one: Sequence[float], other: Sequence[float]) -> float:
    """Intersection over union of two boxes of sorted corners."""
    sides = [min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1)]
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    both = max(sides[0], 0.0) * max(sides[1], 0.0)
    return both / (sum(areas) - both) if both else 0.0


def _column_of_people(sample: Sample, images: _Images, pairs: Mapping[str, _Pairs]) -> str:
    """The column, not read otherwise, whose words part the twins of every image into two; empty for none."""
    header = sample.shape.header
    for name in sample.unread(bool):
        column = header.index(name)

        def word(box: _Drawn, column: int = column) -> str:
            fields = sample.table[box.row]
            return fields[column] if column < len(fields) else ""

        are_apart = all(word(one) != word(other) for one, other in chain.from_iterable(pairs.values()))
        are_two = all(len({*map(word, boxes)}) == 2 for boxes in images.values())
        if are_apart and are_two and len({*sample.fields(column)}) <= _MANY * len(sample.table):
            return name
    return ""
