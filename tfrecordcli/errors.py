"""Every error that tfrec raises for its user, in one tree, with the exit code each one means.

    TfrecError
    ├── UsageError          2  an option or argument that cannot be right
    ├── InputError          2  the source cannot be read as what it claims to be
    │   └── UnfinishedSourceError 2  it is a dataset into which a conversion has not ended
    ├── OutputError         2  the output directory cannot be used
    ├── StoreError          2  a store refuses, or is not set up; the hint says what to set
    ├── MissingPackageError 2  a package is not installed; the hint is the install line
    ├── ResourceError       2  memory, disk or file handles ran out; the same command continues
    ├── BusyError           3  something passing is in the way; the same command continues
    │   └── OutageError     3  a store or server does not answer, after all retries
    │       ├── MalformedAnswerError 3  it does, each time with what is no answer
    │       └── RequestTimeoutError  3  it does, each time that the request came too slowly
    └── InternalError      70  a bug in tfrec

A row that cannot be used is not an error: it is a `tfrecordcli.reasons.Rejected`.
"""

from __future__ import annotations


class TfrecError(Exception):
    """Base class. ``message`` says what is wrong, ``hint`` what to do about it.

    ``code`` is stable and meant for scripts (it is ``error.code`` in the JSON output). ``warnings`` are
    those that were told before.
    """

    exit_code = 2
    code = "error"
    warnings: tuple[str, ...] = ()

    def __init__(self, message: str, hint: str = "", *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class DatasetWarning(UserWarning):
    """What a person should know before training on a dataset, for Python's filters of warnings."""


class UsageError(TfrecError):
    code = "usage"


class InputError(TfrecError):
    code = "input"


class UnfinishedSourceError(InputError):
    """``folder`` is the output directory of that conversion."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder}: a conversion into this folder has not ended", "finish it, then convert it"
        )
        self.folder = folder


class OutputError(TfrecError):
    code = "output"


class StoreError(TfrecError):
    code = "store"


class MissingPackageError(TfrecError):
    code = "missing_package"


class ResourceError(TfrecError):
    code = "resources"


class BusyError(TfrecError):
    exit_code = 3
    code = "busy"


class OutageError(BusyError):
    code = "outage"


class MalformedAnswerError(OutageError):
    pass


class RequestTimeoutError(OutageError):
    pass


class InternalError(TfrecError):
    exit_code = 70
    code = "bug"
