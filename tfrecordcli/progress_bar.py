"""Progress as a bar, one after another for each part of the work."""

from __future__ import annotations

import sys
from typing import Any

from tfrecordcli.progress import Reporter
from tfrecordcli.units import format_size


class ProgressBar(Reporter):
    """A bar with rate, time left and bytes read, where tqdm finds that bars can be shown."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None
        self._part = ""
        self._bytes = self._rejected = 0

    def _open(self, part: str, **settings: Any) -> Any:
        """The bar of a part of the work, which ends the one before."""
        if part != self._part:
            self.finish()
            self._bar, self._part = self._new(dynamic_ncols=True, leave=False, **settings), part
        return self._bar

    def _new(self, **settings: Any) -> Any:
        from tqdm.auto import tqdm  # a widget in a notebook

        return tqdm(**settings)

    def wait(self, size: int) -> None:
        layout = "reading the list from standard input: {desc} [{elapsed}]"
        self._open("wait", bar_format=layout).set_description_str(format_size(size))

    def plan(self, rows: int, share: float) -> None:
        layout = "planning {percentage:3.0f}%|{bar}| {desc}[{elapsed}<{remaining}]"
        bar = self._open("plan", total=1.0, bar_format=layout)
        bar.set_description_str(f"{rows:,} rows ", refresh=False)
        bar.update(share - bar.n)

    def start(self, rows: int, done: int) -> None:
        self.finish()
        self._open("images", total=rows, initial=done, unit=" images", smoothing=0.1)

    def advance(self, rows: int, rejected: int, size: int) -> None:
        self._bytes += size
        self._rejected += rejected
        rejects = f", {self._rejected:,} rejected" if self._rejected else ""
        self._bar.set_postfix_str(format_size(max(0, self._bytes)) + rejects, refresh=False)
        self._bar.update(rows)

    def timing(self, seconds: float, total: float) -> None:
        layout = "timing the feed {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}]"
        bar = self._open("timing", total=total, bar_format=layout)
        bar.update(min(seconds, total) - bar.n)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar, self._part = None, ""

    def clear(self) -> None:
        """Takes the bar away for a line of text, until it is drawn again."""
        if self._bar is not None:
            self._bar.clear()


def bar_for_python(wanted: bool | None) -> Reporter:
    """What shows a caller from Python how work goes on.

    Args:
      wanted: None: a bar in a notebook, and nothing in a script.
    """
    return ProgressBar() if (_is_notebook() if wanted is None else wanted) else Reporter()


def _is_notebook() -> bool:
    """Whether this is the kernel of a notebook; IPython in a terminal has none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
