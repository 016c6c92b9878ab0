"""What every kind asks of a command: that it ends, in time and memory, with an exit code that fits."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Any

from converting import TFREC, TIMEOUT, Run, environment

from fuzz.outcome import BUG, CONTAINED, CRASH, EXIT, HANG, MEMORY, Outcome
from fuzz.peer import Died, Hung, Peer, Raised
from fuzz.subject import Done

# What one process may have in memory: Python, NumPy and the decoders, one image of --max-pixels with the
# copies that a decoder makes, and a small record. The address space is limited to more than this.
PEAK = 1 << 30


def ask_command(subject: Peer, *arguments: str, seconds: float) -> Done | Outcome:
    """Runs a command in the process for that; an `Outcome` when the process did not survive it."""
    try:
        done = subject.ask("command", *arguments, seconds=seconds)
    except Hung as error:
        return Outcome(HANG, "", str(error))
    except Died as error:
        return Outcome(CRASH, "", str(error))
    except Raised as error:
        return Outcome(BUG, "", _last_line(error))
    assert isinstance(done, tuple)
    if done.peak > PEAK:
        subject.end()  # the peak of a process never falls
    return done


def real_command(*arguments: object, env: Mapping[str, str] | None = None) -> Run:
    """Runs `tfrec` as users do, in processes of its own.

    Raises:
      subprocess.TimeoutExpired
    """
    done = subprocess.run(
        [*TFREC, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(env) if env is not None else environment(),
        timeout=TIMEOUT,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def ask_witness(witness: Peer, function: str, *arguments: Any, seconds: float) -> Any:
    """What TensorFlow answers; text when it died or hung over it.

    Raises:
      Raised: for what the function does not expect, which is a mistake of these tests.
    """
    try:
        return witness.ask(function, *arguments, seconds=seconds)
    except Died as error:
        return f"TensorFlow died: {error}"
    except Hung as error:
        return f"TensorFlow hung: {error}"


def contained(outcome: Outcome, what: str, arguments: tuple[str, ...]) -> Outcome:
    """A decoder that crashed within a process: the real command, whose workers are others, survives that."""
    if outcome.verdict == CRASH:
        done = real_command(*arguments)
        if done.code in (1, 2):
            return Outcome(CONTAINED, what, outcome.detail)
    return Outcome(outcome.verdict, what, outcome.detail)


def wrong_end(done: Done, what: str, allowed: tuple[int, ...]) -> Outcome | None:
    """What is wrong with how a command ended, as such."""
    last = done.err.strip().rpartition("\n")[2] or done.out[-300:]
    if done.code == 70:
        return Outcome(BUG, what, last, {"traceback.txt": done.err.encode()})
    if "too little memory" in done.err or "out of memory" in done.err or done.peak > PEAK:
        return Outcome(MEMORY, what, f"{done.peak >> 20} MiB, exit {done.code}: {last}")
    if done.code not in allowed:
        return Outcome(EXIT, what, f"exit {done.code}: {last}")
    return None


def _last_line(error: Raised) -> str:
    return str(error).strip().rpartition("\n")[2]
