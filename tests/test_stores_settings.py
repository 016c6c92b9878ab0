"""Credentials, endpoints, URLs and leases: found where each cloud keeps them, refused with a hint."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from converting import convert_json, environment, image_list
from storing import QUIET, running

from tfrecordcli.errors import BusyError, MissingPackageError, StoreError, UsageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.credentials import az_settings, gs_settings, oss_settings, s3_settings
from tfrecordcli.storage.store import Store
from tfrecordcli.storage.store_path import StorePath, place_of
from tfrecordcli.storage.uris import join, masked_uri, parse_store_url
from tfrecordcli.workdir import lease, lock_object

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


def test_no_credentials_is_2_with_a_hint(tmp_path: Path) -> None:
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
            assert f"{store.url}/{source}: may not be " in done["error"]["message"]
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


# --- settings that are slightly wrong ---

WRONG = [
    ("s3", {"AWS_ENDPOINT_URL": "127.0.0.1:9"}, "AWS_ENDPOINT_URL"),
    ("s3", {"AWS_ENDPOINT_URL_S3": "http://a b"}, "AWS_ENDPOINT_URL_S3"),
    ("s3", {"AWS_ENDPOINT_URL": "http://a:99999"}, "AWS_ENDPOINT_URL"),
    ("s3", {"AWS_ENDPOINT_URL": "http://[::z]"}, "AWS_ENDPOINT_URL"),
    ("s3", {"AWS_ENDPOINT_URL": "https://user:secret@a"}, "AWS_ENDPOINT_URL"),
    ("s3", {"AWS_ACCESS_KEY_ID": "a\nsecret", "AWS_SECRET_ACCESS_KEY": "b"}, "AWS_ACCESS_KEY_ID"),
    ("s3", {**KEYS, "AWS_SESSION_TOKEN": "a secret"}, "AWS_SESSION_TOKEN"),
    ("s3", {"AWS_REGION": "eu west"}, "AWS_REGION"),
    ("gs", {"STORAGE_EMULATOR_HOST": "://"}, "STORAGE_EMULATOR_HOST"),
    ("gs", {"STORAGE_EMULATOR_HOST": "http://a/ b"}, "STORAGE_EMULATOR_HOST"),
    ("gs", {"STORAGE_EMULATOR_HOST": "store.internal:8080"}, "STORAGE_EMULATOR_HOST=http://store.internal:8080"),
    ("oss", {"OSS_REGION": "cn hangzhou"}, "OSS_REGION"),
    ("oss", {"OSS_ENDPOINT": "https:// bad", "OSS_REGION": "x"}, "OSS_ENDPOINT"),
    ("az", {"AZURE_STORAGE_ACCOUNT": "a b"}, "AZURE_STORAGE_ACCOUNT"),
    ("az", {"AZURE_STORAGE_ACCOUNT": "a", "AZURE_STORAGE_ENDPOINT": "127.0.0.1:9"}, "AZURE_STORAGE_ENDPOINT"),
    ("az", {"AZURE_STORAGE_CONNECTION_STRING": "AccountName=a;BlobEndpoint=x"}, "CONNECTION_STRING"),
]  # fmt: skip


@pytest.mark.parametrize(("scheme", "variables", "named"), WRONG)
def test_what_cannot_be_right_is_said_by_its_name(scheme: str, variables: dict[str, str], named: str) -> None:
    with pytest.raises(StoreError) as caught:
        Store(scheme, "bkt", environment={**QUIET, **variables})
    assert caught.value.exit_code == 2
    assert named in str(caught.value)
    assert "secret" not in str(caught.value)


def test_blanks_around_and_empty_variables_do_not_count() -> None:
    found = s3_settings({
        **QUIET,
        "AWS_ENDPOINT_URL_S3": "",
        "AWS_ENDPOINT_URL": " HTTP://127.0.0.1:9/ ",
        "AWS_ACCESS_KEY_ID": "id\n",
        "AWS_SECRET_ACCESS_KEY": " secret",
        "AWS_SESSION_TOKEN": "token\r\n",
        "AWS_REGION": "  ",
    })  # fmt: skip
    # The library reads variables too: the name of the one that it would find first is given with the others.
    assert found["endpoint"] == found["aws_endpoint_url_s3"] == "http://127.0.0.1:9"
    assert (found["allow_http"], found["region"]) == (True, "us-east-1")
    assert (found["access_key_id"], found["secret_access_key"]) == ("id", "secret")
    assert found["session_token"] == "token"
    nothing = s3_settings({**QUIET, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "cn-north-1"})
    assert nothing["endpoint"] == "https://s3.cn-north-1.amazonaws.com.cn"


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"])
def test_an_empty_variable_does_not_stop_a_command(variable: str, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 2)
    env = {**QUIET, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", **KEYS, variable: ""}
    done = convert_json(csv, "s3://bkt/out", env=environment(**env))
    assert (done["exit_code"], done["error"]["code"]) == (3, "outage")


@pytest.mark.parametrize(
    ("endpoint", "asked"),
    [
        ("http://[::1]:9", "http://[::1]:9"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://localhost:9", "http://localhost:9"),
        ("http://localhosts.example", "http://bkt.localhosts.example"),
        ("https://a.example.com:1/x/", "https://bkt.a.example.com:1/x"),
    ],
)
def test_an_address_has_no_bucket_in_its_host(endpoint: str, asked: str) -> None:
    found = oss_settings("bkt", {"OSS_ENDPOINT": endpoint})
    assert (found["endpoint"], found["virtual_hosted_style_request"]) == (asked, "bkt" in asked)


def test_emulators_of_this_machine_need_no_http() -> None:
    for host in ("localhost:9", "127.0.0.1:9", "[::1]:9", "http://store.internal:9"):
        url = json.loads(gs_settings({"STORAGE_EMULATOR_HOST": host})["service_account_key"])["gcs_base_url"]
        assert url == (host if "://" in host else f"http://{host}")


def test_kinds_of_google_credentials_that_are_not_supported(tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    key.write_text('{"type": "external_account"}')
    with pytest.raises(StoreError, match="'external_account' are not supported") as caught:
        gs_settings({**QUIET, "GOOGLE_APPLICATION_CREDENTIALS": str(key)})
    assert "service account" in caught.value.hint
    key.write_text('{"type": "authorized_user"}')
    found = gs_settings({**QUIET, "GOOGLE_APPLICATION_CREDENTIALS": f" {key} "})
    assert found == {"application_credentials": str(key)}


CONNECTIONS = {
    "BlobEndpoint=https://acc.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=a%2F=": {
        "account_name": "acc", "endpoint": "https://acc.blob.core.windows.net", "allow_http": False,
        "sas_key": "sv=1&sig=a%2F=",
    },
    "BlobEndpoint=http://127.0.0.1:9/acc;SharedAccessSignature=?sv=1": {
        "account_name": "acc", "endpoint": "http://127.0.0.1:9/acc", "allow_http": True, "sas_key": "sv=1",
    },
    "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a2V5;EndpointSuffix=core.chinacloudapi.cn": {
        "account_name": "acc", "endpoint": "https://acc.blob.core.chinacloudapi.cn", "allow_http": False,
        "account_key": "a2V5",
    },
    "accountname=acc;accountkey=a2V5==": {
        "account_name": "acc", "endpoint": "https://acc.blob.core.windows.net", "allow_http": False,
        "account_key": "a2V5==",
    },
}  # fmt: skip


@pytest.mark.parametrize("text", CONNECTIONS)
def test_connection_strings_of_azure(text: str) -> None:
    """Nothing is mixed in from variables of another account."""
    stray = {"AZURE_STORAGE_KEY": "b3RoZXI=", "AZURE_STORAGE_ENDPOINT": "https://other"}
    assert az_settings({"AZURE_STORAGE_CONNECTION_STRING": text, **stray}) == CONNECTIONS[text]


def test_azurite() -> None:
    found = az_settings({"AZURE_STORAGE_CONNECTION_STRING": "UseDevelopmentStorage=true"})
    assert (found["account_name"], found["allow_http"]) == ("devstoreaccount1", True)
    assert found["endpoint"] == "http://127.0.0.1:10000/devstoreaccount1"
    assert len(base64.b64decode(found["account_key"])) == 64


# --- profiles ---


def test_a_profile_names_the_endpoint_of_a_service(profiles: dict[str, str]) -> None:
    config = Path(profiles["HOME"]) / ".aws" / "config"
    config.write_text(
        "[profile work]\nservices = loc\nendpoint_url = http://127.0.0.1:1\n"
        "[services loc]\ndynamodb =\n  endpoint_url = http://127.0.0.1:2\n"
        "s3 =\n  endpoint_url = http://127.0.0.1:3\n  max_concurrent_requests = 4\n"
    )
    work = {**profiles, "AWS_PROFILE": "work"}
    assert s3_settings(work)["endpoint"] == "http://127.0.0.1:3"
    assert s3_settings({**work, "AWS_ENDPOINT_URL": "http://a"})["endpoint"] == "http://a"
    ignored = {**work, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}
    assert "endpoint" not in s3_settings(ignored)
    named = s3_settings({**ignored, "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL": "http://a"})
    assert named["endpoint"] == "https://s3.eu-west-1.amazonaws.com"


def test_a_profile_with_a_role_assumes_it(profiles: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By boto3; the keys beside it are those that it is assumed with, and never used in its stead."""
    config = Path(profiles["HOME"]) / ".aws" / "config"
    role = "role_arn = arn:aws:iam::123456789012:role/x\n"
    config.write_text(f"[profile work]\n{role}source_profile = default\n[profile odd]\n{role}")
    with running("s3") as store:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(name)
        settings = {
            **profiles,
            "AWS_ENDPOINT_URL": store.settings["AWS_ENDPOINT_URL"],
            "AWS_REGION": "us-east-1",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_PROFILE", "work")
        found = s3_settings(os.environ)
        assert "access_key_id" not in found
        assumed = found["credential_provider"]()
        assert assumed["access_key_id"].startswith("ASIA")
        assert assumed["token"] not in (None, "e")
        monkeypatch.setenv("AWS_PROFILE", "odd")
        with pytest.raises(StoreError, match="login failed"):
            s3_settings(os.environ)
        monkeypatch.setitem(sys.modules, "boto3", None)
        monkeypatch.setenv("AWS_PROFILE", "work")
        with pytest.raises(MissingPackageError) as caught:
            s3_settings(os.environ)
        assert "pip install boto3" in caught.value.hint
