"""Annotations that stand beside images: known by their files, so that no folder is taken for a class."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.split_words import parse_split

YAML: Final = (".yaml", ".yml")
# Bytes of a file that tell whether it is what its name says.
HEAD_BYTES: Final = 1 << 14

PASCAL_VOC: Final = "Pascal VOC"
YOLO: Final = "YOLO"
COCO: Final = "COCO"
CREATEML: Final = "CreateML"
SUPERVISELY: Final = "Supervisely"
KITTI: Final = "KITTI"
VISDRONE: Final = "VisDrone"
CITYSCAPES: Final = "Cityscapes"
OIDV4: Final = "OIDv4 ToolKit"
WIDER_PERSON: Final = "WiderPerson"
# Kinds that no reader takes.
NOT_READ: Final = frozenset({SUPERVISELY, KITTI, VISDRONE, CITYSCAPES, OIDV4, WIDER_PERSON})

# The folder of OIDv4 ToolKit's files in each folder of images, spelt as it writes it.
OF_ONE_CLASS: Final = "Label"

# (end of the name, folder that it is in, kind) of those; "": in any.
_BY_NAME: Final = (
    ("_polygons.json", "", CITYSCAPES),
    ("_gtbboxcitypersons.json", "", CITYSCAPES),
    (".json", "ann", SUPERVISELY),
    (".jpg.txt", "annotations", WIDER_PERSON),
    (".txt", "annotations", VISDRONE),
    (".txt", "label_2", KITTI),
)
# Folders that hold annotations, in lower case.
ANNOTATION_FOLDERS: Final = frozenset({"annotation", "annotations", "labels"})
# Names of folders, in lower case, that say what kind of files are there and not what the images show.
_NO_LABELS: Final = frozenset({
    "annotation", "annotations", "data", "dataset", "frames", "image", "images", "img", "imgs", "jpegimages",
    "jpg", "labels", "mask", "masks", "photo", "photos", "pic", "pics", "picture", "pictures", "png",
    "segmentationclass", "segmentationobject",
    "bilder", "fotos", "imagens", "imagenes", "imágenes", "immagini", "obrazy", "resimler", "zdjęcia",
    "zdjecia", "изображения", "фото", "εικόνες", "图片", "图像", "照片", "圖片", "画像", "写真",
    "이미지", "사진",
})  # fmt: skip
# train2017, val2014: how COCO calls its folders of images.
_YEAR_OF_COCO: Final = re.compile(r"(train|val|test|unlabeled)20\d\d")
# Words that tell nothing beside those: Darknet calls its folders obj_train_data.
_FILLING: Final = frozenset({"compressed", "obj", "original", "originals", "raw", "resized", "set"})
# What a set of images is cut into.
_PARTS: Final = _NO_LABELS | {"part", "parts", "batch", "chunk", "volume", "archive"}
# Where COCO names an image, and in how many bytes of a file that is looked for.
_FIRST_FILE: Final = re.compile(rb'"file_name"\s*:\s*("(?:[^"\\]|\\.)*")')
_SEARCHED: Final = 1 << 20
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
# Where a word begins in JPEGImages, pedMasks.
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_SIGNS: Final = {
    PASCAL_VOC: re.compile(rb"<annotation\b"),
    # A class and four or more coordinates a line, but not four pixels and two codes; an image without a box
    # has an empty file.
    YOLO: re.compile(
        rb"\s*(?:$|(?!(?=[\d \t]*\d\d)(?:\d+[ \t]+){4}\d[ \t]+\d[ \t]*(?:$|[\r\n]))"
        rb"\d+(?:[ \t]+-?[\d.]+(?:[eE]-?\d+)?){4,}\s*?(?:$|[\r\n]))"
    ),
    COCO: re.compile(rb'\s*\{\s*"(?:info|licenses|images|annotations|categories|type)"\s*:\s*[\[{"]'),
    CREATEML: re.compile(rb"\s*\["),
    SUPERVISELY: re.compile(rb'\s*\{.*"classTitle"', re.DOTALL),
    KITTI: re.compile(rb"[A-Za-z_]+(?: -?[0-9.]+){14,15}\s"),
    VISDRONE: re.compile(rb"-?[0-9]+(?:,-?[0-9]+){7}"),
    WIDER_PERSON: re.compile(rb"[1-9][0-9]*\s*?\n[0-9]+(?:[ \t]+-?[0-9]+(?:\.[0-9]+)?){4}\s*?(?:\n|$)"),
    CITYSCAPES: re.compile(rb'\s*\{.*"imgHeight"', re.DOTALL),
    OIDV4: re.compile(rb"[^\W\d][^\r\n]*?(?: [0-9]+(?:\.[0-9]+)?){4}\s*?(?:\n|$)"),
}
# The end of a field, in a list or in JSON.
_IMAGE_NAME: Final = re.compile(
    rb"[^\s,;\"]\.(?:jpe?g|png|bmp|gif|tiff?|webp)\s*(?:[\"',;|\t\r\n]|$)", re.IGNORECASE
)
_YAML_OF_YOLO: Final = re.compile(rb"^(?:train|val|nc)\s*:", re.MULTILINE)
_NAMES_IN_YAML: Final = re.compile(rb"^names\s*:", re.MULTILINE)


def annotation_kind(path: str) -> str:
    """Which kind of annotations a file may hold, by its path; empty when it is called like none."""
    *folders, name = path.lower().split("/")
    if name.endswith(YAML):
        return YOLO
    for ending, folder, kind in _BY_NAME:
        if name.endswith(ending) and folder in (*folders[-1:], ""):
            return kind
    if name.endswith(".txt") and path.split("/")[-2:-1] == [OF_ONE_CLASS]:
        return OIDV4
    if name.endswith(".json"):
        is_coco = name.startswith("instances_") or name == "_annotations.coco.json"
        if name == "_annotations.createml.json":
            return CREATEML
        return COCO if is_coco or ANNOTATION_FOLDERS.intersection(folders) else ""
    if name.endswith(".xml") and {"annotation", "annotations"}.intersection(folders):
        return PASCAL_VOC
    return YOLO if name.endswith(".txt") and "labels" in folders else ""


def kind_beside(path: str) -> str:
    """Which kind of boxes a file right beside images may hold, by its extension; empty for none."""
    lower = path.lower()
    return PASCAL_VOC if lower.endswith(".xml") else YOLO if lower.endswith(".txt") else ""


def is_annotation(path: str, kind: str, head: bytes) -> bool:
    """Whether a file that begins like this holds annotations of the kind that its name promises."""
    if path.lower().endswith(YAML):
        return bool(_NAMES_IN_YAML.search(head) and _YAML_OF_YOLO.search(head))
    begins = _SIGNS[kind].search if kind == PASCAL_VOC else _SIGNS[kind].match
    return begins(head) is not None


def names_images(head: bytes) -> bool:
    """Whether a list or JSON that begins like this names files of images."""
    return _IMAGE_NAME.search(head) is not None


def count_images(head: bytes) -> int:
    """How many names of images a text that begins like this has there."""
    return len(_IMAGE_NAME.findall(head))


def is_coco(head: bytes) -> bool:
    """Whether JSON begins as the file of a COCO dataset does."""
    return _SIGNS[COCO].match(head) is not None


def words_of(name: str) -> list[str]:
    """The words and numbers of a name in lower case: ``png``, ``images`` of PNGImages."""
    return _WORD.findall(_CAMEL.sub(" ", name).lower())


def say_nothing(labels: Iterable[str]) -> bool:
    """Whether all names of label folders tell of files and splits, and none of what the images show."""
    names = list(labels)
    return all(map(_says_nothing, names)) or _are_parts(names)


def _are_parts(names: Sequence[str]) -> bool:
    """Whether folders are called alike up to a number, and after what they are parts of: `images_part_1`."""
    words = set(_WORD.findall(names[0].lower())) if len(names) > 1 else set()
    alike = {re.sub("[0-9]+", "", name.lower()) for name in names}
    return len(alike) == 1 and not words.isdisjoint(_PARTS)


def sources_of_splits(root: str, folders: Iterable[str]) -> str:
    """The command for folders of which each has the word of one split in its name, its own; empty for others.

    Folders that are called by such a word alone are splits without it.
    """
    names = [name for name in folders if parse_split(name) is None]
    splits = {split_in(name): name for name in names}
    if len(splits) < max(2, len(names)) or "" in splits:
        return ""
    sources = [f"{split}={os.path.join(root, folder)}" for split, folder in sorted(splits.items())]
    return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR"


def split_in(name: str) -> str:
    """The split of which a name has a word; empty where it has none, or those of several."""
    splits = set(filter(None, map(parse_split, _WORD.findall(name.lower()))))
    return splits.pop() if len(splits) == 1 else ""


def coco_command(root: str, paths: Iterable[str]) -> str:
    """The command that converts the boxes of COCO files in a folder.

    Of several files each has to name a split of its own, or its folder has; else it is said that none does.
    """
    found = [path for path in dict.fromkeys(paths) if path.endswith(".json")]
    files = [path for path in found if path.rpartition("/")[2].startswith("instances_")] or found
    splits = [split_in(path.rpartition("/")[2]) or split_in(path.rpartition("/")[0]) for path in files]
    if len(files) > 1 and ("" in splits or len(set(splits)) < len(files)):
        return (
            f"give those of {', '.join(files)} that you want to tfrec convert, as train=FILE validation=FILE"
        )
    words, roots = ["tfrec", "convert"], []
    for path, split in zip(files, splits, strict=True):
        name = path.rpartition("/")[2].removeprefix("instances_").removesuffix(".json")
        prefix = f"{split}=" if split and len(files) > 1 else ""
        words.append(prefix + os.path.join(root, path))
        images = _image_root(os.path.join(root, path), name)
        roots += ["--image-root", prefix + images] if images else []
    return f"{command_line([*words, *roots])} OUTPUT_DIR"


def _image_root(path: str, name: str) -> str:
    """The folder from which a COCO file names its images, if it is not its own; empty: it is not certain.

    Args:
      path: of the file.
      name: of it, without what all such files are called.
    """
    folder = os.path.dirname(path)
    above = os.path.normpath(os.path.join(folder, ".."))
    near = [os.path.join(above, *parts) for parts in ((name,), ("images", name), ("images",), ())]
    inner = [os.path.join(folder, "images")]
    with open(path, "rb") as file:
        found = _FIRST_FILE.search(file.read(_SEARCHED))
    if found is None:
        return next(filter(os.path.isdir, near[:2]), "")
    image = json.loads(found[1])
    roots = (place for place in (folder, *near, *inner) if os.path.isfile(os.path.join(place, image)))
    root = next(roots, next(filter(os.path.isdir, near[:2]), ""))
    return root if root != folder else ""


def _says_nothing(label: str) -> bool:
    lower = label.lower()
    if lower in _NO_LABELS or _YEAR_OF_COCO.fullmatch(lower):
        return True
    words = words_of(label)
    # LabelImages, but not label_1 or dataLabel1
    is_kind = not _NO_LABELS.isdisjoint(words) and not words[-1].isdecimal()
    return len(words) > 1 and all(_is_filling(word) or (is_kind and word == "label") for word in words)


def names_a_split(folder: str) -> bool:
    """Whether a folder is called like one of a split, if not by its word alone: `train`, `train_images`."""
    words = _WORD.findall(folder.lower())
    return any(map(parse_split, words)) and all(map(_is_filling, words))


def _is_filling(word: str) -> bool:
    return word.isdecimal() or word in _NO_LABELS or word in _FILLING or bool(parse_split(word))
