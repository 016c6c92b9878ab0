"""Labels that are sentences, as captions are: refused, with what stores them beside the images."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import CONTENT_COLUMN, columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_list
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.captions import BY_IMAGE, DIFFERENT
from tfrecordcli.sources.said_labels import says_labels, says_names
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.unmatched import is_of_rejects

# Words of a field, and of what commas part in it, on average: tags between commas have fewer.
_SOME_WORDS, _WORDS_IN_PART, _SOME_ROWS = 5, 2.5, 3
_SIGN: Final = re.compile("[,;|]")
_NAME: Final = "caption"


def need_no_captions(sample: Sample, rows: RowFile) -> None:
    """Refuses labels that are sentences, another one in nearly every row.

    Raises:
      InputError: with what stores them as captions, and what takes them for labels.
    """
    options = rows.options
    if says_labels(options) or says_names(options) or options.label_separator is not None:
        return
    if CONTENT_COLUMN in sample.shape.header or is_of_rejects(sample.shape.header):
        return
    fields = [name for _, _, names in sample.words for name in names if name]
    if not _are_sentences(fields) or any(len(names) > 1 for _, _, names in sample.words):
        return
    raise InputError(
        f"labels are sentences, another one in each row, as {quoted(fields[0])}: are they captions?",
        f"{_as_captions(sample, rows)}; where each word is a label, --label-separator blank parts them; "
        "--label-type name makes a class of each",
    )


def _are_sentences(fields: Sequence[str]) -> bool:
    if len(fields) < _SOME_ROWS or len({*fields}) < DIFFERENT * len(fields) or any(map(is_list, fields)):
        return False
    # Blanks alone part words: `Tomato_Yellow_Leaf_Curl_Virus` is one.
    words = sum(any(map(str.isalpha, word)) for field in fields for word in field.split())
    parts = sum(len(_SIGN.split(field)) for field in fields)
    return words >= _SOME_WORDS * len(fields) and words >= _WORDS_IN_PART * parts


def _as_captions(sample: Sample, rows: RowFile) -> str:
    """How such texts are stored beside the images."""
    shape, how = sample.shape, f"--unlabelled keep --features {_NAME}"
    if rows.is_spooled:
        return f"call their key {_NAME}, and convert that with {how}"
    if not shape.header:
        return captions_below_no_header(rows, have_splits=all(word for word, _, _ in sample.words))
    assert shape.image is not None
    images = sample.fields(shape.image)
    are_several = len({*images}) < len(images)
    column = shape.header[shape.labels[0]]
    keys = [shape.header[i] for i in (shape.image, shape.split) if i is not None]
    change = (
        f"t.columns = t.columns.str.strip(); i, c = [{', '.join(map(literal, keys))}], {literal(_NAME)}; "
        f"t = t.rename(columns={{{literal(column)}: c}}); {BY_IMAGE if are_several else 't'}"
    )
    command = changed(rows.name, shape.delimiter, change, "captions")
    how = f"{command_line(['--features', f'{_NAME}:text[|]'])} --unlabelled keep" if are_several else how
    given = rows.options.columns
    named = f"{columns_option(given)} " * bool(given)
    return f"call that column {_NAME}{': ' * bool(command)}{command}, and convert that with {named}{how}"


def captions_below_no_header(rows: RowFile, *, have_splits: bool) -> str:
    """How the texts of a list without a header are stored beside its images.

    Args:
      have_splits: whether its rows begin with their split.
    """
    names = f"{'split,' * have_splits}image,{_NAME}"
    command = made_by(names, as_commas(rows.shape().delimiter), rows.name)
    return f"{command}, and convert that with --unlabelled keep --features {_NAME}"
