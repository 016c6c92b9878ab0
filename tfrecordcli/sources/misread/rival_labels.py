"""Columns of the same words as the label, which say another one of some images: CrisisMMD's `label_image`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.label_names import is_predicted
from tfrecordcli.sources.sample import Sample

_FEWEST: Final = 2  # words of both
_WORDS: Final = re.compile(r"[\W_]+")


def told_rival_labels(sample: Sample, rows: RowFile) -> Iterator[str]:
    """What to know of a label that nobody named, beside such a column, whose name goes on from its own."""
    shape = sample.shape
    if not shape.header or len(shape.labels) != 1 or "label" in dict(rows.options.columns) or rows.is_spooled:
        return
    label = shape.header[shape.labels[0]]
    words = {*_WORDS.split(label.lower())}
    for name in sample.unread(lambda name: words < {*_WORDS.split(name.lower())} and not is_predicted(name)):
        told = [(one, other) for one, other in sample.parts([label, name]) if one and other]
        differing = sum(one != other for one, other in told)
        known = {one for one, _ in told}
        if differing and len(known) >= _FEWEST and {other for _, other in told} == known:
            yield (
                f"{label} is taken for the label, and {name}, which has the same words, says another one in "
                f"{differing:,} of the first {len(told):,} rows: "
                f"{columns_option([*rows.options.columns, ('label', name)])} takes that"
            )
