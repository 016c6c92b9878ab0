"""TFRecords as a source: ours and those of others become the records that they were."""

from __future__ import annotations

import base64
import gzip
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from converting import convert_json, image_list, jpeg, manifest, read_csv, tfrec, write_csv
from PIL import Image
from recording import by_image, foreign, records_of
from verifying import framed, verify

from tfrecordcli.formats.example import Empty, encode_example
from tfrecordcli.sources.records import rows as record_rows
from tfrecordcli.sources.records.image import counts_of_images, image_keys
from tfrecordcli.sources.records.sample import light
from tfrecordcli.storage.record_parts import RawShape, RecordPart, part_of, png_of
from tfrecordcli.tfrecords.example_parser import parse_example
from tfrecordcli.tfrecords.image_features import find_images

SAMPLES = Path(__file__).parents[2] / "shared/data/tfrecorder/sample_tfrecords"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A dataset of 12 records with two labels."""
    convert_json(image_list(tmp_path / "list"), tmp_path / "out", "--splits", "train=80,test=20")
    return tmp_path / "out"


# --- round trips ---


def test_a_dataset_converted_again_holds_the_same_records(dataset: Path, tmp_path: Path) -> None:
    done = convert_json(dataset, tmp_path / "again", "--num-shards", 3)
    assert done["records"] == 12
    assert by_image(records_of(tmp_path / "again")) == by_image(records_of(dataset))
    assert manifest(tmp_path / "again")["labels"] == manifest(dataset)["labels"]
    assert verify(tmp_path / "again", strict=True).problems == ()


def test_records_are_split_again_by_a_feature_or_by_other_words(tmp_path: Path) -> None:
    listed = image_list(tmp_path / "in").read_text().splitlines()[1:]
    rows = [row.split(",") for row in listed]
    table = [("train" if n % 2 else "test", row[1], row[2], f"p{n // 3}") for n, row in enumerate(rows)]
    source = write_csv(tmp_path / "in" / "p.csv", table, ("split", "image_uri", "label", "patient"))
    convert_json(source, tmp_path / "out", "--features", "patient", "--num-shards", 1)
    words = ("--split-by", "patient", "--splits", "train=50,test=50")
    done = convert_json(tmp_path / "out", tmp_path / "again", *words)
    counts = [split["records"] for split in done["splits"].values()]
    assert sum(counts) == 12
    assert len(counts) == 2
    assert all(count % 3 == 0 for count in counts)  # the records of a patient are in one split
    swapped = convert_json(
        tmp_path / "out", tmp_path / "swapped", "--split-map", "train=validation,test=train"
    )
    assert {name: split["records"] for name, split in swapped["splits"].items()} == {
        "train": 6,
        "validation": 6,
    }
    (told,) = done["warnings"]
    assert "6 of train and 6 of test" in told
    option = shlex.split(told.partition(": ")[2])[:2]
    kept = convert_json(tmp_path / "out", tmp_path / "kept", *words, *option)
    is_test = {row[1].rpartition("/")[2] for row in table if row[0] == "test"}
    test = {record["image/filename"][0].decode() for record in records_of(tmp_path / "kept", "test*")}
    assert {name.rpartition("/")[2] for name in test} >= is_test
    assert not any("6 of test" in told or "not used" in told for told in kept["warnings"] + kept["remarks"])
    for option in (("--split-by", "clinic"), ("--columns", "split=patient")):
        refused = tfrec("convert", tmp_path / "out", tmp_path / "no", *option)
        assert (refused.code, f"{' '.join(option)}: " in refused.err) == (2, True)


@pytest.mark.parametrize(("names", "code"), [({"a": "Affe", "b": "Bär"}, 0), ({"b": "Bär"}, 1)])
def test_names_in_the_place_of_labels_have_their_ids(
    names: dict[str, str], code: int, dataset: Path, tmp_path: Path
) -> None:
    (tmp_path / "names.csv").write_text("".join(f"{old},{new}\n" for old, new in names.items()))
    assert list(manifest(dataset)["labels"]) == ["a", "b"]
    done = tfrec("convert", dataset, tmp_path / "again", "--label-names", tmp_path / "names.csv")
    assert done.code == code
    expected = {name: number for number, name in enumerate(names.values())}
    assert manifest(tmp_path / "again")["labels"] == expected


def test_records_are_split_again_by_the_option_that_the_note_on_splits_tells(
    dataset: Path, tmp_path: Path
) -> None:
    run = tfrec("convert", dataset, tmp_path / "same", "--splits", "train=1,test=1")
    again = "--split-map train=unassigned"
    assert (
        f"--splits is not used: every row has a split of its own; to assign all of them anew: {again}"
        in run.err
    )
    done = convert_json(dataset, tmp_path / "again", "--splits", "validation=1", *again.split())
    assert {name: split["records"] for name, split in done["splits"].items()} == {"validation": 12}


def test_label_ids_stay_when_a_label_is_gone_from_a_split(dataset: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("z\nb\na\n")
    convert_json(dataset, tmp_path / "again", "--labels", names)
    assert manifest(tmp_path / "again")["labels"] == {"z": 0, "b": 1, "a": 2}


def test_datasets_are_merged_by_name(dataset: Path, tmp_path: Path) -> None:
    other = image_list(tmp_path / "other", 4, dict.fromkeys(range(4), b"other"))
    rows = [(row["split"], row["image_uri"], "ca"[i % 2]) for i, row in enumerate(read_csv(other))]
    convert_json(write_csv(other, rows, ("split", "image_uri", "label")), tmp_path / "out2")
    done = convert_json(dataset, tmp_path / "out2", tmp_path / "merged")
    assert (done["records"], done["rejected"]) == (16, 0)
    assert manifest(tmp_path / "merged")["labels"] == {"a": 0, "b": 1, "c": 2}
    keys = ("image/class/label", "image/class/text")
    merged = by_image(records_of(tmp_path / "merged"))
    for folder in (dataset, tmp_path / "out2"):
        before = by_image(records_of(folder))
        assert all(merged[image][keys[1]] == record[keys[1]] for image, record in before.items())
    assert verify(tmp_path / "merged", strict=True).problems == ()


def test_an_identity_is_file_and_number_and_never_the_file_name(tmp_path: Path) -> None:
    same = {"image/filename": [b"x.jpg"], "image/class/text": [b"cat"], "image/class/label": [4]}
    path = foreign(tmp_path / "in/train.tfrecord", *({**same, "image/encoded": [jpeg(i)]} for i in range(3)))
    done = convert_json(path, tmp_path / "out")
    assert (done["records"], done["merged"]) == (3, 0)
    assert {record["image/filename"][0] for record in records_of(tmp_path / "out")} == {b"x.jpg"}
    assert manifest(tmp_path / "out")["labels"] == {"cat": 0}


def test_a_record_without_a_name_is_called_by_its_place(tmp_path: Path) -> None:
    path = foreign(tmp_path / "in/train.tfrecord", {"image/encoded": [jpeg(1)], "label": [7]})
    convert_json(path, tmp_path / "out")
    (record,) = records_of(tmp_path / "out")
    assert record["image/filename"] == [b"train.tfrecord#0"]
    assert record["image/class/label"] == [7]


def test_rows_are_dealt_by_what_is_in_them(tmp_path: Path) -> None:
    records = [{"image/encoded": [jpeg(i)], "label": [1]} for i in range(40)]
    foreign(tmp_path / "one/data.tfrecord", *records)
    foreign(tmp_path / "two/a.tfrecord", *records[25:])
    foreign(tmp_path / "two/b.tfrecord", *records[:25])
    convert_json(tmp_path / "one", tmp_path / "out1")
    convert_json(tmp_path / "two", tmp_path / "out2")
    for split in ("train", "validation", "test"):
        one, two = (by_image(records_of(tmp_path / out, f"{split}-*.tfrecord")) for out in ("out1", "out2"))
        assert one.keys() == two.keys()
        assert len(one) < 40


# --- further features ---


def test_further_features_of_ours_are_the_same_again(tmp_path: Path) -> None:
    (tmp_path / "list").mkdir()
    rows = [("image_uri", "split", "label", "age", "score", "tags", "note")]
    for number in range(6):
        (tmp_path / f"list/{number}.jpg").write_bytes(jpeg(number))
        note = "" if number % 2 else f"note {number}"
        rows.append((f"{number}.jpg", "train", "ab"[number % 2], str(number), f"{number / 7}", "x;y", note))
    source = write_csv(tmp_path / "list/list.csv", rows[1:], rows[0])
    features = "age:int,score:float,tags:text[;],note:text"
    convert_json(source, tmp_path / "out", "--features", features)
    done = convert_json(tmp_path / "out", tmp_path / "again")
    assert (done["records"], done["rejected"]) == (6, 0)
    assert by_image(records_of(tmp_path / "again")) == by_image(records_of(tmp_path / "out"))
    assert "score" in records_of(tmp_path / "again")[0]
    assert verify(tmp_path / "again", strict=True).problems == ()


def test_numbers_to_predict_of_ours_are_the_same_again(tmp_path: Path) -> None:
    source = image_list(tmp_path / "list")
    rows = [[row["split"], row["image_uri"], f"{i}.5"] for i, row in enumerate(read_csv(source))]
    write_csv(source, rows, ("split", "image_uri", "label"))
    convert_json(source, tmp_path / "out", "--task", "regression")
    convert_json(tmp_path / "out", tmp_path / "again")
    assert by_image(records_of(tmp_path / "again")) == by_image(records_of(tmp_path / "out"))
    assert verify(tmp_path / "again", strict=True).problems == ()


def test_single_values_of_others_are_stored_again(tmp_path: Path) -> None:
    records = [
        {
            "image/encoded": [jpeg(i)],
            "label": [1],
            "weight": [0.5],
            "id": [i],
            "who": [b"me"],
            "many": [b"\xff", b"b"],
        }
        for i in range(3)
    ]
    records[2] |= {"weight": [float("inf")], "who": [b"\xff"]}
    foreign(tmp_path / "in/train.tfrecord", *records[:2])
    foreign(tmp_path / "in/zzz-train.tfrecord", *records)
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert done["records"] == 5
    found = records_of(tmp_path / "out")
    assert sorted(record["id"][0] for record in found) == [0, 0, 1, 1, 2]
    assert all("many" not in record for record in found)
    assert any("many" in remark for remark in done["remarks"])


def test_a_feature_that_some_records_hold_empty_is_stored_where_it_is_not(tmp_path: Path) -> None:
    records = [
        {
            "image/encoded": [jpeg(i)],
            "label": [1],
            "age": [i] if i % 2 else Empty["int64"],
            "x": Empty["float"],
        }
        for i in range(4)
    ]
    done = convert_json(foreign(tmp_path / "in/train.tfrecord", *records), tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(i)].get("age", "none") for i in range(4)] == ["none", [1], "none", [3]]
    assert not any("not taken over" in remark for remark in done["remarks"])
    assert verify(tmp_path / "out", strict=True).problems == ()


def _aged(folder: Path) -> Path:
    records = [
        {"image/encoded": [jpeg(i)], "label": [i], "a/age": [i], "b/zip": [b"1"], "c/zip": [b"2"]}
        for i in range(2)
    ]
    return foreign(folder / "train.tfrecord", *records)


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("age", ["a/age"]),
        ("a/age:int,c/zip", ["a/age", "c/zip"]),
        ("all", ["a/age", "b/zip", "c/zip"]),
    ],
)
def test_further_features_are_chosen(asked: str, stored: list[str], tmp_path: Path) -> None:
    done = convert_json(_aged(tmp_path / "in"), tmp_path / "out", "--features", asked)
    assert not any("not used" in remark for remark in done["remarks"])
    for record in records_of(tmp_path / "out"):
        assert [key for key in record if key.endswith(("age", "zip"))] == stored


def test_features_are_chosen_of_one_of_several_sources(tmp_path: Path) -> None:
    other = foreign(tmp_path / "b.tfrecord", {"image/encoded": [jpeg(9)], "label": [1], "n": [7]})
    sources = (f"train={_aged(tmp_path / 'in')}", f"val={other}")
    convert_json(*sources, tmp_path / "out", "--features", "a/age")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(i)].get("a/age") for i in (0, 1, 9)] == [[0], [1], None]
    assert all("n" not in record for record in found.values())


@pytest.mark.parametrize("asked", ["zip", "weight", "age:float"])
def test_features_that_records_do_not_have_so_are_refused(asked: str, tmp_path: Path) -> None:
    done = tfrec("convert", _aged(tmp_path / "in"), tmp_path / "out", "--features", asked)
    assert (done.code, f"--features {asked}" in done.err) == (2, True)


def test_features_are_chosen_beside_the_one_that_records_are_split_by(tmp_path: Path) -> None:
    convert_json(_aged(tmp_path / "in"), tmp_path / "out", "--features", "age", "--split-by", "b/zip")
    assert all("b/zip" not in record for record in records_of(tmp_path / "out"))


def test_numbers_to_predict_that_are_not_there(dataset: Path, tmp_path: Path) -> None:
    done = tfrec("convert", dataset, tmp_path / "again", "--task", "regression")
    assert done.code == 2
    assert "numbers to predict" in done.err


def test_a_sample_of_records_tells_the_same_without_their_images() -> None:
    raw = bytes(range(256)) * 300
    sizes = {f"image_{side}": [count] for side, count in {"height": 160, "width": 160, "channels": 3}.items()}
    for features in (
        {
            "image/encoded": [jpeg(1) + bytes(90_000)],
            "text": [b"t"],
            "numbers": [0.5] * 5_000,
            "ids": [7] * 9_000,
        },
        {"frames": [jpeg(n) + bytes(90_000) for n in range(9)], "empty": Empty["float"]},
        {"image": [base64.urlsafe_b64encode(raw)], **sizes},
        {"image": [raw], **sizes},
    ):
        whole = parse_example(encode_example(features))
        shown = light(whole)
        assert {key: (each.kind, len(each.values)) for key, each in shown.items()} == {
            key: (each.kind, len(each.values)) for key, each in whole.items()
        }
        assert [key for key, _ in find_images(shown)] == [key for key, _ in find_images(whole)]
        assert image_keys(shown) == image_keys(whole)
        assert counts_of_images(shown) == counts_of_images(whole)
        for key, each in whole.items():
            assert each.kind == "bytes" or list(each.values) == list(shown[key].values)
        held = [value for each in shown.values() for value in each.values if isinstance(value, bytes)]
        assert sum(map(len, held)) == sum(
            len(v) for e in whole.values() for v in e.values if e.kind == "bytes"
        )
        assert sum(map(sys.getsizeof, held)) < 20_000


# --- several images in a record ---


def _episode(steps: int) -> dict[str, list[object]]:
    frames, texts = [jpeg(steps * 10 + i) for i in range(steps)], [b"open the drawer"] * steps
    return {"steps/image": frames, "steps/text": texts, "steps/reward": [0.0] * steps, "steps/of": [b"me"]}


def test_episodes_are_refused_with_the_command_that_lists_their_images(
    tmp_path: Path, tf: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    del tf  # which the command takes
    foreign(tmp_path / "e/1.0.0/e-train.tfrecord-00000-of-00001", _episode(3), _episode(4))
    (tmp_path / "e/1.0.0/e-val.tfrecord").write_bytes(
        gzip.compress(foreign(tmp_path / "v", _episode(2)).read_bytes())
    )
    refused = convert_json("e", "out", "--unlabelled", "keep", cwd=tmp_path)["error"]
    assert "steps/image (2 to 4)" in refused["message"]
    first, then = refused["hint"].split(": ", 1)[1].split("; then ")
    python, option, code, *arguments = shlex.split(first)
    assert (python, option) == ("python", "-c")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["-c", *arguments])
    exec(code, {})
    done = convert_json(*shlex.split(then.partition(" OUTPUT_DIR")[0])[2:], "out", cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 7, "validation": 2}
    assert (tmp_path / "out/labels.txt").read_text() == "open the drawer\n"


def test_an_image_alone_under_its_key_is_taken_and_said(tmp_path: Path) -> None:
    records = [{"frames": [jpeg(9), jpeg(i + 10)], "still": [jpeg(i)], "label": [1]} for i in range(3)]
    foreign(tmp_path / "in/train.tfrecord", *records)
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert {record["image/encoded"][0] for record in records_of(tmp_path / "out")} == {*map(jpeg, range(3))}
    assert any("that under still is taken, none of frames" in remark for remark in done["remarks"])


def test_a_thumbnail_is_not_taken_for_the_images_beside_it(tmp_path: Path) -> None:
    records = [{"image": [jpeg(9), jpeg(8)], "thumbnail": [jpeg(i)], "label": [1]} for i in range(3)]
    foreign(tmp_path / "in/train.tfrecord", *records)
    error = convert_json(tmp_path / "in", tmp_path / "out")["error"]
    assert "records hold several images each under image (2)" in error["message"]


def test_a_record_of_several_images_among_others_is_a_reject(tmp_path: Path) -> None:
    records = [{"image": [jpeg(i)], "label": [1]} for i in range(3)]
    foreign(tmp_path / "in/train.tfrecord", *records, {"image": [jpeg(8), jpeg(9)], "label": [1]})
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert (done["records"], done["rejected"]) == (3, 1)
    assert "the record holds 2 images under image" in (tmp_path / "out/rejects.csv").read_text()


# --- labels of others ---


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("label_map.pbtxt", "item { id: 1 name: 'cat' }\nitem { id: 5 name: 'dog' }\n", (0, 1)),
        ("labels.txt", "1:cat\n5:dog\n", (0, 1)),
        ("label.labels.txt", "none\ncat\nx\ny\nz\ndog\n", (1, 5)),
    ],
)
def test_names_that_stand_beside_the_files(
    name: str, text: str, ids: tuple[int, int], tmp_path: Path
) -> None:
    records = [{"image": [jpeg(i)], "label": [label]} for i, label in enumerate((1, 5))]
    path = foreign(tmp_path / "in/train.tfrecord", *records)
    (path.parent / name).write_text(text)
    convert_json(path.parent, tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(i)]["image/class/text"] for i in (0, 1)] == [[b"cat"], [b"dog"]]
    assert [found[jpeg(i)]["image/class/label"] for i in (0, 1)] == [[each] for each in ids]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("image/class/label", "image.class.label"),
        ("objects/label", "objects-label"),
        ("my-photos/species.label", "my-photos-species.label"),
    ],
)
def test_names_that_tensorflow_datasets_wrote(key: str, name: str, tmp_path: Path) -> None:
    path = foreign(tmp_path / "in/a-train.tfrecord", {"image": [jpeg(0)], key: [1]})
    (path.parent / f"{name}.labels.txt").write_text("cat\ndog\n")
    (path.parent / "other.labels.txt").write_text("x\ny\n")
    convert_json(path.parent, tmp_path / "out")
    assert (tmp_path / "out/labels.txt").read_text() == "cat\ndog\n"


@pytest.mark.parametrize("written", [bytes, base64.urlsafe_b64encode, base64.b64encode])
def test_raw_pixels_become_a_png(written: Callable[[bytes], bytes], tmp_path: Path) -> None:
    pixels = bytes(range(208, 256))
    record = {
        "image": [written(pixels)],
        "image_height": [2],
        "image_width": [8],
        "image_channels": [3],
        "label": [1],
    }
    foreign(tmp_path / "in/a.tfrecord", {**record, "split": [b"TEST"]})
    convert_json(tmp_path / "in", tmp_path / "out")
    (made,) = records_of(tmp_path / "out", "test-*.tfrecord")
    (tmp_path / "made.png").write_bytes(made["image/encoded"][0])
    with Image.open(tmp_path / "made.png") as image:
        assert (image.size, image.mode, image.tobytes()) == ((8, 2), "RGB", pixels)


def test_the_samples_of_tfrecorder(tmp_path: Path) -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the samples of TFRecorder are not here")
    done = convert_json(SAMPLES, tmp_path / "out")
    assert (done["records"], done["rejected"]) == (6, 0)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {
        "train": 2,
        "validation": 2,
        "test": 2,
    }
    assert {record["image/format"][0] for record in records_of(tmp_path / "out")} == {b"png"}


def test_names_of_several_words_are_names_of_classes(tmp_path: Path) -> None:
    names = [b"tench, fish", b"shark, fish", b"hen, bird", b"cock, bird", b"ostrich, bird", b"shark, bird"]
    records = [
        {"image/encoded": [jpeg(i)], "image/class/label": [i % 6], "image/class/text": [names[i % 6]]}
        for i in range(18)
    ]
    foreign(tmp_path / "in/train.tfrecord", *records)
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert done["num_labels"] == 6


def test_rows_of_0_and_1_are_places_of_labels(tmp_path: Path) -> None:
    rows = [[1, 0, 0], [0, 1, 1], [0, 0, 1], [0, 2, 0]]
    records = [{"image": [jpeg(n)], "label": row} for n, row in enumerate(rows)]
    path = foreign(tmp_path / "in/train.tfrecord", *records[:3])
    (path.parent / "labels.txt").write_text("cat\ndog\nowl\n")
    done = convert_json(path.parent, tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/label"] for n in range(3)] == [[0], [1, 2], [2]]
    assert found[jpeg(1)]["image/class/text"] == [b"dog", b"owl"]
    assert any("rows of 0 and 1" in remark for remark in done["remarks"])


@pytest.mark.parametrize("width", [3, 150])
def test_rows_of_floats_that_are_0_and_1_are_places_of_labels(width: int, tmp_path: Path) -> None:
    rows = [[float(place == n % width) for place in range(width)] for n in range(4)]
    records = [{"image": [jpeg(n)], "label": row, "score": [0.5, 1.0]} for n, row in enumerate(rows)]
    done = convert_json(foreign(tmp_path / "in/train.tfrecord", *records), tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/text"] for n in range(4)] == [
        [str(n % width).encode()] for n in range(4)
    ]
    assert any("rows of 0 and 1" in remark for remark in done["remarks"])
    assert found[jpeg(0)]["score"] == [0.5, 1.0]
    assert "label" not in found[jpeg(0)]


@pytest.mark.parametrize(
    ("key", "labels"),
    [("label", [["0", "2"], [], ["1"]]), ("image/class/label", [["0", "2"], [], ["1"]]), ("category", None)],
)
def test_several_ones_in_a_row_of_floats_are_labels_under_a_key_called_so(
    key: str, labels: list[list[str]] | None, tmp_path: Path
) -> None:
    rows = [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    records = [{"image": [jpeg(n)], key: row} for n, row in enumerate(rows)]
    path = foreign(tmp_path / "in/train.tfrecord", *records)
    convert_json(path, tmp_path / "out", "--unlabelled", "keep")
    found = by_image(records_of(tmp_path / "out"))
    texts = [found[jpeg(n)].get("image/class/text", []) for n in range(3)]
    assert texts == [[name.encode() for name in each] for each in labels or [[]] * 3]


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        ("label", [[0.9, 0.1], [0.2, 0.8]]),
        ("score", [[0.0, 1.0], [1.0, 0.0]]),
        ("label", [[0.0], [1.0]]),
        ("label", [[0.0, 1.0], [1.0, 0.0]]),
        ("target", [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        ("target", [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
        ("class/scores", [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    ],
    ids=["shares", "no label", "one number", "two places", "two numbers", "numbers to predict", "scores"],
)
def test_other_floats_are_no_places_of_labels(key: str, rows: list[list[float]], tmp_path: Path) -> None:
    records = [{"image": [jpeg(n)], key: row} for n, row in enumerate(rows)]
    path = foreign(tmp_path / "in/train.tfrecord", *records)
    done = convert_json(path, tmp_path / "out", "--unlabelled", "keep")
    assert not any("rows of 0 and 1" in remark for remark in done["remarks"])


def test_a_row_of_0_and_1_with_a_2_in_it_is_a_reject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_rows, "_LOOKED_AT", 2)
    rows = [[1, 0, 0], [0, 1, 1], [0, 2, 0]]
    records = [{"image": [jpeg(n)], "label": row} for n, row in enumerate(rows)]
    done = convert_json(foreign(tmp_path / "in/train.tfrecord", *records), tmp_path / "out")
    assert done["reasons"] == {"bad_value": 1}


@pytest.mark.parametrize(
    ("key", "width"),
    [("label", 2), ("image/object/class/label", 2), ("image/object/class/label", 3), ("people/label", 3)],
)
def test_rows_of_two_numbers_and_labels_of_objects_are_ids(key: str, width: int, tmp_path: Path) -> None:
    rows = [[0] * width, [1] * width, [0] * (width - 1) + [1]]
    records = [{"image": [jpeg(n)], key: row} for n, row in enumerate(rows)]
    path = foreign(tmp_path / "in/train.tfrecord", *records)
    # Of whole images, two answers that are alike are labels only where the key is named.
    named = ["--columns", "label=label"] if key == "label" else []
    convert_json(path, tmp_path / "out", "--task", "classification", *named)
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/label"] for n in range(3)] == [[0], [1], [0, 1]]


@pytest.mark.parametrize("looked_at", [50, 10])
@pytest.mark.parametrize("odd", [[0, 1], [0, 0, 0, 1, 1]], ids=str)
def test_a_row_of_another_length_is_the_only_reject(
    odd: list[int], looked_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_rows, "_LOOKED_AT", looked_at)
    rows = [*[[1, 0, 0], [0, 1, 1]] * 5, odd]
    records = [{"image": [jpeg(n)], "label": row} for n, row in enumerate(rows)]
    done = convert_json(foreign(tmp_path / "in/train.tfrecord", *records), tmp_path / "out")
    assert done["reasons"] == {"bad_value": 1}
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/label"] for n in range(2)] == [[0], [1, 2]]


def test_numbers_of_a_record_are_carried_over(tmp_path: Path) -> None:
    first = {"image/encoded": [jpeg(1)], "label": [1], "vector": [0.1, -2.5, 3.0], "ids": [7]}
    second = {"image/encoded": [jpeg(2)], "label": [0], "vector": [4.0], "ids": [8, 9], "tags": [b"a", b"b"]}
    path = foreign(tmp_path / "in/train.tfrecord", first, second)
    done = convert_json(path, tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert found[jpeg(1)]["vector"] == pytest.approx([0.1, -2.5, 3.0])
    assert (found[jpeg(2)]["vector"], found[jpeg(1)]["ids"], found[jpeg(2)]["ids"]) == ([4.0], [7], [8, 9])
    assert found[jpeg(2)]["tags"] == [b"a", b"b"]
    assert not any("not taken over" in remark for remark in done["remarks"])
    assert verify(tmp_path / "out").exit_code == 0


def test_texts_of_a_record_are_carried_over_or_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_rows, "_LOOKED_AT", 2)  # records that tell what the features are
    lists = [
        [b"sea, sky", "Möwe".encode(), b"sea, sky"],
        [b"one"],
        ["a\u241fb".encode(), b"c"],
        [b"x" * 900] * 12,
    ]
    records = [{"image/encoded": [jpeg(n)], "label": [n], "tags": tags} for n, tags in enumerate(lists)]
    path = foreign(tmp_path / "in/train.tfrecord", *records)
    done = convert_json(path, tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)].get("tags") for n in range(4)] == [lists[0], lists[1], None, None]
    assert any(remark.startswith("2 values of tags are left out") for remark in done["remarks"])
    again = convert_json(tmp_path / "out", tmp_path / "again")
    assert again["records"] == 4
    assert by_image(records_of(tmp_path / "again")) == found
    assert verify(tmp_path / "again", strict=True).problems == ()


def test_records_without_an_image_or_with_another_message(tmp_path: Path) -> None:
    path = foreign(tmp_path / "in/train.tfrecord", {"image/encoded": [jpeg(1)], "label": [1]}, {"label": [1]})
    path.write_bytes(path.read_bytes() + framed(b"\x08\x01\x12\x00"))
    done = convert_json(path, tmp_path / "out")
    assert done["reasons"] == {"damaged_record": 1, "no_image_in_record": 1}


def test_a_file_that_changes_after_the_plan_gives_no_other_image(dataset: Path, tmp_path: Path) -> None:
    plan = tfrec("plan", dataset, tmp_path / "again")
    assert plan.code == 0, plan.err
    (shard,) = dataset.glob("train-*.tfrecord")
    shard.write_bytes(b"x" * shard.stat().st_size)
    tfrec("write-shards", tmp_path / "again")
    done = tfrec("finish", tmp_path / "again", "--json").json
    assert done["reasons"] == {"other_record": done["splits"]["train"]["rows"]}


def test_an_unknown_label_is_mended_in_the_list(dataset: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("a\n")
    done = convert_json(dataset, tmp_path / "again", "--labels", names)
    assert done["reasons"] == {"unknown_label": 6}
    rejects = tmp_path / "again/rejects.csv"
    rows = [{**row, "label": "a"} for row in read_csv(rejects)]
    write_csv(rejects, [list(row.values()) for row in rows], list(rows[0]))
    mended = tfrec(*done["mend_command"].split()[1:], "--json").json
    assert (mended["records"], mended["rejected"]) == (6, 0)
    names_of = {record["image/filename"][0] for record in records_of(tmp_path / "again-mended")}
    assert names_of == {f"{number:03}.jpg".encode() for number in range(1, 12, 2)}


# --- gzip ---


def test_gzip_is_unpacked_and_the_room_is_said_before(tmp_path: Path) -> None:
    convert_json(image_list(tmp_path / "list"), tmp_path / "out", "--compression", "gzip")
    done = tfrec("convert", tmp_path / "out", tmp_path / "again")
    assert done.code == 0, done.err
    assert "gzip file" in done.err
    convert_json(tmp_path / "list/list.csv", tmp_path / "plain")
    assert by_image(records_of(tmp_path / "again")) == by_image(records_of(tmp_path / "plain"))


def test_gzip_that_is_cut_is_a_reject(tmp_path: Path) -> None:
    records = [{"image/encoded": [jpeg(i)], "label": [1]} for i in range(9)]
    path = foreign(tmp_path / "in/train.tfrecord", *records)
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (tmp_path / "in/train.tfrecord.gz").write_bytes(packed[: len(packed) // 2])
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert 0 < done["records"] < 9
    assert set(done["reasons"]) == {"damaged_record"}


def test_gzip_is_refused_for_a_plan(tmp_path: Path) -> None:
    convert_json(image_list(tmp_path / "list"), tmp_path / "out", "--compression", "gzip")
    done = tfrec("plan", tmp_path / "out", tmp_path / "again")
    assert done.code == 2
    assert "gunzip" in done.err


# --- places in files ---


def test_a_part_of_a_file_by_its_uri() -> None:
    part = RecordPart("a#b/x.tfrecord", 12, 4096, 20480, 0x8F3A2B1C)
    assert part.uri() == "a#b/x.tfrecord#12@4096+20480~8f3a2b1c"
    assert part_of(part.uri()) == part
    raw = part._replace(raw=RawShape(480, 640, 3, is_base64=True))
    assert part_of(raw.uri()) == raw
    assert part_of("a#12.jpg") is None


def test_a_png_of_raw_pixels_of_another_size_is_refused() -> None:
    with pytest.raises(Exception, match="no image of its size"):
        png_of(b"123", RawShape(2, 2, 1, is_base64=False))


def test_a_file_cut_short_of_which_few_records_are_left(sample_data: Path, tmp_path: Path) -> None:
    assert tfrec("convert", sample_data / "data.csv", tmp_path / "made").code == 0
    whole = next((tmp_path / "made").glob("test-*.tfrecord")).read_bytes()
    first = 16 + int.from_bytes(whole[:8], "little")
    (tmp_path / "some.tfrecord").write_bytes(whole[: first + 60])
    done = tfrec("convert", tmp_path / "some.tfrecord", tmp_path / "out")
    assert (done.code, "it ends within a record" in done.err) == (1, True), done.err


def test_labels_of_records_that_look_like_weights_stay_what_they_are(tmp_path: Path) -> None:
    records = [{"image": [jpeg(i)], "label": [f"cat:0.{i} dog:0.9".encode()]} for i in range(2)]
    convert_json(foreign(tmp_path / "train.tfrecord", *records), tmp_path / "out")
    assert [*manifest(tmp_path / "out")["labels"]] == ["cat:0.0 dog:0.9", "cat:0.1 dog:0.9"]
