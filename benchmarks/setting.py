"""What a measurement stands on: the machine, the versions, the peers' packages, the `tfrec` under test."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

PEERS = ("tfrecord==1.14.6", "webdataset==1.0.2")
OUR_PACKAGES = ("tfrecordcli", "click", "Pillow", "simplejpeg", "isal", "numpy")

_VERSIONS = """
import importlib.metadata, json, sys
print(json.dumps({name: importlib.metadata.version(name) for name in sys.argv[1:]}))
"""


def tfrec_command() -> list[str]:
    """`tfrec` of this interpreter: the installed command, else the package as a module."""
    script = Path(sys.executable).with_name("tfrec")
    return [str(script)] if script.exists() else [sys.executable, "-m", "tfrecordcli"]


def peers_python(work: Path) -> str:
    """The Python of a virtual environment with the peers' packages, made under `work` if need be."""
    return _environment(work / "peers", PEERS)


def encoders_python(work: Path, packages: Sequence[str]) -> str:
    """The Python of a virtual environment with packages that encode images, made under `work` if need be."""
    return _environment(work / "encoders", packages)


def tensorflow_python(work: Path) -> str:
    """A Python that has TensorFlow: this one, or a virtual environment made under `work`."""
    if importlib.util.find_spec("tensorflow") is not None:
        return sys.executable
    return _environment(work / "tensorflow", ("tensorflow",))


def versions_in(python: str, packages: Sequence[str]) -> dict[str, str]:
    """Versions of packages as another Python sees them."""
    argv = [python, "-c", _VERSIONS, *packages]
    found: dict[str, str] = json.loads(
        subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    )
    return found


def our_versions() -> dict[str, str]:
    """Versions of the packages that `tfrec` runs on, as far as they are installed here."""
    found = {}
    for package in OUR_PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """What this machine is, without its name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "processor": _processor(),
        "memory": f"{memory / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"


def _environment(folder: Path, packages: Sequence[str]) -> str:
    """A virtual environment with these packages; one that was not finished is made again."""
    python = folder / "bin" / "python"
    done = folder / "packages.json"
    if done.exists() and json.loads(done.read_text()) == list(packages):
        return str(python)
    print(f"installing {', '.join(packages)}", file=sys.stderr, flush=True)
    venv.create(folder, clear=True, with_pip=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True, stdout=sys.stderr)
    done.write_text(json.dumps(list(packages)))
    return str(python)
