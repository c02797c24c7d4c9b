"""Connectives of 0/1 literals, elementwise along the last axis: or, and, parity, implication, negation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from cpqueens.language.arrays import of_rows, stack_last
from cpqueens.language.constraints.base import CODES, Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import BoolArray, LinearArray, Registry
from cpqueens.language.indexing import plain_positions
from cpqueens.language.linear_rows import packed, packed_rows
from cpqueens.language.rows import IntArray, Mask, Positions, reshaped
from cpqueens.language.term import Term
from cpqueens.language.truths import Literals, flat_literals, side_by_side, singles

_LISTS = {list, tuple}
_empty = object.__new__
_DEEPEST = 8  # what `_nesting` may be of what is kept as it was written: chains may be deep, and share parts


class Connective(Constraint):
    """An elementwise connective of ``literals``, 0/1 terms of shape (*shape, k)."""

    __slots__ = ("__dict__", "operands")
    fields: ClassVar[tuple[str, ...]] = ("literals",)
    operands: tuple[Term | Constraint, ...] | None
    """The truths of a single connective as they came (`Operand.single`); the rest is made when asked for."""

    form: tuple[Any, ...] | None = None
    """How the user of a clause nested its parts (`pending.Form`); None: they are side by side."""

    def __init__(self, *truths: Any, **unknown: NoReturn) -> None:
        if unknown:
            self._refuse(unknown)
        given = truths[0] if len(truths) == 1 else truths
        operands = singles(given) if type(given) in _LISTS else None
        if operands is not None:
            _set_operands(self, operands)
            return
        literals = side_by_side(*truths) if len(truths) > 1 else flat_literals(given)
        self.__setstate__({"literals": literals})

    def _listed(self) -> LinearArray:
        """The literals of a single connective as an array, made when somebody asks; else they are given."""
        rows = [(part.variable_list, part.coefficient_list, part.constant) for part in self.parts or ()]
        return of_rows(self.registry, rows, (len(rows),))

    literals: LinearArray = cached_property(_listed)  # type: ignore[assignment]  # its type is looked up

    @classmethod
    def over(cls, literals: LinearArray) -> Self:
        """Return the connective over the last axis of 0/1 terms."""
        return cls.make(literals=literals)

    @classmethod
    def nested(cls, literals: LinearArray, form: tuple[Any, ...] | None) -> Self:
        """Return the connective over the last axis of 0/1 terms, to be shown in the form given."""
        return cls.over(literals) if form is None else cls.make(literals=literals, form=form)

    @classmethod
    def of(cls, operands: tuple[Term | Constraint, ...]) -> Self:
        """Return one connective of single Booleans of one model."""
        new: Self = _empty(cls)
        _set_operands(new, operands)
        return new

    def __setstate__(self, state: dict[str, Any]) -> None:
        _set_operands(self, None)
        super().__setstate__(state)

    def __getstate__(self) -> dict[str, Any]:
        form = {} if self.form is None else {"form": self.form}
        return super().__getstate__() | form

    @property
    def parts(self) -> tuple[Term, ...] | None:
        """The 0/1 terms of a single connective; None for arrays."""
        for operand in self.operands or ():
            if type(operand) is not Term:
                return self._parts
        return self.operands  # type: ignore[return-value]

    @cached_property
    def _parts(self) -> tuple[Term, ...]:
        return tuple([_term(operand) for operand in self.operands or ()])

    def single(self) -> Constraint | Term | None:
        """Return a connective of single Booleans, or its Boolean if connectives are nested deeply in it."""
        if self.operands is None:
            return None
        for operand in self.operands:
            if type(operand) is not Term and isinstance(operand, Connective):
                return self if self._nesting <= _DEEPEST else _term(self)
        return self

    @cached_property
    def _nesting(self) -> int:
        """How many connectives of connectives are written in it, itself included: in a chain, its depth.

        One that occurs several times counts each time, since what is written out repeats it.
        """
        inner = [one for one in self.operands or () if type(one) is not Term and isinstance(one, Connective)]
        return 1 + sum([one._nesting for one in inner]) if inner else 0

    def negated_literals(self, kind: type[Connective]) -> Connective:
        """Return the connective ``kind`` of the negations of the literals."""
        parts = self.parts
        if parts is None:
            return kind.over(1 - self.literals)
        return kind.of(tuple([part.opposite() for part in parts]))

    @property
    def registry(self) -> Registry:  # type: ignore[override]
        """The model of the literals."""
        if self.operands is not None:
            return self.operands[0].registry
        return self.literals.registry

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """All axes of the literals but the last."""
        return () if self.operands is not None else self.literals.shape[:-1]

    def bind(self, registry: Registry) -> Self:
        """Return the same connectives with literals that belong to ``registry``."""
        if self.operands is None:
            return self.nested(self.literals.bind(registry), self.form)
        return self.of(tuple([operand.bind(registry) for operand in self.operands]))

    def flattened(self) -> Self:
        """Return the same connectives with shape (size,)."""
        return self.nested(self.literals.reshape((self.size, self.literals.shape[-1])), self.form)

    def take(self, rows: Positions) -> Self:
        """Return the connectives at flat positions ``rows``, in the shape of ``rows``."""
        index = np.arange(self.literals.size).reshape(self.size, self.literals.shape[-1])
        return self.nested(self.literals._pick(index[rows]), self.form)

    def element_keys(self) -> list[Any]:
        """Return kind and literals for each element, see `parts_key`."""
        k = self.literals.shape[-1]
        literals, known = self.literals.as_literals()
        if known.all():
            return list(packed_rows([np.full(self.size, CODES[self.kind]), literals.reshape(self.size, k)]))
        terms = [Term(self.registry, tuple(v), tuple(a), c) for v, a, c in self.literals.rows()]
        return [parts_key(self.kind, terms[i * k : (i + 1) * k]) for i in range(self.size)]

    def __getitem__(self, key: Any) -> BoolArray:
        positions = plain_positions(self, key)
        return super().__getitem__(key) if positions is None else self.take(positions)  # None: by terms

    def reshape(self, *shape: int | tuple[int, ...]) -> BoolArray:
        """Return the same connectives in another shape."""
        new = reshaped(self.shape, *shape)
        return self.nested(self.literals.reshape((*new, self.literals.shape[-1])), self.form)

    def values_of_literals(self, values: IntArray) -> IntArray:
        """Return the values of each element's literals, of shape (batch, size, k)."""
        return self.literals.evaluate(values).reshape(len(values), self.size, self.literals.shape[-1])

    def true_literals(self, values: IntArray) -> IntArray:
        """Return the number of true literals of each element, of shape (batch, size)."""
        total: IntArray = self.values_of_literals(values).sum(axis=2)
        return total

    def amounts(self, values: IntArray) -> IntArray:
        """Return 1 for each element that does not hold."""
        return 1 - self.satisfied(values).astype(np.int64)


