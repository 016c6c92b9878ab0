"""Whether the packages that tfrec uses are there, can be loaded, and are of a version that it works with."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Final

from tfrecordcli.doctor.finding import Finding
from tfrecordcli.shell import install_extra, requirements

# Package -> its module: all that setup.cfg requires but TensorFlow, which takes seconds to load.
MODULES: Final = {
    "click": "click",
    "google-crc32c": "google_crc32c",
    "isal": "isal",
    "numpy": "numpy",
    "obstore": "obstore",
    "pandas": "pandas",
    "pillow": "PIL",
    "pyyaml": "yaml",
    "simplejpeg": "simplejpeg",
    "tqdm": "tqdm",
    "urllib3": "urllib3",
}

# What is not to be had without a package that some can do without.
_WITHOUT: Final = {
    "isal": "PNG files are checked about three times as slowly",
    "obstore": "nothing on gs://, s3://, oss:// or az:// can be read or written",
    "pandas": "DataFrames are no source; files and folders are",
}

# Extra -> (package that tells it, what it adds).
EXTRAS: Final = {
    "heif": ("pi-heif", "HEIC and HEIF photos"),
    "beam": ("apache-beam", "runners of Apache Beam, as DirectRunner"),
    "dataflow": ("google-apitools", "DataflowRunner, on Google Cloud"),
}

# As it stands in the metadata: `pillow<13,>=12`, `isal>=1.6; platform_machine in "x86_64 …"`.
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*\(?([^;)]*)\)?\s*(;.*)?")
_BOUND: Final = re.compile(r"(>=|<)\s*([0-9.]+)")


def find_packages() -> Iterator[Finding]:
    """What is there of `MODULES` in one line, then a line for each of them that is not well."""
    bounds = _bounds()
    versions = {name: version for name in MODULES if (version := version_of(name))}
    findings = [found for name in MODULES if (found := _finding(name, versions.get(name), bounds))]
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    yield Finding("packages", "ok", shown)
    yield from findings


def find_extras() -> Iterator[Finding]:
    """A line for each of `EXTRAS`."""
    for extra, (package, adds) in EXTRAS.items():
        version = version_of(package)
        if version:
            yield Finding(extra, "ok", f"{adds} ({package} {version})")
        else:
            yield Finding(extra, "absent", f"would add {adds}", install_extra(extra))


def version_of(package: str) -> str:
    """Its version; empty where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _finding(name: str, version: str | None, bounds: Mapping[str, str]) -> Finding | None:
    wanted = f"{name}{bounds.get(name, '')}"
    if version is None and name in _WITHOUT:
        return Finding(name, "absent", f"is not installed: {_WITHOUT[name]}", f"pip install '{wanted}'")
    if version is None:
        return Finding(name, "wrong", "is not installed", f"pip install '{wanted}'")
    if not admits(bounds.get(name, ""), version):
        return Finding(name, "wrong", f"is {version}; tfrec works with {wanted}", f"pip install '{wanted}'")
    hint = f"pip install --force-reinstall '{wanted}'"
    try:
        with warnings.catch_warnings(action="ignore"):  # its finding says it better
            module = importlib.import_module(MODULES[name])
    except Exception as error:  # whatever a broken package raises
        return Finding(name, "wrong", f"cannot be loaded: {error}", hint)
    if getattr(module, "implementation", "c") != "c":  # google-crc32c where it has no wheel for this Python
        return Finding(name, "wrong", f"{version} computes in Python here, which is far too slow", hint)
    return None


def _bounds() -> dict[str, str]:
    """Package -> the versions that tfrec works with, as `>=1.6,<2`; empty when it is not installed itself."""
    found = {}
    for line in requirements():
        match = _REQUIREMENT.fullmatch(line)
        if match and "extra ==" not in (match[3] or ""):
            found[match[1].lower()] = match[2].strip()
    return found


def admits(bounds: str, version: str) -> bool:
    """Whether a version lies within bounds such as `<13,>=12`; others than these two are not looked at."""
    own = _numbers(version)
    for sign, bound in _BOUND.findall(bounds):
        is_below = own < _numbers(bound)
        if is_below != (sign == "<"):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with, without zeros at the end: 12 is 12.0."""
    match = re.match(r"[0-9]+(\.[0-9]+)*", version)
    numbers = [int(each) for each in match[0].split(".")] if match else [0]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
