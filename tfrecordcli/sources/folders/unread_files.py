"""Files that no reader takes and that may matter: of kinds that hold images, or called like images."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES
from tfrecordcli.sources.folders.video_files import frames_of, is_video
from tfrecordcli.sources.folders.words_beside import list_of_words
from tfrecordcli.storage.files import open_regular
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural

_TOLD: Final = 5
_AS_BOXES: Final = command_line(["--task", "detection"])
# Kinds of files that may hold images, and no reader takes.
_IMAGES: Final = re.compile(
    r"\.(?:svgz?|exr|hdr|pdf|eps|dcm|dicom|nii(?:\.gz)?|dng|cr[23]|nef|arw|orf|rw2)$",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")
_MOST: Final = 50  # endings
# What cameras and programs put beside photos, and tells of nothing that these show.
_OF_PROGRAMS: Final = frozenset({".aae", ".thm", ".xmp", ".pp3", ".md5", ".sha1", ".sha256"})
# Data that may describe a folder, unless it is called like what people write for people.
_DATA: Final = frozenset({".json", ".csv", ".tsv", ".txt", ".xml", ".yaml", ".yml", ".mat"})
_FOR_PEOPLE: Final = re.compile("(?:read|about|licen[cs]e|notes?|source|credits?|url).*", re.IGNORECASE)
_LOOKED_AT: Final = 1_000  # names of images, and of files of one kind
_SOME: Final = 3  # files called like images
# Endings of texts for people.
_WORDS: Final = (".txt", ".caption", ".tags")
_IN_COLUMNS: Final = "write what is wanted of it into a CSV that lists the images"


class UnreadFiles:
    """What was passed over in a listing, by the names of the images in it."""

    def __init__(self) -> None:
        self._of_images: list[str] = []
        self._videos: list[str] = []
        self._framed: set[str] = set()  # videos after which images are called
        self._images: set[str] = set()  # names, with and without their endings, of the first ones
        self._files: dict[str, dict[str, str]] = {}  # the first ones, by ending and name without it
        self._counts = Counter[str]()  # of files by their endings
        self._by_folder: dict[str, dict[str, list[str]]] = {}  # data, by ending and folder, the first ones
        self._alike: dict[str, set[str]] = {}  # by ending, the names that images have, too

    def add(self, path: str) -> None:
        """Takes in a file or folder that was passed over."""
        name = path.rpartition("/")[2]
        stem, ending = os.path.splitext(name)
        if name.startswith("."):
            return
        if _IMAGES.search(path):
            self._of_images.append(repr(path)[1:-1])
        elif is_video(path):
            self._videos.append(repr(path)[1:-1])
        elif ending in self._files or (
            len(self._files) < _MOST and _ENDING.fullmatch(ending) and ending.lower() not in _OF_PROGRAMS
        ):
            self._add_file(path, stem, ending)

    def _add_file(self, path: str, stem: str, ending: str) -> None:
        """Takes in one that may be called like an image."""
        self._counts[ending] += 1
        if ending in _DATA and not _FOR_PEOPLE.fullmatch(stem):
            folders = self._by_folder.setdefault(ending, {})
            folder = path.rpartition("/")[0]
            if folder in folders or len(folders) < _LOOKED_AT:
                folders.setdefault(folder, []).append(path)
        files = self._files.setdefault(ending, {})
        if len(files) < _LOOKED_AT:
            files.setdefault(stem, path)
            if stem in self._images:
                self._alike.setdefault(ending, set()).add(stem)

    def add_image(self, path: str) -> None:
        """Takes in an image."""
        if is_video(video := path.rpartition("-")[0]):
            self._framed.add(repr(video)[1:-1])
        if not self._files and len(self._images) >= _LOOKED_AT:
            return
        name = path.rpartition("/")[2]
        names = name, os.path.splitext(name)[0]
        if len(self._images) < _LOOKED_AT:
            self._images.update(names)
        for ending, files in self._files.items():
            self._alike.setdefault(ending, set()).update(files.keys() & names)

    def doubts(self, told: Collection[str], folders: Collection[str], root: str) -> Iterator[str]:
        """What is said of them.

        Args:
          told: what is said of files already.
          folders: those of the images that have labels.
          root: the folder that was listed.
        """
        if self._of_images:
            files = plural(len(self._of_images), "file")
            yield (
                f"passed over {files} of kinds that are not read and may hold images: "
                f"{_shown(self._of_images)}; write them as PNG first where they are wanted"
            )
        if videos := [path for path in self._videos if path not in self._framed]:
            yield (
                f"passed over {plural(len(videos), 'video')}: {_shown(videos)}; where they are wanted, "
                f"{frames_of(videos, root)}"
            )
        for ending, names in self._alike.items():
            files_of_kind = self._files[ending]
            are_few = len(names) < _SOME or 2 * len(names) < len(files_of_kind)
            if are_few or any(ending in doubt for doubt in told):
                continue
            path = files_of_kind[min(names)]
            example = repr(path)[1:-1]
            if _holds_boxes(root, path):
                yield (
                    f"{plural(self._counts[ending], 'file')} called like images ({example}, …) hold boxes of "
                    f"Pascal VOC: passed over, as folders are taken for labels; {_AS_BOXES} reads the boxes"
                )
                continue
            leaves_out = command_line(["--exclude", f"*{ending}"])
            paths = [files_of_kind[name] for name in sorted(names) if name in files_of_kind]
            listed = list_of_words(root, paths, ending) if ending in _WORDS else ""
            yield (
                f"{plural(self._counts[ending], 'file')} called like images ({example}, …): passed over, "
                f"whatever they tell of these; {listed or _IN_COLUMNS}; "
                f"{leaves_out} where nothing of it is wanted"
            )
        for ending, by_folder in self._by_folder.items():
            own = [by_folder.get(folder, []) for folder in sorted(folders)[:_LOOKED_AT]]
            is_one_each = len(own) >= _SOME and all(len(paths) == 1 for paths in own)
            if is_one_each and not any(ending in doubt for doubt in told):
                example = repr(own[0][0])[1:-1]
                yield (
                    f"each folder of a label holds a {ending} of its own ({example}, …): passed over, "
                    "whatever it tells of the images; a CSV that lists these has that in columns"
                )


def _holds_boxes(root: str, path: str) -> bool:
    """Whether a file is XML of Pascal VOC with a box, whatever its folder is called."""
    if is_remote(root) or not path.lower().endswith(".xml"):
        return False
    try:
        with os.fdopen(open_regular(os.path.join(root, path)), "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return b"<annotation" in head and b"<bndbox>" in head


def _shown(paths: Collection[str]) -> str:
    return ", ".join(sorted(paths)[:_TOLD]) + ", …" * (len(paths) > _TOLD)
