"""What is optimised in a model: objectives in their order, and the penalties of soft constraints.

A goal is one term with its sense; a soft constraint may be violated, for a penalty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import as_linear, concatenate
from cpqueens.language.defined_functions import Maximum
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.rows import IntArray, as_integers, least
from cpqueens.language.store import VariableStore
from cpqueens.language.term import Term
from cpqueens.text.foreign import explaining_keywords


@dataclass(frozen=True)
class Goal:
    """One objective: a single term, and whether it is maximised.

    ``penalties`` says how often those of all soft constraints are added to it, whenever these were stated;
    None: it does not speak of them.
    """

    term: LinearArray
    maximizing: bool
    penalties: int | None = None

    def bind(self, registry: Registry) -> Goal:
        """Return the same objective of a copied model."""
        return Goal(self.term.bind(registry), self.maximizing, self.penalties)

    @property
    def is_penalties(self) -> bool:
        """Whether it is the penalties alone."""
        return self.penalties == 1 and self.is_bare

    @property
    def is_bare(self) -> bool:
        """Whether the term is 0."""
        return not (self.term.width or self.term.constants.any())

    def whole(self, total: LinearArray) -> Goal:
        """Return the objective with all penalties, which are ``total``, added up."""
        return Goal(self.term + (self.penalties or 0) * total, self.maximizing)

    def key(self, value: int) -> int:
        """Return a number that is the less, the better the value is."""
        return -value if self.maximizing else value

    def at_worst(self, value: int, gap: int = 0) -> Linear:
        """Return that the term is no worse than ``value``, or by at most ``gap``."""
        low, high = (int(end[0]) for end in self.term.bounds())
        limit = max(value - gap, low) if self.maximizing else min(value + gap, high)
        return Linear(self.term - limit, ">=" if self.maximizing else "<=")

    def worse_than(self, value: int) -> Linear:
        """Return that the term is worse than ``value``."""
        return Linear(self.term - value, "<" if self.maximizing else ">")


def keys(goals: Iterable[Goal], values: Iterable[int]) -> tuple[int, ...]:
    """Return values of all objectives as a tuple that is the less, the better they are, the first first."""
    return tuple(goal.key(value) for goal, value in zip(goals, values, strict=True))


def as_weights(value: Any) -> IntArray:
    """Return weights of soft constraints.

    Raises
    ------
    ModelError
        If they are not integers, or floats that are, of at least 1.
    """
    weights = as_integers(value, "weight", whole=True)
    lowest = int(least(weights, axis=None, initial=1))
    if lowest < 1:
        raise ModelError(f"weight: integers of at least 1 are needed, got {lowest}")
    return weights


@dataclass(frozen=True)
class Soft:
    """Constraints (elementwise, or one) of which each costs its weight where it does not hold."""

    given: Constraint
    truths: LinearArray  # of any shape: 1 where it holds
    weights: IntArray  # (size,)
    name: str | None
    source: tuple[str, int] | None

    def bind(self, registry: Registry) -> Soft:
        """Return the same of a copied model."""
        return replace(self, given=self.given.bind(registry), truths=self.truths.bind(registry))

    @property
    def constraint(self) -> Constraint:
        """The constraints, of shape (size,), or the one."""
        return self.given.flattened()

    @property
    def where(self) -> str:
        """The user's file and line as text, or ''."""
        return f"{self.source[0]}:{self.source[1]}" if self.source else ""

    def violated(self, values: IntArray, store: VariableStore) -> Iterator[tuple[Constraint, int]]:
        """Yield what does not hold at the values of all variables, (1, variables), and what it costs."""
        for element in np.flatnonzero(self.truths.evaluate(values)[0] == 0).tolist():
            yield self._said(element, store), int(self.weights[element])

    def _said(self, element: int, store: VariableStore) -> Constraint:
        """Return one element as the user said it: what a truth stands for rather than that it is 1."""
        ((variables, coefficients, constant),) = self.truths.flat[[element]].rows()
        produced = store.producer(variables[0]) if len(variables) == 1 else None
        if produced is not None and isinstance(produced[0], Truth) and coefficients == [1] and not constant:
            return produced[0].constraint.take(np.array([produced[1]]))
        return self.constraint.take(np.array([element]))


