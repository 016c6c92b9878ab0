"""A column of images beside one called `id`, by which no file is called, as shops export products."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tfrecordcli.sources.column_words import is_any_id, known_columns, likely_columns
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.proposals.columns import choice, propose_for
from tfrecordcli.sources.proposals.image_columns import images_in, proposed_image
from tfrecordcli.sources.proposals.missing_images import are_below
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns
from tfrecordcli.storage.uris import is_remote


def images_beside_id(header: Sequence[str], table: Table, root: str) -> str:
    """The column in which all fields name images where one called `id` would be taken for it; else empty.

    Args:
      header, table: the first rows.
      root: that images are relative to.
    """
    taken = known_columns(header, "image_uri") or likely_columns(header, "image_uri")
    if not taken or not is_any_id(header[taken[0]]) or is_remote(root):
        return ""
    ids, named = column_of(table, taken[0]), proposed_image(header, table, ())
    images = column_of(table, header.index(named)) if named and not CALLED_MASK.fullmatch(named) else []
    if any(map(images_in, ids)) or not images or not all(map(images_in, images)):
        return ""
    return "" if are_below({*ids}, root, 1) else named


def images_beside_ids_hint(unread: Unread) -> str:
    """The options that name this column, and a label; empty without one, or where the user named some."""
    header, options = unread.header, unread.options
    root = options.image_root or os.path.dirname(unread.name) or "."
    image = "" if options.columns or options.map else images_beside_id(header, unread.table, root)
    given = [("image_uri", image), *given_columns(options)]
    proposals = propose_for(unread, header, given) if image else []
    return f"choose them, as in {choice(proposals)}" if proposals else ""
