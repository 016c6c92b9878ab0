"""A few images looked at before the work: a list of which none can be used is refused at once."""

from __future__ import annotations

from dataclasses import replace

from tfrecordcli.converting.request import Request
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import InputError
from tfrecordcli.images.gate import name_of
from tfrecordcli.runners.runner import Runner
from tfrecordcli.sources.missing_images import missing_hint
from tfrecordcli.storage.stores import hint_of
from tfrecordcli.storage.uris import is_on_store, public_place, scheme_of


def try_sample(request: Request, runner: Runner, plan: Plan) -> None:
    """Looks at a few images before the work: when none can be used, something is wrong at large.

    Raises:
      InputError: naming what was tried, and what to do.
    """
    uris = [uri for _, uri in plan.sample]
    image = replace(request.options.image, gate=name_of(plan.gate))
    results = runner.look(uris, request.source.image_root, image)
    problems = [result for result in results or [None] if result is not None]
    if len(problems) < len(results or [None]):
        return
    raise none_usable(request, uris, plan.sample[0], problems[0])


def none_usable(
    request: Request, tried: list[str], first: tuple[int, str], problem: tuple[str, str]
) -> InputError:
    """The error for a list of which no image can be used.

    Args:
      tried: the URIs of those that were looked at.
      first: line and URI of one of them.
      problem: its code and reason.
    """
    (line, uri), (code, reason) = first, problem
    hint = "is this the right list?"
    if code == "not_found":
        hint = missing_hint(uri, request.source.image_root, tried)
    path = public_place(request.source.image_root, uri)
    if code == "permission_denied" and is_on_store(path):
        hint = hint_of(scheme_of(path))
    return InputError(
        f"{request.source.rows.name}: none of {len(tried)} images tried can be used; "
        f"{request.where(line)}{path}: {reason}",
        hint,
        code="no_usable_image",
    )
