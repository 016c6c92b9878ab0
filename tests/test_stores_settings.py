"""Credentials, endpoints, URLs and leases: found where each cloud keeps them, refused with a cure."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from converting import convert_json, environment, image_list
from storing import QUIET, running

from tfrecordcli.dataset import lease, lock_object
from tfrecordcli.errors import BusyError, StoreError, UsageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.credentials import az_settings, gs_settings, oss_settings, s3_settings
from tfrecordcli.storage.store_path import StorePath, place_of
from tfrecordcli.storage.uris import join, masked_uri, parse_store_url

KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture
def profiles(tmp_path: Path) -> dict[str, str]:
    """A home with profiles for the AWS tools."""
    folder = tmp_path / ".aws"
    folder.mkdir()
    (folder / "credentials").write_text(
        "[default]\naws_access_key_id = a\naws_secret_access_key = b%c\n"
        "[work]\naws_access_key_id = c\naws_secret_access_key = d\naws_session_token = e\n"
    )
    (folder / "config").write_text(
        "[default]\nregion = eu-west-1\n"
        "[profile work]\nregion = eu-central-1\nendpoint_url = http://minio:9000\n"
        "[profile login]\nsso_session = x\n"
    )
    return {**QUIET, "HOME": str(tmp_path)}


def test_s3_takes_variables_first(profiles: dict[str, str]) -> None:
    found = s3_settings({**profiles, **KEYS, "AWS_DEFAULT_REGION": "us-west-2"})
    assert (found["access_key_id"], found["region"]) == ("id", "us-west-2")
    assert "session_token" not in found


def test_s3_takes_profiles(profiles: dict[str, str]) -> None:
    default = s3_settings(profiles)
    assert default == {"region": "eu-west-1", "access_key_id": "a", "secret_access_key": "b%c"}
    work = s3_settings({**profiles, "AWS_PROFILE": "work"})
    assert (work["region"], work["access_key_id"], work["session_token"]) == ("eu-central-1", "c", "e")
    assert (work["endpoint"], work["allow_http"]) == ("http://minio:9000", True)
    with pytest.raises(StoreError, match="no profile 'other'"):
        s3_settings({**profiles, "AWS_PROFILE": "other"})


def test_s3_without_credentials_is_anonymous_and_encrypted() -> None:
    found = s3_settings({**QUIET, "AWS_ENDPOINT_URL_S3": "https://a", "AWS_ENDPOINT_URL": "http://b"})
    assert found["skip_signature"]
    assert (found["endpoint"], found["allow_http"]) == ("https://a", False)


def test_oss_is_asked_where_it_answers() -> None:
    env = {"OSS_REGION": "oss-cn-hangzhou", "OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "s", **KEYS}
    found = oss_settings("bkt", env)
    assert found["endpoint"] == "https://bkt.s3.oss-cn-hangzhou.aliyuncs.com"
    assert found["aws_endpoint_url_s3"] == found["endpoint"]
    assert (found["virtual_hosted_style_request"], found["region"]) == (True, "cn-hangzhou")
    assert found["credential_provider"]()["access_key_id"] == "id"
    assert found["credential_provider"]()["token"] is None
    named = oss_settings("bkt", {**env, "OSS_ENDPOINT": "bkt.photos.example.com"})
    assert named["endpoint"] == "https://bkt.photos.example.com"
    with pytest.raises(StoreError, match="region"):
        oss_settings("bkt", KEYS)


def test_gs() -> None:
    emulator = gs_settings({**QUIET, "STORAGE_EMULATOR_HOST": "localhost:9000"})
    assert json.loads(emulator["service_account_key"])["gcs_base_url"] == "http://localhost:9000"
    assert gs_settings(QUIET) == {"skip_signature": True}
    with pytest.raises(StoreError, match="no file /missing"):
        gs_settings({**QUIET, "GOOGLE_APPLICATION_CREDENTIALS": "/missing.json"})


def test_az() -> None:
    text = "AccountName=a;AccountKey=k==;BlobEndpoint=http://127.0.0.1:1/a;"
    found = az_settings({"AZURE_STORAGE_CONNECTION_STRING": text})
    assert (found["account_name"], found["account_key"]) == ("a", "k==")
    assert (found["endpoint"], found["allow_http"]) == ("http://127.0.0.1:1/a", True)
    sas = az_settings({"AZURE_STORAGE_ACCOUNT": "a", "AZURE_STORAGE_SAS_TOKEN": "?sv=1"})
    assert sas == {"account_name": "a", "sas_key": "sv=1"}
    with pytest.raises(StoreError, match="account"):
        az_settings({})


BAD = [
    "s3://",
    "s3:///a",
    "s3://b//a",
    "s3://b/a//c",
    "s3://b/../a",
    "s3://b/./a",
    "s3://b/a/..",
    "s3://b/a\x01",
    "s3://../b/a.jpg",
    "s3://a#b/a.jpg",
    "s3://a?b/a.jpg",
    "s3://a b/a.jpg",
    "az://a%2Fb/a.jpg",
    "gs://b/" + "\u00e4" * 513,
]


@pytest.mark.parametrize("url", BAD)
def test_keys_that_would_be_read_as_others(url: str) -> None:
    with pytest.raises(Rejected) as caught:
        parse_store_url(url)
    assert caught.value.code == "bad_url"


@pytest.mark.parametrize(
    "url", ["s3://My_bucket.of-1/k", "gs://a.b.com/x#y?z%20", "az://$web/" + "\u00e4" * 512]
)
def test_odd_names_that_stores_know(url: str) -> None:
    name = parse_store_url(url)
    assert f"{name.scheme}://{name.bucket}/{name.key}" == url


JOINED = {
    ("s3://b/in", "a.jpg"): "s3://b/in/a.jpg",
    ("s3://b/in/", "x/a%20b?.jpg"): "s3://b/in/x/a%20b?.jpg",
    ("s3://b", "gs://c/a.jpg"): "gs://c/a.jpg",
    ("s3://b", "/data/a.jpg"): "/data/a.jpg",
    ("/root", "https://h/a.jpg?x=1"): "https://h/a.jpg?x=1",
    ("/root", "HTTP://localhost:1/a.jpg"): "HTTP://localhost:1/a.jpg",
    ("https://h/in", "a.jpg"): "https://h/in/a.jpg",
    ("/root", "a.jpg"): "/root/a.jpg",
    ("https://h/in", "./a.jpg"): "https://h/in/a.jpg",
    ("s3://b/in", "./a.jpg"): "s3://b/in/a.jpg",
    ("https://h/in", "cat.jpg#1"): "https://h/in/cat.jpg%231",
    ("https://h/in/", "a?b/50%20 &+=k\u00e4se.jpg"): "https://h/in/a%3Fb/50%2520%20%26%2B%3Dk%C3%A4se.jpg",
    ("https://h/in", "%2e%2e/a.jpg"): "https://h/in/%252e%252e/a.jpg",
    ("https://u:p@h/in/?sv=1&sig=a%2fb/c==", "x/a.jpg"): "https://u:p@h/in/x/a.jpg?sv=1&sig=a%2fb/c==",
    ("https://h?sig=1#end?", "a.jpg"): "https://h/a.jpg?sig=1",
    ("https://h//in%20/[x]", "a.jpg"): "https://h//in%20/[x]/a.jpg",
    ("https://h/in", "/data/a.jpg"): "/data/a.jpg",
    ("https://h/in", "https://h/a//b#c?d"): "https://h/a//b#c?d",
}


@pytest.mark.parametrize(("root", "uri"), JOINED)
def test_where_an_image_is(root: str, uri: str) -> None:
    assert join(root, uri) == JOINED[root, uri]


@pytest.mark.parametrize(("root", "uri"), [
    ("https://h/in", "../a.jpg"),
    ("https://h/in", "x/./a.jpg"),
    ("https://h/in", "x//a.jpg"),
    ("https://h/in", "x/.."),
    ("https://h/../in", "a.jpg"),
    ("https://[x/in", "a.jpg"),
    ("/root", "https://h/in/../a.jpg"),
    ("/root", "https://h/in/%2E%2e/a.jpg?sig=1"),
    ("/root", "https://h/.%2e"),
    ("/root", "https://h/./a.jpg"),
    ("s3://b/in", "../a.jpg"),
])  # fmt: skip
def test_folders_that_mean_another_place_are_refused(root: str, uri: str) -> None:
    with pytest.raises(Rejected) as caught:
        join(root, uri)
    assert caught.value.code == "bad_url"
    assert join("/root", "https://h/a..b/.c/...?x=/../") == "https://h/a..b/.c/...?x=/../"


MASKED = {
    "https://h/in?sv=1&sig=2": "https://h/in?***",
    "https://u:p@h/in/?sig=a//b@c#d": "https://***@h/in/?***",
    "https://h/in#?": "https://h/in",
    "https://h/in": "https://h/in",
    "/data/a?b@c": "/data/a?b@c",
    "s3://b/a?b": "s3://b/a?b",
}


@pytest.mark.parametrize(("uri", "masked"), MASKED.items())
def test_what_a_printed_command_says_of_a_root(uri: str, masked: str) -> None:
    assert masked_uri(uri) == masked


def test_places() -> None:
    place = place_of("s3://b/out/")
    assert isinstance(place, StorePath)
    assert (str(place), str(place / "x"), (place / "x").name) == ("s3://b/out", "s3://b/out/x", "x")
    assert str(place.parent) == "s3://b"
    assert place_of("out") == Path("out")
    for url in ("https://h/out", "ftp://h/out", "s3://b//out"):
        with pytest.raises(UsageError):
            place_of(url)


def test_without_obstore_everything_local_works_and_a_url_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "obstore.py").write_text("raise ImportError('not installed here')")
    env = environment(PYTHONPATH=str(tmp_path / "site"), **QUIET)
    csv = image_list(tmp_path / "in", 4)
    assert convert_json(csv, tmp_path / "out", env=env)["exit_code"] == 0
    done = convert_json(csv, "s3://bkt/out", env=env)
    assert (done["exit_code"], done["error"]["code"]) == (2, "missing_package")
    assert "obstore" in done["error"]["message"]


def test_no_credentials_is_2_with_a_cure(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    with running("oss") as store:
        env = {**store.env, "OSS_ACCESS_KEY_SECRET": "wrong"}
        done = convert_json(csv, f"{store.url}/out", env=env)
        assert (done["exit_code"], done["error"]["code"]) == (2, "credentials")
        assert "OSS_ACCESS_KEY_SECRET" in done["error"]["hint"]
        del env["OSS_ACCESS_KEY_ID"]
        done = convert_json(csv, f"{store.url}/out", env=env)
        assert done["exit_code"] == 2
        assert "OSS_ACCESS_KEY_ID" in done["error"]["hint"]
        for source in ("in/list.csv", "in/"):
            done = convert_json(f"{store.url}/{source}", tmp_path / "out", env=env)
            assert (done["exit_code"], done["error"]["code"]) == (2, "input")
            assert f"{store.url}/{source.rstrip('/')}: may not be " in done["error"]["message"]
            assert "OSS_ACCESS_KEY_ID" in done["error"]["hint"]


# --- the lease ---


def test_a_lease_is_held_renewed_lost_and_outlived(monkeypatch: pytest.MonkeyPatch) -> None:
    with running("gs") as store:
        for name in [name for name in os.environ if name.startswith(("GOOGLE_", "STORAGE_"))]:
            monkeypatch.delenv(name)
        for name, value in {**QUIET, **store.settings}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(lease, "RENEWED_EVERY", 0.02)
        work = place_of(f"{store.url}/leases-{os.getpid()}/_tfrec")
        assert isinstance(work, StorePath)
        lock = work / "lock"
        with lease.leased(work) as held:
            with pytest.raises(BusyError, match="another run"), lease.leased(work):
                pass
            first = lock.info()
            assert _soon(lambda: lock.info().etag != first.etag)
            held.check()
            lock.write_bytes(json.dumps({"run": "thief", "host": "x", "process": 1}).encode())
            assert _soon(lambda: held._is_lost)
            with pytest.raises(BusyError, match="taken over"):
                held.check()
        assert lock.is_file()
        late = datetime.now(UTC) + timedelta(seconds=lock_object.STALE_AFTER + 5)
        lock_object.take(lock, b"{}", late)
        assert lock.read_bytes() == b"{}"


def _soon(condition: Callable[[], bool]) -> bool:
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.02)
    return False
