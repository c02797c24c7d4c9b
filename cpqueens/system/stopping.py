"""Breaking off Python work that has no loop to ask in, between two of its bytecodes.

The processor time of a thread, by which such work and searches are limited.

Copies of large arrays piece by piece: between two of these a run can be broken off.

How many steps a call of a kernel is given, so that limits are seen some hundred times a second.
"""

import contextlib
import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

_EVERY = 0.01
"""Seconds between two looks at the blocks under way."""
_IDLE = 25
"""So many looks without any block end the thread that looks."""
_AGAIN = 1.0
"""Seconds after which a block that has not ended is broken off once more."""
GRACE = 0.1
"""Processor seconds that a run has to end by itself, with all that it knows, once it is to stop."""

_OPEN = frozenset({"constraint", "cpmpy", "cpqueens", "numpy", "ortools"})
"""Installed packages that are broken off: ours, and what works for long in Python.

Elsewhere a lock may just have been taken, or be about to be given back, that nobody else knows of: in
Python's own library, in a compiler, in a scheduler's client.
"""
_FINALIZING = frozenset({"weakref", "_weakrefset"})
"""Modules whose functions are called when something is deleted."""

Given = ParamSpec("Given")
T = TypeVar("T")


class ThreadTime:
    """The processor seconds of one thread since it made this; any thread may ask.

    They say what a search has had, where the clock says what the machine was doing meanwhile. Where the
    system does not tell other threads (macOS, Windows), they hear what the thread itself was told last.
    """

    __slots__ = ("_began", "_clock", "_last", "_thread")

    def __init__(self) -> None:
        self._thread, self._began, self._last = threading.get_ident(), time.thread_time(), 0.0
        find = getattr(time, "pthread_getcpuclockid", None)
        self._clock: int | None = None if find is None else find(self._thread)

    def __call__(self) -> float:
        """Return the seconds; of a thread that has ended those that were heard last."""
        if threading.get_ident() == self._thread:
            self._last = time.thread_time() - self._began
        elif self._clock is not None:
            with contextlib.suppress(OSError):
                self._last = time.clock_gettime(self._clock) - self._began
        return self._last


class Stopped(BaseException):
    """Raised within `stopping`, between two bytecodes, once its block must end."""


