"""A server whose answers are no HTTP, or nearly: the same at every attempt."""

from __future__ import annotations

import random
import socketserver
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from serving import serving

_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
_BODY = bytes(range(256)) * 4


def _spoilt(random_: random.Random) -> bytes:
    """A good answer but for a few bytes of its head; one that only claims a longer body is an outage."""
    data = bytearray(_OK + b"Content-Length: %d\r\nContent-Type: image/jpeg\r\n\r\n" % len(_BODY) + _BODY)
    start = data.index(b"%d" % len(_BODY))
    length = range(start, data.index(b"\r", start))
    for _ in range(random_.randint(1, 4)):
        at = random_.randrange(60)
        data[at] = random_.choice(b"\0\r\n: \xff-" if at in length else b"\0\r\n: \xff-9")
    return bytes(data)


# name -> whole answer; afterwards the connection is closed.
ANSWERS: Mapping[str, Callable[[random.Random], bytes]] = {
    "garbage": lambda random_: random_.randbytes(random_.randint(1, 3_000)),
    "text": lambda random_: b"<html>no\r\n\r\n" * random_.randint(1, 9),
    "another protocol": lambda random_: b"SSH-2.0-OpenSSH_9.7\r\n",
    "many headers": lambda random_: _OK + b"".join(b"X-%d: 1\r\n" % n for n in range(200)) + b"\r\n" + _BODY,
    "a long header": lambda random_: _OK + b"X: " + b"x" * 100_000 + b"\r\n\r\n" + _BODY,
    "no chunk size": lambda random_: _CHUNKED + b"zz\r\n" + _BODY,
    "a negative chunk": lambda random_: _CHUNKED + b"-5\r\n" + _BODY,
    "a chunk without end": lambda random_: _CHUNKED + b"5\r\nabcdefgh\r\n0\r\n\r\n",
    "a negative length": lambda random_: _OK + b"Content-Length: -5\r\n\r\n" + _BODY,
    "a length in words": lambda random_: _OK + b"Content-Length: many\r\n\r\n" + _BODY,
    "two lengths": lambda random_: _OK + b"Content-Length: 5\r\nContent-Length: 9\r\n\r\n" + _BODY,
    "a status of letters": lambda random_: b"HTTP/1.1 abc OK\r\n\r\n",
    "a spoilt answer": _spoilt,
}


@contextmanager
def serve_malformed(seed: str) -> Iterator[str]:
    """The URL of the server; the first part of a path names the answer."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            words = self.rfile.readline(10_000).split()
            while self.rfile.readline(10_000).strip():
                pass
            if len(words) > 1:
                name = words[1].decode(errors="replace").strip("/").removeprefix("bkt/").partition("/")[0]
                name = name.replace("%20", " ")
                self.wfile.write(ANSWERS.get(name, ANSWERS["garbage"])(random.Random(f"{seed} {name}")))

    with serving(Handler) as port:
        yield f"http://127.0.0.1:{port}"
