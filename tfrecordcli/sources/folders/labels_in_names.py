"""Labels in names of files, as in `cat.12.jpg`, or in files beside images: commands that list them."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.folders.json_beside import json_hint, list_hint, shows_content, stands_beside
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote

_MOST: Final = 1_000  # names that are looked at
_LABEL: Final = re.compile(r"([A-Za-z]+)[^/]*[0-9][^/]*")
# Parts as WebDataset and img2dataset number them.
_PART: Final = re.compile(r"(?:shard|part|chunk|batch)[-_]?[0-9]+|[0-9]{4,}", re.IGNORECASE | re.ASCII)
_CLASS_FILE: Final = ".cls"  # as WebDataset has them
# Age, gender and race of faces, and when the photo was taken, as UTKFace has them.
_UTK_FACE: Final = re.compile(r"[0-9]{1,3}_[01]_[0-4]_[0-9]{17}\..+")
_UTK_PATTERN: Final = r"s#^[.]/((.*/)?([0-9]+)_([01])_([0-4])_[0-9]+[.][^/]*)$#\1,\3,\4,\5#p"


class LabelsInNames:
    """The first names of a folder without folders of labels."""

    def __init__(self) -> None:
        self._labels: Counter[str] = Counter()
        self._endings: Counter[str] = Counter()
        self._looked_at = 0
        self._has_class_files = False
        self._faces = 0
        self._json = ""

    def add(self, path: str) -> None:
        """Looks at the name of an image."""
        name = path.rpartition("/")[2]
        self._endings[os.path.splitext(name)[1]] += 1
        if self._looked_at < _MOST:
            self._looked_at += 1
            match = _LABEL.fullmatch(name)
            self._labels[match[1] if match else ""] += 1
            self._faces += _UTK_FACE.fullmatch(name) is not None

    def add_beside(self, path: str) -> None:
        """Looks at the name of a file that is no image."""
        self._has_class_files = self._has_class_files or path.endswith(_CLASS_FILE)
        self._json = self._json or (path if path.endswith(".json") else "")

    def hint(self, root: str) -> str:
        """A command that writes the list of a folder; empty when names tell no labels."""
        if is_remote(root) or not self._endings:
            return ""
        ((ending, _),) = self._endings.most_common(1)
        folder, target = shlex.quote(as_path(root)), shlex.quote(as_path(os.path.join(root, "list.csv")))
        if self._has_class_files:
            endings = " ".join(map(shlex.quote, sorted(self._endings)))
            loop = (
                f"find . -name '*{_CLASS_FILE}' | sed 's#^[.]/##' | sort | while read -r f; do "
                f'for e in {endings}; do i="${{f%{_CLASS_FILE}}}$e"; '
                '[ ! -f "$i" ] || echo "$i,$(cat "$f")"; done; done'
            )
            return f"make a list of the labels beside: (cd {folder}; echo image,label; {loop}) > {target}"
        if self._json and stands_beside(root, self._json, ending):
            return json_hint(root, self._json, ending)
        if self.are_faces:
            rows = f"find . -name '*{ending}' | sort | sed -nE '{_UTK_PATTERN}'"
            command = f"(cd {folder}; echo image,age,gender,race; {rows}) > {target}"
            return (
                "names begin with age, gender and race, as those of UTKFace: make a list of them: "
                f"{command}; then: tfrec convert {target} OUTPUT_DIR --columns label=age --task regression"
            )
        labels = [label for label in self._labels if label and parse_split(label) is None]
        if len(labels) < 2 or 2 * len(labels) > self._looked_at:
            return list_hint(root, self._json) if self._json else ""
        shown = ", ".join(sorted(labels)[:3]) + (", …" if len(labels) > 3 else "")
        pattern = "s#^[.]/((.*/)?([A-Za-z]+)[^/]*[0-9][^/]*)$#\\1,\\3#p"
        find = f"find . -name '*{ending}' | sort | sed -nE '{pattern}'"
        command = f"(cd {folder}; echo image,label; {find}) > {target}"
        return f"where names begin with the label ({shown}), make a list: {command}"

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
        if self._has_class_files or is_remote(root) or not self._json:
            return self._has_class_files
        is_beside = any(stands_beside(root, self._json, ending) for ending in self._endings)
        return is_beside and shows_content(root, self._json)

    @property
    def are_faces(self) -> bool:
        """Whether all names are those of UTKFace."""
        return 0 < self._looked_at == self._faces
