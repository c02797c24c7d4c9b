"""Building the arrays of the deep layer: definitions, their reach, and constraints over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.local_search.bounds import node_bounds, term_bounds
from cpqueens.backends.local_search.columns import RELATIONS, merged
from cpqueens.backends.local_search.problem import Constraint, Definition, Ints, Kind
from cpqueens.kernels import search_deep as codes
from cpqueens.kernels.search_state import Deep

if TYPE_CHECKING:
    from cpqueens.backends.local_search.assembler import Assembler


class _Terms:
    """The layer's own terms: copies of the problem's, each with one owner."""

    def __init__(self, assembler: Assembler) -> None:
        self.source: list[int] = []
        self.sign: list[int] = []
        self.extra: list[int] = []
        self.owners: list[tuple[int, int, int]] = []

    def add(self, source: int, kind: int, owner: int, base: int = 0, sign: int = 1, extra: int = 0) -> None:
        self.source.append(source)
        self.sign.append(sign)
        self.extra.append(extra)
        self.owners.append((kind, owner, base))

    def __len__(self) -> int:
        return len(self.source)


class _DeepBuilder:
    def __init__(self, assembler: Assembler) -> None:
        self.relations = RELATIONS
        self.assembler = assembler
        self.problem = assembler.problem
        self.columns = assembler.columns
        self.n = assembler.n
        self.terms = _Terms(assembler)
        self.data: list[int] = []
        self.tables = np.zeros((len(assembler.kinds), 4), dtype=np.int64)
        self.used = self._needed()
        self.renumber = {d: k for k, d in enumerate(self.used)}
        self.bounds = node_bounds(self.problem)
        self.definitions = [self._definition(k, self.problem.definitions[d]) for k, d in enumerate(self.used)]
        for number, constraint in assembler.deep:
            self._constraint(number, constraint)

    def _needed(self) -> list[int]:
        """Return the definitions that the layer's constraints reach, ascending."""
        found: set[int] = set()
        pending = [c.terms for _, c in self.assembler.deep]
        while pending:
            _, nodes, _ = self.columns.flat(pending.pop())
            for d in (np.unique(nodes[nodes >= self.n]) - self.n).tolist():
                if d not in found:
                    found.add(d)
                    definition = self.problem.definitions[d]
                    pending.append(definition.terms if definition.truth is None else definition.truth.terms)
        return sorted(found)

    def _definition(self, k: int, definition: Definition) -> tuple[int, ...]:
        first = len(self.terms)
        truth = definition.truth
        if truth is not None:
            return self._truth(k, truth, first)
        for t in definition.terms.tolist():
            self.terms.add(t, codes.OWNER_DEFINITION, k)
        kind, offset = int(definition.function), 0
        if definition.table is not None:
            kind, offset = codes.ELEMENT_CONSTANT, len(self.data)
            self.data += [len(definition.table), *(int(v) for v in definition.table)]
        return kind, first, len(definition.terms), offset, 0, 0

    def _truth(self, k: int, truth: Constraint, first: int) -> tuple[int, ...]:
        relation, sign, extra = self.relations[truth.relation]
        offset = len(self.data)
        if truth.kind == Kind.LINEAR:
            self.terms.add(int(truth.terms[0]), codes.OWNER_DEFINITION, k, sign=sign, extra=extra)
            return codes.TRUTH_LINEAR, first, 1, 0, relation, 0
        for t in truth.terms.tolist():
            self.terms.add(t, codes.OWNER_DEFINITION, k)
        size = len(truth.terms)
        if truth.kind == Kind.CLAUSE:
            return codes.TRUTH_CLAUSE, first, size, 0, 0, 0
        if truth.kind == Kind.ALL_DIFFERENT:
            return codes.TRUTH_ALL_DIFFERENT, first, size, 0, 0, 0
        if truth.kind == Kind.TABLE:
            rows = np.asarray(truth.rows, dtype=np.int64).reshape(-1, size)
            self.data += rows.reshape(-1).tolist()
            return codes.TRUTH_TABLE, first, size, offset, len(rows), 0
        self.data += [truth.value, sign, extra]
        return codes.TRUTH_COUNT, first, size, offset, relation, 0

    def _constraint(self, number: int, constraint: Constraint) -> None:
        kinds, constants = self.assembler.kinds, self.assembler.constants
        terms = constraint.terms.tolist()
        relation, sign, extra = self.relations[constraint.relation]
        if constraint.kind == Kind.LINEAR:
            kinds[number], constants[number] = relation, 0
            self.terms.add(terms[0], codes.OWNER_LINEAR, number, sign=sign, extra=extra)
        elif constraint.kind == Kind.CLAUSE:
            kinds[number] = codes.CLAUSE
            for t in terms:
                self.terms.add(t, codes.OWNER_CLAUSE, number)
        elif constraint.kind == Kind.COUNT:
            kinds[number], constants[number] = relation, extra
            owner = codes.OWNER_COUNT if sign > 0 else codes.OWNER_SIGNED_COUNT
            for t in terms[:-1]:
                self.terms.add(t, owner, number, base=constraint.value)
            self.terms.add(terms[-1], codes.OWNER_LINEAR, number, sign=-sign)
        elif constraint.kind == Kind.TABLE:
            kinds[number] = codes.TABLE
            rows = np.asarray(constraint.rows, dtype=np.int64).reshape(-1, len(terms))
            self.tables[number] = len(self.terms), len(terms), len(self.data), len(rows)
            self.data += rows.reshape(-1).tolist()
            for t in terms:
                self.terms.add(t, codes.OWNER_TABLE, number)
        else:
            base = self.assembler.reserve(number, *term_bounds(self.problem, constraint.terms, self.bounds))
            for t in terms:
                self.terms.add(t, codes.OWNER_ALL_DIFFERENT, number, base=base)
        if constraint.kind != Kind.ALL_DIFFERENT:
            self.assembler.scopes[number] = self._support(constraint.terms)

    def _support(self, terms: Ints) -> Ints:
        """Return the decision variables that ``terms`` depend on, ascending."""
        _, nodes, _ = merged(*self.columns.flat(np.asarray(terms)))
        sets = [self.node_support(int(node)) for node in np.unique(nodes)]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *sets]))

    def node_support(self, node: int) -> Ints:
        """Return the decision variables that a node depends on."""
        if node < self.n:
            return np.array([node], dtype=np.int64)
        cache: dict[int, Ints] = self.__dict__.setdefault("_supports", {})
        if node not in cache:
            for d in self.used:  # in order of evaluation, so that arguments are there already
                if d + self.n <= node and d + self.n not in cache:
                    definition = self.problem.definitions[d]
                    terms = definition.terms if definition.truth is None else definition.truth.terms
                    _, nodes, _ = merged(*self.columns.flat(terms))
                    parts = [np.array([m]) if m < self.n else cache[m] for m in np.unique(nodes).tolist()]
                    cache[d + self.n] = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
        return cache[node]

    def build(self) -> Deep:
        terms, number = self.terms, len(self.terms)
        rows, nodes, coefficients = merged(*self.columns.flat(np.array(terms.source, dtype=np.int64)))
        sign, extra = np.array(terms.sign, dtype=np.int64), np.array(terms.extra, dtype=np.int64)
        constants = sign * self.problem.terms.constants[terms.source] + extra
        defined = nodes >= self.n
        nodes[defined] = [self.n + self.renumber[m - self.n] for m in nodes[defined].tolist()]
        node_start, flat = _by_node(self.n + len(self.used), nodes, rows, coefficients * sign[rows])
        reach_start, reach = self._reach()
        owners = np.array(terms.owners, dtype=np.int64).reshape(-1, 3)
        layout = np.concatenate([np.zeros((number, 1), dtype=np.int64), owners], axis=1)
        supports = [
            self._support(np.array([t]))
            if owner[0] == codes.OWNER_ALL_DIFFERENT
            else np.zeros(0, dtype=np.int64)
            for t, owner in zip(terms.source, terms.owners, strict=True)
        ]
        support_start = np.zeros(number + 1, dtype=np.int64)
        np.cumsum([len(s) for s in supports], out=support_start[1:])
        zeros: Any = np.zeros
        return Deep(
            node_start, flat, layout.reshape(-1).copy(), constants,
            np.array(self.definitions, dtype=np.int64).reshape(-1),
            np.array(self.data or [0], dtype=np.int64), self.tables.reshape(-1), reach_start, reach,
            np.array(self.assembler.kinds, dtype=np.int64),
            np.concatenate([support_start, *supports]), 0, number + 1,
            zeros(len(self.used), np.int64),
            zeros(number, np.int64), zeros(number + 1, np.int64), zeros(number, np.int64),
            zeros(len(self.assembler.kinds), np.int64),
        )  # fmt: skip

    def _reach(self) -> tuple[Ints, Ints]:
        """Return, per decision variable, the definitions that depend on it, ascending."""
        pairs = [
            np.stack([support, np.full(len(support), k)])
            for k, d in enumerate(self.used)
            for support in [self.node_support(d + self.n)]
        ]
        joined = np.concatenate([np.zeros((2, 0), dtype=np.int64), *pairs], axis=1)
        order = np.lexsort((joined[1], joined[0]))
        start = np.zeros(self.n + 1, dtype=np.int64)
        np.cumsum(np.bincount(joined[0], minlength=self.n), out=start[1:])
        return start, joined[1][order]


def _by_node(count: int, nodes: Ints, rows: Ints, coefficients: Ints) -> tuple[Ints, Ints]:
    start = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(2 * np.bincount(nodes, minlength=count), out=start[1:])
    order = np.argsort(nodes, kind="stable")
    flat = np.stack([rows[order], coefficients[order]], axis=1)
    return start, np.ascontiguousarray(flat).reshape(-1)


def build_deep(assembler: Assembler) -> Deep:
    """Return the deep layer of the constraints that ``assembler`` put there."""
    return _DeepBuilder(assembler).build()
