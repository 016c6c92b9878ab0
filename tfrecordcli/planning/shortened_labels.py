"""Folders of labels outside train that are the begin of one of train: `test/001`, `train/001.cat`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.shell import as_path, command_line

# A folder gets the one longer name below the root, if there is no folder of that beside it.
_CODE: Final = (
    "import re, sys; from pathlib import Path; "
    'd = sorted((p for p in Path(sys.argv[1]).rglob("*") if p.is_dir()), reverse=True); '
    "n = {k: set() for k in sys.argv[2:]}; "
    '[n[k].add(p.name) for p in d for m in re.finditer(r"[._ -]", p.name) '
    "if (k := p.name[:m.start()]) in n]; "
    "[p.rename(t) for p in d if len(n.get(p.name, ())) == 1 "
    "for t in [p.with_name(*n[p.name])] if not t.exists()]"
)
_BEGINS: Final = re.compile("[._ -]")
_LONGEST: Final = 5_000  # characters of names in a command


def shortened(names: Sequence[str], labels: Iterable[str], root: str) -> str:
    """How folders of labels outside train become those of train; empty where they are not the begin of one.

    Args:
      names: labels that occur only outside train.
      labels: all.
      root: the folder of all, a local one.
    """
    longer = _longer(frozenset(names), labels)
    if any(len(longer.get(name, ())) != 1 for name in names):
        return ""
    shown = names[: sum(end <= _LONGEST for end in accumulate(len(name) + 3 for name in names))]
    rest = f" (the first {len(shown)}; then convert again)" if len(shown) < len(names) else ""
    command = command_line(["python", "-c", _CODE, as_path(root), *shown])
    example = f"{quoted(names[0])} that of {quoted(longer[names[0]][0])}"
    return (
        f"; each is the begin of one label of train, {example}: where they are one class, rename their "
        f"folders{rest}: {command}"
    )


def _longer(names: Collection[str], labels: Iterable[str]) -> dict[str, list[str]]:
    """The labels of train that begin with each of these and a sign between words."""
    found: dict[str, list[str]] = {}
    for label in labels:
        if label not in names:
            for end in _BEGINS.finditer(label):
                if (begin := label[: end.start()]) in names:
                    found.setdefault(begin, []).append(label)
    return found
