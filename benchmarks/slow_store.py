"""A store on 127.0.0.1 that gives a folder's files as objects of `bkt`, each answer after a while.

    python benchmarks/slow_store.py FOLDER --latency 30     # prints its port

It speaks as much of S3 as reading needs: GET and HEAD, without looking at signatures. Files are read into
memory first, so that the disk has no part in what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from urllib.parse import unquote

_STAMP = 'ETag: "1"\r\nLast-Modified: Sat, 21 Nov 2026 00:00:00 GMT\r\n'


class SlowStore:
    """The objects, and how long each answer takes, in seconds."""

    def __init__(self, folder: Path, latency: float) -> None:
        files = (path for path in folder.rglob("*") if path.is_file())
        self._objects = {f"/bkt/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}
        self._latency = latency

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one connection until it ends."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                method, path, _ = head.decode("latin-1").split(" ", 2)
                await asyncio.sleep(self._latency)
                self._answer(writer, method, unquote(path))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, writer: asyncio.StreamWriter, method: str, path: str) -> None:
        body = self._objects.get(path)
        if body is None:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{_STAMP}\r\n".encode()
        writer.writelines([head] if method == "HEAD" else [head, body])


async def main() -> None:
    """Serves until it is killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--latency", type=float, default=30.0, metavar="MS")
    options = parser.parse_args()
    store = SlowStore(options.folder, options.latency / 1000)
    server = await asyncio.start_server(store.serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
