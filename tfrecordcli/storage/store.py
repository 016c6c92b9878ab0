"""One bucket: the few operations that tfrec needs of a store, over obstore.

obstore is imported when a store is first used, and a store is made in the process that uses it: its
clients do not survive a fork. What it raises is translated here:

- FileNotFoundError and PermissionError are of one object;
- `StoreError`: the credentials or the settings are wrong, no object can be had;
- `OutageError`: no good answer after all repetitions.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import IO, Any, Final

from tfrecordcli.errors import MissingPackageError, OutageError, StoreError
from tfrecordcli.storage import credentials
from tfrecordcli.storage.patience import READING, WRITING, Patience
from tfrecordcli.storage.uris import ObjectName

_PART: Final = 16 << 20  # bytes of an upload that are sent at a time, by two at most
_BODIES: Final = 3  # times that a body is asked for when it breaks off
# Codes in a 403 or 400 by which a store says that it is not about the object (S3, OSS, Azure).
_BAD_CREDENTIALS: Final = re.compile(
    "InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|TokenRefreshRequired|"
    "RequestTimeTooSkewed|InvalidSecurity|SecurityTokenExpired|AuthenticationFailed|RequestExpired"
)
# What the library says of an answer follows the URL and the time that it took, so that no part of a key is
# taken for it; the store's own words may have several lines.
_ANSWER: Final = re.compile(
    r"Error performing [A-Z]+ \S+ in [^-]*? - (.*?)(?:\n\nDebug source:|\Z)", re.DOTALL
)
_STATUS: Final = re.compile(r"status code: (\d{3})")
# Answers that no store gives: those of a web server, a console or a login page where the endpoint should be.
_NO_STORE: Final = re.compile(
    "error following redirect|Received non-partial response|Unable to extract metadata|"
    "Got invalid .* response"
)
# What a list says of a key that the library does not take.
_ODD_KEY: Final = re.compile(r'[Pp]ath "(.*)"(?: contained|: Encountered)', re.DOTALL)
_PANIC: Final = "PanicException"  # of the library; it is no Exception, and has no module to import it from


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
        patience: Patience = READING,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.scheme = scheme
        self.bucket = bucket
        self._settings = _settings_of(scheme, bucket, environment)
        self._reader = _open_store(scheme, bucket, self._settings, patience)
        self._writer: Any = None
        self._creator: Any = None

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
            with self._translating(key):
                answer = self._reader.get(key)
            admit(answer.meta["size"])
            try:
                with self._translating(key):
                    data = answer.bytes()
            except OutageError:
                # The library goes on where a body broke off; it cannot when the object was replaced
                # meanwhile, or when the server sends no ranges. Then only all of it will do.
                if attempt == _BODIES:
                    raise
            else:
                if len(data) == answer.meta["size"]:
                    return bytes(data)
        raise OutageError(f"{self._url(key)}: its size and its content differ", "try again later")

    def read_range(self, key: str, start: int, end: int, etag: str | None = None) -> bytes:
        """Bytes from start to end, which is not included, of the version ``etag`` if that is given."""
        options: dict[str, Any] = {"range": (start, end)}
        if etag:
            options["if_match"] = etag
        import obstore.exceptions as found

        try:
            with self._translating(key, passing=(found.PreconditionError,)):
                return bytes(self._reader.get(key, options=options).bytes())
        except found.PreconditionError as error:
            raise StoreError(
                f"{self._url(key)}: it was replaced while it was read",
                "see that nothing else writes there; then give the same command again",
            ) from error

    def head(self, key: str) -> ObjectInfo:
        """What is known of an object."""
        with self._translating(key):
            info = _info(self._reader.head(key))
        if info.etag is None and info.written == _NEVER:  # every store tells both
            raise self._no_store(key)
        return info

    def below(self, prefix: str = "") -> Iterator[ObjectInfo]:
        """All objects below a folder (a prefix up to a slash), in the order of their keys."""
        with self._translating(prefix):
            for chunk in self._reader.list(prefix or None):
                yield from map(_info, chunk)

    def list_folder(self, prefix: str = "") -> tuple[list[str], list[ObjectInfo]]:
        """(folders by their keys, objects) right in a folder, without what is deeper."""
        with self._translating(prefix):
            found = self._reader.list_with_delimiter(prefix or None)
            return sorted(found["common_prefixes"]), [_info(meta) for meta in found["objects"]]

    # --- writing ---

    def put(self, key: str, data: bytes) -> None:
        """Writes an object in one step, over what is there."""
        with self._translating(key):
            self._writing().put(key, data, use_multipart=False)

    def put_file(self, key: str, file: IO[bytes]) -> None:
        """Writes an object of a file's content; it appears whole, or not at all."""
        with self._translating(key):
            self._writing().put(key, file, chunk_size=_PART, max_concurrency=2)

    def create(self, key: str, data: bytes) -> bool:
        """Writes an object unless there is one of that key; whether it did."""
        import obstore.exceptions as found

        try:
            with self._translating(key, passing=(found.AlreadyExistsError, found.PreconditionError)):
                if self.scheme == "oss":  # it has a header of its own, and refuses S3's with 501
                    self._creating().put(key, data, use_multipart=False)
                else:
                    self._writing().put(key, data, mode="create", use_multipart=False)
        except (found.AlreadyExistsError, found.PreconditionError):
            return False
        except OutageError:
            # The answer to a request that was carried out may have been lost; it is not sent again.
            return self._holds(key, data)
        return True

    def delete(self, key: str) -> None:
        """Removes an object; one that is not there is no error."""
        with contextlib.suppress(FileNotFoundError), self._translating(key):
            self._writing().delete(key)

    def copy(self, key: str, other: str) -> None:
        """Copies an object within the bucket, on the server."""
        with self._translating(key):
            self._writing().copy(key, other)

    # --- inner ---

    def _holds(self, key: str, data: bytes) -> bool:
        try:
            return self.read(key) == data
        except FileNotFoundError:
            raise OutageError(f"{self._url(key)}: the store does not answer", "try again later") from None

    def _writing(self) -> Any:
        if self._writer is None:
            self._writer = _open_store(self.scheme, self.bucket, self._settings, WRITING)
        return self._writer

    def _creating(self) -> Any:
        if self._creator is None:
            headers = {"x-oss-forbid-overwrite": "true"}
            self._creator = _open_store(self.scheme, self.bucket, self._settings, WRITING, headers)
        return self._creator

    def _url(self, key: str) -> str:
        return f"{self.scheme}://{self.bucket}/{key}"

    @contextlib.contextmanager
    def _translating(self, key: str, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        import obstore.exceptions as found

        try:
            yield
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, "no such object", self._url(key)) from error
        except ValueError as error:  # a key that the library cannot ask for
            raise FileNotFoundError(errno.ENOENT, "no such object", self._url(key)) from error
        except passing:
            raise
        except found.InvalidPathError as error:
            raise self._odd_key(key, str(error)) from error
        except found.BaseError as error:
            raise self._failure(key, error) from error
        except BaseException as error:
            if type(error).__name__ != _PANIC:
                raise
            raise _unusable(self.scheme, self.bucket, error) from error

    def _odd_key(self, folder: str, text: str) -> StoreError:
        match = _ODD_KEY.search(text)
        named = "".join(c if c.isprintable() else repr(c)[1:-1] for c in match[1]) if match else folder
        what = "a key" if match else "a key below it"
        return StoreError(
            f"{self._url(named)}: {what} with //, ., .. or control characters, which cannot be listed",
            "rename or remove what has this key, or begins with it; then give the same command again",
        )

    def _no_store(self, key: str) -> StoreError:
        endpoint = self._settings.get("endpoint")
        where = f"what answers at {endpoint}" if endpoint else "what answers"
        return StoreError(
            f"{self._url(key)}: {where} is no such store",
            f"see {_ENDPOINTS[self.scheme]}; a proxy or a login page in between answers so too",
        )

    def _refused(self, answer: str) -> StoreError:
        code = _BAD_CREDENTIALS.search(answer)
        why = f" ({code[0]})" if code else ""
        return StoreError(
            f"{self.scheme}://{self.bucket}: the credentials are not accepted{why}",
            f"{_CURES[self.scheme]}; then the same command continues",
            code="credentials",
        )

    def _failure(self, key: str, error: Exception) -> Exception:
        found = _ANSWER.search(str(error))
        text = found[1] if found else str(error).partition("\n")[0]
        status = _STATUS.search(text)
        code = status[1] if status else ""
        if code == "401" or (code.startswith("4") and _BAD_CREDENTIALS.search(text)):
            return self._refused(text)
        if code == "404":
            return FileNotFoundError(errno.ENOENT, "no such object", self._url(key))
        if code == "403":
            return PermissionError(errno.EACCES, "access denied", self._url(key))
        if "Received redirect" in text:
            return StoreError(f"{self._url(key)}: the bucket is in another region", _CURES[self.scheme])
        if code.startswith("3") or (not code and _NO_STORE.search(text)):
            return self._no_store(key)
        if code.startswith("4") and code not in ("408", "429"):
            what = f"the store refuses with status {code}"
            return StoreError(f"{self._url(key)}: {what}", _CURES[self.scheme])
        what = f"status {code}" if code else "no answer"
        return OutageError(
            f"{self._url(key)}: {what} after all retries",
            "see that network and endpoint are right; the same command continues",
        )


