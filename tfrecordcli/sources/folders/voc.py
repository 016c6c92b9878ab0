"""A folder of Pascal VOC's kind: one XML file an image, in `Annotations/` or beside the images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.image_folders import (
    IMAGES,
    holds_masks,
    images_of,
    is_of_annotations,
    place_of_annotations,
    split_in_path,
)
from tfrecordcli.sources.folders.sorted_names import SortedNames
from tfrecordcli.sources.folders.tree import Tree, is_image_name, joined, stem_of
from tfrecordcli.sources.folders.voc_sets import ImageSets, need_most_images, read_sets, sets_elsewhere
from tfrecordcli.sources.folders.voc_xml import (
    MOST_BYTES,
    NO_CORNERS,
    USED_OF_OBJECTS,
    Annotation,
    OrientedBox,
    parse_annotation,
)
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage
from tfrecordcli.split_words import DISCARD
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural, some_of

_SEARCHED = 100  # folders at most in which a missing image is looked for

_BY_FILENAME, _BY_STEM = "by the filename in the XML", "by the name of the XML file"


class _Names:
    """The images right in a folder, and which of them have an XML file."""

    def __init__(self, names: list[str]) -> None:
        self._names = SortedNames(names)
        self._taken = bytearray(len(names))
        self._by_stem: dict[str, list[str]] | None = None

    def __contains__(self, name: str) -> bool:
        return self._names.place(name) is not None

    def take(self, name: str) -> bool:
        """Notes that an XML file is of an image; False: another one is, too."""
        at = self._names.place(name)
        assert at is not None
        is_free = not self._taken[at]
        self._taken[at] = 1
        return is_free

    def like(self, stem: str) -> list[str]:
        """The images with this stem: exactly this one, or but for upper case."""
        exact = self._names.with_stem(stem)
        if exact:
            return exact
        if self._by_stem is None:
            self._by_stem = {}
            for name in self._names.names:
                self._by_stem.setdefault(stem_of(name).casefold(), []).append(name)
        return self._by_stem.get(stem.casefold(), [])


@dataclass(slots=True)
class _Dataset:
    """One dataset in the tree: a folder with folders of XML files, images and perhaps ImageSets.

    Attributes:
      base: that folder.
      all_images: the folders with images in the whole tree.
      folders: of XML files -> the folders where their images may be.
    """

    base: str
    all_images: list[str]
    folders: dict[str, list[str]] = field(default_factory=dict)


def read_voc(
    root: str, findings: Findings, skip: str = "", exclude: Iterable[str] = (), has_further: bool = False
) -> Iterator[ListedImage]:
    """The images that XML files of Pascal VOC's kind describe, in the order of the paths of those files.

    Corners are as written, in pixels; no 1 is added or taken off, although the first VOC counted from 1
    (Object Detection API, TFDS and Datumaro divide without it too). Splits are those of ImageSets, else of
    folders such as `train`. Images without an XML file are counted in a note and not listed.

    Args:
      root: folder, or URL of a folder on a store.
      skip: a folder that is left out (an output directory inside the source).
      exclude: patterns of what is to be skipped.
      has_further: whether other elements of the files are told, too.

    Raises:
      InputError: nothing of this kind, a folder that cannot be read, no images, oriented boxes, sets that
        name no image, one name in two folders of images.
    """
    tree = Tree(root, skip, exclude)
    xml_folders, image_counts = _survey(tree)
    if not xml_folders:
        raise InputError(f"{root}: there is no XML file in this folder", "is it the right folder?")
    if not image_counts:
        raise InputError(
            f"{root}: there are XML files in this folder, and no image",
            "give the folder that holds the images as well",
        )
    ways: Counter[str] = Counter()
    for dataset in _datasets(xml_folders, sorted(image_counts)):
        images = _read_dataset(tree, dataset, findings, ways)
        yield from images if has_further else (replace(image, extras={}) for image in images)
    _tell(tree, sum(image_counts.values()), ways, findings)


def _survey(tree: Tree) -> tuple[list[str], dict[str, int]]:
    """Folders that hold XML files, and folders that hold images with how many; masks do not count."""
    xml_folders, image_counts = [], {}
    for path, entries in tree.walk():
        if any(map(_is_xml, entries.files)):
            xml_folders.append(path)
        count = sum(map(is_image_name, entries.files))
        if count and not holds_masks(path):
            image_counts[path] = count
    return xml_folders, image_counts


def _datasets(xml_folders: list[str], with_images: list[str]) -> list[_Dataset]:
    """Folders of XML files by the dataset that they belong to: the folder above `Annotations`."""
    found: dict[str, _Dataset] = {}
    for folder in xml_folders:
        parts = folder.split("/")
        base = "/".join(parts[: place_of_annotations(parts)])
        found.setdefault(base, _Dataset(base, with_images)).folders[folder] = images_of(folder, with_images)
    return list(found.values())


def _read_dataset(
    tree: Tree, dataset: _Dataset, findings: Findings, ways: Counter[str]
) -> Iterator[ListedImage]:
    sets = read_sets(tree, dataset.base)
    findings.notes += sets.notes
    uses = Counter(folder for folders in dataset.folders.values() for folder in folders)
    names: dict[str, _Names] = {}
    count = outside = discarded = 0
    for folder, image_folders in dataset.folders.items():
        for path in image_folders:
            if path not in names:
                names[path] = _Names(tree.entries(path).images)
        pool = {path: names[path] for path in image_folders}
        for name in filter(_is_xml, tree.entries(folder).files):
            image, annotation = _read_one(tree, joined(folder, name), pool, ways)
            if image.problem is not None and image.problem.code == "not_found":
                image = replace(image, problem=_elsewhere(tree, image, dataset.all_images) or image.problem)
            image = _in_split(image, dataset.base, sets)
            findings.keys_of_boxes |= annotation.of_objects
            if annotation.empty:
                findings.counts["objects without elements"] += annotation.empty
            count += 1
            outside += image.split == DISCARD
            discarded += image.split == DISCARD and image.problem is None
            yield image
        uses.subtract(image_folders)
        for path in image_folders:
            if not uses[path]:
                del names[path]
    if sets.files:
        _tell_sets(tree, sets, (count, outside, discarded), findings)
        need_most_images(tree, dataset.base, sets, count, outside)
        yield from _missing(tree, sets, dataset)
    elif command := sets_elsewhere(tree, dataset.base, dataset.folders):
        findings.splits_beside.append(command)


def _read_one(
    tree: Tree, path: str, pool: dict[str, _Names], ways: Counter[str]
) -> tuple[ListedImage, Annotation]:
    """(what one XML file says, but for the split; the same as it was found)."""
    annotation = Annotation()
    boxes: tuple[ListedBox, ...] | None
    data = b""
    try:
        data = tree.read(path, MOST_BYTES)
        annotation = parse_annotation(data)
        problem = annotation.problem
        boxes = tuple(
            ListedBox(found.name, found.corners, place, found.attributes, found.written)
            for place, found in enumerate(annotation.objects)
        )
    except Rejected as found:
        problem = found
        places = range(data.count(b"<object>"))
        boxes = tuple(ListedBox("", NO_CORNERS, at, written=(f"object[{at}]",)) for at in places) or None
    except OrientedBox as found:
        raise InputError(
            f"{joined(tree.root, path)}: its boxes are oriented (robndbox), which is not read",
            f"{_passed_over(tree, path)}export upright boxes from the tool that drew them",
        ) from found
    uri, image_problem = _image_of(annotation.filename, stem_of(path.rpartition("/")[2]), pool, ways)
    image = ListedImage(
        path,
        uri,
        boxes=boxes,
        width=annotation.width,
        height=annotation.height,
        extras=annotation.further,
        problem=problem or image_problem,
    )
    return image, annotation


def _passed_over(tree: Tree, path: str) -> str:
    """The option that leaves out the folder of an XML file that has others beside it; empty for others."""
    above, _, name = path.rpartition("/")[0].rpartition("/")
    others = [folder for folder in tree.entries(above).folders if folder != name]
    with_xml = (folder for folder in others if any(map(_is_xml, tree.entries(joined(above, folder)).files)))
    option = command_line(["--exclude", name])
    return next((f"{option} leaves {joined(above, each)}; else " for each in with_xml), "")


def _image_of(
    filename: str, stem: str, pool: dict[str, _Names], ways: Counter[str]
) -> tuple[str, Rejected | None]:
    """The path of the image, and why it cannot be used.

    Args:
      filename: as the XML has it; only its last part counts, since the rest is of another machine.
      stem: of the XML file, which counts when there is no image of that name.
    """
    named = filename.replace("\\", "/").rpartition("/")[2]
    found, way = _find(named, stem, pool)
    if not found:
        return joined(next(iter(pool), ""), named or stem), Rejected("not_found")
    folder, name = found[0]
    path = joined(folder, name)
    if len(found) > 1:
        other = joined(*found[1])
        if found[1][1] == name:
            raise InputError(
                f"{path} and {other}: two images of one name, and no XML file tells which it is of",
                "keep the images of one folder, or give the XML files folders of the same names",
            )
        detail = f"its image may be {path} or {other}: name of the XML file and filename in it have to agree"
        return path, Rejected("bad_annotation", detail=detail)
    if not pool[folder].take(name):
        return path, Rejected("bad_annotation", detail=f"another XML file is of the image {path} as well")
    ways[way] += 1
    return path, None


def _elsewhere(tree: Tree, image: ListedImage, folders: list[str]) -> Rejected | None:
    """Says where the only file is that is called like a missing image; None: there are none, or several."""
    if is_remote(tree.root) or len(folders) > _SEARCHED:
        return None
    name = image.image_uri.rpartition("/")[2]
    found = [path for path in (joined(folder, name) for folder in folders) if tree.is_file(path)]
    return Rejected("found_elsewhere", path=found[0]) if len(found) == 1 else None


def _find(named: str, stem: str, pool: dict[str, _Names]) -> tuple[list[tuple[str, str]], str]:
    """(folder, name) of the images that a file may be of, and how they were found."""
    found = [(folder, named) for folder, images in pool.items() if named in images]
    if found and stem_of(named) == stem:
        return found, _BY_FILENAME
    if named and not found:
        found = _like(named, pool) or _like(stem_of(named), pool)
    by_stem = _like(stem, pool)
    return [*found, *(image for image in by_stem if image not in found)], _BY_FILENAME if found else _BY_STEM


def _like(stem: str, pool: dict[str, _Names]) -> list[tuple[str, str]]:
    return [(folder, name) for folder, images in pool.items() for name in images.like(stem)]


def _in_split(image: ListedImage, base: str, sets: ImageSets) -> ListedImage:
    """The same image with its split: that of its set, or of a folder on the way to it or to its XML file."""
    if not sets.files:
        return replace(image, split=split_in_path(image.image_uri) or split_in_path(image.place))
    parts = stem_of(image.place[len(base) :].lstrip("/")).split("/")
    key = "/".join(part for part in parts[:-1] if not is_of_annotations(part))
    try:
        split = sets.take(joined(key, parts[-1]))
    except Rejected as problem:
        return replace(image, problem=image.problem or problem)
    return replace(image, split=DISCARD if split is None else split)


def _tell_sets(tree: Tree, sets: ImageSets, counts: tuple[int, int, int], findings: Findings) -> None:
    """Notes what the sets did.

    Args:
      counts: of XML files, of those that no set names, and of those of these that have no other problem.

    Raises:
      InputError: they name none of the images.
    """
    files, (count, outside, discarded) = ", ".join(sets.files), counts
    if outside == count:
        raise InputError(
            f"{tree.root}: {files} name none of the {plural(count, 'XML file')}",
            "a line is the name of an image without its extension; or move the folder ImageSets away",
        )
    findings.notes.append(f"the splits are those of {files}")
    if discarded:
        findings.notes.append(f"{plural(discarded, 'image')} that none of them names: discarded")


def _missing(tree: Tree, sets: ImageSets, dataset: _Dataset) -> Iterator[ListedImage]:
    """A row for each name in the sets of which there is neither XML file nor image."""
    waiting = sets.splits
    for folder in sorted({folder for folders in dataset.folders.values() for folder in folders}):
        within = folder[len(dataset.base) :].lstrip("/").split("/")
        key = "/".join(part for part in within if part.lower() not in IMAGES)
        for stem in map(stem_of, tree.entries(folder).images):
            waiting.pop(stem, None)
            waiting.pop(joined(key, stem), None)
    for stem, split in waiting.items():
        place = next(path for path, named in sets.files.items() if named == split)
        yield ListedImage(place, stem, split, boxes=(), problem=Rejected("not_found"))


def _tell(tree: Tree, images: int, ways: Counter[str], findings: Findings) -> None:
    """Notes what is told by its number.

    Raises:
      InputError: no XML file has an image.
    """
    if not ways:
        raise InputError(
            f"{tree.root}: none of the XML files is of an image in there", "is it the right folder?"
        )
    if ways[_BY_STEM]:
        told = ", ".join(f"{count:,} {way}" for way, count in sorted(ways.items()))
        findings.notes.append(f"images were found {told}")
    unlabelled = images - ways.total()
    if unlabelled:
        findings.notes.append(
            f"{plural(unlabelled, 'image')} without an XML file left out: one without objects would say that "
            "its image shows nothing"
        )
    unused = sorted(findings.keys_of_boxes - USED_OF_OBJECTS)
    if unused:
        findings.notes.append(f"elements of objects that are not used: {some_of(unused)}")
    findings.notes += tree.notes()


def _is_xml(name: str) -> bool:
    return name.lower().endswith(".xml")
