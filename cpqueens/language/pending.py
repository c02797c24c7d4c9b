"""Connectives over single terms as rows, of which arrays are made when somebody asks.

Loops add them by the ten thousand. To define the truth in ``b[k].implies(x[i] + x[j] <= 90)`` takes NumPy as
long for one as for a thousand, so what was added waits, by form: the form of this one is
``(Implication, "literal", "<=")``. Literals wait as numbers (see `LinearRows.as_literals`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cpqueens.language.arrays import of_literals, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.term import Term, join_terms

Form = tuple[Any, ...]
"""A kind of connective and its operands' forms: the relation of a relation, or what follows."""

LITERAL, OTHER = "literal", "term"


class Pending:
    """Connectives of one form: their literals and single terms, in the order of the form."""

    def __init__(self, form: Form, block: int) -> None:
        self.form = form
        self.block = block  # the number that its array is to have
        self.count = 0
        self._parts: list[int | Term] = []

    def append(self, parts: list[int | Term]) -> None:
        """Add a connective with these literals and terms."""
        self.count += 1
        self._parts += parts

    def made(self, registry: Registry) -> Connective:
        """Return all of them as an array, of shape (count,)."""
        width = len(self._parts) // self.count
        return _made(self.form, registry, (self._parts[k::width] for k in range(width)))


def _made(form: Form, registry: Registry, columns: Iterator[list[Any]]) -> Connective:
    kind: type[Connective] = form[0]
    if set(form[1:]) == {LITERAL}:
        literals = np.array([next(columns) for _ in form[1:]], dtype=np.int64)
        return kind.over(of_literals(registry, literals.T))
    return kind.over(stack_last([_operands(operand, registry, columns) for operand in form[1:]]))


def _operands(form: Any, registry: Registry, columns: Iterator[list[Any]]) -> LinearArray:
    """Return 0/1 terms, of shape (count,)."""
    if isinstance(form, tuple):
        return _made(form, registry, columns).truth()
    column = next(columns)
    if form == LITERAL:
        return of_literals(registry, np.array(column, dtype=np.int64))
    terms = join_terms(registry, column)
    return terms if form == OTHER else Linear(terms, form).truth()


def flatten(connective: Connective, parts: list[int | Term]) -> Form:
    """Return the form of a connective of single operands, and append its literals and terms."""
    form: list[Any] = [type(connective)]
    for operand in connective.operands or ():
        if type(operand) is Term:
            literal = operand.known_literal
            form.append(OTHER if literal is None else LITERAL)
            parts.append(operand if literal is None else literal)
        elif type(operand) is Linear:
            assert type(operand.expression) is Term
            parts.append(operand.expression)
            form.append(operand.relation)
        else:
            assert isinstance(operand, Connective)
            form.append(flatten(operand, parts))
    return tuple(form)


def given_terms(constraint: Any) -> Sequence[LinearArray]:
    """Return the terms of a constraint as they were given: of a single connective those of its operands."""
    if not isinstance(constraint, Connective) or constraint.operands is None:
        arguments: tuple[LinearArray, ...] = constraint.arguments
        return arguments
    return [term for operand in constraint.operands for term in _terms(operand)]


def _terms(operand: Term | Constraint) -> Sequence[LinearArray]:
    return [operand] if isinstance(operand, Term) else given_terms(operand)
