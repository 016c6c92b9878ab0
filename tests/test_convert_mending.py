"""rejects.csv: mended in the file, and converted by exactly the command that the summary prints."""

from __future__ import annotations

import csv as csv_module
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import (
    TFREC,
    by_filename,
    convert_json,
    image_list,
    jpeg,
    read_all,
    read_csv,
    tfrec,
    write_csv,
)
from sampling import first

import tfrecordcli

Mend = Callable[[dict[str, str]], None]


def printed_command(out: str) -> list[str]:
    """The words of the command on the last line of a summary."""
    words = shlex.split(out.splitlines()[-1])
    assert words[:2] == ["tfrec", "convert"]
    return words


def mend(path: Path, change: Mend) -> None:
    """Changes every row of a rejects.csv in place, as a person with a spreadsheet would."""
    rows = read_csv(path)
    for row in rows:
        change(row)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv_module.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def run_printed(words: list[str], *more: str, cwd: Path | None = None) -> dict[str, Any]:
    return tfrec(*words[1:], *more, "--json", cwd=cwd).json


def contents(tf: Any, folder: Path) -> dict[str, tuple[str, tuple[str, ...], tuple[int, ...]]]:
    """Image -> split, texts, ids."""
    found = read_all(tf, folder)
    return {
        name: (next(s for s, rs in found.items() if record in rs), record.texts, record.labels)
        for name, record in by_filename(found).items()
    }


def test_the_bad_sample_mended(tf: Any, sample_data: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_data, tmp_path / "data")
    done = tfrec("convert", "data/bad.csv", "out", "--max-rejects", "12", cwd=tmp_path)
    assert done.code == 0
    words = printed_command(done.out)
    rejects = read_csv(tmp_path / "out" / "rejects.csv")
    assert [int(row["tfrec_line"]) for row in rejects] == list(range(6, 18))

    def change(row: dict[str, str]) -> None:
        line = int(row["tfrec_line"])
        row["image_uri"] = f"images/{row['label'] or 'square'}/{line - 5 if line < 14 else 10:02}.jpg"
        if line == 12:
            row["split"] = "VALIDATION"
        if line == 13:
            row["label"] = "square"
        row["image_uri"] = {
            6: "images/circle/01.jpg", 7: "images/square/02.jpg", 8: "images/triangle/03.jpg",
            9: "images/circle/03.jpg", 10: "images/square/04.jpg", 11: "images/triangle/06.jpg",
            12: "images/circle/04.jpg", 13: "images/square/05.jpg", 14: "images/circle/06.jpg",
            15: "images/triangle/07.jpg", 16: "images/triangle/09.jpg", 17: "images/triangle/10.jpg",
        }[line]  # fmt: skip

    mend(tmp_path / "out" / "rejects.csv", change)
    mended = run_printed(words, cwd=tmp_path)
    assert (mended["exit_code"], mended["records"], mended["rejected"]) == (0, 12, 0)
    assert mended["output_dir"] == "out-mended"
    found = contents(tf, tmp_path / "out-mended")
    assert found["images/circle/04.jpg"] == ("validation", ("circle",), (0,))
    assert found["images/square/05.jpg"] == ("train", ("square",), (1,))
    assert found["images/triangle/10.jpg"] == ("test", ("triangle",), (2,))
    assert (tmp_path / "out-mended" / "labels.txt").read_text() == (
        tmp_path / "out" / "labels.txt"
    ).read_text()


def test_not_mended_it_is_rejected_again_for_the_same_reasons(sample_data: Path, tmp_path: Path) -> None:
    done = tfrec("convert", sample_data / "bad.csv", tmp_path / "out", "--max-rejects", "12")
    again = run_printed(printed_command(done.out), "--max-rejects", "12")
    assert again["exit_code"] == 2  # not one image can be used: something is wrong at large
    assert again["error"]["code"] == "no_usable_image"
    shutil.copy(sample_data / "images/circle/08.jpg", tmp_path / "good.jpg")

    def change(row: dict[str, str]) -> None:
        if row["tfrec_line"] == "6":
            row["image_uri"] = str(tmp_path / "good.jpg")

    mend(tmp_path / "out" / "rejects.csv", change)
    partly = run_printed(printed_command(done.out), "--max-rejects", "12")
    assert (partly["records"], partly["rejected"]) == (1, 11)
    assert partly["exit_code"] == 1  # of test, which has a row, nothing is left
    before = read_csv(tmp_path / "out" / "rejects.csv")[1:]
    after = read_csv(tmp_path / "out-mended" / "rejects.csv")
    assert list(after[0]) == list(before[0])
    for old, new in zip(before, after, strict=True):
        assert old["tfrec_code"] == new["tfrec_code"]
        assert [old[c] for c in ("split", "image_uri", "label")] == [
            new[c] for c in ("split", "image_uri", "label")
        ]


