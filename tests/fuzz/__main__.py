"""`python -m fuzz`: hostile testing, seeded, bounded in count, time and memory.

make fuzz
make fuzz FUZZ='--seed 7 --mutations 500 --payloads 0'
make fuzz FUZZ='--seed 7 --only images:1234'
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import time
from pathlib import Path

from fuzz.gates import Gates
from fuzz.images import Images
from fuzz.kills import Kills
from fuzz.mutations import Mutations
from fuzz.payload_cases import Payloads
from fuzz.report import table
from fuzz.running import Kind, NotHere, Running, Tally
from fuzz.stores import Stores
from fuzz.walks import Walks
from tfrecordcli.processes import available_cores

# kind -> its option, and how many cases are tried unless told otherwise.
KINDS: dict[type[Kind], tuple[str, int]] = {
    Mutations: ("--mutations", 5_000),
    Payloads: ("--payloads", 20_000),
    Images: ("--images", 20_000),
    Stores: ("--store-runs", 100),
    Kills: ("--kills", 100),
    Gates: ("--gates", 100_000),
    Walks: ("--walks", 1_000_000),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.splitlines()[0] if __doc__ else "")
    for kind, (option, count) in KINDS.items():
        parser.add_argument(option, metavar="N", type=int, default=count, dest=kind.name, help=f"[{count}]")
    parser.add_argument("--seed", metavar="N", type=int, default=None, help="of all cases  [a random one]")
    parser.add_argument("--minutes", metavar="N", type=float, default=60.0, help="stop then  [60]")
    parser.add_argument("--lanes", metavar="N", type=int, default=None, help="at a time  [available cores]")
    parser.add_argument("--only", metavar="KIND:NUMBER", help="one case again, as a failure names it")
    parser.add_argument(
        "--keep", metavar="DIR", type=Path, default=Path("fuzz-failures"), help="[fuzz-failures]"
    )
    arguments = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    tallies = _run_all(arguments, seed)
    print(table(tallies, seed))
    failures = sum(sum(tally.failures.values()) for tally in tallies)
    left = [tally.name for tally in tallies if tally.done < tally.asked]
    if failures:
        print(f"{failures} FAILURES; what was kept of them is in {arguments.keep}/")
    if left:
        print(f"NOT ALL WAS TRIED in {arguments.minutes:g} minutes: {', '.join(left)}")
    return 1 if failures or left else 0


def _run_all(arguments: argparse.Namespace, seed: int) -> list[Tally]:
    only, _, number = (arguments.only or "").partition(":")
    deadline = time.monotonic() + 60 * arguments.minutes
    tallies = []
    for kind in KINDS:
        count = getattr(arguments, kind.name)
        if not count or only not in ("", kind.name):
            continue
        numbers = iter([int(number)]) if only else itertools.count()
        lanes = 1 if only else arguments.lanes or available_cores()
        running = Running(kind(), seed, arguments.keep, lambda words: print(words, flush=True), deadline)
        with tempfile.TemporaryDirectory(prefix="tfrec-fuzz-", ignore_cleanup_errors=True) as folder:
            try:
                tallies.append(running.run(Path(folder), numbers, 1 if only else count, lanes))
            except NotHere as reason:
                print(f"{kind.name}: NOT TRIED: {reason}", flush=True)
    return tallies


if __name__ == "__main__":
    sys.exit(main())
