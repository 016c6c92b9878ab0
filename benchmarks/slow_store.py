"""A store on 127.0.0.1 that gives a folder's files as objects of `bkt`, each answer after a while.

    python benchmarks/slow_store.py FOLDER --latency 30     # prints its port

It speaks as much of S3 as reading needs: GET and HEAD, without looking at signatures. Files are read into
memory first, so that the disk has no part in what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
from pathlib import Path
from urllib.parse import unquote

_STAMP = b'ETag: "1"\r\nLast-Modified: Sat, 21 Nov 2026 00:00:00 GMT\r\n'
_MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
_END = b"\r\n\r\n"
_BUFFER = 1 << 18  # a whole answer, so that the kernel takes it in one call


class SlowStore:
    """The objects, and how long each answer takes, in seconds."""

    def __init__(self, folder: Path, latency: float) -> None:
        files = (path for path in folder.rglob("*") if path.is_file())
        self._objects = {f"/bkt/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}
        self.latency = latency

    def answer(self, method: bytes, path: str) -> list[bytes]:
        """The pieces of an answer."""
        body = self._objects.get(path)
        if body is None:
            return [_MISSING]
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%b\r\n" % (len(body), _STAMP)
        return [head] if method == b"HEAD" else [head, body]


class Connection(asyncio.Protocol):
    """Answers one connection until it ends.

    A protocol, not streams, which take three times as much of the cores that the client is measured on.
    """

    def __init__(self, store: SlowStore) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._received.endswith(_END):  # clients send no second request before the answer
            method, path, _ = self._received.split(b" ", 2)
            self._received = b""
            self._loop.call_later(self._store.latency, self._answer, method, unquote(path.decode("ascii")))

    def _answer(self, method: bytes, path: str) -> None:
        if not self._transport.is_closing():  # by a client that did not wait
            self._transport.writelines(self._store.answer(method, path))


async def main() -> None:
    """Serves until it is killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--latency", type=float, default=30.0, metavar="MS")
    options = parser.parse_args()
    store = SlowStore(options.folder, options.latency / 1000)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(store), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
