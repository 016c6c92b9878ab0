"""`tfrec bench`: every way really runs, and the table and the JSON say what was measured."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from converting import environment, tfrec, write_csv
from inline import inline_way, way_process
from PIL import Image

from tfrecordcli import processes
from tfrecordcli.bench import comparison
from tfrecordcli.bench.listed_files import list_files
from tfrecordcli.bench.ways import LIST, WAYS, ComparisonOptions, unused_options
from tfrecordcli.errors import InputError
from tfrecordcli.feed.splits import open_dataset

ROOT = Path(__file__).parents[1]


def _tfrec(*words: str) -> subprocess.CompletedProcess[str]:
    wide = environment(COLUMNS="200")  # so that no name in a table goes on below
    done = tfrec(*words, cwd=ROOT, env=wide)
    return subprocess.CompletedProcess(words, done.code, done.out, done.err)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = str(tmp_path_factory.mktemp("bench") / "out")
    assert _tfrec("convert", "sample_data/data.csv", out, "--quiet").returncode == 0
    return out


@pytest.mark.thorough
@pytest.mark.processes
def test_every_way_runs(dataset: str) -> None:
    done = _tfrec("bench", dataset, "--seconds", "0.3", "--step-time", "5", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["command"] == "bench"
    assert [result["name"] for result in values["results"]] == list(WAYS)
    for result in values["results"]:
        assert result["images_per_second"] > 0
        assert result["peak_memory_bytes"] > 1 << 20


def test_the_table_names_the_chosen_ways_only(dataset: str) -> None:
    done = _tfrec("bench", dataset, "--seconds", "0.3", "--way", "python_files", "--quiet")
    assert done.returncode == 0, done.stderr
    assert WAYS["python_files"] in done.stdout
    assert sum(text in done.stdout for text in WAYS.values()) == 1
    assert not done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sample_data",), "there is no manifest.json"),
        (("nowhere",), "there is no such folder"),
        (("sample_data", "--way", "teleport"), "there is no such way"),
        (("sample_data", "--seconds", "0"), "--seconds"),
    ],
)
def test_what_cannot_be_compared_is_exit_2(words: tuple[str, ...], says: str) -> None:
    done = _tfrec("bench", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert not done.stdout


def test_a_way_that_fails_does_not_hide_the_others(dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process fails, as one that runs out of memory does."""
    failing = "import sys; sys.stdin.read(); raise ValueError('no room')"
    monkeypatch.setattr(processes, "python_command", lambda module: [sys.executable, "-c", failing])
    runs = {"preload": way_process, "python_files": inline_way}
    monkeypatch.setattr(comparison, "run", lambda task: runs[task.way](task))
    words = ("--seconds", "0.2", "--image-size", "8", "--way", "python_files", "--way", "preload", "--json")
    done = _tfrec("bench", dataset, *words, "--quiet")
    assert done.returncode == 2, done.stderr
    values = json.loads(done.stdout)
    assert [result["name"] for result in values["results"]] == ["python_files"]
    assert values["failures"] == {"preload": "ValueError: no room"}
    assert values["error"]["message"] == "failed: preload"


@pytest.mark.parametrize(
    ("header", "labels", "words"),
    [("label", ("", ""), ("--unlabelled", "keep")), ("label,label", ("a,b", "a,"), ())],
    ids=["no labels", "several labels"],
)
def test_labels_of_every_kind(
    header: str, labels: tuple[str, str], words: tuple[str, ...], tmp_path: Path
) -> None:
    images = sorted((ROOT / "sample_data" / "images").rglob("*.*"))[:2]
    rows = [f"TRAIN,{image},{label}" for image, label in zip(images, labels, strict=True)]
    (tmp_path / "list.csv").write_text("\n".join([f"split,image_uri,{header}", *rows]) + "\n")
    done = _tfrec("convert", str(tmp_path / "list.csv"), str(tmp_path / "out"), "--quiet", *words)
    assert done.returncode == 0, done.stderr
    done = _tfrec("bench", str(tmp_path / "out"), "--seconds", "0.2", "--way", "tfdata_records", "--quiet")
    assert done.returncode == 0, done.stderr


