"""Credentials and endpoints of each cloud, found where its own tools look for them.

Every function takes an environment and returns keyword arguments for the store class of obstore.
A public bucket needs none: without credentials, requests are not signed.
"""

from __future__ import annotations

import configparser
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tfrecordcli.errors import MissingPackageError, StoreError

Environment = Mapping[str, str]
Settings = dict[str, Any]

# Where the firmware of a cloud's machines says whose they are (google-auth looks there too).
_VENDOR_FILES: Final = ("/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name")
_S3_WITHOUT_KEYS: Final = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
_AZURE_SECRETS: Final = (
    *("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_KEY", "AZURE_STORAGE_TOKEN", "AZURE_CLIENT_ID"),
    *("AZURE_FEDERATED_TOKEN_FILE", "AZURE_STORAGE_CLIENT_ID", "AZURE_SKIP_SIGNATURE"),
    *("AZURE_STORAGE_USE_AZURE_CLI", "AZURE_USE_AZURE_CLI", "IDENTITY_ENDPOINT", "MSI_ENDPOINT"),
)


def s3_settings(environment: Environment) -> Settings:
    """Amazon S3 and what speaks its protocol: AWS_* variables, then the profile in ~/.aws.

    Raises:
      MissingPackageError: the profile logs in in a way that needs boto3.
    """
    profile = _aws_profile(environment)
    settings: Settings = {}
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or profile.get("region")
    settings["region"] = region or "us-east-1"
    named = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    endpoint = named or environment.get("AWS_ENDPOINT") or profile.get("endpoint_url")
    if endpoint:
        settings |= _endpoint(endpoint)
    if environment.get("AWS_ACCESS_KEY_ID"):
        return settings | _aws_keys({name.lower(): value for name, value in environment.items()})
    if any(map(environment.get, _S3_WITHOUT_KEYS)):
        return settings
    if "aws_access_key_id" in profile:
        return settings | _aws_keys(profile)
    if profile.keys() & {"sso_session", "sso_start_url", "role_arn", "credential_process"}:
        return settings | {"credential_provider": _boto3_provider(environment)}
    on_aws = environment.get("AWS_EC2_METADATA_DISABLED", "").lower() != "true" and _is_machine_of("Amazon")
    return settings if on_aws else settings | {"skip_signature": True}


def oss_settings(bucket: str, environment: Environment) -> Settings:
    """Alibaba Cloud OSS by its S3-compatible API; no AWS_* variable is let in.

    Raises:
      StoreError: neither region nor endpoint is set.
    """

    def value(name: str) -> str:
        return environment.get(f"OSS_{name}") or environment.get(f"ALIBABA_CLOUD_{name}") or ""

    region, endpoint = value("REGION").removeprefix("oss-"), value("ENDPOINT")
    if not region and not endpoint:
        raise StoreError(
            f"oss://{bucket}: the region is not known",
            "set OSS_REGION, as in OSS_REGION=cn-hangzhou, or OSS_ENDPOINT",
        )
    if endpoint and "://" not in endpoint:
        endpoint = "https://" + endpoint
    if not endpoint:
        endpoint = f"https://s3.oss-{region}.aliyuncs.com"
    scheme, _, host = endpoint.rstrip("/").partition("://")
    # OSS answers only where the bucket is part of the host; an address has no such part.
    virtual = not host.partition(":")[0].replace(".", "").isdecimal() and not host.startswith("localhost")
    if virtual and not host.startswith(f"{bucket}."):
        host = f"{bucket}.{host}"
    settings = _endpoint(f"{scheme}://{host}")
    settings |= {"region": region or "oss", "virtual_hosted_style_request": virtual}
    settings["disable_bulk_delete"] = True  # which OSS documents with a Content-MD5 that is not sent
    # The default would be taken from AWS_* variables, which belong to another cloud.
    settings |= {"aws_endpoint_url_s3": settings["endpoint"], "skip_signature": False}
    key, secret = value("ACCESS_KEY_ID"), value("ACCESS_KEY_SECRET")
    if not key:
        return settings | {"skip_signature": True}
    token = environment.get("OSS_SESSION_TOKEN") or environment.get("ALIBABA_CLOUD_SECURITY_TOKEN")
    fixed = {"access_key_id": key, "secret_access_key": secret, "token": token, "expires_at": None}
    return settings | {"credential_provider": lambda: fixed}


