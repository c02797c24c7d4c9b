"""Variables that a model makes functions of others: what stands for them when they are projected away.

Whatever values of its own a model takes for such a variable, its constraints hold only for this one. So the
variable can be replaced by the function, and "there are values for it" is said without looking for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.inverse import Inverse
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.linear_rows import Row
from cpqueens.language.ranges import OutOfRange
from cpqueens.language.rebuild import Rebuilder, own_constraints
from cpqueens.language.term import Term
from cpqueens.model import Model

Function = Callable[[Rebuilder], Any]
"""Makes the term over the new model's terms for what the function depends on."""


def functions_of(model: Model, known: set[int]) -> dict[int, Function]:
    """Return decision variables that follow from ``known`` ones, each after those that it depends on.

    They follow from an equation in which they alone are unknown, with the coefficient 1 or -1, or are the
    other side of an `Inverse`.
    """
    settled, found = set(known), dict[int, Function]()
    stated = [posted.constraint for posted in own_constraints(model)]
    while True:
        reach = _Reach(model, settled)
        new = {
            v: function
            for constraint in stated
            for v, function in _following(constraint, reach)
            if v not in settled and not model.is_defined[v]
        }
        if not new:
            return found
        settled |= new.keys()
        found |= new


class _Reach:
    """Says which variables follow from settled ones, defined variables included."""

    def __init__(self, model: Model, settled: set[int]) -> None:
        self.model = model
        self._known = dict.fromkeys(settled, True)

    def known(self, variable: int) -> bool:
        if variable not in self._known:
            made = self.model.producer(variable)
            scope = [] if made is None else _scope_of(*made)
            self._known[variable] = made is not None and all(map(self.known, scope))
        return self._known[variable]

    def unknown(self, row: Row) -> list[int]:
        return [v for v in row[0] if not self.known(v)]

    def in_range(self, term: Term) -> bool:
        try:
            term.ends()
        except OutOfRange:
            return False
        return True

    def total(self, array: LinearArray) -> bool:
        return not (self.model.has_partial and self.model.partial_terms(array).any())


def _scope_of(definition: Any, at: int) -> set[int]:
    """Return the variables that one result of a definition depends on."""
    one = definition.take(np.array([at]), definition.results[[at]])
    inner = getattr(one, "constraint", None)
    arguments = inner.arguments if isinstance(inner, Constraint) else one.arguments
    return {v for array in arguments for variables, _, _ in array.rows() for v in variables}


def _following(constraint: Constraint, reach: _Reach) -> Iterator[tuple[int, Function]]:
    if isinstance(constraint, Linear) and constraint.relation == "==":
        for row in constraint.expression.rows():
            yield from _solved(row, reach)
    elif isinstance(constraint, Inverse):
        for there, back in ((constraint.first, constraint.second), (constraint.second, constraint.first)):
            if reach.total(there) and not any(reach.unknown(row) for row in there.rows()):
                yield from _turned(there, back)


def _solved(row: Row, reach: _Reach) -> Iterator[tuple[int, Function]]:
    """Yield the one unknown variable of an equation as a term over the others."""
    unknown = reach.unknown(row)
    if len(unknown) != 1:
        return
    (variable,) = unknown
    variables, coefficients, constant = row
    mine = dict(zip(variables, coefficients, strict=True))
    factor = mine.pop(variable)
    if abs(factor) != 1:
        return
    others = Term(reach.model, tuple(mine), tuple(-factor * a for a in mine.values()), -factor * constant)
    if reach.total(others) and reach.in_range(others):
        yield variable, lambda rebuilder: rebuilder.array(others)


def _turned(there: LinearArray, back: LinearArray) -> Iterator[tuple[int, Function]]:
    """Yield the variables of the other side: where the first one has the position."""
    for position, (variables, coefficients, constant) in enumerate(back.rows()):
        if list(coefficients) == [1]:
            yield variables[0], _place_of(there, position, constant)


def _place_of(there: LinearArray, position: int, shift: int) -> Function:
    def make(rebuilder: Rebuilder) -> Any:
        terms = rebuilder.array(there)
        return sum(k * (terms[k] == position) for k in range(terms.size)) - shift

    return make
