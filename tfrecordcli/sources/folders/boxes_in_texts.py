"""Boxes in text files that are called like images, as in NWPU VHR-10: `(563,478),(630,573),1` a line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.fit import are_in_order
from tfrecordcli.sources.folders import bbgt
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, say_nothing, split_in
from tfrecordcli.sources.folders.corners_in_texts import (
    BETWEEN,
    COLUMNS,
    HEAD,
    NUMBER,
    CornersLine,
    line_of_corners,
)
from tfrecordcli.sources.folders.files_of_images import (
    MOST_FILES,
    NEARLY_ALL,
    FilesOfImages,
    files_and_images,
    lines_of,
)
from tfrecordcli.sources.folders.tree import Tree, is_image_name, joined
from tfrecordcli.sources.made_list import made_of_folder
from tfrecordcli.storage.uris import is_remote

_READ: Final = 20  # texts of a folder that are looked into
STRIPPED: Final = " \t,;()[]"  # from a line first
_CLASS: Final = r"(\d+|[^\W\d][^\s,;]*(?: [^\W\d][^\s,;]*)*)"
_FOUR: Final = [NUMBER] * 4
# With the class at the end of a line, or at its begin.
LAST: Final = BETWEEN.join([*_FOUR, _CLASS])
FIRST: Final = BETWEEN.join([_CLASS, *_FOUR])
# With two codes behind, as how much of a head is hidden: JHU-CROWD++.
_CODED: Final = BETWEEN.join([*_FOUR, r"(\d)", r"(\d)"])
_CODES: Final = ("column_5", "column_6")
_OF_BBGT: Final = FIRST + bbgt.BEHIND
_POINTS: Final = re.compile(r"\)[\s,;]*\(|\][\s,;]*\[")  # between those of a pair
_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_EXTENT: Final = ("x", "y", "w", "h")
# How many boxes there are, as BBox-Label-Tool writes it above them.
_COUNT: Final = r"\s*\d+\s*$"
# Before the names of images, as ICDAR calls texts.
_BEFORE: Final = "gt_"
_CODE: Final = (
    "import csv, pathlib, re, sys; r = pathlib.Path(sys.argv[1]).resolve(); w = csv.writer(sys.stdout); "
    f'u, n, c, s = set(), r"{NUMBER}", r"{_CLASS}", r"{BETWEEN}"; x = %s; '
    'w.writerow("image %s".split()); %sw.writerows([i.relative_to(r).as_posix(), *b%s] '
    "for %s for k in [[q for f in m for e in %s for q in [r / f / (p.stem%s + e)] if q.is_file()]] "
    'if k for i in [k[0] if len(k) == 1 else sys.exit(f"{p}: {len(k)} images are called so")] '
    'if (i not in u or sys.exit(f"{p}: a further text of {i}")) and not u.add(i) '
    'for b in [%s for l in p.read_text(encoding="utf-8-sig").splitlines() if l.strip()%s '
    f"for v in [(re.fullmatch(x, l.strip({json.dumps(STRIPPED)})) or "
    'sys.exit(f"{p}: no box: {l}")).groups()]] or [[""] * %d])'
)
_ROW_OF_CORNERS: Final = (
    "[*(g(map(float, v[k:8:2])) for k, g in ((0, min), (1, min), (0, max), (1, max))), {fields}]"
)


@dataclass(frozen=True, slots=True)
class BoxForm:
    """How lines tell boxes.

    Attributes:
      line: pattern of a line.
      columns: what its groups are.
      is_certain: whether the numbers are what the columns say, without a doubt.
      corners: how it goes on behind four corners, where it tells these.
    """

    line: str
    columns: tuple[str, ...]
    is_certain: bool
    corners: CornersLine | None = None


class BoxesInTexts:
    """The texts and images of one listing, the first ones of each folder.

    Args:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._texts = FilesOfImages(".txt", head)
        self.add_image = self._texts.add_image
        self.add = self._texts.add

    def need_none(
        self, root: str, classes: Collection[str], class_folders: Collection[str], *, are_asked: bool
    ) -> list[str]:
        """Refuses a folder with texts of boxes; where they are of the images of all classes, that is a doubt.

        Args:
          root: the folder.
          classes: names of its folders of labels.
          class_folders: with the images of those.
          are_asked: whether images have to have labels.

        Raises:
          InputError: naming a file, with the command that makes a list of the boxes.
        """
        form, pairs, lines = self._found()
        if form is None:
            return []
        first = next(filter(lines.get, lines))
        path = joined(first, min(self._texts.by_folder[first]))
        told = f"{root}: text files that are called like images hold boxes ({path}), which are passed over"
        hint = f"{self._hint(root, form, pairs)}; --task classification takes the folders as they are"
        # Also in a folder below that of the images: `cat/label`.
        are_beside = all(f"{text}/".startswith(f"{images[0]}/") for text, images in pairs.items())
        is_covered = are_beside or {*class_folders} <= {*chain.from_iterable(pairs.values())}
        are_classes = len(classes) > 1 and not say_nothing(classes) and not all(map(split_in, classes))
        if (are_asked or classes or not are_beside) and not (are_classes and is_covered):
            raise InputError(told, hint)
        return [f"{told}: {hint}"]

    def command(self, root: str) -> str:
        """A hint with the command that makes a list of the boxes in texts; empty where there are none.

        Args:
          root: the folder.
        """
        form, pairs, _ = self._found()
        return self._hint(root, form, pairs) if form is not None and not is_remote(root) else ""

    def told_beside(self, root: str, images: Iterable[str]) -> str:
        """What stands before another hint where there are boxes of these images; else empty.

        Args:
          root: the folder.
        """
        for path in images:
            self._texts.add_image(path)
        command = self.command(root)
        return f"texts called like images hold boxes: {command}; without these: " if command else ""

    def need_no_corners(self, root: str) -> None:
        """Refuses texts of whole numbers in pixels that are surely corners or have codes, as YOLO's do not.

        Args:
          root: the folder.

        Raises:
          InputError: naming a file, with the command that makes a list of the boxes.
        """
        form, pairs, lines = self._found()
        if form is not None and _are_whole_corners(form, [*chain.from_iterable(lines.values())]):
            first = next(filter(lines.get, lines))
            path = joined(first, min(self._texts.by_folder[first]))
            behind = {FIRST: "the class first", _CODED: "two codes behind"}.get(form.line, "the class last")
            what = "corners of boxes" if "xmin" in form.columns else "boxes"
            raise InputError(
                f"{joined(root, path)}: its lines are {what} in pixels with {behind}, "
                "which is not YOLO's form",
                self._hint(root, form, pairs),
            )

    def _found(self) -> tuple[BoxForm | None, dict[str, list[str]], dict[str, list[str]]]:
        """What the boxes are alike as, the folders of images by those of texts, and some lines of these."""
        pairs = {text: images for text in sorted(self._texts.by_folder) if (images := self._images_of(text))}
        lines = {folder: some for folder in pairs if (some := self._lines_of_boxes(folder)) is not None}
        are_words = any(map(self._are_of_words, lines))
        form = form_of([*chain.from_iterable(lines.values())], are_words=are_words)
        return form, {folder: pairs[folder] for folder in lines}, lines

    def _images_of(self, folder: str) -> list[str]:
        """The folders with the images that texts in a folder are called like."""
        return self._texts.images_of(folder, _BEFORE if self._are_of_words(folder) else "")

    def _are_of_words(self, folder: str) -> bool:
        """Whether all texts in a folder are called as ICDAR calls them."""
        return all(name.startswith(_BEFORE) for name in self._texts.by_folder[folder])

    def _lines_of_boxes(self, folder: str) -> list[str] | None:
        """The lines of some texts in a folder, nearly all of which are boxes or blank; None for others."""
        heads = (
            self._head(joined(folder, name), HEAD_BYTES)
            for name in sorted(self._texts.by_folder[folder])[:MOST_FILES]
        )
        texts = [lines for head in heads if (lines := _without_count(lines_of(head)))][:_READ]
        are_words = self._are_of_words(folder)
        held = [lines for lines in texts if form_of(lines, are_words=are_words) is not None]
        return [*chain.from_iterable(held)] if len(held) >= NEARLY_ALL * len(texts) else None

    def _hint(self, root: str, form: BoxForm, pairs: Mapping[str, Sequence[str]]) -> str:
        split_of = self._texts.split_of_images(pairs)
        four = "s.join([*[n] * 4, c])" if form.line == LAST else "s.join([c, *[n] * 4])"
        four = r's.join([*[n] * 4, r"(\d)", r"(\d)"])' if form.line == _CODED else four
        four += f' + r"{bbgt.BEHIND}"' * (form.line == _OF_BBGT)
        corners = form.corners
        code = _CODE % (
            f's.join([n] * 8) + r"{corners.rest}"' if corners else four,
            " ".join([*form.columns, *["split"] * bool(split_of)]),
            split_of,
            ", z(i.relative_to(r))" * bool(split_of),
            files_and_images(pairs, "*.txt"),
            json.dumps(sorted(self._texts.endings)),
            f'.removeprefix("{_BEFORE}")' * any(map(self._are_of_words, pairs)),
            _ROW_OF_CORNERS.format(fields=corners.fields) if corners else "v",
            f' and not re.match(r"{HEAD if corners or form.line == _OF_BBGT else _COUNT}", l)',
            len(form.columns),
        )
        hint = made_of_folder("boxes", code, root) or "write a list with each image and its boxes"
        if corners:
            return f"{hint} (the rectangle around the corners, {corners.told})"
        other = " (--box-format xywh where the last two numbers are width and height)"
        if form.line == _CODED and form.is_certain:
            return f"{hint} (--box-format center_xywh where the first two numbers are the middle of a box)"
        return hint if form.is_certain else f"{hint}{other}"


