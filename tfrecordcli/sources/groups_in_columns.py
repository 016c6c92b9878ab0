"""Columns of what several images come from, such as a patient or a video: these belong into one split."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.group_names import are_groups, width_of_group
from tfrecordcli.sources.sample import sample_of

_SHARED: Final = frozenset({"id", "uid"})  # of what images show, where some come again
_MOST_OF_ONE: Final = 3  # images on average
_IDS: Final = frozenset({"id", "uid", "no", "nr", "number", "index", "idx", "code"})
# The id of something: of a sign, an object, a plant; not of who said what it is, nor of that itself.
_ID_OF: Final = re.compile(
    r"(?!(?i:.*(?:annot|work|rater|reader|label|review|expert|model|batch|licen|class|categor|species|split|fold)))"
    r".*[a-zA-Z](?:[ _-](?i:u?id)|Id|ID|UID)",
    re.DOTALL,
)
_MOST_OF_THING: Final = 20  # images on average


def group_column_note(rows: RowFile) -> str:
    """What to know of rows that are assigned to splits one by one; empty where no column tells of groups.

    Args:
      rows: of a list of images that gives no `--split-by`.
    """
    if rows.is_listing:
        return ""
    name = rows.group_of_origin if rows.is_spooled else _group_column(rows)
    how = command_line(["--split-by", name])
    return f"images of one {name} may be in several splits, which {how} prevents" if name else ""


def _group_column(rows: RowFile) -> str:
    """A column that is called so and tells several images, and several groups of them; or empty."""
    sample = sample_of(rows)
    header, image = sample.shape.header, sample.shape.image
    if image is None:
        return ""
    used = {image, sample.shape.split, *sample.shape.labels}
    table = [row for row in sample.table if len(row) == len(header)]
    images = len({row[image] for row in table})
    named = ((width, i) for i, name in enumerate(header) if (width := width_of_group(name)) is not None)
    for _, i in sorted(named):
        if i not in used and are_groups({row[i] for row in table}, images):
            return header[i]
    ids = [i for i, name in enumerate(header) if i not in used and _may_be_id(name)]
    place = table, image, sample.shape.labels
    told = (header[i] for i in ids if _begins_images(*place, i) or _are_shared(*place, i, header[i]))
    return next(told, "")


def _may_be_id(name: str) -> bool:
    return name.strip().lower() in _IDS or _ID_OF.fullmatch(name.strip()) is not None


def _begins_images(table: Sequence[Sequence[str]], image: int, labels: Sequence[int], ids: int) -> bool:
    """Whether names of images begin with the ids of a column, several with one, as `0_left.jpg` with 0.

    Ids that are as many as labels may be those of classes.
    """
    fields = {row[ids] for row in table}
    if not are_groups(fields, len({row[image] for row in table})) or len(fields) <= _classes(table, labels):
        return False
    names = ((row[ids], os.path.basename(row[image].replace("\\", "/"))) for row in table)
    return all(name.startswith(each) and not name[len(each) :][:1].isalnum() for each, name in names)


def _are_shared(
    table: Sequence[Sequence[str]], image: int, labels: Sequence[int], ids: int, name: str
) -> bool:
    """Whether an id is that of few images each, of some it is the same: a patient's in COVIDx, a sign's.

    Where an image has several rows, those of one `id` have one as well; numbers that count within each image
    are none.
    """
    pairs = {(row[image], row[ids]) for row in table}
    images = len({uri for uri, _ in pairs})
    shared = Counter(field for _, field in pairs)
    if 2 * max(shared.values(), default=0) > images or len(pairs) > 2 * images:
        return False
    if name.strip().lower() in _SHARED:
        most, fields = _MOST_OF_ONE, {*{row[image]: row[ids] for row in table}.values()}
    elif _ID_OF.fullmatch(name.strip()):
        most, fields = _MOST_OF_THING, {*shared}
    else:
        return False
    are_few = most * len(fields) >= images and len(fields) > 2 * _classes(table, labels)
    return are_few and are_groups(fields, images)


def _classes(table: Sequence[Sequence[str]], labels: Sequence[int]) -> int:
    return max((len({row[i] for row in table}) for i in labels), default=0)
