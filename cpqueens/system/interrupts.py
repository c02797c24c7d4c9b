"""Signals: one policy for every run, every loop of runs, and the command line.

The first of INT, TERM and HUP is a request to stop: the run under way ends with what it has, and so does
every loop around it. A second one ends at once. A program that uses the library keeps its own handlers: only
Ctrl-C is taken, and only where Python's own meaning of it stands; the command line (`program`) takes all
three, as far as they are not ignored (as `nohup` and shells do for what runs in the background). On Windows
there is no HUP, and Ctrl-Break is taken instead. Handlers run in the main thread alone: work in other
threads is ended by its own means.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` looks up in enumerations for 15 microseconds
import atexit
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from types import FrameType
from typing import ClassVar, NoReturn, TypeVar

_PAUSE = 0.001  # seconds between two looks for arriving signals: each is a call of the system
EXIT_CODE = 130

SIGNALS: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""The signals that ask for an end, as far as the system has them."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class Interrupted(KeyboardInterrupt):
    """The first signal, raised in the user's own code: it ends that call, and the run with what it has."""


def _raise() -> NoReturn:
    raise KeyboardInterrupt


class Interrupt:
    """What is known about signals during one run, or during a loop of runs.

    An interrupt within an interrupted one is born ``seen``: no loop can go on with a further run by mistake.
    """

    def __init__(
        self, abandoned: Callable[[], bool] | None = None, enclosing: Interrupt | None = None
    ) -> None:
        self._abandoned = abandoned
        self.cancel = threading.Event()
        self.seen = False
        self.raising = False  # whether the code under way is broken off, such as the user's own
        self.ears: Ears | None = None
        self.leave: Callable[[], NoReturn] = _raise if enclosing is None else enclosing.leave
        if enclosing is not None and enclosing.seen:
            self.note()

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Note the first signal, raising only in code that is to be broken off; leave at a second one."""
        again = self.seen
        self.note()
        if again:
            self.leave()
        if self.raising:
            raise Interrupted

    def note(self) -> None:
        """Remember that a signal came, here or in an inner run."""
        self.seen = True
        self.cancel.set()

    def poll(self) -> bool:
        """Say whether a signal came, also where Python's own handler has not run yet."""
        if self._abandoned is not None and self._abandoned():
            self.cancel.set()
            return True
        if not self.seen and self.ears is not None and self.ears.heard():
            self.cancel.set()
            return True
        return self.seen

    def until_seen(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items until a signal came: the loop over what are runs, or parts of one."""
        for item in items:
            if self.poll():
                return
            yield item

    def attempt(self, work: Callable[[], Result]) -> Result | None:
        """Return what ``work`` returns; None if the first signal broke it off outside of inner runs."""
        try:
            self.raising = True
            result = work()
            self.raising = False
            return result
        except Interrupted:
            return None
        finally:
            self.raising = False


class Ears:
    """Where arriving signals are heard before Python's handlers run (say while the main thread is in C)."""

    shared = False  # whether inner runs listen here too
    closed: ClassVar[int] = 0

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers = frozenset(numbers)
        self._receiver, self._sender = _FREE.pop() if _FREE else _pair()
        self._due = time.monotonic() + _PAUSE  # when to look (again)
        self._old = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)

    def heard(self) -> bool:
        """Say whether a signal arrived since the last look."""
        now = time.monotonic()
        if now < self._due:
            return False
        self._due = now + _PAUSE
        try:
            received = self._receiver.recv(64)
        except (BlockingIOError, OSError):
            return False
        return any(number in self._numbers for number in received)

    def close(self, seen: bool) -> None:
        """Listen no more; the next run uses the sockets again. Of what was ``seen`` it hears nothing."""
        signal.set_wakeup_fd(self._old)
        Ears.closed += 1
        if seen or Ears.closed % _DRAINED == 0:
            with contextlib.suppress(BlockingIOError):
                while self._receiver.recv(64):
                    pass
        _FREE.append((self._receiver, self._sender))


_FREE: list[tuple[socket.socket, socket.socket]] = []
"""Pairs that nobody listens at: making one takes as long as a short run."""

_DRAINED = 64
"""Every so many runs the pair is emptied of signals that are nobody's business, such as a child's end."""


def _pair() -> tuple[socket.socket, socket.socket]:
    receiver, sender = socket.socketpair()
    receiver.setblocking(False)
    sender.setblocking(False)
    return receiver, sender


