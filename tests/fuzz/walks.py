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

from fuzz.outcome import BUG, CRASH, HANG, REPORTED, Outcome
from fuzz.pictures import sources
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
_SECONDS: Final = 600.0
_TOLD: Final = 3000  # characters of a report


class Walks:
    name = "walks"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        """Builds the target.

        Raises:
          NotHere: there is no compiler that can.
        """
        self._seed = seed
        self._seeds = folder / "seeds"
        self._seeds.mkdir(parents=True)
        for number, data in enumerate(seeds()):
            (self._seeds / f"{number}.jpg").write_bytes(data)
        self._target, self._is_libfuzzer = _build(folder)

    def trial(self, lane: Lane, number: int) -> Outcome:
        chosen = random.Random(f"{self._seed} walks {number}").randrange(1, 1 << 31)
        grown = lane.folder / "grown"
        grown.mkdir(exist_ok=True)
        if self._is_libfuzzer:
            options = [f"-seed={chosen}", f"-runs={RUNS}", "-max_len=8192", "-timeout=10", "-verbosity=0"]
            # Its own look at the peak of memory would see that of the process that started it.
            options += ["-rss_limit_mb=0", "-malloc_limit_mb=512"]
            argv = [*options, f"-artifact_prefix={grown}/", str(self._seeds)]
        else:
            argv = [str(chosen), str(RUNS), *map(str, sorted(self._seeds.iterdir()))]
        try:
            done = subprocess.run(
                [str(self._target), *argv], capture_output=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(HANG, "inputs of a fuzzer", f"more than {_SECONDS:g} s", weight=RUNS)
        if not done.returncode:
            return Outcome(REPORTED, "inputs of a fuzzer", weight=RUNS)
        report = done.stderr.decode(errors="replace")
        files = {path.name: path.read_bytes() for path in grown.iterdir()}
        verdict = CRASH if "Sanitizer" in report else BUG
        files["report.txt"] = report[-_TOLD:].encode()
        return Outcome(verdict, "inputs of a fuzzer", _summary(report), files, RUNS)


def seeds() -> list[bytes]:
    """The JPEGs that inputs are grown from: sequential and progressive ones."""
    return [data for _, data in sorted(sources().items()) if data.startswith(b"\xff\xd8")]


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


def _summary(report: str) -> str:
    lines = [line for line in report.splitlines() if "SUMMARY" in line or "ERROR" in line]
    return lines[-1] if lines else report[-200:]
