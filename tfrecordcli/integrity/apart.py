"""Images checked in a child process, whose start is the machine's business and not the data's."""

from __future__ import annotations

from contextlib import ExitStack

from tfrecordcli.errors import ResourceError
from tfrecordcli.images.check import CheckedImage
from tfrecordcli.images.isolation import checking_in_child
from tfrecordcli.integrity.record_check import CheckImage
from tfrecordcli.options import ImageOptions


def checking_apart(stack: ExitStack) -> CheckImage:
    """`check_image` in a child process that ends with the stack.

    Raises:
      ResourceError: by what it returns, when the child cannot be started.
    """
    check = stack.enter_context(checking_in_child())

    def checked(data: bytes, options: ImageOptions) -> CheckedImage:
        try:
            return check(data, options)
        except OSError as error:
            raise ResourceError(
                "the process that checks images cannot be started", "use fewer --workers"
            ) from error

    return checked
