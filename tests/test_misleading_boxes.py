"""Boxes that look like something else, and what looks like boxes: neither is passed over or misread."""

from __future__ import annotations

from pathlib import Path

import pytest
from converting import tfrec
from misleading import EIGHT, PHOTOS, TWO_CORNERS, four, rows

BOXES = "image,xmin,ymin,xmax,ymax,"
# name -> what is said
HELD: dict[str, tuple[str, str]] = {
    f"boxes called {name}": (f"{PHOTOS}{name}\n" + rows('{i}.jpg,{c},"10,10,60,9{i}"'), "holds boxes")
    for name in ("bbox_ltrb", "bbox_norm", "head_bbox", "car_bboxes")
} | {
    "two animals": (
        f"{PHOTOS}{four('mouse', TWO_CORNERS)},{four('cat', TWO_CORNERS)}\n{EIGHT}",
        "several boxes",
    ),
    "labels of boxes": (f"{BOXES}kind\n" + rows("{i}.jpg,1,2,30,40,{c}cat"), "--columns label=kind"),
}


@pytest.mark.parametrize(("text", "words"), HELD.values(), ids=HELD)
def test_boxes_and_their_labels_under_other_names_are_not_passed_over(
    text: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("plan", "list.csv", "out", cwd=tmp_path)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("name", ["gender", "occlusion", "shape_type", "annotated_by", "camera_name"])
def test_words_about_boxes_are_no_labels(name: str, tmp_path: Path) -> None:
    text = f"{BOXES}{name}\n" + rows("{i}.jpg,1,2,30,40,{c}cat") + rows("{i}.jpg,3,4,20,30,dog")
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    assert "all boxes are of one class" in tfrec("plan", "list.csv", "out", cwd=tmp_path).err
