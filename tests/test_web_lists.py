"""Lists by http: they may take their time, begin again, and stand in no memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from converting import convert_json
from sampling import first
from stand_in_faults import BODY, BOMB, HASTY, Faults
from storing import Running

from tfrecordcli.errors import OutageError
from tfrecordcli.storage.web import copy_web, read_web


@pytest.mark.parametrize("what", first(["good", "zipped", "cut-once"], ["slow", "slow-cut-once"]))
def test_a_list_may_take_its_time_and_begins_again_when_it_breaks_off(
    what: str, tmp_path: Path, faults: Faults
) -> None:
    faults.asked.clear()
    with (tmp_path / "list").open("wb") as file:
        file.write(b"what was there")
        copy_web(f"{faults.url}/{what}", file, HASTY)
    assert (tmp_path / "list").read_bytes() == BODY
    assert faults.asked[what] == 1 + what.endswith("once")
    if what == "slow":
        with pytest.raises(OutageError, match="too slow"):
            read_web(f"{faults.url}/{what}", timeouts=HASTY)


@pytest.mark.parametrize("what", ["hang", "cut", "status-500"])
def test_a_list_that_does_not_come_is_an_outage(what: str, tmp_path: Path, faults: Faults) -> None:
    with (tmp_path / "list").open("wb") as file, pytest.raises(OutageError):
        copy_web(f"{faults.url}/{what}", file, HASTY)


def test_a_list_stands_in_no_memory(tmp_path: Path, faults: Faults) -> None:
    import tracemalloc

    with (tmp_path / "list").open("wb") as file:
        copy_web(f"{faults.url}/good", file)  # what is imported and kept
        tracemalloc.start()
        try:
            copy_web(f"{faults.url}/bomb", file)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (tmp_path / "list").read_bytes() == BOMB
    assert peak < 4 << 20


@pytest.mark.parametrize(("what", "said"), [
    ("status-400", "the server answers with status 400"),
    ("status-404", "there is nothing of this name"),
    ("status-416", "the server answers with status 416"),
    ("moved-nowhere", "the server answers with status 302"),
    ("moved-away", "the server redirects to http://example.com/good: http:// is read from this machine only"),
    ("moved-ftp", "the server redirects to ftp:, which is not read"),
    ("circle", "more than 5 redirects"),
    ("called-br", "the answer is encoded as br, which is not read"),
    ("called-zipped", "the answer is encoded as gzip, and cannot be decoded"),
])  # fmt: skip
def test_what_a_server_says_of_a_list_is_told_of_its_url(
    what: str, said: str, tmp_path: Path, faults: Faults
) -> None:
    done = convert_json(f"{faults.url}/{what}/list.csv?sig=secret", tmp_path / "out", env=Running("", {}).env)
    assert (done["exit_code"], done["error"]["code"]) == (2, "input")
    assert done["error"]["message"].startswith(f"{faults.url}/{what}/list.csv: {said}")
    assert done["error"]["hint"] or "redirects" in said
    assert "secret" not in str(done)
