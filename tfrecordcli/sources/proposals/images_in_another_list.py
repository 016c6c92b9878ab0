"""Images that another list beside this one names by an id which both have, as tables of a database do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, columns_option, known_columns
from tfrecordcli.sources.pandas_commands import beside, literal, python_command, table
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.tables_beside import (
    Link,
    columns_of_csv,
    link_to_classes,
    links_to_images,
)
from tfrecordcli.sources.proposals.unread import Unread, given_columns
from tfrecordcli.storage.uris import is_remote

# Columns that paths of images are written into: the first that the list does not have.
_IMAGES: Final = ("image_uri", "image_path", "image_of_id")
_NAME: Final = "label"  # of the column that the names of classes are written into


def images_in_another_list_hint(unread: Unread) -> str:
    """The command that joins the two lists; empty where it is not certain that one other names the images."""
    if unread.options.image_root or "image_uri" in dict(unread.options.columns):
        return ""
    return images_of_ids_hint(unread)


def images_of_ids_hint(unread: Unread, image: str = "", label: str = "") -> str:
    """The same of a list whose images are called by ids, so that none of them is found.

    Args:
      image, label: their columns; empty: none is known.
    """
    header = unread.header
    root = unread.options.image_root or os.path.dirname(unread.name) or "."
    if unread.delimiter != "," or not os.path.isfile(unread.name) or is_remote(root):
        return ""
    if any(any(map(IMAGE_EXTENSION.search, column_of(unread.table, i))) for i in range(len(header))):
        return ""
    ids = {
        name: {*column_of(unread.table, i)} - {""}
        for i, name in enumerate(header)
        if name and name != label and (name == image or name.lower().endswith("id"))
    }
    found = links_to_images(unread.name, ids, root)
    others, links = [other for other, _ in found], {link for _, link in found}
    if len(links) != 1 or len({*others}) < len(others):
        return ""
    (link,) = links
    classes = _classes(unread, label)
    target = beside(unread.name, "joined")
    command = python_command(_joining(unread, others, link, classes, target), unread.name)
    options = _options(unread, link, label, has_names=classes is not None)
    convert = f"{command_line(['tfrec', 'convert', target])} OUTPUT_DIR{options}"
    names = " and ".join(map(os.path.basename, others))
    by = link.own if link.own == link.key else f"{link.key} ({link.own} here)"
    what = f"{names} name{'s' * (len(others) == 1)} images in {link.named}, by {by}"
    what += f", and {os.path.basename(classes[0])} classes in {classes[1].named}" if classes else ""
    count = len(others) + bool(classes)
    return f"{what}: join {'the two' if count == 1 else 'them'}: {command}; then: {convert}"


def _classes(unread: Unread, label: str) -> tuple[str, Link] | None:
    """The table that names the classes of a list, and how; None where none does."""
    if not label or _NAME in unread.header:
        return None
    return link_to_classes(unread.name, label, {*column_of(unread.table, unread.header.index(label))} - {""})


def _joining(
    unread: Unread, others: Sequence[str], link: Link, classes: tuple[str, Link] | None, target: str
) -> str:
    """Python that writes all rows of the list with the image of each, also those without one.

    Of the other lists it takes the split, too, and what else is an id, to keep together what has the same.
    """
    columns = [columns_of_csv(other) for other in others]
    further = [
        name
        for name in columns[0]
        if name not in (*unread.header, link.key, link.named)
        and all(name in each for each in columns)
        and (known_columns([name], "split") or name.lower().endswith("id"))
    ]
    images = [_named(other, link, _images_in(unread), further) for other in others]
    whole = images[0] if len(images) == 1 else f"pd.concat([{', '.join(images)}]).drop_duplicates()"
    names = _merged(_named(*classes, _NAME), classes[1]) if classes else ""
    return (
        f'import pandas as pd; t = {table(unread.name)}; t = t.loc[:, (t != "").any()]; m = {whole}; '
        f'm = m[m[{literal(link.own)}] != ""]; t{_merged("m", link)}{names}'
        f'.to_csv({literal(target)}, index=False, mode="x")'
    )


def _images_in(unread: Unread) -> str:
    return next(name for name in _IMAGES if name not in unread.header)


def _named(other: str, link: Link, purpose: str, further: Sequence[str] = ()) -> str:
    """Python that reads ids and what these name from another table, called as in the list that is made."""
    columns = ", ".join(map(literal, (link.key, link.named, *further)))
    called = {link.key: link.own, link.named: purpose}
    pairs = ", ".join(f"{literal(old)}: {literal(new)}" for old, new in called.items() if old != new)
    return f"{table(other)}[[{columns}]].rename(columns={{{pairs}}})"


def _merged(other: str, link: Link) -> str:
    return f'.merge({other}, how="left", on={literal(link.own)}, validate="many_to_one")'


def _options(unread: Unread, link: Link, label: str, *, has_names: bool) -> str:
    """What converts the joined list as this one was to be, with the label where its column can be told."""
    options, given = unread.options, given_columns(unread.options)
    proposed = propose_columns(unread.free, unread.table, [*given, ("image_uri", link.own)], options.task)
    labels = [] if label or "label" in dict(given) else [each.column for each in proposed if each.column]
    labels = [_NAME] if has_names else labels
    taken = ("image_uri", "label") if has_names else ("image_uri",)
    named = [each for each in options.columns if each[0] not in taken]
    named += [("image_uri", _images_in(unread))] if known_columns(unread.header, "image_uri") else []
    named += [("label", each) for each in labels[:1]]
    task = ["--task", options.task] if options.task != "auto" else []
    unlabelled = ["--unlabelled", options.unlabelled] if options.unlabelled != "error" else []
    folder = link.root or options.image_root
    root = ["--image-root", folder] if folder else []
    words = columns_option(named) if named else "", command_line([*task, *unlabelled, *root])
    return "".join(f" {each}" for each in words if each)
