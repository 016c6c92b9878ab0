"""A stand-in for simplejpeg that does to its process what a broken decoder or a killer would.

`StandIn` writes it into a folder for PYTHONPATH. It is the real package in all but `decode_jpeg`, and with it
comes the native gate, which is the real one in all but `walk`. Both look for a marker in the picture (a
JPEG comment) once the plan of the run, or the dataset, stands (a look at the sample before that passes):

    MARK:segv        SIGSEGV, always
    MARK:segv-kill   SIGSEGV in a worker, SIGKILL in the child that checks for it
    MARK:kill        SIGKILL, always
    MARK:bug         an exception that nobody expects
    MARK:exit        leaves with status 5 in the child that checks, SIGSEGV in a worker
    MARK:wait        writes its process id to `reached` and waits until `go` is there
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path

import simplejpeg

from tfrecordcli.images.gate import is_here

_CODE = """
import os, resource, signal, sys, time

__path__ = [{real!r}]
exec(compile(open({real!r} + "/__init__.py").read(), "simplejpeg", "exec"))

_real, _folder, _output = decode_jpeg, {folder!r}, {output!r}


def _die(number):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), number)
    time.sleep(60)


def meet(data):
    in_worker = "tfrecordcli.runners.worker" in sys.modules
    at = data.find(b"MARK:")
    mark = bytes(data[at + 5 : at + 15]).split(b";")[0] if at >= 0 else b""
    planning = not os.path.exists(_output + "/manifest.json") or os.path.exists(_output + "/_tfrec/plan.new")
    if mark and (os.path.exists(_output + "/_tfrec/plan") or not planning):
        if mark == b"segv" or (in_worker and mark in (b"segv-kill", b"exit")):
            _die(signal.SIGSEGV)
        elif mark in (b"kill", b"segv-kill"):
            _die(signal.SIGKILL)
        elif mark == b"exit":
            os._exit(5)
        elif mark == b"bug":
            raise LookupError("nobody expects this")
        elif mark == b"wait" and not os.path.exists(_folder + "/go"):
            with open(_folder + "/reached.tmp", "w") as file:
                file.write(str(os.getpid()))
            os.replace(_folder + "/reached.tmp", _folder + "/reached")
            while not os.path.exists(_folder + "/go"):
                time.sleep(0.005)


def decode_jpeg(data, *args, **kwargs):
    meet(data)
    return _real(data, *args, **kwargs)
"""

# As `sitecustomize`, for the native gate is found beside the other modules of tfrec.
_NATIVE = """
import sys, types
from importlib.util import module_from_spec, spec_from_file_location

_spec = spec_from_file_location({name!r}, {path!r})
_real = module_from_spec(_spec)
_spec.loader.exec_module(_real)


def _walk(data):
    import simplejpeg

    simplejpeg.meet(data)
    return _real.walk(data)


sys.modules[{name!r}] = types.SimpleNamespace(**{{**vars(_real), "walk": _walk}})
"""


class StandIn:
    """Where the stand-in lies, and how a test talks to it."""

    def __init__(self, folder: Path, output: Path) -> None:
        self.folder = folder
        package = folder / "simplejpeg"
        package.mkdir(parents=True)
        real = str(Path(simplejpeg.__file__).parent)
        code = _CODE.format(real=real, folder=str(folder), output=str(output))
        (package / "__init__.py").write_text(code)
        if is_here("native"):
            native = importlib.import_module("tfrecordcli.images._jpeg_walk")
            code = _NATIVE.format(name=native.__name__, path=native.__file__)
            (folder / "sitecustomize.py").write_text(code)

    @property
    def python_path(self) -> str:
        return str(self.folder)

    def is_reached(self) -> bool:
        return (self.folder / "reached").exists()

    def wait_until_reached(self, timeout: float = 60.0) -> int:
        """The id of the process that waits at the marked picture."""
        path = self.folder / "reached"
        wait_for(path.exists, timeout)
        process = int(path.read_text())
        path.unlink()
        return process

    def go(self) -> None:
        """Lets it go on, now and whenever it comes there again."""
        (self.folder / "go").touch()


def wait_for(condition: Callable[[], object], timeout: float = 60.0) -> None:
    """Returns as soon as ``condition()`` is true; fails when that takes longer than ``timeout``."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def mark(what: str) -> bytes:
    return b"MARK:" + what.encode() + b";"


def processes_under(process: int) -> set[int]:
    """Ids of all descendants of a process (Linux)."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        children.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found: set[int] = set()
    waiting = [process]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.add(child)
            waiting.append(child)
    return found


def is_alive(process: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
