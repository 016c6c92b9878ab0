"""Connections that ask for a path and query exactly as they are written.

urllib3 makes them tidy on its own (`%2f` becomes `%2F`, `[` becomes `%5B`, `//a` becomes `/a`), and what a
signature covers is another URL then. It is imported here, so this module is, only when a URL is asked for.

Answers are read within bounds that http.client does not have: it passes over any number of `100 Continue`
before an answer, and of lines behind the last chunk, and its time without a byte starts again with each one.
"""

from __future__ import annotations

import io
import time
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.parse import quote

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection

from tfrecordcli.storage.uris import parse_web_url

_POOLS: Final = 64
_TARGET: Final = "tfrec-target"  # a header between us and our connection, which does not send it
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))

_MOST_INTERIM: Final = 10  # answers with status 100 before the one that counts
_MOST_BYTES: Final = 8 << 20  # in one step: a head is of 100 lines of 64 KiB at most
_MOST_TIMEOUTS: Final = 4  # as long as so many timeouts may one step take


class WatchedResponse(HTTPResponse):
    """One answer. Each step, its head or a piece of its body, is held to a time and a number of bytes."""

    def __init__(self, sock: Any, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self._watch = _Watch(self.fp.detach(), sock.gettimeout())
        self.fp = io.BufferedReader(self._watch)
        self._heads = 0

    def begin(self) -> None:
        self._watch.begin_step()
        super().begin()

    def _read_status(self) -> tuple[str, int, str]:
        if self._heads > _MOST_INTERIM:
            raise HTTPException("interim answers without end")
        self._heads += 1
        return super()._read_status()  # type: ignore[misc, no-any-return]  # private to http.client

    def read(self, amt: int | None = None) -> bytes:
        self._watch.begin_step()
        return super().read(amt)

    def read1(self, n: int = -1) -> bytes:
        self._watch.begin_step()
        return super().read1(n)


class _Watch(io.RawIOBase):
    """The bytes of a connection.

    Args:
      timeout: seconds for which the connection waits for a byte; None for any.
    """

    def __init__(self, raw: io.RawIOBase, timeout: float | None) -> None:
        self._raw = raw
        self._limit = _MOST_TIMEOUTS * timeout if timeout else float("inf")
        self.begin_step()

    def begin_step(self) -> None:
        self._come = 0
        self._deadline = time.monotonic() + self._limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        """As of any raw stream.

        Raises:
          TimeoutError: the step takes too long.
          HTTPException: it takes too many bytes.
        """
        if time.monotonic() > self._deadline:
            raise TimeoutError("too slow")
        if self._come > _MOST_BYTES:
            raise HTTPException("no end of what is no body")
        size = self._raw.readinto(buffer)
        self._come += size or 0
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


class _AsWritten(HTTPConnection):
    response_class = WatchedResponse

    def request(  # type: ignore[override]  # as urllib3's own
        self,
        method: str,
        url: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        sent = dict(headers or {})
        super().request(method, sent.pop(_TARGET, url), body, sent, **more)


class _EncryptedAsWritten(_AsWritten, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _AsWritten


class _EncryptedPool(HTTPSConnectionPool):
    ConnectionCls = _EncryptedAsWritten


class WebPool:
    """Connections to servers, kept to be used again."""

    def __init__(self, connections: int) -> None:
        self._pools = PoolManager(maxsize=connections, num_pools=_POOLS)
        self._pools.pool_classes_by_scheme = {"http": _Pool, "https": _EncryptedPool}

    def ask(self, method: str, url: str, headers: Mapping[str, str], timeout: Timeout) -> Any:
        """The answer to one request, whose body is yet to be read; redirects are not followed.

        Raises: what urllib3 raises.
        """
        server = self._pools.connection_from_url(parse_web_url(url).server)
        return server.urlopen(
            method,
            "/",
            headers={**headers, _TARGET: target_of(url)},
            preload_content=False,
            decode_content=False,
            redirect=False,
            retries=False,
            timeout=timeout,
        )


def target_of(url: str) -> str:
    """What a request asks a server for: path and query as written.

    Only blanks, control and non-ASCII characters, which no request can hold, are percent-encoded.
    """
    parts = parse_web_url(url)
    return quote(f"{parts.path or '/'}{parts.query}", safe=_PRINTABLE, errors="surrogatepass")
