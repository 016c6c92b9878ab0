"""Rows that each tell one number of an image, which stands in all of them: `image,target_name,target`.

So are melted tables (`pd.melt`), and lists of what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.pandas_commands import beside, changed, literal
from tfrecordcli.sources.proposals.image_columns import proposed_image
from tfrecordcli.sources.proposals.label_names import is_rater
from tfrecordcli.sources.proposals.measured import are_whole, count_rows
from tfrecordcli.sources.proposals.number_names import is_id
from tfrecordcli.sources.proposals.table import KeptTable, column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns
from tfrecordcli.units import join_names, some_of

_MOST_ROWS: Final = 100_000  # a melted table has all rows of a thing before those of the next
_MOST_THINGS: Final = 50
_SHOWN: Final = 3
_LETTER: Final = re.compile(r"[^\W\d_]")
_WHAT: Final = "by-image"


class NumbersByRow(NamedTuple):
    """Columns of such rows.

    Attributes:
      image: that each row has.
      thing: whose words tell what the number of a row is.
      number: that holds it.
      things: these words.
    """

    image: str
    thing: str
    number: str
    things: tuple[str, ...]


def numbers_by_row(header: Sequence[str], rows: Iterable[Sequence[str]], image: str) -> NumbersByRow | None:
    """These columns, where nearly all images are told the same things once each; else None.

    Args:
      header: of the list.
      rows: below it.
      image: the column of images.
    """
    if image not in header or len({*header}) < len(header):
        return None
    place = header.index(image)
    table = KeptTable([*row] for row in islice(rows, _MOST_ROWS) if len(row) == len(header))
    images = len({row[place] for row in table})
    if images < _SHOWN or 2 * images > len(table):
        return None
    varying = [i for i in range(len(header)) if i != place and _varies(table, place, i)]
    numbers = [i for i in varying if _are_numbers(header[i], column_of(table, i))]
    for i in varying if len(numbers) == 1 else ():
        words = tuple(dict.fromkeys(row[i] for row in table))
        pairs = {(row[place], row[i]) for row in table}
        is_whole = len(pairs) == len(table) >= 0.9 * images * len(words)
        if i not in numbers and is_whole and not is_rater(header[i]) and _are_things(words):
            return NumbersByRow(image, header[i], header[numbers[0]], words)
    return None


def numbers_by_row_hint(unread: Unread) -> str:
    """What makes a row of each image of a list that cannot be read; empty where its rows are no such."""
    given = given_columns(unread.options)
    if unread.options.task not in ("auto", "regression"):
        return ""
    image = proposed_image(unread.header, unread.table, given)
    rows = unread.table if unread.is_whole else unread.rows()
    found = numbers_by_row(unread.header, rows, image)
    label = dict(given).get("label")
    if found is None or label not in (None, found.thing, found.number):
        return ""
    return row_of_each_image(found, unread.name, unread.delimiter, given)


def row_of_each_image(
    found: NumbersByRow, name: str, delimiter: str, given: Iterable[tuple[str, str]] = ()
) -> str:
    """The command that makes a row of each image, with a column of each thing, and the one that converts it.

    Of other columns those are kept that say one thing of each image.

    Args:
      name, delimiter: of the list.
      given: (purpose, column) pairs that the user gave.
    """
    image, thing, number, things = found
    change = (
        f"n = t.groupby({literal(image)}).nunique(); "
        f"t.pivot(index=[{literal(image)}, *n.columns[(n < 2).all()]], columns={literal(thing)}, "
        f"values={literal(number)}).reset_index()"
    )
    command = changed(name, delimiter, change, _WHAT)
    others = [pair for pair in given if pair[0] not in ("image_uri", "label")]
    columns = columns_option([("image_uri", image), ("label", things[0]), *others])
    further = command_line(["--features", join_names(things[1:])])
    target = command_line(["tfrec", "convert", as_path(beside(name, _WHAT))])
    then = f": {command}, then {target} OUTPUT_DIR {columns} --task regression {further}" if command else ""
    return (
        f"{thing} tells what {number} is ({some_of(things, _SHOWN)}): make a row of each image with a column "
        f"of each, one to be predicted{then}"
    )


def _varies(table: Sequence[Sequence[str]], image: int, column: int) -> bool:
    """Whether a column says several things of one image."""
    first: dict[str, str] = {}
    return any(first.setdefault(row[image], row[column]) != row[column] for row in table)


def _are_numbers(name: str, fields: Sequence[str]) -> bool:
    """Whether a column holds numbers, which are none of rows."""
    if not name or is_id(name) or not fields or not all(map(NUMBER.fullmatch, fields)):
        return False
    return not (are_whole(fields) and count_rows(fields))


def _are_things(words: Sequence[str]) -> bool:
    return 1 < len(words) <= _MOST_THINGS and all(map(_LETTER.search, words))
