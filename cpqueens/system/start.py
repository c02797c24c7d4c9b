"""The first moments, and the last: a signal ends the command line quietly, and NumPy finds its room.

Imported before anything else of the package. A program that merely uses the library keeps its signals.
What comes before, while Python itself starts, is out of reach.
"""

import atexit
import os
import signal
import sys

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


def is_command_line() -> bool:
    """Say whether this process is ``cpqueens`` or ``python -m cpqueens``."""
    first = sys.argv[0] if sys.argv else ""
    if first == "-m":  # Python is still looking for the module
        given = sys.orig_argv
        return "-m" in given and given[given.index("-m") + 1 :][:1] == ["cpqueens"]
    return os.path.basename(first) in ("cpqueens", "cpqueens.exe", "cpqueens-script.py")  # noqa: PTH119


def _leave(message: str, code: int) -> None:
    try:
        os.write(2, f"cpqueens: {message}\n".encode())
    finally:
        os._exit(code)


def leave_quietly_on_signals() -> None:
    """Let the first signal end the process with one line; ignored ones stay ignored."""
    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, lambda _number, _frame: _leave("interrupted", 130))


def _ignore_signals() -> None:
    """Ignore what comes once Python ends: all has been said, and its handlers are taken away there."""
    for name in _NAMES:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


if is_command_line():
    leave_quietly_on_signals()
    atexit.register(_ignore_signals)  # the first one, so that it is called last

from cpqueens.system.platforms import ensure_room  # noqa: E402 - after the signals

try:
    ensure_room("numpy")
except MemoryError as error:
    if is_command_line():
        _leave(f"out of memory: {error}", 32)
    raise
