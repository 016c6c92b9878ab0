"""What a file of JSON Lines holds that is not read, or does not hold: refusals, and what to do then."""

from __future__ import annotations

from itertools import islice

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, columns_option, likely_columns
from tfrecordcli.sources.foreign.donkeycar import deleted_records, is_deleted, refusal_of_deleted
from tfrecordcli.sources.json.chats import chat_hint
from tfrecordcli.sources.json.line_file import MOST_UNCLEAR, LineFile
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES
from tfrecordcli.sources.json.line_stream import lines_of
from tfrecordcli.sources.json.nested_boxes import may_be_boxes, unread_boxes
from tfrecordcli.sources.json.number_arrays import storing
from tfrecordcli.sources.proposals.keys_of_lines import about_images, proposed_keys
from tfrecordcli.units import some_of


def need_no_deleted(path: str, encoding: str, file: LineFile) -> None:
    """Refuses a catalog of Donkeycar with records that were deleted.

    Raises:
      InputError: with their number.
    """
    deleted = deleted_records(file.name)
    lines = lines_of(path, file.name, encoding) if deleted else ()
    count = sum(is_deleted(value, deleted) for _, value in lines)
    if count:
        raise refusal_of_deleted(count, file.name, proposed_in(path, encoding, file))


def _unread_boxes(path: str, encoding: str, file: LineFile) -> tuple[str, str, bool]:
    """The key of boxes that are not read under it, and what writes lines which are; both empty: none has.

    And whether these are arrays of objects under a key that is called as boxes are.
    """
    first = [*islice(lines_of(path, file.name, encoding), MOST_UNCLEAR)]
    rows = [value for _, value in first if isinstance(value, dict)]
    are_lines = bool(first) and first[0][0].startswith("line")
    key, hint = unread_boxes(rows, file.name, are_lines=are_lines, has_form=file.box_format is not None)
    return key, hint, may_be_boxes(key) and any(isinstance(row.get(key), list) for row in rows)


def need_no_unread_boxes(path: str, encoding: str, file: LineFile, otherwise: str = "") -> None:
    """Refuses a list of boxes under a key, or in a form, that is not read.

    Args:
      otherwise: what to do where these are not meant, behind the command for them.

    Raises:
      InputError: naming the key.
    """
    key, hint, _ = _unread_boxes(path, encoding, file)
    if key:
        what = "in a form that is not read" if key in PLAIN_BOXES else "which is no name for boxes"
        raise InputError(
            f"{file.name}: its boxes are under {key}, {what}",
            "; ".join(filter(None, (hint, otherwise))),
        )


def boxes_passed_over(path: str, encoding: str, file: LineFile) -> list[str]:
    """A warning of boxes under a key of another name, where a key of labels was named."""
    label = dict(file.columns).get("label", "")
    if not label or file.needs_no_boxes:
        return []
    key, hint, are_told = _unread_boxes(path, encoding, file)
    what = f"boxes under {key} are passed over, for {label} is the label of each image; to have them, {hint}"
    return [what] if key and not are_told else []  # which are warned of themselves


def proposed_in(path: str, encoding: str, file: LineFile) -> str:
    """Options that name keys, by what the first lines hold."""
    values = (value for _, value in lines_of(path, file.name, encoding) if isinstance(value, dict))
    return proposed_keys(about_images([*islice(values, MOST_UNCLEAR)]), file.columns, file.name)


def no_label(path: str, encoding: str, file: LineFile) -> InputError:
    """The refusal of a list in which no line has a label or boxes."""
    # Other lines, as the first one of a log, may be about no image.
    kinds = [(keys, roles) for keys, roles in file.roles.items() if roles.image in keys]
    keys, roles = [*kinds, *file.roles.items()][0]
    known = {roles.image, roles.split, *KNOWN_COLUMNS["label"]}
    free = [key for key in keys if key not in known]
    likely = next((free[i] for i in likely_columns(free, "label")), "")
    chats = chat_hint(keys, file.name)
    option = "" if likely else proposed_in(path, encoding, file)
    tells_label = "label=" in option or "--one-hot" in option
    arrays = "" if likely or tells_label else storing(path, encoding, file, option)
    given = [each for each in file.columns if each[0] != "label"]
    option = option if tells_label else columns_option([*given, ("label", likely or "KEY")])
    says = f"{option}{': one of these' if ', --columns' in option else ''} says which one holds it"
    says = says if option.startswith("--") else option
    says = f"{arrays}; {says}" if arrays else says
    which = f"{chats}; " if chats else f"{says}; " if free else ""
    return InputError(
        f"{file.name}: no line has a label; the keys are {some_of(list(keys), 20)}",
        f"{which}--unlabelled keep takes images without labels",
    )
