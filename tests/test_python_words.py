"""A call from Python is told keywords, not flags, and rows of a DataFrame by its index."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import image_list

import tfrecordcli
from tfrecordcli.python_words import as_keywords
from tfrecordcli.reasons import too_many_bytes

# as the command line says it -> as Python is told
SAID: list[tuple[str, str]] = [
    ("--image-root /x: no such folder", 'image_root="/x": no such folder'),
    ("is --image-root right?", "is image_root= right?"),
    ("it is there with --image-root '/my photos'", 'it is there with image_root="/my photos"'),
    ("use --overwrite to replace it", "use overwrite=True to replace it"),
    ("--overwrite must be True or False, got 1", "overwrite= must be True or False, got 1"),
    ("made with another value of: --seed, --index", "made with another value of: seed=, index="),
    ("--index needs plain shards", "index=True needs plain shards"),
    ("--task regression --features x stores", 'task="regression", features="x" stores'),
    (
        "--columns label=y --task regression --overwrite",
        'columns="label=y", task="regression", overwrite=True',
    ),
    ("--one-hot cat,dog takes both", 'one_hot="cat,dog" takes both'),
    ("leave out --compression gzip, or --index", 'leave out compression="gzip", or index=True'),
    ("give one by --labels FILE", "give one by labels=FILE"),
    ("(--unlabelled keep|skip admits it)", '(unlabelled="keep|skip" admits it)'),
    ("(--max-pixels 70 admits it)", "(max_pixels=70 admits it)"),
    ("--max-pixels admits it", "max_pixels= admits it"),
    ("as in --columns image_uri=Filename", 'as in columns="image_uri=Filename"'),
    ("as in --beam-option max_num_workers=5", 'as in beam_options="max_num_workers=5"'),
    ("--check must be one of a, b", "check= must be one of a, b"),
    ("--check structure does not decode them", 'check="structure" does not decode them'),
    ("--num-shards: no row goes to test", "num_shards=: no row goes to test"),
    ("--split-seed 7 makes it so", "split_seed=7 makes it so"),
    ("--runner zzz: there is no such runner", 'runner="zzz": there is no such runner'),
    ("use fewer --workers, or lower --max-pixels", "use fewer workers=, or lower max_pixels="),
    ("--max-records must be a whole number", "max_records= must be a whole number"),
    ("use --encoding cp1252", 'use encoding="cp1252"'),
    ("as --encoding says", "as encoding= says"),
    # What is no option of a function, or part of a path or a command, stays.
    ("--parse-fn, a--seed, /x/--seed", "--parse-fn, a--seed, /x/--seed"),
    ("tfrec convert a.csv out --overwrite makes it", "tfrec convert a.csv out --overwrite makes it"),
    ("tfrec verify shows it; --overwrite heals it", "tfrec verify shows it; overwrite=True heals it"),
]


@pytest.mark.parametrize(("said", "told"), SAID)
def test_words(said: str, told: str) -> None:
    assert as_keywords(said) == told


def test_errors_results_and_reports_name_keywords(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    (tmp_path / "in" / "003.jpg").write_bytes(b"")
    out = tmp_path / "out"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"image_root": tmp_path / "none"}, 'image_root="'),
        ({"num_shards": "trian=8"}, "num_shards=: 'trian' is none"),
        ({"index": True, "compression": "gzip"}, r'index=True needs .* compression="gzip"'),
        ({"max_pixels": 0}, "max_pixels= must be a whole number from 1, got 0"),
    ]
    for options, message in wrong:
        with pytest.raises(tfrecordcli.TfrecError, match=message):
            tfrecordcli.convert(csv, out, **options)
    chosen: dict[str, Any] = {
        "shard_size": 5,
        "num_shards": 1,
        "label_folder": "first",
        "max_rejects": "100%",
    }
    result = tfrecordcli.convert(csv, out, **chosen)
    assert "label_folder= is not used: the source is a list" in result.remarks
    assert not [text for text in (*result.remarks, *result.warnings) if " --" in f" {text}"]
    assert "--image-root" in result.mend_command  # which is for a shell
    with pytest.raises(tfrecordcli.OutputError, match=r"value of: .*seed=.*overwrite=True"):
        tfrecordcli.convert(csv, out, **{**chosen, "seed": 1})
    with pytest.raises(tfrecordcli.UsageError, match="batch_size= must be a whole number from 1"):
        tfrecordcli.verify(out, batch_size=0)
    report = tfrecordcli.verify(out, feed=False, check="structure")
    assert any('check="structure"' in sentence for sentence in report.not_checked)
    tfrecordcli.plan(csv, tmp_path / "steps")
    with pytest.raises(tfrecordcli.UsageError, match="part=: 'x' is no part"):
        tfrecordcli.write_shards(tmp_path / "steps", part="x")


@pytest.mark.parametrize("size", [999_999_999_999, (1 << 31) - 200])  # a record holds more than its image
def test_no_limit_is_proposed_that_no_record_could_hold(size: int) -> None:
    assert "--max-image-bytes" not in too_many_bytes(size, 1 << 26).reason
    assert "no record has room for it" in too_many_bytes(size, 1 << 26).reason
    assert "(--max-image-bytes 99999999 admits it)" in too_many_bytes(99_999_999, 1 << 26).reason


def test_rejects_name_keywords_and_their_file_names_flags(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 6)
    with (tmp_path / "in" / "003.jpg").open("ab") as file:
        file.write(bytes(5000))
    size = (tmp_path / "in" / "003.jpg").stat().st_size
    result = tfrecordcli.convert(csv, tmp_path / "out", max_image_bytes=size - 1)
    (problem,) = result.problems
    assert f"(max_image_bytes={size} admits it)" in problem["reason"]
    assert f"(--max-image-bytes {size} admits it)" in (tmp_path / "out" / "rejects.csv").read_text()


def test_rows_of_a_frame_are_named_by_its_index(tmp_path: Path) -> None:
    image_list(tmp_path, 6)
    frame = pd.DataFrame(
        {
            "note": ["two\r\nlines", "", "a\rb\nc", "", "", ""],
            "image_uri": ["000.jpg", "001.jpg", "002.jpg", "gone.jpg", "004.jpg", "004.jpg"],
            "label": ["a", "b", "a", "b", "a", "c"],
        },
        index=list("uvwxyz"),
    )
    result = tfrecordcli.convert(frame, tmp_path / "out", image_root=tmp_path, splits="train=1")
    found = {problem["index"]: problem["reason"] for problem in result.problems}
    assert found.keys() == {"x", "y", "z"}
    assert "index 'z'" in found["y"]
    assert "index 'y'" in found["z"]
    assert {each["index"] for group in result.reject_groups for each in group["named"]} == found.keys()
    numbered = frame.reset_index(drop=True).drop(columns="note")[3:4]
    with pytest.raises(tfrecordcli.InputError, match=r"DataFrame: none of 1 images .*; index 3: "):
        tfrecordcli.convert(numbered, tmp_path / "other", image_root=tmp_path, splits="train=1")


def test_lines_of_a_labels_file_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("a\na\n")
    frame = pd.DataFrame({"image_uri": ["a.jpg"], "label": ["a"]}, index=["first"])
    with pytest.raises(tfrecordcli.TfrecError, match="line 2: 'a' is in line 1 already"):
        tfrecordcli.convert(frame, tmp_path / "out", labels=tmp_path / "labels.txt", splits="train=1")


@pytest.mark.parametrize("is_accessor", [True, False])
def test_what_nobody_may_look_at_is_told_at_the_line_of_the_caller(
    *, is_accessor: bool, tmp_path: Path
) -> None:
    """A script that passes the result over: splits by chance beside a column that says them, and a reject."""
    image_list(tmp_path, 6)
    names = [path.name for path in sorted(tmp_path.glob("*.jpg"))]
    frame = pd.DataFrame(
        {"image_uri": [*names, "none.jpg"], "label": "a", "is_valid": [True, False] * 3 + [True]}
    )
    convert = frame.tensorflow.to_tfrecord if is_accessor else partial(tfrecordcli.convert, frame)
    with pytest.warns(tfrecordcli.DatasetWarning) as told:
        convert(tmp_path / "out", image_root=tmp_path)
    texts = [str(each.message) for each in told]
    assert any('split_map="True=validation,False=train"' in text for text in texts)
    assert "1 of 7 rows rejected: see problems of the result" in texts
    assert {each.filename for each in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tfrecordcli.convert(tmp_path / "list.csv", tmp_path / "quiet")
