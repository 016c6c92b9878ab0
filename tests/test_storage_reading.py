"""Reading one image file: what is read, and how each thing that is no image file is told apart."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tfrecordcli.errors import ResourceError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage import reading
from tfrecordcli.storage.reading import image_size, read_image
from tfrecordcli.storage.uris import local_path, public_uri, scheme_of

DATA = b"picture"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sub dir").mkdir()
    for name in ("a.jpg", "sub dir/b.jpg", "c%20d.jpg", "e f.jpg", "g#h?i.jpg", "käse.jpg"):
        (tmp_path / name).write_bytes(DATA)
    return tmp_path


# URIs of files that are there; {root} is an absolute folder
FOUND = [
    "a.jpg",
    "./a.jpg",
    "sub dir/../a.jpg",
    "{root}/a.jpg",
    "sub dir/b.jpg",
    "sub dir\\b.jpg",  # as Windows writes it
    ".\\sub dir\\..\\a.jpg",
    "c%20d.jpg",  # a plain path is not decoded
    "file://{root}/a.jpg",
    "FILE://{root}/a.jpg",
    "file://localhost{root}/a.jpg",
    "file://{root}/e%20f.jpg",
    "file://{root}/c%2520d.jpg",
    "file://{root}/k%C3%A4se.jpg",
    "file://{root}/g#h?i.jpg",  # as people write it who know no URL rules
    "file://{root}/g%23h%3Fi.jpg",
    "käse.jpg",
]


@pytest.mark.parametrize("uri", FOUND)
def test_found(uri: str, root: Path) -> None:
    uri = uri.replace("{root}", str(root))
    assert read_image(uri, str(root), 100) == DATA
    assert image_size(uri, str(root)) == len(DATA)


def test_a_backslash_in_a_name_is_tried_first(root: Path) -> None:
    (root / "sub dir\\b.jpg").write_bytes(b"other")
    assert read_image("sub dir\\b.jpg", str(root), 100) == b"other"
    assert image_size("sub dir\\b.jpg", str(root)) == 5


def test_backslashes_of_the_root_stay(tmp_path: Path) -> None:
    odd = tmp_path / "odd\\root"
    (odd / "x").mkdir(parents=True)
    (odd / "x/a.jpg").write_bytes(DATA)
    assert read_image("x\\a.jpg", str(odd), 100) == DATA


def test_a_long_path_of_windows(tmp_path: Path) -> None:
    """With backslashes the whole path is one name, too long for any file system."""
    folders = ["folder" * 10] * 6
    tmp_path.joinpath(*folders).mkdir(parents=True)
    tmp_path.joinpath(*folders, "a.jpg").write_bytes(DATA)
    assert read_image("\\".join([*folders, "a.jpg"]), str(tmp_path), 100) == DATA


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket must be short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _nothing(path: Path) -> None:
    pass


# how the file x is made, the URI that is read, the code
UNREADABLE: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "missing": (_nothing, "x", "not_found"),
    "missing folder": (_nothing, "gone/x", "not_found"),
    "missing with backslashes": (_nothing, "gone\\x", "not_found"),
    "a file as a folder": (Path.touch, "x/y.jpg", "not_found"),
    "a slash at the end": (Path.touch, "x/", "not_found"),
    "an upper-case name": (Path.touch, "X", "not_found"),
    "a directory": (Path.mkdir, "x", "is_directory"),
    "a directory by backslash": (Path.mkdir, "x\\..\\x", "is_directory"),
    "the root": (_nothing, ".", "is_directory"),
    "a pipe": (_fifo, "x", "not_a_file"),
    "a socket": (_socket, "x", "not_a_file"),
    "a device": (_nothing, "/dev/zero", "not_a_file"),
    "a terminal": (_nothing, "/dev/ptmx", "not_a_file"),
    "a broken link": (lambda path: path.symlink_to("gone"), "x", "not_found"),
    "a link to itself": (_loop, "x", "link_loop"),
    "a link to a directory": (lambda path: path.symlink_to("."), "x", "is_directory"),
    "a name that is too long": (_nothing, "n" * 300, "not_found"),
    "a path that is too long": (_nothing, "n/" * 5000, "not_found"),
    "NUL": (_nothing, "x\0y", "not_found"),
    "NUL in a URL": (_nothing, "file:///x%00y", "not_found"),
    "a lone surrogate": (_nothing, "x\ud800", "not_found"),
    "a URL without a path": (_nothing, "file://x", "not_found"),
    "a URL with a broken host": (_nothing, "file://[x/y.jpg", "not_found"),
    "a store": (_nothing, "ftp://bucket/x.jpg", "unsupported_scheme"),
    "the web": (_nothing, "HTTPS://[x/y.jpg", "bad_url"),
    "a drive letter": (_nothing, "C:\\x.jpg", "not_found"),
}


@pytest.mark.parametrize(("make", "uri", "code"), UNREADABLE.values(), ids=UNREADABLE)
def test_told_apart(make: Callable[[Path], object], uri: str, code: str, tmp_path: Path) -> None:
    make(tmp_path / "x")
    with pytest.raises(Rejected) as caught:
        read_image(uri, str(tmp_path), 100)
    assert caught.value.code == code
    assert str(tmp_path) not in caught.value.reason  # the same text on every machine


def test_links_are_followed(root: Path) -> None:
    (root / "link.jpg").symlink_to("a.jpg")
    (root / "linked").symlink_to("sub dir")
    assert read_image("link.jpg", str(root), 100) == DATA
    assert read_image("linked/b.jpg", str(root), 100) == DATA


def test_the_size_limit(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(bytes(1000))
    assert len(read_image("a.jpg", str(tmp_path), 1000)) == 1000
    with pytest.raises(Rejected) as caught:
        read_image("a.jpg", str(tmp_path), 999)
    assert caught.value.code == "too_many_bytes"
    assert (caught.value.details["size"], caught.value.details["limit"]) == (1000, 999)


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    assert read_image("a.jpg", str(tmp_path), 1) == b""
    assert image_size("a.jpg", str(tmp_path)) == 0


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_a_file_whose_size_says_nothing() -> None:
    """The kernel gives size 0; a file that grows while it is read looks the same."""
    assert read_image("/proc/self/status", "/", 1 << 20).startswith(b"Name:")
    with pytest.raises(Rejected) as caught:
        read_image("/proc/self/status", "/", 100)
    assert (caught.value.code, caught.value.details["limit"]) == ("too_many_bytes", 100)
    assert int(str(caught.value.details["size"])) > 100


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_short_reads_are_continued(most: int, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Network drives give less than was asked for."""
    whole = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: whole(descriptor, min(size, most)))
    assert read_image("a.jpg", str(root), len(DATA)) == DATA


