"""The native walk over JPEGs under the address and undefined-behaviour sanitizers, by inputs of a fuzzer.

With clang it is libFuzzer, which follows what parts of the code an input reaches; with another compiler the
target changes sound files by itself. Each trial is `RUNS` inputs, the same for the same seed and number.
"""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Final

from fuzz.grown import judge_inputs, options, save_seeds
from fuzz.outcome import Outcome
from fuzz.running import Lane, NotHere

RUNS: Final = 20_000
_TARGET: Final = Path(__file__).with_name("jpeg_walk_target.c")
_NATIVE: Final = Path(__file__).resolve().parents[2] / "tfrecordcli" / "images" / "native"
_SANITIZERS: Final = "address,undefined"
# Most inputs are small, and files need not be large for tables of long windows.
_FLAGS: Final = ("-g", "-O1", "-std=c11", "-DSHORT_FILE=400", "-fno-sanitize-recover=all", f"-I{_NATIVE}")
_COMPILERS: Final = {
    "clang": f"-fsanitize=fuzzer,{_SANITIZERS}",
    os.environ.get("CC", "cc"): f"-DSTANDALONE -fsanitize={_SANITIZERS}",
}


class Walks:
    name = "walks"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        """Builds the target.

        Raises:
          NotHere: there is no compiler that can.
        """
        self._seed = seed
        self._seeds = save_seeds(folder)
        self._target, self._is_libfuzzer = _build(folder)

    def trial(self, lane: Lane, number: int) -> Outcome:
        chosen = random.Random(f"{self._seed} walks {number}").randrange(1, 1 << 31)
        grown = lane.folder / "grown"
        if self._is_libfuzzer:
            argv = options(chosen, RUNS, grown, self._seeds)
        else:
            argv = [str(chosen), str(RUNS), *map(str, sorted(self._seeds.iterdir()))]
        return judge_inputs([str(self._target), *argv], grown, RUNS)


def _build(folder: Path) -> tuple[Path, bool]:
    """The target, and whether it is libFuzzer's."""
    sources = [str(_TARGET), *(str(path) for path in sorted(_NATIVE.glob("*.c")) if path.name != "module.c")]
    target = folder / "target"
    for compiler, sanitizers in _COMPILERS.items():
        try:
            argv = [compiler, *_FLAGS, *sanitizers.split(), *sources, "-o", str(target)]
            subprocess.run(argv, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return target, compiler == "clang"
    raise NotHere(f"no C compiler that has the sanitizers ({', '.join(_COMPILERS)})")
