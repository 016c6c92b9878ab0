"""What no waiting mends: servers that are no store, odd keys, replaced objects, wrong credentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace

import pytest
from converting import convert_json, image_list, tfrec
from serving import serving
from stand_in_faults import HASTY, Faults, settings
from stand_in_store import KEY_ID, SECRET, serve
from storing import QUIET, Running

import tfrecordcli
from tfrecordcli.errors import OutageError, StoreError
from tfrecordcli.storage.store import Store
from tfrecordcli.storage.stores import forget_stores


@pytest.mark.parametrize("what", ["refused-login", "status-401"])
def test_refused_credentials_stop_the_run(what: str, faults: Faults) -> None:
    with pytest.raises(StoreError, match="credentials") as caught:
        Store("s3", "bkt", HASTY, settings(faults)).read(f"{what}/a.jpg")
    assert (caught.value.exit_code, caught.value.code) == (2, "credentials")


@pytest.mark.parametrize(
    ("status", "kind"), [(403, PermissionError), (404, FileNotFoundError), (503, OutageError)]
)
def test_a_key_that_reads_like_a_code_is_a_key(status: int, kind: type[Exception], faults: Faults) -> None:
    with pytest.raises(kind):
        Store("s3", "bkt", HASTY, settings(faults)).read(f"status-{status}/ExpiredToken in 1s - x.jpg")


class _Page(BaseHTTPRequestHandler):
    """A web server where a store should be: it has the same page for everything, or sends all away."""

    protocol_version = "HTTP/1.1"
    status = 200
    headers_sent: Mapping[str, str] = {}

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b"<!DOCTYPE html><html><body>Console</body></html>"
        self.send_response(self.status)
        for name, value in {**self.headers_sent, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET


@pytest.fixture(params=["page", "page-with-etag", "redirect"])
def page(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a server that is no store."""
    stamp = {"ETag": '"1"', "Last-Modified": "Sat, 21 Nov 2026 00:00:00 GMT"}
    answers = {"page": (200, {}), "page-with-etag": (200, stamp), "redirect": (307, {"Location": "/login"})}
    status, headers = answers[request.param]
    with serving(type("Bound", (_Page,), {"status": status, "headers_sent": headers})) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_web_page_is_no_store(page: str, tmp_path: Path) -> None:
    """As OUTPUT, as SOURCE and for verify."""
    csv = image_list(tmp_path / "in", 2)
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    env = Running("s3://bkt", {**keys, "AWS_ENDPOINT_URL": page}).env
    for command in (
        ("convert", csv, "s3://bkt/out"),
        ("convert", "s3://bkt/list.csv", tmp_path / "out"),
        ("verify", "s3://bkt/out", "--no-feed"),
    ):
        done = tfrec(*command, "--json", env=env).json
        assert (done["exit_code"], done["error"]["code"]) == (2, "store"), done
        assert f"what answers at {page} is no such store" in done["error"]["message"]
        assert "AWS_ENDPOINT_URL" in done["error"]["hint"]


@pytest.mark.parametrize("kind", ["oss", "gs"])
@pytest.mark.parametrize("key", ["in/a//5.jpg", "in/../6.jpg", "in/n\nl", "in//", "in/./x"])
def test_a_key_that_cannot_be_listed_is_named(kind: str, key: str) -> None:
    with serve(kind) as stand_in:
        stand_in.put(key, b"1")
        store = Store(kind, "bkt", HASTY, {**QUIET, **stand_in.environment()})
        with pytest.raises(StoreError, match="cannot be listed") as caught:
            list(store.below("in"))
        assert caught.value.message.startswith(f"{kind}://bkt/{key}: ".replace("\n", "\\n"))
        assert "\n" not in caught.value.message


