"""`df.tensorflow`: conversion of a pandas DataFrame, under the name that TFRecorder gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from typing import Unpack

    import pandas as pd

    from tfrecordcli.keywords import ConvertKeywords
    from tfrecordcli.result import ConvertResult


class TensorFlowAccessor:
    """Methods under `df.tensorflow`."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def to_tfrecord(
        self,
        output_dir: str | os.PathLike[str],
        *,
        progress: bool | None = None,
        **options: Unpack[ConvertKeywords],
    ) -> ConvertResult:
        """Converts the images that the rows name to sharded TFRecords.

        The columns are those of a CSV: image_uri and label, split if there is one (or as
        ``columns=`` says). Relative paths are relative to the working folder or ``image_root``.

        Args:
          output_dir: where the dataset goes.
          progress: whether a bar shows how it goes on; None: in notebooks.
          **options: as for `tfrecordcli.convert`; ``runner="DataflowRunner", project=…, region=…`` lets
            Google Cloud do the work. Those of TFRecorder work, or the error says what to use.

        Raises:
          tfrecordcli.errors.TfrecError: it could not be done.
        """
        from tfrecordcli import convert

        return convert(self._frame, output_dir, progress=progress, **options)

    to_tfr = to_tfrecord


def register() -> None:
    """Registers the accessor with pandas, which must be loaded."""
    from pandas.api.extensions import register_dataframe_accessor

    register_dataframe_accessor("tensorflow")(TensorFlowAccessor)
