"""A second search of CP-SAT on the other processors, for one solution and for optima.

One worker is the best single setting on models that are soon proved. On others it is beaten out of sight, or
finds no solution at all, for it has one strategy, no neighbourhoods and no feasibility jump. So a run begins
with one worker; once that has taken `JOINS_AFTER` seconds, a second search joins with OR-Tools' portfolio,
which has a subsolver of each kind from `PORTFOLIO` workers on. They share the processors with the first, and
the first answer is taken. A run with a seed, a number of workers or parameters of its own has no second
search: it is what was asked for, and reproducible. ``tests/benchmarks/bench_workers.py`` measures settings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.backends.batches import Batches
from cpqueens.backends.cpsat.translation import Translation
from cpqueens.system.interrupts import watching
from cpqueens.system.platforms import ThreadTime

if TYPE_CHECKING:
    from cpqueens.language.rows import IntArray
    from cpqueens.language.statement import Statement


class Flow:
    """Solutions on their way from CP-SAT's callback to the pipeline, in growing batches."""

    def __init__(
        self,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
        stop: Callable[[], None],
    ) -> None:
        self.model, self.translation = model, translation
        self.first: tuple[list[int], str] | None = None  # the first solution, and how it was found
        self._request = request
        self.error: BaseException | None = None
        self._deliver = deliver
        self._stop = stop
        self._batches = Batches(self._hand_over, self._decode, singly=request.want is Want.BEST)

    @property
    def stopped(self) -> bool:
        """Whether the receiver wants no more."""
        return self._batches.stopped

    def put(self, response: Any) -> None:
        """Take one solution."""
        solution = list(response.solution)
        if self.first is None:
            self.first = solution, str(response.solution_info)
        self._batches.put(solution)

    def hint_fate(self) -> dict[str, Any]:
        """Return what became of the hint, judged by the first solution.

        *accepted*: it has every hinted value. *repaired*: CP-SAT says that it comes from the hint, with
        other values in places. *ignored*: there is no solution, or it does not come from the hint.
        """
        request = self._request
        given = np.flatnonzero(request.hinted)
        if self.first is None:
            return {"hint": "ignored", "hint_given": len(given), "hint_kept": 0}
        solution, found_by = self.first
        assert request.hint is not None
        kept = int((self.translation.values(solution)[given] == request.hint[given]).sum())
        fate = "repaired" if "hint" in found_by or "repaired" in found_by else "ignored"
        if len(given) and kept == len(given):
            fate = "accepted"
        return {"hint": fate, "hint_given": len(given), "hint_kept": kept}

    def _decode(self, rows: list[list[int]]) -> IntArray:
        t = self.translation
        if t.board is None:
            return np.array(rows, dtype=np.int64)[:, t.columns]
        return np.stack([t.values(row) for row in rows])

    def _hand_over(self, batch: IntArray) -> bool:
        """Deliver; exceptions of the consumer cannot cross CP-SAT, so they are kept and end the search."""
        try:
            going_on = self._deliver(batch)
        except BaseException as error:
            self.error = error
            going_on = False
        if not going_on:
            self._stop()
        return going_on

    def finish(self) -> None:
        """Hand over the rest and raise what the consumer raised."""
        self._batches.flush()
        if self.error is not None:
            raise self.error


