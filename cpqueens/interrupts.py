"""Ctrl-C as a request to stop: noticed at once, even while a solver runs outside Python."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_PAUSE = 0.001  # seconds between two looks for arriving signals: each is a call of the system


class Interrupted(KeyboardInterrupt):
    """The first Ctrl-C, raised in the user's own code: it ends that call, and the run with what it has."""


class Interrupt:
    """What is known about Ctrl-C during one run."""

    def __init__(self, abandoned: Callable[[], bool] | None = None) -> None:
        self._abandoned = abandoned
        self.cancel = threading.Event()
        self.seen = False
        self.in_user_code = False
        self._receiver: socket.socket | None = None
        self._due = 0.0  # when to look again

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Note the first Ctrl-C, raising only inside the user's own code; raise at a second one."""
        again = self.seen
        self.note()
        if again:
            raise KeyboardInterrupt
        if self.in_user_code:
            raise Interrupted

    def note(self) -> None:
        """Remember that Ctrl-C was pressed, here or in an inner run."""
        self.seen = True
        self.cancel.set()

    def poll(self) -> bool:
        """Say whether Ctrl-C was pressed, also where Python's own handler has not run yet."""
        if self._abandoned is not None and self._abandoned():
            self.cancel.set()
            return True
        now = time.monotonic()
        if self._receiver is not None and not self.seen and now >= self._due:
            self._due = now + _PAUSE
            try:
                received = self._receiver.recv(64)
            except (BlockingIOError, OSError):
                received = b""
            if signal.SIGINT in received or signal.SIGTERM in received:
                self.cancel.set()
                return True
        return self.seen

    def attach(self, receiver: socket.socket | None) -> None:
        """Set where the numbers of arriving signals can be read."""
        self._receiver = receiver


@contextmanager
def listening(abandoned: Callable[[], bool] | None = None) -> Iterator[Interrupt]:
    """Turn Ctrl-C into `Interrupt.cancel` while the block runs (in the main thread; elsewhere nothing).

    SIGTERM is taken in the same way by programs that gave it the meaning of Ctrl-C, as the command line
    does. ``abandoned`` is a further reason to stop, asked whenever Ctrl-C is looked for.
    """
    interrupt = Interrupt(abandoned)
    in_main = threading.current_thread() is threading.main_thread()
    numbers = [n for n in (signal.SIGINT, signal.SIGTERM) if _means_interrupt(n)] if in_main else []
    if not numbers:
        yield interrupt
        return
    receiver, sender = socket.socketpair()
    receiver.setblocking(False)
    sender.setblocking(False)
    interrupt.attach(receiver)
    old_fd = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    old_handlers = {number: signal.signal(number, interrupt.handle) for number in numbers}
    try:
        yield interrupt
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
            enclosing = getattr(handler, "__self__", None)  # of a run whose callback made this one
            if interrupt.seen and isinstance(enclosing, Interrupt):
                enclosing.note()
        signal.set_wakeup_fd(old_fd)
        receiver.close()
        sender.close()


def _means_interrupt(number: int) -> bool:
    """Say whether a signal has the meaning of Python's Ctrl-C or of an enclosing run of ours."""
    handler = signal.getsignal(number)
    return handler is signal.default_int_handler or isinstance(getattr(handler, "__self__", None), Interrupt)


@contextmanager
def watching(
    stop: Callable[[], None], should_stop: Callable[[], bool], every: float = 0.02
) -> Iterator[None]:
    """Call ``stop`` from another thread once ``should_stop`` says so, while the block runs."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(every):
            if should_stop():
                stop()

    thread = threading.Thread(target=watch, name="cpqueens-watcher", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class Stopped(BaseException):
    """Raised within `stopping`, between two bytecodes, once its block must end."""


_LONG = 500  # variables, or terms, of a model whose translation may take longer than Ctrl-C should wait


def stopping_if_long(should_stop: Callable[[], bool], size: int) -> stopping | contextlib.nullcontext[None]:
    """Return `stopping` for large models; with small ones, its thread would cost more than the work."""
    return stopping(should_stop) if size > _LONG else contextlib.nullcontext()


class stopping:  # noqa: N801 - used like a function
    """Raise `Stopped` in this thread once ``should_stop`` says so, while the block runs.

    For long Python work that has no loop to ask in, such as compiling a model of millions of variables. It
    ends between two bytecodes, hence not within one call of NumPy. Nothing is raised after the block.
    """

    def __init__(self, should_stop: Callable[[], bool], every: float = 0.01) -> None:
        self._should_stop, self._every = should_stop, every
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._fired = False
        self._thread = ctypes.c_ulong(threading.get_ident())

    def __enter__(self) -> None:
        threading.Thread(target=self._watch, name="cpqueens-stopper", daemon=True).start()

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        with self._lock:
            self._ended.set()
        if self._fired and kind is not Stopped:
            for _ in range(1000):  # it is under way and must not arrive after the block
                time.sleep(0.001)

    def _watch(self) -> None:
        while not self._ended.wait(self._every):
            if self._should_stop():
                with self._lock:
                    if not self._ended.is_set():
                        self._fired = True
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, ctypes.py_object(Stopped))
                return
