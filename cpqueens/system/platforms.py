"""What this system lacks and what follows; asked of the system itself, not of its name where that can be."""

import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial


def has_memory_limits() -> bool:
    """Whether a process can limit its own memory; macOS has the call, and does not keep to it."""
    return _resource_has("setrlimit") and sys.platform != "darwin"


def runs_commands() -> bool:
    """Whether children have a supervisor, and external heuristics run: it needs pipes and process groups."""
    return hasattr(os, "killpg") and os.name == "posix"


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


def thread_clock() -> Callable[[], float]:
    """Return a clock of the processor seconds that the calling thread uses from now on, for all threads.

    Where the system has none (macOS, Windows), it is that of the whole process.
    """
    read: Callable[[], float] = time.process_time
    if hasattr(time, "pthread_getcpuclockid"):
        read = partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
    began = read()
    return lambda: read() - began


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