# --- lists of every shape; each has one good row and rejects that a change mends ---


def headerless(folder: Path) -> tuple[Path, tuple[str, ...], Mend]:
    rows = [
        ("TRAIN", "000.jpg", "a"), ("TRAIN", "001.jpg", "b"),
        ("none.jpg", "b"), ("TEST", "none.jpg2", "a"), ("TRIAN", "002.jpg", "a"),
    ]  # fmt: skip

    def change(row: dict[str, str]) -> None:
        row["image_uri"] = {"none.jpg": "003.jpg", "none.jpg2": "004.jpg"}.get(row["image_uri"], "002.jpg")
        row["split"] = row["split"].replace("TRIAN", "TRAIN")

    return write_csv(folder / "bare.csv", rows), (), change


def ragged(folder: Path) -> tuple[Path, tuple[str, ...], Mend]:
    rows = [
        ("TRAIN", "000.jpg", "a", "b", "c"), ("TRAIN", "001.jpg", "c"),
        ("TRIAN", "002.jpg", "a", "c", "b"), ("TEST", "none.jpg", "b"), ("TRAIN", "none2.jpg", "a", "b"),
    ]  # fmt: skip

    def change(row: dict[str, str]) -> None:
        row["split"] = row["split"].replace("TRIAN", "TRAIN")
        row["image_uri"] = row["image_uri"].replace("none2", "004").replace("none", "003")

    return write_csv(folder / "ragged.csv", rows), (), change


def ragged_with_header(folder: Path) -> tuple[Path, tuple[str, ...], Mend]:
    csv, more, change = ragged(folder)
    csv.write_text("split,image_uri,label\n" + csv.read_text())
    return csv, more, change


def own_columns(folder: Path) -> tuple[Path, tuple[str, ...], Mend]:
    rows = [
        ("1", "a", "x", "000.jpg", "train"), ("2", "b", "y", "001.jpg", "train"),
        ("3", "", "z", "002.jpg", "test"), ("4", "b", "w, \"q\"", "none.jpg", "train"),
        ("5", "a", "", "004.jpg", "trian"),
    ]  # fmt: skip
    csv = write_csv(folder / "own.csv", rows, ("Id", "Species", "Note", 'The "file", here', "Set"))

    def change(row: dict[str, str]) -> None:
        row["Species"] = row["Species"] or "a"
        row['The "file", here'] = row['The "file", here'].replace("none", "003")
        row["Set"] = row["Set"].replace("trian", "train")

    return csv, ("--columns", 'image_uri="The ""file"", here",label=Species'), change


def dealt_with_options(folder: Path) -> tuple[Path, tuple[str, ...], Mend]:
    rows = [("000.jpg", "0"), ("001.jpg", "5"), ("none.jpg", "5"), ("003.jpg", "x"), ("004.jpg", "")]
    csv = write_csv(folder / "dealt.csv", rows, ("image_uri", "label"))

    def change(row: dict[str, str]) -> None:
        row["image_uri"] = row["image_uri"].replace("none", "002")
        row["label"] = row["label"].replace("x", "0") or "5"

    options = "--splits test=1,train=2.5 --split-seed 3 --label-type id --max-side 20 --check structure"
    return csv, tuple(options.split()), change


def latin(folder: Path) -> tuple[Path, tuple[str, ...], Mend]:
    csv = folder / "latin.csv"
    csv.write_bytes("image_uri;label\n000.jpg;é\nnone é.jpg;é\n".encode("latin-1"))

    def change(row: dict[str, str]) -> None:
        row["image_uri"] = row["image_uri"].replace("none é", "001")

    return csv, ("--encoding", "latin-1", "--delimiter", ";"), change


