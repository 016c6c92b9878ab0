"""A vocabulary that is given: names in a file, a label_map.pbtxt, the labels of a dataset."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tfrecordcli.dataset.label_map_pbtxt import from_pbtxt, is_pbtxt
from tfrecordcli.dataset.labels import LabelMap, are_numbers, has_control_characters, is_canonical_id, quoted
from tfrecordcli.dataset.manifest_file import load_manifest
from tfrecordcli.errors import InputError, OutputError, UsageError
from tfrecordcli.naming import LABELS, MANIFEST
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.storage.store_path import Place, place_of, why_not_read


def read_labels_file(path: str, label_type: str, first_id: int = 0) -> LabelMap:
    """A fixed vocabulary: one name a line, id = line from ``first_id``; a label_map.pbtxt or manifest.json.

    With ``label_type`` ``id`` the lines are the ids themselves, as in the labels.txt of a dataset whose
    labels were ids.

    Raises:
      what `read_option_file` raises.
      InputError: it is empty, or holds a blank, doubled or unprintable name.
    """
    text = read_option_file("--labels", path, "labels")[1].replace("\r\n", "\n").replace("\r", "\n")
    if place_of(path).name == MANIFEST:
        return _labels_of_dataset(place_of(path), label_type, first_id, path)
    if is_pbtxt(text):
        return LabelMap("name", from_pbtxt(text, path), path)
    names = [line.strip() for line in text.rstrip().split("\n")] if text.strip() else []
    if not names:
        raise InputError(f"{path}: no label in it", "write one label name a line")
    ids: dict[str, int] = {}
    for number, name in enumerate(names):
        if not name or has_control_characters(name):
            raise InputError(f"{path}: line {number + 1}: a label name must not be empty or unprintable")
        if name in ids:
            line = ids[name] + 1
            raise InputError(f"{path}: line {number + 1}: {quoted(name)} is in line {line} already")
        ids[name] = number
    if label_type == "id":
        bad = next((name for name in names if not is_canonical_id(name)), None)
        if bad is not None:
            where = f"{path}: line {ids[bad] + 1}"
            raise InputError(f"{where}: {quoted(bad)} is not an id", "use --label-type name")
        ids = {name: int(name) for name in sorted(names, key=int)}
        return LabelMap("id", ids, path, whole_floats=True)
    return LabelMap("name", {name: number + first_id for name, number in ids.items()}, path)


def _labels_of_dataset(manifest_file: Place, label_type: str, first_id: int, path: str) -> LabelMap:
    """The label map of a dataset, by its manifest.json."""
    try:
        manifest = load_manifest(manifest_file.parent, label_counts=False)
    except OutputError as error:
        raise InputError(error.message, "give its labels.txt or label_map.pbtxt") from error
    kind = manifest.label_kind if manifest else ""
    if not manifest or not manifest.labels:
        raise InputError(f"{path}: a dataset without labels", "give the manifest of one that has some")
    if label_type not in ("auto", kind):
        raise InputError(f"{path}: its labels are {kind}s", f"use --label-type {kind}")
    if kind == "name" and manifest.schema.first_id != first_id:
        labels_file = path.removesuffix(MANIFEST) + LABELS
        raise InputError(
            f"{path}: its ids begin at {manifest.schema.first_id}, those of this list at {first_id}",
            numbered_again(copy_of(labels_file), manifest.labels),
        )
    are_numbered = kind == "id" or are_numbers(manifest.labels)
    return LabelMap("id" if kind == "id" else "name", dict(manifest.labels), path, whole_floats=are_numbered)


def read_option_file(flag: str, path: str, holds: str) -> tuple[bytes, str]:
    """What is in a file that an option names, as it is and as text.

    Raises:
      UsageError: it cannot be read, or is no regular file: what a pipe gives can be read once only, and some
        devices have no end.
      InputError: it is not UTF-8.
      StoreError, OutageError: a store that it is on is in the way.
    """
    try:
        place = place_of(path)
        if isinstance(place, Path) and place.exists() and not place.is_file():
            raise UsageError(f"{flag} {path}: not a regular file", f"save the {holds} in a file first")
        data = place.read_bytes()
        return data, data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    except (OSError, ValueError) as error:  # a ValueError is a path that no file can have
        what, hint = why_not_read(path, error)
        raise UsageError(f"{flag} {path}: {what}", hint) from error


def copy_of(path: str) -> str:
    """The command that makes a file of names of the labels.txt of a dataset, which is no part of it."""
    return f"{command_line(['cp', as_path(path)])} names.txt"


def numbered_again(command: str, names: Iterable[str]) -> str:
    """The hint that numbers these names by their lines in names.txt, which the command makes."""
    kind = " --label-type name" if are_numbers(names) else ""
    return f"to number its names again: {command}, then --labels names.txt{kind}"
