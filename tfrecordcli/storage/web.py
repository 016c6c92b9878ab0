"""Reading over http and https, over urllib3.

The store libraries encode the `?` of a URL, which breaks signed ones, so they are not used here.
Unencrypted http is asked of this machine only, also when a server sends somebody on.
"""

from __future__ import annotations

import base64
import contextlib
import math
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from tfrecordcli.errors import MalformedAnswerError, MissingPackageError, OutageError, StoreError
from tfrecordcli.reasons import Rejected, too_many_bytes
from tfrecordcli.storage.network import READING, Timeouts
from tfrecordcli.storage.uris import parse_web_url, public_uri
from tfrecordcli.storage.web_answer import (
    AnswerError,
    CutShort,
    MalformedAnswer,
    TryAgain,
    body_of,
    broken,
    check_status,
    moved_to,
    told_size,
)

if TYPE_CHECKING:
    from tfrecordcli.storage.web_connection import WebPool

_MAX_MOVES: Final = 5
_MOST_DROPPED: Final = 1 << 16
_CONNECTIONS: Final = 64
# OpenSSL's numbers for a certificate whose signer is not among those that are trusted here.
_UNKNOWN_SIGNER: Final = (18, 19, 20, 21)
_CUT_SHORT: Final = "; where this one ends there each time, the list has to do without it"

Admit = Callable[[int], None]
_Read = TypeVar("_Read")


def read_web(
    url: str, admit: Admit = lambda size: None, timeouts: Timeouts = READING, most: int | None = None
) -> bytes:
    """What a URL gives.

    Args:
      admit: called with its size before the body is read; may wait, or raise. Where the server does not
        tell the size, it is called with what has come so far, again and again.
      most: bytes; the reading of a longer body ends one piece after them.

    Raises:
      FileNotFoundError, PermissionError: the server says so.
      AnswerError: it says something else that no retry changes.
      StoreError: its certificate is not trusted.
      OutageError: no good answer after all retries; a MalformedAnswerError when each was malformed.
    """
    deadline = time.monotonic() + timeouts.total
    return _persist(url, timeouts, lambda answer: _whole_body(answer, admit, deadline, most), deadline)


def copy_web(url: str, file: IO[bytes], timeouts: Timeouts = READING) -> None:
    """Writes what a URL gives to a file, however large it is; only the time without a byte has a limit.

    Args:
      file: what it held is replaced, also by the next attempt when a body breaks off.

    Raises:
      OSError: as of writing; else as `read_web` does.
    """

    def copy(answer: Any) -> None:
        file.seek(0)
        file.truncate()
        for piece in body_of(answer):
            file.write(piece)

    _persist(url, timeouts, copy, math.inf)


def web_size(url: str, timeouts: Timeouts = READING) -> int | None:
    """Bytes that a URL gives, as its server says; None when it does not say."""
    import urllib3.exceptions

    try:
        answer = _follow("HEAD", url, timeouts)
    except (urllib3.exceptions.HTTPError, Rejected, OSError):
        return None
    try:
        return told_size(answer) if answer.status == 200 else None
    except MalformedAnswer:
        answer.close()  # where the next answer begins on this connection nobody can tell
        return None
    finally:
        answer.release_conn()


def _persist(url: str, timeouts: Timeouts, read: Callable[[Any], _Read], deadline: float) -> _Read:
    """What ``read`` makes of an answer, in as many attempts as there are until the deadline."""
    failure = hint = ""
    always_malformed = True
    for pause in timeouts.pauses():
        time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        if failure and time.monotonic() >= deadline:
            break
        try:
            with _answer(url, timeouts) as answer:
                return read(answer)
        except TryAgain as error:
            failure = str(error)
            hint = _CUT_SHORT if isinstance(error, CutShort) else ""
            always_malformed &= isinstance(error, MalformedAnswer)
    raise (MalformedAnswerError if always_malformed else OutageError)(
        f"{public_uri(url)}: {failure} after all retries",
        f"see that network and server are right; the same command continues{hint}",
    )


