"""The functions that define variables: of one term or two, extremes of several terms, entries of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from cpqueens.language.arrays import NumberTable, constant_array
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.definitions import NO_RESULTS, Definition, results_of
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.ranges import LIMIT, require_product
from cpqueens.language.rows import IntArray, Mask, Positions, distinct
from cpqueens.language.term import Term, join_terms


class Abs(Definition):
    """The absolute value."""

    kind = "abs"
    arity = (1, 1)

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return ``|x|``."""
        return np.abs(arguments[0])

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return 0 (or the nearer end) and the farther end."""
        low, high = self.arguments[0].bounds()
        return np.maximum(0, np.maximum(low, -high)), np.maximum(np.abs(low), np.abs(high))

    def ends(self) -> tuple[int, int, bool]:
        """Return the same of one term, in Python's integers."""
        low, high, _ = self._terms[0].ends()
        return max(0, low, -high), max(abs(low), abs(high)), False


class Product(Definition):
    """The product of two terms."""

    kind = "product"

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return ``x * y``."""
        return arguments[0] * arguments[1]

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return the extremes over the corners; tighter for squares."""
        (a, b), (c, d) = self.arguments[0].bounds(), self.arguments[1].bounds()
        require_product((a, b), (c, d))
        corners = np.stack([a * c, a * d, b * c, b * d])
        low: IntArray = corners.min(axis=0)
        negative = (a < 0) & (a == c) & (b == d)  # elsewhere the corners say as much of a square
        if negative.any():
            square = np.array([k[1] == k[2] for k in self.keys()], dtype=bool)
            around = np.where(b >= 0, 0, b * b)
            low = np.where(square & negative, around, low)
        return low, corners.max(axis=0)

    def ends(self) -> tuple[int, int, bool]:
        """Return the same of two terms, in Python's integers."""
        left, right = self._terms
        (a, b, _), (c, d, _) = left.ends(), right.ends()
        corners = a * c, a * d, b * c, b * d
        low, high = min(corners), max(corners)
        if max(high, -low) > LIMIT:
            require_product(left.bounds(), right.bounds())
        if left.variable_list[0] in right.variable_list and left.key() == right.key():
            low = 0 if a <= 0 <= b else min(a * a, b * b)
        return low, high, False


class Zero(Definition):
    """0 times a term: 0, and undefined where the term is.

    It stays of a partial function whose coefficient becomes 0. So a term keeps the condition of all that was
    written in it; a coefficient of 0 could not carry that, since rows are padded with such.
    """

    kind = "zero"
    arity = (1, 1)

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return 0."""
        return np.zeros_like(arguments[0])

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return 0 and 0."""
        none = np.zeros(self.size, dtype=np.int64)
        return none, none

    def simpler(self) -> LinearArray:
        """Return the constant 0: backends see total functions only."""
        return constant_array(self.arguments[0].registry, np.zeros(self.size, dtype=np.int64))


class _Division(Definition):
    """What the four functions of a dividend and a divisor share; undefined for divisor 0."""

    def partial(self) -> Mask:
        """Return where the divisor may be 0."""
        divisor = self.arguments[1]
        low, high = divisor.bounds()
        possible: Mask = (low <= 0) & (high >= 0)
        domains: dict[int, IntArray] = getattr(divisor.registry, "domains", {})
        for i, (v, a, c) in enumerate(divisor.rows()):
            if possible[i] and len(v) == 1 and v[0] in domains:
                possible[i] = np.any(domains[v[0]] * a[0] + c == 0)
        return possible

    def condition(self, row: int) -> list[Constraint]:
        """Return that the divisor is not 0."""
        return [Linear(self.arguments[1]._pick(np.array([row])), "!=")]

    def defined_at(self, *arguments: IntArray) -> Mask:
        """Return where the divisor is not 0."""
        return arguments[1] != 0

    def complaint(self, row: int, values: IntArray, text: Callable[[LinearArray], str]) -> str:
        """Return that the divisor is 0."""
        return f"divisor {text(self.arguments[1]._pick(np.array([row])))} = 0"

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return the function's values, 0 where the divisor is 0."""
        x, y = arguments
        safe = np.where(y == 0, 1, y)
        return np.where(y == 0, 0, self._divide(x, safe))

    def _divide(self, x: IntArray, y: IntArray) -> IntArray:
        raise NotImplementedError

    def _extremes(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        (a, b), (c, d) = self.arguments[0].bounds(), self.arguments[1].bounds()
        return a, b, c, d


def _truncated(x: IntArray, y: IntArray) -> IntArray:
    quotient: IntArray = np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))
    return quotient