@pytest.mark.parametrize("number", sorted(reading.MACHINE_ERRORS))
def test_the_row_is_not_blamed_for_the_machine(
    number: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", fail)
    for uri in ("a.jpg", "sub dir\\b.jpg"):
        with pytest.raises(ResourceError) as caught:
            read_image(uri, str(root), 100)
        assert caught.value.exit_code == 2
        assert caught.value.hint


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")
def test_no_file_stays_open(root: Path) -> None:
    before = os.listdir("/proc/self/fd")
    for uri in ("a.jpg", "gone.jpg", ".", "sub dir\\b.jpg", "/dev/zero"):
        for limit in (100, 1):
            try:
                read_image(uri, str(root), limit)
            except Rejected:
                pass
    assert os.listdir("/proc/self/fd") == before


_AS_NOBODY = """
import os, sys
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.reading import read_image
os.chdir(sys.argv[1])  # the folders above may be shut to others
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for uri in sys.argv[2:]:
    try:
        print(len(read_image(uri, '.', 100)))
    except Rejected as error:
        print(error.code)
"""


def test_no_permission(root: Path) -> None:
    """In a process of its own, because root may read everything."""
    (root / "shut").mkdir()
    (root / "shut/d.jpg").touch()
    (root / "a.jpg").chmod(0)
    (root / "shut").chmod(0)
    root.chmod(0o755)
    command = [sys.executable, "-c", _AS_NOBODY, str(root), "a.jpg", "shut/d.jpg", "e f.jpg"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (root / "shut").chmod(0o755)
    assert done.stdout.split() == ["permission_denied", "permission_denied", str(len(DATA))], done.stderr


SCHEMES = {
    "gs://b/k": "gs",
    "S3://b/k": "s3",
    "file:///x": "file",
    "http://x": "http",
    "a.jpg": "",
    "/a/b.jpg": "",
    "C:\\x.jpg": "",
    "C:/x.jpg": "",
    "C://x.jpg": "",  # a drive letter, not a scheme
    "a/b://c": "",
    "://x": "",
    "": "",
}


@pytest.mark.parametrize(("uri", "scheme"), SCHEMES.items())
def test_schemes(uri: str, scheme: str) -> None:
    assert scheme_of(uri) == scheme


def test_an_absolute_path_needs_no_root() -> None:
    assert local_path("/x/a.jpg", "/root") == "/x/a.jpg"
    assert local_path("a.jpg", "/root") == "/root/a.jpg"


PUBLIC = {
    "https://u:p@h/x.jpg?sig=1#f": "https://h/x.jpg",
    "http://h:80/x.jpg": "http://h:80/x.jpg",
    "/x/a?b#c@d.jpg": "/x/a?b#c@d.jpg",
    "a@b.jpg": "a@b.jpg",
    "gs://b/k?.jpg": "gs://b/k?.jpg",
}


@pytest.mark.parametrize(("uri", "public"), PUBLIC.items())
def test_what_a_record_says_of_its_uri(uri: str, public: str) -> None:
    assert public_uri(uri) == public
