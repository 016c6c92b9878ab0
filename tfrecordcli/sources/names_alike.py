"""Names of images that begin alike as these show one thing: `10_left` and `10_right`, frames of a video."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.folders.video_files import is_video
from tfrecordcli.sources.group_names import width_of_group

_PART: Final = r"(?<![ _-])[ _-]+[^ _/\\-]+"  # from where a run begins: it is looked through once
# What names of a group differ in: their last parts, the more the wider the group; letters behind a number.
_ENDINGS: Final = (
    *(f"(?:{_PART}){{{count}}}$" for count in (3, 2)),
    f"{_PART}$",
    "(?<=[0-9])[A-Za-z]+(?:[.][^.]*)?$",
)
# What is below a folder that is called after a group: the study and the view of a patient.
_BELOW: Final = tuple(rf"(?:[/\\][^/\\]*){{{count}}}$" for count in (3, 2, 1))
# Sides, views, numbers of frames, whatever letters are before these; longer numbers are times, or ids.
_KIND: Final = re.compile("([A-Za-z]{0,12})([0-9]{0,7})")
_KINDS: Final = 12
_NUMBER: Final = re.compile("[0-9]+")
_NUMBERS: Final = re.compile("[0-9 _-]+")
_FEWEST: Final = 3  # groups
_NEARLY_ALL: Final = 0.95
_MOST: Final = 0.7  # of the images, in one group
_FEW: Final = 5  # groups of which each is a large part of the images
# A level, a size, a version, in a few of which all of a dataset may go on; other numbers have zeros before.
_PLAIN: Final = re.compile("([A-Za-z]{0,8})[ _.-]*(?:0|[1-9][0-9]{0,2})(?:[ _-]+([A-Za-z][A-Za-z0-9]{0,7}))?")
_LARGE: Final = 40  # images, on average, of a group that is a number alone: folders of cameras have more
# What a number behind it goes on, or counts within a day or year; parts of a dataset, in which all goes on.
_BEGUN: Final = re.compile(
    r"(?:^|[^0-9])(?:19|20)[0-9]{2}(?:[ _.-]?[01][0-9](?:[ _.-]?[0-3][0-9](?:(?:[ _.T-]|at)*[0-9]{2}"
    r"(?:[_.:-]?[0-9]{2})?)?)?)?$"
    r"|(?:part|batch|set|shard|chunk|fold|split|class|cls|label|category|digit|level|grade"
    r"|train|val|test)[ _-]?[0-9]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Alike:
    """Images of a list by how their names begin.

    Attributes:
      pattern: of what is left out of a path, so that what begins it is left.
      groups: the paths of each.
    """

    pattern: str
    groups: Sequence[Sequence[str]]

    @property
    def told(self) -> str:
        """That these may be parted, with two of them."""
        first, second = self.groups[0][:2]
        return (
            f"images whose names begin alike ({first} and {second}), of one patient, thing or video perhaps, "
            "may be in several splits"
        )


def names_alike(labels: Mapping[str, Collection[str]]) -> Alike | None:
    """The widest groups that names tell; None: they tell none, or these are classes.

    Args:
      labels: of each image, by its path; none, if it has none.
    """
    names = [re.split(r"[/\\]", path)[-1] for path in labels]
    without_folder = r"^.*[/\\]|" * (len({*names}) == len(names))
    for ending in (*_BELOW, *_ENDINGS):
        is_folder = ending in _BELOW
        pattern = ending if is_folder else f"{without_folder}{ending}"
        groups: dict[str, dict[str, str]] = {}
        for path in labels:
            if match := re.search(ending, path):
                groups.setdefault(re.sub(pattern, "", path), {})[path] = without_extension(match[0])
        if sum(map(len, groups.values())) < max(_NEARLY_ALL * len(labels), 1) or not _are_several(groups):
            continue
        are_alike = all(map(_is_called_so, groups)) if is_folder else _are_partners(groups)
        if are_alike and not _are_labels(groups, labels, has_endings=not is_folder):
            return Alike(pattern, [[*some] for some in groups.values() if len(some) > 1])
    return None


def _is_called_so(path: str) -> bool:
    """Whether a folder is called after a group, with a number: `patient00001`."""
    name = re.split(r"[/\\]", path)[-1]
    return _NUMBER.search(name) is not None and width_of_group(name) is not None


def _are_several(groups: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether most images are in groups of several, none of which is nearly all.

    Args:
      groups: what stands behind the begin of each path, by this begin.
    """
    count = sum(map(len, groups.values()))
    sizes = [size for size in map(len, groups.values()) if size > 1]
    return len(sizes) >= _FEWEST and 2 * sum(sizes) >= count and max(sizes) <= _MOST * count


