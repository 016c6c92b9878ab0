"""Where images are among annotations: what folders are called, and what the names in their paths say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.split_words import UNASSIGNED, parse_split

# Names of folders, in lower case.
IMAGES: Final = ("images", "jpegimages", "image", "imgs", "img", "photos", "pictures", "jpgs", "jpg")
ANNOTATIONS: Final = (
    "annotations", "annotation", "xmls", "xml", "labels", "label", "gtfine", "gtbboxcitypersons"
)  # fmt: skip
_MASKS: Final = frozenset({"segmentationclass", "segmentationobject", "masks", "mask", "trimaps"})


def is_of_annotations(name: str) -> bool:
    """Whether a folder is called like one of annotations: `Annotations`, `XMLAnnotations`, `labels`."""
    return name.lower() in ANNOTATIONS or "annotation" in name.lower()


def place_of_annotations(parts: Sequence[str]) -> int | None:
    """Where in a path the folder of annotations is: the first that has one of the names, else the last."""
    exact = (at for at, name in enumerate(parts) if name.lower() in ANNOTATIONS)
    others = (at for at in reversed(range(len(parts))) if is_of_annotations(parts[at]))
    return next(exact, next(others, None))


def split_in_path(path: str) -> str:
    """The split that a folder in a path is called after: train of `set/train/images`; empty for none.

    Raises:
      InputError: there are two.
    """
    splits = {split for name in path.split("/") if (split := parse_split(name)) not in (None, UNASSIGNED)}
    if len(splits) > 1:
        raise InputError(
            f"{path}: folders of two splits stand in each other", "let one folder say which split it is"
        )
    return next((split for split in splits if split), UNASSIGNED)


def holds_masks(folder: str) -> bool:
    """Whether a folder is called like one of masks of segmentation."""
    return not _MASKS.isdisjoint(folder.lower().split("/"))


def images_of(folder: str, with_images: Collection[str]) -> list[str]:
    """Where the images may be that annotations in ``folder`` are of, out of all folders with images.

    Their own folder, if that holds images. Else those beside the folder that is called like one of
    annotations: `JPEGImages` for `Annotations`, `images/a` for `annotations/a`; where there are none, those
    beside a folder above.
    """
    if folder in with_images:
        return [folder]
    parts = folder.split("/") if folder else []
    places = [at for at, name in enumerate(parts) if is_of_annotations(name)] or [len(parts) - 1]
    for at in [*reversed(places), *reversed(range(max(places[0], 0)))]:
        base, own = "/".join(parts[:at]), "/".join(parts[: at + 1])
        pool = [path for path in with_images if _is_below(path, base) and not _is_below(path, own)]
        rest = [name for name in parts[at + 1 :] if not is_of_annotations(name)]
        if pool:
            return _narrowed(pool, base, rest)
    return []


def labels_of(folder: str) -> tuple[str, str]:
    """(folder, rest) of the place where YOLO's labels of the images in ``folder`` may be.

    The rest is below a folder called like one of annotations in that folder: `set` and `train` for
    `set/images/train`, as Ultralytics has it, who take the last folder that is called `images`.
    """
    parts = folder.split("/") if folder else []
    for at in reversed(range(len(parts))):
        if parts[at].lower() in IMAGES:
            return "/".join(parts[:at]), "/".join(parts[at + 1 :])
    return "/".join(parts[:-1]), "/".join(parts[-1:])


def _narrowed(pool: list[str], base: str, rest: list[str]) -> list[str]:
    """Of folders with images those that end as that of the annotations does, and are called `images`."""
    if rest:
        pool = [path for path in pool if path.split("/")[-len(rest) :] == rest] or pool
    below = {path: path[len(base) :].lower().split("/") for path in pool}
    return [path for path in pool if not set(IMAGES).isdisjoint(below[path])] or pool


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
