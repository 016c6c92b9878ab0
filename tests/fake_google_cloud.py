"""Google Cloud on 127.0.0.1, as far as a Dataflow job needs it: tokens, Cloud Storage, the Dataflow service.

Beam's own client talks to it over HTTP as it would to Google. A job that is created is kept as it came, and
is done once ``execute`` has returned; Cloud Storage takes uploads in one or in several requests.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import google_crc32c
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

Job = dict[str, Any]
_TIME = "2026-01-01T00:00:00.000Z"


class FakeGoogleCloud:
    """The three services on one port.

    Attributes:
      objects: (bucket, name) -> bytes.
      jobs: as they were created, in order.
    """

    def __init__(self, execute: Callable[[Job], bool]) -> None:
        self.objects: dict[tuple[str, str], bytes] = {}
        self.jobs: list[Job] = []
        self._states: dict[str, str] = {}
        self._uploads: list[tuple[tuple[str, str], bytearray]] = []
        self._execute = execute
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
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
        bucket, _, name = url.removeprefix("gs://").partition("/")
        return self.objects[bucket, name]

    # --- answers: (status, body, headers) ---

    def answer(self, method: str, target: str, body: bytes, headers: Any) -> tuple[int, Any, dict[str, str]]:
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/token":
            return 200, {"access_token": "x", "expires_in": 3600, "token_type": "Bearer"}, {}
        if url.path.startswith("/v1b3/"):
            return 200, self._dataflow(method, url.path, body), {}
        if match := re.fullmatch(r"/upload/storage/v1/b/([^/]+)/o", url.path):
            return self._upload(match[1], query, body, headers)
        if match := re.fullmatch(r"/storage/v1/b/([^/]+)", url.path):
            policy = {"retentionDurationSeconds": "0"}
            return (
                200,
                {"name": match[1], "id": match[1], "softDeletePolicy": policy, "projectNumber": "1"},
                {},
            )
        if match := re.fullmatch(r"/storage/v1/b/([^/]+)/o", url.path):
            found = [self._about(b, n) for b, n in sorted(self.objects) if b == match[1]]
            return 200, {"items": [o for o in found if o["name"].startswith(query.get("prefix", ""))]}, {}
        if match := re.fullmatch(r"(?:/download)?/storage/v1/b/([^/]+)/o/(.+)", url.path):
            return self._object(method, (match[1], unquote(match[2])), query)
        return 404, {"error": {"code": 404, "message": target}}, {}

    def _object(
        self, method: str, key: tuple[str, str], query: dict[str, str]
    ) -> tuple[int, Any, dict[str, str]]:
        if key not in self.objects:
            return 404, {"error": {"code": 404, "message": "not found"}}, {}
        if method == "DELETE":
            del self.objects[key]
            return 204, b"", {}
        return 200, self.objects[key] if query.get("alt") == "media" else self._about(*key), {}

    def _about(self, bucket: str, name: str) -> dict[str, Any]:
        data = self.objects[bucket, name]
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

    def _upload(
        self, bucket: str, query: dict[str, str], body: bytes, headers: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if "upload_id" in query:
            key, data = self._uploads[int(query["upload_id"])]
            data += body
            if headers.get("Content-Range", "").endswith("/*"):
                return 308, b"", {"Range": f"bytes=0-{len(data) - 1}"}
            self.objects[key] = bytes(data)
            return 200, self._about(*key), {}
        if query["uploadType"] == "resumable":
            name = query.get("name") or json.loads(body)["name"]
            self._uploads.append(((bucket, name), bytearray()))
            place = f"{self.url}/upload/storage/v1/b/{bucket}/o?upload_id={len(self._uploads) - 1}"
            return 200, {}, {"Location": place}
        boundary = re.search(r'boundary="?([^";]+)', headers["Content-Type"])
        assert boundary is not None
        parts = body.split(b"--" + boundary[1].encode())
        about, data = (part.partition(b"\r\n\r\n")[2] for part in parts[1:3])
        name = json.loads(about)["name"]
        self.objects[bucket, name] = data.removesuffix(b"\r\n")
        return 200, self._about(bucket, name), {}

    def _dataflow(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        match = re.fullmatch(r"/v1b3/projects/([^/]+)/locations/([^/]+)/jobs(?:/([^/]+))?(/.*)?", path)
        assert match is not None, path
        project, region, job_id, below = match.groups()
        if method == "POST" and job_id is None:
            job = {
                **json.loads(body),
                "id": f"job-{len(self.jobs) + 1}",
                "projectId": project,
                "location": region,
            }
            self.jobs.append(job)
            self._states[job["id"]] = "JOB_STATE_RUNNING"
            threading.Thread(target=self._run, args=(job,), daemon=True).start()
            return self._state(job)
        if below:
            return {"jobMessages": [], "metrics": []}
        return self._state(next(job for job in self.jobs if job["id"] == job_id))

    def _state(self, job: Job) -> dict[str, Any]:
        shown = {key: job[key] for key in ("id", "projectId", "location", "name", "type") if key in job}
        extra = {"clientRequestId": job["clientRequestId"]} if "clientRequestId" in job else {}
        return {**shown, **extra, "currentState": self._states[job["id"]], "createTime": _TIME}

    def _run(self, job: Job) -> None:
        self._states[job["id"]] = "JOB_STATE_DONE" if self._execute(job) else "JOB_STATE_FAILED"


def _handler(cloud: FakeGoogleCloud) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: object) -> None:
            """Nothing: the tests look at what arrived."""

        def _body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def _serve(self) -> None:
            status, answer, headers = cloud.answer(self.command, self.path, self._body(), self.headers)
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            kind = "application/octet-stream" if isinstance(answer, bytes) else "application/json"
            for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve

    return Handler
