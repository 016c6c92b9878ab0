"""A conversion as it is asked for: options checked, runner chosen, source open."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tfrecordcli.converting import outcome
from tfrecordcli.converting.options_kept import keeping_options
from tfrecordcli.errors import UnfinishedSourceError, UsageError
from tfrecordcli.given_options import make_options
from tfrecordcli.images.gate import PORTABLE, AnyGate, settled
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.options import ConvertOptions
from tfrecordcli.processes import has_current_directory
from tfrecordcli.progress import Reporter
from tfrecordcli.result import ConvertResult
from tfrecordcli.runners.choice import Choice, choose_runner
from tfrecordcli.sources.places import Where, places_of
from tfrecordcli.sources.several.joined import open_sources
from tfrecordcli.sources.source import Source
from tfrecordcli.split_words import DISCARD
from tfrecordcli.storage.store_path import Place, place_of
from tfrecordcli.storage.stores import forget_stores
from tfrecordcli.workdir.workspace import need_no_run

_FIRST_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Request:
    """What all steps of one conversion share."""

    source: Source
    output: Place
    options: ConvertOptions
    runner: Choice
    reporter: Reporter

    def told(self, result: ConvertResult) -> ConvertResult:
        """A result as the user of this source knows it."""
        return result if self.source.rows.tells_lines else outcome.with_places(result, self.places)

    def places(self, lines: Set[int]) -> Mapping[int, Where]:
        """Where people find the rows of these lines."""
        return places_of(self.source.rows, lines)

    def where(self, line: int) -> str:
        """What a message says of a row before its image; empty where the image says enough."""
        if self.source.rows.tells_lines:
            return f"line {line}: "
        where = self.places({line}).get(line)
        return f"{where.of_image()}: " if where and str(where) else ""


@contextlib.contextmanager
def opened_request(
    source: Any, output_dir: str | os.PathLike[str], reporter: Reporter | None, values: Mapping[str, Any]
) -> Iterator[Request]:
    """A request whose options are checked and whose source is open.

    Raises:
      UsageError: options that cannot be right, or not for the workers.
      InputError: the source cannot be read.
    """
    forget_stores()
    options = make_options(values)
    if not has_current_directory():  # even libraries of images fail, and good rows would seem damaged
        raise UsageError("the current directory was deleted", "change to another one")
    if not os.fspath(output_dir):
        raise UsageError("OUTPUT_DIR is empty", "is a variable unset?")
    reporter = reporter or Reporter()
    runner = choose_runner(options.run, os.fspath(output_dir), reporter)
    image = replace(options.image, gate=gate_for(runner, options.image.gate))
    options = replace(options, run=replace(options.run, runner=runner.name), image=image)
    output = place_of(output_dir)
    reporter.begin("reading the source")
    opening = open_sources(source, options.read, str(output), reporter)
    with _at_rest(), keeping_options(options), opening as opened:
        if runner.need_images is not None:
            runner.need_images(_first_images(opened), opened.image_root)
        if opened.box_frame != "auto" and options.image.box_frame == "auto":
            options = replace(options, image=replace(options.image, box_frame=opened.box_frame))
        reporter.begin("planning")
        yield Request(opened, output, options, runner, reporter)


@contextlib.contextmanager
def _at_rest() -> Iterator[None]:
    """Tells a source that is being made at this moment, which will end, from one that was given up.

    Raises:
      BusyError: a run is at work there.
    """
    try:
        yield
    except UnfinishedSourceError as error:
        work = place_of(error.folder) / WORK_DIR
        if isinstance(work, Path):  # on a store a lease would have to be written, beside a source
            need_no_run(work)
        raise


def gate_for(runner: Choice, asked: AnyGate) -> AnyGate:
    """The gate that was asked for, as far as the workers can have it.

    Raises:
      UsageError: they, or this process, cannot.
    """
    settled(asked)
    if asked == "native" and runner.sends_package:
        raise UsageError(
            f"--gate native: workers of {runner.name} get tfrec without what was compiled of it",
            "give them a container that has it (deploy/Dockerfile): --beam-option sdk_container_image=…",
        )
    return PORTABLE if runner.sends_package else asked


def _first_images(source: Source) -> Iterator[str]:
    """The images of the first rows: planning can take hours, and what is wrong at large shows here."""
    if source.schema.task == "tabular":
        return iter(())
    _, rows = source.rows.read()
    used = (row for row in islice(rows, _FIRST_ROWS) if row.problem is None and row.split != DISCARD)
    return (row.image_uri for row in used)
