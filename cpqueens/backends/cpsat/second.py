"""A second search of CP-SAT on the other processors, for one solution and for optima.

One worker is the best single setting on models that are soon proved. On others it is beaten out of sight, or
finds no solution at all, for it has one strategy, no neighbourhoods and no feasibility jump. So a run begins
with one worker; once that has taken `JOINS_AFTER` seconds, a second search joins with OR-Tools' portfolio,
which has a subsolver of each kind from `PORTFOLIO` workers on. They give way to the first where processors
are few, and the first answer is taken. A run with a seed, a number of workers or parameters of its own has
no second search: it is what was asked for, and reproducible. ``tests/benchmarks/bench_workers.py`` measures
settings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.backends.cpsat.flow import Flow, Proved
from cpqueens.backends.cpsat.native import CONCLUSIVE, Solver, make_callback, new_proto
from cpqueens.backends.cpsat.translation import Translation
from cpqueens.system.interrupts import watching
from cpqueens.system.platforms import ThreadTime, give_way

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement


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
        solver: Solver,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
    ) -> None:
        self.solver, self.translation, self.request = solver, translation, request
        self.flow = Flow(model, translation, request, deliver, solver.stop_search)
        self.proved = Proved(translation, request, solver.stop_search)
        self.status = "UNKNOWN"
        self._callback = make_callback(self.flow.put)
        if request.want is Want.BEST:
            solver.best_bound_callback = self.proved.hear

    def run(self, proto: Any = None) -> None:
        """Search until there is an answer or a stop, in ``proto`` if that is a copy of the model."""
        self.status = self.solver.solve(proto or self.translation.proto, self._callback)

    def finish(self) -> None:
        """Hand over the rest and raise what the user's functions raised."""
        self.flow.finish()
        self.proved.finish()

    @property
    def has_answered(self) -> bool:
        """Whether nothing is left to do: a proof, or as many solutions as the receiver wants."""
        return self.flow.stopped or self.proved.met or self.status in (*CONCLUSIVE, "MODEL_INVALID")


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
        give_way()
        try:
            self._search = search = self._make(_helper(self._first))
            with watching(search.solver.stop_search, self._over.is_set):
                search.run(new_proto(self._first.translation.proto))
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


def joins(request: Request, proto: Any) -> bool:
    """Say whether a run may have a second search."""
    if not request.spare or request.want not in (Want.ONE, Want.BEST) or request.log is not None:
        return False
    own = request.parameters.keys() - {"formulation"}
    return not own and len(proto.variables) + len(proto.constraints) <= LARGEST


def _helper(first: CpSatSearch) -> Solver:
    """Return a solver that is set up like the first's, but for its workers."""
    solver = Solver()
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
