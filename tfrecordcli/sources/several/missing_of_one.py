"""Of several sources one whose images are not there, as where each needs an `--image-root` of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.proposals.missing_images import has_image, missing_hint
from tfrecordcli.sources.several.part import SourcePart
from tfrecordcli.sources.several.shared_names import names_in
from tfrecordcli.storage.uris import is_remote

_LOOKED_FOR: Final = 20  # images of each source
_ROOT: Final = "--image-root "


def missing_of_one(parts: Sequence[SourcePart]) -> Iterator[str]:
    """That the first images of one source are not there and those of another are, with the way to both.

    Where all are missing, it is told before the work, as of one source.
    """
    hints = [_missing(part) for part in parts]
    if None not in hints or not all(os.path.exists(part.name) for part in parts):
        return
    datasets = [f"OUTPUT_DIR-{number}" for number in range(1, len(parts) + 1)]
    commands = [
        " ".join(["tfrec convert", _called(part), dataset, *_root_for(part, hint)])
        for part, dataset, hint in zip(parts, datasets, hints, strict=True)
    ]
    commands.append(" ".join(["tfrec convert", *datasets, "OUTPUT_DIR"]))
    for part, hint in zip(parts, hints, strict=True):
        if hint is not None:
            yield (
                f"none of the first images of {part.name} is there: {hint}; --image-root counts for all "
                f"sources, so convert each by itself, then the datasets, with the same other options: "
                f"{'; '.join(commands)}"
            )


def _called(part: SourcePart) -> str:
    return command_line([f"{part.given.split}={part.name}" if part.given.split else part.name])


def _missing(part: SourcePart) -> str | None:
    """Where images of a source may be if none is where it says; None: one is, or it is not certain."""
    root = part.source.image_root
    options = part.source.rows.options
    if is_remote(root) or part.source.is_unpacked or options.map or options.by_split:
        return None
    names = sorted(names_in(part))[:_LOOKED_FOR]
    files = (name.partition("#")[0] for name in names)  # of a record: its file, and its number
    if not names or any(has_image(root, name) for name in (*names, *files)):
        return None
    return missing_hint(names[0], root, names)


def _root_for(part: SourcePart, hint: str | None) -> list[str]:
    """The option that the user gave where it is right, or that a hint ends in."""
    if hint is None:
        given = part.source.rows.options.image_root
        return [command_line(["--image-root", given])] if given else []
    _, option, root = hint.partition(_ROOT)
    return [option + root] if option and ";" not in root else []
