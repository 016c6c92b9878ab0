"""Batches are taken so that signals are answered, and none is asked for that no machine could hold."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from converting import environment, image_list, tfrec

import tfrecordcli
from tfrecordcli.cli.verify import summary
from tfrecordcli.errors import UsageError
from tfrecordcli.feed.batches import Taking
from tfrecordcli.feed.options import FeedOptions, check_room, timed_options, usable_memory
from tfrecordcli.feed.report import feed_report
from tfrecordcli.feed.splits import open_dataset
from tfrecordcli.feed.timing import Timing
from tfrecordcli.verify_options import VerifyOptions
from tfrecordcli.verifying.verification import verify


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taking")
    tfrecordcli.convert(image_list(folder / "in", 7), folder / "out")
    return folder / "out"


def test_elements_come_when_they_are_asked_for_and_errors_as_they_are() -> None:
    made: list[int] = []

    def feed() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number
        raise ValueError("damaged")

    with Taking(feed()) as taking:
        assert (next(taking), made) == (0, [0])
        assert [next(taking), next(taking)] == [1, 2]
        with pytest.raises(ValueError, match="damaged"):
            next(taking)
        assert list(taking) == []
    assert not any(thread.name == "tfrec-feed" for thread in threading.enumerate())


def test_a_signal_ends_the_wait_for_an_element() -> None:
    go_on = threading.Event()

    def feed() -> Iterator[int]:
        yield 0
        go_on.wait(60)

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Taking(feed()) as taking:
        list(taking)
    assert time.monotonic() - begin < 10
    go_on.set()


ENDLESS = """
import tensorflow as tf
from tfrecordcli.feed.batches import Taking
nothing = tf.data.Dataset.range(2**62).filter(lambda number: number < 0)
with Taking(nothing) as taking:
    print("waiting", flush=True)
    next(taking)
"""


@pytest.mark.thorough
def test_a_signal_ends_the_process_while_tensorflow_computes(tf: Any) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (130, -signal.SIGINT)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def test_batches_beyond_the_memory_are_refused_before_anything_is_read(dataset: Path) -> None:
    for values, hint in (
        ({"image_size": 10**6}, "--image-size or --batch-size"),
        ({"image_size": 10**30, "batch_size": 1}, "--image-size"),
        ({"image_size": 50_000, "batch_size": 10**30}, "--batch-size"),
    ):
        with pytest.raises(UsageError) as raised:
            verify(dataset, replace(VerifyOptions(), **values))
        assert "of memory, and there is" in raised.value.message
        assert raised.value.hint.endswith(hint)
    done = tfrec("verify", dataset, "--image-size", "1000000")
    assert (done.code, done.out) == (2, "")


def test_room() -> None:
    options = FeedOptions(batch_size=1000, image_size=100)
    check_room(options, 10**6, memory=1 << 30)
    with pytest.raises(UsageError, match=r"batches of 1,000 images of 100 x 100 pixels need 1\d\d MB"):
        check_room(options, 10**6, memory=1 << 26)
    check_room(options, 10, memory=1 << 26)  # so many images never come together
    check_room(FeedOptions(batch_size=1, image_size=None), 10, memory=1)
    assert usable_memory() > 1 << 28


def test_a_batch_holds_what_a_split_fills_in_a_bounded_time(dataset: Path) -> None:
    assert timed_options(FeedOptions(batch_size=64), 7).batch_size == 64
    assert timed_options(FeedOptions(batch_size=10**11), 7).batch_size == 256
    assert timed_options(FeedOptions(batch_size=10**11), 10**6).batch_size == 10**6
    options = FeedOptions(batch_size=10**30, image_size=16)
    report, problems = feed_report(dataset, open_dataset(dataset), options, Timing(0.2, 1.0))
    assert problems == []
    assert (report.batch_size, report.requested_batch_size) == (256, 10**30)
    assert report.images_per_second is not None
    told = verify(dataset, VerifyOptions(image_size=16, batch_size=10**12, feed_seconds=0.2))
    assert "batches of 1,000,000,000,000 were asked for" in summary(told)
