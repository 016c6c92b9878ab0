"""CSV files with boxes or else, one for each image and called like it, as those of ACFR's fruit are."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.unit import size_of_file
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, say_nothing, split_in
from tfrecordcli.sources.folders.files_of_images import FilesOfImages, files_and_images, lines_of
from tfrecordcli.sources.folders.forms_of_tables import (
    TableForm,
    form_with_header,
    form_without_header,
    may_tell_boxes,
    rows_of,
)
from tfrecordcli.sources.folders.tree import Tree, image_of_file, is_image_name, joined
from tfrecordcli.sources.image_paths import EXTENSIONS
from tfrecordcli.sources.made_list import made_of_folder
from tfrecordcli.storage.uris import is_remote

_ENDINGS: Final = (".csv", ".tsv")
_PATTERN: Final = "*.[ct]sv"
_SOME: Final = 2  # tables of a folder, or classes, at least
_READ: Final = 20  # tables of a folder that are looked into
_SHOWN: Final = 3  # kinds of tables of the same images
_LEVELS: Final = 2  # above a table, at which another folder may hold its image
_KNOWN: Final = 1_000
# Names of the column of images, of which the first free one counts.
_IMAGE: Final = ("image", "image_path", "image_file")
# Images that have no table are rows without a box where fewer are so than have one.
_CODE: Final = (
    "import csv, pathlib, re, sys; r = pathlib.Path(sys.argv[1]).resolve(); w = csv.writer(sys.stdout); "
    "u = set(); w.writerow(%s); %sw.writerows([i.relative_to(r).as_posix(), *b%s] "
    "for %s for k in [[q for f in m for e in %s for q in [r / f / (p.stem + e)] if q.is_file()]] "
    'if k for i in [k[0] if len(k) == 1 else sys.exit(f"{p}: {len(k)} images are called so")] '
    'if (i not in u or sys.exit(f"{p}: a further table of {i}")) and not u.add(i) '
    "for t in [[[c.strip() for c in v] for v in csv.reader(open(p, "
    'encoding="utf-8-sig", newline=""), delimiter=%s, skipinitialspace=True) if any(v)]] '
    '%sfor b in %s or [[""] * %d] if len(b) == %d or sys.exit(f"{p}: fields of a row: {b}")); '
    "n = [i for f in sorted({i.parent for i in u}) for i in sorted(f.iterdir()) "
    "if i.suffix in %s and i not in u]; "
    'w.writerows([i.relative_to(r).as_posix(), *[""] * %d%s] for i in n * (len(n) < len(u)))'
)
_OF_HEADER: Final = 'if t[:1] in ([], [%s]) or sys.exit(f"{p}: other columns: {t[0]}") '

Pairs = Mapping[str, Sequence[str]]  # the folders of images by those of their tables


class BoxesInTables:
    """The tables and images of one listing, the first ones of each folder.

    Args:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._tables = FilesOfImages(_ENDINGS, head)
        self.add_image = self._tables.add_image
        self.add = self._tables.add

    def need_none(self, root: str, classes: Collection[str] = ()) -> Iterator[str]:
        """Refuses a folder with tables of boxes; beside several classes they are a doubt, which is yielded.

        Args:
          root: the folder.
          classes: names of its folders of labels.

        Raises:
          InputError: naming a file, with the command that makes one list of all.
        """
        pairs, forms = self._found(root)
        boxes = {folder: form for folder, form in forms.items() if form.what}
        if not boxes:
            return
        told = f"{root}: {self._told(boxes)}"
        insist = "--task classification takes the folders as they are"
        hint = f"{self._ways(root, {folder: pairs[folder] for folder in boxes}, boxes)}; {insist}"
        if len(classes) < _SOME or say_nothing(classes):
            raise InputError(f"{told}, and none of these is the list of all", hint)
        yield f"{told}; these are passed over: {hint}"

    def holds(self, path: str) -> bool:
        """Whether a file is the table of one image beside those of others, and no list of all."""
        folder, _, name = path.rpartition("/")
        return name in self._tables.by_folder.get(folder, ()) and bool(self._images_of(folder, name))

    def joining(self, root: str) -> str:
        """That there is a table for each image, with the command that makes one list; empty: there is none.

        Args:
          root: the folder.
        """
        pairs, forms = self._found(root)
        return f"{self._told(forms)}: {self._ways(root, pairs, forms)}" if forms else ""

    def _images_of(self, folder: str, name: str = "") -> list[str]:
        """The folders with the images that nearly all tables in a folder are called like, and one is."""
        images = self._tables.images_of(folder) if len(self._tables.by_folder[folder]) >= _SOME else []
        return images if not name or self._tables.is_of_image(name, images) else []

    def _found(self, root: str) -> tuple[dict[str, list[str]], dict[str, TableForm]]:
        """The folders of images by those of their tables, and the forms of these."""
        pairs = {
            folder: found for folder in sorted(self._tables.by_folder) if (found := self._images_of(folder))
        }
        read = {folder: self._form(root, folder, images) for folder, images in pairs.items()}
        forms = {folder: form for folder, form in read.items() if form}
        return {folder: pairs[folder] for folder in forms}, forms

    def _form(self, root: str, folder: str, images: Sequence[str]) -> TableForm | None:
        """The form of the tables in a folder; None: they have none, or most images have no table.

        Args:
          images: the folders with the images.
        """
        names = sorted(self._tables.by_folder[folder])[:_READ]
        tables = {name: rows_of(self._head(joined(folder, name), HEAD_BYTES)) for name in names}
        filled = {name: rows for name, rows in tables.items() if rows}
        if form := form_with_header([*filled.values()]):
            return form if form.what or self._are_of_most(folder, images) else None
        if is_remote(root) or not self._are_of_most(folder, images):
            return None
        return form_without_header([(rows, self._size(root, images, name)) for name, rows in filled.items()])

    def _are_of_most(self, folder: str, images: Sequence[str]) -> bool:
        have, among = self._tables.share_of(folder, images)
        return 2 * have > among

    def _size(self, root: str, images: Sequence[str], name: str) -> tuple[int, int] | None:
        """Width and height of the image of a table."""
        stem = image_of_file(name)
        paths = (joined(folder, stem + ending) for folder in images for ending in self._tables.endings)
        here = (path for path in paths if os.path.isfile(os.path.join(root, path)))
        return next((size_of_file(path, root) for path in here), None)

    def _told(self, forms: Mapping[str, TableForm]) -> str:
        """That there are such tables, naming one."""
        folder = min(forms)
        path = joined(folder, min(self._tables.by_folder[folder]))
        kind = os.path.splitext(path)[1][1:].upper()
        what = f", with {forms[folder].what}" if forms[folder].what else ""
        return f"each image has a {kind} of its own, called like it{what} ({path})"

    def _ways(self, root: str, pairs: Pairs, forms: Mapping[str, TableForm]) -> str:
        """The command that joins all tables, or those for each of several folders that do not go together."""
        lists = [each for images in pairs.values() for each in images]
        if len({*lists}) < len(lists):
            kinds = [*_by_kind(pairs)]
            each = "; or ".join(
                f"of those in {min(some)}: {self._joining(root, forms[min(some)], some)}"
                for some in kinds[:_SHOWN]
            )
            likewise = f"; or likewise of those in {', '.join(map(min, kinds[_SHOWN:]))}"
            return f"images have several, so choose one: {each}{likewise * (len(kinds) > _SHOWN)}"
        if all(form == forms[min(forms)] for form in forms.values()):
            return self._joining(root, forms[min(forms)], pairs)
        above = [os.path.commonpath([f"/{each}" for each in (folder, *pairs[folder])]) for folder in pairs]
        commands = [command_line(["tfrec", "convert", as_path(joined(root, each[1:]))]) for each in above]
        return f"their columns differ, so convert each folder by itself: {', '.join(dict.fromkeys(commands))}"

    def _first_line(self, folder: str) -> str:
        heads = (
            self._head(joined(folder, name), HEAD_BYTES) for name in sorted(self._tables.by_folder[folder])
        )
        return next(lines[0] for head in heads if (lines := lines_of(head)))

    def _joining(self, root: str, form: TableForm, pairs: Pairs) -> str:
        """The command that joins all tables, with the names of their images."""
        split_of = self._tables.split_of_images(pairs)
        image = next(name for name in _IMAGE if name not in form.columns)
        split = ", z(i.relative_to(r))" * bool(split_of)
        count = len(form.columns)
        code = _CODE % (
            json.dumps([image, *form.columns, *["split"] * bool(split_of)], ensure_ascii=False),
            split_of,
            split,
            files_and_images(pairs, _PATTERN),
            json.dumps(sorted(self._tables.endings)),
            json.dumps(detect_delimiter(self._first_line(min(pairs)))),
            _OF_HEADER % json.dumps([*form.header], ensure_ascii=False) if form.header else "",
            form.rows,
            count,
            count,
            json.dumps(sorted(self._tables.endings - {""})),
            count,
            split,
        )
        hint = made_of_folder((form.what and "boxes") or "rows", code, root)
        shares = [self._tables.share_of(folder, images) for folder, images in pairs.items()]
        are_some_without = any(have < among < 2 * have for have, among in shares)
        without = " (images without a table get a row that is empty but for them)" * are_some_without
        return (
            f"{hint}{form.told}{without}"
            if hint
            else "write one list with each image and what its table holds"
        )


