"""Answers that take several runs, one after another, each on a narrower model.

The narrower models have the variables of the user's, so that their solutions are solutions of it. Each run is
checked and concluded where all are (`solve.run`); together they claim what every one of them has proved.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Fault, Outcome, Status, StopReason, restated
from cpqueens.answers.solution import SolutionSet, solutions_of
from cpqueens.backends.base import Want
from cpqueens.language.arrays import of_variables
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.objectives import Goal, keys
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving.collect import Consumer
from cpqueens.system.interrupts import Interrupt

Ask = Callable[..., Outcome]
"""Runs a model: what is wanted, who takes the solutions, options; see `solve.run`."""

Stated = TypeVar("Stated", bound=Statement)

Range = tuple[int, int, int]
"""A decision variable, and the least and greatest value that it may have in a part of the space."""

NOT_OF_A_TRIAL = ("hint", "after", "prove_complete", "on_progress", "optimal", "gap", "best", "log")
"""Options that mean nothing to a search for one solution of another model."""

_ADDED = ("build_time", "translate_time", "compile_time", "solve_time", "check_time", "consumer_time")
_TOTALS = (*_ADDED, "total_time", "delivered", "duplicates")


def narrowed(model: Stated, constraints: Iterable[Constraint], goals: Iterable[Goal] = ()) -> Stated:
    """Return a copy of the model with more constraints, and with these objectives alone."""
    other = model.copy()
    other._clear_objectives()
    for constraint in constraints:
        other._post(other._own(constraint), None, None)
    other._state_goals(tuple(goal.bind(other) for goal in goals))
    return other


def ranges_of(model: Statement, variable: int, low: int, high: int, most: int) -> list[tuple[int, int]]:
    """Return the values of a variable from ``low`` to ``high`` as ranges, as many as values, or ``most``."""
    domain = model.domains.get(variable)
    values: Sequence[int] = range(low, high + 1)
    if domain is not None:
        values = domain[(domain >= low) & (domain <= high)].tolist()
    many = min(len(values), most)
    cuts = [len(values) * k // many for k in range(many + 1)]
    return [(values[first], values[after - 1]) for first, after in pairwise(cuts)]


def within(model: Stated, ranges: Sequence[Range]) -> Stated:
    """Return a copy of the model whose variables keep within these ranges; without any the model itself."""
    other = model.copy() if ranges else model
    for variable, low, high in ranges:
        x = of_variables(other, np.array([variable]), ())
        other.add(x == low if low == high else [x >= low, x <= high])
    return other


class Stages:
    """Runs one stage after another within one time limit, and puts together what they say."""

    def __init__(
        self, model: Statement, ask: Ask, options: Mapping[str, Any], time_limit: float | None
    ) -> None:
        self.model = model
        self._ask, self._options, self._limit = ask, options, time_limit
        self.ran: list[Outcome] = []

    def run(
        self,
        narrower: Statement,
        want: Want,
        consumer: Consumer | None = None,
        keep: bool = False,
        look_ahead: bool = False,
        **changes: Any,
    ) -> Outcome:
        """Run a stage with what is left of the time; options given here replace the user's."""
        given = {**self._options, **changes}
        if self.ran and given.get("on_progress") is not None:
            note = given["on_progress"]  # bounds of later stages are not the user's model's
            given["on_progress"] = lambda state: None if "bound" in state else note(state)
        if self._limit is not None:
            given["time_limit"] = self.left
        outcome = self._ask(narrower, want, consumer, given, keep=keep, look_ahead=look_ahead)
        self.ran.append(outcome)
        return outcome

    @property
    def left(self) -> float | None:
        """Seconds of the time limit that are left, None without one."""
        return None if self._limit is None else max(1e-6, self._limit - sum(map(_own_seconds, self.ran)))

    def trial(self, narrower: Statement) -> Outcome:
        """Look for one solution within what is left, outside of the account."""
        chosen = {k: v for k, v in self._options.items() if k not in NOT_OF_A_TRIAL}
        chosen |= {"solution_limit": 1} | ({} if self.left is None else {"time_limit": self.left})
        return self._ask(narrower, Want.ONE, None, chosen, keep=True, look_ahead=False)

    def outcome(self, **changes: Any) -> Outcome:
        """Return the last stage's outcome as that of the user's model, with the sums of all of them."""
        last = self.ran[-1]
        totals = {name: sum(o.statistics[name] for o in self.ran) for name in _TOTALS}
        account = [
            {
                "solver": o.solver, "status": o.status.value, "objective": o.objective, "bound": o.bound,
                "complete": o.complete, "stop_reason": o.stop_reason.value,
                "seconds": o.statistics["total_time"],
            }
            for o in self.ran
        ]  # fmt: skip
        hint = {name: self.ran[0].statistics[name] for name in ("hint",) if name in self.ran[0].statistics}
        whole = replace(
            restated(last, self.model),
            statistics={**last.statistics, **totals, **hint, **_contributors(self.ran), "stages": account},
            messages=tuple(dict.fromkeys(m for o in self.ran for m in o.messages)),
            faults=tuple(fault for o in self.ran for fault in o.faults),
        )
        return replace(whole, **changes)


