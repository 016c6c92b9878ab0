"""Every way of feeding really runs, and gives the same images and labels."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from converting import write_csv
from PIL import Image

import tfrecordcli
from tfrecordcli.bench import ways_in_python
from tfrecordcli.bench.comparison import run
from tfrecordcli.bench.listed_files import lay_out_files
from tfrecordcli.bench.ways import WAYS, WayTask
from tfrecordcli.bench.worker import _STARTS
from tfrecordcli.feed.splits import open_dataset

COUNT = 24


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> WayTask:
    """24 images of one gray each; the label is the level divided by 10."""
    folder = tmp_path_factory.mktemp("ways")
    rows = []
    for number in range(COUNT):
        Image.new("RGB", (20 + number, 30), (number * 10,) * 3).save(folder / f"{number}.png")
        rows.append(("TRAIN", f"{number}.png", str(number)))
    source = write_csv(folder / "l.csv", rows, ("split", "image_uri", "label"))
    tfrecordcli.convert(source, folder / "out", num_shards="train=2")
    (folder / "files").mkdir()
    assert lay_out_files(folder / "out", open_dataset(folder / "out"), folder / "files") == COUNT
    return WayTask("", str(folder / "out"), str(folder / "files"), 8, 12, 16, 0.2, 1.0)


def test_there_is_a_start_for_every_way() -> None:
    assert set(_STARTS) == set(WAYS)


def batches_of(way: str, task: WayTask) -> Iterator[tuple[Any, Any]]:
    for images, labels in _STARTS[way](task):
        yield np.asarray(images), np.asarray(labels)


@pytest.mark.parametrize("way", WAYS)
def test_images_and_labels_are_the_same_whichever_way(way: str, task: WayTask) -> None:
    try:
        seen = set()
        for images, labels in islice(batches_of(way, task), 9):
            assert images.shape == (8, 12, 16, 3)
            assert images.dtype == np.uint8
            assert (images == labels.astype(int)[:, None, None, None] * 10).all()
            seen.update(labels.tolist())
        # Three epochs' worth; a queue that shuffles may hold some back, and of several processes, each
        # with its own part of the images, one may be first for long.
        assert len(seen) > (0 if way == "processes" else COUNT // 2)
    finally:
        ways_in_python.stop_processes()


@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith("tf1")])
def test_queues_end_with_those_who_take_from_them(way: str, task: WayTask) -> None:
    """A thread that is left would run in a session that is gone."""
    before = {*threading.enumerate()}
    batches = iter(_STARTS[way](task))
    next(batches)
    assert {*threading.enumerate()} - before
    del batches
    assert not {*threading.enumerate()} - before


@pytest.mark.parametrize("way", ["python_files", "processes"])
def test_a_way_in_its_own_process(way: str, task: WayTask) -> None:
    result = run(replace(task, way=way))
    assert result.name == way
    assert result.images_per_second > 0
    assert 0 <= (result.accelerator_wait or 0) <= 1
    # Less than TensorFlow alone needs: memory is this way's own.
    assert 10 << 20 < result.peak_memory_bytes < (300 << 20) * (1 if way == "python_files" else 3)
