"""Connectives over single terms as rows, of which arrays are made when somebody asks.

Loops add them by the ten thousand. To define the truth in ``b[k].implies(x[i] + x[j] <= 90)`` takes NumPy as
long for one as for a thousand, so what was added waits, by form: the form of this one is
``(Implication, "literal", "<=")``. Literals wait as numbers (see `LinearRows.as_literals`).

What is posted as a disjunction or an implication becomes one clause, whose literals are those of the
disjunctions within it (of the conjunctions within what is negated): no truth is defined for these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpqueens.language.arrays import of_literals, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Connective, Implication, Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.rows import IntArray, as_rows
from cpqueens.language.term import Term, join_terms

Form = tuple[Any, ...]
"""A kind of connective and its operands' forms: the relation of a relation, or what follows."""

Column = LinearArray | IntArray
"""One operand of many connectives: 0/1 terms, or literals as numbers, of shape (count,)."""

LITERAL, OTHER = "literal", "term"


@dataclass(slots=True)
class Pending:
    """Connectives of one form: their literals and single terms, in the order of the form."""

    form: Form
    block: int  # the number that its array is to have
    first: int  # less its number from 1 on, each is an entry of the list of constraints
    members: list[int]  # their positions there
    count: int = 0
    parts: list[Any] = field(default_factory=list)

    def made(self, registry: Registry) -> Connective:
        """Return all of them as an array, of shape (count,)."""
        width = len(self.parts) // self.count
        return _made(self.form, registry, (self.parts[k::width] for k in range(width)))


def _made(form: Form, registry: Registry, columns: Iterator[list[Any]]) -> Connective:
    kind: type[Connective] = form[0]
    signs = signs_in_clause(form, True) or []
    if all(signs_in_clause(*part) is None for part in zip(form[1:], signs, strict=False)):
        return kind.over(_side_by_side(registry, [_read(operand, registry, columns) for operand in form[1:]]))
    return Or.nested(_side_by_side(registry, list(_clause(form, True, registry, columns))), form)


def signs_in_clause(form: Any, positive: bool) -> list[bool] | None:
    """Return which operands of a form count as they are, and which negated, as parts of a clause.

    None if it is, or, if not ``positive``, its negation is, no clause, but one literal of it.
    """
    kind, many = (form[0], len(form) - 1) if isinstance(form, tuple) else (None, 0)
    if kind is Implication and positive:
        return [False, True]
    return [positive] * many if kind is (Or if positive else And) else None


def width_in_clause(form: Any, positive: bool) -> int:
    """Return how many literals of a clause a part of it is."""
    signs = signs_in_clause(form, positive)
    return 1 if signs is None else sum(map(width_in_clause, form[1:], signs))


def _clause(form: Any, positive: bool, registry: Registry, columns: Iterator[list[Any]]) -> Iterator[Column]:
    """Yield the literals of a clause."""
    signs = signs_in_clause(form, positive)
    if signs is None:
        found = _read(form, registry, columns)
        yield found if positive else (-found - 1 if isinstance(found, np.ndarray) else 1 - found)
        return
    for operand, sign in zip(form[1:], signs, strict=True):
        yield from _clause(operand, sign, registry, columns)


def _read(form: Any, registry: Registry, columns: Iterator[list[Any]]) -> Column:
    """Return one operand of many connectives."""
    if isinstance(form, tuple):
        return _made(form, registry, columns).truth()
    column = next(columns)
    if form == LITERAL:
        return np.array(column, dtype=np.int64)
    if form == OTHER:
        return join_terms(registry, column)
    lefts, rights = zip(*column, strict=True)
    terms: LinearArray = join_terms(registry, lefts)
    if set(map(type, rights)) == {int}:
        terms = terms - as_rows(list(rights))
    elif any(right is not None for right in rights):
        terms = terms - join_terms(registry, [_as_term(registry, right) for right in rights])
    return Linear(terms, form).truth()


def _as_term(registry: Registry, side: Term | int | None) -> Term:
    return side if isinstance(side, Term) else Term(registry, (), (), side or 0)


def _side_by_side(registry: Registry, parts: Sequence[Column]) -> LinearArray:
    """Return the 0/1 terms of all operands, of shape (count, operands)."""
    literals = [part for part in parts if isinstance(part, np.ndarray)]
    if len(literals) == len(parts):
        return of_literals(registry, np.array(literals, dtype=np.int64).T)
    return stack_last([_as_terms(registry, part) for part in parts])


def _as_terms(registry: Registry, part: Column) -> LinearArray:
    return of_literals(registry, part) if isinstance(part, np.ndarray) else part


def flatten(connective: Connective, parts: list[Any]) -> Form:
    """Return the form of a connective of single operands, and append its literals and terms."""
    form: list[Any] = [type(connective)]
    for operand in connective.operands:  # type: ignore[union-attr]
        if type(operand) is Term:
            if (literal := operand.known_literal) is None:
                form.append(OTHER)
                parts.append(operand)
            else:
                form.append(LITERAL)
                parts.append(literal)
        elif type(operand) is Linear:
            parts.append(operand.sides)
            form.append(operand.sign)
        else:
            form.append(flatten(operand, parts))  # type: ignore[arg-type]
    return tuple(form)


def given_terms(constraint: Any) -> Sequence[LinearArray]:
    """Return the terms of a constraint as they were given: of a single connective those of its operands."""
    if not isinstance(constraint, Connective) or constraint.operands is None:
        arguments: tuple[LinearArray, ...] = constraint.arguments
        return arguments
    return [term for operand in constraint.operands for term in _terms(operand)]


def _terms(operand: Term | Constraint) -> Sequence[LinearArray]:
    return [operand] if isinstance(operand, Term) else given_terms(operand)
