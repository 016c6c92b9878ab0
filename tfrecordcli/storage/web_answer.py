"""What a web server answers: its status, where it sends on to, and its body, decoded and whole."""

from __future__ import annotations

import errno
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import quote, urljoin

from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.uris import WEB, check_web_url, parse_web_url, public_uri, scheme_of

_AGAIN: Final = (408, 425, 429, *range(500, 600))
_MISSING: Final = (404, 410)
_FORBIDDEN: Final = (401, 403, 407, 451)
_MOVED: Final = (301, 302, 303, 307, 308)
# What stands there although it is no encoding; `aws-chunked` stays behind on some stores.
_PLAIN: Final = ("identity", "none", "binary", "utf-8", "aws-chunked")
_ZIPPED: Final = ("gzip", "x-gzip", "deflate")
_ANY_HEADER: Final = 32 + zlib.MAX_WBITS  # of gzip or zlib, whichever is there
_PIECE: Final = 1 << 16
_NO_SIZE: Final = 1 << 63  # bytes; no chunk has as many
_TIMEOUT: Final = b"<Code>RequestTimeout</Code>"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ASCII: Final = "".join(map(chr, range(128)))


class AnswerError(OSError):
    """The server answers, with what no retry changes; ``strerror`` says with what."""

    def __init__(self, text: str) -> None:
        super().__init__(errno.EIO, text)


class TryAgain(Exception):
    """This attempt failed in a way that the next one may not; its text says how."""


class MalformedAnswer(TryAgain):
    """What came is no answer by the rules of HTTP."""


class CutShort(TryAgain):
    """An answer that ended before the length that it told."""


def broken(error: BaseException) -> TryAgain:
    """What becomes of an attempt during which the connection or the answer failed."""
    import urllib3.exceptions

    if is_malformed(error):
        return MalformedAnswer("the answer is malformed")
    found: object = error.args[-1] if error.args else None
    if isinstance(found, urllib3.exceptions.IncompleteRead) and found.expected and found.partial is not None:
        told = found.partial + found.expected
        return CutShort(f"the answer ends after {found.partial:,} of {told:,} bytes")
    return TryAgain("the connection fails or breaks off")


def is_malformed(error: BaseException) -> bool:
    """Whether urllib3 failed over what a server sent, and not over the connection."""
    import http.client

    import urllib3.exceptions

    found: object = error.args[-1] if error.args else None
    if isinstance(error, urllib3.exceptions.InvalidChunkLength | urllib3.exceptions.InvalidHeader):
        return True
    if isinstance(found, urllib3.exceptions.InvalidChunkLength):
        return True
    if isinstance(found, http.client.IncompleteRead) and isinstance(found.__context__, ValueError):
        return "b''" not in str(found.__context__)  # a chunk's size; nothing where the connection ended
    # RemoteDisconnected is a BadStatusLine too: a connection that ended before the first byte.
    is_of_connection = isinstance(found, ConnectionError | http.client.IncompleteRead)
    return isinstance(found, http.client.HTTPException) and not is_of_connection


def check_status(answer: Any, url: str) -> None:
    """Sees that a status is 200.

    Raises:
      TryAgain, FileNotFoundError, PermissionError, AnswerError
    """
    status = answer.status
    if status in _AGAIN:
        raise TryAgain(f"status {status}")
    if status == 400 and _TIMEOUT in answer.read1(_PIECE):  # of S3, which waited for the request
        raise TryAgain("status 400 RequestTimeout")
    if status in _MISSING:
        raise FileNotFoundError(errno.ENOENT, "not there", url)
    if status in _FORBIDDEN:
        raise PermissionError(errno.EACCES, "access denied", url)
    if status != 200:
        raise AnswerError(f"the server answers with status {status}")


def moved_to(answer: Any, url: str) -> str:
    """The URL that a server sends on to, as it writes it; empty when it does not.

    Raises:
      AnswerError: it may not be asked, or is none that is read.
    """
    # Bytes beyond ASCII, which no header should hold, come as if they were Latin-1.
    place = quote(answer.headers.get("Location", ""), safe=_ASCII, encoding="latin-1")
    if answer.status not in _MOVED or not place:
        return ""
    base = parse_web_url(url)
    if place.startswith("//"):
        place = f"{base.scheme}:{place}"
    elif place.startswith("/"):
        place = base.server + place
    elif place.startswith("?"):
        place = base.server + base.path + place
    elif not _SCHEME.match(place):
        try:
            place = urljoin(base.server + base.path, place)
        except ValueError:
            raise AnswerError("the server redirects to what is no URL") from None
    if scheme_of(place) not in WEB:
        raise AnswerError(f"the server redirects to {place.partition(':')[0]}:, which is not read")
    try:
        check_web_url(place)
    except Rejected as problem:
        raise AnswerError(f"the server redirects to {public_uri(place)}: {problem.reason}") from None
    return place


def told_size(answer: Any) -> int | None:
    """Bytes of the whole body once it is decoded; None when the server does not tell."""
    return None if _codings(answer) else _length(answer)


def body_of(answer: Any) -> Iterator[bytes]:
    """The body, piece by piece as it comes, decoded.

    Raises:
      TryAgain: it is cut short, or malformed.
      AnswerError: its encoding is not known, or not what the answer says.
    """
    codings = _codings(answer)
    if not codings:
        return _raw_body(answer)
    if len(codings) == 1 and codings[0] in _ZIPPED:
        return _unzipped(_raw_body(answer), codings[0])
    raise AnswerError(f"the answer is encoded as {', '.join(codings)}, which is not read")


def _raw_body(answer: Any) -> Iterator[bytes]:
    expected = _length(answer)
    come = 0
    while piece := answer.read1(_PIECE):
        left = getattr(getattr(answer, "_fp", None), "chunk_left", None)
        if isinstance(left, int) and not 0 <= left < _NO_SIZE:  # http.client takes any number
            raise MalformedAnswer("the answer is malformed")
        come += len(piece)
        yield piece
    if expected is not None and come != expected:
        raise TryAgain("the answer is cut short")


def _unzipped(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """In pieces of bounded size, whatever they were zipped from."""
    unzip = None
    try:
        for piece in pieces:
            while piece:
                if unzip is None or unzip.eof:
                    unzip = zlib.decompressobj(_ANY_HEADER)
                yield unzip.decompress(piece, _PIECE)
                piece = unzip.unused_data if unzip.eof else unzip.unconsumed_tail
    except zlib.error:
        raise AnswerError(f"the answer is encoded as {coding}, and cannot be decoded") from None
    if unzip is not None and not unzip.eof:
        raise AnswerError(f"the answer is encoded as {coding}, and cut short")


def _codings(answer: Any) -> list[str]:
    words = answer.headers.get("Content-Encoding", "").lower().replace(",", " ").split()
    return [word for word in words if word not in _PLAIN]


def _length(answer: Any) -> int | None:
    size = answer.headers.get("Content-Length", "")
    if size and not (size.isascii() and size.isdecimal()):
        raise MalformedAnswer("the answer has no length that can be")
    return int(size) if size else None
