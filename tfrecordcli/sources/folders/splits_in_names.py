"""Splits within the names of class folders, as `cats_train` beside `cats_test`: a class each they are not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.split_words import split_of

_WORD: Final = re.compile(r"[^\W\d_]+")
_BESIDE: Final = "_- ."  # what stands between the word of a split and the rest


def same_but_for_splits(names: Iterable[str]) -> dict[str, list[str]]:
    """Names that differ from another one in nothing but the word of a split, by what they have in common."""
    splits: dict[str, dict[str, str]] = {}
    for name in names:
        words = [word for word in _WORD.findall(name) if split_of(word)]
        if len(words) == 1:
            splits.setdefault(_without(name, words[0]), {})[name] = split_of(words[0])
    return {stem: sorted(found) for stem, found in splits.items() if stem and len({*found.values()}) > 1}


def list_command(root: str, names: Iterable[str], endings: Iterable[str]) -> str:
    """The command that writes a list of such folders: label and split of each image.

    Args:
      root: local folder.
      names: of the folders, all of them.
      endings: of the images.
    """
    words = sorted({word.lower() for name in names for word in _WORD.findall(name) if split_of(word)})
    code = (
        "import csv, pathlib, re, sys; r = pathlib.Path(sys.argv[1]); "
        f's = re.compile("(?i)(?<![a-z])({"|".join(words)})(?![a-z])"); '
        'w = csv.writer(sys.stdout); w.writerow(["image", "label", "split"]); '
        f'[w.writerow([p.relative_to(r), s.sub("", n).strip("{_BESIDE}"), *s.findall(n)]) '
        f'for p in sorted(r.rglob("*")) for n in [p.parent.name] '
        f'if p.suffix in "{" ".join(sorted(endings))}".split()]'
    )
    target = shlex.quote(as_path(f"{root}/list.csv"))
    return f"{command_line(['python', '-c', code, as_path(root)])} > {target}"


def _without(name: str, word: str) -> str:
    return name.replace(word, "", 1).strip(_BESIDE).lower()