class Quotient(_Division):
    """The quotient rounded down, as Python's ``//``."""

    kind = "quotient"

    def _divide(self, x: IntArray, y: IntArray) -> IntArray:
        return x // y

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return the extremes over the ends of the dividend and the divisor's ends and 1, -1."""
        a, b, c, d = self._extremes()
        candidates = []
        for y in (c, d, np.ones_like(c), -np.ones_like(c)):
            inside = (y >= c) & (y <= d) & (y != 0)
            safe = np.where(inside, y, 1)
            for x in (a, b):
                candidates.append((inside, self._divide(x, safe)))
        low = np.min([np.where(ok, v, np.iinfo(np.int64).max) for ok, v in candidates], axis=0)
        high = np.max([np.where(ok, v, np.iinfo(np.int64).min) for ok, v in candidates], axis=0)
        never = low > high  # the divisor is always 0
        undefined = self.partial()
        low = np.where(never, 0, np.where(undefined, np.minimum(low, 0), low))
        return low, np.where(never, 0, np.where(undefined, np.maximum(high, 0), high))


class QuotientTruncated(Quotient):
    """The quotient rounded towards 0, as in C."""

    kind = "quotient_truncated"

    def _divide(self, x: IntArray, y: IntArray) -> IntArray:
        return _truncated(x, y)


class Remainder(_Division):
    """The remainder with the divisor's sign, as Python's ``%``."""

    kind = "remainder"

    def _divide(self, x: IntArray, y: IntArray) -> IntArray:
        return x % y

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return 0 and the divisor's ends less one, by sign."""
        a, b, c, d = self._extremes()
        high = np.where(d > 0, d - 1, 0)
        high = np.where((a >= 0) & (c >= 0), np.minimum(high, b), high)
        low = np.where(c < 0, c + 1, 0)
        low = np.where((b <= 0) & (d <= 0), np.maximum(low, a), low)
        return low, high


