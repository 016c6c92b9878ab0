"""DataflowRunner without an account: a real submission to a Google Cloud on this machine.

The job is asserted as it arrives, and then executed from what was staged and nothing else, by Beam's own
worker processes, while the command waits and polls as it would for Dataflow.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from importlib.metadata import requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from converting import TFREC, TIMEOUT, end, environment, fingerprint, image_list, start, tfrec
from fake_google_cloud import FakeGoogleCloud, Job
from stand_in_simplejpeg import wait_for

import tfrecordcli
from tfrecordcli.runners.beam.wheel import build_wheel, writing_needs

ROOT = Path(__file__).parents[1]
ROWS = 24
JOB_TYPE_BATCH = 1  # of the service's enumeration JobType
# In place of what only a worker's container does: no module of this checkout, no TensorFlow, no pandas.
SITECUSTOMIZE = """
import os, sys

class Guard:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ("tensorflow", "pandas"):
            with open(os.path.join({folder!r}, "wanted-" + top), "a") as file:
                file.write(repr([f for f in map(lambda f: f.f_globals.get("__name__"), frames())]) + "\\n")
            raise ModuleNotFoundError(top, name=top)
        if name == "tfrecordcli.shards.writer":
            with open(os.path.join({folder!r}, "loaded-from"), "a") as file:
                file.write(sys.modules["tfrecordcli"].__file__ + "\\n")

def frames():
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back

sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in repr(f).lower()]
sys.meta_path.insert(0, Guard())
sys.path[:] = [p for p in sys.path if os.path.realpath(p) != {checkout!r}]
"""
# Kept from every address but this machine's, in the user's own processes, which do not wait between polls.
NO_NETWORK = """
import socket, time

def resolve(host, *more, _resolve=socket.getaddrinfo, **how):
    if host not in ("localhost", "127.0.0.1"):
        raise socket.gaierror(socket.EAI_NONAME, "no test reaches " + str(host))
    return _resolve(host, *more, **how)

def sleep(seconds, _sleep=time.sleep):
    _sleep(min(seconds, 0.2))

socket.getaddrinfo, time.sleep = resolve, sleep
"""
# What the user's own program does.
PROGRAM = """
import sys
import pandas as pd
import tfrecordcli

csv, images, output, endpoint = sys.argv[1:]
result = pd.read_csv(csv).tensorflow.to_tfrecord(
    output_dir=output, image_root=images, num_shards=6,
    runner="DataFlowRunner", project="my-project", region="us-central1", temp_location="gs://bucket/tmp",
    beam_options={
        "dataflow_endpoint": endpoint, "max_num_workers": 7, "worker_machine_type": "n2-standard-4",
    },
)
print(result.job_id, result.job_url, result.records, result.exit_code, result.runner)
"""
URL = "https://console.cloud.google.com/dataflow/jobs/us-central1/{job}?project=my-project"


class Dataflow:
    """What plays Dataflow: executes what was staged, and nothing else, when a job is created."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = folder / "site"
        self.log = ""
        self.go = threading.Event()
        self.go.set()
        self.cloud = FakeGoogleCloud(self.execute)
        quiet = folder / "quiet"
        quiet.mkdir()
        (quiet / "sitecustomize.py").write_text(NO_NETWORK)
        self.settings = self.cloud.environment(folder)
        self.env = environment(**self.settings, PYTHONPATH=str(quiet))

    def options(self, output: str) -> list[str]:
        """Of the command line; the list and its images are on the store, as is everything else."""
        return [
            *("convert", "gs://bucket/in/list.csv", output, "--num-shards", "6", "--max-rejects", "1"),
            *("--runner", "DataflowRunner", "--project", "my-project", "--region", "us-central1"),
            *("--beam-option", f"dataflow_endpoint={self.cloud.url}", "--json"),
        ]

    def contents(self, folder: str) -> dict[str, str]:
        """Every object below a folder, with the sum of its bytes."""
        return {
            key.removeprefix(folder): hashlib.sha256(stored.data).hexdigest()
            for key, stored in self.cloud.store.objects.items()
            if key.startswith(folder)
        }

    def staged(self, job: Job) -> tuple[bytes, dict[str, bytes]]:
        """The pipeline of a job, and the files that its environment asks for."""
        from apache_beam.portability.api import beam_runner_api_pb2

        data = self.cloud.read(job["environment"]["sdkPipelineOptions"]["options"]["pipelineUrl"])
        pipeline = beam_runner_api_pb2.Pipeline.FromString(data)
        files = {}
        for each in pipeline.components.environments.values():
            for dependency in each.dependencies:
                url = beam_runner_api_pb2.ArtifactUrlPayload.FromString(dependency.type_payload).url
                role = beam_runner_api_pb2.ArtifactStagingToRolePayload.FromString(dependency.role_payload)
                files[role.staged_name] = self.cloud.read(url)
        return data, files

    def execute(self, job: Job) -> bool:
        pipeline, files = self.staged(job)
        assert self.go.wait(TIMEOUT)
        (self.folder / "pipeline.pb").write_bytes(pipeline)
        (wheel,) = (name for name in files if name.endswith(".whl"))
        if not self.site.exists():
            self._install(wheel, files[wheel])
        assert (self.folder / wheel).read_bytes() == files[wheel]
        player = str(Path(__file__).with_name("play_dataflow.py"))
        return self._run(sys.executable, player, str(self.folder / "pipeline.pb"), str(self.site)) == 0

    def _install(self, wheel: str, data: bytes) -> None:
        (self.folder / wheel).write_bytes(data)
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target"]
        self._run(*install, str(self.site), str(self.folder / wheel))
        code = SITECUSTOMIZE.format(folder=str(self.folder), checkout=str(ROOT))
        (self.site / "sitecustomize.py").write_text(code)

    def _run(self, *command: str) -> int:
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, env=environment(**self.settings),
            timeout=TIMEOUT, check=False,
        )  # fmt: skip
        self.log += done.stdout + done.stderr
        return done.returncode


