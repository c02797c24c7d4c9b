"""Executors of a cluster, by the address of its scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from cpqueens.errors import MissingLibrary
from cpqueens.longrun.job import JobError
from cpqueens.system.requirements import requirement
from cpqueens.text.plaintext import one_line

_PATIENCE = 15.0  # seconds for a scheduler to answer


@contextmanager
def connected(address: str) -> Iterator[tuple[Executor, int, str]]:
    """Give the executor of a ``dask.distributed`` scheduler, its number of threads and its dashboard.

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
    try:
        import distributed
    except ImportError:
        raise MissingLibrary(
            f"--cluster needs dask.distributed: {requirement('distributed').remedy}"
        ) from None
    try:
        make: Any = distributed.Client
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise JobError(f"--cluster {address}: no scheduler answers: {one_line(str(error), 200)}") from None
    try:
        threads = sum(
            worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()
        )
        if not threads:
            raise JobError(f"--cluster {address}: the scheduler has no workers")
        yield client.get_executor(pure=False, retries=3), threads, str(client.dashboard_link)
    finally:
        client.close()
