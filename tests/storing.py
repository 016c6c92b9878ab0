"""What the tests on stores share: a clean environment, and one running store for each kind."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from converting import environment
from stand_in_store import KEY_ID, SECRET, serve

from tfrecordcli.storage.store import Store

# No library may ask a cloud's metadata service, and nothing of the developer's own accounts counts.
QUIET = {
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_GCE_CHECK": "true",
    "HOME": "/nonexistent",
    "NO_PROXY": "*",
}
_CLOUDS = ("AWS_", "OSS_", "ALIBABA_", "GOOGLE_", "AZURE_", "STORAGE_EMULATOR")


@dataclass
class Running:
    """A running store.

    Attributes:
      url: of its bucket, without a slash at the end.
      settings: environment variables that lead to it.
    """

    url: str
    settings: Mapping[str, str]

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of a process that uses it."""
        kept = {name: value for name, value in environment().items() if not name.startswith(_CLOUDS)}
        return kept | QUIET | dict(self.settings)

    @property
    def store(self) -> Store:
        scheme, _, bucket = self.url.partition("://")
        return Store(scheme, bucket, environment=self.env)

    def fill(self, folder: Path, prefix: str) -> None:
        """Puts every file below a local folder on the store."""
        store = self.store
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                store.put(f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def names(self, prefix: str) -> list[str]:
        """The keys of all objects below a folder, relative to that; some may be gone already."""
        return [found.key.removeprefix(prefix + "/") for found in self.store.below(prefix)]

    def contents(self, prefix: str) -> dict[str, bytes]:
        """Every object below a folder, by its key relative to that."""
        store = self.store
        return {found.key.removeprefix(prefix + "/"): store.read(found.key) for found in store.below(prefix)}


@contextmanager
def running(kind: str) -> Iterator[Running]:
    """A store of a kind: s3 is moto, oss and gs are our own stand-ins."""
    if kind == "s3":
        with _moto() as store:
            yield store
        return
    with serve(kind) as store:
        yield Running(f"{kind}://{store.bucket}", store.environment())


@contextmanager
def _moto() -> Iterator[Running]:
    import logging
    import urllib.request

    before = dict(os.environ)
    os.environ.update(AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET)
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        urllib.request.urlopen(urllib.request.Request(f"{url}/bkt", method="PUT")).close()
        settings = {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }
        yield Running("s3://bkt", settings)
    finally:
        server.stop()
        os.environ.clear()
        os.environ.update(before)
