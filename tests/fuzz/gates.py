"""Both gates for JPEGs, by inputs of Atheris, which follows what parts of their Python an input reaches.

Each trial is `RUNS` inputs, the same for the same seed and number.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from typing import Final

from fuzz.grown import judge_inputs, options, save_seeds
from fuzz.outcome import Outcome
from fuzz.running import Lane, NotHere

RUNS: Final = 5_000
_TARGET: Final = Path(__file__).with_name("gate_target.py")


class Gates:
    name = "gates"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        """Writes what inputs are grown from.

        Raises:
          NotHere: Atheris is not installed.
        """
        if importlib.util.find_spec("atheris") is None:
            raise NotHere("Atheris is not installed, which has wheels for Linux on x86-64")
        self._seed = seed
        self._seeds = save_seeds(folder)

    def trial(self, lane: Lane, number: int) -> Outcome:
        chosen = random.Random(f"{self._seed} gates {number}").randrange(1, 1 << 31)
        grown = lane.folder / "grown"
        argv = [sys.executable, str(_TARGET), *options(chosen, RUNS, grown, self._seeds)]
        return judge_inputs(argv, grown, RUNS)
