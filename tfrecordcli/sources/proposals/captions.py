"""Columns of sentences about images: these are captions, which are no labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.pandas_commands import changed, literal

_FEW_WORDS: Final = 4  # a caption has as many or more, on average
DIFFERENT: Final = 0.9
# Expression of the table of ``t`` with the captions ``c`` of each image ``i`` in one row.
BY_IMAGE: Final = (
    't[c] = t[c].str.strip(); assert not t[c].str.contains("|", regex=False).any(), "a caption has a |"; '
    't.groupby(i, sort=False)[c].agg("|".join).reset_index()'
)


def are_captions(fields: Sequence[str]) -> bool:
    """Whether fields are sentences, nearly all of them different."""
    words = sum(len(field.split()) for field in fields)
    return len(fields) > 1 and words >= _FEW_WORDS * len(fields) and len({*fields}) >= DIFFERENT * len(fields)


def captions_hint(image: str, images: Sequence[str], column: str, name: str, delimiter: str) -> str:
    """How the images of a list are stored with their captions and without labels.

    Args:
      image: the column of images.
      images: its fields; where one comes again it has several captions, which a record holds together.
      column: of the captions.
      name, delimiter: of the list.
    """
    what = f"column {column} holds captions, which are no labels"
    how = f"{columns_option([('image_uri', image)])} --unlabelled keep"
    if len({*images}) == len(images):
        return f"{what}: {how} {command_line(['--features', column])} stores them"
    change = f"t.columns = t.columns.str.strip(); i, c = {literal(image)}, {literal(column)}; {BY_IMAGE}"
    features = command_line(["--features", f"{column}:text[|]"])
    command = changed(name, delimiter, change, "by-image")
    first = f"put those of each image into one row: {command}, and convert that with " if command else ""
    return f"{what}; {first}{how} {features}"
