"""From a model to what local search reads: the compiled arrays as a `Problem`, or one of the patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.local_search.bounds import node_bounds, term_interval
from cpqueens.backends.local_search.problem import Builder, Constraint, Function, Ints, Kind, Problem
from cpqueens.backends.local_search.units import Units, from_offsets
from cpqueens.backends.local_search.wide import add_pairwise, too_wide
from cpqueens.language.ranges import LIMIT
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, CompiledDefinition, Terms

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement

RELATION = {EQ: "==", NE: "!=", LE: "<=", GE: ">="}
FUNCTION = {
    "abs": Function.ABS,
    "product": Function.PRODUCT,
    "quotient": Function.QUOTIENT,
    "remainder": Function.REMAINDER,
    "quotient_truncated": Function.QUOTIENT_TRUNCATED,
    "remainder_truncated": Function.REMAINDER_TRUNCATED,
    "minimum": Function.MINIMUM,
    "maximum": Function.MAXIMUM,
    "element": Function.ELEMENT,
}


def to_problem(compiled: Compiled) -> Problem:
    """Return the compiled model as local search reads it; O(its size)."""
    n = compiled.decision_count
    decisions = {v: values for v, values in compiled.domains.items() if v < n}
    builder = Builder(compiled.lower[:n], compiled.upper[:n], decisions)
    for definition in compiled.definitions:
        _define(builder, definition)
    first = builder.count
    _add(builder, compiled.different)
    for a, b in _spans(compiled.different_start):
        if too_wide(compiled, a, b):
            add_pairwise(builder, compiled.different, a, b)
        else:
            builder.add(Kind.ALL_DIFFERENT, np.arange(first + a, first + b))
    linear = _add(builder, compiled.linear)
    for t, code in zip(linear.tolist(), compiled.relation.tolist(), strict=True):
        builder.add(Kind.LINEAR, [t], relation=RELATION[code])
    first = builder.count
    _add(builder, compiled.literals)
    for a, b in _spans(compiled.clause_start):
        builder.add(Kind.CLAUSE, np.arange(first + a, first + b))
    for terms, rows in compiled.tables:
        _table(builder, terms, rows)
    for count in compiled.counts:
        _count(builder, *count)
    return _with_objective(builder, compiled)


def _spans(start: Ints) -> list[tuple[int, int]]:
    return list(zip(start[:-1].tolist(), start[1:].tolist(), strict=True))


def _add(builder: Builder, terms: Terms) -> Ints:
    return builder.add_rows(np.diff(terms.start), terms.variable, terms.coefficient, terms.constant)


def _define(builder: Builder, definition: CompiledDefinition) -> None:
    terms = _add(builder, definition.terms)
    if definition.kind == "truth_linear":
        truth = Constraint(Kind.LINEAR, terms, relation=RELATION[definition.relation])
    elif definition.kind == "truth_or":
        truth = Constraint(Kind.CLAUSE, terms)
    elif definition.kind == "element" and not len(definition.terms.variable[definition.terms.start[1] :]):
        builder.define(Function.ELEMENT, terms[:1], table=definition.terms.constant[1:])
        return
    else:
        builder.define(FUNCTION[definition.kind], terms)
        return
    builder.define(Function.TRUTH, terms, truth=truth)


def _table(builder: Builder, terms: Terms, rows: Ints) -> None:
    """Add a Table; one without terms holds if it has a row."""
    if len(terms):
        builder.add(Kind.TABLE, _add(builder, terms), rows=rows)
    elif not len(rows):
        builder.add(Kind.LINEAR, builder.add_rows([0], [], [], [1]), relation="==")


def _count(builder: Builder, terms: Terms, value: Terms, relation: int, number: Terms) -> None:
    """Add a Count; one of a variable value counts the zeros among the differences."""
    variables, coefficients, constant = value.row(0)
    counted = _add(builder, terms)
    if len(variables):
        rows = [terms.row(t) for t in range(len(terms))]
        counted = np.array(
            [
                builder.add_rows(
                    [len(v) + len(variables)],
                    np.append(v, variables),
                    np.append(a, -coefficients),
                    [c - constant],
                )[0]
                for v, a, c in rows
            ],
            dtype=np.int64,
        )
        constant = 0
    builder.add(
        Kind.COUNT, np.append(counted, _add(builder, number)), relation=RELATION[relation], value=constant
    )


def _with_objective(builder: Builder, compiled: Compiled) -> Problem:
    if compiled.objective is None:
        return builder.build()
    objective = int(_add(builder, compiled.objective)[0])
    draft = builder.build()
    limit = min(LIMIT, term_interval(draft, objective, node_bounds(draft))[1])
    variables, coefficients, constant = compiled.objective.row(0)
    limiting = builder.add_rows([len(variables)], variables, coefficients, [constant - limit])
    builder.add(Kind.LINEAR, limiting, relation="<=", name="objective")
    return builder.build(objective)


def units_of(model: Statement) -> Units | None:
    """Return the pattern of `Units` straight from the model, without compiling it; None if it differs.

    For millions of variables: no copy of the terms is made.
    """
    n = len(model.decisions)
    if n == 0 or model.objective is not None or model.domains or not len(model.constraints):
        return None
    low = int(model.lower[0])
    if model.variable_count != n or (model.lower != low).any() or (model.upper != low + n - 1).any():
        return None
    kept, offsets = False, []
    for posted in model.constraints:
        row = _unit_row(posted.constraint, n)
        if row is None:
            return None
        if not kept and (row == row[0]).all():
            kept = True
        else:
            offsets.append(row)
    return from_offsets(n, low, offsets) if kept and offsets else None


def _unit_row(constraint: Any, n: int) -> Ints | None:
    """Return o of an AllDifferent over x[i] + o[i] for all n variables, else None."""
    if constraint.kind != "AllDifferent":
        return None
    terms = constraint.terms
    if terms.size != n or terms.width != 1 or (terms.coefficients != 1).any():
        return None
    variables = terms.variables[:, 0]
    if not (np.diff(variables) == 1).all():  # in order is the common case; any other is left to the engine
        return None
    return np.asarray(terms.constants, dtype=np.int64)
