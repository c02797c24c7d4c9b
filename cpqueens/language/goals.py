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
