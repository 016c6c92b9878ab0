"""The journal of a replacement: which files of the old dataset go, and which of the new one come.

It stands in the folder that it is about, which may come from anybody: its names are believed only where
tfrec itself could have written them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tfrecordcli.errors import OutputError
from tfrecordcli.formats.typed_json import from_json, to_json
from tfrecordcli.naming import is_dataset_file
from tfrecordcli.storage.store_path import Place, why_not_read
from tfrecordcli.storage.writing import write_whole

JOURNAL_FILE: Final = "roll.json"
NEW_DATASET: Final = "new"


@dataclass(frozen=True, slots=True)
class Journal:
    """Names of files right in the output directory: those that go, and those that come from `NEW_DATASET`."""

    remove: Sequence[str]
    add: Sequence[str]


def save_journal(work: Place, journal: Journal) -> None:
    """Writes it into a work folder in one step; from then on the replacement is rolled forward."""
    write_whole(work / JOURNAL_FILE, to_json(journal).encode())


def load_journal(work: Place) -> Journal | None:
    """The journal in a work folder, or None when no replacement was begun.

    Raises:
      OutputError: a file of that name that tfrec did not write as it is; it is not to be followed.
    """
    path = work / JOURNAL_FILE
    try:
        if isinstance(path, Path) and path.exists() and not path.is_file():
            raise _damaged(path, "it is no regular file")
        journal = from_json(Journal, path.read_bytes())
    except FileNotFoundError:  # whoever was at work finished meanwhile
        return None
    except OSError as error:
        what, hint = why_not_read(path, error)
        raise OutputError(f"{path}: {what}", hint) from error
    except ValueError as error:
        raise _damaged(path, f"it is cut or was edited ({error})") from error
    for name in (*journal.remove, *journal.add):
        if not is_dataset_file(name):
            raise _damaged(path, f"it names {ascii(name)[:100]}, which is no file of a dataset")
    new = work / NEW_DATASET
    if isinstance(new, Path) and new.is_symlink():
        raise _damaged(path, f"{NEW_DATASET} beside it is a link to another folder")
    return journal


def _damaged(path: Place, what: str) -> OutputError:
    return OutputError(
        f"{path}: this is no journal of a replacement that tfrec wrote: {what}",
        "remove it and run the same command again; where files are missing then, convert with --overwrite",
    )
