"""Breaking off Python work that has no loop to ask in, between two of its bytecodes."""

from __future__ import annotations

import _weakrefset
import contextlib
import ctypes
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import FrameType

from cpqueens.system.platforms import ThreadTime

_EVERY = 0.01
"""Seconds between two looks at the blocks under way."""
_IDLE = 25
"""So many looks without any block end the thread that looks."""
GRACE = 0.1
"""Processor seconds that a run has to end by itself, with all that it knows, once it is to stop."""


_FINALIZERS = (weakref.__file__, _weakrefset.__file__)
"""Files whose functions are called when something is deleted."""


_LOCKS = (threading.__file__, queue.__file__, contextlib.__file__)
"""Files in which a lock may have been taken that nobody else knows of."""


class Stopped(BaseException):
    """Raised within `stopping`, between two bytecodes, once its block must end."""


class stopping:  # noqa: N801 - used like a function
    """Raise `Stopped` in this thread once ``should_stop`` says so, while the block runs.

    For long Python work, such as compiling a model of millions of variables, or a kernel in plain form. It
    ends between two bytecodes, hence not within one call of NumPy. Nothing is raised after the block. Of
    blocks within each other the innermost alone is watched; another thread asks ``should_stop``, first when
    the block has lasted ``after`` seconds. The block has ``grace`` processor seconds to end by itself; what
    blocks within it take does not count.
    """

    __slots__ = ("_asks_from", "_ends", "_fired", "_grace", "_outer", "_should_stop", "_thread", "_used")

    def __init__(self, should_stop: Callable[[], bool], after: float = 0.0, grace: float = 0.0) -> None:
        self._should_stop, self._asks_from, self._grace = should_stop, after, grace
        self._thread = threading.get_ident()
        self._used = ThreadTime() if grace else None
        self._ends: float | None = None  # when the grace is over
        self._fired = False
        self._outer: stopping | None = None

    def __enter__(self) -> None:
        self._asks_from += time.monotonic()
        with _watch.lock:
            self._outer = _watch.blocks.get(self._thread)
            _watch.blocks[self._thread] = self
            _watch.entered = True
            if not _watch.awake:
                _watch.awake, _watch.idle = True, 0
                threading.Thread(target=_watch.look, name="cpqueens-stopper", daemon=True).start()

    def __exit__(self, *details: object) -> None:
        try:
            with _watch.lock:
                self._leave()
        finally:
            if self._fired:
                self._leave()  # where it was raised just before
                _raise_in(self._thread, None)  # or is under way: it must not arrive after the block

    def _leave(self) -> None:
        if self._outer is None:
            _watch.blocks.pop(self._thread, None)
        else:
            self._outer._ends = None
            _watch.blocks[self._thread] = self._outer

    def ask(self, now: float) -> None:
        """End the block if it is time; once."""
        if self._fired or now < self._asks_from or not self._should_stop() or self._has_grace():
            return
        if _must_not_break(sys._current_frames().get(self._thread)):
            return
        with _watch.lock:
            if _watch.blocks.get(self._thread) is self:
                self._fired = True
                _raise_in(self._thread, Stopped)

    def _has_grace(self) -> bool:
        """Say whether the block may still end by itself."""
        if self._used is None:
            return False
        if self._ends is None:
            self._ends = self._used() + self._grace
        return self._used() < self._ends


def unstopped() -> stopping | contextlib.nullcontext[None]:
    """Return a block in which this thread is not broken off: it delivers, or is in another library."""
    watched = threading.get_ident() in _watch.blocks
    return stopping(lambda: False) if watched else contextlib.nullcontext()


def _must_not_break(frame: FrameType | None) -> bool:
    """Say whether a thread is within an import, a finalizer or a lock's own code: the next look comes soon.

    A broken import leaves a half-made module behind, of a library in C for good; what is raised within a
    finalizer is printed and lost; a lock that is taken might never be given back.
    """
    if frame is not None and frame.f_code.co_filename in _LOCKS:
        return True
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib") or code.co_name == "__del__":
            return True
        if code.co_filename in _FINALIZERS:
            return True
        frame = frame.f_back
    return False


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Have an exception raised in a thread, or take it back while it has not been."""
    error = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


class _Watch:
    """The blocks under way, by thread, and the thread that looks at them while there are any."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.blocks: dict[int, stopping] = {}
        self.awake = self.entered = False
        self.idle = 0

    def look(self) -> None:
        """Look at all blocks, until none has been entered for a while."""
        try:
            while not self._sleeps():
                time.sleep(_EVERY)
                now = time.monotonic()
                for block in list(self.blocks.values()):
                    block.ask(now)
        except BaseException:  # where asking failed, the next block has another thread look
            self.awake = False
            raise

    def _sleeps(self) -> bool:
        """Fall asleep if no block has been entered for many looks."""
        with self.lock:
            self.idle = 0 if self.entered or self.blocks else self.idle + 1
            self.entered = False
            self.awake = self.idle < _IDLE
            return not self.awake


_watch = _Watch()


def _begin_anew() -> None:
    """Forget the thread, which a forked child does not have."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
