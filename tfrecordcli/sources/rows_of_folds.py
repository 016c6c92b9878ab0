"""Lists with a row for each image in each fold of a cross-validation, as BreaKHis has them."""

from __future__ import annotations

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import beside, changed, literal
from tfrecordcli.sources.sample import sample_of
from tfrecordcli.sources.split_flags import is_of_folds
from tfrecordcli.sources.text_encoding import is_utf_8


def one_fold(rows: RowFile) -> str:
    """What takes the rows of one fold; empty where no column that is not read is called after folds."""
    if rows.is_listing or rows.is_spooled:
        return ""
    if not is_utf_8(rows.options.encoding):
        return ""
    sample = sample_of(rows)
    shape = sample.shape
    called = sample.unread(is_of_folds)
    name, fields = next(iter(called.items()), ("", []))
    fold = next(filter(None, fields), "")
    if shape.split is None or not fold or len({*shape.header}) < len(shape.header):
        return ""
    what = f"{name}-{fold}"
    command = changed(
        rows.name, shape.delimiter, f"t[t[{literal(name)}].str.strip() == {literal(fold)}]", what
    )
    options = [columns_option(rows.options.columns)] if rows.options.columns else []
    target = command_line(["tfrec", "convert", as_path(beside(rows.name, what))])
    told = f"column {name} tells a fold, and a row counts in that alone; those of one"
    return command and f"{told}: {command}, then {' '.join([target, 'OUTPUT_DIR', *options])}"
