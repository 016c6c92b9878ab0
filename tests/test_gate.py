"""Which gate judges JPEGs: settled in the plan, obeyed by every worker, told by plan and manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from converting import convert_json, fingerprint, image_list, manifest, tfrec

import tfrecordcli
from tfrecordcli.converting.request import gate_for
from tfrecordcli.doctor.diagnosis import diagnose
from tfrecordcli.errors import TfrecError, UsageError
from tfrecordcli.images import gate
from tfrecordcli.options import RunOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.choice import choose_runner
from tfrecordcli.shards.writer import write_shard
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.workdir.job import open_job

ROWS = 6
_Fault = tuple[str, str, int]


class Native:
    """Stands for the native gate: `fault` says what it finds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.walked = 0
        self.fault: Callable[[bytes], _Fault | None] = lambda data: None
        self.be(7)

    def be(self, version: int | None) -> None:
        """Is of this version from now on; None: is not here."""
        module = None if version is None else SimpleNamespace(VERSION=version, walk=self._walk)
        self._patch.setattr(gate, "_jpeg_walk", module)

    def _walk(self, data: bytes) -> _Fault | None:
        self.walked += 1
        return self.fault(data)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Native:
    return Native(monkeypatch)


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return image_list(tmp_path_factory.mktemp("gate"), ROWS, {2: b"odd"})


def of_odd_one(reason: str) -> Callable[[bytes], _Fault | None]:
    return lambda data: (reason, "something", 1234) if b"odd" in data else None


def test_auto_is_the_native_one_where_it_is(native: Native, csv: Path, tmp_path: Path) -> None:
    assert convert_json(csv, tmp_path / "native")["exit_code"] == 0
    assert native.walked >= ROWS
    native.be(None)
    assert convert_json(csv, tmp_path / "portable")["exit_code"] == 0
    assert [manifest(tmp_path / name)["gate"] for name in ("native", "portable")] == ["native 7", "portable"]
    native_files, portable_files = (fingerprint(tmp_path / name) for name in ("native", "portable"))
    assert {*native_files.items()} ^ {*portable_files.items()} == {
        ("manifest.json", files["manifest.json"]) for files in (native_files, portable_files)
    }


def test_it_can_be_chosen(native: Native, csv: Path, tmp_path: Path) -> None:
    convert_json(csv, tmp_path / "a", "--gate", "portable")
    assert native.walked == 0
    assert manifest(tmp_path / "a")["gate"] == "portable"
    tfrec("plan", csv, tmp_path / "b", "--gate", "native")
    assert open_job(place_of(tmp_path / "b")).task(0).gate == "native 7"
    native.be(None)
    refused = tfrec("convert", csv, tmp_path / "c", "--gate", "native")
    assert (refused.code, "C compiler" in refused.err) == (2, True)
    assert not (tmp_path / "c").exists()
    assert tfrec("verify", tmp_path / "a", "--no-feed", "--gate", "native").code == 2


@pytest.mark.parametrize("version", [None, 8])
def test_who_lacks_the_gate_of_a_plan_refuses_it(
    native: Native, csv: Path, tmp_path: Path, version: int | None
) -> None:
    assert tfrec("plan", csv, tmp_path / "out").code == 0
    task = open_job(place_of(tmp_path / "out")).task(0)
    native.be(version)
    for arguments in (("write-shards", tmp_path / "out"), ("convert", csv, tmp_path / "out")):
        refused = tfrec(*arguments, "--json").json
        assert refused["exit_code"] == 2
        assert refused["error"]["code"] == "gate"
        assert "native 7" in refused["error"]["message"]
        assert "--gate portable --overwrite" in refused["error"]["hint"]
    with pytest.raises(TfrecError, match="native 7"):  # as a worker of any runner does
        write_shard(task)
    done = convert_json(csv, tmp_path / "out", "--gate", "portable", "--overwrite")
    assert (done["exit_code"], manifest(tmp_path / "out")["gate"]) == (0, "portable")


def test_who_has_both_obeys(native: Native, csv: Path, tmp_path: Path) -> None:
    native.be(None)
    assert tfrec("plan", csv, tmp_path / "out").code == 0
    native.be(7)
    assert tfrec("write-shards", tmp_path / "out").code == 0
    assert tfrec("finish", tmp_path / "out").code == 0
    assert (native.walked, manifest(tmp_path / "out")["gate"]) == (0, "portable")