@pytest.fixture(scope="module")
def dataflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataflow]:
    dataflow = Dataflow(tmp_path_factory.mktemp("dataflow"))
    yield dataflow
    dataflow.go.set()
    dataflow.cloud.stop()


@pytest.fixture(scope="module")
def csv(dataflow: Dataflow) -> Path:
    """The list, whose folder is on the store too; an image of it is missing there and here."""
    csv = image_list(dataflow.folder / "in", ROWS)
    for path in csv.parent.glob("*.jpg"):
        dataflow.cloud.store.put(f"in/{path.name}", path.read_bytes())
    with_missing = csv.with_name("list-with-missing.csv")
    with_missing.write_text(csv.read_text() + "TRAIN,missing.jpg,a\n")
    dataflow.cloud.store.put("in/list.csv", with_missing.read_bytes())
    return csv


@pytest.fixture(scope="module")
def local(csv: Path) -> dict[str, str]:
    """What the local runner makes of the list on the store."""
    output = csv.parents[1] / "local"
    source = csv.with_name("list-with-missing.csv")
    options = ("--num-shards", "6", "--max-rejects", "1", "--gate", "portable")  # as the staged wheel has it
    assert tfrec("convert", source, output, *options).code == 0
    return fingerprint(output)


@pytest.fixture(scope="module")
def done(dataflow: Dataflow, csv: Path) -> subprocess.CompletedProcess[str]:
    """A conversion of a DataFrame on that Dataflow, as a program of its own."""
    program = dataflow.folder / "program.py"
    program.write_text(PROGRAM)
    arguments = [str(csv), "gs://bucket/in", "gs://bucket/frame", dataflow.cloud.url]
    return subprocess.run(
        [sys.executable, str(program), *arguments],
        capture_output=True, text=True, env=dataflow.env, timeout=TIMEOUT, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def job(dataflow: Dataflow, done: subprocess.CompletedProcess[str]) -> Job:
    assert dataflow.cloud.jobs, done.stderr
    return dataflow.cloud.jobs[0]


@pytest.mark.thorough
def test_a_frame_becomes_the_same_records(
    done: subprocess.CompletedProcess[str], dataflow: Dataflow, csv: Path, tmp_path: Path
) -> None:
    assert done.returncode == 0, done.stderr + dataflow.log
    assert done.stdout == f"job-1 {URL.format(job='job-1')} {ROWS} 0 DataflowRunner\n"
    assert tfrec("convert", csv, tmp_path / "local", "--num-shards", "6").code == 0
    expected, made = fingerprint(tmp_path / "local"), dataflow.contents("frame/")
    assert made.keys() == expected.keys()
    assert {name for name in made if made[name] != expected[name]} == {"manifest.json"}  # names its source


@pytest.mark.thorough
def test_workers_want_no_tensorflow_and_do_without_pandas(done: Any, dataflow: Dataflow) -> None:
    """Beam itself asks for pandas; no module of ours does. And those are the modules of the wheel."""
    loaded = (dataflow.folder / "loaded-from").read_text().splitlines()
    assert set(loaded) == {str(dataflow.site / "tfrecordcli" / "__init__.py")}
    assert not (dataflow.folder / "wanted-tensorflow").exists()
    for path in dataflow.folder.glob("wanted-pandas"):
        assert "tfrecordcli" not in path.read_text()


@pytest.mark.thorough
def test_the_job_says_what_was_asked_for(job: Job) -> None:
    assert (job["projectId"], job["location"], job["type"]) == ("my-project", "us-central1", JOB_TYPE_BATCH)
    assert re.fullmatch(r"tfrec-[0-9a-f]{12}", job["name"])
    options = job["environment"]["sdkPipelineOptions"]["options"]
    assert options["project"] == "my-project"
    assert options["temp_location"].startswith("gs://bucket/tmp/tfrec-")
    assert options["max_num_workers"] == 7
    assert not options.get("save_main_session")
    (pool,) = job["environment"]["workerPools"]
    assert pool["machineType"] == "n2-standard-4"
    assert pool["autoscalingSettings"]["maxNumWorkers"] == 7
    images = {image["containerImage"] for image in pool["sdkHarnessContainerImages"]}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert all(f"beam_python{python}_sdk:{version('apache-beam')}" in image for image in images)
    assert images


@pytest.mark.thorough
def test_the_graph_is_small_and_its_steps_have_names(job: Job, dataflow: Dataflow) -> None:
    from apache_beam.portability.api import beam_runner_api_pb2

    data, _ = dataflow.staged(job)
    assert len(data) < 100_000
    pipeline = beam_runner_api_pb2.Pipeline.FromString(data)
    names = {transform.unique_name for transform in pipeline.components.transforms.values()}
    assert {"Ranges", "Numbers", "Spread", "WriteShard"} <= names
    assert b"000.jpg" not in data


@pytest.mark.thorough
def test_the_package_is_staged_as_a_wheel_for_writing_only(job: Job, dataflow: Dataflow) -> None:
    _, files = dataflow.staged(job)
    wheel = f"tfrecordcli-{tfrecordcli.__version__}-py3-none-any.whl"
    assert files["extra_packages.txt"].decode().split() == [wheel]
    path = dataflow.folder / wheel
    path.write_bytes(files[wheel])
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        metadata = archive.read(f"tfrecordcli-{tfrecordcli.__version__}.dist-info/METADATA").decode()
    modules = {p.relative_to(ROOT).as_posix() for p in (ROOT / "tfrecordcli").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    needs = set(re.findall(r"^Requires-Dist: ([\w-]+)", metadata, re.MULTILINE))
    lines = (ROOT / "requirements-writer.txt").read_text().splitlines()
    writer = {re.split(r"[<>=; ]", line)[0] for line in lines if not line.startswith("#")}
    assert needs == writer - {"tqdm"}  # the terminal's bar
    assert {"obstore", "urllib3"} < needs
    assert not {"tensorflow", "pandas"} & needs


def test_the_wheel_is_the_same_each_time(tmp_path: Path) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    one.mkdir()
    two.mkdir()
    assert build_wheel(one).read_bytes() == build_wheel(two).read_bytes()
    everything = requires("tfrecordcli") or []
    assert {need for need in everything if "extra ==" not in need} > set(writing_needs())


@pytest.mark.thorough
def test_a_container_of_ones_own_is_taken_as_it_is(dataflow: Dataflow, csv: Path) -> None:
    """Nothing is staged then; a dry run of Beam's makes the job and sends it nowhere."""
    code = (
        "from tfrecordcli.options import RunOptions\n"
        "from tfrecordcli.runners.beam.options import beam_setting\n"
        "import json, sys\n"
        "options = RunOptions(runner='dataflow', project='my-project', region='us-central1',\n"
        "    beam_options=(('sdk_container_image', 'us-docker.pkg.dev/p/r/tfrec:0.1.0'),))\n"
        "setting = beam_setting(options, 'gs://bucket/out/')\n"
        "print(json.dumps([setting.ships_package, list(setting.flags)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    ships, flags = json.loads(done.stdout)
    assert ships is False
    assert "--sdk_location=container" in flags
    assert "--temp_location=gs://bucket/out/_tfrec/beam" in flags


def test_the_container_is_made_of_what_is_here() -> None:
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text()
    copied = [name for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for name in line.split()]
    assert {"requirements-writer.txt", "setup.cfg", "tfrecordcli"} <= set(copied)
    assert all((ROOT / name).exists() for name in copied)
    assert set(copied) == set(re.findall(r"^!(.+)$", ignored, re.MULTILINE))
    (modules,) = re.findall(r'python -c "import (.+)"', text)
    for name in modules.split(", "):
        wants_a_compiler = name.endswith(("._digest", "._jpeg_walk", "._boxes"))
        assert find_spec(name) or wants_a_compiler, name
    (beam,) = re.findall(r"^ARG BEAM=([\d.]+)$", text, re.MULTILINE)
    assert f"apache-beam>={beam.rpartition('.')[0]}" in (ROOT / "setup.cfg").read_text()


# --- the command line; nothing is on a disk but what is under way ---


@pytest.mark.thorough
def test_the_dataset_is_the_same(job: Job, dataflow: Dataflow, local: dict[str, str], tmp_path: Path) -> None:
    done = tfrec(*dataflow.options("gs://bucket/out"), env=dataflow.env)
    assert done.code == 0, done.err + dataflow.log
    assert (done.json["records"], done.json["reasons"]) == (ROWS, {"not_found": 1})
    link = URL.format(job="job-2")
    assert (done.json["job_id"], done.json["job_url"]) == ("job-2", link)
    assert f"Dataflow job job-2: {link}" in done.err
    assert dataflow.contents("out/") == local  # what was staged inside it is gone
    written = [key for method, key in dataflow.cloud.store.requests if method == "PUT"]
    written = [key for key in written if key.startswith("out/")]
    shards = [number for number, key in enumerate(written) if key.endswith(".tfrecord")]
    assert written.index("out/_tfrec/plan/plan.json") < shards[0]
    assert written.index("out/manifest.json") == len(written) - 1
    options = dataflow.cloud.jobs[1]["environment"]["sdkPipelineOptions"]["options"]
    assert options["temp_location"].startswith("gs://bucket/out/_tfrec/beam")


@pytest.mark.thorough
def test_a_launcher_that_is_killed(job: Job, dataflow: Dataflow, local: dict[str, str]) -> None:
    """Its job goes on; until then the command says so, and then tfrec finish completes the dataset."""
    dataflow.go.clear()
    before = len(dataflow.cloud.jobs)
    command = [*TFREC, *dataflow.options("gs://bucket/killed")]
    launcher = start(command, dataflow.env)
    wait_for(lambda: len(dataflow.cloud.jobs) > before)
    end(launcher)
    again = tfrec(*dataflow.options("gs://bucket/killed"), env=dataflow.env)
    assert (again.code, again.json["error"]["code"]) == (3, "busy"), again.err
    assert "is still at work" in again.err
    assert "tfrec finish" in again.err
    dataflow.go.set()
    wait_for(lambda: dataflow.cloud.states[dataflow.cloud.jobs[before]["id"]] == "JOB_STATE_DONE")
    finish = ("finish", "gs://bucket/killed", "--max-rejects", "1", "--json")
    finished = tfrec(*finish, env=dataflow.env)
    assert (finished.code, finished.json["records"]) == (0, ROWS), finished.err
    assert dataflow.contents("killed/") == local
    assert len(dataflow.cloud.jobs) == before + 1
    # The same list to another place at the same time is another job, which Dataflow does not refuse.
    assert len({each["name"] for each in dataflow.cloud.jobs}) == before + 1


@pytest.mark.thorough
def test_local_images_are_refused_before_a_job_is_made(dataflow: Dataflow, csv: Path) -> None:
    before = len(dataflow.cloud.jobs)
    options = dataflow.options("gs://bucket/refused")
    options[1] = str(csv)
    done = tfrec(*options, env=dataflow.env)
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "do not see local images" in done.err
    assert "--image-root gs://" in done.err
    assert len(dataflow.cloud.jobs) == before
    assert not dataflow.contents("refused/")
