"""Our constraints for the library: one that takes any atom, and two that prune before one variable is left.

Without `PruningSum`, amounts of coins take a hundred times as long; without `Different`, a first board of
20 queens takes more than 180,000 nodes instead of 142.

Limits for a library that has none: a constraint that always holds and looks at the clock.
"""

import time
from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Any

from constraint import Constraint

from cpqueens.backends.base import Batches, Request, StopReason
from cpqueens.backends.python_constraint.formulas import Atom, Formula

EVERY = 0.01
"""Seconds between two looks at the limits."""


class LimitReached(Exception):  # noqa: N818 - it carries a reason, not a fault
    """Leaves the library's search; never leaves the backend."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Watch(Constraint):  # type: ignore[misc]
    """Counts the values that are tried, and ends the run when a limit is reached.

    It is the first constraint of every problem and is over all variables, so that the library calls it
    once for each value that it tries.
    """

    def __init__(self, request: Request, batches: Batches, node_limit: int | None = None) -> None:
        self.nodes = 0
        self._request = request
        self._batches = batches
        self._node_limit = float("inf") if node_limit is None else node_limit
        self._next = time.monotonic() + EVERY

    def __call__(self, variables: Any, domains: Any, assignments: Any, forwardcheck: Any = False) -> bool:
        """Hold, unless the run must end."""
        if self.nodes >= self._node_limit:
            raise LimitReached(StopReason.STEP_LIMIT)
        self.nodes += 1
        if time.monotonic() >= self._next:
            self.look()
        return True

    def preProcess(self, *arguments: Any) -> None:  # noqa: N802 - the library's name
        """Keep the constraint (the library drops those over one variable after trying all values)."""

    def due(self) -> None:
        """Look at the limits if the last look is long enough ago; for loops within constraints."""
        if time.monotonic() >= self._next:
            self.look()

    def look(self) -> None:
        """Hand over solutions that have waited; raise `LimitReached` if a limit is reached."""
        self._next = time.monotonic() + EVERY
        self._batches.flush_old()
        if self._batches.stopped:
            raise LimitReached(StopReason.SOLUTION_LIMIT)
        if self._request.should_stop():
            raise LimitReached(self._request.why_stopped())


def hide(domain: Any, doomed: Collection[int]) -> bool:
    """Hide the values ``doomed``, all of them in the domain; answer whether any value is left.

    The library hides one value in time proportional to the domain; many are hidden here at once.
    """
    if len(doomed) == len(domain):
        return False
    if len(doomed) <= 3:
        for value in doomed:
            domain.hideValue(value)
    else:
        gone = set(doomed)
        domain._hidden.extend(doomed)
        domain[:] = [value for value in domain if value not in gone]
    return True


class ByBounds(Constraint):  # type: ignore[misc]
    """Any atom: refuted by the bounds of what is assigned, pruned when a single variable is open."""

    def __init__(self, formula: Formula, due: Callable[[], None]) -> None:
        self._formula = formula
        self._due = due

    def preProcess(  # noqa: N802 - the library's name
        self, variables: Sequence[int], domains: Any, constraints: Any, vconstraints: Any
    ) -> None:
        """Prune the domains at the root for good; empty one if the constraint cannot hold."""
        self._due()
        if not self(variables, domains, {}, True):
            domains[variables[0]].clear()
        for v in variables:
            domains[v]._hidden.clear()

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Say whether the partial assignment may still be extended; hide values if asked to."""
        formula = self._formula
        least, most = formula.bounds(assignments)
        if most <= 0:
            return False
        if not forwardcheck or least > 0:
            return True
        still_open = [v for v in formula.scope if v not in assignments]
        if len(still_open) != 1:
            return True
        domain = domains[still_open[0]]
        return hide(domain, formula.refuted(still_open[0], domain, self._due))


RANGES: dict[str, tuple[float, float]] = {
    "==": (0, 0),
    "<=": (-inf, 0),
    "<": (-inf, -1),
    ">=": (0, inf),
    ">": (1, inf),
}
"""The least and the greatest value of what is in this relation to 0."""


class PruningSum(ByBounds):
    """A sum of decision variables within a range: values are hidden that leave no room for the others."""

    def __init__(self, formula: Formula, due: Callable[[], None]) -> None:
        super().__init__(formula, due)
        ((variables, coefficients, self._constant),) = formula.atom.rows
        self._least, self._most = RANGES[formula.atom.detail]
        factors = zip(variables, coefficients, strict=True)
        self._terms = [(v, a, *sorted(a * end for end in formula.root[v])) for v, a in factors]
        self._widest = max(high - low for _, _, low, high in self._terms)

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the least and the greatest sum with the range."""
        least = most = self._constant
        for variable, a, low, high in self._terms:
            value = assignments.get(variable)
            if value is None:
                least += low
                most += high
            else:
                least += a * value
                most += a * value
        above, below = self._most - least, most - self._least  # the room at either end
        if above < 0 or below < 0:
            return False
        if not forwardcheck or self._widest <= min(above, below):
            return True
        for variable, a, low, high in self._terms:
            if high - low > min(above, below) and variable not in assignments:
                domain, first, last = domains[variable], high - below, low + above
                if not hide(domain, [value for value in domain if not first <= a * value <= last]):
                    return False
        return True


class Different(ByBounds):
    """AllDifferent over sums of decision variables: those with one open variable are pruned."""

    def __init__(self, formula: Formula, due: Callable[[], None]) -> None:
        super().__init__(formula, due)
        self._terms = [(list(zip(row[0], row[1], strict=True)), row[2]) for row in formula.atom.rows]

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the complete sums; hide values that would repeat one."""
        seen: set[int] = set()
        half: list[tuple[int, int, int]] = []
        for pairs, total in self._terms:
            last = None
            for variable, a in pairs:
                value = assignments.get(variable)
                if value is not None:
                    total += a * value
                elif last is not None:
                    break
                else:
                    last = variable, a
            else:
                if last is not None:
                    half.append((*last, total))
                elif total in seen:
                    return False
                else:
                    seen.add(total)
        if not forwardcheck:
            return True
        for variable, a, total in half:
            domain = domains[variable]
            repeated = [value for value in domain if a * value + total in seen]
            if repeated and not hide(domain, repeated):
                return False
        return True


def own(atom: Atom, plain: bool) -> type[ByBounds]:
    """Return what an atom becomes; ``plain`` says that it is over decision variables only."""
    if plain and atom.kind == "AllDifferent":
        return Different
    return PruningSum if plain and atom.kind == "Linear" and atom.detail in RANGES else ByBounds