@contextlib.contextmanager
def _answer(url: str, timeouts: Timeouts) -> Iterator[Any]:
    """A good answer, whose body is read inside; what the connection does meanwhile is a `TryAgain`."""
    import urllib3.exceptions

    try:
        answer = _follow("GET", url, timeouts)
        try:
            check_status(answer, url)
            yield answer
        except BaseException:
            answer.close()  # a connection with half a body in it cannot be used again
            raise
        finally:
            answer.release_conn()
    except urllib3.exceptions.NameResolutionError as error:
        raise TryAgain("the name of the server is not known") from error
    except urllib3.exceptions.NewConnectionError as error:
        raise TryAgain("nobody answers there") from error
    except urllib3.exceptions.TimeoutError as error:
        raise TryAgain("no answer in time") from error
    except urllib3.exceptions.LocationValueError as error:
        raise AnswerError("not a URL") from error
    except (urllib3.exceptions.HTTPError, ConnectionError) as error:
        raise broken(error) from error


def _follow(method: str, url: str, timeouts: Timeouts) -> Any:
    """The answer to a request, of where the server sends us in the end."""
    pool = _pool()
    timeout = _urllib3().Timeout(connect=timeouts.connect, read=timeouts.read)
    first = urlsplit(url)
    for _ in range(_MAX_MOVES + 1):
        headers = {"Accept-Encoding": "identity", "User-Agent": "tfrec", **_login(url, first)}
        with _trusting(url):
            answer = pool.ask(method, url, headers, timeout)
        try:
            target = moved_to(answer, url)
        except AnswerError:
            _drop(answer)
            raise
        if not target:
            return answer
        _drop(answer)
        url = target
    raise AnswerError(f"more than {_MAX_MOVES} redirects")


@contextlib.contextmanager
def _trusting(url: str) -> Iterator[None]:
    """Tells of a certificate that is not trusted; no retry changes that, and no row is to blame."""
    import urllib3.exceptions

    try:
        yield
    except urllib3.exceptions.SSLError as error:
        reason = error.args[0]
        if not isinstance(reason, ssl.SSLCertVerificationError):
            raise
        hint = "see the address and this machine's clock; whoever runs the server may have to renew it"
        if reason.verify_code in _UNKNOWN_SIGNER:
            hint = "install ca-certificates, or let SSL_CERT_FILE name a PEM file of the signer's certificate"
        raise StoreError(
            f"{parse_web_url(url).server}: its certificate is not trusted ({reason.verify_message})",
            f"{hint}; then the same command continues",
        ) from error


def _drop(answer: Any) -> None:
    """Done with an answer: its connection is used again where the rest of the body is short."""
    size = answer.headers.get("Content-Length", "")
    if size.isdecimal() and int(size) <= _MOST_DROPPED:
        answer.drain_conn()
    else:
        answer.close()
    answer.release_conn()


def _login(url: str, first: SplitResult) -> Mapping[str, str]:
    """The header for user and password of the first URL, which are for its server alone (RFC 7617)."""
    if first.username is None or _server_of(urlsplit(url)) != _server_of(first):
        return {}
    words = ":".join(unquote(word or "") for word in (first.username, first.password))
    return {"Authorization": f"Basic {base64.b64encode(words.encode(errors='surrogatepass')).decode()}"}


def _server_of(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port


def _whole_body(answer: Any, admit: Admit, deadline: float, most: int | None) -> bytes:
    expected = told_size(answer)
    if expected is not None:
        deadline += _seconds_of(admit, expected)
    data = bytearray()
    for piece in body_of(answer):
        data += piece
        if most is not None and len(data) > most:
            raise too_many_bytes(expected or len(data), most)
        if expected is None:
            deadline += _seconds_of(admit, len(data))
        if time.monotonic() > deadline:
            raise TryAgain("the answer is too slow")
    return bytes(data)


def _seconds_of(admit: Admit, size: int) -> float:
    """Waits until so much is admitted; the time that it took is not the server's."""
    start = time.monotonic()
    admit(size)
    return time.monotonic() - start


@lru_cache(maxsize=1)
def _pool() -> WebPool:
    _urllib3()
    from tfrecordcli.storage.web_connection import WebPool

    return WebPool(_CONNECTIONS)


def _urllib3() -> Any:
    try:
        import urllib3
    except ImportError as error:
        raise MissingPackageError(
            "https:// needs the package urllib3, which is not installed", "pip install urllib3"
        ) from error
    return urllib3
