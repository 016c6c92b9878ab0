"""A few images looked at before the work: a list of which none can be used is refused at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.converting.request import Request
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import MissingPackageError, OutageError, StoreError
from tfrecordcli.images.gate import name_of
from tfrecordcli.runners.runner import Runner
from tfrecordcli.storage.uris import is_remote

_SOME: Final = 8  # images whose files are looked for


def try_sample(request: Request, runner: Runner, plan: Plan) -> None:
    """Looks at a few images before the work: when none can be used, something is wrong at large.

    Raises:
      InputError: naming what was tried, and what to do.
    """
    uris = [uri for _, uri in plan.sample]
    _tell_of_files_here(request, uris)
    image = replace(request.options.image, gate=name_of(plan.gate))
    try:
        results = runner.look(uris, request.source.image_root, image)
    except (StoreError, OutageError, MissingPackageError) as error:
        from tfrecordcli.converting.no_usable_image import files_of_urls

        here = files_of_urls(request, uris)  # the list may name a store from which they were fetched
        error.hint = "; or ".join(filter(None, [here, error.hint]))
        raise
    problems = [result for result in results or [None] if result is not None]
    if len(problems) < len(results or [None]):
        return
    from tfrecordcli.converting.no_usable_image import none_usable

    raise none_usable(request, plan, uris, plan.sample[0], problems[0])


def _tell_of_files_here(request: Request, uris: Sequence[str]) -> None:
    """Tells, before anything is read over a network, that files of this machine are called as URLs end."""
    if not all(map(is_remote, uris)) or is_remote(request.source.image_root):
        return
    from tfrecordcli.converting.no_usable_image import files_of_urls

    if here := files_of_urls(request, uris[:_SOME]):
        request.reporter.tell(f"note: what the list has on a server is here, too: {here}")
