"""Columns of what several images come from, such as a patient or a video: these belong into one split."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.sample import sample_of

# From the widest to the narrowest: a patient has several studies.
_GROUPS: Final = (
    "patient|subject|person|participant|volunteer|donor",
    "individual|animal|mouse|specimen|wsi|lesion|eye(?=.)",
    "location|site|plot",
    "video|movie|clip|scene|recording|drive|flight|burst|sequence|seq|track",
    "case|claim|incident|accident|study|series|exam|visit|session|slide|scan",
    "(?:asset|building|house|property|tower|tree)(?=.)",  # by their ids: words of these are classes
    "storm|cyclone|hurricane|typhoon",
    "camera",
    # What images were made of, as by distortions.
    "(?:reference|ref|original|orig|source|src|parent)(?:image|img|photo|picture|file)|original|ref|reference",
)
_ENDINGS: Final = "(?:id|ids|uid|name|no|nr|num|number|index|idx|code)?"
_NOT_LETTERS: Final = re.compile("[^a-z]")
_FEWEST: Final = 3  # groups that can be parted into splits


def group_column_note(rows: RowFile) -> str:
    """What to know of rows that are assigned to splits one by one; empty where no column tells of groups.

    Args:
      rows: of a list of images that gives no `--split-by`.
    """
    if rows.is_listing or rows.is_spooled:
        return ""
    name = _group_column(rows)
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
    for words in _GROUPS:
        called = re.compile(f"(?:{words}){_ENDINGS}")
        for i, name in enumerate(header):
            if i in used or called.fullmatch(_NOT_LETTERS.sub("", name.lower())) is None:
                continue
            groups = {row[i] for row in table}
            if _FEWEST <= len(groups) < images and "" not in groups:
                return name
    return ""
