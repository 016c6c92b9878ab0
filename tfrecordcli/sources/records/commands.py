"""Parts of commands that make something of TFRecords by TensorFlow."""

from __future__ import annotations

import glob
import os
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.records.files import RecordFiles

ON_STORE: Final = "copy them to a disk here: the message then has the command that makes a file of each image"
_FEW: Final = 8  # files that a command names one by one
_ANY: Final = "tfrec"  # what the names of most others have in them
# With the folder, a new one, the key, and the files behind it.
_WITH_PNGS: Final = """\
import glob, os, shutil, sys, tensorflow as tf; \
source, out, key, *names = sys.argv[1:]; os.mkdir(out); E = tf.train.Example; \
files = sorted({f for n in names for f in glob.glob(n, root_dir=source, recursive=True)}); \
others = glob.glob("*.txt", root_dir=source) + glob.glob("*.pbtxt", root_dir=source); \
[shutil.copy(os.path.join(source, f), out) for f in others]; \
[os.makedirs(os.path.dirname(os.path.join(out, f)), exist_ok=True) for f in files]; \
begins = [(p.read(2), p.close())[0] for p in (open(os.path.join(source, f), "rb") for f in files)]; \
png = lambda data: PNG; \
again = lambda e: (v := e.features.feature[key].bytes_list.value, v.append(png(v.pop()).numpy()), \
e.SerializeToString())[-1]; \
[(w := tf.io.TFRecordWriter(os.path.join(out, f)), [w.write(again(E.FromString(r.numpy()))) \
for r in tf.data.TFRecordDataset(os.path.join(source, f), "GZIP" * (b == bytes([31, 139])))], w.close()) \
for f, b in zip(files, begins)]\
"""


def writing_pngs(files: RecordFiles, key: str, png: str) -> str:
    """The command that writes records with PNGs, beside these, and what comes next.

    Args:
      key: of the feature that holds pixels.
      png: Python that makes a PNG, as a tensor, of its value `data` by TensorFlow.
    """
    out = as_path(folder_beside(files, "png"))
    code = _WITH_PNGS.replace("PNG", png)
    make = command_line(["python", "-c", code, as_path(files.folder), out, key, *patterns(files)])
    return f"{make}; then {command_line(['tfrec', 'convert', out])} OUTPUT_DIR"


def patterns(files: RecordFiles) -> list[str]:
    """What glob finds the files by in their folder."""
    if len(files.names) > _FEW and all(_ANY in name.rpartition("/")[2] for name in files.names):
        return [f"**/*{_ANY}*"]
    return [*map(glob.escape, files.names)]


def folder_beside(files: RecordFiles, word: str) -> str:
    """A new folder beside what was given, called so."""
    folder, last = os.path.split(files.given.rstrip("/"))
    return os.path.join(folder, word if last in ("", ".", "..") else f"{last}-{word}")
