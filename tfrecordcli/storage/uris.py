"""Image URIs as people write them, turned into local paths and the names of objects."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from tfrecordcli.reasons import Rejected

STORES: Final = ("gs", "s3", "oss", "az")
WEB: Final = ("http", "https")

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_USER = re.compile("//[^/]*@")
# A superset of what the clouds allow; `$root` and `$web` are Azure's. A name like `..` or `a#b` would become
# a part of the URL that is asked for, and another object would answer.
_BUCKET = re.compile(r"[A-Za-z0-9$][A-Za-z0-9._-]*")
_MAX_KEY: Final = 1024  # bytes; the limit of S3, Cloud Storage and Azure (OSS: 1023)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_WEB_URL = re.compile(r"([^:/?#]+)://([^/?#]*)([^?#]*)((?:\?[^#]*)?)")
_DOTS = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)


def scheme_of(uri: str) -> str:
    """`gs` of `gs://bucket/key`, in lower case; empty for a path (`C:\\photos` is a path)."""
    match = _SCHEME.match(uri) if "://" in uri else None
    return match[1].lower() if match else ""


def is_on_store(location: str) -> bool:
    """Whether it is an object, or a prefix of objects, on gs://, s3://, oss:// or az://."""
    return "://" in location and scheme_of(location) in STORES


def is_remote(location: str) -> bool:
    """Whether it is read over a network: on a store, or by http(s)."""
    return "://" in location and scheme_of(location) in (*STORES, *WEB)


@dataclass(frozen=True, slots=True)
class ObjectName:
    """An object, or a prefix of objects: `s3`, `bucket` and `folder/key`."""

    scheme: str
    bucket: str
    key: str


@dataclass(frozen=True, slots=True)
class WebUrl:
    """An http(s) URL: `https`, `user:password@host:port`, `/path` and `?query`, each as it is written.

    A fragment, which is for readers and not for servers, is left out.
    """

    scheme: str
    authority: str
    path: str
    query: str

    @property
    def server(self) -> str:
        """`https://host:port`, without the user."""
        return f"{self.scheme}://{self.authority.rpartition('@')[2]}"


def parse_web_url(url: str) -> WebUrl:
    """The parts of an http(s) URL; nothing in it is decoded or made tidy, for a signature covers it as it is.

    Raises:
      Rejected: ``bad_url``: it is no URL.
    """
    match = _WEB_URL.match(url)
    if match is None:
        raise Rejected("bad_url", detail="it names no host")
    return WebUrl(match[1].lower(), match[2], match[3], match[4])


def parse_store_url(url: str) -> ObjectName:
    """The parts of `s3://bucket/key`; nothing in it is decoded, `?` and `%` belong to the key.

    Raises:
      Rejected: ``bad_url``: no bucket, no name of a bucket, a key that store libraries read as another
        one, or one that no store can hold.
    """
    bucket, slash, key = url.partition("://")[2].partition("/")
    if not bucket:
        raise Rejected("bad_url", detail="it names no bucket")
    if _CONTROL.search(url):
        raise Rejected("bad_url", detail="it holds control characters")
    if not _BUCKET.fullmatch(bucket):
        raise Rejected("bad_url", detail="its bucket holds other than letters, digits, '-', '_' and '.'")
    if len(key.encode(errors="replace")) > _MAX_KEY:
        raise Rejected("bad_url", detail=f"its key is longer than {_MAX_KEY} bytes")
    pieces = key.split("/") if slash else []
    if "." in pieces or ".." in pieces:
        raise Rejected("bad_url", detail="its key holds . or .. as a folder")
    if "" in pieces[:-1]:
        raise Rejected("bad_url", detail="its key starts with / or holds //")
    return ObjectName(scheme_of(url), bucket, key)