def _by_kind(pairs: Pairs) -> Iterable[Pairs]:
    """Folders of tables, those together whose paths differ in nothing but the split."""
    kinds: dict[tuple[str, ...], dict[str, Sequence[str]]] = {}
    for folder, images in pairs.items():
        kind = tuple(name for name in folder.split("/") if not split_in(name))
        kinds.setdefault(kind, {})[folder] = images
    return kinds.values()


def need_no_tables_in(folders: Iterable[str], skip: str = "", exclude: Iterable[str] = ()) -> None:
    """Refuses folders with tables of boxes, one for each image, wherever these are in them.

    Args:
      skip: a folder that is left out (an output directory inside the source).
      exclude: patterns of what is to be skipped.

    Raises:
      InputError: as `BoxesInTables.need_none`.
    """
    for root in folders:
        tree = Tree(root, skip, exclude, _KNOWN)
        tables = BoxesInTables(tree.head)
        for folder, entries in tree.walk():
            for name in entries.files:
                add = tables.add_image if is_image_name(name) else tables.add
                add(joined(folder, name))
        next(tables.need_none(root), None)


def need_no_table_of_an_image(head: bytes, name: str, options: ReadOptions) -> None:
    """Refuses a table of boxes without images that is called like an image, if others beside it are, too.

    Args:
      head: its first bytes.
      name: of the file.
      options: how it is read.

    Raises:
      InputError: as `BoxesInTables.need_none`, of the folder that holds tables and images.
    """
    is_asked = options.columns or options.task in ("classification", "tabular")
    if is_asked or not name.endswith(_ENDINGS) or not os.path.isfile(name) or not may_tell_boxes(head):
        return
    folder, base = os.path.split(os.path.abspath(name))
    below = ""
    for _ in range(_LEVELS):
        root, own = os.path.split(folder)
        stem = glob.escape(os.path.splitext(base)[0])
        paths = (os.path.join(glob.escape(root), "*", each, stem) for each in {"", below})
        if any(glob.glob(path + ending) for path in paths for ending in EXTENSIONS):
            near = os.path.relpath(root) if not os.path.isabs(name) else root
            need_no_tables_in([near], exclude=options.exclude)
        folder, below = root, os.path.join(own, below)
