"""Texts of a folder that may be lists of its images, told by their first bytes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Set
from typing import Final

from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, count_images, names_images
from tfrecordcli.sources.folders.lists_of_splits import without_split

# Endings of what names images and is no list of them: programs, pages, notes.
NO_LISTS: Final = frozenset(
    (".py", ".ipynb", ".sh", ".m", ".r", ".js", ".html", ".htm", ".css", ".md", ".rst", ".tex", ".log")
)
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
_JSON: Final = re.compile(rb"\s*[\[{]")
_MOST: Final = 0.5  # of all images


def naming_most(heads: Mapping[str, bytes], count: int) -> list[str]:
    """Texts, called as no list is, that name most of so many images, or are JSON that names some.

    Args:
      heads: the first bytes of files by their paths; those of one name count together.
      count: of the images.
    """
    lists = {path: head for path, head in heads.items() if _is_plain_list(head)}
    named: Counter[str] = Counter()
    for path, head in lists.items():
        is_whole = len(head) < HEAD_BYTES and not _JSON.match(head)
        named[without_split(path)] += count_named(head) if is_whole else count
    return [path for path in lists if count and named[without_split(path)] >= _MOST * count]


def may_be_list(head: bytes) -> bool:
    """Whether a text that begins like this names images, and says something of them."""
    return (names_images(head) and not _are_paths(head)) or tells_of_images(head)


def _is_plain_list(head: bytes) -> bool:
    """Whether text that begins like this names several images, says something of them, and is no prose."""
    return b"\0" not in head and may_be_list(head) and count_named(head) >= _LINES and not is_prose(head)


def are_json_lines(head: bytes) -> bool:
    """Whether the first lines of a text are JSON objects that name images, each whole."""
    lines = head.split(b"\n")[:_LINES]
    return len(lines) == _LINES and all(names_images(line) and keys_of(line) for line in lines)


def keys_of(head: bytes) -> Set[str]:
    """The keys of the JSON object in the first line of a text; none where it is no object."""
    try:
        value = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return set()
    return value.keys() if isinstance(value, dict) else set()


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