def test_damaged_records_are_told_with_a_hint(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert _tfrec("convert", "sample_data/data.csv", str(out), "--quiet").returncode == 0
    for shard in out.glob("train-*.tfrecord"):
        data = bytearray(shard.read_bytes())
        data[30] ^= 1
        shard.write_bytes(data)
    done = _tfrec("bench", str(out), "--seconds", "0.2")
    assert done.returncode == 2
    assert "tfrec verify says what is wrong" in done.stderr
    assert "function_node" not in done.stderr


def test_no_number_is_refused(dataset: str) -> None:
    done = _tfrec("bench", dataset, "--seconds", "nan")
    assert done.returncode == 2
    assert "--seconds" in done.stderr


def test_files_of_the_list_that_was_converted(tmp_path: Path) -> None:
    """As they are: shrunk in the records, in their own sizes for the ways that read files."""
    rows = [("TRAIN", f"{number}.png", "ab"[number % 2]) for number in range(6)]
    rows += [("TRAIN", "none.png", "a"), ("TRAIN", "5.webp", "a"), ("TEST", "test.png", "a")]
    source = write_csv(tmp_path / 'a list, "odd"' / "l.csv", rows, ("Set", "Pic", "Kind"))
    for number in range(6):
        Image.new("RGB", (40, 30), (number, 0, 0)).save(source.parent / f"{number}.png")
    Image.new("RGB", (40, 30)).save(source.parent / "5.webp", lossless=True)
    Image.new("RGB", (20, 30)).save(source.parent / "test.png")
    columns = ("--columns", "image_uri=Pic,label=Kind,split=Set")
    out = tmp_path / "out"
    assert _tfrec("convert", str(source), str(out), *columns, "--max-side", "8", "--quiet").returncode == 1
    words = ("--image-size", "8", "--seconds", "0.2", "--json", "--quiet", "--way", "pandas_files")
    done = _tfrec("bench", str(out), *words, "--source", str(source))
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert (values["source"], values["files"], values["passed_over"]) == (str(source), 6, 2)
    plain = json.loads(_tfrec("bench", str(out), *words).stdout)
    assert (plain["source"], plain["files"], plain["passed_over"]) == ("", 7, 0)
    table = _tfrec("bench", str(out), "--source", str(source), "--seconds", "0.2", "--way", "tf1_whole_files")
    assert "(6, 2 rows passed over)" in table.stdout
    list_files([str(source)], "train", open_dataset(out), tmp_path)
    with (tmp_path / LIST).open(newline="") as file:
        listed = list(csv.reader(file))
    assert listed == [[str(source.parent / f"{n}.png"), str(n % 2)] for n in range(6)]


def test_files_of_several_sources(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}").mkdir()
        Image.new("RGB", (40, 30), (number, 0, 0)).save(tmp_path / f"{number}" / "a.png")
        write_csv(tmp_path / f"{number}" / "list.csv", [("a.png", "xyx"[number])], ("image", "label"))
    sources = [f"{split}={tmp_path}/{n}/list.csv" for n, split in enumerate(("train", "test", "train"))]
    out = tmp_path / "out"
    assert tfrec("convert", *sources, out, "--quiet").code == 0
    list_files(sources, "train", open_dataset(out), tmp_path)
    with (tmp_path / LIST).open(newline="") as file:
        assert list(csv.reader(file)) == [[str(tmp_path / n / "a.png"), "0"] for n in "02"]
    with pytest.raises(InputError, match="none of"):
        list_files([sources[1]], "train", open_dataset(out), tmp_path)


@pytest.mark.parametrize("source", ["nowhere.csv", "sample_data/bad.csv", "https://example.com/x.csv"])
def test_a_source_that_is_not_that_of_the_dataset(source: str, dataset: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("split,image_uri,label\nTRAIN,nothing.jpg,a\n")
    given = str(tmp_path / "bad.csv") if source.endswith("bad.csv") else source
    if given.startswith("https"):
        given = str(write_csv(tmp_path / "l.csv", [("TRAIN", "https://127.0.0.1:1/x.jpg", "a")]))
    done = _tfrec("bench", dataset, "--source", given, "--seconds", "0.2")
    assert done.returncode == 2
    says = {"n": "no such file or folder", "s": "none of its images for train", "h": "on local files"}
    assert says[source[0]] in done.stderr


def test_images_of_boxes_are_fed_too(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert _tfrec("convert", "sample_data/boxes.csv", out, "--quiet").returncode == 0
    done = _tfrec(
        "bench", out, "--seconds", "0.1", "--way", "tfdata_files", "--way", "tfdata_records", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert all(way["images_per_second"] > 0 for way in json.loads(done.stdout)["results"])


def test_a_source_that_no_way_reads_is_said() -> None:
    of_records = ComparisonOptions(source=("a.csv",), ways=("tfdata_records", "tf1_records"))
    assert [*unused_options(of_records)] == ["--source is not used: no way that was chosen reads files"]
    for ways in ((), ("tfdata_records", "preload")):
        assert not [*unused_options(ComparisonOptions(source=("a.csv",), ways=ways))]
