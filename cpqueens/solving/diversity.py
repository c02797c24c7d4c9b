"""Solutions that are as far from each other as possible.

The k solutions of which the nearest two are farthest apart: first one after another, each as far as possible
from those before, which is proved to reach half of what is possible (Gonzalez 1985; Ravi, Rosenkrantz and
Tayi 1994); then as one model of k copies, whose least distance is maximised from there on (Hebrard, Hnich,
O'Sullivan and Walsh 2005).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.answers.solution import SolutionSet
from cpqueens.errors import BackendFault
from cpqueens.language.arrays import of_variables, stack_first
from cpqueens.language.expressions import LinearArray
from cpqueens.language.functions import minimum
from cpqueens.language.rebuild import Rebuilder, domain_of, new_variable, own_constraints
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving.nearness import compared_variables, known_distance
from cpqueens.solving.request import as_integer, positive_seconds
from cpqueens.solving.solve import solve
from cpqueens.text.plaintext import counted


@dataclass(frozen=True)
class Diverse:
    """Solutions that are far from each other.

    >>> from cpqueens.models.queens import queens
    >>> found = queens(6).diverse(3)
    >>> len(found.solutions), found.distance, found.complete
    (3, 6, True)

    Attributes
    ----------
    solutions
        Them; fewer than were asked for if no more differ, or if no more were found in the time.
    distance
        Between the nearest two; None of fewer than two.
    bound
        What is proved of it: no such solutions are farther apart; None if nothing is.
    complete
        Whether it is proved that there are none farther apart, or none besides.
    first_distance
        What taking one solution after another had reached.
    seconds
        What it took.
    """

    solutions: SolutionSet
    distance: int | None
    bound: int | None
    complete: bool
    first_distance: int | None
    seconds: float

    def __str__(self) -> str:
        many = counted(len(self.solutions), "solution")
        if self.distance is None:
            return f"{many}: {'proved that there are no more' if self.complete else 'no proof'}"
        proof = "no more are possible" if self.complete else "not proved to be the most"
        if self.bound is not None and not self.complete:
            proof += f", at most {self.bound} are possible"
        return f"{many}, the nearest two {self.distance} apart: {proof}"


def diverse(
    model: Statement,
    k: int,
    solver: str,
    *,
    distance: str = "hamming",
    over: Any = None,
    time_limit: float | None = None,
    **options: Any,
) -> Diverse:
    """Return k solutions that are far from each other, see `cpqueens.Model.diverse`."""
    many, began = as_integer(k, "k", most=MOST), time.monotonic()
    limit, measure = positive_seconds(time_limit, "time_limit"), known_distance(distance)
    columns, end = np.flatnonzero(compared_variables(model, over)), None if limit is None else began + limit
    asked = _Asked(model, solver, many, measure, columns, options, end)
    found, first = asked.one_by_one()
    reached = asked.least(found)
    bound, complete = asked.bound, asked.no_more
    if not complete and len(found) == many and reached is not None:
        complete = bound is not None and reached >= bound
        if not complete:
            found, bound, complete = asked.together(found, bound)
    rows = np.stack(found) if found else np.zeros((0, len(model.decisions)), dtype=np.int64)
    if not Checker.of(model).accepts(rows).all():
        raise BackendFault(f"{solver} broke its contract: a copy has a wrong solution", "INVALID_SOLUTION")
    solutions = SolutionSet(model, model.decisions, rows, in_order=False)
    return Diverse(solutions, asked.least(found), bound, complete, first, time.monotonic() - began)


MOST = 1000
"""Solutions that can be asked for."""


@dataclass
class _Asked:
    """What is asked for, within one time limit."""

    _model: Statement
    _solver: str
    _many: int
    _distance: Callable[[Any, Any], Any]
    _columns: IntArray
    _options: Mapping[str, Any]
    _end: float | None
    bound: int | None = None
    no_more: bool = False

    def _solve(self, model: Statement, share: float, **more: Any) -> Outcome:
        left = None if self._end is None else max(0.01, share * (self._end - time.monotonic()))
        return solve(model, self._solver, time_limit=left, **self._options, **more)

    def least(self, found: list[IntArray]) -> int | None:
        """Return how far the nearest two are apart."""
        rows = [row[self._columns] for row in found]
        return min((int(self._distance(a, b)) for a, b in combinations(rows, 2)), default=None)

    def one_by_one(self) -> tuple[list[IntArray], int | None]:
        """Find one solution after another, each as far as possible from those before."""
        found: list[IntArray] = []
        proved = True
        for k in range(self._many):
            other = self._model.copy()
            other._clear_objectives()
            x = of_variables(other, self._model.decisions[self._columns], (len(self._columns),))
            if found:
                apart = [self._distance(x, row[self._columns]) for row in found]
                nearest = minimum(*apart) if k > 1 else apart[0]
                other.add(nearest >= 1)
                other.maximize(nearest)
            outcome = self._solve(other, 0.5 / (self._many - k))
            if outcome.solution is None and outcome.stop_reason is StopReason.TIME_LIMIT:
                outcome = self._solve(other, 0.5)  # its share was too short
            proved = proved and (k == 0 or outcome.complete)
            if outcome.solution is None:
                self.no_more = outcome.complete
                break
            found.append(np.array(outcome.solution.values))
            if k and proved and outcome.objective is not None:
                self.bound = 2 * outcome.objective  # of any k solutions two are nearest to the same before
        return found, self.least(found)

    def together(self, found: list[IntArray], bound: int | None) -> tuple[list[IntArray], int | None, bool]:
        """Return the best of all, and what is proved of it, from those on that were found one by one."""
        found = sorted(found, key=lambda row: tuple(row[self._columns].tolist()))
        reached = self.least(found)
        joint, apart, copies = self._joint(bound)
        hint: dict[Any, Any] = dict(zip(copies, found, strict=True)) | {apart: reached}
        outcome = self._solve(joint, 1.0, hint=hint)
        if outcome.solution is None:
            return found, bound, False
        rows = [np.array(outcome[copy]) for copy in copies]
        known = [b for b in (bound, outcome.bound) if b is not None]
        return rows, min(known, default=None), outcome.complete

    def _joint(self, bound: int | None) -> tuple[Statement, LinearArray, list[LinearArray]]:
        """Return a model of all solutions side by side, its least distance, and the solutions."""
        model = self._model
        joint = type(model)(f"{self._many} of {model.name}")
        copies: list[LinearArray] = []
        for k in range(self._many):
            rows, terms = {}, []
            for v in model.decisions.tolist():
                terms.append(new_variable(joint, domain_of(model, v), f"s{k}_{v}"))
                ((variables, factors, constant),) = terms[-1].reshape(-1).rows()
                rows[v] = tuple(variables), tuple(factors), constant
            rebuilder = Rebuilder(model, joint, rows)
            for posted in own_constraints(model):
                rebuilder.post(posted)
            copies.append(stack_first(terms))
        compared = [copy[self._columns] for copy in copies]
        pairs = [self._distance(x, y) for x, y in combinations(compared, 2)]
        most = max(int(pair.bounds()[1][0]) for pair in pairs)
        apart = joint.intvar(1, most if bound is None else min(bound, most), name="apart")
        for pair in pairs:
            joint.add(pair >= apart)
        for x, y in pairwise(compared):
            joint.add(x[0] <= y[0])
        joint.maximize(apart)
        return joint, apart, copies
