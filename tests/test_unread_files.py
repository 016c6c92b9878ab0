"""Files beside images that no reader takes: what may tell of the images is said, and nothing else."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from converting import convert_json, jpeg, manifest, read_csv, shell, tfrec
from recording import records_of
from test_dataset_layouts import put
from test_dataset_samples import plan_from

from tfrecordcli.sources.folders.unread_files import UnreadFiles

NAMES = [f"{label}/{label}{number}" for label, number in product(("cat", "dog"), range(4))]


def told_of(images: list[str], files: list[str], told: tuple[str, ...] = ()) -> list[str]:
    """What is said of files of which half are met before the images."""
    unread = UnreadFiles()
    for path in files[::2]:
        unread.add(path)
    for path in images:
        unread.add_image(f"{path}.jpg")
    for path in files[1::2]:
        unread.add(path)
    return [*unread.doubts(told, sorted({path.rpartition("/")[0] for path in images}), "in")]


@pytest.mark.parametrize("behind", [".txt", ".mat", ".jpg.json"])
def test_files_called_like_images_are_warned_of(behind: str, tmp_path: Path) -> None:
    root = put(tmp_path / "in", {f"{name}.jpg": jpeg(at) for at, name in enumerate(NAMES)})
    put(tmp_path / "in", {f"{name}{behind}": b"a photo of a pet" for name in NAMES})
    (told,) = [told for told in plan_from(root, tmp_path).plan.warnings if "called like images" in told]
    ending = behind.rpartition(".")[2]
    assert told.startswith(f"8 files called like images (cat/cat0{behind}, …): passed over")
    assert f"--exclude '*.{ending}'" in told
    excluded = plan_from(root, tmp_path, exclude=f"*.{ending}").plan.warnings
    assert not any("called like images" in told for told in excluded)


@pytest.mark.parametrize(
    ("images", "files"),
    [
        (["a/0", "b/0"], ["a/a.json", "b/b.json"]),  # few
        (["a/0", "b/0", "c/0"], ["a/a.json", "b/b.json"]),
        (["a/0", "b/0", "c/0"], ["a/README.txt", "b/README.txt", "c/notes.txt"]),
        (["a/0", "b/0", "c/0"], [f"{name}/{at}.log" for name in "abc" for at in "12"]),
        (NAMES, [f"{name}.xmp" for name in NAMES]),  # of a photo editor
        (NAMES, [f"{name}.THM" for name in NAMES]),
        (NAMES, [f"cat/.{number}.txt" for number in range(9)]),
        (NAMES, ["cat/cat0.txt", "dog/dog0.txt", "README.md", "cat/notes.txt"]),
        (NAMES, [*(f"logs/{number}.txt" for number in range(9)), *(f"{name}.txt" for name in NAMES[:4])]),
        ([f"{at}/frame" for at in range(9)], [f"{at}/frame.log" for at in range(9)]),
        (NAMES, [f"{name}.{at:04}" for at, name in enumerate(NAMES)]),
    ],
)
def test_other_files_are_not_warned_of(images: list[str], files: list[str]) -> None:
    assert told_of(images, files) == []


def test_files_in_another_folder_are_told_once() -> None:
    files = [f"labels/{name}.txt" for name in NAMES]
    (told,) = told_of(NAMES, files)
    assert told.startswith("8 files called like images (labels/cat/cat0.txt, …)")
    assert told_of(NAMES, files, (f"boxes in {files[0]} are passed over",)) == []


def test_data_of_each_folder_is_warned_of() -> None:
    (told,) = told_of([f"{patch}/band" for patch in "abc"], [f"{patch}/labels.json" for patch in "abc"])
    assert told.startswith("each folder of a label holds a .json of its own (a/labels.json, …): passed over")


_VIDEOS = {
    ".mp4": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(60),
    ".avi": b"RIFF\0\0\0\0AVI LIST" + bytes(60),
    ".webm": b"\x1aE\xdf\xa3\x01\0" + bytes(60),
}


_FFMPEG = b"""#!/bin/sh
for to; do :; done
for n in 1 2 3; do
  frame=$(printf "$to" $n)
  (cat ../photo.jpg; echo "$frame") > "$frame"
