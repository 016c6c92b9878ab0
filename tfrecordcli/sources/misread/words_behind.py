"""Several words behind an image, where blanks part fields: one label of several words, or several labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_words, made_by
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import plural

_SIGN: Final = re.compile(r"[^\w\s'\",]+")  # `->` between image and label
_FEW: Final = 0.1  # of the rows: so few are read as several labels


def need_single_words(sample: Sample, rows: RowFile) -> None:
    """Refuses rows of a list without a header that may name `golden retriever` or be of two labels.

    Numbers are labels, and so are words each of which is the whole label of another image; files of labels
    or of their names tell themselves which words are labels. A few such rows are only told of.

    Raises:
      InputError: with the command that makes one label of them, and what takes each word for a label.
    """
    several = _several_words(sample, rows)
    if len(several) > _FEW * len(sample.words):
        raise InputError(
            f"{_what(several, sample)}: are these one label or several?",
            f"where they are one, {_joined(sample, rows)}; where each word is a label, --label-type name "
            "takes them so",
        )


def told_several_words(sample: Sample, rows: RowFile) -> Iterable[str]:
    """That a few rows have several words, each of which is taken for a label."""
    several = _several_words(sample, rows)
    if 0 < len(several) <= _FEW * len(sample.words):
        yield (
            f"{_what(several, sample)}; each word is a label: where they are one, {_joined(sample, rows)}; "
            "--label-type name takes them so without this warning"
        )


def _several_words(sample: Sample, rows: RowFile) -> list[str]:
    """The words behind the image of each row that has several, those of numbers alone last.

    None where all are, or options say what they are.
    """
    shape, options = sample.shape, rows.options
    if options.label_type != "auto" or options.labels_file or options.label_names:
        return []
    if shape.header or shape.delimiter != " ":
        return []
    told = [[name for name in names if name] for _, _, names in sample.words]
    alone = {name for names in told for name in names if len(names) == 1}
    several = [names for names in told if len(names) > 1]
    doubted = {name for names in several for name in names if not WRITTEN_NUMBER.fullmatch(name)}
    if doubted <= alone:
        return []
    return [" ".join(names) for names in sorted(several, key=doubted.isdisjoint)]


def _what(several: Sequence[str], sample: Sample) -> str:
    return (
        f"blanks part its fields, and {len(several):,} of {plural(len(sample.words), 'row')} have several "
        f"words behind the image, as {quoted(several[0])}"
    )


def _joined(sample: Sample, rows: RowFile) -> str:
    """The command that writes the words behind each image as one label."""
    have_splits = {bool(word) for word, _, _ in sample.words}
    if len(have_splits) > 1:
        return "write a tab in place of the other blanks of each row"
    names = ["split", "image", "label"] if True in have_splits else ["image", "label"]
    signs = {field for _, _, fields in sample.words for field in fields[:1]}
    sign = next(iter(signs)) if len(signs) == 1 else ""
    if True not in have_splits and _SIGN.fullmatch(sign):
        pattern = re.sub(r"([][.*^$/\\])", r"\\\1", sign).replace("{", "{{").replace("}", "}}")
        return made_by("image,label", f"sed 's/ *{pattern} */,/' {{name}}", rows.name)
    return as_words(names, sample.shape.delimiter, rows.name)
