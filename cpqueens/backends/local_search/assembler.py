"""Placing each constraint in a layer and collecting what the arrays of the plain and row layers hold."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.errors import UnsupportedConstraint
from cpqueens.kernels.local.arena import build_arena
from cpqueens.kernels.local.deep import CLAUSE, TABLE
from cpqueens.kernels.local.info import LENGTH
from cpqueens.kernels.local.plain import ALL_DIFFERENT
from cpqueens.kernels.local.state import Core, Rows
from cpqueens.language.rows import IntArray, Mask
from cpqueens.lowered import columns
from cpqueens.lowered.compiled import EQ, LE, NE, Compiled, Terms, joined, offsets, stable_order
from cpqueens.lowered.structures.shifted_permutation import distinct

MAX_SLOTS = 2_000_000
MAX_COUNTERS = 100_000_000  # two numbers of 8 bytes each
NARROW = 1_000_000  # values that are always worth a counter each
COUNTERS_PER_PAIR = 100
MAX_PAIRS = 50_000
NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Entry:
    """One constraint as the kernels have it, at its place among all.

    Attributes
    ----------
    kind
        Of `cpqueens.lowered.forms.PLAIN_KINDS`.
    terms
        A Linear has one, which is compared with 0; a Count those that are counted and last their number.
    value
        What a Count counts.
    rows
        What a Table allows, (rows, terms).
    """

    kind: str
    layer: str
    number: int
    terms: Terms
    relation: int = EQ
    value: int = 0
    rows: IntArray | None = None


@dataclass(frozen=True)
class Several:
    """Constraints of one kind one after the other, `Entry` for `Entry`: objects by the million take long.

    Attributes
    ----------
    terms, start
        Number ``k`` of them has the terms ``start[k]`` .. ``start[k + 1] - 1``.
    deep, layer
        Which are in the deep layer, and where the others are.
    """

    kind: str
    numbers: IntArray
    terms: Terms
    start: IntArray
    relations: IntArray
    deep: Mask
    layer: str = "plain"
    value: int = 0
    rows: IntArray | None = None

    def entry(self, k: int) -> Entry:
        """Return the one at place ``k`` of these."""
        layer, terms = ("deep" if self.deep[k] else self.layer), self.terms.part(*self.start[k : k + 2])
        number, relation = int(self.numbers[k]), int(self.relations[k])
        return Entry(self.kind, layer, number, terms, relation, self.value, self.rows)

    def of_deep_layer(self) -> "Several":
        """Return those in the deep layer."""
        deep = self.deep
        if deep.all():
            return self
        terms, start = self.terms.groups(self.start, deep)
        numbers, relations = self.numbers[deep], self.relations[deep]
        return replace(self, numbers=numbers, terms=terms, start=start, relations=relations, deep=deep[deep])


class Entries:
    """The constraints of a model, each made where somebody asks for it."""

    def __init__(self) -> None:
        self.parts: list[Several] = []
        self._starts: list[int] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, part: Several) -> None:
        """Add constraints."""
        self.parts.append(part)
        self._starts.append(self._size)
        self._size += len(part.numbers)

    def __getitem__(self, number: int) -> Entry:
        which = int(np.searchsorted(self._starts, number, "right")) - 1
        return self.parts[which].entry(number - self._starts[which])

    def __iter__(self) -> Iterator[Entry]:
        return map(self.__getitem__, range(self._size))

    def summary(self) -> dict[str, int]:
        """Return how many constraints each layer has."""
        counts = {"plain": 0, "rows": 0, "deep": 0}
        for part in self.parts:
            deep = int(part.deep.sum())
            counts["deep"] += deep
            counts[part.layer] += len(part.numbers) - deep
        return counts


class Assembler:
    """The constraints of a model, layer by layer, without those AllDifferents that are ``kept`` by groups."""

    def __init__(self, compiled: Compiled, kept: frozenset[int]) -> None:
        self.compiled = compiled
        self.n = compiled.decision_count
        self.counters = 0
        self.bases: dict[int, int] = {}
        self.spans: dict[int, tuple[int, int]] = {}  # first counter and number of counters
        self.kinds, self.constants = array("q"), array("q")
        self.scopes: list[tuple[IntArray, IntArray]] = []  # constraints and their variables, ascending in one
        self.entries = Entries()
        self.plain: list[tuple[IntArray, ...]] = []  # variable, constraint, kind, coefficient, base
        self.rows: list[tuple[Any, ...]] = []
        self._place_all(kept)

    def _place_all(self, kept: frozenset[int]) -> None:
        compiled = self.compiled
        for index, terms in enumerate(columns.blocks(compiled.different, compiled.different_start)):
            if index not in kept:
                self._all_different(terms)
        self._linear(compiled.linear, compiled.relation)
        if len(compiled.clause_start) > 1:
            self._clauses(compiled.literals, compiled.clause_start)
        for terms, rows in compiled.tables:
            self._table(terms, rows)
        for terms, value, relation, number in compiled.counts:
            self._count(terms, value, relation, number)
        if compiled.objective is not None:
            limit = columns.objective_bounds(compiled)[1]
            self._linear(below(compiled.objective, limit), np.full(len(compiled.objective), LE))

    def _enter(
        self, kind: str, codes: IntArray, terms: Terms, start: IntArray, relations: IntArray,
        deep: Mask, constants: IntArray, **details: Any,
    ) -> int:  # fmt: skip
        """Add constraints, see `Several`, with what kernels call them; return the first's number."""
        first = len(self.entries)
        numbers = first + np.arange(len(relations))
        self.entries.append(Several(kind, numbers, terms, start, relations, deep, **details))
        self.kinds.frombytes(codes.tobytes())
        self.constants.frombytes(constants.tobytes())
        return first

    def _enter_one(
        self, kind: str, code: int, terms: Terms, relation: int = EQ, *, deep: bool = True, **details: Any
    ) -> int:
        """Add a constraint, which is left to the deep layer or has no constant."""
        start, relations, zero = np.array([0, len(terms)]), np.array([relation]), np.zeros(1, np.int64)
        return self._enter(kind, zero + code, terms, start, relations, np.array([deep]), zero, **details)

    def reserve(self, number: int, lower: IntArray, upper: IntArray) -> int:
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

    def _linear(self, terms: Terms, relations: IntArray) -> None:
        """Place linear relations: those of decision variables alone in the plain layer."""
        first = len(self.entries)
        rows, variables, coefficients = columns.merged(terms)
        deep = np.bincount(rows[variables >= self.n], minlength=len(terms)) > 0
        codes, signs = columns.KINDS_AND_SIGNS[relations].T
        each = np.arange(len(terms) + 1)
        self._enter("Linear", codes, terms, each, relations, deep, np.where(deep, 0, signs * terms.constant))
        kept = ~deep[rows]
        rows, variables, coefficients = rows[kept], variables[kept], coefficients[kept]
        self.scopes.append((first + rows, variables))
        self.plain.append(
            (variables, first + rows, codes[rows], signs[rows] * coefficients, np.zeros_like(rows))
        )

    def _clauses(self, literals: Terms, start: IntArray) -> None:
        """Place clauses; over decision variables alone one is a sum of at least 1, violated by as much."""
        clause = np.repeat(np.arange(len(start) - 1), np.diff(start))
        defined = clause.repeat(literals.lengths)[literals.variable >= self.n]
        plain = np.bincount(defined, minlength=len(start) - 1) == 0
        deep, begin = literals.groups(start, ~plain)
        zeros = np.zeros(len(begin) - 1, dtype=np.int64)
        self._enter("Or", zeros + CLAUSE, deep, begin, zeros + EQ, zeros == 0, zeros)
        if not plain.any():
            return
        entries = plain[clause].repeat(literals.lengths)
        sizes = np.diff(literals.start[start])[plain]
        falls = 1 - np.bincount(clause, literals.constant, len(plain)).astype(np.int64)
        sums = Terms(offsets(sizes), literals.variable[entries], -literals.coefficient[entries], falls[plain])
        self._linear(sums, np.full(len(sums), LE))

    def _table(self, terms: Terms, rows: IntArray) -> None:
        """Place a Table; one without terms holds if it has a row."""
        if len(terms):
            self._enter_one("Table", TABLE, terms, rows=rows)
        elif not len(rows):
            self._linear(Terms(np.zeros(2, dtype=np.int64), NONE, NONE, np.ones(1, np.int64)), np.array([EQ]))

    def _count(self, terms: Terms, value: Terms, relation: int, number: Terms) -> None:
        """Place a Count; one of a variable value counts the zeros among the differences."""
        constant = int(value.constant[0])
        if len(value.variable):
            values = value.picked(np.zeros(len(terms), dtype=np.int64))
            terms, constant = columns.differences(terms, values), 0
        self._enter_one(
            "Count", columns.RELATIONS[relation][0], joined([terms, number]), relation, value=constant
        )

    def _all_different(self, terms: Terms) -> None:
        if too_wide(terms, self.compiled):
            pairs = pairwise_differences(terms)
            self._linear(pairs, np.full(len(pairs), NE))
            return
        form = self._folded(terms)
        if form is None:
            self._enter_one("AllDifferent", ALL_DIFFERENT, terms)
            return
        inner, outer, signs = form
        lower, upper = columns.bounds(inner, self.compiled)
        if (signs != 0).any():
            high = np.maximum(np.abs(lower), np.abs(upper))
            spans = np.where(lower * upper > 0, np.minimum(np.abs(lower), np.abs(upper)), 0)
            lower = np.where(signs == 0, lower, np.where(signs > 0, outer + spans, outer - high))
            upper = np.where(signs == 0, upper, np.where(signs > 0, outer + high, outer - spans))
        single = (inner.lengths == 1).all() and (signs == 0).all() and distinct(inner.variable)
        layer = "plain" if single else "rows"
        number = self._enter_one("AllDifferent", ALL_DIFFERENT, terms, deep=False, layer=layer)
        base = self.reserve(number, lower, upper)
        if not single:
            self.rows.append((number, inner, base + outer, signs))
            return
        numbers, kinds = np.full(len(terms), number), np.full(len(terms), ALL_DIFFERENT)
        self.plain.append((inner.variable, numbers, kinds, inner.coefficient, base + inner.constant))

    def _folded(self, terms: Terms) -> tuple[Terms, IntArray, IntArray] | None:
        """Return the terms over decision variables, absolute values folded; None if that fails.

        The value of a term is that of its inner one (sign 0), or outer + sign * |inner|.
        """
        rows, variables, coefficients = columns.merged(terms)
        constants = terms.constant.copy()
        outer, signs = (np.zeros(len(terms), dtype=np.int64) for _ in range(2))
        lengths = np.bincount(rows, minlength=len(terms))
        defined = np.flatnonzero(variables >= self.n)
        parts = [np.stack([rows, variables, coefficients])[:, variables < self.n]]
        for e in defined.tolist():
            t = int(rows[e])
            definition = self.compiled.definitions[int(variables[e]) - self.n]
            if lengths[t] != 1 or definition.kind != "abs" or abs(coefficients[e]) != 1:
                return None
            _, inside, factors = columns.merged(definition.terms)
            if (inside >= self.n).any():
                return None
            outer[t], signs[t] = constants[t], coefficients[e]
            constants[t] = definition.terms.constant[0]
            parts.append(np.stack([np.full(len(inside), t), inside, factors]))
        if len(defined):
            rows, variables, coefficients = columns.merge(*np.concatenate(parts, axis=1))
        start = offsets(np.bincount(rows, minlength=len(terms)))
        return Terms(start, variables, coefficients, constants), outer, signs

    def core(self) -> Core:
        """Return the plain layer's arrays."""
        start, incidences = columns.by_variable(self.n, self.plain, 5)
        n, number, counters = self.n, len(self.entries), max(1, self.counters)
        owners, scopes = map(np.concatenate, zip((NONE, NONE), *self.scopes, strict=True))
        scopes = scopes[stable_order(owners)]
        scope_start = offsets(np.bincount(owners, minlength=number))
        zeros = np.zeros
        arena = build_arena([
            zeros(counters), zeros(counters), zeros(number), np.ones(number), self.kinds, self.constants,
            scope_start, scopes, zeros(n), zeros(n),
            np.full(n, -1), zeros(LENGTH), zeros(n),
        ])  # fmt: skip
        return Core(start, incidences, zeros(n, dtype=np.int64), arena)

    def row_layer(self) -> Rows | None:
        """Return the row layer's arrays, None where no constraint is there."""
        if not self.rows:
            return None
        inner = joined([terms for _, terms, _, _ in self.rows])
        sizes = np.array([len(terms) for _, terms, _, _ in self.rows])
        first = offsets(sizes)
        owner = np.repeat([number for number, *_ in self.rows], sizes)
        base, signs = (np.concatenate([row[k] for row in self.rows]) for k in (2, 3))
        zeros = np.zeros(len(inner), dtype=np.int64)
        layout = np.stack([zeros, zeros, base, signs], axis=1).reshape(-1)
        term = inner.owners
        entries = (inner.variable, owner[term], term, inner.coefficient, np.zeros_like(term))
        start, incidences = columns.by_variable(self.n, [entries], 5)
        places = owner[term] * self.n + inner.variable
        width = int(np.unique(places, return_counts=True)[1].max(initial=1))
        bit_rows, slots = self._bit_rows(inner, first)
        static = build_arena([
            owner, inner.constant, inner.start, inner.variable, np.zeros(4 * width),
            bit_rows, slots,
        ])  # fmt: skip
        return Rows(start, incidences, layout, static)

    def _bit_rows(self, inner: Terms, first: IntArray) -> tuple[IntArray, IntArray]:
        """Return the rows and slots of `search_triangle`, empty ones where its conditions do not hold."""
        numbers = [row[0] for row in self.rows]
        if len(numbers) * self.n > MAX_SLOTS or any(self.spans[c][1] > 62 for c in numbers):
            return NONE, NONE
        slots = np.zeros((len(numbers), self.n, 2, 2), dtype=np.int64)
        slots[..., 0] = len(inner)
        terms = inner.owners
        rows = first.searchsorted(terms, "right") - 1
        order = stable_order(rows * self.n + inner.variable)
        rows, variables = rows[order], inner.variable[order]
        keys = rows * self.n + variables
        rank = np.arange(len(keys)) - keys.searchsorted(keys)
        if (rank > 1).any():
            return NONE, NONE
        slots[rows, variables, rank, 0] = terms[order]
        slots[rows, variables, rank, 1] = inner.coefficient[order]
        zero = [self.spans[c][0] for c in numbers]
        folded = [(row[3] != 0).any() for row in self.rows]
        table = np.array([numbers, zero, first[:-1], first[1:], folded], dtype=np.int64)
        return table.T.reshape(-1), slots.reshape(-1)


def below(terms: Terms, limit: int) -> Terms:
    """Return the terms that are at most 0 where ``terms`` are at most ``limit``."""
    return Terms(terms.start, terms.variable, terms.coefficient, terms.constant - limit)


def too_wide(terms: Terms, compiled: Compiled) -> bool:
    """Say whether the AllDifferent over ``terms`` is better taken apart into pairs.

    It is where counters would be more than `NARROW` and far more than pairs.
    """
    pairs = len(terms) * (len(terms) - 1) // 2
    if not len(terms) or pairs > MAX_PAIRS:
        return False
    lower, upper = columns.bounds(terms, compiled)
    return int(upper.max()) - int(lower.min()) + 1 > max(NARROW, COUNTERS_PER_PAIR * pairs)


def pairwise_differences(terms: Terms) -> Terms:
    """Return the difference of every two terms."""
    first, second = np.triu_indices(len(terms), 1)
    return columns.differences(terms.picked(first), terms.picked(second))
