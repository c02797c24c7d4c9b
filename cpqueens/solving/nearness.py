"""Solving with little change: how far apart assignments are, and that as one goal more.

An earlier assignment, perhaps of another model, read as values of this model's variables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.check import Checker, read_values
from cpqueens.answers.outcome import Outcome, restated
from cpqueens.answers.solution import Solution
from cpqueens.backends.base import Feature, Want
from cpqueens.errors import ModelError
from cpqueens.language.arrays import of_variables
from cpqueens.language.conversion import as_linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.labels import is_framed, is_label, text_of_label
from cpqueens.language.objectives import Goal, as_weights
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import IntArray, Mask, as_integers
from cpqueens.language.statement import Statement
from cpqueens.solving.request import choose
from cpqueens.text.plaintext import did_you_mean, shown


def earlier_values(model: Statement, near: Any, over: Any = None) -> tuple[IntArray, Mask]:
    """Return values for the decision variables, and for which of them there is one to be compared with.

    ``near`` is a solution or an outcome of this model or of another one, whose variables are found by their
    names and by the labels of their axes, and else by place; or ``{variable or name: values}``, in which a
    frame or a series of pandas is aligned by labels, too; or one frame. A name that a variable cannot take
    any more is a value that it will not have.

    Raises
    ------
    ModelError
        If it is nothing of the kind, or nothing is left to compare.
    """
    wanted = compared_variables(model, over)
    known = model.decisions
    row, given = np.zeros(len(known), dtype=np.int64), np.zeros(len(known), dtype=bool)
    if isinstance(near, Outcome):
        near = near._solution_or_closest()
    if is_framed(near):
        near = _by_name(model, near, over)
    if isinstance(near, Solution):
        for name, part in near._parts():
            if name in model.blocks.by_name:
                old = near.model
                labels = old.blocks.by_name[name].labels or (None,) * part.ndim
                texts = old.labels.of_array.get(name)
                values = part if texts is None else _named(part, texts)
                _take(model, model[name], values, labels, row, given)
    elif isinstance(near, Mapping):
        plain = {key: value for key, value in near.items() if not is_framed(value)}
        row, given, problems = read_values(model, plain)
        if problems:
            raise ModelError(f"near: {problems[0]}")
        for key in near.keys() - plain.keys():
            terms = model.own_terms(model[key] if isinstance(key, str) else key)
            axes = [axis.tolist() for axis in near[key].axes]
            _take(model, terms, near[key].to_numpy(), axes, row, given)
    else:
        raise ModelError(
            f"near: {{variable: values}}, a frame, a solution or an outcome is needed, got {shown(near)}"
        )
    given &= wanted
    if not given.any():
        raise ModelError("near: no variable of the model has an earlier value there")
    return row, given


def compared_variables(model: Statement, over: Any) -> Mask:
    """Return which decision variables are compared: those that are named, or all.

    Raises
    ------
    ModelError
        For anything but decision variables.
    """
    known = model.decisions
    if over is None:
        return np.ones(len(known), dtype=bool)
    parts: Iterable[Any] = [over] if isinstance(over, str | LinearArray) else over
    wanted = np.zeros(len(known), dtype=bool)
    try:
        for part in parts:
            wanted[np.searchsorted(known, plain_variables_of(model, part))] = True
    except TypeError:
        raise ModelError(f"over: variables in a list are needed, got {shown(over)}") from None
    if len(known) and not wanted.any():
        raise ModelError("over: at least one variable is needed")
    return wanted


def plain_variables_of(model: Statement, x: Any) -> IntArray:
    """Return the decision variables that terms are (or the variable of a name is), in their shape.

    Raises
    ------
    ModelError
        For expressions.
    """
    terms = model.own_terms(as_linear(model, model[x] if isinstance(x, str) else x, "a variable"))
    flat = terms.reshape(-1)
    if flat.size and not model.are_decisions(flat):
        raise ModelError(f"{model.text_of(terms):.60}: decision variables are compared, not expressions")
    return flat.variables[:, :1].reshape(terms.shape)


def _by_name(model: Statement, frame: Any, over: Any) -> dict[Any, Any]:
    """Return what one frame has values of: the one array, or variables by their names in its index."""
    if "value" in getattr(frame, "columns", ()):
        return dict(zip(frame.index.tolist(), frame["value"].tolist(), strict=True))
    named = [over] if isinstance(over, str | LinearArray) else list(over or ())
    arrays = named or [block.name for block in model.blocks]
    if len(arrays) != 1:
        raise ModelError("near: a frame of which array? Write near={x: frame}, or over=[x]")
    return {arrays[0]: frame}


def _named(values: IntArray, texts: Mapping[int, Any]) -> NDArray[Any]:
    named = np.empty(values.shape, dtype=object)
    named.reshape(-1)[:] = [texts.get(value, value) for value in values.reshape(-1).tolist()]
    return named


def _take(
    model: Statement,
    terms: LinearArray,
    values: NDArray[Any],
    labels: Sequence[Sequence[Any] | None],
    row: IntArray,
    given: Mask,
) -> None:
    """Write values beside their variables: those at the same labels or, where there are none, places."""
    variables = plain_variables_of(model, terms)
    if variables.ndim != values.ndim:
        raise ModelError(
            f"near: {model.text_of(terms):.60} has {variables.ndim} axes, the earlier one {values.ndim}"
        )
    if not variables.size or not values.size:
        return
    axes = zip(model.labels_along(terms), labels, variables.shape, values.shape, strict=True)
    here, there = zip(*(_common(*axis) for axis in axes), strict=True) if values.ndim else ((), ())
    found = np.atleast_1d(variables[np.ix_(*here)]).reshape(-1)
    names = model.names_of(int(variables.reshape(-1)[0]))
    part = np.atleast_1d(values[np.ix_(*there)]).reshape(-1).tolist()
    if names is not None:
        numbers = {text_of_label(label): number for number, label in names.items()}
        gone = max(names) + 1
        part = [numbers.get(text_of_label(v), gone) if is_label(v) else v for v in part]
    at = np.searchsorted(model.decisions, found)
    row[at], given[at] = as_integers(part, "near", whole=True), True


def _common(
    mine: Sequence[Any] | None, others: Sequence[Any] | None, size: int, many: int
) -> tuple[list[int], list[int]]:
    """Return the places along an axis that both sides have, here and there."""
    if mine is None or others is None or list(others) == list(range(many)):
        return list(range(min(size, many))), list(range(min(size, many)))
    places = {label: k for k, label in enumerate(others)}
    pairs = [(k, places[label]) for k, label in enumerate(mine) if label in places]
    return [k for k, _ in pairs], [k for _, k in pairs]


DISTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "hamming": lambda x, values: (x != values).sum(),
    "manhattan": lambda x, values: abs(x - values).sum(),
}
"""How far apart two assignments are: in how many variables they differ, or by how much in all."""

OF_CHANGES = ("near", "weight", "over", "distance")
"""What `solve` is told of an earlier solution."""


def known_distance(name: Any) -> Callable[[Any, Any], Any]:
    """Return what measures a distance of this name, of values or of terms.

    Raises
    ------
    ModelError
        If it is none.
    """
    if isinstance(name, str) and name in DISTANCES:
        return DISTANCES[name]
    near = did_you_mean(name if isinstance(name, str) else "", DISTANCES)
    raise ModelError(f"no distance {shown(name)}{near}")


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
    changes = known_distance("hamming" if distance is None else distance)(x, row[compared])
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
    whole = replace(restated(outcome, model), bound=None)
    return whole if whole.solution is None else replace(whole, objective=whole.objectives[0])
