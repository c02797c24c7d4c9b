"""The iterator over solutions: the one place with a queue and a thread."""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from cpqueens.answers.outcome import Outcome, Status, StopReason, restated
from cpqueens.answers.solution import Solution, SolutionSet, solutions_of
from cpqueens.backends.base import Want
from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement
from cpqueens.solving.solve import run, trusted
from cpqueens.system.interrupts import Interrupt

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


class _Start:
    """A model and what it was when the search began, so that its user may add to it meanwhile."""

    def __init__(self, model: Statement) -> None:
        self.model = model
        self.then = model.copy()
        self._state = self._now()

    def _now(self) -> tuple[object, ...]:
        model = self.model
        constraints = (model.constraint_count, model._constraints.cuts)
        return (len(model.decisions), *constraints, id(model.objective), model.maximizing)

    def conclusion(self, outcome: Outcome) -> Outcome:
        """Return the outcome as that of the user's model, if this is still the same."""
        if self._now() != self._state:
            said = "the model was changed during the run: this is about the model as it was before, .model"
            return replace(outcome, messages=(*outcome.messages, said))
        return restated(outcome, self.model)


_searching: dict[threading.Thread, _Pipe] = {}
"""The searches under way, by their threads."""


@atexit.register
def _end_all() -> None:
    """End what is under way, and wait: a library in C must not find Python gone."""
    for thread, pipe in list(_searching.items()):
        pipe.closed.set()
        thread.join()


def _search(pipe: _Pipe, start: _Start, solver: str, options: dict[str, Any]) -> None:
    def hand_over(_interrupt: Interrupt, found: SolutionSet) -> int | None:
        return None if pipe.put(solutions_of(start.model, found)) else 0

    _searching[threading.current_thread()] = pipe
    try:
        pipe.outcome = run(start.then, solver, Want.ALL, hand_over, options, abandoned=pipe.abandoned)
    except BaseException as error:
        pipe.error = error
    finally:
        pipe.put(None)
        del _searching[threading.current_thread()]


class SolutionStream(Iterator[Solution]):
    """Solutions one by one, while the solver runs in a thread; close it, or use it in ``with``.

    After the last solution, or after `close`, ``outcome`` says what the run concluded. Errors of the run
    are raised where the next solution was asked for. The search is about the model as it is when the iterator
    is made: what is added to it in the loop changes neither the solutions that come nor what is concluded.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> m += x[0] < x[1]
    >>> with m.solutions(solver="backtracking") as found:
    ...     first = next(found)
    >>> first, found.outcome.complete
    (Solution(x=[1, 2]), False)
    """

    def __init__(self, model: Statement, solver: str, options: dict[str, Any]) -> None:
        self._pipe = _Pipe()
        self._current: Iterator[Solution] = iter(())
        self._ended = False
        self._start = _Start(model)
        self._outcome: Outcome | None = None
        self._handed = 0
        self._thread = threading.Thread(
            target=_search,
            args=(self._pipe, self._start, solver, options),
            name="cpqueens-solutions",
            daemon=True,
        )
        # one that is dropped is not waited for: it may be deleted at any moment, with any lock held
        self._finalizer = weakref.finalize(self, self._pipe.closed.set)
        self._finalizer.atexit = False
        self._thread.start()

    def __iter__(self) -> SolutionStream:
        return self

    def __next__(self) -> Solution:
        for solution in self._current:
            self._handed += 1
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
                self._handed += 1
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
        """The run's outcome, once it has ended; of what the model was, if it was changed until now.

        It counts what the iterator gave: of a list that was left early it says so, also where the search had
        found all of it.
        """
        stale = self._outcome is None or self._outcome.count != self._handed
        if stale and self._pipe.outcome is not None:
            self._outcome = self._start.conclusion(_of_handed(self._pipe.outcome, self._handed))
        return self._outcome

    def close(self) -> None:
        """End the run; nothing more is delivered. Does nothing the second time."""
        self._ended = True
        self._current = iter(())
        self._finalizer()
        if self._thread is not threading.current_thread():
            with contextlib.suppress(RuntimeError):  # it was never started
                self._thread.join()

    def __reduce__(self) -> NoReturn:
        raise ModelError("a search under way cannot be copied or pickled; take list(...) of its solutions")

    def __enter__(self) -> SolutionStream:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


def _of_handed(outcome: Outcome, handed: int) -> Outcome:
    """Return the outcome of a run of whose solutions only so many were asked for."""
    if outcome.count == handed:
        return outcome
    said = f"the iterator was left after {handed:,} of the {outcome.count:,} solutions found"
    return replace(
        outcome,
        status=Status.FEASIBLE if outcome.status is Status.OPTIMAL else outcome.status,
        complete=False,
        stop_reason=StopReason.INTERRUPTED,
        count=handed,
        statistics={**outcome.statistics, "delivered": handed},
        messages=(*outcome.messages, said),
    )


def solutions(model: Statement, /, solver: str = "auto", **options: Any) -> SolutionStream:
    """Return an iterator over all solutions; options are those of `solve.enumerate_solutions`.

    The search starts at once and waits when a few batches are unread. The iterator may be left early,
    closed, or dropped; the search then ends.
    """
    return SolutionStream(model, solver, options)
