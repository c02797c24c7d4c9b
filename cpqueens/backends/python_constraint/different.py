"""AllDifferent over terms of decision variables: what is taken is hidden from what is open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cpqueens.backends.python_constraint.atoms import Atom
from cpqueens.backends.python_constraint.objects import OwnConstraint
from cpqueens.backends.python_constraint.watch import Watch


class Permutation(OwnConstraint):
    """AllDifferent over ``a*x + b``: a new value is hidden from every open variable at once."""

    def __init__(self, atom: Atom, watch: Watch) -> None:
        super().__init__(watch)
        self._fixed = [row[2] for row in atom.rows if not row[0]]
        self._terms = [(row[0][0], row[1][0], row[2]) for row in atom.rows if row[0]]
        self._of: dict[int, list[tuple[int, int]]] = {}
        for variable, a, b in self._terms:
            self._of.setdefault(variable, []).append((a, b))

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare all assigned terms; hide the newest ones' values, the older ones' being hidden already.

        The newest variable is the last key of the assignments. If a solver assigned in another way, less
        would be pruned and nothing wrongly accepted.
        """
        seen = set(self._fixed)
        if len(seen) < len(self._fixed):
            return False
        open_terms = []
        for term in self._terms:
            variable, a, b = term
            value = assignments.get(variable)
            if value is None:
                open_terms.append(term)
                continue
            value = a * value + b
            if value in seen:
                return False
            seen.add(value)
        if not forwardcheck or not open_terms:
            return True
        newest = next(reversed(assignments)) if assignments else None
        fresh: Collection[int] = seen
        if newest in self._of:
            fresh = [a * assignments[newest] + b for a, b in self._of[newest]]
        return all(_without(domains[v], a, b, fresh) for v, a, b in open_terms)


def _without(domain: Any, a: int, b: int, values: Collection[int]) -> bool:
    """Hide what makes ``a*x + b`` one of ``values``; answer whether any value is left."""
    for value in values:
        x, rest = (value - b, 0) if a == 1 else divmod(value - b, a)
        if not rest and x in domain:
            domain.hideValue(x)
            if not domain:
                return False
    return True


class DifferentSums(OwnConstraint):
    """AllDifferent over sums of decision variables: sums with one open variable are pruned."""

    def __init__(self, atom: Atom, watch: Watch) -> None:
        super().__init__(watch)
        self._terms = [(list(zip(row[0], row[1], strict=True)), row[2]) for row in atom.rows]

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the complete sums; hide values that would repeat one."""
        seen: set[int] = set()
        half: list[tuple[int, int, int]] = []
        for pairs, total in self._terms:
            last = None
            for pair in pairs:
                value = assignments.get(pair[0])
                if value is not None:
                    total += pair[1] * value
                elif last is not None:
                    break
                else:
                    last = pair
            else:
                if last is not None:
                    half.append((*last, total))
                elif total in seen:
                    return False
                else:
                    seen.add(total)
        if not forwardcheck:
            return True
        return all(_without(domains[v], a, total, seen) for v, a, total in half)