done
"""


@pytest.mark.parametrize("beside", [True, False])
def test_videos_get_the_command_that_takes_images_out_of_them(
    beside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    videos = {
        f"{label}/a{at}{ending}": head
        for label in ("cat", "dog")
        for at, (ending, head) in enumerate(_VIDEOS.items())
    }
    root = tmp_path / "in"
    put(root, videos | {f"{name}.jpg": jpeg(at) for at, name in enumerate(NAMES) if beside})
    told = tfrec("convert", ".", "../out", cwd=root)
    if beside:
        assert "warning: passed over 6 videos: cat/a0.mp4, cat/a1.avi, " in told.err
        assert (told.code, manifest(tmp_path / "out")["records"]) == (0, 8)
    else:
        assert "there is no image in this folder" in told.err
        assert "dog/a0.mp4, dog/a1.avi: videos, and a record holds an image; a frame of" in told.err
    command = told.err.partition("with ffmpeg: ")[2].partition("\n")[0]
    put(tmp_path, {"photo.jpg": jpeg(20), "bin/ffmpeg": _FFMPEG})
    (tmp_path / "bin/ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    assert shell(command, root).code == 0
    done = tfrec("convert", ".", "../frames", cwd=root)
    assert (done.code, "passed over 6 videos" in done.err) == (0, False)
    assert manifest(tmp_path / "frames")["records"] == 18 + 8 * beside
    how = done.err.partition("frames of one video ")[2].partition("may be in several splits: ")[2]
    listing, _, convert = how.partition("\n")[0].partition(", then ")
    assert shell(listing, root).code == 0
    assert shell(convert.replace("OUTPUT_DIR", "../kept"), root).code == 0
    assert len({row["video"] for row in read_csv(root / "list.csv")}) == 6 + 8 * beside


_WORDS: Final = {
    "tags": (lambda n: f"dog, {['beach', 'lawn'][n % 2]}, collar", "label=text --label-separator comma"),
    "classes": (lambda n: ["Golden Retriever\n", "pug"][n % 2], "label=text"),
    "captions": (lambda n: f"A dog that runs, for the {n + 1}. time.", "label=folder --features text"),
}


@pytest.mark.parametrize(("says", "options"), _WORDS.values(), ids=_WORDS)
def test_texts_beside_images_become_a_list_by_a_command(says: Any, options: str, tmp_path: Path) -> None:
    """Trainers of image models want `a.txt` beside `a.png`, with a caption or tags."""
    names = [f"{label}/{n}" for n, label in enumerate(["10_sks dog", "1_dog"] * 4)]
    root = put(tmp_path / "in", {f"{name}.jpg": jpeg(n) for n, name in enumerate(names)})
    put(tmp_path / "in", {f"{name}.txt": says(n).encode() for n, name in enumerate(names)})
    (told,) = [told for told in plan_from(root, tmp_path).plan.warnings if "called like images" in told]
    command, _, then = told.partition("list of its texts: ")[2].partition("; then: ")
    assert then.split("; ")[0].endswith(f"OUTPUT_DIR --columns {options}")
    assert shell(command, tmp_path).code == 0
    made = Path(root) / "list.csv"
    convert_json(made, tmp_path / "out", "--columns", *options.split())
    found = records_of(tmp_path / "out")
    assert len(found) == len(names)
    texts = [" ".join(says(n).split()) for n in range(len(names))]
    key = "text" if "features" in options else "image/class/text"
    told_texts = [b", ".join(record[key]).decode() for record in found]
    assert sorted(told_texts) == sorted(texts)


def test_boxes_in_a_folder_of_any_name_are_named_with_what_reads_them(tmp_path: Path) -> None:
    """GC10-DET has its XML of Pascal VOC in `lable`, beside folders of classes."""
    box = b"<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"
    xml = b"<annotation><object><name>crack</name>" + box + b"</object></annotation>"
    root = put(tmp_path / "in", {f"{at % 2}/{at}.jpg": jpeg(at) for at in range(8)})
    put(tmp_path / "in", {f"lable/{at}.xml": xml for at in range(8)})
    (told,) = [told for told in plan_from(root, tmp_path).plan.warnings if "called like images" in told]
    assert told.endswith(
        "hold boxes of Pascal VOC: passed over, as folders are taken for labels; "
        "--task detection reads the boxes"
    )
    done = tfrec("convert", root, tmp_path / "out", "--task", "detection", "--json").json
    assert (done["records"], done["boxes"]["stored"]) == (8, 8)
