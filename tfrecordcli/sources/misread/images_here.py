"""URLs that a list is read by, where another column names files that are here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import columns_option, without_extension
from tfrecordcli.sources.csv_file import RowFile
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
    if not urls or not all(map(is_remote, urls)):
        return
    named = {name: _names_in(fields) for name, fields in sample.unread(bool).items()}
    there = {*names_below({*chain.from_iterable(named.values())}, root)}
    for name, names in named.items():
        if len(names) >= _FEWEST and 2 * len(names & there) > len(names):
            image = shape.header[shape.image]
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
