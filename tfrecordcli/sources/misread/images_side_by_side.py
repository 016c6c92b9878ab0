"""Rows of several images, in columns as pandas calls what comes again (`image,label,image.1,label.1`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.column_words import columns_option, looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.sample import Sample

_AGAIN: Final = re.compile(r"(.+)\.([1-9][0-9]*)")


def need_one_image_a_row(sample: Sample, rows: RowFile) -> None:
    """Refuses further columns of images that are called like the one that is read, with a number behind.

    Raises:
      InputError: with the command that makes a row of each image, and what reads the first ones alone.
    """
    header, image, options = sample.shape.header, sample.shape.image, rows.options
    if rows.is_spooled or rows.is_own or not header or image is None:
        return
    if "image_uri" in dict(options.columns):
        return
    others = [i for i in _again(header, header[image]) if not is_asked_for(header[i], options.features)]
    others = [i for i in others if _are_images(sample.fields(i))]
    if others:
        named = ", ".join(header[i] for i in others)
        alone = columns_option([("image_uri", header[image]), *_labels(sample)])
        raise InputError(
            f"each row has further images beside {header[image]} ({named})",
            f"for a row of each, {_parted(sample, rows.name, others)}; {alone} reads {header[image]} alone",
        )


def _labels(sample: Sample) -> Sequence[tuple[str, str]]:
    return [("label", sample.shape.header[i]) for i in sample.shape.labels]


def _again(header: Sequence[str], name: str) -> list[int]:
    """The columns that are called as this one, with a number behind."""
    found = [(i, _AGAIN.fullmatch(each)) for i, each in enumerate(header)]
    return [i for i, match in found if match and match[1] == name]


def _are_images(fields: Sequence[str]) -> bool:
    filled = [field for field in fields if field]
    return bool(filled) and all(map(looks_like_image, filled))


def _parted(sample: Sample, name: str, others: Sequence[int]) -> str:
    """The command: what only the first image has a column for, all images of the row share."""
    header, image = list(sample.shape.header), sample.shape.image
    numbers = [header[i].rpartition(".")[2] for i in others]
    again = {i for i, each in enumerate(header) if (match := _AGAIN.fullmatch(each)) and match[1] in header}
    first = [i for i in range(len(header)) if i not in again]
    groups = [first]
    for number in numbers:
        called = [f"{header[i]}.{number}" for i in first]
        groups.append(
            [header.index(each) if each in header else i for each, i in zip(called, first, strict=True)]
        )
    place = first.index(image) if image in first else 0
    code = (
        f"g = {groups}; h = next(r); w.writerow([h[i] for i in g[0]]); "
        f'w.writerows([f[i] for i in c] for f in (f + [""] * {len(header)} for f in r) for c in g '
        f"if f[c[{place}]].strip())"
    )
    return made_by("", rows_by(code, sample.shape.delimiter), name)
