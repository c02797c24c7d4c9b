"""From compiled arrays to propagators: the exact engine's network, with variables for compound terms."""

from array import array
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import chain, combinations, pairwise, repeat
from typing import TypeVar

import numpy as np

from cpqueens.backends.backtracking.rows import (
    AT_ONCE,
    FEW,
    FEW_ROWS,
    SPLIT,
    LazyRows,
    Row,
    TermBuilder,
    difference,
    groups,
    in_pieces,
    integers,
    rows_of,
)
from cpqueens.backends.backtracking.watching import Sources
from cpqueens.backends.backtracking.wholes import bounds, implied
from cpqueens.backends.backtracking.wholes.registry import WHOLES, add_machines, precede, table_propagator
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, DefinitionBlock, Terms
from cpqueens.lowered.forms import IMPLIED, OBJECTIVE, SEARCH, Origins

Made = TypeVar("Made")

PAIRS = 1 << 12
"""Pairs of terms of one AllDifferent that are compared with each other where a term has several variables."""

WIDE = 1 << 8
"""Values of each variable of an equation that is split into shorter ones."""

_LINEAR = {EQ: kinds.EQUAL, NE: kinds.DIFFERENT, LE: kinds.AT_MOST}
_KINDS = np.array([_LINEAR.get(relation, kinds.AT_MOST) for relation in range(max(EQ, NE, LE, GE) + 1)])

_ONE = (1,)


