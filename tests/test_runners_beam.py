"""Apache Beam's runners against the local one: the same bytes, whatever is killed, repeated or resumed."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    end,
    environment,
    fingerprint,
    image_list,
    read_csv,
    start,
    tfrec,
)
from hypothesis import given
from hypothesis import strategies as st
from sampling import first
from stand_in_simplejpeg import StandIn, mark
from storing import Running, running

from tfrecordcli.converting.conversion import convert
from tfrecordcli.errors import UsageError
from tfrecordcli.given_options import make_options
from tfrecordcli.options import RunOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.beam.options import beam_setting
from tfrecordcli.runners.beam.pipeline import build_pipeline, ranges_of
from tfrecordcli.runners.choice import choose_runner
from tfrecordcli.workdir.workspace import Workspace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills process groups")

ROWS = 24
MARKED = 7
SHARDS = ("--num-shards", "8")
TWO_PROCESSES = ("--runner", "DirectRunner", "--workers", "2")


# --- the contract ---


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list with a reject that shows in the list and one that shows in a worker."""
    csv = image_list(tmp_path_factory.mktemp("contract") / "in", ROWS)
    csv.write_text(csv.read_text() + "TRAIN,missing.jpg,a\nTRIAN,000.jpg,a\n")
    return csv


CONTRACT = (*SHARDS, "--index", "--max-rejects", "2")
TOLD = (
    "1 of 26 rows cannot be used; the others are converted:\n"
    "  line 27: 000.jpg: unknown split 'TRIAN': did you mean train?\n"
)


@pytest.fixture(scope="module")
def expected(source: Path) -> dict[str, str]:
    """What the local runner makes of it."""
    output = source.parents[1] / "expected"
    assert tfrec("convert", source, output, *CONTRACT, "--workers", "1").code == 0
    return fingerprint(output)


@pytest.fixture(scope="module")
def store(source: Path) -> Iterator[Running]:
    """A store with the list and its images; Dask's workers know where it is, as all of a cluster do."""
    with running("s3") as found:
        found.fill(source.parent, "in")
        yield found


@dataclass(frozen=True)
class DaskCluster:
    """A scheduler and three workers, each a process of its own under a nanny."""

    scheduler_file: Path
    stand_in: StandIn
    output: Path

    @property
    def options(self) -> tuple[str, ...]:
        return ("--runner", "daskrunner", "--beam-option", f"dask_scheduler_file={self.scheduler_file}")


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory, store: Running) -> Iterator[DaskCluster]:
    folder = tmp_path_factory.mktemp("dask")
    cluster = DaskCluster(
        folder / "scheduler.json", StandIn(folder / "stand-in", folder / "out"), folder / "out"
    )
    local = ["--scheduler-file", cluster.scheduler_file, "--host", "127.0.0.1", "--no-dashboard"]
    worker = ["--nthreads", "1", "--nworkers", "1", "--local-directory", folder]
    module = [sys.executable, "-m", "distributed.cli"]
    commands = [[module[0], "-m", "distributed.cli.dask_scheduler", *local, "--port", "0"]]
    commands += [[module[0], "-m", "distributed.cli.dask_worker", *local, *worker] for _ in range(3)]
    log = (folder / "log").open("wb")
    env = store.env | {"PYTHONPATH": cluster.stand_in.python_path}
    env["DASK_DISTRIBUTED__LOGGING__DISTRIBUTED"] = "error"
    how = {"stdout": log, "stderr": log, "start_new_session": True, "env": env}
    processes = [subprocess.Popen([*map(str, command)], **how) for command in commands]
    yield cluster
    cluster.stand_in.go()
    for process in processes:
        end(process)
    log.close()


