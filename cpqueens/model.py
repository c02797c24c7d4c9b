"""`Model`: the statement of a problem plus the verbs that solve it; the one file that knows both sides."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cpqueens.answers.check import Check, check
from cpqueens.answers.outcome import Outcome, Solution
from cpqueens.answers.runs import Runs
from cpqueens.backends.base import Backend
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving import solve
from cpqueens.solving.explain import Explanation, explain_infeasible
from cpqueens.solving.runs import runs
from cpqueens.solving.stream import SolutionStream, solutions


class Model(Statement):
    """One problem instance: decision variables, constraints over terms, and perhaps an objective.

    >>> from cpqueens import AllDifferent, Model
    >>> import numpy as np
    >>> m = Model("queens")
    >>> q = m.intvar(0, 3, shape=4, name="q")
    >>> m += [AllDifferent(q), AllDifferent(q + np.arange(4)), AllDifferent(q - np.arange(4))]
    >>> m.count(solver="python-constraint")
    2
    """

    def solve(self, solver: str = "auto", **options: Any) -> Outcome:
        """Find one solution, or the best one if there is an objective; see `cpqueens.solving.solve.solve`."""
        return solve.solve(self, solver, **options)

    def runs(
        self, solver: str | Backend = "auto", seeds: int | Sequence[int] | IntArray = 100, **options: Any
    ) -> Runs:
        """Solve once for each seed and return arrays with a row for each; see `cpqueens.solving.runs.runs`.

        >>> from cpqueens.models.queens import queens
        >>> m = queens(6)
        >>> found = m.runs("local-search:sosic-gu", seeds=range(20))
        >>> found.solved.all(), found[m["q"]].shape
        (True, (20, 6))
        """
        return runs(self, solver, seeds, **options)

    def solutions(self, solver: str = "auto", **options: Any) -> SolutionStream:
        """Iterate over all solutions; see `cpqueens.solving.stream.solutions`."""
        return solutions(self, solver, **options)

    def enumerate(
        self, on_solution: Callable[[Solution], object] | Any = None, solver: str = "auto", **options: Any
    ) -> Outcome:
        """Deliver all solutions to ``on_solution``; see `cpqueens.solving.solve.enumerate_solutions`."""
        return solve.enumerate_solutions(self, on_solution, solver, **options)

    def count(self, solver: str = "auto", **options: Any) -> int:
        """Return the number of solutions; see `cpqueens.solving.solve.count`."""
        return solve.count(self, solver, **options)

    def check(self, assignment: Mapping[Any, Any] | Any) -> Check:
        """Return every constraint that ``assignment`` violates; see `cpqueens.answers.check.check`."""
        return check(self, assignment)

    def explain_infeasible(self, solver: str = "auto", **options: Any) -> Explanation:
        """Return a minimal unsatisfiable subset; see `cpqueens.solving.explain.explain_infeasible`."""
        return explain_infeasible(self, solver, **options)

    def to_cpsat(self) -> Any:
        """Return the native OR-Tools model and its variable map, see `backends.cpsat.translation.export`."""
        from cpqueens.backends.cpsat.translation import export

        return export(self)

    def drawn(self, answer: Solution | Outcome, form: str) -> str | None:
        """Return a solution or an outcome of this model as a picture; see `cpqueens.report.html.FORMS`."""
        from cpqueens.report.html import FORMS

        return FORMS[form](answer)

    def _repr_html_(self) -> str:
        from cpqueens.report.html import model_fragment

        return model_fragment(self)
