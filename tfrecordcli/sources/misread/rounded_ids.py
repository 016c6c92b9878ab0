"""Ids of images that a spreadsheet has rounded: `1.23E+15` stands for a million of them."""

from __future__ import annotations

import os
import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote

# As Excel and LibreOffice show and save whole numbers of more than 11 digits, with a point or comma.
_ROUNDED: Final = re.compile(r"[1-9](?:[.,][0-9]+)?E\+[0-9]{2,}")


def need_whole_ids(sample: Sample, root: str) -> None:
    """Refuses a list at least half of whose images are rounded numbers, unless files are called so.

    Args:
      root: absolute folder or URL that relative image paths are relative to.

    Raises:
      InputError: the digits that are lost can only come from where the list was made.
    """
    image = sample.shape.image
    fields = sample.fields(image) if image is not None else []
    rounded = [field for field in fields if _ROUNDED.fullmatch(field)]
    if not rounded or 2 * len(rounded) < len(fields) or is_remote(root):
        return
    names = os.listdir(root)
    if {*names, *(os.path.splitext(name)[0] for name in names)}.isdisjoint(rounded):
        column = sample.shape.header[image or 0]
        raise InputError(
            f"column {column} holds numbers that a spreadsheet has rounded, as {rounded[0]}: their last "
            "digits, by which images are told, are lost",
            "take the list as it was before; to open it in a spreadsheet, import that column as text",
        )
