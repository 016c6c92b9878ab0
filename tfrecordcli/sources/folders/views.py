"""Folders that hold the same things in several views, and are no classes: `left` and `right`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.units import some_of

# How cameras, times, wavelengths, resolutions and steps of a restoration are called.
_VIEW: Final = re.compile(
    "left|right|cent(?:er|re)|front|rear|back|side|top|bottom|disp(?:arity)?|depth|normals?"
    "|rgb|ir|nir|infrared|thermal|tir|visible|vis|lwir|swir|gr[ae]y|colou?r"
    "|before|after|pre|post|(?:t|time|im|img|image)_?[0-9]|[ab]"
    "|[hl]r(?:_?x[0-9])?|high|low|noisy|clean|denoised|blur(?:red|ry)?|sharp|haz[ey]|clear|rain[sy]?|norain"
    "|inputs?|outputs?|targets?|gts?|ground(?:_?truth)?|labels?|masks?|ref(?:erence)?|source|src|edited|raw"
    "|orig(?:inals?)?|degraded|restored|render(?:s|ed|ings?)?",
    re.IGNORECASE | re.ASCII,
)
# Those that are no classes even where images have numbers alone, which classes have, too.
_KIND: Final = re.compile(
    "disp(?:arity)?|depth|normals?|rgb|n?ir|infrared|thermal|tir|lwir|swir|[hl]r(?:_?x[0-9])?"
    "|inputs?|outputs?|targets?|gts?|ground_?truth|labels?|masks?|ref(?:erence)?|render(?:s|ed|ings?)?",
    re.IGNORECASE | re.ASCII,
)
_PAIRS: Final = ({"left", "right"}, {"before", "after"}, {"front", "back"})
_NUMBERED: Final = re.compile("(.*?)([0-9]+)", re.DOTALL | re.ASCII)
_LOOKED_AT: Final = 200  # names of each folder
_SOME: Final = 3
_NEARLY_ALL: Final = 0.9


class ViewSearch:
    """The first names in label folders that are called so."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}  # by label
        self._rests: dict[str, set[str]] = {}  # of these, without the label at either end: `render0001`
        self._folders: dict[str, str] = {}  # one of each label
        self._is_other = False

    def add(self, path: str, label: str) -> None:
        """Takes in an image.

        Args:
          path: relative to the folder that is listed.
          label: its own.
        """
        if self._is_other:
            return
        if label not in self._names and not is_view(label):
            self._is_other = True
            return
        names = self._names.setdefault(label, set())
        if len(names) < _LOOKED_AT:
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(label, folder)
            stem = name.rpartition(".")[0]
            names.add(stem)
            self._rests.setdefault(label, set()).add(_without(label, stem))

    def doubts(self, root: str, splits: Iterable[str]) -> Iterable[str]:
        """What is said of them, where all labels are called so and have images of the same names.

        Args:
          root: the folder that is listed.
          splits: the words of these that images have.
        """
        if self._is_other or len(self._names) < 2:
            return
        labels = sorted(self._names)
        are_kinds = any(map(_KIND.fullmatch, labels))  # else `left0.jpg` is of a class called so
        common = _common(self._names) or (_common(self._rests) if are_kinds else set())
        if not common:
            return
        if all(len(label) == 1 for label in labels) and all(map(str.isdecimal, common)):
            return  # classes may be called so, and number their images
        if _are_numbered(common):
            if are_kinds or {label.lower() for label in labels} in _PAIRS:
                yield (
                    f"the labels {some_of(labels)} may be views of the same things, as their images have the "
                    "same numbers: where they are, these are no classes, and a record holds one image"
                )
            return
        one = joined(root, self._folders[labels[0]])
        command = command_line(["tfrec", "convert", as_path(one)])
        alone = f": {command} OUTPUT_DIR --unlabelled keep takes those of one" * (not any(splits))
        yield (
            f"the labels {some_of(labels)} are called like views of the same things, and their images have "
            f"the same names ({min(common)}, …): are these classes? a record holds one image{alone}"
        )


def is_view(name: str) -> bool:
    """Whether a folder is called like a view, a kind or a step of what others beside it may show."""
    return _VIEW.fullmatch(name) is not None


def _common(names: Mapping[str, Collection[str]]) -> set[str]:
    """The names that images of all labels have; empty unless these are nearly all of each."""
    common = set[str].intersection(*map(set, names.values()))
    return common if len(common) >= max(_SOME, _NEARLY_ALL * max(map(len, names.values()))) else set()


def _without(label: str, stem: str) -> str:
    """What an image is called beside the name of its label, at either end; all where there is no more."""
    own = re.escape(label)
    return re.sub(rf"^{own}[ _.-]*|[ _.-]*{own}$", "", stem, count=1, flags=re.IGNORECASE) or stem


def _are_numbered(names: Collection[str]) -> bool:
    """Whether names are one word, if any, with numbers from 0 or 1 on, as those of every class may be."""
    found = [*map(_NUMBERED.fullmatch, names)]
    if not all(found) or len({match[1] for match in found if match}) > 1:
        return False
    numbers = [int(match[2]) for match in found if match]
    are_cut = len(numbers) >= _NEARLY_ALL * _LOOKED_AT  # in the order of their letters: 1, 10, 100
    return min(numbers) <= 1 and (are_cut or _NEARLY_ALL * max(numbers) <= len(numbers))
