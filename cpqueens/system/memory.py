"""Room for libraries under a limit of address space (``ulimit -v``, or the limit of a child process).

Some libraries do not survive a limit that is too small for them: OpenBLAS, which NumPy and SciPy bring along,
asks again and again for ever while it is loaded, deaf to signals, and others die without a word. So the room
is looked for before they are imported. Nothing is done where there is no limit.
"""

import errno
import mmap
import os
import sys

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
