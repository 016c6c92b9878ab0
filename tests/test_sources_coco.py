"""COCO files: every box reaches its image or is accounted for; other kinds are refused by name."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from boxing import photos, write
from converting import read_csv, tfrec
from hypothesis import given, settings
from hypothesis import strategies as st
from listing_json import DETECTION, problem_of, read_with, write_json
from sampling import examples

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.coco import read_coco
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage

CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 7, "name": "big dog"}]


def image(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": number, "file_name": f"{number}.jpg", "width": 64, "height": 48} | fields


def box(number: int, image_id: Any, **fields: Any) -> dict[str, Any]:
    return {"id": number, "image_id": image_id, "category_id": 1, "bbox": [1, 2, 30, 4.5]} | fields


def document(images: list[Any], annotations: list[Any], categories: Any = CATEGORIES) -> dict[str, Any]:
    return {"images": images, "annotations": annotations, "categories": categories}


def read(folder: Path, content: Any, **how: Any) -> tuple[list[ListedImage], Findings]:
    return read_with(read_coco, write_json(folder, content), **how)


def one_box(folder: Path, **fields: Any) -> ListedImage:
    """The image of a file whose first of two boxes has these fields, but for those that are None."""
    first = {key: value for key, value in box(0, 5, **fields).items() if value is not None}
    images, findings = read(folder, document([image(5)], [first, box(1, 5)]))
    assert not findings.left_out
    (found,) = images
    assert found.boxes is not None
    assert len(found.boxes) == 2
    return found


def test_images_have_their_boxes(tmp_path: Path) -> None:
    annotations = [
        box(10, 6, category_id=7, iscrowd=1, area=12.5, segmentation={"counts": "x", "size": [2, 2]}),
        box(11, 5, bbox=[0.5, 0.25, 2, 3]),
        box(12, 6, area=3, iscrowd=0),
    ]
    images, findings = read(
        tmp_path, document([image(5), image(6), image(7, file_name=r"b\c.jpg")], annotations)
    )
    assert images == [
        ListedImage(
            "images[0]", "5.jpg", width=64, height=48, source_id=5,
            boxes=(ListedBox("cat", (0.5, 0.25, 2.5, 3.25), 1),),
        ),
        ListedImage(
            "images[1]", "6.jpg", width=64, height=48, source_id=6,
            boxes=(
                ListedBox("big dog", (1, 2, 31, 6.5), 0, {"is_crowd": 1, "area": 12.5}),
                ListedBox("cat", (1, 2, 31, 6.5), 2, {"is_crowd": 0, "area": 3}),
            ),
        ),
        ListedImage("images[2]", r"b\c.jpg", boxes=(), width=64, height=48, source_id=7),
    ]  # fmt: skip
    assert findings.label_ids == {"cat": 1, "big dog": 7}
    assert findings.counts == {"segmentations not stored": 1}
    assert not findings.left_out


@pytest.mark.parametrize(
    "order", [["annotations", "categories", "images"], ["categories", "images", "annotations"]]
)
def test_the_order_of_the_arrays_does_not_matter(order: list[str], tmp_path: Path) -> None:
    content = document([image(5), image(6)], [box(0, 6), box(1, 5, category_id=7), box(2, 6)])
    shuffled = {"licenses": [{"id": 1}], **{key: content[key] for key in order}, "info": {"year": 2017}}
    assert read(tmp_path, shuffled) == read(tmp_path, content)


@settings(max_examples=examples(300))
@given(data=st.data())
def test_every_box_is_accounted_for(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever annotations say: each is a box of one image, or left out with a reason."""
    odd = st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=2) | st.just([1, 2]) | st.just({})
    ids = st.integers(0, 4) | odd
    boxes = st.lists(st.integers(-5, 70) | st.floats() | odd, min_size=3, max_size=5) | odd
    masks = st.just([[0, 0, 5, 0, 5, 5]]) | st.just({"counts": [3, 2, 4], "size": [3, 3]}) | odd
    annotation = st.fixed_dictionaries(
        {"image_id": ids, "category_id": ids},
        optional={"bbox": boxes, "segmentation": masks, "iscrowd": odd, "area": odd | st.floats()},
    )
    annotations = data.draw(st.lists(annotation | odd, max_size=8))
    listed = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    path = write_json(
        tmp_path_factory.mktemp("coco"),
        document([image(n) for n in listed], annotations, [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]),
    )
    findings = Findings()
    images, refused = [], ""
    try:
        images = list(read_coco(path, findings))
    except InputError as error:
        refused = error.message
    if refused:
        words = ("name no image that is in it", "all fit as")
        assert any(word in refused for word in words)
        return
    assert len({each.image_uri for each in images}) == len(set(listed))
    if not findings.has_boxes:
        assert not any(each.get("bbox") for each in annotations if isinstance(each, dict))
        return
    places = Counter(each.place for found in images for each in found.boxes or ())
    places.update(place for _, place, _ in findings.left_out)
    assert places == Counter(range(len(annotations)))
    for found in images:
        if found.problem is None:
            assert all(each.label and all(map(math.isfinite, each.corners)) for each in found.boxes or ())


