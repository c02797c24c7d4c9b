"""Branch and bound for a library that cannot optimise: a constraint that tightens with each solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cpqueens.backends.python_constraint_atoms import Atom, Formulas
from cpqueens.backends.python_constraint_intervals import MAKERS, TRUE, Closure, Interval, Row
from cpqueens.backends.python_constraint_tape import Bounds, Tape


class Incumbent:
    """The best objective value so far, and the atom "the objective is better than that"."""

    def __init__(self, row: Row, maximizing: bool, formulas: Formulas, bounds: Bounds) -> None:
        self._sign = -1 if maximizing else 1
        variables, coefficients, constant = row
        signed = (variables, [self._sign * a for a in coefficients], self._sign * constant)
        self._best: int | None = None
        self.atom = Atom("better", (signed,), self)
        self._tape = Tape(Atom("value", (signed,)), formulas, bounds)
        self.is_constant = not self._tape.scope
        self.root_bound = self._sign * self._tape.evaluate()[0]

    @property
    def value(self) -> int | None:
        """The best value, in the model's sense."""
        return None if self._best is None else self._sign * self._best

    def improve(self, solution: Mapping[int, int]) -> None:
        """Take over the value of a solution, which is better than all before."""
        tape = self._tape
        for slot, variable in enumerate(tape.scope):
            tape.low[slot] = tape.high[slot] = solution[variable]
        self._best = tape.evaluate()[0]

    def better(self, objective: Interval) -> Interval:
        """Return (0, 0) if no value in the interval is better than the best so far."""
        return (
            TRUE if self._best is None or objective[1] < self._best else (0, int(objective[0] < self._best))
        )


def _better(terms: Sequence[Closure], incumbent: Incumbent) -> Closure:
    (objective,) = terms
    return lambda low, high: incumbent.better(objective(low, high))


def _value(terms: Sequence[Closure], detail: None) -> Closure:
    return terms[0]


MAKERS["better"] = _better
MAKERS["value"] = _value
