"""Lists whose fields other programs have written as text of their own: ticks, rounded ids, objects, chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import photos, records, write
from converting import jpeg, read_csv, shell, tfrec

OPTIONS = ("--splits", "train=1", "--json")


def run(hint: str, folder: Path) -> None:
    """Runs the command that makes a CSV, as a hint has it."""
    command = hint[hint.index("python -c ") :].partition("; then ")[0]
    assert shell(command, folder).code == 0


def texts(folder: Path, key: str = "image/class/text") -> list[Any]:
    """What records hold under a key, in the order of their images."""
    found = records(folder)
    return [found[name].get(key, []) for name in sorted(found)]


@pytest.mark.parametrize(
    ("yes", "no"),
    [("x", ""), ("X", "0"), ("✓", ""), ("✔", ""), ("☑", ""), ("Y", "N"), ("yes", "no"), ("yes", "")],
)
def test_ticks_are_ones(yes: str, no: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{i}.png" for i in range(4)))
    rows = "".join(
        f"{i}.png,{yes if i in (0, 3) else no},{yes if i % 2 else no},{yes if i == 2 else no}\n"
        for i in range(4)
    )
    write(tmp_path, f"image,cat,dog,owl\n{rows}")
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert "--columns image_uri=image --one-hot cat,dog,owl" in refused.err
    words = ("--columns", "image_uri=image", "--one-hot", "cat,dog,owl", *OPTIONS)
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert done.code == 0, done.err
    assert texts(tmp_path / "out") == [[b"cat"], [b"dog"], [b"owl"], [b"cat", b"dog"]]


@pytest.mark.parametrize(
    ("yes", "word", "told"),
    [
        *(("✓", word, "is '✓', not 0 or 1") for word in ("x", "✗", "maybe")),
        *((yes, "x", "is 'x', not 0 or 1") for yes in ("yes", "True", "1")),
    ],
)
def test_a_cross_beside_another_word_for_yes_is_none(yes: str, word: str, told: str, tmp_path: Path) -> None:
    photos(tmp_path, "0.png", "1.png")
    write(tmp_path, f"image,cat,dog\n0.png,{yes},{word}\n1.png,{word},{yes}\n")
    words = ("--columns", "image_uri=image", "--one-hot", "cat,dog", *OPTIONS)
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert (done.code, told in str(done.json["problems"])) == (1, True), done.out


@pytest.mark.parametrize("number", ["1.23E+15", "1,23E+15", "2E+11"])
@pytest.mark.parametrize("is_there", [False, True])
def test_ids_that_a_spreadsheet_rounded_are_refused_unless_there_are_such_files(
    number: str, is_there: bool, tmp_path: Path
) -> None:
    text = "".join(f'"{number}",a\n' for _ in range(3))
    write(tmp_path, f"id,label\n{text}")
    if is_there:
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(0))
    done = tfrec("convert", "list.csv", "out", *OPTIONS, cwd=tmp_path)
    if is_there:
        assert (done.json["records"], done.json["merged"]) == (1, 2)
    else:
        assert "column id holds numbers that a spreadsheet has rounded" in done.json["error"]["message"]


def test_an_id_or_two_of_that_form_are_missing_files(tmp_path: Path) -> None:
    photos(tmp_path, "0.png", "1.png", "2.png")
    write(tmp_path, "id,label\n0.png,a\n1.png,b\n2.png,a\n1.23E+15,a\n")
    done = tfrec("convert", "list.csv", "out", *OPTIONS, cwd=tmp_path)
    assert (done.json["records"], done.json["rejected"]) == (3, 1)


@pytest.mark.parametrize("is_first", [False, True])
def test_images_as_text_of_hugging_face_are_written_as_files_by_the_command(
    is_first: bool, tmp_path: Path
) -> None:
    images = [jpeg(n, 300, 300) for n in range(2)]
    photos(tmp_path, "2.png")
    objects = [{"bytes": data, "path": None} for data in images] + [{"bytes": None, "path": "2.png"}]
    fields = ['"' + str(each).replace('"', '""') + '"' for each in objects]
    rows = [f"{field},{n % 2}" if is_first else f"{n % 2},{field}" for n, field in enumerate(fields)]
    write(tmp_path, ("image,label\n" if is_first else "label,image\n") + "\n".join(rows) + "\n")
    refused = tfrec("convert", "list.csv", "out", *OPTIONS, cwd=tmp_path)
    assert "a CSV of Hugging Face's datasets" in refused.json["error"]["message"]
    run(refused.json["error"]["hint"], tmp_path)
    done = tfrec("convert", "list-as-csv.csv", "out", *OPTIONS, cwd=tmp_path)
    assert done.json["records"] == 3, done.err
    assert [one for (one,) in texts(tmp_path / "out", "image/encoded")[1:]] == images
    assert [row["label"] for row in read_csv(tmp_path / "list-as-csv.csv")] == ["0", "1", "0"]


def test_such_an_object_in_a_column_that_is_not_used_is_no_image(tmp_path: Path) -> None:
    photos(tmp_path, "0.png")
    write(tmp_path, "file,label,raw\n0.png,a,{'bytes': None}\n")
    words = ("--columns", "image_uri=file", *OPTIONS)
    assert tfrec("convert", "list.csv", "out", *words, cwd=tmp_path).json["records"] == 1


def _says(who: str, content: Any) -> dict[str, Any]:
    return {"role": who, "content": content}


ANSWER = _says("assistant", "A cat\nsits.")
CHATS: dict[str, tuple[str, list[Any]]] = {
    "image": ("image", [_says("user", "<image>What?"), ANSWER]),
    "images": ("images", [_says("user", "<image>What?"), ANSWER]),
    "of OpenAI": ("", [_says("user", [{"type": "image_url", "image_url": {"url": "{}"}}]), ANSWER]),
    "of LLaVA": ("image", [{"from": "human", "value": "<image>\nWhat?"}, {"from": "gpt", "value": "A cat"}]),
}


@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize(("key", "chat"), CHATS.values(), ids=CHATS)
def test_chats_are_stored_as_text_by_the_command(
    key: str, chat: list[Any], is_array: bool, tmp_path: Path
) -> None:
    names = ["0.png", "1.png"]
    photos(tmp_path, *names)
    chats = [json.loads(json.dumps(chat).replace("{}", name)) for name in names]
    called = "conversations" if "from" in chat[0] else "messages"
    lines = [
        {called: each} | ({key: [name] if key == "images" else name} if key else {})
        for name, each in zip(names, chats, strict=True)
    ]
    text = json.dumps(lines) if is_array else "".join(json.dumps(line) + "\n" for line in lines)
    write(tmp_path, text, "list.jsonl")
    refused = tfrec("convert", "list.jsonl", "out", *OPTIONS, cwd=tmp_path)
    hint = refused.json["error"]["hint"]
    assert f"{called} are chats" in hint
    run(hint, tmp_path)
    words = ("--unlabelled", "keep", "--features", "chat:text", *OPTIONS)
    done = tfrec("convert", "list-as-csv.csv", "out", *words, cwd=tmp_path)
    assert (done.code, done.json["records"]) == (0, 2), done.err
    assert [json.loads(found) for (found,) in texts(tmp_path / "out", "chat")] == chats


def test_labels_and_splits_beside_chats_are_carried_along(tmp_path: Path) -> None:
    photos(tmp_path, "0.png", "1.png", "2.png")
    beside: list[dict[str, Any]] = [{}, {"label": "cat", "split": "train"}, {"label": "dog", "split": "test"}]
    lines = [{"images": [f"{i}.png"], "messages": [ANSWER]} | more for i, more in enumerate(beside)]
    write(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "list.jsonl")
    run(tfrec("convert", "list.jsonl", "out", *OPTIONS, cwd=tmp_path).json["error"]["hint"], tmp_path)
    rows = read_csv(tmp_path / "list-as-csv.csv")
    assert [(row["label"], row["split"]) for row in rows] == [("", ""), ("cat", "train"), ("dog", "test")]


def test_chats_beside_a_label_are_not_used(tmp_path: Path) -> None:
    photos(tmp_path, "0.png")
    write(tmp_path, json.dumps({"image": "0.png", "label": "cat", "messages": [ANSWER]}) + "\n", "list.jsonl")
    assert tfrec("convert", "list.jsonl", "out", *OPTIONS, cwd=tmp_path).json["records"] == 1
