"""A model as plain arrays: what both own engines read.

Variables are renumbered: the decision variables first, in their order, then the defined ones that are
reached, in an order of evaluation. Constraints are those of the kernel core; everything else has been
decomposed. Terms lie one after the other in compressed rows (`Terms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.joining import join_linear
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.lowered.lowering import Lowered, Supports, lower

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement

EQ, NE, LE, GE = 0, 1, 2, 3
"""Codes of the relations of linear rows; strict ones are made non-strict by their constant."""

_RELATION = {"==": (EQ, 0), "!=": (NE, 0), "<=": (LE, 0), "<": (LE, 1), ">=": (GE, 0), ">": (GE, -1)}

Singles = tuple[IntArray, IntArray, IntArray]
"""Variables, coefficients and constants of terms of one variable each."""

PLAIN_KINDS = frozenset({"AllDifferent", "Count", "Linear", "Or", "Table"})
TRUTH_KINDS = frozenset({"Linear", "Or"})


@dataclass(frozen=True)
class Terms:
    """Terms in compressed rows.

    Term ``t`` is the sum of ``coefficient[k] * x[variable[k]]`` for k in ``start[t]:start[t + 1]`` plus
    ``constant[t]``.
    """

    start: IntArray
    variable: IntArray
    coefficient: IntArray
    constant: IntArray

    def __len__(self) -> int:
        return len(self.constant)

    def row(self, t: int) -> tuple[IntArray, IntArray, int]:
        """Return variables, coefficients and constant of one term."""
        a, b = self.start[t], self.start[t + 1]
        return self.variable[a:b], self.coefficient[a:b], int(self.constant[t])

    def singles(self, first: int, last: int) -> Singles | None:
        """Return the terms ``first`` .. ``last - 1``, as views, if each has one variable; else None."""
        start = self.start[first : last + 1]
        if (np.diff(start) != 1).any():
            return None
        part = slice(int(start[0]), int(start[-1]))
        return self.variable[part], self.coefficient[part], self.constant[first:last]


@dataclass(frozen=True)
class Compiled:
    """A lowered model as arrays.

    Attributes
    ----------
    lower, upper
        Bounds of all variables, decision variables first.
    domains
        Explicit domains with gaps, by variable.
    linear, relation
        One term and one code (`EQ`, `NE`, `LE`, `GE`) for each relation ``term relation 0``.
    literals, clause_start
        The 0/1 terms of all clauses; clause c has those of ``clause_start[c]:clause_start[c + 1]``.
    different, different_start
        The terms of all AllDifferents, likewise.
    tables
        Pairs of terms and allowed rows.
    counts
        (terms, value term, relation code, count term) with the relation on ``number - count``.
    definitions
        In an order of evaluation; see `CompiledDefinition`.
    objective
        One term to be minimised, or None.
    how
        Per constraint of the model, ``own`` (a kernel handles it) or ``decomposed``.
    """

    decision_count: int
    lower: IntArray
    upper: IntArray
    domains: dict[int, IntArray]
    linear: Terms
    relation: IntArray
    literals: Terms
    clause_start: IntArray
    different: Terms
    different_start: IntArray
    tables: list[tuple[Terms, IntArray]]
    counts: list[tuple[Terms, Terms, int, Terms]]
    definitions: list[CompiledDefinition]
    objective: Terms | None
    maximizing: bool
    how: list[str] = field(default_factory=list)

    @property
    def variable_count(self) -> int:
        """Number of variables, defined ones included."""
        return len(self.lower)


@dataclass(frozen=True)
class CompiledDefinition:
    """One defined variable.

    ``kind`` is a definition's kind (abs, product, ...), ``truth_linear`` (with ``relation``) or
    ``truth_or``; ``terms`` are its arguments in order (for ``element``: the position, then the table).
    """

    kind: str
    result: int
    terms: Terms
    relation: int = EQ


class _Rows:
    """Collects terms under renumbered variables."""

    def __init__(self, number: IntArray) -> None:
        self.number = number
        self.parts: list[tuple[IntArray, IntArray, IntArray, IntArray]] = []

    def add(self, array: LinearArray, shift: int = 0) -> int:
        """Add all terms of ``array``, with ``shift`` added to their constants; return how many."""
        kept = array.coefficients != 0
        lengths = kept.sum(axis=1)
        variables = self.number[array.variables[kept]]
        self.parts.append((lengths, variables, array.coefficients[kept], array.constants + shift))
        return array.size

    def terms(self) -> Terms:
        """Return what was added."""
        none = np.zeros(0, dtype=np.int64)
        columns = zip(*self.parts, strict=True) if self.parts else [(none,)] * 4
        lengths, variables, coefficients, constants = (np.concatenate(c) for c in columns)
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Terms(start, variables, coefficients, constants)


def _terms(number: IntArray, arrays: Iterable[LinearArray]) -> Terms:
    rows = _Rows(number)
    for array in arrays:
        rows.add(array.reshape(-1))
    return rows.terms()


class _Builder:
    """Sorts the lowered constraints into arrays, by a table from kind to method."""

    def __init__(self, number: IntArray) -> None:
        self.number = number
        self.linear, self.literals, self.different = _Rows(number), _Rows(number), _Rows(number)
        self.relation: list[IntArray] = []
        self.clause_length: list[int] = []
        self.different_length: list[int] = []
        self.tables: list[tuple[Terms, IntArray]] = []
        self.counts: list[tuple[Terms, Terms, int, Terms]] = []

    def add_linear(self, c: Any) -> None:
        code, shift = _RELATION[c.relation]
        self.relation.append(np.full(self.linear.add(c.expression, shift), code))

    def add_or(self, c: Any) -> None:
        self.literals.add(c.literals.reshape(-1))
        self.clause_length += [c.literals.shape[-1]] * c.size

    def add_different(self, c: Any) -> None:
        self.different_length.append(self.different.add(c.terms))

    def add_table(self, c: Any) -> None:
        self.tables.append((_terms(self.number, [c.terms]), c.rows))

    def add_count(self, c: Any) -> None:
        code, shift = _RELATION[c.relation]
        value, count = _terms(self.number, [c.value]), _terms(self.number, [c.count - shift])
        self.counts.append((_terms(self.number, [c.terms]), value, code, count))


_ADD: dict[str, Callable[[_Builder, Any], None]] = {
    "AllDifferent": _Builder.add_different,
    "Count": _Builder.add_count,
    "Linear": _Builder.add_linear,
    "Or": _Builder.add_or,
    "Table": _Builder.add_table,
}


def _start(lengths: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


@cache
def _of_kinds(kinds: frozenset[str]) -> Supports:
    """Return what is supported where ``kinds`` are the plain ones: the same function for the same kinds."""

    def supports(constraint: Constraint, context: str) -> bool:
        return constraint.kind in (kinds if context == "plain" else TRUTH_KINDS)

    return supports


def compile_model(
    model: Statement, kinds: frozenset[str] = PLAIN_KINDS, *, objective: bool = True, backend: str = "backend"
) -> Compiled:
    """Return the model as arrays.

    Parameters
    ----------
    kinds
        The plain kinds that the engine has kernels for, a subset of `PLAIN_KINDS`; others are decomposed.
    objective
        Whether the objective counts.
    """
    lowered = lower(model, _of_kinds(kinds), backend, objective=objective, joined=True)
    number, order = _renumber(model, lowered)
    builder = _Builder(number)
    for constraint in join_linear(lowered.constraints):
        _ADD[constraint.kind](builder, constraint)
    store = lowered.store
    relation = np.concatenate([*builder.relation, np.zeros(0, dtype=np.int64)])
    objective_terms = None
    if lowered.objective is not None:
        sign = -1 if lowered.maximizing else 1
        objective_terms = _terms(number, [sign * lowered.objective])
    return Compiled(
        decision_count=len(model.decisions),
        lower=store.lower[order],
        upper=store.upper[order],
        domains={int(number[v]): values for v, values in store.domains.items() if number[v] >= 0},
        linear=builder.linear.terms(),
        relation=relation.astype(np.int64),
        literals=builder.literals.terms(),
        clause_start=_start(builder.clause_length),
        different=builder.different.terms(),
        different_start=_start(builder.different_length),
        tables=builder.tables,
        counts=builder.counts,
        definitions=[d for block in lowered.definitions for d in _definitions(number, block)],
        objective=objective_terms,
        maximizing=lowered.maximizing,
        how=["own" if how == "native" else how for how in lowered.how],
    )


def _renumber(model: Statement, lowered: Lowered) -> tuple[IntArray, IntArray]:
    """Return the new number of each variable (-1 for none), and the variables in the new order."""
    order = np.concatenate([model.decisions, *(d.results for d in lowered.definitions)])
    number = np.full(lowered.store.variable_count, -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    return number, order


def _definitions(number: IntArray, block: Definition) -> list[CompiledDefinition]:
    results = number[block.results].tolist()
    if isinstance(block, Truth):
        return _truths(number, block, results)
    if block.kind == "element":
        position, table = block.arguments
        return [
            CompiledDefinition("element", result, _terms(number, [position._pick(np.array([row])), table]))
            for row, result in enumerate(results)
        ]
    return [
        CompiledDefinition(
            block.kind, result, _terms(number, [a._pick(np.array([row])) for a in block.arguments])
        )
        for row, result in enumerate(results)
    ]


def _truths(number: IntArray, block: Truth, results: list[int]) -> list[CompiledDefinition]:
    constraint: Any = block.constraint
    found = []
    for row, result in enumerate(results):
        element = constraint.take(np.array([row]))
        if constraint.kind == "Linear":
            code, shift = _RELATION[constraint.relation]
            rows = _Rows(number)
            rows.add(element.expression, shift)
            found.append(CompiledDefinition("truth_linear", result, rows.terms(), code))
        else:
            found.append(
                CompiledDefinition("truth_or", result, _terms(number, [element.literals.reshape(-1)]))
            )
    return found