@pytest.fixture(scope="module")
def job_service() -> Iterator[tuple[str, ...]]:
    """Beam's portable job service as a process of its own; its workers are threads of the launcher."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    module = "apache_beam.runners.portability.local_job_service_main"
    process = start([sys.executable, "-m", module, "--port", port], env=environment())
    yield (
        *("--runner", "PortableRunner", "--beam-option", f"job_endpoint=localhost:{port}"),
        *("--beam-option", "environment_type=LOOPBACK"),
    )
    end(process)


@pytest.mark.parametrize(
    "options",
    first(
        [("--workers", "2"), ("--runner", "DirectRunner")],
        [
            TWO_PROCESSES,
            ("--workers", "4"),
            ("--runner", "directrunner"),
            ("--runner", "DIRECT", "--beam-option", "direct_runner_bundle_repeat=1"),  # every bundle twice
            ("--runner", "BundleBasedDirectRunner"),
            "job_service",
            "dask",
        ],
    ),
    ids=str,
)
def test_the_same_bytes(
    options: Any, source: Path, expected: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if isinstance(options, str):
        fixture = request.getfixturevalue(options)
        options = fixture.options if isinstance(fixture, DaskCluster) else fixture
    done = tfrec("convert", source, tmp_path / "out", *CONTRACT, *options, "--json", command=TFREC)
    assert (done.code, done.err) == (0, TOLD)
    assert (done.json["status"], done.json["records"], done.json["rejected"]) == ("complete", ROWS, 2)
    assert fingerprint(tmp_path / "out") == expected


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options", [("--runner", "DirectRunner"), TWO_PROCESSES, "job_service", "dask"], ids=str
)
def test_the_same_bytes_on_a_store(
    options: Any, store: Running, expected: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every second shard is made by steps before; the list, the images, the plan and the shards are there."""
    name = f"out-{options if isinstance(options, str) else len(options)}"
    if isinstance(options, str):
        fixture = request.getfixturevalue(options)
        options = fixture.options if isinstance(fixture, DaskCluster) else fixture
    env = store.env | {"TMPDIR": str(tmp_path)}
    both = (f"{store.url}/in/list.csv", f"{store.url}/{name}")
    assert tfrec("plan", *both, *CONTRACT, env=env).code == 0
    assert tfrec("write-shards", both[1], "--part", "1/2", env=env).code == 0
    done = tfrec("convert", *both, *CONTRACT, *options, "--json", env=env)
    assert (done.code, done.err) == (0, "")
    assert (done.json["status"], done.json["records"], done.json["resumed_shards"]) == ("complete", ROWS, 4)
    again = tfrec("convert", *both, *CONTRACT, *options, "--json", env=env)
    assert again.json["status"] == "already_complete"
    found = store.contents(name)
    assert {key: hashlib.sha256(data).hexdigest() for key, data in found.items()} == expected
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("tfrec")] == []


# --- workers and launchers die ---


class Place:
    """A list with one marked image, and where it is converted to."""

    def __init__(
        self, folder: Path, kind: str, stand_in: StandIn | None = None, output: Path | None = None
    ) -> None:
        self.csv = image_list(folder / "in", ROWS, {MARKED: mark(kind)})
        self.output = output or folder / "out"
        self.stand_in = stand_in or StandIn(folder / "stand-in", self.output)

    def start(self, *more: object) -> subprocess.Popen[bytes]:
        command = [*TFREC, "convert", self.csv, self.output, *SHARDS, "--json", *more]
        return start(command, env=environment(PYTHONPATH=self.stand_in.python_path))

    def run(self, *more: object) -> Run:
        process = self.start(*more)
        out, err = process.communicate(timeout=TIMEOUT)
        return Run(process.returncode, out.decode(), err.decode())

    def in_one_go(self, *more: object) -> dict[str, str]:
        """What the local runner makes of it, without any fault."""
        output = self.csv.parents[1] / "whole"
        assert tfrec("convert", self.csv, output, *SHARDS, *more).code in (0, 1)
        return fingerprint(output)


