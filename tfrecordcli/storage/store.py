"""One bucket: the few operations that tfrec needs of a store, over obstore.

obstore is imported when a store is first used, and a store is made in the process that uses it: its
clients do not survive a fork. What it raises is translated (`storage/store_answer.py`):

- FileNotFoundError and PermissionError are of one object;
- `StoreError`: the credentials or the settings are wrong, no object can be had;
- `OutageError`: no good answer after all retries; a `MalformedAnswerError` when it was none of HTTP.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import IO, Any, Final, TypeVar

from tfrecordcli.errors import (
    MalformedAnswerError,
    MissingPackageError,
    OutageError,
    RequestTimeoutError,
    StoreError,
)
from tfrecordcli.storage import credentials
from tfrecordcli.storage.network import READING, WRITING, Timeouts
from tfrecordcli.storage.store_answer import PANIC, StoreWords, unusable

_Answer = TypeVar("_Answer")

_PART: Final = 16 << 20  # bytes of an upload that are sent at a time, by two at most
_BODIES: Final = 3  # times that a body is asked for when it breaks off

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)  # what the library has for an answer without a time
_KEYS: Final = ("access_key_id", "secret_access_key", "session_token")


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object: its key, bytes, when it was written by the store's clock, and its version."""

    key: str
    size: int
    written: datetime
    etag: str | None


