"""A label that is what one of several people says of an image, where more of them are asked: warned of."""

from __future__ import annotations

from collections.abc import Iterator

from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.answers import answers_in
from tfrecordcli.sources.proposals.answers_unsettled import settling_answers
from tfrecordcli.sources.proposals.table import columns_of
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.text_encoding import is_utf_8


def told_one_answer(sample: Sample, rows: RowFile) -> Iterator[str]:
    """What to know of a column of labels beside others that answer the same: what all of them say."""
    shape = sample.shape
    if not shape.header or len(shape.labels) != 1 or rows.is_spooled:
        return
    answers = answers_in(columns_of(shape.header, sample.table, range(len(shape.header))))
    if answers is None or shape.labels[0] not in answers.raters:
        return
    names = [shape.header[i] for i in answers.raters]
    label = shape.header[shape.labels[0]]
    others = [pair for pair in rows.options.columns if pair[0] != "label"]
    if answers.is_settled and answers.agreed is not None:
        agreed = shape.header[answers.agreed]
        how = f"{columns_option([*others, ('label', agreed)])} takes what they agreed on"
    else:
        # A warning's command reads UTF-8 alone.
        name = rows.name if is_utf_8(rows.options.encoding) else ""
        made = settling_answers(shape.header, answers, name, shape.delimiter)
        how = f"take {made}, and convert that with {columns_option([*others, ('label', 'label')])}"
    yield f"{label} is what one of several people says ({', '.join(names)}): {how}"
