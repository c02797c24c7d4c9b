"""What this system lacks and what follows; asked of the system itself, not of its name where that can be.

Room for libraries under a limit of address space (``ulimit -v``, or the limit of a child process).

Some libraries do not survive a limit that is too small for them: OpenBLAS, which NumPy and SciPy bring along,
asks again and again for ever while it is loaded, deaf to signals, and others die without a word. So the room
is looked for before they are imported. Nothing is done where there is no limit.
"""

import contextlib
import errno
import importlib
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable


def has_memory_limits() -> bool:
    """Whether a process can limit its own memory; macOS has the call, and does not keep to it."""
    return _resource_has("setrlimit") and sys.platform != "darwin"


def runs_commands() -> bool:
    """Whether children have a supervisor, and external heuristics run: it needs pipes and process groups."""
    return hasattr(os, "killpg") and os.name == "posix"


def process_age() -> float:
    """Return the seconds for which this process is there; where nobody knows, those of the processor."""
    try:
        with open("/proc/self/stat", encoding="utf-8") as file:  # noqa: PTH123 - once, and early
            began = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


def children_seconds() -> float:
    """Return the processor seconds of children that have ended; 0 where nobody counts them."""
    if not _resource_has("RUSAGE_CHILDREN"):
        return 0.0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processors() -> int:
    """Return how many processors this process may use."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) or 1


def give_way() -> None:
    """Let this thread, and those that it starts, have less where processors are few: some steps of nice.

    Eight threads that search beside one, on two processors, would leave it a fifth of one; by the weights of
    Linux it has nearly all of one then, and so has another one. Only Linux knows priorities of threads;
    elsewhere nothing happens.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + 14)


def _resource_has(name: str) -> bool:
    try:
        return hasattr(importlib.import_module("resource"), name)
    except ImportError:
        return False


_LACKS: tuple[tuple[Callable[[], bool], str], ...] = (
    (runs_commands, "external heuristics (--external) are refused"),
    (has_memory_limits, "the memory of isolated solvers, fuzzing processes and commands is not limited"),
    (lambda: hasattr(signal, "SIGHUP"), "a closed terminal is not noticed: there is no SIGHUP"),
    (lambda: sys.platform == "linux", "children of a run that is killed outright may live on"),
)


def limits() -> list[str]:
    """Return what does not work on this system, a line each; nothing on Linux."""
    return [consequence for present, consequence in _LACKS if not present()]


ROOM = {"numpy": 100, "llvmlite": 190, "numba": 280, "ortools": 260}
"""MiB of address space that importing and using a library took, on one processor, with what goes with it."""
_A_THREAD = 44
"""MiB that OpenBLAS sets aside for each further processor, with the stack of its thread."""
_HAVE_BLAS = frozenset({"numpy", "numba"})
_MiB = 2**20


def limit() -> int | None:
    """Return the limit of this process's address space in bytes; None without one (on Windows always)."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def ensure_room(library: str) -> None:
    """See to it that a library can be loaded.

    Raises
    ------
    MemoryError
        If there is a limit of address space and what is left of it is too little.
    """
    most = limit()
    if most is None or library in sys.modules:
        return
    threads = (os.cpu_count() or 1) - 1 if library in _HAVE_BLAS else 0
    needed = (ROOM[library] + threads * _A_THREAD) * _MiB
    try:
        mmap.mmap(-1, needed).close()
    except OSError as error:
        text = f"{library} needs {needed // _MiB} MiB more than is in use, the limit is {most // _MiB} MiB"
        raise MemoryError(text) from error


_WORDS = ("can't start new thread", "cannot allocate memory", "failed to map segment")


def is_shortage(error: BaseException) -> bool:
    """Say whether an error means that memory, or threads, ran out."""
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(word in text for word in _WORDS)
