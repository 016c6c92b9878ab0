"""Columns that mislead: asked about where what they hold is uncertain, and read where it is not."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import boxes_of, photos, records, write
from converting import convert_json, jpeg, manifest, shell, tfrec

from tfrecordcli.sources.other_files import is_image_head
from tfrecordcli.sources.proposals.missing_images import missing_hint

SIDES = "class,xmin,ymin,xmax,ymax"
BOX = "cat,8,4,40,20"
FRAMES = [f"{i}.png" for i in range(1, 5)]
NAMED = [f"f{i}.png" for i in range(1, 5)]
# header, a row of `{i}`, files, the column that names the images
ASKED = {
    "tracks": (f"frame,id,{SIDES}", f"{{i}},7,{BOX}", [*FRAMES, "7.png"], "frame"),
    "a box a frame": (f"id,frame_number,{SIDES}", f"{{i}},{{i}},{BOX}", FRAMES, "frame_number"),
    "names of files": (f"id,frame_name,{SIDES}", f"{{i}},f{{i}}.png,{BOX}", NAMED, "frame_name"),
    "labels": ("id,still,label", "{i},f{i}.png,cat", NAMED, "still"),
}  # fmt: skip


@pytest.mark.parametrize(("header", "row", "files", "column"), ASKED.values(), ids=ASKED)
def test_an_id_beside_what_names_images_is_asked_about(
    header: str, row: str, files: list[str], column: str, tmp_path: Path
) -> None:
    text = f"{header}\n" + "".join(f"{row.format(i=i)}\n" for i in range(1, 5))
    source = write(photos(tmp_path / "in", *files), text)
    asked = tfrec("convert", source, tmp_path / "out")
    assert asked.code == 2
    option = f"--columns image_uri={column}"
    assert f"{option}, or --columns image_uri=id" in " ".join(asked.err.split())
    done = tfrec("convert", source, tmp_path / "out", *option.split(), "--splits", "train=1")
    assert done.code == 0, done.err
    assert len(records(tmp_path / "out")) == 4


def test_products_of_a_shop_get_the_column_of_their_images_and_a_row_for_each(tmp_path: Path) -> None:
    url = "https://shop.example/up/"
    rows = [f"{i},s,S-{i},Shoes,new,{url}{i}a.jpg" for i in range(70, 75)]
    text = f'ID,Type,SKU,Categories,Tags,Images\n80,s,S-80,Hats,,"{url}a.jpg?v=1, {url}b.JPG"\n'
    write(tmp_path, text + "\n".join(rows) + "\n", "list.csv")
    asked = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path)
    named = "--columns image_uri=Images,label=Categories"
    assert f"choose them, as in {named}" in asked.err
    by_id = tfrec("convert", "list.csv", "out", "--dry-run", "--columns", "label=Categories", cwd=tmp_path)
    assert f"say which names them: {named}, or" in by_id.err
    refused = tfrec("convert", "list.csv", "out", "--dry-run", *named.split(), cwd=tmp_path)
    assert "fields of column Images name several images each" in refused.err
    assert "with --split-by ID" in refused.err
    command = refused.err.partition("make a CSV of it: ")[2].partition(", and convert that")[0]
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "list-as-csv.csv").read_text().splitlines()
    assert made[1:3] == [f"80,s,S-80,Hats,,{url}a.jpg?v=1", f"80,s,S-80,Hats,,{url}b.JPG"]
    done = convert_json("list-as-csv.csv", "out", "--dry-run", *named.split(), cwd=tmp_path)
    assert done["records"] == 7
    photos(tmp_path, *(f"{i}.png" for i in (*range(70, 75), 80)))  # which are called by the ids
    whole = ("--columns", "label=Categories")
    assert convert_json("list.csv", "out", "--dry-run", *whole, cwd=tmp_path)["records"] == 6
    write(tmp_path, 'image,label\n"80.png,81.png",a\n70.png,b\n', "one.csv")  # whose parts are there
    told = convert_json("one.csv", "out", "--dry-run", cwd=tmp_path)["error"]
    assert "several images each, as 80.png,81.png" in told["message"]
    write(tmp_path, 'image,label\n"x.png,y.png",a\n70.png,b\n', "one.csv")  # a file that is missing
    done = convert_json("one.csv", "out", "--max-rejects", "1", cwd=tmp_path)
    assert (done["records"], done["reasons"]) == (1, {"not_found": 1})
    photos(tmp_path, "a.png,b.png")  # one file
    write(tmp_path, 'image,label\n"a.png,b.png",cat\n', "one.csv")
    assert convert_json("one.csv", "out", "--dry-run", cwd=tmp_path)["records"] == 1
    write(tmp_path, 'image,label\n"/old/a.png,b.png",a\n"/old/a.png,b.png",b\n', "one.csv")
    given = "--dry-run", "--map", "/old/=", "--multi-label"
    assert convert_json("one.csv", "out", *given, cwd=tmp_path)["rows"] == 2


# header, a row of `{i}`, options
READ = {
    "several files elsewhere": ("id,others,label", '{i},"a.png,{i}.png",cat', ""),
    "numbers of frames elsewhere": ("id,frame,label", "{i},90{i},cat", ""),
    "few frames of many images": ("id,frame,label", "{i},1,cat", ""),
    "frames by which splits are assigned": ("id,frame,label", "{i},{i},cat", "--split-by frame"),
    "names of files elsewhere": ("id,original,label", "{i},DSC{i}.png,cat", ""),
    "masks, too": ("id,mask,label", "{i},mask_{i}.png,cat", ""),
    "notes": ("id,note,label", "{i},see {i},cat", ""),
    "crops of images": ("id,label,crop", "{i},cat,mask_1.png\n{i},cat,mask_{i}.png", ""),
    "more files than images": ("id,label,crop", "1,cat,mask_{i}.png", ""),
    "frames of equal numbers": ("id,frame,label", "{i},{i},cat", ""),
}


@pytest.mark.parametrize(("header", "row", "options"), READ.values(), ids=READ)
def test_an_id_whose_images_are_there_names_them(header: str, row: str, options: str, tmp_path: Path) -> None:
    text = f"{header}\n" + "".join(f"{row.format(i=i)}\n" for i in range(1, 5))
    folder = photos(tmp_path / "in", *FRAMES, *(f"mask_{i}.png" for i in range(1, 5)))
    words = ("--splits", "train=1", *options.split())
    assert tfrec("convert", write(folder, text), tmp_path / "out", *words).code == 0
    assert sorted(records(tmp_path / "out")) == (FRAMES[:1] if row[0] == "1" else FRAMES)


def test_ids_that_are_urls_name_the_images_though_these_have_no_extension(tmp_path: Path) -> None:
    text = listed("id,thumb,label", *(f"http://127.0.0.1:1/p/{i},{i}.png,cat" for i in range(1, 5)))
    told = convert_json(write(photos(tmp_path, *FRAMES), text), tmp_path / "out", "--dry-run", cwd=tmp_path)
    assert "would name the images" not in str(told["error"])


def test_numbers_get_no_folder_of_another_dataset_proposed(tmp_path: Path) -> None:
    photos(tmp_path / "other", "1.png", "2.png")
    (tmp_path / "lists").mkdir()
    root = str(tmp_path / "lists")
    assert "--image-root" not in missing_hint("1", root, ["1", "2"])
    photos(tmp_path / "lists" / "mine", "1.png", "2.png")
    assert f"--image-root {root}/mine" in missing_hint("1", root, ["1", "2"])


def listed(header: str, *rows: str) -> str:
    return "".join(f"{row}\n" for row in (header, *rows))


# columns beside image and label, a box, words of what is said, --box-format of what its command makes
UNREAD = {
    "rows and columns": ("min_row,min_col,max_row,max_col", "4,8,20,40", "look like the sides", ""),
    "scikit-image": ("bbox-0,bbox-1,bbox-2,bbox-3", "4,8,20,40", "four numbers of a box", "yxyx"),
    "German": ("links,oben,Breite,Höhe", "8,4,32,16", "look like the sides", ""),
    "French": ("gauche,haut,droite,bas", "8,4,40,20", "look like the sides", ""),
    "Spanish": ("izquierda,arriba,ancho,alto", "8,4,32,16", "look like the sides", ""),
    "up and down": ("up,down,left,right,width,height", "4,20,8,40,80,40", "look like the sides", ""),
    "decomposed": ("links,oben,Breite,Ho\u0308he", "8,4,32,16", "look like the sides", ""),
    "beside x and w": ("links,oben,Breite,Höhe,x,W", "8,4,32,16,7,9", "call them x, y, w, h: ", ""),
    "German axes": ("X links,Y oben,X rechts,Y unten", "8,4,40,20", "look like the sides", ""),
    "German axes, an extent": ("x_links,y_oben,Breite px,Höhe px", "8,4,32,16", "look like the sides", ""),
    "Italian": ("sinistra,alto,larghezza,altezza", "8,4,32,16", "look like the sides", ""),
    "places": ("Pos X,Pos Y,Breite,Höhe", "8,4,32,16", "look like the sides", ""),
    "centres": ("x_mitte,y_mitte,Breite,Höhe", "24,12,32,16", "call them x_center, y_center, w, h: ", ""),
    "rows and an extent": ("row,col,height,width", "4,8,16,32", "call them y, x, h, w: ", ""),
    "steps": ("x,y,dx,dy", "8,4,32,16", "may be boxes, and are not read", ""),
    "two tables": ("width_x,height_x,x_min,y_min,width_y,height_y", "80,40,8,4,32,16", "y may be boxes", ""),
    "sizes of one name": ("width,height,x,y,width,height", "80,40,8,4,32,16", "where width.1 and", ""),
    "as pandas has it": ("width,height,x,y,width.1,height.1", "80,40,8,4,32,16", "those of the image", ""),
}  # fmt: skip


@pytest.mark.parametrize(("names", "box", "said", "form"), UNREAD.values(), ids=UNREAD)
def test_sides_of_boxes_by_other_names_get_a_command_that_names_them(
    names: str, box: str, said: str, form: str, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", "a.png")
    write(folder, listed(f"image,label,{names}", f"a.png,cat,{box}"))
    told = tfrec("convert", "list.csv", "../out", "--dry-run", cwd=folder).err
    assert said in told
    assert not form or f"--box-format {form} where" in told
    told = told[told.index("python -c") :]
    assert shell(f"python -c {shlex.quote(shlex.split(told)[2])}", folder).code == 0
    words = ("--splits", "train=1", *(("--box-format", form) if form else ()))
    assert tfrec("convert", "list-boxes.csv", "../out", *words, cwd=folder).code == 0
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", pytest.approx((8, 4, 40, 20)))]


# columns of corners by axes and words that are not known, in the order of xmin, ymin, xmax, ymax
BY_AXES = (
    "xg,yh,xd,yb",
    "X izq (px),Y sup (px),X der (px),Y inf (px)",
    "von_x,von_y,bis_x,bis_y",
    "ax,ay,bx,by",
)


@pytest.mark.parametrize("comma", [".", ","])
@pytest.mark.parametrize("names", BY_AXES)
def test_corners_in_any_language_are_known_by_their_axes_and_numbers(
    names: str, comma: str, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", "a.png")
    header = ";".join(reversed(names.split(",")))
    rows = (f"a.png;{c};{9 + 5 * i}.5;40.5;{4 + 5 * i}.5;{8 + i}.5" for i, c in enumerate("abcde"))
    text = listed(f"image;label;{header}", *(row.replace(".5", f"{comma}5") for row in rows), "a.png;;;;;")
    write(folder, text)
    told = tfrec("convert", "list.csv", "../out", "--dry-run", cwd=folder).err
    assert f"columns {names.replace(',', ', ')} look like the sides of a box" in told
    for made in ("list-boxes.csv", "list-boxes-points.csv")[: 1 + (comma == ",")]:
        code = shlex.split(told[told.index("python -c") :])[2]
        assert shell(f"python -c {shlex.quote(code)}", folder).code == 0
        done = tfrec("convert", made, "../out", "--splits", "train=1", cwd=folder)
        told = done.err
    assert done.code == 0, told
    boxes = [(c, pytest.approx((8.5 + i, 4.5 + 5 * i, 40.5, 9.5 + 5 * i))) for i, c in enumerate("abcde")]
    assert sorted(boxes_of(records(tmp_path / "out")["a.png"])) == boxes


# header of images, labels and four numbers, a row of them for each image
NO_CORNERS = {
    "eyes": ("lx,ly,rx,ry", "20,{odd},40,25"),
    "one place in two units": ("x_a,y_a,x_b,y_b", "{i},{i}3,{i}0.04,{i}31"),
    "on a map": ("x_a,y_a,x_b,y_b", "{i},2{i},70000{i},500000{i}"),
    "a place on a part of a wafer": ("die_x,die_y,spot_x,spot_y", "{i},2{i},3{odd}{i},9{odd}{i}"),
    "a mean": ("x_mean,y_mean,x_peak,y_peak", "{i},2{i},4{i},5{i}"),
    "of tiles": ("x_tile,y_tile,x_whole,y_whole", "{i},2{i},4{i},5{i}"),
    "three points": ("x_a,y_a,x_b,y_b,x_c,y_c", "{i},2{i},4{i},5{i},6{i},7{i}"),
    "a lane": ("lane_xa,lane_ya,lane_xb,lane_yb", "{i},2{i},4{i},5{i}"),
    "the same frame": ("x_a,y_a,x_b,y_b", "5,5,40,40"),
    "below 0": ("x_a,y_a,x_b,y_b", "-{i},-2{i},4{i},5{i}"),
    "words": ("x_a,y_a,x_b,y_b", "a{i},b,c,d"),
    "a point in an image of a size": ("Pos X,Hinweis,Pos Y,Breite,Höhe", "{i},neu,2{i},80,40"),
}


@pytest.mark.parametrize(("names", "numbers"), NO_CORNERS.values(), ids=NO_CORNERS)
def test_two_points_that_are_no_corners_are_passed_over(names: str, numbers: str, tmp_path: Path) -> None:
    files = [f"{i}.png" for i in range(1, 9)]
    rows = (
        f"{i}.png,{'cat' if i % 2 else 'dog'},{numbers.format(i=i, odd=20 + 10 * (i % 2))}"
        for i in range(1, 9)
    )
    source = write(photos(tmp_path / "in", *files), listed(f"image,label,{names}", *rows))
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1")
    assert done.code == 0, done.err
    assert "boxes" not in done.err


@pytest.mark.parametrize("odd", ["8,4,8,20", "-1,4,40,20", "NA,NA,NA,NA", "8,4,,20", ",,,"])
@pytest.mark.parametrize("names", ["links,oben,rechts,unten", "min_col,min_row,max_col,max_row"])
def test_one_odd_row_hides_no_sides_of_boxes(names: str, odd: str, tmp_path: Path) -> None:
    rows = (f"a.png,cat,8,{i},40,20" for i in range(4))
    source = write(photos(tmp_path, "a.png"), listed(f"image,label,{names}", *rows, f"a.png,cat,{odd}"))
    assert "look like the sides" in tfrec("convert", source, tmp_path / "out", "--dry-run").err


def test_a_label_called_y_stays_the_label_where_sides_are_named(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png")
    write(folder, listed("image,y,links,oben,Breite,Höhe", "a.png,cat,8,4,32,16"))
    told = tfrec("convert", "list.csv", "../out", "--dry-run", cwd=folder).err
    code = shlex.split(told[told.index("python -c") :])[2]
    assert shell(f"python -c {shlex.quote(code)}", folder).code == 0
    assert tfrec("convert", "list-boxes.csv", "../out", "--splits", "train=1", cwd=folder).code == 0
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", pytest.approx((8, 4, 40, 20)))]


def test_two_sizes_beside_a_point_have_the_command_first(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    rows = (f"{name}.png,80,40,cat,{x},{x - 4},32,16" for name, x in zip("abc", (8, 9, 10), strict=True))
    write(folder, listed("image,width_x,height_x,name,x,y,width_y,height_y", *rows, "a.png,80,40,,,,,"))
    told = tfrec("convert", "list.csv", "../out", cwd=folder).err
    assert "y alone is no class\n       where width_y and height_y are those of boxes" in told
    assert (
        shell(f"python -c {shlex.quote(shlex.split(told[told.index('python -c') :])[2])}", folder).code == 0
    )
    assert tfrec("convert", "list-boxes.csv", "../out", "--splits", "train=1", cwd=folder).code == 0
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", pytest.approx((8, 4, 40, 20)))]


@pytest.mark.parametrize("other", ["80,40", "20,90"])
@pytest.mark.parametrize("form", [(), ("--box-format", "xywh")])
def test_a_further_size_that_is_not_of_the_boxes_changes_none(
    other: str, form: tuple[str, ...], tmp_path: Path
) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"),
        listed("image,label,x,y,width,height,width.1,height.1", f"a.png,cat,8,4,32,16,{other}"),
    )
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", *form)
    assert done.code == 0, done.err
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", pytest.approx((8, 4, 40, 20)))]


NO_BOXES = {
    "steps back": ("image,label,x,y,dx,dy", "8,4,-3,2"),
    "features": ("image,label,r1,c1,r2,c2", "9,4,1,2"),
    "words": ("image,label,min_row,min_col,max_row,max_col", "a,b,c,d"),
    "words by sides": ("image,label,links,oben,rechts,unten", "ja,nein,ja,nein"),
    "flags by sides": ("image,label,gauche,haut,droite,bas", "0,0,1,1"),
    "one sheet": ("image,label,links,oben,rechts,unten", "5,5,10,10\na.png,cat,5,5,10,10"),
    "some sides back": ("image,label,links,oben,rechts,unten", "5,5,9,9\na.png,cat,9,4,1,2"),
    "sides back": ("image,label,izquierda,arriba,derecha,abajo", "9,4,1,2"),
    "keys": ("image,label,up,down,left,right", "0,1,0,1"),
    "ways": ("image,label,up,down,left,right", "3,2,5,9"),
    "of no size": ("image,label,links,oben,Breite,Höhe", "9,4,0,2"),
    "cells of a plate": ("image,label,row,col,height,width", "0,1,40,80\na.png,cat,0,0,40,80"),
    "plants in a field": ("image,label,row,col,height,width", "3,7,12.5,8"),
    "tiles of a larger image": ("image,label,row,col,height,width", "40,80,40,40\na.png,cat,80,40,40,40"),
    "asked for": ("image,label,min_row,min_col,max_row,max_col", "4,8,20,40"),
    "splits by one": ("image,label,r0,c0,r1,c1", "4,8,20,40"),
}


@pytest.mark.parametrize("case", NO_BOXES)
def test_what_can_be_no_box_is_no_side_of_one(case: str, tmp_path: Path) -> None:
    header, fields = NO_BOXES[case]
    source = write(photos(tmp_path / "in", "a.png"), listed(header, f"a.png,cat,{fields}"))
    options = {"asked for": ("--features", header.removeprefix("image,label,"))}
    words = options.get(case, ("--split-by", "r0") if case == "splits by one" else ())
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", *words)
    assert done.code == 0
    assert "boxes" not in done.err


OF_TILES = {
    "of the whole image": ("tile_x,tile_y", [(0, 0), (40, 0), (0, 30), (40, 30)], True),
    "offsets": ("x_offset,y_offset", [(0, 0), (40, 0), (0, 30), (40, 30)], True),
    "numbers of tiles": ("tile_x,tile_y", [(0, 0), (1, 0), (0, 1), (1, 1)], False),
    "of the tiles": ("tile_x,tile_y", [(0, 0), (40, 0), (0, 30), (400, 300)], False),
}


@pytest.mark.parametrize(("names", "begins", "is_told"), OF_TILES.values(), ids=OF_TILES)
def test_boxes_that_begin_behind_their_tiles_may_be_of_the_whole_image(
    names: str, begins: list[tuple[int, int]], is_told: bool, tmp_path: Path
) -> None:
    files = [f"{number}.png" for number in range(4)]
    folder = photos(tmp_path / "in", *files)
    boxes = [(min(x, 40) + 8, min(y, 30) + 4, min(x, 40) + 18, min(y, 30) + 9) for x, y in begins]
    rows = [f"{file},{x},{y},cat,{','.join(map(str, box))}"
            for file, (x, y), box in zip(files, begins, boxes, strict=True)]  # fmt: skip
    write(folder, listed(f"image,{names},{SIDES}", *rows))
    words = ("--splits", "train=1", "--box-unit", "pixels")
    done = tfrec("convert", "list.csv", "../out", *words, cwd=folder)
    assert ("the image that the tiles were cut from" in done.err) is is_told
    if is_told:
        code = shlex.split(done.err[done.err.index("python -c") :])[2]
        assert shell(f"python -c {shlex.quote(code)}", folder).code == 0
        assert tfrec("convert", "list-in-tiles.csv", "../moved", *words, cwd=folder).code == 0
        moved = [boxes_of(each) for each in records(tmp_path / "moved").values()]
        assert moved == [[("cat", pytest.approx((8, 4, 18, 9)))]] * 4


# header, rows of two circles in an image and of one without, options, label of the squares
CIRCLES = {
    "radius": ("image,x,y,radius,label", "a.png,20,20,10,cat\na.png,40,10,5,cat\nb.png,,,,", "", "cat"),
    "diameter": ("image,x,y,diameter", "a.png,20,20,20\na.png,40,10,10\nb.png,,,", "", "object"),
    "centre": (
        "ref,cx,cy,r,class", "a.png,20,20,10,cat\na.png,40,10,5,cat\nb.png,,,,",
        "--columns image_uri=ref,label=class", "cat",
    ),
    "beside a colour": (
        "image,x,y,radius,R,G,B,label", "a.png,20,20,10,9,9,9,cat\na.png,40,10,5,9,9,9,cat\nb.png,,,,,,,",
        "", "cat",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("header", "rows", "options", "label"), CIRCLES.values(), ids=CIRCLES)
def test_circles_are_refused_with_the_command_for_the_squares_around_them(
    header: str, rows: str, options: str, label: str, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    write(folder, f"{header}\n{rows}\n")
    words = ("--splits", "train=1", "--unlabelled", "keep", *options.split())
    refused = tfrec("convert", "list.csv", "../out", *words, cwd=folder).err
    assert "are circles around objects, several in an image" in refused
    assert (
        shell(f"python -c {shlex.quote(shlex.split(refused[refused.index('python -c') :])[2])}", folder).code
        == 0
    )
    words = ("--splits", "train=1", *options.split())
    assert tfrec("convert", "list-boxes.csv", "../out", *words, cwd=folder).code == 0
    squares = [(10, 10, 30, 30), (35, 5, 45, 15)]
    found = records(tmp_path / "out")
    assert boxes_of(found["a.png"]) == [(label, pytest.approx(square)) for square in squares]
    assert boxes_of(found["b.png"]) == []


def test_two_labels_of_one_circle_are_of_two_objects(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png")
    write(folder, "image,x,y,radius,label\na.png,20,20,10,cat\na.png,20,20,10,dog\n")
    refused = tfrec("convert", "list.csv", "../out", cwd=folder)
    assert refused.code == 2
    assert "are circles around objects, several in an image" in refused.err


def test_circles_in_fractions_are_no_squares_of_images_that_are_none(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    write(
        folder, "image,center_x,center_y,R,label\na.png,.25,.5,.125,cat\na.png,.5,.25,.0625,cat\nb.png,,,,\n"
    )
    refused = tfrec("convert", "list.csv", "../out", cwd=folder)
    assert refused.code == 2
    assert "several in an image, which are not read\n       write a row for each box" in refused.err


# columns beside image and label, numbers of three rows, options, whether circles are told of
NO_CIRCLES = {
    "one an image": ("x,y,radius", "20,20,10", "abc", "", True),
    "tumours": ("radius_mean,x,texture_mean", "17,20,10", "abc", "", False),
    "on a map": ("x,y,radius", "2000,900,10", "aab", "", False),
    "words": ("x,y,radius", "20,20,large", "aab", "", False),
    "whole images": ("x,y,radius", "20,20,10", "aab", "--task classification", False),
    "asked for": ("x,y,radius", "20,20,10", "abc", "--features radius", False),
    "a colour at a place": ("r,g,b,x,y", "20,20,10,30,30", "abc", "", False),
    "colours at a place": ("r,g,b,x,y", "20,20,10,30,30", "aab", "", False),
    "one an image, twice": ("x,y,radius", "20,20,10", "aab", "", True),
    "several labels of one": ("x,y,radius", "20,20,10\na.png,dog,20,20,10", "abc", "--multi-label", True),
}


@pytest.mark.parametrize(
    ("names", "numbers", "images", "options", "is_told"), NO_CIRCLES.values(), ids=NO_CIRCLES
)
def test_what_may_be_no_circles_is_read(
    names: str, numbers: str, images: str, options: str, is_told: bool, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    write(folder, listed(f"image,label,{names}", *(f"{image}.png,cat,{numbers}" for image in images)))
    done = tfrec("convert", "list.csv", "../out", "--splits", "train=1", *options.split(), cwd=folder)
    assert done.code == 0, done.err
    assert ("may be circles around objects" in done.err) is is_told


def test_points_beside_the_size_of_their_image_are_no_boxes(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "image,width,height,x,y,label"
    points = write(folder, listed(header, "a.png,80,40,3,5,cat", "b.png,80,40,0,0,dog"))
    refused = tfrec("convert", points, tmp_path / "out")
    assert refused.code == 2
    assert "x and y are points and no boxes" in refused.err
    assert "xyxy" not in refused.err
    whole = write(folder, listed(header, "a.png,80,40,0,0,cat", "b.png,80,40,0,0,dog"), "whole.csv")
    words = ("--splits", "train=1")
    assert tfrec("convert", whole, tmp_path / "whole", *words).code == 0
    some = write(folder, listed(header, "a.png,80,40,0,0,cat", "b.png,9,9,3,5,dog"), "some.csv")
    assert tfrec("convert", some, tmp_path / "some", *words).code == 0


def test_whole_images_from_1_and_as_centres_are_no_points(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "image,x,y,width,height,label"
    whole = write(folder, listed(header, "a.png,1,1,80,40,cat", "b.png,1,0,80,40,dog"))
    assert tfrec("convert", whole, tmp_path / "whole", "--splits", "train=1").code == 0
    middle = write(folder, listed(header, "a.png,40,20,80,40,cat", "b.png,40,20,80,40,dog"), "middle.csv")
    refused = tfrec("convert", middle, tmp_path / "middle", "--splits", "train=1")
    assert "--box-format center_xywh" in refused.err
    assert "points" not in refused.err
    words = ("--splits", "train=1", "--box-format", "center_xywh")
    assert tfrec("convert", middle, tmp_path / "middle", *words).code == 0


def test_boxes_in_pixels_of_the_size_of_a_net_are_warned_of(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png")
    for size, is_told in (("64,64", True), ("80,40", False)):
        text = listed(f"image,net_width,net_height,{SIDES}", f"a.png,{size},{BOX}")
        done = tfrec("convert", write(folder, text), tmp_path / size, "--splits", "train=1")
        assert done.code == 0
        assert ("images have other sizes than net_width, net_height" in done.err) is is_told


# lines above, lines of each row, file that the command makes
SIGNS = {
    "arrow": ("", "{i}.png -> {label}\n", "l-as-csv.csv"),
    "an arrow that sed would read otherwise": ("", "{i}.png =*> {label}\n", "l-as-csv.csv"),
    "label first": ("", "{label} ./{i}.png\n", "l-as-csv.csv"),
    "comments": (
        "# by ana, 2024\nimage,label\n",
        "# no, not {i}\n{i}.png,{label}\n",
        "l-without-comments.csv",
    ),
}


@pytest.mark.parametrize(("head", "form", "made"), SIGNS.values(), ids=SIGNS)
def test_signs_between_fields_and_comments_are_taken_out(
    head: str, form: str, made: str, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", *(f"{i}.png" for i in range(4)))
    write(folder, head + "".join(form.format(i=i, label="ab"[i % 2]) for i in range(4)), "l.txt")
    refused = tfrec("convert", "l.txt", "../out", "--json", cwd=folder).json["error"]
    hint = refused["hint"]
    command = hint[hint.index("grep" if "grep" in hint else "(echo") : hint.index(made) + len(made)]
    assert shell(command, folder).code == 0
    assert tfrec("convert", made, "../out", "--splits", "train=1", cwd=folder).code == 0
    found = {Path(name).name: each["image/class/text"] for name, each in records(tmp_path / "out").items()}
    assert found == {"0.png": [b"a"], "1.png": [b"b"], "2.png": [b"a"], "3.png": [b"b"]}


def test_a_colon_between_fields_is_a_delimiter_that_is_proposed(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, "a.png: cat\nb.png: dog\n", "l.txt")
    assert "--delimiter :" in tfrec("convert", source, tmp_path / "out").err
    words = ("--delimiter", ":", "--splits", "train=1")
    assert tfrec("convert", source, tmp_path / "out", *words).code == 0
    assert records(tmp_path / "out")["b.png"]["image/class/text"] == [b"dog"]


@pytest.mark.parametrize("form", ["{path} {label}", "{path}\t {label}", "{label} {path}"])
def test_names_and_labels_with_blanks_are_parted_by_the_command(form: str, tmp_path: Path) -> None:
    paths = {
        "./gala/app 1.28 (1).jpeg": "gala",
        "./gala/b.jpg": "gala",
        "Granny Smith/app 2 (1).JPG": "Granny Smith",
    }
    for number, path in enumerate(paths):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(jpeg(number))
    rows = [form.format(path=path, label=label) for path, label in paths.items()]
    (tmp_path / "list.txt").write_text("\r\n".join(rows), encoding="utf-8")
    hint = convert_json("list.txt", "out", "--delimiter", ",", cwd=tmp_path)["error"]["hint"]
    assert shell(hint.partition("of it: ")[2], tmp_path).code == 0
    assert (tmp_path / "list-as-csv.csv").read_text(encoding="utf-8").splitlines() == [
        "image,label",
        *(f"{path},{label}" for path, label in paths.items()),
    ]


@pytest.mark.parametrize("words", ["a b.jpg", "some words of a photo", "0 3 5", "copy.jpg"])
def test_what_is_no_label_behind_an_image_gets_no_comma_before_it(words: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(f"x/my 1.jpg {words}\ny/my 2.jpg {words}\n", encoding="utf-8")
    hint = convert_json("list.txt", "out", "--delimiter", ",", cwd=tmp_path)["error"]["hint"]
    assert "match(tolower" not in hint


def test_a_name_with_a_blank_has_no_label_before_it(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "my a.png", "a.png")
    refused = tfrec("convert", write(folder, "my a.png\n", "l.txt"), tmp_path / "out")
    assert "its rows name images and nothing else" in refused.err


@pytest.mark.parametrize("row", ["{0}/v_{0}_{1}.avi {1}\r\n", "{0}/v_{0}_{1}.mp4\n"])
@pytest.mark.parametrize("frames", ["jpegs/v_{0}_{1}", "jpegs/{0}/v_{0}_{1}", ""])
def test_a_list_of_videos_becomes_one_of_their_frames(row: str, frames: str, tmp_path: Path) -> None:
    videos = [(label, number) for label in ("Biking", "Diving") for number in (1, 2)]
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "l.txt").write_bytes("".join(row.format(*video) for video in videos).encode())
    for video in videos:
        photos(tmp_path / frames.format(*video), "1.png", "2.png")
    error = convert_json("lists/l.txt", "out", cwd=tmp_path)["error"]
    assert "its rows name videos (Biking/v_Biking_1" in error["message"]
    command, _, told = error["hint"].removeprefix("make a CSV of it: ").partition("; --split-by video")
    assert bool(told) == bool(frames)
    if frames:
        assert shell(command, tmp_path).code == 0
        done = convert_json("lists/l-as-csv.csv", "out", "--split-by", "video", cwd=tmp_path)
        assert (done["records"], [*manifest(tmp_path / "out")["labels"]]) == (8, ["Biking", "Diving"])


@pytest.mark.parametrize(
    ("header", "row", "says"),
    [
        ("filename,tempo,label", "{0}.00{1}.wav,{1}.5,{0}", "its rows name sounds (rock.000.wav)"),
        ("", "clips/{0}-00{1}.mp4,{0}", "its rows name videos (clips/rock-000.mp4)"),
        ("filename,tempo,label", "drawn/{0}/{0}00{1}.png,{1}.5,{0}", ""),
        ("filename,tempo,label", "drawn/{0}/{0}00{1}.wav.png,{1}.5,{0}", ""),
    ],
)
def test_sounds_and_videos_are_no_images(header: str, row: str, says: str, tmp_path: Path) -> None:
    clips = [(label, i) for label in ("rock", "pop") for i in (0, 1)]
    names = (f"drawn/{label}/{label}00{i}.png" for label, i in clips)
    photos(tmp_path / "in", *names, *(f"drawn/{label}/{label}00{i}.wav.png" for label, i in clips[:1]))
    listed = [*filter(None, [header]), *(row.format(*clip) for clip in clips)]
    write(tmp_path / "in", "".join(f"{line}\n" for line in listed), "list.csv")
    error = convert_json("in/list.csv", "out", "--dry-run", cwd=tmp_path)["error"] or {
        "message": "",
        "hint": "",
    }
    assert error["message"].endswith(f"{says}, and a record holds an image" if says else "")
    assert bool(error["message"]) == bool(says)
    if says:
        assert "called like them are in in/drawn: tfrec convert in/drawn OUTPUT_DIR; " in error["hint"]
        assert ("tfrec convert in/list.csv OUTPUT_DIR --task tabular takes" in error["hint"]) == bool(header)
        assert convert_json("in/drawn", "out", "--dry-run", cwd=tmp_path)["records"] == 5


def test_sounds_in_folders_are_no_images() -> None:
    assert not is_image_head(b"RIFF\x24\0\0\0WAVE")
    assert is_image_head(b"RIFF\x24\0\0\0WEBP")


@pytest.mark.parametrize(("header", "is_made"), [("Ahorn,Birke", True), ("Photo A,Photo B", False)])
def test_a_sheet_of_a_column_for_each_class_becomes_rows(header: str, is_made: bool, tmp_path: Path) -> None:
    write(tmp_path, f"\ufeff{header}\n1.JPG,2.JPG\n3.JPG,4.JPG\n5.JPG,\n", "list.csv")
    said = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    assert ("are the labels of the images below them" in said) == is_made
    if is_made:
        assert shell(said.partition("a row of each: ")[2].partition("; --columns")[0], tmp_path).code == 0
        made = (tmp_path / "list-images.csv").read_text().split()
        assert made[1:] == [f"{i}.JPG,{'Ahorn' if i % 2 else 'Birke'}" for i in (1, 3, 5, 2, 4)]
        assert convert_json("list-images.csv", "out", "--dry-run", cwd=tmp_path)["records"] == 5


# header, rows of each label, the label that is proposed
@pytest.mark.parametrize(
    "header",
    ["id,Foto OD,Foto OS,Befund OD,Befund OS", "id,Left-Fundus,Right-Fundus,Left-Keywords,Right-Keywords"],
)
def test_rows_of_two_images_with_a_label_each_become_rows_of_one(header: str, tmp_path: Path) -> None:
    rows = "1,1l.jpg,1r.jpg,ok,bad\n2,2l.jpg,,bad,\n3,3l.jpg,3r.jpg,ok,ok\n4,4l.jpg,4r.jpg,bad,ok\n"
    (tmp_path / "list.csv").write_text(f"{header}\n{rows}")
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert refused.code == 2
    command = refused.err.partition("make a CSV of it: ")[2].partition("; --columns")[0]
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "list-as-csv.csv").read_text().splitlines()
    assert made[:4] == ["id,image,label", "1,1l.jpg,ok", "1,1r.jpg,bad", "2,2l.jpg,bad"]
    assert convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)["records"] == 7
    one, _, label, _ = header.split(",")[1:]
    alone = ("--columns", f"image_uri={one},label={label}")
    assert convert_json("list.csv", "out", *alone, "--dry-run", cwd=tmp_path)["records"] == 4
    others = header.replace("Befund OS", "Arzt OS").replace("Right-Keywords", "Who-Keywords")
    (tmp_path / "list.csv").write_text(f"{others}\n{rows}")  # of the two images one label, and a name
    assert "an image and its label" not in tfrec("convert", "list.csv", "out", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("header", "rows", "by"),
    [
        ("PatID;AP;LAT;Fracture", "a{i};{i}_ap.png;{i}_lat.png;{c}", "PatID"),
        ("AP;LAT;Fracture", "{i}_ap.png;{i}_lat.png;{c}", "row"),
        ("Left;Right;Angle", "{i}_l.png;{i}_r.png;0.{i}", ""),  # as of a car with two cameras
        ("Photo;Mask;Fracture", "{i}_p.png;{i}_m.png;{c}", ""),
    ],
    ids=["ids", "no ids", "a number to predict", "masks"],
)
def test_rows_of_two_images_with_one_label_become_rows_of_one_in_one_split(
    header: str, rows: str, by: str, tmp_path: Path
) -> None:
    lines = [rows.format(i=i, c="yes" if i % 2 else "no") for i in range(8)]
    lines[0] = lines[0].replace("0_lat.png", "")
    (tmp_path / "list.csv").write_text("\n".join([header, *lines]) + "\n")
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    command, _, options = hint.partition("shows the label, make a CSV of it: ")[2].partition(", and convert")
    assert bool(command) == bool(by)
    if by:
        assert shell(command, tmp_path).code == 0
        further = shlex.split(options.partition("with ")[2].partition("; ")[0])
        assert further == ["--columns", "image_uri=image,label=Fracture", "--split-by", by]
        done = convert_json("list-as-csv.csv", "out", *further, "--dry-run", cwd=tmp_path)
        assert (done["records"], done["num_labels"]) == (15, 2)


def _told_by(*kinds: str) -> str:
    """Rows of Field Book, a row of each thing that is told of a plot."""
    rows = (f"p{i},{i % 2},{kind.format(i=i)},{9 + i}\n" for i in range(8) for kind in kinds)
    return f"plot_id,range,trait,value,time\n{''.join(rows)}"


@pytest.mark.parametrize(
    ("rows", "is_made"),
    [
        (_told_by("height,7{i}", "photo,/x/{i}.jpg", "lodging,{i}"), True),
        (_told_by("height,7{i}", "photo,/x/{i}.jpg", "height,8{i}"), False),  # which of two?
        (_told_by("photo,/x/{i}.jpg"), False),
        (_told_by("front,/x/{i}.jpg", "back,/x/{i}b.jpg", "height,{i}"), False),
    ],
    ids=["one image", "a thing twice", "nothing else", "two kinds of images"],
)
def test_rows_of_one_thing_each_become_rows_of_images(rows: str, is_made: bool, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(rows)
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.partition("make a row of each image: ")[2].partition(
        ", and convert that, with --split-by "
    )
    assert command[2].startswith("plot_id ") == is_made, hint
    if is_made:
        assert shell(command[0], tmp_path).code == 0
        made = (tmp_path / "list-by-image.csv").read_text().splitlines()
        assert made[:2] == ["plot_id,photo,height,lodging", "p0,/x/0.jpg,70,0"]
        assert len(made) == 9


RANKS = {
    "common names": (
        "filename,class,order,family,genus,species,common_name",
        (
            "{i},Aves,Passeriformes,Paridae,Parus,major,Great Tit",
            "{i},Mammalia,Carnivora,Felidae,Felis,catus,Cat",
        ),
        "common_name",
    ),
    "whole names": (
        "file_name,kingdom,phylum,class,order,species",
        ("{i},Animalia,Chordata,Aves,Passeriformes,Parus major", "{i},Animalia,Chordata,Aves,,Parus ater"),
        "species",
    ),
    "halves of names": (
        "image,Class,Order,Family,Genus,Species",
        ("{i},Aves,Passeriformes,Paridae,Parus,major", "{i},Aves,Passeriformes,Paridae,Periparus,ater"),
        "Genus",
    ),
}


@pytest.mark.parametrize(("header", "rows", "label"), RANKS.values(), ids=RANKS)
def test_a_class_among_ranks_of_taxonomy_is_asked_about(
    header: str, rows: tuple[str, str], label: str, tmp_path: Path
) -> None:
    text = f"{header}\n" + "".join(f"{rows[i % 2].format(i=f'{i}.png')}\n" for i in range(1, 5))
    source = write(photos(tmp_path / "in", *FRAMES), text)
    asked = tfrec("convert", source, tmp_path / "out")
    assert asked.code == 2
    image, rank = header.split(",")[0], next(name for name in header.split(",") if name.lower() == "class")
    ways = [f"--columns image_uri={image},label={name}" for name in (label, rank)]
    assert f"say which column is: {ways[0]}; {ways[1]} takes the rank" in " ".join(asked.err.split())
    for number, way in enumerate(ways):
        done = tfrec("convert", source, tmp_path / f"out{number}", *way.split(), "--splits", "train=1")
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (
            "image,class,order,family,genus",
            ("{i},cat,Carnivora,Felidae,Felis", "{i},lion,Carnivora,Felidae,Felis"),
        ),
        ("image,class,order,family", ("{i},a,1,Smith", "{i},b,2,Smith")),
        ("image,class,species,family,order", ("{i},ill,Oak,Fagus,1", "{i},well,Elm,Ulmus,2")),
    ],
    ids=["finer than orders", "two words only", "a number of order"],
)
def test_a_class_that_is_no_rank_of_taxonomy_is_read(
    header: str, rows: tuple[str, str], tmp_path: Path
) -> None:
    text = f"{header}\n" + "".join(f"{rows[i % 2].format(i=f'{i}.png')}\n" for i in range(1, 5))
    source = write(photos(tmp_path / "in", *FRAMES), text)
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1")
    assert done.code == 0, done.err
    assert "2 labels: " in done.out


@pytest.mark.parametrize("header", ["Nr;Bild;Art;Datum", "Bild;Ergebnis"])
@pytest.mark.parametrize("title", ["Reklamationen Wareneingang Q3/2023", "Fotos 2023"])
def test_a_title_with_a_slash_is_no_path(title: str, header: str, tmp_path: Path) -> None:
    width = header.count(";")
    row = "{0};DSC{0}.JPG;gut;3.7." if width > 1 else "DSC{0}.JPG;gut"
    lines = [title + ";" * width, ";" * width, header, *(row.format(n) for n in range(4))]
    (tmp_path / "list.csv").write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert shell(hint.partition("leave it out: ")[2], tmp_path).code == 0
    made = (tmp_path / "list-without-title.csv").read_text(encoding="utf-8").splitlines()
    assert made == lines[2:]


def test_a_path_with_a_blank_and_a_slash_is_no_title(tmp_path: Path) -> None:
    (tmp_path / "my photos").mkdir()
    for number, name in enumerate(("a b", "c d")):
        (tmp_path / "my photos" / name).write_bytes(jpeg(number))
    (tmp_path / "list.csv").write_text("my photos/a b\nmy photos/c d\n", encoding="utf-8")
    done = convert_json("list.csv", "out", "--unlabelled", "keep", "--delimiter", ",", cwd=tmp_path)
    assert done["records"] == 2


@pytest.mark.parametrize(
    ("header", "others", "options", "is_told"),
    [
        ("image,label,label_image", "yes no", (), True),
        ("image,label,label_image", "yes no", ("--columns", "label=label"), False),
        ("image,label,predicted_label", "yes no", (), False),
        ("image,label,label_source", "web app", (), False),
        ("image,label,noon", "yes no", (), False),
        ("image,label,label_text", "same", (), False),
    ],
)
def test_a_column_of_the_same_words_as_the_label_is_told_of(
    header: str, others: str, options: tuple[str, ...], is_told: bool, tmp_path: Path
) -> None:
    """As in CrisisMMD: `label` is that of a message, and `label_image` that of its photo."""
    rows = []
    for number in range(8):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
        label, other = ["yes", "no"][number % 2], others.split()[number // 2 % len(others.split())]
        rows.append(f"{number}.jpg,{label},{label if other == 'same' else other}\n")
    (tmp_path / "list.csv").write_text(f"{header}\n{''.join(rows)}", encoding="utf-8")
    said = "which has the same words, says another one in 4 of the first 8 rows: --columns label=label_image"
    done = convert_json("list.csv", "out", *options, "--dry-run", cwd=tmp_path)
    assert any(said in each for each in done["warnings"]) == is_told
    assert is_told or not any("the same words" in each for each in done["warnings"])


@pytest.mark.parametrize(("begin", "is_count"), [(0, True), (1, True), (2, False)])
def test_the_number_of_a_caption_is_no_label(begin: int, is_count: bool, tmp_path: Path) -> None:
    """As in Flickr30k: `image_name|comment_number|comment`, five rows an image."""
    rows = "".join(
        f"{image}.jpg|{begin + number}|A photo of {image} as somebody has told it in {number} words\n"
        for image in range(6)
        for number in range(3)
    )
    (tmp_path / "list.csv").write_text(f"image_name|comment_number|comment\n{rows}", encoding="utf-8")
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    assert "--columns image_uri=image_name" in refused
    assert ("label=comment_number" in refused) != is_count


@pytest.mark.parametrize("field", ["0% (0/0)", "75 % (3/4)", "3/4 (75%)", "N/A"])
def test_shares_and_what_is_not_known_are_no_paths(field: str, tmp_path: Path) -> None:
    told = (f"{field},{n}.png,{('cat', 'dog')[n % 2]}" for n in range(6))
    rows = listed("LifetimeRate,Input.image_url,kind", *told)
    refused = tfrec("convert", write(tmp_path, rows), tmp_path / "out").err
    assert "image_uri=Input.image_url,label=kind" in refused
    assert "a record holds one image" not in refused


def test_words_that_end_in_id_are_columns_of_labels(tmp_path: Path) -> None:
    """As PA-100K's `UpperPlaid` among others, or thyroid and fluid among findings; `patient_id` is none."""
    rows = "".join(f"{n}.jpg,{n % 2},{n // 2 % 2},{n // 3 % 2},{n // 4 % 2}\n" for n in range(12))
    (tmp_path / "list.csv").write_text(f"Image,Hat,UpperPlaid,thyroid,patient_id\n{rows}", encoding="utf-8")
    assert "--one-hot Hat,UpperPlaid,thyroid (" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
