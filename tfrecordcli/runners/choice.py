"""Which runner the user chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from tfrecordcli.errors import UsageError
from tfrecordcli.option_definition import options_of
from tfrecordcli.options import RunOptions
from tfrecordcli.processes import available_cores
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.runner import Runner

_BEAM_ONLY = ("project", "region", "temp_location", "beam_options")


@dataclass(frozen=True, slots=True)
class Choice:
    """A runner that can be started.

    Attributes:
      name: as it is properly spelt.
      start: a new one.
      need_images: raises UsageError when its workers do not see images of these URIs below that root;
        None when they see what this machine does.
      sends_package: whether its workers get this package from here, without what was compiled of it.
    """

    name: str
    start: Callable[[], Runner]
    need_images: Callable[[Iterable[str], str], None] | None = None
    sends_package: bool = False


def choose_runner(options: RunOptions, output: str, reporter: Reporter) -> Choice:
    """The runner that was asked for, with all of its options checked.

    Raises:
      UsageError, MissingPackageError: it cannot run like this.
    """
    if options.runner.lower() != "local":
        from tfrecordcli.runners.beam.options import beam_setting, need_remote_images
        from tfrecordcli.runners.beam.runner import BeamRunner

        setting = beam_setting(options, output)
        need = partial(need_remote_images, setting.name) if setting.is_remote else None
        return Choice(setting.name, lambda: BeamRunner(setting, reporter), need, setting.ships_package)
    for name in _BEAM_ONLY:
        if getattr(options, name):
            raise UsageError(
                f"{options_of(RunOptions)[name].flag} needs a Beam runner", "as in --runner DataflowRunner"
            )
    return Choice("local", lambda: _local_runner(options.workers))


def _local_runner(workers: int | None) -> Runner:
    from tfrecordcli.runners.local import LocalRunner  # here, because a dry run needs none of it

    return LocalRunner(workers or available_cores())
