"""The linear rows of a compiled model: those that are stated, and those that definitions imply within bounds.

Truths of rows have them with a large coefficient, products by McCormick (1976), "Computability of global
solutions to factorable nonconvex programs". AllDifferents, circuits and elements of numbers have theirs over
a 0/1 column for each value, of which the model need not have variables: for a bound at the root alone, as at
nodes they saved few of these.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, product
from typing import NamedTuple

import numpy as np

from cpqueens.backends.backtracking.rows import Row, groups, rows_of
from cpqueens.lowered.compiled import EQ, GE, NE, Compiled, DefinitionBlock
from cpqueens.lowered.presolve.cliques import LOOKS, Edges, cover

STEEPEST = 1 << 40
"""Coefficients and constants of a row beyond which floating point means nothing."""

Ends = tuple[Sequence[int], Sequence[int]]
"""The least and the greatest value of each variable."""


class Inequality(NamedTuple):
    """What holds in every solution: ``row <= 0``, or ``row == 0``."""

    row: Row
    equal: bool = False


def total(parts: Iterable[tuple[int, Row]], constant: int = 0) -> Row:
    """Return a sum of multiples of rows, each variable once and none with coefficient 0."""
    sums: dict[int, int] = {}
    for factor, (variables, coefficients, own) in parts:
        constant += factor * own
        for v, a in zip(variables, coefficients, strict=True):
            sums[v] = sums.get(v, 0) + factor * a
    kept = {v: a for v, a in sums.items() if a}
    return tuple(kept), tuple(kept.values()), constant


def ends_of(row: Row, ends: Ends) -> tuple[int, int]:
    """Return the least and the greatest value of a row within the variables' ends."""
    low = high = row[2]
    for v, a in zip(*row[:2], strict=True):
        low += a * ends[a < 0][v]
        high += a * ends[a > 0][v]
    return low, high


def entries(c: Compiled) -> int:
    """Return about how many coefficients the inequalities of a model have."""
    defined = sum(2 * len(block.terms.variable) for block in c.definitions.blocks if block.kind in DEFINED)
    return len(c.linear.variable) + len(c.literals.variable) + defined


def inequalities(c: Compiled, ends: Ends) -> list[Inequality]:
    """Return rows that hold in all solutions, those that say something within the ends, and cliques of pairs.

    ``ends`` are those of the model's variables after propagation at the root.
    """
    return _with_cliques([one for one in _stated(c, ends) if _says_something(one, ends)], ends)


def _says_something(one: Inequality, ends: Ends) -> bool:
    """Say whether a row excludes anything within the ends, and means something in floating point."""
    low, high = ends_of(one.row, ends)
    steepest = max(map(abs, one.row[1]), default=0)
    return (high > 0 or (one.equal and low < 0)) and max(steepest, abs(one.row[2])) <= STEEPEST


def _stated(c: Compiled, ends: Ends) -> Iterator[Inequality]:
    """Yield the rows of a model, of whose variables ``ends`` are those after propagation at the root.

    A truth that nothing else is said of has none.
    """
    used = {v for block in c.definitions.blocks for v in block.terms.variable.tolist()}
    used.update(c.literals.variable.tolist())
    if c.objective is not None:
        used.update(c.objective.variable.tolist())
    for row, relation in zip(rows_of(c.linear), c.relation.tolist(), strict=True):
        if relation != NE:
            if len(row[0]) > 1:  # others are seen in the ends
                used.update(row[0])
            stated = total([(-1, row)]) if relation == GE else row
            yield Inequality(stated, relation == EQ)
            yield from _switched(stated, ends)
            if relation == EQ:
                yield from _switched(total([(-1, row)]), ends)
    for literals in groups(c.literals, c.clause_start):
        yield Inequality(total([(-1, literal) for literal in literals], 1))
    for block in c.definitions.blocks:
        implied = DEFINED.get(block.kind)
        if implied is not None and block.each:  # a truth of nothing is known
            rows = rows_of(block.terms)
            cuts = range(0, len(rows) + 1, block.each)
            for result, (a, b) in zip(block.results.tolist(), pairwise(cuts), strict=True):
                if not block.is_truth or result in used or ends[0][result] == ends[1][result]:
                    yield from implied(block, ((result,), (1,), 0), rows[a:b], ends)
    yield from _distributed(c)
    yield from _one_value_each(c, ends)


