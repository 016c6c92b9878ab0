"""The libraries that decode and encode images here, with their versions."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from typing import Final

from PIL import __version__, features

_METADATA: Final = ".dist-info"


@functools.cache
def codec_versions() -> dict[str, str]:
    """The versions of all that the bytes of re-encoded images depend on, by name."""
    versions = {
        "pillow": __version__,
        "simplejpeg": _installed("simplejpeg"),
        "numpy": _installed("numpy"),
        "libjpeg-turbo": features.version_feature("libjpeg_turbo") or features.version_codec("jpg"),
        "zlib": features.version_codec("zlib"),
        "zlib-ng": features.version_feature("zlib_ng"),
        "openjpeg": features.version_codec("jpg_2000"),
        "libtiff": features.version_codec("libtiff"),
        "libwebp": features.version_module("webp"),
        "libavif": features.version_module("avif"),
    }
    try:
        pi_heif = importlib.import_module("pi_heif")
    except ImportError:
        pass
    else:
        versions["pi-heif"] = pi_heif.__version__
        versions["libheif"] = pi_heif.libheif_version()
    return {name: version for name, version in versions.items() if version}


def _installed(package: str) -> str:
    """The version of a package without loading it; empty when it is not there.

    It stands in the name of a folder beside it (PyPA, "Recording installed projects"), which
    `importlib.metadata` takes 15 ms to find.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return ""
    for name in os.listdir(os.path.dirname(spec.submodule_search_locations[0])):
        if name.startswith(f"{package}-") and name.endswith(_METADATA):
            return name[len(package) + 1 : -len(_METADATA)]
    return str(getattr(importlib.import_module(package), "__version__", "unknown"))
