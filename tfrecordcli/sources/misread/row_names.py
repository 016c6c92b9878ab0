"""Images that stand one field late, behind numbers of rows that the header has no name for."""

from __future__ import annotations

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.row_names import ROW_NAMES, have_row_names, naming_row_names
from tfrecordcli.sources.sample import Sample


def need_no_row_names(sample: Sample, name: str) -> None:
    """Refuses rows that all begin with their number, behind which their images stand one field late.

    Raises:
      InputError: with the command that gives the numbers a name.
    """
    image = sample.shape.image
    if (image is None and not sample.shape.is_table) or not have_row_names(sample.shape.header, sample.table):
        return
    if image is not None:
        are_late = all(map(looks_like_image, sample.fields(image + 1)))
        if not are_late or any(map(looks_like_image, sample.fields(image))):
            return
    raise InputError(ROW_NAMES, naming_row_names(sample.shape.delimiter, name))