def test_an_unfinished_one_is_not_mixed_with_another(native: Native, csv: Path, tmp_path: Path) -> None:
    tfrec("plan", csv, tmp_path / "out", "--gate", "portable")
    refused = tfrec("convert", csv, tmp_path / "out", "--gate", "native")
    assert (refused.code, "--gate" in refused.err) == (2, True)
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0  # auto goes on as it was begun
    assert manifest(tmp_path / "out")["gate"] == "portable"


def test_a_finished_one_is_complete_whichever_made_it(native: Native, csv: Path, tmp_path: Path) -> None:
    native.fault = of_odd_one("corrupt")
    options = ("--max-rejects", "1")
    assert convert_json(csv, tmp_path / "out", *options)["rejected"] == 1
    for chosen in ("auto", "native", "portable"):
        again = convert_json(csv, tmp_path / "out", *options, "--gate", chosen)
        assert (again["status"], again["warnings"]) == ("already_complete", [])
    native.be(None)
    again = convert_json(csv, tmp_path / "out", *options)
    assert again["status"] == "already_complete"
    assert "the gate native 7" in again["warnings"][0]


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        ("truncated", "corrupt", "errors in the picture data: something (byte 1,234)"),
        ("corrupt", "corrupt", "errors in the picture data: something (byte 1,234)"),
        ("incomplete", "incomplete", "scans of the JPEG are missing"),
        ("dc_range", "dc_range", "at byte 1,234"),
    ],
)
def test_what_it_finds_is_told(
    native: Native, csv: Path, tmp_path: Path, fault: str, code: str, told: str
) -> None:
    native.fault = of_odd_one(fault)
    done = convert_json(csv, tmp_path / "out")
    assert (done["exit_code"], done["reasons"]) == (1, {code: 1})
    assert told in done["problems"][0]["reason"]


def test_what_it_does_not_judge_goes_to_libjpeg(native: Native, csv: Path, tmp_path: Path) -> None:
    native.fault = of_odd_one("unsupported")
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0


def test_a_range_that_no_encoder_has_can_be_admitted(native: Native, csv: Path, tmp_path: Path) -> None:
    native.fault = of_odd_one("dc_range")
    assert convert_json(csv, tmp_path / "out", "--admit", "dc_range")["exit_code"] == 0
    assert tfrecordcli.verify(tmp_path / "out", feed=False).problems == ()
    refused = tfrec("convert", csv, tmp_path / "out")
    assert (refused.code, "--admit" in refused.err) == (2, True)  # it decides what is written
    wrong = tfrec("convert", csv, tmp_path / "other", "--admit", "corrupt")
    assert (wrong.code, "dc_range only" in wrong.err) == (2, True)


def test_verify_takes_the_native_one_and_warns_of_the_range(
    native: Native, csv: Path, tmp_path: Path
) -> None:
    convert_json(csv, tmp_path / "out", "--gate", "portable")
    native.fault = of_odd_one("dc_range")
    found = tfrecordcli.verify(tmp_path / "out", feed=False)
    assert (found.exit_code, found.gate, found.problem_counts) == (0, "native 7", {"image_doubtful": 1})
    native.fault = of_odd_one("corrupt")
    assert tfrecordcli.verify(tmp_path / "out", feed=False).problem_counts == {"image_damaged": 1}
    found = tfrecordcli.verify(tmp_path / "out", feed=False, gate="portable")
    assert (found.exit_code, found.gate) == (0, "portable")


def test_workers_that_get_the_package_from_here_have_the_portable_one(native: Native) -> None:
    local = choose_runner(RunOptions(), "out", Reporter())
    staged = replace(local, name="DataflowRunner", sends_package=True)
    assert [gate_for(local, asked) for asked in ("auto", "native", "portable")] == [
        "auto",
        "native",
        "portable",
    ]
    assert [gate_for(staged, asked) for asked in ("auto", "portable")] == ["portable"] * 2
    with pytest.raises(UsageError, match="DataflowRunner") as error:
        gate_for(staged, "native")
    assert "deploy/Dockerfile" in error.value.hint


@pytest.mark.parametrize(("version", "told"), [(7, "native 7"), (None, "portable")])
def test_the_version_names_it(native: Native, version: int | None, told: str) -> None:
    native.be(version)
    for flag in ("--version", "-V"):
        assert tfrec(flag).out == f"tfrec, version {tfrecordcli.__version__} (gate: {told})\n"
    found = next(found for found in diagnose() if found.topic == "gate")
    assert (found.state, "C compiler" in found.hint) == (("ok", False) if version else ("absent", True))
