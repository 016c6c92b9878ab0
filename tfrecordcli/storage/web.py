"""Reading over http and https, over urllib3.

The store libraries encode the `?` of a URL, which breaks signed ones, so they are not used here.
Unencrypted http is asked of this machine only, also when a server sends somebody on.
"""

from __future__ import annotations

import base64
import errno
import random
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from tfrecordcli.errors import MissingPackageError, OutageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.patience import READING, Patience
from tfrecordcli.storage.uris import check_web_url, public_uri

_AGAIN: Final = (408, 425, 429, 500, 502, 503, 504)
_MISSING: Final = (404, 410)
_FORBIDDEN: Final = (401, 403, 407, 451)
_MOVED: Final = (301, 302, 303, 307, 308)
_MAX_MOVES: Final = 5
_PIECE: Final = 1 << 16
_CONNECTIONS: Final = 64

Admit = Callable[[int], None]


class _TryAgain(Exception):
    """This attempt failed in a way that the next one may not; its text says how."""


def read_web(
    url: str, admit: Admit = lambda size: None, patience: Patience = READING, most: int | None = None
) -> bytes:
    """What a URL gives.

    Args:
      admit: called with its size before the body is read; may wait, or raise. Where the server does not
        tell the size, it is called with what has come so far, again and again.
      most: bytes; the reading of a longer body ends one piece after them.

    Raises:
      FileNotFoundError, PermissionError: the server says so.
      OSError: it says something else that no repetition changes.
      OutageError: no good answer after all repetitions.
    """
    deadline = time.monotonic() + patience.total
    trouble = ""
    for pause in _pauses(patience):
        time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        if trouble and time.monotonic() >= deadline:
            break
        try:
            return _attempt(url, admit, patience, deadline, most)
        except _TryAgain as error:
            trouble = str(error)
    raise OutageError(
        f"{public_uri(url)}: {trouble} after all retries",
        "see that network and server are right; the same command continues",
    )


def web_size(url: str, patience: Patience = READING) -> int | None:
    """Bytes that a URL gives, as its server says; None when it does not say."""
    import urllib3.exceptions

    try:
        answer = _follow("HEAD", url, patience)
    except (urllib3.exceptions.HTTPError, Rejected, OSError):
        return None
    answer.release_conn()
    size = answer.headers.get("Content-Length", "")
    return int(size) if answer.status == 200 and size.isdecimal() else None


def _pauses(patience: Patience) -> Iterator[float]:
    """Seconds before each attempt; scattered, so that many readers do not come back at once."""
    yield 0.0
    for number in range(patience.repetitions):
        yield min(8.0, patience.first_pause * 2**number) * (0.5 + random.random())


def _attempt(url: str, admit: Admit, patience: Patience, deadline: float, most: int | None) -> bytes:
    import urllib3.exceptions

    try:
        answer = _follow("GET", url, patience)
        try:
            _check_status(answer.status, url)
            size = answer.headers.get("Content-Length", "")
            expected = int(size) if size.isdecimal() else None
            if expected is not None:
                deadline += _seconds_of(admit, expected)
            return _body(answer, expected, admit, deadline, most)
        except BaseException:
            answer.close()  # a connection with half a body in it cannot be used again
            raise
        finally:
            answer.release_conn()
    except urllib3.exceptions.NameResolutionError as error:
        raise _TryAgain("the name of the server is not known") from error
    except urllib3.exceptions.NewConnectionError as error:
        raise _TryAgain("nobody answers there") from error
    except urllib3.exceptions.TimeoutError as error:
        raise _TryAgain("no answer in time") from error
    except urllib3.exceptions.LocationParseError as error:
        raise OSError(errno.EIO, "not a URL") from error
    except (urllib3.exceptions.HTTPError, ConnectionError) as error:
        raise _TryAgain("the connection fails or breaks off") from error


def _follow(method: str, url: str, patience: Patience) -> Any:
    """The answer to a request, of where the server sends us in the end."""
    timeout = _urllib3().Timeout(connect=patience.connect, read=patience.silence)
    first = urlsplit(url)
    for _ in range(_MAX_MOVES + 1):
        answer = _pool().request(
            method,
            url,
            preload_content=False,
            redirect=False,
            retries=False,
            timeout=timeout,
            headers={"Accept-Encoding": "identity", "User-Agent": "tfrec", **_login(url, first)},
        )
        target = answer.headers.get("Location")
        if answer.status not in _MOVED or not target:
            return answer
        answer.drain_conn()
        answer.release_conn()
        url = urljoin(url, target)
        try:
            check_web_url(url)
        except Rejected as problem:
            raise OSError(errno.EIO, f"the server redirects to {public_uri(url)}: {problem.reason}") from None
    raise OSError(errno.EIO, f"more than {_MAX_MOVES} redirects")


def _login(url: str, first: SplitResult) -> Mapping[str, str]:
    """The header for user and password of the first URL, which are for its server alone (RFC 7617)."""
    if first.username is None or _server_of(urlsplit(url)) != _server_of(first):
        return {}
    words = ":".join(unquote(word or "") for word in (first.username, first.password))
    return {"Authorization": f"Basic {base64.b64encode(words.encode()).decode()}"}


def _server_of(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port


def _check_status(status: int, url: str) -> None:
    if status in _AGAIN:
        raise _TryAgain(f"status {status}")
    if status in _MISSING:
        raise FileNotFoundError(errno.ENOENT, "not there", url)
    if status in _FORBIDDEN:
        raise PermissionError(errno.EACCES, "access denied", url)
    if status != 200:
        raise OSError(errno.EIO, f"the server answers with status {status}")


def _seconds_of(admit: Admit, size: int) -> float:
    """Waits until so much is admitted; the time that it took is not the server's."""
    start = time.monotonic()
    admit(size)
    return time.monotonic() - start


def _body(answer: Any, expected: int | None, admit: Admit, deadline: float, most: int | None) -> bytes:
    data = bytearray()
    while piece := answer.read1(_PIECE):
        data += piece
        if most is not None and len(data) > most:
            raise Rejected("too_many_bytes", size=expected or len(data), limit=most)
        if expected is None:
            deadline += _seconds_of(admit, len(data))
        if time.monotonic() > deadline:
            raise _TryAgain("the answer is too slow")
    if expected is not None and len(data) != expected:
        raise _TryAgain("the answer is cut short")
    return bytes(data)


@lru_cache(maxsize=1)
def _pool() -> Any:
    return _urllib3().PoolManager(maxsize=_CONNECTIONS, num_pools=_CONNECTIONS)


def _urllib3() -> Any:
    try:
        import urllib3
    except ImportError as error:
        raise MissingPackageError(
            "https:// needs the package urllib3, which is not installed", "pip install urllib3"
        ) from error
    return urllib3
