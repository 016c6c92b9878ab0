"""A text that tells the split of each image, a line each: `000001.jpg 0` of CelebA, `img/1.jpg train`."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.split_words import parse_split_in_column

_BETWEEN: Final = r"[\s,;]+"
# CelebA's, whose list of these is called so.
_NUMBERED: Final = {"0": "train", "1": "validation", "2": "test"}
_CALLED: Final = re.compile("partition|split", re.IGNORECASE)


def names_in_one_text(data: bytes, path: str) -> Mapping[str, Sequence[str]]:
    """The names of each split, by the last words of its lines; none where these tell no splits."""
    named = _by_word(data)
    meanings = _meanings(named, path)
    return {meanings[word]: names for word, names in named.items()} if meanings else {}


def may_tell_splits(head: bytes, path: str) -> bool:
    """Whether a text that begins like this may be such; where it is sorted, first lines have one word."""
    words = {*_by_word(head.rpartition(b"\n")[0])}
    numbered = _NUMBERED if _CALLED.search(os.path.basename(path)) else {}
    return bool(words) and all(word in numbered or parse_split_in_column(word) for word in words)


def pairs_in_one_text(data: bytes, path: str, name: str) -> str:
    """Python of the pairs of a dict, what an image is told by and its split, that such a text tells.

    Args:
      data, path: of the text.
      name: of the function of a path that gives the first of these.
    """
    meanings = _meanings(_by_word(data), path)
    return (
        f"{name}(v[0]): d[v[-1]] for d in [{json.dumps(meanings)}] "
        f'for l in open({literal(path)}, encoding="latin-1") '
        f'for v in [re.split(r"{_BETWEEN}", l.removeprefix("\\xef\\xbb\\xbf").strip())] if v[-1] in d'
    )


def _by_word(data: bytes) -> Mapping[str, Sequence[str]]:
    """The images of lines by the last word of each; lines without an image say what is in others."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for line in data.decode("utf-8-sig", "replace").splitlines():
        words = re.split(_BETWEEN, line.strip())
        if len(words) > 1 and IMAGE_EXTENSION.search(words[0]):
            named[words[-1]].append(words[0])
    return named


def _meanings(named: Mapping[str, Sequence[str]], path: str) -> Mapping[str, str]:
    """The split that each word stands for; none where some stand for none."""
    counts = {word: len(names) for word, names in named.items()}
    if counts.keys() == _NUMBERED.keys() and _CALLED.search(os.path.basename(path)):
        return _NUMBERED if counts["0"] == max(counts.values()) else {}
    splits = {word: parse_split_in_column(word) for word in named}
    return {word: split for word, split in splits.items() if split} if all(splits.values()) else {}
