"""Labels in names of files, as in `cat.12.jpg`, or in files beside images: commands that list them."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import say_nothing, sources_of_splits
from tfrecordcli.sources.folders.frame_folders import are_sequences, frames_hint
from tfrecordcli.sources.folders.json_behind_names import json_behind_names_hint
from tfrecordcli.sources.folders.json_beside import (
    described,
    folder_of_image,
    json_hint,
    list_hint,
    may_name_images,
    shows_content,
)
from tfrecordcli.sources.folders.lists_beside import ListsBeside
from tfrecordcli.sources.folders.mask_folders import is_certain
from tfrecordcli.sources.folders.splits_in_names import label_before_split, list_command
from tfrecordcli.sources.foreign.google_photos import is_called_about_photo
from tfrecordcli.sources.machine_ids import id_at
from tfrecordcli.sources.parts_of_names import parts_of_names
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_MOST: Final = 1_000  # names that are looked at
# Of UTKFace's 23,708 names three tell no race.
_NEARLY_ALL: Final = 0.95
_FEW: Final = 0.05
# Folders of JSON, and files of each, that are looked at.
_MOST_FOLDERS: Final = 16
_MOST_BESIDE: Final = 5
# The first word before a number, and all of them: `blowing` and `blowing_bubbles` of blowing_bubbles_001.jpg.
_WORD: Final = "[A-Za-z]+"
_WORDS: Final = "[A-Za-z]+([ _-][A-Za-z]+)*"
_LABEL: Final = re.compile(f"(({_WORD})(?:[ _-][A-Za-z]+)*)[^/]*[0-9][^/]*")
# The first word, and the letters that begin the next part: `KA.AN1.39` of JAFFE is a person and a face.
_SECOND: Final = r"[A-Za-z]+[0-9]*[._ -]([A-Za-z]+)"
_PARTED: Final = re.compile(r"([A-Za-z]+)[0-9]*[._ -]([A-Za-z]+)(?![ _-]?[A-Za-z])[^/]*[0-9][^/]*")
# Parts as WebDataset and img2dataset number them.
_PART: Final = re.compile(r"(?:shard|part|chunk|batch)[-_]?[0-9]+|[0-9]{4,}", re.IGNORECASE | re.ASCII)
_CLASS_FILE: Final = ".cls"  # as WebDataset has them
# Age, gender and race of faces, and when the photo was taken, as UTKFace has them.
_UTK_FACE: Final = re.compile(r"[0-9]{1,3}_[01]_[0-4]_[0-9]{17}\..+")
# The numbers of a person and of a camera, as Market-1501 and DukeMTMC have them; -1 is nobody.
_PERSON: Final = re.compile(r"(?:-1|[0-9]{4})_c[0-9].*")
_PERSON_PATTERN: Final = r"s#^[.]/((.*/)?([0-9]{4})_c([0-9])[^/]*)$#\1,\3,\4#p"
_UTK_PATTERN: Final = r"s#^[.]/((.*/)?([0-9]+)_([01])_([0-4])_[0-9]+[.][^/]*)$#\1,\3,\4,\5#p"

_WRITE_LIST: Final = "write a list with the label and the split of each image"


class LabelsInNames:
    """The first names of a folder without folders of labels.

    Args:
      exclude: patterns of what is passed over.
    """

    def __init__(self, exclude: Collection[str]) -> None:
        self._exclude = exclude
        self._labels: Counter[tuple[str, str]] = Counter()  # the first word and all of them
        self._endings: set[str] = set()
        self._looked_at = 0
        self._ids = self._ids_behind = 0  # names that begin with such, or whose words end in one
        self._first: list[str] = []  # names
        self._masks: set[str] = set()  # names of folders with masks
        self._has_class_files = False
        self._faces = self._people = 0
        self._folders: dict[str, None] = {}  # of the images
        self._json: dict[str, list[str]] = {}  # the first files by name in each folder

    def add(self, path: str) -> None:
        """Looks at the name of an image, which is no mask of others by its folder."""
        folder, _, name = path.rpartition("/")
        if is_certain(above := folder.rpartition("/")[2]):
            self._masks.add(above)
            return
        self._endings.add(os.path.splitext(name)[1])
        if self._looked_at < _MOST:
            self._looked_at += 1
            self._first.append(name)
            self._folders[folder] = None
            match = _LABEL.fullmatch(name)
            self._labels[(match[2], match[1]) if match else ("", "")] += 1
            self._ids += id_at(name)
            self._ids_behind += match is not None and id_at(name, max(map(match[1].rfind, " _-")) + 1)
            self._faces += _UTK_FACE.fullmatch(name) is not None
            self._people += _PERSON.fullmatch(name) is not None

    def add_beside(self, path: str) -> None:
        """Looks at the name of a file that is no image."""
        self._has_class_files = self._has_class_files or path.endswith(_CLASS_FILE)
        folder = path.rpartition("/")[0]
        is_json = path.endswith(".json") and not is_called_about_photo(path)
        if is_json and (folder in self._json or len(self._json) < _MOST_FOLDERS):
            self._json[folder] = sorted([*self._json.get(folder, ()), path])[:_MOST_BESIDE]

    def hint(self, root: str) -> str:
        """A command that writes the list of a folder; empty when names tell no labels."""
        if is_remote(root) or not self._endings:
            return ""
        if self._has_class_files:
            return f"make a list of the labels beside: {self._list(root, 'image,label', self._beside())}"
        if self._beside_image(root):
            return self.hint_of_json(root)
        if behind := json_behind_names_hint(root, chain.from_iterable(self._json.values()), self._endings):
            return behind
        if self.are_faces:
            rows = self._by_pattern(_UTK_PATTERN)
            made = self._list(root, "image,age,gender,race", rows, "--columns label=age --task regression")
            left_out = ", without the few that tell not all of it" * (self._faces < self._looked_at)
            return (
                "names begin with age, gender and race, as those of UTKFace: make a list of them"
                f"{left_out}: {made}"
            )
        if self.are_people:
            rows = self._by_pattern(_PERSON_PATTERN)
            return (
                "names begin with the number of a person, as those of Market-1501: make a list of them, "
                "without -1, which is nobody: "
                f"{self._list(root, 'image,label,camera', rows, '--label-type name')}"
            )
        if named := label_before_split(self._first):
            made = self._list(root, "image,label,split", self._by_pattern(named.pattern))
            return (
                f"where names are the label before the word of the split ({named.shown}), make a list: {made}"
            )
        if ways := self._by_words(root):
            return ways
        first = next((paths[0] for paths in self._json.values()), "")
        found = [list_hint(root, first) if first else "", self._hint_of_parts(root)]
        is_of_others = bool(first) and not may_name_images(root, first)
        return "; ".join(filter(None, reversed(found) if is_of_others else found))

    def _by_words(self, root: str) -> str:
        """The commands for the words that names begin with: all of them, and the first; empty for none.

        Of those that differ in none but the first, as of names with a split there, all are no labels.
        """
        if self._ids > _FEW * self._looked_at:
            return ""
        firsts, wholes = Counter[str](), Counter[str]()
        for (first, whole), count in self._labels.items():
            if first and parse_split(first) is None:
                firsts[first] += count
                wholes[whole] += count
        are_in_splits = any(first not in firsts for first, _ in self._labels if first)
        are_cut = self._ids_behind > _FEW * self._looked_at
        ways = {_WORDS: wholes} if wholes.keys() != firsts.keys() and not (are_in_splits or are_cut) else {}
        told: list[str] = []
        for pattern, labels in {**ways, _WORD: firsts}.items():
            if self._may_be_labels(labels):
                shown = ", ".join(sorted(labels)[:3]) + (", …" if len(labels) > 3 else "")
                rows = self._by_pattern(f"s#^[.]/((.*/)?({pattern})[^/]*[0-9][^/]*)$#\\1,\\3#p")
                what = "their first word is" if told else "names begin with the label"
                listed = self._list(root, "image,label", rows)
                told.append(f"where {what} ({shown}), make a list{self._left_out}: {listed}")
        if told and (seconds := self._second_words()):
            shown = ", ".join(seconds[:3]) + ", …" * (len(seconds) > 3)
            rows = self._by_pattern(f"s#^[.]/((.*/)?{_SECOND}[^/]*)$#\\1,\\3#p")
            told.append(f"where the next part is ({shown}): {self._list(root, 'image,label', rows)}")
        return "; ".join(told)

    def _may_be_labels(self, labels: Counter[str]) -> bool:
        """Whether labels come again, nearly all of them, and half of the names have one."""
        are_most = 2 * labels.total() >= self._looked_at
        once = sum(count == 1 for count in labels.values())
        return len(labels) > 1 and are_most and 2 * len(labels) <= self._looked_at and 4 * once <= len(labels)

    @property
    def _left_out(self) -> str:
        """The images that such a list leaves out."""
        names = [name for name in self._first if not _LABEL.fullmatch(name)]
        known = f"{'the first ' * (self._looked_at == _MOST)}{self._looked_at:,}"
        return f", without {len(names):,} of {known} ({some_of(names, 3)})" if names else ""

    def _second_words(self) -> list[str]:
        """What the second parts of names begin with, where these come again behind other first words."""
        found = [*filter(None, map(_PARTED.fullmatch, self._first))]
        behind: dict[str, set[str]] = {}
        for match in found:
            behind.setdefault(match[2], set()).add(match[1])
        is_part = len(found) == self._looked_at and 1 < len(behind) <= self._looked_at // 2
        return sorted(behind) if is_part and all(len(firsts) > 1 for firsts in behind.values()) else []

    def _hint_of_parts(self, root: str) -> str:
        parts = parts_of_names(self._first)
        if parts is None:
            return ""
        rows = f"{self._by_pattern('s#^[.]/##p')} | {parts.command}"
        return (
            f"where parts of names are the label ({parts.what}), make a list: "
            f"{self._list(root, parts.header, rows, parts.way)}"
        )

    def hint_of_splits(
        self,
        root: str,
        base: str,
        alike: Mapping[str, Collection[str]],
        folders: Collection[str],
        places: Collection[str],
    ) -> str:
        """What to do with class folders of which some differ in the word of a split only.

        Args:
          root: the source.
          base: where the folders are in it.
          alike: what such folders have in common, and their names.
          folders: all of them.
          places: where these are in the source.
        """
        if is_remote(root):
            return _WRITE_LIST
        if are_sequences(folders):
            return frames_hint(root, sorted(places), self._endings, self._exclude)
        are_silent = say_nothing(alike)
        listed = f"make a list of them: {list_command(root, folders, self._endings, self._exclude)}"
        if len(alike) > 1 and not are_silent:
            return listed
        above = os.path.join(root, base)
        names = [name for some in alike.values() for name in some] if are_silent else [*folders]
        are_there = all(os.path.isdir(os.path.join(above, name)) for name in names)
        splits = sources_of_splits(above, names) if are_there else ""
        as_splits = f"{splits} --unlabelled keep takes them for splits without labels" if splits else ""
        hint = "; ".join(filter(None, (self.hint(root), as_splits)))
        return hint or (_WRITE_LIST if are_silent else listed)

    def _list(self, root: str, header: str, rows: str, options: str = "") -> str:
        """The command that writes a list in a folder, by one that writes its rows in there, and what is next.

        Args:
          options: that the list is converted with.
        """
        command = f"(cd {shlex.quote(as_path(root))}; echo {header}; {rows}) > {_target(root)}"
        return f"{command}; then: tfrec convert {_target(root)} OUTPUT_DIR{options and f' {options}'}"

    def _by_pattern(self, pattern: str) -> str:
        names = " -o ".join(f"-name {shlex.quote(f'*{ending}')}" for ending in sorted(self._endings))
        which = f"\\( {names} \\)" if len(self._endings) > 1 else names
        return f"{self._find()} {which} | sort | sed -nE '{pattern}'"

    def _find(self) -> str:
        """The command that finds what a listing would: nothing hidden or excluded, and no masks."""
        words = ["find", ".", "-not", "-path", "*/.*"]
        for pattern in (each.strip("/") for each in [*self._exclude, *sorted(self._masks)]):
            for inner in (pattern, f"{pattern}/*"):
                words += ["-not", "-path", f"./{inner}" if "/" in pattern else f"*/{inner}"]
        return command_line(words)

    def _beside(self) -> str:
        endings = " ".join(map(shlex.quote, sorted(self._endings)))
        return (
            f"{self._find()} -name '*{_CLASS_FILE}' | sed 's#^[.]/##' | sort | while read -r f; do "
            f'for e in {endings}; do i="${{f%{_CLASS_FILE}}}$e"; '
            '[ ! -f "$i" ] || echo "$i,$(cat "$f")"; done; done'
        )

    def hint_of_json(self, root: str) -> str:
        """What to do with JSON files that are called like images; empty where there are none."""
        beside = self._beside_image(root)
        return json_hint(root, *beside, sorted(self._endings)) if beside else ""

    def json_beside(self, root: str) -> str:
        """A JSON file that is called like an image, and its keys; empty where there is none."""
        beside = self._beside_image(root)
        return described(root, beside[0]) if beside else ""

    def need_no_json_apart(self, root: str, insist: str) -> None:
        """Refuses one class whose images are described by JSON files in a folder of their own.

        Args:
          insist: what reads the folder as it is.

        Raises:
          InputError: naming such a file.
        """
        path, folder = self._beside_image(root) or ("", "")
        hint = self.hint_of_json(root) if path.rpartition("/")[0] != folder else ""
        if hint:
            convert = command_line(["tfrec", "convert", as_path(os.path.join(root, folder))])
            raise InputError(
                f"{root}: its only folder of images is described by JSON files, one an image ({path}), so "
                "that it is not certain what is a label",
                f"{hint}; {convert} OUTPUT_DIR --unlabelled keep takes the images without a label; {insist}",
            )

    def _beside_image(self, root: str) -> tuple[str, str] | None:
        """A JSON file that is called like an image, and the folder of that; None: there is none."""
        if is_remote(root):
            return None
        endings = sorted(self._endings)
        paths = (path for some in self._json.values() for path in some)
        found = ((path, folder_of_image(root, path, self._folders, endings)) for path in paths)
        return next(((path, folder) for path, folder in found if folder is not None), None)

    def are_beside(self, root: str, folders: Iterable[str]) -> bool:
        """Whether files beside the images tell what they show, and folders are numbered parts of the whole.

        Args:
          root: the folder that the names are of.
          folders: names of those that hold the images.
        """
        names = list(folders)
        # Numbers without leading zeros may be ids of classes.
        if not all(map(_PART.fullmatch, names)) or all(name[0] in "123456789" for name in names):
            return False
        beside = None if self._has_class_files else self._beside_image(root)
        return self._has_class_files or (beside is not None and shows_content(root, beside[0]))

    @property
    def are_faces(self) -> bool:
        """Whether nearly all names are those of UTKFace."""
        return self._looked_at > 0 and self._faces >= _NEARLY_ALL * self._looked_at

    @property
    def are_people(self) -> bool:
        """Whether all names are those of Market-1501."""
        return 0 < self._looked_at == self._people


def where_labels_are(root: str, lists: ListsBeside, names: LabelsInNames, count: int, listed: str) -> str:
    """What may tell the labels of images in folders that do not, with its command; or empty.

    Args:
      count: of the images.
      listed: the commands for a list whose labels are the images' own names; empty for none.
    """
    return (
        (lists.first_table() and lists.asked(root))
        or lists.lines_asked(root)
        or names.hint_of_json(root)
        or lists.asked(root, count)
        or lists.by_names_asked(root, count)
        or listed
        or names.hint(root)
    )


def _target(root: str) -> str:
    return shlex.quote(as_path(os.path.join(root, "list.csv")))
