"""From compiled arrays to propagators: the exact engine's network, with variables for compound terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.compiled import EQ, GE, LE, NE, Compiled, CompiledDefinition, Terms
from cpqueens.errors import ModelError
from cpqueens.expressions import IntArray
from cpqueens.kernels import propagators as kinds
from cpqueens.kernels.domains import BOUND, DOMAIN, FIX, Store
from cpqueens.kernels.propagators import Network

LISTED = 1 << 16
"""Decision variables with at most so many values have them listed; others have bounds only."""

LISTED_DEFINED = 1 << 12
"""The same for defined variables."""

CELLS = 200_000_000
"""Values listed in all."""

_DEFINED = {
    "abs": kinds.ABS,
    "product": kinds.PRODUCT,
    "quotient": kinds.QUOTIENT,
    "quotient_truncated": kinds.QUOTIENT_TRUNCATED,
    "remainder": kinds.REMAINDER,
    "remainder_truncated": kinds.REMAINDER_TRUNCATED,
    "minimum": kinds.MINIMUM,
    "maximum": kinds.MAXIMUM,
    "element": kinds.ELEMENT,
}
_WAKE = {kinds.DIFFERENT: FIX, kinds.TRUTH_EQUAL: DOMAIN, kinds.ELEMENT: DOMAIN, kinds.TABLE: DOMAIN}

Row = tuple[tuple[int, ...], tuple[int, ...], int]


@dataclass
class _Propagator:
    kind: int
    variables: list[int]
    coefficients: list[int]
    constant: int = 0
    result: int = -1


class Builder:
    """Collects propagators and auxiliary variables."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.lower: list[int] = compiled.lower.tolist()
        self.upper: list[int] = compiled.upper.tolist()
        self.propagators: list[_Propagator] = []
        self.tables: list[IntArray] = []
        self.different: list[list[tuple[int, int, int]]] = []
        self._auxiliary: dict[Row, int] = {}
        self.objective_row = -1

    # ---- terms ----------------------------------------------------------------------------------

    def variable(self, row: Row) -> int:
        """Return a variable that equals the term, adding one if the term is not a plain variable."""
        variables, coefficients, constant = row
        if coefficients == (1,) and constant == 0:
            return variables[0]
        if row not in self._auxiliary:
            low = high = constant
            for v, a in zip(variables, coefficients, strict=True):
                ends = (a * self.lower[v], a * self.upper[v])
                low, high = low + min(ends), high + max(ends)
            new = self.new_variable(low, high)
            self._auxiliary[row] = new
            if variables:
                self.add(kinds.EQUAL, [*variables, new], [*coefficients, -1], constant)
        return self._auxiliary[row]

    def new_variable(self, low: int, high: int) -> int:
        """Add an auxiliary variable."""
        self.lower.append(low)
        self.upper.append(high)
        return len(self.lower) - 1

    def add(self, kind: int, variables: list[int], coefficients: list[int], constant: int = 0, result: int = -1) -> None:
        """Add a propagator."""
        self.propagators.append(_Propagator(kind, variables, coefficients, constant, result))

    def literals(self, terms: list[Row]) -> tuple[list[int], list[int]]:
        """Return variables and signs (1 or -1) of 0/1 terms."""
        variables, signs = [], []
        for row in terms:
            negated = row[1] == (-1,) and row[2] == 1
            variables.append(row[0][0] if negated else self.variable(row))
            signs.append(-1 if negated else 1)
        return variables, signs

    # ---- constraints ----------------------------------------------------------------------------

    def linear(self, row: Row, relation: int) -> None:
        """Add ``row relation 0``."""
        variables, coefficients, constant = row
        sign = -1 if relation == GE else 1
        kind = {EQ: kinds.EQUAL, NE: kinds.DIFFERENT, LE: kinds.AT_MOST, GE: kinds.AT_MOST}[relation]
        self.add(kind, list(variables), [sign * a for a in coefficients], sign * constant)

    def truth(self, row: Row, relation: int, result: int) -> None:
        """Add ``result == 1`` exactly where ``row relation 0``."""
        variables, coefficients, constant = row
        sign = -1 if relation == GE else 1
        if relation == NE:  # the truth of the opposite, and its complement
            opposite = self.new_variable(0, 1)
            self.add(kinds.EQUAL, [result, opposite], [1, 1], -1)
            result, relation = opposite, EQ
        kind = kinds.TRUTH_EQUAL if relation == EQ else kinds.TRUTH_AT_MOST
        self.add(kind, list(variables), [sign * a for a in coefficients], sign * constant, result)

    def define(self, definition: CompiledDefinition) -> None:
        """Add the propagator of a definition."""
        rows = _rows(definition.terms)
        if definition.kind == "truth_linear":
            self.truth(rows[0], definition.relation, definition.result)
        elif definition.kind == "truth_or":
            self.add(kinds.TRUTH_OR, *self.literals(rows), result=definition.result)
        else:
            variables = [self.variable(row) for row in rows]
            self.add(_DEFINED[definition.kind], variables, [1] * len(variables), result=definition.result)

    def all_different(self, terms: list[Row]) -> None:
        """Add an AllDifferent over affine terms."""
        members = []
        for row in terms:
            affine = len(row[0]) == 1
            members.append((row[0][0], row[1][0], row[2]) if affine else (self.variable(row), 1, 0))
        self.different.append(members)

    def table(self, terms: list[Row], rows: IntArray) -> None:
        """Add a table."""
        variables = [self.variable(row) for row in terms]
        if not variables:
            if not len(rows):
                self.add(kinds.CLAUSE, [], [])
            return
        self.add(kinds.TABLE, variables, [1] * len(variables), result=len(self.tables))
        self.tables.append(rows.reshape(-1))

    def objective(self, row: Row) -> None:
        """Add ``objective <= bound``; the search lowers the bound by changing the row's constant."""
        variables, coefficients, constant = row
        most = constant + sum(
            max(a * self.lower[v], a * self.upper[v]) for v, a in zip(variables, coefficients, strict=True)
        )
        self.objective_row = len(self.propagators)
        self.add(kinds.AT_MOST, list(variables), list(coefficients), constant - most)

    def build(self) -> None:
        """Add everything that the compiled model has."""
        c = self.compiled
        for definition in c.definitions:
            self.define(definition)
        for row, relation in zip(_rows(c.linear), c.relation.tolist(), strict=True):
            self.linear(row, relation)
        for terms in _groups(c.literals, c.clause_start):
            self.add(kinds.CLAUSE, *self.literals(terms))
        for terms in _groups(c.different, c.different_start):
            self.all_different(terms)
        for table_terms, rows in c.tables:
            self.table(_rows(table_terms), rows)
        for variable, values in c.domains.items():
            if int(values[-1]) - int(values[0]) >= LISTED:
                self.table([((variable,), (1,), 0)], values.reshape(-1, 1))
        if c.objective is not None:
            self.objective(_rows(c.objective)[0])


