"""Two exact solvers on one model, where no rule says which is faster: the first at its end answers.

The own engine begins, in the calling thread. CP-SAT joins in another thread once that has taken a moment,
its preparations among it, and found few solutions or none, so that the processor time is at most twice what
the faster one needs, and the moment; for another moment it is alone, as soon as the own engine asks, then
both run. The own engine need not ask for it to join, nor to be broken off: who watches its limits does.
Solutions of CP-SAT are kept until it has them all: those that were not delivered yet follow then, in
lexicographic order, which both keep. Orders of search are followed by the own engine, and hints by CP-SAT.
Under an objective the own engine hears of the best that CP-SAT has found, and where neither ends for long,
measured by the time limit, local search joins, in a third thread, for as long as it gains something: from a
start of its own, since from the others' best solution it found less. To the pipeline a race is one backend.
"""

import math
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome
from cpqueens.backends import named
from cpqueens.backends.backtracking.backend import halved_board
from cpqueens.backends.backtracking.orders import Branching
from cpqueens.backends.base import Backend, Deliver, Ended, Order, Parameter, Request, Want, within_limits
from cpqueens.errors import BackendFault, CpqueensError, ModelError, UnsupportedConstraint
from cpqueens.kernels.jit import tiers
from cpqueens.language.rows import IntArray, behind
from cpqueens.language.statement import Statement
from cpqueens.solving.beside import Beside, best_of

OWN, RIVAL, HEURISTIC = "backtracking", "cpsat", "local-search"

_ORDERS = {"phases": OWN, "relax": HEURISTIC, "restarts": OWN, "value_order": OWN, "variable_order": OWN}
"""Parameters that do not keep the others from racing, by the one that follows them."""

HEAD_START = 0.04
"""Seconds that the own engine has by itself (`tiers.meter`), whatever it does in them. Where it lists fast
they begin anew with each slice.
"""

TURN = 0.04
"""Seconds that CP-SAT then has by itself: beside an engine that works in Python it would wait, again and
again, for the interpreter, and take several times as long.
"""

LOADING, LIBRARY = 0.1, "ortools.sat.python.cp_model_helper"
"""Processor seconds that it has beyond that where CP-SAT's library, so called, is not loaded yet. Loading it
takes half of them: in a process that solves one small model it is often for nothing.
"""

FEW = 200
"""Solutions a second below which CP-SAT, which lists some thousands, may have them all earlier."""

MANY = 64
"""Solutions that show how many there are a second."""

KEPT = 20_000
"""Solutions that CP-SAT may keep."""

LATE, PART, WITHOUT, PATIENCE = 2.0, 0.25, 3.0, 1.0
"""Processor seconds of the own engine until a heuristic joins, or the part of a shorter time limit, those
that it may take without a solution, and how many times as long as it took to the last one it goes on."""

LARGEST_VARIABLES, LARGEST_CONSTRAINTS = 20_000, 50_000
"""Of a larger model, making the arrays of the own engine takes longer than a moment."""


