"""A dry run: what a conversion would do, and what is drawn of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tfrecordcli.converting import outcome
from tfrecordcli.converting.finished_dataset import find_dataset
from tfrecordcli.converting.request import Request
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import UsageError
from tfrecordcli.planning.planner import make_plan
from tfrecordcli.result import ConvertResult
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.workdir.workspace import check_output_dir


def dry_run(request: Request) -> ConvertResult:
    """The result of a plan that is made in a temporary folder; nothing else is written but its preview."""
    sheet = _sheet_path(request)
    with scratch_folder() as folder, writing_to(folder):
        planned = make_plan(request.source, request.options, folder, request.reporter)
        shown = _draw(request, planned.plan, folder, sheet) if sheet else {}
    check_output_dir(request.output)
    _, manifest = find_dataset(request.output, overwrite=request.options.run.overwrite)
    result = outcome.planned(request.output, request.options, planned, manifest)
    return replace(result, sheet=shown)


def _draw(request: Request, plan: Plan, folder: Path, path: Path) -> dict[str, Any]:
    """Draws a preview; what the result tells of it.

    Raises:
      InputError: none of the images on it can be used.
    """
    from tfrecordcli.converting.preview import draw_preview  # it brings Pillow and NumPy

    drawn = draw_preview(plan, folder, request.source, request.options.image, path)
    if drawn.images and drawn.images == len(drawn.problems):
        row, problem = drawn.problems[0]
        tried = [row.image_uri for row, _ in drawn.problems]
        from tfrecordcli.converting.no_usable_image import none_usable

        raise none_usable(request, plan, tried, (row.line, row.image_uri), (problem.code, problem.reason))
    if not drawn.images:
        return {}
    return {"file": str(path), "images": drawn.images, "rejected": len(drawn.problems)}


def _sheet_path(request: Request) -> Path | None:
    """Where the preview goes, if one is wanted: never into the output directory.

    Raises:
      UsageError, OutputError: it cannot go there.
    """
    given = request.options.run.sheet
    if given is None:
        return None
    from tfrecordcli.contact_sheet import check_sheet_path

    if request.source.schema.task == "tabular":
        raise UsageError("--sheet draws images, and these rows have none", "leave it out")
    path = Path(given)
    check_sheet_path(path)
    if isinstance(request.output, Path) and path.resolve().is_relative_to(request.output.resolve()):
        raise UsageError(f"--sheet {path}: a dry run writes nothing into OUTPUT_DIR", "choose another place")
    return path
