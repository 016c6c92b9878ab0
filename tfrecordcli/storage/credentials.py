"""Credentials and endpoints of each cloud, found where its own tools look for them.

Every function takes an environment and returns keyword arguments for the store class of obstore.
A public bucket needs none: without credentials, requests are not signed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tfrecordcli.errors import MissingPackageError, StoreError
from tfrecordcli.storage.cloud_settings import (
    CONNECTION_STRING,
    Endpoint,
    aws_profile,
    checked_key,
    checked_name,
    cleaned,
    endpoint_of,
    is_loopback,
    parse_connection_string,
)

Environment = Mapping[str, str]
Settings = dict[str, Any]

# Where the firmware of a cloud's machines says whose they are (google-auth looks there too).
_VENDOR_FILES: Final = ("/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name")
_S3_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_S3_WITHOUT_KEYS: Final = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
_GOOGLE_KEYS: Final = ("service_account", "authorized_user")
_AZURE_SECRETS: Final = (
    *("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_KEY", "AZURE_STORAGE_TOKEN", "AZURE_CLIENT_ID"),
    *("AZURE_FEDERATED_TOKEN_FILE", "AZURE_STORAGE_CLIENT_ID", "AZURE_SKIP_SIGNATURE"),
    *("AZURE_STORAGE_USE_AZURE_CLI", "AZURE_USE_AZURE_CLI", "IDENTITY_ENDPOINT", "MSI_ENDPOINT"),
)


def s3_settings(environment: Environment) -> Settings:
    """Amazon S3 and what speaks its protocol: AWS_* variables, then the profile in ~/.aws.

    Raises:
      MissingPackageError: the profile logs in in a way that needs boto3.
      StoreError: a setting cannot be right, or the profile's login is refused.
    """
    given, environment = environment, cleaned(environment)
    profile = aws_profile(environment)
    settings: Settings = {}
    name, region = _first_of(environment, ("AWS_REGION", "AWS_DEFAULT_REGION"), profile, "region")
    settings["region"] = checked_name(name, region) if region else "us-east-1"
    name, endpoint = _first_of(environment, _S3_ENDPOINTS, profile, "endpoint_url")
    ignored = environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
    ignored = ignored or profile.get("ignore_configured_endpoint_urls", "")
    if endpoint and ignored.lower() != "true":
        settings |= _s3_endpoint(endpoint_of(name, endpoint))
    elif any(variable in given for variable in _S3_ENDPOINTS):
        # The library looks for them itself, and takes an empty one for an endpoint.
        suffix = ".cn" if settings["region"].startswith("cn-") else ""
        url = f"https://s3.{settings['region']}.amazonaws.com{suffix}"
        settings |= _s3_endpoint(endpoint_of("AWS_REGION", url))
    if environment.get("AWS_ACCESS_KEY_ID"):
        return settings | _aws_keys(environment, str.upper)
    if any(map(environment.get, _S3_WITHOUT_KEYS)):
        return settings
    # Keys beside a role are those that it is assumed with.
    if "aws_access_key_id" in profile and "role_arn" not in profile:
        return settings | _aws_keys(profile, str)
    if profile.keys() & {"sso_session", "sso_start_url", "role_arn", "credential_process"}:
        return settings | {"credential_provider": _boto3_provider(environment, settings["region"])}
    on_aws = environment.get("AWS_EC2_METADATA_DISABLED", "").lower() != "true" and _is_machine_of("Amazon")
    if on_aws:
        return settings
    if "AWS_ACCESS_KEY_ID" in given or "AWS_SECRET_ACCESS_KEY" in given:
        # The library takes an empty one, or one without the other, for half of a key.
        settings |= {"access_key_id": "", "secret_access_key": ""}
    return settings | {"skip_signature": True}


def oss_settings(bucket: str, environment: Environment) -> Settings:
    """Alibaba Cloud OSS by its S3-compatible API; no AWS_* variable is let in.

    Raises:
      StoreError: neither region nor endpoint is set, or a setting cannot be right.
    """
    environment = cleaned(environment)

    def value(name: str) -> tuple[str, str]:
        for variable in (f"OSS_{name}", f"ALIBABA_CLOUD_{name}"):
            if environment.get(variable):
                return variable, environment[variable]
        return f"OSS_{name}", ""

    name, region = value("REGION")
    region = checked_name(name, region).removeprefix("oss-") if region else ""
    name, text = value("ENDPOINT")
    if not region and not text:
        raise StoreError(
            f"oss://{bucket}: the region is not known",
            "set OSS_REGION, as in OSS_REGION=cn-hangzhou, or OSS_ENDPOINT",
        )
    if text and "://" not in text:
        text = "https://" + text
    endpoint = endpoint_of(name, text or f"https://s3.oss-{region}.aliyuncs.com")
    # OSS answers only where the bucket is part of the host; an address has no such part.
    virtual = not endpoint.is_address
    if virtual and not endpoint.host.startswith(f"{bucket}."):
        endpoint = replace(endpoint, host=f"{bucket}.{endpoint.host}")
    # The default would be taken from AWS_* variables, which belong to another cloud.
    settings = _s3_endpoint(endpoint) | {"skip_signature": False}
    settings |= {"region": region or "oss", "virtual_hosted_style_request": virtual}
    settings["disable_bulk_delete"] = True  # which OSS documents with a Content-MD5 that is not sent
    (key_name, key), (secret_name, secret) = value("ACCESS_KEY_ID"), value("ACCESS_KEY_SECRET")
    if not key:
        return settings | {"skip_signature": True}
    token_name = "OSS_SESSION_TOKEN"
    if not environment.get(token_name):
        token_name = "ALIBABA_CLOUD_SECURITY_TOKEN"
    fixed = {
        "access_key_id": checked_key(key_name, key),
        "secret_access_key": checked_key(secret_name, secret),
        "token": checked_key(token_name, environment.get(token_name, "")) or None,
        "expires_at": None,
    }
    return settings | {"credential_provider": lambda: fixed}


def gs_settings(environment: Environment) -> Settings:
    """Google Cloud Storage: an emulator, a key file, `gcloud auth application-default login`.

    Raises:
      StoreError: a setting cannot be right, or a key file is of a kind that is not supported.
    """
    environment = cleaned(environment)
    emulator = environment.get("STORAGE_EMULATOR_HOST")
    if emulator:
        endpoint = _emulator("STORAGE_EMULATOR_HOST", emulator)
        account = {"gcs_base_url": endpoint.url, "disable_oauth": True}
        account |= {"client_email": "", "private_key": "", "private_key_id": ""}
        return {"service_account_key": json.dumps(account), "allow_http": endpoint.scheme == "http"}
    named = ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY")
    for name in named[:2]:
        path = environment.get(name)
        if path and not os.path.isfile(path):
            raise StoreError(f"{name}: there is no file {path}", "point it to the key file")
        if path:
            _check_kind_of_key(name, path)
    home = Path(environment.get("HOME", "~")).expanduser()
    login = home / ".config" / "gcloud" / "application_default_credentials.json"
    if environment.get(named[0]):
        return {"application_credentials": environment[named[0]]}
    if any(map(environment.get, named)):
        return {}
    if login.is_file():
        _check_kind_of_key(str(login), str(login))
        return {"application_credentials": str(login)}
    on_google = environment.get("NO_GCE_CHECK", "").lower() != "true" and _is_machine_of("Google")
    return {} if on_google else {"skip_signature": True}


def az_settings(environment: Environment) -> Settings:
    """Azure Blob Storage: AZURE_STORAGE_* as the az command and the SDKs have them.

    Raises:
      StoreError: no account is set, or a setting cannot be right.
    """
    environment = cleaned(environment)
    connection = parse_connection_string(environment.get(CONNECTION_STRING, ""))
    name = CONNECTION_STRING if connection.account else "AZURE_STORAGE_ACCOUNT"
    account = connection.account or environment.get("AZURE_STORAGE_ACCOUNT_NAME")
    account = account or environment.get("AZURE_STORAGE_ACCOUNT")
    if not account:
        raise StoreError(
            "az://: the storage account is not known",
            "set AZURE_STORAGE_ACCOUNT, or AZURE_STORAGE_CONNECTION_STRING",
        )
    settings: Settings = {"account_name": checked_name(name, account)}
    endpoint = connection.endpoint
    if not endpoint and environment.get("AZURE_STORAGE_ENDPOINT"):
        endpoint = endpoint_of("AZURE_STORAGE_ENDPOINT", environment["AZURE_STORAGE_ENDPOINT"])
    if endpoint:
        settings |= _endpoint(endpoint)
    key, sas = connection.key, connection.sas
    if not key and not sas:
        key = environment.get("AZURE_STORAGE_KEY", "")
        sas = environment.get("AZURE_STORAGE_SAS_TOKEN", "")
    if key:
        name = CONNECTION_STRING if connection.key else "AZURE_STORAGE_KEY"
        return settings | {"account_key": checked_key(name, key)}
    if sas:
        name = CONNECTION_STRING if connection.sas else "AZURE_STORAGE_SAS_TOKEN"
        return settings | {"sas_key": checked_key(name, sas.removeprefix("?"))}
    if any(map(environment.get, _AZURE_SECRETS)):
        return settings
    return settings if _is_machine_of("Microsoft") else settings | {"skip_signature": True}


def _endpoint(endpoint: Endpoint) -> Settings:
    return {"endpoint": endpoint.url, "allow_http": endpoint.scheme == "http"}


def _s3_endpoint(endpoint: Endpoint) -> Settings:
    """With the name under which the library would look for another one in AWS_* variables."""
    return _endpoint(endpoint) | {"aws_endpoint_url_s3": endpoint.url}


def _first_of(
    environment: Environment, variables: tuple[str, ...], profile: Environment, setting: str
) -> tuple[str, str]:
    """(where it is set, value) of the first of some variables, or else of a profile's setting."""
    for name in variables:
        if environment.get(name):
            return name, environment[name]
    return f"{setting} of the AWS profile", profile.get(setting, "").strip()


