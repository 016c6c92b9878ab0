"""A server of a test on a free port of this machine, for the time of a block."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from socketserver import BaseRequestHandler
from typing import Any


@contextmanager
def serving(handler: type[BaseRequestHandler]) -> Iterator[int]:
    """The port of a server that is gone afterwards; what it still answers ends with the tests."""
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # of a client that was killed, or had enough
            super().handle_error(request, client_address)
