"""How one case ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# --- what is right ---
REPORTED: Final = "reported"  # it matters, and it is told
HARMLESS: Final = "harmless"  # nothing differs, whether it is told or not
CONTAINED: Final = "contained"  # a decoder crashed; the real command survives it and tells the record
MISSED: Final = "missed"  # pixels differ and nobody can tell: counted, no failure
# --- what is a failure ---
UNREPORTED: Final = "unreported"  # it matters, and is called right
BLAMED: Final = "blamed"  # it is healthy, and called wrong
BUG: Final = "exit 70"  # an exception that is no error of tfrec's
EXIT: Final = "wrong exit"  # an exit code that does not fit
HANG: Final = "hang"
MEMORY: Final = "memory"  # more than is promised
CRASH: Final = "crash"  # a process died, of tfrec or of TensorFlow over what was let in
BROKEN: Final = "broken"  # a promise of a run that was killed or met a faulty store

FAILURES: Final = (UNREPORTED, BLAMED, BUG, EXIT, HANG, MEMORY, CRASH, BROKEN)


@dataclass(frozen=True)
class Outcome:
    """How one case ended.

    Attributes:
      verdict: one of the constants above.
      what: what was done to what, in a few words: outcomes are counted by it.
      detail: one line that says what was found.
      files: name -> bytes of what is kept when it is a failure.
      weight: how many cases it stands for (a trial may kill several runs).
    """

    verdict: str
    what: str
    detail: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    weight: int = 1

    @property
    def is_failure(self) -> bool:
        return self.verdict in FAILURES
