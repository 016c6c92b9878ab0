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
_MAP: Final = "--map "


def missing_of_one(parts: Sequence[SourcePart]) -> Iterator[str]:
    """That the first images of one source are not there and those of another are, with the way to both.

    Where all are missing, it is told before the work, as of one source; here if each needs another root.
    """
    hints = [_missing(part) for part in parts]
    need_one = None not in hints and len({_root_in(hint or "") for hint in hints} - {""}) < len(parts)
    if need_one or not all(os.path.exists(part.name) for part in parts):
        return
    roots = [_root_for(part, hint) for part, hint in zip(parts, hints, strict=True)]
    given = parts[0].source.rows.options.image_root  # without which images may be there
    are_found = all(_MAP not in hint and (given or _root_in(hint)) for hint in hints if hint is not None)
    ways = "" if not are_found else _in_one_call(parts, hints) or _each_by_itself(parts, roots)
    for part, hint in zip(parts, hints, strict=True):
        if hint is not None:
            yield f"none of the first images of {part.name} is there: {hint}{ways}"


def _in_one_call(parts: Sequence[SourcePart], hints: Sequence[str | None]) -> str:
    """The command for all, where a split tells each source whose images are not there from the others."""
    splits = [part.given.split for part in parts]
    missing = {split for split, hint in zip(splits, hints, strict=True) if hint is not None}
    if not all(_root_in(hint) for hint in hints if hint is not None) or not all(
        split and splits.count(split) == 1 for split in missing
    ):
        return ""
    given = parts[0].source.rows.options.image_root
    roots = [command_line(["--image-root", given])] if given else []
    for split, hint in zip(splits, hints, strict=True):
        roots += [f"{_ROOT}{split}={_root_in(hint)}"] if hint is not None else []
    command = " ".join(["tfrec convert", *map(_called, parts), "OUTPUT_DIR", *roots])
    return f"; for all, with the same other options: {command}"


def _each_by_itself(parts: Sequence[SourcePart], roots: Sequence[Sequence[str]]) -> str:
    datasets = [f"OUTPUT_DIR-{number}" for number in range(1, len(parts) + 1)]
    commands = [
        " ".join(["tfrec convert", _called(part), dataset, *root])
        for part, dataset, root in zip(parts, datasets, roots, strict=True)
    ]
    commands.append(" ".join(["tfrec convert", *datasets, "OUTPUT_DIR"]))
    return (
        "; --image-root counts for all sources, so convert each by itself, then the datasets, with the same "
        f"other options: {'; '.join(commands)}"
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
    root = _root_in(hint)
    return [_ROOT + root] if root else []


def _root_in(hint: str) -> str:
    """As the shell has it; empty where a hint does not end in it."""
    root = hint.partition(_ROOT)[2]
    return root if ";" not in root else ""
