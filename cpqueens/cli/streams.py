"""Standard streams as they may be handed to a program: closed, full, or unable to encode a character."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from cpqueens.errors import ModelError


@contextlib.contextmanager
def usable_streams() -> Iterator[None]:
    """Make the standard streams usable while the block runs; what was written is flushed at its end.

    A closed descriptor is filled, so that no file that is opened later takes the place of standard output.
    What a stream cannot encode is written as an escape.

    Raises
    ------
    ModelError
        At once if standard output is closed, hence before a search whose result nobody could read.
    OSError
        If what was written does not fit where standard output goes.
    """
    _fill_closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for good
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None or _cannot_write():
        abandon_stdout()
        raise ModelError("standard output is closed; results could not be written")
    yield
    sys.stdout.flush()


def settle_stdout() -> None:
    """Write what is still to be written, or let it go nowhere, so that nothing fails at the very end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        abandon_stdout()


def abandon_stdout() -> None:
    """Let all that is still to be written, also at the interpreter's end, go nowhere: nobody takes it."""
    _abandon(sys.stdout)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for good


def abandon_stderr() -> None:
    """Let what standard error does not take go nowhere: at the interpreter's end it would change the code."""
    _abandon(sys.stderr)


def _abandon(stream: TextIO | None) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def _fill_closed() -> None:
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the least free descriptor is this one


def _cannot_write() -> bool:
    """Say whether standard output is a descriptor that was opened for reading only, or was closed."""
    try:
        os.write(sys.stdout.fileno(), b"")
    except (OSError, ValueError) as error:  # without a descriptor it is a test's: it can be written
        return getattr(error, "errno", None) == errno.EBADF
    return False
