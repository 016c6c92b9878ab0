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
    from collections.abc import Mapping, Sequence
    from typing import Never, TypeAlias, Unpack, overload

    import pandas as pd

    from tfrecordcli.errors import (
        BusyError,
        DatasetWarning,
        InputError,
        InternalError,
        MissingPackageError,
        OutageError,
        OutputError,
        ResourceError,
        StoreError,
        TfrecError,
        UnfinishedSourceError,
        UsageError,
    )
    from tfrecordcli.feed.loading import Splits
    from tfrecordcli.feed.report import FeedReport
    from tfrecordcli.inspecting.inspection import Inspection
    from tfrecordcli.keywords import ConvertKeywords, LoadKeywords, PlanKeywords, VerifyKeywords
    from tfrecordcli.problems import Problem
    from tfrecordcli.result import ConvertResult, RejectedRow, RejectGroup, ShardsResult
    from tfrecordcli.verify_report import JointReport, VerifyReport

    Source: TypeAlias = str | os.PathLike[str] | pd.DataFrame
    Sources: TypeAlias = Source | Sequence[Source] | Mapping[str, Source | Sequence[Source]]

__all__ = [
    "BusyError",
    "ConvertResult",
    "DatasetWarning",
    "FeedReport",
    "InputError",
    "Inspection",
    "InternalError",
    "JointReport",
    "MissingPackageError",
    "OutageError",
    "OutputError",
    "Problem",
    "RejectGroup",
    "RejectedRow",
    "ResourceError",
    "ShardsResult",
    "Splits",
    "StoreError",
    "TfrecError",
    "UnfinishedSourceError",
    "UsageError",
    "VerifyReport",
    "__version__",
    "convert",
    "finish",
    "inspect",
    "load",
    "plan",
    "verify",
    "write_shards",
]

# The module of each result; all other names that are not here are errors.
_RESULTS = {
    "ConvertResult": "result",
    "FeedReport": "feed.report",
    "JointReport": "verify_report",
    "Inspection": "inspecting.inspection",
    "Problem": "problems",
    "RejectGroup": "result",
    "RejectedRow": "result",
    "ShardsResult": "result",
    "Splits": "feed.loading",
    "VerifyReport": "verify_report",
}

_install_pandas_hook()