BAD_BOXES = {
    "too short": ({"bbox": [1, 2, 3]}, "the box of annotations[0] has 3 numbers, not four"),
    "rotated": ({"bbox": [1, 2, 3, 4, 45]}, "rotated boxes are not read"),
    "null in it": ({"bbox": [1, None, 3, 4]}, "the box of annotations[0] has null where a number is needed"),
    "text in it": ({"bbox": [1, "a", 3, 4]}, 'has "a" where a number is needed'),
    "true in it": ({"bbox": [1, True, 3, 4]}, "has true where a number is needed"),
    "no list": ({"bbox": {"x": 1}}, 'is {"x": 1}, not four numbers'),
    "NaN": ({"bbox": [1, math.nan, 3, 4]}, "has NaN where a number is needed"),
    "Infinity": ({"bbox": [1, math.inf, 3, 4]}, "has Infinity where a number is needed"),
    "beyond a float": ({"bbox": [1, 10**400, 3, 4]}, "where a number is needed"),
    "a negative width": (
        {"bbox": [10, 10, -4, 2]}, "the box of annotations[0] has a negative width or height (-4)"
    ),
    "beyond in sum": ({"bbox": [1e308, 1, 1e308, 4]}, "reaches beyond any number"),
    "no box": ({"bbox": None}, "annotations[0] has no bbox"),
    "an empty box": ({"bbox": []}, "annotations[0] has no bbox"),
    "compressed": (
        {"bbox": None, "segmentation": {"counts": "PQ1", "size": [4, 4]}}, "pycocotools.mask.toBbox"
    ),
    "an odd polygon": ({"bbox": None, "segmentation": [[1, 2, 3]]}, "none can be made of its segmentation"),
    "an empty mask": (
        {"bbox": None, "segmentation": {"counts": [16], "size": [4, 4]}}, "none can be made"
    ),
    "no such category": ({"category_id": 3}, "has category_id 3, which categories has not"),
    "no category": ({"category_id": None}, "annotations[0] has no category_id"),
    "an odd crowd": ({"iscrowd": 2}, "iscrowd of annotations[0] is 2, not 0 or 1"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "said"), BAD_BOXES.values(), ids=BAD_BOXES)
def test_an_image_with_a_box_that_cannot_be_read_has_a_problem(
    fields: dict[str, Any], said: str, tmp_path: Path
) -> None:
    found = one_box(tmp_path, **fields)
    assert said in problem_of(found)
    assert found.boxes is not None
    assert [each.place for each in found.boxes] == [0, 1]


