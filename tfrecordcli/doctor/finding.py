"""One line of a diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found.

    Attributes:
      topic: what it is about, in a word: ``packages``, ``heif``, ``stores``, …
      state: ``ok``; ``absent``: something is not there that not everybody needs; ``wrong``: it does not work.
      text: what was found.
      hint: what to do; empty where all is well.
    """

    topic: str
    state: Literal["ok", "absent", "wrong"]
    text: str
    hint: str = ""