class Store:
    """One bucket of gs, s3, oss or az.

    Raises:
      MissingPackageError: obstore is not installed.
      StoreError: the cloud's settings do not name what is needed.
    """

    def __init__(
        self,
        scheme: str,
        bucket: str,
        timeouts: Timeouts = READING,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.scheme = scheme
        self.bucket = bucket
        self._settings = _settings_of(scheme, bucket, environment)
        self._words = StoreWords(scheme, bucket, self._settings.get("endpoint") or "")
        self._timeouts = timeouts
        self._reader = _open_store(scheme, bucket, self._settings, timeouts)

    @property
    def is_anonymous(self) -> bool:
        """Whether no credentials were found, so that requests are not signed."""
        return bool(self._settings.get("skip_signature"))

    # --- reading ---

    def read(self, key: str, admit: Callable[[int], None] = lambda size: None) -> bytes:
        """A whole object.

        Args:
          admit: called with its size before the body is read; may wait, or raise.
        """
        for attempt in range(1, _BODIES + 1):
            answer = self._ask(key, lambda: self._reader.get(key))
            admit(answer.meta["size"])
            try:
                with self._words.translating(key):
                    data = answer.bytes()
            except OutageError:
                # The library goes on where a body broke off; it cannot when the object was replaced
                # meanwhile, or when the server sends no ranges. Then only all of it will do.
                if attempt == _BODIES:
                    raise
            else:
                if len(data) == answer.meta["size"]:
                    return bytes(data)
        raise OutageError(f"{self._words.url(key)}: its size and its content differ", "try again later")

    def read_range(self, key: str, start: int, end: int, etag: str | None = None) -> bytes:
        """Bytes from start to end, which is not included, of the version ``etag`` if that is given."""
        options: dict[str, Any] = {"range": (start, end)}
        if etag:
            options["if_match"] = etag
        import obstore.exceptions as found

        try:
            return self._ask(
                key,
                lambda: bytes(self._reader.get(key, options=options).bytes()),
                passing=(found.PreconditionError,),
            )
        except found.PreconditionError as error:
            raise StoreError(
                f"{self._words.url(key)}: it was replaced while it was read",
                "see that nothing else writes there; then give the same command again",
            ) from error

    def head(self, key: str) -> ObjectInfo:
        """What is known of an object."""
        info = _info(self._ask(key, lambda: self._reader.head(key)))
        if info.etag is None and info.written == _NEVER:  # every store tells both
            raise self._words.no_store(key)
        return info

    def below(self, prefix: str = "") -> Iterator[ObjectInfo]:
        """All objects below a folder (a prefix up to a slash), in the order of their keys."""
        stream: Any = None
        last: str | None = None

        def next_chunk() -> Any:
            nonlocal stream
            stream = stream or self._reader.list(prefix or None, offset=last)
            try:
                return next(stream, None)
            except BaseException:
                stream = None  # it says no more, as if it had come to its end
                raise

        while (chunk := self._ask(prefix, next_chunk)) is not None:
            for meta in chunk:
                last = meta["path"]
                yield _info(meta)

    def list_folder(self, prefix: str = "") -> tuple[list[str], list[ObjectInfo]]:
        """(folders by their keys, objects) right in a folder, without what is deeper."""
        found = self._ask(prefix, lambda: self._reader.list_with_delimiter(prefix or None))
        return sorted(found["common_prefixes"]), [_info(meta) for meta in found["objects"]]

    # --- writing ---

    def put(self, key: str, data: bytes) -> None:
        """Writes an object in one step, over what is there."""
        self._ask(key, lambda: self._writer.put(key, data, use_multipart=False))

    def put_file(self, key: str, file: IO[bytes]) -> None:
        """Writes an object of a file's content; it appears whole, or not at all."""

        def send() -> None:
            file.seek(0)
            self._writer.put(key, file, chunk_size=_PART, max_concurrency=2)

        self._ask(key, send)

    def create(self, key: str, data: bytes) -> bool:
        """Writes an object unless there is one of that key; whether it did."""
        import obstore.exceptions as found

        try:
            self._ask(
                key,
                lambda: self._put_new(key, data),
                passing=(found.AlreadyExistsError, found.PreconditionError),
            )
        except (found.AlreadyExistsError, found.PreconditionError):
            return False
        except OutageError:
            # The answer to a request that was carried out may have been lost; it is not sent again.
            return self._holds(key, data)
        return True

    def delete(self, key: str) -> None:
        """Removes an object; one that is not there is no error."""
        with contextlib.suppress(FileNotFoundError):
            self._ask(key, lambda: self._writer.delete(key))

    def copy(self, key: str, other: str) -> None:
        """Copies an object within the bucket, on the server."""
        self._ask(key, lambda: self._writer.copy(key, other))

    # --- inner ---

    def _ask(
        self, key: str, request: Callable[[], _Answer], passing: tuple[type[Exception], ...] = ()
    ) -> _Answer:
        """What a request gives; one that the library gives up at the first bad answer is sent again.

        Raises: as the module says; what is in ``passing`` as it is.
        """
        last: OutageError | None = None
        for pause in self._timeouts.pauses():
            time.sleep(pause)
            try:
                with self._words.translating(key, passing):
                    return request()
            except (MalformedAnswerError, RequestTimeoutError) as error:
                last = error
        assert last is not None  # there is at least one attempt
        raise last

    def _put_new(self, key: str, data: bytes) -> None:
        if self.scheme == "oss":  # it has a header of its own, and refuses S3's with 501
            self._creator.put(key, data, use_multipart=False)
        else:
            self._writer.put(key, data, mode="create", use_multipart=False)

    def _holds(self, key: str, data: bytes) -> bool:
        try:
            return self.read(key) == data
        except FileNotFoundError:
            raise OutageError(
                f"{self._words.url(key)}: the store does not answer", "try again later"
            ) from None

    @functools.cached_property
    def _writer(self) -> Any:
        return _open_store(self.scheme, self.bucket, self._settings, WRITING)

    @functools.cached_property
    def _creator(self) -> Any:
        headers = {"x-oss-forbid-overwrite": "true"}
        return _open_store(self.scheme, self.bucket, self._settings, WRITING, headers)


def _settings_of(scheme: str, bucket: str, environment: Mapping[str, str]) -> dict[str, Any]:
    if scheme == "s3":
        return credentials.s3_settings(environment)
    if scheme == "oss":
        return credentials.oss_settings(bucket, environment)
    return credentials.gs_settings(environment) if scheme == "gs" else credentials.az_settings(environment)


def _open_store(
    scheme: str,
    bucket: str,
    settings: Mapping[str, Any],
    timeouts: Timeouts,
    headers: Mapping[str, str] | None = None,
) -> Any:
    try:
        from obstore.store import AzureStore, GCSStore, S3Store
    except ImportError as error:
        raise MissingPackageError(
            f"{scheme}:// needs the package obstore, which is not installed",
            "pip install obstore; where it has no wheel (Linux on ARM), copy the data to a local folder",
        ) from error
    kinds = {"gs": GCSStore, "s3": S3Store, "oss": S3Store, "az": AzureStore}
    settings = _with_fixed_keys(settings)
    client = {
        "connect_timeout": timedelta(seconds=timeouts.connect),
        "read_timeout": timedelta(seconds=timeouts.read),
        "timeout": timedelta(seconds=timeouts.request),
        "allow_http": settings.pop("allow_http", False),
        **({"default_headers": dict(headers)} if headers else {}),
    }
    retry = {
        "max_retries": timeouts.retries,
        "retry_timeout": timedelta(seconds=timeouts.total),
        "backoff": {
            "init_backoff": timedelta(seconds=timeouts.first_pause),
            "max_backoff": timedelta(seconds=8),
            "base": 2,
        },
    }
    try:
        return kinds[scheme](bucket, client_options=client, retry_config=retry, **settings)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        raise unusable(scheme, bucket, error) from error


def _with_fixed_keys(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Keys as a provider of credentials: beside others the library would take the environment's token."""
    rest = {name: value for name, value in settings.items() if name not in _KEYS}
    if "access_key_id" not in settings:
        return rest
    fixed = {
        "access_key_id": settings["access_key_id"],
        "secret_access_key": settings["secret_access_key"],
        "token": settings.get("session_token"),
        "expires_at": None,
    }
    return rest | {"credential_provider": lambda: fixed}


def _info(meta: Mapping[str, Any]) -> ObjectInfo:
    return ObjectInfo(meta["path"], meta["size"], meta["last_modified"], meta["e_tag"])
