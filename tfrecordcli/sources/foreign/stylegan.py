"""StyleGAN's data sets: folders of so many images each, and the labels of these in `dataset.json`.

What `dataset_tool.py` of https://github.com/NVlabs/stylegan3 writes:
`{"labels": [["00000/img00000000.png", 6], …]}` with a number or a vector an image, or `{"labels": null}`.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path
from tfrecordcli.sources.made_list import made_by

_LIST: Final = "dataset.json"
_HEAD: Final = 1 << 10
_LABELS: Final = re.compile(r'\s*\{\s*"labels"\s*:\s*(?:(null)|\[\s*\[\s*"([^"\n]+)"\s*,\s*\[?\s*[0-9])')
# Folders as it numbers them, of images and right in a folder.
_IMAGE: Final = re.compile(r"[0-9]{5}/img[0-9]{8}\.[a-z]+", re.ASCII)
_FOLDER: Final = "00000"
_COMMAND: Final = (
    "python -c 'import csv, json, sys; w = csv.writer(sys.stdout); "
    't = [(k, v if isinstance(v, list) else [v]) for k, v in json.load(open(sys.argv[1], "rb"))["labels"]]; '
    "n = max(len(v) for _, v in t); "
    'w.writerow(["image", *(["label"] if n == 1 else [f"label_{{i}}" for i in range(n)])]); '
    'w.writerows([k, *(f"{{x:g}}" for x in v)] for k, v in t)\' {name}'
)


def need_no_stylegan(folder: str) -> None:
    """Refuses a local folder as StyleGAN has them, whose folders are no classes.

    Raises:
      InputError: that is what it is, with the command that makes a list of its images.
    """
    path = os.path.join(folder, _LIST)
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        found = _LABELS.match(file.read(_HEAD))
    is_numbered = found and (_IMAGE.fullmatch(found[2]) if found[2] else _has_numbers(folder))
    if found and is_numbered:
        raise _refusal(path, bool(found[1]), "; its folders are numbered, and no classes")


def need_no_list_of_stylegan(text: str, name: str) -> None:
    """Refuses the list of StyleGAN's labels.

    Raises:
      InputError: as `need_no_stylegan`.
    """
    found = _LABELS.match(text)
    if found:
        raise _refusal(name, bool(found[1]), "")


def _has_numbers(folder: str) -> bool:
    inner = os.path.join(folder, _FOLDER)
    names = os.listdir(inner) if os.path.isdir(inner) else ()
    return any(_IMAGE.fullmatch(f"{_FOLDER}/{name}") for name in names)


def _refusal(path: str, has_none: bool, folders: str) -> InputError:
    hint = made_by("", _COMMAND, path)
    if has_none:
        folder = os.path.dirname(path) or "."
        target = shlex.quote(as_path(os.path.join(folder, "list.csv")))
        hint = (
            "make a list of the images without labels: (echo image; cd "
            f"{shlex.quote(as_path(folder))} && find [0-9]* -name 'img*' | sort) > {target}; "
            f"then: tfrec convert {target} OUTPUT_DIR --unlabelled keep"
        )
    what = "no labels, as StyleGAN writes it" if has_none else "the labels of images, as StyleGAN has them"
    return InputError(f"{path}: this is JSON with {what}{folders}", hint)
