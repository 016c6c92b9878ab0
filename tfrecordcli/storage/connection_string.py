"""AZURE_STORAGE_CONNECTION_STRING, as Azure's own tools read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tfrecordcli.storage.variables import Endpoint, endpoint_of

NAME: Final = "AZURE_STORAGE_CONNECTION_STRING"

# The account that every Azurite has, with the key that its documentation gives; no secret.
_DEVELOPMENT: Final = {
    "accountname": "devstoreaccount1",
    "accountkey": "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    "blobendpoint": "http://127.0.0.1:10000/devstoreaccount1",
}


@dataclass(frozen=True, slots=True)
class Connection:
    """What a connection string says; empty where it says nothing."""

    account: str = ""
    key: str = ""
    sas: str = ""
    endpoint: Endpoint | None = None


def parse_connection_string(text: str) -> Connection:
    """The account, its credentials and where it answers.

    Raises:
      StoreError: its endpoint is none.
    """
    pairs = (part.partition("=") for part in text.split(";") if "=" in part)
    parts = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if parts.get("usedevelopmentstorage", "").lower() == "true":
        parts = _DEVELOPMENT
    account, url = parts.get("accountname", ""), parts.get("blobendpoint", "")
    if account and not url:
        protocol = parts.get("defaultendpointsprotocol") or "https"
        suffix = parts.get("endpointsuffix") or "core.windows.net"
        url = f"{protocol}://{account}.blob.{suffix.strip('.')}"
    endpoint = endpoint_of(NAME, url) if url else None
    return Connection(
        account or (_account_of(endpoint) if endpoint else ""),
        parts.get("accountkey", ""),
        parts.get("sharedaccesssignature", "").removeprefix("?"),
        endpoint,
    )


def _account_of(endpoint: Endpoint) -> str:
    """The account that an endpoint belongs to: a part of its host, or the first folder of an address.

    The library wants one even beside a signature, which needs none.
    """
    if endpoint.is_address:
        return endpoint.path.removeprefix("/").partition("/")[0] or _DEVELOPMENT["accountname"]
    return endpoint.host.partition(".")[0]
