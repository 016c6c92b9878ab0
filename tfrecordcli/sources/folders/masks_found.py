"""What is said of masks that were found among images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.units import join_names


@dataclass(frozen=True, slots=True)
class Masks:
    """Masks among images.

    Attributes:
      what: they are, as messages call them.
      patterns: what --exclude takes to pass over all that are called like them, with what is passed over
        already; there may be none.
      folders: those that hold nothing else.
    """

    what: str
    patterns: tuple[str, ...]
    folders: tuple[str, ...] = ()

    def passing_over(self, options: Sequence[str] = ()) -> str:
        """The options that leave them out, with others; empty where there are none."""
        option = command_line(["--exclude", join_names(self.patterns), *options])
        return f"{option} passes over them" if self.patterns else ""


def masks_met(root: str, found: Masks, insisting: str = "", label_folder: str = "") -> InputError:
    """What is said of masks among images.

    Args:
      insisting: what takes them for images all the same, where that may be.
      label_folder: which folder is the label without them, where that has to be said.
    """
    label = ["--label-folder", label_folder] if label_folder else []
    way = found.passing_over(label) or "--exclude them"
    hint = f"move the masks away or {way}, or convert a CSV that names the images"
    return InputError(
        f"{root}: there are {found.what} among the images, which would become images of their own",
        "; ".join(filter(None, (hint, insisting))),
    )


def masks_taken(found: Masks) -> str:
    """What is said where somebody insists that masks are images."""
    way = found.passing_over()
    return f"there are {found.what} among the images, and they are taken for images{way and f': {way}'}"
