"""A compiled model as tables over one variable or two, where all its terms are that simple."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from cpqueens.kernels.local.plain import EQUAL
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.columns import RELATIONS, blocks
from cpqueens.lowered.compiled import GE, LE, Compiled, DefinitionBlock, offsets
from cpqueens.lowered.evaluation import Affine, affines, meant
from cpqueens.lowered.neighbourhood import values_of

MOST_CELLS = 1 << 14
"""Pairs of values of two variables beyond which a function of them is not tabulated,"""
MOST_IN_ALL = 4_000_000
"""and those of all functions."""
LARGEST = 1 << 30
"""Values that are beyond it are not tabulated: sums of them are to stay within 64 bits."""

Scope = tuple[int, ...]
"""No variable, one, or two in ascending order."""

Tabled = tuple[Scope, IntArray]
"""A function of the variables of a scope: its values have an axis for each of them."""


@dataclass(frozen=True)
class SumRow:
    """``constant`` and tables, one for each scope, that add up to what is compared with 0."""

    kind: int  # as in `kernels.local.plain`
    constant: int
    tables: dict[Scope, IntArray]


def of_each(rows: Iterable[SumRow], number: Callable[[IntArray], int]) -> dict[int, int]:
    """Return a number that each table of some rows has, by its id: mostly many rows share a table."""
    tables = {id(table): table for row in rows for table in row.tables.values()}
    return {key: number(table) for key, table in tables.items()}


@dataclass(frozen=True)
class Multiset:
    """Variables whose values are known but for their order, as places in their common domain."""

    variables: IntArray
    places: IntArray


@dataclass(frozen=True)
class Tabulated:
    """A model as tables.

    Attributes
    ----------
    domains
        Values of each decision variable, ascending.
    objective
        What is minimised.
    rows, different
        Relations, and the terms of each AllDifferent.
    """

    domains: list[IntArray]
    objective: SumRow | None
    rows: list[SumRow]
    different: list[list[Tabled]]


def tabulated(compiled: Compiled, kept: frozenset[int]) -> Tabulated | None:
    """Return a model as tables, without the ``kept`` AllDifferents; None if some term is not that simple."""
    if compiled.tables or (compiled.objective is not None and len(compiled.objective) > 1):
        return None
    try:
        return Tabulator(compiled, range(compiled.decision_count)).model(kept)
    except NotSimpleError:
        return None


class NotSimpleError(Exception):
    """A term depends on more than two variables, or on too many values."""


class Tabulator:
    """Tabulates terms; raises `NotSimpleError` where one is not simple.

    ``variables`` are those of which terms are functions, all decision variables for a whole `model`. Equal
    functions of variables with equal domains, of which models have many, share one array.
    """

    def __init__(self, compiled: Compiled, variables: Iterable[int]) -> None:
        self.compiled = compiled
        widths = compiled.upper - compiled.lower
        if any(widths[v] >= MOST_CELLS for v in variables):
            raise NotSimpleError
        self._equal: dict[tuple[tuple[int, ...], bytes], IntArray] = {}
        self.domains = {v: self._shared(values_of(compiled, v)) for v in variables}
        self.known: dict[int, Tabled] = {v: ((v,), d) for v, d in self.domains.items()}
        self._multiples: dict[tuple[int, int], IntArray] = {}  # by factors and ids
        self.cells = 0

    def model(self, kept: frozenset[int]) -> Tabulated:
        """Return the whole model, without the ``kept`` AllDifferents."""
        c = self.compiled
        for block in c.definitions.blocks:
            self._define(block)
        rows = list(map(self._row, affines(c.linear), c.relation.tolist()))
        clauses = blocks(c.literals, c.clause_start)
        rows += [self._row(_total(affines(terms), -1), GE) for terms in clauses]
        rows += [self._count(*count) for count in c.counts]
        different = [
            [self.table([affine]) for affine in affines(terms)]
            for k, terms in enumerate(blocks(c.different, c.different_start)) if k not in kept
        ]  # fmt: skip
        objective = None if c.objective is None else self._row(affines(c.objective)[0], LE)
        return Tabulated(list(self.domains.values()), objective, rows, different)

    def _define(self, block: DefinitionBlock) -> None:
        """Tabulate definitions, together those of domains with as many values.

        Raises
        ------
        NotSimpleError
            If one depends on more than two variables, or on too many values.
        """
        entries = _Entries(block, self.known)
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for k, scope in enumerate(entries.scopes):
            groups[tuple([len(self.domains[v]) for v in scope])].append(k)
        for shape, ks in groups.items():
            cells = prod(shape)
            if cells > MOST_CELLS or self.cells + cells * len(ks) > MOST_IN_ALL:
                raise NotSimpleError
            step = MOST_CELLS // max(1, cells * block.each)
            if step == 0:  # a long table of numbers is looked up in without a copy for each value
                self.known |= {block.results.item(k): self.defined(block.part(k, k + 1)) for k in ks}
                continue
            self.cells += cells * len(ks)
            for some in (ks[at : at + step] for at in range(0, len(ks), step)):
                x = entries.arguments(some, shape)
                tables = self._checked(np.broadcast_to(meant(block, list(x)), x.shape[1:]))
                for k, table in zip(some, tables, strict=True):
                    self.known[block.results.item(k)] = entries.scopes[k], self._shared(table)

    def _shared(self, table: IntArray) -> IntArray:
        """Return the first one of equal tables."""
        return self._equal.setdefault((table.shape, table.tobytes()), table)

    def defined(self, definition: DefinitionBlock) -> Tabled:
        """Return a definition whose arguments are known as a table."""
        terms = definition.terms
        if definition.kind != "element" or terms.start[1] < terms.start[-1]:
            return self.table(affines(terms), partial(meant, definition))
        entries = terms.constant[1:]  # numbers, perhaps many
        return self.table(affines(terms.part(0, 1)), lambda a: meant(definition, [a[0], *entries]))

    def table(
        self, rows: Sequence[Affine], function: Callable[[Sequence[IntArray]], IntArray] = lambda a: a[0]
    ) -> Tabled:
        """Return a function of some expressions as a table."""
        known = [[(a, *self.known[u]) for u, a in parts.items()] for parts, _ in rows]
        scope = tuple(sorted({v for parts in known for _, own, _ in parts for v in own}))
        shape = tuple(len(self.domains[v]) for v in scope)
        self.cells += prod(shape)
        if len(scope) > 2 or prod(shape) > MOST_CELLS or self.cells > MOST_IN_ALL:
            raise NotSimpleError
        arguments = [_values(c, parts, scope) for (_, c), parts in zip(rows, known, strict=True)]
        return scope, self._shared(self._checked(np.broadcast_to(function(arguments), shape)))

    @staticmethod
    def _checked(values: IntArray) -> IntArray:
        if values.size and max(abs(int(values.max())), abs(int(values.min()))) > LARGEST:
            raise NotSimpleError
        return values

    def _row(self, affine: Affine, relation: int) -> SumRow:
        kind, sign = RELATIONS[relation]
        return self._sum(kind, sign, affine[1], ((a, self.known[v]) for v, a in affine[0].items()))

    def _sum(self, kind: int, sign: int, constant: int, terms: Iterable[tuple[int, Tabled]]) -> SumRow:
        tables: dict[Scope, IntArray] = {}
        for a, (scope, values) in terms:
            key = sign * a, id(values)
            if key not in self._multiples:
                self._multiples[key] = self._shared(self._checked(sign * a * values))
            found = self._multiples[key]
            tables[scope] = self._shared(self._checked(tables[scope] + found)) if scope in tables else found
        return SumRow(kind, sign * constant + int(tables.pop((), 0)), tables)

    def _count(self, terms: object, value: object, relation: int, wanted: object) -> SumRow:
        """Return a count as a row: of each term, whether it has the value, less how often it is wanted."""
        (value_row,), (wanted_row,) = affines(value), affines(wanted)  # type: ignore[arg-type]
        kind, sign = RELATIONS[relation]
        each = [
            (1, self.table([row, value_row], lambda a: (a[0] == a[1]).astype(np.int64)))
            for row in affines(terms)  # type: ignore[arg-type]
        ]
        each += [(-a, self.known[v]) for v, a in wanted_row[0].items()]
        return self._sum(kind, sign, -wanted_row[1], each)


class _Entries:
    """What the terms of a block's definitions are made of, as tables of variables.

    Attributes
    ----------
    scopes
        Of each definition.

    Raises
    ------
    NotSimpleError
        If a definition depends on more than two variables.
    """

    def __init__(self, block: DefinitionBlock, known: Mapping[int, Tabled]) -> None:
        terms, many = block.terms, len(block.results)
        self.constants = terms.constant.reshape(many, block.each)
        kept = np.flatnonzero(terms.coefficient)
        self.coefficient = terms.coefficient[kept]
        of_terms = terms.owners
        of, self.argument = np.divmod(of_terms[kept], max(1, block.each))
        self.start = offsets(np.bincount(of, minlength=many))
        variables, self.table = np.unique(terms.variable[kept], return_inverse=True)
        self.tables = [known[v] for v in variables.tolist()]
        ends = np.array([(own[0], own[-1]) if own else _NONE for own, _ in self.tables], dtype=np.int64)
        first, last = ends.reshape(-1, 2)[self.table].T
        low, high = np.full(many, _NONE[0]), np.full(many, _NONE[1])
        np.minimum.at(low, of, first)
        np.maximum.at(high, of, last)
        self.scopes = [_scope(v, w) for v, w in zip(low.tolist(), high.tolist(), strict=True)]
        low, high = low[of], high[of]
        self.sides = (first == low) + 2 * (last == high)  # 3: a table of all that its definition depends on
        within = ((first == low) | (first == high)) & ((last == low) | (last == high))
        if not (within | (first > last)).all():
            raise NotSimpleError

    def arguments(self, some: Sequence[int], shape: tuple[int, ...]) -> IntArray:
        """Return the arguments of definitions with tables of one shape, (arguments, definitions, *shape)."""
        each = self.constants.shape[1]
        x = self.constants[some].reshape(-1, *[1] * len(shape)) + np.zeros(shape, dtype=np.int64)
        first, lengths = self.start[some], self.start[np.add(some, 1)] - self.start[some]
        start = offsets(lengths)
        mine = (first - start[:-1]).repeat(lengths) + np.arange(start[-1])
        row, sides = each * np.arange(len(some)).repeat(lengths) + self.argument[mine], self.sides[mine]
        for side in distinct(sides).tolist():
            here = sides == side
            tables = np.stack([self.tables[k][1] for k in self.table[mine[here]].tolist()])
            begin = np.flatnonzero(np.diff(row[here], prepend=-1))
            sums = np.add.reduceat((tables.T * self.coefficient[mine[here]]).T, begin, axis=0)
            beside = {0: (-1, *[1] * len(shape)), 1: (-1, *shape[:1], 1), 2: (-1, 1, *shape[1:])}
            x[row[here][begin]] += sums.reshape(beside.get(side, sums.shape))
        return x.reshape(len(some), each, *shape).swapaxes(0, 1)


_NONE = 1 << 62, -1
"""The first and the last variable of no scope."""


def _scope(first: int, last: int) -> Scope:
    return () if first > last else (first,) if first == last else (first, last)


def _values(constant: int, parts: Iterable[tuple[int, Scope, IntArray]], scope: Scope) -> IntArray:
    """Return the values of an expression over a scope that has all its variables."""
    total: IntArray = np.array(constant, dtype=np.int64)
    for a, own, values in parts:
        total = total + a * spread(values, own, scope)
    return total


def _total(rows: Sequence[Affine], constant: int) -> Affine:
    """Return the sum of some expressions and a number."""
    parts: dict[int, int] = defaultdict(int)
    for row, c in rows:
        constant += c
        for v, a in row.items():
            parts[v] += a
    return parts, constant


def spread(values: IntArray, own: Scope, scope: Scope) -> IntArray:
    """Return values over a scope's variables so that they fit beside those over more variables."""
    if own == scope or not own:
        return values
    return values[:, None] if own[0] == scope[0] else values[None, :]


