"""How tfrec starts Python processes of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tfrecordcli.errors import InternalError

# The package's parent comes last on the path: it must never hide the standard library.
_BOOTSTRAP = "import sys; sys.path.append(sys.argv[1]); import {module} as m; m.main()"


def python_command(module: str) -> list[str]:
    """The command that runs ``main()`` of a module of this very package in a fresh interpreter.

    A fresh interpreter rather than fork or multiprocessing: forking a process with threads (a
    notebook, TensorFlow) deadlocks, and multiprocessing's spawn runs the user's script again.
    """
    if not sys.executable:
        raise InternalError("Python does not know where its own interpreter is (sys.executable is empty)")
    parent = str(Path(__file__).resolve().parent.parent)
    # -P: a file `csv.py` in the user's folder must not become a module of ours.
    return [sys.executable, "-P", "-c", _BOOTSTRAP.format(module=module), parent]


def worker_environment() -> dict[str, str]:
    """Environment of a worker: NumPy's idle thread pools are not started, UTF-8 everywhere."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
