"""Conversions over stores and servers that fail: they end as they may, and the same command finishes them."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from converting import Run, fingerprint, image_list
from stand_in_store import Refused, serve
from stand_in_troubles import serve_troubles
from storing import QUIET, Running

from fuzz.judging import real_command
from fuzz.malformed import ANSWERS, serve_malformed
from fuzz.outcome import BROKEN, BUG, EXIT, HANG, REPORTED, Outcome
from fuzz.running import Lane

# Waits as short as a test can bear; the second run of each case has those of everyday.
_HASTE = """
from tfrecordcli.storage import patience
patience.READING = patience.WRITING = patience.Patience(
    connect=2, silence=1, request=5, total=10, repetitions=2, first_pause=0.01
)
"""
_TROUBLES = (
    *("status-400", "status-401", "status-403", "status-404", "status-416", "status-429", "status-500"),
    *("status-503", "busy", "slow-down", "refused-login", "reset", "reset-once", "cut", "cut-once"),
    *("cut-no-ranges", "hang-once", "slow", "chunked", "login", "swapped", "zipped", "deflated", "bomb"),
    *("called-plain", "called-zipped", "zipped-short", "called-br", "zipped-twice", "moved", "moved-away"),
    *("moved-ftp", "moved-wrong", "moved-nowhere", "moved-odd", "circle", "login-moved"),
)
_REFUSALS = ((500, "InternalError"), (503, "SlowDown"), (429, "TooManyRequests"), (400, "RequestTimeout"))
_SHARDS = ("--num-shards", "train=3", "--workers", "2", "--index", "--max-rejects", "9")


class Stores:
    name = "stores"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        self._seed = seed
        self._csv = image_list(folder / "in", 10)
        self._hook = folder / "hook"
        self._hook.mkdir()
        (self._hook / "sitecustomize.py").write_text(_HASTE)
        done = real_command("convert", self._csv, folder / "near", *_SHARDS)
        assert done.code == 0, done.err
        self._expected = fingerprint(folder / "near")

    def trial(self, lane: Lane, number: int) -> Outcome:
        random_ = random.Random(f"{self._seed} stores {number}")
        way: Callable[[Path, random.Random], Outcome] = random_.choice(
            [self._troubled_rows, self._malformed_rows, self._faulty_store, self._faulty_store]
        )
        folder = lane.folder / f"case-{number}"
        folder.mkdir()
        try:
            return way(folder, random_)
        except subprocess.TimeoutExpired as error:
            return Outcome(HANG, way.__name__.strip("_"), str(error))
        finally:
            shutil.rmtree(folder)

    def _hasty(self, env: Mapping[str, str]) -> dict[str, str]:
        return {**env, "PYTHONPATH": str(self._hook)}

    def _list_with(self, folder: Path, urls: list[str]) -> Path:
        rows = [
            line.replace("TRAIN,", f"TRAIN,{self._csv.parent}/")
            for line in self._csv.read_text().splitlines()
        ]
        rows += [f"TRAIN,{url},a" for url in urls]
        path = folder / "list.csv"
        path.write_text("\n".join(rows) + "\n")
        return path

    def _troubled_rows(self, folder: Path, random_: random.Random) -> Outcome:
        """Some images are on a server in trouble."""
        names = random_.sample(_TROUBLES, random_.randint(1, 3))
        with serve_troubles() as troubles:
            keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
            store = Running(
                "s3://bkt", {**QUIET, **keys, "AWS_ENDPOINT_URL": troubles.url, "AWS_REGION": "us-east-1"}
            )
            urls = [f"{random_.choice([troubles.url, 's3://bkt'])}/{name}/a.jpg" for name in names]
            done = real_command(
                "convert", self._list_with(folder, urls), folder / "out", "--json", env=self._hasty(store.env)
            )
        return _judge(done, "rows on a server in trouble", ", ".join(urls), (1, 2, 3))

    def _malformed_rows(self, folder: Path, random_: random.Random) -> Outcome:
        """Some images are on a server whose answers are no HTTP: these are their rows' trouble, no outage."""
        names = random_.sample(list(ANSWERS), random_.randint(1, 3))
        with serve_malformed(str(random_.random())) as url:
            urls = [f"{url}/{name.replace(' ', '%20')}/a.jpg" for name in names]
            env = self._hasty(Running("", QUIET).env)
            done = real_command("convert", self._list_with(folder, urls), folder / "out", "--json", env=env)
        return _judge(done, "rows whose server sends no HTTP", ", ".join(names), (0, 1))

    def _faulty_store(self, folder: Path, random_: random.Random) -> Outcome:
        """The dataset goes to a store that fails now and then; the same command finishes it."""
        kind, share = random_.choice(["oss", "gs"]), random_.choice([0.02, 0.05, 0.1, 0.3])
        what = f"a store that fails, {kind}"
        with serve(kind) as store:
            running = Running(f"{kind}://{store.bucket}", store.environment())
            is_far = random_.random() < 0.5
            if is_far:
                running.fill(self._csv.parent, "in")
            source = f"{running.url}/in/list.csv" if is_far else str(self._csv)
            command = ("convert", source, f"{running.url}/out", *_SHARDS, "--json")
            store.meddle = _Meddling(random_.random(), share)
            first = real_command(*command, env=self._hasty(running.env))
            outcome = _judge(first, what, f"{share:.0%} of requests", (0, 1, 2, 3))
            if outcome.is_failure:
                return outcome
            store.meddle = lambda method, key: None
            second = real_command(*command, env=running.env)
            if second.code != 0:
                return Outcome(BROKEN, what, f"then exit {second.code}: {second.out[-400:]}")
            found = {name: hashlib.sha256(data).hexdigest() for name, data in running.contents("out").items()}
        if found == self._expected:
            return outcome
        more, less = sorted(found.keys() - self._expected), sorted(self._expected.keys() - found)
        return Outcome(
            BROKEN, what, f"after exit {first.code}, then 0: left {more}, missing {less}, or other bytes"
        )


class _Meddling:
    """Refuses a share of requests, and delays some."""

    def __init__(self, seed: float, share: float) -> None:
        self._random = random.Random(seed)
        self._share = share
        self._lock = threading.Lock()

    def __call__(self, method: str, key: str) -> None:
        with self._lock:
            fate, refusal = self._random.random(), self._random.choice(_REFUSALS)
        if fate < self._share:
            raise Refused(*refusal)
        if fate > 0.97:
            time.sleep(0.05)


def _judge(done: Run, what: str, detail: str, allowed: tuple[int, ...]) -> Outcome:
    if done.code == 70:
        return Outcome(BUG, what, f"{detail}: {done.err[-400:]}")
    try:
        told = json.loads(done.out)["error"]
    except (ValueError, KeyError):
        return Outcome(EXIT, what, f"{detail}: exit {done.code} without JSON: {done.err[-300:]}")
    if done.code not in allowed:
        return Outcome(EXIT, what, f"{detail}: exit {done.code}: {told}")
    return Outcome(REPORTED, what)
