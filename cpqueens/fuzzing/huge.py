"""Random models of huge values: numbers near the ends of the range, wide domains with few values far apart.

A draw that leaves the range (`cpqueens.language.ranges`) is made again, so that every model is one that no
backend may answer wrongly: it is right, or refuses in one line.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.fuzzing.random_terms import RandomTerms
from cpqueens.fuzzing.written import Written
from cpqueens.language.in_range import constraints_in_range
from cpqueens.language.ranges import LIMIT, OutOfRange
from cpqueens.model import Model

_ENDS = (0, 2**31, 2**32, 2**53, 2**59, 2**60, 2**61 - 8, LIMIT // 3, LIMIT)
_FACTORS = (1, -1, 2, -3, 2**7, -(2**29), 2**30 + 1, 2**52, -(2**53) - 1, 2**59)
_TRIES = 30


class HugeTerms(RandomTerms):
    """Draws variables and terms of huge values."""

    def _domain(self) -> list[int]:
        choice = self.random.randint(0, 5)
        if choice == 0:
            return [0, 1]
        if choice == 1:  # neighbours somewhere far out
            start = self._number()
            return [v for v in range(start, start + self.random.randint(1, 5)) if abs(v) <= LIMIT]
        if choice == 2:
            return list(range(-2, self.random.randint(0, 3)))
        return sorted({self._number() for _ in range(self.random.randint(1, 5))})

    def _number(self) -> int:
        """Return a number near one of the ends."""
        number = self.random.choice((1, -1)) * self.random.choice(_ENDS) + self.random.randint(-2, 2)
        return max(-LIMIT, min(LIMIT, number))

    def term(self, depth: int = 0) -> Written:
        """Return a term as others are drawn, or one with a huge coefficient or constant."""
        choice = self.random.randint(0, 7)
        if choice == 0:
            return self._computable(lambda: self.random.choice(_FACTORS) * self.plain() + self._number())
        if choice == 1:
            return self._computable(lambda: self.plain() - self.random.choice(_FACTORS) * self.plain())
        return self._computable(lambda: RandomTerms.term(self, depth))

    def _computable(self, draw: Callable[[], Written]) -> Written:
        """Return the first draw that stays in range, after some a variable."""
        for _ in range(3):
            try:
                term = draw()
                term.bounds()
            except OutOfRange:
                continue
            return term
        return self.plain()

    def value_of(self, terms: Any) -> int:
        """Return a value that a term takes, or one beside it."""
        term = self.random.choice(terms) if isinstance(terms, list) and terms else terms
        if isinstance(term, list):
            return self._number()
        beside = self.random.choice((0, 0, 0, 0, 1, -1))
        return int(term.built.evaluate(self._assignment())[0, 0]) + beside

    def _assignment(self) -> np.ndarray[Any, Any]:
        """Return the values of all variables for random values of the decision variables, (1, variables)."""
        model = self.model
        known = model.decisions
        row = [self.random.choice(model.domain_values(v, 1000).tolist()) for v in known.tolist()]
        return model.complete(np.array([row], dtype=np.int64), known)


def add_in_range(model: Model, draw: Callable[[], Written], name: str) -> Written | None:
    """Add the constraint that is drawn, the first one in range, and return it; None after many draws."""
    for _ in range(_TRIES):
        try:
            drawn = draw()
            probe = model.copy()
            probe.add(drawn.built)
            constraints_in_range(probe)
        except OutOfRange:
            continue
        model.add(drawn.built, name=name)
        return drawn
    return None
