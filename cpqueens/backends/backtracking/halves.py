"""Drive the counting of queens by halves: row sets as units, threads, limits, a running estimate.

Each unit is one class of row sets with an exact result and a weight, the number of row sets of its class.
Units are done in a seeded random order, so that the units done so far are a simple random sample and give
an unbiased estimate of the whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.halves_run import CHUNK_SECONDS, HalvesProgress, Run
from cpqueens.kernels.quadrants import MAX_N, Layout, Quadrant, layout
from cpqueens.kernels.row_sets import Units, quadrant_builders, row_sets


def count(
    n: int,
    allowed: NDArray[np.bool_] | None = None,
    num_workers: int = 1,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[HalvesProgress], None] | None = None,
    seed: int = 0,
) -> HalvesProgress:
    """Count the ways to place n queens, exactly unless stopped.

    Parameters
    ----------
    n
        Size of the board, at most `MAX_N`.
    allowed
        Which squares may hold a queen, bool of shape (n, n), row first; None for all. Given queens are rows
        with one allowed square. With any forbidden square the symmetries are not used.
    num_workers
        Threads.
    should_stop
        Looked at every few hundredths of a second; once true, the units under way are finished and the
        result is not ``complete``.
    on_progress
        Called in the calling thread about ten times a second.
    seed
        Order of the units, at least 0.

    Raises
    ------
    ValueError
        If n is negative or above `MAX_N`, ``allowed`` is not an (n, n) array, or there is no worker.
    """
    if num_workers < 1:
        raise ValueError(f"num_workers = {num_workers}: at least one thread must work")
    if not 0 <= n <= MAX_N:
        raise ValueError(f"n = {n}: counting by halves is for 0 .. {MAX_N}")
    if allowed is not None and allowed.shape != (n, n):
        raise ValueError(f"allowed has shape {allowed.shape}, expected {(n, n)}")
    if n < 2:
        alone = 1 if n == 0 or allowed is None or bool(allowed[0, 0]) else 0
        return HalvesProgress(alone, 1, 1, None, None)
    if allowed is not None and bool(allowed.all()):
        allowed = None
    if should_stop():
        return HalvesProgress(0, 0, 1, None, None)
    board = layout(n)
    units = row_sets(board, allowed)
    if len(units.weights) == 0:
        return HalvesProgress(0, 0, 0, 0.0, (0.0, 0.0))
    order = np.random.default_rng(seed).permutation(len(units.weights))
    units = Units(np.ascontiguousarray(units.rows[order]), units.weights[order])
    quadrants = _tables(board, allowed, num_workers, should_stop)
    if quadrants is None:
        return HalvesProgress(0, 0, len(units.weights), None, None)
    run = Run(board, units, quadrants, should_stop)
    return run.alone(on_progress) if num_workers == 1 else run.threaded(num_workers, on_progress)


class _Stopped(Exception):  # noqa: N818 - control flow of the threads that build tables
    """Nobody waits for the tables any more."""


def _tables(
    board: Layout, allowed: NDArray[np.bool_] | None, num_workers: int, should_stop: Callable[[], bool]
) -> Sequence[Quadrant] | None:
    """Build the quadrants, seconds for the largest boards, in threads; they end by themselves if stopped."""
    stopped = threading.Event()

    def look() -> None:
        if stopped.is_set():
            raise _Stopped

    builders = quadrant_builders(board, allowed, look)
    futures: list[Future[Quadrant]] = [Future() for _ in builders]

    def work(first: int) -> None:
        for k in range(first, len(builders), num_workers):
            try:
                futures[k].set_result(builders[k]())
            except _Stopped:
                return
            except BaseException as error:  # raised again in the calling thread
                futures[k].set_exception(error)

    for first in range(min(num_workers, len(builders))):
        threading.Thread(target=work, args=(first,), name=f"cpqueens-tables-{first}", daemon=True).start()
    quadrants: list[Quadrant] = []
    try:
        while len(quadrants) < len(futures):
            try:
                quadrants.append(futures[len(quadrants)].result(CHUNK_SECONDS))
            except TimeoutError:
                if should_stop():
                    return None
    finally:
        stopped.set()
    return (*quadrants, *quadrants)[:4]


__all__ = ["MAX_N", "HalvesProgress", "count"]
