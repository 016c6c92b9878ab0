"""The splits of a Pascal VOC dataset: files in ImageSets, mostly in Main, that name the images of each."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES
from tfrecordcli.sources.folders.image_folders import IMAGES, is_of_annotations
from tfrecordcli.sources.folders.json_splits import may_name_splits, names_by_split, texts_of
from tfrecordcli.sources.folders.lists_of_splits import split_in_name, without_split
from tfrecordcli.sources.folders.tree import Tree, child, joined
from tfrecordcli.split_words import TRAIN, VALIDATION, parse_split
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural

_MOST_BYTES: Final = 256 << 20
_TRAINVAL: Final = "trainval"
# `stem  1` is how the files of a class say whether it is in the image.
_PRESENCE: Final = re.compile(r"\s+-?[01]$")
# `stem 2` and `stem 2 -1`: lines of people in images, in folders of these names.
_OBJECT: Final = re.compile(r"\s+[0-9]+(?:\s+-?1)?$")
_OF_OBJECTS: Final = frozenset({"layout", "action"})
# Lines of a list elsewhere that are looked for.
_LINES: Final = 20
_FILES: Final = 20  # of JSON that may be one
# What stands behind the first name in such a line, in sed and in Python.
_BEHIND: Final = ("[[:space:],;].*", r"[\s,;].*")


@dataclass(slots=True)
class ImageSets:
    """Which image belongs to which split.

    Attributes:
      files: paths of the files that were read, and the split of each; empty: the dataset has none.
      splits: stem of an image, which may have folders before it -> its split. Stems are taken out once
        their image was met.
      twice: stem -> the other split that it is in as well.
      notes: what was decided.
      of_other_task: the folder that stands for Main, such as Layout; empty: there is none.
    """

    files: dict[str, str] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    twice: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    of_other_task: str = ""

    def take(self, path: str) -> str | None:
        """The split of an image by the path of its XML file without the extension; None: it is in none.

        Raises:
          Rejected: ``bad_annotation``: it is in two.
        """
        for stem in (path, path.rpartition("/")[2]):
            split = self.splits.pop(stem, None)
            if stem in self.twice:
                detail = f"{stem} is in the sets of {split} and of {self.twice[stem]}"
                raise Rejected("bad_annotation", detail=detail)
            if split is not None:
                return split
        return None


def read_sets(tree: Tree, base: str) -> ImageSets:
    """The sets of a dataset in the folder ``base``; none when it has no files of them.

    trainval counts where train or val is missing: for the rest of its images, or for train when both are.

    Raises:
      InputError: a file that cannot be read, several folders beside Main where that has none.
    """
    found = ImageSets()
    sets = joined(base, child(tree.entries(base), "imagesets"))
    if sets == base:
        return found
    files = _files(tree, joined(sets, child(tree.entries(sets), "main"))) or _of_other_task(tree, sets, found)
    known = {word: split for word in files if (split := parse_split(word))}
    for word, split in known.items():
        _add(found, tree, files[word], split)
    if _TRAINVAL in files and not {TRAIN, VALIDATION} <= {*known.values()}:
        rest = TRAIN if VALIDATION in known.values() or TRAIN not in known.values() else VALIDATION
        _add(found, tree, files[_TRAINVAL], rest, known_too=True)
        found.notes.append(f"images that only {files[_TRAINVAL]} names are taken for {rest}")
    return found


def _files(tree: Tree, folder: str) -> dict[str, str]:
    """Word of a split, or `trainval` -> the path of the file in a folder that is called so."""
    names = {name[:-4].lower(): name for name in tree.entries(folder).files if name.endswith(".txt")}
    return {
        word: joined(folder, name) for word, name in names.items() if word == _TRAINVAL or parse_split(word)
    }


def _of_other_task(tree: Tree, sets: str, found: ImageSets) -> dict[str, str]:
    """The files of the only folder beside where Main would be that has some.

    Raises:
      InputError: several have some.
    """
    folders = {
        name: files for name in tree.entries(sets).folders if (files := _files(tree, joined(sets, name)))
    }
    if len(folders) > 1:
        others = {name: ",".join(each for each in folders if each != name) for name in folders}
        ways = [f"{command_line(['--exclude', others[name]])} takes those of {name}" for name in folders]
        raise InputError(
            f"{joined(tree.root, sets)} has files of splits in {' and '.join(folders)}, none in Main",
            f"{', '.join(ways)}, {_assigning_all(sets)}",
        )
    found.of_other_task = next(iter(folders), "")
    return next(iter(folders.values()), {})


def need_most_images(tree: Tree, base: str, sets: ImageSets, count: int, outside: int) -> None:
    """Refuses sets beside Main that leave out most images, as those of another task may.

    Args:
      base: the folder of the dataset.
      count: XML files of the dataset.
      outside: those of them that no set names.

    Raises:
      InputError: with what takes these images alone, and what takes all.
    """
    if not sets.of_other_task or 2 * outside <= count:
        return
    files = {path.rpartition("/")[2].removesuffix(".txt"): path for path in sets.files}
    command = "" if is_remote(tree.root) else f"; for these alone: {_as_main(tree, base, files)}"
    raise InputError(
        f"{tree.root}: {', '.join(sets.files)} name {count - outside:,} of {plural(count, 'XML file')}",
        f"{_assigning_all(sets.of_other_task)}{command}",
    )


def _assigning_all(folder: str) -> str:
    """The option with which a folder tells no splits."""
    return f"{command_line(['--exclude', folder.rpartition('/')[2]])} assigns all images to splits"


def _add(found: ImageSets, tree: Tree, path: str, split: str, known_too: bool = False) -> None:
    """Adds the stems of one file; with ``known_too`` those that have a split keep it."""
    found.files[path] = split
    of_objects = found.of_other_task.lower() in _OF_OBJECTS
    for stem in _stems(tree, path, _OBJECT if of_objects else _PRESENCE):
        before = found.splits.setdefault(stem, split)
        if before != split and not known_too:
            found.twice[stem] = split


def _stems(tree: Tree, path: str, behind: re.Pattern[str]) -> Iterator[str]:
    try:
        text = tree.read(path, _MOST_BYTES).decode("utf-8-sig")
    except (Rejected, UnicodeError) as problem:
        why = problem.reason if isinstance(problem, Rejected) else "it is not UTF-8"
        raise InputError(f"{joined(tree.root, path)}: {why}", "mend it, or move it away") from problem
    for line in text.splitlines():
        line = behind.sub("", line.strip().strip('"')).replace("\\", "/")
        if line and not line.startswith("#"):
            yield _stem(line).removeprefix("./")


def sets_elsewhere(tree: Tree, base: str, xml_folders: Iterable[str]) -> str:
    """The command that makes sets of files which name the images of splits of a dataset; or empty.

    They are texts in it, or in a folder right in it, called after splits: `train.txt`, `Splits/val_list.txt`;
    or JSON, which may be right in the tree as well: `splits.json`.

    Args:
      base: the folder of the dataset, which has no sets that are read.
      xml_folders: that hold its XML files.
    """
    if is_remote(tree.root):
        return ""
    folders = {above for folder in xml_folders for above in accumulate(folder.split("/"), joined)}
    others = [name for name in tree.entries(base).folders if not is_of_annotations(name)]
    for folder in (base, *(joined(base, name) for name in others if name.lower() not in IMAGES)):
        names = (name for name in tree.entries(folder).files if name.endswith(".txt") and _word_in(name))
        named = [path for name in names if _names_xml(tree, path := joined(folder, name), base, folders)]
        if found := _by_word(named):
            return _as_main(tree, base, found)
    return _of_json(tree, base, folders)


def _by_word(paths: Sequence[str]) -> dict[str, str]:
    """Texts by `trainval` or the split that they are called after, one of each; empty where they are no sets.

    Where several are of one split those count that are called most shortly, as `train.txt` beside those of
    classes, `cat_train.txt`.
    """
    alike: dict[str, list[str]] = {}
    for path in paths:
        alike.setdefault(without_split(path.replace(_TRAINVAL, TRAIN)), []).append(path)
    for some in (paths, *(alike[name] for name in sorted(alike, key=len))):
        found = {_word_in(path): path for path in some}
        if len(found) == len(some) > 1:
            return found
    return {}


def _word_in(path: str) -> str:
    """`trainval`, or the split that a text is called after; empty: neither."""
    return _TRAINVAL if _TRAINVAL in path.rpartition("/")[2].lower() else split_in_name(path)


def _of_json(tree: Tree, base: str, folders: Iterable[str]) -> str:
    """The command that makes sets of JSON whose first names are those of XML files; or empty."""
    paths = (
        joined(folder, name) for folder in dict.fromkeys((base, "")) for name in tree.entries(folder).files
    )
    for path in islice((path for path in paths if path.endswith(".json")), _FILES):
        named = names_by_split(_read_splits(tree, path)).values()
        stems = [_stem(name).rpartition("/")[2] for names in named for name in names[:_LINES]]
        if stems and _are_xml(tree, folders, stems):
            main = joined(tree.root, joined(base, "ImageSets/Main"))
            return texts_of(joined(tree.root, path), main)
    return ""


def _read_splits(tree: Tree, path: str) -> bytes:
    """JSON that may name the images of splits; nothing of other JSON, or where it cannot be read."""
    if not may_name_splits(tree.head(path, HEAD_BYTES)):
        return b""
    try:
        return tree.read(path, _MOST_BYTES)
    except Rejected:
        return b""


def _stem(name: str) -> str:
    """The name of an image or XML file without its extension."""
    return without_extension(name).removesuffix(".xml")


def _as_main(tree: Tree, base: str, files: Mapping[str, str]) -> str:
    """The command that makes files in Main, by their names without `.txt`, of lists in a local folder."""
    main = joined(tree.root, joined(base, "ImageSets/Main"))
    before = _before(tree, base)
    code = shlex.quote(f"s#{before}##; s#{_BEHIND[0]}##")
    made = (
        f"sed -E {code} {shlex.quote(as_path(joined(tree.root, path)))} "
        f"> {shlex.quote(as_path(f'{main}/{name}.txt'))}"
        for name, path in files.items()
    )
    return f"mkdir -p {shlex.quote(as_path(main))}; {'; '.join(made)}"


def _before(tree: Tree, base: str) -> str:
    """A pattern of what paths of images or XML files have before the part that both have: `./JPEGImages/`."""
    folders = tree.entries(base).folders
    names = [name for name in folders if name.lower() in IMAGES or is_of_annotations(name)]
    return f"^((.*/)?({'|'.join(map(re.escape, names))})|[.])/" if names else "^[.]/"


def _names_xml(tree: Tree, path: str, base: str, folders: Iterable[str]) -> bool:
    """Whether the first lines of a text all name XML files that are there."""
    lines = tree.head(path, HEAD_BYTES).decode("utf-8", "replace").splitlines()[:_LINES]
    names = [re.sub(_BEHIND[1], "", re.sub(_before(tree, base), "", line)) for line in lines]
    stems = [*map(_stem, names)]
    return bool(stems) and _are_xml(tree, folders, stems)


def _are_xml(tree: Tree, folders: Iterable[str], stems: Iterable[str]) -> bool:
    """Whether there is an XML file for each name."""
    return all(any(tree.is_file(joined(folder, f"{stem}.xml")) for folder in folders) for stem in stems)
