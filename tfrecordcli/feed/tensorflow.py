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
from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli.errors import MissingPackageError, UsageError

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


@dataclass(frozen=True, slots=True)
class Device:
    """One device: ``name`` as people write it (`cpu`, `gpu:0`), ``path`` as TensorFlow does."""

    name: str
    path: str

    @property
    def is_gpu(self) -> bool:
        return self.name != "cpu"


CPU: Final = Device("cpu", "/CPU:0")


def choose_device(wanted: str) -> Device:
    """The device for ``auto``, ``cpu``, ``gpu`` or ``gpu:N``.

    ``auto`` is the first GPU; without one, and within a `tf.distribute` strategy, which places batches
    itself, it is the CPU.

    Raises:
      UsageError: a GPU is wanted that TensorFlow does not see.
      MissingPackageError: TensorFlow is not installed.
    """
    tf = import_tensorflow()
    if wanted == "cpu":
        return CPU
    with quiet_stderr():
        count = len(tf.config.get_visible_devices("GPU"))
    if wanted == "auto":
        return _gpu(0) if count and not tf.distribute.has_strategy() else CPU
    number = int(wanted.partition(":")[2] or 0)
    if number < count:
        return _gpu(number)
    if count:
        raise UsageError(f"device {wanted}: TensorFlow sees {count} GPUs, numbered from 0", "use auto")
    hint = "is tensorflow[and-cuda] installed, does nvidia-smi list the GPU? Otherwise use --device cpu"
    raise UsageError(f"device {wanted}: TensorFlow sees no GPU", hint)


def start_device(device: Device) -> None:
    """Has TensorFlow set up its devices now, quietly; GPU memory is then taken as it is needed.

    For commands only: in a user's own process, such settings are the user's.
    """
    tf = import_tensorflow()
    with quiet_stderr():
        if device.is_gpu:
            try:
                for gpu in tf.config.list_physical_devices("GPU"):
                    tf.config.experimental.set_memory_growth(gpu, True)
            except (RuntimeError, ValueError):
                pass  # too late, or set otherwise already: how memory is taken changes no result
        with tf.device(device.path):
            tf.zeros([]).numpy()


def arrived_at(batch: Any) -> str:
    """Where the tensors of a batch are: `cpu` or `gpu:N`; several, joined by a comma, when they differ."""
    tf = import_tensorflow()
    specs = (tf.DeviceSpec.from_string(tensor.backing_device) for tensor in tf.nest.flatten(batch))
    names = {"cpu" if s.device_type == "CPU" else f"{s.device_type.lower()}:{s.device_index}" for s in specs}
    return ", ".join(sorted(names))


def _gpu(number: int) -> Device:
    return Device(f"gpu:{number}", f"/GPU:{number}")