def boxes_in_tree(tree: Tree) -> BoxesInTexts:
    """The texts and images of all folders."""
    texts = BoxesInTexts(tree.head)
    for folder, entries in tree.walk():
        for name in entries.files:
            add = texts.add_image if is_image_name(name) else texts.add
            add(joined(folder, name))
    return texts


def form_of(lines: Sequence[str], *, are_words: bool = False) -> BoxForm | None:
    """What all lines are alike as; None: they are no boxes in pixels, each with a class or around words."""
    corners = line_of_corners(lines, are_words=are_words)
    if corners:
        return BoxForm("", COLUMNS, is_certain=True, corners=corners)
    if bbgt.are_of_bbgt(lines):
        boxes = (line for line in lines if not re.match(HEAD, line))
        are_alike = all(_match(_OF_BBGT, line) for line in boxes)
        return BoxForm(_OF_BBGT, bbgt.COLUMNS, is_certain=True) if are_alike else None
    forms = [form for pattern in (LAST, FIRST) if (form := _form_by(pattern, lines))]
    if not forms and any(re.search(r"\d\d", line) for line in lines):
        return _form_by(_CODED, lines)
    return min(forms, key=lambda form: _spread(form, lines), default=None)


def _form_by(pattern: str, lines: Sequence[str]) -> BoxForm | None:
    found = [_match(pattern, line) for line in lines]
    if not lines or None in found:
        return None
    is_first = pattern == FIRST
    boxes = [[*map(float, match.groups()[is_first:][:4])] for match in found if match]
    # Fractions are YOLO's, which is read.
    if any(min(box) < 0 or max(box) <= 1 or min(box[2:]) <= 0 for box in boxes):
        return None
    are_corners = are_in_order(boxes)
    are_points = all(map(_POINTS.search, lines))
    if are_points and not are_corners:
        return None
    sides = _CORNERS if are_corners else _EXTENT
    columns = ("label", *sides) if is_first else (*sides, *(_CODES if pattern == _CODED else ("label",)))
    return BoxForm(pattern, columns, is_certain=are_points or not are_corners)