def labels_of_broken_rows(folder: Path) -> tuple[Path, Mend]:
    """Labels that stand only in rows whose fields cannot be told apart."""
    csv = folder / "broken.csv"
    csv.write_text(
        'split,image_uri,label,note\nTRAIN,000.jpg,b,\nTRAIN,001.jpg,"m" m,\n'
        "TEST,002, 2.jpg,z,n\nTEST,none,y,\n"
    )

    def change(row: dict[str, str]) -> None:
        values = {"3": ("001.jpg", "m"), "4": ("002.jpg", "z"), "5": ("003.jpg", "y")}[row["tfrec_line"]]
        row["image_uri"], row["label"] = values
        for name in row:
            if name == "note" or name.startswith("tfrec_field"):
                row[name] = ""

    return csv, change


STYLES = (headerless, ragged, ragged_with_header, own_columns, dealt_with_options, latin)
ODD_FOLDER = "it's a folder $(x)"


@pytest.mark.parametrize(
    ("style", "where"),
    first(
        [*((style, "plain") for style in STYLES), (latin, ODD_FOLDER)],
        [(style, ODD_FOLDER) for style in STYLES[:-1]],
        unpack=True,
    ),
)
def test_a_mended_list_gives_what_a_good_one_would_have(
    tf: Any, tmp_path: Path, style: Callable[[Path], tuple[Path, tuple[str, ...], Mend]], where: str
) -> None:
    folder = tmp_path / where
    image_list(folder, 5)
    csv, more, change = style(folder)
    output = folder / "out"
    done = tfrec("convert", csv, output, *more, "--max-rejects", "90%")
    assert done.code in (0, 1), done.err  # 1: here and there a split lost its only row
    words = printed_command(done.out)
    rejected = read_csv(output / "rejects.csv")
    mend(output / "rejects.csv", change)
    mended = run_printed(words)
    assert (mended["exit_code"], mended["records"]) == (0, len(rejected)), mended
    together = contents(tf, output) | contents(tf, folder / "out-mended")

    # The same list with every row as it was mended to be, converted at once.
    good = tmp_path / "good"
    shutil.copytree(folder, good, ignore=shutil.ignore_patterns("out*"))
    read = read_csv(output / "rejects.csv")
    header = [name for name in read[0] if not name.startswith("tfrec_l") or name.startswith("tfrec_label")]
    header = [name for name in header if name not in ("tfrec_code", "tfrec_reason")]
    encoding = "latin-1" if style is latin else "utf-8"
    lines = csv.read_text(encoding=encoding).splitlines()
    bad = {int(row["tfrec_line"]) for row in read}
    if style is headerless or style is ragged:
        kept = [line.split(",") for n, line in enumerate(lines, 1) if n not in bad]
        kept = [[*row, *[""] * (len(header) - len(row))] for row in kept]
    else:
        delimiter = ";" if style is latin else ","
        kept = [
            [*row, *[""] * (len(header) - len(row))]
            for n, row in enumerate(csv_module.reader(lines, delimiter=delimiter), 1)
            if n > 1 and n not in bad
        ]
    whole = write_csv(good / "whole.csv", [*kept, *([row[name] for name in header] for row in read)], header)
    plain = [word for word in more if word not in ("--encoding", "latin-1", "--delimiter", ";")]
    at_once = convert_json(whole, good / "out", *plain)
    assert at_once["exit_code"] == 0, at_once
    assert contents(tf, good / "out") == together


def test_labels_of_rows_that_could_not_be_parsed(tf: Any, tmp_path: Path) -> None:
    image_list(tmp_path, 5)
    csv, change = labels_of_broken_rows(tmp_path)
    output = tmp_path / "out"
    done = tfrec("convert", csv, output, "--max-rejects", "90%")
    assert {row["tfrec_code"] for row in read_csv(output / "rejects.csv")} == {
        "malformed_row", "field_count", "not_found",
    }  # fmt: skip
    assert (output / "labels.txt").read_text() == "b\ny\n"
    mend(output / "rejects.csv", change)
    mended = run_printed(printed_command(done.out))
    assert (mended["exit_code"], mended["records"], mended["rejected"]) == (0, 3, 0), mended
    assert f"labels that are not in {output}/labels.txt: 'm', 'z'" in mended["warnings"]
    assert (tmp_path / "out-mended" / "labels.txt").read_text() == "b\ny\nm\nz\n"
    found = contents(tf, tmp_path / "out-mended")
    assert {name: (texts, ids) for name, (_, texts, ids) in found.items()} == {
        "001.jpg": (("m",), (2,)), "002.jpg": (("z",), (3,)), "003.jpg": (("y",), (1,)),
    }  # fmt: skip


