"""Servers that fail, break off, hang or trickle: what is tried again, what is told, and that it ends."""

from __future__ import annotations

import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from converting import TFREC, convert_json, image_list, jpeg, start, tfrec, write_csv
from sampling import first
from stand_in_simplejpeg import wait_for
from stand_in_store import KEY_ID, SECRET, serve
from stand_in_troubles import BODY, BOMB, Troubles, serve_troubles
from storing import QUIET, Running

import tfrecordcli
from tfrecordcli import load
from tfrecordcli.errors import OutageError, StoreError, UsageError
from tfrecordcli.feed.store_cache import StoreCache, raise_trouble_of_store
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage import remote
from tfrecordcli.storage.network import Timeouts
from tfrecordcli.storage.remote import RemoteReader, read_remote
from tfrecordcli.storage.store import Store, forget_stores
from tfrecordcli.storage.web import copy_web, read_web, web_size

HASTY = Timeouts(connect=1, read=0.4, request=1.0, total=2.0, retries=2, first_pause=0.01)

Read = Callable[[str], bytes]


@pytest.fixture(scope="module")
def troubles() -> Iterator[Troubles]:
    with serve_troubles() as found:
        yield found


def settings(troubles: Troubles) -> dict[str, str]:
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    return {**QUIET, **keys, "AWS_ENDPOINT_URL": troubles.url, "AWS_REGION": "us-east-1"}


