"""Folders of sets that are known by their files, or below folders that hold nothing else."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from typing import Final

from tfrecordcli.sources.folders.entry import is_hidden, is_local_folder, is_loop
from tfrecordcli.sources.folders.image_folders import IMAGES
from tfrecordcli.sources.folders.tree import is_image_name
from tfrecordcli.sources.foreign.birds import need_no_birds
from tfrecordcli.sources.foreign.datumaro import need_no_datumaro
from tfrecordcli.sources.foreign.dlib import need_no_dlib
from tfrecordcli.sources.foreign.fiftyone import need_no_fiftyone
from tfrecordcli.sources.foreign.nu_images import need_no_nu_images
from tfrecordcli.sources.foreign.open_images import need_no_open_images
from tfrecordcli.sources.foreign.pets import need_no_pets
from tfrecordcli.sources.foreign.stylegan import need_no_stylegan
from tfrecordcli.sources.foreign.voc_without_ending import need_no_voc_without_ending
from tfrecordcli.sources.foreign.wider_face import need_no_wider_face

_SETS: Final = (
    need_no_pets,
    need_no_open_images,
    need_no_stylegan,
    need_no_dlib,
    need_no_fiftyone,
    need_no_datumaro,
    need_no_nu_images,
)
_ENTRIES: Final = 100  # a folder of more holds something else
_DEPTH: Final = 3
_FOLDERS: Final = 8  # side by side, of which one may be the set: CUB's segmentations are another
_OF_LABELS: Final = "--label-folder last takes folders for labels, whatever the split of their images"


def need_no_known_set(folder: str, skip: str, *, has_labels: bool, may_have_boxes: bool) -> None:
    """Refuses a local folder of a well-known set, or one around it.

    Args:
      skip: real path of a folder in it that is left out.
      has_labels: whether it was said which folders are labels.
      may_have_boxes: whether these may be wanted.

    Raises:
      InputError: with what converts it.
    """
    places = [folder]
    inner = _folders_in(folder, skip)
    while len(inner) == 1 and len(places) <= _DEPTH:
        places += inner
        inner = _folders_in(inner[0], skip)
    if may_have_boxes:
        for place in places:
            need_no_wider_face(place)
    if has_labels:
        return
    for place in places if may_have_boxes else ():
        need_no_voc_without_ending(place)
    name = os.path.basename(os.path.abspath(folder))
    around = [os.path.normpath(os.path.join(folder, os.pardir))] * (name.lower() in IMAGES)
    for place in (*places, *inner[:_FOLDERS], *around):
        need_no_birds(place, _OF_LABELS)
    for place in places:
        for need_no_set in _SETS:
            need_no_set(place)


def _folders_in(folder: str, skip: str) -> list[str]:
    """The folders in one that holds no images, and little else; of any other none."""
    entries = []
    with suppress(OSError), os.scandir(folder) as found:  # one that cannot be read is told of by the listing
        entries = [entry for entry in islice(found, _ENTRIES) if not is_hidden(entry.name)]
    if len(entries) == _ENTRIES or any(is_image_name(entry.name) for entry in entries):
        return []
    inner = (each.path for each in entries if is_local_folder(each) and not is_loop(each))
    return sorted(path for path in inner if os.path.realpath(path) != skip)
