"""Placing each constraint in a layer and collecting what the arrays of the plain and row layers hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.backends.local_search.columns import RELATIONS, Columns, by_variable, distinct, merged
from cpqueens.backends.local_search.neighbourhood import Neighbourhood
from cpqueens.backends.local_search.problem import Constraint, Function, Ints, Kind, Problem
from cpqueens.errors import UnsupportedConstraint
from cpqueens.kernels.search_arena import build_arena
from cpqueens.kernels.search_info import LENGTH
from cpqueens.kernels.search_plain import ALL_DIFFERENT
from cpqueens.kernels.search_state import Core, Rows

MAX_SLOTS = 2_000_000
MAX_COUNTERS = 100_000_000  # two numbers of 8 bytes each


@dataclass
class Entry:
    """One constraint in the kernels: its layer and, for all but AllDifferents, its variables."""

    constraint: Constraint
    layer: str
    number: int


class Assembler:
    """The constraints of a problem, layer by layer."""

    def __init__(self, problem: Problem, neighbourhood: Neighbourhood) -> None:
        self.problem = problem
        self.columns = Columns(problem)
        self.n = problem.size
        self.counters = 0
        self.bases: dict[int, int] = {}
        self.spans: dict[int, tuple[int, int]] = {}  # first counter and number of counters
        self.kinds: list[int] = []
        self.constants: list[int] = []
        self.scopes: list[Ints] = []
        self.entries: list[Entry] = []
        self.plain: list[tuple[Ints, ...]] = []  # variable, constraint, kind, coefficient, base
        self.rows: list[tuple[Any, ...]] = []
        self.deep: list[tuple[int, Constraint]] = []
        for index, constraint in enumerate(problem.constraints):
            if index not in neighbourhood.kept:
                self._place(constraint)

    def _place(self, constraint: Constraint) -> None:
        number = len(self.kinds)
        layer = "deep"
        if constraint.kind == Kind.ALL_DIFFERENT:
            layer = self._all_different(number, constraint)
        elif constraint.kind == Kind.LINEAR:
            layer = self._linear(number, constraint)
        if layer == "deep":
            self._open(0, 0, np.zeros(0, dtype=np.int64))
            self.deep.append((number, constraint))
        self.entries.append(Entry(constraint, layer, number))

    def _open(self, kind: int, constant: int, scope: Ints) -> None:
        self.kinds.append(kind)
        self.constants.append(constant)
        self.scopes.append(scope)

    def reserve(self, number: int, lower: Ints, upper: Ints) -> int:
        """Return the counter of value 0 for AllDifferent ``number`` over terms with these bounds.

        It may lie outside the counters, where 0 is no value.
        """
        low, high = (int(lower.min()), int(upper.max())) if len(lower) else (0, 0)
        base = self.bases[number] = self.counters - low
        self.spans[number] = self.counters, high - low + 1
        self.counters += high - low + 1
        if self.counters > MAX_COUNTERS:
            raise UnsupportedConstraint(
                f"local-search: AllDifferents over ranges of {self.counters:,} values in all, at most"
                f" {MAX_COUNTERS:,} are possible; narrow the domains or use solver='cpsat'"
            )
        return base

    def _linear(self, number: int, constraint: Constraint) -> str:
        _, nodes, coefficients = merged(*self.columns.flat(constraint.terms))
        if (nodes >= self.n).any():
            return "deep"
        kind, sign, extra = RELATIONS[constraint.relation]
        self._open(kind, sign * int(self.problem.terms.constants[constraint.terms[0]]) + extra, nodes)
        block = np.full((5, len(nodes)), number, dtype=np.int64)
        block[0], block[2], block[3], block[4] = nodes, kind, sign * coefficients, 0
        self.plain.append(tuple(block))
        return "plain"

    def _all_different(self, number: int, constraint: Constraint) -> str:
        terms = constraint.terms
        form = self._folded(terms)
        if form is None:
            return "deep"
        rows, nodes, coefficients, constants, outer, signs = form
        lower, upper = self.columns.bounds(rows, nodes, coefficients, constants)
        if (signs != 0).any():
            high = np.maximum(np.abs(lower), np.abs(upper))
            spans = np.where(lower * upper > 0, np.minimum(np.abs(lower), np.abs(upper)), 0)
            lower = np.where(signs == 0, lower, np.where(signs > 0, outer + spans, outer - high))
            upper = np.where(signs == 0, upper, np.where(signs > 0, outer + high, outer - spans))
        base = self.reserve(number, lower, upper)
        self._open(ALL_DIFFERENT, 0, np.zeros(0, dtype=np.int64))
        single = len(rows) == len(terms) and (signs == 0).all() and distinct(rows)
        if single and distinct(nodes):
            block = np.full((5, len(nodes)), number, dtype=np.int64)
            block[0], block[2], block[3], block[4] = nodes, ALL_DIFFERENT, coefficients, base + constants
            self.plain.append(tuple(block))
            return "plain"
        self.rows.append((number, rows, nodes, coefficients, constants, base + outer, signs))
        return "rows"

    def _folded(self, terms: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints] | None:
        """Return the terms over decision variables, absolute values folded; None if that fails.

        The value of term t is constants[t] + linear (sign 0), or outer[t] + sign * |constants[t] + linear|.
        """
        rows, nodes, coefficients = merged(*self.columns.flat(terms))
        constants = self.problem.terms.constants[terms].copy()
        outer = np.zeros(len(terms), dtype=np.int64)
        signs = np.zeros(len(terms), dtype=np.int64)
        defined = np.flatnonzero(nodes >= self.n)
        if len(defined) == 0:
            return rows, nodes, coefficients, constants, outer, signs
        lengths = np.bincount(rows, minlength=len(terms))
        inner: list[Ints] = []
        for e in defined.tolist():
            t = int(rows[e])
            definition = self.problem.definitions[int(nodes[e]) - self.n]
            if lengths[t] != 1 or definition.function != Function.ABS or abs(coefficients[e]) != 1:
                return None
            argument = definition.terms[:1]
            _, inner_nodes, inner_coefficients = merged(*self.columns.flat(argument))
            if (inner_nodes >= self.n).any():
                return None
            outer[t], signs[t] = constants[t], coefficients[e]
            constants[t] = self.problem.terms.constants[argument[0]]
            inner.append(np.stack([np.full(len(inner_nodes), t), inner_nodes, inner_coefficients]))
        keep = nodes < self.n
        joined = np.concatenate([np.stack([rows, nodes, coefficients])[:, keep], *inner], axis=1)
        order = np.argsort(joined[0], kind="stable")
        return joined[0][order], joined[1][order], joined[2][order], constants, outer, signs

    def core(self) -> Core:
        """Return the plain layer's arrays."""
        start, incidences = by_variable(self.n, self.plain, 5)
        scope_start = np.zeros(len(self.kinds) + 1, dtype=np.int64)
        np.cumsum([len(s) for s in self.scopes], out=scope_start[1:])
        n, number, counters = self.n, len(self.kinds), max(1, self.counters)
        zeros = np.zeros
        arena = build_arena([
            zeros(counters), zeros(counters), zeros(number), np.ones(number), self.kinds, self.constants,
            scope_start, np.concatenate([zeros(0, dtype=np.int64), *self.scopes]), zeros(n), zeros(n),
            np.full(n, -1), zeros(LENGTH), zeros(n),
        ])  # fmt: skip
        return Core(start, incidences, zeros(n, dtype=np.int64), arena)

    def row_layer(self) -> Rows | None:
        """Return the row layer's arrays, None where no constraint is there."""
        if not self.rows:
            return None
        terms, constants, owner, supports = [], [], [], []
        entries: list[tuple[Ints, ...]] = []
        first = 0
        for number, rows, nodes, coefficients, inner, base, signs in self.rows:
            size = len(inner)
            terms.append(np.stack([np.zeros(size, np.int64), np.zeros(size, np.int64), base, signs], axis=1))
            constants.append(inner)
            owner.append(np.full(size, number, dtype=np.int64))
            zeros = np.zeros(len(rows), dtype=np.int64)
            entries.append((nodes, np.full(len(rows), number), rows + first, coefficients, zeros))
            supports.append(np.stack([rows + first, nodes]))
            first += size
        start, incidences = by_variable(self.n, entries, 5)
        support = np.concatenate(supports, axis=1)
        support_start = np.zeros(first + 1, dtype=np.int64)
        np.cumsum(np.bincount(support[0], minlength=first), out=support_start[1:])
        variable, constraint = (np.concatenate([e[k] for e in entries]) for k in (0, 1))
        width = int(np.unique(constraint * self.n + variable, return_counts=True)[1].max(initial=1))
        bit_rows, slots = self._bit_rows(entries, np.concatenate(owner))
        static = build_arena([
            np.concatenate(owner), np.concatenate(constants), support_start, support[1], np.zeros(4 * width),
            bit_rows, slots, np.zeros(first + 1), np.zeros(3 * len(bit_rows) // 5),
        ])  # fmt: skip
        return Rows(start, incidences, np.concatenate(terms).reshape(-1), static)

    def _bit_rows(self, entries: list[tuple[Ints, ...]], owner: Ints) -> tuple[Ints, Ints]:
        """Return the arrays of `search_bits`, empty ones where its conditions do not hold."""
        none = np.zeros(0, dtype=np.int64)
        numbers = [row[0] for row in self.rows]
        if len(numbers) * self.n > MAX_SLOTS or any(self.spans[c][1] > 62 for c in numbers):
            return none, none
        slots = np.zeros((len(numbers), self.n, 2, 2), dtype=np.int64)
        slots[..., 0] = len(owner)
        for r, (nodes, _, terms, coefficients, _) in enumerate(entries):
            order = np.argsort(nodes, kind="stable")
            nodes, terms, coefficients = nodes[order], terms[order], coefficients[order]
            rank = np.arange(len(nodes)) - np.searchsorted(nodes, nodes)
            if (rank > 1).any():
                return none, none
            slots[r, nodes, rank, 0] = terms
            slots[r, nodes, rank, 1] = coefficients
        first = np.searchsorted(owner, numbers)
        last = np.searchsorted(owner, numbers, side="right")
        zero = np.array([self.spans[c][0] for c in numbers])
        folded = np.array([(row[6] != 0).any() for row in self.rows])
        return np.stack([np.array(numbers), zero, first, last, folded], axis=1).reshape(-1), slots.reshape(-1)
