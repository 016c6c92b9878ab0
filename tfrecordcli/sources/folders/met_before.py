"""What is met of folders before a listing that was given up would have come to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.inventory import Inventory
from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.units import some_of

_MOST_FOLDERS: Final = 16
_MOST_IMAGES: Final = 5_000


def meet_all(folders: Iterable[str], levels: Levels, inventory: Inventory) -> None:
    """Meets lists right in some folders, and names of images below them, by which these lists are known."""
    some = [*islice(folders, _MOST_FOLDERS)]
    for folder in some:
        levels.look(folder)
    for path in islice(levels.images_below(some), _MOST_IMAGES):
        inventory.meet(path)


def inner_labels(root: str, folders: Sequence[str], levels: Levels) -> str:
    """The command for the only folder with images, where its folders have some right in them; or empty.

    Args:
      root: what paths are relative to.
      folders: that hold images.
    """
    inner = levels.look(folders[0]).folders if len(folders) == 1 else []
    if not inner or not all(levels.look(joined(folders[0], name)).has_images for name in inner):
        return ""
    command = command_line(["tfrec", "convert", as_path(joined(root, folders[0]))])
    return f"{command} OUTPUT_DIR takes {some_of(inner)} for labels; "