class Builder(TermBuilder):
    """Collects propagators and auxiliary variables."""

    clausal = False
    """Whether clauses are kept apart, by a search that learns."""

    def __init__(
        self,
        compiled: Compiled,
        strong: bool,
        learning: bool = False,
        sources: Origins | None = None,
        without: Collection[str] = (),
    ) -> None:
        super().__init__(compiled, learning)
        self.strong, self.without = strong, without
        self.sources, self.origin = sources or Origins(), SEARCH  # of what is being added
        self.different: list[IntArray] = []  # rows (variable, coefficient, constant)
        self.sums: list[list[Row]] = []
        self._apart: dict[tuple[int, ...], bool] = {}  # whether these entries of an element differ
        self.objective_row = -1
        self.orders: implied.Orders | None = None  # if distances are left out
        self.positions: dict[tuple[int, ...], int] = {}  # of what is at one place of entries that differ
        self.marks = None if sources is None else Sources(self)

    def each(self, items: Iterable[Made], origins: Iterable[int]) -> Iterator[Made]:
        """Yield what is to be added, and note where it comes from."""
        for item, self.origin in zip(items, origins, strict=False):
            yield item

    # ---- constraints ----------------------------------------------------------------------------

    def linear(self, row: Row, relation: int) -> None:
        """Add ``row relation 0``."""
        variables, coefficients, constant = row
        if relation == GE:
            self.add(kinds.AT_MOST, variables, [-a for a in coefficients], -constant)
        else:
            self.propagators.append(_LINEAR[relation], variables, coefficients, constant)
        if relation != EQ or not self.strong:
            return
        if len(variables) > FEW:
            self.split(row)
        elif len(variables) > 1 and implied.sees_values(self.spans(variables), coefficients):
            self.propagators.append(KINDS["equation_values"], variables, coefficients, constant)

    def split(self, row: Row) -> None:
        """Let a short equation look at values, by sums of what has the same coefficient.

        Bounds say little of a place in a matrix, the widest variable, whose row and column are sums.
        """
        variables, coefficients, constant = row
        if len(variables) > SPLIT or max(self.spans(variables)) > WIDE:
            return
        widest = max(variables, key=lambda v: self.upper[v] - self.lower[v])
        alike: dict[int, list[tuple[int, int]]] = {}
        for v, a in zip(variables, coefficients, strict=True):
            if v != widest:
                alike.setdefault(abs(a), []).append((v, 1 if a > 0 else -1))
        if len(alike) != FEW - 1:
            return
        parts = [(widest, coefficients[variables.index(widest)])]
        for a, members in alike.items():
            some, signs = zip(*members, strict=True)
            parts.append((some[0], a * signs[0]) if len(some) == 1 else (self.variable((some, signs, 0)), a))
        parts.sort()
        self.linear((tuple(v for v, _ in parts), tuple(a for _, a in parts), constant), EQ)

    def linears(self, linear: LazyRows) -> None:
        """Add linear rows: where there are many, all at once."""
        if self.marks is not None or len(linear) <= FEW_ROWS:
            for row, relation in self.each(linear, self.sources.linear):
                self.linear(row, relation)
            return
        equal = (linear.relation == EQ) & self.strong
        longer = np.flatnonzero(equal & (linear.terms.lengths > FEW) & (linear.terms.lengths <= SPLIT))
        for row, _ in linear.picked(longer):
            self.split(row)
        short = [self.seen(linear, np.flatnonzero(equal & (linear.terms.lengths == n)), n) for n in (2, 3)]
        seen = np.sort(np.concatenate(short))
        own = seen + np.arange(1, 1 + len(seen))  # what looks at values is behind its row
        linear = linear.picked(np.insert(np.arange(len(linear)), seen + 1, seen))
        terms, relations = linear.terms, linear.relation
        signs, codes = np.where(relations == GE, -1, 1), _KINDS[relations]
        codes[own] = KINDS["equation_values"]
        self.propagators.extend(
            codes, linear.terms.lengths, terms.variable,
            terms.coefficient * np.repeat(signs, linear.terms.lengths), terms.constant * signs,
        )  # fmt: skip

    def seen(self, linear: LazyRows, rows: IntArray, many: int) -> IntArray:
        """Return which of some equations, with so many variables each, look at values."""
        terms = linear.terms.picked(rows)
        v, spans = terms.variable.reshape(-1, many), integers(self.upper) - integers(self.lower) + 1
        return rows[implied.each_sees(spans[v], terms.coefficient.reshape(v.shape))] if len(rows) else rows

    def define(self, blocks: Sequence[DefinitionBlock]) -> None:
        """Add the propagators of definitions; mostly functions are of variables, but for a few arguments."""
        blocks = list(in_pieces(blocks, AT_ONCE if self.marks is None else 1))
        plain = [self.arguments(block) for block in blocks]
        ends = integers([self.lower, self.upper])
        for block, known in zip(blocks, plain, strict=True):
            self.origin = self.sources.owner(block.result)
            if known is None:
                (self.truths if block.is_truth else self.distances)(block)
            elif len(which := np.flatnonzero(known < 0)):
                known[which] = [self.variable(row) for row in rows_of(block.terms.picked(which))]
                self.functions(block, known)
            else:
                self.functions(block, known, ends[:, known])

    def arguments(self, block: DefinitionBlock) -> IntArray | None:
        """Return the variables that arguments are, -1 for terms; None where all are looked at as terms.

        Numbers have a variable each, equal ones the same: of tables there may be thousands.
        """
        if block.is_truth:
            return None
        found = block.terms.variables_or(-1)
        if found.min(initial=0) == 0:
            return found
        if block.kind == "abs" and self.strong:
            return None
        is_number = block.terms.lengths == 0
        numbers = block.terms.constant[is_number].tolist()
        known = {number: self.variable(((), (), number)) for number in sorted(set(numbers))}
        found[is_number] = [known[number] for number in numbers]
        return found

    def apart(self) -> None:
        """Let distances of two variables that an AllDifferent or a row holds apart begin with 1.

        Without this an all-interval series of n notes, stated as two AllDifferents alone, has n values for
        its n - 1 distances, and nothing is seen of what they share.
        """
        c = self.compiled
        blocks = [block for block in c.definitions.blocks if block.kind == "abs"]
        if not blocks:
            return
        found = [differences(block.terms) for block in blocks]
        results = np.concatenate(
            [block.results[which] for block, (which, _) in zip(blocks, found, strict=True)]
        )
        pairs = np.concatenate([pairs for _, pairs in found])
        _, unequal = differences(c.linear.picked(np.flatnonzero(c.relation == NE)))
        far = np.isin(_names(pairs), _names(unequal))
        for group in self._groups_of_variables():
            inside = np.zeros(c.variable_count, dtype=np.bool_)
            inside[group] = True
            far |= inside[pairs].all(axis=1)
        for result in results[far].tolist():
            if result >= c.decision_count and result not in c.domains:
                self.lower[result] = min(max(1, self.lower[result]), self.upper[result])

    def distances(self, block: DefinitionBlock) -> None:
        """Add the propagators of absolute values: of differences of few values as one, without a variable."""
        which = implied.distances_by_values(block, self)
        terms, results = block.terms.picked(which), block.results
        self.makers += enumerate(results[which].tolist(), len(self.propagators))
        self.propagators.extend(
            KINDS["distance_values"], np.full(len(which), 3),
            np.column_stack([terms.variable.reshape(-1, 2), results[which]]),
            np.insert(terms.coefficient.reshape(-1, 2), 2, 1, axis=1), terms.constant,
        )  # fmt: skip
        others = np.delete(np.arange(len(results)), which)
        for row, result in zip(rows_of(block.terms.picked(others)), results[others].tolist(), strict=True):
            self.propagators.append(kinds.FUNCTIONS[block.kind], (self.variable(row),), _ONE, 0, result)

    def truths(self, block: DefinitionBlock) -> None:
        """Add the propagators of truths: of ``!=`` that of the opposite, and its complement."""
        terms, results = block.terms, block.results
        if block.kind != "truth_linear":
            start = block.each * np.arange(len(results) + 1)
            self.disjunctions(kinds.TRUTH_OR, terms, start, results, repeat(self.origin))
            return
        if block.relation == NE:
            pairs = np.column_stack([results, self.new_truths(len(results))])
            two = np.full(len(results), 2)
            self.propagators.extend(kinds.EQUAL, two, pairs, np.ones_like(pairs), -1)
            results = pairs[:, 1]
        kind = kinds.TRUTH_EQUAL if block.relation in (EQ, NE) else kinds.TRUTH_AT_MOST
        sign = -1 if block.relation == GE else 1
        self.propagators.extend(
            kind, terms.lengths, terms.variable, sign * terms.coefficient, sign * terms.constant,
            results,
        )  # fmt: skip

    def disjunctions(
        self, kind: int, terms: Terms, start: IntArray, results: IntArray, origins: Iterable[int]
    ) -> None:
        """Add clauses or truths of disjunctions; group g has the terms ``start[g]:start[g + 1]``."""
        if self.marks is None and not self.clausal and are_literals(terms):
            self.propagators.extend(kind, np.diff(start), terms.variable, terms.coefficient, 0, results)
            return
        for rows, result in zip(self.each(groups(terms, start), origins), results.tolist(), strict=True):
            self.add(kind, *self.literals(rows), result=result)

    def functions(self, block: DefinitionBlock, flat: IntArray, ends: IntArray | None = None) -> None:
        """Add the propagators of functions of these variables, with their bounds if these are known."""
        kind, each = kinds.FUNCTIONS[block.kind], block.each
        seen: Container[int] = ()
        numbers: dict[int, IntArray] = {}  # the entries of elements that are seen
        if self.strong and implied.has_values(kind, each):
            if ends is None:
                ends = np.stack([np.frombuffer(e, np.int64)[flat] for e in (self.lower, self.upper)])
            seen = self.seen_by_values(block, kind, flat, ends)
            if seen and kind == kinds.ELEMENT:
                low, high = ends.reshape(2, -1, each)[:, :, 1:]
                constant = (low == high).all(axis=1)
                numbers = dict(zip(block.results[constant].tolist(), low[constant], strict=True))
        # a result that only search fixes takes little from the entries that it is not at
        known = self.equal_to if kind == kinds.ELEMENT and self.strong else {}
        each_asked = kind in implied.EXTREMES or known
        if not (seen or each_asked):
            lengths = np.full(len(block.results), each)
            self.propagators.extend(kind, lengths, flat, np.ones_like(flat), results=block.results)
            return
        arguments, ones = array("q", flat.tobytes()), array("q", _ONE) * each
        for k, result in enumerate(block.results.tolist()):
            variables = arguments[each * k : each * (k + 1)]
            if kind in implied.EXTREMES:  # one that comes twice would seem to be two that can be the result
                variables = array("q", dict.fromkeys(variables))
            apart = result in known and self.are_apart(variables[1:])
            if apart and self.is_at_known_place(variables, result):
                continue
            self.propagators.append(kind, variables, ones[: len(variables)], int(apart), result)
            if result in seen:
                implied.add_function_values(kind, variables, result, numbers.get(result, ()), self)

    def are_apart(self, entries: Sequence[int]) -> bool:
        """Say whether an AllDifferent holds the entries of an element apart: a value has one place then."""
        key = tuple(entries)  # mostly many have the same table
        if key not in self._apart:
            distinct = len(set(entries)) == len(entries)
            self._apart[key] = distinct and any(g.issuperset(entries) for g in self.groups_apart)
        return self._apart[key]

    def is_at_known_place(self, variables: Sequence[int], result: int) -> bool:
        """Say whether some entry, of those that differ, is a number whose position is known: it is that."""
        position, *entries = variables
        low, high = self.bounds(position)
        number = self.equal_to[result]
        if number[1] == 0 and not 0 <= low <= high < len(entries):
            return False  # beyond its table it is 0
        known = self.positions.setdefault((*entries, *number), position)
        if known != position:
            self.linear(((known, position), (1, -1), 0), EQ)
        return known != position

    def seen_by_values(
        self, block: DefinitionBlock, kind: int, arguments: IntArray, ends: IntArray
    ) -> Container[int]:
        """Return the results of the functions that look at values; ``ends`` are the arguments' bounds."""
        low, high = ends.reshape(2, -1, block.each)
        wide = integers(self.spans(block.results.tolist()))
        few = block.results[implied.seen_by_values(kind, arguments.reshape(low.shape), low, high, wide)]
        return set(few[self.looked_at[few]].tolist()) if len(few) else ()

    def all_different(self, terms: list[Row]) -> None:
        """Add an AllDifferent: affine terms in one group, all terms in one of sums if any is a sum.

        A term of several variables gets a variable of its own only where the pairs would be too many:
        disequalities wake when variables are fixed, bounds of sums at every change.
        """
        affine = [row for row in terms if len(row[0]) == 1]
        others = [row for row in terms if len(row[0]) != 1]
        if len(others) * len(terms) <= PAIRS:
            if others:
                self.sums.append(terms)
                self.shared(terms, self.orders.add(terms, self) if self.strong and self.orders else [])
        else:
            affine += [((self.variable(row),), (1,), 0) for row in others]
        if len(affine) > 1:
            ends = [a[0] * end + c for v, a, c in affine for end in self.bounds(v[0])]
            self.distinct(integers([(v[0], a[0], c) for v, a, c in affine]), min(ends), max(ends))

    def distinct(self, terms: IntArray, low: int, high: int) -> None:
        """Add an AllDifferent over rows (variable, coefficient, constant) with values ``low`` .. ``high``."""
        self.different.append(terms)
        if self.strong:
            implied.add_hall_sets(terms, low, high, self)
            if self.orders:
                self.orders.add_defined(terms, self)
            if len(set(terms[:, 0].tolist())) < len(terms):
                self.twice(terms)

    def twice(self, terms: IntArray) -> None:
        """Remove what would make two terms of a variable equal: a matching takes them for any two terms."""
        rows: dict[int, list[Row]] = {}
        for v, a, c in terms.tolist():
            rows.setdefault(v, []).append(((v,), (a,), c))
        for one, other in chain.from_iterable(combinations(same, 2) for same in rows.values()):
            self.linear(difference(one, other), NE)

    def all_differents(self, terms: Terms, start: IntArray) -> None:
        """Add all AllDifferents of the model; mostly they are over single variables, with offsets perhaps."""
        if (terms.lengths != 1).any():
            for rows in self.each(groups(terms, start), self.sources.different):
                self.all_different(rows)
            return
        v, a, c = terms.variable, terms.coefficient, terms.constant
        flat, ends = integers([v, a, c]).T, [integers(end)[v] * a + c for end in (self.lower, self.upper)]
        sizes = start[1:] - start[:-1]
        filled = start[:-1][sizes > 0]
        low = np.minimum.reduceat(np.minimum(*ends), filled)
        high = np.maximum.reduceat(np.maximum(*ends), filled)
        starts = [*filled.tolist(), len(terms)]
        origins = (k for k, n in zip(self.sources.different, sizes.tolist(), strict=False) if n)
        found = zip(pairwise(starts), low.tolist(), high.tolist(), strict=True)
        for (first, last), least, most in self.each(found, origins):
            if last - first > 1:
                self.distinct(flat[first:last], least, most)

    def shared(self, terms: list[Row], marks: Iterable[int] = ()) -> None:
        """Add the disequalities of pairs of sums with a part in common, which their difference has not.

        Of some variables, the marks, it is known that they differ.
        """
        known = set(marks)
        having: dict[tuple[int, int], list[int]] = {}
        constants = []
        for t, (variables, coefficients, _) in enumerate(terms):
            for part in zip(variables, coefficients, strict=True):
                having.setdefault(part, []).append(t)
            if not variables:
                constants.append(t)
        pairs = {pair for group in [constants, *having.values()] for pair in combinations(group, 2)}
        for t, u in sorted(pairs):
            row = difference(terms[t], terms[u])
            if not (row[2] == 0 and sorted(row[1]) == [-1, 1] and known.issuperset(row[0])):
                self.linear(row, NE)

    def table(self, terms: list[Row], rows: IntArray) -> None:
        """Add a table."""
        variables = [self.variable(row) for row in terms]
        if not variables:
            if not len(rows):
                self.add(kinds.CLAUSE, [], [])
            return
        self.propagator(table_propagator("table", variables, rows))

    def whole(self, constraint: Constraint) -> None:
        """Add a constraint that is taken as it is."""
        WHOLES[constraint.kind].lay_out(constraint, self)

    def objective(self, row: Row, linear: LazyRows) -> Row:
        """Add ``objective <= bound``, and return the row; the search lowers the bound by its constant."""
        variables, coefficients, constant = row
        most = constant + sum(
            max(a * self.lower[v], a * self.upper[v]) for v, a in zip(variables, coefficients, strict=True)
        )
        self.objective_row = len(self.propagators)
        limited = variables, coefficients, constant - most
        self.linear(limited, LE)
        if self.strong:
            least = max(bounds.FEWEST, -(-len(variables) // 2))
            long = linear.picked(np.flatnonzero(linear.terms.lengths >= least))
            bounds.add_fractional_bounds(long, limited, self.objective_row * at.P_WIDTH, self)
        return limited

    def build(self, proved: Iterable[tuple[Row, int]] = ()) -> None:
        """Add everything that the compiled model has, and at last a row that bounds its objective."""
        c = self.compiled
        if self.strong and c.definitions.blocks:
            self.apart()
        if c.definitions.blocks:
            self.define(c.definitions.blocks)
        linear = LazyRows(c.linear, c.relation)
        if "distances" not in self.without:
            self.orders = implied.Orders(linear)
        self.linears(linear)
        self.origin = IMPLIED
        if self.strong and np.count_nonzero(linear.terms.lengths == 2) > 1:
            differences = linear.differences()
            if len(differences) > 1 and "circles" not in self.without:
                bounds.add_circles(differences, self)
            if len(differences) > 1 and "cliques" not in self.without:
                implied.add_cliques(differences, self)
        if len(c.clause_start) > 1:
            none = np.full(len(c.clause_start) - 1, -1)
            self.disjunctions(kinds.CLAUSE, c.literals, c.clause_start, none, self.sources.clauses)
        if len(c.different):
            self.all_differents(c.different, c.different_start)
        for table_terms, allowed in self.each(c.tables, self.sources.tables):
            self.table(rows_of(table_terms), allowed)
        for whole in self.each(c.wholes, self.sources.wholes):
            self.taken = whole
            self.whole(whole.constraint)
        limited, self.origin = None, OBJECTIVE
        if c.objective is not None:
            limited = self.objective(rows_of(c.objective)[0], linear), self.objective_row * at.P_WIDTH
        self.origin = IMPLIED
        for variables, values in c.precedence:
            precede(variables, values, self)
        if self.strong and c.wholes:
            add_machines(c, self)
            bounds.add_tour_bounds(c, linear, limited, self)
        for row, relation in proved:
            if relation == EQ:
                self.propagators.append(kinds.EQUAL, *row)
            elif limited is not None:
                bounds.add_proved_row(row, *limited, self)


def are_literals(terms: Terms) -> bool:
    """Say whether all terms are truths or negations of them, as literals mostly are."""
    sign, constant = terms.coefficient, terms.constant
    single = (terms.lengths == 1).all()
    return bool(single and (((sign == 1) & (constant == 0)) | ((sign == -1) & (constant == 1))).all())


def differences(terms: Terms) -> tuple[IntArray, IntArray]:
    """Return which terms are a variable less another one, and both of each, shape (terms, 2)."""
    two = np.flatnonzero((terms.lengths == 2) & (terms.constant == 0))
    at_both = terms.start[two][:, None] + np.arange(2)
    opposite = np.sort(terms.coefficient[at_both], axis=1) == (-1, 1)
    found = opposite.all(axis=1)
    return two[found], terms.variable[at_both[found]]


def _names(pairs: IntArray) -> IntArray:
    """Return a number for each pair of variables, the same for both orders."""
    return (pairs.min(axis=1) << 32) + pairs.max(axis=1)