class stopping:  # noqa: N801 - used like a function
    """Raise `Stopped` in this thread once ``should_stop`` says so, while the block runs.

    For long Python work, such as compiling a model of millions of variables, or a kernel in plain form. It
    ends between two bytecodes, hence not within one call of NumPy. Nothing is raised after the block. Of
    blocks within each other the innermost alone is watched; another thread asks ``should_stop``, first when
    the block has lasted ``after`` seconds. The block has ``grace`` processor seconds to end by itself; what
    blocks within it take does not count.

    What is raised, an interrupt too, may come just as the block begins to end, which is then not heard of:
    a block is over once the function that entered it has been left, whatever else is known. So `run` has a
    function of its own, and no generator may enter one.

    Attributes
    ----------
    place
        The function in which it, or a block within it, was broken off, or whose call of a library had to end
        before; else None.
    """

    __slots__ = (
        "_asks_from",
        "_collects",
        "_ends",
        "_fired",
        "_frame",
        "_grace",
        "_outer",
        "_should_stop",
        "_thread",
        "_used",
        "place",
    )

    def __init__(self, should_stop: Callable[[], bool], after: float = 0.0, grace: float = 0.0) -> None:
        self._should_stop, self._asks_from, self._grace = should_stop, after, grace
        self._thread = threading.get_ident()
        self._used = ThreadTime() if grace else float  # which is 0
        self._ends: float | None = None  # when the grace is over
        self._fired = self._collects = False
        self._outer: stopping | None = None
        self._frame: FrameType | None = None  # of the function that entered it
        self.place: str | None = None

    def run(self, function: Callable[Given, T], *args: Given.args, **options: Given.kwargs) -> T:
        """Call a function within the block."""
        with self:
            return function(*args, **options)

    def __enter__(self) -> None:
        self._asks_from += time.monotonic()
        self._frame = frame = sys._getframe(1)
        assert not frame.f_code.co_flags & CO_GENERATOR, "a generator is left whenever it yields"
        # Nothing is made while the lock is held: that may begin a collection, and what is then deleted may
        # wait for a thread that wants this lock.
        with _watch.lock:
            outer = _watch.blocks.get(self._thread)
            while outer is not None and not _is_within(frame, outer._frame):
                outer._collect_again()
                outer = outer._outer
            self._outer = outer
            _watch.blocks[self._thread] = self
            _watch.entered = True
            asleep, _watch.awake = not _watch.awake, True
        if asleep:
            self._wake()

    def _wake(self) -> None:
        """Have a thread look again."""
        _watch.idle = 0
        try:
            threading.Thread(target=_watch.look, name="cpqueens-stopper", daemon=True).start()
        except BaseException as error:
            if isinstance(error, RuntimeError):  # there can be no more threads
                _watch.awake = False
            self.__exit__()
            raise

    def __exit__(self, *details: object) -> None:
        try:
            with _watch.lock:
                self._leave()
        finally:
            if self._fired:
                self._leave()  # where it was raised just before
                _swallow(self._thread)  # or is under way: it must not arrive after the block
                self._collect_again()

    def _leave(self) -> None:
        self._frame = None
        if self._outer is None:
            _watch.blocks.pop(self._thread, None)
        else:
            self._outer._ends = None
            self._outer.place = self._outer.place or self.place
            _watch.blocks[self._thread] = self._outer

    def ask(self, now: float) -> None:
        """End the block if it is time, and again some time later: what it raises may have been lost.

        A deletion that comes just then runs functions of others, whose errors Python ignores.
        """
        self._collect_again()
        if now < self._asks_from or not self.must_end():
            return
        # No collection may begin meanwhile, nor in the thread until it has heard: what is raised in functions
        # that it calls is lost; and Python 3.11 may come to a standstill if one begins within
        # `sys._current_frames` (CPython's issue 106883).
        self._collects, broken = gc.isenabled(), False
        gc.disable()
        try:
            with _watch.lock:
                # its place is looked at last: as little as possible may happen in the thread from then on
                if _watch.blocks.get(self._thread) is not self:
                    return
                frame = sys._current_frames().get(self._thread)
                if not _is_within(frame, self._frame):
                    self._leave()
                elif _may_break(frame):
                    self._fired, self._asks_from, broken = True, now + _AGAIN, True
                    _raise_in(self._thread)
                    if frame is not None and self.place is None:  # the first time
                        self.place = f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_qualname}"
        finally:
            if not broken:
                self._collect_again()

    def _collect_again(self) -> None:
        """Let collections begin as before."""
        if self._collects:
            self._collects = False
            gc.enable()

    def must_end(self) -> bool:
        """Say whether the block is to stop, and may not end by itself any more."""
        if not self._should_stop():
            return False
        if self._ends is None:
            self._ends = self._used() + self._grace
        return self._used() >= self._ends


def unstopped() -> stopping | contextlib.nullcontext[None]:
    """Return a block in which this thread is not broken off: it delivers, or is in another library."""
    watched = threading.get_ident() in _watch.blocks
    return stopping(lambda: False) if watched else contextlib.nullcontext()


def heed() -> None:
    """Be broken off here, between long calls of a library, if the block that this thread is in must end."""
    block = _watch.blocks.get(threading.get_ident())
    if block is not None and block.must_end():
        raise Stopped


def watching(stop: Callable[[], None], should_stop: Callable[[], bool]) -> stopping:
    """Return a block that goes on in another library until it ends: ``stop`` is called once it must end.

    It is called from another thread, again and again until the block is over; one call may be under way then.
    """

    def ask() -> bool:
        if should_stop():
            stop()
        return False

    return stopping(ask)


def _is_within(frame: FrameType | None, outer: FrameType | None) -> bool:
    """Say whether a function was called, over others or not, by one that has not been left."""
    while frame is not None and frame is not outer:
        frame = frame.f_back
    return frame is not None


