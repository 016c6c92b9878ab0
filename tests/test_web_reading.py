"""Images by http: URLs as they are written, redirects, encodings, sizes, certificates."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from converting import convert_json, jpeg, tfrec, write_csv
from stand_in_faults import BODY, BOMB, HASTY, Faults
from storing import Running

from tfrecordcli.errors import OutageError, StoreError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.remote import read_remote
from tfrecordcli.storage.web import read_web, web_size


@pytest.mark.parametrize("what", ["login", "login-moved", "login-moved-away"])
def test_user_and_password_of_a_url_are_told_to_its_server_alone(what: str, faults: Faults) -> None:
    url = f"http://user:p%40ss@127.0.0.1:{faults.port}/{what}/a.jpg"
    assert read_web(url, timeouts=HASTY) == BODY
    with pytest.raises(PermissionError):
        read_web(url.replace("p%40ss", "other").replace("-away", ""), timeouts=HASTY)


def test_the_query_of_a_url_is_sent_as_it_is(faults: Faults) -> None:
    assert read_web(f"{faults.url}/signed/a.jpg?sig=a%2Fb%3D&x=1") == BODY


@pytest.mark.parametrize("target", [
    "/signed/a.jpg?sig=a%2fb%3d&x=%zz",
    "/odd/[x]|y^z.jpg?x={a}|b\\c&d=\"e\"'<f>`g`",
    "//odd///a%2fb//c.jpg??x/../y",
    "/odd/%61.jpg?",
])  # fmt: skip
def test_path_and_query_are_sent_byte_for_byte(target: str, faults: Faults) -> None:
    faults.targets.clear()
    faults.files["signed/a.jpg"] = BODY
    assert read_web(f"{faults.url}{target}") == BODY
    assert read_web(f"{faults.url.replace('http', 'HTTP')}{target}#end") == BODY
    assert faults.targets == [target, target]


def test_what_no_request_can_hold_is_encoded(faults: Faults) -> None:
    faults.targets.clear()
    assert read_web(f"{faults.url}?a b\t\x7fk\u00e4\U0001f431") == BODY
    assert faults.targets == ["/?a%20b%09%7Fk%C3%A4%F0%9F%90%B1"]


@pytest.mark.parametrize(("what", "target"), [
    ("moved-odd", "/odd//a%2fb.jpg?sig=a%2fb[x]|y^z&a=%zz"),
    ("moved-aside/a.jpg", "/good/k%C3%A4se.jpg"),
    ("moved-query", "/moved-query?now"),
])  # fmt: skip
def test_redirects_are_followed_as_they_are_written(what: str, target: str, faults: Faults) -> None:
    faults.targets.clear()
    assert read_web(f"{faults.url}/{what}") == BODY
    assert faults.targets[1:] == [target]


@pytest.mark.parametrize("what", ["zipped", "deflated", "called-plain"])
def test_encoded_answers_are_decoded(what: str, faults: Faults) -> None:
    assert read_remote(f"{faults.url}/{what}", len(BODY)) == BODY
    assert web_size(f"{faults.url}/{what}") == (len(BODY) if what == "called-plain" else None)
    with pytest.raises(Rejected) as caught:
        read_remote(f"{faults.url}/{what}", len(BODY) - 1)
    assert caught.value.code == "too_many_bytes"


def test_a_bomb_is_read_to_the_limit_only(faults: Faults) -> None:
    admitted: list[int] = []
    with pytest.raises(Rejected) as caught:
        read_remote(f"{faults.url}/bomb", 1 << 20, admitted.append)
    assert caught.value.code == "too_many_bytes"
    assert max(admitted) <= 1 << 20
    assert int(str(caught.value.details["size"])) < 2 << 20 < len(BOMB)


@pytest.mark.parametrize("what", ["moved", "chunked"])
def test_redirects_and_bodies_of_unknown_length(what: str, faults: Faults) -> None:
    assert read_web(f"{faults.url}/{what}") == BODY


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
def test_rejects(what: str, code: str, faults: Faults) -> None:
    with pytest.raises(Rejected) as caught:
        read_remote(f"{faults.url}/{what}", 1 << 20)
    assert caught.value.code == code


def test_an_answer_that_always_ends_early_is_told_with_both_lengths(faults: Faults) -> None:
    """An outage looks the same, so no row is rejected for it."""
    with pytest.raises(
        OutageError, match=rf"/cut: the answer ends after [0-9,]+ of {len(BODY):,} bytes"
    ) as caught:
        read_web(f"{faults.url}/cut", timeouts=HASTY)
    assert "the list has to do without it" in caught.value.hint


@pytest.mark.parametrize("what", ["good", "chunked"])
def test_too_large(what: str, faults: Faults) -> None:
    with pytest.raises(Rejected) as caught:
        read_remote(f"{faults.url}/{what}", len(BODY) - 1)
    assert caught.value.code == "too_many_bytes"
    assert read_remote(f"{faults.url}/{what}", len(BODY)) == BODY


def test_sizes_without_reading(faults: Faults) -> None:
    assert web_size(f"{faults.url}/good") == len(BODY)
    assert web_size(f"{faults.url}/status-404") is None


# --- images below a URL, and certificates ---

NAMES = ["cat.jpg#1", "b?x.jpg", "50%20.jpg", "e f.jpg", "k\u00e4se.jpg", "sub/+&=[g].jpg", "h.jpg"]


def test_names_below_a_signed_url_are_names_as_on_a_disk(tmp_path: Path, faults: Faults) -> None:
    """The same bytes; the query goes behind each name, and is told to nobody."""
    images = tmp_path / "in"
    (images / "sub").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        (images / name).write_bytes(jpeg(number))
        faults.files[f"dir/{name}"] = jpeg(number)
    faults.files["dir/cat.jpg"] = faults.files["dir/b"] = jpeg(99)  # not what is asked for
    rows = [("TRAIN", name, "ab"[number % 2]) for number, name in enumerate(NAMES)]
    csv = write_csv(tmp_path / "list.csv", [*rows, ("TRAIN", "../h.jpg", "a"), ("TRAIN", "gone.jpg", "a")])
    root = f"{faults.url}/dir/"
    env = Running("", {}).env
    shards = []
    for place in (images, f"{root}?sig=secret%2f"):
        faults.targets.clear()
        out = tmp_path / f"out{len(shards)}"
        done = tfrec(
            "convert", csv, out, "--image-root", place, "--max-rejects", "2", "--num-shards", "1", env=env
        )
        assert done.code == 0, done.err
        shards.append([path.read_bytes() for path in sorted(out.glob("*.tfrecord"))])
    assert shards[0] == shards[1]
    assert all(target.endswith(".jpg?sig=secret%2f") or "%231?" in target for target in faults.targets)
    assert f"--image-root '{root}?***'" in done.out
    told = [path.name for path in out.iterdir() if b"secret" in path.read_bytes()]
    assert (told, "secret" in done.out + done.err) == ([], False)


def test_the_first_image_below_a_url_is_named_as_it_was_asked_for(tmp_path: Path, faults: Faults) -> None:
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", "a#1.jpg", "a")])
    root = f"{faults.url}/status-404/?sig=secret"
    done = convert_json(csv, tmp_path / "out", "--image-root", root, env=Running("", {}).env)
    assert (done["exit_code"], done["error"]["code"]) == (2, "no_usable_image")
    assert f"{faults.url}/status-404/a%231.jpg: file not found" in done["error"]["message"]


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
