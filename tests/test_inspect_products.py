"""What `tfrec inspect` makes: a parse function that runs, an export that converts back, a sheet."""

from __future__ import annotations

import base64
import csv
import json
import runpy
import shlex
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import (
    Run,
    by_filename,
    convert_json,
    image_list,
    jpeg,
    read_all,
    tfrec,
    write_csv,
)
from PIL import Image
from test_inspect_report import write

import tfrecordcli
from tfrecordcli.inspecting.inspection import inspect
from tfrecordcli.inspecting.parse_function import parse_function


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    convert_json(image_list(folder / "in", 12), folder / "out", "--num-shards", "2")
    return folder / "out"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records with one, two and three labels."""
    folder = tmp_path_factory.mktemp("several")
    image_list(folder / "in", 4)
    labels = [("a",), ("a", "b"), ("c", "a", "b"), ("b",)]
    rows = [("TRAIN", f"00{n}.jpg", *names) for n, names in enumerate(labels)]
    convert_json(write_csv(folder / "in" / "multi.csv", rows), folder / "out")
    return folder / "out"


# --- --parse-fn ---


def parsed(path: Path, files: list[Path], tmp_path: Path) -> list[dict[str, Any]]:
    """Runs the printed module with TensorFlow; its examples as numpy arrays."""
    done = tfrec("inspect", path, "--parse-fn")
    assert (done.code, done.err) == (0, "")
    return run(done.out, files, tmp_path)


def run(code: str, files: list[Path], tmp_path: Path) -> list[dict[str, Any]]:
    script = tmp_path / "reading.py"
    script.write_text(code, encoding="utf-8")
    module = runpy.run_path(str(script))
    examples = module["load"]([str(file) for file in sorted(files)])
    return [{key: value.numpy() for key, value in example.items()} for example in examples]


def test_parse_function_of_ours(tf: Any, ours: Path, tmp_path: Path) -> None:
    examples = parsed(ours, list(ours.glob("*.tfrecord")), tmp_path)
    assert len(examples) == 12
    for example in examples:
        assert example["image/encoded"].shape == (16, 24, 3)
        assert example["image/encoded"].dtype == np.uint8
        assert example["image/class/label"].shape == ()
    assert Counter(int(example["image/class/label"]) for example in examples) == {0: 6, 1: 6}


def test_parse_function_of_tfrecorders(tf: Any, tfrecorder_data: Path, tmp_path: Path) -> None:
    folder = tfrecorder_data / "sample_tfrecords"
    examples = parsed(folder, [p for p in folder.iterdir() if "-of-" in p.name], tmp_path)
    assert len(examples) == 6
    for example in examples:
        assert example["image"].shape == (example["image_height"], example["image_width"], 3)
    assert {bytes(example["split"]) for example in examples} == {b"TRAIN", b"VALIDATION", b"TEST"}


def test_parse_function_of_several_labels(tf: Any, several: Path, tmp_path: Path) -> None:
    examples = parsed(several, list(several.glob("*.tfrecord")), tmp_path)
    names = {bytes(e["image/filename"]): [bytes(t) for t in e["image/class/text"]] for e in examples}
    assert sorted(map(len, names.values())) == [1, 1, 2, 3]
    assert names[b"002.jpg"] == [b"c", b"a", b"b"]
    assert 'tf.one_hot(example["image/class/label"], 3)' in parse_function(inspect(several))


def test_parse_function_of_odd_records(tf: Any, tmp_path: Path) -> None:
    """Odd keys, two kinds under one key, missing keys, no image, plain and gzip files side by side."""
    odd = "quote \" and ' back\\slash \x1b\n\u00e9"
    records = [
        {"x": [0.5, 1.5], odd: [1], "k": [1], "gone": [b"a"]},
        {"x": [2.5, 3.5], odd: [2], "k": [b"1"]},
    ]
    plain = write(tf, tmp_path / "set" / "a.tfrecord", records)
    packed = write(tf, tmp_path / "set" / "b.tfrecord.gz", records, "GZIP")
    examples = parsed(tmp_path / "set", [plain, packed], tmp_path)
    assert [int(example[odd]) for example in examples] == [1, 2, 1, 2]
    assert examples[0]["x"].tolist() == [0.5, 1.5]
    assert [len(example["gone"]) for example in examples] == [1, 0, 1, 0]
    assert "k" not in examples[0]


def test_parse_function_leaves_images_that_cannot_all_be_decoded(tf: Any, tmp_path: Path) -> None:
    records = [{"image/encoded": [data]} for data in (jpeg(), b"no image")]
    path = write(tf, tmp_path / "a.tfrecord", records)
    (first, second) = parsed(path, [path], tmp_path)
    assert bytes(first["image/encoded"]) == jpeg()
    assert bytes(second["image/encoded"]) == b"no image"


def test_parse_function_of_raw_pixels(tf: Any, tmp_path: Path) -> None:
    """As the tutorials of TensorFlow's early days stored MNIST."""
    pixels = np.arange(24, dtype=np.uint8).reshape(4, 6, 1)
    record = {"image_raw": [pixels.tobytes()], "height": [4], "width": [6], "depth": [1], "label": [5]}
    path = write(tf, tmp_path / "mnist.tfrecord", [record])
    (example,) = parsed(path, [path], tmp_path)
    assert (example["image_raw"] == pixels).all()


