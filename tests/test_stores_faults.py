"""Servers that fail, break off, hang or trickle: what is tried again, what is told, and that it ends."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from converting import TFREC, convert_json, image_list, shell, start, tfrec
from stand_in_faults import BODY, HASTY, Faults, settings
from stand_in_simplejpeg import wait_for
from storing import Running

from tfrecordcli import load
from tfrecordcli.errors import OutageError, StoreError, UsageError
from tfrecordcli.feed.store_cache import StoreCache, raise_error_of_store
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage import remote
from tfrecordcli.storage.remote import RemoteReader
from tfrecordcli.storage.store import Store
from tfrecordcli.storage.stores import forget_stores
from tfrecordcli.storage.web import read_web

Read = Callable[[str], bytes]


@pytest.fixture(params=["store", "web"])
def read(request: pytest.FixtureRequest, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads an object by its name, from a store or by http."""
    faults.asked.clear()
    if request.param == "web":
        return lambda name: read_web(f"{faults.url}/{name}", timeouts=HASTY)
    store = Store("s3", "bkt", HASTY, settings(faults))
    return store.read


GOOD = ["good", "busy", "slow-down", "reset-once", "cut-once", "cut-once-no-ranges", "hang-once"]


@pytest.mark.parametrize("what", GOOD)
def test_what_passes_is_tried_again(what: str, read: Read, faults: Faults) -> None:
    assert read(f"{what}/a.jpg") == BODY
    least = {"good": 1, "busy": 3, "slow-down": 3}.get(what, 2)
    # A store's library asks for the rest first, and only then we ask for all.
    assert least <= faults.asked[what] <= least + ("no-ranges" in what)


@pytest.mark.parametrize("what", ["status-500", "status-503", "status-507", "status-429", "reset", "cut",
                                  "cut-no-ranges", "hang", "trickle"])  # fmt: skip
def test_what_does_not_pass_is_an_outage_and_ends(what: str, read: Read, faults: Faults) -> None:
    with pytest.raises(OutageError) as caught:
        read(f"{what}/a.jpg")
    assert caught.value.exit_code == 3
    assert f"{what}/a.jpg" in caught.value.message
    assert 1 <= faults.asked[what] <= 12


@pytest.mark.parametrize(
    ("what", "kind"), [("status-404", FileNotFoundError), ("status-403", PermissionError)]
)
def test_what_is_of_one_object_is_asked_once(
    what: str, kind: type[Exception], read: Read, faults: Faults
) -> None:
    with pytest.raises(kind):
        read(f"{what}/a.jpg")
    assert faults.asked[what] == 1


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


def test_an_object_replaced_between_two_ranges_is_never_mixed(faults: Faults) -> None:
    faults.asked.clear()
    store = Store("s3", "bkt", HASTY, settings(faults))
    assert store.read_range("swapped", 0, 100) == BODY[:100]
    assert store.read("swapped") == BODY[::-1]


# --- many at a time ---


