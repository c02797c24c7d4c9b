"""One term in its light form, so that double loops over scalars cost little."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.language.arrays import of_flat_rows, of_one_registry
from cpqueens.language.expressions import OPERATIONS, BoolArray, LinearArray, Operand, Registry
from cpqueens.language.linear_rows import term_key
from cpqueens.language.operators import Relation
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import IntArray, as_rows

ONCE, _MINUS = (1,), (-1,)
"""The coefficients of a variable and of its negation."""

_LONG = 16
"""From so many variables on, a term to which another variable is added becomes a `GrowingSum`."""


def _comparing(relation: Relation) -> Callable[[Any, Any], BoolArray]:
    """Return the comparison of a term with anything: a method each, for a call less."""

    def compared(self: Term, other: Any) -> BoolArray:
        if type(other) is int:
            return OPERATIONS.related(self, relation, other)
        if type(other) is Term and type(self) is Term:
            theirs = other.variable_list
            if len(theirs) == 1 and theirs[0] not in self.variable_list and other.registry is self.registry:
                return OPERATIONS.related(self, relation, other)  # nothing to merge
        if isinstance(other, Term):
            return OPERATIONS.related(self - other, relation)
        return OPERATIONS.compare(self, other, relation)

    return compared


def _adding(sign: int, general: Callable[[Any, Any], LinearArray]) -> Callable[[Any, Any], LinearArray]:
    """Return the sum or the difference of a term and anything: likewise."""

    def added(self: Term, other: Any) -> LinearArray:
        kind = type(other)
        if kind is int:
            constant = self.constant + sign * other
            return Term(self.registry, self.variable_list, self.coefficient_list, constant)
        if kind is Term:
            if type(self) is Term:  # no sum that grows, whose lists are not copied
                mine, theirs = self.variable_list, other.variable_list
                if len(mine) == 1 == len(theirs) and mine != theirs and other.registry is self.registry:
                    coefficients = (*self.coefficient_list, sign * other.coefficient_list[0])
                    constant = self.constant + sign * other.constant
                    return Term(self.registry, mine + theirs, coefficients, constant)
            return self._add_scaled(other, sign)
        if isinstance(other, np.integer):
            return added(self, int(other))
        if isinstance(other, BoolArray) and other.shape == ():
            return added(self, other.truth())
        return general(self, other)

    return added


def _connecting(kind: str) -> Callable[[Any, Any], BoolArray]:
    """Return the connective of a term, mostly a literal, with another truth: likewise for two calls less."""

    def connected(self: Term, other: Any) -> BoolArray:
        if self.known_literal is not None:
            literal = type(other) is Term and other.known_literal is not None
            part = other if literal else other.single() if isinstance(other, Operand) else None
            if part is not None and part.registry is self.registry:
                return OPERATIONS.connectives[kind].of((self, part))
        return OPERATIONS.connect(kind, self, other)

    return connected


class Term(LinearArray):
    """One term: an array of shape () whose rows stay Python tuples until arrays are needed.

    ``known_literal`` is its `literal`, once it is known to be a truth (`single`).
    """

    if TYPE_CHECKING:
        __slots__ = ("_opposite", "coefficient_list", "constant", "known_literal", "variable_list")
        known_literal: int | None
        _opposite: BoolArray | None
    else:  # in the slots that arrays have for their columns: so each of many terms is smaller by a third
        __slots__ = ()
        variable_list, coefficient_list = LinearArray.variables, LinearArray.coefficients
        constant, known_literal, _opposite = LinearArray.constants, LinearArray._scalars, LinearArray.shape

    def __init__(
        self,
        registry: Registry,
        variable_list: tuple[int, ...],
        coefficient_list: tuple[int, ...],
        constant: int,
    ) -> None:
        self.registry = registry
        self.variable_list = variable_list
        self.coefficient_list = coefficient_list
        self.constant = constant
        self.known_literal = self._opposite = None

    shape = ()

    @property
    def variables(self) -> IntArray:  # type: ignore[override]
        """Variables, of shape (1, width)."""
        return np.array([self.variable_list], dtype=np.int64).reshape(1, -1)

    @property
    def coefficients(self) -> IntArray:  # type: ignore[override]
        """Coefficients, of shape (1, width)."""
        return as_rows([self.coefficient_list]).reshape(1, -1)

    @property
    def constants(self) -> IntArray:  # type: ignore[override]
        """Constants, of shape (1,)."""
        return as_rows([self.constant])

    @property
    def size(self) -> int:
        """Number of elements: one."""
        return 1

    @property
    def width(self) -> int:
        """Number of variables."""
        return len(self.variable_list)

    def bind(self, registry: Registry) -> Term:
        """Return the same term as a term of ``registry``."""
        if registry is self.registry:
            return self
        return Term(registry, self.variable_list, self.coefficient_list, self.constant)

    def key(self, *before: int) -> bytes:
        """Return what `keys` says of the one element."""
        return term_key(self.variable_list, self.coefficient_list, self.constant, *before)

    def bounds(self, most: int = LIMIT) -> tuple[IntArray, IntArray]:
        """Return the lower and the upper bound, each of shape (1,); raise as for arrays."""
        low, high, _ = self.ends(most)
        return np.array([low], dtype=np.int64), np.array([high], dtype=np.int64)

    def ends(self, most: int = LIMIT) -> tuple[int, int, int]:
        """Return the lower bound, the upper bound and the reach; raise as `bounds` does."""
        lower, upper = self.registry.ends
        low = high = self.constant
        reach = low if low >= 0 else -low
        coefficients = iter(self.coefficient_list)
        for v in self.variable_list:
            a, first, last = next(coefficients), lower.item(v), upper.item(v)
            farthest = last if last > -first else -first
            if a > 0:
                low += a * first
                high += a * last
                reach += a * farthest if farthest > 1 else a
            else:
                low += a * last
                high += a * first
                reach -= a * farthest if farthest > 1 else a
        if reach > most and reach > self.registry.most:
            LinearArray.bounds(self, most)  # refuses it, in words
        return low, high, reach

    def single(self) -> Term | None:
        """Return itself if it is a truth: a 0/1 term that is never undefined."""
        if self.known_literal is not None:
            return self
        registry = self.registry
        low, high, _ = self.ends()
        if low < 0 or high > 1 or (registry.has_partial and registry.partial_terms(self).any()):
            return None
        self.known_literal = self.literal()
        return self

    def literal(self) -> int | None:
        """Return ``v`` if it is a variable, ``-v - 1`` if it is the negation ``1 - v``; else None."""
        coefficients = self.coefficient_list
        if coefficients == ONCE:
            return self.variable_list[0] if self.constant == 0 else None
        if coefficients == _MINUS and self.constant == 1:
            return -self.variable_list[0] - 1
        return None

    def rows(self) -> Iterator[tuple[list[int], list[int], int]]:
        """Yield the one element as (variables, coefficients, constant)."""
        yield list(self.variable_list), list(self.coefficient_list), self.constant

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.registry, self.variable_list, self.coefficient_list, self.constant)

    def __getitem__(self, key: Any) -> LinearArray:
        return OPERATIONS.pick(self, key)

    def _add_scaled(self, other: Term, sign: int) -> Term:
        if other.registry is not self.registry:
            left, right = of_one_registry(self, other)
            return left._add_scaled(right, sign)  # type: ignore[attr-defined]
        mine, theirs = self.variable_list, other.variable_list
        constant = self.constant + sign * other.constant
        if len(theirs) == 1 and theirs[0] not in mine:
            if len(mine) >= _LONG:
                return GrowingSum(self).extended(theirs[0], sign * other.coefficient_list[0], constant)
            coefficients = (*self.coefficient_list, sign * other.coefficient_list[0])
            return Term(self.registry, mine + theirs, coefficients, constant)
        total = dict(zip(mine, self.coefficient_list, strict=True))
        for v, a in zip(theirs, other.coefficient_list, strict=True):
            total[v] = total.get(v, 0) + sign * a
        registry = self.registry
        kept = registry.remaining(total) if registry.has_partial else {v: a for v, a in total.items() if a}
        return Term(registry, tuple(kept), tuple(kept.values()), constant)

    __add__ = __radd__ = _adding(1, LinearArray.__add__)
    __sub__ = _adding(-1, LinearArray.__sub__)

    def __invert__(self) -> BoolArray:
        if self._opposite is not None:
            return self._opposite
        if self.known_literal is None and self.single() is None:
            return LinearArray.__invert__(self)
        return OPERATIONS.literal(self.opposite())

    def __neg__(self) -> LinearArray:
        return Term(
            self.registry, self.variable_list, tuple(-a for a in self.coefficient_list), -self.constant
        )

    def opposite(self) -> Term:
        """Return ``1 - term``: of a 0/1 term its negation."""
        literal = self.known_literal
        if literal is None:
            coefficients = tuple([-a for a in self.coefficient_list])
            return Term(self.registry, self.variable_list, coefficients, 1 - self.constant)
        if self._opposite is None:  # loops negate the same truths again and again
            coefficients = _MINUS if literal >= 0 else ONCE
            opposite = Term(self.registry, self.variable_list, coefficients, 1 - self.constant)
            opposite.known_literal = -literal - 1
            self._opposite = OPERATIONS.literal(opposite)
        return self._opposite.truth()  # type: ignore[return-value]

    def __mul__(self, other: Any) -> LinearArray:
        if type(other) is int:
            if other == 0:
                kept = self.registry.remaining(dict.fromkeys(self.variable_list, 0))
                return Term(self.registry, tuple(kept), tuple(kept.values()), 0)
            scaled = tuple(a * other for a in self.coefficient_list)
            return Term(self.registry, self.variable_list, scaled, self.constant * other)
        if isinstance(other, Term) and other.registry is self.registry and self.width and other.width:
            return self.registry.define_single("product", self, other)
        return LinearArray.__mul__(self, other)

    __rmul__ = __mul__

    def __abs__(self) -> LinearArray:
        return self.registry.define_single("abs", self)

    __eq__ = _comparing("==")  # type: ignore[assignment]
    __ne__ = _comparing("!=")  # type: ignore[assignment]
    __hash__ = LinearArray.__hash__
    __le__ = _comparing("<=")
    __lt__ = _comparing("<")
    __ge__ = _comparing(">=")
    __gt__ = _comparing(">")

    __and__ = _connecting("and")
    __or__ = _connecting("or")
    implies = _connecting("implies")  # type: ignore[assignment]


class GrowingSum(Term):
    """A long term to which terms are added one by one, in time that does not grow with its length.

    It is the first ``_length`` variables of lists that longer sums may share.
    """

    __slots__ = ("_coefficients", "_known", "_length", "_variables")

    _variables: list[int]
    _coefficients: list[int]
    _known: set[int]
    _length: int

    def __init__(self, start: Term) -> None:
        self.registry, self.constant = start.registry, start.constant
        self.known_literal = self._opposite = None
        self._variables, self._coefficients = list(start.variable_list), list(start.coefficient_list)
        self._known = set(self._variables)
        self._length = len(self._variables)

    @property
    def variable_list(self) -> tuple[int, ...]:  # type: ignore[override]
        """Its variables."""
        return tuple(self._variables[: self._length])

    @property
    def coefficient_list(self) -> tuple[int, ...]:  # type: ignore[override]
        """Their coefficients."""
        return tuple(self._coefficients[: self._length])

    @property
    def width(self) -> int:
        """Number of variables."""
        return self._length

    def plain(self) -> Term:
        """Return the same as a plain term."""
        return Term(self.registry, self.variable_list, self.coefficient_list, self.constant)

    def single(self) -> Term | None:
        """Return the same as a plain term, if it is a truth."""
        return self.plain().single()

    def extended(self, variable: int, coefficient: int, constant: int) -> GrowingSum:
        """Return the sum with one more variable, which it did not have, and another constant."""
        self._variables.append(variable)
        self._coefficients.append(coefficient)
        self._known.add(variable)
        longer = GrowingSum.__new__(GrowingSum)
        longer.registry, longer.constant = self.registry, constant
        longer.known_literal = longer._opposite = None
        longer._variables, longer._coefficients = self._variables, self._coefficients
        longer._known, longer._length = self._known, self._length + 1
        return longer

    def _add_scaled(self, other: Term, sign: int) -> Term:
        last = self._length == len(self._variables)  # nothing was added to it before
        if last and type(other) is Term and other.registry is self.registry and other.width == 1:
            (variable,), (coefficient,) = other.variable_list, other.coefficient_list
            if variable not in self._known:
                return self.extended(variable, sign * coefficient, self.constant + sign * other.constant)
        return self.plain()._add_scaled(other, sign)


def weighted_sum(factors: Sequence[int], terms: Sequence[Any]) -> Term:
    """Return the sum of as many single terms of one model, of which there is one at least, times factors."""
    registry, constant = terms[0].registry, 0
    total: dict[int, int] = {}
    for factor, term in zip(factors, terms, strict=True):
        constant += factor * term.constant
        for v, a in zip(term.variable_list, term.coefficient_list, strict=True):
            total[v] = total.get(v, 0) + factor * a
    kept = registry.remaining(total)
    return Term(registry, tuple(kept), tuple(kept.values()), constant)


def join_terms(registry: Registry, terms: Sequence[Term]) -> LinearArray:
    """Return single terms as one array of shape (terms,)."""
    widths = [len(term.variable_list) for term in terms]
    count, width = len(widths), widths[0] if widths else 0
    if width and widths.count(width) == count:  # most are like that
        constants = as_rows([term.constant for term in terms])
        columns = [[term.variable_list for term in terms], [term.coefficient_list for term in terms]]
        variables, coefficients = (
            as_rows(list(chain.from_iterable(column))).reshape(count, width) for column in columns
        )
        return LinearArray(registry, (count,), variables, coefficients, constants)
    return of_flat_rows(
        registry,
        widths,
        chain.from_iterable([term.variable_list for term in terms]),
        chain.from_iterable([term.coefficient_list for term in terms]),
        [term.constant for term in terms],
    )
