"""Linear relations over decision variables, with bounds on what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cpqueens.backends.python_constraint.atoms import Atom
from cpqueens.backends.python_constraint.objects import OwnConstraint, hide
from cpqueens.backends.python_constraint.tape import Bounds
from cpqueens.backends.python_constraint.watch import Watch


class _Sum(OwnConstraint):
    """A sum of decision variables with coefficients, related to 0."""

    def __init__(self, atom: Atom, bounds: Bounds, watch: Watch) -> None:
        super().__init__(watch)
        ((variables, coefficients, self._constant),) = atom.rows
        self._terms = []
        for variable, a in zip(variables, coefficients, strict=True):
            ends = [a * x for x in bounds(variable)]
            self._terms.append((variable, a, min(ends), max(ends)))
        self._widest = max(most - least for _, _, least, most in self._terms)


class AtMost(_Sum):
    """``sum <= 0``, with the values hidden that leave too little for the rest."""

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the least sum with 0."""
        total = self._constant
        for variable, a, least, _ in self._terms:
            value = assignments.get(variable)
            total += least if value is None else a * value
        if total > 0:
            return False
        if not forwardcheck or self._widest <= -total:
            return True
        for variable, a, least, most in self._terms:
            room = least - total
            if most > room and variable not in assignments:
                domain = domains[variable]
                if not hide(domain, [value for value in domain if a * value > room]):
                    return False
        return True


class Equal(_Sum):
    """``sum == 0``, with the values hidden that leave too little or too much for the rest."""

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the least and the greatest sum with 0."""
        low = high = self._constant
        for variable, a, least, most in self._terms:
            value = assignments.get(variable)
            if value is None:
                low += least
                high += most
            else:
                low += a * value
                high += a * value
        if low > 0 or high < 0:
            return False
        if not forwardcheck or (self._widest <= -low and self._widest <= high):
            return True
        for variable, a, least, most in self._terms:
            largest, smallest = least - low, most - high
            if (most > largest or least < smallest) and variable not in assignments:
                domain = domains[variable]
                doomed = [value for value in domain if not smallest <= a * value <= largest]
                if not hide(domain, doomed):
                    return False
        return True


class Unequal(_Sum):
    """``sum != 0``: the last open variable loses at most one value."""

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Add up; with one variable open, find the value that it may not have."""
        total = self._constant
        last = None
        for term in self._terms:
            value = assignments.get(term[0])
            if value is not None:
                total += term[1] * value
            elif last is not None:
                return True
            else:
                last = term
        if last is None:
            return total != 0
        if not forwardcheck or total % last[1]:
            return True
        domain, value = domains[last[0]], -total // last[1]
        return value not in domain or hide(domain, [value])
