"""Compiling beside the run: a child process that puts machine code into the cache.

It holds no pipe, is not waited for at the end of the process, and ends at the latest two minutes after it;
each cache has one at work, under a lock, and the others wait. It is no child of `cpqueens.system.children`,
which end with their parent: who runs for three seconds at a time is to have a compiled engine some day.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from cpqueens.kernels.jit import cache
from cpqueens.system.children import turn

_OUTLIVES = 120.0  # seconds that compiling may go on after whoever wanted it has ended
_PATIENCE = 60.0  # of a processor's, with another that compiles: more than any entry takes
_COMPILE = (
    "import sys; sys.path[:] = sys.argv[4:]; from cpqueens.kernels.jit.jobs import work; work(*sys.argv[1:4])"
)


class Job:
    """The compilation of one entry for arguments of some types, under way.

    Raises
    ------
    OSError
        If no process can be started.
    """

    def __init__(self, entry: str, signature: str, target: Path) -> None:
        if not sys.executable:
            raise OSError("this Python has no program to start")
        _begun[:] = [job for job in _begun if job.is_running()]  # the others are waited for, and gone
        path = [folder or str(Path.cwd()) for folder in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMPILE, entry, signature, str(target), *path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _begun.append(self)

    def is_running(self) -> bool:
        """Say whether it is still at work."""
        return self._process.poll() is None

    def __del__(self) -> None:
        # it may outlive us, and Popen warns of that
        if hasattr(self, "_process") and self._process.returncode is None:
            self._process.returncode = 0


_begun: list[Job] = []


def work(entry: str, signature: str, target: str) -> None:
    """Compile into the file ``target``, in a process of its own, one such after the other."""
    threading.Thread(target=_end_after_parent, args=(os.getppid(),), daemon=True).start()
    file = Path(target)

    def look(_waited: float) -> None:
        if file.exists():
            os._exit(0)

    with turn(file.parent / "compiling.lock", _PATIENCE, look):
        if not file.exists():
            sys.modules["scipy"] = None  # type: ignore[assignment] # which Numba would import, in 0.3 s
            from cpqueens.kernels.jit.compiler import compile_entry

            cache.keep(file, compile_entry(entry, signature))
    os._exit(0)  # whoever waits for our end need not wait for Numba to be taken down


def _end_after_parent(parent: int) -> None:
    """End this process some time after the one that started it."""
    while os.getppid() == parent:
        time.sleep(0.5)
    time.sleep(_OUTLIVES)
    os._exit(1)