class Objectives(VariableStore):
    """Variables with objectives over them; a `Statement` adds constraints."""

    def __init__(self) -> None:
        super().__init__()
        self.stated: tuple[Goal, ...] = ()
        """The objectives as the user said them."""
        self.soft: list[Soft] = []
        self._goals: tuple[Goal, ...] | None = None  # made of both when asked for
        self._penalties: dict[int, int] = {}  # how many soft constraints each of these variables stands for

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What is optimised, the most important first; penalties are part of it."""
        if not self.soft and not self._penalties:
            return self.stated
        if self._goals is None:
            self._goals = self._with_penalties()
        return self._goals

    def _with_penalties(self) -> tuple[Goal, ...]:
        apart = any(goal.penalties is not None for goal in self.stated)
        if not self.soft and not apart:
            return self.stated
        total = self._total()
        if apart:
            return tuple(goal.whole(total) for goal in self.stated)
        first, *others = self.stated or (Goal(as_linear(self, 0), False),)
        return Goal(first.term - total if first.maximizing else first.term + total, first.maximizing), *others

    def _total(self) -> LinearArray:
        if not self.soft:
            return as_linear(self, 0)
        truths = concatenate([soft.truths for soft in self.soft])
        return ((1 - truths) * np.concatenate([soft.weights for soft in self.soft])).sum()

    @property
    def objective(self) -> LinearArray | None:
        """The expression of the first objective; None without an objective.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.maximize(x[0] - x[1])
        >>> print(m.objective)
        x[0] - x[1]
        """
        goals = self.goals
        return goals[0].term if goals else None

    @property
    def maximizing(self) -> bool:
        """Whether the first objective is maximised.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.maximize(x.sum())
        >>> m.maximizing
        True
        """
        return bool(self.goals) and self.goals[0].maximizing

    @explaining_keywords
    def minimize(self, *terms: Any) -> None:
        """Set the objective (replacing an earlier one), or several, the most important first.

        Of several objectives each is minimised among the assignments that are best in all before it:
        lexicographic order. Where some are to be maximised, write them one by one:

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m += x.sum() >= 10
        >>> m.minimize(x.sum())
        >>> m.then_maximize(x[0])
        >>> m.solve()[x].tolist()
        [9, 1]

        Parameters
        ----------
        terms
            Single terms (of shape ()), also of the model's `penalties`.

        Raises
        ------
        ModelError
            For no term, or an array of another shape.
        """
        self._set_goals((), terms, maximizing=False)

    @explaining_keywords
    def maximize(self, *terms: Any) -> None:
        """Set the objective (replacing an earlier one), or several, the most important first.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m += x.sum() <= 10
        >>> m.maximize(x.sum(), x[1])
        >>> m.solve().objectives
        (10, 9)

        Parameters
        ----------
        terms
            Single terms (of shape ()).

        Raises
        ------
        ModelError
            For no term, or an array of another shape.
        """
        self._set_goals((), terms, maximizing=True)

    @explaining_keywords
    def then_minimize(self, *terms: Any) -> None:
        """Add objectives of lower priority than those so far.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.maximize(x.sum() % 5)
        >>> m.then_minimize(x[0], x[1])
        >>> m.solve()[x].tolist()
        [0, 4]

        Parameters
        ----------
        terms
            As for `minimize`.

        Raises
        ------
        ModelError
            As for `minimize`.
        """
        self._set_goals(self.stated, terms, maximizing=False)

    @explaining_keywords
    def then_maximize(self, *terms: Any) -> None:
        """Add objectives of lower priority than those so far.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.minimize(x.sum() % 5)
        >>> m.then_maximize(x[0], x[1])
        >>> m.solve()[x].tolist()
        [9, 6]

        Parameters
        ----------
        terms
            As for `maximize`.

        Raises
        ------
        ModelError
            As for `maximize`.
        """
        self._set_goals(self.stated, terms, maximizing=True)

    def drop_objectives(self) -> None:
        """Remove all objectives and soft constraints, so that all solutions are equally good.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m.maximize(x)
        >>> m.drop_objectives()
        >>> m.solve().objective is None
        True
        """
        self._refuse_during_runs()
        self._forget_ranges()
        self._clear_objectives()

    def _clear_objectives(self) -> None:
        """Drop the objectives; when they were defined remains a part of the model."""
        self.soft = []
        self._penalties = dict.fromkeys(self._penalties, -1)  # of those that were
        self._state_goals(())

    def _state_goals(self, goals: tuple[Goal, ...]) -> None:
        self.stated, self._goals = goals, None

    def _set_goals(self, before: tuple[Goal, ...], terms: tuple[Any, ...], maximizing: bool) -> None:
        self._refuse_during_runs()
        if not terms:
            raise ModelError("the objective is missing; to have none, write drop_objectives()")
        goals = [self._goal(as_linear(self, term, "objective"), maximizing) for term in terms]
        if not before:
            self._forget_ranges()
        self._state_goals(before)
        self._then(*goals)

    def _then(self, *goals: Goal) -> None:
        """Add objectives behind those that there are."""
        self._state_goals((*self.stated, *goals))
        if self.has_partial:
            self._guard_objectives([goal.term for goal in goals])

    def _goal(self, array: LinearArray, maximizing: bool) -> Goal:
        """Return an objective, the penalties in it apart from the rest."""
        if array.shape:
            raise ModelError(
                f"the objective must be a single term, got shape {array.shape}; use .sum() for their sum, or "
                "m.minimize(a, b) to optimise first a, then b"
            )
        if not self._penalties:
            return Goal(array, maximizing)
        ((variables, coefficients, constant),) = array.rows()
        parts = dict(zip(variables, coefficients, strict=True))
        found = [parts.pop(v) for v in variables if v in self._penalties]
        rest = Term(self, tuple(parts), tuple(parts.values()), constant)
        goal = Goal(rest, maximizing, sum(found) if found or self._reach_penalties(variables) else None)
        if maximizing and goal.is_penalties:
            raise ModelError("penalties are minimised; write then_minimize(m.penalties)")
        return goal

    def _reach_penalties(self, variables: Iterable[int]) -> bool:
        """Say whether penalties are among what these variables are functions of."""
        pending, seen = list(variables), set[int]()
        while pending:
            variable = pending.pop()
            if variable in self._penalties:
                return True
            produced = None if variable in seen else self.producer(variable)
            seen.add(variable)
            if produced is not None:
                one = produced[0].take(np.array([produced[1]]), np.array([variable]))
                pending += [v for array in one.arguments for v in array.scope().tolist()]
        return False

    @property
    def penalties(self) -> LinearArray:
        """The penalties of all soft constraints, as an expression.

        As a separate objective they come first in ``m.minimize(m.penalties, cost)`` and last in
        ``m.minimize(cost, m.penalties)``; in ``m.minimize(cost + 10 * m.penalties)`` they weigh ten times
        as much. If an objective contains them, they are not added again; soft constraints that are added
        later count, too. In a constraint, and within a function such as ``maximum``, only the soft
        constraints so far count.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m.add_soft(x >= 7, weight=3)
        >>> m.add_soft(x <= 5, weight=2)
        >>> m.add(m.penalties <= 2)
        >>> m.minimize(x + 10 * m.penalties)
        >>> outcome = m.solve()
        >>> outcome["x"], outcome.objective, outcome[m.penalties]
        (7, 27, 2)
        """
        found = [variable for variable, many in self._penalties.items() if many == len(self.soft)]
        if not found:  # of its own: a user's term is not taken for it
            found = self._create(Maximum((self._total().reshape(-1),))).tolist()
            self._penalties[found[0]] = len(self.soft)
        return Term(self, (found[0],), (1,), 0)

    def is_penalties(self, variable: int) -> bool:
        """Say whether a variable stands for the penalties of soft constraints."""
        return variable in self._penalties

    def _copy_objectives(self, other: Objectives) -> None:
        self.soft = [soft.bind(self) for soft in other.soft]
        self._penalties = dict(other._penalties)
        self._state_goals(tuple(goal.bind(self) for goal in other.stated))

    def _refuse_during_runs(self) -> None:
        raise NotImplementedError

    def _guard_objectives(self, terms: Iterable[LinearArray]) -> None:
        raise NotImplementedError

    def _forget_ranges(self) -> None:
        raise NotImplementedError
