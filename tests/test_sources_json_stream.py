"""JSON read element by element: the same values as json.load gives, and a place for whatever is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json import stream as json_stream
from tfrecordcli.sources.json.stream import NotJson, Part, parse, stream

_NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner),
    max_leaves=20,
)
LAYOUTS = (
    {},
    {"indent": 2},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"indent": "\t", "separators": (" ,", " : ")},
)


def written(folder: Path, data: str | bytes) -> str:
    path = folder / "a.json"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def assembled(parts: list[Part]) -> Any:
    """The document that was streamed in these parts."""
    if parts and parts[0][0] is None and parts[0][1] is None:
        return parts[0][2]
    if all(key is None for key, _, _ in parts):
        return [value for _, _, value in parts]
    found: dict[Any, Any] = {}
    for key, index, value in parts:
        if index is None:
            assert key not in found
            found[key] = value
        else:
            assert index == len(found[key])
            found[key].append(value)
    return found


@settings(max_examples=examples(2000))
@given(document=VALUES, layout=st.sampled_from(LAYOUTS), block=st.integers(1, 40), mark=st.booleans())
def test_streaming_equals_json_load(
    document: Any, layout: dict[str, Any], block: int, mark: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = ("\ufeff" if mark else "") + json.dumps(document, **layout) + "\n"
    path = written(tmp_path_factory.mktemp("json"), text)
    if document in ([], {}):
        assert list(stream(path, "a.json", block=block)) == []
    else:
        assert assembled(list(stream(path, "a.json", block=block))) == document


@given(text=st.text('{}[]",:0123456789.eE+-truefalsnN \\u\n', max_size=30), block=st.integers(1, 9))
@settings(max_examples=examples(3000))
def test_what_json_refuses_is_refused(
    text: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = written(tmp_path_factory.mktemp("json"), text)
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(InputError):
            list(stream(path, "a.json", block=block))
    else:
        with_values = list(stream(path, "a.json", block=block))
        if expected not in ([], {}):
            assert json.dumps(assembled(with_values)) == json.dumps(expected)


@pytest.mark.parametrize("block", range(1, 30))
def test_values_are_whole_wherever_a_block_ends(block: int, tmp_path: Path) -> None:
    document = {"a": -1.5e-7, "b": [True, 12345678901234567890, "😀"], "c": math.inf, "d": False}
    path = written(tmp_path, json.dumps(document))
    assert assembled(list(stream(path, "a.json", block=block))) == document


def test_an_array_is_told_before_its_elements(tmp_path: Path) -> None:
    path = written(tmp_path, '{"images": [], "a": [1, [2]], "b": {"c": [3]}}')
    assert list(stream(path, "a.json")) == [
        ("images", None, []),
        ("a", None, []), ("a", 0, 1), ("a", 1, [2]),
        ("b", None, {"c": [3]}),
    ]  # fmt: skip


BROKEN = {
    "empty": ("", "a.json: there is nothing in it"),
    "blanks": (" \n", "there is nothing in it"),
    "cut in an array": ('{"a": [1, 2', "line 1, column 12: a[1]: the file ends within it"),
    "cut in an element": ('{"a": [{"b": 1}, {"b": [', "a[1]: the file ends within it"),
    "cut in a string": ('{"a": [{"b": "cd', "a[0]: the file ends within it"),
    "cut before a value": ('{"a": ', "a: the file ends within it"),
    "a comma too many": ('{"a": [1,\n2,]}', "line 2, column 3: a[2]: expecting value, found ]"),
    "a comma too few": ('{"a": [1 2]}', "column 10: a[0]: a comma or ] is needed behind it"),
    "a comma too few inside": ('[{"a": 1 "b": 2}, {"c": 3}]', "[0]: expecting ',' delimiter"),
    "single quotes": ("{'a': [1]}", "a key in double quotes"),
    "single quotes inside": ("[{'a': 1}, {}, {}, {}, {}]", "json.dump"),
    "no value": ('{"a": flase, "bbbbbbbbbbbbbbbbbbbbbbb": 1}', "a: expecting value, found f"),
    "two documents": ('{"a": 1}\n{"a": 1}', "line 2, column 1: something follows the end of the document"),
    "a key twice": ('{"a": 1, "a": 2}', 'the key "a" occurs twice in one object'),
    "a key twice inside": ('{"b": [{"a": 1, "a": 1}]}', 'b[0]: the key "a" occurs twice'),
    "nested too deep": ('{"a": [' + "[" * 100_000 + "]" * 100_000 + "]}", "a[0]: it is nested too deep"),
    "too many digits": ('{"a": [' + "1" * 5000 + "]}", "a[0]: a number has too many digits"),
    "a control character": ('["a\nb", "ccccccccccccccccccccc"]', "[0]: invalid control character"),
    "no quotes": ("[{a: 1}, {}, {}, {}, {}, {}, {}]", "[0]: expecting property name"),
    "not UTF-8": (b'{"a": ["\xe4\xf6"]}', "a.json: line 1, byte 8 is not utf-8"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "said"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("block", [3, 1 << 20])
def test_what_is_wrong_is_told_with_its_place(
    data: str | bytes, said: str, block: int, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        list(stream(written(tmp_path, data), "a.json", block=block))
    assert said in caught.value.message
    assert caught.value.message.startswith("a.json: ")
    assert caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a\.json: the file cannot be read"):
        list(stream(str(tmp_path / "a.json"), "a.json"))


def test_other_encodings(tmp_path: Path) -> None:
    path = written(tmp_path, '{"ä": "ö"}'.encode("utf-16"))
    with pytest.raises(InputError, match="is not utf-8") as caught:
        list(stream(path, "a.json"))
    assert "--encoding utf-16" in caught.value.hint
    assert list(stream(path, "a.json", "utf-16")) == [("ä", None, "ö")]


def test_a_broken_file_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bracket that never closes makes one element of all that follows."""
    monkeypatch.setattr(json_stream, "MAX_ELEMENT", 1000)
    path = written(tmp_path, '{"a": [{"b": [' + "1, " * 5000 + "]}]}")
    with pytest.raises(InputError, match="longer than 1,000 characters") as caught:
        list(stream(path, "a.json", block=100))
    assert "a[0]: " in caught.value.message
    is_long = written(tmp_path, json.dumps({"a": [[1] * 300] * 50}))  # each element is short enough
    assert len(list(stream(is_long, "a.json", block=5000))) == 51


def test_parse_takes_one_value_only() -> None:
    assert parse(' {"a": [1, NaN]} \n')["a"][0] == 1
    for text in ("", "{", "1 2", '{"a": 1} x', '{"a": 1, "a": 2}', "[" * 100_000, "tru"):
        with pytest.raises(NotJson):
            parse(text)
