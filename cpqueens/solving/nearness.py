"""Solving with little change: how far apart assignments are, and that as one goal more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome, SolutionSet
from cpqueens.backends.base import Feature, Want
from cpqueens.errors import ModelError
from cpqueens.language.arrays import of_variables
from cpqueens.language.conversion import as_linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.goals import Goal
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import IntArray
from cpqueens.language.soft import as_weights
from cpqueens.language.statement import Statement
from cpqueens.solving.choosing import choose
from cpqueens.solving.earlier import Mask, earlier_values
from cpqueens.text.plaintext import did_you_mean, shown

DISTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "hamming": lambda x, values: (x != values).sum(),
    "manhattan": lambda x, values: abs(x - values).sum(),
}
"""How far apart two assignments are: in how many variables they differ, or by how much in all."""

OF_CHANGES = ("near", "weight", "over", "distance")
"""What `solve` is told of an earlier solution."""


def known_distance(name: Any) -> str:
    """Return the name of a distance.

    Raises
    ------
    ModelError
        If it is none.
    """
    if isinstance(name, str) and name in DISTANCES:
        return name
    near = did_you_mean(name, DISTANCES) if isinstance(name, str) else ""
    raise ModelError(f"distance {shown(name)}: allowed are {', '.join(DISTANCES)}{near}")


def distance_between(x: LinearArray, values: Any, name: str) -> LinearArray:
    """Return how far apart variables and values (or variables) are, as a term."""
    found: LinearArray = DISTANCES[name](x, values)
    return found


def distance_of(a: IntArray, b: IntArray, name: str) -> int:
    """Return how far apart values are."""
    return int(DISTANCES[name](a, b))


def solve_near(
    model: Statement, solver: Any, options: Mapping[str, Any], solve: Callable[..., Outcome]
) -> Outcome:
    """Solve with as little change as possible, by ``solve``: a copy of the model with one goal more.

    Solvers that prove settle the model's own objectives first. For others one sum is minimised, in which
    each objective weighs more than all after it together.

    Raises
    ------
    ModelError
        If there is nothing to compare, or the sum leaves 64 bits.
    """
    given = dict(options)
    near, weight, over, distance = (given.pop(name, None) for name in OF_CHANGES)
    if near is None:
        raise ModelError("weight, over and distance say how changes count: give near=, an earlier solution")
    row, compared = earlier_values(model, near, over)
    asked, changes = with_changes(model, row, compared, distance, weight)
    backend = choose(asked, solver, Want.BEST)[1]
    hinted = given.get("hint") is not None
    if not hinted and Feature.HINT in backend.features:
        inside = compared & Checker.of(asked).in_domain(row[None, :])[0]
        known = asked.decisions
        given["hint"] = {of_variables(asked, known[inside], (int(inside.sum()),)): row[inside]}
    if backend.proves or len(asked.goals) == 1:
        outcome = solve(asked, solver, **given)
    else:
        outcome = _restated(solve(_as_one_sum(asked), solver, **given), asked)
    said = tuple(text for text in outcome.messages if hinted or not text.startswith("hint"))
    found = {} if outcome.solution is None else {"changes": outcome[changes]}
    numbers = {**outcome.statistics, "compared": int(compared.sum()), **found}
    return replace(outcome, messages=said, statistics=numbers)


def with_changes(
    model: Statement, row: IntArray, compared: Mask, distance: Any, weight: Any
) -> tuple[Statement, LinearArray]:
    """Return a copy that also minimises changes, after its own objectives or weighed with the first."""
    other = model.copy()
    x = of_variables(other, model.decisions[compared], (int(compared.sum()),))
    named = "hamming" if distance is None else known_distance(distance)
    changes = distance_between(x, row[compared], named)
    if weight is None:
        if not other.stated and other.soft:
            other.minimize(other.penalties)
        other.then_minimize(changes)
        return other, changes
    weights = as_weights(weight)
    if weights.size != 1:
        raise ModelError(f"weight: one integer of at least 1 is needed, got {shown(weight)}")
    times = int(weights.reshape(()))
    first, *later = other.stated or (Goal(as_linear(other, 0), False),)
    term = first.term - times * changes if first.maximizing else first.term + times * changes
    other._state_goals((Goal(term, first.maximizing, first.penalties), *later))
    return other, changes


def _as_one_sum(model: Statement) -> Statement:
    """Return a copy with one objective: each weighs more than all after it can make up for."""
    other = model.copy()
    total, span = as_linear(other, 0), 0
    for goal in reversed(model.goals):
        low, high = (int(end[0]) for end in goal.term.bounds())
        times = span + 1
        span += times * (high - low)
        if span > LIMIT:
            raise ModelError(
                "near: the objective and the changes do not fit one sum of 64 bits; give weight=, or a "
                "solver that proves"
            )
        term = goal.term.bind(other)
        total = total - times * term if goal.maximizing else total + times * term
    other._clear_objectives()
    other._state_goals((Goal(total, False),))
    return other


def _restated(outcome: Outcome, model: Statement) -> Outcome:
    """Return what was found for one sum as an outcome of the model with all objectives; nothing is proved."""
    found = outcome.solutions
    mine = SolutionSet(model, found.known, found.matrix, in_order=found.in_order)
    closest = outcome.closest
    if closest is not None:
        closest = SolutionSet(model, found.known, closest.values[None, :])[0]
    whole = replace(outcome, model=model, solutions=mine, closest=closest, bound=None)
    return whole if whole.solution is None else replace(whole, objective=whole.objectives[0])
