"""What setup.cfg cannot say: the native module, left out where no C compiler is, and the manual pages."""

import os
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup

ROOT = Path(__file__).resolve().parent
NATIVE = Path("tfrecordcli/images/native")
MANUAL = "share/man/man1"


class InstallData(Distribution().get_command_class("install_data")):
    """Makes the manual pages of the commands as they are, just before they are installed."""

    def run(self) -> None:
        sys.path.insert(0, str(ROOT))
        from tfrecordcli.cli.manual import write_pages

        folder = Path(self.get_finalized_command("build").build_base) / "man"
        self.data_files = [(MANUAL, [str(page) for page in write_pages(folder)])]
        super().run()


setup(
    ext_modules=[
        Extension(
            "tfrecordcli.images._jpeg_walk",
            sources=sorted(map(str, NATIVE.glob("*.c"))),
            depends=sorted(map(str, NATIVE.glob("*.h"))),
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            extra_compile_args=["-std=c11", "-O3", "-fvisibility=hidden"],
            py_limited_api=True,
            # A wheel that others install must not lack it for want of a compiler here.
            optional=os.environ.get("TFREC_NATIVE") != "required",
        )
    ],
    data_files=[(MANUAL, [])],
    cmdclass={"install_data": InstallData},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