def _switched(row: Row, ends: Ends) -> Iterator[Inequality]:
    """Yield that ``row <= 0`` holds other variables at an end where a 0/1 variable is off, one by one.

    A warehouse that serves nobody while it is closed serves no customer then: that says more than their sum.
    """
    most = max(map(abs, row[1]), default=0)
    if most < 2:  # no other one spans less than it, as in most rows
        return
    low, _ = ends_of(row, ends)
    for v, a in zip(*row[:2], strict=True):
        if (ends[0][v], ends[1][v]) != (0, 1) or not -most < low + abs(a) <= 0:
            continue
        off: Row = ((v,), (1,), 0) if a < 0 else ((v,), (-1,), 1)  # 0 where it is off
        for w, b in zip(*row[:2], strict=True):
            span = ends[1][w] - ends[0][w]
            if low + abs(a) + abs(b) > 0 and 0 < span * abs(b) < abs(a):
                at, sign = (ends[0][w], 1) if b > 0 else (ends[1][w], -1)
                yield Inequality(total([(sign, ((w,), (1,), -at)), (-span, off)]))


def _truth(block: DefinitionBlock, result: Row, terms: Sequence[Row], ends: Ends) -> Iterator[Inequality]:
    """Yield what ties a truth to its row: what is said of one within the ends of the other."""
    (row,), relation = terms, block.relation
    if relation == GE:
        row = total([(-1, row)])
    low, high = ends_of(row, ends)
    if relation not in (EQ, NE):
        yield Inequality(total([(1, row), (high, result)], -high))  # where it is true, row <= 0
        yield Inequality(total([(-1, row), (low - 1, result)], 1))  # where it is not, row >= 1
        return
    holds = total([(-1, result)], 1) if relation == NE else result
    yield Inequality(total([(1, row), (high, holds)], -high))
    yield Inequality(total([(-1, row), (-low, holds)], low))
    if low == 0:  # where it is not 0, it is at least 1
        yield Inequality(total([(-1, row), (-1, holds)], 1))
    if high == 0:
        yield Inequality(total([(1, row), (-1, holds)], 1))


def _any(block: DefinitionBlock, result: Row, terms: Sequence[Row], ends: Ends) -> Iterator[Inequality]:
    yield Inequality(total([(1, result), *((-1, term) for term in terms)]))
    yield from (Inequality(total([(1, term), (-1, result)])) for term in terms)


def _product(block: DefinitionBlock, result: Row, terms: Sequence[Row], ends: Ends) -> Iterator[Inequality]:
    """Yield that distances of two factors from their ends have no negative product."""
    x, y = terms
    (x_low, x_high), (y_low, y_high) = (ends_of(term, ends) for term in terms)
    for a, b, sign in ((x_low, y_low, 1), (x_high, y_high, 1), (x_low, y_high, -1), (x_high, y_low, -1)):
        yield Inequality(total([(-sign, result), (sign * b, x), (sign * a, y)], -sign * a * b))


def _maximum(block: DefinitionBlock, result: Row, terms: Sequence[Row], ends: Ends) -> Iterator[Inequality]:
    yield from (Inequality(total([(1, term), (-1, result)])) for term in terms)


def _minimum(block: DefinitionBlock, result: Row, terms: Sequence[Row], ends: Ends) -> Iterator[Inequality]:
    yield from (Inequality(total([(-1, term), (1, result)])) for term in terms)


def _absolute(block: DefinitionBlock, result: Row, terms: Sequence[Row], ends: Ends) -> Iterator[Inequality]:
    yield from (Inequality(total([(sign, terms[0]), (-1, result)])) for sign in (1, -1))