class RemainderTruncated(_Division):
    """The remainder with the dividend's sign, as in C."""

    kind = "remainder_truncated"

    def _divide(self, x: IntArray, y: IntArray) -> IntArray:
        return x - y * _truncated(x, y)

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return at most the divisor's size less one, with the dividend's sign."""
        a, b, c, d = self._extremes()
        most = np.maximum(np.maximum(np.abs(c), np.abs(d)) - 1, 0)
        return np.where(a >= 0, 0, -np.minimum(most, -a)), np.where(b <= 0, 0, np.minimum(most, b))


class _Extreme(Definition):
    """What the least and the greatest of several terms share."""

    arity = (1, 10**6)
    choose: ClassVar[Callable[..., IntArray]]
    choose_one: ClassVar[Callable[..., int]]

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return the least or the greatest value."""
        return self.choose(arguments, axis=0)

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return the least or the greatest of the lower and of the upper bounds."""
        lows, highs = zip(*(arg.bounds() for arg in self.arguments), strict=True)
        return self.choose(lows, axis=0), self.choose(highs, axis=0)

    def ends(self) -> tuple[int, int, bool]:
        """Return the same of single terms."""
        lows, highs, _ = zip(*[term.ends() for term in self._terms], strict=True)
        return self.choose_one(lows), self.choose_one(highs), False


class Minimum(_Extreme):
    """The least of several terms."""

    kind = "minimum"
    choose = staticmethod(np.min)
    choose_one = staticmethod(min)


class Maximum(_Extreme):
    """The greatest of several terms."""

    kind = "maximum"
    choose = staticmethod(np.max)
    choose_one = staticmethod(max)


class Element(Definition):
    """The entry of a table (of terms or integers) at a position that is a term, from 0.

    A block has one table, or several of equally many entries, of each of which equally many results are
    entries, one table after the other; ``which`` says it where that is not so.
    """

    kind = "element"
    tables = 1

    def __init__(
        self,
        arguments: tuple[LinearArray, ...],
        results: IntArray | None = None,
        which: Positions | None = None,
    ) -> None:
        position, table = arguments
        if len(table.shape) > 1 and table.size == table.shape[-1]:
            arguments = position, table.reshape(-1)
        self.arguments = arguments
        self.results = NO_RESULTS if results is None else results
        self._which = which

    @property
    def position(self) -> LinearArray:
        """The positions, of shape (size,)."""
        return self.arguments[0]

    @property
    def table(self) -> LinearArray:
        """The table, of shape (entries,), or the tables, of shape (tables, entries)."""
        return self.arguments[1]

    def single_terms(self) -> tuple[Term, ...] | None:
        """Return the position of one result in a table of integers, if it is kept as a term."""
        position, table = self.arguments
        return (position,) if type(position) is Term and not table.variables.shape[1] else None

    def sort(self) -> Any:
        """Return how many integers a table has in which one result is looked up."""
        single = self.single_terms()
        return single and (Element, self.entries, len(single[0].variable_list))

    @classmethod
    def joined(cls, many: Sequence[Any]) -> Element:
        """Return results that are looked up in a table each, many perhaps in the same one, as a block."""
        registry, places = many[0].position.registry, dict[int, int]()
        which = np.array([places.setdefault(id(one.table), len(places)) for one in many])
        _, firsts = np.unique(which, return_index=True)
        tables = constant_array(registry, np.stack([many[k].table.constants for k in firsts.tolist()]))
        return cls((join_terms(registry, [one.position for one in many]), tables), results_of(many), which)

    @property
    def entries(self) -> int:
        """Number of entries of each table."""
        return self.table.shape[-1]

    @property
    def which(self) -> Positions:
        """The table of each result, of shape (size,)."""
        if self._which is None:
            many = self.table.size // self.entries
            self._which = np.repeat(np.arange(many), self.size // many)
        return self._which

    def keys(self) -> list[Any]:
        """Return (position, table) for each result."""
        tables, own = self._table_keys(), self.position.row_keys()
        return [("element", key, tables[k]) for key, k in zip(own, self.which.tolist(), strict=True)]

    def _table_keys(self) -> list[Any]:
        array = self.table
        if type(array) is NumberTable:
            return [array.content]
        n, width, starts = self.entries, array.width, range(0, array.size, self.entries)
        if width > 1 and array.coefficients.any():
            rows = array.row_keys()
            return [tuple(rows[k : k + n]) for k in starts]
        if width != 1:
            return [array.constants[k : k + n].tobytes() for k in starts]
        columns = array.constants, array.variables, array.coefficients
        return [tuple([column[k : k + n].tobytes() for column in columns]) for k in starts]

    def key(self) -> Any:
        """Return the same of one position."""
        return ("element", self._terms[0].key(), self._table_keys()[0])

    def take(self, rows: Positions, results: IntArray) -> Element:
        """Return the block of the given rows over their tables."""
        which, table = self.which[rows], self.table
        if table.size > self.entries:
            kept = distinct(which)
            if len(kept) * self.entries < table.size:
                picked = kept[:, None] * self.entries + np.arange(self.entries)
                table = table._pick(picked if len(kept) > 1 else picked[0])
                which = np.searchsorted(kept, which)
        return Element((self.position._pick(rows), table), results, which)

    def bind(self, registry: Registry) -> Element:
        """Return the block over arguments that belong to ``registry``."""
        return Element(tuple(arg.bind(registry) for arg in self.arguments), self.results, self._which)

    def split(self) -> list[Definition]:
        """Return a block for each table."""
        if self.table.size == self.entries:
            return [self]
        rows = [np.flatnonzero(self.which == k) for k in range(self.table.size // self.entries)]
        return [self.take(mine, self.results[mine]) for mine in rows]

    def each(self, argument: int) -> int:
        """Return one for the positions, and for the tables the number of their entries."""
        return self.entries if argument else 1

    def places(self, argument: int) -> IntArray:
        """Return the position, or the table, of each result."""
        return self.which if argument else super().places(argument)

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return the entries, 0 outside the table."""
        position, table = arguments
        inside = self.defined_at(position, table)
        at = self.which * self.entries + np.where(inside, position, 0)
        return np.where(inside, np.take_along_axis(table, at, axis=1), 0)

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return the extremes of the entries that can be reached."""
        low, high = (ends.reshape(-1, self.entries) for ends in self.table.bounds())
        first, last = self.position.bounds()
        partial = (first < 0) | (last >= self.entries)
        least, most = low.min(axis=1)[self.which], high.max(axis=1)[self.which]
        parts = np.flatnonzero((first > 0) | (last < self.entries - 1))  # of the others all can be
        if parts.size:
            ends = self.which[parts], np.maximum(first[parts], 0), np.minimum(last[parts], self.entries - 1)
            spans = list(zip(*(each.tolist() for each in ends), strict=True))
            reached = {  # most positions reach the same entries
                (k, a, b): (low[k, a : b + 1].min(), high[k, a : b + 1].max()) if a <= b else (0, 0)
                for k, a, b in {*spans}
            }
            least[parts], most[parts] = np.array([reached[s] for s in spans], dtype=np.int64).T
        return np.where(partial, np.minimum(least, 0), least), np.where(partial, np.maximum(most, 0), most)

    def ends(self) -> tuple[int, int, bool]:
        """Return the same of one position, which mostly reaches all of a table of integers."""
        table, size = self.table, self.entries
        first, last, _ = self._terms[0].ends()
        partial, whole = first < 0 or last >= size, first <= 0 and last >= size - 1
        if whole and type(table) is NumberTable and table.low >= -LIMIT and table.high <= LIMIT:
            low, high = table.low, table.high
        else:
            reached = slice(max(first, 0), max(last + 1, 0))
            lows, highs = (ends[reached] for ends in table.bounds())  # which refuses what is too large
            low, high = (int(lows.min()), int(highs.max())) if lows.size else (0, 0)
        return (min(low, 0), max(high, 0), True) if partial else (low, high, False)

    def partial(self) -> Mask:
        """Return where the position may leave the table."""
        first, last = self.position.bounds()
        return (first < 0) | (last >= self.entries)

    def condition(self, row: int) -> list[Constraint]:
        """Return that the position stays in the table: the ends that it may leave."""
        position = self.position._pick(np.array([row]))
        (first,), (last,) = position.bounds()
        ends = [
            (first < 0, position, ">="),
            (last >= self.entries, position - (self.entries - 1), "<="),
        ]
        return [Linear(term, relation) for possible, term, relation in ends if possible]

    def defined_at(self, *arguments: IntArray) -> Mask:
        """Return where the position is in the table."""
        position = arguments[0]
        inside: Mask = (position >= 0) & (position < self.entries)
        return inside

    def complaint(self, row: int, values: IntArray, text: Callable[[LinearArray], str]) -> str:
        """Return where the position is and where it may be."""
        position = self.position._pick(np.array([row]))
        at = int(position.evaluate(values[None, :])[0, 0])
        return f"position {text(position)} = {at}, allowed are 0..{self.entries - 1}"


DEFINITION_KINDS: dict[str, type[Definition]] = {
    kind.kind: kind
    for kind in (
        Abs,
        Product,
        Quotient,
        QuotientTruncated,
        Remainder,
        RemainderTruncated,
        Minimum,
        Maximum,
        Element,
        Zero,
    )
}