def test_the_printed_module_runs_by_itself(
    tf: Any, ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "reading.py"
    script.write_text(tfrec("inspect", ours, "--parse-fn").out)
    monkeypatch.setattr(sys, "argv", [str(script), str(ours / "train-00000-of-00002.tfrecord")])
    assert "tfrecordcli" not in script.read_text()
    runpy.run_path(str(script), run_name="__main__")
    assert "image/encoded uint8 (16, 24, 3)" in capsys.readouterr().out


def test_parse_function_of_a_damaged_file(ours: Path, tmp_path: Path) -> None:
    """What is damaged is told on stderr; stdout stays a program."""
    path = tmp_path / "x.tfrecord"
    path.write_bytes((ours / "train-00000-of-00002.tfrecord").read_bytes()[:-7])
    done = tfrec("inspect", path, "--parse-fn")
    assert done.code == 1
    compile(done.out, "reading.py", "exec")
    assert "x.tfrecord, record 5 at byte" in done.err


# --- --export ---


def export(path: Path, folder: Path, *options: object) -> Run:
    done = tfrec("inspect", path, "--export", folder, *options)
    assert done.code == 0, done.err
    assert "data.csv" in done.out
    return done


def rows(folder: Path) -> list[list[str]]:
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        header, *found = csv.reader(file)
    assert header == ["split", "image_uri", "label"]
    return found


def test_export_converts_back(tf: Any, ours: Path, tmp_path: Path) -> None:
    export(ours, tmp_path / "some", "--num-records", 12)
    assert convert_json(tmp_path / "some" / "data.csv", tmp_path / "again")["exit_code"] == 0
    before, after = by_filename(read_all(tf, ours)), by_filename(read_all(tf, tmp_path / "again"))
    assert {(r.encoded, r.labels, r.texts) for r in before.values()} == {
        (r.encoded, r.labels, r.texts) for r in after.values()
    }
    assert after.keys() == {f"{n:03}.jpg" for n in range(12)}


def test_several_labels_convert_back(tf: Any, several: Path, tmp_path: Path) -> None:
    export(several, tmp_path / "some")
    convert_json(tmp_path / "some" / "data.csv", tmp_path / "again")
    before, after = by_filename(read_all(tf, several)), by_filename(read_all(tf, tmp_path / "again"))
    assert {name: r.texts for name, r in before.items()} == {name: r.texts for name, r in after.items()}


def test_the_command_of_an_export_runs_whatever_the_folder_is_called(ours: Path, tmp_path: Path) -> None:
    done = tfrec("inspect", ours, "--export", "-it's $(x)", cwd=tmp_path)
    words = shlex.split(done.out.splitlines()[-1])
    assert words[:2] == ["tfrec", "convert"]
    again = tfrec(*words[1:-1], tmp_path / "out", cwd=tmp_path)
    assert again.code == 0, again.err


def test_export_of_tfrecorders_is_pixels_as_png(tf: Any, tfrecorder_data: Path, tmp_path: Path) -> None:
    done = export(tfrecorder_data / "sample_tfrecords", tmp_path / "some")
    assert "PNGs made of raw pixels: 6" in done.out
    found = rows(tmp_path / "some")
    assert Counter(row[0] for row in found) == {"train": 2, "validation": 2, "test": 2}
    assert ["test", "cat-800x600-3.png", "1"] in found
    again = convert_json(tmp_path / "some" / "data.csv", tmp_path / "again")
    assert (again["exit_code"], again["records"]) == (0, 6)


def test_num_records_and_the_mix(ours: Path, tmp_path: Path) -> None:
    export(ours, tmp_path / "some", "--num-records", 3)
    assert len(rows(tmp_path / "some")) == 3
    assert len(list((tmp_path / "some").glob("*.jpg"))) == 3


HOSTILE = (
    b"../../evil.jpg", b"/etc/passwd", b"..", b"C:\\x\\..\\y.jpg", b"a/b.jpg", b"A_b.JPG", b"a_b.png", b"",
    b"\x1b[31m\0.jpg", b"x" * 500, b"\xff\xfe", b"data.csv", b"gs://bucket/dir/z.jpg",
    b"-rf.jpg", "é.jpg".encode(),
)  # fmt: skip


def test_names_are_harmless(tf: Any, tmp_path: Path) -> None:
    records = [
        {"image/encoded": [jpeg(n)], "image/filename": [name], "label": [b'=1,"\x1b x']}
        for n, name in enumerate(HOSTILE)
    ]
    folder = tmp_path / "deep" / "some"
    export(write(tf, tmp_path / "foreign.tfrecord", records), folder, "--num-records", 100)
    assert {p.name for p in tmp_path.rglob("*") if p.is_file()} == {
        "foreign.tfrecord", *(p.name for p in folder.iterdir()),
    }  # fmt: skip
    names = [row[1] for row in rows(folder)]
    assert len({name.lower() for name in names}) == len(HOSTILE)
    assert [(folder / name).read_bytes() for name in names] == [jpeg(n) for n in range(len(HOSTILE))]
    assert all(name.isascii() and name[0].isalnum() and len(name) < 120 for name in names)
    assert all(name.endswith(".jpg") and "/" not in name for name in names)
    assert {row[2] for row in rows(folder)} == {'=1,"\\x1b x'}
    done = convert_json(folder / "data.csv", tmp_path / "out")
    assert (done["exit_code"], done["records"]) == (0, len(HOSTILE))


def test_without_label_and_without_image(tf: Any, tmp_path: Path) -> None:
    path = write(tf, tmp_path / "a.tfrecord", [{"image/encoded": [jpeg()]}, {"n": [1, 2]}])
    done = export(path, tmp_path / "some")
    assert rows(tmp_path / "some") == [["", "a-000000.jpg", ""]]
    assert "passed over: 1 record without an image" in done.out
    assert done.out.rstrip().endswith("--unlabelled keep")
    again = convert_json(tmp_path / "some" / "data.csv", tmp_path / "out", "--unlabelled", "keep")
    assert (again["exit_code"], again["records"]) == (0, 1)


def test_nothing_is_overwritten(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    picture = tmp_path / "mine.png"
    picture.write_text("mine")
    for options in (("--export", tmp_path), ("--sheet", picture), ("--sheet", tmp_path / "a.jpg")):
        done = tfrec("inspect", ours, *options)
        assert (done.code, done.out) == (2, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.png", "mine.txt"]
    assert picture.read_text() == "mine"


# --- --sheet ---


def sheet(path: Path, file: Path, *options: object) -> Image.Image:
    done = tfrec("inspect", path, "--sheet", file, *options)
    assert done.code == 0, done.err
    with Image.open(file) as image:
        image.load()
    assert image.format == "PNG"
    return image


@pytest.mark.parametrize("count", [1, 5, 12])
def test_sheet(ours: Path, tmp_path: Path, count: int) -> None:
    image = sheet(ours, tmp_path / "sheet.png", "--num-records", count)
    assert 400 < image.width < 2000
    assert 250 < image.height < 2000
    assert len(image.getcolors(1 << 24) or ()) > 100


def test_sheet_of_odd_images(tf: Any, tmp_path: Path, sample_data: Path) -> None:
    """16 bits, transparent, palette, tiny, broken, with a long and an unprintable label."""
    images = {
        "grey16.png": Image.fromarray(np.arange(0, 65536, 16, dtype=np.uint16).reshape(64, 64)),
        "alpha.png": Image.new("RGBA", (50, 80), (255, 0, 0, 80)),
        "palette.gif": Image.new("P", (300, 20), 3),
        "dot.bmp": Image.new("1", (1, 1), 1),
        "cmyk.jpg": Image.new("CMYK", (40, 40), (0, 255, 255, 0)),
        "tall.webp": Image.new("RGB", (3, 900), "blue"),
    }
    records = []
    for name, image in images.items():
        image.save(tmp_path / name)
        data = (tmp_path / name).read_bytes()
        records.append({"image/encoded": [data], "label": [f"{name} {'long ' * 30}\x1b".encode()]})
    records += [{"image/encoded": [jpeg()[:-200]]}, {"image/encoded": [b"no image"]}]
    drawn = sheet(write(tf, tmp_path / "odd.tfrecord", records), tmp_path / "sheet.png")
    assert drawn.height > 250


def test_sheet_without_images(tf: Any, tmp_path: Path) -> None:
    done = tfrec("inspect", write(tf, tmp_path / "a.tfrecord", [{"n": [1]}]), "--sheet", tmp_path / "s.png")
    assert done.code == 2
    assert "no record holds an image" in done.err
    assert not (tmp_path / "s.png").exists()


@pytest.mark.parametrize(("option", "url"), [("--export", "gs://b/some"), ("--sheet", "s3://b/s.png")])
def test_products_are_written_to_local_paths_only(option: str, url: str, ours: Path, tmp_path: Path) -> None:
    done = tfrec("inspect", ours, option, url, cwd=tmp_path)
    assert (done.code, f"{option} {url}" in done.err) == (2, True)
    assert not list(tmp_path.iterdir())


def test_all_at_once_in_json(ours: Path, tmp_path: Path) -> None:
    options = ("--parse-fn", "--export", tmp_path / "some", "--sheet", tmp_path / "s.png", "--json")
    done = tfrec("inspect", ours, *options, "--num-records", 2).json
    assert (done["export"]["images"], done["sheet"]["images"]) == (2, 2)
    compile(done["parse_function"], "reading.py", "exec")


# --- several images in a record, and records without features ---


def test_parse_function_of_several_images_in_a_record(tf: Any, tmp_path: Path) -> None:
    path = write(tf, tmp_path / "a.tfrecord", [{"images": [jpeg(1), jpeg(2)], "label": [1]}] * 2)
    examples = parsed(path, [path], tmp_path)
    assert [[bytes(data) for data in example["images"]] for example in examples] == [[jpeg(1), jpeg(2)]] * 2
    code = parse_function(inspect(path))
    assert '# tf.io.decode_image(example["images"][0]' in code
    some = [{"images": [jpeg(n) for n in range(count)]} for count in (1, 3)]
    assert [len(e["images"]) for e in parsed(write(tf, path, some), [path], tmp_path)] == [1, 3]


def test_export_of_several_images_says_that_it_wrote_one(tf: Any, tmp_path: Path) -> None:
    records = [{"images": [jpeg(1), jpeg(2)]}, {"left": [jpeg(3)], "right": [jpeg(4)]}, {"image": [jpeg(5)]}]
    done = export(write(tf, tmp_path / "a.tfrecord", records), tmp_path / "some")
    assert "of 2 records with several images, one was written" in done.out
    written = {path.read_bytes() for path in (tmp_path / "some").glob("*.jpg")}
    assert written == {jpeg(1), jpeg(3), jpeg(5)}


def test_parse_function_decodes_the_photo_and_names_the_others(tf: Any, tmp_path: Path) -> None:
    mask = jpeg(3)
    path = write(tf, tmp_path / "a.tfrecord", [{"mask": [mask], "right": [jpeg(2)], "left": [jpeg(1)]}])
    (example,) = parsed(path, [path], tmp_path)
    assert example["left"].shape == (16, 24, 3)
    assert bytes(example["mask"]) == mask
    assert '# example["mask"] holds images too' in parse_function(inspect(path))


@pytest.mark.parametrize("written", [bytes, base64.urlsafe_b64encode, base64.b64encode])
def test_parse_function_decodes_raw_pixels(
    tf: Any, written: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    sizes = {f"image_{side}": [count] for side, count in {"height": 2, "width": 8, "channels": 3}.items()}
    pixels = bytes(range(208, 256))
    path = write(tf, tmp_path / "a.tfrecord", [{"image": [written(pixels)], **sizes}])
    (example,) = parsed(path, [path], tmp_path)
    assert (example["image"].shape, example["image"].tobytes()) == ((2, 8, 3), pixels)


def test_parse_function_promises_no_more_than_was_looked_at(tf: Any, ours: Path, tmp_path: Path) -> None:
    code = parse_function(inspect(ours))
    assert "It fits the features of the 12 records that tfrec inspect read." in code
    assert "No image was decoded" in code
    path = write(tf, tmp_path / "a.tfrecord", [{"n": [1]}])
    assert "image" not in parse_function(inspect(path)).partition("import")[0]


def sequence(tf: Any, *, context: bool) -> bytes:
    """A SequenceExample of two frames."""
    frames = [tf.train.Feature(bytes_list=tf.train.BytesList(value=[jpeg(n)])) for n in range(2)]
    lists = tf.train.FeatureLists(feature_list={"frames": tf.train.FeatureList(feature=frames)})
    number = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    features = tf.train.Features(feature={"id": number} if context else {})
    payload: bytes = tf.train.SequenceExample(context=features, feature_lists=lists).SerializeToString()
    return payload


def test_parse_function_without_any_feature_is_refused(tf: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    for records, hint in (
        ([b""] * 2, "shows what is there"),
        ([sequence(tf, context=False)], "parse_single_sequence"),
    ):
        done = tfrec("inspect", write(tf, path, records), "--parse-fn")
        assert (done.code, done.out) == (2, "")
        assert "no feature that could be parsed" in done.err
        assert hint in done.err


def test_sequence_examples_are_told(tf: Any, tmp_path: Path) -> None:
    path = write(tf, tmp_path / "a.tfrecord", [sequence(tf, context=True), sequence(tf, context=False), b""])
    done = tfrec("inspect", path)
    assert "2 records are SequenceExamples: the context is shown, feature lists are not read" in done.out
    assert tfrec("inspect", path, "--json").json["sequence_examples"] == 2
    (*both, _) = parsed(path, [path], tmp_path)
    assert [example["id"].tolist() for example in both] == [[7], []]
    assert "SequenceExamples: their context is parsed" in parse_function(inspect(path))
    report = tfrecordcli.verify(path)
    assert any("2 records are SequenceExamples, whose feature lists" in said for said in report.not_checked)
    path = write(tf, path, [{"id": [7]}])
    assert "Sequence" not in tfrec("inspect", path).out
    assert not any("Sequence" in said for said in tfrecordcli.verify(path).not_checked)


# --- labels of an export ---


def converted_again(done: Run, folder: Path) -> dict[str, Any]:
    """Runs the command that an export prints; the manifest of what it makes."""
    words = shlex.split(done.out.splitlines()[-1])
    assert words[:2] == ["tfrec", "convert"]
    again = tfrec(*(folder if word == "OUTPUT_DIR" else word for word in words[1:]))
    assert again.code == 0, again.err
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def test_an_export_keeps_the_ids_of_labels(tmp_path: Path) -> None:
    """Names in an order of the user's, one of which no exported image has."""
    names = ["zebra", "soft\u00adhyphen", "lion", "ape"]
    image_list(tmp_path / "in", 4)
    (tmp_path / "in" / "names.txt").write_text("\n".join(names), encoding="utf-8")
    rows = [("TRAIN", f"00{n}.jpg", name) for n, name in enumerate(("ape", "soft\u00adhyphen", "zebra"))]
    csv_path = write_csv(tmp_path / "in" / "some.csv", rows)
    convert_json(csv_path, tmp_path / "out", "--labels", tmp_path / "in" / "names.txt")
    done = export(tmp_path / "out", tmp_path / "-some")
    assert "data.csv and labels.txt into" in done.out
    assert (tmp_path / "-some" / "labels.txt").read_text(encoding="utf-8").splitlines() == names
    found = converted_again(done, tmp_path / "again")
    assert found["labels"] == {name: number for number, name in enumerate(names)}
    assert found["records"] == 3


def test_an_export_of_ids_needs_no_names(tmp_path: Path) -> None:
    image_list(tmp_path / "in", 3)
    for ids in (("7", "5000000"), ("0", "1")):
        rows = [("TRAIN", f"00{n}.jpg", label) for n, label in enumerate(ids)]
        out = tmp_path / f"out{ids[0]}"
        convert_json(write_csv(tmp_path / "in" / "some.csv", rows), out)
        done = export(out, tmp_path / f"some{ids[0]}")
        assert "labels.txt" not in done.out
        assert "--labels" not in done.out
        found = converted_again(done, tmp_path / f"again{ids[0]}")
        assert found["labels"] == {label: int(label) for label in ids}


def test_whole_floats_are_labels(tf: Any, tmp_path: Path) -> None:
    records = [{"image": [jpeg(n)], "label": [float(n % 2)]} for n in range(3)]
    path = write(tf, tmp_path / "a.tfrecord", records)
    done = export(path, tmp_path / "some")
    assert "labels in label: 2 kinds" in done.out
    assert [row[2] for row in rows(tmp_path / "some")] == ["0", "1", "0"]
    assert converted_again(done, tmp_path / "out")["labels"] == {"0": 0, "1": 1}


@pytest.mark.parametrize("odd", [[0.5], [1.0, 0.0], [float("nan")], [float("inf")]])
def test_other_floats_are_left_out_by_name(tf: Any, tmp_path: Path, odd: list[float]) -> None:
    records = [{"image": [jpeg(n)], "label": label} for n, label in enumerate(([1.0], odd, [0.0]))]
    path = write(tf, tmp_path / "a.tfrecord", records)
    done = export(path, tmp_path / "some")
    assert "label holds floats, which are not counted as labels" in done.out
    assert "left out: label, whose floats are no labels" in done.out
    assert {row[2] for row in rows(tmp_path / "some")} == {""}
    told = tfrec("inspect", path, "--json").json
    assert (told["labels"], told["float_label"]) == (None, "label")
    beside = write(tf, path, [{**record, "class": [4]} for record in records])
    assert tfrec("inspect", beside, "--json").json["float_label"] == ""


NO_EXPORT = "--export-format is not used: --export is not given"


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        (["--num-records", "3"], ["--num-records is not used: neither --export nor --sheet is given"]),
        (
            ["--sheet", "a.png", "--export-format", "coco"],
            ["--export-format is not used: --export is not given"],
        ),
        (["--sheet", "a.png", "--num-records", "3"], []),
    ],
)
def test_options_that_do_nothing_are_said(
    words: list[str], notes: list[str], ours: Path, tmp_path: Path
) -> None:
    done = tfrec("inspect", ours, *words, cwd=tmp_path)
    assert (done.code, done.err) == (0, "".join(f"note: {note}\n" for note in notes))
    assert tfrec("inspect", ours, *words, "--json", cwd=tmp_path).json["notes"] == notes
