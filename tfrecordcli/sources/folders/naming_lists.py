"""Which of some files are lists of the images in folders, and say more of these than the folders do."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, is_coco
from tfrecordcli.sources.folders.held_out_lists import told_of_held_out
from tfrecordcli.sources.folders.lists_of_splits import (
    by_split,
    converting_lists,
    is_table,
    names_one,
    split_in_name,
)
from tfrecordcli.sources.folders.named_images import NamedImages
from tfrecordcli.sources.folders.rows_of_heads import rows_of_head
from tfrecordcli.sources.folders.texts_of_images import is_prose
from tfrecordcli.sources.folders.what_lists_tell import told_beyond_folders, told_by_strings
from tfrecordcli.sources.foreign.json_lists import need_no_foreign_json, need_no_json_of_tools
from tfrecordcli.sources.made_list import made_path, then_converted
from tfrecordcli.sources.proposals.missing_images import has_image
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_Head = Callable[[str, int], bytes]

_READ: Final = 1 << 16  # bytes of a list
_READ_OF_COCO: Final = 1 << 24
_NAMED: Final = 5  # lists
_SHOWN: Final = 3  # columns of each
_ROWS: Final = 20  # whose images are looked for


class NamingLists:
    """Files that may be such lists, likeliest first.

    Args:
      root: the folder that their paths are relative to.
      base: the folder below it that holds those of images, to which paths in lists may be relative.
      paths: of the files.
      head: gives so many first bytes of a file.
    """

    def __init__(self, root: str, base: str, paths: Iterable[str], head: _Head) -> None:
        self._root = root
        self._base = base
        self._paths = [*paths]
        self._head = head

    def told(self, images: NamedImages, classes: int, *, has_splits: bool) -> str:
        """Which of them are lists of some images, what they tell, and the command for them; else empty.

        Args:
          classes: how many folders of labels there are.
          has_splits: whether images have splits by their folders, so that those of lists are not asked about.
        """
        found = {path: columns for path, columns in self._naming(images, classes) if columns is not None}
        splits = _by_splits(found)
        telling = [path for path in found if found[path] or (path in splits.values() and not has_splits)]
        if not has_splits and not any(found.values()):
            read = {self._whole(path): self._head(path, _READ) for path in found}
            if with_others := told_of_held_out(self._whole(self._base), read, len(images)):
                return with_others
        if not telling:
            return ""
        lists = self._with(telling[0], splits)
        shown = [self._shown(path, found[path]) for path in telling[:_NAMED]]
        more = [f"and {len(telling) - _NAMED:,} more"] * (len(telling) > _NAMED)
        which = "the first of these" if len(lists) < min(2, len(telling)) else "these"
        return f"({', '.join([*shown, *more])}): {self._command(lists)} reads {which} instead"

    def _whole(self, path: str) -> str:
        return os.path.join(self._root, path)

    def _naming(self, images: NamedImages, classes: int) -> Iterator[tuple[str, Sequence[str] | None]]:
        """The lists, each with the columns that say more than folders do; None: it names no images."""
        for path in self._paths:
            head = self._head(path, _READ)
            header, rows = rows_of_head(path, head, _READ)
            if header and not is_prose(head):
                yield path, told_beyond_folders(header, rows, images, classes)
            elif path.endswith(".json"):
                # The images of COCO may come last.
                whole = self._head(path, _READ_OF_COCO) if is_coco(head) and b'"images"' not in head else head
                yield path, told_by_strings(whole.decode("utf-8", "replace"), images)

    def _with(self, first: str, splits: Mapping[str, str]) -> dict[str, str]:
        """A list with those of other splits, but for such as have fewer columns, without labels perhaps."""
        least = self._width(first)
        alike = {split: path for split, path in splits.items() if self._width(path) >= least}
        return alike if first in alike.values() and len(alike) > 1 else {"": first}

    def _width(self, path: str) -> int:
        return len(rows_of_head(path, self._head(path, _READ), _READ)[0])

    def _shown(self, path: str, columns: Sequence[str] | None) -> str:
        whole = self._whole(path)
        return f"{whole} with {some_of([*columns], _SHOWN)}" if columns else whole

    def _command(self, lists: Mapping[str, str]) -> str:
        """The commands that read some lists, each with its split, or none."""
        is_of_base = self._base and all(map(self._is_of_base, lists.values()))
        options = ["--image-root", os.path.join(self._root, self._base)] * bool(is_of_base)
        made = [self._making(path) for path in lists.values()]
        if not all(made):
            return converting_lists(self._root, lists.items(), *options)
        of_made = [(split, made_path(path)) for split, path in lists.items()]
        return "; ".join([*made, f"then: {converting_lists(self._root, of_made, *options)}"])

    def _is_of_base(self, path: str) -> bool:
        """Whether the paths in a list are relative to the folder of the images, and not to its own."""
        own = os.path.dirname(path)
        return not is_remote(self._root) and not self._are_in(own, path) and self._are_in(self._base, path)

    def _are_in(self, folder: str, path: str) -> bool:
        """Whether a list names an image relative to a folder, maybe without its extension."""
        head, whole = self._head(path, HEAD_BYTES), os.path.join(self._root, folder)
        header, rows = rows_of_head(path, head, HEAD_BYTES)
        fields = {field.strip() for row in (header, *rows[:_ROWS]) for field in row} - {""}
        return names_one(whole, head) or any(has_image(whole, field) for field in fields)

    def _making(self, path: str) -> str:
        """The command that makes a CSV of JSON which no reader takes; empty for another list."""
        whole, text = os.path.join(self._root, path), self._head(path, HEAD_BYTES).decode("utf-8", "ignore")
        if is_remote(self._root) or not path.endswith(".json"):
            return ""
        try:
            need_no_json_of_tools(text, whole)
            need_no_foreign_json(text, whole)
        except InputError as error:
            made = error.hint.removesuffix(then_converted(whole))
            return made if made.endswith(f"> {shlex.quote(as_path(made_path(whole)))}") else ""
        return ""


def _by_splits(paths: Iterable[str]) -> dict[str, str]:
    """Lists of one kind that are called after splits, or stand alone in folders of these."""
    some = [*paths]
    tables = [path for path in some if is_table(path)]
    texts = [path for path in some if path not in tables and split_in_name(path)]
    folders = {split_of(os.path.basename(os.path.dirname(path))): path for path in some}
    are_apart = "" not in folders and len(folders) == len(some) > 1
    return by_split(tables) or by_split(texts) or (folders if are_apart else {})
