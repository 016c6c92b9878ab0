"""Whether the stores that somebody asks for answer."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tfrecordcli.doctor.finding import Finding
from tfrecordcli.errors import TfrecError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.network import Timeouts
from tfrecordcli.storage.store import Store
from tfrecordcli.storage.stores import hint_of
from tfrecordcli.storage.uris import STORES, parse_store_url, public_uri, scheme_of

# Somebody is looking at the screen.
_PATIENCE: Final = Timeouts(connect=3.0, read=5.0, request=5.0, total=10.0, retries=1)

# Store -> (beginnings of variables, a file) by which it is set up.
_SIGNS: Final = {
    "gs": (("GOOGLE_APPLICATION_CREDENTIALS", "STORAGE_EMULATOR_HOST"), ".config/gcloud"),
    "s3": (("AWS_",), ".aws"),
    "oss": (("OSS_", "ALIBABA_CLOUD_"), ".oss"),
    "az": (("AZURE_",), ".azure"),
}


def find_stores(urls: Sequence[str], environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """How each of these answers; without any, which stores are set up, and nothing is sent."""
    yield from map(_ask, urls)
    if not urls:
        found = ", ".join(f"{scheme}://" for scheme in _SIGNS if _is_set_up(scheme, environment))
        text = f"settings for {found}" if found else "no settings for any"
        yield Finding("stores", "ok", f"{text}; --stores gs://BUCKET asks whether one answers")


def _is_set_up(scheme: str, environment: Mapping[str, str]) -> bool:
    variables, folder = _SIGNS[scheme]
    if any(value and name.startswith(variables) for name, value in environment.items()):
        return True
    return (Path(environment.get("HOME", "~")).expanduser() / folder).exists()


def _ask(url: str) -> Finding:
    scheme = scheme_of(url)
    if scheme not in STORES:
        known = ", ".join(f"{each}://" for each in STORES)
        return Finding("stores", "wrong", f"{public_uri(url)}: this is no store", f"give {known}")
    began = time.monotonic()
    try:
        place = parse_store_url(url)
        store = Store(scheme, place.bucket, _PATIENCE)
        is_empty = next(store.below(place.key.rstrip("/")), None) is None
    except Rejected as reject:
        return Finding(
            "stores", "wrong", f"{url}: {reject.details['detail']}", "write it as in gs://bucket/folder"
        )
    except TfrecError as error:
        message = error.message if url in error.message else f"{url}: {error.message}"
        return Finding("stores", "wrong", message, error.hint)
    except OSError as error:
        refused = isinstance(error, PermissionError)
        what = "it refuses to list what is there" if refused else "there is no such bucket"
        hint = hint_of(scheme) if refused else "make it, or see its name"
        return Finding("stores", "wrong", f"{url}: {what}", hint)
    signed = ", without credentials" if store.is_anonymous else ""
    content = "nothing is there yet" if is_empty else "it can be read"
    return Finding("stores", "ok", f"{url}: {content}{signed} ({time.monotonic() - began:.1f} s)")