def _contributors(ran: Sequence[Outcome]) -> dict[str, list[str]]:
    """Return who contributed to any of several runs, where one was of several solvers."""
    if not any("contributors" in o.statistics for o in ran):
        return {}
    return {
        "contributors": sorted({s for o in ran for s in o.statistics.get("contributors", [o.solver])}),
    }


def _own_seconds(outcome: Outcome) -> float:
    return float(outcome.statistics["total_time"] - outcome.statistics["consumer_time"])


# ---- several objectives ------------------------------------------------------------------------------------


def in_order(stages: Stages, consumer: Consumer | None, takes_hints: bool) -> Outcome:
    """Find the best solution by all objectives: each is settled, by a proof, before the next one.

    A stage asks for values that are at least as good as those settled: a better one than was called optimal
    is seen, and said.
    """
    model = stages.model
    best = _Best(model, consumer)
    settled: list[Constraint] = []
    hint: dict[str, Any] = {}
    for k, goal in enumerate(model.goals):
        outcome = stages.run(narrowed(model, settled, [goal]), Want.BEST, best.take, **hint)
        if outcome.solution is None:
            break
        best.keep(outcome.solution.values)
        if not outcome.complete:
            break
        settled.append(goal.at_worst(best.values[k]))
        hint = {"hint": solutions_of(model, outcome.solutions)[-1]} if takes_hints else {"hint": None}
    return _of_all_goals(stages, best, settled)


class _Best:
    """The best solution so far by all objectives, and the user who is told of each better one."""

    def __init__(self, model: Statement, consumer: Consumer | None) -> None:
        self._checker, self._consumer = Checker.of(model), consumer
        self.row: IntArray | None = None
        self.values: tuple[int, ...] = ()

    def keep(self, row: IntArray) -> bool:
        """Keep a better solution; say whether it is one."""
        goals = self._checker.model.goals
        values = tuple(self._checker.objectives(row[None, :])[0].tolist())
        if self.row is not None and keys(goals, values) >= keys(goals, self.values):
            return False
        self.row, self.values = row.copy(), values
        return True

    def take(self, interrupt: Interrupt, found: SolutionSet) -> int | None:
        """Tell of a solution that is better than all before."""
        if not self.keep(found.matrix[-1]) or self._consumer is None:
            return None
        return self._consumer(interrupt, solutions_of(self._checker.model, found))


def _of_all_goals(stages: Stages, best: _Best, settled: Sequence[Constraint]) -> Outcome:
    """Conclude: optimal if every objective was settled and no stage has refuted one before it."""
    first, last, goals = stages.ran[0], stages.ran[-1], stages.model.goals
    whole = stages.outcome()
    if best.row is None:
        return whole
    crossed = [
        Fault("OPT_CROSSED", f"objective {k + 1}: bound {o.bound} claimed, yet a solution has {value}")
        for k, (o, goal, value) in enumerate(zip(stages.ran, goals, best.values, strict=False))
        if o.bound is not None and goal.key(value) < goal.key(o.bound) and not o.faults
    ]
    if last.status is Status.INFEASIBLE:  # what the stages before have found is in this one's space
        crossed.append(Fault("FALSE_UNSAT", "no solution is left, yet the one found before is there"))
    faults = (*whole.faults, *crossed)
    proved = len(settled) == len(goals) and not faults
    found = SolutionSet(stages.model, last.solutions.known, best.row[None, :])
    return replace(
        whole,
        solutions=found,
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        complete=proved,
        count=1,
        objective=best.values[0],
        bound=first.bound,
        bounds=tuple(o.bound for o in stages.ran) + (None,) * (len(goals) - len(stages.ran)),
        closest=None,
        faults=faults,
    )


# ---- the best solutions ------------------------------------------------------------------------------------


def all_within(
    stages: Stages, want: Want, consumer: Consumer | None, keep: bool, gap: int, look_ahead: bool
) -> Outcome:
    """Deliver or count all solutions whose objective is at most ``gap`` from the optimum, proved before."""
    model = stages.model
    first = stages.run(model, Want.BEST, **_FOR_THE_OPTIMUM)
    if not first.complete or first.solution is None:
        return _no_optimum(stages)
    best = _BestSolutions(stages, first, consumer)
    limits = [goal.at_worst(value, gap) for goal, value in zip(model.goals, best.values, strict=True)]
    outcome = stages.run(narrowed(model, limits), want, best.take, keep, look_ahead, hint=None)
    best.add(outcome)
    return best.outcome(outcome.complete)