def test_a_number_beyond_a_float_as_json_has_it(tmp_path: Path) -> None:
    text = json.dumps(document([image(5)], [box(0, 5)])).replace("4.5", "1e999")
    (found,), _ = read(tmp_path, text)
    assert "has Infinity where a number is needed" in problem_of(found)


GOOD_BOXES = {
    "numbers in quotes": ({"bbox": ["1", "2.5", "3", "1e1"]}, (1, 2.5, 4, 12.5)),
    "outside": ({"bbox": [-1, 0, 100, 5]}, (-1, 0, 99, 5)),
    "of a polygon": ({"bbox": None, "segmentation": [[1, 2, 5, 2, 5, 9]]}, (1, 2, 5, 9)),
    "of polygons": (
        {"bbox": None, "segmentation": [[1, 2, 5, 2, 5, 9], [0, 4, 1, 4, 1, 12]]}, (0, 2, 5, 12)
    ),
    "of a mask": ({"bbox": [], "segmentation": {"counts": [5, 2, 2, 1, 6], "size": [4, 4]}}, (1, 1, 3, 3)),
    "of a mask across columns": (
        {"bbox": None, "segmentation": {"counts": [2, 3, 11], "size": [4, 4]}}, (0, 0, 2, 4)
    ),
    "of a mask that begins at once": (
        {"bbox": None, "segmentation": {"counts": [0, 2, 14], "size": [4, 4]}}, (0, 0, 1, 2)
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "corners"), GOOD_BOXES.values(), ids=GOOD_BOXES)
def test_boxes_are_as_the_list_has_them(
    fields: dict[str, Any], corners: tuple[float, ...], tmp_path: Path
) -> None:
    found = one_box(tmp_path, **fields)
    assert found.problem is None
    assert found.boxes is not None
    assert found.boxes[0].corners == corners


IMAGES = {
    "no size": ({"width": None, "height": 0}, {"width": None, "height": None}),
    "a size in quotes": ({"width": "64", "height": 48.0}, {"width": 64, "height": 48}),
    "an odd size": ({"width": 6.5, "height": -3}, {"width": None, "height": None}),
    "a backslash": ({"file_name": r"train\a 1.jpg"}, {"image_uri": r"train\a 1.jpg"}),
    "an id from 0": ({"id": 0}, {"source_id": 0}),
    "a negative id": ({"id": -4}, {"source_id": None}),
    "an id of text": ({"id": "000a"}, {"source_id": None}),
    "an id of a float": ({"id": 5.0}, {"source_id": 5}),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), IMAGES.values(), ids=IMAGES)
def test_images_are_as_the_list_has_them(
    fields: dict[str, Any], expected: dict[str, Any], tmp_path: Path
) -> None:
    entry = image(5) | fields
    (found,), _ = read(tmp_path, document([entry], [box(0, entry["id"])]))
    assert found.problem is None
    assert found.boxes is not None
    assert len(found.boxes) == 1
    assert {key: getattr(found, key) for key in expected} == expected


BAD_IMAGES = {
    "no name": ({"id": 5}, "the row names no image"),
    "an empty name": ({"id": 5, "file_name": " "}, "the row names no image"),
    "a name that is none": ({"id": 5, "file_name": 3}, "the row names no image"),
    "half a character": ({"id": 5, "file_name": "\ud800.jpg"}, "file_name of images[1] holds half of a char"),
    "no id": ({"file_name": "5.jpg"}, "images[1] has no id"),
    "an odd id": ({"id": True, "file_name": "5.jpg"}, "images[1] has no id"),
    "no object": (None, "images[1] has no id"),
    "a name that another has": (
        {"id": 5, "file_name": "4.jpg"}, "images[0] and images[1] have the same file_name"
    ),
    "an id that another has": ({"id": 4, "file_name": "5.jpg"}, "images[0] and images[1] have the same id"),
    "another size": (image(4, width=99), "images[0] and images[1] have the same id"),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "said"), BAD_IMAGES.values(), ids=BAD_IMAGES)
