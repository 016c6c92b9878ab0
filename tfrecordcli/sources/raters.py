"""Lists with a row for each answer of several raters to an image: how these become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.schema import IMAGE_TARGET
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import beside, changed, literal
from tfrecordcli.sources.proposals.label_names import is_rater
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.sources.text_encoding import is_utf_8


def of_raters(rows: RowFile) -> str:
    """What makes one answer of several to an image; empty where no column tells who gave them."""
    if rows.is_listing or rows.is_spooled or rows.options.one_hot:
        return ""
    sample = sample_of(rows)
    shape = sample.shape
    targets = [each.column for each in rows.features if each.key == IMAGE_TARGET and each.column]
    answers = [shape.header[i] for i in shape.labels if shape.header] + targets
    is_plain = len({*shape.header}) == len(shape.header) >= max(map(len, sample.table), default=0)
    rater = _rater(sample) if len(answers) == 1 and is_plain else ""
    if not rater:
        return ""
    told = f"column {rater} tells who says so"
    if targets:
        return f"{told}; {_mean(rows, sample, answers[0])}"
    are_numbers = all(WRITTEN_NUMBER.fullmatch(each) for [each] in sample.parts(answers) if each)
    number = f"; {_as_numbers(rows, answers[0])}" if are_numbers else ""
    return f"{told}; {_majority(rows, sample, answers[0])}{number}"


def _rater(sample: Sample) -> str:
    """The column that is called so and has several values for one image."""
    shape = sample.shape
    if shape.image is None:
        return ""
    called = sample.unread(is_rater)
    for name in called:
        met = defaultdict[str, set[str]](set)
        for image, rater in sample.parts([shape.header[shape.image], name]):
            met[image].add(rater)
        if any(len(raters - {""}) > 1 for raters in met.values()):
            return name
    return ""


def _majority(rows: RowFile, sample: Sample, answer: str) -> str:
    change = 'g[c].agg(lambda s: "" if len(s.mode()) > 1 else s.mode()[0])'
    options = [columns_option(rows.options.columns)] if rows.options.columns else []
    made = _made(rows, sample, answer, change, "majority", options)
    return f"what most of them say, without images for which they are at odds{made}"


def _mean(rows: RowFile, sample: Sample, answer: str) -> str:
    change = "g[c].agg(lambda s: pd.to_numeric(s).mean())"
    return f"the mean of each image{_made(rows, sample, answer, change, 'mean', [_predicting(rows, answer)])}"


def _as_numbers(rows: RowFile, answer: str) -> str:
    """How the mean is proposed instead: a message has room for one command."""
    return f"where they are numbers to predict, {_predicting(rows, answer)} has the command for their mean"


def _predicting(rows: RowFile, answer: str) -> str:
    named = [pair for pair in rows.options.columns if pair[0] != "label"]
    return f"{columns_option([*named, ('label', answer)])} --task regression"


def _made(rows: RowFile, sample: Sample, answer: str, one: str, what: str, options: Sequence[str]) -> str:
    """The command that writes a row for each image, and the one that converts these; empty where none does.

    Of other columns those are kept that say one thing of each image.

    Args:
      answer: the column of answers.
      one: Python that makes one answer of each group ``g``.
      what: the list is then.
      options: with which it is converted.
    """
    if not is_utf_8(rows.options.encoding):
        return ""
    shape = sample.shape
    keys = [literal(shape.header[i]) for i in (shape.image, shape.split) if i is not None]
    splits = _with_splits(*keys) if shape.split is not None else ""
    change = (
        f"c = {literal(answer)}; t = t.apply(lambda s: s.str.strip()); {splits}"
        f't = t[t[c] != ""]; g = t.groupby([{", ".join(keys)}], sort=False); f = g.first(); '
        f"f = f[[k for k in f if k != c and g[k].nunique().max() < 2]]; f[c] = {one}; "
        'f[f[c] != ""].reset_index()'
    )
    command = changed(rows.name, shape.delimiter, change, what)
    target = command_line(["tfrec", "convert", beside(rows.name, what)])
    return command and f": {command}, then {' '.join([target, 'OUTPUT_DIR', *options])}"


def _with_splits(image: str, split: str) -> str:
    """Python that gives rows without a split the first one of their image, so that none is parted."""
    one = 'lambda s: s.where(s != "", next(filter(None, s), ""))'
    return f"t[{split}] = t.groupby({image})[{split}].transform({one}); "
