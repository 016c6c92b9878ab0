"""Columns of sentences about images, and of texts that are read in them: these are no labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.in_text import is_box_in_brackets
from tfrecordcli.sources.boxes.well_known_text import are_shapes
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.pandas_commands import changed, literal

_FEW_WORDS: Final = 4  # a caption has as many or more, on average
DIFFERENT: Final = 0.9
_CALLED_TEXT: Final = (
    r"(?:.*[\s_-])?(?:texts?|transcri(?:pt(?:ion)?|bed)|ocr|words?|captions?|sentences?"
    r"|plate(?:[\s_-]?(?:number|no|nr|num))?)"
)
_MOSTLY: Final = 0.75  # of texts of one image each, some of which are of the same thing
# Expression of the table of ``t`` with the captions ``c`` of each image ``i`` in one row.
BY_IMAGE: Final = (
    't[c] = t[c].str.strip(); assert not t[c].str.contains("|", regex=False).any(), "a caption has a |"; '
    't.groupby(i, sort=False)[c].agg("|".join).reset_index()'
)


def are_captions(fields: Sequence[str]) -> bool:
    """Whether fields are sentences, nearly all of them different, and no boxes, outlines or run lengths."""
    are_words = any(any(map(str.isalpha, field)) for field in fields)
    if not are_words or any(map(is_box_in_brackets, fields)) or are_shapes(fields):
        return False
    words = sum(len(field.split()) for field in fields)
    return len(fields) > 1 and words >= _FEW_WORDS * len(fields) and len({*fields}) >= DIFFERENT * len(fields)


def are_read(name: str, fields: Sequence[str]) -> bool:
    """Whether a column is called like texts in images, as of number plates, most rows with another one."""
    is_called = re.fullmatch(_CALLED_TEXT, name, re.IGNORECASE) is not None and len(fields) > 1
    return is_called and len({*fields}) >= _MOSTLY * len(fields) and not all(map(NUMBER.fullmatch, fields))


def text_column(columns: Mapping[str, Sequence[str]]) -> str:
    """The first column of captions, or of texts that are read in images; empty where there is none."""
    found = (name for name, each in columns.items() if name and (are_captions(each) or are_read(name, each)))
    return next(found, "")


def storing_texts(column: str, fields: Sequence[str]) -> str:
    """What stores texts that are read in images beside their labels; empty for other columns."""
    stored = command_line(["--features", column])
    return f"; {stored} stores the texts of {column}" if are_read(column, fields) else ""


def captions_hint(
    image: str, images: Sequence[str], column: str, name: str, delimiter: str, *, is_of_captions: bool = True
) -> str:
    """How the images of a list are stored with their captions, or texts, and without labels.

    Args:
      image: the column of images.
      images: its fields; where one comes again it has several captions, which a record holds together.
      column: of the captions.
      name, delimiter: of the list.
    """
    what = f"column {column} holds {'captions' if is_of_captions else 'texts'}, which are no labels"
    how = f"{columns_option([('image_uri', image)])} --unlabelled keep"
    if len({*images}) == len(images):
        as_labels = columns_option([("image_uri", image), ("label", column)])
        otherwise = "" if is_of_captions else f"; {as_labels} makes a class of each"
        return f"{what}: {how} {command_line(['--features', column])} stores them{otherwise}"
    change = f"t.columns = t.columns.str.strip(); i, c = {literal(image)}, {literal(column)}; {BY_IMAGE}"
    features = command_line(["--features", f"{column}:text[|]"])
    command = changed(name, delimiter, change, "by-image")
    first = f"put those of each image into one row: {command}, and convert that with " if command else ""
    return f"{what}; {first}{how} {features}"
