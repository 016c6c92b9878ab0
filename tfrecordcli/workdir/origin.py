"""Where a plan came from: all that its execution and its end need of the source, kept beside the plan.

So a worker on another machine knows where the images are, and whoever finishes the dataset can quote
rejected rows as they were written, without the command that made the plan.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.checksummed_json import dump, load
from tfrecordcli.dataset.plan import damaged_plan, intact
from tfrecordcli.errors import InputError
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.source import Source, digest_of
from tfrecordcli.storage.files import read_regular
from tfrecordcli.storage.store_path import Place, StorePath
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.storage.writing import upload, write_whole

ORIGIN_FILE: Final = "origin.json"
# The rows of a source that is no file of its own: standard input, a folder, a DataFrame.
_SPOOLED: Final = "rows.csv"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a plan was made of and for.

    Attributes:
      source: its row file need not be there any more.
      replaces: whether the dataset is to replace one that exists.
      path: of the row file; a relative one is relative to the plan's folder.
    """

    source: Source
    replaces: bool
    path: str


def save_origin(folder: Place, source: Source, replaces: bool) -> None:
    """Writes it into a plan's folder, with the rows when nobody else keeps them."""
    path = os.path.abspath(source.rows.path)
    if source.rows.path != source.given:
        path = _SPOOLED
        if isinstance(folder, StorePath):
            with open(source.rows.path, "rb") as file:
                upload(file, folder / _SPOOLED)
        else:
            shutil.copyfile(source.rows.path, folder / _SPOOLED)
    write_whole(folder / ORIGIN_FILE, dump(Origin(source, replaces, path), indent=1))


def load_origin(folder: Place) -> Origin:
    """What the plan in ``folder`` was made of.

    Raises:
      OutputError: it is damaged, or gone.
    """
    path = folder / ORIGIN_FILE
    with intact(path, folder):
        origin = load(Origin, read_regular(path))
    where = origin.path if os.path.isabs(origin.path) else str(folder / _SPOOLED)
    rows = dataclasses.replace(origin.source.rows, path=where)
    return dataclasses.replace(origin, source=dataclasses.replace(origin.source, rows=rows))


def need_rows(source: Source, scratch: Path | None = None, plan: Place | None = None) -> RowFile:
    """The row file of a plan's source, unchanged since.

    Args:
      scratch: folder that rows which are kept on a store are copied to.
      plan: folder of the plan, which may keep the rows.

    Raises:
      InputError: it changed, or is gone.
      OutputError: the same of rows that are kept beside the plan.
      StoreError, OutageError: the store that it is on is in the way.
    """
    rows = source.rows
    kept = plan / _SPOOLED if plan is not None and rows.path == str(plan / _SPOOLED) else None
    if plan is not None and kept is not None and not kept.is_file():
        raise damaged_plan(kept, plan, "it is gone")
    if scratch is not None and is_on_store(rows.path):
        from tfrecordcli.storage.remote import download

        with (scratch / _SPOOLED).open("wb") as file:
            download(rows.path, file)
        rows = dataclasses.replace(rows, path=str(scratch / _SPOOLED))
    if not os.path.exists(rows.path) or digest_of(rows) != source.digest:
        if plan is not None and kept is not None:
            raise damaged_plan(kept, plan, "it is cut or was edited")
        raise InputError(
            f"{rows.path}: changed or gone since the plan was made; rejected rows are quoted from it",
            "put it back, then run this command again",
        )
    return rows
