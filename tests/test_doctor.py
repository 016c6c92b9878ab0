"""`tfrec doctor` says what is there, what is not, and what to do; it never asks a store unasked."""

from __future__ import annotations

import configparser
import re
import sys
from pathlib import Path
from unittest import mock

import google_crc32c
import pytest
from converting import tfrec
from storing import running

from tfrecordcli.doctor import diagnosis, packages, stores
from tfrecordcli.doctor.finding import Finding
from tfrecordcli.errors import OutageError

ROOT = Path(__file__).parents[1]


def test_what_is_well_takes_one_screen() -> None:
    done = tfrec("doctor")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "  ok      machine    Python 3." in done.out
    assert tfrec("doctor", "--quiet").out == ""


def test_the_json_has_every_finding() -> None:
    values = tfrec("doctor", "--json").json
    assert values["command"] == "doctor"
    assert [
        finding for finding in values["findings"] if finding["state"] != "ok" and not finding["hint"]
    ] == []
    assert {"machine", "packages", "tensorflow", *packages.EXTRAS, "stores"} <= {
        finding["topic"] for finding in values["findings"]
    }


def test_every_required_package_is_looked_at() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    lines = config["options"]["install_requires"].split("\n")
    names = {re.split(r"[<>=\[; ]", line)[0] for line in lines if line and not line.startswith("#")}
    assert {*packages.MODULES, "tensorflow"} == names
    assert packages.EXTRAS.keys() <= set(config["options.extras_require"])
    assert packages._bounds()["pillow"]


@pytest.mark.parametrize(
    ("bounds", "version", "wanted"),
    [
        ("<13,>=12", "12.3.0", True),
        ("<13,>=12", "12", True),
        ("<13,>=12", "13.0", False),
        ("<13,>=12", "11.9", False),
        (">=2.2.1", "2.10", True),
        (">=1.0", "1", True),
        ("", "0.1", True),
    ],
)
def test_versions(bounds: str, version: str, wanted: bool) -> None:
    assert packages.admits(bounds, version) == wanted


def _found(topic: str) -> Finding:
    (found,) = [each for each in packages.find_packages() if each.topic == topic]
    return found


@pytest.mark.parametrize(
    ("name", "version", "state", "hint"),
    [
        ("pillow", "13.1", "wrong", "pip install 'pillow<13,>=12'"),
        ("click", "", "wrong", "pip install 'click>=8.1'"),
        ("pandas", "", "absent", "pip install 'pandas>=2.1'"),
    ],
)
def test_a_package_that_is_not_well(name: str, version: str, state: str, hint: str) -> None:
    real = packages.version_of

    def told(package: str) -> str:
        return version if package == name else real(package)

    with mock.patch.object(packages, "version_of", told):
        found = _found(name)
    assert (found.state, found.hint) == (state, hint)
    assert (version or "is not installed") in found.text


def test_a_package_that_cannot_be_loaded() -> None:
    with mock.patch.dict(sys.modules, {"simplejpeg": None}):
        found = _found("simplejpeg")
    assert (found.state, found.hint) == ("wrong", "pip install --force-reinstall 'simplejpeg>=1.8'")


def test_checksums_in_python_are_too_slow() -> None:
    assert google_crc32c.implementation == "c"
    with mock.patch.object(google_crc32c, "implementation", "python"):
        found = _found("google-crc32c")
    assert found.state == "wrong"
    assert found.hint.startswith("pip install --force-reinstall 'google-crc32c>=")


def test_a_gpu_that_tensorflow_does_not_see(tmp_path: Path) -> None:
    if diagnosis.choose_device("auto").is_gpu:
        pytest.skip("TensorFlow sees a GPU here")
    (tmp_path / "driver").touch()
    found = diagnosis._tensorflow(tmp_path / "driver")
    assert (found.state, "tensorflow[and-cuda]" in found.hint) == ("wrong", True)
    assert diagnosis._tensorflow(tmp_path / "none").state == "ok"


def test_stores_are_asked_only_when_they_are_named(tmp_path: Path) -> None:
    environment = {"AWS_PROFILE": "work", "HOME": str(tmp_path)}
    with mock.patch.object(stores, "Store", side_effect=AssertionError("asked")):
        (found,) = stores.find_stores([], environment)
    assert (found.state, "settings for s3://;" in found.text) == ("ok", True)


def test_a_store_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with running("gs") as store:
        for name, value in store.settings.items():
            monkeypatch.setenv(name, value)
        (empty,) = stores.find_stores([store.url])
        store.store.put("photos/a.jpg", b"a")
        (found,) = stores.find_stores([f"{store.url}/photos/"])
        (none,) = stores.find_stores(["gs://another-one"])
    assert (empty.state, found.state, none.state) == ("ok", "ok", "wrong")
    assert f"{store.url}: nothing is there yet" in empty.text
    assert f"{store.url}/photos/: it can be read" in found.text


@pytest.mark.parametrize(
    ("url", "failure", "text", "hint"),
    [
        ("gs://b/f", OutageError("the store does not answer", "see"), "gs://b/f: the store does not", "see"),
        ("gs://b", PermissionError(), "gs://b: it refuses to list", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("s3://b", FileNotFoundError(), "s3://b: there is no such bucket", "make it, or see its name"),
        ("gs://", None, "gs://: it names no bucket", "gs://bucket/folder"),
        ("https://u:p@host/x?sig=1", None, "https://host/x: this is no store", "gs://"),
    ],
)
def test_a_store_that_is_not_well(url: str, failure: Exception | None, text: str, hint: str) -> None:
    with mock.patch.object(stores, "Store") as made:
        made.return_value.below.side_effect = failure
        (found,) = stores.find_stores([url])
    assert found.state == "wrong"
    assert found.text.startswith(text)
    assert hint in found.hint
