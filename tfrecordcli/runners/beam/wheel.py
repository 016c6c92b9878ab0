"""This package as a wheel for the workers, made of its own files however it was installed.

It asks only for what writing needs: a worker must not spend minutes on installing TensorFlow.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from pathlib import Path
from typing import Final

from tfrecordcli.errors import MissingPackageError
from tfrecordcli.shell import requirements
from tfrecordcli.version import __version__

_NAME: Final = "tfrecordcli"
# What reading back, DataFrames and the terminal's bar need.
_NOT_FOR_WRITING: Final = ("tensorflow", "pandas", "tqdm")
_TAG: Final = "py3-none-any"
# The oldest time that a zip file can hold: the same files make the same wheel.
_TIME: Final = (1980, 1, 1, 0, 0, 0)


def build_wheel(folder: Path) -> Path:
    """Writes the wheel into a folder and returns its path."""
    root = Path(__file__).resolve().parents[2]
    info = f"{_NAME}-{__version__}.dist-info"
    files = {
        f"{_NAME}/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*.py"))
    }
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tfrec\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    )
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = folder / f"{_NAME}-{__version__}-{_TAG}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED)
    return wheel


def _metadata() -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {_NAME}", f"Version: {__version__}", "Requires-Python: >=3.11"]
    return "\n".join([*lines, *(f"Requires-Dist: {line}" for line in writing_needs())]) + "\n"


def writing_needs() -> list[str]:
    """The requirements of this package without those that writing does not need.

    Raises:
      MissingPackageError: the package is not installed, only on the path.
    """
    needs = requirements()
    if not needs:
        raise MissingPackageError(
            f"{_NAME} is not installed, so it is not known what workers need", "pip install it"
        )
    return [
        line
        for line in needs
        if "extra ==" not in line and re.split(r"[^A-Za-z0-9_.-]", line)[0] not in _NOT_FOR_WRITING
    ]


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
