"""A few images looked at before the work: a list of which none can be used is refused at once."""

from __future__ import annotations

from dataclasses import replace

from tfrecordcli.converting.request import Request
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import MissingPackageError, OutageError, StoreError
from tfrecordcli.images.gate import name_of
from tfrecordcli.runners.runner import Runner
from tfrecordcli.sources.proposals.missing_images import below_root


def try_sample(request: Request, runner: Runner, plan: Plan) -> None:
    """Looks at a few images before the work: when none can be used, something is wrong at large.

    Raises:
      InputError: naming what was tried, and what to do.
    """
    uris = [uri for _, uri in plan.sample]
    image = replace(request.options.image, gate=name_of(plan.gate))
    try:
        results = runner.look(uris, request.source.image_root, image)
    except (StoreError, OutageError, MissingPackageError) as error:
        # The list may name a store from which they were fetched.
        here = next(filter(None, (below_root(uri, request.source.image_root) for uri in uris)), "")
        error.hint = "; or ".join(filter(None, [here, error.hint]))
        raise
    problems = [result for result in results or [None] if result is not None]
    if len(problems) < len(results or [None]):
        return
    from tfrecordcli.converting.no_usable_image import none_usable

    raise none_usable(request, uris, plan.sample[0], problems[0])
