"""The two tiers of a kernel: plain Python, which starts at once, and machine code, hundreds of times as fast.

An entry begins in plain form. After a few slices it looks for machine code in the cache; where there is none,
a child process compiles, for which plain running of 1.5 s waits. Each call may run in either form.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, update_wrapper
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit import cache
from cpqueens.kernels.jit.signatures import flatten
from cpqueens.system.platforms import ensure_room
from cpqueens.system.stopping import Stopped, ThreadTime, copied, stopping, unstopped

if TYPE_CHECKING:
    from cpqueens.kernels.jit.jobs import Job

Code = Callable[["array[int]"], Any]
Link = Callable[[Sequence[Any], Sequence[str], float], bool]
"""Makes ready what machine code calls by address, given an entry's arguments, their types and the seconds
that speak for machine code; says whether all is there."""

LOOK, COMPILE, WAIT = 0.05, 0.3, 1.5
"""Processor seconds in plain form after which an entry looks into the cache, has itself compiled, waits."""
QUICK, BRIEF = 0.15, 5000
"""Seconds after which a run waits for the compiler of an entry that has, with all that it calls, at most so
many bytes of bytecode. The compiler needs two seconds at most for that, half of them for its own start, and
what plain form would do meanwhile takes machine code milliseconds."""
MUCH = 3.0
"""Seconds of plain running ahead, about as long as compiling: such a run waits from `QUICK` on, too."""
SOON = 0.005
"""As `LOOK`, once this process has machine code: what loads it is there, which cost more than the loading."""
LARGE, HUGE = 1 << 17, 1 << 21
"""Entries of all arrays from which on work is plainly large: such goes to machine code at once if that is in
the cache, or even has it compiled and waits."""
_MODES = ("tiers", "plain", "compiled", "here")
_POLL, _LONGEST_POLL = 0.005, 0.03
"""Seconds between two looks while a run waits: a hundredth of those waited, within these bounds."""
_LONG_CALL = 0.02
"""Seconds after which a call in plain form is broken off where its run is to stop: twice those of a slice."""
_UNSIGNED = 1 << 63  # integers from here on are unsigned
_AT_ONCE = ("compiled", "here")
_SAY = 1.0


def _mode() -> str:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "plain"
    name = os.environ.get("CPQUEENS_KERNELS", _MODES[0])
    if name not in _MODES:
        logging.getLogger("cpqueens").warning("CPQUEENS_KERNELS: one of %s, got %r", ", ".join(_MODES), name)
        return _MODES[0]
    return name


MODE = _mode()
"""``tiers``; ``plain`` Python alone; ``compiled``, machine code from the first call on; or ``here``, the same
compiled in this process, which shares what several entries call."""


@contextmanager
def mode(name: str) -> Iterator[None]:
    """Use another `MODE` in this block, in all threads."""
    global MODE
    before, MODE = MODE, name
    try:
        yield
    finally:
        MODE = before


@contextmanager
def compiled() -> Iterator[None]:
    """Use machine code from the first call on, so that seconds compare, unless kernels are to stay plain."""
    with mode("compiled" if MODE == "tiers" else MODE):
        yield


class Book:
    """What a run allows and costs.

    Attributes
    ----------
    should_stop
        Says whether the run is to stop.
    breaks_off
        Whether a call is broken off then which takes long in plain form.
    ahead
        Processor seconds that the rest is known to take at least if it goes on as before; 0: nobody knows.
    paused
        Seconds of the pauses in which it waited for the compiler, however much longer each of them took.
    times
        Seconds: kernels in plain form (of the processor), compiled, and waiting for the compiler.
    """

    def __init__(self, should_stop: Callable[[], bool], whole: Book | None = None) -> None:
        self.should_stop, self.breaks_off, self.ahead = should_stop, True, 0.0
        self.times = {"plain_time": 0.0, "compiled_time": 0.0, "compile_time": 0.0}
        self.paused, self.whole = 0.0, self
        if whole is not None:
            self.times, self.whole = whole.times, whole.whole

    def pause(self, seconds: float) -> None:
        """Wait, and note it, also with the run that this is a part of."""
        time.sleep(seconds)
        self.paused += seconds
        if self.whole is not self:
            self.whole.paused += seconds


_NOBODY = Book(lambda: False)
_NOBODY.breaks_off = False
_book: ContextVar[Book] = ContextVar("book", default=_NOBODY)


@contextmanager
def running(should_stop: Callable[[], bool], *, part: bool = False) -> Iterator[Book]:
    """Say what the kernels that are called in this block belong to: a run, or ``part`` of that under way."""
    book = Book(should_stop, _book.get() if part else None)
    token = _book.set(book)
    try:
        yield book
    finally:
        _book.reset(token)


@contextmanager
def to_the_end() -> Iterator[None]:
    """Break off no call in this block: it tells what the run has found."""
    book = _book.get()
    before, book.breaks_off = book.breaks_off, False
    try:
        yield
    finally:
        book.breaks_off = before


def worked() -> float:
    """Return the seconds that the kernels of the run under way have taken: in plain form, and compiled."""
    times = _book.get().times
    return times["plain_time"] + times["compiled_time"]


def meter() -> Callable[[], float]:
    """Return what tells any thread this one's processor seconds, and waits for the compiler, from now on."""
    spent, book = ThreadTime(), _book.get().whole
    return lambda: spent() + book.paused


