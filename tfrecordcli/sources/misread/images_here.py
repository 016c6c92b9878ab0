"""URLs that a list is read by, where another column names files that are here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, columns_option, without_extension
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.own_list import OwnList
from tfrecordcli.sources.proposals.missing_images import names_below
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote, public_uri

_LOOKED_AT: Final = 20  # names
_FEWEST: Final = 2


def need_no_files_here(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses rows whose images were fetched from the web though files are here that a column names.

    What is meant is not certain: the web may have other images by now, or none.

    Args:
      root: absolute folder or URL that relative image paths are relative to.

    Raises:
      InputError: with the options for either.
    """
    shape, given = sample.shape, rows.options.columns
    if (
        rows.is_spooled
        or is_remote(root)
        or not shape.header
        or shape.image is None
        or "image_uri" in dict(given)
    ):
        return
    urls = [uri for _, uri, _ in sample.words if uri]
    _need_none(urls, sample.unread(bool), root, shape.header[shape.image], given)


def need_no_files_in_keys(uris: Iterable[str], own: OwnList, options: ReadOptions, root: str) -> None:
    """The same of a list in JSON.

    Args:
      uris: of its first images.
      root: as of `need_no_files_here`.
    """
    keys = sorted(key for key in own.findings.columns if key.lower() in KNOWN_COLUMNS["image_uri"])
    if len(keys) == 1 and not is_remote(root) and "image_uri" not in dict(options.columns):
        _need_none([*uris], own.extras, root, keys[0], options.columns)


def _need_none(
    urls: Sequence[str],
    others: Mapping[str, Iterable[str]],
    root: str,
    image: str,
    given: Sequence[tuple[str, str]],
) -> None:
    """Refuses URLs where another column names files that are here.

    Args:
      others: texts by column.
      image: the column of the URLs.
      given: columns that were named.
    """
    if not urls or not all(map(is_remote, urls)):
        return
    named = {name: _names_in(fields) for name, fields in others.items()}
    there = {*names_below({*chain.from_iterable(named.values())}, root)}
    for name, names in named.items():
        if len(names) >= _FEWEST and 2 * len(names & there) > len(names):
            here, web = (columns_option([("image_uri", each), *given]) for each in (name, image))
            raise InputError(
                f"images would be read from {image}, as {public_uri(urls[0])}, and {name} names files that "
                "are here",
                f"{here} reads these; {web} those of the web",
            )


def _names_in(fields: Iterable[str]) -> set[str]:
    """The first names of files in a column, without extensions."""
    first = islice(dict.fromkeys(filter(None, fields)), _LOOKED_AT)
    return {without_extension(os.path.basename(each)) for each in first}
