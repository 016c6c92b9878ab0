"""Options that name keys of JSON Lines where none is known, told from what the first lines hold there."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, KNOWN_COLUMNS, columns_option
from tfrecordcli.sources.json.inner_keys import leaves_of
from tfrecordcli.sources.pandas_commands import in_plain_numbers, lines_as_csv
from tfrecordcli.sources.proposals.columns import Proposal, choice, mended, propose_columns
from tfrecordcli.sources.proposals.missing_images import folders_in, has_image

# Keys that tell what images show, whatever they are called.
_TELLING: Final = frozenset({*KNOWN_COLUMNS["label"], "boxes", "objects"})
_LOOKED_FOR: Final = 20  # images
# Names of types of objects that say how a region is written, and not what it shows.
_TYPES: Final = re.compile(
    r"(?:\w+:)?(?:[A-Z]\w*(?:Selector|Body)|(?:Multi)?(?:Point|LineString|Polygon)|Choice|GeometryCollection)"
)


def proposed_keys(lines: Sequence[Mapping[str, Any]], given: Sequence[tuple[str, str]], name: str) -> str:
    """`--columns image_uri=KEY,label=KEY` and what goes with it; empty where the image cannot be told.

    It can where a single key has names of image files in all lines, or one alone of these is called so: one
    of objects within lines, named with dots, where none of the lines themselves has; or else where files by
    the ids of one are there. Keys that begin with `_` are about the line itself, and hold no label.

    Args:
      lines: the first objects.
      given: (purpose, key) pairs that the user gave.
      name: of the file, to whose folder names are relative.
    """
    outer = _images_of(lines)
    lines = [dict(leaves_of(line)) for line in lines]
    images = outer or _images_of(lines)
    if len(images) > 1:
        images = [key for key in images if key.lower() in KNOWN_COLUMNS["image_uri"]]
    image = dict(given).get("image_uri") or (images[0] if len(images) == 1 else "")
    image = image or ("" if images else _id_of_images(lines, os.path.dirname(name) or "."))
    if not image or not lines:
        return ""
    words = [("image_uri", image), *((purpose, key) for purpose, key in given if purpose != "image_uri")]
    keys = _keys_of(lines)
    names = [str(line.get(image)) for line in lines[:_LOOKED_FOR]]
    root = _image_root(names, os.path.dirname(name) or ".")
    found = [] if any(key.lower() in _TELLING for key in keys) else _with_label(keys, lines, words, name)
    if not found:
        return " ".join(filter(None, (columns_option(words), root)))
    rooted = [replace(each, options=" ".join(filter(None, (each.options, root)))) for each in found]
    return choice(mended(rooted, lambda column, how: in_plain_numbers(column, how, name, "")))


def about_images(lines: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The objects of a log that name an image, where most do: the others tell of the log, or of events."""
    told = [line for line in lines if any(map(_names_image, dict(leaves_of(line)).values()))]
    return told if 2 * len(told) > len(lines) else lines


def of_whole_images(options: str) -> str:
    """What takes labels beside boxes that nobody reads, by options for keys; empty where these name none."""
    has_label = "label=" in options and "label=answer" not in options  # of Prodigy, about what was drawn
    return f"for labels of whole images, without boxes: {options}" if has_label else ""


def _keys_of(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for line in lines for key in line))


def _images_of(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys that have names of image files in all lines."""
    return [key for key in _keys_of(lines) if all(_names_image(line.get(key)) for line in lines)]


def _id_of_images(lines: Sequence[Mapping[str, Any]], folder: str) -> str:
    """The key of texts that images in a folder, or in one below it, are called by, but for their endings."""
    shown = lines[:_LOOKED_FOR]
    texts = (key for key in _keys_of(shown) if all(isinstance(line.get(key), str) for line in shown))
    folders = [folder, *folders_in(folder)] if os.path.isdir(folder) else []
    found = (key for key in texts if any(_has_images(below, shown, key) for below in folders))
    return next(found, "")


def _has_images(folder: str, lines: Sequence[Mapping[str, Any]], key: str) -> bool:
    return all(line[key] and "/" not in line[key] and has_image(folder, line[key]) for line in lines)


def _with_label(
    keys: Collection[str], lines: Sequence[Mapping[str, Any]], words: Sequence[tuple[str, str]], name: str
) -> list[Proposal]:
    """What is proposed for a CSV of the same fields, but for what names no label.

    With the command that makes a CSV, which alone has columns of yes and no.
    """
    shown = (key for key in keys if not key.startswith("_") and not _tells_types(key, lines))
    header = [key for key in shown if all(_is_plain(line.get(key)) for line in lines)]
    table = [["" if line.get(key) is None else str(line[key]) for key in header] for line in lines]
    proposals = propose_columns(header, table, words)
    if as_csv := lines_as_csv(name):
        begin = f"make a CSV of it: {as_csv}, and convert that with "
        proposals = [
            replace(each, options=begin + each.options) if each.flags else each for each in proposals
        ]
    return [each for each in proposals if each.column or (each.flags and as_csv)]


def _tells_types(key: str, lines: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a key tells of which type an object in each line is: `target.selector.type`."""
    types = [str(line[key]) for line in lines if line.get(key) is not None]
    return key.rpartition(".")[2].lstrip("@") == "type" and all(map(_TYPES.fullmatch, types))


def _names_image(value: object) -> bool:
    return isinstance(value, str) and IMAGE_EXTENSION.search(value) is not None


def _is_plain(value: object) -> bool:
    """Whether a CSV may have it in a field: no object, nor numbers of a box."""
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return value is None or (isinstance(value, (str, int, float)) and not isinstance(value, bool))


def _image_root(names: Iterable[str], folder: str) -> str:
    """The option for the only folder below the list's that has all these images, unless it has them."""
    files = list(names)
    if not os.path.isdir(folder) or _has_all(folder, files[:1]):
        return ""
    below = [each for each in folders_in(folder) if _has_all(each, files)]
    return command_line(["--image-root", below[0]]) if len(below) == 1 else ""


def _has_all(folder: str, names: Iterable[str]) -> bool:
    return all(os.path.isfile(os.path.join(folder, name)) for name in names)
