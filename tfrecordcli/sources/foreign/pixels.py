"""CSVs of pixels: images themselves as numbers, one a row."""

from __future__ import annotations

import os
import re
import shlex
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path
from tfrecordcli.sources.foreign.kind import ForeignList
from tfrecordcli.sources.made_list import SAVE

# Images of a CSV whose rows are numbers, as PNGs in a folder for each label: how the CSV is read, what is
# made of the label, where the images are.
_DRAWN: Final = (
    "python -c 'import os, sys, numpy as np, pandas as pd; from PIL import Image; "
    "t = pd.read_csv(sys.argv[1], keep_default_na=False%s); "
    'y = t.pop("label" if "label" in t else t.columns[0])%s; p = %s; '
    "n = p.shape[1]; c = 1 if int(n ** 0.5) ** 2 == n else 3; s = int((n / c) ** 0.5); "
    '[(os.makedirs(f"{{sys.argv[2]}}/{{k}}", exist_ok=True), '
    'Image.fromarray(a.reshape(s, s, c).squeeze()).save(f"{{sys.argv[2]}}/{{k}}/{{i}}.png")) '
    "for i, (k, a) in enumerate(zip(y, p))]' {name}"
)
# Splits of the Facial Expression Recognition challenge, in the column Usage.
_USAGE: Final = '{{"Training": "train", "PublicTest": "validation", "PrivateTest": "test"}}'
_PIXEL_KINDS: Final = (
    ForeignList(
        "a CSV of pixels",
        re.compile(r'"?\w+"?(?:,"?(?:pixel_?[0-9]+|[0-9]+x[0-9]+)"?){50}', re.IGNORECASE | re.ASCII),
        "",
        _DRAWN % ("", "", "t.to_numpy(np.uint8)"),
    ),
    ForeignList(
        "a CSV of pixels without a header",
        re.compile(r"[0-9]+(?:,[0-9]{1,3}){200}", re.ASCII),
        "",
        _DRAWN % (", header=None", "", "t.to_numpy(np.uint8)"),
    ),
    ForeignList(
        "a CSV of pixels in a field",
        re.compile(
            r'[^\n]*\bpixels\b[^\n]*\r?\n"?[^,\n]*,(?:[^,\n]*,)? ?"?[0-9]{1,3}(?: [0-9]{1,3}){200}', re.ASCII
        ),
        "",
        _DRAWN
        % (
            ", skipinitialspace=True",
            f'; y = t["Usage"].replace({_USAGE}) + "/" + y.astype(str) if "Usage" in t else y',
            'np.array([v.split() for v in t["pixels"]], np.uint8)',
        ),
    ),
)


def need_no_pixels(text: str, name: str) -> None:
    """Refuses a CSV that begins like one of pixels.

    Raises:
      InputError: what it is, and the command that writes its images to files.
    """
    kind = next((kind for kind in _PIXEL_KINDS if kind.sign.match(text)), None)
    if kind is not None:
        hint = SAVE + "files of its images"
        if os.path.isfile(name):
            folder = shlex.quote(as_path(f"{os.path.splitext(name)[0]}-images"))
            command = kind.command.format(name=shlex.quote(as_path(name)))
            hint = f"write its images to files: {command} {folder}; then: tfrec convert {folder} OUTPUT_DIR"
        raise InputError(f"{name}: this is {kind.what}, which is not read", hint)
