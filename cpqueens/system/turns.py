"""Taking turns: one process does what others would do at the same time, and they find it done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

_PAUSE = 0.02  # seconds


@contextmanager
def turn(path: Path, patience: float, waiting: Callable[[float], None]) -> Iterator[None]:
    """Run the block while no other process is in one of the same file, which is made and stays empty.

    Locks belong to processes: however one ends, its locks end, and what it forks has none. Its threads share
    them. Nobody waits for more than ``patience`` seconds (the other may be suspended), nor where there is no
    lock to be had: no such call, no such folder. So the block must be right without one, if slower.

    Parameters
    ----------
    waiting
        Called with the seconds waited, again and again while another process has its turn.
    """
    with ExitStack() as until_closed:
        with suppress(ImportError, OSError):
            _wait_for(until_closed.enter_context(path.open("ab")), patience, waiting)
        yield


def _wait_for(file: IO[bytes], patience: float, waiting: Callable[[float], None]) -> None:
    from fcntl import LOCK_EX, LOCK_NB, lockf

    began = time.monotonic()
    while (waited := time.monotonic() - began) <= patience:
        try:
            lockf(file, LOCK_EX | LOCK_NB)
        except (BlockingIOError, PermissionError):  # either means that another process has it
            waiting(waited)
            time.sleep(_PAUSE)
        else:
            return
