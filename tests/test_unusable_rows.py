"""One rule for every row that cannot be used: it is told, the others are converted, and it can be mended."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import (
    convert_json,
    environment,
    fingerprint,
    image_list,
    jpeg,
    manifest,
    read_csv,
    rows_add_up,
    tfrec,
)
from sampling import first

import tfrecordcli
from tfrecordcli.cli.output import reject_listing
from tfrecordcli.converting.conversion import convert
from tfrecordcli.converting.outcome import as_groups
from tfrecordcli.planning.problem_groups import NAMED_ROWS, ProblemGroups
from tfrecordcli.planning.scan import RowProblem
from tfrecordcli.progress import Reporter

GOOD = 12
# What of a row is not right before any image is read, and the code of each.
BAD = [
    ("TRIAN,000.jpg,a", "unknown_split"),
    ("TRAIN,000.jpg,", "no_label"),
    ("TRAIN,,a", "no_image_uri"),
    ("TRAIN,ftp://h/x.jpg,a", "unsupported_scheme"),
    ('TRAIN,"x"y.jpg,a', "malformed_row"),
]


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return image_list(tmp_path / "in", GOOD)


def with_lines(csv: Path, *lines: str) -> Path:
    with csv.open("a") as file:
        file.writelines(line + "\n" for line in lines)
    return csv


def misspelt(csv: Path, count: int) -> Path:
    """The list with so many more rows, whose images are there and whose split is not."""
    for number in range(count):
        (csv.parent / f"more{number}.jpg").write_bytes(jpeg(100 + number))
    return with_lines(csv, *(f"TRIAN,more{number}.jpg,a" for number in range(count)))


# --- told, the others converted, rejects.csv and the command as always, exit 1 ---


@pytest.mark.parametrize(("line", "code"), BAD, ids=[code for _, code in BAD])
def test_a_row_that_cannot_be_used_costs_itself_only(line: str, code: str, csv: Path, tmp_path: Path) -> None:
    done = convert_json(with_lines(csv, line), tmp_path / "out")
    assert (done["status"], done["exit_code"], done["records"]) == ("complete", 1, GOOD)
    assert done["reasons"] == {code: 1}
    (row,) = read_csv(tmp_path / "out" / "rejects.csv")
    assert (row["tfrec_line"], row["tfrec_code"]) == (str(GOOD + 2), code)


def test_rows_that_cannot_be_used_are_told_before_any_image_is_read(csv: Path, tmp_path: Path) -> None:
    told: list[str] = []

    class Telling(Reporter):
        def unusable(self, rejected: int, rows: int, groups: Any) -> None:
            (group,) = groups
            named = [(row["line"], row["image_uri"]) for row in group["named"]]
            told.append(f"{rejected} of {rows}: {group['code']} {group['rows']}: {named}")

        def start(self, rows: int, done: int) -> None:
            told.append("images")

    convert(misspelt(csv, 2), tmp_path / "out", reporter=Telling())
    assert told == [f"2 of 14: unknown_split 2: {[(14, 'more0.jpg'), (15, 'more1.jpg')]}", "images"]


def test_it_is_told_on_stderr_and_the_summary_ends_with_the_command(csv: Path, tmp_path: Path) -> None:
    done = tfrec("convert", misspelt(csv, 2), tmp_path / "out")
    assert done.code == 1
    told = ["  2 rows: unknown split 'TRIAN': did you mean train?", "    line 14: more0.jpg", "    line 15: more1.jpg"]  # fmt: skip  # noqa: E501
    assert done.err.splitlines() == ["2 of 14 rows cannot be used; the others are converted:", *told]
    assert done.out.splitlines()[-6:-1] == [
        f"2 rows rejected, listed in {tmp_path / 'out'}/rejects.csv:",
        *told,
        "mend them in rejects.csv, then:",
    ]
    assert tfrec("convert", csv, tmp_path / "quiet", "--quiet").err.count("\n") == 1


def test_300_misspelt_rows_of_600_mended_make_the_whole(csv: Path, tmp_path: Path) -> None:
    """The two halves together hold what the list without the slip would have given."""
    misspelt(csv, GOOD)
    done = tfrec("convert", csv, tmp_path / "out")
    assert done.code == 1
    assert manifest(tmp_path / "out")["records"] == GOOD
    rejects = tmp_path / "out" / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("TRIAN", "TRAIN"))
    words = shlex.split(done.out.splitlines()[-1])
    rest = tfrec(*words[1:], "--json", cwd=tmp_path).json
    assert (rest["exit_code"], rest["records"]) == (0, GOOD)
    assert manifest(tmp_path / "out-mended")["labels"] == manifest(tmp_path / "out")["labels"]


@pytest.mark.parametrize("how", first([("--workers", "3")], [("--runner", "DirectRunner")]))
def test_it_is_the_same_for_any_workers_and_runner(how: tuple[str, ...], csv: Path, tmp_path: Path) -> None:
    misspelt(csv, 3)
    with_lines(csv, "TRAIN,none.jpg,a")
    for name, more in (("one", ("--workers", "1")), ("other", how)):
        done = convert_json(csv, tmp_path / name, "--num-shards", "3", *more)
        assert (done["exit_code"], done["status"], done["rejected"]) == (1, "complete", 4)
        assert done["reasons"] == {"not_found": 1, "unknown_split": 3}
    assert fingerprint(tmp_path / "one") == fingerprint(tmp_path / "other")


def test_a_data_frame_too(csv: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(misspelt(csv, 3))
    result = tfrecordcli.convert(frame, tmp_path / "out", image_root=csv.parent)
    assert (result.exit_code, result.status, result.records) == (1, "complete", GOOD)
    assert [group["rows"] for group in result.reject_groups] == [3]
    assert result.mend_command
    assert len(read_csv(tmp_path / "out" / "rejects.csv")) == 3


def test_a_rerun_gives_the_verdict_and_the_command_again(csv: Path, tmp_path: Path) -> None:
    options = (misspelt(csv, 3), tmp_path / "out")
    first = tfrec("convert", *options)
    again = tfrec("convert", *options)
    assert (first.code, again.code) == (1, 1)
    head = "3 rows rejected"
    assert again.out.partition(head)[2] == first.out.partition(head)[2] != ""
    assert convert_json(*options, "--max-rejects", "3")["exit_code"] == 0
    assert convert_json(*options, "--fail-fast")["exit_code"] == 1


def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(csv: Path, tmp_path: Path) -> None:
    with_lines(misspelt(csv, 2), "TRAIN,none.jpg,a")
    shards = ("--num-shards", "6", "--workers", "1")
    stopped = convert_json(csv, tmp_path / "out", *shards, "--fail-fast", "--max-rejects", "2")
    assert (stopped["status"], stopped["rejected"]) == ("failed", 3)
    assert stopped["reasons"] == {"not_found": 1, "unknown_split": 2}
    again = convert_json(csv, tmp_path / "out", *shards, "--fail-fast")  # by its rows alone
    assert (again["status"], again["rejected"], again["rows"]) == ("failed", 2, GOOD + 3)
    assert convert_json(csv, tmp_path / "out", *shards)["records"] == GOOD
    convert_json(csv, tmp_path / "other", *shards)
    assert fingerprint(tmp_path / "out") == fingerprint(tmp_path / "other")


# --- less than half ---


def test_less_than_half_stops_before_any_image_is_read(csv: Path, tmp_path: Path) -> None:
    misspelt(csv, GOOD + 1)
    for image in csv.parent.glob("*.jpg"):
        image.unlink()  # never looked at
    output = tmp_path / "not" / "yet"
    done = convert_json(csv, output)
    assert (done["status"], done["exit_code"], done["error"]["code"]) == ("failed", 1, "rejects")
    assert "only 12 of 25 rows can be used, less than half" in done["error"]["message"]
    assert (done["records"], done["not_written"], done["rejected"]) == (0, GOOD, GOOD + 1)
    assert not (tmp_path / "not").exists()
    text = tfrec("convert", csv, output)
    assert text.code == 1
    assert text.err == ""  # the summary tells it
    assert "13 rows: unknown split 'TRIAN'" in text.out
    assert text.out.splitlines()[-1] == "mend them in the list, or allow them with --max-rejects"


def test_half_is_enough_and_more_may_be_allowed(csv: Path, tmp_path: Path) -> None:
    assert convert_json(misspelt(csv, GOOD), tmp_path / "half")["status"] == "complete"
    with_lines(csv, "TRIAN,000.jpg,b")
    assert convert_json(csv, tmp_path / "out", "--max-rejects", "12")["status"] == "failed"
    done = convert_json(csv, tmp_path / "out", "--max-rejects", "13")
    assert (done["status"], done["exit_code"], done["records"]) == ("complete", 0, GOOD)


def test_rows_that_are_discarded_are_not_asked_for(csv: Path, tmp_path: Path) -> None:
    with_lines(misspelt(csv, 3), *(f"DISCARD,{n}.jpg,a" for n in range(50)))
    assert convert_json(csv, tmp_path / "out")["status"] == "complete"
    with_lines(csv, *(f"TRIAN,{n}.jpg,a" for n in range(10)))
    assert convert_json(csv, tmp_path / "other")["status"] == "failed"


def test_a_dry_run_says_what_would_happen(csv: Path, tmp_path: Path) -> None:
    done = convert_json(misspelt(csv, 2), tmp_path / "out", "--dry-run")
    assert (done["exit_code"], done["warnings"]) == (1, [])
    stop = convert_json(csv, tmp_path / "out", "--dry-run", "--fail-fast")
    assert [w.partition(":")[0] for w in stop["warnings"]] == ["convert would read no image"]
    stop = convert_json(misspelt(csv, GOOD + 1), tmp_path / "out", "--dry-run")
    assert "less than half" in stop["warnings"][0]
    assert stop["exit_code"] == 1


def test_num_shards_that_do_not_fit_what_is_left_tell_why(csv: Path, tmp_path: Path) -> None:
    csv.write_text(csv.read_text().replace("TRAIN", "TEST"))
    done = convert_json(misspelt(csv, 3), tmp_path / "out", "--num-shards", "train=2")
    assert (done["exit_code"], done["error"]["message"]) == (2, "--num-shards: no row goes to train")
    assert done["error"]["hint"].endswith(
        "or mend the list: 3 rows cannot be used, as line 14: unknown split 'TRIAN': did you mean train?"
    )


# --- in steps ---


def test_a_plan_is_0_and_finish_judges(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    planned = tfrec("plan", misspelt(csv, 3), output, "--json").json
    assert (planned["status"], planned["exit_code"], planned["rejected"]) == ("planned", 0, 3)
    again = tfrec("plan", csv, output)
    assert again.code == 0
    assert "3 rows: unknown split 'TRIAN'" in again.out
    assert again.err == ""
    assert tfrec("write-shards", output).code == 0
    shutil.copytree(output, tmp_path / "allowed")
    done = tfrec("finish", output)
    assert done.code == 1
    assert "mend them in rejects.csv, then:" in done.out
    assert tfrec("finish", tmp_path / "allowed", "--max-rejects", "3").code == 0
    convert_json(csv, tmp_path / "at-once")
    assert fingerprint(output) == fingerprint(tmp_path / "at-once")
    rerun = tfrec("finish", output)
    assert rerun.code == 1
    assert "3 rows: unknown split 'TRIAN'" in rerun.out
    rows_add_up(tfrec("finish", output, "--json").json)


def test_plan_stops_where_convert_does(csv: Path, tmp_path: Path) -> None:
    stopped = tfrec("plan", misspelt(csv, 3), tmp_path / "out", "--fail-fast", "--json").json
    assert (stopped["status"], stopped["exit_code"]) == ("failed", 1)
    assert not (tmp_path / "out").exists()
    allowed = ("--fail-fast", "--max-rejects", "3")
    assert tfrec("plan", csv, tmp_path / "out", *allowed).code == 0
    assert tfrec("plan", misspelt(csv, GOOD), tmp_path / "other").code == 1
    assert not (tmp_path / "other").exists()


# --- the listing ---


def listed(out: str) -> list[str]:
    """The lines of rejected rows in a summary."""
    return out.partition(" rows rejected")[2].partition("mend them")[0].splitlines()[1:]


def test_a_listing_has_at_most_20_lines(csv: Path, tmp_path: Path) -> None:
    contrary = [f"TRAIN,x{n}.jpg,{label}" for n in range(300) for label in "ab"]
    with_lines(csv, *contrary, *(f"TRAIN,{n}.gone.jpg,a" for n in range(700)), *(line for line, _ in BAD))
    done = tfrec("convert", csv, tmp_path / "out", "--max-rejects", "100%")
    lines = listed(done.out)
    assert len(lines) == 19
    assert lines[0] == "  700 rows: file not found"
    assert lines[1] == "    line 614: 0.gone.jpg"
    at = lines.index("  600 rows: conflicting_label, as in")  # each names another line
    assert lines[at + 1].startswith("    line ")
    assert lines[at + 1].endswith("; keep the right row")
    assert len(done.err.splitlines()) <= 21


@pytest.mark.parametrize("how", [("--fail-fast",), ("--dry-run",), ("--max-rejects", "1010")])
def test_also_where_nothing_is_written(how: tuple[str, ...], csv: Path, tmp_path: Path) -> None:
    """Where 1,010 lines came before."""
    with_lines(csv, *(f"TRIAN,{n}.jpg,a" for n in range(1010)))
    done = tfrec("convert", csv, tmp_path / "out", *how, env=environment(COLUMNS="80"))
    lines = listed(done.out)
    assert lines[0].startswith("  1,010 rows: unknown split 'TRIAN'")
    assert len(lines) <= 20
    assert len(done.out.splitlines()) < 40


def groups_of(*reasons: tuple[str, str, int]) -> tuple[Any, ...]:
    """Groups as a result has them, of (code, reason, rows)."""
    groups = ProblemGroups()
    line = 0
    for code, reason, rows in reasons:
        for _ in range(rows):
            line += 1
            groups.add(RowProblem(line, "train", f"{line}.jpg", code, reason))
    return as_groups(groups.groups())


def test_rows_that_are_not_listed_are_counted() -> None:
    groups = groups_of(*((f"code{n}", f"reason {n}", 4) for n in range(15)))
    lines = reject_listing(60, groups)
    assert lines[:3] == ["  4 rows: reason 0", "    line 1: 1.jpg", "  4 rows: reason 1"]
    assert (len(lines), lines[-1]) == (19, "  and 24 more")
    assert reject_listing(9, ()) == ["  9 rows"]


def test_as_many_rows_are_named_as_there_is_room_for() -> None:
    groups = groups_of(
        ("not_found", "file not found", 30), ("empty_file", "the file is empty", 2), ("x", "?", 1)
    )
    lines = reject_listing(33, groups)
    assert len(lines) == 19
    assert lines[14:] == ["    line 14: 14.jpg", "  2 rows: the file is empty", "    line 31: 31.jpg", "    line 32: 32.jpg", "  line 33: 33.jpg: ?"]  # fmt: skip  # noqa: E501


def test_rows_come_in_any_order_and_any_number() -> None:
    """The first by line are kept, and no more memory than for a few."""
    groups = ProblemGroups()
    for line in [*range(5000, 0, -1), *range(5001, 10_000)]:
        groups.add(RowProblem(line, "", "", "not_found", "file not found"))
        groups.add(RowProblem(line, "", "", "conflicting_label", f"in line {line}"))
    first, second = groups.groups()
    assert (first.rows, second.rows) == (9_999, 9_999)
    assert [problem.line for problem in first.named] == [*range(1, NAMED_ROWS + 1)]
    assert {first.reason, second.reason} == {"file not found", ""}


def test_a_refused_list_is_not_said_to_have_touched_the_dataset(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert convert_json(csv, out)["exit_code"] == 0
    before = fingerprint(out)
    done = tfrec("convert", misspelt(csv, GOOD + 1), out, "--overwrite")
    assert done.code == 1
    assert f"nothing was written to {out}: only {GOOD} of {2 * GOOD + 1} rows can be used" in done.out
    assert fingerprint(out) == before
