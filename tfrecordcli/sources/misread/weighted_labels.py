"""Labels that are weights, as `cat:0.1 dog:0.9`: refused, with the command that takes the likeliest."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import CONTENT_COLUMN
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.proposals.label_weights import are_counts, has_fraction, likeliest_label
from tfrecordcli.sources.sample import Sample

# A name, which begins with no digit as times of day do, and its weight.
_NAME: Final = r"[^\s0-9,;|:=\[{(][^\s,;|:=]*(?: [^\s,;|:=]+)*"
_PAIR: Final = rf"{_NAME} *[:=] *[0-9]*\.?[0-9]+(?:e-?[0-9]+)?%?"
_PAIRS: Final = re.compile(rf"[\[{{(]?\s*{_PAIR}(?:\s*[\s,;|]\s*{_PAIR})*\s*[\]}})]?", re.IGNORECASE)
_SIGN: Final = re.compile("[:=]")
# For the shell: without single quotes.
_NAMED: Final = r"([^ 0-9%,;|:=\[{(][^,;|:=]*?) *[:=] *([0-9.]+(?:[eE]-?[0-9]+)?)"
_SHOWN: Final = 60


def need_no_weights(sample: Sample, rows: RowFile) -> None:
    """Refuses labels that are pairs of a name and a number throughout, several of them in some row.

    Raises:
      InputError: with the command that takes the likeliest of each, and what takes the texts for labels.
    """
    options = rows.options
    _need_flags(sample, rows)
    if CONTENT_COLUMN in sample.shape.header:
        return  # of TFRecords, whose labels these are already
    fields = [" ".join(filter(None, names)) for _, _, names in sample.words]
    fields = [field for field in fields if field]
    if options.label_type != "auto" or options.one_hot or not all(map(_PAIRS.fullmatch, fields)):
        return
    several = next((field for field in fields if len(_SIGN.findall(field)) > 1), "")
    if several:
        raise InputError(
            f"labels are weights, as {several[:_SHOWN]}, which are not stored",
            f"for the likeliest label of each image alone, {_likeliest(sample, rows)}"
            f"{command_line(['--label-type', 'name'])} makes a class of each text",
        )


def _need_flags(sample: Sample, rows: RowFile) -> None:
    """Refuses columns of `--one-hot` that hold weights or counts in most of the rows."""
    shape, options = sample.shape, rows.options
    if not options.one_hot or rows.is_spooled:
        return
    columns = [i for i, name in enumerate(shape.header) if name in options.one_hot]
    parts = [[fields[i] for i in columns if i < len(fields)] for fields in sample.table]
    for what, are_such in (("weights", has_fraction), ("counts", are_counts)):
        found = [*filter(are_such, parts)]
        if 2 * len(found) <= len(parts):
            continue
        raise InputError(
            f"columns of --one-hot hold {what}, as {', '.join(found[0])[:_SHOWN]}, not 0 and 1",
            f"{likeliest_label(columns, rows.name, shape.delimiter)}, and convert that without --one-hot",
        )


def _likeliest(sample: Sample, rows: RowFile) -> str:
    """The command, where there is one column of labels; of equal weights it takes the first."""
    shape = sample.shape
    if not shape.header or rows.is_spooled or len(shape.labels) != 1:
        return "write it into the list; "
    (label,) = shape.labels
    likeliest = f'max(re.findall(r"{_NAMED}", f[{label}]), key=lambda p: float(p[1]), default=("",))[0]'
    row = f"[*f[:{label}], {likeliest}, *f[{label + 1}:]] if len(f) > {label} else f"
    code = f"import re; w.writerow(next(r)); w.writerows({row} for f in r)"
    return f"{made_by('', rows_by(code, shape.delimiter), rows.name)}; "
