"""Several attempts at one shard at once: a worker that outlives its parent, a retry of some runner."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from converting import image_list, jpeg

from tfrecordcli.dataset.plan import ShardTask, parse_planned_row
from tfrecordcli.dataset.shard_info import RejectedImage
from tfrecordcli.errors import OutputError
from tfrecordcli.given_options import make_options
from tfrecordcli.planning.planner import make_plan
from tfrecordcli.shards.attempt import make_shard
from tfrecordcli.sources.opened_source import open_source
from tfrecordcli.storage import writing
from tfrecordcli.workdir.job import Job
from tfrecordcli.workdir.workspace import Workspace


@pytest.fixture
def task(tmp_path: Path) -> ShardTask:
    csv = image_list(tmp_path / "in", 12)
    options = make_options({"num_shards": 1, "index": True})
    workspace = Workspace(tmp_path / "out")
    workspace.prepare()
    with open_source(str(csv), options.read, str(tmp_path / "out")) as source:
        plan = make_plan(source, options, workspace.work / "plan.new").plan
        workspace.adopt_plan()
        (task,) = Job(workspace, plan, source.image_root).tasks()
    return task


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_attempts_at_the_same_time_do_not_meet(task: ShardTask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them stands at its end, with its whole temporary file, while the others write theirs."""
    from threading import Barrier

    attempts = 4
    barrier = Barrier(attempts, timeout=60)
    real = writing.publish

    def publish(temporary: str | Path, final: str | Path) -> None:
        if str(final) == task.shard_path:
            barrier.wait()
        real(temporary, final)

    monkeypatch.setattr(writing, "publish", publish)
    with ThreadPoolExecutor(attempts) as pool:
        infos = list(pool.map(lambda _: make_shard(task), range(attempts)))
    assert all(info == infos[0] for info in infos)
    shard = Path(task.shard_path)
    assert shard.stat().st_size == infos[0].bytes
    assert files(shard.parent) == ["_tfrec", shard.name, shard.name + ".idx"]
    assert files(Path(task.temporary_path).parent) == []
    assert files(Path(task.done_path).parent) == [Path(task.done_path).name]


def test_an_attempt_that_fails_leaves_no_part(task: ShardTask, monkeypatch: pytest.MonkeyPatch) -> None:
    real = writing.publish

    def full(temporary: str | Path, final: str | Path) -> None:
        if str(final) == task.shard_path:
            raise OSError(28, "No space left on device")
        real(temporary, final)

    monkeypatch.setattr(writing, "publish", full)
    with pytest.raises(Exception, match="no space left"):
        make_shard(task)
    assert files(Path(task.temporary_path).parent) == []


def test_an_attempt_that_outlives_its_run_changes_nothing(
    task: ShardTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run has cleared up, finished, and is gone when a worker of the first one comes to its end."""
    real = writing.publish

    def publish(temporary: str | Path, final: str | Path) -> None:
        if str(final) == task.shard_path:
            work = Path(task.temporary_path).parents[1]
            os.rename(work, work.with_name("gone"))
        real(temporary, final)

    monkeypatch.setattr(writing, "publish", publish)
    with pytest.raises(OutputError):
        make_shard(task)
    assert not Path(task.shard_path).exists()


@pytest.mark.parametrize("rows", [0, 5, 13])
def test_a_plan_that_lost_or_gained_rows_makes_no_shard(task: ShardTask, rows: int) -> None:
    lines = Path(task.rows_path).read_text().splitlines(keepends=True)
    Path(task.rows_path).write_text("".join([*lines, lines[0]][:rows]))
    with pytest.raises(OutputError, match=f"{rows} rows where 12 were planned") as caught:
        make_shard(task)
    assert "/plan/plan.json and run the same command" in caught.value.hint
    assert not Path(task.shard_path).exists()
    assert not Path(task.done_path).exists()


def test_images_that_change_while_a_shard_is_made(task: ShardTask) -> None:
    """A record holds one version of its image, whole: the old one when it was open, else what is there."""
    rows = [parse_planned_row(line) for line in Path(task.rows_path).read_text().splitlines()]
    paths = [Path(task.image_root) / row.image_uri for row in rows]
    old = [path.read_bytes() for path in paths]
    new = [jpeg(100 + number) for number in range(len(rows))]
    seen = 0

    def on_row(size: int, problem: RejectedImage | None) -> None:
        nonlocal seen
        seen += 1
        if seen != 1:
            return
        for number in (1, 11):
            (paths[number].parent / "new").write_bytes(new[number])
            (paths[number].parent / "new").replace(paths[number])
        for number in (2, 10):
            paths[number].unlink()

    info = make_shard(task, on_row)
    shard = Path(task.shard_path).read_bytes()
    assert (seen, [row.code for row in info.rejects]) == (12, ["not_found"])
    assert info.rejects[0].image_uri == rows[10].image_uri
    assert [each in shard for each in (old[1], new[1], old[2], old[11], new[11])] == [
        True,
        False,
        True,
        False,
        True,
    ]