def _are_whole_corners(form: BoxForm, lines: Sequence[str]) -> bool:
    """Whether boxes have codes behind, or are corners by whole numbers for certain.

    With the class first they may be centers and extents: of these a large object has a width and height
    above its center, but none begins before its image.
    """
    if form.line == _CODED:
        return True
    if form.corners or "xmin" not in form.columns or any("." in line for line in lines):
        return False
    is_first = form.line == FIRST
    found = [match.groups()[is_first:][:4] for line in lines if (match := _match(form.line, line))]
    boxes = [[*map(float, numbers)] for numbers in found]
    return not is_first or any(c > 2 * a + 1 or d > 2 * b + 1 for a, b, c, d in boxes)


def _without_count(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a text behind a number alone, which says how many they are."""
    return lines[1:] if lines and re.match(_COUNT, lines[0]) else lines


def _match(pattern: str, line: str) -> re.Match[str] | None:
    return re.fullmatch(pattern, line.strip(STRIPPED))


def _spread(form: BoxForm, lines: Sequence[str]) -> tuple[int, bool, float]:
    """How many classes there are, whether boxes are no corners, and the highest number.

    Of the numbers at either end the fewer are classes; of as many those beside corners.
    """
    at = form.columns.index("label")
    classes = {match.groups()[at] for line in lines if (match := _match(form.line, line))}
    highest = max((float(name) for name in classes if name.isdecimal()), default=0)
    return len(classes), "xmin" not in form.columns, highest
