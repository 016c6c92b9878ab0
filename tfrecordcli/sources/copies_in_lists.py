"""Copies made of images that a list names beside these, told by names: they belong into one split."""

from __future__ import annotations

from collections.abc import Sequence

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import GROUP, MORE, PREVENTING, copies_told
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import sample_of


def listed_copies_doubt(rows: RowFile) -> str:
    """What to know of copies that are assigned to splits one by one; empty where names tell of none.

    Args:
      rows: of a list of images that gives no `--split-by`.
    """
    if rows.is_listing or rows.is_spooled:
        return ""
    sample = sample_of(rows)
    told = copies_told(dict.fromkeys(uri for _, uri, _ in sample.words if uri))
    if not told:
        return ""
    return f"{told}: {_grouped(sample.shape.header, sample.shape.image, rows) or PREVENTING}"


def _grouped(header: Sequence[str], image: int | None, rows: RowFile) -> str:
    """The command that writes such a column; empty for a list without a header."""
    if not header or image is None:
        return ""
    stems = f't[{literal(header[image])}].str.replace(r"[.][^./]*$", "", regex=True)'
    change = f't["{GROUP}"] = {stems}.str.replace({literal(MORE)}, "", regex=True); t'
    command = changed(rows.name, rows.shape().delimiter, change, "groups")
    return (
        f"write what each is made of: {command}, and convert that with --split-by {GROUP}" if command else ""
    )
