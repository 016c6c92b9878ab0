"""tfrecordcli: image lists into TFRecords that TensorFlow reads, and proof that they are right.

    import tfrecordcli
    tfrecordcli.convert("data.csv", "out/")
    df.tensorflow.to_tfrecord(output_dir="out/")     # on any pandas DataFrame

Importing this package is cheap: what is heavy loads when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfrecordcli._pandas_hook import install as _install_pandas_hook
from tfrecordcli.version import __version__

if TYPE_CHECKING:
    import os

    import pandas as pd

    from tfrecordcli.result import ConvertResult

__all__ = ["__version__", "convert"]

_install_pandas_hook()


def convert(
    source: str | os.PathLike[str] | pd.DataFrame, output_dir: str | os.PathLike[str], **options: Any
) -> ConvertResult:
    """Converts an image list to sharded TFRecords.

    Args:
      source: path of a CSV or TSV, a folder of images, or a pandas DataFrame.
      output_dir: where the dataset goes; made when it is not there.
      **options: those of `tfrec convert`, with underscores: ``num_shards=8``, ``check="structure"``,
        ``columns={"image_uri": "Filename"}``, ``labels_file="labels.txt"``, …

    Returns:
      what was done; rejected rows do not raise (see `ConvertResult.exit_code` and `.rejected`).

    Raises:
      tfrecordcli.errors.TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.conversion import convert as run

    return run(source, output_dir, **options)
