"""The gate's Python as Atheris calls it: `python gate_target.py OPTIONS SEEDS...`, with libFuzzer's options.

Whatever the bytes, a JPEG is let in or rejected, by both gates; the native one lets in nothing that libjpeg
complains of; and both searches for a marker find the same one.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import atheris

with atheris.instrument_imports(include=["tfrecordcli.images"], enable_loader_override=False):
    from tfrecordcli.images import check, jpeg
    from tfrecordcli.options import ImageOptions
    from tfrecordcli.reasons import Rejected

_WALKED = ImageOptions(max_pixels=1 << 20, check="structure")  # no damaged header makes an input slow
_NATIVE = replace(_WALKED, check="decode", gate="native")
_PORTABLE = replace(_NATIVE, gate="portable")


def judge(data: bytes) -> None:
    """Raises AssertionError, or anything else but `Rejected`, where a promise is broken."""
    walked, native, portable = (_reason(data, options) for options in (_WALKED, _NATIVE, _PORTABLE))
    assert not walked or (native and portable), f"structure: {walked}; native: {native}; portable: {portable}"
    assert native or not portable, f"the native walk lets in what libjpeg calls {portable}"
    for start in range(0, len(data), max(1, len(data) // 8)):
        assert jpeg.next_marker(data, start) == jpeg.marker_by_pattern(data, start), start
    if not walked and jpeg.walk_jpeg(data).frame.is_kept:
        assert list(jpeg.segments(data))


def _reason(data: bytes, options: ImageOptions) -> str:
    try:
        check.check_image(data, options)
    except Rejected as rejected:
        return rejected.code
    return ""


def _jpeg(data: bytes) -> None:
    judge(jpeg.SIGNATURE[:2] + data[2:])  # of other formats there is `images`


if __name__ == "__main__":
    atheris.Setup(sys.argv, _jpeg)
    atheris.Fuzz()