_set_operands = Connective.operands.__set__  # type: ignore[union-attr]
"""Sets what a frozen class does not let be set."""


def parts_key(kind: str, parts: Sequence[Term]) -> Any:
    """Return what tells a connective of 0/1 terms from others: bytes if all are literals, as most are."""
    literals = [literal for part in parts if (literal := part.literal()) is not None]
    if len(literals) == len(parts):
        return packed(CODES[kind], *literals)
    return (kind, *[part.key() for part in parts])


def _term(operand: Term | Constraint) -> Term:
    """Return the 0/1 term of a single truth."""
    return operand if type(operand) is Term else operand.truth()  # type: ignore[union-attr, return-value]


class Or(Connective):
    """At least one literal is true (false for no literals); the violation is 1. `Clause` is the same.

    >>> from cpqueens import Model, Or
    >>> m = Model()
    >>> a, b = m.boolvar(shape=2, name="a")
    >>> m.add(Or(a, ~b))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    truths
        Booleans or 0/1 terms: one array or list, whose elements are combined, or several, which are combined
        elementwise with broadcasting.

    Raises
    ------
    ModelError
        For values that are not Boolean, shapes that do not fit, or terms of two models.
    """

    def satisfied(self, values: IntArray) -> Mask:
        """Return which clauses hold."""
        return self.true_literals(values) > 0


Clause = Or


class And(Connective):
    """Every literal is true; the violation is the number of false literals.

    >>> from cpqueens import And, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=2, name="x")
    >>> m.add(~And(x == 1))
    >>> m.count(solver="python-constraint")
    15

    Parameters
    ----------
    truths
        Booleans or 0/1 terms: one array or list, whose elements are combined, or several, which are combined
        elementwise with broadcasting.

    Raises
    ------
    ModelError
        For values that are not Boolean, shapes that do not fit, or terms of two models.
    """

    def __invert__(self) -> BoolArray:
        return self.negated_literals(Or)

    def satisfied(self, values: IntArray) -> Mask:
        """Return which conjunctions hold."""
        return self.true_literals(values) == self.literals.shape[-1]

    def amounts(self, values: IntArray) -> IntArray:
        """Return the number of false literals."""
        return self.literals.shape[-1] - self.true_literals(values)

    def simpler(self) -> list[Constraint]:
        """Return ``sum of literals >= k``: one relation, so that its Boolean needs no further literals."""
        return [Linear(self.literals.sum(axis=-1) - self.literals.shape[-1], ">=")]


