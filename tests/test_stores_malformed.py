"""Answers that break the rules of HTTP: tried again, then a reject of that row; what is slow is an outage."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from converting import convert_json, fingerprint, image_list, tfrec
from sampling import first
from serving import serving
from stand_in_faults import BODY, ENDLESS, MALFORMED, Faults, settings
from stand_in_store import Refused, serve
from storing import QUIET, Running

from tfrecordcli.errors import MalformedAnswerError, OutageError
from tfrecordcli.runners.messages import failed
from tfrecordcli.storage import credentials
from tfrecordcli.storage.network import Timeouts
from tfrecordcli.storage.store import Store
from tfrecordcli.storage.web import copy_web, read_web, web_size

PATIENT = Timeouts(connect=5, read=5, request=10, total=60, retries=2, first_pause=0.01)

Read = Callable[[str], bytes]


@pytest.fixture(params=["store", "web"])
def read(request: pytest.FixtureRequest, faults: Faults) -> Read:
    """Reads an object by its name, from a store or by http."""
    faults.asked.clear()
    if request.param == "web":
        return lambda name: read_web(f"{faults.url}/{name}", timeouts=PATIENT)
    return Store("s3", "bkt", PATIENT, settings(faults)).read


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_answer_is_tried_again(what: str, read: Read) -> None:
    assert read(f"{what}-once/a.jpg") == BODY


@pytest.mark.parametrize("what", MALFORMED)
def test_one_that_always_comes_is_told_from_an_outage(what: str, read: Read, faults: Faults) -> None:
    with pytest.raises(MalformedAnswerError, match="after all retries") as caught:
        read(f"{what}/a.jpg")
    assert faults.asked[what] == 3
    assert "\x1b" not in str(caught.value)
    again = failed(caught.value).error()  # from a worker to its parent
    assert (type(again), again.message) == (MalformedAnswerError, caught.value.message)


def test_broken_and_malformed_in_turn_is_an_outage(faults: Faults) -> None:
    faults.asked.clear()
    faults.files.clear()
    store = Store("s3", "bkt", PATIENT, settings(faults))
    for what in ("cut", "reset", "status-503"):
        with pytest.raises(OutageError) as caught:
            store.read(f"{what}/a.jpg")
        assert type(caught.value) is OutageError
        with pytest.raises(OutageError) as caught:
            read_web(f"{faults.url}/{what}/a.jpg", timeouts=PATIENT)
        assert type(caught.value) is OutageError


HASTY = Timeouts(connect=5, read=0.2, request=2, total=60, retries=0, first_pause=0.01)


@pytest.mark.parametrize(
    "what", first(["many-interim", "endless-interim", "endless-trailer"], ["slow-interim"])
)
def test_what_comes_beside_an_answer_without_end_is_malformed(what: str, faults: Faults) -> None:
    with pytest.raises(MalformedAnswerError, match="after all retries"):
        read_web(f"{faults.url}/{what}/a.jpg", timeouts=PATIENT)
    with pytest.raises(MalformedAnswerError):
        copy_web(f"{faults.url}/{what}/a.jpg", io.BytesIO(), PATIENT)


@pytest.mark.parametrize("what", first(["slow-chunk"], ["slow-header", "slow-trailer"]))
def test_bytes_now_and_then_that_bring_nothing_are_silence(what: str, faults: Faults) -> None:
    for read in (lambda url: read_web(url, timeouts=HASTY), lambda url: copy_web(url, io.BytesIO(), HASTY)):
        with pytest.raises(OutageError, match="no answer in time") as caught:
            read(f"{faults.url}/{what}/a.jpg")
        assert type(caught.value) is OutageError


@pytest.mark.parametrize("what", ENDLESS)
def test_a_store_that_never_ends_an_answer_is_left(what: str, faults: Faults) -> None:
    with pytest.raises(OutageError):
        Store("s3", "bkt", HASTY, settings(faults)).read(f"{what}/a.jpg")


@pytest.mark.parametrize("what", ["negative-length", "no-number", "garbage"])
def test_sizes_and_copies(what: str, faults: Faults, tmp_path: Path) -> None:
    assert web_size(f"{faults.url}/{what}/a.jpg", PATIENT) is None
    with (tmp_path / "copy").open("wb") as file, pytest.raises(MalformedAnswerError):
        copy_web(f"{faults.url}/{what}/a.jpg", file, PATIENT)


def test_a_connection_that_gave_a_malformed_size_is_not_used_again() -> None:
    connections: list[object] = []

    class KeepsOpen(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            connections.append(self.client_address)
            super().setup()

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n")

        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

    with serving(KeepsOpen) as port:
        url = f"http://127.0.0.1:{port}/a.jpg"
        assert web_size(url, PATIENT) is None
        assert read_web(url, timeouts=PATIENT) == b"hello"
        assert len(connections) == 2


def test_it_costs_its_row_alone(faults: Faults, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 3)
    with csv.open("a") as file:
        file.write(f"TRAIN,{faults.url}/bad-chunk/a.jpg,a\nTRAIN,s3://bkt/many-headers/b.jpg,b\n")
    done = convert_json(csv, tmp_path / "out", env=Running("s3://bkt", settings(faults)).env)
    assert (done["exit_code"], done["records"], done["reasons"]) == (1, 3, {"unreadable": 2})


@pytest.mark.parametrize("url", ["{url}/garbage/list.csv", "s3://bkt/garbage/list.csv"])
def test_a_list_that_comes_so_is_named(url: str, faults: Faults, tmp_path: Path) -> None:
    url = url.format(url=faults.url)
    env = Running("s3://bkt", settings(faults)).env
    done = tfrec("convert", url, tmp_path / "out", env=env)
    assert done.code == 2
    message, hint = done.err.splitlines()
    assert message == f"tfrec: {url}: the answer is malformed after all retries"
    assert hint.strip()


# --- S3 closes connections on which a request came too slowly, with status 400 ---


def test_a_request_that_came_too_slowly_is_sent_again(read: Read, faults: Faults) -> None:
    assert read("request-timeout-once/a.jpg") == BODY
    with pytest.raises(OutageError, match="RequestTimeout"):
        read("request-timeout/a.jpg")
    assert faults.asked["request-timeout"] == 3


def test_so_is_any_other_request(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    tfrec("convert", csv, tmp_path / "out")
    times: Counter[tuple[str, str]] = Counter()

    def first_too_slow(method: str, key: str) -> None:
        times[method, key] += 1
        if times[method, key] == 1 and method != "HEAD":  # whose answers have no body to say so
            raise Refused(400, "RequestTimeout")

    with serve("oss") as store:
        running = Running("oss://bkt", store.environment())
        store.meddle = first_too_slow
        done = tfrec("convert", csv, "oss://bkt/out", env=running.env)
        store.meddle = lambda method, key: None
        assert done.code == 0, done.err
        found = running.contents("out")
    assert {name: len(data) for name, data in found.items()} == {
        name: (tmp_path / "out" / name).stat().st_size for name in fingerprint(tmp_path / "out")
    }
    assert {"GET", "PUT", "DELETE"} <= {method for method, _ in times}


def test_a_listing_goes_on_where_it_was_interrupted() -> None:
    with serve("oss") as store:
        for number in range(2_500):
            store.put(f"many/{number:04}", b"x")
        asked = 0

        def second_page_too_slow(method: str, key: str) -> None:
            nonlocal asked
            asked += 1
            if asked == 2:
                raise Refused(400, "RequestTimeout")

        store.meddle = second_page_too_slow
        bucket = Store("oss", "bkt", PATIENT, {**QUIET, **store.environment()})
        assert [info.key for info in bucket.below("many")] == [f"many/{number:04}" for number in range(2_500)]
        assert asked >= 4


# --- the machine's own words may be any bytes ---


def test_what_the_firmware_says_may_be_any_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "product_name"
    path.write_bytes(b"\xff\xfeAmazon EC2\x00")
    monkeypatch.setattr(credentials, "_VENDOR_FILES", (str(path),))
    assert credentials._is_machine_of("Amazon")
    assert not credentials._is_machine_of("Google")
