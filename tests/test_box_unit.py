"""Boxes in percent: read when that is said, and never taken for pixels of images that are far larger."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of, convert, photo, photos, records, write
from converting import convert_json, manifest, shell, tfrec

from tfrecordcli.errors import OutageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes import unit as box_unit

HEADER = "image,label,xmin,ymin,xmax,ymax\n"


def rows(count: int, most: float, name: str = "a.png") -> str:
    """Boxes from the top left corner to ``most``, each a little smaller than the one before."""
    return "".join(f"{name},cat,0.5,1,{most - i},{most - i / 2}\n" for i in range(count))


def refused(folder: Path, *options: str, source: str = "list.csv") -> str:
    done = tfrec("convert", folder / source, folder / "out", "--json", *options)
    assert done.code == 2, done
    assert not (folder / "out").exists() or not list((folder / "out").glob("*.tfrecord"))
    return json.dumps(done.json["error"])


@pytest.mark.parametrize("kind", ["csv", "json lines", "several"])
def test_percents_are_the_same_boxes_as_fractions(kind: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    if kind == "json lines":
        box = {"label": "cat", "xmin": 10, "ymin": 25, "xmax": 50, "ymax": 62.5}
        source = write(tmp_path, json.dumps({"image": "a.png", "boxes": [box]}), "list.jsonl")
    else:
        source = write(tmp_path, f"{HEADER}a.png,cat,10,25,50,62.5\n")
    sources = [source, write(tmp_path, f"{HEADER}b.png,cat,0,0,100,100\n", "b.csv")][
        : 1 + (kind == "several")
    ]
    convert_json(*sources, tmp_path / "out", "--box-unit", "percent")
    found = records(tmp_path / "out")
    assert boxes_of(found["a.png"]) == [("cat", (8.0, 10.0, 40.0, 25.0))]
    assert manifest(tmp_path / "out")["box_unit"] == ("pixels" if kind == "several" else "percent")
    if kind == "several":
        assert boxes_of(found["b.png"]) == [("cat", (0.0, 0.0, 80.0, 40.0))]


def test_rejects_of_a_list_in_percent_are_mended_in_percent(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, f"{HEADER}a.png,cat,10,25,50,62.5\nb.png,cat,oops,0,100,100\n")
    done = tfrec("convert", "list.csv", "out", "--box-unit", "percent", cwd=tmp_path)
    assert done.code == 1
    command = next(line for line in done.out.splitlines() if line.strip().startswith("tfrec convert"))
    rejects = tmp_path / "out/rejects.csv"
    rejects.write_text(rejects.read_text().replace("oops", "0"))
    assert tfrec(*shlex.split(command)[1:], cwd=tmp_path).code == 0
    assert boxes_of(records(tmp_path / "out-mended")["b.png"]) == [("cat", (0.0, 0.0, 80.0, 40.0))]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (HEADER + rows(12, 97.5), (320, 240)),
        (HEADER + rows(4, 72), (640, 480)),
        ("image,label,width,height,xmin,ymin,xmax,ymax\n" + "x.png,cat,640,480,1,2,30,40.5\n" * 3, (0, 0)),
    ],
    ids=["many boxes", "a few in large images", "sizes are listed"],
)
def test_numbers_up_to_100_in_large_images_are_asked_for(
    text: str, size: tuple[int, int], tmp_path: Path
) -> None:
    if any(size):
        photo(tmp_path / "a.png", size)
    write(tmp_path, text)
    told = refused(tmp_path)
    assert "percents or pixels" in told
    assert "--box-unit percent or --box-unit pixels" in told


@pytest.mark.parametrize("unit", ["percent", "pixels"])
def test_either_unit_settles_it(unit: str, tmp_path: Path) -> None:
    photo(tmp_path / "a.png", (640, 480))
    write(tmp_path, f"{HEADER}{rows(12, 97.5)}")
    convert_json(tmp_path / "list.csv", tmp_path / "out", "--box-unit", unit)
    largest = max(corners[2] for _, corners in boxes_of(records(tmp_path / "out")["a.png"]))
    assert largest == pytest.approx({"percent": 624.0, "pixels": 97.5}[unit], abs=0.01)


def test_one_source_of_several_is_asked_for_by_name(tmp_path: Path) -> None:
    photo(tmp_path / "a.png", (640, 480))
    photo(tmp_path / "b.png", (640, 480))
    write(tmp_path, f"{HEADER}{rows(12, 97.5)}", "train.csv")
    write(tmp_path, f"{HEADER}b.png,cat,1,2,600,400\n", "val.csv")
    sources = [f"train={tmp_path}/train.csv", f"val={tmp_path}/val.csv"]
    done = tfrec("convert", *sources, tmp_path / "out", "--json")
    assert f"{tmp_path}/train.csv: no box reaches beyond 97.5" in done.json["error"]["message"]
    convert_json(*sources, tmp_path / "out", "--box-unit", "train=percent")
    found = records(tmp_path / "out")
    assert max(corners[2] for _, corners in boxes_of(found["a.png"])) == pytest.approx(624, abs=0.01)
    assert boxes_of(found["b.png"]) == [("cat", (1.0, 2.0, 600.0, 400.0))]


@pytest.mark.parametrize(
    ("count", "most", "size", "is_told"),
    [(12, 97.5, (128, 128), True), (12, 60, (96, 96), False), (2, 60, (640, 480), False)],
    ids=["images that are hardly larger", "small images", "two boxes"],
)
def test_other_numbers_up_to_100_are_pixels(
    count: int, most: float, size: tuple[int, int], is_told: bool, tmp_path: Path
) -> None:
    photo(tmp_path / "a.png", size)
    done = convert(write(tmp_path, HEADER + rows(count, most)), tmp_path / "out")
    (said,) = [text for text in done.remarks if text.startswith("coordinates of boxes are pixels")]
    assert ("percent" in said) is is_told


def test_a_size_that_cannot_be_asked_for_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n, and then no more")
    write(tmp_path, HEADER + rows(12, 97.5))
    done: dict[str, Any] = convert_json(tmp_path / "list.csv", tmp_path / "out", "--dry-run")
    assert any("--box-unit percent" in text for text in done["remarks"])


def test_sizes_beyond_all_numbers_decide_nothing(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    source = write(
        tmp_path, "image,label,width,height,xmin,ymin,xmax,ymax\n" + "a.png,x,1e999,1e999,1,2,30,40\n" * 3
    )
    assert tfrec("convert", source, tmp_path / "out", "--dry-run").code in (0, 1)


def test_the_size_before_an_image_was_resized_is_not_that_of_its_boxes(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    header = "image,label,original_width,original_height,xmin,ymin,xmax,ymax"
    convert(write(tmp_path, f"{header}\na.png,cat,800,400,40,10,70,30\n"), tmp_path / "out")
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", (40.0, 10.0, 70.0, 30.0))]


@pytest.mark.parametrize("sign", ["\x1e", "\x1f", "\t", "\n"])
def test_an_attribute_with_a_control_character_is_a_reject(sign: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    rows = f'a.png,cat,40,10,70,30,"le{sign}ft"\nb.png,cat,40,10,70,30,left\n'
    source = write(tmp_path, f"image,label,xmin,ymin,xmax,ymax,view\n{rows}")
    done = convert_json(source, tmp_path / "out", "--max-rejects", "1")
    assert [problem["code"] for problem in done["problems"]] == ["control_character"]
    assert set(records(tmp_path / "out")) == {"b.png"}


def test_fractions_among_pixels_are_refused(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    mixed = "".join(f"a.png,cat,0.{i},0.2,0.9,0.8\n" for i in range(3)) + "a.png,cat,8,4,40,20\n"
    write(tmp_path, HEADER + mixed)
    said = refused(tmp_path)
    assert "3 of 4 boxes have numbers from 0 to 1, as fractions have, and others go up to 40" in said
    assert convert(tmp_path / "list.csv", tmp_path / "out", box_unit="pixels").exit_code == 0


def test_a_few_boxes_in_the_first_pixel_are_of_pixels(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    # Whole numbers, and one of a hundred that a drawing tool left there, are no fractions.
    others = "a.png,cat,0.5,0,1,1\na.png,cat,0,0,1,1\na.png,dog,0,0,1,0\na.png,cat,8,4,40,20\n"
    write(tmp_path, HEADER + others + rows(150, 80))
    assert convert(tmp_path / "list.csv", tmp_path / "out").exit_code == 0
    assert manifest(tmp_path / "out")["box_unit"] == "pixels"


def test_two_of_many_boxes_below_one_are_slivers_of_pixels(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    slivers = "a.png,cat,0.2,0.1,0.9,0.8\n" * 2
    write(tmp_path, HEADER + slivers + "a.png,cat,8,4,40,20\n" * 98)
    done: dict[str, Any] = convert_json(tmp_path / "list.csv", tmp_path / "out", "--dry-run")
    assert done["exit_code"] == 0
    assert any("2 of 100 boxes lie within the first pixel" in each for each in done["warnings"])
    write(tmp_path, HEADER + slivers + "a.png,cat,8,4,40,20\n")
    assert "2 of 3 boxes have numbers from 0 to 1" in refused(tmp_path)
    write(tmp_path, HEADER + slivers * 3 + "a.png,cat,8,4,40,20\n" * 94)
    assert "6 of 100 boxes have numbers from 0 to 1" in refused(tmp_path)


def test_a_store_that_fails_once_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def read(uri: str, root: str, most: int) -> bytes:
        asked.append(uri)
        if uri.startswith("gs://b/"):
            raise OutageError("no answer", "try again")
        raise Rejected("not_found")

    monkeypatch.setattr(box_unit, "read_image", read)
    uris = ["gs://b/1.png", "2.png", "gs://b/3.png", "gs://c/4.png", "gs://c/5.png", "6.png"]
    assert not [*box_unit.sizes_of([(uri, "") for uri in uris], "/data")]
    assert asked == ["gs://b/1.png", "2.png", "gs://c/4.png", "gs://c/5.png", "6.png"]


_OF_TWO = "".join(
    f"{name}.png,cat,{first},{second},{third},{fourth},{source}\n"
    for name, source, (first, second, third, fourth) in [
        *(("a", "roboflow", (0.1, 0.25, 0.5, 0.5 + i / 100)) for i in range(4)),
        *(("b", "lab", (8, 10, 40, 20 + i)) for i in range(4)),
    ]
)


@pytest.mark.parametrize("source", ["source", "of one word", "mixed"])
def test_two_units_that_a_column_tells_apart_get_the_command_for_two_lists(
    source: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    text = _OF_TWO if source == "source" else _OF_TWO.replace("roboflow", "lab")
    text = text.replace(",20,lab", ",20,other") if source == "mixed" else text
    write(tmp_path, HEADER.replace("ymax", "ymax,source") + text)
    told = json.loads(refused(tmp_path))["hint"]
    assert ("make two lists" in told) is (source == "source")
    if source != "source":
        return
    command, _, way = told.partition("make two lists: ")[2].partition("; else ")[0].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    words = shlex.split(way)[1:-1]
    assert tfrec(*words, "out", cwd=tmp_path).code == 0
    found = records(tmp_path / "out")
    assert ("cat", (8, 10, 40, 20)) in boxes_of(found["a.png"])
    assert ("cat", (8, 10, 40, 20)) in boxes_of(found["b.png"])


@pytest.mark.parametrize("is_alone", [True, False])
def test_fractions_behind_pixels_are_refused_in_one_of_several_lists(is_alone: bool, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, HEADER + "a.png,cat,8,4,400,200\n" + "a.png,cat,0.2,0.1,0.9,0.8\n" * 3)
    write(tmp_path, HEADER + "b.png,cat,8,4,40,20\n", "other.csv")
    sources = ["train=list.csv", *(["val=other.csv"] * (not is_alone))]
    done = tfrec("convert", *sources, "out", "--json", cwd=tmp_path)
    assert "3 of 4 boxes have numbers from 0 to 1" in done.json["error"]["message"]


@pytest.mark.parametrize("sources", [["list.csv"], ["train=list.csv", "val=other.csv"]])
def test_what_is_stored_otherwise_than_the_list_has_it_is_counted(sources: list[str], tmp_path: Path) -> None:
    photos(tmp_path, "a.jpg", "b.jpg", "c.jpg")
    header = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated\n"
    write(tmp_path, header + "a,x,/m/1,1,0.1,0.5,0.2,0.9,0,-1\nb,x,/m/2,1,0.6,0.9,0.1,0.4,-1,1.0\n")
    write(tmp_path, header + "c,x,/m/1,1,0.1,0.5,0.2,0.9,1,0\n", "other.csv")
    done = convert_json(*sources, "out", "--splits", "train=1", cwd=tmp_path)
    assert any(
        each.endswith("2 flags of boxes are -1, for what nobody knows: stored as 0")
        for each in done["remarks"]
    )
    found = records(tmp_path / "out")
    assert [found[name]["image/object/truncated"] for name in ("a.jpg", "b.jpg")] == [[0], [1]]
    upright, turned = "0.2,0.1,0.5,0.1,0.5,0.6,0.2,0.6", "0.2,0.1,0.5,0.15,0.4,0.6,0.1,0.5"
    write(tmp_path, f"TRAIN,a.jpg,c,{upright}\nTRAIN,b.jpg,c,{turned}\n")
    write(tmp_path, f"TRAIN,c.jpg,c,{upright}\n", "other.csv")
    done = convert_json(*sources, "out", "--overwrite", cwd=tmp_path)
    assert any("1 box has four vertices that are no upright rectangle" in each for each in done["remarks"])


def test_numbers_of_classes_below_0_are_no_background(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{number}.png" for number in range(4)))
    write(tmp_path, "image,label\n" + "".join(f"{number}.png,{number - 1}\n" for number in range(4)))
    done = convert_json("list.csv", "out", cwd=tmp_path)
    assert not any("background" in each for each in done["remarks"])


@pytest.mark.parametrize(("fractions", "is_refused"), [(1, False), (2, True), (6, True)])
def test_fractions_among_pixels_of_a_kind_that_has_pixels(
    fractions: int, is_refused: bool, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png")
    boxes = [[0.1, 0.2, 0.3, 0.4]] * fractions + [[8, 4, 32, 16]] * (fractions + (fractions == 1))
    document = {
        "images": [{"id": 1, "file_name": "a.png", "width": 80, "height": 60}],
        "annotations": [{"id": i, "image_id": 1, "category_id": 1, "bbox": b} for i, b in enumerate(boxes)],
        "categories": [{"id": 1, "name": "cat"}],
    }
    write(tmp_path, json.dumps(document), "list.json")
    if is_refused:
        assert f"{fractions} of {2 * fractions} boxes have numbers from 0 to 1" in refused(
            tmp_path, source="list.json"
        )
    else:
        done = convert_json(tmp_path / "list.json", tmp_path / "out")
        assert any("1 of 3 boxes lies within the first pixel" in each for each in done["warnings"])


@pytest.mark.parametrize(
    "text", [_OF_TWO, _OF_TWO[: _OF_TWO.index("b.png")], _OF_TWO[_OF_TWO.index("b.png") :]]
)
def test_fractions_that_are_said_to_be_pixels_are_told_of(text: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    source = write(tmp_path, HEADER.replace("ymax", "ymax,source") + text + "b.png,cat,0,0,0.5,1,lab\n" * 2)
    done = convert_json(source, tmp_path / "out", "--box-unit", "pixels")
    told = [each for each in done["warnings"] if "lie within the first pixel" in each]
    assert bool(told) is ("roboflow" in text)


@pytest.mark.parametrize(
    ("boxes", "side", "is_asked"),
    [
        ([(5 * i, 4 * i, 5 * i + 40, 4 * i + 30) for i in range(1, 12)], 320, True),
        ([(5 * i, 4 * i, 5 * i + 40, 4 * i + 30) for i in range(1, 12)], 199, False),
        ([(5 * i, 4 * i, 40, 30) for i in range(1, 12)], 320, False),
        ([(10, 10, 9 * i, 8 * i) for i in range(2, 13)], 320, False),
    ],
    ids=["percents", "of small images", "extents", "extents from one corner"],
)
def test_corners_in_percent_are_not_taken_for_extents_in_pixels(
    boxes: list[tuple[int, ...]], side: int, is_asked: bool, tmp_path: Path
) -> None:
    rows = "".join(f'{i}.png,cat,{side},{side},"{list(box)}"\n' for i, box in enumerate(boxes))
    (tmp_path / "list.csv").write_text(f"image,label,width,height,bbox\n{rows}", encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path)
    assert ("--box-format xyxy --box-unit percent" in done.err) is is_asked
    for options in ("--box-format xyxy --box-unit percent", "--box-format xywh --box-unit pixels"):
        given = tfrec("convert", "list.csv", "out", "--dry-run", *options.split(), cwd=tmp_path)
        assert "not certain" not in given.err
