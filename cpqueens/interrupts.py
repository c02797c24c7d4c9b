"""Ctrl-C as a request to stop: noticed at once, even while a solver runs outside Python."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """What is known about Ctrl-C during one run."""

    def __init__(self, abandoned: Callable[[], bool] | None = None) -> None:
        self._abandoned = abandoned
        self.cancel = threading.Event()
        self.seen = False
        self.in_consumer = False
        self._receiver: socket.socket | None = None

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Note the first Ctrl-C; raise at a second one, or inside the user's own callback."""
        if self.seen or self.in_consumer:
            self.seen = True
            self.cancel.set()
            raise KeyboardInterrupt
        self.seen = True
        self.cancel.set()

    def poll(self) -> bool:
        """Say whether Ctrl-C was pressed, also where Python's own handler has not run yet."""
        if self._abandoned is not None and self._abandoned():
            self.cancel.set()
            return True
        if self._receiver is not None and not self.seen:
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
