"""Branch and bound for a library that cannot optimise: an atom that tightens with each solution."""

from collections.abc import Mapping

from cpqueens.backends.python_constraint.atoms import Atom, Row
from cpqueens.backends.python_constraint.bounds import FALSE, TRUE, UNKNOWN, Interval
from cpqueens.backends.python_constraint.formulas import Formulas


class Incumbent:
    """The best objective value so far, and the atom "the objective is better than that".

    Maximising is minimising the negated objective; ``value`` and ``root_bound`` are in the model's sense.
    """

    def __init__(self, row: Row, maximizing: bool, formulas: Formulas) -> None:
        self._sign = -1 if maximizing else 1
        variables, coefficients, constant = row
        signed = (variables, [self._sign * a for a in coefficients], self._sign * constant)
        self._best: int | None = None
        self._objective = formulas.formula(Atom("judged", (signed,), lambda interval: interval))
        self.atom = Atom("judged", (signed,), self._better)
        self.is_constant = not self._objective.scope
        self.root_bound = self._sign * self._objective.bounds({})[0]

    @property
    def value(self) -> int | None:
        """The best value, None before the first solution."""
        return None if self._best is None else self._sign * self._best

    def improve(self, solution: Mapping[int, int]) -> None:
        """Take over the value of a solution, which is better than all before."""
        self._best = self._objective.bounds(solution)[0]

    def _better(self, objective: Interval) -> Interval:
        """Return the truth of "better than the best so far" for an objective within the interval."""
        if self._best is None or objective[1] < self._best:
            return TRUE
        return UNKNOWN if objective[0] < self._best else FALSE
