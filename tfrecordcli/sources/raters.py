"""Lists with several answers to an image, of several raters or at several times: how they become one."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.schema import IMAGE_TARGET
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.newest_rows import may_be_times, newest_first
from tfrecordcli.sources.pandas_commands import beside, changed, literal
from tfrecordcli.sources.proposals.label_names import is_rater
from tfrecordcli.sources.sample import Sample, later_rows, sample_of
from tfrecordcli.sources.text_encoding import is_utf_8

_MOST_ROWS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Answers:
    """A list in which an image may have several answers.

    Attributes:
      rows: the list.
      sample: its first rows, more than others look at: what corrects an image stands far below it.
      answer: the only column of answers.
      is_target: whether these are numbers to predict.
    """

    rows: RowFile
    sample: Sample
    answer: str
    is_target: bool


def answers_in(rows: RowFile) -> Answers | None:
    """The answers of a list; None: it has no column of such, or several."""
    if rows.is_listing or rows.is_spooled or rows.options.one_hot:
        return None
    sample = sample_of(rows)
    shape = sample.shape
    targets = [each.column for each in rows.features if each.key == IMAGE_TARGET and each.column]
    answers = [shape.header[i] for i in shape.labels if shape.header] + targets
    if len(answers) != 1 or shape.image is None or len({*shape.header}) < len(shape.header):
        return None
    used = {shape.image, shape.split, shape.header.index(answers[0])}
    others = [(i, name) for i, name in enumerate(shape.header) if i not in used]
    telling = [i for i, name in others if is_rater(name) or may_be_times(name, sample.fields(i))]
    if not telling:
        return None
    every = [*sample.table, *_only({*used, *telling}, islice(later_rows(rows), _MOST_ROWS))]
    is_plain = len(shape.header) >= max(map(len, every), default=0)
    return Answers(rows, replace(sample, table=every), answers[0], bool(targets)) if is_plain else None


def _only(columns: Container[int | None], rows: Iterable[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Rows with blanks in all columns but these; fields that are alike are kept once."""
    for fields in rows:
        yield tuple(sys.intern(field) if i in columns else "" for i, field in enumerate(fields))


def of_raters(answers: Answers) -> str:
    """What makes one answer of several to an image; empty where no column tells who gave them."""
    rows, sample, answer, is_target = answers.rows, answers.sample, answers.answer, answers.is_target
    rater = _rater(sample)
    if not rater:
        return ""
    time, newest = _newest(answers)
    others = [_mean(rows, sample, answer) if is_target else _majority(rows, sample, answer)]
    ways = [*others, newest] if not _change_their_mind(sample, rater, answer) else [newest, *others]
    are_numbers = all(WRITTEN_NUMBER.fullmatch(each) for [each] in sample.parts([answer]) if each)
    if are_numbers and not is_target:
        ways.append(_as_numbers(rows, answer))
    when = f", and {time} when" if time else ""
    return "; ".join([f"column {rater} tells who says so{when}", *filter(None, ways)])


def of_times(answers: Answers) -> str:
    """What takes the newest answer of several to an image; empty where no column tells which it is."""
    time, newest = _newest(answers)
    return newest and f"column {time} tells when; {newest}"


def _rater(sample: Sample) -> str:
    """The column that is called so and has several values for one image."""
    for name in sample.unread(is_rater):
        met = defaultdict[str, set[str]](set)
        for image, rater in sample.parts([_image(sample), name]):
            met[image].add(rater)
        if any(len(raters - {""}) > 1 for raters in met.values()):
            return name
    return ""


def _change_their_mind(sample: Sample, rater: str, answer: str) -> bool:
    """Whether somebody says several things of one image."""
    met = defaultdict[tuple[str, str], set[str]](set)
    for image, who, said in sample.parts([_image(sample), rater, answer]):
        met[image, who].add(said)
    return any(len(answers - {""}) > 1 for answers in met.values())


def _image(sample: Sample) -> str:
    return sample.shape.header[sample.shape.image or 0]


def _newest(answers: Answers) -> tuple[str, str]:
    """The column that tells which row of an image is the newest, and what takes these rows; else empty."""
    rows, sample, answer = answers.rows, answers.sample, answers.answer
    time, read = newest_first(sample, answer)
    if not time:
        return "", ""
    keys, splits = _keys(sample)
    change = (
        f"t = t.apply(lambda s: s.str.strip()); {splits}t.sort_values({literal(time)}, key=lambda s: {read}, "
        f'kind="stable", na_position="first").drop_duplicates([{keys}], keep="last").sort_index()'
    )
    options = [_predicting(rows, answer)] if answers.is_target else _as_given(rows)
    return time, f"what the newest row of each image says{_written(rows, sample, change, 'newest', options)}"


def _majority(rows: RowFile, sample: Sample, answer: str) -> str:
    change = 'g[c].agg(lambda s: "" if len(s.mode()) > 1 else s.mode()[0])'
    made = _made(rows, sample, answer, change, "majority", _as_given(rows))
    return f"what most of them say, without images for which they are at odds{made}"


def _as_given(rows: RowFile) -> list[str]:
    return [columns_option(rows.options.columns)] if rows.options.columns else []


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
    keys, splits = _keys(sample)
    change = (
        f"c = {literal(answer)}; t = t.apply(lambda s: s.str.strip()); {splits}"
        f't = t[t[c] != ""]; g = t.groupby([{keys}], sort=False); f = g.first(); '
        f"f = f[[k for k in f if k != c and g[k].nunique().max() < 2]]; f[c] = {one}; "
        'f[f[c] != ""].reset_index()'
    )
    return _written(rows, sample, change, what, options)


def _written(rows: RowFile, sample: Sample, change: str, what: str, options: Sequence[str]) -> str:
    """As `_made`, of Python that changes the table."""
    if not is_utf_8(rows.options.encoding):
        return ""
    command = changed(rows.name, sample.shape.delimiter, change, what)
    target = command_line(["tfrec", "convert", beside(rows.name, what)])
    return command and f": {command}, then {' '.join([target, 'OUTPUT_DIR', *options])}"


def _keys(sample: Sample) -> tuple[str, str]:
    """The columns whose rows become one, in Python, and Python that has to come before."""
    shape = sample.shape
    keys = [literal(shape.header[i]) for i in (shape.image, shape.split) if i is not None]
    return ", ".join(keys), _with_splits(*keys) if shape.split is not None else ""


def _with_splits(image: str, split: str) -> str:
    """Python that gives rows without a split the first one of their image, so that none is parted."""
    one = 'lambda s: s.where(s != "", next(filter(None, s), ""))'
    return f"t[{split}] = t.groupby({image})[{split}].transform({one}); "
