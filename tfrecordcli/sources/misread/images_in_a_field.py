"""Fields that name several images, as those of products in shops do: `a.jpg, https://…/b.jpg`."""

from __future__ import annotations

import json
import os

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.image_paths import PathRules, path_of
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.proposals.image_columns import BETWEEN_IMAGES, id_columns, images_in
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote


def need_one_image_a_field(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses a column of images with fields that name several, none of which is a file that is called so.

    One such field alone may be a file that is missing, unless one of its parts is a URL or a file.

    Args:
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with the command that makes a row of each image.
    """
    header, image = sample.shape.header, sample.shape.image
    if rows.is_spooled or rows.is_own or not header or image is None or sample.shape.boxes is not None:
        return
    mapped = PathRules(rows.options.map).apply
    found = [f for f in sample.fields(image) if _are_several(f) and not _is_file(mapped(f), root)]
    if several := next(iter(found), ""):
        parts = images_in(several)
        if len(found) == 1 and not any(is_remote(each) or _is_file(mapped(each), root) for each in parts):
            return  # a file that is not there
        by = command_line(["--split-by", *(header[i] for i in id_columns(header, sample.table)[:1])])
        together = f", with {by} for images of a row in one split" if by != "--split-by" else ""
        raise InputError(
            f"fields of column {header[image]} name several images each, as {several}",
            f"for a row of each, {_parted(sample, rows.name, image)}, and convert that instead{together}",
        )


def _are_several(field: str) -> bool:
    """Whether a field names several images, relative ones or URLs all of them."""
    names = images_in(field)
    return len(names) > 1 and len({*map(is_remote, names)}) == 1


def _is_file(field: str, root: str) -> bool:
    path = path_of(field, root)
    return bool(path) and os.path.isfile(path)


def _parted(sample: Sample, name: str, image: int) -> str:
    """The command: what stands beside them all images of a row share."""
    code = (
        f"import re; w.writerow(next(r)); w.writerows([*f[:{image}], p, *f[{image + 1}:]] for f in r if f "
        f'for p in re.sub({json.dumps(BETWEEN_IMAGES)}, "\\\\1\\n", "".join(f[{image}:{image + 1}]))'
        '.split("\\n"))'
    )
    return made_by("", rows_by(code, sample.shape.delimiter), name)
