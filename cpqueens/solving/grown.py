"""A model that only grew: what was proved of it, its best solution and learned clauses are taken up again.

Constraints and variables that are added leave fewer solutions. So it stays true that there is none, that none
is better than a bound, and what follows from constraints. The best solution so far may still be one; then it
is optimal where it meets the bound, and the first incumbent elsewhere. All that is taken over was found or
proved by the solver that is asked again: no solver vouches for another one. It is kept with the model, for
each solver by the name that the user wrote; a copy of the model has it too.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome, Status, StopReason
from cpqueens.backends.base import Backend, Ended, Feature, Request, Want
from cpqueens.backends.known import KeptGoal, Known, LearnedClauses
from cpqueens.language.statement import Statement
from cpqueens.solving.collect import Collector

APART = ("assumptions", "proof")
"""Options with which nothing is taken over and nothing is kept."""

RECORDED = ("profile", "trace")
"""Options of runs that are looked at, with which nothing is taken over; nor is it where a seed is given, with
which a run depends on nothing but the model and its options."""


LITTLE = 10
"""New constraints that are looked at before all others."""

HARD, LONG = 400, 20_000
"""CP-SAT's conflicts from which its next search has a hint: the solution, and what is none any more."""


def recalled(model: Statement, solver: Any, options: Mapping[str, Any]) -> Known | None:
    """Return what the solver said of the model before it grew; None if there is nothing to be taken over."""
    known = model._known.get(solver) if isinstance(solver, str) else None
    if known is None or options.get("random_seed") is not None:
        return None
    if len(model.goals) > 1 or any(options.get(name) for name in (*APART, *RECORDED)):
        return None
    if (known.size, known.goal) == (model._state(), goal_of(model)):
        known = known.before
    return known if known is not None and model.grew_from(known.size) else None


def remember(
    model: Statement, outcome: Outcome, solver: Any, known: Known | None, learned: list[LearnedClauses]
) -> None:
    """Keep with the model what an outcome of a solver says; ``known`` is what the run was told."""
    if not isinstance(solver, str) or model.assumed or len(model.goals) > 1:
        return
    goal, found = goal_of(model), outcome.solutions
    row = None if known is None else known.row
    clauses = None if known is None else clauses_for(model, known)
    model._known[solver] = Known(
        model._state(), goal, outcome.solver,
        tuple(outcome.statistics.get("contributors", [outcome.solver])),
        outcome.status is Status.INFEASIBLE,
        None if goal is None else outcome.bound,
        np.array(found.matrix[outcome._best_at]) if len(found) else row,
        learned[-1] if learned and not model.has_partial else clauses,  # an undefined value may be any
        None if known is None else replace(known, before=None),
        conflicts=outcome.statistics.get("conflicts", 0 if known is None else known.conflicts),
    )  # fmt: skip


def told(known: Known, request: Request, checker: Checker, backend: Backend) -> Request:
    """Return the request of a run that is told what is known, as far as it holds of the model now."""
    model, anew = checker.model, bool(request.parameters.get("audit"))  # then all is proved anew
    bound = bound_in(model, known) if request.want is Want.BEST and not anew else None
    if bound is not None:
        request.prove(bound)
    known = replace(
        known, infeasible=known.infeasible and not anew, bound=bound,
        clauses=clauses_for(model, known), goal=goal_of(model),
    )  # fmt: skip
    if known.row is None or known.infeasible or request.hint is not None or request.first is not None:
        return replace(request, known=replace(known, row=None))
    rows = np.stack([model.lower[checker.known], model.upper[checker.known]])
    rows[:, : len(known.row)] = known.row
    hinted = np.arange(rows.shape[1]) < len(known.row)
    good = rows[_kept_by(model, checker, known.size[1], rows)]
    given: dict[str, Any] = {}
    if not len(good):
        hinted &= checker.in_domain(rows[:1])[0]
    elif request.want is not Want.BEST:
        return replace(request, known=replace(known, row=good[0], is_solution=True))
    else:
        values = checker.objectives(good)[:, 0]
        best = int(values.argmax() if model.maximizing else values.argmin())
        rows, value, hinted = good[best:], int(values[best]), np.ones_like(hinted)
        known, given = replace(known, row=rows[0], is_solution=True), {"first": rows[0]}
        if Feature.BOUND in backend.features:
            given["incumbent"] = lambda: value
    worth = is_worth_a_hint(known) or request.want is not Want.BEST or not backend.proves
    if Feature.HINT in backend.features and worth:
        given |= {"hint": rows[0], "hinted": hinted}
    elif not known.is_solution:
        known = replace(known, row=None)
    return replace(request, known=known, **given)


