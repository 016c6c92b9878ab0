"""What `ls`, `du`, `find` and `tree` print is no list, and is told by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from boxing import photos
from converting import tfrec
from foreign_files import write_files

LINE: Final = "-rw-r--r-- 1 me me 1429 Nov 22 21:18"
PRINTED: Final = {
    "du": "4\t./dog/0.jpg\n4\t./dog/1.jpg\n12\t./dog\n",
    "du ": "4.0K\tdog/0.jpg\r\n12K\tdog\r\n",
    "ls -l": f"total 12\n{LINE} 0.jpg\n",
    "ls -s": "total 12\n 4 0.jpg\n 8 1.jpg\n",
    "ls -R": ".:\ncat\ndog\n\n./cat:\n0.jpg\n",
    "ls -R ": "in/cat:\ntotal 4\n0.jpg\n",
    "find -ls": f"  2401830      4 {LINE} ./dog/0.jpg\n",
    "tree": ".\n├── cat\n│   └── 0.jpg\n",
}


@pytest.mark.parametrize(("command", "text"), PRINTED.items(), ids=PRINTED)
def test_what_a_command_prints_is_refused_by_its_name(command: str, text: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"list.txt": text})
    done = tfrec("convert", "list.txt", "out", cwd=tmp_path)
    assert (done.code, f"this is what {command.strip()} prints" in done.err) == (2, True), done


def test_lists_that_look_like_what_a_command_prints_are_not(tmp_path: Path) -> None:
    photos(tmp_path, "0.png", "1.png")
    write_files(tmp_path, {"a.txt": "4\t0.png\n8\t1.png\n", "b.txt": "train\t0.png\tcat\ntest\t1.png\tdog\n"})
    assert "make a CSV of it" in tfrec("convert", "a.txt", "out", cwd=tmp_path).err
    assert tfrec("convert", "b.txt", "out", cwd=tmp_path).code == 0
