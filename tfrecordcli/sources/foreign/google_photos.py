"""What Google Photos tells of each photo, as Google Takeout has it beside these in the folders of albums.

`IMG_1.jpg.supplemental-metadata.json`, whose name may be cut anywhere behind the photo's, before 2024
`IMG_1.jpg.json`: `{"title": "IMG_1.jpg", "description", "photoTakenTime": {"timestamp"}, "geoData"}`.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from tfrecordcli.errors import InputError

_NAME: Final = re.compile(r".\.[a-z0-9]{3,4}\.su[a-z-]*(?:\([0-9]+\))?\.json", re.IGNORECASE)
_TIMES: Final = frozenset({"photoTakenTime", "creationTime"})
_SIGN: Final = re.compile(
    rb'\s*\{(?=[\s\S]*"title"\s*:)(?=[\s\S]*"geoData"\s*:)(?=[\s\S]*"(?:photoTakenTime|creationTime)"\s*:)'
)


def is_called_about_photo(name: str) -> bool:
    """Whether a file is called like one of these, and nothing else is called so."""
    return _NAME.search(name) is not None


def is_about_photo(head: bytes) -> bool:
    """Whether a file that begins like this is one of these."""
    return _SIGN.match(head) is not None


def need_no_photo(keys: Set[str], name: str) -> None:
    """Refuses a file whose object has these keys, where it is one of these.

    Raises:
      InputError: what it is, and what may be converted.
    """
    if {"title", "geoData"} <= keys and not _TIMES.isdisjoint(keys):
        raise InputError(
            f"{name}: this is what Google Photos tells of one photo, and no list",
            "give the folder that the albums are in: their names are the labels then",
        )
