"""The device on which batches arrive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.quiet import import_tensorflow, quiet_stderr


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
    count = _count_gpus(tf)
    if wanted == "auto":
        return _gpu(0) if count and not tf.distribute.has_strategy() else CPU
    number = int(wanted.partition(":")[2] or 0)
    if number < count:
        return _gpu(number)
    if count:
        raise UsageError(f"device {wanted}: TensorFlow sees {count} GPUs, numbered from 0", "use auto")
    cure = "is tensorflow[and-cuda] installed, does nvidia-smi list the GPU? Otherwise use --device cpu"
    raise UsageError(f"device {wanted}: TensorFlow sees no GPU", cure)


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


def _count_gpus(tf: Any) -> int:
    with quiet_stderr():
        return len(tf.config.get_visible_devices("GPU"))
