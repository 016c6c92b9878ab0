"""A header of two lines, or below a title: refused with the command that mends the list."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from glob import escape, glob
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, is_header, looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.further_columns import NO_VALUE
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.rule_lines import without_rule
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.title_lines import without_lines

_FEW: Final = 2
_SEVERAL: Final = 3  # rows
# What pandas calls the columns that `describe`, `agg` and `pivot_table` make, in a second line.
_STATISTICS: Final = re.compile(
    r"count|n?unique|mean|median|mode|std|sem|var|skew|mad|a?min|a?max|sum|prod|size|first|last|quantile"
    r"|[0-9.]+%|idxm(?:in|ax)|top|freq|<lambda.*>"
)


def need_no_title(sample: Sample, name: str) -> None:
    """Refuses a table whose first row is one field that names no known column, above a header of several.

    Raises:
      InputError: with the command that leaves it out.
    """
    several = [fields for fields in sample.table if sum(map(bool, fields)) >= _FEW]
    if not sample.shape.is_table or len(sample.shape.header) != 1 or 2 * len(several) <= len(sample.table):
        return
    title = sample.shape.header[0]
    # Texts with commas in a table of one column have fields, too, in numbers that vary and with other words.
    if not is_header([title]) and is_header(several[0]) and len(set(map(len, several))) == 1:
        raise InputError(
            f"the first row has one field, and others have several: is it a title? ({title})",
            f"leave it out: {without_lines(1, sample.lines[0] - 1, name, 'without-title')}",
        )


def need_no_rule(sample: Sample, name: str) -> None:
    """Refuses a row of dashes below the header, as programs of databases print it.

    Raises:
      InputError: with the command that leaves it out.
    """
    hint = without_rule(sample.table, name, sample.shape.delimiter)
    if hint:
        raise InputError("a row of dashes stands below the header, as programs of databases print it", hint)


def need_one_line(sample: Sample, name: str) -> None:
    """Refuses a header of two lines, or three, as pandas writes columns of several levels.

    Raises:
      InputError: with the command that joins them.
    """
    shape = sample.shape
    if len(sample.table) <= _FEW or (shape.image is not None and sample.fields(shape.image)[:1] != [""]):
        return
    second = sample.table[0]
    # A third line has the names of the index in front, and nothing else.
    count = 2 + _is_of_index(sample.table[1], shape.header)
    below = [
        [row[i] for row in sample.table[count - 1 :] if i < len(row) and row[i]] for i in range(len(second))
    ]
    words = [word for word, fields in zip(second, below, strict=True) if word and _are_numbers(fields)]
    are_all = words and len(words) == len([word for word in second if word])
    has_levels = len({*shape.header}) < len(shape.header) and len(words) >= _FEW
    if not are_all or not (has_levels or all(map(_STATISTICS.fullmatch, words))):
        return
    if any(map(WRITTEN_NUMBER.fullmatch, words)):
        return
    code = (
        f"r = filter(any, r); h = [next(r) for _ in range({count})]; "
        'w.writerow("_".join(filter(None, (n.strip(" \\t") for n in names))) for names in zip(*h)); '
        "w.writerows(r)"
    )
    raise InputError(
        f"the first row below the header is a second line of it ({', '.join(words[:5])})",
        made_by("", rows_by(code, shape.delimiter), name),
    )


def need_no_second_header(sample: Sample, rows: RowFile) -> None:
    """Refuses a second line of names, as `Dateiname;Klasse` below `Bild;Befund`: one would be a label.

    It has no image where all rows below have one, and single words that no row below has in its column.

    Raises:
      InputError: with the command that leaves it out.
    """
    shape = sample.shape
    if shape.image is None or not shape.header or len(sample.table) <= _SEVERAL:
        return
    second, *below = sample.table
    images = [row[shape.image] for row in below if shape.image < len(row)]
    if shape.image >= len(second) or not second[shape.image] or looks_like_image(second[shape.image]):
        return
    words = [(i, word) for i, word in enumerate(second) if word]
    texts = [word for _, word in words]
    are_words = not any(" " in word or word.lower() in NO_VALUE for word in texts)
    are_names = len(words) > 1 and are_words and not any(map(str.isdigit, "".join(texts)))
    is_again = any(row[i] == word for row in below for i, word in words if i < len(row))
    if not are_names or is_again or not all(map(IMAGE_EXTENSION.search, images)):
        return
    if _is_image(rows, second[shape.image]):
        return
    line = sample.lines[0]
    raise InputError(
        f"line {line} looks like a second header ({', '.join(texts)}): "
        "it names no image, and all rows below it do",
        f"leave it out: {without_lines(line, line, rows.name, 'one-header')}",
    )


def _is_image(rows: RowFile, stem: str) -> bool:
    """Whether an image where those of a list are is called so, up to its extension."""
    path = os.path.join(rows.options.image_root or os.path.dirname(rows.name), stem)
    return any(map(looks_like_image, glob(f"{escape(path)}.*")))


def _is_of_index(fields: Sequence[str], header: Sequence[str]) -> bool:
    """Whether a row names the levels of an index: columns that have no name yet, and is blank elsewhere."""
    named = [i for i, field in enumerate(fields) if field]
    return bool(named) and all(i < len(header) and not header[i] for i in named)


def _are_numbers(fields: Sequence[str]) -> bool:
    return len(fields) >= _FEW and all(map(WRITTEN_NUMBER.fullmatch, fields))