def test_what_is_mended_twice_keeps_its_label_ids(tf: Any, tmp_path: Path) -> None:
    """Labels that the first mending added count in the second."""
    image_list(tmp_path, 4)
    csv = tmp_path / "broken.csv"
    csv.write_text('TRAIN,000.jpg,b\nTRAIN,"001.jpg"x,m\nTRAIN,"002.jpg"x,z\n')
    words = printed_command(tfrec("convert", csv, tmp_path / "out", "--max-rejects", "9").out)

    def half(row: dict[str, str]) -> None:
        row["image_uri"] = {"m": "001.jpg", "z": "none.jpg"}[row["label"]]

    mend(tmp_path / "out" / "rejects.csv", half)
    words = printed_command(tfrec(*words[1:], "--max-rejects", "9").out)

    def rest(row: dict[str, str]) -> None:
        row["image_uri"] = "002.jpg"

    mend(tmp_path / "out-mended" / "rejects.csv", rest)
    assert run_printed(words)["records"] == 1
    found = contents(tf, tmp_path / "out-mended") | contents(tf, tmp_path / "out-mended-mended")
    assert {name: ids for name, (_, _, ids) in found.items()} == {"001.jpg": (1,), "002.jpg": (2,)}


@pytest.mark.parametrize("steps", [False, True])
def test_the_users_own_vocabulary_is_passed_on(tf: Any, tmp_path: Path, steps: bool) -> None:
    """A row of an unknown label says: add it there. So that is where the mended run looks."""
    image_list(tmp_path, 3)
    rows = [("TRAIN", "000.jpg", "b"), ("TRAIN", "001.jpg", "new"), ("TRAIN", "none.jpg", "c")]
    csv = write_csv(tmp_path / "own.csv", rows)
    vocabulary = tmp_path / "my labels.txt"
    vocabulary.write_text("c\nb\na\n")
    if steps:
        tfrec("plan", csv, tmp_path / "out", "--labels", vocabulary, "--max-rejects", "9")
        tfrec("write-shards", tmp_path / "out")
        done = tfrec("finish", tmp_path / "out", "--max-rejects", "9")
    else:
        done = tfrec("convert", csv, tmp_path / "out", "--labels", vocabulary, "--max-rejects", "9")
    assert done.code == 0, done.err
    with vocabulary.open("a") as file:
        file.write("new\n")

    def change(row: dict[str, str]) -> None:
        row["image_uri"] = row["image_uri"].replace("none", "002")

    mend(tmp_path / "out" / "rejects.csv", change)
    mended = run_printed(printed_command(done.out))
    assert (mended["exit_code"], mended["records"]) == (0, 2), mended
    found = contents(tf, tmp_path / "out-mended")
    assert found == {"001.jpg": ("train", ("new",), (3,)), "002.jpg": ("train", ("c",), (0,))}


def test_a_folder_of_images_mended(tf: Any, tmp_path: Path) -> None:
    source = tmp_path / "photos"
    for number, name in enumerate(("cat/1.jpg", "dog/2.jpg", "dog/3.jpg")):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(jpeg(number))
    (source / "dog" / "4.jpg").write_bytes(jpeg(9)[:99])
    more = ("--columns", "label=Species")  # means nothing for a folder, whose list is tfrec's own
    done = tfrec("convert", source, tmp_path / "out", *more, "--max-rejects", "1")
    assert done.code == 0, done.err
    (source / "dog" / "4.jpg").write_bytes(jpeg(9))
    mended = run_printed(printed_command(done.out))
    assert (mended["exit_code"], mended["records"]) == (0, 1)
    assert contents(tf, tmp_path / "out-mended")["dog/4.jpg"][1:] == (("dog",), (1,))


@pytest.mark.parametrize(
    ("output", "cwd", "mended"),
    first(
        [("-out", ".", "-out-mended"), (".", "here", "here-mended"), ("o ut;x", ".", "o ut;x-mended")],
        [
            ("..", "here/deep", "here-mended"),
            ("--json/", ".", "--json-mended"),
            ("sub/.", ".", "sub-mended"),
        ],
        unpack=True,
    ),
)
def test_output_directories_of_every_name(output: str, cwd: str, mended: str, tmp_path: Path) -> None:
    image_list(tmp_path / "-in", 3)
    csv = write_csv(tmp_path / "-in" / "own.csv", [("TRAIN", "000.jpg", "b"), ("TRAIN", "none.jpg", "c")])
    (tmp_path / "-in" / "-labels").write_text("b\nc\n")
    folder = tmp_path / cwd
    folder.mkdir(parents=True, exist_ok=True)
    root = os.path.relpath(tmp_path / "-in", folder)
    options = ("--labels", f"{root}/-labels", "--image-root", root, "--max-rejects", "1")
    done = tfrec("convert", *options, "--", csv, output, cwd=folder)
    assert done.code == 0, done.err
    rejects = Path(os.path.join(folder, output, "rejects.csv"))
    mend(rejects, lambda row: row.update(image_uri="001.jpg"))
    # Through a real shell, as a person would.
    command = done.out.splitlines()[-1].strip().replace("tfrec ", shlex.join(TFREC) + " ", 1)
    run = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / mended / "manifest.json").exists()


