"""XML of boxes, a file for each image, that is not Pascal VOC's: HRSC2016's, by the names that it holds.

`<HRSC_Image><HRSC_Objects><HRSC_Object><Class_ID>100000013</Class_ID><box_xmin>194</box_xmin>…`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, split_in, words_of
from tfrecordcli.sources.folders.files_of_images import NEARLY_ALL, SPLIT_BY_SETS, SPLIT_LISTS
from tfrecordcli.sources.folders.json_beside import FoundBeside, differing
from tfrecordcli.sources.folders.objects_in_xml import ObjectsInXml, objects_in
from tfrecordcli.sources.folders.tree import Entries, Tree, joined, stem_of
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_FILES: Final = 20  # of a folder that are looked at
_FOLDERS: Final = 16  # beside one
_MOST: Final = 0.5
_ROOT: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*>|<!--[\s\S]*?-->)*<([A-Za-z_][\w.-]*)[\s/>]")
_NAMES: Final = re.compile(rb"<([A-Za-z_][\w.-]*)|\s([A-Za-z_][\w.-]*)\s*=\s*[\"']")
# Words of names that tell of boxes, which metadata of cameras have not.
_OF_BOXES: Final = frozenset({
    "bbox", "bndbox", "boundingbox", "box", "boxes", "points", "polygon", "rect", "rectangle",
    "xmax", "xmin", "ymax", "ymin",
})  # fmt: skip
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_MOST_BYTES: Final = 1 << 18  # of a file of names
_SETS: Final = "ImageSets"  # the folder of lists of splits, as Pascal VOC and HRSC2016 have it
_XML: Final = ".xml"
_FLAGS: Final = ("difficult", "truncated", "occluded")
_CLASS: Final = re.compile(r"(?i)name|label|class(?:_?(?:name|id))?|category(?:_?(?:name|id))?")
_INSIST: Final = "--task classification takes the folders as they are"
_WRITE_LIST: Final = "write a CSV with a row for each box: image,xmin,ymin,xmax,ymax,label"

Place = tuple[str, Entries, bool]  # a folder, what is in it, whether its files count beside those of classes


@dataclass(frozen=True, slots=True)
class _Form:
    """How a file tells boxes.

    Attributes:
      root: the first element.
      told: names that tell of boxes.
      count: of the objects.
      sides: elements of the corners in each; empty: it is not certain which they are.
      label: that of its class.
      flags: those of `_FLAGS` that it has.
      objects: how files tell objects whose corners are no such elements.
    """

    root: str
    told: Sequence[str]
    count: int = 0
    sides: Sequence[str] = ()
    label: str = ""
    flags: Sequence[str] = ()
    objects: ObjectsInXml | None = None


def need_no_xml_of_images(tree: Tree, places: Sequence[Place]) -> None:
    """Refuses a local folder in which XML of another kind than Pascal VOC's tells boxes in most images.

    Args:
      places: its folders, as far as they were looked into.

    Raises:
      InputError: naming a file and what it holds, with the command that makes a list of the boxes where these
        are corners.
    """
    for folder, entries, counts in () if is_remote(tree.root) else places:
        names = [name for name in entries.files if name.lower().endswith(_XML)][:_FILES]
        if not names or (entries.images and not counts):
            continue
        form = _form([tree.head(joined(folder, name), HEAD_BYTES) for name in names])
        images = _images_of(tree, folder, names, places) if form else None
        if form and images is not None:
            path = joined(folder, names[0])
            raise InputError(
                f"{tree.root}: XML files that are called like the images tell of boxes in them ({path}: "
                f"<{form.root}> with {some_of(form.told, 4)}), which are no Pascal VOC",
                f"{_hint(tree, form, folder, images, places)}; {_INSIST}",
            )


def _images_of(tree: Tree, folder: str, names: Sequence[str], places: Sequence[Place]) -> str | None:
    """The folder with the images that nearly all files are called like; None where most images have no file.

    Args:
      folder: of the files: that of the images, or its path differs in one name.
      names: of some files.
      places: where images may be, beside the folders next to it.
    """
    above, _, own = folder.rpartition("/")
    beside = [joined(above, name) for name in tree.entries(above).folders[:_FOLDERS]] if own else []
    known = dict.fromkeys([folder, *beside, *(path for path, _, _ in places)])
    near = [each for each in known if each == folder or len(differing(folder, each)) == 1]
    images = {each: tree.entries(each).images for each in near}
    stems = {stem_of(name) for name in names}
    for each, some in images.items():
        if len(stems & {*map(stem_of, some)}) >= NEARLY_ALL * len(names):
            first = [name for path in {each, *beside} for name in images.get(path, ())[:_FILES]]
            found = sum(tree.is_file(joined(folder, f"{stem_of(name)}{_XML}")) for name in first)
            return each if found > _MOST * len(first) else None
    return None


def _form(heads: Iterable[bytes]) -> _Form | None:
    """What files that begin like these are alike as; None: they tell of no box, or are Pascal VOC."""
    kept = [*heads]
    forms = [form for head in kept if (form := _form_of(head))]
    roots = {form.root for form in forms}
    telling = [form for form in forms if form.told]
    is_voc = "annotation" in roots and any(b"<bndbox" in head for head in kept)
    if len(roots) != 1 or is_voc:
        return None
    is_known = "annotation" not in roots and any(form.sides for form in telling)
    objects = None if is_known else objects_in(kept, is_told=bool(telling))
    if objects is not None:
        told = [form.told for form in telling] or [objects.sides]
        return _Form(roots.pop(), told[0], objects=objects)
    best = max(telling, key=lambda form: (bool(form.sides), form.count), default=None)
    return None if "annotation" in roots else best


def _form_of(head: bytes) -> _Form | None:
    root = _ROOT.match(head)
    if root is None:
        return None
    names = [(element or attribute).decode() for element, attribute in _NAMES.findall(head)]
    told = [name for name in dict.fromkeys(names) if not _OF_BOXES.isdisjoint(words_of(name))]
    found = [[name for name in told if name.lower().endswith(side)] for side in _SIDES]
    if any(len(some) != 1 or f"<{some[0]}>".encode() not in head for some in found):
        return _Form(root[1].decode(), told)
    count = names.count(found[0][0])
    labels = [
        name
        for name in dict.fromkeys(names)
        # The last object may be cut.
        if _CLASS.fullmatch(name) and abs(names.count(name) - count) <= (len(head) == HEAD_BYTES)
    ]
    sides = [name for some in found for name in some] if len(labels) == 1 else []
    flags = [flag for flag in _FLAGS if flag in names]
    return _Form(root[1].decode(), told, count, sides, labels[0] if sides else "", flags)


def _hint(tree: Tree, form: _Form, folder: str, images: str, places: Sequence[Place]) -> str:
    """The command that makes a list of the boxes, or what such a list has to be."""
    if not form.sides and not form.objects:
        return _WRITE_LIST
    endings = sorted({os.path.splitext(name)[1] for name in tree.entries(images).images})
    found = FoundBeside(tree.root, folder, images, (*endings,), _XML)
    has_sets = _have_sets(tree, folder, places)
    has_splits = has_sets or any(map(split_in, folder.split("/")))
    names = (
        _names_in(tree, form.label, [place for place in places if place[0] != folder]) if form.label else ""
    )
    split_of = SPLIT_BY_SETS if has_sets else SPLIT_OF.replace("s = ", "z = ", 1) * has_splits
    sides = form.objects.header if form.objects else _SIDES
    header = ["image", *sides, "label", *form.flags, *["split"] * has_splits]
    read = f"o.findtext({json.dumps(form.label)})"
    label = f"n.get({read}, {read})" if names else read
    rows = form.objects.rows if form.objects else _corners(form, label)
    code = (
        f"{split_of}{names}w = csv.writer(sys.stdout); w.writerow({json.dumps(header)}); "
        f"w.writerows([i.relative_to(r).as_posix(), *b{', z(i.relative_to(r))' * has_splits}] {found.loop} "
        f"for t in [E.parse(p).getroot()] if t.tag == {json.dumps(form.root)} "
        f"for b in {rows} or [[None] * {5 + len(form.flags)}])"
    )
    target = shlex.quote(as_path(os.path.join(tree.root, "list.csv")))
    made = found.command("csv, pathlib, re, sys, xml.etree.ElementTree as E", code, "list.csv")
    ids = " --label-type name" * (not names and form.label.lower().endswith("id"))
    above = os.path.normpath(os.path.join(tree.root, os.pardir))
    command = command_line(["tfrec", "convert", as_path(above)])
    beside = f"; with the splits of {_SETS} beside it: {command} OUTPUT_DIR tells how"
    are_beside = not has_sets and os.path.isdir(os.path.join(above, _SETS))
    return (
        f"make a list of its boxes: {made}; then: tfrec convert {target} OUTPUT_DIR{ids}{beside * are_beside}"
    )


def _corners(form: _Form, label: str) -> str:
    """Python for the corners of each object, its class and its flags, where ``t`` is the root of a file."""
    return (
        f"[v for o in t.iter() if o.find({json.dumps(form.sides[0])}) is not None "
        f"for v in [[*map(o.findtext, {json.dumps(form.sides)}), {label}, "
        f"*map(o.findtext, {json.dumps(form.flags)})]]]"
    )


def _names_in(tree: Tree, label: str, places: Iterable[Place]) -> str:
    """Python for ``n``, the names of classes by their ids, where a file elsewhere tells them; else empty."""
    tag = re.escape(label)
    pattern = rf"<{tag}>\s*([^<]*?)\s*</{tag}>(?:(?!<{tag}>)[\s\S])*?<(\w*name)>\s*([^<]+?)\s*</"
    for folder, entries, _ in places:
        for name in [name for name in entries.files if name.lower().endswith(_XML)][:_FILES]:
            path = joined(folder, name)
            head = tree.head(path, _MOST_BYTES)
            found = re.findall(pattern, head.decode("utf-8", "replace"), re.IGNORECASE)
            names = {each for _, _, each in found}
            if found and len(names) == len(found) and len({kind for _, kind, _ in found}) == 1:
                return (
                    f"n = {{o.findtext({json.dumps(label)}): o.findtext({json.dumps(found[0][1])}) "
                    f"for o in E.parse(r / {json.dumps(path)}).iter()}}; "
                )
    return ""


def _have_sets(tree: Tree, folder: str, places: Sequence[Place]) -> bool:
    """Whether lists that are called like splits name some of the files."""
    known = {*map(stem_of, tree.entries(folder).files)}
    heads = (
        tree.head(joined(path, name), HEAD_BYTES).decode("utf-8", "replace")
        for path, entries, _ in places
        for name in SPLIT_LISTS.intersection(entries.files)
    )
    return any(not known.isdisjoint(head.split()) for head in heads)
