"""Constraints as clauses and rows, for the search that learns: each of these explains what it does exactly.

The variables that are added are the same with and without clauses apart, so that an audit knows them: there
they are defined by the propagators that are no longer needed here.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.clauses import Clause, StatedClauses
from cpqueens.backends.backtracking.rows import TermBuilder
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.backends.backtracking.wholes.registry import numbers_of, table_propagator
from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.learning import literals as lit
from cpqueens.language.constraints.circuit import Inverse
from cpqueens.language.constraints.count import GlobalCardinality, NValue
from cpqueens.language.constraints.cumulative import Cumulative
from cpqueens.language.constraints.ordered import LexChain, Lexicographic
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable
from cpqueens.language.constraints.table_rows import STAR
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, LE, NE, offsets

MOST = 1 << 14
"""Literals, or pairs of a variable and a value, that a constraint may become."""

WIDEST = 1 << 12
"""Values between the bounds of a variable that is told apart by values."""


class ExplainedParts(TermBuilder):
    """The network of the search that learns, which is being built.

    Attributes
    ----------
    clausal
        Whether clauses are apart; else propagators say all.
    truths_of_values
        The variables that say of others whether they have some values.
    collected
        The clauses.
    """

    clausal: bool
    collected: StatedClauses
    truths_of_values: dict[tuple[int, tuple[int, ...]], int]

    def add_apart(self, own: Propagator) -> None:
        """Add a propagator for what clauses say, where there are none."""
        if not self.clausal:
            TermBuilder.propagator(self, own)

    def clause(self, literals: Clause) -> None:
        """Add a clause, which `add_apart` says where there are none."""
        self.collected.add(literals)


def _are_narrow(builder: ExplainedParts, variables: Sequence[int]) -> bool:
    """Say whether each value of some variables may have a literal."""
    spans = builder.spans(variables)
    return max(spans, default=0) <= WIDEST and sum(spans) <= MOST


def truth_of_value(builder: ExplainedParts, v: int, values: Sequence[int]) -> int:
    """Return a variable that says whether ``v`` has one of some ascending values."""
    low, high = builder.bounds(v)
    values = [w for w in values if low <= w <= high]
    if (low, high) == (0, 1) and values == [1]:
        return v
    key = v, tuple(values)
    if key in builder.truths_of_values:
        return builder.truths_of_values[key]
    truth = builder.truths_of_values[key] = builder.new_variable(0, 1)
    builder.add_apart(Propagator("among", [v, truth], numbers=values))
    if not values:
        builder.clause([(truth, lit.AT_MOST, 0)])
    elif len(values) == values[-1] - values[0] + 1 > 1:
        builder.clause([(truth, lit.AT_MOST, 0), (v, lit.AT_LEAST, values[0])])
        builder.clause([(truth, lit.AT_MOST, 0), (v, lit.AT_MOST, values[-1])])
        outside = [(v, lit.AT_MOST, values[0] - 1), (v, lit.AT_LEAST, values[-1] + 1)]
        builder.clause([(truth, lit.AT_LEAST, 1), *outside])
    else:
        builder.clause([(truth, lit.AT_MOST, 0), *((v, lit.IS, w) for w in values)])
        for w in values:
            builder.clause([(truth, lit.AT_LEAST, 1), (v, lit.IS_NOT, w)])
    return truth


def add_sum(builder: ExplainedParts, parts: Sequence[tuple[int, int]], constant: int, relation: int) -> None:
    """Add a row of pairs (variable, coefficient), in which a variable may occur several times."""
    row: dict[int, int] = {}
    for v, a in parts:
        row[v] = row.get(v, 0) + a
    row = {v: a for v, a in row.items() if a}
    builder.linear((tuple(row), tuple(row.values()), constant), relation)


def add_number(builder: ExplainedParts, variables: Sequence[int], values: Sequence[int], number: int) -> bool:
    """Add that so many variables as ``number`` says have one of some values; return whether that was done."""
    if not _are_narrow(builder, variables) or len(variables) * len(values) > MOST:
        return False
    truths = [truth_of_value(builder, v, values) for v in variables]
    add_sum(builder, [*((b, 1) for b in truths), (number, -1)], 0, EQ)
    return True


def add_table(builder: ExplainedParts, variables: Sequence[int], rows: IntArray) -> bool:
    """Add a table: a variable says which row it is; two columns go without. Return whether that was done."""
    if not len(rows) or not _are_narrow(builder, variables) or rows.size > MOST or len(rows) > WIDEST:
        return False
    if len(set(variables)) < len(variables):
        return False
    if len(variables) == 2 and not (rows == STAR).any():
        builder.add_apart(table_propagator("table", variables, rows))
        for here, there in ((0, 1), (1, 0)):
            _support(builder, variables[here], rows[:, here], variables[there], rows[:, there])
        return True
    chosen, numbers = builder.new_variable(0, len(rows) - 1), np.arange(len(rows))
    builder.add_apart(table_propagator("table", [*variables, chosen], np.column_stack([rows, numbers])))
    for v, column in zip(variables, rows.T, strict=True):
        _support(builder, v, column, chosen, numbers)
        named = np.flatnonzero(column != STAR)
        literals = np.empty((len(named), 2, 3), dtype=np.int64)
        literals[:, 0], literals[:, 1] = (chosen, lit.IS_NOT, 0), (v, lit.IS, 0)
        literals[:, 0, 2], literals[:, 1, 2] = named, column[named]
        builder.collected.extend(np.full(len(named), 2), literals)
    return True


def _support(builder: ExplainedParts, v: int, column: IntArray, other: int, evidence: IntArray) -> None:
    """Let each value of a variable have one of the rows with it, of which another's values are evidence."""
    low, high = builder.bounds(v)
    wide = np.arange(low, high + 1)
    stars = np.flatnonzero(column == STAR)
    named = np.flatnonzero((column != STAR) & (column >= low) & (column <= high))
    values = np.concatenate([np.repeat(wide, len(stars)), column[named]])
    rows = np.concatenate([np.tile(stars, len(wide)), named])
    order = np.argsort(values, kind="stable")
    lengths = 1 + np.bincount(values - low, minlength=len(wide))
    literals = np.empty((len(wide) + len(rows), 3), dtype=np.int64)
    is_first = np.zeros(len(literals), dtype=np.bool_)
    is_first[offsets(lengths)[:-1]] = True
    literals[:, 0], literals[:, 1] = np.where(is_first, v, other), np.where(is_first, lit.IS_NOT, lit.IS)
    literals[is_first, 2], literals[~is_first, 2] = wide, evidence[rows[order]]
    known = lengths <= len(column)  # else every row has the value
    builder.collected.extend(lengths[known], literals[np.repeat(known, lengths)])


