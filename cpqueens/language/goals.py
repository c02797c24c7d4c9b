"""What is optimised: terms in the order of their importance, each with its sense."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray

if TYPE_CHECKING:
    from cpqueens.language.expressions import Registry


@dataclass(frozen=True)
class Goal:
    """One objective: a single term, and whether it is maximised."""

    term: LinearArray
    maximizing: bool

    def bind(self, registry: Registry) -> Goal:
        """Return the same objective of a copied model."""
        return Goal(self.term.bind(registry), self.maximizing)

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
