"""Connections that ask for a path and query exactly as they are written.

urllib3 makes them tidy on its own (`%2f` becomes `%2F`, `[` becomes `%5B`, `//a` becomes `/a`), and what a
signature covers is another URL then. It is imported here, so this module is, only when a URL is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection

from tfrecordcli.storage.uris import parse_web_url
from tfrecordcli.storage.web_response import WatchedResponse

_POOLS: Final = 64
_TARGET: Final = "tfrec-target"  # a header between us and our connection, which does not send it
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))


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
