"""Settings as people write them into environment variables and files, checked before a client is made.

The library that talks to the stores takes them as they are, and falls over those that cannot be sent.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import StoreError

_CLOUDS: Final = ("AWS_", "OSS_", "ALIBABA_CLOUD_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR_HOST")
_ENDPOINT: Final = re.compile(
    r"(https?)://([A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?((?:/[!-.0-;=@-~]*)*)",
    re.IGNORECASE,
)
_NAME: Final = re.compile("[A-Za-z0-9_-]+")
_KEY: Final = re.compile("[!-~]*")  # what a header can hold


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``http(s)://host[:port][/path]``; the host with the brackets of IPv6, no slash at the end."""

    scheme: str
    host: str
    port: str
    path: str

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.port and ':'}{self.port}{self.path}"

    @property
    def is_address(self) -> bool:
        """Whether no name of a bucket can stand before its host: an IP address, or this machine."""
        return self.host.lower() == "localhost" or _address(self.host) is not None


def cleaned(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with those of its clouds' variables that are not empty, without blanks around them."""
    kept = {name: value for name, value in environment.items() if not name.startswith(_CLOUDS)}
    of_clouds = ((name, value.strip()) for name, value in environment.items() if name.startswith(_CLOUDS))
    return kept | {name: value for name, value in of_clouds if value}


def endpoint_of(name: str, value: str) -> Endpoint:
    """The endpoint that a variable holds.

    Raises:
      StoreError: it holds none.
    """
    match = _ENDPOINT.fullmatch(value.strip())
    if match:
        scheme, host, port, path = match.groups(default="")
        is_host = _address(host) is not None if host.startswith("[") else ".." not in host
        if is_host and int(port or 1) in range(1, 65536):
            return Endpoint(scheme.lower(), host, port, path.rstrip("/"))
    # The value is not shown: signatures and passwords are found in such places.
    raise StoreError(
        f"{name}: not an endpoint of the form http(s)://host[:port][/path]",
        "write it as in https://store.example.com:9000",
    )


def checked_name(name: str, value: str) -> str:
    """A region or an account, which becomes a part of a host.

    Raises:
      StoreError: it cannot be one.
    """
    value = value.strip()
    if not _NAME.fullmatch(value):
        raise StoreError(f"{name}: it holds other than letters, digits and '-'", f"see what {name} is set to")
    return value


def checked_key(name: str, value: str) -> str:
    """A key or token without blanks around it, which is sent in a header.

    Raises:
      StoreError: it cannot be sent.
    """
    value = value.strip()
    if not _KEY.fullmatch(value):
        raise StoreError(
            f"{name}: it holds blanks, line breaks or other characters that no key has",
            f"set {name} once more",
            code="credentials",
        )
    return value


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
