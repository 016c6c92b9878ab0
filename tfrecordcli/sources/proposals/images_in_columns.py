"""Rows of several images, each with a label (`Photo OD,Photo OS,Finding OD,Finding OS`), and of pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, columns_option, looks_like_image
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pairs_of_images import ONE_IMAGE, images_alone, told_pairs
from tfrecordcli.sources.pandas_commands import changed
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.image_columns import images_in, is_called_image
from tfrecordcli.sources.proposals.number_names import is_id
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread
from tfrecordcli.units import some_of

_LAST: Final = re.compile(r"(?P<stem>.*\w)[\W_]+(?P<end>[^\W_]+)")
_FIRST: Final = re.compile(r"(?P<end>[^\W_]+)[\W_]+(?P<stem>.*\w)")
_NAMES: Final = ("image", "label")
# Columns that tell of two images whether they show the same.
_OF_BOTH: Final = re.compile(
    r"(?:(?:is|are)[ _-]?)?(?:same|match(?:es|ing|ed)?|similar(?:ity)?|duplicates?|identical)"
    r"(?:[ _-]?(?:class|face|id|identity|image|item|label|object|pair|person|product|score|subject))?",
    re.IGNORECASE,
)
# Columns of a row of each image: its path, what the column of that was called, the number of its row.
_OF_EACH: Final = ("image", "view", "row")
_Ends = Mapping[str, int]  # what tells columns of a stem apart -> their numbers


def rows_of_images(
    header: Sequence[str], columns: Mapping[str, Sequence[str]], name: str, delimiter: str
) -> str:
    """A hint with the command that makes a row of each image and its label; empty where that is not certain.

    It is where columns of images and as many others are called alike but for the same words at their ends, or
    at their beginnings.

    Args:
      header: of the list.
      columns: name of each column -> its fields, blank ones left out.
      name, delimiter: of the list.
    """
    found = next(filter(None, (_pairs(header, columns, way) for way in (_LAST, _FIRST))), None)
    if found is None:
        return ""
    images, labels = found
    shared = [i for i in range(len(header)) if i not in (*images.values(), *labels.values())]
    if any(header[i].lower() in _NAMES for i in shared):
        return ""
    groups = [[images[end], labels[end]] for end in images]
    code = (
        f'h = next(r); s = {shared}; w.writerow([*(h[i] for i in s), *"{" ".join(_NAMES)}".split()]); '
        f'w.writerows([f[i] for i in (*s, *c)] for f in (f + [""] * {len(header)} for f in r) '
        f"for c in {groups} if f[c[0]].strip())"
    )
    image, label = (header[i] for i in groups[0])
    others = ", ".join(f"{header[one]} and {header[other]}" for one, other in groups[1:])
    alone = columns_option([("image_uri", image), ("label", label)])
    return (
        f"{image} and {label} are an image and its label, as {others} are: "
        f"{made_by('', rows_by(code, delimiter), name)}; {alone} reads {image} alone"
    )


def row_of_each(unread: Unread, images: Sequence[str], given: Sequence[tuple[str, str]]) -> str:
    """What is said of rows of several images with one label: the command that makes a row of each.

    The images of a row stay in one split, by a column called like ids, or by the numbers of the rows.

    Args:
      images: their columns.
      given: (purpose, column) pairs that the user gave.
    """
    header, table = unread.header, unread.table
    places = [header.index(name) for name in images]
    shared = [i for i in range(len(header)) if i not in places]
    if any(header[i].lower() in _OF_EACH for i in shared):
        return ""
    names = [*(header[i] for i in shared), _OF_EACH[0]]
    rows = [[*(row[i] for i in shared), row[places[0]]] for row in table if len(row) == len(header)]
    first, *_ = propose_columns(names, rows, [*given, ("image_uri", _OF_EACH[0])], unread.options.task)
    if first.kind != "label" or not first.has_label:
        return ""
    ids = [header[i] for i in shared if is_id(header[i]) and all(row[i] for row in table if row[i:])]
    code = (
        f"h = next(r); s = {shared}; w.writerow([*(h[i] for i in s), *{json.dumps(_OF_EACH)}]); "
        f'w.writerows([*(f[i] for i in s), f[i], h[i], n] for n, f in enumerate((f + [""] * {len(header)} '
        f"for f in r), 1) for i in {places} if f[i].strip())"
    )
    option = command_line(["--split-by", *ids[:1]] if ids else ["--split-by", _OF_EACH[-1]])
    return (
        f"; where each of {', '.join(images)} shows the label, "
        f"{made_by('', rows_by(code, unread.delimiter), unread.name)}, "
        f"and convert that with {first.options} {option}"
    )


def classes_above_images(
    header: Sequence[str], columns: Mapping[str, Sequence[str]], name: str, delimiter: str
) -> str:
    """A hint with the command for a sheet of a column for each class; empty where it is none.

    All columns have names of images below a word that is not called like these, and no image stands twice.

    Args: as of `rows_of_images`.
    """
    images = [field for fields in columns.values() for field in fields]
    are_classes = all(header) and 1 < len(header) == len(columns) and not any(map(is_called_image, header))
    if not are_classes or not all(columns.values()) or len({*images}) < len(images):
        return ""
    if any(len(images_in(field)) != 1 for field in images):
        return ""
    change = (
        't = t.melt(var_name="label", value_name="image"); '
        't[t["image"].str.strip() != ""][["image", "label"]]'
    )
    command = changed(name, delimiter, change, "images")
    alone = columns_option([("image_uri", header[0])])
    return (
        f"where {some_of(header)} are the labels of the images below them, write a row of each"
        f"{': ' * bool(command)}{command}; {alone} --unlabelled keep reads {header[0]} alone"
    )


def pairs_hint(unread: Unread, label: str) -> str:
    """A hint with the command for rows that tell something of two images; empty where that is not certain.

    Args:
      label: the column of what they tell; empty: there is none.
    """
    header, table = unread.header, unread.table
    fields = {i: column_of(table, i) for i, each in enumerate(header) if each not in ("", label)}
    images = [i for i, each in fields.items() if each and all(map(IMAGE_EXTENSION.search, each))]
    if not label or len(images) <= 1:
        return ""
    one, other, place = *images[:2], header.index(label)
    pairs = told_pairs((row[one], row[other], row[place]) for row in table if len(row) >= len(header))
    if _OF_BOTH.fullmatch(label):
        pairs = pairs or f"{label} is told of {header[one]} and {header[other]}"
    alone = images_alone(images, None, unread.name, unread.delimiter, has_header=True)
    return f"its rows are pairs of images: {pairs}; {ONE_IMAGE}: {alone}" if pairs else ""


def _pairs(
    header: Sequence[str], columns: Mapping[str, Sequence[str]], way: re.Pattern[str]
) -> tuple[_Ends, _Ends] | None:
    """The columns of images, and those of labels, if each are the only ones of these ends."""
    stems: dict[str, dict[str, int]] = {}
    for number, each in enumerate(header):
        if match := way.fullmatch(each):
            stems.setdefault(match["stem"], {})[match["end"]] = number
    several = [ends for ends in stems.values() if len(ends) > 1]
    images = [ends for ends in several if all(_are_images(columns[header[i]]) for i in ends.values())]
    if len(images) != 1:
        return None
    labels = [ends for ends in several if ends.keys() == images[0].keys() and ends != images[0]]
    labels = [ends for ends in labels if _are_alike(ends, header, columns)]
    return (images[0], labels[0]) if len(labels) == 1 else None


def _are_alike(labels: _Ends, header: Sequence[str], columns: Mapping[str, Sequence[str]]) -> bool:
    """Whether these columns have words in common, or numbers, as labels of the same kind have."""
    words = [{*columns[header[i]]} for i in labels.values()]
    return all(words) and bool(set.intersection(*words))


def _are_images(fields: Sequence[str]) -> bool:
    return bool(fields) and all(map(looks_like_image, fields))