def _rows(terms: Terms) -> list[Row]:
    variables, coefficients = terms.variable.tolist(), terms.coefficient.tolist()
    ends = terms.start.tolist()
    return [
        (tuple(variables[a:b]), tuple(coefficients[a:b]), c)
        for a, b, c in zip(ends[:-1], ends[1:], terms.constant.tolist(), strict=True)
    ]


def _groups(terms: Terms, start: IntArray) -> list[list[Row]]:
    rows = _rows(terms)
    ends = start.tolist()
    return [rows[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]


def _array(values: Any) -> IntArray:
    return np.array(values, dtype=np.int64)


def _starts(groups: list[Any]) -> IntArray:
    return np.concatenate([[0], np.cumsum([len(g) for g in groups], dtype=np.int64)]).astype(np.int64)


def build_network(compiled: Compiled, check_only: bool) -> tuple[Store, Network, int]:
    """Return domains, propagators and the row of the objective (-1 for none).

    With ``check_only`` the decision variables start frozen: nothing is pruned before they are placed.
    """
    builder = Builder(compiled)
    builder.build()
    propagators = builder.propagators
    count = len(builder.lower)
    store = _store(builder, compiled, check_only)
    members = [m for group in builder.different for m in group]
    owner = np.repeat(np.arange(len(builder.different)), [len(g) for g in builder.different])
    places = _array([m[0] for m in members])
    order = np.argsort(places, kind="stable")
    network = Network(
        kind=_array([p.kind for p in propagators]),
        start=_starts([p.variables for p in propagators]),
        variable=_array([v for p in propagators for v in p.variables]),
        coefficient=_array([a for p in propagators for a in p.coefficients]),
        constant=_array([p.constant for p in propagators]),
        result=_array([p.result for p in propagators]),
        different_start=_starts(builder.different),
        different_variable=places,
        different_coefficient=_array([m[1] for m in members]),
        different_constant=_array([m[2] for m in members]),
        member_start=np.searchsorted(places[order], np.arange(count + 1)).astype(np.int64),
        member_place=order.astype(np.int64),
        member_owner=owner[order].astype(np.int64) if len(members) else _array([]),
        table_start=_starts(builder.tables),
        rows=np.concatenate([*builder.tables, _array([])]).astype(np.int64),
        marks=np.zeros(len(store.cells), dtype=np.uint8),
    )
    return store, network, builder.objective_row


def _watches(builder: Builder) -> tuple[IntArray, IntArray]:
    """Return, by variable, the propagators to wake and for which events."""
    entries: set[tuple[int, int, int]] = set()
    for k, p in enumerate(builder.propagators):
        events = _WAKE.get(p.kind, BOUND)
        entries.update((v, k, events) for v in p.variables)
        if p.result >= 0 and p.kind != kinds.TABLE:
            entries.add((p.result, k, DOMAIN if p.kind == kinds.ELEMENT else BOUND))
    flat = _array(sorted(entries)).reshape(-1, 3)
    start = np.searchsorted(flat[:, 0], np.arange(len(builder.lower) + 1)).astype(np.int64)
    return start, np.ascontiguousarray(flat[:, 1:])


def _cells(builder: Builder, compiled: Compiled) -> tuple[IntArray, Any]:
    """Return where each variable's flags start (-1 for none), and the flags."""
    lower, upper = _array(builder.lower), _array(builder.upper)
    spans = upper - lower + 1
    cap = np.where(np.arange(len(lower)) < compiled.decision_count, LISTED, LISTED_DEFINED)
    listed = spans <= cap
    total = int(spans[listed].sum())
    if total > CELLS:
        raise ModelError(f"backtracking would list {total} values, allowed are {CELLS}; narrow the domains")
    lengths = np.where(listed, spans, 0)
    first = np.where(listed, np.cumsum(lengths) - lengths, -1)
    cells = np.ones(total, dtype=np.uint8)
    for v, values in compiled.domains.items():
        if listed[v]:
            cells[first[v] : first[v] + spans[v]] = 0
            cells[first[v] + values - lower[v]] = 1
    return first, cells


def _store(builder: Builder, compiled: Compiled, check_only: bool) -> Store:
    lower, upper = _array(builder.lower), _array(builder.upper)
    count, propagators = len(lower), len(builder.propagators)
    first, cells = _cells(builder, compiled)
    size = upper - lower + 1
    for v in compiled.domains:
        if first[v] >= 0:
            size[v] = len(compiled.domains[v])
    start, watch = _watches(builder)
    frozen = np.zeros(count, dtype=np.uint8)
    frozen[: compiled.decision_count] = check_only
    control = np.zeros(8, dtype=np.int64)
    control[2] = 1  # STAMP
    control[6] = propagators  # QUEUE_SIZE: all of them run at the root
    return Store(
        low=lower,
        high=upper,
        size=size,
        first=first,
        base=lower.copy(),
        cells=cells,
        frozen=frozen,
        stamp=np.zeros(count, dtype=np.int64),
        trail=np.zeros((6 * count + 64, 4), dtype=np.int64),
        removed=np.zeros(len(cells) + 1, dtype=np.int64),
        fixed=np.zeros(count + 1, dtype=np.int64),
        queue=np.arange(propagators + 1, dtype=np.int64),
        queued=np.ones(propagators + 1, dtype=np.uint8),
        watch_start=start,
        watch=watch,
        control=control,
    )
