"""Lists with a column for each folder above images, of which neither the first nor the last tells labels."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from tfrecordcli.sources.folders.splits_in_names import list_by_levels
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

Folders = Sequence[str]  # above an image, the topmost first


def column_names(parted: Collection[Folders]) -> list[str]:
    """A name for each level of folders; the first that has but words of splits is called so."""
    names = [f"folder_{number}" for number in range(1, max(map(len, parted), default=0) + 1)]
    for at, found in enumerate(map(set, _levels(parted))):
        if all(map(split_of, found)):
            names[at] = "split"
            break
    return names


def list_of_levels(
    root: str, base: str, path: str, images: Callable[[], Iterable[str]], exclude: Collection[str]
) -> str:
    """The command for a list of all folders above images, and what takes one between first and last.

    So the last, where images beside the folders of labels are to have none.

    Args:
      root: the folder that is listed.
      base: the folder in which those of splits or labels stand; empty for the root.
      path: of an image; empty where none between them differs, or on a store.
      images: gives the paths of all.
      exclude: patterns of what was passed over.
    """
    folders, above = path.split("/")[:-1], len(base.split("/")) if base else 0
    splits = [*filter(split_of, folders[above:])]
    if is_remote(root) or len(splits) > 1:
        return ""
    paths = [*images()]
    mixed, depth = images_between(Counter(map(posixpath.dirname, paths)), above + len(splits))
    if depth:  # told of an image that has all levels
        folders = next(found for found in (each.split("/")[:-1] for each in paths) if len(found) == depth)
    between = [i for i, folder in enumerate(folders) if not split_of(folder)][above + 1 :]
    between = between if depth else between[:-1]
    parted = [each.split("/")[:-1] for each in paths] if between else []
    labels = sorted(
        (i for i in between if len({parts[i] for parts in parted if len(parts) > i}) > 1),
        key=lambda level: not _come_again(parted, level),
    )
    if not labels:
        return ""
    names = column_names(parted)
    command, made = list_by_levels(root, names, {posixpath.splitext(each)[1] for each in paths}, exclude)
    (name, label), *further = ((names[i], folders[i]) for i in labels)
    ways = f"--columns label={name} takes {label!r}" + "".join(f", label={n} {f!r}" for n, f in further)
    what = f"to leave images without a label ({_shown(mixed)})" if depth else "for a folder between these"
    skipping = "--unlabelled skip " * bool(depth)
    return f"; {what}, make a list of all: {command}; then: tfrec convert {made} OUTPUT_DIR {skipping}{ways}"


class ImagesBetween:
    """Images beside the folders of labels that a folder holds, where the last folder is the label.

    Args:
      root: the folder that is listed.
      exclude: patterns of what was passed over.
    """

    def __init__(self, root: str, exclude: Collection[str]) -> None:
        self._root = root
        self._exclude = exclude
        self._counts: Counter[str] = Counter()  # of images, by folder
        self._endings: set[str] = set()

    def add(self, path: str, label: str) -> None:
        """Takes in an image; one right in a folder of a split, or in the root, has no label."""
        if label:
            folder, name = posixpath.split(path)
            self._counts[folder] += 1
            self._endings.add(posixpath.splitext(name)[1])

    def doubts(self, *, is_part: bool) -> Iterator[str]:
        """What is said of these.

        Args:
          is_part: whether others are converted with it.
        """
        mixed, depth = images_between(self._counts, 0)
        if not mixed:
            return
        what = (
            f"images beside folders of labels have the name of the folder around them ({_shown(mixed)}) "
            "for a label: where it is none"
        )
        if not depth or is_part or is_remote(self._root):
            yield f"{what}, --exclude leaves them out, or a list tells their labels"
            return
        names = column_names([folder.split("/") for folder in self._counts])
        command, made = list_by_levels(self._root, names, self._endings, self._exclude)
        yield (
            f"{what}, make a list in which they have none: {command}; then: "
            f"tfrec convert {made} OUTPUT_DIR --columns label={names[depth - 1]} --unlabelled skip"
        )


def images_between(counts: Mapping[str, int], above: int) -> tuple[dict[str, int], int]:
    """How many images are in which folders that hold others with images, and how deep those of labels are.

    That is 0 where these are not all at one depth, or no images stand so.

    Args:
      counts: of the images, by folder.
      above: how many folders stand above those of labels.
    """
    holding = {folder[:at] for folder in counts for at, each in enumerate(folder) if each == "/"}
    mixed = {folder: counts[folder] for folder in sorted(holding & counts.keys())}
    mixed = {folder: count for folder, count in mixed.items() if folder.count("/") >= above}
    depths = {folder.count("/") + 1 for folder in counts if folder and folder not in holding}
    return mixed, max(depths) if mixed and len(depths) == 1 else 0


def _shown(mixed: Mapping[str, int]) -> str:
    """The images right in folders that hold others: `2 in a/b, 1 in c/d`."""
    return some_of([f"{count:,} in {folder}" for folder, count in mixed.items()])


def _levels(parted: Iterable[Folders]) -> list[list[str]]:
    """The folders at each level, the topmost first."""
    levels: list[list[str]] = []
    for parts in parted:
        levels += [[] for _ in range(len(parts) - len(levels))]
        for level, folder in zip(levels, parts, strict=False):
            level.append(folder)
    return levels


def _come_again(parted: Iterable[Folders], level: int) -> bool:
    """Whether most names of a level stand below several folders, as those of classes in each street do."""
    above: dict[str, set[Folders]] = {}
    for parts in parted:
        if len(parts) > level:
            above.setdefault(parts[level], set()).add(tuple(parts[:level]))
    return 2 * sum(len(folders) > 1 for folders in above.values()) > len(above)
