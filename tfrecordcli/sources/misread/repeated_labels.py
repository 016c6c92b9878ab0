"""Rows that name a label several times, as raters who agree do: refused, for they are no set of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.dataset.labels import is_canonical_id, quoted
from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import columns_option, known_columns
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.misread.boxes_behind import boxes_behind
from tfrecordcli.sources.pandas_commands import changed, most_say
from tfrecordcli.sources.said_labels import names_labels
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.unmatched import is_of_rejects
from tfrecordcli.units import plural

# A label that comes again in fewer rows is a slip of whoever wrote the list.
_ONE_IN: Final = 10
_SHOWN: Final = 5


def need_no_repeated_labels(sample: Sample, rows: RowFile) -> None:
    """Refuses rows with several labels of which most have a label again, unless all have one label only.

    Raises:
      InputError: with what takes the answers of one column, or of most, and what takes all of them.
    """
    several, repeated = _several_and_repeated(sample, rows)
    if not repeated or 2 * len(repeated) < len(several) or all(len({*names}) == 1 for names in several):
        return
    are_ids = all(map(is_canonical_id, (name for names in several for name in names)))
    boxes = boxes_behind(sample, rows)
    raise InputError(
        f"{_told(several, repeated)}: are these {'boxes' if boxes else 'answers of several people'}?",
        f"{boxes or _of_one(sample, rows)}; where all of them are labels of the image, "
        f"--label-type {'id' if are_ids else 'name'} takes them so",
    )


def repeated_labels_doubt(sample: Sample, rows: RowFile) -> Iterator[str]:
    """What to know where fewer rows do, but one in ten."""
    several, repeated = _several_and_repeated(sample, rows)
    if repeated and len(several) <= _ONE_IN * len(repeated):
        names = [sample.shape.header[column] for column in sample.shape.labels if sample.shape.header]
        how = f": {of_one_column(names, rows.options.columns)}" if len(names) > 1 else ""
        yield f"{_told(several, repeated)}, which is stored once: answers of several people are no set{how}"


def _several_and_repeated(sample: Sample, rows: RowFile) -> tuple[list[list[str]], list[list[str]]]:
    """Labels of rows that have several, and of those in which one comes again; none where that is meant."""
    options = rows.options
    is_said = names_labels(options) or options.label_type != "auto" or options.task == "regression"
    if is_said or rows.is_spooled or is_of_rejects(sample.shape.header):
        return [], []
    told = [[name for name in names if name] for _, _, names in sample.words]
    several = [names for names in told if len(names) > 1]
    return several, [names for names in several if len({*names}) < len(names)]


def _told(several: Sequence[Sequence[str]], repeated: Sequence[Sequence[str]]) -> str:
    example = ", ".join(map(quoted, repeated[0][:_SHOWN]))
    return (
        f"of {plural(len(several), 'row')} with several labels {len(repeated):,} have one again, as {example}"
    )


def of_one_column(names: Sequence[str], given: Iterable[tuple[str, str]]) -> str:
    """The option that takes the label of each image from one column of several.

    Args:
      names: of these columns.
      given: (purpose, column) pairs that the user gave.
    """
    plain = [name for name in names if known_columns([name], "label")]
    one = next((name for name in [*plain, *names] if names.count(name) == 1), "")
    if not one:
        return "call the column of one of them label, and the others otherwise"
    others = [pair for pair in given if pair[0] != "label"]
    return f"{columns_option([*others, ('label', one)])} takes those of one column"


def _of_one(sample: Sample, rows: RowFile) -> str:
    """How one answer becomes the label of each image."""
    shape = sample.shape
    names = [shape.header[column] for column in shape.labels if shape.header]
    if len(names) < 2 or max(map(len, sample.table)) > len(shape.header):
        return _with_header(sample, rows)
    return "; ".join(filter(None, [of_one_column(names, rows.options.columns), _of_most(sample, rows)]))


def _of_most(sample: Sample, rows: RowFile) -> str:
    """The command for what most say; where no answer is the most frequent, the label is left empty."""
    change = f"{most_say(f't.columns[{[*sample.shape.labels]}]', 't = t.drop(columns=c); ')}t"
    command = changed(rows.name, sample.shape.delimiter, change, "majority")
    return command and f"what most say: {command}, which leaves the label empty where they are at odds"


def _with_header(sample: Sample, rows: RowFile) -> str:
    """The command that writes a header, by which one of several fields behind an image can be chosen."""
    words = {bool(word) for word, _, _ in sample.words}
    if sample.shape.header or len(words) > 1:
        return "write a header with a name for each field, as image,label_1,label_2"
    count = max(len(names) for _, _, names in sample.words)
    names = [*["split"][: True in words], "image", *(f"label_{i}" for i in range(1, count + 1))]
    made = made_by(",".join(names), as_commas(sample.shape.delimiter), rows.name)
    return f"{made}, and convert that with {columns_option([('label', names[-count])])}"
