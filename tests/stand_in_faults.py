"""A server on 127.0.0.1 that misbehaves, in the way that the first part of a path names.

It speaks just enough of S3 (path style, no signatures) and of http for objects to be read.
"""

from __future__ import annotations

import gzip
import re
import socket
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote

from serving import serving
from storing import QUIET

from tfrecordcli.storage.network import Timeouts

# Of a client that gives up soon.
HASTY = Timeouts(connect=1, read=0.4, request=1.0, total=2.0, retries=2, first_pause=0.01)

BODY = bytes(range(256)) * 400
BOMB = bytes(30 << 20)
_CUT = 5_000
# status, body and headers of answers that never change; {url} is the server's
_FIXED: dict[str, tuple[int, bytes, dict[str, str]]] = {
    "zipped": (200, gzip.compress(BODY[:1000]) + gzip.compress(BODY[1000:]), {"Content_Encoding": "gzip"}),
    "deflated": (200, zlib.compress(BODY), {"Content_Encoding": "Deflate, identity"}),
    "called-plain": (200, BODY, {"Content_Encoding": "utf-8"}),
    "bomb": (200, gzip.compress(BOMB), {"Content_Encoding": "gzip"}),
    "called-zipped": (200, BODY, {"Content_Encoding": "gzip"}),
    "zipped-short": (200, gzip.compress(BODY)[:-9], {"Content_Encoding": "gzip"}),
    "called-br": (200, BODY, {"Content_Encoding": "br"}),
    "zipped-twice": (200, gzip.compress(gzip.compress(BODY)), {"Content_Encoding": "gzip, gzip"}),
    "moved": (302, b"", {"Location": "{url}/good?signed=a%2Fb"}),
    "moved-away": (302, b"", {"Location": "http://example.com/good?sig=secret"}),
    "moved-ftp": (302, b"", {"Location": "ftp://example.com/good?sig=secret"}),
    "moved-app": (302, b"", {"Location": "intent://scan/#Intent;sig=secret;end"}),
    "moved-mail": (302, b"", {"Location": "mailto:someone@example.com"}),
    "moved-wrong": (302, b"", {"Location": "\x01https://[x"}),
    "moved-nowhere": (302, b"", {}),
    "moved-up": (302, b"", {"Location": "/moved-down/%2e%2e/a.jpg"}),
    "moved-odd": (307, b"x" * 70_000, {"Location": "//{host}/odd//a%2fb.jpg?sig=a%2fb[x]|y^z&a=%zz#end"}),
    "moved-aside": (301, b"moved", {"Location": "../good/k\xc3\xa4se.jpg"}),
    "moved-query": (301, b"moved", {"Location": "?now"}),
    "circle": (302, b"", {"Location": "{url}/circle"}),
    "login-moved": (302, b"", {"Location": "/login/a.jpg"}),
}
_HEAD = b'HTTP/1.1 200 OK\r\nETag: "1"\r\nLast-Modified: Sat, 21 Nov 2026 00:00:00 GMT\r\n'
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
# Answers that are none, or that contradict themselves, byte for byte; the connection ends after them.
MALFORMED = {
    "garbage": b"\x00\xff\x1b[31mnot http at all\r\n\r\n" * 20,
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "wrong-version": b"HTTP/7.3 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "wrong-status": b"HTTP/1.1 abc OK\r\nContent-Length: 1\r\n\r\nx",
    "many-headers": _HEAD
    + b"".join(b"X-%d: x\r\n" % number for number in range(300))
    + b"Content-Length: 1\r\n\r\nx",
    "long-header": _HEAD + b"X: " + b"x" * 1_000_000 + b"\r\nContent-Length: 1\r\n\r\nx",
    "bad-chunk": _CHUNKED + b"xyz\r\nhello\r\n0\r\n\r\n",
    "negative-chunk": _CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n",
    "endless-chunk": _CHUNKED + b"f" * 18 + b"\r\nhello\r\n0\r\n\r\n",
    "negative-length": _HEAD + b"Content-Length: -5\r\n\r\nhello",
    "no-number": _HEAD + b"Content-Length: many\r\n\r\nhello",
    "two-lengths": _HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
}


# Answers that have no end: what comes once, what comes again and again (nothing: the connection ends),
# and seconds in between.
ENDLESS = {
    "many-interim": (b"HTTP/1.1 100 Continue\r\n\r\n" * 200, b"", 0.0),
    "endless-interim": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, 0.0),
    "endless-trailer": (_CHUNKED + b"5\r\nhello\r\n0\r\n", b"X: x\r\n" * 1000, 0.0),
    "slow-interim": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.02),
    "slow-header": (_HEAD + b"X: ", b"x", 0.02),
    "slow-chunk": (_CHUNKED, b"0", 0.02),
    "slow-trailer": (_CHUNKED + b"5\r\nhello\r\n0\r\n", b"X: x\r\n", 0.02),
}


class Faults:
    """The server's port, how often each path was asked for, and what was asked for, in order and as sent.

    ``files`` are served under their names.
    """

    def __init__(self) -> None:
        self.port = 0
        self.asked: Counter[str] = Counter()
        self.targets: list[str] = []
        self.files: dict[str, bytes] = {}
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def settings(faults: Faults) -> dict[str, str]:
    """Environment variables that lead S3 to it."""
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    return {**QUIET, **keys, "AWS_ENDPOINT_URL": faults.url, "AWS_REGION": "us-east-1"}