def make_callback(cp_model: Any, flow: Flow) -> Any:
    """Return CP-SAT's callback object (its base class can only be named once OR-Tools is imported)."""

    class Callback(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            flow.put(self.response_proto)

    return Callback()


# ---- what is proved --------------------------------------------------------------------------------------


class Proved:
    """Hears CP-SAT's bounds as they come, and ends the search where one has met what others have found.

    >>> from cpqueens import Model
    >>> from cpqueens.backends.base import Clock, Want
    >>> from cpqueens.backends.cpsat.translation import translate
    >>> m = Model()
    >>> m.minimize(m.intvar(-3, 5, name="x"))
    >>> Proved(translate(m), Request(Want.BEST, Clock(None)), lambda: None).at_end(0, whole=False)
    -3
    """

    def __init__(self, translation: Translation, request: Request, stop: Callable[[], None]) -> None:
        self._translation, self._request, self._stop = translation, request, stop
        self._heard: set[int] = set()
        self.error: BaseException | None = None
        self.met = False  # whether a bound has met what others have found

    @cached_property
    def _exact(self) -> bool:
        return self._translation.objective_is_exact()

    def hear(self, bound: float) -> None:
        """Take a bound, from a thread of CP-SAT's; exceptions cannot cross it, so they are kept."""
        try:
            self._heard.add(round(bound))
            ours = self._translation.in_ours(round(bound))
            if self._exact:
                self._request.prove(ours)
            known = None if self._request.incumbent is None else self._request.incumbent()
            if known is not None and self._translation.is_met(ours, known):
                self.met = True
                self._stop()
        except BaseException as error:
            self.error = error
            self._stop()

    def at_end(self, inner: int, whole: bool) -> int:
        """Return the bound for the one that CP-SAT's answer has, of the ``whole`` search or of a stopped one.

        One that was stopped within presolve has 0 there, which nobody has proved.
        """
        if not whole:
            least = self._translation.least()
            inner = max(inner, least) if inner or 0 in self._heard else least
        return self._translation.in_ours(inner)

    def finish(self) -> None:
        """Raise what the user's function raised."""
        if self.error is not None:
            raise self.error


JOINS_AFTER = 0.3
"""Processor seconds of the first search, after which the second begins."""

LARGEST = 100_000
"""Variables and constraints of CP-SAT's model beyond which a copy of it costs too much."""

PORTFOLIO = 8
"""Workers of the second search, however few processors there are; each processor that is left has one.

With fewer, OR-Tools leaves kinds of subsolvers out; interleaved, they finish too few of their turns.
"""


class CpSatSearch:
    """One search of CP-SAT: the solver, where its solutions go, and what it proves."""

    def __init__(
        self,
        cp_model: Any,
        solver: Any,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
    ) -> None:
        self.solver, self.translation, self.request = solver, translation, request
        self.flow = Flow(model, translation, request, deliver, solver.stop_search)
        self.proved = Proved(translation, request, solver.stop_search)
        self.status: Any = cp_model.UNKNOWN
        self._callback = make_callback(cp_model, self.flow)
        self._conclusive = (cp_model.OPTIMAL, cp_model.INFEASIBLE, cp_model.MODEL_INVALID)
        if request.want is Want.BEST:
            solver.best_bound_callback = self.proved.hear

    def run(self, native: Any = None) -> None:
        """CpSatSearch until there is an answer or a stop, in ``native`` if that is a copy of the model."""
        self.status = self.solver.solve(native or self.translation.native, self._callback)

    def finish(self) -> None:
        """Hand over the rest and raise what the user's functions raised."""
        self.flow.finish()
        self.proved.finish()

    @property
    def has_answered(self) -> bool:
        """Whether nothing is left to do: a proof, or as many solutions as the receiver wants."""
        return self.flow.stopped or self.proved.met or self.status in self._conclusive


class Second:
    """A search that joins ``first``, which runs in the thread that makes this.

    ``make`` returns a search that uses the solver that it is given.
    """

    def __init__(self, first: CpSatSearch, make: Callable[[Any], CpSatSearch]) -> None:
        self._first, self._make = first, make
        self._spent = ThreadTime()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._search: CpSatSearch | None = None

    def look(self) -> None:
        """Begin, if the first has had its time."""
        if self._thread is None and not self._over.is_set() and self._spent() > JOINS_AFTER:
            self._thread = threading.Thread(target=self._work, name="cpqueens-cpsat-second", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        try:
            self._search = search = self._make(_helper(self._first))
            with watching(search.solver.stop_search, self._over.is_set):
                search.run(self._first.translation.native.clone())
            if search.has_answered:
                self._first.solver.stop_search()
        except BaseException as error:
            self._error = error
            self._first.solver.stop_search()

    def finish(self) -> CpSatSearch | None:
        """End it, and return the search if it took part."""
        self._over.set()
        if self._thread is None:
            return None
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._search is not None, "it was made, or its error was raised"
        self._search.finish()
        return self._search


def joins(request: Request, native: Any) -> bool:
    """Say whether a run may have a second search."""
    if not request.spare or request.want not in (Want.ONE, Want.BEST) or request.log is not None:
        return False
    own = request.parameters.keys() - {"formulation"}
    return not own and len(native.proto.variables) + len(native.proto.constraints) <= LARGEST


def _helper(first: CpSatSearch) -> Any:
    """Return a solver that is set up like the first's, but for its workers."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.copy_from(first.solver.parameters)
    solver.parameters.num_workers = max(PORTFOLIO, first.request.spare)
    return solver


def in_turn(deliver: Deliver) -> Deliver:
    """Return ``deliver`` for several threads: one at a time, and none once the receiver has enough."""
    lock, enough = threading.Lock(), threading.Event()

    def guarded(batch: Any) -> bool:
        with lock:
            if enough.is_set() or not deliver(batch):
                enough.set()
            return not enough.is_set()

    return guarded


def both(ended: Ended, other: Ended, first: CpSatSearch, second: CpSatSearch, maximizing: bool) -> Ended:
    """Return the end of the search that has the answer; of two without one the better bound."""
    workers = ended.statistics["workers"] + other.statistics["workers"]
    winner = other if second.has_answered and not first.has_answered else ended
    facts = {"workers": workers, "second_search": "answered" if winner is other else "joined"}
    statistics = {**winner.statistics, **facts}
    if winner.exhausted:
        return replace(winner, statistics=statistics)
    bounds = [b for b in (ended.bound, other.bound) if b is not None]
    bound = (min(bounds) if maximizing else max(bounds)) if bounds else None
    # the best solution delivered may be the other's
    return replace(winner, objective=None, bound=bound, statistics=statistics)
