"""Pipes, sockets and devices where files or folders are expected: called that, and never waited for."""

from __future__ import annotations

import io
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import image_list, tfrec
from PIL import Image
from verifying import verify, write_shard

import tfrecordcli
from tfrecordcli.errors import InputError, TfrecError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting.inspection import inspect

KINDS = {"pipe": "a pipe", "socket": "a socket", "device": "a device"}


@pytest.fixture(params=KINDS)
def special(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of such a file in the current folder, or of one elsewhere."""
    monkeypatch.chdir(tmp_path)  # the path of a socket is at most 108 bytes long
    if request.param == "device":
        yield os.devnull
    elif request.param == "pipe":
        os.mkfifo("special")
        yield "special"
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("special")
            yield "special"


@pytest.fixture
def kind(special: str, request: pytest.FixtureRequest) -> str:
    return KINDS[request.node.callspec.params["special"]]


@pytest.mark.parametrize("command", ["verify", "inspect"])
def test_what_is_read_must_be_a_file_or_a_folder(command: str, special: str, kind: str) -> None:
    done = tfrec(command, special)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == f"tfrec: {special}: {kind}, not a file or folder"
    assert "save what comes out of it in a file first" in done.err


def test_what_is_fed_must_be_a_folder(special: str, kind: str) -> None:
    needed = f"{kind}, where the folder of a dataset is needed"
    with pytest.raises(InputError, match=needed):
        tfrecordcli.load(special)
    done = tfrec("bench", special)
    assert (done.code, f"{special}: {needed}" in done.err) == (2, True)


@pytest.mark.parametrize("command", ["convert", "plan"])
def test_a_list_must_be_a_file(command: str, special: str, kind: str) -> None:
    done = tfrec(command, special, "out")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == f"tfrec: {special}: {kind}, not a regular file"
    assert "pipe it in" in done.err
    assert not Path("out").exists()


def test_an_image_root_must_be_a_folder(special: str, sample_data: Path) -> None:
    with pytest.raises(TfrecError, match="it is no folder"):
        tfrecordcli.convert(sample_data / "data.csv", "out", image_root=special)


def test_what_is_below_such_a_file_is_not_there(special: str) -> None:
    done = tfrec("verify", f"{special}/a")
    assert (done.code, "no such file or folder" in done.err) == (2, True)


@pytest.fixture(params=["link", "pipe"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of TFRecords one of which is called so and cannot be read."""
    folder = tmp_path / "records"
    (folder / "more").mkdir(parents=True)
    png = io.BytesIO()
    Image.new("RGB", (4, 3)).save(png, "PNG")
    write_shard(folder / "train.tfrecord", [encode_example({"image": [png.getvalue()], "label": [1]})])
    for path in (folder / "val-00000-of-00001.tfrecord", folder / "more" / "test.tfrecord"):
        if request.param == "link":
            path.symlink_to("nowhere")
        else:
            os.mkfifo(path)
    return folder


def test_what_is_called_like_tfrecords_and_is_none_is_told(broken: Path) -> None:
    report, seen = verify(broken), inspect(broken)
    assert report.problems == seen.problems
    assert [(found.path, found.code) for found in report.problems] == [
        ("more/test.tfrecord", "unreadable"),
        ("val-00000-of-00001.tfrecord", "unreadable"),
    ]
    assert report.records == 1
    done = tfrec("convert", broken, broken.parent / "out", "--dry-run")
    assert done.code == 0
    assert "more/test.tfrecord, val-00000-of-00001.tfrecord: no file" in done.err


def test_a_shard_of_ours_that_is_a_link_to_nowhere(sample_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert tfrec("convert", sample_data / "data.csv", out).code == 0
    shard = next(out.glob("train*.tfrecord"))
    shard.unlink()
    shard.symlink_to("nowhere")
    (problem,) = (found for found in verify(out).problems if found.path == shard.name)
    assert (problem.code, "leads nowhere" in problem.message) == ("unreadable", True)


# --- a pipe in the place of a file of a dataset ---


def _made(sample_data: Path, out: Path) -> Path:
    """A list of which one row is rejected, and the dataset made of it."""
    source = out.parent / "list.csv"
    rows = (sample_data / "data.csv").read_text() + "TRAIN,none.jpg,circle\n"
    source.write_text(rows)
    assert tfrec("convert", source, out, "--image-root", sample_data).code == 1
    return source


def _make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def test_a_pipe_among_the_files_of_a_dataset_is_never_waited_for(sample_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    source = _made(sample_data, out)
    names = [path.name for path in out.iterdir()]
    assert {"manifest.json", "shards.jsonl", "labels.txt", "rejects.csv"} < set(names)
    for name in names:
        data = (out / name).read_bytes()
        _make_pipe(out / name)
        is_manifest = name == "manifest.json"
        said = "this is no manifest" if is_manifest else f"complete by its manifest, but {name} is missing or"
        for words in (
            ("convert", source, out, "--image-root", sample_data),
            ("finish", out),
            ("write-shards", out),
        ):
            done = tfrec(*words)
            assert (done.code, said in done.err) == (2, True), (words[0], name, done.err)
        (out / name).unlink()
        (out / name).write_bytes(data)
    _make_pipe(out / "shards.jsonl")
    with pytest.raises(InputError, match=r"shards.jsonl is missing or damaged"):
        tfrecordcli.load(out)


def test_a_pipe_among_the_files_of_a_plan_is_never_waited_for(sample_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert tfrec("plan", sample_data / "data.csv", out).code == 0
    plan = out / "_tfrec" / "plan"
    for path in [path for path in plan.rglob("*") if path.is_file()]:
        data = path.read_bytes()
        _make_pipe(path)
        done = tfrec("write-shards", out, "--workers", "1")
        assert (done.code, f"{path}: " in done.err) == (2, True), (path, done.err)
        path.unlink()
        path.write_bytes(data)
        shutil.rmtree(out / "_tfrec" / "done")
        (out / "_tfrec" / "done").mkdir()
    assert tfrec("write-shards", out).code == 0
    _make_pipe(next((out / "_tfrec" / "done").iterdir()))
    done = tfrec("finish", out)
    assert "1 of 3 shards are not made yet" in done.err


@pytest.mark.parametrize("command", ["write-shards", "finish"])
def test_where_the_folder_of_a_plan_is_needed(command: str, special: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, what in ((special, kind), ("file", "a file")):
        done = tfrec(command, path)
        assert (done.code, done.out) == (2, "")
        assert done.err.splitlines()[0] == f"tfrec: {path}: {what}, where the folder of a plan is needed"


def test_a_contact_sheet_is_not_drawn_on_a_pipe(sample_data: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "sheet.png")
    done = tfrec("convert", sample_data / "data.csv", "out", "--dry-run", "--sheet", tmp_path / "sheet.png")
    assert (done.code, "it is there already, and no contact sheet" in done.err) == (2, True)


@pytest.mark.parametrize("name", ["data.yaml", "classes.txt", "labels/2.txt"])
def test_a_pipe_in_a_folder_of_boxes(name: str, tmp_path: Path) -> None:
    for number in (1, 2):
        for folder in ("images", "labels"):
            (tmp_path / "yolo" / folder).mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40, 30)).save(tmp_path / f"yolo/images/{number}.jpg")
        (tmp_path / f"yolo/labels/{number}.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    (tmp_path / "yolo/data.yaml").write_text("names: [a]\ntrain: images\n")
    path = tmp_path / "yolo" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    done = tfrec("convert", tmp_path / "yolo", tmp_path / "out", "--dry-run")
    assert done.code == {"data.yaml": 2, "classes.txt": 0, "labels/2.txt": 1}[name]


@pytest.mark.parametrize("name", ["labels.txt", "image.class.label.labels.txt", "label_map.pbtxt"])
def test_a_pipe_beside_tfrecords_tells_no_names(name: str, sample_data: Path, tmp_path: Path) -> None:
    assert tfrec("convert", sample_data / "data.csv", tmp_path / "out").code == 0
    (tmp_path / "records").mkdir()
    for path in (tmp_path / "out").glob("*.tfrecord"):
        path.rename(tmp_path / "records" / path.name)
    os.mkfifo(tmp_path / "records" / name)
    done = tfrec("convert", tmp_path / "records", tmp_path / "again", "--dry-run")
    assert (done.code, "would get 30 records" in done.out) == (0, True)


def test_pipes_called_like_json_beside_images(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / "in").mkdir(exist_ok=True)
        Image.new("RGB", (40, 30)).save(tmp_path / f"in/{number}.jpg")
        os.mkfifo(tmp_path / f"in/{number}.json")
    done = tfrec("convert", tmp_path / "in", tmp_path / "out", "--dry-run")
    assert (done.code, "--unlabelled keep" in done.err) == (2, True)


def test_a_link_that_leads_to_itself_beside_records_that_are_a_source(tmp_path: Path) -> None:
    tfrecordcli.convert(image_list(tmp_path / "in", 3), tmp_path / "records")
    (tmp_path / "records" / "manifest.json").unlink()  # and so they are anybody's
    (tmp_path / "records" / "self.tfrecord").symlink_to("self.tfrecord")
    done = tfrec("convert", tmp_path / "records", tmp_path / "out")
    assert (done.code, "3 records from 3 rows" in done.out) == (0, True)
    assert "warning: self.tfrecord: no file" in done.err