def k_best(stages: Stages, consumer: Consumer | None, keep: bool, number: int) -> Outcome:
    """Deliver the ``number`` best solutions, one value of the objective after another."""
    model, (goal,) = stages.model, stages.model.goals
    once = stages.run(model, Want.BEST, **_FOR_THE_OPTIMUM)
    if not once.complete or once.solution is None:
        return _no_optimum(stages)
    best = _BestSolutions(stages, once, consumer)
    behind: list[Constraint] = []
    while once.complete and once.objective is not None:
        best.values = (once.objective,)
        level = narrowed(model, [*behind, goal.at_worst(once.objective)])
        outcome = stages.run(level, Want.ALL, best.take, keep, solution_limit=number - best.count, hint=None)
        best.add(outcome)
        if best.count == number or not outcome.complete:
            return best.outcome(best.count == number)
        behind = [goal.worse_than(once.objective)]
        once = stages.run(narrowed(model, behind, [goal]), Want.BEST, **_FOR_THE_OPTIMUM, hint=None)
    return best.outcome(once.complete)


_FOR_THE_OPTIMUM: dict[str, Any] = {"solution_limit": None, "after": None, "prove_complete": False}
"""Options of a listing that a search for the optimum does not have."""


def _no_optimum(stages: Stages) -> Outcome:
    """Conclude where no optimum was proved: no solution is known to be one of the best."""
    first = stages.ran[-1]
    if first.complete or first.faults:
        return stages.outcome()
    known = "" if first.objective is None else f"; the best found has objective {first.objective}"
    said = f"no optimum was proved, so that nothing is delivered{known}"
    nothing = SolutionSet(stages.model, first.solutions.known, first.solutions.matrix[:0])
    return stages.outcome(
        status=Status.UNKNOWN, solutions=nothing, count=0, objective=None, messages=(*first.messages, said)
    )


class _BestSolutions:
    """What was proved of the optimum, and the solutions that follow; none of them may be better than it."""

    def __init__(self, stages: Stages, first: Outcome, consumer: Consumer | None) -> None:
        self._stages, self._consumer = stages, consumer
        self._rows: list[IntArray] = []
        self._checker = Checker.of(stages.model)
        self._optimum = first.objective
        assert first.solution is not None
        self.values = tuple(self._checker.objectives(first.solution.values[None, :])[0].tolist())
        self._optima = self.values
        self.count = 0
        self._faults: list[Fault] = []

    def take(self, interrupt: Interrupt, found: SolutionSet) -> int | None:
        """Pass on solutions; one that is better than what was called optimal ends the run."""
        goals = self._stages.model.goals
        least = keys(goals, self.values)
        for row, values in zip(found.matrix, self._checker.objectives(found.matrix).tolist(), strict=True):
            if keys(goals, values) < least:
                said = f"{list(self.values)} called optimal, yet a solution has {values}"
                self._faults.append(Fault("OPT_CROSSED", said, tuple(row.tolist())))
                return 0
        return (
            None
            if self._consumer is None
            else self._consumer(interrupt, solutions_of(self._stages.model, found))
        )

    def add(self, outcome: Outcome) -> None:
        """Take what one run has listed or counted."""
        self.count += outcome.count
        if len(outcome.solutions):
            self._rows.append(outcome.solutions.matrix)

    def outcome(self, complete: bool) -> Outcome:
        """Conclude: what is delivered is as good as proved; complete if nothing of it was left out."""
        whole = self._stages.outcome()
        faults = [*whole.faults, *self._faults]
        if complete and not self.count and not faults:
            faults.append(Fault("FALSE_UNSAT", "no solution is listed, yet one of them was found before"))
        proved = complete and not faults
        status = Status.OPTIMAL if not faults else Status.FEASIBLE
        rows, goals = self._rows, self._stages.model.goals
        matrix = np.concatenate(rows) if rows else whole.solutions.matrix
        costs = [keys(goals, values) for values in self._checker.objectives(matrix).tolist()]
        found = SolutionSet(whole.model, whole.solutions.known, matrix, in_order=whole.solutions.in_order)
        return replace(
            whole,
            status=status if self.count else Status.UNKNOWN,
            complete=proved,
            stop_reason=StopReason.EXHAUSTED if proved else whole.stop_reason,
            solutions=found,
            count=self.count,
            _best_at=costs.index(min(costs)) if costs else -1,
            _best_values=self._optima if self.count else (),
            objective=self._optimum if self.count else None,
            bound=self._optimum,
            faults=tuple(faults),
        )
