"""Signals at any moment of a command: the first one counts, and nothing keeps it from its end."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from converting import tfrec


def test_a_second_signal_does_not_keep_the_first_from_its_end() -> None:
    """At any moment: together with it, while it is told, at the very end."""
    code = (
        "import os, signal\nfrom tfrecordcli.cli import main\n"
        "def both(*_):\n"
        "    for number in (signal.SIGINT, signal.SIGTERM) * 3:\n        os.kill(os.getpid(), number)\n"
        "def then_both(call):\n"
        "    return lambda *arguments: (both(), call(*arguments), both())[1]\n"
        "main.tfrec.main = lambda *_, **__: both()\n"
        "main.print_error = then_both(main.print_error)\n"
        "main._leave = then_both(main._leave)\n"
        "main.main()\n"
    )
    done = tfrec("convert", command=[sys.executable, "-c", code])
    assert done.code == 130
    assert len(done.err.splitlines()) == 2


def test_a_signal_after_the_end_changes_nothing() -> None:
    code = (
        "import os, signal\nfrom tfrecordcli.cli import main\n"
        "main.tfrec.main = lambda *_, **__: 1\n"
        "leave = main._leave\n"
        "main._leave = lambda code: (os.kill(os.getpid(), signal.SIGTERM), leave(code))\n"
        "main.main()\n"
    )
    done = tfrec("convert", command=[sys.executable, "-c", code])
    assert (done.code, done.err) == (1, "")


def test_a_signal_that_python_cannot_answer_ends_the_command() -> None:
    """The main thread waits in a library, which no signal wakes."""
    code = (
        "import os, signal, threading\nfrom tfrecordcli.cli import signals\n"
        "signals.GRACE = 0.2\n"
        "signals.Stopping(lambda code, word: print(code, word, flush=True)).install()\n"
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))\n"
        "threading.Lock().acquire() and threading.Event().wait()\n"
    )
    done = tfrec(command=[sys.executable, "-c", code])
    assert (done.code, done.out) == (143, "143 terminated\n")


def test_a_signal_that_the_caller_ignores_is_ignored() -> None:
    """As shells start jobs in the background."""
    code = (
        "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from tfrecordcli.cli import main\n"
        "main.tfrec.main = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT) or 0\n"
        "main.main()\n"
    )
    done = tfrec("convert", command=[sys.executable, "-c", code])
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(("names", "code"), [("INT", 130), ("TERM", 143), ("INT TERM", 130)])
def test_a_signal_while_the_command_is_loaded(names: str, code: int, tmp_path: Path) -> None:
    """It arrives at the first import of click, long before the command begins."""
    script = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, module, path=None, target=None):\n"
        "        if module == 'click':\n"
        "            sys.meta_path.remove(self)\n"
        f"            for name in {names.split()}:\n"
        "                os.kill(os.getpid(), signal.Signals['SIG' + name])\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from tfrecordcli.__main__ import main\n"
        "main()\n"
    )
    done = tfrec("convert", "x.csv", tmp_path / "out", "--json", command=[sys.executable, "-c", script])
    assert done.code == code
    assert len(done.err.splitlines()) == 2
    assert json.loads(done.out)["exit_code"] == code