@contextmanager
def serve_faults() -> Iterator[Faults]:
    faults = Faults()
    with serving(type("Handler", (_Handler,), {"faults": faults})) as faults.port:
        try:
            yield faults
        finally:
            faults.ended.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    faults: Faults

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.faults.targets.append(self.requestline.split(" ")[1])  # Python makes self.path tidy
        path, _, query = self.path.partition("?")
        listed = parse_qs(query).get("prefix", [""])[0]
        key = path.removeprefix("/bkt").lstrip("/") or listed
        what = key.partition("/")[0]
        self.faults.asked[what] += 1
        first = self.faults.asked[what] == 1
        few = self.faults.asked[what] <= 2
        if what.removesuffix("-once") in MALFORMED and (first or not what.endswith("-once")):
            self.wfile.write(MALFORMED[what.removesuffix("-once")])
            self.close_connection = True
        elif what in ENDLESS:
            self._go_on_for_ever(*ENDLESS[what])
        elif what.startswith("request-timeout") and (first or not what.endswith("-once")):
            self._fail(400, "RequestTimeout")
        elif what in _FIXED and query != "now":
            status, body, headers = _FIXED[what]
            places = {"{url}": self.faults.url, "{host}": f"127.0.0.1:{self.faults.port}"}
            for name, value in places.items():
                headers = {key: text.replace(name, value) for key, text in headers.items()}
            self._answer(status, body, **headers)
        elif unquote(key) in self.faults.files:
            self._answer(200, self.faults.files[unquote(key)])
        elif what.startswith("status-"):
            self._fail(int(what[7:]))
        elif what in ("busy", "slow-down") and few:
            self._fail(429 if what == "busy" else 503)
        elif what == "refused-login":
            self._fail(403, "InvalidAccessKeyId")
        elif what == "reset" or (what == "reset-once" and first):
            self._break_off(abruptly=True)
        elif what in ("cut", "cut-no-ranges") or (what in ("cut-once", "cut-once-no-ranges") and first):
            self._break_off(abruptly=False)
        elif what == "hang" or (what == "hang-once" and first):
            self.faults.ended.wait(60)
            self.close_connection = True
        elif what == "trickle":
            self._trickle()
        elif what in ("slow", "slow-cut-once"):
            self._slow(is_cut=what == "slow-cut-once" and first)
        elif what == "chunked":
            self._chunked()
        elif what == "login" and self.headers.get("Authorization") != "Basic dXNlcjpwQHNz":  # user:p@ss
            self._fail(401)
        elif what == "login-moved-away":
            self._answer(302, b"", Location=f"http://localhost:{self.faults.port}/no-login")
        elif what == "no-login" and self.headers.get("Authorization"):
            self._fail(401)
        elif what == "signed" and "?sig=a%2Fb%3D&x=1" not in self.path:
            self._fail(403)
        else:
            self._good(ranges="no-ranges" not in what, swapped=what == "swapped" and not first)

    do_HEAD = do_GET

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        headers.setdefault("Content_Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _fail(self, status: int, code: str = "Trouble") -> None:
        # As Amazon writes it: the code stands on the second line.
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<Error><Code>{code}</Code></Error>"]
        self._answer(status, "\n".join(lines).encode())

    def _good(self, *, ranges: bool, swapped: bool = False) -> None:
        body = BODY[::-1] if swapped else BODY
        headers = {"ETag": '"2"' if swapped else '"1"', "Last_Modified": "Sat, 21 Nov 2026 00:00:00 GMT"}
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if ranges else None
        if match is None:
            self._answer(200, body, **headers)
            return
        start, end = int(match[1]), min(int(match[2] or len(body) - 1), len(body) - 1)
        headers["Content_Range"] = f"bytes {start}-{end}/{len(body)}"
        self._answer(206, body[start : end + 1], **headers)

    def _break_off(self, *, abruptly: bool) -> None:
        size = {"Content_Length": str(len(BODY))}
        stamp = {"ETag": '"1"', "Last_Modified": "Sat, 21 Nov 2026 00:00:00 GMT"}
        self._answer(200, BODY[:_CUT], **size, **stamp)
        self.wfile.flush()
        if abruptly:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True

    def _go_on_for_ever(self, once: bytes, again: bytes, pause: float) -> None:
        self.close_connection = True
        self.wfile.write(once)
        while again and not self.faults.ended.wait(pause):
            self.wfile.write(again)
            self.wfile.flush()

    def _trickle(self) -> None:
        self._answer(
            200, b"", Content_Length=str(len(BODY)), ETag='"1"', Last_Modified="Sat, 21 Nov 2026 00:00:00 GMT"
        )
        try:
            while not self.faults.ended.wait(0.2):
                self.wfile.write(b"x")
                self.wfile.flush()
        except OSError:
            pass
        self.close_connection = True

    def _slow(self, *, is_cut: bool) -> None:
        """Never silent for long, but longer at work than an image may take."""
        self._answer(200, b"", Content_Length=str(len(BODY)))
        step = len(BODY) // 12 + 1
        for start in range(0, len(BODY) // 2 if is_cut else len(BODY), step):
            self.wfile.write(BODY[start : start + step])
            self.wfile.flush()
            self.faults.ended.wait(0.2)
        self.close_connection = True

    def _chunked(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for start in range(0, len(BODY), 50_000):
            piece = BODY[start : start + 50_000]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
