"""One dataset in several versions, a folder each: in colours, in gray, cut out."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.split_words import parse_split

# The fewest images that tell, and what share is in each version.
_FEWEST: Final = 8
_NEARLY: Final = 0.9
# What names of images are made of, and what is counted in it; longer numbers are of one image.
_WORDS: Final = re.compile(r"[^\W_]+")
_COUNTED: Final = re.compile(r"(?<=[^\W\d_])[0-9]{1,6}$|^(?:0[0-9]*|[0-9]{1,6})$")
_BEFORE_SUFFIX: Final = re.compile(r"[ _.-]|$")
# What folders of versions are called: as the images were taken, and what was made of them.
_TAKEN: Final = r"colou?r(?:s|ed)?|rgb|originals?|raw"
_MADE: Final = (
    r"gr[ae]y(?:[ _-]?scaled?)?|bw|black[ _-](?:and[ _-])?white|segmented|masked|cropped|resized|binary|"
    r"binari[sz]ed|edges|canny|clahe|enhanced|equali[sz]ed|denoised|sharpened|normali[sz]ed|(?:pre)?processed|"
    r"depth|thermal|infrared|nir"
)
_AS_TAKEN: Final = re.compile(rf"(?i)(?<![a-z])(?:{_TAKEN})(?![a-z])")
_VERSION: Final = re.compile(rf"(?i)(?<![a-z])(?:{_TAKEN}|{_MADE})(?![a-z])")


def need_no_versions(root: str, held: Mapping[str, Collection[str]], way: Callable[[str], str]) -> None:
    """Refuses folders that hold images of the same classes and names.

    Args:
      held: as of `in_versions`.
      way: gives what converts one of them.

    Raises:
      InputError: with the command for one of them.
    """
    if one := in_versions(held):
        raise InputError(
            f"{root}: the folders {', '.join(held)} hold images of the same classes and names, "
            "so they look like one dataset in several versions",
            f"convert one of them: {way(one)}; --label-folder first is right only where these folders are "
            "the labels, --label-folder last only where their images are different ones",
        )


def in_versions(held: Mapping[str, Collection[str]]) -> str:
    """The folder of which all others hold the images again, by their names; empty for none.

    Images may have a suffix there: `leaf_masked.jpg`. Names that count (`frame_01.jpg`), or that come in
    several classes, tell nothing, as those of recordings and subjects are the same, too: but where the
    folders are called as versions are.

    Args:
      held: names of folders with the paths of their images below them, `class/name` or `split/class/name`.
    """
    if len(held) < 2:
        return ""
    are_called_so = _are_called_as_versions(held)
    stems = {folder: {posixpath.splitext(name)[0] for name in names} for folder, names in held.items()}
    first, *others = ({*map(posixpath.dirname, names)} for names in stems.values())
    labels = {tuple(part for part in folder.split("/") if parse_split(part) is None) for folder in first}
    if len(labels) < 2 or any(each != first for each in others):
        return ""
    for folder in sorted(stems, key=lambda name: _AS_TAKEN.search(name) is None):
        names, again = stems[folder], [stems[other] for other in stems if other != folder]
        if (are_called_so or _are_of_one_image(names)) and all(_are_again(names, other) for other in again):
            return folder
    return ""


def _are_called_as_versions(folders: Collection[str]) -> bool:
    """Whether names differ only in a word of versions: `leaf_rgb` and `leaf_gray`."""
    rest = {_VERSION.sub("", name, count=1).lower() for name in folders}
    return len(rest) == 1 and all(map(_VERSION.search, folders))


def _are_of_one_image(stems: Collection[str]) -> bool:
    """Whether names are those of one image each, in one class each: one word of nearly each is its alone.

    Numbers that count are none, nor is the name of the class: `apple-leaf` beside `pear-leaf` tells class and
    view.
    """
    names = [*map(posixpath.basename, stems)]
    told = [_words(name) - _words(posixpath.dirname(stem)) for name, stem in zip(names, stems, strict=True)]
    counts = Counter(chain.from_iterable(told))
    own = sum(any(counts[word] == 1 for word in words) for words in told)
    return len(names) >= _FEWEST and len({*names}) == len(names) and own >= _NEARLY * len(names)


def _words(name: str) -> set[str]:
    """What a name is made of, without the numbers that count."""
    return {*(_COUNTED.sub("", word) for word in _WORDS.findall(name.lower()))} - {""}


def _are_again(one: Collection[str], two: Collection[str]) -> bool:
    """Whether nearly all names of one are those of another, but for one suffix."""
    cuts = ((stem, found.start()) for stem in two for found in _BEFORE_SUFFIX.finditer(stem))
    suffixes = Counter(stem[at:] for stem, at in cuts if stem[:at] in one)
    return max(suffixes.values(), default=0) >= _NEARLY * max(len(one), len(two))
