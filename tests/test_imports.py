"""What is loaded when: nobody pays for TensorFlow, pandas or Beam who does not use them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from converting import TFREC, TIMEOUT, Run, convert_json, environment, image_list, tfrec
from PIL import Image
from sampling import first

from tfrecordcli.images.gate import is_here

HEAVY = {"tensorflow", "pandas", "apache_beam", "google.protobuf", "obstore", "urllib3", "boto3"}
# Writes the names of all modules that a process loaded to a file of its own as it ends, workers too.
SITECUSTOMIZE = """
import atexit, os, sys

def _tell(leave=os._exit):
    path = os.path.join(os.environ["TELL_MODULES"], str(os.getpid()))
    with open(path + ".tmp", "w") as file:
        file.write("\\n".join(sys.modules))
    os.replace(path + ".tmp", path)

def _exit(code, leave=os._exit):
    _tell()
    leave(code)

atexit.register(_tell)
os._exit = _exit  # how a worker leaves
if "tfrecordcli.runners.worker" in sys.orig_argv[-2]:  # a worker is killed when it is not needed
    import threading, time

    def _keep_telling():
        while True:
            time.sleep(0.02)
            _tell()

    threading.Thread(target=_keep_telling, daemon=True).start()
"""


# What digests and checks of JPEGs take where there was no C compiler.
_WITHOUT_NATIVE = {"numpy", "PIL", "simplejpeg"} if is_here("native") else set()


class Spy:
    """Runs commands and knows what their processes loaded."""

    def __init__(self, folder: Path) -> None:
        self._site = folder / "site"
        self._site.mkdir()
        (self._site / "sitecustomize.py").write_text(SITECUSTOMIZE)
        self._told = folder / "told"
        self._told.mkdir()

    def environment(self) -> dict[str, str]:
        return environment(PYTHONPATH=str(self._site), TELL_MODULES=str(self._told))

    def loaded(self) -> list[set[str]]:
        """The modules of every process since the last call."""
        found = []
        for path in self._told.glob("*[0-9]"):
            found.append(set(path.read_text().split("\n")))
            path.unlink()
        return found


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    return Spy(tmp_path)


def python(code: str, *arguments: object, env: dict[str, str] | None = None) -> Run:
    """Runs a script file's worth of code."""
    return tfrec(*arguments, command=[sys.executable, "-c", code], env=env)


@pytest.mark.parametrize("arguments", [("--help",), ("-V",), ("convert", "--help")], ids=" ".join)
def test_help_loads_next_to_nothing(spy: Spy, arguments: tuple[str, ...]) -> None:
    assert tfrec(*arguments, env=spy.environment()).code == 0
    (modules,) = spy.loaded()
    assert "tfrecordcli.cli.main" in modules  # it is our own process that told
    assert not modules & {*HEAVY, "numpy", "PIL", "simplejpeg", "google_crc32c", "tqdm"}