def gs_settings(environment: Environment) -> Settings:
    """Google Cloud Storage: an emulator, a key file, `gcloud auth application-default login`."""
    emulator = environment.get("STORAGE_EMULATOR_HOST")
    if emulator:
        url = emulator if "://" in emulator else f"http://{emulator}"
        account = {"gcs_base_url": url.rstrip("/"), "disable_oauth": True}
        account |= {"client_email": "", "private_key": "", "private_key_id": ""}
        return {"service_account_key": json.dumps(account), "allow_http": url.startswith("http://")}
    named = ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY")
    for name in named[:2]:
        path = environment.get(name)
        if path and not os.path.isfile(path):
            raise StoreError(f"{name}: there is no file {path}", "point it to the key file")
    home = Path(environment.get("HOME", "~")).expanduser()
    login = home / ".config" / "gcloud" / "application_default_credentials.json"
    if any(map(environment.get, named)) or login.is_file():
        return {}
    on_google = environment.get("NO_GCE_CHECK", "").lower() != "true" and _is_machine_of("Google")
    return {} if on_google else {"skip_signature": True}


def az_settings(environment: Environment) -> Settings:
    """Azure Blob Storage: AZURE_STORAGE_* as the az command and the SDKs have them.

    Raises:
      StoreError: no account is set.
    """
    parts = _connection_string(environment.get("AZURE_STORAGE_CONNECTION_STRING", ""))
    settings: Settings = {}
    account = parts.get("AccountName") or environment.get("AZURE_STORAGE_ACCOUNT_NAME")
    account = account or environment.get("AZURE_STORAGE_ACCOUNT")
    if not account:
        raise StoreError(
            "az://: the storage account is not known",
            "set AZURE_STORAGE_ACCOUNT, or AZURE_STORAGE_CONNECTION_STRING",
        )
    settings["account_name"] = account
    endpoint = parts.get("BlobEndpoint") or environment.get("AZURE_STORAGE_ENDPOINT")
    if endpoint:
        settings |= _endpoint(endpoint)
    key = parts.get("AccountKey") or environment.get("AZURE_STORAGE_KEY")
    sas = parts.get("SharedAccessSignature") or environment.get("AZURE_STORAGE_SAS_TOKEN")
    if key:
        return settings | {"account_key": key}
    if sas:
        return settings | {"sas_key": sas.removeprefix("?")}
    if any(map(environment.get, _AZURE_SECRETS)):
        return settings
    return settings if _is_machine_of("Microsoft") else settings | {"skip_signature": True}


def _endpoint(url: str) -> Settings:
    return {"endpoint": url.rstrip("/"), "allow_http": url.startswith("http://")}


def _aws_keys(profile: Environment) -> Settings:
    keys = {
        "access_key_id": profile["aws_access_key_id"],
        "secret_access_key": profile.get("aws_secret_access_key", ""),
    }
    token = profile.get("aws_session_token")
    return keys | ({"session_token": token} if token else {})


def _aws_profile(environment: Environment) -> Mapping[str, str]:
    """The chosen profile of ~/.aws/config and ~/.aws/credentials, the latter first."""
    home = Path(environment.get("HOME", "~")).expanduser()
    name = environment.get("AWS_PROFILE") or "default"
    config = environment.get("AWS_CONFIG_FILE") or home / ".aws" / "config"
    secrets = environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / ".aws" / "credentials"
    found: dict[str, str] = {}
    for path, section in ((config, name if name == "default" else f"profile {name}"), (secrets, name)):
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError) as error:
            raise StoreError(f"{path}: not in the format of the AWS tools", "mend the file") from error
        if parser.has_section(section):
            found |= dict(parser[section])
    if not found and environment.get("AWS_PROFILE"):
        raise StoreError(f"AWS_PROFILE: there is no profile {name!r}", f"look into {config}")
    return found


def _boto3_provider(environment: Environment) -> Any:
    try:
        import boto3
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError as error:
        raise MissingPackageError(
            "the AWS profile logs in by SSO, a role or a process, which needs boto3",
            "pip install boto3, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ) from error
    return Boto3CredentialProvider(boto3.Session(profile_name=environment.get("AWS_PROFILE")))


def _connection_string(text: str) -> Mapping[str, str]:
    pairs = (part.partition("=") for part in text.split(";") if "=" in part)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _is_machine_of(vendor: str) -> bool:
    """Whether this is a machine of that cloud, whose metadata service has credentials."""
    for path in _VENDOR_FILES:
        try:
            if vendor in Path(path).read_text():
                return True
        except OSError:
            continue
    return False
