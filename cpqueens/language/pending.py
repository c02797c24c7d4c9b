"""Connectives over single terms as rows, of which arrays are made when somebody asks.

Loops add them by the ten thousand. To define the truth in ``b[k].implies(x[i] + x[j] <= 90)`` takes NumPy as
long for one as for a thousand, so what was added waits, by form: the form of this one is
``(Implication, None, "<=")``, None standing for a literal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cpqueens.language.arrays import stack_last
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.term import Term, join_terms

Form = tuple[Any, ...]
"""A kind of connective and its operands' forms: None for a literal, the relation of a relation."""


class Pending:
    """Connectives of one form: their single terms, in the order of the form."""

    def __init__(self, form: Form, block: int) -> None:
        self.form = form
        self.block = block  # the number that its array is to have
        self.count = 0
        self._terms: list[Term] = []

    def append(self, terms: list[Term]) -> None:
        """Add a connective with these terms."""
        self.count += 1
        self._terms += terms

    def made(self, registry: Registry) -> Connective:
        """Return all of them as an array, of shape (count,)."""
        width = len(self._terms) // self.count
        return _made(self.form, (join_terms(registry, self._terms[k::width]) for k in range(width)))


def _made(form: Form, terms: Iterator[LinearArray]) -> Connective:
    kind: type[Connective] = form[0]
    return kind.over(stack_last([_literals(operand, terms) for operand in form[1:]]))


def _literals(form: Any, terms: Iterator[LinearArray]) -> LinearArray:
    """Return 0/1 terms, of shape (count,)."""
    if form is None:
        return next(terms)
    return Linear(next(terms), form).truth() if isinstance(form, str) else _made(form, terms).truth()


def flatten(connective: Connective, terms: list[Term]) -> Form:
    """Return the form of a connective of single operands, and append its terms."""
    form: list[Any] = [type(connective)]
    for operand in connective.operands or ():
        if type(operand) is Term:
            terms.append(operand)
            form.append(None)
        elif type(operand) is Linear:
            assert type(operand.expression) is Term
            terms.append(operand.expression)
            form.append(operand.relation)
        else:
            assert isinstance(operand, Connective)
            form.append(flatten(operand, terms))
    return tuple(form)


def given_terms(constraint: Any) -> Sequence[LinearArray]:
    """Return the terms of a constraint as they were given: of a single connective those of its operands."""
    if not isinstance(constraint, Connective) or constraint.operands is None:
        arguments: tuple[LinearArray, ...] = constraint.arguments
        return arguments
    terms: list[Term] = []
    flatten(constraint, terms)
    return terms