@pytest.fixture(params=["store", "web"])
def read(request: pytest.FixtureRequest, troubles: Troubles, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads an object by its name, from a store or by http."""
    troubles.asked.clear()
    if request.param == "web":
        return lambda name: read_web(f"{troubles.url}/{name}", timeouts=HASTY)
    store = Store("s3", "bkt", HASTY, settings(troubles))
    return store.read


GOOD = ["good", "busy", "slow-down", "reset-once", "cut-once", "cut-once-no-ranges", "hang-once"]


@pytest.mark.parametrize("what", GOOD)
def test_what_passes_is_tried_again(what: str, read: Read, troubles: Troubles) -> None:
    assert read(f"{what}/a.jpg") == BODY
    least = {"good": 1, "busy": 3, "slow-down": 3}.get(what, 2)
    # A store's library asks for the rest first, and only then we ask for all.
    assert least <= troubles.asked[what] <= least + ("no-ranges" in what)


@pytest.mark.parametrize("what", ["status-500", "status-503", "status-507", "status-429", "reset", "cut",
                                  "cut-no-ranges", "hang", "trickle"])  # fmt: skip
def test_what_does_not_pass_is_an_outage_and_ends(what: str, read: Read, troubles: Troubles) -> None:
    with pytest.raises(OutageError) as caught:
        read(f"{what}/a.jpg")
    assert caught.value.exit_code == 3
    assert f"{what}/a.jpg" in caught.value.message
    assert 1 <= troubles.asked[what] <= 12


@pytest.mark.parametrize(
    ("what", "kind"), [("status-404", FileNotFoundError), ("status-403", PermissionError)]
)
def test_what_is_of_one_object_is_asked_once(
    what: str, kind: type[Exception], read: Read, troubles: Troubles
) -> None:
    with pytest.raises(kind):
        read(f"{what}/a.jpg")
    assert troubles.asked[what] == 1


@pytest.mark.parametrize(
    ("host", "said"), [("127.0.0.1:9", "nobody answers there"), ("nowhere.invalid", "is not known")]
)
def test_a_server_that_is_not_there(host: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*arguments: object, **more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    if host == "nowhere.invalid":
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(OutageError, match=said):
        read_web(f"https://{host}/a.jpg", timeouts=HASTY)


@pytest.mark.parametrize("what", ["login", "login-moved", "login-moved-away"])
def test_user_and_password_of_a_url_are_told_to_its_server_alone(what: str, troubles: Troubles) -> None:
    url = f"http://user:p%40ss@127.0.0.1:{troubles.port}/{what}/a.jpg"
    assert read_web(url, timeouts=HASTY) == BODY
    with pytest.raises(PermissionError):
        read_web(url.replace("p%40ss", "other").replace("-away", ""), timeouts=HASTY)


@pytest.mark.parametrize("what", ["refused-login", "status-401"])
def test_refused_credentials_stop_the_run(what: str, troubles: Troubles) -> None:
    with pytest.raises(StoreError, match="credentials") as caught:
        Store("s3", "bkt", HASTY, settings(troubles)).read(f"{what}/a.jpg")
    assert (caught.value.exit_code, caught.value.code) == (2, "credentials")


@pytest.mark.parametrize(
    ("status", "kind"), [(403, PermissionError), (404, FileNotFoundError), (503, OutageError)]
)
def test_a_key_that_reads_like_a_code_is_a_key(
    status: int, kind: type[Exception], troubles: Troubles
) -> None:
    with pytest.raises(kind):
        Store("s3", "bkt", HASTY, settings(troubles)).read(f"status-{status}/ExpiredToken in 1s - x.jpg")


def test_an_object_replaced_between_two_ranges_is_never_mixed(troubles: Troubles) -> None:
    troubles.asked.clear()
    store = Store("s3", "bkt", HASTY, settings(troubles))
    assert store.read_range("swapped", 0, 100) == BODY[:100]
    assert store.read("swapped") == BODY[::-1]


# --- http ---


def test_the_query_of_a_url_is_sent_as_it_is(troubles: Troubles) -> None:
    assert read_web(f"{troubles.url}/signed/a.jpg?sig=a%2Fb%3D&x=1") == BODY


@pytest.mark.parametrize("target", [
    "/signed/a.jpg?sig=a%2fb%3d&x=%zz",
    "/odd/[x]|y^z.jpg?x={a}|b\\c&d=\"e\"'<f>`g`",
    "//odd///a%2fb//c.jpg??x/../y",
    "/odd/%61.jpg?",
])  # fmt: skip
def test_path_and_query_are_sent_byte_for_byte(target: str, troubles: Troubles) -> None:
    troubles.targets.clear()
    troubles.files["signed/a.jpg"] = BODY
    assert read_web(f"{troubles.url}{target}") == BODY
    assert read_web(f"{troubles.url.replace('http', 'HTTP')}{target}#end") == BODY
    assert troubles.targets == [target, target]


def test_what_no_request_can_hold_is_encoded(troubles: Troubles) -> None:
    troubles.targets.clear()
    assert read_web(f"{troubles.url}?a b\t\x7fk\u00e4\U0001f431") == BODY
    assert troubles.targets == ["/?a%20b%09%7Fk%C3%A4%F0%9F%90%B1"]


@pytest.mark.parametrize(("what", "target"), [
    ("moved-odd", "/odd//a%2fb.jpg?sig=a%2fb[x]|y^z&a=%zz"),
    ("moved-aside/a.jpg", "/good/k%C3%A4se.jpg"),
    ("moved-query", "/moved-query?now"),
])  # fmt: skip
def test_redirects_are_followed_as_they_are_written(what: str, target: str, troubles: Troubles) -> None:
    troubles.targets.clear()
    assert read_web(f"{troubles.url}/{what}") == BODY
    assert troubles.targets[1:] == [target]


@pytest.mark.parametrize("what", ["zipped", "deflated", "called-plain"])
def test_encoded_answers_are_decoded(what: str, troubles: Troubles) -> None:
    assert read_remote(f"{troubles.url}/{what}", len(BODY)) == BODY
    assert web_size(f"{troubles.url}/{what}") == (len(BODY) if what == "called-plain" else None)
    with pytest.raises(Rejected) as caught:
        read_remote(f"{troubles.url}/{what}", len(BODY) - 1)
    assert caught.value.code == "too_many_bytes"


def test_a_bomb_is_read_to_the_limit_only(troubles: Troubles) -> None:
    admitted: list[int] = []
    with pytest.raises(Rejected) as caught:
        read_remote(f"{troubles.url}/bomb", 1 << 20, admitted.append)
    assert caught.value.code == "too_many_bytes"
    assert max(admitted) <= 1 << 20
    assert int(str(caught.value.details["size"])) < 2 << 20 < len(BOMB)


@pytest.mark.parametrize("what", ["moved", "chunked"])
def test_redirects_and_bodies_of_unknown_length(what: str, troubles: Troubles) -> None:
    assert read_web(f"{troubles.url}/{what}") == BODY


@pytest.mark.parametrize(("what", "code"), [
    ("status-404", "not_found"),
    ("status-410", "not_found"),
    ("status-401", "permission_denied"),
    ("status-403", "permission_denied"),
    ("status-418", "unreadable"),
    ("status-304", "unreadable"),
    ("moved-away", "unreadable"),
    ("moved-ftp", "unreadable"),
    ("moved-app", "unreadable"),
    ("moved-mail", "unreadable"),
    ("moved-wrong", "unreadable"),
    ("moved-nowhere", "unreadable"),
    ("moved-up", "unreadable"),
    ("circle", "unreadable"),
    ("called-zipped", "unreadable"),
    ("called-br", "unreadable"),
    ("zipped-short", "unreadable"),
    ("zipped-twice", "unreadable"),
])  # fmt: skip
def test_rejects(what: str, code: str, troubles: Troubles) -> None:
    with pytest.raises(Rejected) as caught:
        read_remote(f"{troubles.url}/{what}", 1 << 20)
    assert caught.value.code == code


@pytest.mark.parametrize("what", ["good", "chunked"])
def test_too_large(what: str, troubles: Troubles) -> None:
    with pytest.raises(Rejected) as caught:
        read_remote(f"{troubles.url}/{what}", len(BODY) - 1)
    assert caught.value.code == "too_many_bytes"
    assert read_remote(f"{troubles.url}/{what}", len(BODY)) == BODY


def test_sizes_without_reading(troubles: Troubles) -> None:
    assert web_size(f"{troubles.url}/good") == len(BODY)
    assert web_size(f"{troubles.url}/status-404") is None


# --- many at a time ---


@pytest.mark.parametrize("good", ["good", "chunked"])
def test_images_ahead_stay_within_their_bytes_and_in_order(
    good: str, troubles: Troubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room for two bodies: others wait, whether the server tells sizes or not, and nobody for ever."""
    monkeypatch.setattr(remote, "_BYTES", 2 * len(BODY))
    reader = RemoteReader()
    try:
        images = [reader.open(f"{troubles.url}/{what}", 1 << 20) for what in [good, "status-404"] * 10]
        end = time.monotonic() + 20
        while not reader._budget._waiting and time.monotonic() < end:
            time.sleep(0.01)
        assert reader._budget._waiting
        for number, image in enumerate(images):
            assert reader._budget._used <= 3 * len(BODY)
            if number % 2:
                with pytest.raises(Rejected):
                    image.read()
            else:
                assert image.read() == BODY
        assert reader._budget._used == 0
    finally:
        reader.close()


# --- whole runs ---


def test_an_outage_stops_the_run_and_the_same_command_continues(tmp_path: Path, troubles: Troubles) -> None:
    """Rows are not rejected because a server is down."""
    csv = image_list(tmp_path / "in", 6)
    with csv.open("a") as file:
        file.write(f"TRAIN,{troubles.url}/status-500/a.jpg,a\n")
    store = Running("s3://bkt", settings(troubles))
    done = convert_json(csv, tmp_path / "out", "--num-shards", "1", env=store.env)
    assert (done["exit_code"], done["error"]["code"]) == (3, "outage")
    assert "/status-500/a.jpg" in done["error"]["message"]
    assert not list((tmp_path / "out").glob("*.tfrecord"))


def test_signatures_are_told_to_nobody(tmp_path: Path, troubles: Troubles) -> None:
    """403 and 404 are rejects; rejects.csv quotes the row as it was, to be converted again."""
    csv = image_list(tmp_path / "in", 2)
    with csv.open("a") as file:
        for what in ("status-403", "status-404"):
            file.write(f"TRAIN,{troubles.url}/{what}/a.jpg?sig=secret,a\n")
        file.write("TRAIN,http://[x/a.jpg?sig=secret,a\n")
    options = ("--max-rejects", "3", "--json")
    done = tfrec("convert", csv, tmp_path / "out", *options, env=Running("", {}).env)
    assert (done.code, done.json["records"]) == (0, 2)
    assert done.json["reasons"] == {"bad_url": 1, "not_found": 1, "permission_denied": 1}
    assert "secret" not in done.out + done.err
    assert f"{troubles.url}/status-403/a.jpg" in done.out
    told = {path.name for path in (tmp_path / "out").iterdir() if b"secret" in path.read_bytes()}
    assert told == {"rejects.csv"}


def test_credentials_are_told_to_nobody(tmp_path: Path, troubles: Troubles) -> None:
    """Nor are those of the image root, which the command for mended rows leaves to be filled in."""
    secret = troubles.url.replace("://", "://user:secret@")
    csv = image_list(tmp_path / "in", 2)
    good = str(tmp_path / "in")
    with csv.open("w") as file:
        file.writelines(f"TRAIN,{good}/{n:03}.jpg,a\n" for n in range(2))
        file.write(f"TRAIN,{secret}/status-404/a.jpg,a\nTRAIN,status-403/b.jpg,a\n")
        file.write("TRAIN,ftp://user:secret@h/a.jpg,a\nTRAIN,http://user:secret@example.com/a.jpg,a\n")
        file.write("TRAIN,http://user:secret@[x/a.jpg,a\nTRIAN,https://user:secret@h/b.jpg,a\n")
    for how in ((), ("--json", "--overwrite")):
        options = ("--image-root", secret, "--max-rejects", "6", *how)
        done = tfrec("convert", csv, tmp_path / "out", *options, env=Running("", {}).env)
        assert done.code == 0, done.err
        assert "secret" not in done.out + done.err
        assert troubles.url.replace("://", "://***@") in done.out
    assert done.json["rejected"] == 6
    told = {path.name for path in (tmp_path / "out").iterdir() if b"secret" in path.read_bytes()}
    assert told == {"rejects.csv"}


@pytest.mark.parametrize("command", ["convert", "verify", "inspect", "bench", "write-shards", "finish"])
def test_a_query_is_told_to_nobody_where_it_is_not_taken(command: str, tmp_path: Path) -> None:
    url = "https://user:SECRET@127.0.0.1:1/out?sig=SECRET"
    more = [str(image_list(tmp_path / "in", 2))] if command == "convert" else []
    for how in ((), ("--json",)):
        done = tfrec(command, *more, url, *how)
        assert (done.code, "SECRET" in done.out + done.err) == (2, False)
        assert "127.0.0.1:1/out" in done.out + done.err
    with pytest.raises(UsageError, match=r"https:// is not taken here") as caught:
        load(url)
    assert "SECRET" not in caught.value.message


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    store = Running("s3://bkt", {**keys, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"})
    done = convert_json(csv, "s3://bkt/out", env=store.env)
    assert (done["exit_code"], done["error"]["code"]) == (3, "outage")
    assert done["error"]["hint"]


@pytest.mark.parametrize(("status", "said", "cure"), [
    (403, "may not be read", "AWS_ACCESS_KEY_ID"),
    (404, "there is no such object", "check the URL"),
])  # fmt: skip
def test_what_may_not_be_read_is_told_from_what_is_not_there(
    status: int, said: str, cure: str, tmp_path: Path, troubles: Troubles
) -> None:
    """The whole of a label file, and a dataset that is looked at."""
    env = Running("s3://bkt", settings(troubles)).env
    where = f"s3://bkt/status-{status}/labels.txt"
    done = tfrec("convert", image_list(tmp_path / "in", 2), tmp_path / "out", "--labels", where, env=env)
    assert (done.code, f"{where}: {said}" in done.err, cure in done.err) == (2, True, True), done.err
    for command in ("verify", "inspect"):
        seen = tfrec(command, f"s3://bkt/status-{status}/out", env=env)
        assert (seen.code, said in seen.err, cure in seen.err) == (2, True, True), seen.err


@pytest.mark.thorough
def test_a_signal_ends_a_command_that_waits_for_a_store(troubles: Troubles) -> None:
    """No signal wakes the library, which would wait and repeat for minutes."""
    troubles.asked.clear()
    env = Running("s3://bkt", settings(troubles)).env
    process = start([*TFREC, "verify", "s3://bkt/hang", "--no-feed"], env=env)
    wait_for(lambda: bool(troubles.asked["hang"]))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    lines = [line for line in err.decode().splitlines() if not line.endswith("Z still working")]
    assert len(lines) == 2


def test_a_store_that_fails_in_the_middle_of_a_feed_is_no_damage(
    troubles: Troubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local copies for TensorFlow: what the store said is kept, and a later success forgets it."""
    for name, value in settings(troubles).items():
        monkeypatch.setenv(name, value)
    forget_stores()
    cache = StoreCache(1 << 30)
    monkeypatch.setattr("tfrecordcli.feed.store_cache._only_cache", lambda: cache)
    with pytest.raises(OSError, match="credentials"):
        cache.fetch("s3://bkt/status-401/a.tfrecord")
    with pytest.raises(StoreError):
        raise_trouble_of_store()
    assert Path(cache.fetch("s3://bkt/good/a.tfrecord")).read_bytes() == BODY
    raise_trouble_of_store()
    assert cache.fetch("/local/a.tfrecord") == "/local/a.tfrecord"
    forget_stores()


# --- images below a URL, and certificates ---

NAMES = ["cat.jpg#1", "b?x.jpg", "50%20.jpg", "e f.jpg", "k\u00e4se.jpg", "sub/+&=[g].jpg", "h.jpg"]


def test_names_below_a_signed_url_are_names_as_on_a_disk(tmp_path: Path, troubles: Troubles) -> None:
    """The same bytes; the query goes behind each name, and is told to nobody."""
    images = tmp_path / "in"
    (images / "sub").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        (images / name).write_bytes(jpeg(number))
        troubles.files[f"dir/{name}"] = jpeg(number)
    troubles.files["dir/cat.jpg"] = troubles.files["dir/b"] = jpeg(99)  # not what is asked for
    rows = [("TRAIN", name, "ab"[number % 2]) for number, name in enumerate(NAMES)]
    csv = write_csv(tmp_path / "list.csv", [*rows, ("TRAIN", "../h.jpg", "a"), ("TRAIN", "gone.jpg", "a")])
    root = f"{troubles.url}/dir/"
    env = Running("", {}).env
    shards = []
    for place in (images, f"{root}?sig=secret%2f"):
        troubles.targets.clear()
        out = tmp_path / f"out{len(shards)}"
        done = tfrec(
            "convert", csv, out, "--image-root", place, "--max-rejects", "2", "--num-shards", "1", env=env
        )
        assert done.code == 0, done.err
        shards.append([path.read_bytes() for path in sorted(out.glob("*.tfrecord"))])
    assert shards[0] == shards[1]
    assert all(target.endswith(".jpg?sig=secret%2f") or "%231?" in target for target in troubles.targets)
    assert f"--image-root '{root}?***'" in done.out
    told = [path.name for path in out.iterdir() if b"secret" in path.read_bytes()]
    assert (told, "secret" in done.out + done.err) == ([], False)


def test_the_first_image_below_a_url_is_named_as_it_was_asked_for(tmp_path: Path, troubles: Troubles) -> None:
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", "a#1.jpg", "a")])
    root = f"{troubles.url}/status-404/?sig=secret"
    done = convert_json(csv, tmp_path / "out", "--image-root", root, env=Running("", {}).env)
    assert (done["exit_code"], done["error"]["code"]) == (2, "no_usable_image")
    assert f"{troubles.url}/status-404/a%231.jpg: file not found" in done["error"]["message"]


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """(URL, certificate) of a server whose certificate nobody signed but itself."""
    certificate = _self_signed(tmp_path / "certificate.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                plain, _ = server.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(plain, server_side=True) as connection:
                    connection.recv(1 << 16)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            except OSError:
                plain.close()

    thread = threading.Thread(target=answer)
    thread.start()
    yield f"https://localhost:{server.getsockname()[1]}", certificate
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


def _self_signed(path: Path) -> Path:
    """A certificate for localhost with its key; the package comes with moto."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(secret + made.public_bytes(pem))
    return path


def test_a_certificate_that_is_not_trusted_is_no_outage(
    encrypted: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cure is one: with the certificate in SSL_CERT_FILE the server is read."""
    url, certificate = encrypted
    with pytest.raises(StoreError) as caught:
        read_web(f"{url}/a.jpg?sig=secret", timeouts=HASTY)
    assert caught.value.message.startswith(f"{url}: its certificate is not trusted (self")
    assert "SSL_CERT_FILE" in caught.value.hint
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert read_web(f"{url}/a.jpg", timeouts=HASTY) == b"ok"
    with pytest.raises(StoreError, match=r"not valid for '127\.0\.0\.1'") as caught:
        read_web(f"{url.replace('localhost', '127.0.0.1')}/a.jpg", timeouts=HASTY)
    assert "SSL_CERT_FILE" not in caught.value.hint
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", f"{url}/a.jpg", "a")])
    monkeypatch.delenv("SSL_CERT_FILE")
    done = convert_json(csv, tmp_path / "out", env=Running("", {}).env)
    assert (done["exit_code"], done["error"]["code"]) == (2, "store")
    assert "certificate" in done["error"]["message"]


# --- lists ---


@pytest.mark.parametrize("what", first(["good", "zipped", "slow", "cut-once"], ["slow-cut-once"]))
def test_a_list_may_take_its_time_and_begins_again_when_it_breaks_off(
    what: str, tmp_path: Path, troubles: Troubles
) -> None:
    troubles.asked.clear()
    with (tmp_path / "list").open("wb") as file:
        file.write(b"what was there")
        copy_web(f"{troubles.url}/{what}", file, HASTY)
    assert (tmp_path / "list").read_bytes() == BODY
    assert troubles.asked[what] == 1 + what.endswith("once")
    if what == "slow":
        with pytest.raises(OutageError, match="too slow"):
            read_web(f"{troubles.url}/{what}", timeouts=HASTY)


@pytest.mark.parametrize("what", ["hang", "cut", "status-500"])
def test_a_list_that_does_not_come_is_an_outage(what: str, tmp_path: Path, troubles: Troubles) -> None:
    with (tmp_path / "list").open("wb") as file, pytest.raises(OutageError):
        copy_web(f"{troubles.url}/{what}", file, HASTY)


def test_a_list_stands_in_no_memory(tmp_path: Path, troubles: Troubles) -> None:
    import tracemalloc

    with (tmp_path / "list").open("wb") as file:
        copy_web(f"{troubles.url}/good", file)  # what is imported and kept
        tracemalloc.start()
        try:
            copy_web(f"{troubles.url}/bomb", file)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (tmp_path / "list").read_bytes() == BOMB
    assert peak < 4 << 20


@pytest.mark.parametrize(("what", "said"), [
    ("status-400", "the server answers with status 400"),
    ("status-404", "there is nothing of this name"),
    ("status-416", "the server answers with status 416"),
    ("moved-nowhere", "the server answers with status 302"),
    ("moved-away", "the server redirects to http://example.com/good: http:// is read from this machine only"),
    ("moved-ftp", "the server redirects to ftp:, which is not read"),
    ("circle", "more than 5 redirects"),
    ("called-br", "the answer is encoded as br, which is not read"),
    ("called-zipped", "the answer is encoded as gzip, and cannot be decoded"),
])  # fmt: skip
def test_what_a_server_says_of_a_list_is_told_of_its_url(
    what: str, said: str, tmp_path: Path, troubles: Troubles
) -> None:
    done = convert_json(
        f"{troubles.url}/{what}/list.csv?sig=secret", tmp_path / "out", env=Running("", {}).env
    )
    assert (done["exit_code"], done["error"]["code"]) == (2, "input")
    assert done["error"]["message"].startswith(f"{troubles.url}/{what}/list.csv: {said}")
    assert done["error"]["hint"] or "redirects" in said
    assert "secret" not in str(done)


# --- what is no outage ---


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
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), type("Bound", (_Page,), {"status": status, "headers_sent": headers})
    )
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


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
    troubles: Troubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no Exception, and would pass all that is there to tell and to clear up."""

    class PanicException(BaseException):
        pass

    def panic(*_: object, **more: object) -> None:
        raise PanicException("called unwrap\nat a line")

    store = Store("s3", "bkt", HASTY, settings(troubles))
    monkeypatch.setattr(store, "_reader", SimpleNamespace(head=panic))
    with pytest.raises(StoreError, match="called unwrap") as caught:
        store.head("a")
    assert "\n" not in caught.value.message
    monkeypatch.setattr("obstore.store.S3Store", panic)
    with pytest.raises(StoreError, match="called unwrap"):
        Store("s3", "bkt", HASTY, settings(troubles))


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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        stray = {"AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "stray", "AWS_ENDPOINT_URL": url}
        for name, value in {**QUIET, "HOME": str(tmp_path), **stray}.items():
            monkeypatch.setenv(name, value)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(FileNotFoundError):
            Store("s3", "bkt", HASTY).head("a")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
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