def check_uri(uri: str) -> None:
    """Refuses an image URI by itself, before anything is read.

    Raises:
      Rejected: ``unsupported_scheme``, ``bad_url`` or ``not_encrypted``.
    """
    scheme = scheme_of(uri) if ":" in uri else ""
    if scheme in STORES:
        if not parse_store_url(uri).key.rpartition("/")[2]:
            raise Rejected("bad_url", detail="it names no object")
    elif scheme in WEB:
        check_web_url(uri)
    elif scheme not in ("", "file"):
        raise Rejected("unsupported_scheme", scheme=scheme)


def check_web_url(url: str) -> None:
    """Refuses an http(s) URL that cannot be asked for, or only without encryption.

    Raises:
      Rejected: ``bad_url`` or ``not_encrypted``.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise Rejected("bad_url", detail="it names no host")
    if parts.scheme.lower() == "http" and host not in _LOOPBACK:
        raise Rejected("not_encrypted")
    if any(map(_DOTS.fullmatch, parse_web_url(url).path.split("/"))):
        raise Rejected("bad_url", detail="its path holds . or .. as a folder")


def join(root: str, uri: str) -> str:
    """Where an image is: an absolute local path, or a URL.

    Args:
      uri: as the source has it.
      root: absolute folder or URL that relative URIs are relative to. Below an http(s) URL they are names
        as on a disk, where `#`, `?` and `%` are characters like others; its query stays at the end.

    Raises:
      Rejected: as `check_uri`, and ``bad_url`` for `..` and the like below a URL.
    """
    check_uri(uri)
    if is_remote(uri):
        return uri
    if not is_remote(root) or scheme_of(uri) or os.path.isabs(uri):
        return local_path(uri, root)
    name = uri.removeprefix("./")  # as `find .` writes it
    url = _below_web(root, name) if scheme_of(root) in WEB else f"{root.rstrip('/')}/{name}"
    check_uri(url)
    return url


def _below_web(root: str, name: str) -> str:
    pieces = name.split("/")
    if "." in pieces or ".." in pieces:
        raise Rejected("bad_url", detail="its name holds . or .. as a folder")
    if "" in pieces[:-1]:
        raise Rejected("bad_url", detail="its name holds //")
    top = parse_web_url(root)
    path = f"{top.path.rstrip('/')}/{quote(name, errors='surrogatepass')}"
    return f"{top.scheme}://{top.authority}{path}{top.query}"


def public_place(root: str, uri: str) -> str:
    """Where an image is, for messages: as `join` has it, without query string and credentials."""
    if scheme_of(uri):
        return public_uri(uri)
    try:
        return public_uri(join(root, uri))
    except Rejected:
        return uri


def local_path(uri: str, root: str) -> str:
    """The local path of an image URI.

    Args:
      uri: a path, relative to ``root`` or absolute, or a file:// URL (only there is %20 a blank).
      root: absolute folder.

    Raises:
      Rejected: ``unsupported_scheme``.
    """
    scheme = scheme_of(uri)
    if scheme == "file":
        _, slash, path = uri.partition("://")[2].partition("/")
        return unquote(slash + path)
    if scheme:
        raise Rejected("unsupported_scheme", scheme=scheme)
    return os.path.join(root, uri)


def with_forward_slashes(uri: str) -> str | None:
    """A URI written on Windows as other systems write it; None when it has no backslash."""
    return uri.replace("\\", "/") if "\\" in uri and os.sep == "/" else None


def public_uri(uri: str) -> str:
    """A URI without its query string and credentials, which signed URLs hold; paths as they are."""
    if scheme_of(uri) in ("", "file", *STORES):
        return uri
    try:
        parts = urlsplit(uri)
    except ValueError:  # no URL at all, as its row will say
        return _USER.sub("//", uri.partition("?")[0])
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def masked_uri(uri: str) -> str:
    """The same, with `***` where credentials, or a query that may hold some, have to be filled in."""
    public = public_uri(uri)
    if public == uri:
        return uri
    place, _, query = uri.partition("#")[0].partition("?")
    if _USER.search(place):
        public = public.replace("://", "://***@", 1)
    return f"{public}?***" if query else public
