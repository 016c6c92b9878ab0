"""Ways of feeding that decode with Pillow, as people write them."""

from __future__ import annotations

import csv
import io
import multiprocessing
import os
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tfrecordcli.bench.ways import LIST, WayTask, open_list
from tfrecordcli.feed.splits import largest, open_dataset, read_splits
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.feed.timing import peak_memory
from tfrecordcli.processes import available_cores
from tfrecordcli.schema import CLASS_LABEL, IMAGE_ENCODED

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Images = npt.NDArray[np.uint8]
    Labels = npt.NDArray[np.int64]

# Batches that wait between a process and its reader.
_AHEAD: Final = 2

# Worker process -> most bytes that it has held.
_memory: dict[int, int] = {}


def read_list(task: WayTask) -> list[tuple[str, int]]:
    """(file, label) of every image laid out."""
    with open_list(Path(task.files)) as file:
        return [(path, int(label)) for path, label in csv.reader(file)]


def shards_of(task: WayTask) -> tuple[list[bytes], str]:
    """(paths, compression) of the shards that are read, as TensorFlow takes them."""
    folder = Path(task.records)
    source = largest(read_splits(folder, open_dataset(folder)))
    assert source is not None
    return [os.fsencode(shard.path) for shard in source.shards], source.compression


def from_files(task: WayTask) -> Iterator[tuple[Images, Labels]]:
    """One file after another."""
    examples = ((Path(path).read_bytes(), label) for path, label in cycle(read_list(task)))
    return _batches(examples, task)


def from_frame(task: WayTask) -> Iterator[tuple[Images, Labels]]:
    """One row of a DataFrame after another."""
    import pandas as pd

    frame = pd.read_csv(Path(task.files) / LIST, names=["file", "label"], encoding_errors="surrogateescape")

    def examples() -> Iterator[tuple[bytes, int]]:
        while True:
            for _, row in frame.iterrows():
                yield Path(row["file"]).read_bytes(), row["label"]

    return _batches(examples(), task)


def from_records(task: WayTask) -> Iterator[tuple[Images, Labels]]:
    """One record after another: TensorFlow reads, Python parses and decodes."""
    tf = import_tensorflow()
    paths, compression = shards_of(task)

    def examples() -> Iterator[tuple[bytes, int]]:
        while True:
            for record in tf.data.TFRecordDataset(paths, compression).as_numpy_iterator():
                features = tf.train.Example.FromString(record).features.feature
                labels = features[CLASS_LABEL].int64_list.value
                yield features[IMAGE_ENCODED].bytes_list.value[0], labels[0] if labels else -1

    return _batches(examples(), task)


def preloaded(task: WayTask) -> Iterator[tuple[Images, Labels]]:
    """Every image decoded once, then batches of the array in a new order each epoch."""
    import numpy as np

    def batches() -> Iterator[tuple[Images, Labels]]:
        rows = read_list(task)
        images = np.stack([decode(Path(path).read_bytes(), task) for path, _ in rows])
        labels = np.array([label for _, label in rows], np.int64)
        random = np.random.default_rng(0)
        while True:
            order = np.resize(random.permutation(len(rows)), max(len(rows), task.batch_size))
            for start in range(0, len(order) - task.batch_size + 1, task.batch_size):
                chosen = order[start : start + task.batch_size]
                yield images[chosen], labels[chosen]

    return batches()


def from_processes(task: WayTask) -> Iterator[tuple[Images, Labels]]:
    """As many processes as cores; each makes whole batches and sends them through a pipe."""
    context = multiprocessing.get_context("spawn")
    count = available_cores()
    queue: Any = context.Queue(_AHEAD * count)
    for number in range(count):
        arguments = (task, number, count, queue)
        context.Process(target=_make_batches, args=arguments, daemon=True).start()

    def batches() -> Iterator[tuple[Images, Labels]]:
        while True:
            number, memory, batch = queue.get()
            _memory[number] = memory
            yield batch

    return batches()


def stop_processes() -> None:
    """Ends the processes of `from_processes`, which would hold this one's output open."""
    for process in multiprocessing.active_children():
        process.terminate()


def memory_of_processes() -> int:
    """Bytes that the processes of `from_processes` have held, in all; 0 when there are none."""
    return sum(_memory.values())


def _make_batches(task: WayTask, number: int, count: int, queue: Any) -> None:
    own = islice(cycle(read_list(task)), number, None, count)
    for batch in _batches(((Path(path).read_bytes(), label) for path, label in own), task):
        queue.put((number, peak_memory(), batch))


def _batches(examples: Iterator[tuple[bytes, int]], task: WayTask) -> Iterator[tuple[Images, Labels]]:
    import numpy as np

    while True:
        rows = list(islice(examples, task.batch_size))
        images = np.stack([decode(encoded, task) for encoded, _ in rows])
        yield images, np.array([label for _, label in rows], np.int64)


def decode(encoded: bytes, task: WayTask) -> Images:
    """Pixels of one image at the task's size."""
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(encoded)) as image:
        small = image.convert("RGB").resize((task.width, task.height), Image.Resampling.BILINEAR)
        return np.asarray(small)