def test_an_image_that_cannot_be_used_has_a_problem(entry: Any, said: str, tmp_path: Path) -> None:
    images, _ = read(tmp_path, document([image(4), entry, image(6)], [box(0, 6), box(1, 6)]))
    assert said in problem_of(images[1])
    assert images[2].problem is None
    assert (images[0].problem is None) == ("images[0]" not in said)
    images[1].image_uri.encode()


def test_entries_that_are_alike_count_once(tmp_path: Path) -> None:
    images, findings = read(tmp_path, document([image(4), image(4)], [box(0, 4)]))
    (found,) = images
    assert found.problem is None
    assert findings.counts == {"images listed twice alike": 1}


def test_entries_with_other_further_keys_are_not_alike(tmp_path: Path) -> None:
    photos(tmp_path, "4.jpg", "5.jpg")
    size = {"width": 80, "height": 40}
    images = [image(4, patient="one", **size), image(4, patient="other", **size), image(5, **size)]
    source = write(tmp_path, json.dumps(document(images, [box(0, 4), box(1, 5)])), "list.json")
    options = ("--splits", "train=1", "--json")
    done = tfrec("convert", source, tmp_path / "out", *options, "--features", "all")
    assert done.code == 1, done.err
    (first, second) = read_csv(tmp_path / "out" / "rejects.csv")
    assert "images[0] and images[1] have the same id and different further keys" in first["tfrec_reason"]
    assert (first["patient"], second["patient"]) == ("one", "other")
    done = tfrec("convert", source, tmp_path / "plain", *options)
    assert (done.code, "1 image listed twice alike" in done.json["remarks"][1]) == (0, True), done.json


@pytest.mark.parametrize("option", ["--features", "--split-by"])
def test_entries_are_compared_in_the_further_keys_that_are_asked_for(option: str, tmp_path: Path) -> None:
    photos(tmp_path, "4.jpg", "5.jpg")
    same = {"width": 80, "height": 40, "caption": "one"}
    images = [image(4, day=1, **same), image(4, day=2, **same), image(5, **same)]
    source = write(tmp_path, json.dumps(document(images, [box(0, 4), box(1, 5)])), "list.json")
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--json", option, "caption")
    assert (done.code, "1 image listed twice alike" in " ".join(done.json["remarks"])) == (0, True), done.json
    tfrec("convert", source, tmp_path / "day", "--splits", "train=1", option, "day")
    (first, _) = read_csv(tmp_path / "day" / "rejects.csv")
    assert "the same id and different further keys: 'day'; correct it" in first["tfrec_reason"]


def test_boxes_without_their_image_are_left_out_by_name(tmp_path: Path) -> None:
    annotations = [box(0, 5), box(1, 99), box(2, None), box(3, 5), box(4, 5)]
    (found,), findings = read(tmp_path, document([image(5)], annotations))
    assert found.boxes is not None
    assert [each.place for each in found.boxes] == [0, 3, 4]
    assert findings.left_out == [
        ("no image_id", 2, "names no image"),
        ("image_id 99", 1, "images has no such id"),
    ]


LABEL_MAPS = {
    "gaps": ([{"id": 1, "name": "a"}, {"id": 90, "name": "b"}], {"a": 1, "b": 90}, ""),
    "from 0": ([{"id": 0, "name": "a"}, {"id": 1, "name": "b"}], {"a": 0, "b": 1}, ""),
    "a group": (
        [{"id": 0, "name": "RBC-WBC"}, {"id": 1, "name": "rbc", "supercategory": "RBC-WBC"}],
        {"rbc": 1}, "category 0 (RBC-WBC) only groups others and has no box: left out",
    ),
    "a group of its own": (
        [{"id": 1, "name": "a"}, {"id": 2, "name": "person", "supercategory": "person"}],
        {"a": 1, "person": 2}, "",
    ),
    "background": (
        [{"id": 0, "name": "Background"}, {"id": 1, "name": "a"}], {"a": 1}, "category 0 (background) has no"
    ),
    "the same twice": ([{"id": 1, "name": "a"}, {"id": 1, "name": "a"}], {"a": 1}, ""),
    "a name of a number": ([{"id": 1, "name": 5}], {"5": 1}, ""),
    "blanks": ([{"id": 1, "name": " a "}], {"a": 1}, ""),
    "ids of text": ([{"id": 1, "name": "a"}, {"id": "x", "name": "b"}], {}, "renumbered"),
}  # fmt: skip


