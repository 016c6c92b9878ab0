"""Tools of the tests of faults: what a message must look like, and lists that are spoilt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from converting import Run, image_list

import tfrecordcli


def one_line_with_a_hint(done: Run, code: int, word: str) -> None:
    assert done.code == code, done.err
    assert done.err.startswith("tfrec: ")
    message, hint = done.err.splitlines()
    assert word in message
    assert hint.strip()


AS_NOBODY = """
import os, sys
import tfrecordcli.cli.main, tfrecordcli.cli.progress
import tfrecordcli.converting.conversion, tfrecordcli.verifying.verification
import tfrecordcli.sources.survey  # a library in a shut folder is there no more when it is loaded late
os.chdir(sys.argv.pop(1))  # the folders above may be shut to others
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
tfrecordcli.cli.main.main()
"""

PLANNED: dict[str, Any] = {"num_shards": 2, "max_rejects": 9}


@pytest.fixture(scope="session")
def list_with_rejects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of 8 images and 5 rows that cannot be used; `whole` beside it is its dataset as `PLANNED`."""
    csv = image_list(tmp_path_factory.mktemp("with_rejects"), 8)
    with csv.open("a") as file:
        file.writelines(f"TRAIN,no{number}.jpg,\n" for number in range(5))
    tfrecordcli.convert(csv, csv.parent / "whole", **PLANNED)
    return csv
