"""rejects.csv against what the manifest says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tfrecordcli.dataset.manifest import sums_of_files
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.naming import REJECTS
from tfrecordcli.problems import Problem, problem
from tfrecordcli.tfrecords.files import sum_of_file, why_unreadable
from tfrecordcli.units import plural
from tfrecordcli.workdir.rejects import listed_codes


def check_rejects_file(dataset: Dataset, notes: list[str]) -> Iterator[Problem]:
    """Problems when it is lost or cannot be read; that it was edited, as people mend it, is a note.

    Args:
      notes: takes the note.
    """
    assert dataset.manifest is not None
    rejected = sum(counts["rejected"] for counts in dataset.manifest["splits"].values())
    if not rejected:
        return
    try:
        found = sum_of_file(dataset.folder / REJECTS)
    except FileNotFoundError:
        yield problem("rejects_missing", REJECTS, detail=plural(rejected, "row"))
        return
    except OSError as error:
        yield problem("unreadable", REJECTS, detail=why_unreadable(error))
        return
    written = sums_of_files(dataset.manifest).get(REJECTS)  # which datasets of earlier versions lack
    told = listed_codes(dataset.folder) & Counter(dataset.manifest["reasons"])
    if found != written if written else told.total() < rejected:
        notes.append(
            f"{REJECTS} was edited since it was written, as it may be: it tells {told.total():,} of the "
            f"{plural(rejected, 'rejected row')}"
        )
