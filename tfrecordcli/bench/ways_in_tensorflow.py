"""Ways of feeding that decode with TensorFlow: queue runners of TF1, and tf.data in three forms."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tfrecordcli.bench.ways import LIST, WayTask
from tfrecordcli.bench.ways_in_python import read_list, shards_of
from tfrecordcli.feed.graph import decode, resize
from tfrecordcli.feed.labels import natural_mode
from tfrecordcli.feed.loading import load
from tfrecordcli.feed.splits import open_dataset, read_splits
from tfrecordcli.feed.tensorflow import import_tensorflow, untouched
from tfrecordcli.schema import CLASS_LABEL, IMAGE_ENCODED

# What TF1's guides used; more threads gave nothing.
_THREADS: Final = 4


def queues_of_records(task: WayTask) -> Iterator[Any]:
    """string_input_producer, TFRecordReader, shuffle_batch, Coordinator, start_queue_runners."""
    v1 = import_tensorflow().compat.v1
    paths, compression = shards_of(task)

    def example() -> tuple[Any, Any]:
        names = v1.train.string_input_producer(paths)
        kind = v1.io.TFRecordOptions("GZIP") if compression else None
        _, record = v1.TFRecordReader(options=kind).read(names)
        return _parse(record)

    return _run_queues(example, task)


def queues_of_files(task: WayTask) -> Iterator[Any]:
    """TextLineReader and decode_csv for the list, read_file for the images."""
    v1 = import_tensorflow().compat.v1

    def example() -> tuple[Any, Any]:
        names = v1.train.string_input_producer([os.fsencode(Path(task.files) / LIST)])
        _, line = v1.TextLineReader().read(names)
        path, label = v1.decode_csv(line, [[""], [0]])
        return v1.read_file(path), v1.to_int64(label)

    return _run_queues(example, task)


def queues_of_whole_files(task: WayTask) -> Iterator[Any]:
    """string_input_producer and WholeFileReader; labels are looked up by the name of the file."""
    v1 = import_tensorflow().compat.v1
    paths, labels = _files_of(task)

    def example() -> tuple[Any, Any]:
        names = v1.train.string_input_producer(paths)
        name, encoded = v1.WholeFileReader().read(names)
        known = v1.lookup.KeyValueTensorInitializer(paths, labels, v1.string, v1.int64)
        return encoded, v1.lookup.StaticHashTable(known, -1).lookup(name)

    return _run_queues(example, task)


def _files_of(task: WayTask) -> tuple[list[bytes], list[int]]:
    """Paths, as TensorFlow takes them, and labels."""
    files = read_list(task)
    return [os.fsencode(path) for path, _ in files], [label for _, label in files]


def _run_queues(example: Any, task: WayTask) -> Iterator[Any]:
    tf = import_tensorflow()
    v1 = tf.compat.v1
    v1.logging.set_verbosity(v1.logging.ERROR)
    with v1.Graph().as_default():
        encoded, label = example()
        image = resize(decode(encoded), (task.height, task.width), "stretch")
        image.set_shape([task.height, task.width, 3])
        batch = v1.train.shuffle_batch(
            [image, label],
            task.batch_size,
            capacity=8 * task.batch_size,
            min_after_dequeue=2 * task.batch_size,
            num_threads=_THREADS,
        )
        session = v1.Session()
        session.run(
            [v1.global_variables_initializer(), v1.local_variables_initializer(), v1.tables_initializer()]
        )
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
    try:
        while True:
            yield tuple(session.run(batch))
    finally:
        # Without this the threads run on in a session that is gone, which ends the process.
        coordinator.request_stop()
        with suppress(tf.errors.OpError):  # of a thread, which ended the run of the session, too
            coordinator.join(threads)
        session.close()


def naive(task: WayTask) -> Iterator[Any]:
    """TFRecordDataset, map, batch; TensorFlow's own repairs off, for it would make them parallel."""
    tf = import_tensorflow()
    settings = tf.data.Options()
    settings.autotune.enabled = False
    optimization = settings.experimental_optimization
    optimization.apply_default_optimizations = False
    optimization.map_parallelization = False
    optimization.inject_prefetch = False
    paths, compression = shards_of(task)
    records = tf.data.TFRecordDataset(paths, compression).repeat()
    dataset = records.map(untouched(lambda record: _image(*_parse(record), task)))
    return iter(dataset.batch(task.batch_size).with_options(settings))


def of_files(task: WayTask) -> Iterator[Any]:
    """A list of files, read and decoded in parallel, as the guides write it."""
    tf = import_tensorflow()
    paths, labels = _files_of(task)
    rows = tf.data.Dataset.from_tensor_slices((paths, tf.constant(labels, tf.int64)))
    dataset = (
        rows.shuffle(len(paths))
        .repeat()
        .map(
            untouched(lambda path, label: _image(tf.io.read_file(path), label, task)),
            num_parallel_calls=tf.data.AUTOTUNE,
        )
    )
    return iter(dataset.batch(task.batch_size).prefetch(tf.data.AUTOTUNE))


def of_records(task: WayTask) -> Iterator[Any]:
    """The largest split through `load`."""
    manifest = open_dataset(Path(task.records))
    splits = load(
        task.records,
        label_mode=natural_mode(manifest, read_splits(Path(task.records), manifest)),
        batch_size=task.batch_size,
        image_size=(task.height, task.width),
        resize="stretch",
        repeat=True,
        device="cpu",
    )
    largest = max(splits, key=lambda split: manifest.splits[split].records)
    return iter(splits[largest])


def _parse(record: Any) -> tuple[Any, Any]:
    tf = import_tensorflow()
    features = {
        IMAGE_ENCODED: tf.io.FixedLenFeature([], tf.string),
        CLASS_LABEL: tf.io.VarLenFeature(tf.int64),
    }
    example = tf.io.parse_single_example(record, features)
    labels = tf.concat([example[CLASS_LABEL].values, [-1]], 0)
    return example[IMAGE_ENCODED], labels[0]


def _image(encoded: Any, label: Any, task: WayTask) -> tuple[Any, Any]:
    return resize(decode(encoded), (task.height, task.width), "stretch"), label
