"""Conversions to a store that fails at requests chosen at random, and processes that are killed meanwhile.

    python tests/store_chaos.py --runs 100 [--seed N] [--seconds S]

Each run converts a small list to a stand-in of OSS or Cloud Storage, some of whose answers are refusals that
pass, broken off before or after the request was carried out, or no HTTP; `tfrec verify` reads it back in the
same weather. Allowed are the exit codes 0, and 3 for an outage. At last the store is well: then the same
command must end in the files of an undisturbed run, and no other object may be there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chaos import Broken, Outcome
from converting import TFREC, TIMEOUT, fingerprint, image_list, start, tfrec
from stand_in_store import BreakOff, Refused, StandIn, serve
from storing import Running

_REFUSALS = ((500, "InternalError"), (503, "SlowDown"), (429, "TooManyRequests"), (400, "RequestTimeout"))
_GARBLED = (b"\x00\xffgarbage\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 2")
_OPTIONS = ("--num-shards", "train=2", "--workers", "1")
_ATTEMPTS = 3  # in bad weather
_AT_ONCE = 4  # runs, which wait more than they work


class Weather:
    """Faults at a share of all requests; none after `clear_up`."""

    def __init__(self, random_: random.Random) -> None:
        self._random = random.Random(random_.random())
        self._share = random_.choice((0.02, 0.1, 0.3))

    def clear_up(self) -> None:
        self._share = 0.0

    def meddle(self, method: str, key: str) -> None:
        """As `StandIn.meddle`."""
        if self._random.random() >= self._share:
            return
        if method == "HEAD" or self._random.random() < 0.5:  # HEAD has no body that would name the fault
            status, code = self._random.choice(_REFUSALS[:3] if method == "HEAD" else _REFUSALS)
            raise Refused(status, code)
        words = self._random.choice((b"", *_GARBLED))
        raise BreakOff(words, is_carried_out=self._random.random() < 0.5)


def trial(store: StandIn, csv: Path, expected: Mapping[str, str], random_: random.Random) -> None:
    """One conversion in bad weather.

    Raises:
      Broken: a promise was not kept.
    """
    weather = Weather(random_)
    store.meddle = weather.meddle
    running = Running(f"{store.kind}://{store.bucket}", store.environment())
    url = f"{running.url}/out"
    commands = [("convert", csv, url, *_OPTIONS)] * _ATTEMPTS + [
        ("verify", url, "--no-feed", "--workers", "1")
    ]
    stands = False
    for command in commands:
        code, words = _run(
            command, running.env, random_.uniform(0.2, 3.0) if random_.random() < 0.2 else None
        )
        if command[0] == "verify" and not stands:
            code = 0 if code in (1, 2) else code  # nothing to verify may be there
        if code not in (0, 3, -signal.SIGKILL):
            raise Broken(f"{command[0]}: exit code {code}: {words}")
        if code == 0 and command[0] == "convert":
            stands = True
            _compare("exit code 0 in bad weather", store, expected)
    weather.clear_up()
    for command in commands[-2:]:
        code, words = _run(command, running.env)
        if code != 0:
            raise Broken(f"{command[0]} in good weather: exit code {code}: {words}")
    _compare("in good weather", store, expected)


def _run(
    command: tuple[object, ...], env: Mapping[str, str], kill_after: float | None = None
) -> tuple[int, str]:
    process = start([*TFREC, *command], env)
    try:
        _, err = process.communicate(timeout=kill_after or TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, err = process.communicate()
        if kill_after is None:
            raise Broken(f"{command[0]}: no end after {TIMEOUT:.0f} s") from None
    return process.returncode, err.decode(errors="replace")[-2000:]


def _compare(where: str, store: StandIn, expected: Mapping[str, str]) -> None:
    found = {
        key.removeprefix("out/"): hashlib.sha256(stored.data).hexdigest()
        for key, stored in list(store.objects.items())
    }
    if found != expected:
        names = sorted(key for key in {*found, *expected} if found.get(key) != expected.get(key))
        raise Broken(f"{where}: other objects than of an undisturbed run: {', '.join(names)}")


def run(seed: int, count: int, seconds: float = 3600.0) -> Outcome:
    """``count`` conversions, or as many as the time is enough for, each with a seed of its own."""
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        csv = image_list(Path(folder) / "in", 6)
        output = Path(folder) / "out"
        if tfrec("convert", csv, output, *_OPTIONS).code != 0:
            raise Broken("without any fault the conversion fails")
        expected = fingerprint(output)

        def one(number: int) -> str | None:
            """What went wrong; None when there was no time for it."""
            if time.monotonic() > deadline:
                return None
            try:
                with serve(("gs", "oss")[number % 2]) as store:
                    trial(store, csv, expected, random.Random(f"{seed} {number}"))
            except Broken as broken:
                return f"seed {seed}, run {number}: {broken}"
            return ""

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            results = [result for result in pool.map(one, range(count)) if result is not None]
    return Outcome(len(results), tuple(filter(None, results)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    outcome = run(arguments.seed, arguments.runs, arguments.seconds)
    print(f"{outcome.done} runs on a faulty store")
    if outcome.failures:
        sys.exit("BROKEN:\n" + "\n".join(outcome.failures))


if __name__ == "__main__":
    main()