DEFINED: Mapping[str, Callable[[DefinitionBlock, Row, Sequence[Row], Ends], Iterator[Inequality]]] = {
    "abs": _absolute,
    "maximum": _maximum,
    "minimum": _minimum,
    "product": _product,
    "truth_linear": _truth,
    "truth_or": _any,
}
"""By kind of definition, what its arguments and its result imply."""


def _distributed(c: Compiled) -> Iterator[Inequality]:
    """Yield that a variable times a sum is the sum of its products, where the model has all of these."""
    products: dict[tuple[Row, Row], int] = {}
    for block in c.definitions.blocks:
        if block.kind == "product":
            rows = rows_of(block.terms)
            for x, y, result in zip(rows[::2], rows[1::2], block.results.tolist(), strict=True):
                products[x, y] = products[y, x] = result
    for (x, (variables, coefficients, constant)), result in products.items():
        parts = [products.get((x, ((v,), (1,), 0))) for v in variables]
        if x[1:] == ((1,), 0) and (coefficients, constant) != ((1,), 0):
            known = [(a, ((p,), (1,), 0)) for a, p in zip(coefficients, parts, strict=True) if p is not None]
            if len(known) == len(parts):
                each: list[tuple[int, Row]] = [*known, (constant, x), (-1, ((result,), (1,), 0))]
                yield Inequality(total(each), True)