def _aws_keys(found: Environment, named: Callable[[str], str]) -> Settings:
    """Keys and their token, all of one source: a token that belongs to other keys would spoil them."""
    names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    key, secret, token = (checked_key(named(name), found.get(named(name), "")) for name in names)
    return {"access_key_id": key, "secret_access_key": secret} | ({"session_token": token} if token else {})


def _boto3_provider(environment: Environment, region: str) -> Any:
    try:
        import boto3
        from botocore.exceptions import BotoCoreError, ClientError
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError as error:
        raise MissingPackageError(
            "the AWS profile logs in by SSO, a role or a process, which needs boto3",
            "pip install boto3, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ) from error
    try:
        session = boto3.Session(profile_name=environment.get("AWS_PROFILE"), region_name=region)
        provider = Boto3CredentialProvider(session)
        provider()  # what is refused shows here, not as a store that does not answer
    except (BotoCoreError, ClientError, ValueError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise StoreError(
            f"the AWS profile's login failed: {reason}",
            "see the profile in ~/.aws/config, or run aws sso login",
            code="credentials",
        ) from error
    return provider


def _emulator(name: str, value: str) -> Endpoint:
    """Where an emulator answers; without http:// before it, on this machine only.

    Raises:
      StoreError: it is elsewhere, or no endpoint.
    """
    if "://" in value:
        return endpoint_of(name, value)
    endpoint = endpoint_of(name, f"http://{value}")
    if not is_loopback(endpoint.host):
        raise StoreError(
            f"{name}: {endpoint.host} is not this machine, and nothing says that it may be unencrypted",
            f"write {name}=http://{value} if it may",
        )
    return endpoint


def _check_kind_of_key(name: str, path: str) -> None:
    """Refuses a file of credentials that the library would call an unknown variant.

    Raises:
      StoreError: it is of a kind that is not supported.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # the library says what is wrong with it
    kind = found.get("type") if isinstance(found, dict) else None
    if kind is not None and kind not in _GOOGLE_KEYS:
        raise StoreError(
            f"{name}: credentials of the kind {kind!r} are not supported",
            "give the key file of a service account, or run gcloud auth application-default login",
        )


def _is_machine_of(vendor: str) -> bool:
    """Whether this is a machine of that cloud, whose metadata service has credentials."""
    for path in _VENDOR_FILES:
        try:
            if vendor.encode() in Path(path).read_bytes():
                return True
        except OSError:
            continue
    return False
