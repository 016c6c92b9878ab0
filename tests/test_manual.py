"""The manual pages have what `--help` has, in a language that man understands."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from converting import commands

from tfrecordcli.cli.manual import pages, write_pages
from tfrecordcli.version import __version__


def test_there_is_a_page_for_each_command(tmp_path: Path) -> None:
    names = {"tfrec", *(f"tfrec-{name}" for name in commands())}
    assert {path.name for path in write_pages(tmp_path / "man1")} == {f"{name}.1" for name in names}
    assert all(f"\\fB{name}\\fR(1)".replace("-", "\\-") in pages()["tfrec"] for name in names - {"tfrec"})


@pytest.mark.parametrize("name", commands())
def test_a_page_has_every_option_and_the_examples(name: str) -> None:
    page = pages()[f"tfrec-{name}"]
    assert page.startswith(f'.TH TFREC-{name.upper()} 1 "" "tfrec {__version__}" "tfrec"\n')
    flags = re.findall(r"^\.TP\n\\fB(.*)\\fR\n(?=.)", page.replace("\\-", "-"), re.MULTILINE)
    options = [each for each in commands()[name].params if isinstance(each, click.Option)]
    *first, last = (re.split("[ ,]", flag)[0] for flag in flags)
    assert first == [each.opts[0] for each in options]
    assert last in ("-h", "--help")  # click keeps what it made first, for whichever group asked
    assert re.search(rf"^\.nf\n(?:.*\n)*?.*tfrec {name}".replace("-", r"\\?-"), page, re.MULTILINE)


def test_every_request_is_one_that_man_has() -> None:
    for page in pages().values():
        requests = set(re.findall(r"^\.(\S*)", page, re.MULTILINE))
        assert requests <= {"TH", "SH", "PP", "TP", "nf", "fi"}
        assert not re.findall(r"(?<!\\)-|\\(?!-|e|&|fB|fR)", page.partition("\n")[2])
