"""Variables that a model makes functions of others: what stands for them when they are projected away.

Whatever values of its own a model takes for such a variable, its constraints hold only for this one. So the
variable can be replaced by the function, and "there are values for it" is said without looking for them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.circuit import Inverse
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.definitions import Definition, Truth
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
    other side of an `Inverse`; or they are 0/1 variables of which exactly one is 1, each with a coefficient
    of its own in an equation; or an equation says for each of their values whether they have it.
    """
    settled, found = set(known), dict[int, Function]()
    if settled.issuperset(model.decisions.tolist()):
        return found
    stated = [posted.constraint for posted in own_constraints(model)]
    chosen = _exactly_one(model, stated)
    while True:
        reach = _Reach(model, settled)
        follows = [pair for constraint in stated for pair in _following(constraint, reach, chosen)]
        follows += _by_values(model, stated, reach)
        new = {v: function for v, function in follows if v not in settled and not model.is_defined[v]}
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
            scope = [] if made is None else scope_of(*made)
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


def scope_of(definition: Definition, at: int) -> set[int]:
    """Return the variables that one result of a definition depends on."""
    one = definition.take(np.array([at]), definition.results[[at]])
    return {v for array in one.arguments for variables, _, _ in array.rows() for v in variables}


def _following(
    constraint: Constraint, reach: _Reach, chosen: Mapping[int, list[tuple[int, ...]]]
) -> Iterator[tuple[int, Function]]:
    if isinstance(constraint, Linear) and constraint.relation == "==":
        for row in constraint.expression.rows():
            yield from _solved(row, reach)
            yield from _told_apart(row, reach, chosen)
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


def _exactly_one(model: Model, stated: Iterable[Constraint]) -> dict[int, list[tuple[int, ...]]]:
    """Return for each 0/1 variable the sets of them, of which exactly one is 1, that it is in."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for constraint in stated:
        if not isinstance(constraint, Linear) or constraint.relation != "==":
            continue
        for variables, coefficients, constant in constraint.expression.rows():
            same = len(set(coefficients)) == 1 and constant == -coefficients[0]
            if same and all(model.lower[v] >= 0 and model.upper[v] <= 1 for v in variables):
                for v in variables:
                    found.setdefault(v, []).append(tuple(variables))
    return found


def _told_apart(
    row: Row, reach: _Reach, chosen: Mapping[int, list[tuple[int, ...]]]
) -> Iterator[tuple[int, Function]]:
    """Yield 0/1 variables of which one is 1: which one, an equation says, by a coefficient for each."""
    unknown = reach.unknown(row)
    if len(unknown) < 2:
        return
    variables, coefficients, constant = row
    mine = dict(zip(variables, coefficients, strict=True))
    for group in chosen.get(unknown[0], ()):
        factors = {v: mine.get(v, 0) for v in group}
        if not set(unknown) <= set(group) or len(set(factors.values())) < len(factors):
            continue
        rest = {v: a for v, a in mine.items() if v not in factors}
        others = Term(reach.model, tuple(rest), tuple(rest.values()), constant)
        if not rest or not reach.total(others) or not reach.in_range(others):
            continue
        for v, factor in factors.items():
            yield v, partial(_is, others, -factor)
        return


def _is(term: Term, value: int, rebuilder: Rebuilder) -> Any:
    return 1 * (rebuilder.array(term) == value)


def _by_values(model: Model, stated: Iterable[Constraint], reach: _Reach) -> Iterator[tuple[int, Function]]:
    """Yield variables of which equations say for each value, by a known term, whether they have it."""
    told: dict[int, dict[int, Term]] = {}
    for constraint in stated:
        if not isinstance(constraint, Linear) or constraint.relation != "==":
            continue
        for row in constraint.expression.rows():
            for variable, value, term in _truths_of(model, row, reach):
                told.setdefault(variable, {})[value] = term
    for variable, terms in told.items():
        if variable not in model.domains and model.upper[variable] - model.lower[variable] >= len(terms):
            continue
        values = model.domain_values(variable, len(terms)).tolist()
        if terms.keys() >= set(values):
            kept = {value: terms[value] for value in values}
            yield variable, partial(_weighed, kept)


def _truths_of(model: Model, row: Row, reach: _Reach) -> Iterator[tuple[int, int, Term]]:
    """Yield what an equation says: a variable has a value where a known term is 1."""
    unknown = reach.unknown(row)
    made = model.producer(unknown[0]) if len(unknown) == 1 else None
    if made is None or not isinstance(made[0], Truth):
        return
    inner = made[0].constraint.take(np.array([made[1]]))
    if not isinstance(inner, Linear) or inner.relation != "==":
        return
    ((variables, coefficients, constant),) = inner.expression.rows()
    mine = dict(zip(row[0], row[1], strict=True))
    factor = mine.pop(unknown[0])
    if len(variables) != 1 or abs(coefficients[0]) != 1 or abs(factor) != 1 or reach.known(variables[0]):
        return
    term = Term(model, tuple(mine), tuple(-factor * a for a in mine.values()), -factor * row[2])
    if mine and reach.total(term) and reach.in_range(term):
        yield variables[0], -constant * coefficients[0], term


def _weighed(terms: Mapping[int, Term], rebuilder: Rebuilder) -> Any:
    return sum(value * rebuilder.array(term) for value, term in terms.items())
