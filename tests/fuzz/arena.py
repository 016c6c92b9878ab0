"""One arena of `chaos`, in a process of its own: there is one for each lane."""

from __future__ import annotations

import random
from pathlib import Path

from chaos import Arena, Broken

_arenas: dict[str, Arena] = {}


def trial(folder: str, number: int, seed: str) -> tuple[str, int, str]:
    """Kills a conversion, and lets the same command finish it.

    Returns:
      the scenario, how many runs were killed, and what is broken then; empty when nothing is.
    """
    if folder not in _arenas:
        Path(folder).mkdir()
        _arenas[folder] = Arena(Path(folder))
    arena = _arenas[folder]
    scenario = arena.scenarios[number % len(arena.scenarios)]
    try:
        return scenario.name, arena.trial(scenario, random.Random(seed)), ""
    except Broken as broken:
        return scenario.name, 1, str(broken)
