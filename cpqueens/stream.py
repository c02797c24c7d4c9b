"""The iterator over solutions: the one place with a queue and a thread."""

from __future__ import annotations

import contextlib
import queue
import threading
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cpqueens.backends.base import Want
from cpqueens.outcome import Outcome, Solution, SolutionSet
from cpqueens.solve import run, trusted

if TYPE_CHECKING:
    from cpqueens.interrupts import Interrupt
    from cpqueens.model import Model

_WAITING_BATCHES = 8
_LOOK_EVERY = 0.05  # seconds between looks at cancellation and at the main thread


class _Pipe:
    """What the solving thread and the iterator share; it does not keep the iterator alive."""

    def __init__(self) -> None:
        self.batches: queue.Queue[SolutionSet | None] = queue.Queue(_WAITING_BATCHES)
        self.closed = threading.Event()
        self.outcome: Outcome | None = None
        self.error: BaseException | None = None

    def put(self, batch: SolutionSet | None) -> bool:
        """Wait until there is room; answer False once nobody will read any more."""
        while not self.abandoned():
            try:
                self.batches.put(batch, timeout=_LOOK_EVERY)
                return True
            except queue.Full:
                continue
        return False

    def abandoned(self) -> bool:
        """Say whether the iterator was closed or the program is ending."""
        return self.closed.is_set() or not threading.main_thread().is_alive()


def _search(pipe: _Pipe, model: Model, solver: str, options: dict[str, Any]) -> None:
    def hand_over(_interrupt: Interrupt, found: SolutionSet) -> int | None:
        return None if pipe.put(SolutionSet(found.model, found.known, found.matrix.copy())) else 0

    try:
        pipe.outcome = run(model, solver, Want.ALL, hand_over, list, abandoned=pipe.abandoned, **options)
    except BaseException as error:
        pipe.error = error
    finally:
        pipe.put(None)


class SolutionStream(Iterator[Solution]):
    """Solutions one by one, while the backend goes on in a thread; close it, or use it in ``with``.

    After the last solution, or after `close`, ``outcome`` says what the run concluded. Errors of the run
    are raised where the next solution was asked for.
    """

    def __init__(self, model: Model, solver: str, options: dict[str, Any]) -> None:
        self._pipe = _Pipe()
        self._current: Iterator[Solution] = iter(())
        self._ended = False
        self._thread = threading.Thread(
            target=_search, args=(self._pipe, model, solver, options), name="cpqueens-solutions", daemon=True
        )
        self._finalizer = weakref.finalize(self, _close, self._pipe, self._thread)
        self._thread.start()

    def __iter__(self) -> SolutionStream:
        return self

    def __next__(self) -> Solution:
        for solution in self._current:
            return solution
        while not self._ended:
            try:
                batch = self._pipe.batches.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                if not self._thread.is_alive() and self._pipe.batches.empty():
                    self._ended = True
                continue
            if batch is None:
                break
            self._current = iter(batch)
            for solution in self._current:
                return solution
        self._finish()
        raise StopIteration

    def _finish(self) -> None:
        if not self._ended:
            self._ended = True
            self._thread.join()
            if self._pipe.error is not None:
                raise self._pipe.error
            if self._pipe.outcome is not None:
                trusted(self._pipe.outcome)

    @property
    def outcome(self) -> Outcome | None:
        """The run's outcome, once it has ended."""
        return self._pipe.outcome

    def close(self) -> None:
        """End the run; nothing more is delivered. Does nothing the second time."""
        self._ended = True
        self._current = iter(())
        self._finalizer()

    def __enter__(self) -> SolutionStream:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


def _close(pipe: _Pipe, thread: threading.Thread) -> None:
    pipe.closed.set()
    if thread is not threading.current_thread():
        with contextlib.suppress(RuntimeError):
            thread.join()


def solutions(model: Model, solver: str = "auto", **options: Any) -> SolutionStream:
    """Return an iterator over all solutions; options are those of `cpqueens.solve.enumerate_solutions`.

    The search starts at once and waits when a few batches are unread. The iterator may be left early,
    closed, or dropped; the search then ends.
    """
    return SolutionStream(model, solver, options)
