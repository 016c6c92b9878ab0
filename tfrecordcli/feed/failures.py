"""TensorFlow's errors, whatever bytes stand in their texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tfrecordcli.feed.quiet import import_tensorflow


@contextmanager
def failures_in_words() -> Iterator[None]:
    """Within it, what TensorFlow complains of is an error of TensorFlow.

    It quotes bytes of records in its messages. Python, where these are no UTF-8, raises a UnicodeDecodeError
    instead of the error.

    Raises:
      tensorflow.errors.UnknownError: the same message, with escapes for such bytes.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        words = error.object.decode(errors="backslashreplace")
        raise import_tensorflow().errors.UnknownError(None, None, words) from error