class Race:
    """The own engine and CP-SAT as one backend; ``first`` is the one whose options are taken."""

    proves = True
    strategies: tuple[str, ...] = ()

    def __init__(self, first: Backend) -> None:
        self.first = first
        self.name, self.order = first.name, first.order
        self.features = first.features

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What can be told the first, and orders; looked up when asked, as that may take its library."""
        orders = {name: named.get_backend(who).parameters[name] for name, who in _ORDERS.items()}
        return {**orders, **self.first.parameters}

    def order_for(self, request: Request) -> Order:
        """Return what is promised: a listing is the own engine's, in its order."""
        if request.want is not Want.ALL or self.first.name != OWN:
            return Order.DISTINCT
        promised: Order = self.first.order_for(request)  # type: ignore[attr-defined]
        return promised

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Race, or run the first alone where the other has not what is asked for."""
        alone = _alone(model, request)
        if alone is not None:
            ended = within_limits(self.first, model, _told(self.first.name, request), deliver)
            return _credited(ended, self.first.name, ended.statistics.get("reason", alone))
        return _Contest(model, request, deliver).run()

    def credit(self, outcome: Outcome) -> Outcome:
        """Return the outcome as that of the solver that answered; of a race that was broken off the first."""
        if "answered_by" in outcome.statistics:
            return replace(outcome, solver=outcome.statistics["answered_by"])
        both = list(dict.fromkeys([self.first.name, OWN, RIVAL]))
        said = {"answered_by": self.first.name, "contributors": both}
        return replace(outcome, solver=self.first.name, statistics={**outcome.statistics, **said})


def _told(solver: str, request: Request) -> Request:
    """Return what one of them is told: an order is for one, and hints are nothing for the own engine."""
    own = {name: v for name, v in request.parameters.items() if _ORDERS.get(name, solver) == solver}
    request = replace(request, parameters=own)
    return replace(request, hint=None, hinted=None) if solver == OWN else request


def _credited(ended: Ended, solver: str, reason: str, beside: Iterable[str] = ()) -> Ended:
    """Return an end as that of one solver, to which those ``beside`` it contributed."""
    said = {"answered_by": solver, "contributors": [*beside, solver], "reason": reason}
    return replace(ended, statistics={**ended.statistics, **said})


def _alone(model: Statement, request: Request) -> str | None:
    """Return why there is no race, None if there is one."""
    special: dict[str, Any] = {
        "a parameter": any(name not in _ORDERS for name in request.parameters),
        "after=": request.after is not None,
        "log=": request.log,
        "progress of a count": request.want is Want.COUNT and request.on_progress,
        "step_limit=": request.step_limit,
        "num_workers=": request.workers > 1,
    }
    asked = next((option for option, given in special.items() if given), None)
    if asked is not None:
        return f"no race of solvers, since not every one takes {asked}"
    if model.variable_count > LARGEST_VARIABLES or model.constraint_count > LARGEST_CONSTRAINTS:
        return "a large model"
    if request.want is Want.COUNT and halved_board(model, asked=False) is not None:
        return "queens are counted, which halves do by far the fastest"
    return None


class _Helper(Beside):
    """Another solver in a thread of its own; what it delivers is kept.

    Attributes
    ----------
    passed_on
        How many of its improving solutions have been delivered.
    """

    def __init__(
        self, name: str, model: Statement, request: Request, seconds: float, patience: float, without: float
    ) -> None:
        limit = 1 if request.want is Want.ONE else request.solution_limit
        self._enough = KEPT if limit is None else limit
        self.rows, self.passed_on = list[IntArray](), 0
        told = _told(name, request)
        super().__init__(named.get_backend(name), model, told, seconds, patience, self._keep, 0.0, without)

    def _keep(self, batch: IntArray) -> bool:
        self.rows += list(np.array(batch, dtype=np.int64))
        return len(self.rows) < self._enough

    def news(self) -> list[IntArray]:
        """Return what it has found since this was asked last."""
        rows = self.rows[self.passed_on :]
        self.passed_on += len(rows)
        return rows


class _Rival(_Helper):
    """CP-SAT, which may go on to its end."""

    def __init__(self, model: Statement, request: Request) -> None:
        seconds = math.inf if request.clock.share is None else request.clock.share
        super().__init__(RIVAL, model, replace(request, look_ahead=False), seconds, 0.0, seconds)

    def end(self) -> None:
        """Have it end; raise what it raised, unless it refuses the model."""
        self.stop()
        if self.error is not None and not isinstance(self.error, CpqueensError):
            raise self.error

    @property
    def satisfied(self) -> bool:
        """Whether it has as many solutions as are asked for, at its end."""
        return self._enough <= len(self.rows) and self._enough < KEPT


class _Contest:
    """One race: what the own engine delivers is passed on, and the rival is looked at between its slices."""

    def __init__(self, model: Statement, request: Request, deliver: Deliver) -> None:
        self.model, self.request, self._deliver = model, request, deliver
        self.rival: _Rival | None = None
        self._listing = request.want in (Want.ALL, Want.COUNT)
        self._last: IntArray | None = None
        in_order = request.want is not Want.ALL or Branching.of(request).is_lexicographic
        self._seen: set[bytes] | None = None if in_order else set()  # what was delivered in another order
        self._delivered = 0
        self._heuristic: _Helper | None = None
        self._gained = 0  # of its solutions, how many were the best so far
        self._best: int | None = None  # the objective of the best solution so far
        self._closed = False
        self._thread = threading.get_ident()
        self._had, self._context = tiers.meter(), copy_context()
        self._joins_at = HEAD_START if LIBRARY in sys.modules else HEAD_START + LOADING
        self._late = min(LATE, PART * (request.clock.remaining() or math.inf))
        self._joining = threading.Lock()
        self._waits = True  # until the rival has had its turn

    def run(self) -> Ended:
        """Race to the end or to a stop."""
        try:
            return self._both()
        finally:
            if self.rival is not None:
                self.rival.end()
            if self._heuristic is not None:
                self._heuristic.stop()
                with suppress(ModelError, UnsupportedConstraint):  # it does not take every model
                    self._heuristic.said()

    def _both(self) -> Ended:
        own = replace(
            _told(OWN, self.request), interrupted=self._interrupted, heard=self._heard, reordered=None,
            incumbent=self._incumbent if self.request.want is Want.BEST else self.request.incumbent,
        )  # fmt: skip
        try:
            try:
                with tiers.running(own.should_stop, part=True):
                    ended = within_limits(named.get_backend(OWN), self.model, own, self._take)
            finally:  # who still watches it may have found it time
                with self._joining:
                    self._joins_at = math.inf
        except (ModelError, UnsupportedConstraint) as refusal:
            if self._delivered or (self.rival is not None and self.rival.passed_on) or self._listing:
                raise  # a listing was never anybody else's, or it is the user's own error
            return self._without_own(f"{OWN} refuses: {refusal}")
        reason = str(ended.statistics.get("reason"))
        if self.rival is None:
            return _credited(ended, OWN, reason)
        self.rival.end()
        return self._concluded(ended, self.rival, reason)

    def _concluded(self, ended: Ended, rival: _Rival, reason: str) -> Ended:
        """Return the end of the one that has the answer, when both have ended."""
        if not ended.exhausted and not self._closed and self._lost():
            return self._rivals(rival)
        if ended.exhausted and self.request.want is Want.ONE and rival.rows:
            raise BackendFault(f"{OWN} exhausted, and found nothing; {RIVAL} did", "FALSE_UNSAT")
        if self.request.want is Want.BEST and not ended.exhausted:
            self._pass_on_improvements()
            bound = None if rival.ended is None else rival.ended.bound
            ended = replace(ended, objective=None, bound=bound)
        beside = [RIVAL] if rival.passed_on or (ended.bound is not None and not ended.exhausted) else []
        return _credited(ended, OWN, f"{OWN} and {RIVAL} raced; {reason}", [*self._helpers, *beside])

    def _without_own(self, reason: str) -> Ended:
        """Let CP-SAT answer alone, as if there was no race."""
        if self.rival is not None:
            self.rival.end()
        ended = named.get_backend(RIVAL).run(self.model, _told(RIVAL, self.request), self._deliver)
        return _credited(ended, RIVAL, reason)

    # ---- while the own engine searches ------------------------------------------------------------------

    def _take(self, batch: IntArray) -> bool:
        """Pass on solutions of the own engine."""
        self._last = batch[-1].copy()
        self._delivered += len(batch)
        self._keep_best(batch)
        if self._seen is not None and len(self._seen) <= KEPT:  # more than the rival may have
            self._seen.update(row.tobytes() for row in batch)
        self._closed = not self._deliver(batch)
        return not self._closed

    def _heard(self, found: int) -> None:
        """Let no rival join, or end it, where it cannot be the first any more."""
        now = self._had()
        if self._listing and found >= FEW * now:
            self._joins_at = max(self._joins_at, now + HEAD_START)
            if self.rival is not None and found > MANY:
                self.rival.give_up()

    def _interrupted(self) -> bool:
        self._join()
        if threading.get_ident() == self._thread:
            self._pass_on_improvements()
            self._call_heuristic()
        return self._closed or self._lost() or self.request.interrupted()

    def _join(self) -> None:
        """Let the rival join when it is time, and wait while it has its turn, where the own engine asks."""
        with self._joining:
            if self.rival is None and self._had() > self._joins_at:
                self.rival = self._context.run(_Rival, self.model, self.request)
        if self._waits and self.rival is not None and threading.get_ident() == self._thread:
            self._waits, left = False, self.request.clock.remaining()
            if self.rival.had() < TURN:
                self.rival.wait(TURN if left is None else max(0.0, min(TURN, left)))

    def _lost(self) -> bool:
        rival = self.rival
        if rival is None or rival.ended is None:
            return False
        return rival.ended.exhausted or (rival.satisfied and not self._delivered)

    def _pass_on_improvements(self) -> None:
        """Deliver others' solutions of ever better values as they come."""
        if self.rival is None or self.request.want is not Want.BEST:
            return
        self._pass_on(self.rival.news())
        if self._heuristic is not None:
            self._gained += self._pass_on(self._heuristic.news())

    def _pass_on(self, rows: list[IntArray]) -> bool:
        """Deliver somebody's solutions; say whether one is the best so far."""
        if not rows or self._closed:
            return False
        self._closed = not self._deliver(np.stack(rows))
        return self._keep_best(np.stack(rows))

    def _keep_best(self, batch: IntArray) -> bool:
        if self.request.want is not Want.BEST:
            return False
        value, maximizing = best_of(self.model, batch)[1], self.model.maximizing
        if self._best is not None and (value <= self._best if maximizing else value >= self._best):
            return False
        self._best = value
        return True

    def _incumbent(self) -> int | None:
        """Return the best objective that anybody has met, or the run was told of."""
        told = None if self.request.incumbent is None else self.request.incumbent()
        met = [value for value in (told, self._best) if value is not None]
        return (max if self.model.maximizing else min)(met, default=None)

    def _call_heuristic(self) -> None:
        """Let a heuristic join where nobody ends for long."""
        alone = self.rival is None or self._heuristic is not None
        if alone or self.request.want is not Want.BEST or self._had() < self._late:
            return
        request = replace(self.request, workers=1, may_grow=False, bounds=None, known=None, learned=None)
        self._heuristic = _Helper(HEURISTIC, self.model, request, math.inf, PATIENCE, WITHOUT)

    @property
    def _helpers(self) -> list[str]:
        return [HEURISTIC] if self._gained else []

    # ---- at the end -------------------------------------------------------------------------------------

    def _rivals(self, rival: _Rival) -> Ended:
        """Return the rival's end, with the solutions that nobody has delivered yet."""
        if isinstance(rival.error, CpqueensError):
            raise rival.error
        assert rival.ended is not None, "it returns or raises"
        self._pass_on_improvements()
        if self.request.want is not Want.BEST and rival.rows:
            self._deliver_missing(rival)
        reason = f"{OWN} and {RIVAL} raced, {RIVAL} finished first"
        return _credited(rival.ended, RIVAL, reason, [*self._helpers, *([OWN] if self._delivered else [])])

    def _deliver_missing(self, rival: _Rival) -> None:
        rows = np.stack(rival.rows)
        rows = rows[np.lexsort(rows.T[::-1])] if rows.shape[1] else rows
        if self._seen is not None:
            missing = rows[[row.tobytes() not in self._seen for row in rows]]
        else:
            missing = rows if self._last is None else behind(rows, self._last)
        if len(rows) - len(missing) != self._delivered:
            found = f"{len(rows) - len(missing)} and {self._delivered} solutions up to {self._last}"
            raise BackendFault(f"{RIVAL} and {OWN} disagree: they have {found}", "MISSING")
        self._closed = len(missing) > 0 and not self._deliver(missing)
