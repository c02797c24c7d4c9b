"""Locks between processes: one does what others would do at the same time, and they find it done."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

_PAUSE = 0.02  # seconds


@contextmanager
def turn(path: Path, seconds: float, waiting: Callable[[float], None]) -> Iterator[None]:
    """Run the block while no other process is in one of the same file, which is made and names the process.

    Locks belong to processes: however one ends, its locks end, and what it forks has none. Its threads share
    them. Nobody waits where there is no lock to be had (no such call, no such folder), nor for ever: the
    block must be right without one, if slower.

    Parameters
    ----------
    seconds
        The patience with another process (`cpqueens.system.children.Patience`), which may be suspended.
    waiting
        Called with the seconds waited, again and again while another process has its turn.
    """
    with ExitStack() as until_closed:
        with suppress(ImportError, OSError):
            _wait_for(until_closed.enter_context(path.open("a+b", buffering=0)), seconds, waiting)
        yield


def _wait_for(file: IO[bytes], seconds: float, waiting: Callable[[float], None]) -> None:
    from fcntl import LOCK_EX, LOCK_NB, lockf

    began, over = time.monotonic(), _never
    owner: bytes | None = None
    while not over():
        try:
            lockf(file, LOCK_EX | LOCK_NB)
        except (BlockingIOError, PermissionError):  # either means that another process has it
            waiting(time.monotonic() - began)
            time.sleep(_PAUSE)
        else:
            file.truncate(0)
            file.write(b"%d" % os.getpid())
            return
        file.seek(0)
        if (named := file.read()) != owner:
            over, owner = _patience_with(named, seconds), named


def _never() -> bool:
    return False


def _patience_with(owner: bytes, seconds: float) -> Callable[[], bool]:
    """Return what says when a process has had its time: on the clock if it is unknown."""
    from cpqueens.system.children import Patience

    return Patience(seconds, int(owner) if owner.isdigit() else 0).is_over
