"""Processes of this machine as an executor: one that dies or hangs costs its task, and no other."""

import contextlib
import importlib
import os
import pickle
import re
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from cpqueens.system.children import Patience, Worker, processor_seconds

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
_IDLE = 0.05
"""Seconds of a processor that a process may use which does nothing."""
_LOOK = 0.1  # seconds between looks at the clock and for an end
_RENEWED = 2000
"""Tasks after which a process is replaced, so that a slow leak in a library does not matter."""

OUT_OF_MEMORY = "out of memory"
"""What a message has in it where that was why."""

Item = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


class TaskLost(RuntimeError):  # noqa: N818 - says what happened
    """The process of a task died, or hung and was ended; ``why`` is one word for it."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class Processes(Executor):
    """Child processes that end with us, however we end, and are replaced where one dies.

    Functions are those of modules, called in fresh interpreters that know nothing of our program. The first
    argument's ``patience``, if it has one, are the seconds in which it must answer.

    Parameters
    ----------
    workers
        How many.
    memory
        Bytes that each may take, 0 for no limit.
    module
        What each imports before its first task, so that no task is charged with it.
    """

    def __init__(self, workers: int, memory: int = 0, module: str = __name__) -> None:
        self._max_workers, self._memory, self._module = workers, memory, module
        self._tasks: SimpleQueue[Item | None] = SimpleQueue()
        self._closed, self._leaving = False, threading.Event()
        self._children: dict[Future[Any], Worker] = {}
        self._threads = [
            threading.Thread(target=self._attend, name=f"cpqueens-worker-{k}", daemon=True)
            for k in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a module's function called; keywords are not taken."""
        if kwargs or self._closed:
            raise RuntimeError("closed" if self._closed else "no keywords")
        future: Future[Any] = Future()
        self._tasks.put((future, fn, args))
        return future

    def give_up(self, future: Future[Any], since: float) -> bool:
        """End the process that has a task unless it has worked for it since a time; say whether it was ended.

        ``since`` is the processor time that `spent` told of it. The task then fails with `TaskLost`.
        """
        child = self._children.get(future)
        if child is None or self.spent(future) > since + _IDLE:
            return False
        with contextlib.suppress(OSError):
            os.kill(child.pid, _KILL)
        return True

    def spent(self, future: Future[Any]) -> float:
        """Return the processor time of the process that has a task, 0 if none has or nobody knows."""
        child = self._children.get(future)
        return 0.0 if child is None else processor_seconds(child.pid) or 0.0

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes: once they have done what was submitted, or at once.

        At once it is without ``wait``, or with ``cancel_futures``.
        """
        self._closed = True
        if cancel_futures or not wait:
            self._leaving.set()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _attend(self) -> None:
        """Hand tasks to one process, and to another one when that is gone."""
        child: Worker | None = None
        for done, (future, function, arguments) in enumerate(iter(self._tasks.get, None), 1):
            if self._leaving.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                fresh = child is None
                child = child or Worker("cpqueens.longrun.pool:attend", (self._module,), self._memory)
                self._children[future] = child
                if fresh:
                    self._heard(child, None)  # it is ready
                result = self._answer(child, function, arguments)
            except BaseException as error:
                if isinstance(error, TaskLost):
                    child = None  # it is gone
                future.set_exception(error)
            else:
                future.set_result(result)
            finally:
                self._children.pop(future, None)
            if child is not None and done % _RENEWED == 0:
                child.end()
                child = None
        if child is not None:
            child.end()

    def _answer(self, child: Worker, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Return what a process answers, or raise what it raised.

        Raises
        ------
        TaskLost
            If it does not answer.
        """
        patience = getattr(arguments[0], "patience", None) if arguments else None
        with contextlib.suppress(ConnectionError):  # it died: whoever listens will see that
            child.connection.send((function, arguments))
        good, value = self._heard(child, patience)
        if not good:
            raise value
        return value

    def _heard(self, child: Worker, seconds: float | None) -> Any:
        """Return the next that a process says; it is ended if that takes too long, or we leave."""
        patience, ended = Patience(seconds, child.pid), processes_ended_for_memory()
        try:
            while not child.connection.poll(_LOOK):
                if self._leaving.is_set():
                    child.end()
                    raise TaskLost("interrupted", "not done")
                if patience.is_over():
                    child.end()
                    raise TaskLost("late", f"no answer in {seconds or 0:.1f} s; the process was ended")
            return child.connection.recv()
        except (EOFError, ConnectionError):
            code = child.end(1.0)
            memory = code == -_KILL and processes_ended_for_memory() > ended
            why = f" ({OUT_OF_MEMORY}: the system ended a process for it)" if memory else ""
            ending = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            raise TaskLost("crashed", f"its process ended with {ending}{why}") from None


def processes_ended_for_memory() -> int:
    """Return how many processes the system has ended since it began for want of memory, 0 if unknown."""
    try:
        found = re.search(r"^oom_kill (\d+)$", Path("/proc/vmstat").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) if found else 0


def attend(connection: Connection, module: str) -> None:
    """Call what is sent and answer; in a process, which ends when nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever gave us the task decides
    importlib.import_module(module)
    connection.send("ready")
    while True:
        function, arguments = connection.recv()
        try:
            answer = (True, function(*arguments))
        except Exception as error:
            answer = (False, _portable(error))
        connection.send(answer)


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent: of whatever library it may be one that cannot."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
