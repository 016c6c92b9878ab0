"""Where the output goes, and what is refused before any work."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from converting import shell

ROOT = Path(__file__).parents[1]


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    done = shell(command, folder)
    return subprocess.CompletedProcess(command, done.code, done.out, done.err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("flags", ["", "--json"])
def test_a_full_disk_behind_stdout_is_exit_2(flags: str, csv: Path, tmp_path: Path) -> None:
    done = _shell(f"tfrec convert {csv} out --workers 1 {flags} > /dev/full", tmp_path)
    assert done.returncode == 2
    assert "the output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_reason_to_fail(closed: str, csv: Path, tmp_path: Path) -> None:
    assert _shell(f"tfrec convert {csv} out --workers 1 {closed}", tmp_path).returncode == 0
    assert (tmp_path / "out" / "manifest.json").exists()


def test_an_empty_output_dir_is_refused(csv: Path, tmp_path: Path) -> None:
    before = list(tmp_path.rglob("*"))
    done = _shell(f'tfrec convert {csv} "$UNSET"', tmp_path)
    assert done.returncode == 2
    assert "OUTPUT_DIR is empty" in done.stderr
    assert list(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["写真　a", "non\u00a0breaking", "a 'quoted' name", "tab\tin it"])
def test_the_printed_command_names_the_files_that_are_there(name: str, tmp_path: Path) -> None:
    """Whatever the folder is called, the command that the summary prints works as it stands."""
    folder = tmp_path / name
    folder.mkdir()
    rows = [
        "split,image_uri,label",
        f"TRAIN,{ROOT}/sample_data/images/circle/01.jpg,circle",
        "TRAIN,x.jpg,circle",
    ]
    (folder / "list.csv").write_text("\n".join(rows), encoding="utf-8")
    quoted = shlex.quote(name)
    done = _shell(f"tfrec convert {quoted}/list.csv {quoted}/out", tmp_path)
    assert done.returncode == 1
    command = done.stdout.splitlines()[-1].strip()
    rejects = folder / "out" / "rejects.csv"
    text = rejects.read_text(encoding="utf-8")
    rejects.write_text(text.replace("x.jpg", f"{ROOT}/sample_data/images/circle/02.jpg"), encoding="utf-8")
    assert _shell(command, tmp_path).returncode == 0
    assert (folder / "out-mended" / "manifest.json").exists()


def test_nothing_to_write_says_so_without_blaming_rejects(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("DISCARD,a.jpg,x\nDISCARD,b.jpg,x\n")
    done = _shell("tfrec convert list.csv out --json", tmp_path)
    assert done.returncode == 1
    values = json.loads(done.stdout)
    assert values["error"]["code"] == "no_records"
    assert values["rows"] == values["records"] + values["rejected"] + values["merged"] + values["discarded"]


def test_a_refused_list_adds_up(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("TRAIN,a.jpg,x\nTRIAN,b.jpg,x\nTRIAN,c.jpg,x\n")
    values = json.loads(_shell("tfrec convert list.csv out --json", tmp_path).stdout)
    assert (values["rows"], values["records"], values["rejected"], values["not_written"]) == (3, 0, 2, 1)
    assert all(split["records"] == 0 for split in values["splits"].values())
