"""Random variables and random terms over them, huge ones among them, for `cpqueens.fuzzing.generate`.

Arrays that global constraints treat in ways of their own: scaled variables, constants, sums.

Single terms are drawn independently elsewhere; there a whole array of ``a*x + b``, or one with the same
constant twice, hardly ever comes about, and it is the array that decides which form a solver gives it.

Random terms of which parts cancel, are multiplied by 0, or by what the bounds of a variable decide.

Nothing of their values is left; their conditions are. Drawn one by one, such terms hardly ever come about.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from cpqueens.fuzzing import written
from cpqueens.fuzzing.written import Script, Written
from cpqueens.language.defined_functions import DEFINITION_KINDS
from cpqueens.language.in_range import constraints_in_range
from cpqueens.language.ranges import LIMIT, OutOfRange
from cpqueens.model import Model

MAX_VARIABLES = 6
MAX_PRODUCT = 20_000
_LARGE = 2**20
_OFFSETS = (0, 0, 0, 0, -3, 1, -(2**31), 2**31 - 2, 2**33, -(2**40), 2**53 - 1)
_DEPTH = 2


class RandomTerms:
    """Creates the variables of a model and draws terms over them."""

    def __init__(self, random: Random, model: Model, truth: Callable[[int], Written]) -> None:
        self.random = random
        self.model = model
        self.variables: list[Written] = []
        self.made: list[Written] = []  # defined variables
        self.script = Script()
        self._truth = truth

    # ---- variables ------------------------------------------------------------------------------

    def create_variables(self) -> None:
        """Create 1 to 6 variables: intervals, Booleans, domains with holes, singletons, far offsets."""
        room = MAX_PRODUCT
        for k in range(self.random.randint(1, MAX_VARIABLES)):
            values = self._domain()
            if room // len(values) < 1:
                break
            room //= len(values)
            self.variables.append(self.script.variable(self.model, values, f"x{k}"))

    def _domain(self) -> list[int]:
        choice = self.random.randint(0, 5)
        if choice == 0:
            return [0, 1]
        start = self.random.choice(_OFFSETS)
        if choice == 5:
            return [start]
        if choice == 4:
            chosen = self.random.sample(range(8), self.random.randint(2, 5))
            return sorted(start + v for v in chosen)
        return list(range(start, start + self.random.randint(2, 6)))

    def plain(self) -> Written:
        """Return one of the variables."""
        return self.random.choice(self.variables)

    def boolean(self) -> Written | None:
        """Return one of the 0/1 variables, None if there is none."""
        found = [x for x in self.variables if ends_of(x) == (0, 1)]
        return self.random.choice(found) if found else None

    def constant(self, value: int) -> Written:
        """Return a term without variables."""
        return 0 * self.variables[0] + value

    # ---- terms ----------------------------------------------------------------------------------

    def term(self, depth: int = 0) -> Written:
        """Return a variable, a constant, a linear combination or a defined variable."""
        choice = self.random.randint(0, 10)
        if choice < 4 or depth > _DEPTH:
            return self.plain()
        if choice == 4:
            return self.constant(self.random.randint(-2, 3))
        if choice == 5:
            return self.random.choice((1, -1, 2, 0, -3)) * self.plain() + self.random.randint(-2, 2)
        if choice == 6:
            return self.plain() + self.random.choice((1, -1, 2, 0)) * self.plain()
        if choice == 7:
            parts = [self.random.choice((1, -1, 2, 0, -3)) * self.plain() for _ in range(3)]
            return parts[0] + parts[1] + parts[2]
        return self.defined(depth + 1) if choice < 10 else self.partial(depth + 1)

    def goal(self) -> Written:
        """Return a part of an objective."""
        return self.term()

    def array(self, size: int) -> list[Written]:
        """Return a list of terms; some repeat, some lists are of one style."""
        if self.random.randint(0, 4) == 4:
            return uniform_array(self, size)
        found: list[Written] = []
        for _ in range(size):
            if found and self.random.randint(0, 9) == 9:
                found.append(self.random.choice(found))
            else:
                found.append(self.term(1))
        return found

    def value_of(self, terms: Any) -> int:
        """Return an integer within, or just outside, the bounds of a term (or of one of several)."""
        term = self.random.choice(terms) if isinstance(terms, list) and terms else terms
        if isinstance(term, list):
            return self.random.randint(0, 2)
        low, high = ends_of(term)
        return self.random.randint(low, high) if self.random.randint(0, 9) else high + 1

    def values_of(self, terms: list[Written], count: int) -> list[int]:
        """Return up to ``count`` distinct integers that the terms may take."""
        return sorted({self.value_of(terms) for _ in range(count)})

    def taken(self, terms: list[Written]) -> list[int]:
        """Return the values of terms for random values of the decision variables."""
        known = self.model.decisions
        row = [self.random.choice(self.model.domain_values(v, 1000).tolist()) for v in known.tolist()]
        values = self.model.complete(np.array([row], dtype=np.int64), known)
        return [int(term.built.evaluate(values)[0, 0]) for term in terms]

    # ---- defined variables ----------------------------------------------------------------------

    def _near(self, depth: int) -> Written:
        """Return a term whose values are small enough to be multiplied and tabulated."""
        term = self.term(depth)
        low, high = ends_of(term)
        if max(abs(low), abs(high)) <= _LARGE:
            return term
        plain = self.plain()
        return plain - ends_of(plain)[0]

    def defined(self, depth: int) -> Written:
        """Return a random defined variable, sometimes one that is there already."""
        if self.made and self.random.randint(0, 3) == 3:
            return self.random.choice(self.made)
        self.made.append(self.random.choice(_DEFINED)(self, depth))
        return self.made[-1]

    def partial(self, depth: int) -> Written:
        """Return a random function that may be undefined, plus perhaps something else."""
        made = self.random.choice(tuple(_PARTIAL.values()))(self, depth)
        return made + self.plain() if self.random.randint(0, 3) == 3 else made

    def divisor(self, depth: int) -> Written | int:
        """Return a divisor, one that may be 0 more often than not."""
        choice = self.random.randint(0, 3)
        if choice == 0:
            return self.random.choice((2, 3, -2, 1, -1, -3))
        if choice == 1:
            return self.random.choice((1, -1)) * (abs(self._near(depth)) + 1)
        return self._near(depth)

    def position(self, depth: int, size: int) -> Written:
        """Return an index: one that stays inside, one with ends that lie just outside, or any other."""
        choice = self.random.randint(0, 3)
        if choice == 0:
            return self._near(depth) % size
        if choice == 1:
            return self._near(depth) % (size + 2) - 1
        return self._near(depth)

    def entries(self, depth: int) -> list[Any]:
        """Return a table of integers, terms or both."""
        size = self.random.randint(1, 4)
        return [
            self.random.randint(-2, 4) if self.random.randint(0, 1) else self.term(depth) for _ in range(size)
        ]

    def element(self, depth: int) -> Written:
        """Return an entry of a random table."""
        table = self.entries(depth)
        return written.element(table, self.position(depth, len(table)))

    def truth(self, depth: int) -> Written:
        """Return a multiple of the truth of a random constraint."""
        return self.random.choice((1, 2, -1)) * self._truth(depth).truth()


def ends_of(term: Written) -> tuple[int, int]:
    """Return the bounds of a term."""
    low, high = term.bounds()
    return int(low[0]), int(high[0])


def _any_kind(kind: str) -> Callable[[RandomTerms, int], Written]:
    """Return how a function that the table below does not know is drawn: of near terms."""
    many = DEFINITION_KINDS[kind].arity[0]
    return lambda t, d: written.define(kind, *(t._near(d) for _ in range(many)))


_PARTIAL: dict[str, Callable[[RandomTerms, int], Written]] = {
    "quotient": lambda t, d: t.term(d) // t.divisor(d),
    "remainder": lambda t, d: t.term(d) % t.divisor(d),
    "quotient_truncated": lambda t, d: written.div_trunc(t.term(d), t.divisor(d)),
    "remainder_truncated": lambda t, d: written.mod_trunc(t.term(d), t.divisor(d)),
    "element": RandomTerms.element,
}
_DRAWN: dict[str, Callable[[RandomTerms, int], Written]] = {
    "abs": lambda t, d: abs(t.term(d)),
    "product": lambda t, d: t._near(d) * t._near(d),
    "minimum": lambda t, d: written.minimum(t.term(d), t.term(d)),
    "maximum": lambda t, d: written.maximum(t.term(d), t.term(d), t.term(d)),
    **_PARTIAL,
    "a square": lambda t, d: t._near(d) ** 2,
    "truth": RandomTerms.truth,
}
_OTHERS = [kind for kind in DEFINITION_KINDS if kind not in _DRAWN and kind != "zero"]  # which nobody writes
_DEFINED = (*_DRAWN.values(), *map(_any_kind, _OTHERS))


_FACTORS = (1, -1, 2, -2, 3)


def _scaled(t: RandomTerms) -> Written:
    """Return ``a*x + b``."""
    return t.random.choice(_FACTORS) * t.plain() + t.random.randint(-2, 2)


_STYLES: tuple[Callable[[RandomTerms], Written], ...] = (
    lambda t: t.plain() + t.random.randint(-2, 2),
    _scaled,
    lambda t: _scaled(t) if t.random.randint(0, 2) else t.constant(t.random.randint(0, 2)),
    lambda t: t.plain() + t.random.choice(_FACTORS) * t.plain() + t.random.randint(-1, 1),
)
"""Shifted variables; scaled ones; these and a few constants, of which two are often equal; sums of two."""


def uniform_array(t: RandomTerms, size: int) -> list[Written]:
    """Return terms of one style over the variables, without defined ones."""
    style = t.random.choice(_STYLES)
    return [style(t) for _ in range(size)]


# ---- terms that lose values between their ends -----------------------------------------------------------


class HoledTerms(RandomTerms):
    """Draws variables of several values each, near zero, and clauses that take single values from terms.

    What is drawn otherwise loses hardly anything but values at its ends.
    """

    def _domain(self) -> list[int]:
        if self.random.randint(0, 3) == 3:
            return self.random.choice(([0, 1], [0, 1, 3, 4, 6], [-5, -3, 0, 2, 5]))
        start = self.random.choice((0, 1, -2))
        return list(range(start, start + self.random.randint(3, 7)))

    def create_variables(self) -> None:
        """Create variables, and a few functions of them that all constraints may be about."""
        super().create_variables()
        for _ in range(self.random.randint(1, 3)):
            self.defined(_DEPTH + 1)

    def term(self, depth: int = 0) -> Written:
        """Return a term as others are drawn, or a long row of coefficients of all sizes."""
        if self.random.randint(0, 9) < 9:
            return super().term(depth)
        factors = self.random.choices((1, -1, 7, 0, -12, 100, -3), k=6)
        return sum((a * self.plain() for a in factors), self.constant(0))

    def hole(self) -> Written:
        """Return that terms do not have, or one of them has, the values that they have somewhere."""
        others = self.random.sample(self.variables, min(self.random.randint(1, 2), len(self.variables)))
        chosen = [self.random.choice(self.made), *others]
        pairs = zip(chosen, self.taken(chosen), strict=True)
        return written.any_([t == v if self.random.randint(0, 6) == 6 else t != v for t, v in pairs])

    def goal(self) -> Written:
        """Return a sum of multiples of some of the terms."""
        terms = self.random.choices(self.variables + self.made, k=4)
        return sum((self.random.choice((1, -1, 2, -3)) * t for t in terms), self.constant(0))


# ---- terms that cancel -----------------------------------------------------------------------------------


_DEEP = 2


class CancellingTerms(RandomTerms):
    """Draws terms as others are drawn, half of them with something beside them that is 0 or undefined."""

    def term(self, depth: int = 0) -> Written:
        """Return a random term."""
        made = super().term(depth)
        if depth > _DEEP or self.random.randint(0, 3) < 3:
            return made
        nothing = self.random.choice(_NOTHING)(self, self.partial(depth + 1))
        return nothing if self.random.randint(0, 3) == 3 else made + nothing


def _decided(t: RandomTerms, part: Written) -> Written:
    """Return the part times a truth that the bounds of a variable decide: false."""
    variable = t.plain()
    return t.random.choice((1, -2)) * ((variable > ends_of(variable)[1]).truth() * part)


_NOTHING: tuple[Callable[[RandomTerms, Written], Written], ...] = (
    lambda t, part: part - part,
    lambda t, part: 0 * part,
    _decided,
    lambda t, part: -(part - 2) + (part - 2),
    lambda t, part: 0 * written.maximum(part, t.plain()),
    lambda t, part: t.constant(0) * part,
    lambda t, part: (written.stack([part, t.plain()]) * [0, 0]).sum(),
    lambda t, part: (written.stack([part, 1]) - written.stack([part, 1])).sum(),
    lambda t, part: written.matmul([0, 0, 1], [part, t.plain() * 0, part * 0]),
    lambda t, part: (part == part).truth() * 0,
)


# ---- models of huge values: near the ends of the range, wide domains with few values ---------------------
# A draw that leaves the range (`cpqueens.language.ranges`) is made again, so that every model is one that no
# backend may answer wrongly: it is right, or refuses in one line.

_ENDS = (0, 2**31, 2**32, 2**53, 2**59, 2**60, 2**61 - 8, LIMIT // 3, LIMIT)
_HUGE_FACTORS = (1, -1, 2, -3, 2**7, -(2**29), 2**30 + 1, 2**52, -(2**53) - 1, 2**59)
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
            return self._computable(lambda: self.random.choice(_HUGE_FACTORS) * self.plain() + self._number())
        if choice == 1:
            return self._computable(lambda: self.plain() - self.random.choice(_HUGE_FACTORS) * self.plain())
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
        return self.taken([term])[0] + self.random.choice((0, 0, 0, 0, 1, -1))


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
