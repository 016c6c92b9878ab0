"""Google Cloud on 127.0.0.1, as far as a Dataflow job needs it: tokens, Cloud Storage, the Dataflow service.

Beam's own client talks to it over HTTP as it would to Google. A job that is created is kept as it came, and
is done once ``execute`` has returned. Cloud Storage has one bucket and speaks both its languages: JSON, as
Beam asks for it, with uploads in one or in several requests, and XML (`stand_in_store`), as tfrec does.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import threading
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import google_crc32c
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from stand_in_store import Handler, StandIn

Job = dict[str, Any]
_TIME = "2026-01-01T00:00:00.000Z"


class FakeGoogleCloud:
    """The three services on one port.

    Attributes:
      store: the bucket.
      jobs: as they were created, in order.
      states: of jobs by their ids.
    """

    def __init__(self, execute: Callable[[Job], bool]) -> None:
        self.store = StandIn("gs", "bucket")
        self.jobs: list[Job] = []
        self.states: dict[str, str] = {}
        self._uploads: list[tuple[str, bytearray]] = []
        self._execute = execute
        handler = type("BoundHandler", (_Handler,), {"store": self.store, "cloud": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self, folder: Path) -> dict[str, str]:
        """What sends Google's libraries here, with a key that was never anybody's."""
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        account = {
            "type": "service_account",
            "project_id": "my-project",
            "private_key_id": "1",
            "private_key": pem.decode(),
            "client_email": "nobody@my-project.iam.gserviceaccount.com",
            "client_id": "1",
            "token_uri": f"{self.url}/token",
        }
        (folder / "account.json").write_text(json.dumps(account))
        return {
            "STORAGE_EMULATOR_HOST": self.url,
            "GOOGLE_APPLICATION_CREDENTIALS": str(folder / "account.json"),
            "NO_GCE_CHECK": "true",
        }

    def read(self, url: str) -> bytes:
        """An object by its gs:// URL."""
        return self.store.objects[url.removeprefix("gs://bucket/")].data

    # --- answers: (status, body, headers) ---

    def answer(self, method: str, target: str, body: bytes, headers: Any) -> tuple[int, Any, dict[str, str]]:
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/token":
            return 200, {"access_token": "x", "expires_in": 3600, "token_type": "Bearer"}, {}
        if url.path.startswith("/v1b3/"):
            return 200, self._dataflow(method, url.path, body), {}
        if match := re.fullmatch(r"/upload/storage/v1/b/([^/]+)/o", url.path):
            return self._upload(query, body, headers)
        if match := re.fullmatch(r"/storage/v1/b/([^/]+)", url.path):
            policy = {"retentionDurationSeconds": "0"}
            return (
                200,
                {"name": match[1], "id": match[1], "softDeletePolicy": policy, "projectNumber": "1"},
                {},
            )
        if match := re.fullmatch(r"/storage/v1/b/([^/]+)/o", url.path):
            found = [name for name in sorted(self.store.objects) if name.startswith(query.get("prefix", ""))]
            return 200, {"items": [self._about(name) for name in found]}, {}
        if match := re.fullmatch(r"(?:/download)?/storage/v1/b/([^/]+)/o/(.+)", url.path):
            return self._object(method, unquote(match[2]), query)
        return 404, {"error": {"code": 404, "message": target}}, {}

    def _object(self, method: str, name: str, query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        if name not in self.store.objects:
            return 404, {"error": {"code": 404, "message": "not found"}}, {}
        if method == "DELETE":
            del self.store.objects[name]
            return 204, b"", {}
        return 200, self.store.objects[name].data if query.get("alt") == "media" else self._about(name), {}

    def _about(self, name: str) -> dict[str, Any]:
        bucket, data = self.store.bucket, self.store.objects[name].data
        crc = struct.pack(">I", google_crc32c.value(data))
        return {
            "kind": "storage#object",
            "id": f"{bucket}/{name}/1",
            "bucket": bucket,
            "name": name,
            "size": str(len(data)),
            "generation": "1",
            "metageneration": "1",
            "md5Hash": base64.b64encode(hashlib.md5(data).digest()).decode(),
            "crc32c": base64.b64encode(crc).decode(),
            "timeCreated": _TIME,
            "updated": _TIME,
        }

    def _upload(self, query: dict[str, str], body: bytes, headers: Any) -> tuple[int, Any, dict[str, str]]:
        if "upload_id" in query:
            name, data = self._uploads[int(query["upload_id"])]
            data += body
            if headers.get("Content-Range", "").endswith("/*"):
                return 308, b"", {"Range": f"bytes=0-{len(data) - 1}"}
            self.store.put(name, bytes(data))
            return 200, self._about(name), {}
        if query["uploadType"] == "resumable":
            name = query.get("name") or json.loads(body)["name"]
            self._uploads.append((name, bytearray()))
            place = f"{self.url}/upload/storage/v1/b/{self.store.bucket}/o?upload_id={len(self._uploads) - 1}"
            return 200, {}, {"Location": place}
        boundary = re.search(r'boundary="?([^";]+)', headers["Content-Type"])
        assert boundary is not None
        parts = body.split(b"--" + boundary[1].encode())
        about, data = (part.partition(b"\r\n\r\n")[2] for part in parts[1:3])
        name = json.loads(about)["name"]
        self.store.put(name, data.removesuffix(b"\r\n"))
        return 200, self._about(name), {}

    def _dataflow(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        match = re.fullmatch(r"/v1b3/projects/([^/]+)/locations/([^/]+)/jobs(?:/([^/]+))?(/.*)?", path)
        assert match is not None, path
        project, region, job_id, below = match.groups()
        if method == "POST" and job_id is None:
            asked = json.loads(body)
            if other := self._at_work(asked["name"]):
                return self._state(other)  # as the service does: Beam sees that it is not its own
            job = {
                **asked,
                "id": f"job-{len(self.jobs) + 1}",
                "projectId": project,
                "location": region,
            }
            self.jobs.append(job)
            self.states[job["id"]] = "JOB_STATE_RUNNING"
            threading.Thread(target=self._run, args=(job,), daemon=True).start()
            return self._state(job)
        if below:
            return {"jobMessages": [], "metrics": []}
        return self._state(next(job for job in self.jobs if job["id"] == job_id))

    def _at_work(self, name: str) -> Job | None:
        running = (job for job in self.jobs if self.states[job["id"]] == "JOB_STATE_RUNNING")
        return next((job for job in running if job["name"] == name), None)

    def _state(self, job: Job) -> dict[str, Any]:
        shown = {key: job[key] for key in ("id", "projectId", "location", "name", "type") if key in job}
        extra = {"clientRequestId": job["clientRequestId"]} if "clientRequestId" in job else {}
        return {**shown, **extra, "currentState": self.states[job["id"]], "createTime": _TIME}

    def _run(self, job: Job) -> None:
        self.states[job["id"]] = "JOB_STATE_DONE" if self._execute(job) else "JOB_STATE_FAILED"


_JSON = re.compile("/(token|v1b3|upload|download|storage)(/|$)")


class _Handler(Handler):
    cloud: FakeGoogleCloud

    def do_GET(self) -> None:
        if not _JSON.match(urlsplit(self.path).path):
            super().do_GET()
            return
        status, answer, headers = self.cloud.answer(self.command, self.path, self._body(), self.headers)
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        kind = "application/octet-stream" if isinstance(answer, bytes) else "application/json"
        self._answer(status, data, **{"Content-Type": kind, **headers})

    do_HEAD = do_PUT = do_DELETE = do_POST = do_PATCH = do_GET

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)
