"""The vocabulary that a user gives, with the ids that its file tells: none of them changes without a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.dataset.label_map_pbtxt import is_pbtxt
from tfrecordcli.dataset.labels import LabelMap, are_numbers, has_control_characters, quoted
from tfrecordcli.dataset.labels_file import copy_of, numbered_again, read_labels_file
from tfrecordcli.dataset.manifest_file import load_manifest
from tfrecordcli.errors import InputError, OutputError
from tfrecordcli.naming import LABELS, MANIFEST
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.storage.store_path import place_of

# Characters of a command that a hint has names in: those of some hundred.
_LONGEST_COMMAND: Final = 2000
_LINES: Final = r"%s\n"


def read_given_labels(path: str, label_type: str, first_id: int = 0) -> LabelMap:
    """As `read_labels_file`, for a list whose ids begin at ``first_id``.

    Raises:
      InputError: also where records cannot have the ids that the file, or the dataset that it is of, tells.
    """
    labels = read_labels_file(path, label_type, first_id)
    if labels.kind == "id":
        return labels
    if label_type == "auto" and place_of(path).name != MANIFEST:  # a manifest tells what its labels are
        _need_no_ids(labels, first_id)
    numbers = [*labels.ids.values()]
    if numbers[0] < first_id or (not first_id and numbers != [*range(len(numbers))]):
        raise InputError(
            f"{path}: {_told(labels)}, those of this list {'begin at 1' if first_id else 'are 0, 1, 2, …'}",
            _names_again([*labels.ids]),
        )
    return _beside_manifest(labels, label_type, first_id) if place_of(path).name == LABELS else labels


def _told(labels: LabelMap) -> str:
    numbers = [*labels.ids.values()]
    gaps = numbers[-1] - numbers[0] >= len(numbers)
    return f"its ids begin at {numbers[0]}{' and have gaps' if gaps else ''}"


def _names_again(names: Sequence[str]) -> str:
    """What numbers names by their lines: a command, where it is short and the file is read as these names."""
    command = f"{command_line(['printf', _LINES, *names])} > names.txt"
    are_lines = all(name == name.strip() and not has_control_characters(name) for name in names)
    if len(command) > _LONGEST_COMMAND or not are_lines or is_pbtxt("\n".join(names)):
        return (
            "to number its names again, leave out --labels: ids are in the order of their letters; or give a "
            "file of names, one a line"
        )
    return numbered_again(command, names)


def _need_no_ids(labels: LabelMap, first_id: int) -> None:
    """Refuses lines that are other numbers than their own."""
    if not are_numbers(labels.ids):
        return
    other = next((name for name, number in labels.ids.items() if int(name) != number), None)
    if other is not None:
        raise InputError(
            f"{labels.source}: its lines are numbers: is {other} the id {other}, or a name with the id "
            f"{labels.ids[other]}?",
            f"--label-type id takes them for ids; --label-type name numbers the lines from {first_id}",
        )


def _beside_manifest(labels: LabelMap, label_type: str, first_id: int) -> LabelMap:
    """Lines of the labels.txt of a dataset, with a note where its own ids only begin elsewhere.

    Ids that are asked to be names, and lines beside a manifest that cannot be read, are numbered as they are.

    Raises:
      InputError: a name has another id there, as in lines in another order or of ids with gaps.
    """
    path = labels.source
    try:
        manifest = load_manifest(place_of(path).parent, label_counts=False)
    except OutputError as error:
        return labels.with_note(f"{path}: label ids are its lines from {first_id}; {error.message}")
    if manifest is None or (label_type, manifest.label_kind) == ("name", "id"):
        return labels
    told = manifest.labels
    both = {name: number for name, number in told.items() if name in labels.ids}
    if all(number == labels.ids[name] for name, number in both.items()):
        return labels
    first = min(told.values())
    odd = next((name for name in both if both[name] - first != labels.ids[name] - first_id), "")
    if not odd:
        return labels.with_note(f"{path}: label ids begin at {first_id}; those of its dataset at {first}")
    keeps = manifest.schema.first_id == first_id and (first_id or max(told.values()) < len(told))
    keep = f"--labels {as_path(path.removesuffix(LABELS) + MANIFEST)} keeps its ids; " if keeps else ""
    raise InputError(
        f"{path}: {quoted(odd)} has the id {both[odd]} in its dataset, and {labels.ids[odd]} by its line",
        keep + numbered_again(copy_of(path), labels.ids),
    )
