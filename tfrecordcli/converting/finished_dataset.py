"""The finished dataset of an output directory: found, and its result where it is the one asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from tfrecordcli.converting import outcome
from tfrecordcli.converting.mend_command import mend_command
from tfrecordcli.converting.request import Request
from tfrecordcli.dataset.finished_files import need_files
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.manifest_file import DamagedManifest, load_manifest
from tfrecordcli.errors import OutputError
from tfrecordcli.images.gate import PORTABLE, Gate, is_here, name_of
from tfrecordcli.naming import REJECTS, WORK_DIR
from tfrecordcli.options import ImageOptions
from tfrecordcli.planning.identity import Identity
from tfrecordcli.planning.scan import RowProblem
from tfrecordcli.reasons import IMAGE_REASONS
from tfrecordcli.result import ConvertResult, Status
from tfrecordcli.runners.runner import Runner
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.workdir.rejects import ProblemList, read_rejects


def find_dataset(output: Place, *, overwrite: bool) -> tuple[bool, Manifest | None]:
    """Whether a dataset is there, and its manifest; None for a damaged one that is to be replaced."""
    try:
        manifest = load_manifest(output, label_counts=False)
    except DamagedManifest:
        if not overwrite:
            raise
        return True, None
    return manifest is not None, manifest


def find_finished(output: Place) -> Manifest | None:
    """The manifest of a dataset that nobody works on. Nothing is written then: it may be read-only."""
    with writing_to(output):
        if (output / WORK_DIR).exists():
            return None
        return load_manifest(output, label_counts=False)


def finished_before(request: Request, manifest: Manifest, identity: Identity) -> ConvertResult:
    """The result of a finished dataset of this very source and options, once more."""
    _need_same(request, manifest, identity)
    need_files(request.output, manifest)
    gate = name_of(manifest.gate or PORTABLE)
    changed = _find_fixed(request, gate) if is_here(gate) else ""
    if changed:
        raise OutputError(
            f"{request.output}: complete, but an image that was rejected has changed: {changed}",
            "convert again with --overwrite to take it in",
        )
    codes: Counter[str] = Counter()
    problems = ProblemList(_counted(read_rejects(request.output, request.source.rows), codes))
    result = finished_result(request, "already_complete", manifest, problems)
    if result.mend_command and not codes and _is_emptied(request.output / REJECTS):
        result = replace(result, mend_command="")
    held = (codes & Counter(manifest.reasons)).total()
    warnings = []
    if held != result.rejected:
        tells = f"only {held:,}" if held else "none"
        warnings.append(
            f"{request.output / REJECTS} was edited: it tells {tells} of the {result.rejected:,} rows "
            "that were rejected; whether images of the others were mended is not known"
        )
    if result.rejected and not is_here(gate):
        warnings.append(
            f"whether rejected images were mended is not known: the gate {manifest.gate} judged them, "
            "which is not here"
        )
    return replace(result, warnings=(*result.warnings, *warnings))


def _is_emptied(rejects: Place) -> bool:
    """Whether there is nothing left to be mended: a header at most."""
    with rejects.open("rb") as file:
        return sum(1 for _ in islice(filter(bytes.strip, file), 2)) < 2


def _find_fixed(request: Request, gate: Gate) -> str:
    """The first image, with its line, that is no longer rejected as it was; empty when none is."""
    image = replace(request.options.image, gate=gate)
    rejects = read_rejects(request.output, request.source.rows)
    suspects = (problem for problem in rejects if problem.code in IMAGE_REASONS)
    with request.runner.start() as runner:
        while batch := list(islice(suspects, 32)):
            problem = _first_changed(request, runner, batch, image)
            if problem is not None:
                return f"{request.where(problem.line)}{problem.image_uri}"
    return ""


def _first_changed(
    request: Request, runner: Runner, problems: Sequence[RowProblem], image: ImageOptions
) -> RowProblem | None:
    uris = [problem.image_uri for problem in problems]
    results = runner.look(uris, request.source.image_root, image)
    if results is None and len(problems) > 1:  # the decoder still crashes over one of them
        alone = (_first_changed(request, runner, [each], image) for each in problems)
        return next(filter(None, alone), None)
    for problem, result in zip(problems, results or [], strict=False):
        if result is None or result[0] != problem.code:
            return problem
    return None


def finished_result(
    request: Request, status: Status, manifest: Manifest, problems: ProblemList
) -> ConvertResult:
    """The result of a dataset that exists, with the command for its mended rejects."""
    command = mend_command(request.source, str(request.output), request.options, manifest)
    return outcome.finished(status, request.output, request.options, manifest, problems, command)


def _need_same(request: Request, manifest: Manifest, identity: Identity) -> None:
    """Refuses to touch a finished dataset of other input or options."""
    changed = identity.changes_since(manifest.identity, manifest.options)
    if not changed:
        return
    raise OutputError(
        f"{request.output}: a finished dataset is here, made with another value of: {changed}",
        "use --overwrite to replace it, or choose another output directory",
    )


def _counted(problems: Iterable[RowProblem], codes: Counter[str]) -> Iterator[RowProblem]:
    for problem in problems:
        codes[problem.code] += 1
        yield problem