@atexit.register
def _close_free() -> None:
    while _FREE:
        for end in _FREE.pop():
            end.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_free)  # a child's signals are not its parent's


class _Thread(Ears):
    """Ears with a thread of their own, which ends the program at the second signal, wherever it is then."""

    shared = True

    def __init__(self, numbers: Collection[int], leave: Callable[[], NoReturn]) -> None:
        super().__init__(numbers)
        self._receiver.setblocking(True)
        self._count, self._leave = 0, leave
        self._thread = threading.Thread(target=self._listen, name="cpqueens-signals", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while received := self._receiver.recv(64):
            self._count += sum(number in self._numbers for number in received)
            if self._count > 1:
                self._leave()

    def heard(self) -> bool:
        return self._count > 0

    def close(self, seen: bool) -> None:
        signal.set_wakeup_fd(self._old)
        self._sender.close()  # the thread reads the end
        self._thread.join()
        self._receiver.close()


@contextlib.contextmanager
def listening(abandoned: Callable[[], bool] | None = None) -> Iterator[Interrupt]:
    """Turn the first signal into `Interrupt.cancel` while the block runs (in the main thread alone).

    For a run, and for a loop of runs, which looks at `Interrupt.seen` after each. ``abandoned`` is a further
    reason to stop, asked whenever signals are looked for.
    """
    numbers: list[signal.Signals] = []
    enclosing: Interrupt | None = None
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            handler = _signal.getsignal(number)
            owner = _owner(handler)
            if owner is not None or handler is signal.default_int_handler:
                numbers.append(number)
            enclosing = enclosing or owner
    if not numbers:
        yield Interrupt(abandoned)
        return
    interrupt = Interrupt(abandoned, enclosing)
    shared = None if enclosing is None else enclosing.ears
    interrupt.ears = shared if shared is not None and shared.shared else Ears(numbers)
    try:
        with _handling(interrupt, numbers):
            yield interrupt
    finally:
        if interrupt.ears is not shared:
            interrupt.ears.close(interrupt.seen)
        if interrupt.seen and enclosing is not None:
            enclosing.note()


@contextlib.contextmanager
def program() -> Iterator[Interrupt]:
    """Apply the policy to a whole program: outside of runs and loops the first signal raises `Interrupted`.

    At a second one the process leaves with `EXIT_CODE`, whatever it is at, after what `on_leaving` holds.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    numbers = [n for n in SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]
    interrupt.leave, interrupt.raising = leave_at_once, True
    interrupt.ears = ears = _Thread(numbers, leave_at_once)
    try:
        with _handling(interrupt, numbers):
            yield interrupt
    finally:
        ears.close(interrupt.seen)


@contextlib.contextmanager
def _handling(interrupt: Interrupt, numbers: Iterable[signal.Signals]) -> Iterator[None]:
    old = {number: _signal.signal(number, interrupt.handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in old.items():
            _signal.signal(number, handler)


def _owner(handler: object) -> Interrupt | None:
    """Return the enclosing run, loop or program of ours that a handler belongs to."""
    owner = getattr(handler, "__self__", None)
    return owner if isinstance(owner, Interrupt) else None


_LEAVING: dict[int, Callable[[], None]] = {}
_LEAVES = threading.RLock()


def on_leaving(clean: Callable[[], None]) -> Callable[[], None]:
    """Have ``clean`` called if the program leaves at once; return what takes that back."""
    key = max(_LEAVING, default=0) + 1
    _LEAVING[key] = clean
    return lambda: _LEAVING.pop(key, None) and None


def leave_at_once() -> NoReturn:
    """End the process without unwinding; only what `on_leaving` holds is called, the last one first.

    The second signal is heard by two threads: who comes later waits a moment, or nothing would be called to
    its end.
    """
    _LEAVES.acquire(timeout=1.0)
    while _LEAVING:
        with contextlib.suppress(Exception):
            _LEAVING.popitem()[1]()
    os._exit(EXIT_CODE)


def keep_what_is_found() -> None:
    """Let no first signal break off what the program does from now on: runs end by themselves, and print."""
    owner = _owner(signal.getsignal(signal.SIGINT))
    if owner is not None:
        owner.raising = False


@contextlib.contextmanager
def beside(work: Callable[[threading.Event], None], name: str) -> Iterator[None]:
    """Let ``work`` go on in another thread while the block runs; its event says when it is to end."""
    done = threading.Event()
    thread = threading.Thread(target=work, args=(done,), name=f"cpqueens-{name}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
