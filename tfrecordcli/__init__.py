"""tfrecordcli: image lists into TFRecords that TensorFlow reads, and proof that they are right.

    import tfrecordcli
    tfrecordcli.convert("data.csv", "out/")
    df.tensorflow.to_tfrecord(output_dir="out/")     # on any pandas DataFrame

Importing this package is cheap: what is heavy loads when it is used.
"""

from __future__ import annotations

from tfrecordcli._pandas_hook import install as _install_pandas_hook
from tfrecordcli.version import __version__

TYPE_CHECKING = False  # typing is not needed for it
if TYPE_CHECKING:
    import os
    from typing import Any

    import pandas as pd

    from tfrecordcli.feed.pipeline import Splits
    from tfrecordcli.inspecting.inspection import Inspection
    from tfrecordcli.result import ConvertResult
    from tfrecordcli.verify_report import VerifyReport

__all__ = ["__version__", "convert", "inspect", "load", "verify"]

_install_pandas_hook()


def convert(
    source: str | os.PathLike[str] | pd.DataFrame, output_dir: str | os.PathLike[str], **options: Any
) -> ConvertResult:
    """Converts an image list to sharded TFRecords.

    Args:
      source: path of a CSV or TSV, a folder of images, or a pandas DataFrame.
      output_dir: where the dataset goes; made when it is not there.
      **options: those of `tfrec convert`, with underscores: ``num_shards=8``, ``check="structure"``,
        ``columns={"image_uri": "Filename"}``, ``labels="labels.txt"``, …

    Returns:
      what was done; rejected rows do not raise (see `ConvertResult.exit_code` and `.rejected`).

    Raises:
      tfrecordcli.errors.TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.conversion import convert as run

    return run(source, output_dir, **options)


def verify(path: str | os.PathLike[str], **options: Any) -> VerifyReport:
    """Verifies a dataset, a folder of TFRecords or one file.

    Args:
      **options: those of `tfrec verify`, with underscores (`tfrecordcli.verification.VerifyOptions`).

    Returns:
      what was found; problems do not raise.

    Raises:
      tfrecordcli.errors.TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.verification import verify as run
    from tfrecordcli.verify_options import make_verify_options

    return run(path, make_verify_options(options))


def inspect(path: str | os.PathLike[str], *, max_records: int | None = None) -> Inspection:
    """What is in TFRecords, whoever wrote them.

    Args:
      max_records: read at most so many; None reads all.

    Raises:
      tfrecordcli.errors.TfrecError: there is nothing that can be read.
    """
    from tfrecordcli.inspecting.inspection import inspect as run

    return run(path, max_records=max_records)


def load(path: str | os.PathLike[str], **options: Any) -> Splits:
    """A dataset as ``{"train": tf.data.Dataset, …}``, ready to feed an accelerator.

    Args:
      **options: ``image_size``, ``batch_size``, ``shuffle``, ``resize``, ``label_mode``, ``shard``,
        ``repeat``, ``raw``, ``augment``, … (`tfrecordcli.feed.pipeline.load`).

    Raises:
      tfrecordcli.errors.TfrecError: it is no dataset of tfrec, or TensorFlow is not installed.
    """
    from tfrecordcli.feed.pipeline import load as run

    return run(path, **options)