_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)  # what the library has for an answer without a time
_KEYS: Final = ("access_key_id", "secret_access_key", "session_token")
_ENDPOINTS: Final = {
    "s3": "AWS_ENDPOINT_URL",
    "gs": "STORAGE_EMULATOR_HOST",
    "oss": "OSS_ENDPOINT",
    "az": "AZURE_STORAGE_ENDPOINT or AZURE_STORAGE_CONNECTION_STRING",
}
_CURES: Final = {
    "s3": "see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL",
    "gs": "see GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login",
    "oss": "see OSS_ACCESS_KEY_ID, OSS_ACCESS_KEY_SECRET, OSS_REGION and OSS_ENDPOINT",
    "az": "see AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or AZURE_STORAGE_CONNECTION_STRING",
}


@lru_cache(maxsize=64)
def _store(scheme: str, bucket: str) -> Store:
    return Store(scheme, bucket)


def store_of(name: ObjectName) -> Store:
    """The store that an object is on; kept, so that its connections are used again."""
    return _store(name.scheme, name.bucket)


def forget_stores() -> None:
    """Drops all clients, so that changed settings count; each command does at its start.

    What is read already goes on with the client that it has.
    """
    _store.cache_clear()


def cure_of(scheme: str) -> str:
    """What to set for a cloud."""
    return _CURES[scheme]


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
    patience: Patience,
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
        "connect_timeout": timedelta(seconds=patience.connect),
        "read_timeout": timedelta(seconds=patience.silence),
        "timeout": timedelta(seconds=patience.request),
        "allow_http": settings.pop("allow_http", False),
        **({"default_headers": dict(headers)} if headers else {}),
    }
    retry = {
        "max_retries": patience.repetitions,
        "retry_timeout": timedelta(seconds=patience.total),
        "backoff": {
            "init_backoff": timedelta(seconds=patience.first_pause),
            "max_backoff": timedelta(seconds=8),
            "base": 2,
        },
    }
    try:
        return kinds[scheme](bucket, client_options=client, retry_config=retry, **settings)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        raise _unusable(scheme, bucket, error) from error


def _unusable(scheme: str, bucket: str, error: BaseException) -> StoreError:
    """What the library finds wrong with an environment it says in words of its own only."""
    reason = str(error).partition("\n")[0]
    return StoreError(f"{scheme}://{bucket}: {reason}", _CURES[scheme])


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
