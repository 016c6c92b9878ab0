"""What TAB gives: asked as a shell asks, and typed into a real bash."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from converting import TIMEOUT, commands, environment, tfrec

from tfrecordcli.bench.ways import WAYS
from tfrecordcli.problems import PROBLEMS


def proposals(*words: str, shell: str = "bash") -> list[str]:
    """What a shell is answered when the last of these words is to be completed."""
    now = words[-1] if shell == "fish" else str(len(words))
    line = {"COMP_WORDS": "\n".join(("tfrec", *words)), "COMP_CWORD": now}
    done = tfrec(env=environment(_TFREC_COMPLETE=f"{shell}_complete", **line))
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def plain(*words: str) -> list[str]:
    return [line.removeprefix("plain,") for line in proposals(*words)]


def test_commands_and_options() -> None:
    assert plain("") == sorted(commands())
    assert plain("con") == ["convert"]
    assert plain("convert", "--max-s") == ["--max-side"]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("convert", "--check", ""), ["decode", "structure"]),
        (("convert", "a.csv", "out", "--check", "=", "str"), ["structure"]),
        (("convert", "--runner", "D"), ["DirectRunner", "DataflowRunner", "DaskRunner"]),
        (("convert", "--format", "co"), ["coco"]),
        (("convert", "--format", "train", "=", "co"), ["coco"]),
        (("verify", "--split", ""), ["train", "validation", "test"]),
        (("verify", "--device", "g"), ["gpu"]),
        (("verify", "--ignore", ""), [*PROBLEMS]),
        (("bench", "--way", ""), [*WAYS]),
        (("completion", ""), ["bash", "zsh", "fish"]),
    ],
    ids=" ".join,
)
def test_values(words: tuple[str, ...], wanted: list[str]) -> None:
    assert plain(*words) == wanted


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("convert", "sing"), "file,sing"),
        (("convert", "train", "=", "sing"), "file,sing"),
        (("convert", "a.csv", "ou"), "file,ou"),
        (("convert", "--labels", "l"), "file,l"),
        (("convert", "--image-root", "p"), "dir,p"),
        (("verify", "o"), "file,o"),
        (("inspect", "o", "--sheet", ""), "file,"),
        (("finish", "o"), "dir,o"),
    ],
    ids=" ".join,
)
def test_places(words: tuple[str, ...], place: str) -> None:
    assert proposals(*words) == [place]


def test_other_shells_are_told_what_each_option_does() -> None:
    assert proposals("verify", "--strict", shell="zsh") == ["plain", "--strict", "Warnings count as errors."]
    assert proposals("verify", "--strict", shell="fish") == ["plain,--strict\tWarnings count as errors."]


def test_an_unknown_shell_is_refused() -> None:
    assert tfrec(env=environment(_TFREC_COMPLETE="csh_complete")).code == 2
    assert tfrec("completion", "csh").code == 2


def typed_into_bash(folder: Path, *lines: str) -> list[str]:
    """The lines, each with a TAB at its end, as bash has them then.

    After the TAB the cursor goes to the front, where `echo '' ` makes an argument of the line.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = environment(PATH=path, TERM="dumb", HOME=str(folder), INPUTRC=os.devnull, PS1="", PROMPT_COMMAND="")
    ours, theirs = pty.openpty()
    bash = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=folder, env=env, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    typed = "".join(f"{line}\t\x01echo DONE \n" for line in lines)
    os.write(ours, f'eval "$(tfrec completion bash)"\n{typed}exit\n'.encode())
    out, _ = bash.communicate(timeout=TIMEOUT)
    os.close(ours)
    return [line.removeprefix("DONE ") for line in out.decode().splitlines() if line.startswith("DONE ")]


def test_a_real_bash(tmp_path: Path) -> None:
    (tmp_path / "single.csv").touch()
    (tmp_path / "photos of cats").mkdir()
    assert typed_into_bash(
        tmp_path,
        "tfrec convert sing",
        "tfrec convert train=sing",
        "tfrec convert single.csv --image-root pho",
        "tfrec convert single.csv --check=str",
        "tfrec veri",
        "tfrec verify --ignore labels_e",
    ) == [
        "tfrec convert single.csv",
        "tfrec convert train=single.csv",
        "tfrec convert single.csv --image-root photos of cats/",
        "tfrec convert single.csv --check=structure",
        "tfrec verify",
        "tfrec verify --ignore labels_edited",
    ]
