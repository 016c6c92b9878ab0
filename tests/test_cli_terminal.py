"""On a terminal: a progress bar, and never a raw control character out of somebody's file names."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from converting import TFREC, TIMEOUT, environment, image_list, jpeg, tfrec, with_bad_rows, write_csv
from sampling import first

import tfrecordcli
from tfrecordcli.cli.convert import show_result
from tfrecordcli.cli.output import reject_listing

ESCAPE = "\x1b]0;owned\x07\x1b[31m"
BIDI = "\u202e"
# What our own colours, click and tqdm write: SGR, cursor up, erase.
OURS = re.compile(r"\x1b\[[0-9;]*[mAK]")


def on_a_terminal(*arguments: object, cwd: Path, **settings: str) -> tuple[int, str]:
    """Exit code and everything that reaches the terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 40, 120, 0, 0))
    process = subprocess.Popen(
        [*TFREC, *map(str, arguments)], cwd=cwd, stdin=follower, stdout=follower, stderr=follower,
        env=environment(TERM="xterm-256color", **settings), close_fds=True,
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # how Linux reports the end of a terminal
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    return process.wait(TIMEOUT), seen.decode(errors="surrogateescape")


def test_rows_that_cannot_be_used_are_listed_once(tmp_path: Path) -> None:
    image_list(tmp_path / "in", 4)
    csv = with_bad_rows(tmp_path / "in" / "list.csv", ("TRIAN", "000.jpg", "a"), ("TRIAN", "001.jpg", "b"))
    code, seen = on_a_terminal("convert", csv, "out", "--workers", 1, cwd=tmp_path)
    assert code == 1
    assert seen.count("line 6: 000.jpg") == 1
    assert "listed in out/rejects.csv, as above" in seen
    assert "tfrec convert out/rejects.csv" in seen


@pytest.mark.parametrize("is_told_there", [True, False])
def test_rows_that_were_listed_in_a_file_are_not_above(
    is_told_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are listed on standard error: not above the summary, unless both are the terminal."""
    image_list(tmp_path / "in", 4)
    csv = with_bad_rows(tmp_path / "in" / "list.csv", ("TRIAN", "000.jpg", "a"))
    result = tfrecordcli.convert(csv, tmp_path / "out", progress=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_told_there)
    show_result("convert", result, False, False, reject_listing(result.rejected, result.reject_groups))
    assert ("rejects.csv, as above" in capsys.readouterr().out) is is_told_there


def nothing_raw(seen: str) -> None:
    rest = OURS.sub("", seen).replace("\r", "").replace("\n", "")
    assert not [c for c in rest if not c.isprintable()], rest


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A list with escapes in paths, labels and splits, some of them in good rows."""
    folder = tmp_path / "in"
    image_list(folder, 2)
    odd = f"odd{BIDI}.jpg"
    (folder / odd).write_bytes(jpeg(3))
    rows = [
        ("TRAIN", "000.jpg", f"label {BIDI}x"),
        ("TRAIN", odd, "ok"),
        ("TRAIN", f"none{BIDI}.jpg", "ok"),
        ("TRAIN", f"none{ESCAPE}.jpg", "ok"),
        ("TRAIN", "001.jpg", f"bad{ESCAPE}"),
        (f"TR{ESCAPE}", "001.jpg", "ok"),
    ]
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))


@pytest.mark.parametrize(
    "more",
    first(
        [(), ("--max-rejects", "9", "--labels", "v")],
        [("--max-rejects", "9"), ("--dry-run",), ("--fail-fast",)],
    ),
)
def test_rows(hostile: Path, more: tuple[str, ...]) -> None:
    (hostile.parent / "v").write_text("ok\n")
    code, seen = on_a_terminal("convert", hostile, "out", "--workers", 1, *more, cwd=hostile.parent)
    assert code in (0, 1)
    assert "line 5" in seen
    nothing_raw(seen)


@pytest.mark.parametrize(
    "arguments",
    first(
        [
            ("convert", "list.csv", f"out{ESCAPE}", "--max-rejects", "9"),
            ("convert", "list.csv", "out", f"--{ESCAPE}"),
            ("convert", "list.csv", "out", "--columns", f"label={ESCAPE}"),
            ("convert", f"header{ESCAPE}.csv", "out"),
            (f"comm{ESCAPE}and",),
        ],
        [
            ("convert", f"none{ESCAPE}.csv", "out"),
            ("convert", "list.csv", "out", "--check", ESCAPE),
            ("convert", "list.csv", "out", "--workers", ESCAPE),
            ("convert", "list.csv", "out", "--image-root", ESCAPE),
            ("convert", "list.csv", "out", "--runner", ESCAPE, "--debug"),
            ("convert", "list.csv", "out", "--image-root", f"root{ESCAPE}", "--max-rejects", "9"),
        ],
    ),
    ids=range(11),
)
def test_arguments(hostile: Path, arguments: tuple[str, ...]) -> None:
    (hostile.parent / f"root{ESCAPE}").mkdir()
    (hostile.parent / f"header{ESCAPE}.csv").write_text(f"a{ESCAPE},b\n")
    code, seen = on_a_terminal(*arguments, cwd=hostile.parent)
    assert code in (0, 2)
    assert "owned" in seen
    nothing_raw(seen)


def test_colours_unless_unwanted(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 2)
    for words in (
        ("convert", csv, tmp_path / "out", "--workers", 1),
        ("convert", "nope.csv", tmp_path / "none"),
    ):
        assert "\x1b[" in re.sub(r"\x1b\[[AK]", "", on_a_terminal(*words, cwd=tmp_path)[1])
        plain = on_a_terminal(*words, cwd=tmp_path, NO_COLOR="1")[1]
        assert not re.search(r"\x1b\[[0-9;]*m", plain)


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    code, seen = on_a_terminal("convert", csv, tmp_path / "out", "--workers", 1, cwd=tmp_path)
    assert code == 0
    assert "images" in seen
    assert "%|" in seen
    code, seen = on_a_terminal("convert", csv, tmp_path / "quiet", "--quiet", "--workers", 1, cwd=tmp_path)
    assert (code, seen) == (0, "")


def test_json_keeps_what_was_written_escaped(hostile: Path) -> None:
    done = tfrec("convert", hostile, hostile.parent / "out", "--dry-run", "--json")
    assert done.out.isascii()
    assert "\x1b" not in done.out
    assert any(ESCAPE in problem["image_uri"] for problem in done.json["problems"])


def test_notes_and_warnings_are_wrapped_on_a_terminal_only(tmp_path: Path) -> None:
    rows = [("TRAIN", f"{n}.jpg", f"label {n}") for n in range(25)]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    for n in range(25):
        (tmp_path / f"{n}.jpg").write_bytes(jpeg(n))
    _, seen = on_a_terminal("convert", source, "out", "--splits", "train=1", "--workers", 1, cwd=tmp_path)
    shown = [line for line in re.split(r"[\r\n]+", OURS.sub("", seen)) if "images" not in line]
    assert any(line.startswith("warning: there are as many labels as rows") for line in shown)
    told = shown[: next(number for number, line in enumerate(shown) if "out is complete" in line)]
    assert len(told) >= 3
    assert max(map(len, told)) <= 120
    run = tfrec("convert", source, tmp_path / "out2", cwd=tmp_path)
    assert any(line.endswith("--columns label=NAME names another one") for line in run.err.splitlines())
