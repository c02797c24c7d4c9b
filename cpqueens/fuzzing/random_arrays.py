"""Arrays that global constraints treat in ways of their own: scaled variables, constants, sums.

Single terms are drawn independently elsewhere; there a whole array of ``a*x + b``, or one with the same
constant twice, hardly ever comes about, and it is the array that decides which form a solver gives it.
"""

from collections.abc import Callable
from random import Random
from typing import Protocol

from cpqueens.fuzzing.written import Written


class Draws(Protocol):
    """What draws single terms."""

    random: Random

    def plain(self) -> Written:
        """Return one of the variables."""

    def constant(self, value: int) -> Written:
        """Return a term without variables."""


_FACTORS = (1, -1, 2, -2, 3)


def _scaled(t: Draws) -> Written:
    """Return ``a*x + b``."""
    return t.random.choice(_FACTORS) * t.plain() + t.random.randint(-2, 2)


def _scaled_or_constant(t: Draws) -> Written:
    """Return ``a*x + b``, or one of few constants, so that two are often equal."""
    return _scaled(t) if t.random.randint(0, 2) else t.constant(t.random.randint(0, 2))


def _shifted(t: Draws) -> Written:
    """Return ``x + b``."""
    return t.plain() + t.random.randint(-2, 2)


def _sum_or_difference(t: Draws) -> Written:
    """Return the sum of two variables, perhaps scaled."""
    return t.plain() + t.random.choice(_FACTORS) * t.plain() + t.random.randint(-1, 1)


_STYLES: tuple[Callable[[Draws], Written], ...] = (
    _shifted,
    _scaled,
    _scaled_or_constant,
    _sum_or_difference,
)


def uniform_array(t: Draws, size: int) -> list[Written]:
    """Return terms of one style over the variables, without defined ones."""
    style = t.random.choice(_STYLES)
    return [style(t) for _ in range(size)]