# ---- cardinalities --------------------------------------------------------------------------------------


def multisets(model: Tabulated) -> tuple[list[Multiset], list[SumRow]]:
    """Return the variables whose values are all counted by equalities, and the rows but for these."""
    counted: dict[Scope, dict[int, tuple[int, SumRow]]] = defaultdict(dict)
    for row in model.rows:
        found = _counted(row)
        if found is not None:
            scope, place, number = found
            counted[scope][place] = number, row
    taken: set[int] = set()
    groups, gone = [], set()
    for scope, numbers in sorted(counted.items(), key=lambda item: -len(item[0])):
        common = all(np.array_equal(model.domains[v], model.domains[scope[0]]) for v in scope)
        if sum(k for k, _ in numbers.values()) != len(scope) or not common or not taken.isdisjoint(scope):
            continue
        taken |= set(scope)
        places = [place for place, (k, _) in sorted(numbers.items()) for _ in range(k)]
        groups.append(Multiset(np.array(scope, dtype=np.int64), np.array(places, dtype=np.int64)))
        gone |= {id(row) for _, row in numbers.values()}
    return groups, [row for row in model.rows if id(row) not in gone]


def _counted(row: SumRow) -> tuple[Scope, int, int] | None:
    """Return the variables of which a row counts those with a value, its place, and how many it wants."""
    if row.kind != EQUAL or any(len(scope) != 1 for scope in row.tables) or not row.tables:
        return None
    sign = 1 if row.constant <= 0 else -1
    places = set()
    for values in row.tables.values():
        (at,) = np.nonzero(values)
        if len(at) != 1 or values[at[0]] != sign:
            return None
        places.add(int(at[0]))
    if len(places) != 1:
        return None
    return tuple(sorted(scope[0] for scope in row.tables)), places.pop(), abs(row.constant)
