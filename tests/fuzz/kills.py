"""Conversions killed at any moment, by `chaos`: the same command finishes them as if nothing had been."""

from __future__ import annotations

from pathlib import Path

from fuzz.outcome import BROKEN, HANG, REPORTED, Outcome
from fuzz.peer import Hung
from fuzz.running import Lane

# The longest trial: several runs, each of which may take its time on a busy machine.
_SECONDS = 600.0


class Kills:
    name = "kills"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        self._seed = seed

    def trial(self, lane: Lane, number: int) -> Outcome:
        folder, seed = str(lane.folder / "arena"), f"{self._seed} kills {number}"
        try:
            scenario, kills, broken = lane.arena.ask("trial", folder, number, seed, seconds=_SECONDS)
        except Hung as error:
            return Outcome(HANG, "a trial", str(error))
        return Outcome(BROKEN if broken else REPORTED, scenario, broken, weight=kills)