class Fixed:
    """An array, or a tuple of arrays, that goes into many calls: it is looked through once.

    Attributes
    ----------
    value
        The array or tuple; its arrays stay where they are.
    """

    __slots__ = ("_flat", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._flat: tuple[str, array[int]] | None = None

    def flat(self) -> tuple[str, array[int]]:
        """Return types and words, see `signatures.flatten`."""
        if self._flat is None:
            types, words = list[str](), array("q")
            flatten(self.value, types, words)
            self._flat = " ".join(types), words
        return self._flat


def unfixed(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return the arguments as the kernel's own text takes them."""
    return tuple([a.value if type(a) is Fixed else a for a in arguments])


def words_of(arguments: Sequence[Any]) -> tuple[tuple[str, ...], array[int]]:
    """Return the types of each argument and the words of all."""
    types: list[str] = []
    words = array("q")
    for argument in arguments:
        if type(argument) is int and argument < _UNSIGNED:  # a number of steps: at every call
            types.append("int64")
            words.append(argument)
            continue
        if type(argument) is Fixed:
            kinds, more = argument.flat()
            types.append(kinds)
            words.extend(more)
            continue
        own: list[str] = []
        flatten(argument, own, words)
        types.append(" ".join(own))
    return tuple(types), words


class KernelEntry:
    """A kernel that drivers call; see `cpqueens.kernels.jit.kernel`.

    Attributes
    ----------
    plain
        The function itself.
    bounded
        Whether a call of it is short in plain form, too; else it is compiled before its first call.
    """

    def __init__(self, function: Callable[..., Any], bounded: bool = True, link: Link | None = None) -> None:
        update_wrapper(self, function)
        self.plain, self.bounded, self._link = function, bounded, link
        self.spent = 0.0  # processor seconds in plain form
        self._forms: dict[tuple[str, ...], _Form] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call the form that is best for now.

        Raises
        ------
        Stopped
            If the run is to stop, and the call would take long in plain form: nothing has changed then.
        """
        spent = self._weight(arguments)
        if spent < _looks_from():
            return self._call_plain(arguments)
        types, words = words_of(arguments)
        form = self._form(types)
        code = form.code or form.found(spent, self._waits_from)
        if self._link is not None and not self._link(unfixed(arguments), types, spent):
            code = None
        if code is None:
            if not self.bounded and _book.get().should_stop():
                raise Stopped
            return self._call_plain(arguments)
        return self._call_code(code, words)

    def is_ready(self, *arguments: Any) -> bool:
        """Say whether a call with such arguments waits for no compiler; else have one begin beside the run.

        In plain form alone it is ready, as where machine code is waited for in any case.
        """
        return MODE != "tiers" or self._form(words_of(arguments)[0]).is_ready()

    def address(self, types: tuple[str, ...], spent: float) -> int:
        """Return where the machine code for arguments of such types is, 0 if it is not there yet."""
        form = self._form(types)
        if form.code is None:
            form.found(spent, WAIT)
        return form.address

    @property
    def _waits_from(self) -> float:
        """Seconds in plain form after which a run waits for the compiler."""
        return min(QUICK, WAIT) if self._is_brief or _book.get().ahead >= MUCH else WAIT

    @cached_property
    def _is_brief(self) -> bool:
        return text_size(self.plain) <= BRIEF

    def _form(self, types: tuple[str, ...]) -> _Form:
        return self._forms.get(types) or self._forms.setdefault(types, _Form(self.plain, " ".join(types)))

    def _weight(self, arguments: tuple[Any, ...]) -> float:
        """Return the seconds in plain form that speak for machine code."""
        if MODE == "plain":
            return 0.0
        if MODE in _AT_ONCE or not self.bounded:
            return WAIT
        if self.spent >= _looks_from():
            return self.spent
        entries = size(arguments)
        return WAIT if entries >= HUGE else LOOK if entries >= LARGE else self.spent

    def _call_plain(self, arguments: tuple[Any, ...]) -> Any:
        book, began = _book.get(), time.thread_time()
        try:
            with np.errstate(over="ignore"):  # whole numbers wrap, as machine words do
                if book.breaks_off:
                    return _whole_or_not(self.plain, unfixed(arguments), book.should_stop)
                return self.plain(*unfixed(arguments))
        finally:
            spent = time.thread_time() - began
            self.spent += spent
            book.times["plain_time"] += spent

    def _call_code(self, code: Code, words: array[int]) -> Any:
        began = time.perf_counter()
        try:
            return code(words)
        finally:
            _book.get().times["compiled_time"] += time.perf_counter() - began


def _whole_or_not(plain: Callable[..., Any], values: Sequence[Any], should_stop: Callable[[], bool]) -> Any:
    """Call a kernel in plain form; one that is broken off leaves its arrays as they were."""
    before: list[tuple[NDArray[Any], NDArray[Any]]] = []
    called = False

    def call() -> Any:
        nonlocal called
        for array in _written(values):
            before.append((array, copied(array)))
        called = True
        return plain(*values)

    try:
        return stopping(should_stop, after=_LONG_CALL).run(call)
    except Stopped:
        if called:
            for array, content in before:
                array[...] = content
        raise


def _written(values: Sequence[Any]) -> Iterator[NDArray[Any]]:
    """Yield the arrays that a kernel may write to."""
    for value in values:
        if isinstance(value, np.ndarray):
            if value.flags.writeable:
                yield value
        elif isinstance(value, tuple):
            yield from _written(value)


def entry_name(function: Callable[..., Any]) -> str:
    """Return the name by which the compiler finds an entry: of its module, or of its program's file."""
    module = function.__module__
    return f"{function.__code__.co_filename if module == '__main__' else module}:{function.__qualname__}"


def text_size(function: Callable[..., Any]) -> int:
    """Return how many bytes of bytecode a kernel has, with all kernels that it calls."""
    package = __name__.rpartition(".jit.")[0]
    waiting, seen = [function], {function}
    while waiting:
        kernel: Any = waiting.pop()
        names = kernel.__code__.co_names
        known = [kernel.__globals__.get(name) for name in names]
        modules = [vars(m) for m in known if isinstance(m, ModuleType) and m.__name__.startswith(package)]
        for called in (*known, *(module.get(name) for module in modules for name in names)):
            if (
                isinstance(called, FunctionType)
                and called not in seen
                and called.__module__.startswith(package)
            ):
                seen.add(called)
                waiting.append(called)
    return sum(len(kernel.__code__.co_code) for kernel in seen)


def size(arguments: Sequence[Any]) -> int:
    """Return how many entries the arrays have."""
    total = 0
    for value in unfixed(arguments):
        if isinstance(value, np.ndarray):
            total += value.size
        elif isinstance(value, tuple):
            total += size(value)
    return total


_loaded: list[str] = []
"""The entries of which this process has machine code."""


def _looks_from() -> float:
    return min(SOON, LOOK) if _loaded else LOOK


class _Form:
    """The compiled form of an entry for arguments of some types: missing, under way or loaded."""

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self.code: Code | None = None
        self.address = 0
        self._entry, self._source = entry_name(function), function.__code__.co_filename
        self._signature = signature
        self._job: Job | None = None
        self._failed = False
        self._lock = threading.Lock()

    @cached_property
    def _file(self) -> Path | None:
        """Where the machine code is kept; None if no folder can be written at all, or memory is short."""
        try:
            return cache.code_file(self._entry, self._source, self._signature)
        except (OSError, MemoryError):
            return None

    def found(self, spent: float, waits_from: float) -> Code | None:
        """Return the machine code if it is there; after enough seconds have it compiled, wait."""
        with self._lock:
            if self._failed or self._look() or spent < min(COMPILE, waits_from):
                return self.code
            if self._job is None:
                self._job = self._start()
        if spent >= _SAY:
            _announce(spent >= WAIT)
        if spent >= (WAIT if self._job is None else waits_from):
            self._wait()
        return self.code

    def is_ready(self) -> bool:
        """Say whether the machine code is there; have it compiled if nobody did yet."""
        with self._lock:
            if not self._look() and not self._failed and self._job is None:
                self._job = self._start()
        return self.code is not None

    def _look(self) -> bool:
        """Load the machine code if it is there; say whether it is."""
        with unstopped():  # a file that is broken off while it is read stays open
            if self.code is None and self._file is not None:
                content = cache.kept(self._file)
                if content is not None:
                    self._load(content)
        return self.code is not None

    def _load(self, content: bytes) -> None:
        from cpqueens.kernels.jit.loading import load

        self.code, self.address = load(content)
        _loaded.append(self._entry)

    def _start(self) -> Job | None:
        """Have it compiled by another process; None where there can be none."""
        from cpqueens.kernels.jit.jobs import Job

        if MODE == "here":
            return None
        try:
            return None if self._file is None else Job(self._entry, self._signature, self._file)
        except OSError:
            return None

    def _wait(self) -> None:
        """Wait until it is compiled, or the run is to stop; compile here what nobody else does."""
        book, began, paused = _book.get(), time.perf_counter(), 0.0
        while not book.should_stop():
            if self._job is None or not self._job.is_running():
                with self._lock:
                    if not self._look() and not self._failed:
                        self._compile_here()
                break
            if paused >= _SAY:
                _announce(True)
            pause = min(max(_POLL, paused / 100), _LONGEST_POLL)
            book.pause(pause)
            paused += pause
        book.times["compile_time"] += time.perf_counter() - began

    def _compile_here(self) -> None:
        """Compile in this process, without looking at limits; where that fails the plain form has to do."""
        try:
            ensure_room("numba")
            from cpqueens.kernels.jit.compiler import compile_entry

            content = compile_entry(self._entry, self._signature)
            self._load(content)
            if self._file is not None:
                cache.keep(self._file, content)
        except Exception:
            self._failed = True
            if MODE in _AT_ONCE:
                raise
            logging.getLogger("cpqueens").warning("%s cannot be compiled", self._entry, exc_info=True)


_said: list[bool] = []


def _announce(waiting: bool) -> None:
    """Say once that something is being compiled, so that nobody takes it for slow solving."""
    if _said:
        return
    _said.append(True)
    message = "compiling kernels (once)" + ("" if waiting else ", running in plain Python meanwhile")
    logging.getLogger("cpqueens").info(message)
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"cpqueens: {message}", file=sys.stderr)