@pytest.mark.parametrize(("categories", "ids", "note"), LABEL_MAPS.values(), ids=LABEL_MAPS)
def test_ids_of_categories(categories: list[Any], ids: dict[str, int], note: str, tmp_path: Path) -> None:
    _, findings = read(tmp_path, document([image(5)], [box(0, 5)], categories))
    assert findings.label_ids == ids
    assert note in "".join(findings.notes)
    assert bool(findings.notes) == bool(note)


def test_a_group_that_has_a_box_is_a_label(tmp_path: Path) -> None:
    categories = [{"id": 0, "name": "animal"}, {"id": 1, "name": "cat", "supercategory": "animal"}]
    (found,), findings = read(tmp_path, document([image(5)], [box(0, 5, category_id=0)], categories))
    assert found.boxes is not None
    assert found.boxes[0].label == "animal"
    assert findings.label_ids == {"animal": 0, "cat": 1}


PERSON = {"id": 1, "name": "person"}
REFUSED = {
    "captions": (document([image(5)], [{"image_id": 5, "caption": "a cat"}], []), "these are captions"),
    "panoptic": (
        document([image(5)], [{"image_id": 5, "segments_info": []}]),
        "panoptic segmentations, not boxes: annotations[0]",
    ),
    "MegaDetector": (
        {"images": [{"file": "a.jpg", "detections": [{"category": "1", "conf": 0.9}]}], "info": {}},
        "these are predictions of a model, as MegaDetector",
    ),
    "Karpathy's splits": (
        {"images": [{"filename": "a.jpg", "sentences": [{"raw": "a cat"}]}], "dataset": "coco"},
        "these are captions, as in Karpathy's splits of COCO: images have sentences",
    ),
    "image_info": ({"images": [image(5)], "categories": CATEGORIES}, "without annotations (image_info)"),
    "image_info of other tools": (document([image(5)], [], []), "images without annotations (image_info)"),
    "no images": ({"annotations": [box(0, 5)], "categories": CATEGORIES}, "there is no array images in it"),
    "nothing": (document([], []), "there is no image in it"),
    "no names": (document([image(5)], [box(0, 5)], []), "none has a name: there is no array categories"),
    "an array": ([box(0, 5)], "which is one JSON object"),
    "images that are none": ({"images": {"a": 1}, "annotations": []}, 'images is {"a": 1}, not an array'),
    "images of nothing": ({"images": None, "annotations": []}, "images is null, not an array"),
    "another dataset's boxes": (
        document([image(5)], [box(0, 5), box(1, 6), box(2, 7)]),
        "2 annotations of 3 name no image that is in it",
    ),
    "one name twice": (
        document([image(5)], [box(0, 5)], [PERSON, {"id": 2, "name": "person"}]),
        "categories[0] and categories[1] are both called 'person'",
    ),
    "one id twice": (
        document([image(5)], [box(0, 5)], [PERSON, {"id": 1, "name": "cat"}]),
        "categories[0] and categories[1] have the id 1 and different names",
    ),
    "a negative id": (document([image(5)], [box(0, 5)], [{"id": -1, "name": "a"}]), "has the id -1"),
    "no name": (document([image(5)], [box(0, 5)], [{"id": 1}]), "categories[0] has no name"),
    "no id": (document([image(5)], [box(0, 5)], [{"name": "a"}]), "categories[0] has no id"),
    "a name of two lines": (
        document([image(5)], [box(0, 5)], [{"id": 1, "name": "a\nb"}]), "the name of categories[0]"
    ),
    "cut short": (json.dumps(document([image(5)], [box(0, 5)]))[:90], "the file ends within it"),
    "no JSON": ('{"images": [,]}', "images[0]: expecting value, found ,"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_for_certain_is_refused(content: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert caught.value.message.startswith("a.json: ")
    assert said in caught.value.message
    assert caught.value.hint


def test_fractions_are_read_when_the_unit_is_told(tmp_path: Path) -> None:
    content = document([image(5)], [box(0, 5, bbox=[0.25, 0.25, 0.5, 0.5])])
    for unit in ("pixels", "fractions"):
        (found,), _ = read(tmp_path, content, unit=unit)
        assert found.unit == unit
        assert found.boxes is not None
        assert found.boxes[0].corners == (0.25, 0.25, 0.75, 0.75)


CORNERS = [box(0, 5, bbox=[10, 10, 40, 44]), box(1, 5, bbox=[30, 2, 60, 40]), box(2, 5, bbox=[0, 0, 9, 9])]


def test_corners_for_sizes_are_refused(tmp_path: Path) -> None:
    content = document([image(5)], CORNERS)
    with pytest.raises(InputError, match="all fit as xmin, ymin, xmax, ymax") as caught:
        read(tmp_path, content)
    assert "--box-format xyxy" in caught.value.hint
    told = {"xyxy": (10, 10, 40, 44), "xywh": (10, 10, 50, 54), "yxyx": (10, 10, 44, 40)}
    for box_format, corners in told.items():
        (found,), _ = read(tmp_path, content, box_format=box_format)
        assert found.boxes is not None
        assert found.boxes[0].corners == corners
    (found,), _ = read(tmp_path, content, box_format="center_xywh")
    assert found.boxes is not None
    assert found.boxes[2].corners == (-4.5, -4.5, 4.5, 4.5)


CENTERS = [
    box(i, 5, bbox=numbers)
    for i, numbers in enumerate([[40, 30, 40, 30], [50, 20, 20, 40], [50, 36, 20, 20]])
]


def test_centres_for_corners_of_extents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all fit as centre x, centre y, width, height") as caught:
        read(tmp_path, document([image(5)], CENTERS))
    assert "--box-format center_xywh takes them so" in caught.value.hint
    ((found,), _) = read(tmp_path, document([image(5)], CENTERS), box_format="center_xywh")
    assert found.boxes is not None
    assert found.boxes[0].corners == (20, 15, 60, 45)


@pytest.mark.parametrize("other", [[1, 2, 30, 40], [0, 0, 9, 9]])
def test_extents_that_cannot_be_centres_are_read(other: list[int], tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, document([image(5)], [*CENTERS, box(3, 5, bbox=other)]))
    assert found.problem is None


def test_extents_that_fit_are_no_centres(tmp_path: Path) -> None:
    within = [box(i, 5, bbox=[20, 20, 10, 10 + i]) for i in range(3)]
    for few in ([*within, CENTERS[0]], CENTERS[:2]):  # one in four beyond; two that may be drawn so
        (found,), _ = read(tmp_path, document([image(5)], few))
        assert found.problem is None


@pytest.mark.parametrize("other", [[30, 2, 20, 40], [1, 2, 500, 40]])
def test_boxes_that_cannot_be_corners_are_read(other: list[int], tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, document([image(5)], [*CORNERS, box(3, 5, bbox=other)]))
    assert found.problem is None


def test_corners_cannot_be_told_without_sizes(tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, document([image(5, width=0)], CORNERS))
    assert found.problem is None


def test_images_of_lvis_have_urls_only(tmp_path: Path) -> None:
    entry = {"id": 5, "coco_url": "http://images.cocodataset.org/train2017/000000391895.jpg"}
    (found,), findings = read(tmp_path, document([entry], [box(0, 5)]))
    assert found.image_uri == "train2017/000000391895.jpg"
    assert findings.counts == {"images named by the end of coco_url": 1}


@pytest.mark.parametrize("further", [{}, {"objects": []}])
def test_a_file_without_any_box_has_images_that_show_nothing(further: dict[str, Any], tmp_path: Path) -> None:
    images, findings = read(tmp_path, document([image(5, **further), image(6)], []))
    assert [each.boxes for each in images] == [(), ()]
    assert findings.label_ids == {"cat": 1, "big dog": 7}


def test_keypoints_are_instances(tmp_path: Path) -> None:
    (found,), findings = read(
        tmp_path, document([image(5)], [box(0, 5, keypoints=[1, 2, 2], num_keypoints=1)])
    )
    assert found.problem is None
    assert findings.counts == {"keypoints not stored": 1}


def as_json_load_has_it(path: Path) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """(name, boxes) of each image, by the few lines that anybody would write."""
    content = json.loads(path.read_text(encoding="utf-8"))
    names = {each["id"]: each["name"] for each in content["categories"]}
    boxes: dict[Any, list[tuple[Any, ...]]] = {each["id"]: [] for each in content["images"]}
    for each in content["annotations"]:
        x, y, width, height = each["bbox"]
        boxes[each["image_id"]].append((names[each["category_id"]], x, y, x + width, y + height))
    return [(each["file_name"], boxes[each["id"]]) for each in content["images"]]


REAL = {
    "rbc_wbc_coco/valid/_annotations.coco.json": {"rbc": 1, "wbc": 2},
    "rbc_wbc_coco/test/_annotations.coco.json": {"rbc": 1, "wbc": 2},
    "salads_automl/json_files/train_annotations.json": {"Baked Goods": 1, "Cheese": 2, "Salad": 3},
    "salads_automl/json_files/test_annotations.json": None,
    "format_zoo_datumaro/coco_dataset/coco/annotations/instances_train.json": {"a": 1, "b": 2, "c": 4},
    "format_zoo_datumaro/coco_dataset/coco/annotations/instances_val.json": {"a": 1, "b": 2, "c": 4},
    "format_zoo_datumaro/coco_dataset/coco/annotations/person_keypoints_train.json": None,
    "format_zoo_datumaro/coco_dataset/coco/annotations/person_keypoints_val.json": None,
    "format_zoo_datumaro/roboflow_dataset/coco/train/_annotations.coco.json": {"label_0": 1, "label_1": 2},
    "format_zoo_datumaro/roboflow_dataset/coco/val/_annotations.coco.json": {"label_0": 1, "label_1": 2},
}  # fmt: skip
REAL_REFUSED = {
    "captions_val.json": "captions", "image_info_train.json": "image_info",
    "panoptic_train.json": "panoptic",
}  # fmt: skip


def real(name: str) -> Path:
    path = DETECTION / name
    if not path.is_file():
        pytest.skip(f"the reference data are not beside this checkout (looked for {path})")
    return path


@pytest.mark.parametrize(("name", "ids"), REAL.items(), ids=REAL)
def test_real_files_have_the_boxes_that_json_load_finds(name: str, ids: dict[str, int] | None) -> None:
    path = real(name)
    images, findings = read_with(read_coco, path)
    assert not any(each.problem for each in images)
    found = [(each.image_uri, [(b.label, *b.corners) for b in each.boxes or ()]) for each in images]
    assert found == as_json_load_has_it(path)
    assert ids is None or findings.label_ids == ids
    assert not findings.left_out


@pytest.mark.parametrize(("name", "said"), REAL_REFUSED.items(), ids=REAL_REFUSED)
def test_real_files_of_other_kinds_are_refused_by_name(name: str, said: str) -> None:
    path = real(f"format_zoo_datumaro/coco_dataset/coco/annotations/{name}")
    with pytest.raises(InputError, match=said):
        read_with(read_coco, path)
