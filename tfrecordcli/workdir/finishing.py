"""The last step of a conversion: from done records to a finished dataset, the manifest last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path

from tfrecordcli.dataset.boxes_left_out import BoxReport
from tfrecordcli.dataset.checksummed_json import FileSum, SummedText, crc32c_of
from tfrecordcli.dataset.label_map_pbtxt import to_pbtxt
from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.labels_file import read_labels_file
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.manifest_file import write_manifest
from tfrecordcli.dataset.plan import Plan, ShardTask, damaged_plan, intact
from tfrecordcli.dataset.shard_info import ShardInfo, done_record, look_up
from tfrecordcli.dataset.tfds_files import has_tfds_files, tfds_files
from tfrecordcli.dataset.totals import make_manifest, sum_shards
from tfrecordcli.errors import InputError, InternalError, UsageError
from tfrecordcli.naming import BOXES_LEFT_OUT, LABEL_MAP, LABELS, REJECTS, SHARDS
from tfrecordcli.planning.planner import Planned
from tfrecordcli.planning.scan import PROBLEMS_FILE, RowProblem, read_problems
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.places import places_of
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.writing import whole_file
from tfrecordcli.workdir.job import Job
from tfrecordcli.workdir.rejects import ProblemList, RejectBook, write_rejects
from tfrecordcli.workdir.replacement import replace_dataset
from tfrecordcli.workdir.workspace import Workspace


def finish_dataset(job: Job, rows: Callable[[], RowFile]) -> tuple[Manifest, ProblemList]:
    """Writes what stands beside the shards, the manifest last, and gives the work folder up.

    Args:
      job: all of whose shards stand.
      rows: gives the source, for the rejected rows as they were written; called when there are any.

    Returns:
      the manifest, and the rejected rows.

    Raises:
      OutputError: the plan is damaged.
      InternalError: a shard was never made, or the rows do not add up.
    """
    workspace, plan = job.workspace, job.plan
    need_whole(workspace, plan)
    target, temporary = workspace.target, workspace.temporary
    labels = _labels_of(workspace, plan)
    files: dict[str, FileSum] = {}
    if labels is not None:  # before the sums, which take as much memory a label as its text
        files[LABELS] = _write_text(target / LABELS, [labels.text()], temporary)
        if plan.schema.task == "detection":
            files[LABEL_MAP] = _write_text(target / LABEL_MAP, [to_pbtxt(labels.ids)], temporary)
    book = RejectBook(temporary / "rejects")
    problems = ProblemList(known_problems(workspace), book)
    infos = problems.gather(_infos(job.tasks()))
    left_out = workspace.plan / BOXES_LEFT_OUT
    before = left_out.read_bytes().decode() if BOXES_LEFT_OUT in plan.files else ""
    with BoxReport(temporary, before) as boxes:
        totals, files[SHARDS] = sum_shards(boxes.gather(infos), target / SHARDS, temporary)
    if boxes.count:
        files[BOXES_LEFT_OUT] = boxes.write_to(
            target / BOXES_LEFT_OUT,
            temporary,
            lambda lines: {} if plan.tells_lines else _places(rows(), lines),
        )
    if len(book):
        files[REJECTS] = write_rejects(target, rows(), book, temporary)
    if has_tfds_files(plan.shard_options):
        for name, pieces in tfds_files(plan.schema, labels, totals):
            files[name] = _write_text(target / name, pieces, temporary)
    manifest = make_manifest(plan, labels.ids if labels else {}, totals, files)
    if len(book) != manifest.rejected:
        raise InternalError(f"{manifest.rejected:,} rows were rejected, but {len(book):,} are to be listed")
    write_manifest(target, manifest.as_json(), temporary)
    if workspace.replaces:
        replace_dataset(workspace)
    workspace.forget_plan()
    return manifest, problems


def _places(rows: RowFile, lines: Set[int]) -> dict[int, tuple[str, str]]:
    """(line of the source, place) of the rows of these lines."""
    found = places_of(rows, lines)
    return {line: (str(where.of_image().line or ""), str(where)) for line, where in found.items()}


def _write_text(path: Place, pieces: Iterable[str], temporary: Path) -> FileSum:
    """Writes a file beside the shards in one step."""
    with whole_file(path, temporary) as file:
        summed = SummedText(file)
        for piece in pieces:
            summed.write(piece)
    return summed.sum()


def load_planned(workspace: Workspace, plan: Plan) -> Planned:
    """A plan with what stands beside it, as its maker had it.

    Raises:
      OutputError: the plan is damaged.
    """
    need_whole(workspace, plan)
    labels = _labels_of(workspace, plan) or LabelMap("name", {})
    problems = ProblemList(known_problems(workspace))
    return Planned(plan, labels, tuple(problems.shown()), problems.groups())


def need_whole(workspace: Workspace, plan: Plan) -> None:
    """Sees that what stands beside a plan is as it was written; task files are seen to when they are read.

    Raises:
      OutputError: it is not, naming the file.
    """
    for name, crc32c in plan.files.items():
        path = workspace.plan / name
        with intact(path, workspace.plan):
            if crc32c_of(path) != crc32c:
                raise ValueError("it is cut or was edited")


def known_problems(workspace: Workspace) -> Iterable[RowProblem]:
    """The rows that were rejected before any image was read."""
    return read_problems(workspace.plan / PROBLEMS_FILE)


def _labels_of(workspace: Workspace, plan: Plan) -> LabelMap | None:
    if not plan.num_labels:
        return None
    path = workspace.plan / (LABEL_MAP if plan.schema.task == "detection" else LABELS)
    try:
        labels = read_labels_file(str(path), plan.label_kind)
    except (UsageError, InputError) as error:
        raise damaged_plan(path, workspace.plan, "the labels are gone or no labels") from error
    if len(labels.ids) != plan.num_labels:
        found, wanted = len(labels.ids), plan.num_labels
        raise damaged_plan(path, workspace.plan, f"{found:,} labels where {wanted:,} were planned")
    return labels


def _infos(tasks: Iterable[ShardTask]) -> Iterator[ShardInfo]:
    """The done record of every planned shard, in order."""
    for task, info in look_up(done_record, tasks):
        if info is None:
            raise InternalError(f"{task.name} was never made")
        yield info