@pytest.mark.parametrize("good", ["good", "chunked"])
def test_images_ahead_stay_within_their_bytes_and_in_order(
    good: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room for two bodies: others wait, whether the server tells sizes or not, and nobody for ever."""
    monkeypatch.setattr(remote, "_BYTES", 2 * len(BODY))
    reader = RemoteReader()
    try:
        images = [reader.open(f"{faults.url}/{what}", 1 << 20) for what in [good, "status-404"] * 10]
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


def test_an_outage_stops_the_run_and_the_same_command_continues(tmp_path: Path, faults: Faults) -> None:
    """Rows are not rejected because a server is down."""
    csv = image_list(tmp_path / "in", 6)
    with csv.open("a") as file:
        file.write(f"TRAIN,{faults.url}/status-500/a.jpg,a\n")
    store = Running("s3://bkt", settings(faults))
    done = convert_json(csv, tmp_path / "out", "--num-shards", "1", env=store.env)
    assert (done["exit_code"], done["error"]["code"]) == (3, "outage")
    assert "/status-500/a.jpg" in done["error"]["message"]
    assert not list((tmp_path / "out").glob("*.tfrecord"))


def test_images_of_a_store_that_are_here_too_are_pointed_out(tmp_path: Path, faults: Faults) -> None:
    image_list(tmp_path, 2)
    prefix = f"{faults.url}/status-500/"
    csv = tmp_path / "in-cloud.csv"
    csv.write_text("".join(f"TRAIN,{prefix}{path.name},a\n" for path in tmp_path.glob("*.jpg")))
    env = Running("", {}).env
    done = convert_json(csv, tmp_path / "out", env=env)
    assert (done["exit_code"], done["error"]["code"]) == (3, "outage")
    assert f"is there with --map {prefix}=./; or " in done["error"]["hint"]
    assert convert_json(csv, tmp_path / "out", "--map", f"{prefix}=./", env=env)["records"] == 2


@pytest.mark.parametrize("mapped", [True, False])
def test_images_of_a_server_whose_names_it_encodes_get_those_of_files_here(
    mapped: bool, tmp_path: Path, faults: Faults
) -> None:
    folder = image_list(tmp_path / "Answers", 3).parent
    names = [path.rename(folder / f"é {path.name}").name for path in sorted(folder.glob("*.jpg"))]
    prefix = f"{faults.url}/status-500/"
    rows = "".join(f"{prefix}Answers/{quote(name)},a\n" for name in names)
    (tmp_path / "a b.csv").write_text(f"photo,kind\n{rows}", encoding="utf-8")
    options = ["--columns", "image_uri=photo,label=kind", *["--map", f"{prefix}=./"] * mapped]
    env = Running("", {}).env
    done = tfrec("convert", "a b.csv", "out", *options, "--json", cwd=tmp_path, env=env)
    told = done.json["error"]["hint"]
    assert ("note: what the list has on a server is here, too: " in done.err) != mapped
    command, _, _ = told.partition("as the files have them: ")[2].partition(", and convert that")
    assert shell(command, tmp_path).code == 0
    made = convert_json("a b-paths.csv", "out", *options, cwd=tmp_path)
    assert (made["records"], made["rejected"]) == (3, 0), made


def test_signatures_are_told_to_nobody(tmp_path: Path, faults: Faults) -> None:
    """403 and 404 are rejects; rejects.csv quotes the row as it was, to be converted again."""
    csv = image_list(tmp_path / "in", 2)
    with csv.open("a") as file:
        for what in ("status-403", "status-404"):
            file.write(f"TRAIN,{faults.url}/{what}/a.jpg?sig=secret,a\n")
        file.write("TRAIN,http://[x/a.jpg?sig=secret,a\n")
    options = ("--max-rejects", "3", "--json")
    done = tfrec("convert", csv, tmp_path / "out", *options, env=Running("", {}).env)
    assert (done.code, done.json["records"]) == (0, 2)
    assert done.json["reasons"] == {"bad_url": 1, "not_found": 1, "permission_denied": 1}
    assert "secret" not in done.out + done.err
    assert f"{faults.url}/status-403/a.jpg" in done.out
    told = {path.name for path in (tmp_path / "out").iterdir() if b"secret" in path.read_bytes()}
    assert told == {"rejects.csv"}


def test_credentials_are_told_to_nobody(tmp_path: Path, faults: Faults) -> None:
    """Nor are those of the image root, which the command for mended rows leaves to be filled in."""
    secret = faults.url.replace("://", "://user:secret@")
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
        assert faults.url.replace("://", "://***@") in done.out
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
    status: int, said: str, cure: str, tmp_path: Path, faults: Faults
) -> None:
    """The whole of a label file, and a dataset that is looked at."""
    env = Running("s3://bkt", settings(faults)).env
    where = f"s3://bkt/status-{status}/labels.txt"
    done = tfrec("convert", image_list(tmp_path / "in", 2), tmp_path / "out", "--labels", where, env=env)
    assert (done.code, f"{where}: {said}" in done.err, cure in done.err) == (2, True, True), done.err
    for command in ("verify", "inspect"):
        seen = tfrec(command, f"s3://bkt/status-{status}/out", env=env)
        assert (seen.code, said in seen.err, cure in seen.err) == (2, True, True), seen.err


@pytest.mark.thorough
def test_a_signal_ends_a_command_that_waits_for_a_store(faults: Faults) -> None:
    """No signal wakes the library, which would wait and repeat for minutes."""
    faults.asked.clear()
    env = Running("s3://bkt", settings(faults)).env
    process = start([*TFREC, "verify", "s3://bkt/hang", "--no-feed"], env=env)
    wait_for(lambda: bool(faults.asked["hang"]))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    lines = [line for line in err.decode().splitlines() if not line.endswith("Z still working")]
    assert len(lines) == 2


def test_a_store_that_fails_in_the_middle_of_a_feed_is_no_damage(
    faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local copies for TensorFlow: what the store said is kept, and a later success forgets it."""
    for name, value in settings(faults).items():
        monkeypatch.setenv(name, value)
    forget_stores()
    cache = StoreCache(1 << 30)
    monkeypatch.setattr("tfrecordcli.feed.store_cache._only_cache", lambda: cache)
    with pytest.raises(OSError, match="credentials"):
        cache.fetch("s3://bkt/status-401/a.tfrecord")
    with pytest.raises(StoreError):
        raise_error_of_store()
    assert Path(cache.fetch("s3://bkt/good/a.tfrecord")).read_bytes() == BODY
    raise_error_of_store()
    assert cache.fetch("/local/a.tfrecord") == "/local/a.tfrecord"
    forget_stores()