def test_a_conversion_loads_nothing_heavy_in_any_process(spy: Spy, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in")
    done = convert_json(csv, tmp_path / "out", "--workers", "2", "--num-shards", "4", env=spy.environment())
    assert done["exit_code"] == 0
    processes = spy.loaded()
    parents = [modules for modules in processes if "tfrecordcli.converting.conversion" in modules]
    workers = [modules for modules in processes if "tfrecordcli.shards.writer" in modules]
    assert len(parents) == 1
    assert workers
    for modules in processes:
        assert not modules & HEAVY
    assert not parents[0] & {"numpy", "PIL", "simplejpeg", "xml.parsers.expat", "ssl", "difflib"}
    readers = ("sources.folder_source", "sources.record_source", "sources.json", "tfrecords.record_reader")
    refusals = ("sources.proposals.columns_unnamed", "converting.no_usable_image")
    assert not parents[0] & {f"tfrecordcli.{name}" for name in (*readers, *refusals)}  # of what a CSV is not
    for modules in workers:
        assert not modules & {"click", "tqdm"}
    assert tfrec("verify", tmp_path / "out", "--no-feed", "--workers", "1", env=spy.environment()).code == 0
    for modules in spy.loaded():
        assert not modules & {*HEAVY, *_WITHOUT_NATIVE, "ssl", "tfrecordcli.sources"}


def test_images_that_are_kept_need_no_decoder(spy: Spy, tmp_path: Path) -> None:
    """Of JPEGs where the native gate was built."""
    pytest.importorskip("tfrecordcli.formats._digest", reason="needs a C compiler")
    code = """
import io, sys
from tfrecordcli.images.check import check_image
from tfrecordcli.formats.digest import record_digest
from tfrecordcli.options import ImageOptions
import tfrecordcli.runners.worker, tfrecordcli.integrity.shard_check
for path in sys.argv[1:]:
    record_digest(check_image(open(path, "rb").read(), ImageOptions()).data)
"""
    kept = [tmp_path / "one.jpg", tmp_path / "two.png"]
    for path in kept:
        Image.new("RGB", (17, 9), "red").save(path)
    assert python(code, *kept, env=spy.environment()).code == 0
    (modules,) = spy.loaded()
    assert "tfrecordcli.runners.worker" in modules
    assert not modules & {"numpy", "PIL", "simplejpeg", "ssl", "tfrecordcli.storage.store"}


def test_importing_the_package_is_light(spy: Spy) -> None:
    assert python("import tfrecordcli; tfrecordcli.convert", env=spy.environment()).code == 0
    (modules,) = spy.loaded()
    assert "tfrecordcli" in modules
    assert not modules & {*HEAVY, "numpy", "PIL", "simplejpeg", "click"}


def test_writing_needs_no_tensorflow_and_no_pandas(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    for name in ("tensorflow", "pandas", "apache_beam"):
        (blocked / name).mkdir(parents=True)
        (blocked / name / "__init__.py").write_text("raise ImportError('not installed here')")
    csv = image_list(tmp_path / "in")
    done = convert_json(csv, tmp_path / "out", env=environment(PYTHONPATH=str(blocked)))
    assert (done["exit_code"], done["records"]) == (0, 12)


SHOW = "print(pandas.DataFrame({'a': [1]}).tensorflow.to_tfr.__name__)"


@pytest.mark.parametrize(
    "code",
    first(
        [
            "import pandas, tfrecordcli",
            "import tfrecordcli; from importlib.util import find_spec\n"
            "assert find_spec('pandas').loader.get_filename('pandas').endswith('__init__.py')\n"
            "import pandas",
        ],
        [
            "import tfrecordcli, pandas",
            "import tfrecordcli, importlib.util; importlib.util.find_spec('pandas'); import pandas",
            "import tfrecordcli, importlib; importlib.reload(tfrecordcli); import pandas",
        ],
    ),
)  # fmt: skip
def test_the_accessor_is_there_whatever_comes_first(code: str) -> None:
    done = python(f"{code}\n{SHOW}")
    assert (done.code, done.out, done.err) == (0, "to_tfrecord\n", "")


def test_pandas_looks_untouched() -> None:
    code = (
        "import sys, tfrecordcli\n"
        "finders = len(sys.meta_path)\n"
        "import pandas\n"
        "assert type(pandas.__loader__).__name__ == 'SourceFileLoader', pandas.__loader__\n"
        "assert pandas.__spec__.loader is pandas.__loader__\n"
        "assert not any('tfrecordcli' in type(f).__module__ for f in sys.meta_path)\n"
    )
    done = python(code)
    assert (done.code, done.err) == (0, "")


def test_a_loader_that_takes_no_attributes() -> None:
    """As those written in C, or with slots."""
    code = (
        "import importlib.machinery, sys, types, tfrecordcli\n"
        "class Loader:\n"
        "    __slots__ = ()\n"
        "    def create_module(self, spec): return None\n"
        "    def exec_module(self, module):\n"
        "        module.__path__ = []\n"
        "        for name in ('pandas.api', 'pandas.api.extensions'):\n"
        "            sys.modules[name] = types.ModuleType(name)\n"
        "        sys.modules[name].register_dataframe_accessor = lambda name: lambda made: print(name)\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pandas': return importlib.machinery.ModuleSpec(name, Loader())\n"
        "sys.meta_path.insert(1, Finder())\n"
        "import pandas\n"
    )
    done = python(code)
    assert (done.code, done.out, done.err) == (0, "tensorflow\n", "")


def test_without_pandas_the_package_works_and_the_error_is_the_usual_one(tmp_path: Path) -> None:
    code = (
        "import sys, tfrecordcli\n"
        "sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
        "try:\n    import pandas\n"
        "except ModuleNotFoundError as error:\n    print(error.name)\n"
    )
    assert python(code).out == "pandas\n"


def test_a_script_without_a_main_guard(tmp_path: Path) -> None:
    """Workers must not run the user's script again, as multiprocessing would."""
    csv = image_list(tmp_path / "in")
    script = tmp_path / "script.py"
    script.write_text(
        "import pandas as pd\nimport tfrecordcli\n"
        f"frame = pd.read_csv({str(csv)!r})\n"
        f"print(frame.tensorflow.to_tfr(output_dir={str(tmp_path / 'out')!r},"
        f" image_root={str(csv.parent)!r}, num_shards=3, workers=2)['records'])\n"
    )
    # Modules of the user's folder must not become ours either.
    (tmp_path / "csv.py").write_text("raise RuntimeError('the wrong csv')")
    (tmp_path / "json.py").write_text("raise RuntimeError('the wrong json')")
    done = subprocess.run(
        [sys.executable, "-P", str(script)],
        cwd=tmp_path, capture_output=True, text=True, env=environment(), timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "12\n", "")


def test_the_console_script_is_the_module(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("tfrec")
    if not os.access(script, os.X_OK):
        pytest.skip("the package is not installed with its script")
    assert tfrec("--version", command=[str(script)]) == tfrec("--version", command=TFREC)
