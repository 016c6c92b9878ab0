"""What a record holds, wrong under right checksums: features, labels, images."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from converting import jpeg, tfrec
from damaging import GZIP, OURS, PLAIN, RECORD, Set, copy_of, foreign_record
from PIL import Image
from verifying import Found, change_features, features_of, found, frames_of, offset_of, verify, write_shard

pytestmark = pytest.mark.usefixtures("nothing_left_open")

RECORDS: dict[str, tuple[dict[str, Any], str]] = {
    "image missing": ({"image__encoded": None}, "feature_missing"),
    "filename missing": ({"image__filename": None}, "feature_missing"),
    "height as a float": ({"image__height": [16.0]}, "feature_kind"),
    "label as text": ({"image__class__label": [b"a"]}, "feature_kind"),
    "text as number": ({"image__class__text": [1]}, "feature_kind"),
    "two heights": ({"image__height": [16, 16]}, "feature_count"),
    "two texts for a label": ({"image__class__text": [b"a", b"b"]}, "feature_count"),
    "text missing": ({"image__class__text": None}, "feature_count"),
    "label missing": ({"image__class__label": None}, "feature_count"),
    "no label where each record has one": (
        {"image__class__label": None, "image__class__text": None},
        "feature_count",
    ),
    "label out of range": ({"image__class__label": [2]}, "label_unknown"),
    "label -1": ({"image__class__label": [-1]}, "label_unknown"),
    "label of another name": ({"image__class__text": [b"c"]}, "label_text"),
    "image cut": ({"image__encoded": [jpeg(5)[:-200]]}, "image_damaged"),
    "image not one": ({"image__encoded": [b"no image"]}, "image_damaged"),
    "image empty": ({"image__encoded": [b""]}, "image_damaged"),
    "format of another": ({"image__format": [b"png"]}, "image_format"),
    "height of another": ({"image__height": [17]}, "image_size"),
    "width of another": ({"image__width": [9999]}, "image_size"),
    "channels of another": ({"image__channels": [1]}, "image_size"),
}


@pytest.mark.parametrize("damage", RECORDS)
@pytest.mark.parametrize("packed", [PLAIN, GZIP])
def test_records_that_hold_something_else(
    damage: str, packed: str, sound: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    each = copy_of(sound, (OURS, packed), tmp_path)
    offset = offset_of(each.target, RECORD)
    changes, code = RECORDS[damage]
    change_features(each.target, RECORD, **changes)
    assert found(verify(each.folder)) == [(code, each.target.name, RECORD, offset)]


def test_what_was_wanted_and_what_was_found_are_named(ours: Set) -> None:
    change_features(ours.target, 0, image__height=[16.0])
    change_features(ours.target, 1, image__class__text=[b"zebra"])
    change_features(ours.target, 2, image__width=[9999])
    change_features(ours.target, 3, image__filename=None)
    messages = [problem.message for problem in verify(ours.folder).problems]
    for message, words in zip(
        messages,
        [
            ("image/height", "float", "int64"),
            ("label ", "zebra"),
            ("stored as 16 x 9999", "the image is 16 x "),
            ("image/filename",),
        ],
        strict=True,
    ):
        for word in words:
            assert word in message


def test_a_damaged_picture_takes_decoding(ours: Set) -> None:
    """A flipped bit in the entropy-coded data under right checksums: what only decoding shows."""
    (image,) = features_of(frames_of(ours.target)[0])["image/encoded"]
    broken = image[:-60] + b"\x7f" * 40 + image[-20:]
    change_features(ours.target, 0, image__encoded=[broken])
    decoded, walked = verify(ours.folder), verify(ours.folder, check="structure")
    assert found(decoded) == [("image_damaged", ours.target.name, 0, 0)]
    assert "image_damaged" not in walked.problem_counts
    assert any("structure" in sentence for sentence in walked.not_checked)


@pytest.mark.parametrize(("stored", "is_right"), [(b"webp", True), (b"WEBP", True), (b"jpeg", False)])
def test_formats_that_tfrec_would_not_write(foreign: Set, stored: bytes, is_right: bool) -> None:
    file = io.BytesIO()
    Image.new("RGB", (20, 10), "red").save(file, "WEBP")
    change_features(
        foreign.target, 0, picture=None, image__encoded=[file.getvalue()], image__format=[stored],
        image__height=[10], image__width=[20],
    )  # fmt: skip
    expected: list[Found] = [] if is_right else [("image_format", foreign.target.name, 0, 0)]
    assert found(verify(foreign.folder)) == expected


def test_a_foreign_image_that_is_damaged_or_of_another_size(foreign: Set) -> None:
    change_features(foreign.target, 0, picture=[jpeg(3)[:300]])
    change_features(foreign.target, 1, image__height=[1], image__width=[1])
    assert [place[0] for place in found(verify(foreign.folder))] == ["image_damaged", "image_size"]


@pytest.mark.parametrize(
    "features",
    [
        {"jpeg": "photo", "brand": b"BMW"},
        {"jpeg": "photo", "sound": b"RIFF\x24\0\0\0WAVEfmt " + bytes(30)},
        {"jpeg": "photo", "note": b"GIF89a is the format of the other picture"},
        {"image/encoded": "photo", "image/format": b".JPG"},
        {"image/encoded": "photo", "image/format": b"image/jpeg"},
        {"jpeg": "photo", "height": 16, "width": 24},
        {"left": "photo", "right": "other", "height": 16, "width": 24},  # that of one of them
    ],
    ids=str,
)
def test_sound_features_of_others(tmp_path: Path, features: dict[str, Any]) -> None:
    write_shard(tmp_path / "a.tfrecord", [foreign_record(features), foreign_record(features, 9)])
    assert verify(tmp_path, strict=True).problem_counts == {}
    cut = {**features, **{key: "cut" for key, value in features.items() if value == "photo"}}
    write_shard(tmp_path / "a.tfrecord", [foreign_record(cut)])
    assert verify(tmp_path).problem_counts == {"image_damaged": 1}  # and the image is looked at


@pytest.mark.parametrize(
    ("features", "code"),
    [
        ({"left": "photo", "right": "cut"}, "image_damaged"),
        ({"image/encoded": "photo", "image/mask": "cut"}, "image_damaged"),
        ({"frames": ["photo", "cut"]}, "image_damaged"),
        ({"jpeg": "photo", "height": 999, "width": 1}, "image_size_beside"),
        ({"image/encoded": "photo", "height": 999, "width": 1}, "image_size_beside"),
        ({"a": "photo", "a_height": 9, "a_width": 1, "b": "other"}, "image_size_beside"),
        ({"left": "photo", "right": "other", "height": 9, "width": 9}, "image_size_beside"),
    ],
    ids=str,
)
def test_every_image_of_a_record_is_checked(tmp_path: Path, features: dict[str, Any], code: str) -> None:
    write_shard(tmp_path / "a.tfrecord", [foreign_record(features)])
    report = verify(tmp_path)
    assert report.problem_counts == {code: 1}
    assert report.problems[0].record == 0


def test_a_record_whose_image_is_elsewhere_is_told(tmp_path: Path) -> None:
    """As one byte of a key does, where the checksum was made of what is there."""
    records = [foreign_record({"image/encoded": "photo", "n": n}, n) for n in range(12)]
    write_shard(tmp_path / "a.tfrecord", records[:6])
    write_shard(tmp_path / "b.tfrecord", records[6:])
    assert verify(tmp_path).problem_counts == {}
    write_shard(
        tmp_path / "b.tfrecord", [*records[6:8], foreign_record({"imag\1/encoded": "photo"}, 8), *records[9:]]
    )
    (problem,) = verify(tmp_path).problems
    assert (problem.code, problem.path, problem.record) == ("image_elsewhere", "b.tfrecord", 2)
    assert "under imag\1/encoded, and not under image/encoded" in problem.message
    done = tfrec("verify", tmp_path, "--no-feed")
    assert (done.code, r"imag\x01/encoded" in done.out) == (0, True)


@pytest.mark.parametrize(
    "odd",
    [
        [{"image/encoded": "photo", "mask": "other"}] * 3,
        [{"photo": "photo"}] * 6,
        [{"text": b"no image"}],
    ],
    ids=["one more image", "two ways of writing", "none"],
)
def test_records_that_hold_images_in_their_own_ways_are_right(
    odd: list[dict[str, Any]], tmp_path: Path
) -> None:
    usual = [foreign_record({"image/encoded": "photo"}, n) for n in range(20)]
    write_shard(tmp_path / "a.tfrecord", [*usual, *(foreign_record(f, n + 50) for n, f in enumerate(odd))])
    assert "image_elsewhere" not in verify(tmp_path).problem_counts
