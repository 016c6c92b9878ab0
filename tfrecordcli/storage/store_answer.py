"""What obstore raises over an answer, in tfrec's own errors."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import MalformedAnswerError, OutageError, RequestTimeoutError, StoreError
from tfrecordcli.storage.stores import hint_of

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
PANIC: Final = "PanicException"  # of the library; it is no Exception, and has no module to import it from
# How the library's words for programmers name an answer that breaks the rules of HTTP, or lacks what each
# store tells. No URL, in which a key may say anything, has such blanks in it.
_MALFORMED: Final = re.compile(
    r"hyper::Error\(\s+Parse\(|Custom \{\s+kind: InvalidInput|source: MissingContentLength,\s"
)
_AGAIN: Final = "see that network and endpoint are right; the same command continues"
_ENDPOINTS: Final = {
    "s3": "AWS_ENDPOINT_URL",
    "gs": "STORAGE_EMULATOR_HOST",
    "oss": "OSS_ENDPOINT",
    "az": "AZURE_STORAGE_ENDPOINT or AZURE_STORAGE_CONNECTION_STRING",
}


@dataclass(frozen=True, slots=True)
class StoreWords:
    """How the errors of one bucket are told.

    Attributes:
      endpoint: that was set; empty when it is the cloud's own.
    """

    scheme: str
    bucket: str
    endpoint: str

    def url(self, key: str) -> str:
        return f"{self.scheme}://{self.bucket}/{key}"

    @contextlib.contextmanager
    def translating(self, key: str, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        import obstore.exceptions as found

        try:
            yield
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, "no such object", self.url(key)) from error
        except ValueError as error:  # a key that the library cannot ask for
            raise FileNotFoundError(errno.ENOENT, "no such object", self.url(key)) from error
        except passing:
            raise
        except found.InvalidPathError as error:
            raise self._odd_key(key, str(error)) from error
        except found.BaseError as error:
            raise self._failure(key, error) from error
        except BaseException as error:
            if type(error).__name__ != PANIC:
                raise
            raise unusable(self.scheme, self.bucket, error) from error

    def _odd_key(self, folder: str, text: str) -> StoreError:
        match = _ODD_KEY.search(text)
        named = "".join(c if c.isprintable() else repr(c)[1:-1] for c in match[1]) if match else folder
        what = "a key" if match else "a key below it"
        return StoreError(
            f"{self.url(named)}: {what} with //, ., .. or control characters, which cannot be listed",
            "rename or remove what has this key, or begins with it; then give the same command again",
        )

    def no_store(self, key: str) -> StoreError:
        endpoint = self.endpoint
        where = f"what answers at {endpoint}" if endpoint else "what answers"
        return StoreError(
            f"{self.url(key)}: {where} is no such store",
            f"see {_ENDPOINTS[self.scheme]}; a proxy or a login page in between answers so too",
        )

    def _refused(self, answer: str) -> StoreError:
        code = _BAD_CREDENTIALS.search(answer)
        why = f" ({code[0]})" if code else ""
        return StoreError(
            f"{self.scheme}://{self.bucket}: the credentials are not accepted{why}",
            f"{hint_of(self.scheme)}; then the same command continues",
            code="credentials",
        )

    def _failure(self, key: str, error: Exception) -> Exception:
        found = _ANSWER.search(str(error))
        text = found[1] if found else str(error).partition("\n")[0]
        status = _STATUS.search(text)
        code = status[1] if status else ""
        if code == "400" and "RequestTimeout" in text:
            return RequestTimeoutError(
                f"{self.url(key)}: status 400 RequestTimeout after all retries", _AGAIN
            )
        if _MALFORMED.search(str(error)):
            return MalformedAnswerError(f"{self.url(key)}: the answer is malformed after all retries", _AGAIN)
        if code == "401" or (code.startswith("4") and _BAD_CREDENTIALS.search(text)):
            return self._refused(text)
        if code == "404":
            return FileNotFoundError(errno.ENOENT, "no such object", self.url(key))
        if code == "403":
            return PermissionError(errno.EACCES, "access denied", self.url(key))
        if "Received redirect" in text:
            return StoreError(f"{self.url(key)}: the bucket is in another region", hint_of(self.scheme))
        if code.startswith("3") or (not code and _NO_STORE.search(text)):
            return self.no_store(key)
        if code.startswith("4") and code not in ("408", "429"):
            what = f"the store refuses with status {code}"
            return StoreError(f"{self.url(key)}: {what}", hint_of(self.scheme))
        what = f"status {code}" if code else "no answer"
        return OutageError(f"{self.url(key)}: {what} after all retries", _AGAIN)


def unusable(scheme: str, bucket: str, error: BaseException) -> StoreError:
    """What the library finds wrong with an environment it says in words of its own only."""
    reason = str(error).partition("\n")[0]
    return StoreError(f"{scheme}://{bucket}: {reason}", hint_of(scheme))
