"""Compiled terms as rows of Python numbers, and the variables and propagators that are made of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Propagator, Propagators
from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask
from cpqueens.lowered.compiled import EQ, GE, LE, Compiled, DefinitionBlock, Terms, Whole

Row = tuple[tuple[int, ...], tuple[int, ...], int]
"""A term: variables, coefficients, constant."""

Proved = tuple[tuple[Row, int], ...]
"""Rows with relations that hold in every solution; one that is an inequality bounds the objective."""

AT_ONCE = 1 << 14
"""Rows that are there at a time."""

FEW_ROWS = 24
"""Rows that are kept, and of which each is looked at by itself: arrays would cost more."""

FEW = 3
"""Variables of a row that is looked at by values."""

ENDLESS = 1 << 62
"""Instead of a bound that is not stated."""

MOST_DECIDED = 1 << 12
"""Auxiliary variables that a search decides."""

SPLIT = 6
"""Variables of an equation that is split into shorter ones."""


def integers(values: Any) -> IntArray:
    """Return numbers as an array."""
    return np.array(values, dtype=np.int64)


def difference(first: Row, second: Row) -> Row:
    """Return ``first - second``, each variable once and none with coefficient 0."""
    sums = dict(zip(first[0], first[1], strict=True))
    for v, a in zip(second[0], second[1], strict=True):
        sums[v] = sums.get(v, 0) - a
    kept = {v: a for v, a in sums.items() if a}
    return tuple(kept), tuple(kept.values()), first[2] - second[2]


def rows_of(terms: Terms) -> list[Row]:
    """Return some terms as rows; mostly each has one variable, for which zip makes tuples by itself."""
    lengths = terms.lengths
    v, a, constants = terms.variable.tolist(), terms.coefficient.tolist(), terms.constant.tolist()
    if (lengths == 1).all():
        return list(zip(zip(v, strict=True), zip(a, strict=True), constants, strict=True))
    vs, factors = iter(v), iter(a)
    return [
        (tuple(islice(vs, n)), tuple(islice(factors, n)), c)
        for n, c in zip(lengths.tolist(), constants, strict=True)
    ]


def each_row(terms: Terms) -> Iterator[Row]:
    """Yield some terms as rows, of which few are there at a time: a million take long to free."""
    for first in range(0, len(terms), AT_ONCE):
        yield from rows_of(terms.part(first, min(first + AT_ONCE, len(terms))))


def in_pieces(blocks: Iterable[DefinitionBlock], terms: int) -> Iterator[DefinitionBlock]:
    """Yield blocks of definitions of so many terms each: of those of many, rows are made piece by piece."""
    for block in blocks:
        many = len(block.results)
        step = max(1, terms // max(1, block.each))
        for first in range(0, many, step):
            yield block.part(first, min(first + step, many))


def groups(terms: Terms, start: IntArray) -> Iterator[list[Row]]:
    """Yield the rows of each group; group g has those of ``start[g]:start[g + 1]``."""
    rows = each_row(terms)
    for many in np.diff(start).tolist():
        yield list(islice(rows, many))


class LazyRows:
    """Linear rows with their relations, made where somebody asks for them."""

    def __init__(self, terms: Terms, relation: IntArray) -> None:
        self.terms, self.relation = terms, relation

    def __len__(self) -> int:
        return len(self.relation)

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        if len(self) <= FEW_ROWS:
            return iter(self._few)
        return zip(each_row(self.terms), self.relation.tolist(), strict=True)

    @cached_property
    def _few(self) -> list[tuple[Row, int]]:
        return list(zip(rows_of(self.terms), self.relation.tolist(), strict=True))

    def differences(self) -> LazyRows:
        """Return those of one variable less another."""
        two = np.flatnonzero(self.terms.lengths == 2)
        first = self.terms.start[two]
        a, b = self.terms.coefficient[first], self.terms.coefficient[first + 1]
        return self.picked(two[(abs(a) == 1) & (a == -b)])

    def picked(self, which: IntArray) -> LazyRows:
        """Return those numbered ``which``, in that order."""
        if len(which) == len(self):
            return self
        return LazyRows(self.terms.picked(which), self.relation[which])


class TermBuilder:
    """Collects propagators, and auxiliary variables for terms; `network.Builder` adds what a model has."""

    def __init__(self, compiled: Compiled, learning: bool) -> None:
        self.compiled, self.learning = compiled, learning
        self.lower, self.upper = array("q", compiled.lower.tobytes()), array("q", compiled.upper.tobytes())
        self.propagators = Propagators()
        self.words: list[int] = []
        self.makers: list[tuple[int, int]] = []  # propagators that make terms equal to auxiliary variables
        self.taken: Whole | None = None
        self.last: tuple[LinearArray | None, list[int]] = None, []  # an array and what its terms are
        self.decided: list[int] = []  # auxiliary variables that the search decides
        self._auxiliary: dict[Row, int] = {}

    def linear(self, row: Row, relation: int) -> None:
        """Add ``row relation 0``."""
        raise NotImplementedError

    def all_different(self, terms: list[Row]) -> None:
        """Add an AllDifferent."""
        raise NotImplementedError

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
            least, most = low - constant, high - constant
            if len(variables) > 1:
                least, most = self.stated.get((variables, coefficients), (least, most))
            within = max(low, least + constant), min(high, most + constant)
            new = self.new_variable(*(within if within[0] <= within[1] else (low, high)))
            self._auxiliary[row] = new
            if variables:
                self.makers.append((len(self.propagators), new))
                self.linear(((*variables, new), (*coefficients, -1), constant), EQ)
        return self._auxiliary[row]

    def variables(self, array: LinearArray) -> list[int]:
        """Return a variable for each term of the constraint that is being taken whole, a list to read."""
        if not array.ndim:
            return self._variables(array)
        if array is not self.last[0]:  # mostly many constraints count in the same array
            self.last = array, self._variables(array)
        return self.last[1]

    def _variables(self, array: LinearArray) -> list[int]:
        assert self.taken is not None, "a constraint is being taken"
        plain = self.taken.variables(array)
        if plain is not None:
            return plain
        numbers: Iterable[Row] = (((), (), number) for number in array.constants.tolist())
        rows, known = rows_of(self.taken.terms(array)) if array.width else numbers, self._auxiliary
        return [known[row] if row in known else self.variable(row) for row in rows]

    def bounds(self, variable: int) -> tuple[int, int]:
        """Return the least and the greatest value of a variable."""
        return self.lower[variable], self.upper[variable]

    def spans(self, variables: Iterable[int]) -> list[int]:
        """Return how many values there are between the bounds of each variable, these included."""
        return [self.upper[v] - self.lower[v] + 1 for v in variables]

    def new_variable(self, low: int, high: int) -> int:
        """Add an auxiliary variable."""
        self.lower.append(low)
        self.upper.append(high)
        return len(self.lower) - 1

    def new_truths(self, many: int) -> IntArray:
        """Add auxiliary variables that are 0 or 1."""
        first = len(self.lower)
        self.lower.extend(array("q", [0]) * many)
        self.upper.extend(array("q", [1]) * many)
        return np.arange(first, first + many)

    def decides_more(self, many: int) -> bool:
        """Say whether the search may decide so many auxiliary variables too."""
        return self.learning and len(self.decided) + many <= MOST_DECIDED

    def ordered(self, first: IntArray, second: IntArray) -> list[int]:
        """Return truths that say of pairs of tasks that the first one of both ends before the second begins.

        One of them comes first, and the search decides which. Of tasks there are starts and durations.
        """
        many = len(first.T)
        truths = self.new_truths(2 * many).reshape(2, many, order="F")
        results = np.concatenate([truths, np.full((1, many), -1)]).T
        self.propagators.extend(
            array("q", [kinds.TRUTH_AT_MOST, kinds.TRUTH_AT_MOST, kinds.EQUAL]) * many,
            array("q", [3, 3, 2]) * many,
            np.concatenate([first, second[:1], second, first[:1], truths]).T,
            array("q", [1, 1, -1, 1, 1, -1, 1, 1]) * many,
            array("q", [0, 0, -1]) * many,
            results,
        )
        found: list[int] = truths[0].tolist()
        self.decided += found
        return found

    def add(
        self,
        kind: int,
        variables: Sequence[int],
        coefficients: Sequence[int],
        constant: int = 0,
        result: int = -1,
    ) -> None:
        """Add a propagator."""
        self.propagators.append(kind, variables, coefficients, constant, result)

    def propagator(self, own: Propagator) -> None:
        """Add a propagator that is compiled apart."""
        name, variables, coefficients, numbers, constant, words = own
        first = len(self.words) if words else -1
        self.words += words
        if len(numbers):
            self.propagators.numbers[len(self.propagators)] = numbers
        self.propagators.append(KINDS[name], variables, coefficients, constant, first)

    def literals(self, terms: list[Row]) -> tuple[list[int], list[int]]:
        """Return variables and signs (1 or -1) of 0/1 terms."""
        signs = [-1 if row[1:] == ((-1,), 1) else 1 for row in terms]
        variables = [self.variable(r) if s > 0 else r[0][0] for r, s in zip(terms, signs, strict=True)]
        return variables, signs

    def truth(self, row: Row, relation: int, result: int) -> None:
        """Add ``result == 1`` exactly where ``row relation 0``: one of `LE`, `EQ`."""
        self.add(kinds.TRUTH_EQUAL if relation == EQ else kinds.TRUTH_AT_MOST, *row, result)

    # ---- what the compiled model says -----------------------------------------------------------------

    @cached_property
    def stated(self) -> dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, int]]:
        """The bounds that the model's rows state of sums, by variables and coefficients."""
        c, found = self.compiled, dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, int]]()
        short = np.flatnonzero((c.linear.lengths > 1) & (c.linear.lengths <= SPLIT))
        short = short[np.isin(c.relation[short], (GE, LE))]
        for (variables, coefficients, constant), relation in zip(
            rows_of(c.linear.picked(short)), c.relation[short].tolist(), strict=True
        ):
            for sign in (1, -1):
                key = variables, tuple(sign * a for a in coefficients)
                low, high = found.get(key, (-ENDLESS, ENDLESS))
                if (relation == GE) == (sign > 0):
                    low = max(low, -sign * constant)
                else:
                    high = min(high, -sign * constant)
                found[key] = low, high
        return found

    @cached_property
    def looked_at(self) -> Mask:
        """Of which variables some constraint sees more than bounds, as rows of many variables do not."""
        c = self.compiled
        lengths = c.linear.lengths
        arrays = [c.different.variable, c.linear.variable[np.repeat(lengths <= FEW, lengths)]]
        arrays += [terms.variable for terms, _ in c.tables]
        arrays += chain.from_iterable(w.all_variables() for w in c.wholes)
        arrays += [block.terms.variable for block in c.definitions.blocks]
        found = np.zeros(c.variable_count, dtype=np.bool_)
        found[np.concatenate(arrays)] = True
        return found

    @cached_property
    def equal_to(self) -> dict[int, tuple[int, int]]:
        """The numbers that rows of one variable give it, as keys that no variables are."""
        c = self.compiled
        single = np.flatnonzero((c.linear.lengths == 1) & (c.relation == EQ))
        rows = rows_of(c.linear.picked(single))
        return {v[0]: (-1, -k * a[0]) for v, a, k in rows if abs(a[0]) == 1}

    def _groups_of_variables(self) -> Iterator[IntArray]:
        """Give of each AllDifferent the variables that stand there with its first term's constant."""
        terms = self.compiled.different
        single = terms.lengths == 1
        for a, b in pairwise(self.compiled.different_start.tolist()):
            if b - a > 1 and single[a:b].all():
                flat = slice(int(terms.start[a]), int(terms.start[b]))
                plain = (terms.coefficient[flat] == 1) & (terms.constant[a:b] == terms.constant[a])
                yield terms.variable[flat][plain]

    @cached_property
    def groups_apart(self) -> list[frozenset[int]]:
        """The variables of each AllDifferent that stand there in the same way."""
        return [frozenset(group.tolist()) for group in self._groups_of_variables()]
