"""Stand-ins of Alibaba OSS and Google Cloud Storage on 127.0.0.1, in memory.

OSS: its S3-compatible API, every request's V4 signature verified, `x-oss-forbid-overwrite` honoured,
conditional headers refused with 501 as OSS does. GCS: the XML API, `x-goog-if-generation-match`.
Both: ranges, If-Match, lists with delimiters and pages, multipart uploads, copies.
"""

from __future__ import annotations

import contextlib
import email.utils
import hashlib
import hmac
import io
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

from serving import serving

KEY_ID = "test-key"
SECRET = "test-secret"
PAGE = 1000


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


class BreakOff(Exception):
    """The connection ends after a few bytes instead of an answer; the request may have been carried out."""

    def __init__(self, words: bytes, *, is_carried_out: bool) -> None:
        super().__init__(words)
        self.words = words
        self.is_carried_out = is_carried_out


@dataclass
class Stored:
    data: bytes
    etag: str
    generation: int
    written: float


@dataclass
class StandIn:
    """One store with one bucket.

    Attributes:
      kind: ``oss`` or ``gs``.
      objects: by key.
      requests: (method, key) of all that were answered.
      meddle: called with (method, key) before each answer; may raise `Refused` or `BreakOff`, or wait.
    """

    kind: str
    bucket: str = "bkt"
    objects: dict[str, Stored] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    meddle: Callable[[str, str], None] = lambda method, key: None
    lock: Any = field(default_factory=threading.RLock)
    counter: int = 0
    port: int = 0

    def put(self, key: str, data: bytes) -> str:
        with self.lock:
            self.counter += 1
            etag = '"' + hashlib.md5(data + str(self.counter).encode()).hexdigest() + '"'
            self.objects[key] = Stored(data, etag, self.counter, time.time())
            return etag

    def environment(self) -> dict[str, str]:
        """What makes tfrec talk to it."""
        url = f"http://127.0.0.1:{self.port}"
        if self.kind == "gs":
            return {"STORAGE_EMULATOR_HOST": url}
        return {
            "OSS_ENDPOINT": url,
            "OSS_REGION": "cn-hangzhou",
            "OSS_ACCESS_KEY_ID": KEY_ID,
            "OSS_ACCESS_KEY_SECRET": SECRET,
        }


@contextmanager
def serve(kind: str) -> Iterator[StandIn]:
    """A running stand-in."""
    store = StandIn(kind)
    with serving(type("BoundHandler", (Handler,), {"store": store})) as store.port:
        yield store


