"""The options of a Beam runner: its name in any spelling, its flags, and what cannot be right among them."""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from tfrecordcli.errors import MissingPackageError, UsageError
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.options import BEAM_RUNNERS, RunOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import install_extra
from tfrecordcli.storage.uris import is_remote, join, parse_store_url, scheme_of
from tfrecordcli.units import nearest

_DASK = "apache_beam.runners.dask.dask_runner.DaskRunner"
_IN_PROCESS = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"
# Beam's own DirectRunner hands over to Prism, which it downloads from GitHub, and there to a container.
_DIRECT = {
    "directrunner": "DirectRunner",
    "switchingdirectrunner": "DirectRunner",
    "fnapirunner": "FnApiRunner",
}
# Runners that ship a pipeline to SDK containers unless they are told otherwise.
_CONTAINERS = ("DataflowRunner", "PortableRunner", "FlinkRunner", "SparkRunner")
# What Google takes; Beam itself looks only after the plan is made.
_SHAPES = {
    "project": (re.compile("[a-z][-a-z0-9:.]+[a-z0-9]"), "the ID of the project, not its name or number"),
    "region": (re.compile("[a-z]+-[a-z]+[0-9]+"), "a region, as in --region us-central1, not a zone"),
    "job_name": (re.compile("[a-z]([-a-z0-9]*[a-z0-9])?"), "lower case letters, digits and - in a job name"),
}
_PYTHON_OF_IMAGE = re.compile(r"(?:python|py)[-_]?3\.?(\d+)")


@dataclass(frozen=True, slots=True)
class BeamSetting:
    """How Beam is to run.

    Attributes:
      name: of the runner, as Beam spells it.
      flags: as Beam takes them on a command line.
      has_processes: whether Beam starts worker processes on this machine.
      is_dask: whether Dask has to be told into how many parts the work goes.
      is_dataflow: whether the job goes to Google Cloud.
      is_remote: whether the workers see nothing of this machine.
      ships_package: whether this package has to be sent to the workers.
      project, region: of the job on Google Cloud.
    """

    name: str
    flags: tuple[str, ...]
    has_processes: bool = False
    is_dask: bool = False
    is_dataflow: bool = False
    is_remote: bool = False
    ships_package: bool = False
    project: str = ""
    region: str = ""


def beam_setting(options: RunOptions, output: str) -> BeamSetting:
    """Checks everything that can be checked before any work.

    Args:
      options: of the run; its runner is not ``local``.
      output: the output directory as given.

    Raises:
      UsageError: what is wrong, all of it at once, and what to do.
      MissingPackageError: Apache Beam, or its part for Google Cloud, is not installed.
    """
    name, path = _runner_of(options.runner)
    given = _given_options(options)
    _need_known(given, path)
    flags = {**given, "runner": path}
    if "save_main_session" not in given:
        flags["no_save_main_session"] = None  # Dataflow would pickle the main module of the command line
    if path == _IN_PROCESS:
        flags |= _processes(options.workers, given)
    elif options.workers is not None:
        raise UsageError(f"--workers is not for {name}", "as in --beam-option max_num_workers=50")
    if name == "DataflowRunner":
        flags.setdefault("temp_location", f"{output.rstrip('/')}/{WORK_DIR}/beam")
        _check_dataflow(flags, output)
    image = flags.get("sdk_container_image")
    if image:
        _check_python(image)
        flags.setdefault("sdk_location", "container")  # nothing is staged: the image has it all
    in_containers = name in _CONTAINERS and (flags.get("environment_type") or "DOCKER") == "DOCKER"
    if in_containers and name != "DataflowRunner" and not scheme_of(output):
        raise UsageError(
            f"--runner {name}: workers in containers do not see the local folder {output}",
            "OUTPUT_DIR on gs://, s3://, oss:// or az://, or --beam-option environment_type=EXTERNAL "
            "(or LOOPBACK) for workers that see it",
        )
    return BeamSetting(
        name=name,
        flags=tuple(_flag(*pair) for pair in flags.items()),
        has_processes=flags.get("direct_running_mode") == "multi_processing",
        is_dask=path == _DASK and not {"dask_npartitions", "dask_partition_size"} & given.keys(),
        is_dataflow=name == "DataflowRunner",
        is_remote=in_containers,
        ships_package=in_containers and not image,
        project=flags.get("project") or "",
        region=flags.get("region") or "",
    )


