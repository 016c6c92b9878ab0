"""What setup.cfg cannot say: the native modules, left out where no C compiler is, and the manual pages."""

import os
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup

ROOT = Path(__file__).resolve().parent
MANUAL = "share/man/man1"


class InstallData(Distribution().get_command_class("install_data")):
    """Makes the manual pages of the commands as they are, just before they are installed."""

    def run(self) -> None:
        sys.path.insert(0, str(ROOT))
        from tfrecordcli.cli.manual import write_pages

        folder = Path(self.get_finalized_command("build").build_base) / "man"
        self.data_files = [(MANUAL, [str(page) for page in write_pages(folder)])]
        super().run()


def native(module: str, folder: str) -> Extension:
    """The native module of all C files in a folder."""
    return Extension(
        module,
        sources=sorted(map(str, Path(folder).glob("*.c"))),
        depends=sorted(map(str, Path(folder).glob("*.h"))),
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        extra_compile_args=["-std=c11", "-O3", "-fvisibility=hidden"],
        py_limited_api=True,
        # A wheel that others install must not lack it for want of a compiler here.
        optional=os.environ.get("TFREC_NATIVE") != "required",
    )


setup(
    ext_modules=[
        native("tfrecordcli.formats._digest", "tfrecordcli/formats/native"),
        native("tfrecordcli.images._jpeg_walk", "tfrecordcli/images/native"),
        native("tfrecordcli.sources._boxes", "tfrecordcli/sources/native"),
    ],
    data_files=[(MANUAL, [])],
    cmdclass={"install_data": InstallData},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
