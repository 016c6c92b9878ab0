"""Masks, and lists of annotations, that stand among images in folders: none becomes a class or a sample."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from converting import convert_json, tfrec
from PIL import Image, ImageDraw
from test_dataset_layouts import make, rows_of
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError

DETECTION = Path(__file__).parents[2] / "shared/data/detection"

MASKED = {
    "a folder of masks": (["good/1.jpg", "bad/2.jpg", "masks/2.png"], "masks"),
    "below splits": (["train/good/1.jpg", "train/bad/2.jpg", "train/masks/2.png"], "masks"),
    "masks of a class": (["cat/1.jpg", "cat_masks/1.png", "dog/1.jpg", "dog-mask/1.png"], "cat_masks, dog-m"),
    "capital letters": (["Cat/1.jpg", "cat_Masks/1.png"], "cat_Masks"),
    "beside its image": (["cat/i0.jpg", "cat/i0_mask.png", "dog/i1.jpg"], "cat/i0_mask.png"),
    "several of one image": (["cat/a (1).png", "cat/a (1)_mask_1.png", "dog/1.jpg"], "cat/a (1)_mask_1.png"),
    "the word before": (["cat/i0.jpg", "cat/mask-i0.png", "dog/1.jpg"], "cat/mask-i0.png"),
    "of pedestrians": (["PNGImages/1.png", "PedMasks/1_mask.png"], "folders of masks (PedMasks)"),
    "of wood": (["Images1/1.png", "Semantic Maps/1_segm.png"], "folders of masks (Semantic Maps)"),
    "by two words": (["JPEGImages/1.jpg", "GTMasks/1.png"], "folders of masks (GTMasks)"),
    "beside people without": (["images/1.jpg", "masks/1.jpg", "without_masks/1.jpg"], "masks (masks)"),
    "of another folder": (
        ["original/1.jpg", "original/2.jpg", "segmented/1_mask.png", "segmented/2_mask.png"],
        "segmented/1_mask.png of original/1.jpg",
    ),
    "of two classes": (
        ["a/1.png", "b/2.png", *(f"truth/{n}_GT.png" for n in (1, 2))], "truth/1_GT.png of a/1.png"
    ),
    "of another folder below splits": (
        ["train/a/i1.jpg", "train/a/i2.jpg", "train/b/i1_seg.png", "train/b/i2_seg.png", "val/a/3.jpg"],
        "train/b/i1_seg.png of train/a/i1.jpg",
    ),
    "called by numbers, beside images": (
        ["images/1.jpg", "images/2.jpg", "target/mask_1.png", "target/mask_2.png"],
        "target/mask_1.png of images/1.jpg",
    ),
    "in a folder called after them": (
        ["original/1.jpg", "original/2.jpg", "binary_masks/mask_1.png", "binary_masks/mask_2.png"],
        "binary_masks/mask_1.png of original/1.jpg",
    ),
    "of photos that are called so": (
        ["cat/1_mask.png", "cat/1_rgb.png", "dog/2_rgb.png"], "cat/1_mask.png beside cat/1_rgb.png"
    ),
    "labels beside images": (
        ["cat/image_v1_f2.png", "cat/label_v1_f2.png", "dog/image_3.png"],
        "cat/label_v1_f2.png beside cat/image_v1_f2.png",
    ),
    "another word": (["cat/i0.JPG", "cat/i0_segmentation.png", "dog/1.jpg"], "cat/i0_segmentation.png"),
}  # fmt: skip


@pytest.mark.parametrize(("images", "named"), MASKED.values(), ids=MASKED)
def test_masks_are_refused_by_name(images: list[str], named: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    for name in filter(re.compile("mask|/label", re.IGNORECASE).search, images):
        Image.new("L", (24, 16)).save(f"{root}/{name}")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert named in caught.value.message
    assert "masks" in caught.value.message
    for word in ("move", "CSV", "--label-folder last"):
        assert word in caught.value.hint
    assert len(rows_of(root, label_folder="last")) == len(images)
    (warning,) = (
        w for w in plan_from(root, tmp_path, label_folder="last").plan.warnings if "are taken for" in w
    )
    assert named in warning


@pytest.mark.parametrize(
    ("images", "pattern", "left"),
    [
        (["cat/1.jpg", "cat/1-mask_1.png", "cat/1-mask_2.png", "dog/2.jpg"], "*-mask_[0-9]*", 2),
        (["test/cat/p1/image_1.png", "test/cat/p1/label_1.png", "val/cat/p2/image_2.png"], "label_*", 2),
        (["train/1_rgb.png", "train/1_mask.png", "val/2_rgb.png", "val/2_mask.png"], "*_mask.*", 2),
        (["train/1_rgb.png", "train/1_fg.png", "val/2_rgb.png", "val/2_fg.png"], "*_fg.*", 2),
        (
            [
                "cat/1.png",
                "cat/1_mask.png",
                "dog/2.png",
                "dog/2_mask.png",
                "dog/2_mask_1.png",
                "dog/3_gt.png",
            ],
            "*_mask.*,*_mask_[0-9]*",
            3,
        ),
    ],
)
def test_masks_are_left_out_by_what_is_proposed(
    images: list[str], pattern: str, left: int, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images)
    for name in filter(re.compile("mask|/label|_fg").search, images):
        Image.new("L", (24, 16)).save(f"{root}/{name}")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert f"{shlex.join(['--exclude', pattern])} passes over them" in caught.value.hint
    given = (*pattern.split(","),)
    assert len(rows_of(root, exclude=given, label_folder="first", unlabelled="keep")) == left
    with pytest.raises(InputError) as caught:
        rows_of(root, exclude=("none_*",))
    assert f"{shlex.join(['--exclude', f'none_*,{pattern}'])} passes over them" in caught.value.hint


@pytest.mark.parametrize(
    "other",
    ["train_mask_1/a.jpg", "dog/dog_in_mask_1.jpg", "dog/dog_in_mask_1.png"],
    ids=["a folder", "photos", "PNG"],
)
def test_no_pattern_is_proposed_that_images_are_called_by(other: str, tmp_path: Path) -> None:
    names = [f"cat/{number}{mask}" for number in range(3) for mask in (".jpg", "_mask_0.png")]
    root = make(tmp_path / "in", *names, other)
    for name in names:
        if "mask" in name:
            Image.new("L", (24, 16)).save(f"{root}/{name}")
    pixels = Image.frombytes("RGB", (64, 64), bytes(i * i * 7 // 5 % 256 for i in range(64 * 64 * 3)))
    pixels.save(f"{root}/{other}")
    with pytest.raises(InputError, match="masks") as caught:
        rows_of(root)
    assert "--exclude them" in caught.value.hint
    (tmp_path / "in" / other).rename(tmp_path / "in/cat/9.jpg")
    with pytest.raises(InputError, match="masks") as caught:
        rows_of(root)
    assert "'*_mask_[0-9]*' passes over them" in caught.value.hint


WITHIN = {
    "called after the class": (["cat/cat/1.png", "cat/cat GT/1.png"], "'* GT' --label-folder last"),
    "below another folder": (["data/cat/cat/1.png", "data/cat/cat_seg/1.png"], "'*_seg' --label-folder last"),
    "called masks": (["cat/images/1.png", "cat/masks/0_7.png"], "masks --label-folder first"),
    "of a breed": (["cat/angora/1.png", "cat/angora GT/1.png"], "'* GT'"),
}


@pytest.mark.parametrize(("images", "options"), WITHIN.values(), ids=WITHIN)
def test_masks_in_folders_of_their_own_within_those_of_classes(
    images: list[str], options: str, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images, "data/dog/2.jpg")
    Image.new("1", (24, 16)).save(f"{root}/{images[1]}")
    with pytest.raises(InputError, match="folders of masks") as caught:
        rows_of(root)
    assert f"--exclude {options} passes over them" in caught.value.hint
    for way in ("first", "last"):
        warnings = plan_from(root, tmp_path, label_folder=way).plan.warnings
        assert sum("folders of masks" in warning for warning in warnings) == 1
    pattern = shlex.split(options)[0]
    assert len(rows_of(root, exclude=(pattern,), label_folder="first")) == len(images)


@pytest.mark.parametrize(
    ("photos", "masks", "named", "option"),
    [
        (
            ["cat/1.jpg", "cat/2.jpg", "dog/3.jpg"],
            ["cat/1.png", "cat/2.png"],
            "cat/1.png beside a photo",
            "*.png",
        ),
        (
            ["cat/1.jpg", "cat/2.jpg", "cat/3.jpg", "dog/4.jpg"],
            ["cat/1.png", "cat/2.png", "cat/3.PNG"],
            "cat/1.png beside a photo",
            "*.PNG,*.png",
        ),
        (
            ["p/Images/a/1.jpg", "p/Images/b/2.jpg", "q/Images/a/3.jpg"],
            ["p/Masks/a/1.png"],
            "p/Masks",
            "Masks",
        ),
    ],
    ids=["called alike but for the ending", "also in capitals", "folders of classes below those of masks"],
)
def test_masks_beside_photos_of_their_names_are_left_out_by_what_is_proposed(
    photos: list[str], masks: list[str], named: str, option: str, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *photos, *masks)
    for name in masks:
        Image.new("L", (24, 16)).save(f"{root}/{name}")
    with pytest.raises(InputError, match=re.escape(named)) as caught:
        rows_of(root)
    assert f"--exclude {shlex.quote(option)}" in caught.value.hint
    assert len(rows_of(root, label_folder="last", exclude=(*option.split(","),))) == len(photos)
    assert len(rows_of(root, label_folder="last")) == len(photos) + len(masks)


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_copies_that_differ_in_the_ending_are_read(mode: str, tmp_path: Path) -> None:
    names = ["cat/1.jpg", "cat/1.png", "cat/2.jpg", "cat/2.png", "dog/3.jpg"]
    root = make(tmp_path / "in", *names)
    for seed, name in enumerate(names):
        image = Image.new("L", (48, 48), 60 * (seed // 2))
        ImageDraw.Draw(image).ellipse([8, 8, 30, 40], fill=255)
        image.convert(mode if name.endswith("png") or mode != "RGBA" else "RGB").save(f"{root}/{name}")
    assert len(rows_of(root)) == len(names)


def _logo(place: int) -> tuple[Image.Image, Image.Image]:
    """On white, and transparent."""
    logo = Image.new("RGBA", (48, 48), (255, 255, 255, 0))
    ImageDraw.Draw(logo).ellipse([place, 4, place + 24, 40], fill=(200, 20, 40, 255))
    white = Image.new("RGBA", logo.size, "white")
    return Image.alpha_composite(white, logo).convert("RGB"), logo


def _cut_out(place: int) -> tuple[Image.Image, Image.Image]:
    """A photo, and a part of it."""
    photo = Image.frombytes(
        "RGB", (64, 64), bytes((i * i * 7 + place) // 5 % 256 for i in range(64 * 64 * 3))
    )
    cut_out, alpha = photo.copy(), Image.new("L", photo.size)
    ImageDraw.Draw(alpha).ellipse([place, 20, place + 36, 60], fill=255)
    cut_out.putalpha(alpha)
    return photo, cut_out


def _drawings(place: int) -> tuple[Image.Image, Image.Image]:
    """Two that show different things."""
    pair = Image.new("L", (48, 48), 255), Image.new("L", (48, 48), 255)
    ImageDraw.Draw(pair[0]).line([place, 0, 40, 47], fill=0, width=2)
    ImageDraw.Draw(pair[1]).line([47, place, 0, 30, 20, 47], fill=0, width=2)
    return pair


def _mask(place: int) -> tuple[Image.Image, Image.Image]:
    """A dark thing on white, and its mask, also dark on white."""
    thing, mask = Image.new("RGB", (48, 48), "white"), Image.new("L", (48, 48), 255)
    ImageDraw.Draw(thing).ellipse([place, 4, place + 24, 40], fill=(200, 180, 160))
    ImageDraw.Draw(mask).ellipse([place, 4, place + 24, 40], fill=0)
    return thing, mask


@pytest.mark.parametrize("odd", [0, 1, 2])
@pytest.mark.parametrize("made", [_logo, _cut_out, _drawings])
def test_twins_that_are_no_masks_are_read_whatever_one_of_them_is(
    made: Callable[[int], tuple[Image.Image, Image.Image]], odd: int, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", "dog/3.jpg")
    (tmp_path / "in/cat").mkdir()
    for number, place in enumerate((4, 10, 16)):
        kinds = (_mask if number < odd else made)(place)
        for image, ending in zip(kinds, ("jpg", "png"), strict=True):
            image.save(f"{root}/cat/{number}.{ending}")
    if odd < 2:
        assert len(rows_of(root)) == 7
        return
    with pytest.raises(InputError, match="masks"):
        rows_of(root)


@pytest.mark.parametrize("mode", ["1", "L", "LA"])
def test_masks_of_what_is_as_light_as_paper_are_refused(mode: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", "dog/3.jpg")
    (tmp_path / "in/cat").mkdir()
    for number, place in enumerate((4, 10, 16)):
        page, mask = _drawings(place)[0], Image.new("L", (48, 48), 255)
        ImageDraw.Draw(mask).rectangle([30, place, 44, place + 9], fill=0)
        page.save(f"{root}/cat/{number}.jpg")
        mask.convert(mode).save(f"{root}/cat/{number}.png")
    with pytest.raises(InputError, match="masks"):
        rows_of(root)


@pytest.mark.parametrize(
    ("ending", "dark", "light", "mode", "value"),
    [
        ("jpg", 6, 90, "L", 255), ("jpg", 6, 90, "L", 1), ("jpg", 2, 30, "1", 255), ("jpg", 6, 200, "L", 255),
        ("jpg", 60, 200, "RGBA", 255), ("jpg", 60, 200, "P", 1), ("bmp", 60, 200, "L", 255),
        ("jpg", 60, 0, "L", 255),
    ],
)  # fmt: skip
def test_masks_called_like_dark_photos_and_others_are_no_copies(
    ending: str, dark: int, light: int, mode: str, value: int, tmp_path: Path
) -> None:
    """Cells in a photo and in its mask; the first photo is broken where they are black."""
    root = make(tmp_path / "in", "dog/3.jpg")
    (tmp_path / "in/cat").mkdir()
    for number, place in enumerate((6, 14, 22)):
        photo, mask = Image.new("L", (48, 48), dark), Image.new(mode, (48, 48))
        for image, fill in ((photo, light), (mask, (value,) * 3 + (255,) if mode == "RGBA" else value)):
            ImageDraw.Draw(image).ellipse([place, 8, place + 9, 18], fill=fill)
        photo.save(f"{root}/cat/{number}.{ending}")
        mask.save(f"{root}/cat/{number}.png")
    if not light:
        Path(root, f"cat/0.{ending}").write_bytes(b"\xff\xd8\xff")
    with pytest.raises(InputError, match="masks"):
        rows_of(root)


def test_no_ending_is_passed_over_that_images_alone_have(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "cat/2.jpg", "dog/3.png")
    for name in ("cat/1.png", "cat/2.png"):
        Image.new("L", (24, 16)).save(f"{root}/{name}")
    with pytest.raises(InputError, match="masks") as caught:
        rows_of(root)
    assert "*.png" not in caught.value.hint


def test_photos_of_a_class_called_like_masks_of_another_are_read(tmp_path: Path) -> None:
    flat = make(tmp_path / "flat", "Mustang/1.jpg", "Mustang GT/1.jpg", "Fiesta/2.jpg")
    assert len(rows_of(flat)) == 3
    root = make(tmp_path / "in", "Ford/Mustang/1.jpg", "Ford/Mustang GT/1.jpg", "Audi/TT/2.jpg")
    with pytest.raises(InputError, match="not certain which one is the label"):
        rows_of(root)
    assert not any("masks" in told for told in plan_from(root, tmp_path, label_folder="first").plan.warnings)


@pytest.mark.parametrize("ending", ["jpg", "png"])
@pytest.mark.parametrize("colours", [1, 12])
@pytest.mark.parametrize("name", ["mask/mask_p", "face_mask/p"])
def test_drawn_masks_in_a_folder_called_mask_are_refused(
    name: str, ending: str, colours: int, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", "face/p0.jpg", "face/p1.jpg", f"{name}0.{ending}")
    for number in range(2):
        mask = Image.new("RGB", (320, 240))
        for colour in range(colours):
            place = 25 * colour + number
            fill = (255 - 20 * colour, 40 * colour % 255, 255)
            ImageDraw.Draw(mask).ellipse((place, 20, place + 45, 200), fill)
        mask.save(f"{root}/{name}{number}.{ending}")
    with pytest.raises(InputError, match=re.escape(name.removesuffix("/p"))):
        rows_of(root)


def test_masks_of_many_objects_are_no_photos(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "face/p0.jpg", "face_mask/0.jpg")
    colours = Image.effect_noise((24, 24), 99)
    (tmp_path / "in/face_mask/0.jpg").unlink()
    objects = Image.merge("RGB", [colours.rotate(turn) for turn in (0, 90, 180)])
    objects.resize((240, 240), Image.Resampling.NEAREST).save(f"{root}/face_mask/p0.png")
    with pytest.raises(InputError, match="folders of masks"):
        rows_of(root)
    objects.save(f"{root}/face_mask/p0.png")
    assert len(rows_of(root)) == 2


@pytest.mark.parametrize("name", ["PNGImages", "JPEGImages", "LabelImages"])
def test_a_folder_called_by_kinds_of_files_is_no_class(name: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", f"{name}/1.png", "PedMasks/1_mask.png")
    with pytest.raises(InputError, match=f"give no label but '{name}'"):
        rows_of(root, exclude=("PedMasks/*",))


MASKED_FACES = [("with_mask/", "_mask"), ("without_mask/", "")]
NO_MASKS = {
    "people who wear one": ["with_mask/1.jpg", "without_mask/1.jpg"],
    "of one person": ["with_mask/p1.jpg", "with_mask/p1_mask.jpg", "without_mask/2.jpg"],
    "people who wear none": ["Masks/1.jpg", "NoMask/2.jpg"],
    "the same in lower case": ["masks/1.jpg", "nomask/2.jpg"],
    "photos beside them": ["photos/1.jpg", "no_mask/2.jpg"],
    "one mask and none": ["mask/1.jpg", "no-mask/2.jpg"],
    "a class beside another": ["PedMasks/1.jpg", "Hats/2.jpg"],
    "classes that are numbered": ["Label1/1.jpg", "Label2/2.jpg"],
    "classes of data that are numbered": ["dataLabel1/1.jpg", "dataLabel2/2.jpg"],
    "words of which one tells": ["DogImages/1.jpg", "CatImages/2.jpg"],
    "no image of that name": ["cat/iron_mask.jpg", "dog/gas_mask_1.jpg", "dog/mask-2.jpg"],
    "numbers in two classes": ["cat/1.jpg", "cat/2.jpg", "dog/1.jpg", "dog/2.jpg"],
    "people of whom both are": [f"{name}{n}{end}.jpg" for n in (1, 2) for name, end in MASKED_FACES],
    "a few called so": ["a/1.jpg", "a/2.jpg", "b/1_mask.jpg", "b/3.jpg", "b/4.jpg"],
    "some of whose images are elsewhere": ["car/1.jpg", "car/3.jpg", "sport/1_gt.jpg", "sport/2_gt.jpg"],
    "photos of labels": ["a/image_1.jpg", "a/label_1.jpg", "b/image_2.jpg", "b/label_2.jpg"],
    "labels of bottles": ["a/label_1.jpg", "a/label_2.jpg", "b/image_1.jpg"],
    "words that end so": ["damask/1.jpg", "cotton/2.jpg"],
}


@pytest.mark.parametrize("images", NO_MASKS.values(), ids=NO_MASKS)
def test_names_that_tell_of_no_masks_are_read(images: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    assert len(rows_of(root)) == len(images)
    assert not any("masks" in warning for warning in plan_from(root, tmp_path).plan.warnings)


MAY_BE_MASKS = {
    "mask": ["good/1.jpg", "bad/2.jpg", "mask/3.jpg"],
    "fake": ["real/0.jpg", "real/1.jpg", "fake/seg_0.jpg", "fake/seg_1.jpg"],
    "in Mask": ["face/p0.jpg", "face/p1.jpg", "Mask/mask_p0.jpg", "Mask/mask_p1.jpg"],
    "in face_mask": ["bare/p0.jpg", "bare/p1.jpg", "face_mask/mask_p0.jpg", "face_mask/mask_p1.jpg"],
    "in face_mask beside face": ["face/0.jpg", "face/1.jpg", "face_mask/0.jpg", "face_mask/1.jpg"],
    "masked": ["face/p0.jpg", "face/p1.jpg", "masked/mask_p0.jpg", "masked/mask_p1.jpg"],
}


@pytest.mark.parametrize(("name", "images"), MAY_BE_MASKS.items(), ids=MAY_BE_MASKS)
def test_classes_that_may_be_masks_are_asked_about(name: str, images: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    assert len(rows_of(root)) == len(images)
    (warning,) = (w for w in plan_from(root, tmp_path).plan.warnings if "masks" in w)
    assert repr(name.removeprefix("in ").partition(" ")[0]) in warning
    assert "move" in warning


def test_nothing_is_written_of_masks(tmp_path: Path) -> None:
    done = convert_json(make(tmp_path / "in", "good/1.jpg", "masks/1.png"), tmp_path / "out")
    assert (done["exit_code"], done["error"]["code"]) == (2, "input")
    assert not (tmp_path / "out").exists()


# --- lists of annotations ---

VOTT = b'"image","xmin","ymin","xmax","ymax","label"\n"1.jpg",10,5,20,7,"helmet"\n'
AUTOML = b"TEST,1.jpg,Cheese,0.1,0.1,,,0.5,0.5,,\n"
COCO_LATER = b'{\n "licenses": [],\n "images": [{"file_name": "1.jpg"}]}'

LISTED = {
    "VOTT": (["a set/1.jpg", "b set/1.jpg"], {"a set/x.csv": VOTT, "b set/x.csv": VOTT}, "a set/x.csv"),
    "splits": (["train/a/1.jpg", "test/b/1.jpg"], {"train/a/x.csv": VOTT, "test/b/x.csv": VOTT}, "b/x.csv"),
    "one class": (["salad_plates/1.jpg"], {"ml_use.csv": AUTOML}, "ml_use.csv"),
    "one class, JSON": (["salads/1.jpg"], {"json_files/a.json": COCO_LATER}, "json_files/a.json"),
    "both": (["salads/1.jpg"], {"a.json": COCO_LATER, "z.csv": AUTOML}, "z.csv"),
}  # fmt: skip


@pytest.mark.parametrize(("images", "lists", "named"), LISTED.values(), ids=LISTED)
def test_folders_that_lists_describe_are_no_classes(
    images: list[str], lists: dict[str, bytes], named: str, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images, **lists)
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert named in caught.value.message
    assert re.search(f"convert '?{re.escape(root)}", caught.value.hint)
    assert "--label-folder last" in caught.value.hint
    assert len(rows_of(root, label_folder="last")) == len(images)


HARMLESS: dict[str, dict[str, bytes]] = {
    "a list of all": {"labels.csv": b"1.jpg,cat\n"},
    "in one class": {"cat/list.csv": b"1.jpg,cat\n"},
    "of no image": {"cat/notes.csv": b"day,weight\n", "dog/notes.json": b"{}"},
}


@pytest.mark.parametrize("lists", HARMLESS.values(), ids=HARMLESS)
def test_lists_beside_classes_are_harmless(lists: dict[str, bytes], tmp_path: Path) -> None:
    assert len(rows_of(make(tmp_path / "in", "cat/1.jpg", "dog/2.jpg", **lists))) == 2


def test_other_lists_beside_one_class_are_harmless(tmp_path: Path) -> None:
    others = {"old/rejects.csv": b"image_uri\n1.jpg\n", "weights.csv": b"day,kg\n", "cat/a.json": b"{}"}
    others |= {"notes.txt": b"1.jpg is the best of them\n", "files.txt": b"cat/1.jpg\ncat/2.jpg\n"}
    assert len(rows_of(make(tmp_path / "in", "cat/1.jpg", **others))) == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("format_zoo_datumaro/vott_csv_dataset", "dataset/test-export.csv"),
        ("salads_automl", "salads_ml_use.csv"),
    ],
)
def test_real_sets_with_lists_are_refused(name: str, told: str) -> None:
    if not (DETECTION / name).is_dir():
        pytest.skip(f"{DETECTION / name} is not there")
    with pytest.raises(InputError, match=told):
        rows_of(str(DETECTION / name))


# --- images without labels ---


@pytest.mark.parametrize(
    "images", [["1.jpg", "2.jpg", "3.jpg"], ["train/1.jpg", "train/2.jpg", "test/3.jpg"]]
)
def test_a_flat_folder_is_refused_in_one_message(images: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images, **{"list.csv": b"1.jpg,cat\n"})
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "none of its 3 images is in a folder of a label" in caught.value.message
    for word in ("--unlabelled keep", f"{root}/list.csv"):
        assert word in caught.value.hint
    assert [row[2:] for row in rows_of(root, unlabelled="keep")] == [()] * 3


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        (b"from,to,diagnosis\n1,2,healthy\n3,9,polyp\n", False),
        (b"day,kg\nmonday,7\n", False),
        (b"id,diagnosis\n1,healthy\n3,polyp\n", True),
        (b"id;diagnosis\n0002_rgb;polyp\n", True),
        (b"id,diagnosis\n", True),
    ],
)
def test_a_table_that_names_none_of_the_images_is_not_taken_for_their_list(
    text: bytes, is_asked: bool, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", "0001_rgb.jpg", "0002_rgb.jpg", **{"info.csv": text})
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert ("info.csv" in caught.value.hint) is is_asked


@pytest.mark.parametrize(
    "images", [["images/1.jpg"], ["train/images/1.jpg", "test/img/2.jpg"], ["set/train/photos/1.jpg"]]
)
def test_a_folder_called_images_is_unlabelled_where_that_is_kept(images: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    assert [row[2:] for row in rows_of(root, unlabelled="keep")] == [()] * len(images)
    remarks = plan_from(root, tmp_path, unlabelled="keep").plan.remarks
    assert any("without a label" in remark and images[0].split("/")[-2] in remark for remark in remarks)
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "--unlabelled keep" in caught.value.hint
    assert len(rows_of(root, label_folder="last", unlabelled="keep")[0]) == 3


def test_an_image_root_is_not_used_for_a_folder(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "dog/2.jpg")
    (tmp_path / "other").mkdir()
    for other in (tmp_path / "other", tmp_path / "missing"):
        done = convert_json(root, tmp_path / "out", "--image-root", other, "--overwrite")
        assert (done["exit_code"], done["records"]) == (0, 2)
        assert "--image-root is not used: the source is a folder" in done["remarks"]


def test_rejected_files_of_a_folder_stand_in_no_line(tmp_path: Path) -> None:
    root = make(
        tmp_path / "in", "cat/1.jpg", "dog/2.jpg", "stray.jpg", **{"cat/bad.jpg": b"", "cat/3.jpg": b""}
    )
    for options in (("--json",), ("--dry-run",), ("--fail-fast",), ()):
        run = tfrec("convert", root, tmp_path / "out", *options)
        assert run.code == 1
        assert "stray.jpg" in run.out + run.err
        assert "line " not in (run.out + run.err).replace('"line": null', "").replace("a command line ", "")


def test_a_text_of_nothing_but_paths_is_not_taken_for_the_list_of_a_flat_folder(tmp_path: Path) -> None:
    paths = b"".join(b"a photo %d.jpg\r\n" % number for number in range(2000))
    root = make(tmp_path / "in", "1.jpg", "2.jpg", **{"files.txt": paths})
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "files.txt" not in caught.value.hint
    (tmp_path / "in/files.txt").write_bytes(b"1.jpg cat\n2.jpg dog\n")
    with pytest.raises(InputError, match="label") as caught:
        rows_of(root)
    assert "files.txt the list of these images?" in caught.value.hint


@pytest.mark.parametrize("text", [b"1.jpg by Joe\n2.jpg by Ann Lee\n", b"1.jpg cat\n", b"1.jpg by Joe\n"])
def test_a_text_that_says_something_else_is_not_asked_about_before_the_list(
    text: bytes, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", "1.jpg", "2.jpg", "3.jpg", **{"credits.txt": text})
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "credits.txt" not in caught.value.hint
    (tmp_path / "in/list.txt").write_bytes(b"1.jpg cat\n2.jpg dog\n3.jpg cat\n")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "list.txt the list of these images?" in caught.value.hint


@pytest.mark.parametrize(
    ("label", "named"), [("golden retriever", 8), ("cat", 3)], ids=["two words", "few images"]
)
def test_a_text_of_labels_is_asked_about_where_nothing_else_is(
    label: str, named: int, tmp_path: Path
) -> None:
    text = "".join(f"{number}.jpg {label}\n" for number in range(named))
    root = make(tmp_path / "in", *(f"{number}.jpg" for number in range(8)), **{"list.txt": text.encode()})
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "list.txt the list of these images?" in caught.value.hint
    (tmp_path / "in/names.txt").write_bytes(b"".join(b"%d.jpg dog\n" % number for number in range(8)))
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "names.txt the list of these images?" in caught.value.hint