def _flag(name: str, value: str | None) -> str:
    return f"--{name}" if value is None else f"--{name}={value}"


def _runner_of(given: str) -> tuple[str, str]:
    """(name, path of the class) of a runner in any case; a path of a class stands for itself.

    Raises:
      UsageError: there is none of that name.
    """
    if not _is_installed("apache_beam"):
        near = _nearest_runner(given, BEAM_RUNNERS)  # of a misspelt name that is said first
        if near and "." not in given and _short(given) not in map(_short, BEAM_RUNNERS):
            raise _no_such_runner(given, near)
        raise MissingPackageError(
            f"--runner {given} needs Apache Beam, which is not installed", install_extra("beam")
        )
    if "." in given:
        return given.rpartition(".")[2], given
    from apache_beam.options.pipeline_options import StandardOptions

    paths = {path.rpartition(".")[2].lower(): path for path in StandardOptions.ALL_KNOWN_RUNNERS}
    paths["daskrunner"] = _DASK
    lower = _short(given) + "runner"
    if lower in _DIRECT:
        return _DIRECT[lower], _IN_PROCESS
    if lower not in paths:
        names = sorted(path.rpartition(".")[2] for path in paths.values())
        raise _no_such_runner(given, _nearest_runner(given, names) or f"local, {', '.join(names)}")
    if lower == "dataflowrunner" and not _is_installed("apitools"):
        raise MissingPackageError(
            "--runner DataflowRunner needs Beam's part for Google Cloud, which is not installed",
            install_extra("dataflow"),
        )
    return paths[lower].rpartition(".")[2], paths[lower]


def _nearest_runner(given: str, names: Iterable[str]) -> str:
    """`did you mean DirectRunner?`, by what stands before Runner; empty when none is near."""
    full = {_short(name): name for name in (*names, "local")}
    near = difflib.get_close_matches(_short(given), list(full), 1, cutoff=0.6)
    return f"did you mean {full[near[0]]}?" if near else ""


def _short(name: str) -> str:
    return name.lower().removesuffix("runner")


def _no_such_runner(given: str, hint: str) -> UsageError:
    return UsageError(f"--runner {given}: there is no such runner", hint)


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ImportError:
        return False


def _given_options(options: RunOptions) -> dict[str, str | None]:
    """What the user asked of Beam, by name; `--beam-option` wins over nothing else.

    Raises:
      UsageError: one is given twice.
    """
    given: dict[str, str | None] = dict(options.beam_options)
    if len(given) < len(options.beam_options):
        raise UsageError("--beam-option: a name is given twice", "Beam would take the last one only")
    for name in ("project", "region", "temp_location"):
        value = getattr(options, name)
        if value is not None:
            if given.get(name, value) != value:
                raise UsageError(
                    f"--{name.replace('_', '-')} is given twice", f"leave out --beam-option {name}"
                )
            given[name] = value
    if "runner" in given:
        raise UsageError("--beam-option runner: the runner is given by --runner")
    return given


