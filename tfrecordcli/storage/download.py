"""Copying an object, or what a URL gives, into a local file."""

from __future__ import annotations

import shutil
from typing import IO, Final

from tfrecordcli.errors import InputError, MalformedAnswerError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.store import cure_of
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.uris import WEB, check_web_url, public_uri, scheme_of
from tfrecordcli.storage.web import copy_web
from tfrecordcli.storage.web_answer import AnswerError

_PIECE: Final = 1 << 20


def download(url: str, file: IO[bytes]) -> None:
    """Writes what is at a URL to an open file.

    Raises:
      InputError: it is not there, or may not be read, or the server's answer is none to read.
      OSError: as of writing.
      StoreError, OutageError: the store or server is in the way.
    """
    name = public_uri(url)
    try:
        if scheme_of(url) in WEB:
            check_web_url(url)
            copy_web(url, file)
        else:
            with place_of(url).open("rb") as source:
                shutil.copyfileobj(source, file, _PIECE)
    except Rejected as problem:
        raise InputError(f"{name}: {problem.reason}") from None
    except MalformedAnswerError as error:
        raise InputError(error.message, "check the URL, and what answers there") from error
    except AnswerError as error:
        raise InputError(f"{name}: {error.strerror}", "check the URL") from error
    except FileNotFoundError as error:
        raise InputError(f"{name}: there is nothing of this name", "check the URL") from error
    except PermissionError as error:
        cure = "does the URL need a signature?" if scheme_of(url) in WEB else cure_of(scheme_of(url))
        raise InputError(f"{name}: may not be read", cure) from error