def killed_worker(place: Place, *options: object) -> Run:
    """A run whose worker at the marked image is killed once."""
    process = place.start(*options)
    try:
        worker = place.stand_in.wait_until_reached()
        assert worker != process.pid
        os.kill(worker, signal.SIGKILL)
        assert place.stand_in.wait_until_reached() != worker
        place.stand_in.go()
        out, err = process.communicate(timeout=TIMEOUT)
        return Run(process.returncode, out.decode(), err.decode())
    finally:
        place.stand_in.go()
        end(process)


@pytest.mark.thorough
def test_a_killed_worker_on_this_machine_costs_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path, "wait")
    done = killed_worker(place, *TWO_PROCESSES)
    assert (done.code, done.json["records"], done.json["rejected"]) == (0, ROWS, 0), done.err
    assert fingerprint(place.output) == place.in_one_go()


@pytest.mark.thorough
def test_a_killed_worker_on_dask_costs_nothing(dask: DaskCluster, tmp_path: Path) -> None:
    place = Place(tmp_path, "wait", dask.stand_in, dask.output)
    done = killed_worker(place, *dask.options)
    assert (done.code, done.json["records"], done.json["rejected"]) == (0, ROWS, 0), done.err
    assert fingerprint(place.output) == place.in_one_go()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "then"),
    [
        (("--runner", "DirectRunner"), "finish"),
        (("--runner", "DirectRunner"), "beam"),
        (TWO_PROCESSES, "local"),
    ],
    ids=["finish", "beam", "local"],
)
def test_a_killed_launcher_loses_nothing(first: tuple[str, ...], then: str, tmp_path: Path) -> None:
    place = Place(tmp_path, "wait")
    process = place.start(*first)
    try:
        place.stand_in.wait_until_reached()
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        place.stand_in.go()
        end(process)
    assert not (place.output / "manifest.json").exists()
    if then == "finish":
        assert tfrec("write-shards", place.output).code == 0
        done = tfrec("finish", place.output, "--json")
    else:
        runner = ("--runner", "DirectRunner") if then == "beam" else ()
        done = tfrec("convert", place.csv, place.output, *SHARDS, *runner, "--json")
    assert (done.code, done.json["status"], done.json["records"]) == (0, "complete", ROWS)
    assert fingerprint(place.output) == place.in_one_go()


@pytest.mark.thorough
def test_a_decoder_crash_costs_its_row_only(tmp_path: Path) -> None:
    place = Place(tmp_path, "segv")
    done = place.run(*TWO_PROCESSES)
    assert (done.code, done.json["records"], done.json["reasons"]) == (1, ROWS - 1, {"decoder_crash": 1})
    (reject,) = read_csv(place.output / "rejects.csv")
    assert reject["image_uri"] == f"{MARKED:03}.jpg"


@pytest.mark.thorough
def test_a_worker_that_is_killed_every_time_ends_the_run_resumably(tmp_path: Path) -> None:
    place = Place(tmp_path, "kill")
    done = place.run(*TWO_PROCESSES)
    # The second attempt checked in a child process, which is what was killed then.
    assert (done.code, done.json["error"]["code"]) == (2, "memory")
    assert "--max-pixels" in done.json["error"]["hint"]
    # Whether the other worker finished any shard meanwhile is a matter of luck.
    found = (place.output / "_tfrec" / "done").glob("*-of-*")
    finished = sum(path.suffix != ".tmp" for path in found)  # it may have died over a record, too
    rest = tfrec("convert", place.csv, place.output, *SHARDS, "--json")  # with the real decoder
    assert (rest.code, rest.json["records"], rest.json["resumed_shards"]) == (0, ROWS, finished)
    assert fingerprint(place.output) == place.in_one_go()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options", [("--runner", "DirectRunner"), TWO_PROCESSES], ids=["in-process", "processes"]
)
def test_a_bug_in_a_worker_is_told_as_one(options: tuple[str, ...], tmp_path: Path) -> None:
    place = Place(tmp_path, "bug")
    done = place.run(*options)
    assert (done.code, done.json["error"]["code"]) == (70, "bug")
    assert len(done.err.splitlines()) == 2
    kept = Path(done.json["error"]["hint"].removeprefix("the traceback is in ").partition(":")[0])
    assert "nobody expects this" in kept.read_text()
    kept.unlink()
    assert tfrec("convert", place.csv, place.output, *SHARDS, "--json").json["records"] == ROWS
    assert fingerprint(place.output) == place.in_one_go()


