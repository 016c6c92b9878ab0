"""Mutations of finished datasets: what TensorFlow reads otherwise than before, `tfrec verify` reports.

For the files beside the shards, which TensorFlow does not read, what they say stands for what is read.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from converting import TIMEOUT

from fuzz import judging
from fuzz.datasets import OURS, Files, make_datasets, save_files, shard_lengths
from fuzz.outcome import BLAMED, EXIT, HARMLESS, REPORTED, UNREPORTED, Outcome
from fuzz.running import Lane
from fuzz.subject import Done
from fuzz.tampering import shards_of, tamper

_SECONDS = 60.0
# Of so many mutations one is verified by the real command too, in processes of its own.
_REAL = 100
_ERROR = "error: "

Read = Mapping[str, list[str]]


class Mutations:
    name = "mutations"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        self._seed = seed
        self._datasets = make_datasets(folder)
        self._baseline: dict[str, tuple[Read, list[str]]] = {}

    def trial(self, lane: Lane, number: int) -> Outcome:
        random_ = random.Random(f"{self._seed} mutations {number}")
        name = random_.choice(list(self._datasets))
        files = dict(self._datasets[name])
        done = [tamper(files, random_)]
        while shards_of(files) and random_.random() < 0.1:
            done.append(tamper(files, random_))
        what = f"{name}: {', '.join(done) if len(done) == 1 else 'several'}"
        folder = lane.folder / f"case-{number}"
        save_files(files, folder)
        try:
            outcome = self._judge(lane, name, files, folder, what)
            if outcome.verdict in (HARMLESS, REPORTED) and number % _REAL == 0:
                outcome = self._real_command(lane, folder, what) or outcome
        finally:
            shutil.rmtree(folder)
        if not outcome.is_failure:
            return outcome
        return Outcome(outcome.verdict, what, f"{', '.join(done)}: {outcome.detail}", files)

    def _judge(self, lane: Lane, name: str, files: Files, folder: Path, what: str) -> Outcome:
        arguments = "verify", str(folder), "--no-feed", "--json"
        done = judging.ask_command(lane.subject, *arguments, seconds=_SECONDS)
        if isinstance(done, Outcome):
            return judging.contained(done, what, arguments)
        if failure := judging.wrong_end(done, what, allowed=(0, 1, 2)):
            return failure
        read = judging.ask_witness(lane.witness, "read_folder", str(folder), seconds=_SECONDS)
        if isinstance(read, str):  # it died over what is called right, or not
            return Outcome(REPORTED if done.code else UNREPORTED, what, read)
        before, left_out = self._before(lane, name)
        if name in OURS:
            read = {file: lines for file, lines in read.items() if "/" not in file}
            return _judge_ours(self._datasets[name], files, done, read != before, what)
        is_told = done.json.get("not_checked", left_out) != left_out  # not there where verify stopped
        is_told = is_told or "image_elsewhere" in done.json.get("problem_counts", {})
        return _judge_foreign(files, done, before, read, what, is_told=is_told)

    def _before(self, lane: Lane, name: str) -> tuple[Read, list[str]]:
        """What TensorFlow reads of the dataset as it was, and what verify leaves out then."""
        if name not in self._baseline:
            folder = lane.folder / f"before-{name}"
            save_files(self._datasets[name], folder)
            read = judging.ask_witness(lane.witness, "read_folder", str(folder), seconds=_SECONDS)
            assert isinstance(read, dict), read
            assert not any(line.startswith(_ERROR) for lines in read.values() for line in lines)
            done = judging.ask_command(
                lane.subject, "verify", str(folder), "--no-feed", "--json", seconds=_SECONDS
            )
            assert isinstance(done, Done)
            assert done.code == 0, done
            self._baseline[name] = read, done.json["not_checked"]
        return self._baseline[name]

    def _real_command(self, lane: Lane, folder: Path, what: str) -> Outcome | None:
        """Whether the command says what was found within this process."""
        here = judging.ask_command(
            lane.subject, "verify", str(folder), "--no-feed", "--json", seconds=TIMEOUT
        )
        there = judging.real_command("verify", folder, "--no-feed", "--json")
        if isinstance(here, Outcome) or (here.code, _counts(here.out)) == (there.code, _counts(there.out)):
            return None
        return Outcome(EXIT, what, f"the command exits {there.code}, within a process {here.code}")


def _counts(out: str) -> Any:
    return json.loads(out).get("problem_counts")


# --- datasets of tfrec ---


def _judge_ours(before: Files, files: Files, done: Done, is_read_otherwise: bool, what: str) -> Outcome:
    changed = {name for name in {*before, *files} if before.get(name) != files.get(name)}
    told, is_error = _is_told(done, len(before)), done.code != 0
    if "manifest.json" not in files:  # what is left is of another program, for all that can be known
        return Outcome(REPORTED if told else UNREPORTED, what, "nothing tells that manifest.json is gone")
    if is_read_otherwise and not is_error:
        return Outcome(UNREPORTED, what, "TensorFlow reads it otherwise")
    for name in sorted(changed & {*before} - {*shards_of(before)}):
        if _says(name, before.get(name)) == _says(name, files.get(name)):
            continue
        is_mended = name == "rejects.csv" and name in files  # people edit it in place
        if not (told if is_mended else is_error):
            return Outcome(UNREPORTED, what, f"{name} is {'edited' if name in files else 'missing'}")
    if changed:
        return Outcome(REPORTED if told else HARMLESS, what)
    return Outcome(BLAMED if is_error else HARMLESS, what, "no byte was changed")


def _is_told(done: Done, files: int) -> bool:
    """Whether a report says anything at all that one of a sound dataset does not."""
    values = done.json
    notes = values.get("notes") or values.get("warnings") or values.get("not_checked")
    return bool(done.code or values.get("problem_counts") or notes)


def _says(name: str, data: bytes | None) -> Any:
    """What a file beside the shards says; None when that cannot be read, or when it is not there."""
    if data is None or not name.endswith((".json", ".jsonl")):
        return data
    try:
        if name.endswith(".json"):
            return json.loads(data)
        lines = [json.loads(line) for line in data.splitlines()]
        return sorted(lines, key=lambda line: str(line["split"]))  # of one split, their order counts
    except (ValueError, TypeError, KeyError):
        return None


# --- those of other programs ---


def _judge_foreign(
    files: Files, done: Done, before: Read, read: Read, what: str, *, is_told: bool = False
) -> Outcome:
    """``is_told`` is whether verify leaves out other things than before, or warns of a key, and says so."""
    if done.code or is_told:
        return Outcome(REPORTED, what)
    lines = [line for found in read.values() for line in found]
    if any(line.startswith(_ERROR) for line in lines):
        return Outcome(UNREPORTED, what, "TensorFlow cannot read it")
    if done.json["records"] != len(lines):
        return Outcome(
            UNREPORTED, what, f"verify counts {done.json['records']} records, TensorFlow {len(lines)}"
        )
    known = {line for found in before.values() for line in found}
    is_edited = "of a record changed" in what or "its checksum right" in what  # as good a record as any
    if not is_edited and "several" not in what and not known.issuperset(lines):
        return Outcome(UNREPORTED, what, "TensorFlow reads a record that was not written")
    lengths = shard_lengths(files)
    if (
        lengths is not None
        and read.keys() == before.keys()
        and lengths != [len(read[name]) for name in sorted(read)]
    ):
        return Outcome(
            UNREPORTED, what, f"dataset_info.json tells of {lengths} records, and they are not there"
        )
    return Outcome(HARMLESS, what)
