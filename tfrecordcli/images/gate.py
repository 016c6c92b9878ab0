"""Which check of picture data in JPEGs a conversion uses: the native walk, or libjpeg's decode.

The native one is C, built where the package is installed with a compiler (or from a wheel that has it). It
goes over every code of the entropy-coded data, faster than libjpeg decodes them, and finds damage that
libjpeg shows without a word. The portable one is `jpeg_decode.decode_strictly`. As they differ in what they
let in, the plan says which one is used, and no worker takes another.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

from tfrecordcli.errors import ResourceError, UsageError
from tfrecordcli.reasons import Rejected

try:
    from tfrecordcli.images import _jpeg_walk
except ImportError:  # built without a compiler, or run from its sources alone
    _jpeg_walk = None  # type: ignore[assignment, unused-ignore]

Gate = Literal["native", "portable"]
AnyGate = Literal["auto", "native", "portable"]
PORTABLE: Final = "portable"
HINT: Final = "install tfrec again where there is a C compiler (pip install --force-reinstall --no-deps .)"


def is_here(gate: str) -> bool:
    return gate == PORTABLE or _jpeg_walk is not None


def here() -> str:
    """What `auto` stands for, with its version: `native 3`, or `portable`."""
    return PORTABLE if _jpeg_walk is None else f"native {_jpeg_walk.VERSION}"


def settled(asked: str) -> Gate:
    """The gate that `auto` stands for here, or the one that was asked for.

    Raises:
      UsageError: it is not here.
    """
    if asked == "auto":
        return name_of(here())
    if not is_here(asked):
        raise UsageError("--gate native: tfrec was installed here without it", HINT)
    return name_of(asked)


def told(gate: Gate) -> str:
    """A gate with the version that it has here, as plans and manifests have it."""
    return PORTABLE if gate == PORTABLE else here()


def name_of(gate: str) -> Gate:
    """A gate without its version."""
    return PORTABLE if gate == PORTABLE else "native"


def need_gate(planned: str) -> None:
    """Refuses what was planned with a gate that is not here.

    Args:
      planned: a gate with its version, as it stands in the plan.

    Raises:
      ResourceError: with a hint.
    """
    if planned in (PORTABLE, here()):
        return
    hint = "install the tfrec that made the plan" if is_here("native") else HINT
    raise ResourceError(
        f"the plan is for the gate {planned}; here it is {here()}",
        f"{hint}, or plan again with --gate portable --overwrite",
        code="gate",
    )


def walk_picture_data(data: bytes, admitted: Collection[str]) -> bool:
    """Goes over the picture data of a JPEG natively; False when it is of a kind that takes a decoder.

    Args:
      data: a JPEG whose markers were walked.
      admitted: of `dc_range`, what is no fault.

    Raises:
      Rejected: corrupt, incomplete, dc_range.
      MemoryError: there is too little for this picture.
    """
    assert _jpeg_walk is not None, "need_gate was called"
    fault = _jpeg_walk.walk(data)
    if fault is None:
        return True
    code, detail, offset = fault
    if code == "unsupported":
        return False
    if code in admitted:
        return True
    # A file that is cut was refused before: what ends early here is data that its headers promise.
    code = "corrupt" if code == "truncated" else code
    what = f"errors in the picture data: {detail} (byte {offset:,})"
    raise Rejected(code, format="JPEG", detail=what, offset=f"{offset:,}")