def _asked(c: Compiled) -> dict[int, dict[int, Row]]:
    """Return by variable the values that it is compared with, and for each what is 1 where it has it."""
    asked: dict[int, dict[int, Row]] = {}
    for block in c.definitions.blocks:
        singles = block.terms.singles(0, len(block.terms)) if block.kind == "truth_linear" else None
        if singles is not None and block.relation in (EQ, NE):
            sign, if_false = (1, 0) if block.relation == EQ else (-1, 1)
            for result, v, a, constant in zip(
                block.results.tolist(), *(s.tolist() for s in singles), strict=True
            ):
                if constant % a == 0:
                    asked.setdefault(v, {})[-constant // a] = (result,), (sign,), if_false
    return asked


def _one_value_each(c: Compiled, ends: Ends) -> Iterator[Inequality]:
    """Yield that a variable has at most one value of those it is compared with; if of all, which."""
    for v, truths in _asked(c).items():
        values = c.domains.get(v, range(ends[0][v], ends[1][v] + 1))
        once = [(1, truth) for truth in truths.values()]
        is_whole = len(values) <= len(truths) and set(np.asarray(values).tolist()) <= truths.keys()
        if is_whole or len(truths) > 1:
            yield Inequality(total(once, -1), is_whole)
        if is_whole:
            yield Inequality(total([*truths.items(), (-1, ((v,), (1,), 0))]), True)


MOST_INDICATORS = 1 << 14
"""Columns for values."""


class _Indicators:
    """A 0/1 column for each value of some variables: a truth of the model, or one of its own behind these."""

    def __init__(self, c: Compiled, ends: Ends) -> None:
        self.c, self.ends, self.asked, self.count = c, ends, _asked(c), c.variable_count
        self.of: dict[int, dict[int, Row]] = {}  # by variable and value

    def add(self, v: int) -> None:
        """Make those of a variable."""
        low, high = self.ends[0][v], self.ends[1][v]
        self.of[v] = {}
        for value in self.c.domains.get(v, range(low, high + 1)):
            if low <= value <= high:
                new: Row = (self.count,), (1,), 0
                self.of[v][int(value)] = self.asked.get(v, {}).get(int(value), new)
                self.count += self.of[v][int(value)] is new

    def weighed(self, v: int, weights: Mapping[int, int], less: Row) -> Inequality:
        """Return that the columns, each times the number for its value, 0 for some, are as much as a row."""
        parts = [(weights.get(w, 0), x) for w, x in self.of[v].items()]
        return Inequality(total([*parts, (-1, less)]), True)


def _element(block: DefinitionBlock) -> tuple[int, Row, list[int]]:
    """Return the result, the position and the numbers of an element."""
    return block.result, rows_of(block.terms)[0], block.terms.constant[1:].tolist()


def by_values(c: Compiled, ends: Ends) -> list[Inequality]:
    """Return rows of AllDifferents, circuits and elements of numbers; columns not of the model are 0 or 1."""
    one, found = _Indicators(c, ends), list[Inequality]()
    circuits = (w.terms(w.constraint.successor) for w in c.wholes if w.constraint.kind.endswith("Circuit"))
    different = [*groups(c.different, c.different_start), *map(rows_of, circuits)]
    compared = one.asked.keys() & {v for terms in different for variables, _, _ in terms for v in variables}
    blocks = chain.from_iterable(block for block in c.definitions.blocks if block.kind == "element")
    elements = [_element(block) for block in blocks if block.is_table]
    for v in dict.fromkeys([*compared, *(position[0][0] for _, position, _ in elements)]):
        if one.count + ends[1][v] - ends[0][v] < c.variable_count + MOST_INDICATORS:
            one.add(v)
    for v in one.of:
        found += [
            one.weighed(v, dict.fromkeys(one.of[v], 1), ((), (), 1)),
            one.weighed(v, {w: w for w in one.of[v]}, ((v,), (1,), 0)),
        ]
    for result, position, table in elements:
        (v,), (a,), k = position
        if v in one.of:
            listed = {w: table[a * w + k] for w in one.of[v] if 0 <= a * w + k < len(table)}
            found.append(one.weighed(v, listed, ((result,), (1,), 0)))
    for terms in different:
        having: dict[int, list[tuple[int, Row]]] = {}
        for variables, coefficients, constant in terms:
            for w, x in one.of.get(variables[0], {}).items() if len(variables) == 1 else ():
                having.setdefault(coefficients[0] * w + constant, []).append((1, x))
        found += [Inequality(total(each, -1)) for each in having.values() if len(each) > 1]
    return found


MOST_EDGES = 1 << 14
"""Pairs of literals of which not both are true, among which cliques are looked for."""


def _with_cliques(rows: Sequence[Inequality], ends: Ends) -> list[Inequality]:
    """Return rows in which those of pairs of literals are replaced by one for each clique of them.

    Of several literals any two of which are not both true at most one is true, which the pairs do not say of
    parts of 1: all of them may be a half.
    """
    edges: Edges = {}
    pairs: dict[int, tuple[int, int]] = {}  # by number of a row all that it says
    for number, one in enumerate(rows):
        excluded = _excluded(one, ends)
        if len(excluded) == 1:
            pairs[number] = excluded[0]
        for x, y in chain(excluded, (pair[::-1] for pair in excluded)):
            edges.setdefault((x, y), set()).add(0)
    if len(edges) > 2 * MOST_EDGES:
        return list(rows)
    found = [[x for x, _ in members] for members in cover(edges, LOOKS * len(edges)) if len(members) > 2]
    covered = {(x, y) for members in found for x in members for y in members}
    kept = [one for number, one in enumerate(rows) if pairs.get(number) not in covered]
    return kept + [Inequality(total(((1, _literal(x)) for x in members), -1)) for members in found]


def _literal(x: int) -> Row:
    """Return the 0/1 term of a literal: of twice the variable's number, or of one more for its negation."""
    return ((x >> 1,), (-1,), 1) if x & 1 else ((x >> 1,), (1,), 0)


def _excluded(one: Inequality, ends: Ends) -> list[tuple[int, int]]:
    """Return which pairs of literals of two 0/1 variables are not both true, by a row of no others."""
    (variables, coefficients, constant), equal = one
    free = [(v, a) for v, a in zip(variables, coefficients, strict=True) if ends[0][v] < ends[1][v]]
    if len(free) != 2 or any((ends[0][v], ends[1][v]) != (0, 1) for v, _ in free):
        return []
    (v, a), (w, b) = free
    fixed = constant + sum(c * ends[0][u] for u, c in zip(variables, coefficients, strict=True))
    values = ((x, y, fixed + a * x + b * y) for x, y in product((0, 1), repeat=2))
    return [(2 * v + 1 - x, 2 * w + 1 - y) for x, y, value in values if value > 0 or (equal and value < 0)]
