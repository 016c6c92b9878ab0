"""Conversions over stores and servers that fail: they end as they may, and the same command finishes them."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from chaos import Broken
from converting import Run, fingerprint, image_list
from stand_in_faults import serve_faults
from stand_in_store import serve
from store_chaos import _OPTIONS as OPTIONS
from store_chaos import trial
from storing import QUIET, Running

from fuzz.judging import real_command
from fuzz.malformed import ANSWERS, serve_malformed
from fuzz.outcome import BROKEN, BUG, EXIT, HANG, REPORTED, Outcome
from fuzz.running import Lane

# Waits as short as a busy machine can bear.
_HASTE = """
from tfrecordcli.storage import network
network.READING = network.WRITING = network.Timeouts(
    connect=5, read=3, request=15, total=30, retries=2, first_pause=0.01
)
"""
_FAULTS = (
    *("status-400", "status-401", "status-403", "status-404", "status-416", "status-429", "status-500"),
    *("status-503", "busy", "slow-down", "refused-login", "reset", "reset-once", "cut", "cut-once"),
    *("cut-no-ranges", "hang-once", "slow", "chunked", "login", "swapped", "zipped", "deflated", "bomb"),
    *("called-plain", "called-zipped", "zipped-short", "called-br", "zipped-twice", "moved", "moved-away"),
    *("moved-ftp", "moved-wrong", "moved-nowhere", "moved-odd", "circle", "login-moved"),
)


class Stores:
    name = "stores"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        self._seed = seed
        self._csv = image_list(folder / "in", 10)
        self._hook = folder / "hook"
        self._hook.mkdir()
        (self._hook / "sitecustomize.py").write_text(_HASTE)
        done = real_command("convert", self._csv, folder / "near", *OPTIONS)
        assert done.code == 0, done.err
        self._expected = fingerprint(folder / "near")

    def trial(self, lane: Lane, number: int) -> Outcome:
        random_ = random.Random(f"{self._seed} stores {number}")
        way: Callable[[Path, random.Random], Outcome] = random_.choice(
            [self._faulty_rows, self._malformed_rows, self._faulty_store, self._faulty_store]
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

    def _faulty_rows(self, folder: Path, random_: random.Random) -> Outcome:
        """Some images are on a faulty server."""
        names = random_.sample(_FAULTS, random_.randint(1, 3))
        with serve_faults() as faults:
            keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
            store = Running(
                "s3://bkt", {**QUIET, **keys, "AWS_ENDPOINT_URL": faults.url, "AWS_REGION": "us-east-1"}
            )
            urls = [f"{random_.choice([faults.url, 's3://bkt'])}/{name}/a.jpg" for name in names]
            done = real_command(
                "convert", self._list_with(folder, urls), folder / "out", "--json", env=self._hasty(store.env)
            )
        return _judge(done, "rows on a faulty server", ", ".join(urls), (1, 2, 3))

    def _malformed_rows(self, folder: Path, random_: random.Random) -> Outcome:
        """Some images are on a server whose answers are no HTTP: these are their rows' fault, no outage."""
        names = random_.sample(list(ANSWERS), random_.randint(1, 3))
        with serve_malformed(str(random_.random())) as url:
            urls = [f"{url}/{name.replace(' ', '%20')}/a.jpg" for name in names]
            env = self._hasty(Running("", QUIET).env)
            done = real_command("convert", self._list_with(folder, urls), folder / "out", "--json", env=env)
        return _judge(done, "rows whose server sends no HTTP", ", ".join(names), (0, 1))

    def _faulty_store(self, folder: Path, random_: random.Random) -> Outcome:
        """The dataset goes to a store that fails now and then, by `store_chaos`."""
        kind = random_.choice(["oss", "gs"])
        try:
            with serve(kind) as store:
                trial(store, self._csv, self._expected, random_)
        except Broken as broken:
            return Outcome(BROKEN, f"a store that fails, {kind}", str(broken))
        return Outcome(REPORTED, f"a store that fails, {kind}")


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
