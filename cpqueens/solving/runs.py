"""Many runs of one solver on one model, which differ in their seeds: in few calls where the solver can."""

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome, Status, StopReason
from cpqueens.answers.runs import Runs
from cpqueens.answers.solution import Solution
from cpqueens.backends.base import Backend, Clock, Many, Want
from cpqueens.errors import BackendFault, ModelError
from cpqueens.kernels.jit import tiers
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving.request import as_seeds, build_request, choose, positive_seconds
from cpqueens.solving.solve import solve
from cpqueens.system.interrupts import listening
from cpqueens.system.stopping import Stopped

_SOON, _APART = 1e-6, 0.01
"""Seconds, and a ratio's logarithm: incumbents that are not further apart are one, the last."""
REFUSED = {
    "random_seed": "write seeds=",
    "seed": "write seeds=",
    "on_improvement": "runs have no callbacks; call model.solve(...) for each seed",
}


def runs(
    model: Statement,
    /,
    solver: str | Backend = "auto",
    seeds: int | Sequence[int] | IntArray = 100,
    *,
    total_time_limit: float | None = None,
    **options: Any,
) -> Runs:
    """Run a solver once for each seed, as `solve` does, and return what all runs say as arrays.

    Parameters
    ----------
    solver
        As in `solve`. Local search and Las Vegas search make many runs in one call; all others one by one.
    seeds
        A number k for the seeds 0 to k - 1, or the seeds.
    total_time_limit
        Seconds for all runs together; ``time_limit`` is for each. What was not run to its end is left out.
    **options
        Those of `solve`, but ``random_seed`` and callbacks.

    Raises
    ------
    BackendFault
        If the solver delivered something that is not a solution.
    CpqueensError
        For everything that is refused before the search.
    """
    chosen = as_seeds(seeds)
    for name in REFUSED:
        if name in options:
            raise ModelError(f"{name}: not with runs: {REFUSED[name]}")
    whole = Clock(positive_seconds(total_time_limit, "total_time_limit"))
    want = Want.ONE if model.objective is None else Want.BEST
    name, backend, strategy = choose(model, solver, want)
    checker, table = Checker.of(model), _Table(len(chosen), len(model.decisions))
    with listening(whole.expired) as interrupt:
        clock = Clock(None)
        request = build_request(checker, backend, strategy, want, clock, interrupt, options, look_ahead=False)
        together = getattr(backend, "run_many", None)
        if together is not None and want is Want.ONE:
            lot = None
            with model.under_way(), tiers.running(interrupt.poll), contextlib.suppress(Stopped):
                lot = together(model, request, np.array(chosen, dtype=np.int64))
            if lot is not None:
                table.enter_lot(lot)
        for row in interrupt.until_seen(np.flatnonzero(~table.done).tolist()):
            limits = [t for t in (clock.time_limit, whole.remaining()) if t is not None]
            limit = max(min(limits), 1e-3) if limits else None
            given = {**options, "random_seed": chosen[row], "time_limit": limit}
            if want is Want.BEST:
                given["on_improvement"] = table.listener(model, row)
            outcome = solve(model, solver, **given)
            reason = outcome.stop_reason
            if reason is StopReason.INTERRUPTED or (whole.expired() and reason is StopReason.TIME_LIMIT):
                break
            table.enter(row, outcome)
    ended_by = None
    if not table.done.all():
        ended_by = StopReason.INTERRUPTED if interrupt.seen else StopReason.TIME_LIMIT
    label = name if strategy is None else f"{name}:{strategy}"
    made = table.runs(model, label, np.array(chosen, dtype=np.int64), ended_by)
    _trust(checker, made)
    return made


def _trust(checker: Checker, made: Runs) -> None:
    """Check every solution.

    Raises
    ------
    BackendFault
        If one is none.
    """
    rows = np.flatnonzero(made.solved)
    wrong = rows[~checker.accepts(made.matrix[rows])]
    if len(wrong):
        reason = str(checker.explain(made.matrix[wrong[0]])).splitlines()[0]
        seed = int(made.seeds[wrong[0]])
        raise BackendFault(f"{made.solver} broke its contract, INVALID_SOLUTION: seed {seed}: {reason}")


class _Table:
    """The rows of all runs, and which of them are known."""

    def __init__(self, runs: int, variables: int) -> None:
        self.done = np.zeros(runs, dtype=bool)
        self.status = np.full(runs, Status.UNKNOWN, dtype="<U16")
        self.stop_reason = np.full(runs, "", dtype="<U16")
        self.solved = np.zeros(runs, dtype=bool)
        self.matrix = np.zeros((runs, variables), dtype=np.int64)
        self.steps, self.seconds = np.zeros(runs, dtype=np.int64), np.zeros(runs)
        self.statistics: dict[str, IntArray] = {}
        self.incumbents: dict[int, dict[int, tuple[float, int]]] = {}

    def listener(self, model: Statement, row: int) -> Callable[[Solution], None]:
        """Begin a run; what is returned takes its better and better solutions."""
        began, term = time.monotonic(), model.goals[0].term
        found = self.incumbents[row] = {}

        def note(solution: Solution) -> None:
            seconds = time.monotonic() - began
            found[math.floor(math.log(max(seconds, _SOON)) / _APART)] = seconds, int(solution[term])

        return note

    def enter_lot(self, lot: Many) -> None:
        """Take over what was made together; nothing may have been entered before."""
        self.done, self.solved, self.stop_reason = lot.ended, lot.solved, lot.stop_reason
        self.status = _STATUS.take(lot.solved)
        self.matrix, self.steps, self.seconds = lot.matrix, lot.steps, lot.seconds
        if not lot.solved.all():
            self.matrix[~lot.solved] = 0
        self.statistics = dict(lot.statistics)

    def enter(self, row: int, outcome: Outcome) -> None:
        """Enter a single run."""
        counts = outcome.statistics
        self.done[row], self.status[row], self.stop_reason[row] = True, outcome.status, outcome.stop_reason
        self.steps[row] = counts.get("steps", counts.get("nodes", 0))
        self.seconds[row] = counts["solve_time"]
        self.solved[row] = outcome.solution is not None
        if outcome.solution is not None:
            self.matrix[row] = outcome.solution.values
        for name, value in counts.items():
            if type(value) is int and name not in _NO_COUNTS:
                self._counts(name, ())[row] = value

    def _counts(self, name: str, shape: tuple[int, ...]) -> IntArray:
        if name not in self.statistics:
            self.statistics[name] = np.zeros((len(self.done), *shape), dtype=np.int64)
        return self.statistics[name]

    def runs(self, model: Statement, label: str, seeds: IntArray, ended_by: StopReason | None) -> Runs:
        """Return the rows that are known."""
        kept: Any = slice(None) if self.done.all() else self.done
        known = np.flatnonzero(self.done).tolist() if self.incumbents else ()
        better = [tuple(self.incumbents[row].values()) for row in known]
        return Runs(
            model, label, seeds[kept], self.status[kept], self.stop_reason[kept], self.solved[kept],
            self.matrix[kept], self.steps[kept], self.seconds[kept],
            {name: values[kept] for name, values in self.statistics.items()}, len(seeds), ended_by,
            better,
        )  # fmt: skip


_STATUS = np.array([Status.UNKNOWN, Status.FEASIBLE], dtype="<U16")
_NO_COUNTS = {"steps", "seed", "delivered", "duplicates"}
