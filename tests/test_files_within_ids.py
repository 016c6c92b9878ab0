"""Files that are called by a part of the ids of a list, where no file may be meant for certain."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import tfrec

# ids, files that are there
NOT_CERTAIN = {
    "numbers": ("cat_1,cat_2,cat_3", "1.png,2.png,3.png"),
    "two folders": ("a_x,b_x,c_x", "in/a.png,in/b.png,in/c.png,up/a.png,up/b.png,up/c.png"),
    "half of them": ("a_x,b_x,c_x,d_x", "a.png,b.png"),
    "two endings": ("a_x.jpg,b_x.png,c_x.jpg", "a.jpg,b.png,c.jpg"),
    "within a word": ("aab,bab,cab", "a.png,b.png,c.png"),
    "a folder": ("x/y_a,x/y_b,x/y_c", "a.png,b.png,c.png"),
}


@pytest.mark.parametrize(("ids", "files"), NOT_CERTAIN.values(), ids=NOT_CERTAIN)
def test_nothing_is_left_out_of_ids_where_another_file_may_be_meant(
    ids: str, files: str, tmp_path: Path
) -> None:
    for file in files.split(","):
        (tmp_path / file).parent.mkdir(exist_ok=True)
    photos(tmp_path, *files.split(","))
    text = "image,label\n" + "".join(f"{each},cat\n" for each in ids.split(","))
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert done.code != 0
    assert "called so without" not in done.err
