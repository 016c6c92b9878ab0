"""The command that converts a rejects.csv once a person has mended it."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any

from tfrecordcli.dataset.source import Source
from tfrecordcli.naming import LABELS, REJECTS
from tfrecordcli.options import ConvertOptions, ImageOptions, ReadOptions, ShardOptions

# C0, C1, line separators and the marks that turn the direction of writing.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def mend_command(source: Source, output_dir: str, label_kind: str, options: ConvertOptions) -> str:
    """One line for a shell: same columns, labels, splits and image options as the run that rejected.

    The mended rows go to a dataset of their own, whose label ids are those of the first; labels that no good
    row had are numbered after them. A vocabulary of the user's stays that of the user.
    ``label_kind`` is empty for a dataset without labels.
    """
    out = output_dir.rstrip(os.sep) or output_dir
    words = ["tfrec", "convert", os.path.join(out, REJECTS), out + "-mended"]
    words += ["--image-root", source.root_as_given]
    own = source.rows.options.labels_file  # among the options of a plan, a digest stands in its place
    if own:
        words += ["--labels", own, "--label-type", label_kind]
        words += _changed(options.read, ReadOptions(), ("new_labels",))
    elif label_kind:
        words += ["--labels", os.path.join(out, LABELS), "--label-type", label_kind]
        words += ["--new-labels", "append"]
    read = options.read
    columns = source.rows.options.columns  # those of a folder's list are its own
    if columns:
        words += ["--columns", ",".join(f"{name}={column}" for name, column in columns)]
    if read.splits != ReadOptions().splits:
        words += ["--splits", ",".join(f"{split}={weight:g}" for split, weight in read.splits)]
    words += _changed(read, ReadOptions(), ("unlabelled", "split_seed"))
    words += _changed(options.shard, ShardOptions(), ("compression",))
    words += ["--index"] if options.shard.index else []
    words += _changed(options.image, ImageOptions(), ImageOptions.__slots__)
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """A word for a shell; with control characters in it, in a form that shows them and still works."""
    if not _CONTROL.search(word):
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return (
        "$'"
        + _CONTROL.sub(lambda match: "".join(f"\\x{byte:02x}" for byte in match[0].encode()), escaped)
        + "'"
    )


def _changed(options: Any, defaults: Any, names: tuple[str, ...]) -> list[str]:
    """`--name value` of the options that are not at their default."""
    words = []
    for name in names:
        value = getattr(options, name)
        if value != getattr(defaults, name):
            words += ["--" + name.replace("_", "-"), str(value)]
    return words
