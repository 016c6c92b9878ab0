"""WiderPerson: boxes in `Annotations/1.jpg.txt`, how many there are and then a line of each, beside `Images`.

A line is class, xmin, ymin, xmax, ymax in pixels; class 4: regions to be passed over. `train.txt`, `val.txt`
and `test.txt` name images without their extension; those of test have no annotations.
"""

from __future__ import annotations

from typing import Final

from tfrecordcli.sources.made_list import made_of_folder

_CODE: Final = (
    "import csv, glob, pathlib, sys; r = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    'a = sorted(map(r.joinpath, glob.glob("**/[Aa]nnotations/*.jpg.txt", root_dir=r, recursive=True))); '
    'u = {(o, i.removesuffix(".jpg")): k for o in {p.parent.parent for p in a} '
    'for k in ("train", "val", "test") for f in [o / f"{k}.txt"] if f.is_file() '
    'for i in f.read_text(encoding="utf-8-sig").split()}; '
    's = lambda p: [u.get((p.parent.parent, p.name[:-8]), "")] * bool(u); '
    'm = {"1": "pedestrian", "2": "rider", "3": "partially-visible person", "5": "crowd"}; '
    'h = "image label xmin ymin xmax ymax".split() + ["split"] * bool(u); '
    "w.writerows([h, *([i.relative_to(r).as_posix(), m.get(c, c), *b, *s(p)] for p in a "
    "for o in [p.parent.parent] for n in [glob.escape(p.stem)] "
    'for k in [sorted(o.glob("*/" + n)) or sorted(o.glob("*/*/" + n))] '
    'if len(k) < 2 or k[0].parent.parent == o or sys.exit(f"{p}: {len(k)} images called {p.stem}") '
    'for i in [*k, o / "Images" / p.stem][:1] '
    'for t in [p.read_text(encoding="utf-8-sig")] '
    'for n, *l in [[v for v in map(str.split, t.splitlines()) if v] or [["0"]]] '
    'if n == [str(len(l))] and {*map(len, l)} <= {5} or sys.exit(f"{p}: not as many boxes as it says") '
    'for c, *b in [v for v in l if v[0] != "4"] or [[""] * 5][len(l):])])'
)


def wider_person_hint(root: str, _: bytes) -> str:
    """The command that makes a list of a local folder."""
    made = made_of_folder("boxes", _CODE, root)
    left_out = "regions to be passed over (class 4) are left out, and images that have nothing else"
    return f"{made}; classes get the names of WiderPerson's ReadMe, and {left_out}" if made else ""
