"""A profile of the AWS tools: what ~/.aws/config and ~/.aws/credentials say of it."""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from pathlib import Path

from tfrecordcli.errors import StoreError


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
