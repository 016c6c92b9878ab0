"""Labels in names of files, as in `cat.12.jpg`, or in a file beside each image: commands that list them."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.storage.uris import is_remote

_MOST: Final = 1_000  # names that are looked at
_LABEL: Final = re.compile(r"([A-Za-z]+)[^/]*[0-9][^/]*")
_CLASS_FILE: Final = ".cls"  # as WebDataset has them


class LabelsInNames:
    """The first names of a folder without folders of labels."""

    def __init__(self) -> None:
        self._labels: Counter[str] = Counter()
        self._endings: Counter[str] = Counter()
        self._looked_at = 0
        self._has_class_files = False

    def add(self, path: str) -> None:
        """Looks at the name of an image."""
        if self._looked_at < _MOST:
            self._looked_at += 1
            name = path.rpartition("/")[2]
            match = _LABEL.fullmatch(name)
            self._labels[match[1] if match else ""] += 1
            self._endings[os.path.splitext(name)[1]] += 1

    def add_beside(self, path: str) -> None:
        """Looks at the name of a file that is no image."""
        self._has_class_files = self._has_class_files or path.endswith(_CLASS_FILE)

    def hint(self, root: str) -> str:
        """A command that writes the list of a folder; empty when names tell no labels."""
        if is_remote(root) or not self._endings:
            return ""
        ((ending, _),) = self._endings.most_common(1)
        folder, target = shlex.quote(as_path(root)), shlex.quote(as_path(os.path.join(root, "list.csv")))
        if self._has_class_files:
            loop = f'for f in *{_CLASS_FILE}; do echo "${{f%{_CLASS_FILE}}}{ending},$(cat "$f")"; done'
            return f"make a list of the labels beside: (cd {folder}; echo image,label; {loop}) > {target}"
        labels = [label for label in self._labels if label]
        if len(labels) < 2 or 2 * len(labels) > self._looked_at:
            return ""
        shown = ", ".join(sorted(labels)[:3]) + (", …" if len(labels) > 3 else "")
        pattern = "s#^[.]/((.*/)?([A-Za-z]+)[^/]*[0-9][^/]*)$#\\1,\\3#p"
        find = f"find . -name '*{ending}' | sort | sed -nE '{pattern}'"
        command = f"(cd {folder}; echo image,label; {find}) > {target}"
        return f"where names begin with the label ({shown}), make a list: {command}"
