"""Masks of segmentation that stand among images: known by their names, so that they become no samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import translate
from itertools import chain, starmap
from typing import Final

from tfrecordcli.sources.folders.annotation_files import say_nothing, words_of
from tfrecordcli.sources.folders.mask_folders import (
    KINDS,
    is_certain,
    mask_folders,
    may_be_called_so,
    patterns_of,
    tells_of_faces,
    tells_of_masks,
)
from tfrecordcli.sources.folders.mask_names import (
    ASKED,
    NEARLY_ALL,
    OF_MASKS_BESIDE,
    OPENED,
    NamesOfOne,
    masked_by,
    pattern_of,
    stem_of_path,
    stems_before,
)
from tfrecordcli.sources.folders.masks_found import Masks

# A column called mask_id or tumour-seg.
CALLED_MASK: Final = re.compile(rf"(?:.*[\s_-])?(?:{KINDS})(?:[\s_-].*)?", re.IGNORECASE)
_EXTENSIONS: Final = (".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG", ".bmp", ".tif", ".tiff", ".webp")
_MASKED: Final = "masked"  # of folders of people who wear one, or of images that are cut out

# Folders that are told, and files of one folder that are asked about.
_TOLD: Final = 5
# Of a folder beside that of the images: how many masks are looked for; and folders beside it in which their
# images are.
_LOOKED_FOR: Final = 10
_BESIDE: Final = 16
_LARGEST: Final = 16 << 20  # bytes of a mask that is opened to see whether it is a photo


class MaskSearch:
    """Finds out whether images of one listing are masks of others.

    Args:
      head: gives the first bytes of a file, none when it is not there.
      exclude: patterns of what is passed over.
    """

    def __init__(self, head: Callable[[str, int], bytes], exclude: Collection[str] = ()) -> None:
        self._head = head
        self._exclude = exclude
        self._names = NamesOfOne()  # of the folder that is listed now
        self._called: list[NamesOfOne] = []  # folders before it whose images are called like masks
        self._first: dict[str, list[str]] = {}  # images of the folders that are called `mask`, or so
        self._pair: tuple[str, str] | None = None
        self._patterns: set[str] = set()  # of masks that were met beside their images
        self._asked: Counter[str] = Counter()  # by pattern, also in one folder
        self._unpaired: dict[str, list[str]] = {}  # called like masks, without an image, by pattern
        self._alone: set[str] = set()  # endings of images that are called like no other
        self._twin = ""  # a mask that is called like its image but for the ending
        self._endings: set[str] = set()  # of all files beside such images

    def ask(self, path: str) -> None:
        """Looks for the image beside a file that is called like a mask, until one is met of each pattern."""
        folder = path.rpartition("/")[0]
        if self._pair:
            self._ask_further(folder, path)
            return
        if folder != self._names.folder:
            self._end_folder()
            self._names = NamesOfOne(folder)
        names = self._names
        names.add(path)
        stem = masked_by(path)
        if not stem:
            return
        names.masks += 1
        names.some += [path] if names.masks <= _LOOKED_FOR else []
        if names.masks <= ASKED:
            image = self._image_beside(folder, stem)
            self._pair = (path, image) if image else None
            self._take(path, is_mask=bool(image))

    def _ask_further(self, folder: str, path: str) -> None:
        """Takes in what else masks are called: a_mask_1.png, where a_mask.png was met."""
        stem = masked_by(path)
        pattern = pattern_of(path) if stem else ""
        if not pattern:
            return
        self._asked.update((pattern, f"{folder}/{pattern}"))
        if self._asked[pattern] <= ASKED or self._asked[f"{folder}/{pattern}"] == 1:
            self._take(path, is_mask=bool(self._image_beside(folder, stem)))

    def _take(self, path: str, *, is_mask: bool) -> None:
        """Takes in what a file called like a mask is called by, and whether its image was found."""
        if is_mask:
            self._patterns.add(pattern_of(path))
        else:
            self._unpaired.setdefault(pattern_of(path), []).append(path)

    def found(self, labels: Collection[str], folders: Collection[str] = ()) -> Masks | None:
        """What is certainly masks: folders by name, a file, or a folder whose images are in another; or None.

        Args:
          labels: names of the label folders.
          folders: paths of all folders of images.
        """
        self._end_folder()
        all_named = mask_folders(labels)
        others = [label for label in labels if label not in all_named]
        are_certain = say_nothing(others)
        named = [
            name for name in all_named if are_certain or is_certain(name) or not self._holds_photos(name)
        ]
        if named := named or self._within(folders) or self._below():
            shown = f"{', '.join(named[:_TOLD])}{', …' if len(named) > _TOLD else ''}"
            patterns = patterns_of(path.rpartition("/")[2] for path in named)
            return self._masks(f"folders of masks ({shown})", patterns, folders, named)
        certain = (
            f"{mask} of {image}"
            for mask, image, *others in self._beside(labels, folders)
            if _is_certain(mask, image) and not self._are_photos([mask, *others], image)
        )
        if self._pair:
            patterns = sorted({*self._patterns, pattern_of(self._pair[0])} - {""})
            return self._masks(f"masks ({' beside '.join(self._pair)})", patterns, folders)
        if self._twin:
            patterns = [] if self._endings & self._alone else [f"*.{each}" for each in sorted(self._endings)]
            what = f"{self._twin} beside a photo of that name with another ending"
            return self._masks(f"masks ({what})", patterns)
        pair = next(certain, "")
        return self._masks(f"masks ({pair})") if pair else None

    def _masks(
        self, what: str, patterns: Sequence[str] = (), folders: Iterable[str] = (), named: Sequence[str] = ()
    ) -> Masks:
        """Masks in folders of these names, or of none, with the patterns where these cover nothing else."""
        names = set(chain.from_iterable(folder.split("/") for folder in folders))
        names -= {path.rpartition("/")[2] for path in named}
        are_safe = patterns and not self._cover_images(patterns, names)
        return Masks(what, (*self._exclude, *patterns) if are_safe else (), (*named,))

    def _cover_images(self, patterns: Sequence[str], names: Iterable[str]) -> bool:
        """Whether patterns fit one of these folders, or photos that are no masks: `dog_in_mask_1.jpg`."""
        unpaired = chain.from_iterable(self._unpaired.get(each, ())[:OPENED] for each in patterns)
        return any(map(re.compile("|".join(map(translate, patterns))).fullmatch, names)) or any(
            not path.lower().endswith(OF_MASKS_BESIDE) or self._are_all_photos([path]) for path in unpaired
        )

    def may_be(self, labels: Collection[str], folders: Collection[str] = ()) -> str:
        """A label folder that may hold masks, or photos of something else; empty when there is none.

        Args:
          folders: as in `found`, which found nothing in them.
        """
        named = [label for label in labels if "mask" in label.lower()]
        if len(named) == 1 < len(labels) and named[0].lower() == "mask":
            return named[0]
        if photos := mask_folders(labels):
            return photos[0]
        return next((_folder_of(mask) for mask, *_ in self._beside(labels, folders)), "")

    def _end_folder(self) -> None:
        names, self._names = self._names, NamesOfOne()
        if names.are_masks:
            self._called.append(names)
        name = names.folder.rpartition("/")[2]
        if tells_of_masks(name) or any(map(may_be_called_so, names.folder.split("/"))):
            self._first[names.folder] = names.first
        if not names.are_twins:
            self._alone |= names.endings
        else:
            self._endings |= {path.rpartition(".")[2] for path, _ in names.twins}
        if names.are_twins and not self._twin:
            self._twin = names.twins[0][0] if self._are_masks(names.twins[:OPENED]) else ""
        pairs = [] if self._pair else names.pairs()
        if pairs and not self._are_all_photos([mask for mask, _ in pairs]):
            self._pair = pairs[0]

    def _holds_photos(self, label: str) -> bool:
        """Whether folders of a class called `face_mask` or so, beside `face`, hold photos."""
        called_so = (paths for folder, paths in self._first.items() if folder.rpartition("/")[2] == label)
        first = [*chain.from_iterable(called_so)]
        return bool(first) and self._are_all_photos(first)

    def _within(self, folders: Iterable[str]) -> list[str]:
        """Folders of masks beside those of images, with those below: `cat/cat_masks`, as `Masks/a`."""
        beside: dict[str, dict[str, None]] = {}
        for folder in sorted(folders):
            names = folder.split("/")
            for depth, name in enumerate(names):
                beside.setdefault("/".join(names[:depth]), {})[name] = None
        found = [
            f"{above}/{name}".removeprefix("/")
            for above, names in beside.items()
            for name in mask_folders([*names])
            if above or is_certain(name)
        ]
        return found if any(self._are_of_images_beside(each, folders) for each in found[:_TOLD]) else []

    def _are_of_images_beside(self, folder: str, folders: Iterable[str]) -> bool:
        """Whether the first files of a folder are no photos, and called like images unless it is named so."""
        below = (paths for each, paths in self._first.items() if f"{each}/".startswith(f"{folder}/"))
        first = next(below, [])
        if not first or self._are_all_photos(first):
            return False
        above, _, name = folder.rpartition("/")
        beside = [each for each in folders if each != folder and each.rpartition("/")[0] == above]
        stem = masked_by(first[0]) or stem_of_path(first[0])
        return is_certain(name) or any(self._image_in(each, stem) for each in beside[:_BESIDE])

    def _below(self) -> list[str]:
        """Folders of masks right below the images that they are of: `a/Label/1_label.png` of `a/1.png`."""
        found: dict[str, list[str]] = {}
        for folder in self._first:
            if tells_of_masks(name := folder.rpartition("/")[2]):
                found.setdefault(name, []).append(folder)
        are_below = (paths for paths in found.values() if all(map(self._are_of_images_above, paths[:_TOLD])))
        return [*chain.from_iterable(are_below)]

    def _are_of_images_above(self, folder: str) -> bool:
        """Whether the first files of a folder are no photos, and each is called like an image above it."""
        first, above = self._first[folder], folder.rpartition("/")[0]
        are_called_so = (any(self._image_in(above, stem) for stem in stems_before(path)) for path in first)
        return bool(first) and all(are_called_so) and not self._are_all_photos(first)

    def _are_photos(self, masks: Sequence[str], image: str) -> bool:
        """Whether files of a class `mask` beside one such as `face` are photos, whatever they are called."""
        if "mask" not in words_of(_folder_of(masks[0])) or say_nothing([_folder_of(image)]):
            return False
        return self._are_all_photos(masks)

    def _are_all_photos(self, paths: Sequence[str]) -> bool:
        """Whether the first of these are photos."""
        from tfrecordcli.images.photo import is_photo  # loads Pillow, which most folders can do without

        return all(is_photo(self._head(path, _LARGEST)) for path in paths[:OPENED])

    def _are_masks(self, twins: Sequence[tuple[str, str]]) -> bool:
        """Whether half of these files and more may be masks of those that they are called like."""
        from tfrecordcli.images.photo import is_no_mask

        heads = ((self._head(path, _LARGEST), self._head(shown, _LARGEST)) for path, shown in twins)
        return 2 * sum(starmap(is_no_mask, heads)) <= len(twins)

    def _beside(self, labels: Collection[str], folders: Collection[str]) -> Iterator[tuple[str, ...]]:
        """A file, its image and other such files, of folders called like masks of images beside them."""
        if any(map(tells_of_faces, labels)):
            return
        masks = {names.folder for names in self._called}
        for names in self._called[:_TOLD]:
            above = names.folder.rpartition("/")[0]
            beside = sorted(
                each for each in folders if each.rpartition("/")[0] == above and each not in masks
            )
            pairs = []
            for number, path in enumerate(names.some):
                images = (self._image_in(each, masked_by(path)) for each in beside[:_BESIDE])
                image = next(filter(None, images), "")
                pairs += [(path, image)] if image else []
                if len(pairs) < NEARLY_ALL * number:
                    break
            if len(pairs) >= NEARLY_ALL * len(names.some):
                yield (*pairs[0], *(path for path, _ in pairs[1:]))

    def _image_beside(self, folder: str, stem: str) -> str:
        """The image of that name where a mask is; empty in a folder that is called after masks, or so."""
        return "" if "mask" in folder.rpartition("/")[2].lower() else self._image_in(folder, stem)

    def _image_in(self, folder: str, stem: str) -> str:
        """The image of that name in a folder; empty when there is none."""
        paths = (f"{folder}/{stem}{extension}".removeprefix("/") for extension in _EXTENSIONS)
        return next((path for path in paths if self._head(path, 1)), "")


def _is_certain(mask: str, image: str) -> bool:
    """Whether a file called like the mask of one in another folder is: `fake/seg_0`, `real/0` may not."""
    words = words_of(_folder_of(mask))
    is_named = tells_of_masks(_folder_of(mask)) or not masked_by(mask).isdecimal()
    return (is_named and _MASKED not in words) or say_nothing([_folder_of(image)])


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]
