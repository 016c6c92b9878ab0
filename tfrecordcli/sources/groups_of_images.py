"""Images that are of several groups, as a frame that shows two signs: groups that share one are united."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import GROUP
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample

_SHARE: Final = 1 / 20  # of the images; fewer are mistakes, and rejects
# Each group takes the least name of those that it shares images with, until nothing changes.
_UNITED: Final = (
    'g, n, i = {names}; k = t[n].where(t[n] != "", t[i]); t[g] = k; '
    'united = lambda: (o := t[g].copy(), [t.update(t.groupby(c)[g].transform("min")) for c in (t[i], k)], '
    "t[g].equals(o))[-1]; [0 for _ in iter(united, True)]; t"
)


def need_one_group(sample: Sample, rows: RowFile) -> None:
    """Refuses a column to split by of which images have several values: these would be in several splits.

    Raises:
      InputError: with the command that unites groups which share an image.
    """
    column, image = rows.options.split_by, sample.shape.image
    if column is None or image is None:
        return
    header, split = sample.shape.header, sample.shape.split
    columns = [header[image], column, *([header[split]] if split is not None else [])]
    groups: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for uri, group, *said in sample.parts(columns):
        if uri and not any(said):  # a row that names its split stays in it
            groups[uri].update(dict.fromkeys([group] if group else []))
    several = [uri for uri, of_image in groups.items() if len(of_image) > 1]
    if len(several) <= max(1, _SHARE * len(groups)):
        return
    first, second, *_ = groups[several[0]]
    raise InputError(
        f"{rows.name}: --split-by {column}: an image is of several, as {several[0]} is of {first} and "
        f"{second}, and would be in several splits",
        _uniting(sample, rows, header[image], column),
    )


def _uniting(sample: Sample, rows: RowFile, image: str, column: str) -> str:
    what = (
        f"name in one column what is to be in one split, or leave {command_line(['--split-by', column])} out"
    )
    if rows.is_spooled or not sample.shape.header:
        return what
    group = next(each for each in (GROUP, f"{GROUP}_of_all") if each not in sample.shape.header)
    change = _UNITED.format(names=", ".join(map(literal, (group, column, image))))
    command = changed(rows.name, sample.shape.delimiter, change, "groups")
    then = f"convert that with {command_line(['--split-by', group])}"
    return f"unite those that share an image: {command}, and {then}" if command else what
