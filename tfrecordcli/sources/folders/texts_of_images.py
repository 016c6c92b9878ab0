"""What the first bytes of a text or of JSON Lines tell of images that they name."""

from __future__ import annotations

import json
import re
from typing import Final

from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, count_images, names_images

# Lines that begin with an image, with more behind it; as many show that it is no prose.
_TOLD: Final = re.compile(
    rb"^\"?[^\n,;|\t\"]*\.(?:jpe?g|png|bmp|gif|tiff?|webp)\"?(?:[ \t]*[,;|]|[ \t])[ \t]*[^\s,;|]",
    re.IGNORECASE | re.MULTILINE,
)
_LINES: Final = 2
# The same with two words behind it, as `a.jpg by Joe`: what labels are not, and boxes have one.
_PROSE: Final = re.compile(
    rb"^[^\n,;|\t\"]*\.(?:jpe?g|png|bmp|gif|tiff?|webp)[ ]+[^\W\d][^\s,;|]*[ ]+[^\W\d]",
    re.IGNORECASE | re.MULTILINE,
)
# A line that is the path of an image, and no more.
_PATH: Final = re.compile(rb"[^,;|]+\.(?:jpe?g|png|bmp|gif|tiff?|webp)|", re.IGNORECASE)


def may_be_list(head: bytes) -> bool:
    """Whether a text that begins like this names images, and says something of them."""
    return (names_images(head) and not _are_paths(head)) or tells_of_images(head)


def are_json_lines(head: bytes) -> bool:
    """Whether the first lines of a text are JSON objects that name images, each whole."""
    lines = head.split(b"\n")[:_LINES]
    return len(lines) == _LINES and all(names_images(line) and _is_object(line) for line in lines)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def count_named(head: bytes) -> int:
    """How many images a text names, at the end of a line or field, or at the begin of a line."""
    return max(count_images(head), len(_TOLD.findall(head)))


def tells_of_images(head: bytes) -> bool:
    """Whether several lines of a text begin with an image, with more behind it."""
    return len(_TOLD.findall(head)) >= _LINES


def is_prose(head: bytes) -> bool:
    """Whether most lines that begin with an image go on in words."""
    return 2 * len(_PROSE.findall(head)) > len(_TOLD.findall(head))


def _are_paths(head: bytes) -> bool:
    """Whether the lines of a text that begins like this name images and nothing else."""
    lines = head.split(b"\n")
    whole = lines[:-1] if len(head) == HEAD_BYTES else lines
    return all(_PATH.fullmatch(line.strip()) for line in whole)
