"""An executor whose processes end with us; a task that hangs or dies costs nothing but itself."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from cpqueens.system.children import Patience, Worker

_LOOK_EVERY = 0.1  # seconds between looks at the clock and for an end
MEMORY = 6 * 2**30
"""Bytes that a process may take."""


class TaskLost(Exception):  # noqa: N818 - says what happened
    """The process of a task died, or hung and was ended; ``why`` is one word for it."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


Item = tuple[Future[Any], Any, tuple[Any, ...]]


class WorkerPool(Executor):
    """A process pool that survives the death of a process, each looked after by a thread.

    Parameters
    ----------
    processes
        How many.
    module
        What each imports before its first task, so that no task is charged with it.
    """

    def __init__(self, processes: int, module: str) -> None:
        self._max_workers, self._module = processes, module
        self._tasks: SimpleQueue[Item | None] = SimpleQueue()
        self._leaving = threading.Event()
        self._threads = [threading.Thread(target=self._attend, daemon=True) for _ in range(processes)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function of a module called; the first argument's ``patience`` is its seconds, if any."""
        if kwargs:
            raise TypeError("tasks take arguments by place only")
        future: Future[Any] = Future()
        self._tasks.put((future, fn, args))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, after what is under way, or at once with ``cancel_futures``."""
        if cancel_futures:
            self._leaving.set()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _attend(self) -> None:
        """Hand tasks to one process, and another one when that is gone."""
        worker: Worker | None = None
        while (item := self._tasks.get()) is not None:
            future, function, arguments = item
            if self._leaving.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                worker = worker or self._begun()
                future.set_result(self._answer(worker, function, arguments))
            except BaseException as error:
                if isinstance(error, TaskLost):
                    worker = None  # it is gone
                future.set_exception(error)
        if worker is not None:
            worker.end()

    def _begun(self) -> Worker:
        """Return a process that is ready for its first task.

        Raises
        ------
        TaskLost
            If it does not get so far.
        """
        worker = Worker("cpqueens.lab.workers:work", (self._module,), MEMORY)
        try:
            while not worker.connection.poll(_LOOK_EVERY):
                if self._leaving.is_set():
                    worker.end()
                    raise TaskLost("interrupted", "not begun")
            worker.connection.recv()
        except (EOFError, ConnectionError):
            raise TaskLost("crashed", f"its process ended with {_ending(worker.end(1.0))} at once") from None
        return worker

    def _answer(self, worker: Worker, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Return what the process answers.

        Raises
        ------
        TaskLost
            If it does not.
        """
        seconds = getattr(arguments[0], "patience", None) if arguments else None
        patience, connection = Patience(seconds, worker.pid), worker.connection
        try:
            connection.send((function, arguments))
            while not connection.poll(_LOOK_EVERY):
                if patience.is_over() or self._leaving.is_set():
                    worker.end()
                    raise TaskLost("late", f"no answer in {seconds or 0:.1f} s; the process was ended")
            good, value = connection.recv()
        except (EOFError, ConnectionError):
            code = worker.end(1.0)
            raise TaskLost("crashed", f"its process ended with {_ending(code)}") from None
        if not good:
            raise value
        return value


def _ending(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def work(connection: Connection, module: str) -> None:
    """Call what is sent and answer; in a process, which ends when nobody sends any more."""
    importlib.import_module(module)
    connection.send("ready")
    while True:
        function, arguments = connection.recv()
        try:
            answer = (True, function(*arguments))
        except Exception as error:
            answer = (False, error)
        connection.send(answer)