def _are_partners(groups: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether names of groups and what is behind these are such as tell of sides, views and frames."""
    several = [begin for begin, some in groups.items() if len(some) > 1]
    behind = [re.split("[ _-]+", each.strip(" _-")) for some in groups.values() for each in some.values()]
    if len({*map(len, behind)}) > 1:
        return False
    places = [[_KIND.fullmatch(part) for part in parts] for parts in zip(*behind, strict=True)]
    if not all(_are_of_few_kinds(kinds, len(several)) for kinds in places):
        return False
    if not any(kind and kind[2] for kinds in places for kind in kinds):
        return True
    are_one_word = all(len({kind[1].lower() for kind in kinds if kind}) == 1 for kinds in places)
    if are_one_word and _are_parts(groups, behind[0]):
        return False
    begins = [re.split(r"[/\\]", begin)[-1] for begin in several]
    if not all(map(_NUMBER.search, begins)) or 2 * sum(map(bool, map(_BEGUN.search, begins))) > len(begins):
        return False
    return not all(map(_NUMBERS.fullmatch, begins)) or len(behind) <= _LARGE * len(groups)


def _are_parts(groups: Mapping[str, Mapping[str, str]], words: Collection[str]) -> bool:
    """Whether few begins are each a small number behind a short word that tells no group, nor its folder.

    Args:
      groups: as of `_are_several`.
      words: behind the first of them, by which videos are told: `ride0_mp4-6`.
    """
    several = {begin: next(iter(some)) for begin, some in groups.items() if len(some) > 1}
    return len(several) <= _FEW and all(_is_part(*each, words) for each in several.items())


def _is_part(begin: str, path: str, words: Collection[str]) -> bool:
    name = re.split(r"[/\\]", begin)[-1]
    found = _PLAIN.fullmatch(name)
    if found is None or width_of_group(found[1]) is not None or re.split(r"[/\\]", path)[-2:-1] == [name]:
        return False
    return not any(is_video(f".{word}") for word in (*words, found[2] or ""))


def _are_of_few_kinds(kinds: Sequence[re.Match[str] | None], groups: int) -> bool:
    """Whether parts are words or numbers, of few words, which come again: no more than groups."""
    words = Counter(kind[1].lower() for kind in kinds if kind)
    once = sum(count == 1 for count in words.values())
    are_most = words.total() - once >= _NEARLY_ALL * len(kinds)
    return are_most and len(words) - once <= min(_KINDS, groups)


def _are_labels(
    groups: Mapping[str, Mapping[str, str]], labels: Mapping[str, Collection[str]], *, has_endings: bool
) -> bool:
    """Whether names begin with the label, or end in it, or begin with what a folder of a class stands for."""
    begins = {path: begin for begin, some in groups.items() for path in some}
    if _tell(begins, labels):
        return True
    endings = {path: _NUMBER.sub("", behind) for some in groups.values() for path, behind in some.items()}
    folders = {path: re.split(r"[/\\]", path)[-2:-1] for path in begins}
    are_named = any([begin] == folders[path] for path, begin in begins.items())
    return has_endings and (_tell(endings, labels) or (not are_named and _tell(begins, folders)))


def _tell(words: Mapping[str, str], labels: Mapping[str, Collection[str]]) -> bool:
    """Whether words of images go with their labels, of which there are as many as of words."""
    of_word: dict[str, Counter[str]] = {}
    for path, word in words.items():
        of_word.setdefault(word, Counter())[" ".join(sorted(labels[path]))] += 1
    alike = sum(max(counts.values()) for counts in of_word.values())
    kinds = {label for counts in of_word.values() for label in counts}
    return 1 < len(of_word) <= len(kinds) and alike >= _NEARLY_ALL * len(words)
