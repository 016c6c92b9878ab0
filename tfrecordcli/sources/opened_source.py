"""A source opened by what it is: a path, a URL, standard input or a DataFrame.

What reads folders and TFRecords is imported where there are some: most sources are a CSV, and the conversion
of a short one takes hardly longer than its imports.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tfrecordcli.errors import InputError, MalformedAnswerError
from tfrecordcli.naming import is_dataset_file
from tfrecordcli.options import ReadOptions
from tfrecordcli.processes import start_thread
from tfrecordcli.progress import Reporter
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.annotation_files import YAML
from tfrecordcli.sources.list_source import (
    kind_of_list,
    source_of_frame,
    source_of_list,
)
from tfrecordcli.sources.made_list import recoding_first
from tfrecordcli.sources.next_step import saying_what_is_next
from tfrecordcli.sources.numpy_values import writing_plain_first
from tfrecordcli.sources.other_files import STANDARD_INPUT
from tfrecordcli.sources.source import (
    OF_FILES,
    Source,
    finished_source,
    need_format,
    need_task,
)
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.store_path import StorePath, place_of, special_kind
from tfrecordcli.storage.stores import hint_of
from tfrecordcli.storage.uris import WEB, is_on_store, is_remote, public_uri, scheme_of
from tfrecordcli.storage.writing import writing_to

if TYPE_CHECKING:
    from tfrecordcli.sources.records.files import RecordFiles

_LENGTH: Final = 8  # bytes that a record begins with
_GZIP: Final = b"\x1f\x8b"
_PIECE = 1 << 20  # bytes of standard input that are copied at once
_TELL_EVERY = 1.0  # seconds


@contextlib.contextmanager
def open_source(
    source: Any, options: ReadOptions, output_dir: str, reporter: Reporter | None = None
) -> Iterator[Source]:
    """Opens a source by what it is.

    Args:
      source: path or URL of a CSV or a folder, `-` for a CSV on standard input, or a pandas DataFrame.
      options: how it is read.
      output_dir: left out when it is inside a source folder.
      reporter: told how long standard input is waited for.

    Raises:
      InputError: there is no such source, or it cannot be read.
      FolderOfLists: it is several.
    """
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else ""
    with (
        recoding_first(name, options.encoding),
        writing_plain_first(name, options.encoding),
        saying_what_is_next(name, options),
        _opened(source, options, output_dir, reporter) as opened,
    ):
        if not options.is_part:  # of several, what all of them tell counts
            need_task(opened, options.task)
        yield opened


@contextlib.contextmanager
def _opened(
    source: Any, options: ReadOptions, output_dir: str, reporter: Reporter | None
) -> Iterator[Source]:
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if scheme_of(path) not in ("", "file") and not is_remote(path):
            raise InputError(f"{path}: {scheme_of(path)}:// is not read", "copy it to a local file")
        if path != "-" and not is_remote(path) and not os.path.isdir(path):
            _need_file(path, output_dir)
            if path.lower().endswith(YAML):
                from tfrecordcli.sources.folder_source import names_a_dataset, source_of_description

                if names_a_dataset(path, options):
                    with scratch_folder() as folder:
                        yield source_of_description(path, options, output_dir, folder / "rows.csv")
                    return
            need_format(path, options.format, OF_FILES)
            if kind_of_list(path, path, options) is None and _records_at(path, options) is None:
                yield finished_source(RowFile(path, path, options), path, os.path.dirname(path) or ".")
                return
    with scratch_folder() as folder:
        spool = folder / "rows.csv"
        if not isinstance(source, (str, os.PathLike)):
            yield source_of_frame(source, options, spool)
        elif path == "-":
            yield _from_stdin(options, spool, reporter or Reporter())
        elif not is_remote(path) and not os.path.isdir(path):
            files = _records_at(path, options)
            if files is not None:
                from tfrecordcli.sources.record_source import source_of_records

                yield source_of_records(files, options, spool, reporter or Reporter())
            else:
                yield source_of_list(path, path, options, spool, path, os.path.dirname(path) or ".")
        elif is_remote(path):
            yield _from_remote(path, options, output_dir, spool, reporter or Reporter())
        else:
            from tfrecordcli.sources.folder_source import source_of_folder

            yield source_of_folder(path, options, output_dir, spool, reporter or Reporter())


def _records_at(path: str, options: ReadOptions) -> RecordFiles | None:
    """The TFRecords at a path; None: it is none, or is said to be something else."""
    if options.format != "tfrecord" and _begins_as_text(path):
        return None
    from tfrecordcli.sources.record_source import record_files

    return record_files(path, options)


def _begins_as_text(path: str) -> bool:
    """Whether a file cannot hold records, plain or gzip: the first would be longer than 2**56 bytes."""
    try:
        with open(path, "rb") as file:
            head = file.read(_LENGTH)
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read", "check its permissions") from error
    return len(head) == _LENGTH and 0 not in head and not head.startswith(_GZIP)


def _need_no_part_of(path: str, output_dir: str) -> None:
    """Refuses a list that `--overwrite` would replace together with the dataset that it belongs to."""
    folder, name = os.path.split(os.path.realpath(path))
    if folder == os.path.realpath(output_dir) and is_dataset_file(name):
        raise _part_of(path, output_dir)


def _part_of(path: str, output_dir: str) -> InputError:
    return InputError(
        f"{path}: this file belongs to the dataset in {output_dir}", "choose another output directory"
    )


def _need_file(path: str, output_dir: str) -> None:
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file or folder", "check the path")
    if not os.path.isfile(path):
        kind = special_kind(Path(path))
        what = f"{kind}, not a regular file" if kind else "not a regular file"
        raise InputError(f"{path}: {what}", "pipe it in: … | tfrec convert - OUTPUT_DIR")
    _need_no_part_of(path, output_dir)


def _from_stdin(options: ReadOptions, spool: Path, reporter: Reporter) -> Source:
    if sys.stdin is None:
        raise InputError("standard input is closed", "pipe the list in: … | tfrec convert - OUTPUT_DIR")
    with writing_to(spool.parent), spool.open("wb", buffering=0) as file, _telling(reporter, spool):
        shutil.copyfileobj(sys.stdin.buffer, file, _PIECE)
    return source_of_list(str(spool), STANDARD_INPUT, options, spool, "-", ".")


@contextlib.contextmanager
def _telling(reporter: Reporter, spool: Path) -> Iterator[None]:
    """Tells of a file that grows, also while nothing comes."""
    done = threading.Event()

    def tell() -> None:
        while not done.wait(_TELL_EVERY):
            reporter.wait(spool.stat().st_size)

    teller = start_thread(tell)
    try:
        yield
    finally:
        done.set()
        teller.join()


def _from_remote(url: str, options: ReadOptions, output_dir: str, spool: Path, reporter: Reporter) -> Source:
    """A list by its URL, which is copied first, since it is read more than once; or what is on a store."""
    name = public_uri(url)
    if is_on_store(url):
        place = place_of(url)
        assert isinstance(place, StorePath)
        out = place_of(output_dir) if is_on_store(output_dir) else None
        if place.parent == out and is_dataset_file(place.name):
            raise _part_of(url, output_dir)
        from tfrecordcli.sources.folder_source import source_of_store_folder
        from tfrecordcli.sources.record_source import record_files, source_of_records
        from tfrecordcli.tfrecords.foreign import is_like_name

        try:
            if url.endswith("/") or not place.is_file():
                return source_of_store_folder(place, options, out, spool, reporter)
            if options.format == "tfrecord" or is_like_name(place.name):
                files = record_files(str(place), options)
                if files is not None:
                    return source_of_records(files, options, spool, reporter)
        except PermissionError as error:
            raise InputError(f"{name}: may not be read", hint_of(place.scheme)) from error
        except MalformedAnswerError as error:
            raise InputError(error.message, "check the URL, and what answers there") from error
    from tfrecordcli.storage.remote import download

    with writing_to(spool.parent), spool.open("wb") as file:
        download(url, file)
    root = public_uri(url) if scheme_of(url) in WEB else url
    return source_of_list(str(spool), name, options, spool, name, root.rpartition("/")[0])