def _may_break(frame: FrameType | None) -> bool:
    """Say whether a thread may be broken off here; if not, the next look comes soon.

    It may in our own code, in that of users and in some libraries, but not within an import, a finalizer or
    what a garbage collection calls: a broken import leaves a half-made module behind, of a library in C for
    good, and what is raised within the others is printed and lost.
    """
    if frame is None or _is_closed(frame):
        return False
    collecting = {getattr(called, "__code__", None) for called in gc.callbacks}
    while frame is not None:
        code = frame.f_code
        if (
            code in collecting
            or code.co_name == "__del__"
            or code.co_filename.startswith("<frozen importlib")
        ):
            return False
        if frame.f_globals.get("__name__") in _FINALIZING:
            return False
        frame = frame.f_back
    return True


def _is_closed(frame: FrameType) -> bool:
    """Say whether a thread is in code that is not ours, a user's or a known library's."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    if package in sys.stdlib_module_names:
        return package != "__main__"
    installed = any(folder in frame.f_code.co_filename for folder in ("site-packages", "dist-packages"))
    return installed and package not in _OPEN


def _raise_in(thread: int) -> None:
    """Have `Stopped` raised in a thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stopped))


def _swallow(thread: int) -> None:
    """Let nothing of what is to be raised in this thread be left.

    If it were taken back, Python 3.11 would go on asking whether there is anything, and come to a standstill
    as soon as code is traced or profiled. Another takes its place, and is heard here.
    """
    with contextlib.suppress(Stopped):
        _raise_in(thread)
        for _ in range(1000):  # Python looks whenever a loop goes back
            pass


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


AT_ONCE = 1 << 21
"""Numbers that are copied by one call."""

IntArray = NDArray[np.int64]

Numbers = TypeVar("Numbers", bound=NDArray[Any])


def _write(values: Any, to: NDArray[Any]) -> None:
    """Copy numbers to as long an array, by calls of so many that a run can be broken off between two."""
    for first in range(0, len(values), AT_ONCE):
        to[first : first + AT_ONCE] = values[first : first + AT_ONCE]


def copied(values: Numbers, room: int = 0) -> Numbers:
    """Return a copy of an array, (n,), with ``room`` zeros behind it; nothing is written to these yet."""
    if len(values) <= AT_ONCE and not room:
        return values.copy()
    found: Any = np.zeros((len(values) + room, *values.shape[1:]), dtype=values.dtype)
    _write(values, found[: len(values)])
    return found


def doubled(values: IntArray) -> IntArray:
    """Return an array, (2n,), that begins as one of (n,) does; nothing is written to the zeros behind."""
    return copied(values, len(values))


def joined(parts: Sequence[Any]) -> IntArray:
    """Return some numbers, (n,) each, one after the other."""
    size, end = sum(map(len, parts)), 0
    if size <= AT_ONCE:
        return np.concatenate(parts, dtype=np.int64, casting="unsafe")
    found = np.empty(size, dtype=np.int64)
    for part in parts:
        _write(part, found[end : end + len(part)])
        end += len(part)
    return found


_SLICE = 0.01  # processor seconds that a call should take
_MOST = 1 << 24


class Pace:
    """The steps of the next call, from the time that those before it took, in plain form or compiled.

    Attributes
    ----------
    steps
        How many; at least 1.
    steady
        Whether they stay as many, so that where calls end depends on no clock.
    """

    def __init__(self, steps: int = 16, steady: bool = False) -> None:
        self.steps, self.steady = steps, steady

    def timed(
        self,
        call: Callable[[int], T],
        steps: int,
        unmade: T,
        paused: Callable[[T], bool] | None = None,
    ) -> T:
        """Make a call of ``steps`` steps, and learn from it.

        Its answer is ``unmade`` if it used them all and would go on, or one that ``paused`` says to mean so.
        One that is broken off, because the run is to stop, has changed nothing, and has the same answer: so
        the caller looks at its limits.
        """
        began = time.thread_time()
        try:
            answer = call(steps)
        except Stopped:
            return unmade
        spent = time.thread_time() - began
        if self.steady:
            return answer
        if spent > 2 * _SLICE:
            self.steps = max(1, int(min(steps, self.steps) * _SLICE / spent))
        elif steps >= self.steps and spent < _SLICE / 2:
            used_all = answer == unmade if paused is None else paused(answer)
            if used_all:
                more = 64 if spent < _SLICE / 128 else 8 if spent < _SLICE / 16 else 2
                self.steps = min(more * self.steps, _MOST)
        return answer
