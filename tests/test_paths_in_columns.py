"""Paths that several columns tell are proposed where the files show them for certain: see also `lists`."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from converting import jpeg, manifest, shell, tfrec

from tfrecordcli.sources.proposals.paths_in_columns import paths_hint

_HEADER = ["video_id", "frame", "label"]
_ROWS = [["0", "9", "cat"], ["0", "10", "dog"], ["1", "9", "cat"], ["1", "10", "dog"]]
_GUESS = 't["image"] = t["video_id"].str.strip() + "/" + t["frame"].str.strip() + ".jpg"'


def _hint(folder: Path, files: list[str], rows: list[list[str]], image: int | None = None) -> str:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(jpeg(1))
    (folder / "list.csv").touch()
    return paths_hint(_HEADER, rows, image, str(folder), str(folder / "list.csv"), ",")


@pytest.mark.parametrize(
    ("files", "made"),
    [
        (["0/9.jpg", "0/10.jpg", "1/9.jpg", "1/10.jpg"], 't["video_id"].str.strip() + "/" + t["frame"]'),
        (
            ["v0_09.png", "v0_10.png", "v1_09.png", "v1_10.png"],
            '.str.zfill(2) + ".png"',
        ),
        (["a1/9_0.jpg", "a1/10_0.jpg", "a1/9_1.jpg", "a1/10_1.jpg"], '"a1/" + t["frame"]'),
    ],
)
def test_files_show_how_paths_are_made(tmp_path: Path, files: list[str], made: str) -> None:
    hint = _hint(tmp_path, files, _ROWS)
    assert hint.startswith("paths of images are told by columns")
    assert made in hint


@pytest.mark.parametrize(
    "files",
    [
        ["0/9.jpg", "0/10.jpg", "1/9.jpg"],  # one is not there: frames may be counted otherwise
        ["9.jpg", "10.jpg"],  # of which video?
        [],
    ],
)
def test_what_files_do_not_show_is_only_shown_as_a_way(tmp_path: Path, files: list[str]) -> None:
    hint = _hint(tmp_path, files, _ROWS)
    assert "as the files are called" in hint
    assert _GUESS in hint


def test_one_image_in_twenty_may_be_missing(tmp_path: Path) -> None:
    """Of the Mall dataset: `44` for `seq_000044.jpg`."""
    rows = [["0", str(number), "cat"] for number in range(1, 21)]
    files = [f"frames/seq_{number:06d}.jpg" for number in range(1, 21) if number != 7]
    hint = _hint(tmp_path, files, rows, image=1)
    assert "as frames/seq_000001.jpg (of 1 of 20 rows there is none): python" in hint
    assert '"frames/seq_" + t["frame"].str.strip().str.zfill(6) + ".jpg"' in hint
    (tmp_path / files[-1]).unlink()
    (tmp_path / "frames/seq_000007.jpg").write_bytes(jpeg(1))
    assert _hint(tmp_path, [], rows, image=1) == ""  # these may be counted from 0


def test_two_ways_that_lead_to_different_files_are_none(tmp_path: Path) -> None:
    rows = [["1", "1", "cat"], ["1", "2", "dog"], ["2", "1", "cat"], ["2", "2", "dog"]]
    files = ["1_1.jpg", "1_2.jpg", "2_1.jpg", "2_2.jpg"]
    assert "as the files are called" in _hint(tmp_path, files, rows)


def test_an_image_that_needs_no_other_column_is_left_to_other_hints(tmp_path: Path) -> None:
    rows = [["0", "1", "a.jpg"], ["0", "2", "b.jpg"]]
    assert _hint(tmp_path, ["in/a.jpg", "in/b.jpg"], rows, image=2) == ""


def test_rows_of_several_frames_are_parted_first(tmp_path: Path) -> None:
    source = tmp_path / "list.csv"
    source.write_text("video,start_frame,end_frame,label\nv1,9,11,run\nv2,9,9,walk\n", encoding="utf-8")
    for name in ("v1_09", "v1_10", "v1_11", "v2_09"):
        (tmp_path / f"{name}.jpg").write_bytes(jpeg(1))
    for made in ("by-frame", "by-frame-with-paths"):
        run = tfrec("convert", source, tmp_path / "out", "--splits", "train=1")
        command = run.err[run.err.index("python -c") : run.err.rindex("; --task tabular")]
        assert shell(command, tmp_path).code == 0
        source = tmp_path / f"list-{made}.csv"
    assert tfrec("convert", source, tmp_path / "out", "--splits", "train=1").code == 0
    assert manifest(tmp_path / "out")["labels"] == {"run": 0, "walk": 1}
    assert manifest(tmp_path / "out")["records"] == 4


def test_numbers_of_images_get_the_zeros_that_files_have(tmp_path: Path) -> None:
    rows = [["0", "9", "7"], ["0", "10", "12"]]
    hint = _hint(tmp_path, ["in/f_0007.jpg", "in/f_0012.jpg"], rows, image=2)
    assert '"in/f_" + t["label"].str.strip().str.zfill(4) + ".jpg"' in hint
    # Of two such folders none is certain.
    assert _hint(tmp_path, ["on/f_0007.jpg", "on/f_0012.jpg"], rows, image=2) == ""


def test_a_column_that_is_no_image_names_none_by_zeros(tmp_path: Path) -> None:
    rows = [["0", "7", "a.jpg"], ["0", "12", "b.jpg"]]
    assert _hint(tmp_path, ["in/0007.jpg", "in/0012.jpg"], rows, image=2) == ""


def test_a_comma_behind_each_row_hides_no_columns_of_paths(tmp_path: Path) -> None:
    lines = [",".join([*row, ""]) for row in (_HEADER, *_ROWS)]
    (tmp_path / "list.csv").write_text("\n".join(lines), encoding="utf-8")
    assert "put together as the files are called" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("header", "paths", "is_told"),
    [
        ("image,label,relative path", "cats/{0}.jpg", True),
        ("image,label,original", "raw/{0}.jpg", False),  # no such files
        ("image,label,relative path,cut", "cats/{0}.jpg,cut/{0}.jpg", False),  # of which of them?
        ("image,label,relative path", "cats/{1}.jpg", False),  # of other images
    ],
)
def test_a_column_of_paths_beside_names_that_are_no_files_is_proposed(
    header: str, paths: str, is_told: bool, tmp_path: Path
) -> None:
    for number in range(4):
        for path in (tmp_path / folder / f"{number}.jpg" for folder in ("cats", "cut")):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(jpeg(number))
    rows = [f"{i}.jpg,{'xy'[i % 2]},{paths.format(i, 3 - i)}\n" for i in range(4)]
    (tmp_path / "list.csv").write_text(f"{header}\n{''.join(rows)}")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    option = "--columns 'image_uri=relative path,label=label'"
    assert (told.code, f"column relative path has their paths: {option}" in told.err) == (2, is_told)
    if is_told:
        done = shell(f"tfrec convert list.csv out --splits train=1 {option}", tmp_path)
        assert (done.code, manifest(tmp_path / "out")["num_labels"]) == (0, 2), done.err


@pytest.mark.parametrize(("is_lost", "names"), [(False, 6), (True, 6), (False, 3)])
def test_ids_that_files_are_called_by_are_proposed_where_names_are_no_files(
    is_lost: bool, names: int, tmp_path: Path
) -> None:
    """As in Wildlife Insights: cameras count from IMG_0001, and what is downloaded is called by its id."""
    rows = []
    for number in range(6):
        rows.append(f"IMG_000{number % names}.JPG,5bc8-{number},{'xy'[number % 2]}\n")
        if number or not is_lost:
            (tmp_path / f"5bc8-{number}.JPG").write_bytes(jpeg(number))
    (tmp_path / "list.csv").write_text("filename,image_id,label\n" + "".join(rows), encoding="utf-8")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    option = "--columns image_uri=image_id,label=label"
    assert told.code == (2 if names == 6 else 1)
    assert (f"images are called by column image_id: {option}" in told.err) == (not is_lost)
    done = shell(f"tfrec convert list.csv out --splits train=1 {option}", tmp_path)
    assert (done.code, manifest(tmp_path / "out")["records"]) == (is_lost, 6 - is_lost), done.err


@pytest.mark.parametrize(("ending", "image"), [("", "filestem"), (".png", "ao_classification")])
def test_codes_with_slashes_are_no_images_beside_ids_that_are(
    ending: str, image: str, tmp_path: Path
) -> None:
    """As in GRAZPEDWRI: codes of fractures look like paths; files elsewhere may be called so, too."""
    rows = [f"0001_{n}_M012,23r-M/2.{n}{ending},{'xy'[n % 2]}\n" for n in range(4)]
    (tmp_path / "list.csv").write_text(
        "filestem,ao_classification,finding\n" + "".join(rows), encoding="utf-8"
    )
    for number in range(4):
        (tmp_path / f"0001_{number}_M012.jpg").write_bytes(jpeg(number))
    assert f"--columns image_uri={image}," in tfrec("convert", "list.csv", "out", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ("slides/{0}/40X/{1}.jpg", "benign, malignant"),
        ("slides\\{0}\\{1}.jpg", "benign, malignant"),
        ("{2}/40X/{1}.jpg", ""),  # splits
        ("slides/p{1}/{1}.jpg", ""),  # patients
        ("slides/{3}/{1}.jpg", ""),
    ],
    ids=["folders", "backslashes", "splits", "patients", "numbers"],
)
def test_folders_in_paths_are_proposed_for_labels_that_no_column_has(
    path: str, labels: str, tmp_path: Path
) -> None:
    rows = []
    for i in range(8):
        name = path.format(("benign", "malignant")[i % 2], i, ("train", "test")[i % 2], i % 2)
        image = tmp_path / name.replace("\\", "/")
        image.parent.mkdir(parents=True, exist_ok=True)
        image.write_bytes(jpeg(i))
        rows.append(f"{i % 3},{('train', 'test')[i // 6]},{name}\n")
    (tmp_path / "list.csv").write_text(f"mag,grp,filename\n{''.join(rows)}")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert (told.code, f"where folders are the labels ({labels}): " in told.err) == (2, bool(labels))
    if labels:
        command = told.err.partition(f"({labels}): ")[2].strip()
        command, _, options = command.partition(", and convert that with ")
        assert shell(command, tmp_path).code == 0
        done = shell(f"tfrec convert list-with-labels.csv out {options}", tmp_path)
        made = manifest(tmp_path / "out")
        assert (done.code, [*made["labels"]]) == (0, labels.split(", ")), done.err
        assert made["splits"]["test"]["records"] == 2


def test_paths_in_columns_are_told_of_where_the_number_of_a_series_was_taken_for_the_image(
    tmp_path: Path,
) -> None:
    """As in Chinese MNIST: `suite_id,sample_id` of `input_1_1.jpg`, and each suite has all characters."""
    rows = []
    for suite, sample in product((1, 2, 3), (1, 2)):
        (tmp_path / f"input_{suite}_{sample}.jpg").write_bytes(jpeg(10 * suite + sample))
        rows.append(f"{suite},{sample},{'xy'[sample - 1]}\n")
    (tmp_path / "list.csv").write_text("suite_id,sample_id,label\n" + "".join(rows), encoding="utf-8")
    options = "--columns", "image_uri=suite_id,label=label"
    told = tfrec("convert", "list.csv", "out", *options, cwd=tmp_path)
    assert told.code == 1
    assert "with another label than others do: paths of images are told by columns" in told.err
    command = told.err.partition(".jpg: ")[2].partition("; where an image has")[0]
    assert shell(command, tmp_path).code == 0
    done = tfrec("convert", "list-with-paths.csv", "out", *options, cwd=tmp_path)
    assert (done.code, manifest(tmp_path / "out")["records"]) == (0, 6), done.err
