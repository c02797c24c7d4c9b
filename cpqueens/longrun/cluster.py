"""The workers of a dask.distributed cluster as an executor, which outlives its scheduler."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any

from cpqueens.longrun.pool import TaskLost
from cpqueens.longrun.splitting import JobError, code_version
from cpqueens.longrun.work import refuse_other_code
from cpqueens.system.requirements import need
from cpqueens.text.plaintext import one_line

_log = logging.getLogger("cpqueens")
_PATIENCE = 15.0  # seconds for a scheduler to answer
RETURN = 120.0
"""Seconds for which a scheduler that is gone is waited for, with at least one worker."""
_PAUSE = 0.5
_KILLS = 3  # workers that one task may kill before it is given up


class ClusterWorkers(Executor):
    """Workers that a scheduler knows; if it dies, its successor at the same address gets all tasks anew.

    Parameters
    ----------
    address
        Such as ``tcp://192.0.2.1:8786``.

    Raises
    ------
    JobError
        If there is no scheduler at the address, or it has no workers.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.RLock()
        self._tasks: dict[Future[Any], tuple[Callable[..., Any], tuple[Any, ...]]] = {}
        self._gone = self._closed = False  # whether the scheduler is; whether we are
        self._client = _connected(address, _PATIENCE)
        self._max_workers = _threads(self._client)
        if not self._max_workers:
            self._client.close()
            raise JobError(f"--cluster {address}: the scheduler has no workers")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a module's function called by a worker that has our code; keywords are not taken."""
        if kwargs or self._closed:
            raise BrokenExecutor(f"{self.address} is closed" if self._closed else "no keywords")
        future: Future[Any] = Future()
        with self._lock:
            self._tasks[future] = fn, args
            if not self._gone:
                self._send(future)
        return future

    def _send(self, future: Future[Any]) -> None:
        """Give a task to the scheduler."""
        client, (function, arguments) = self._client, self._tasks[future]
        try:
            dask = client.get_executor(pure=False, retries=_KILLS)
            inner = dask.submit(refuse_other_code, code_version(), function, *arguments)
        except Exception:  # of whatever the library raises once it is cut off
            self._lose(client)
            return
        future.add_done_callback(lambda _: future.cancelled() and inner.cancel())
        inner.add_done_callback(lambda _: self._done(future, inner, client))

    def _done(self, future: Future[Any], inner: Future[Any], client: Any) -> None:
        """Hand on a result; a task that nobody took back was lost with its scheduler."""
        with self._lock:
            if future not in self._tasks or self._closed:
                return
            lost = inner.cancelled() or isinstance(inner.exception(), CancelledError)
            if lost and not future.cancelled():
                self._lose(client)
                return
            del self._tasks[future]
        if future.set_running_or_notify_cancel():
            error = _lost_task(inner.exception())
            future.set_result(inner.result()) if error is None else future.set_exception(error)

    def _lose(self, client: Any) -> None:
        with self._lock:
            if self._gone or self._closed or client is not self._client:
                return
            self._gone = True
        _log.warning("%s: the scheduler is gone; it is waited for, %g s long", self.address, RETURN)
        threading.Thread(target=self._renew, name="cpqueens-cluster", daemon=True).start()

    def _renew(self) -> None:
        """Look for a new scheduler with workers, and give it all tasks; or give them up."""
        deadline = time.monotonic() + RETURN
        while not self._closed:
            with contextlib.suppress(Exception):
                self._client.close(timeout=1)
            with contextlib.suppress(JobError):
                client = _connected(self.address, max(1.0, min(_PATIENCE, deadline - time.monotonic())))
                if _threads(client):
                    break
                client.close()
            if time.monotonic() > deadline:
                self._give_up(f"no scheduler with workers at {self.address} for {RETURN:g} s")
                return
            time.sleep(_PAUSE)
        else:
            return
        with self._lock:
            self._client, self._gone = client, False
            for future in list(self._tasks):
                if not future.done():
                    self._send(future)

    def _give_up(self, why: str) -> None:
        with self._lock:
            self._closed = True
            left = [future for future in self._tasks if future.set_running_or_notify_cancel()]
        for future in left:
            future.set_exception(BrokenExecutor(why))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; its workers stay."""
        with self._lock:
            self._closed = True
        with contextlib.suppress(Exception):
            self._client.close()


def _lost_task(error: BaseException | None) -> BaseException | None:
    """Return an error as it came; that of a task whose workers died by the name that ours have for it."""
    if type(error).__name__ != "KilledWorker":
        return error
    why = "killed, crashed, or ended for what they took above `dask worker --memory-limit`"
    return TaskLost("crashed", f"its workers died, one after the other: {why}")


@contextlib.contextmanager
def connected(address: str) -> Iterator[tuple[Executor, int, str]]:
    """Give the executor of a ``dask.distributed`` scheduler, its number of threads and its dashboard.

    A scheduler that is killed is waited for, `RETURN` seconds long; the same address with at least one worker
    gets the tasks that were under way.

    Parameters
    ----------
    address
        Such as ``tcp://192.0.2.1:8786``.

    Raises
    ------
    MissingLibrary
        If ``distributed`` is not installed.
    JobError
        If there is no scheduler at the address, or it has no workers.
    """
    with ClusterWorkers(address) as workers:
        yield workers, workers._max_workers, str(workers._client.dashboard_link)


def _connected(address: str, seconds: float) -> Any:
    """Return a client."""
    distributed = need("distributed", "distributed")
    try:
        if address.startswith("tls:") and not distributed.Security().get_connection_args("client").get(
            "ssl_context"
        ):
            raise JobError(f"--cluster {address}: needs certificates; docs/solving/long_counts.md says how")
        return distributed.Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        raise JobError(f"--cluster {address}: no scheduler answers: {one_line(str(error), 200)}") from None


def _threads(client: Any) -> int:
    return sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
