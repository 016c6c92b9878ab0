"""A plan at its place: what a worker needs, wherever it runs, to make any of its shards.

What is known of the source, and so all that reads lists, is imported where a plan is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path

from tfrecordcli.dataset.checksummed_json import load
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.plan import PLAN_FILE, Plan, ShardTask, intact
from tfrecordcli.dataset.shard_info import ShardInfo, finished_shard, look_up
from tfrecordcli.errors import OutputError
from tfrecordcli.images.gate import name_of
from tfrecordcli.schema import SPLITS
from tfrecordcli.storage.files import read_regular
from tfrecordcli.storage.store_path import Place
from tfrecordcli.workdir.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Job:
    """The shards of one plan, counted from 0 over all splits.

    Attributes:
      workspace: where the plan is and where shards go.
      plan: as loaded from there.
      image_root: folder that relative image URIs are relative to.
    """

    workspace: Workspace
    plan: Plan
    image_root: str

    def task(self, number: int) -> ShardTask:
        """All that is needed to make one shard."""
        places = self.workspace.absolute()
        name, planned = self.plan.shard(number)
        return ShardTask(
            name=name,
            planned=planned,
            rows_path=str(places.plan / "tasks" / name.stem),
            image_root=self.image_root,
            shard_path=str(places.target / str(name)),
            temporary_path=str(places.temporary / str(name)),
            done_path=str(places.done / name.stem),
            image=replace(self.plan.image_options, gate=name_of(self.plan.gate)),
            rows_crc32c=self.plan.tasks[number],
            index=self.plan.shard_options.index,
            schema=self.plan.schema,
            first=self.plan.first_row(number),
            unit=self.plan.unit,
            numbers_images=self.plan.numbers_images,
            gate=self.plan.gate,
            identity=self.plan.identity,
        )

    def tasks(self) -> Iterator[ShardTask]:
        return map(self.task, range(self.plan.num_shards))

    def finished(self, numbers: Iterable[int]) -> Iterator[ShardInfo]:
        """What came of those of these shards that stand."""
        found = look_up(finished_shard, map(self.task, numbers))
        return (info for _, info in found if info is not None)

    def unfinished(self, numbers: Iterable[int]) -> Iterator[int]:
        """Those of these shards that are still to be made."""
        numbers, again = tee(numbers)  # which may be an iterator, and shards are looked up ahead
        found = look_up(finished_shard, map(self.task, again))
        return (number for number, (_, info) in zip(numbers, found, strict=True) if info is None)


def load_plan(folder: Place) -> Plan | None:
    """The plan in a folder, or None when there is none or it was not finished.

    Raises:
      OutputError: it is damaged.
    """
    with intact(folder / PLAN_FILE, folder):
        try:
            plan = load(Plan, read_regular(folder / PLAN_FILE))
        except (FileNotFoundError, NotADirectoryError):
            return None
        _check(plan)
    return plan


def _check(plan: Plan) -> None:
    """Raises a ValueError for a plan that is none, though its checksum is right: names become paths."""
    _ = plan.image_options, plan.shard_options  # which raise what is wrong with them
    for split in plan.splits:
        if split.split not in SPLITS or not 0 < split.num_shards <= split.planned:
            raise ValueError(f"{split.num_shards} shards of {split.planned} rows of {split.split}")
    if len(plan.tasks) != plan.num_shards:
        raise ValueError(f"checksums of {len(plan.tasks)} tasks for {plan.num_shards} shards")


def is_left_over(output: Place, manifest: Manifest) -> bool:
    """Whether no run can go on with what the work folder of a finished dataset holds: `finish` clears it up.

    So it is without a plan, or with the plan of this very dataset; but a run may be about to make one.
    """
    from tfrecordcli.workdir.origin import load_origin

    folder = Workspace(output).plan
    try:
        plan = load_plan(folder)
        if plan is None:
            return True
        return plan.identity == manifest.identity and not load_origin(folder).replaces
    except OutputError:  # a damaged one, of which convert says what to do
        return False


def open_job(output: Place, scratch: Path | None = None) -> Job:
    """The job whose plan is in an output directory.

    Raises:
      OutputError: there is none: it was never made, or the dataset is finished.
    """
    from tfrecordcli.workdir.origin import load_origin

    workspace = Workspace(output)
    plan = load_plan(workspace.plan)
    if plan is None:
        raise OutputError(
            f"{output}: there is no plan here", "make one first: tfrec plan SOURCE OUTPUT_DIR", code="no_plan"
        )
    origin = load_origin(workspace.plan)
    return Job(Workspace(output, origin.replaces, scratch), plan, origin.source.image_root)