# ---- constraints that are taken as they are ---------------------------------------------------------------


def _global_cardinality(constraint: GlobalCardinality, builder: ExplainedParts) -> bool:
    terms, values = builder.variables(constraint.terms), constraint.values
    if not _are_narrow(builder, terms) or len(terms) * len(values) > MOST:
        return False
    for value, number in zip(values, numbers_of(constraint, builder), strict=True):
        add_number(builder, terms, [value], number)
    if constraint.closed:
        for v in terms:
            low, high = builder.bounds(v)
            for w in set(range(low, high + 1)).difference(values):
                builder.linear(((v,), (1,), -w), NE)
    return True


def _n_value(constraint: NValue, builder: ExplainedParts) -> bool:
    terms = builder.variables(constraint.terms)
    (number,) = builder.variables(constraint.count)
    if not _are_narrow(builder, terms):
        return False
    having: dict[int, list[int]] = {}
    for v in dict.fromkeys(terms):
        low, high = builder.bounds(v)
        for w in range(low, high + 1):
            having.setdefault(w, []).append(truth_of_value(builder, v, [w]))
    used = []
    for truths in having.values():
        used.append(builder.new_variable(0, 1))
        builder.add(kinds.TRUTH_OR, truths, [1] * len(truths), result=used[-1])
    add_sum(builder, [*((b, 1) for b in used), (number, -1)], 0, EQ)
    return True


def _inverse(constraint: Inverse, builder: ExplainedParts) -> bool:
    first, second = builder.variables(constraint.first), builder.variables(constraint.second)
    if len(first) * len(second) > MOST or not _are_narrow(builder, [*first, *second]):
        return False
    for side, other in ((first, second), (second, first)):
        for i, v in enumerate(side):
            low, high = builder.bounds(v)
            for j in range(low, high + 1):
                back = [(other[j], lit.IS, i)] if 0 <= j < len(other) else []
                builder.clause([(v, lit.IS_NOT, j), *back])
        builder.all_different([((v,), (1,), 0) for v in side])
    builder.add_apart(Propagator("inverse", [*first, *second]))
    return True


def _regular(constraint: Regular, builder: ExplainedParts) -> bool:
    layers, possible = constraint.layers()
    if not possible or 3 * sum(map(len, layers)) > MOST:
        return False
    terms = builder.variables(constraint.terms)
    if not _are_narrow(builder, terms):
        return False
    ends = [np.unique(arcs[:, 2]) for arcs in layers]
    before = None
    for k, arcs in enumerate(layers):
        heads = np.searchsorted(ends[k], arcs[:, 2])
        after = builder.new_variable(0, len(ends[k]) - 1)
        columns, variables = [arcs[:, 1], heads], [terms[k], after]
        if before is not None:
            columns.insert(0, np.searchsorted(ends[k - 1], arcs[:, 0]))
            variables.insert(0, before)
        rows = np.unique(np.column_stack(columns), axis=0)
        if not add_table(builder, variables, rows):
            builder.propagator(table_propagator("table", variables, rows))
        before = after
    return True


