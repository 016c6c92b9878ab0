"""nuImages: a folder of tables in JSON, `v1.0-train/object_ann.json` and others, joined by tokens.

An object tells its image by `sample_data_token`, its class by `category_token` and its corners as `bbox`;
images that are no key frames have none (https://www.nuscenes.org/nuimages).
"""

from __future__ import annotations

import glob
import os
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_of_folder

_TABLES: Final = ("object_ann.json", "sample_data.json", "category.json")
# Key frames without an object show nothing; nobody annotated those of the split for tests.
_CODE: Final = (
    "import csv, json, pathlib, sys; r = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    f'L = lambda d: [json.loads((d / n).read_bytes()) for n in "{" ".join(_TABLES)}".split()]; '
    "G = lambda A, k: (lambda o: ([o.setdefault(a[k], []).append(a) for a in A], o)[1])({}); "
    'w.writerow("image xmin ymin xmax ymax label split".split()); '
    '[w.writerow([i["filename"], *(b["bbox"] or [""] * 4), c.get(b["category_token"], ""), s]) '
    f'for p in sorted(r.glob("*/{_TABLES[0]}")) for d in [p.parent] for A, I, C in [L(d)] if A '
    'for c, o in [({k["token"]: k["name"] for k in C}, G(A, "sample_data_token"))] '
    'for s in [{"v1.0-train": "train", "v1.0-val": "val"}.get(d.name, "")] '
    'for i in I if i["is_key_frame"] or i["token"] in o '
    'for b in o.get(i["token"], [dict(bbox=None, category_token="")])]'
)


def need_no_nu_images(folder: str) -> None:
    """Refuses a folder that holds such tables beside the images, or is one of them.

    Raises:
      InputError: that is what it is, with the command that makes one list of the boxes.
    """
    inner = glob.glob(os.path.join(glob.escape(folder or "."), "*", _TABLES[0]))
    is_above = any(map(_has_tables, map(os.path.dirname, inner)))
    if is_above or _has_tables(folder):
        root = folder if is_above else os.path.dirname(os.path.abspath(folder))
        raise InputError(
            f"{folder or '.'}: this is nuImages, whose boxes, images and classes are tables joined by tokens",
            made_of_folder("boxes", _CODE, root),
        )


def _has_tables(folder: str) -> bool:
    return all(os.path.isfile(os.path.join(folder, name)) for name in _TABLES)