def _need_known(given: Mapping[str, str | None], path: str) -> None:
    """Beam passes over options that it does not know; here a misspelt one is an error.

    Raises:
      UsageError
    """
    from apache_beam.options.pipeline_options import PipelineOptions

    if path == _DASK:
        try:
            importlib.import_module(path.rpartition(".")[0])  # its options are known from then on
            importlib.import_module("dask.distributed")
        except ImportError as error:
            raise MissingPackageError(
                "--runner DaskRunner needs Dask, which is not installed", "pip install 'apache-beam[dask]'"
            ) from error
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for group in PipelineOptions.__subclasses__():
        group._add_argparse_args(parser)
    known = {option.removeprefix("--") for action in parser._actions for option in action.option_strings}
    for name in given:
        if name not in known:
            hint = nearest(name, known) or "see Beam's documentation of PipelineOptions"
            raise UsageError(f"--beam-option {name}: Beam knows no such option", hint)
    parser.error = _refuse  # type: ignore[method-assign]
    parser.parse_known_args([_flag(*pair) for pair in given.items()])


def _refuse(message: str) -> NoReturn:
    """In place of a page of usage and the end of the process, which is what argparse does."""
    raise UsageError(f"--beam-option: {message}", "see Beam's documentation of PipelineOptions")


def _processes(workers: int | None, given: Mapping[str, str | None]) -> dict[str, str | None]:
    """`--workers` for the runner on this machine: so many processes; without it, this very process."""
    if workers is None:
        return {}
    if "direct_num_workers" in given:
        raise UsageError(
            "--workers and --beam-option direct_num_workers are the same", "leave out one of them"
        )
    mode = given.get("direct_running_mode") or "multi_processing"
    return {"direct_num_workers": str(workers), "direct_running_mode": mode} if workers > 1 else {}


def _check_dataflow(flags: Mapping[str, str | None], output: str) -> None:
    """Raises UsageError with all that DataflowRunner misses."""
    wrong, hints = [], []
    for name in ("project", "region"):
        if not flags.get(name):
            wrong.append(f"--{name} is missing")
            hints.append({"project": "--project PROJECT_ID", "region": "--region us-central1"}[name])
    if scheme_of(output) != "gs":
        wrong.append(f"its workers do not see the local folder {output}")
        hints.append("OUTPUT_DIR must be gs://BUCKET/…")
    for name, (pattern, hint) in _SHAPES.items():
        value = flags.get(name)
        if value and not pattern.fullmatch(value):
            wrong.append(f"{_typed(name)} {value} cannot be one")
            hints.append(hint)
    for name in ("temp_location", "staging_location"):
        place = flags.get(name)
        if place and not _is_on_gs(place) and not (name == "temp_location" and place.startswith(output)):
            wrong.append(f"{_typed(name)} {place} is not on gs://")
            hints.append(f"as in {_typed(name)} gs://BUCKET/tmp")
    if wrong:
        raise UsageError(f"--runner DataflowRunner: {'; '.join(wrong)}", "; ".join(dict.fromkeys(hints)))


def _typed(name: str) -> str:
    """An option as the user types it."""
    if name in ("project", "region", "temp_location"):
        return "--" + name.replace("_", "-")
    return f"--beam-option {name}"


def _is_on_gs(place: str) -> bool:
    try:
        return parse_store_url(place).scheme == "gs"
    except Rejected:
        return False


def _check_python(image: str) -> None:
    """Compares the Python of an image, where its name tells it, with the one that runs here."""
    match = _PYTHON_OF_IMAGE.search(image)
    minor = sys.version_info.minor
    if match and int(match[1]) != minor:
        raise UsageError(
            f"--beam-option sdk_container_image: {image} has Python 3.{match[1]}, here is Python 3.{minor}",
            "Beam needs the same on both sides: use the image for this Python, or this command in that one",
        )


def need_remote_images(name: str, uris: Iterable[str], root: str) -> None:
    """Refuses images that workers on other machines cannot see.

    Args:
      name: of the runner.

    Raises:
      UsageError: naming the first.
    """
    for uri in uris:
        if _is_here(uri, root):
            raise UsageError(
                f"--runner {name}: its workers do not see local images, such as {uri}",
                "copy them to a store and name them there: --image-root gs://BUCKET/images",
            )


def _is_here(uri: str, root: str) -> bool:
    try:
        return not is_remote(join(root, uri))
    except Rejected:  # no place at all, as its row will say
        return False
