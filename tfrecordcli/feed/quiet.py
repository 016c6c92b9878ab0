"""TensorFlow without the lines that it writes to the terminal when it starts.

What it logs later is for whoever owns the process to choose. A command of tfrec does so with
`log_fatal_only`. `tfrecordcli.load` and `tfrecordcli.verify` run in a user's process, whose environment and
log level they leave alone: both would stay in force for all that the user does with TensorFlow.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tfrecordcli.errors import MissingPackageError

_LOG_LEVEL: Final = "TF_CPP_MIN_LOG_LEVEL"
_STDERR: Final = 2


def log_fatal_only() -> None:
    """Has TensorFlow log nothing but fatal errors in this process, unless the user chose a level.

    For processes of tfrec's own, before TensorFlow is imported: every other error reaches Python as an
    exception.
    """
    os.environ.setdefault(_LOG_LEVEL, "3")


def import_tensorflow() -> Any:
    """The module `tensorflow`, without its start-up noise.

    Raises:
      MissingPackageError: it is not installed, or cannot be loaded.
    """
    if "tensorflow" in sys.modules:
        return sys.modules["tensorflow"]
    try:
        with quiet_stderr():
            return importlib.import_module("tensorflow")
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "tensorflow"
        reason = "is not installed" if missing else f"cannot be loaded: {error}"
        raise MissingPackageError(f"TensorFlow {reason}", "pip install 'tensorflow>=2.16'") from error


def untouched(function: Callable[..., Any]) -> Any:
    """A function of ours that TensorFlow traces as it is: AutoGraph would rewrite it, slowly and loudly."""
    return import_tensorflow().autograph.experimental.do_not_convert(function)


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Keeps from the terminal what is written to file descriptor 2 meanwhile, also by native code.

    TensorFlow's first lines (absl, oneDNN, CUDA) come before it looks at any log level. They are shown
    after all when the block fails, but not when the user interrupts it. Other threads of the process are
    silenced too, so keep it short.
    """
    _flush()
    try:
        kept = os.dup(_STDERR)
    except OSError:  # stderr is closed: nothing to keep quiet
        yield
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), _STDERR)
        has_failed = False
        try:
            yield
        except Exception:
            has_failed = True
            raise
        finally:
            _restore(kept)
            if has_failed:
                file.seek(0)
                os.write(_STDERR, file.read())


def _restore(kept: int) -> None:
    _flush()
    os.dup2(kept, _STDERR)
    os.close(kept)


def _flush() -> None:
    """Brings out what Python has buffered; a process without a console has no sys.stderr."""
    if sys.stderr is not None:
        sys.stderr.flush()