@pytest.mark.thorough
def test_fail_fast_stops_the_workers_and_another_run_goes_on(source: Path, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", ROWS)
    rows = csv.read_text().splitlines()
    csv.write_text("\n".join([*rows[:5], "TRAIN,missing.jpg,a", *rows[5:]]) + "\n")
    place = SimpleNamespace(csv=csv, output=tmp_path / "out")
    options = (*SHARDS, "--json")
    done = tfrec("convert", place.csv, place.output, *options, "--runner", "DirectRunner", "--fail-fast")
    assert (done.code, done.json["status"], done.json["rejected"]) == (1, "failed", 1)
    assert not (place.output / "manifest.json").exists()
    rest = tfrec("convert", place.csv, place.output, *options, "--max-rejects", "1")
    assert (rest.code, rest.json["status"], rest.json["records"]) == (0, "complete", ROWS)


# --- the graph ---


@pytest.mark.parametrize("step", [1, 2], ids=["all", "every other one"])
def test_the_graph_of_a_million_shards_stays_small(step: int) -> None:
    workspace = Workspace(Path("/" + "long" * 50))
    job: Any = SimpleNamespace(workspace=workspace, plan=SimpleNamespace(identity="0" * 64))
    ranges = ranges_of(range(0, 1_000_000, step))
    pipeline = build_pipeline(
        ["--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner"], job, ranges
    )
    graph = pipeline.to_runner_api().SerializeToString()
    assert len(graph) < 100_000
    assert sum(end - first for first, end in ranges) >= 1_000_000 // step
    assert len(ranges) > 256


@given(st.sets(st.integers(0, 3000), max_size=600), st.integers(2, 40))
def test_stretches_cover_every_number_once(numbers: set[int], most: int) -> None:
    ranges = ranges_of(sorted(numbers), most)
    assert len(ranges) <= most
    covered = [number for first, end in ranges for number in range(first, end)]
    assert covered == sorted(set(covered))
    assert numbers <= set(covered)


def test_few_shards_are_a_range_each() -> None:
    assert ranges_of([0, 1, 2, 7]) == [(0, 1), (1, 2), (2, 3), (7, 8)]
    assert ranges_of([]) == []


# --- options ---

GOOD = {"runner": "dataflowrunner", "project": "my-project", "region": "us-central1"}
IMAGE = "apache/beam_python3.9_sdk:2.77.0"


@pytest.mark.parametrize(
    ("output", "options", "message", "hint"),
    [
        ("out", {"runner": "DaatflowRunner"}, "no such runner", "did you mean DataflowRunner?"),
        ("out", {"runner": "zzz"}, "no such runner", "DataflowRunner"),
        ("out", {"project": "p"}, "--project needs a Beam runner", "--runner"),
        ("out", {"beam_options": "streaming"}, "--beam-option needs a Beam runner", "--runner"),
        ("out", {"runner": "direct", "beam_options": ["max_num_worker=3"]}, "no such", "max_num_workers"),
        ("out", {"runner": "direct", "beam_options": ["=3"]}, "is not NAME=VALUE", "--beam-option"),
        ("out", {"runner": "direct", "beam_options": ["a=1", "a=2"]}, "given twice", "last"),
        ("out", {"runner": "flink", "workers": 2}, "--workers is not for FlinkRunner", "--beam-option"),
        ("out", {"runner": "flink"}, "do not see the local folder out", "environment_type"),
        (
            "out",
            {"runner": "portable", "beam_options": {"environment_type": "DOCKER"}},
            "do not see the local folder",
            "LOOPBACK",
        ),
        (
            "gs://bucket/out",
            {"runner": "dataflow"},
            "--project is missing; --region is missing",
            "us-central1",
        ),
        ("gs://bucket/out", {"runner": "dataflow", "project": "p"}, "--region is missing", "us-central1"),
        ("out", GOOD, "do not see the local folder out", "gs://"),
        (
            "gs://b/out",
            {**GOOD, "temp_location": "/tmp"},
            "--temp-location /tmp is not on gs://",
            "gs://BUCKET",
        ),
        ("gs://b/out", {**GOOD, "temp_location": "gs://"}, "--temp-location gs:// is not", "gs://BUCKET"),
        ("gs://b/out", {**GOOD, "project": "My Project"}, "--project My Project cannot be", "the ID"),
        ("gs://b/out", {**GOOD, "region": "us-central1-a"}, "--region us-central1-a cannot", "not a zone"),
        ("gs://b/out", {**GOOD, "beam_options": "job_name=A"}, "--beam-option job_name A", "lower case"),
        ("gs://b/out", {**GOOD, "beam_options": "max_num_workers=many"}, "invalid int value: 'many'", "Beam"),
        ("gs://b/out", {**GOOD, "beam_options": {"sdk_container_image": IMAGE}}, "has Python 3.9", "same"),
        (
            "gs://b/out",
            {**GOOD, "beam_options": {"project": "other"}},
            "--project is given twice",
            "leave out",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_options_that_cannot_be_right(output: str, options: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_runner(make_options(options).run, output, Reporter())
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_wrong_options_stop_the_command_before_anything_is_made(source: Path, tmp_path: Path) -> None:
    done = tfrec("convert", source, "out", "--runner", "dataflow", "--json", cwd=tmp_path, here=True)
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "--project is missing" in done.json["error"]["message"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["list", "folder", "frame", "dry run"])
def test_local_images_are_refused_at_once(kind: str, source: Path) -> None:
    """Before anything is planned, and before the store is asked for anything."""
    given: Any = {"folder": source.parent, "frame": pd.read_csv(source)}.get(kind, source)
    more = {"image_root": source.parent} if kind == "frame" else {"dry_run": kind == "dry run"}
    if kind == "folder":
        more["unlabelled"] = "keep"
    with pytest.raises(UsageError, match="do not see local images") as caught:
        convert(given, "gs://never-asked/out", **GOOD, **more)
    assert "--image-root gs://" in caught.value.hint


@pytest.mark.parametrize(
    ("value", "pairs"),
    [
        ("streaming", (("streaming", None),)),
        (["a=1", "--b-c=x=y"], (("a", "1"), ("b_c", "x=y"))),
        ({"a": 1, "flag": True, "off": False}, (("a", "1"), ("flag", None))),
        ((), ()),
    ],
)
def test_beam_options_as_people_write_them(value: Any, pairs: Any) -> None:
    assert make_options({"beam_options": value}).run.beam_options == pairs


@pytest.mark.parametrize("name", ["directrunner", "DIRECT", "SwitchingDirectRunner", "DirectRunner"])
def test_direct_runner_is_the_one_that_downloads_nothing(name: str) -> None:
    setting = beam_setting(RunOptions(runner=name), "out")
    assert setting.name == "DirectRunner"
    assert "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner" in setting.flags


@pytest.mark.parametrize(
    ("runner", "missing", "hint"),
    first(
        [("direct", "apache_beam", "pip install 'apache-beam<3")],
        [("dataflow", "apitools", "pip install 'apache-beam[gcp]<3"), ("dask", "dask", "apache-beam[dask]")],
        unpack=True,
    ),
)
def test_what_is_not_installed_is_named(
    source: Path, tmp_path: Path, runner: str, missing: str, hint: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {missing!r}:\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    env = environment(PYTHONPATH=str(tmp_path))
    done = tfrec("convert", source, "gs://bucket/out", "--runner", runner, "--json", env=env)
    assert (done.code, done.json["error"]["code"]) == (2, "missing_package")
    assert hint in done.json["error"]["hint"]
