"""Settings of the clouds, as people write them into environment variables and files, checked beforehand.

The library that talks to the stores takes them as they are, and falls over those that cannot be sent.
"""

from __future__ import annotations

import configparser
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tfrecordcli.errors import StoreError

_CLOUDS: Final = ("AWS_", "OSS_", "ALIBABA_CLOUD_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR_HOST")
_ENDPOINT: Final = re.compile(
    r"(https?)://([A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?((?:/[!-.0-;=@-~]*)*)",
    re.IGNORECASE,
)
_NAME: Final = re.compile("[A-Za-z0-9_-]+")
_KEY: Final = re.compile("[!-~]*")  # what a header can hold

CONNECTION_STRING: Final = "AZURE_STORAGE_CONNECTION_STRING"

# The account that every Azurite has, with the key that its documentation gives; no secret.
_DEVELOPMENT: Final = {
    "accountname": "devstoreaccount1",
    "accountkey": "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    "blobendpoint": "http://127.0.0.1:10000/devstoreaccount1",
}


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
    endpoint = endpoint_of(CONNECTION_STRING, url) if url else None
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


def aws_profile(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The chosen profile of ~/.aws/config and ~/.aws/credentials, the latter first.

    Its ``endpoint_url`` is that of S3 in the section ``[services …]`` that it names, if there is one.

    Raises:
      StoreError: there is no such profile, or a file is in another format.
    """
    home = Path(environment.get("HOME", "~")).expanduser()
    name = environment.get("AWS_PROFILE") or "default"
    config = environment.get("AWS_CONFIG_FILE") or home / ".aws" / "config"
    secrets = environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / ".aws" / "credentials"
    found: dict[str, str] = {}
    services: dict[str, str] = {}
    for path, section in ((config, name if name == "default" else f"profile {name}"), (secrets, name)):
        parser = _parse(path)
        if parser.has_section(section):
            found |= dict(parser[section])
        if path == config and parser.has_section(f"services {found.get('services')}"):
            services = dict(parser[f"services {found['services']}"])
    if not found and environment.get("AWS_PROFILE"):
        raise StoreError(f"AWS_PROFILE: there is no profile {name!r}", f"look into {config}")
    endpoint = _nested(services.get("s3", "")).get("endpoint_url")
    return found | ({"endpoint_url": endpoint} if endpoint else {})


def _parse(path: str | Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: not in the format of the AWS tools", "mend the file") from error
    return parser


def _nested(value: str) -> Mapping[str, str]:
    """The settings in the indented lines below a name."""
    pairs = (line.partition("=") for line in value.splitlines() if "=" in line)
    return {name.strip().lower(): text.strip() for name, _, text in pairs}