@pytest.mark.parametrize("key", ["source/a//5.jpg", "out/_tfrec//y"])
def test_an_odd_key_is_no_outage(key: str, tmp_path: Path) -> None:
    with serve("gs") as stand_in:
        store = Running("gs://bkt", stand_in.environment())
        csv = image_list(tmp_path / "in", 2)
        stand_in.put("source/a/1.jpg", (tmp_path / "in" / "000.jpg").read_bytes())
        stand_in.put(key, b"1")
        source, out = (
            (f"{store.url}/source", tmp_path / "out") if "source" in key else (csv, f"{store.url}/out")
        )
        done = convert_json(source, out, env=store.env)
        assert (done["exit_code"], done["error"]["code"]) == (2, "store"), done
        assert key.rpartition("/")[0] + "/" in done["error"]["message"]
        assert "remove" in done["error"]["hint"]


def test_an_odd_key_in_a_folder_that_is_not_of_the_dataset_is_not_met(tmp_path: Path) -> None:
    with serve("gs") as stand_in:
        store = Running("gs://bkt", stand_in.environment())
        stand_in.put("out/x//y", b"1")
        assert (
            convert_json(image_list(tmp_path / "in", 2), f"{store.url}/out", env=store.env)["exit_code"] == 0
        )
        for command in (("verify", "--no-feed"), ("inspect",)):
            done = tfrec(command[0], f"{store.url}/out", *command[1:], env=store.env)
            assert done.code == 0, done.err


def test_an_object_replaced_while_it_is_read_is_said_to_be() -> None:
    with serve("oss") as stand_in:
        stand_in.put("a", b"x" * 100)
        store = Store("oss", "bkt", HASTY, {**QUIET, **stand_in.environment()})
        info = store.head("a")
        stand_in.put("a", b"y" * 100)
        with pytest.raises(StoreError, match="replaced while it was read"):
            store.read_range("a", 0, 10, info.etag)
        assert store.read_range("a", 0, 10) == b"y" * 10


def test_a_panic_of_the_library_is_an_error_with_a_name(
    faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no Exception, and would pass all that is there to tell and to clear up."""

    class PanicException(BaseException):
        pass

    def panic(*_: object, **more: object) -> None:
        raise PanicException("called unwrap\nat a line")

    store = Store("s3", "bkt", HASTY, settings(faults))
    monkeypatch.setattr(store, "_reader", SimpleNamespace(head=panic))
    with pytest.raises(StoreError, match="called unwrap") as caught:
        store.head("a")
    assert "\n" not in caught.value.message
    monkeypatch.setattr("obstore.store.S3Store", panic)
    with pytest.raises(StoreError, match="called unwrap"):
        Store("s3", "bkt", HASTY, settings(faults))


def test_a_token_belongs_to_the_keys_of_its_own_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is left in the environment is not sent with the keys of a profile."""
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(
        f"[work]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET}\n"
    )
    sent: list[str | None] = []

    class Page(_Page):
        def do_HEAD(self) -> None:
            sent.append(self.headers.get("x-amz-security-token"))
            self.status = 404
            self.do_GET()

    with serving(Page) as port:
        url = f"http://127.0.0.1:{port}"
        stray = {"AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "stray", "AWS_ENDPOINT_URL": url}
        for name, value in {**QUIET, "HOME": str(tmp_path), **stray}.items():
            monkeypatch.setenv(name, value)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(FileNotFoundError):
            Store("s3", "bkt", HASTY).head("a")
    assert sent == [None]


def test_credentials_that_were_mended_count_in_the_same_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    csv = image_list(tmp_path / "in", 2)
    with serve("oss") as stand_in:
        for name, value in {**QUIET, **stand_in.environment()}.items():
            monkeypatch.setenv(name, value)
        for call in (
            lambda: tfrecordcli.convert(csv, "oss://bkt/out"),
            lambda: tfrecordcli.verify("oss://bkt/out", feed=False),
            lambda: tfrecordcli.inspect("oss://bkt/out"),
        ):
            monkeypatch.setenv("OSS_ACCESS_KEY_SECRET", "wrong")
            with pytest.raises(StoreError, match="credentials are not accepted"):
                call()
            monkeypatch.setenv("OSS_ACCESS_KEY_SECRET", SECRET)
            call()
    forget_stores()
