"""A list of names beside a list of boxes: images that may show nothing."""

from __future__ import annotations

import os
import shlex

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.sample import sample_of


def command_of_negatives(boxes: RowFile, names: RowFile) -> str:
    """The command that adds names of images to a list of boxes, as rows without any.

    Args:
      boxes: the list of boxes.
      names: the other list, which has no labels.

    Returns:
      "" where they are no files of one folder, or where the one has no header, or the other more than names.
    """
    if boxes.is_spooled or names.is_spooled or not all(map(os.path.isfile, (boxes.name, names.name))):
        return ""
    shape, listed = boxes.shape(), sample_of(names)
    is_alone = not listed.shape.header and all(len(row) == 1 for row in listed.table)
    is_near = os.path.dirname(boxes.name) == os.path.dirname(names.name)
    if not (shape.header and shape.image is not None and is_alone and is_near):
        return ""
    before = shape.delimiter * shape.image
    behind = shape.delimiter * (len(shape.header) - shape.image - 1)
    code = f'{{sub("\\r$", "")}} NF {{print "{before}" $0 "{behind}"}}'
    stem, ending = os.path.splitext(as_path(boxes.name))
    target = shlex.quote(f"{stem}-with-negatives{ending}")
    rows = command_line(["awk", code, as_path(names.name)])
    return (
        f"where images of {names.name} show nothing: "
        f"({command_line(['awk', '1', as_path(boxes.name)])}; {rows}) > {target}; "
        f"then: tfrec convert {target} OUTPUT_DIR"
    )