def _negative_table(constraint: NegativeTable, builder: ExplainedParts) -> bool:
    variables = builder.variables(constraint.terms)
    if constraint.rows.size > MOST or not _are_narrow(builder, variables) or not builder.clausal:
        return False
    for row in constraint.rows.tolist():
        literals = [(v, lit.IS_NOT, w) for v, w in zip(variables, row, strict=True) if w != STAR]
        builder.clause(literals)
    return True


def _cumulative(constraint: Cumulative, builder: ExplainedParts) -> bool:
    """Add what runs at each time, where durations and demands are constants."""
    sides = (constraint.start, constraint.duration, constraint.demand, constraint.present)
    starts, durations, demands, presences = (builder.variables(side) for side in sides)
    (capacity,) = builder.variables(constraint.capacity.reshape(-1))
    bounds = [builder.bounds(v) for v in (*durations, *demands)]
    if any(low != high or low < 0 for low, high in bounds):
        return False
    lengths = [builder.bounds(v)[0] for v in durations]
    if sum(s + d for s, d in zip(builder.spans(starts), lengths, strict=True)) > MOST:
        return False
    running: dict[int, list[tuple[int, int]]] = {}
    for k, (v, length) in enumerate(zip(starts, lengths, strict=True)):
        demand, (low, high) = builder.bounds(demands[k])[0], builder.bounds(v)
        for t in range(low, high + length) if length and demand else ():
            runs = truth_of_value(builder, v, range(max(low, t - length + 1), min(high, t) + 1))
            if builder.bounds(presences[k])[0] < 1:
                both = builder.new_variable(0, 1)  # the negation
                builder.add(kinds.TRUTH_OR, [runs, presences[k]], [-1, -1], result=both)
                running.setdefault(t, []).append((both, -demand))
            else:
                running.setdefault(t, []).append((runs, demand))
    for parts in running.values() or [[]]:  # with nothing that runs the capacity is not negative all the same
        constant = sum(-a for _, a in parts if a < 0)
        add_sum(builder, [*parts, (capacity, -1)], constant, LE)
    return True


def _add_order(first: list[int], second: list[int], strict: bool, builder: ExplainedParts) -> None:
    """Add that an array is before another one: while all before were equal, no entry is greater."""
    equal: list[int] = []  # a truth: all entries so far are equal
    for v, w in zip(first, second, strict=True):
        row = (v, w), (1, -1), 0
        here, at_most = builder.new_variable(0, 1), builder.new_variable(0, 1)
        builder.truth(row, LE, at_most)
        builder.truth(row, EQ, here)
        builder.add(kinds.CLAUSE, [*equal, at_most], [*[-1] * len(equal), 1])
        if equal:
            differs = builder.new_variable(0, 1)
            both = builder.new_variable(0, 1)
            builder.add(kinds.TRUTH_OR, [*equal, here], [-1, -1], result=differs)
            builder.linear(((differs, both), (1, 1), -1), EQ)
            here = both
        equal = [here]
    if strict:
        builder.add(kinds.CLAUSE, equal, [-1] * len(equal))


def _lexicographic(constraint: Lexicographic, builder: ExplainedParts) -> bool:
    first, second = builder.variables(constraint.first), builder.variables(constraint.second)
    if set(first) & set(second):
        return False
    _add_order(first, second, constraint.strict, builder)
    return True


def _lex_chain(constraint: LexChain, builder: ExplainedParts) -> bool:
    rows = [builder.variables(row) for row in constraint.matrix]
    if 4 * constraint.matrix.size > MOST or len({v for row in rows for v in row}) < constraint.matrix.size:
        return False
    for first, second in pairwise(rows):
        _add_order(first, second, constraint.order.strict, builder)
    return True


DECOMPOSED: Mapping[str, Callable[[Any, ExplainedParts], bool]] = {
    "Cumulative": _cumulative,
    "GlobalCardinality": _global_cardinality,
    "Inverse": _inverse,
    "LexChainLess": _lex_chain,
    "LexChainLessEqual": _lex_chain,
    "LexLess": _lexicographic,
    "LexLessEqual": _lexicographic,
    "NValue": _n_value,
    "NegativeTable": _negative_table,
    "Regular": _regular,
    "ShortTable": lambda c, builder: add_table(builder, builder.variables(c.terms), c.rows),
}
"""By kind of constraint: adds it and returns true, or adds nothing that the propagator does not bear."""
