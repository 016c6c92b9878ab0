"""All that is found out about a machine, in the order in which it is shown."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tfrecordcli.doctor.finding import Finding
from tfrecordcli.doctor.packages import find_extras, find_packages, version_of
from tfrecordcli.doctor.stores import find_stores
from tfrecordcli.errors import MissingPackageError
from tfrecordcli.feed.options import usable_memory
from tfrecordcli.feed.tensorflow import choose_device, import_tensorflow
from tfrecordcli.images.gate import HINT, here, is_here
from tfrecordcli.option_definition import option
from tfrecordcli.option_parsing import texts
from tfrecordcli.processes import available_cores
from tfrecordcli.units import format_size, plural

_NVIDIA: Final = Path("/proc/driver/nvidia/version")  # the driver is loaded


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """What is looked at besides this machine."""

    stores: tuple[str, ...] = option(
        (), "Ask whether this bucket or folder answers.", "URL", texts, is_repeated=True,
        shown="none is asked",
    )  # fmt: skip


def diagnose(stores: Sequence[str] = ()) -> Iterator[Finding]:
    """What is found, one after another; asking TensorFlow takes seconds.

    Args:
      stores: URLs on stores, each of which is asked for a list of what is there.
    """
    yield _machine()
    yield from find_packages()
    yield _gate()
    yield _tensorflow()
    yield from find_extras()
    yield from find_stores(stores)


def _machine() -> Finding:
    cores, all_cores = available_cores(), os.cpu_count() or 1
    of = f" of {all_cores}" if cores != all_cores else ""
    system = f"Python {platform.python_version()}, {platform.system()} on {platform.machine()}"
    memory = format_size(usable_memory())
    return Finding("machine", "ok", f"{system}, {plural(cores, 'core')}{of}, {memory} of memory")


def _gate() -> Finding:
    """Which check of picture data in JPEGs is here."""
    if is_here("native"):
        return Finding("gate", "ok", f"{here()}: every code of a JPEG's data is gone over")
    return Finding("gate", "absent", "JPEGs are checked by libjpeg: slower, and finds less damage", HINT)


def _tensorflow(driver: Path = _NVIDIA) -> Finding:
    """Whether it can be loaded, and sees the GPU if there is one."""
    try:
        version = import_tensorflow().__version__
    except MissingPackageError as error:
        what = error.message.removeprefix("TensorFlow ")
        text = f"{what}; convert needs none, but verify in full, load and bench do"
        return Finding("tensorflow", "wrong" if version_of("tensorflow") else "absent", text, error.hint)
    if choose_device("auto").is_gpu:
        return Finding("tensorflow", "ok", f"{version}, which sees a GPU")
    if driver.exists():
        hint = "pip install 'tensorflow[and-cuda]', and see that nvidia-smi lists the GPU"
        return Finding("tensorflow", "wrong", f"{version} sees no GPU; there is a driver for one", hint)
    return Finding("tensorflow", "ok", f"{version}; there is no GPU: batches stay on the CPU")
