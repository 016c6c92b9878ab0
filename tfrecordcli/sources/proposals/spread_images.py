"""Images of a list that are in several folders: what brings them together, or tells which folder is meant."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from glob import escape
from itertools import chain, islice
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, without_extension
from tfrecordcli.sources.folders.image_folders import is_of_annotations
from tfrecordcli.split_words import parse_split, split_of_folder
from tfrecordcli.storage.store_path import walk_local

_TOLD: Final = 3
_WALKED: Final = 2_000  # folders that are looked into
_SOME: Final = 2
_COMPARED: Final = 8  # files of one name and size whose bytes are
_MANY: Final = 5  # images that show whose a folder is
_FEW: Final = 3  # one in so many images that another folder may have, too


def spread_by_split(uris: Sequence[str], root: str, roots: Mapping[str, str]) -> str:
    """How to bring images together where splits have roots of their own, with class folders, say; or empty.

    Args:
      uris: of images that are not there, relative to ``root``; those tried may be of some splits alone.
      roots: those given, by split.
    """
    hints = []
    for split, given in roots.items():
        folder = os.path.abspath(given)
        below = f"{os.path.relpath(folder, root)}/"
        names = {uri.removeprefix(below) for uri in uris if uri.startswith(below)}
        files = (file for _, _, some in islice(walk_local(folder), _WALKED) for file in some)
        hints.append(in_many_folders(names or {*filter(IMAGE_EXTENSION.search, files)}, folder, f"{split}="))
    return "; ".join(filter(None, hints))


def in_many_folders(names: Set[str], root: str, split: str = "") -> str:
    """How to bring images together that are in several folders below the root; empty where they are not.

    Where two folders have other images of one name, none is proposed, or one as a guess: the list may mean
    either.

    Args:
      split: stands before the root in the option, as ``train=``.
    """
    if any("/" in name or "\\" in name for name in names):
        return ""
    links = os.path.join(root, "linked-images")
    held, twice = _walked(names, root, links)
    if len(held) < _SOME:
        return ""
    whole = sorted(folder for folder, there in held.items() if there == names)
    others = {folder: there for folder, there in held.items() if folder not in whole}
    if _are_one_set(whole, others, len(names)):
        options = " or ".join(command_line(["--image-root", split + folder]) for folder in whole)
        beside = f", and some are in {told(_below(root, others))}, too" if others else ""
        return f"all of them are in {told(_below(root, whole))}{beside}: {options}"
    if one := _mostly_one(held, twice, names, root, split):
        return one
    folders = _below(root, {next(f for f in held if name in held[f]) for name in set().union(*held.values())})
    if len(folders) < _SOME:
        return ""
    if not are_copies(twice):
        pair = next((pair for pair in twice if not names.isdisjoint(_names_of(pair[0]))), twice[-1])
        name = os.path.basename(pair[0])
        one, other = sorted(os.path.relpath(os.path.dirname(path), root) for path in pair)
        return (
            f"images are in several folders ({told(folders)}), and {told([name])} is in {told([one])} "
            f"and in {told([other])}: the list has to tell the folder of each image, as {told([one])}/…"
        )
    splits = {split_of_folder(os.path.basename(folder)) for folder in folders} - {""}
    lost = "where these folders are splits, write them into the names of the list instead"
    link = ["ln", "-sf" if twice else "-s"]
    but = [word for path in _annotations(root, held) for word in ("-not", "-path", path)]
    words = ["find", root, "-type", "f", *but, "-exec", *link, "{}", f"{links}/", ";"]
    option = command_line(["--image-root", split + links])
    return (
        f"images are in several folders ({told(folders)}){', some as copies' * bool(twice)}: "
        f"link them into one: {command_line(['mkdir', links])}; {command_line(words)}; then {option}"
        f"{f'; {lost}' if len(splits) > 1 else ''}"
    )


def folders_of(names: Set[str], root: str) -> dict[str, str]:
    """Where each image of some names is below the root; none where two files may be meant by a name."""
    held, twice = _walked(names, root, "")
    if any(not names.isdisjoint(_names_of(one)) for one, _ in twice):
        return {}
    return {name: folder for folder, there in held.items() for name in there}


def _walked(names: Set[str], root: str, links: str) -> tuple[dict[str, set[str]], list[tuple[str, str]]]:
    """(folders with those of the names that each has, pairs of files of one name) below the root.

    Args:
      links: folder that is passed over.
    """
    without = any(without_extension(name) == name for name in names)
    held: dict[str, set[str]] = {}
    first: dict[str, str] = {}  # name of an image -> the file that has it
    twice: list[tuple[str, str]] = []
    for folder, _, files in islice(walk_local(root), _WALKED):
        if folder == links:
            continue
        there = set(files) | {without_extension(file) for file in files}
        if there & names:
            held[folder] = there & names
        for file in filter(IMAGE_EXTENSION.search, files):
            path = os.path.join(folder, file)
            other = first.setdefault(without_extension(file) if without else file, path)
            if os.path.dirname(other) != folder:
                twice.append((other, path))
    return _without_annotations(held, twice, root)


def _without_annotations(
    held: dict[str, set[str]], twice: list[tuple[str, str]], root: str
) -> tuple[dict[str, set[str]], list[tuple[str, str]]]:
    """The same without folders of masks, as `annotations/training`, where others have the images."""
    images = {folder: there for folder, there in held.items() if not _is_of_annotations(folder, root)}
    if set().union(*images.values()) != set().union(*held.values()):
        return held, twice
    pairs = [
        pair for pair in twice if not any(_is_of_annotations(os.path.dirname(each), root) for each in pair)
    ]
    return images, pairs


def _annotations(root: str, held: Iterable[str]) -> list[str]:
    """Patterns of paths in folders of masks and the like, in which there are no images of a list.

    Those that are called the same have one pattern, but where some of them hold images.
    """
    found: dict[str, str] = {}  # folder -> its own name
    for folder, _, _ in islice(walk_local(root), _WALKED):
        parts = _parts(folder, root)
        places = [place for place, part in enumerate(parts, 1) if is_of_annotations(part)]
        found |= {os.path.join(root, *parts[:place]): parts[place - 1] for place in places[:1]}
    kept = {path for path in found if any(f"{each}/".startswith(f"{path}/") for each in held)}
    names = {*found.values()} - {found[path] for path in kept}
    alone = (path for path, name in found.items() if name not in names and path not in kept)
    above, patterns = escape(root), map(escape, sorted(names))
    return [
        *(f"{escape(path)}/*" for path in sorted(alone)),
        *chain.from_iterable((f"{above}/{name}/*", f"{above}/*/{name}/*") for name in patterns),
    ]


def _parts(folder: str, root: str) -> list[str]:
    return os.path.relpath(folder, root).split(os.sep)


def _is_of_annotations(folder: str, root: str) -> bool:
    return any(map(is_of_annotations, _parts(folder, root)))


def _are_one_set(whole: Sequence[str], others: Mapping[str, Set[str]], count: int) -> bool:
    """Whether folders that have all images tried hold those of the list: one, or one called after the other.

    Parts of the list may be meant by other folders of these names where they are splits, or have many.

    Args:
      whole: these folders, sorted.
      others: those that have some of the images, with their names.
      count: of the images.
    """
    if not whole or count < _MANY or any(_FEW * len(there) > count for there in others.values()):
        return False
    if any(map(parse_split, map(os.path.basename, (*whole, *others)))):
        return False
    first, *rest = whole
    return bool(others or rest) and all(folder.startswith((f"{first}_", f"{first}-")) for folder in rest)


def _mostly_one(
    held: Mapping[str, Set[str]], twice: Sequence[tuple[str, str]], names: Set[str], root: str, split: str
) -> str:
    """The only folder that has all images which any has, where others have other images of such names.

    It is named for what it is, a guess: ids of a list may stand for those of another folder, too.
    """
    found = set().union(*held.values())
    having = [folder for folder, there in held.items() if there == found]
    of_names = [pair for pair in twice if not names.isdisjoint(_names_of(pair[0]))]
    if len(having) != 1 or 2 * len(found) < len(names) or are_copies(of_names):
        return ""
    (one,), *others = _below(root, having), *_below(root, held.keys() - {*having})
    count = "all" if found == names else f"{len(found)} of"
    option = command_line(["--image-root", split + having[0]])
    return (
        f"{count} {len(names)} images tried are in {told([one])}, and other images of such names in "
        f"{told(others)}: {option} where the list is of {told([one])} alone; else write the folder into the "
        f"names, as {told(others[:1])}/…"
    )


def _below(root: str, folders: Iterable[str]) -> list[str]:
    return sorted(os.path.relpath(folder, root) for folder in folders)


def _names_of(path: str) -> set[str]:
    name = os.path.basename(path)
    return {name, without_extension(name)}


def are_copies(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether files are the same two by two: of one size all of them, of the same bytes the first ones."""
    try:
        return all(os.path.getsize(one) == os.path.getsize(two) for one, two in pairs) and all(
            filecmp.cmp(one, two, shallow=False) for one, two in pairs[:_COMPARED]
        )
    except OSError:
        return False


def told(names: list[str] | None) -> str:
    """The first of some names."""
    if not names:
        return "nothing"
    return ", ".join(repr(name)[1:-1] for name in names[:_TOLD]) + (", …" if len(names) > _TOLD else "")