def _kept_by(model: Statement, checker: Checker, old: int, rows: Any) -> Any:
    """Return which rows are solutions; what is new, if it is little, is looked at before all the rest."""
    new, wrong = range(old, model.constraint_count), np.zeros(len(rows), dtype=np.bool_)
    if len(new) <= LITTLE and checker.in_domain(rows).all():
        for amounts in checker.elements(rows, new).values():
            wrong |= amounts.any(axis=1)
    return ~wrong if wrong.all() else checker.accepts(rows)


def settled(known: Known, collector: Collector) -> Ended | None:
    """Return the end of a run that needs no search, by what is known; None if it needs one."""
    if collector.is_met or (known.infeasible and collector.best is None):
        return Ended(True, StopReason.EXHAUSTED)
    if known.is_solution and known.row is not None and collector.request.want is Want.ONE:
        collector.deliver(known.row[None, :])
        return Ended(False, StopReason.SOLUTION_LIMIT)
    return None


def account(known: Known, label: str, statistics: dict[str, Any]) -> None:
    """Say in a run's statistics what was taken over, and who is behind it."""
    used = {
        "infeasible": known.infeasible or None,
        "bound": known.bound,
        "solution": None if known.row is None else "still one" if known.is_solution else "hint",
        "clauses": statistics.pop("clauses_kept", None),
    }
    statistics["kept"] = {name: value for name, value in used.items() if value is not None}
    by = sorted({*statistics.get("contributors", [label]), *known.proved_by})
    if len(by) > 1 and statistics["kept"]:
        statistics["contributors"] = by


def goal_of(model: Statement) -> KeptGoal | None:
    """Return the objective; None without one."""
    if model.objective is None:
        return None
    objective = model.objective
    kept = objective.coefficients != 0
    variables, coefficients = objective.variables[kept].tobytes(), objective.coefficients[kept].tobytes()
    return KeptGoal(variables, coefficients, int(objective.constants[0]), model.maximizing)


def bound_in(model: Statement, known: Known) -> int | None:
    """Return what an earlier bound says of the objective now, None if less than its ends do.

    Whatever was added to it is at its best at most as good as the ends of its variables allow.
    """
    goal = goal_of(model)
    if known.bound is None or known.goal is None or goal is None or goal.maximizing != known.goal.maximizing:
        return None
    best = max if goal.maximizing else min
    bound = known.bound + goal.constant - known.goal.constant
    for variable, coefficient in goal.added_to(known.goal):
        bound += best(coefficient * int(end[variable]) for end in (model.lower, model.upper))
    assert model.objective is not None
    end = int(model.objective.bounds()[goal.maximizing][0])
    return bound if best(bound, end) == end else None


def clauses_for(model: Statement, known: Known) -> LearnedClauses | None:
    """Return the clauses, where they do not rest on an objective that the model has no more."""
    rests = known.clauses is not None and known.clauses.limit is not None
    return None if model.has_partial or (rests and known.goal != goal_of(model)) else known.clauses


def is_worth_a_hint(known: Known) -> bool:
    """Say whether an exact search for an optimum is to be given the row as a hint.

    It costs CP-SAT 0.02 s, and pays where it has to learn much. Our own exact search is told the value
    anyway and takes twice as long with the rest: it counts no conflicts here, and so has none.
    """
    return known.conflicts >= (HARD if known.is_solution else LONG)