class Xor(Connective):
    """An odd number of literals is true; the violation is 1.

    >>> from cpqueens import Model, Xor
    >>> m = Model()
    >>> b = m.boolvar(shape=3, name="b")
    >>> m.add(Xor(b))
    >>> m.count(solver="python-constraint")
    4

    Parameters
    ----------
    truths
        Booleans or 0/1 terms: one array or list, whose elements are combined, or several, which are combined
        elementwise with broadcasting.

    Raises
    ------
    ModelError
        For values that are not Boolean, shapes that do not fit, or terms of two models.
    """

    def satisfied(self, values: IntArray) -> Mask:
        """Return which parities are odd."""
        return self.true_literals(values) % 2 == 1

    def simpler(self) -> list[Constraint]:
        """Return ``sum of literals mod 2 == 1``."""
        return [Linear(self.literals.sum(axis=-1) % 2 - 1, "==")]


class Implication(Connective):
    """``premise -> conclusion`` for each element; the violation is 1.

    >>> from cpqueens import Implication, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=2, name="x")
    >>> m.add(Implication(x[0] == 0, x[1] > 1))
    >>> m.count(solver="python-constraint")
    14

    Parameters
    ----------
    premise, conclusion
        Booleans or 0/1 terms whose shapes broadcast to that of the constraint.

    Raises
    ------
    ModelError
        For values that are not Boolean, shapes that do not fit, or terms of two models.
    """

    def __init__(self, premise: Any, conclusion: Any) -> None:
        super().__init__(premise, conclusion)

    def satisfied(self, values: IntArray) -> Mask:
        """Return which implications hold."""
        truths = self.values_of_literals(values)
        return (truths[:, :, 0] == 0) | (truths[:, :, 1] == 1)

    def simpler(self) -> list[Constraint]:
        """Return the clause ``not premise or conclusion``."""
        if self.parts is not None:
            return [Or.of((self.parts[0].opposite(), self.parts[1]))]
        premise, conclusion = self.literals[..., 0], self.literals[..., 1]
        return [Or.over(stack_last([1 - premise, conclusion]))]


class Negation(Connective):
    """The literal is false; the violation is 1. ``~constraint`` makes one.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=2, name="x")
    >>> m.add(~AllDifferent(x))
    >>> m.count(solver="python-constraint")
    3

    Parameters
    ----------
    truth
        A Boolean or a 0/1 term, or an array of them.

    Raises
    ------
    ModelError
        For values that are not Boolean.
    """

    def __init__(self, truth: Any) -> None:
        self.__setstate__({"literals": side_by_side(truth)})

    def __invert__(self) -> Any:
        return Literals(self.literals[..., 0] if self.parts is None else self.parts[0])

    def satisfied(self, values: IntArray) -> Mask:
        """Return where the literal is false."""
        return self.true_literals(values) == 0

    def simpler(self) -> list[Constraint]:
        """Return the clause of the one negated literal."""
        return [self.negated_literals(Or)]


CONNECTIVES: dict[str, type[Connective]] = {
    "and": And,
    "or": Or,
    "xor": Xor,
    "implies": Implication,
    "not": Negation,
}


# ---- as clauses of terms ------------------------------------------------------------------------------

Row = tuple[Sequence[int], Sequence[int], int]
"""A 0/1 term: variables, coefficients, constant."""

Sides = tuple[list[Row], list[Row]]
"""Terms of a clause, of which one is true, or of which one is false."""

CLAUSES: dict[str, Callable[[list[Row]], list[Sides]]] = {
    "And": lambda row: [([literal], []) for literal in row],
    "Implication": lambda row: [(row[1:], row[:1])],
    "Negation": lambda row: [([], row)],
    "Or": lambda row: [(row, [])],
}
"""What connectives of literals say, as clauses."""


def literals_of_each(constraint: Any) -> list[list[Row]]:
    """Return the literals of each element of a connective."""
    array = constraint.literals
    width = array.shape[-1]
    found = list(array.rows())
    many = array.size // width if width else 1
    return [found[k * width : (k + 1) * width] for k in range(many)]


def without_negations(true: list[Row], false: list[Row]) -> Sides:
    """Return the literals of a clause without negations: those to be true, and those to be false."""
    sides: Sides = [], []
    for rows, side in ((true, 0), (false, 1)):
        for row in rows:
            left = [(v, a) for v, a in zip(row[0], row[1], strict=True) if a]
            if len(left) == 1 and (left[0][1], row[2]) == (-1, 1):
                sides[1 - side].append(((left[0][0],), (1,), 0))
            elif left:
                sides[side].append(row)
            elif bool(row[2]) is (side == 0):  # it is true; what is false is left out
                sides[0].append(((), (), 1))
    return sides