if not TYPE_CHECKING:  # a type checker sees the imports above, and should refuse other names

    def __getattr__(name: str) -> object:
        """Results and errors, imported when they are asked for."""
        from importlib import import_module

        if name not in __all__:
            from tfrecordcli.tfrecorder_arguments import FUNCTIONS

            instead = f": {FUNCTIONS[name]}" if name in FUNCTIONS else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead}")

        return getattr(import_module(f"{__name__}.{_RESULTS.get(name, 'errors')}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


def convert(
    source: Sources,
    output_dir: str | os.PathLike[str],
    *,
    progress: bool | None = None,
    **options: Unpack[ConvertKeywords],
) -> ConvertResult:
    """Converts an image list to sharded TFRecords.

    Args:
      source: path of a CSV, TSV, JSON list or folder, or a pandas DataFrame; several of them in a list, or
        by split: ``{"train": frame, "validation": "val.csv"}``.
      output_dir: where the dataset goes; made when it is not there.
      progress: whether a bar shows how it goes on; None: in notebooks.
      **options: those of `tfrec convert`, with underscores: ``num_shards=8``, ``check="structure"``,
        ``columns={"image_uri": "Filename"}``, ``labels="labels.txt"``, …

    Returns:
      what was done; rejected rows do not raise (see `ConvertResult.exit_code` and `.rejected`). Of these, and
      of each of `ConvertResult.warnings`, a `DatasetWarning` tells as well.

    Raises:
      TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.converting.conversion import convert as run
    from tfrecordcli.python_words import told
    from tfrecordcli.tfrecorder_arguments import in_our_words

    source, values = in_our_words(source, options)
    return told(lambda bar: run(source, output_dir, reporter=bar, **values), progress, values, source)


def plan(
    source: Sources,
    output_dir: str | os.PathLike[str],
    *,
    progress: bool | None = None,
    **options: Unpack[PlanKeywords],
) -> ConvertResult:
    """Makes the plan of a conversion, for `write_shards` on any machines that see the output directory.

    Args:
      source, output_dir, progress, **options: as for `convert`; who does the work is not planned.

    Raises:
      TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.converting.conversion import plan as run
    from tfrecordcli.python_words import told

    return told(lambda bar: run(source, output_dir, reporter=bar, **options), progress, options, source)


def write_shards(
    output_dir: str | os.PathLike[str],
    *,
    shards: str | None = None,
    part: str | None = None,
    workers: int | None = None,
    progress: bool | None = None,
    **unknown: Never,
) -> ShardsResult:
    """Makes the chosen shards of a plan, but for those that exist. Any number of these can run at a time.

    Args:
      output_dir: that `plan` left the plan in.
      shards: numbers over all splits, from 0, as in ``"0-99"``; None is all.
      part: as in ``"2/10"``: the third of ten parts.
      workers: busy processes; None is one for each available core.
      progress: as for `convert`.

    Raises:
      TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.converting.steps import write_shards as run
    from tfrecordcli.python_words import need_no_more, told

    need_no_more(unknown, write_shards)
    return told(
        lambda bar: run(output_dir, shards=shards, part=part, workers=workers, reporter=bar), progress
    )


def finish(
    output_dir: str | os.PathLike[str], *, max_rejects: float | str = 0, **unknown: Never
) -> ConvertResult:
    """Makes a dataset of shards that all exist.

    Args:
      output_dir: where the plan and the shards are.
      max_rejects: rejected rows that still count as success: a number, or a share as ``0.01`` or ``"1%"``.

    Raises:
      TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.converting.steps import finish as run
    from tfrecordcli.python_words import need_no_more, told

    need_no_more(unknown, finish)
    return told(lambda _: run(output_dir, max_rejects=max_rejects))


if TYPE_CHECKING:

    @overload
    def verify(
        path: str | os.PathLike[str], *, progress: bool | None = None, **options: Unpack[VerifyKeywords]
    ) -> VerifyReport: ...

    @overload
    def verify(
        path: list[str] | list[os.PathLike[str]] | tuple[str | os.PathLike[str], ...],
        *,
        progress: bool | None = None,
        **options: Unpack[VerifyKeywords],
    ) -> JointReport: ...


def verify(
    path: str | os.PathLike[str] | list[str] | list[os.PathLike[str]] | tuple[str | os.PathLike[str], ...],
    *,
    progress: bool | None = None,
    **options: Unpack[VerifyKeywords],
) -> VerifyReport | JointReport:
    """Verifies a dataset, a folder of TFRecords or one file; or several, as the one that they are to be.

    Args:
      path: of it; of several, in a list, each is verified, and that they can be read as one: that their
        schemas and label maps agree, and that no image of one is in another.
      progress: as for `convert`.
      **options: those of `tfrec verify`, with underscores: ``feed=False``, ``split="train"``, …

    Returns:
      what was found; problems do not raise.

    Raises:
      TfrecError: it could not be done; the message says why and what to do.
    """
    from tfrecordcli.python_words import told
    from tfrecordcli.verify_options import make_verify_options
    from tfrecordcli.verifying.joint_verification import verify_together
    from tfrecordcli.verifying.verification import verify as run

    if isinstance(path, (list, tuple)):
        return told(lambda bar: verify_together(path, make_verify_options(options), bar), progress)
    return told(lambda bar: run(path, make_verify_options(options), bar), progress)


def inspect(
    path: str | os.PathLike[str],
    *,
    max_records: int | None = None,
    progress: bool | None = None,
    **unknown: Never,
) -> Inspection:
    """What is in TFRecords, whoever wrote them.

    Args:
      max_records: read at most so many, in the order of the files; None reads all.
      progress: as for `convert`.

    Raises:
      TfrecError: there is nothing that can be read.
    """
    from tfrecordcli.inspecting.inspection import inspect as run
    from tfrecordcli.python_words import need_no_more, told

    need_no_more(unknown, inspect)
    return told(lambda bar: run(path, max_records=max_records, reporter=bar), progress)


def load(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], **options: Unpack[LoadKeywords]
) -> Splits:
    """A dataset as ``{"train": tf.data.Dataset, …}``, ready to feed an accelerator.

    Args:
      path: of the dataset, or of several that are read as one: those whose schemas and label maps agree.
      **options: ``image_size``, ``batch_size``, ``shuffle``, ``resize``, ``label_mode``, ``features``,
        ``shard``, ``repeat``, ``raw``, ``augment``, … (`tfrecordcli.feed.loading.load`).

    Raises:
      TfrecError: it is no dataset of tfrec, or TensorFlow is not installed.
    """
    from tfrecordcli.feed.loading import load as run
    from tfrecordcli.python_words import told

    return told(lambda _: run(path, **options))