class Handler(BaseHTTPRequestHandler):
    """Answers requests to one store."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # one segment for an answer: no stall for a delayed acknowledgement
    disable_nagle_algorithm = True
    store: StandIn

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(size)
        parts = urlsplit(self.path)
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True))
        bucket, _, self.key = unquote(parts.path)[1:].partition("/")
        try:
            self._verify()
            if bucket != self.store.bucket:
                raise Refused(404, "NoSuchBucket")
            self.store.requests.append((self.command, self.key))
            self.store.meddle(self.command, self.key)
            self._serve()
        except Refused as error:
            body = f"<Error><Code>{error.code}</Code><Message>no</Message></Error>"
            self._answer(error.status, body.encode())
        except BreakOff as fault:
            self._break_off(fault)

    def _break_off(self, fault: BreakOff) -> None:
        self.close_connection = True
        if fault.is_carried_out:
            stream, self.wfile = self.wfile, io.BytesIO()
            with contextlib.suppress(Refused):
                self._serve()
            self.wfile = stream
        self.wfile.write(fault.words)

    do_PUT = do_HEAD = do_DELETE = do_POST = do_GET

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _xml(self, root: str, inner: str) -> None:
        self._answer(200, f'<?xml version="1.0" encoding="UTF-8"?><{root}>{inner}</{root}>'.encode())

    # --- signatures ---

    def _verify(self) -> None:
        if self.store.kind == "gs":
            return
        given = self.headers.get("Authorization", "")
        if not given.startswith("AWS4-HMAC-SHA256 "):
            raise Refused(403, "AccessDenied")
        if "If-None-Match" in self.headers or (self.command == "PUT" and "If-Match" in self.headers):
            raise Refused(501, "NotImplemented")
        fields = dict(part.strip().split("=", 1) for part in given[17:].split(","))
        key_id, date, region, service, request = fields["Credential"].split("/")
        if key_id != KEY_ID:
            raise Refused(403, "InvalidAccessKeyId")
        if hashlib.sha256(self.body).hexdigest() != self.headers["x-amz-content-sha256"]:
            raise Refused(400, "XAmzContentSHA256Mismatch")
        scope = "/".join((date, region, service, request))
        lines = ["AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope]
        lines.append(hashlib.sha256(self._canonical(fields["SignedHeaders"]).encode()).hexdigest())
        key = f"AWS4{SECRET}".encode()
        for text in (date, region, service, request, "\n".join(lines)):
            key = hmac.new(key, text.encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(key.hex(), fields["Signature"]):
            raise Refused(403, "SignatureDoesNotMatch")

    def _canonical(self, signed: str) -> str:
        path, _, query = self.path.partition("?")
        pairs = sorted(parse_qsl(query, keep_blank_values=True))
        canonical = "&".join(f"{quote(k, safe='-_.~')}={quote(v, safe='-_.~')}" for k, v in pairs)
        headers = "".join(f"{name}:{self.headers.get(name, '').strip()}\n" for name in signed.split(";"))
        return "\n".join(
            [self.command, path, canonical, headers, signed, self.headers["x-amz-content-sha256"]]
        )

    # --- operations ---

    def _serve(self) -> None:
        if not self.key:
            self._list()
        elif self.command == "POST" and "uploads" in self.query:
            number = f"upload-{len(self.store.uploads)}"
            self.store.uploads[number] = {}
            self._xml("InitiateMultipartUploadResult", f"<UploadId>{number}</UploadId>")
        elif "uploadId" in self.query:
            self._upload_part(self.query["uploadId"])
        elif self.command == "PUT":
            self._put()
        elif self.command == "DELETE":
            if self.store.objects.pop(self.key, None) is None and self.store.kind == "gs":
                raise Refused(404, "NoSuchKey")
            self._answer(204)
        else:
            self._get()

    def _upload_part(self, number: str) -> None:
        parts = self.store.uploads.get(number)
        if parts is None:
            raise Refused(404, "NoSuchUpload")
        if self.command == "PUT":
            parts[int(self.query["partNumber"])] = self.body
            self._answer(200, ETag='"part"')
        elif self.command == "DELETE":
            del self.store.uploads[number]
            self._answer(204)
        else:
            etag = self.store.put(self.key, b"".join(parts[index] for index in sorted(parts)))
            del self.store.uploads[number]
            self._xml("CompleteMultipartUploadResult", f"<ETag>{escape(etag)}</ETag>")

    def _put(self) -> None:
        source = self.headers.get("x-amz-copy-source") or self.headers.get("x-goog-copy-source")
        with self.store.lock:
            exists = self.key in self.store.objects
            if exists and self.headers.get("x-oss-forbid-overwrite") == "true":
                raise Refused(409, "FileAlreadyExists")
            if exists and self.headers.get("x-goog-if-generation-match") == "0":
                raise Refused(412, "PreconditionFailed")
            if source is not None:
                key = unquote(source).lstrip("/").partition("/")[2]
                if key not in self.store.objects:
                    raise Refused(404, "NoSuchKey")
                etag = self.store.put(self.key, self.store.objects[key].data)
                self._xml("CopyObjectResult", f"<ETag>{escape(etag)}</ETag>")
                return
            etag = self.store.put(self.key, self.body)
        self._answer(200, ETag=etag, x_goog_generation=str(self.store.counter))

    def _get(self) -> None:
        found = self.store.objects.get(self.key)
        if found is None:
            raise Refused(404, "NoSuchKey")
        if self.headers.get("If-Match", found.etag) != found.etag:
            raise Refused(412, "PreconditionFailed")
        headers = {
            "ETag": found.etag,
            "Last_Modified": email.utils.formatdate(found.written, usegmt=True),
            "x_goog_generation": str(found.generation),
        }
        size = len(found.data)
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if match is None:
            self._answer(200, found.data, **headers)
            return
        start, end = int(match[1]), min(int(match[2] or size - 1), size - 1)
        if start >= size:
            raise Refused(416, "InvalidRange")
        headers["Content_Range"] = f"bytes {start}-{end}/{size}"
        self._answer(206, found.data[start : end + 1], **headers)

    def _list(self) -> None:
        prefix, delimiter = self.query.get("prefix", ""), self.query.get("delimiter", "")
        after = self.query.get("continuation-token") or self.query.get("start-after") or ""
        entries: dict[str, str] = {}
        for key in sorted(self.store.objects):
            if key.startswith(prefix):
                cut = key.find(delimiter, len(prefix)) if delimiter else -1
                if cut >= 0:
                    name = key[: cut + 1]
                    entries[name] = f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
                else:
                    entries[key] = self._entry(key)
        names = [name for name in entries if name > after]
        page = names[:PAGE]
        more = (
            f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if len(names) > PAGE else ""
        )
        truncated = "true" if more else "false"
        content = "".join(entries[name] for name in page)
        self._xml("ListBucketResult", f"<IsTruncated>{truncated}</IsTruncated>{more}{content}")

    def _entry(self, key: str) -> str:
        found = self.store.objects[key]
        written = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(found.written))
        return (
            f"<Contents><Key>{escape(key)}</Key><LastModified>{written}</LastModified>"
            f"<ETag>{escape(found.etag)}</ETag><Size>{len(found.data)}</Size></Contents>"
        )
