"""Processes of this machine as an executor: one that dies costs its task, and takes no other with it."""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection
from typing import Any

from cpqueens.errors import CpqueensError
from cpqueens.system.children import Worker, processor_seconds

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
_IDLE = 0.05
"""Seconds of a processor that a process may use which does nothing."""


class WorkerDied(RuntimeError):  # noqa: N818 - says what happened
    """The process that had a task is gone."""


class Processes(Executor):
    """Child processes that end with us, however we end, and are replaced where one dies.

    Functions are called by their module and name, in fresh interpreters that know nothing of our program.

    Parameters
    ----------
    workers
        How many.
    memory
        Bytes that each may take, 0 for no limit.
    """

    def __init__(self, workers: int, memory: int = 0) -> None:
        self._memory = memory
        self._tasks: queue.SimpleQueue[tuple[Future[Any], str, tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._closed = False
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
        self._tasks.put((future, f"{fn.__module__}:{fn.__qualname__}", args))
        return future

    def give_up(self, future: Future[Any], since: float) -> bool:
        """End the process that has a task unless it has worked for it since a time; say whether it was ended.

        ``since`` is the processor time that `spent` told of it. The task then fails with `WorkerDied`.
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
        """End all processes; with ``wait`` once they have done what was submitted."""
        self._closed = True
        if cancel_futures or not wait:
            with contextlib.suppress(queue.Empty):
                while (task := self._tasks.get_nowait()) is not None:
                    task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if not wait:
            for child in list(self._children.values()):
                with contextlib.suppress(OSError):
                    os.kill(child.pid, _KILL)
        for thread in self._threads:
            thread.join()

    def _attend(self) -> None:
        """Hand tasks to one process after the other, until there are none any more."""
        child: Worker | None = None
        while (task := self._tasks.get()) is not None:
            future, function, arguments = task
            if not future.set_running_or_notify_cancel():
                continue
            child = child or Worker("cpqueens.longrun.pool:attend", (), self._memory)
            self._children[future] = child
            try:
                child.connection.send((function, arguments))
                kind, value = child.connection.recv()
            except (EOFError, OSError, TypeError):  # it died, or was ended while it was listened to
                code = child.end()
                child = None
                future.set_exception(WorkerDied(f"the process died with exit code {code}"))
            except BaseException as error:
                future.set_exception(error)
            else:
                (future.set_result if kind == "done" else future.set_exception)(value)
            finally:
                del self._children[future]
        if child is not None:
            child.end()


def attend(connection: Connection) -> None:
    """Call functions and send back what they return or raise; in the child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever gave us the task decides
    while True:
        function, arguments = connection.recv()
        module, _, name = function.partition(":")
        try:
            answer = "done", getattr(importlib.import_module(module), name)(*arguments)
        except CpqueensError as error:
            answer = "failed", type(error)(str(error))
        except Exception as error:  # of whatever library: it might not be one that can be sent
            answer = "failed", RuntimeError(f"{type(error).__name__}: {error}")
        connection.send(answer)
