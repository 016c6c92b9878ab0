"""What the user has said of splits: a list is taken at these words, whatever its columns say."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from tfrecordcli.options import ReadOptions

_OF_SPLITS: Final = ("splits", "split_seed", "split_by", "stratify")
_DEFAULTS: Final = {each.name: each.default for each in fields(ReadOptions)}


def says_splits(options: ReadOptions) -> bool:
    """Whether options name the column of splits, say that there is none, or how rows are assigned to them."""
    given = any(getattr(options, name) != _DEFAULTS[name] for name in _OF_SPLITS)
    return given or "split" in dict(options.columns)


def says_no_split(options: ReadOptions) -> bool:
    """Whether options say that no column tells splits."""
    return dict(options.columns).get("split") == ""
