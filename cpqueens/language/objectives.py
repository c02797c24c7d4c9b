"""What is optimised in a model: objectives in their order, and the penalties of soft constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.conversion import as_linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.goals import Goal
from cpqueens.language.soft import PENALTIES, Penalties, Soft
from cpqueens.language.store import VariableStore


class Objectives(VariableStore):
    """Variables with objectives over them; a `Statement` adds constraints."""

    def __init__(self) -> None:
        super().__init__()
        self.stated: tuple[Goal | Penalties, ...] = ()
        """The objectives as the user said them."""
        self.soft: list[Soft] = []
        self._goals: tuple[Goal, ...] | None = None  # made of both when asked for

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What is optimised, the most important first; penalties are part of it."""
        if self._goals is None:
            self._goals = self._with_penalties()
        return self._goals

    def _with_penalties(self) -> tuple[Goal, ...]:
        plain = tuple(goal for goal in self.stated if isinstance(goal, Goal))
        apart = len(plain) < len(self.stated)
        if not self.soft and not apart:
            return plain
        terms = [soft.penalties for soft in self.soft]
        total = concatenate_rows(terms).sum() if terms else as_linear(self, 0)
        if apart or not plain:
            stated = self.stated or (PENALTIES,)
            return tuple(goal if isinstance(goal, Goal) else Goal(total, False) for goal in stated)
        first = plain[0]
        return (
            Goal(first.term - total if first.maximizing else first.term + total, first.maximizing),
            *plain[1:],
        )

    @property
    def objective(self) -> LinearArray | None:
        """The first objective's term; None without an objective."""
        return self.goals[0].term if self.goals else None

    @property
    def maximizing(self) -> bool:
        """Whether the first objective is maximised."""
        return bool(self.goals) and self.goals[0].maximizing

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
            Single terms (of shape ()), or the model's `penalties`.

        Raises
        ------
        ModelError
            For no term, or an array of another shape.
        """
        self._set_goals((), terms, maximizing=False)

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

    def then_minimize(self, *terms: Any) -> None:
        """Add objectives that count where those so far are at their best.

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

    def then_maximize(self, *terms: Any) -> None:
        """Add objectives that count where those so far are at their best.

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
        """Forget all objectives and soft constraints: any solution is as good as another."""
        self._refuse_during_runs()
        self._forget_ranges()
        self._clear_objectives()

    def _clear_objectives(self) -> None:
        """Drop the objectives; when they were defined remains a part of the model."""
        self.soft = []
        self._state_goals(())

    def _state_goals(self, goals: tuple[Goal | Penalties, ...]) -> None:
        self.stated, self._goals = goals, None

    def _set_goals(
        self, before: tuple[Goal | Penalties, ...], terms: tuple[Any, ...], maximizing: bool
    ) -> None:
        self._refuse_during_runs()
        if not terms:
            raise ModelError("the objective is missing; to have none, write drop_objectives()")
        if maximizing and any(term is PENALTIES for term in terms):
            raise ModelError("penalties are minimised; write then_minimize(m.penalties)")
        arrays = [as_linear(self, term, "objective") for term in terms if term is not PENALTIES]
        for array in arrays:
            if array.shape:
                raise ModelError(f"the objective must be a single term, got shape {array.shape}; use .sum()")
        found = iter(arrays)
        added = (PENALTIES if term is PENALTIES else Goal(next(found), maximizing) for term in terms)
        if not before:
            self._forget_ranges()
        self._state_goals((*before, *added))
        if self.has_partial:
            self._guard_objectives(arrays)

    @property
    def penalties(self) -> Penalties:
        """The penalties of all soft constraints, for `minimize` and `then_minimize` as an objective alone.

        They come first in ``m.minimize(m.penalties, cost)``, and last in ``m.minimize(cost, m.penalties)``.
        """
        return PENALTIES

    def _copy_objectives(self, other: Objectives) -> None:
        self.soft = [soft.bind(self) for soft in other.soft]
        self._state_goals(tuple(g.bind(self) if isinstance(g, Goal) else g for g in other.stated))

    def _refuse_during_runs(self) -> None:
        raise NotImplementedError

    def _guard_objectives(self, terms: Iterable[LinearArray]) -> None:
        raise NotImplementedError

    def _forget_ranges(self) -> None:
        raise NotImplementedError
