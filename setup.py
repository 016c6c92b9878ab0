"""The one thing that setup.cfg cannot say: the native module, which is left out where no C compiler is."""

from pathlib import Path

from setuptools import Extension, setup

NATIVE = Path("tfrecordcli/images/native")

setup(
    ext_modules=[
        Extension(
            "tfrecordcli.images._jpeg_walk",
            sources=sorted(map(str, NATIVE.glob("*.c"))),
            depends=sorted(map(str, NATIVE.glob("*.h"))),
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            extra_compile_args=["-std=c11", "-O3", "-fvisibility=hidden"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
