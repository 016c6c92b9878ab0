"""The stores of this process, opened when first asked for: until then none of their code is loaded."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tfrecordcli.storage.uris import ObjectName

if TYPE_CHECKING:
    from tfrecordcli.storage.store import Store

_HINTS: Final = {
    "s3": "see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL",
    "gs": "see GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login",
    "oss": "see OSS_ACCESS_KEY_ID, OSS_ACCESS_KEY_SECRET, OSS_REGION and OSS_ENDPOINT",
    "az": "see AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or AZURE_STORAGE_CONNECTION_STRING",
}


@lru_cache(maxsize=64)
def _store(scheme: str, bucket: str) -> Store:
    from tfrecordcli.storage.store import Store

    return Store(scheme, bucket)


def store_of(name: ObjectName) -> Store:
    """The store that an object is on; kept, so that its connections are used again."""
    return _store(name.scheme, name.bucket)


def forget_stores() -> None:
    """Drops all clients, so that changed settings count; each command does at its start.

    What is read already goes on with the client that it has.
    """
    _store.cache_clear()


def hint_of(scheme: str) -> str:
    """What to set for a cloud."""
    return _HINTS[scheme]