def test_odd_names_of_a_folder_mended(tf: Any, tmp_path: Path) -> None:
    source = tmp_path / "photos"
    (source / "cat").mkdir(parents=True)
    (source / " dog").mkdir()
    names = ["cat/a\\b.jpg", "cat/1.jpg", "cat/1.jpg ", " dog/2.jpg"]
    for number, name in enumerate(names):
        (source / name).write_bytes(jpeg(number))
    (source / "cat\\c.jpg").write_bytes(jpeg(9)[:99])
    (source / "cat" / "c.jpg").write_bytes(jpeg(10))
    done = tfrec("convert", source, tmp_path / "out", "--max-rejects", "90%")
    rejects = read_csv(tmp_path / "out" / "rejects.csv")
    assert {row["image_uri"]: row["tfrec_code"] for row in rejects} == {
        "cat/1.jpg ": "outer_blanks", " dog/2.jpg": "outer_blanks", "cat\\c.jpg": "no_label",
    }  # fmt: skip
    first = by_filename(read_all(tf, tmp_path / "out"))
    assert {name: record.encoded for name, record in first.items()} == {
        "cat/a\\b.jpg": jpeg(0), "cat/1.jpg": jpeg(1), "cat/c.jpg": jpeg(10)
    }  # fmt: skip
    (source / "cat/1.jpg ").rename(source / "cat/3.jpg")
    (source / " dog").rename(source / "dog")
    (source / "cat\\c.jpg").write_bytes(jpeg(9))

    def change(row: dict[str, str]) -> None:
        row["image_uri"] = row["image_uri"].replace("cat/1.jpg ", "cat/3.jpg").strip()
        row["label"] = row["label"] or "cat"

    mend(tmp_path / "out" / "rejects.csv", change)
    assert run_printed(printed_command(done.out))["exit_code"] == 0
    mended = by_filename(read_all(tf, tmp_path / "out-mended"))
    assert {name: (record.encoded, record.texts) for name, record in mended.items()} == {
        "cat/3.jpg": (jpeg(2), ("cat",)), "dog/2.jpg": (jpeg(3), ("dog",)), "cat\\c.jpg": (jpeg(9), ("cat",)),
    }  # fmt: skip


def test_a_data_frame_mended(tf: Any, tmp_path: Path) -> None:
    import pandas as pd

    image_list(tmp_path / "in", 3)
    frame = pd.DataFrame({"Pic": ["000.jpg", "none.jpg"], "Kind": ["x", "y"], "split": ["train", "train"]})
    columns = {"image_uri": "Pic", "label": "Kind"}
    result = tfrecordcli.convert(frame, tmp_path / "out", image_root=tmp_path / "in", columns=columns)
    assert (result.exit_code, result.rejected) == (1, 1)

    def change(row: dict[str, str]) -> None:
        row["Pic"] = "001.jpg"

    mend(tmp_path / "out" / "rejects.csv", change)
    mended = run_printed(shlex.split(result.mend_command))
    assert (mended["exit_code"], mended["records"]) == (0, 1), mended
    assert contents(tf, tmp_path / "out-mended") == {"001.jpg": ("train", ("y",), (1,))}


def test_rejects_always_have_a_header_and_the_inputs_columns(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 2)
    csv.write_text('Id,split,image_uri,Note,label\n7,TRAIN,none.jpg,"a, b",a\n8,TRAIN,000.jpg,,a\n')
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 1
    text = (tmp_path / "out" / "rejects.csv").read_text().splitlines()
    assert text == [
        "Id,split,image_uri,Note,label,tfrec_line,tfrec_code,tfrec_reason",
        '7,TRAIN,none.jpg,"a, b",a,2,not_found,file not found',
    ]
