"""All solutions as a decision diagram of layers, in which states that can go on in the same ways are one.

The decision variables get their values in a fixed order. What matters of the values so far is kept as a
state: the sum so far of each linear relation that is open, the values that each open `AllDifferent` has
taken, and the values of variables that something else still asks for. States with the same numbers are
merged, so that the width of a layer, and not the number of solutions, is what it costs: a roster of some
people has few states between two days. Counting and drawing go along its arcs (Bergman, Cire, van Hoeve and
Hooker, "Decision Diagrams for Optimization", 2016, chapters 3 and 4). Other constraints are taken apart into
simpler ones, or looked at where the last of their variables has its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import comb, log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import UnsupportedConstraint
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import COMPARED, Linear
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import Lowered, lower

WIDEST = 30.0
"""Binary digits of the largest state, were its parts independent, up to which a diagram is tried."""

ARCS, ARCS_OF_LAYER = 60_000_000, 8_000_000
"""Arcs that a diagram may have, of 6 bytes each, and each layer."""

DECISIONS, VALUES = 1_000, 1_000
"""Decision variables, and values of each, up to which a diagram is tried."""

_ARCS_AT_ONCE = 1 << 19  # before any is refuted
_CELLS = 4_000_000  # values that are looked at together
_TABLED = 1 << 16  # tuples of values up to which a function of them is computed once for each
_WORD = 32  # binary digits in each word of a count
_BITS = 62  # values that an `AllDifferent` may have for a state of one word

Key = tuple[str, int]
"""What a part of a state is of: ``("value", variable)``, ``("sum", row)`` or ``("taken", AllDifferent)``."""


@dataclass
class _Function:
    """What is computed of some variables: the value of a defined one, or whether a constraint holds."""

    scope: list[int]
    compute: Callable[[IntArray], Any]
    result: int = -1


@dataclass
class _Sum:
    """Terms of which each variable adds something: a linear relation, or an `AllDifferent`."""

    terms: dict[int, int]
    constant: int = 0
    relation: str = ""

    def added(self, variable: int, values: Any) -> Any:
        """Return what values of a variable add: to the sum, or as bits to the values that are taken."""
        if self.relation:
            return self.terms[variable] * values
        return np.left_shift(1, values + (self.terms[variable] - self.constant))


@dataclass
class _Layer:
    """The arcs from the states of one layer to those of the next, those of each state side by side."""

    starts: IntArray
    children: NDArray[np.int32]
    values: NDArray[np.int16]


def _supports(constraint: Constraint, context: str) -> bool:
    if context != "plain" or type(constraint).simpler is Constraint.simpler:
        return True
    return isinstance(constraint, AllDifferent) and _taken(constraint) is not None


def _taken(constraint: AllDifferent) -> _Sum | None:
    """Return variables with a constant each, and the least value; None of other terms, or many values."""
    flat = constraint.terms.reshape(-1)
    if flat.width != 1 or (flat.coefficients != 1).any():
        return None
    terms = dict(zip(flat.variables[:, 0].tolist(), flat.constants.tolist(), strict=True))
    low, high = flat.bounds()
    if len(terms) < flat.size or high.max(initial=0) - low.min(initial=0) >= _BITS:
        return None
    return _Sum(terms, int(low.min(initial=0)))


def _scope(arrays: Iterable[LinearArray]) -> list[int]:
    return sorted({v for a in arrays if a.width for v in a.variables[a.coefficients != 0].tolist()})


class _Parts:
    """What a model consists of: sums, functions in an order of evaluation, and checks."""

    def __init__(self, lowered: Lowered) -> None:
        self.sums: list[_Sum] = []
        self.checks: list[_Function] = []
        for constraint in lowered.constraints:
            self._add(constraint)
        self.functions = [
            _Function(_scope(one.arguments), one.evaluate, int(block.results[k]))
            for block in lowered.definitions
            for k in range(block.size)
            for one in [block.take(np.array([k]), block.results[[k]])]
        ]
        self.low, self.high = lowered.store.lower.tolist(), lowered.store.upper.tolist()

    def _add(self, constraint: Constraint) -> None:
        taken = _taken(constraint) if isinstance(constraint, AllDifferent) else None
        if taken is not None:
            self.sums.append(taken)
        elif isinstance(constraint, Linear):
            for variables, coefficients, constant in constraint.expression.rows():
                terms = dict(zip(variables, coefficients, strict=True))
                self.sums.append(_Sum(terms, constant, constraint.relation))
        else:
            flat_one = constraint.flattened()
            for k in range(prod(flat_one.shape)):
                one = flat_one.take(np.array([k]))
                self.checks.append(_Function(_scope(one.arguments), one.holds))

    def computed(self, one: _Function, columns: Sequence[IntArray], many: int) -> Any:
        """Return what a function is, (many,), for values of its scope, a column for each variable."""
        low = [self.low[v] for v in one.scope]
        sizes = [self.high[v] - a + 1 for v, a in zip(one.scope, low, strict=True)]
        if not sizes or prod(sizes) >= min(many, _TABLED):
            return self._computed(one, columns, many)
        grid = np.indices(sizes).reshape(len(sizes), -1) + np.array(low)[:, None]
        table = self._computed(one, list(grid), grid.shape[1])
        place = np.zeros(many, dtype=np.int64)
        for column, a, size in zip(columns, low, sizes, strict=True):
            place = place * size + (column - a)
        return table[place]

    def _computed(self, one: _Function, columns: Sequence[IntArray], many: int) -> Any:
        found, at_once = [], max(1, _CELLS // len(self.low))
        for first in range(0, many, at_once):
            values = np.zeros((min(at_once, many - first), len(self.low)), dtype=np.int64)
            for v, column in zip(one.scope, columns, strict=True):
                values[:, v] = column[first : first + at_once]
            found.append(one.compute(values).reshape(-1))
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


@dataclass
class _LayerPlan:
    """What is done where one decision variable has got its value."""

    functions: list[_Function] = field(default_factory=list)
    checks: list[_Function] = field(default_factory=list)
    sums: dict[int, list[int]] = field(default_factory=dict)  # by number the variables that get a value here
    state: list[Key] = field(default_factory=list)  # behind it
    rest: dict[int, tuple[int, int]] = field(default_factory=dict)  # of open rows the ends of what is to come


class _Schedule:
    """What is done in each step of an order of the decision variables, and how wide states may get."""

    def __init__(self, parts: _Parts, order: Sequence[int]) -> None:
        self.order, self._parts = order, parts
        self.steps = [_LayerPlan() for _ in order]
        self._root = {v: {v} for v in order}
        self._places = np.zeros(
            (len(order) + 1, len(order))
        )  # digits by what is of one variable alone; the rest
        at = self._at = {v: k for k, v in enumerate(order)}
        needed = dict.fromkeys(at, 0)
        for f in (*parts.functions, *parts.checks):
            k = max((at[v] for v in f.scope), default=0)
            needed.update((v, max(needed[v], k)) for v in f.scope)
            if f.result < 0:
                self.steps[k].checks.append(f)
                continue
            self.steps[k].functions.append(f)
            at[f.result], needed[f.result] = k, 0
            self._root[f.result] = set().union(*(self._root[v] for v in f.scope))
        for v, k in at.items():
            self._keep(("value", v), k, needed[v], [v], parts.high[v] - parts.low[v] + 1)
        for number, one in enumerate(parts.sums):
            by_step: dict[int, list[int]] = {}
            for v in one.terms:
                by_step.setdefault(at[v], []).append(v)
            by_step = by_step or {0: []}
            for k, mine in by_step.items():
                self.steps[k].sums[number] = mine
            self._keep_sum(number, one, sorted(by_step.items()))

    def _keep(self, key: Key, first: int, end: int, of: Iterable[int], size: int) -> None:
        """Keep a part of the state behind the steps from ``first`` to before ``end``."""
        if size < 2:
            return
        for step in self.steps[first:end]:
            step.state.append(key)
        root = set().union(*(self._root[v] for v in of))
        place = self._at[root.pop()] if len(root) == 1 else len(self.order)
        self._places[place, first:end] += log2(size)

    def _keep_sum(self, number: int, one: _Sum, by_step: list[tuple[int, list[int]]]) -> None:
        done: list[int] = []
        for (k, mine), (after, _) in pairwise(by_step):
            done += mine
            if one.relation:
                ends, rest = self._ends(one, done), self._ends(one, one.terms.keys() - set(done))
                self.steps[k].rest[number] = rest
                size = min(ends[1], -rest[0] - one.constant) - max(ends[0], -rest[1] - one.constant) + 2
            else:
                values = {
                    x + one.terms[v] for v in one.terms for x in (self._parts.low[v], self._parts.high[v])
                }
                size = comb(max(values) - min(values) + 1, len(done))
            self._keep(("sum", number), k, after, done, max(2, size))

    def _ends(self, one: _Sum, variables: Iterable[int]) -> tuple[int, int]:
        """Return the least and the greatest sum of some of a row's terms."""
        low, high = self._parts.low, self._parts.high
        both = [sorted((one.terms[v] * low[v], one.terms[v] * high[v])) for v in variables]
        return sum(a for a, _ in both), sum(b for _, b in both)

    @property
    def digits(self) -> float:
        """Binary digits of the largest state, were all combinations of its parts possible."""
        most = [log2(self._parts.high[v] - self._parts.low[v] + 1) for v in self.order]
        alone = np.minimum(self._places[:-1], np.array(most)[:, None]).sum(axis=0)
        return float((alone + self._places[-1]).max(initial=0))


class Diagram:
    """All solutions of a model.

    >>> from cpqueens.models.latin_square import latin_square
    >>> diagram = Diagram.of(latin_square(4))
    >>> diagram.count, diagram.rows([0, 575])[1].reshape(4, 4).tolist()
    (576, [[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2], [0, 1, 2, 3]])

    Attributes
    ----------
    count
        How many there are.
    """

    def __init__(
        self, model: Statement, schedule: _Schedule, parts: _Parts, look: Callable[[], object]
    ) -> None:
        self._place = {v: k for k, v in enumerate(model.decisions.tolist())}
        self._order = schedule.order
        self._schedule, self._parts = schedule, parts
        self._domains = [model.domain_values(v, VALUES) for v in self._order]
        self._layers: list[_Layer] = []
        state, width, arcs = dict[Key, IntArray](), 1, 0
        for k in range(len(self._order)):
            look()
            state, width = self._grow(k, state, width)
            arcs += len(self._layers[-1].children)
            if arcs > ARCS:
                raise OverflowError
        self._counts = [np.ones((width, 1), dtype=np.int64)]
        for layer in reversed(self._layers):
            self._counts.append(_summed(layer, self._counts[-1]))
        self._counts.reverse()
        self.count = int(_whole(self._counts[0])[0])

    @classmethod
    def of(cls, model: Statement, look: Callable[[], object] = bool) -> Diagram | None:
        """Return the diagram of a model; None if it would be too wide, or has what it cannot say.

        ``look`` is called between two layers, and may raise `OverflowError`.
        """
        sizes = [model.upper[v] - model.lower[v] + 1 for v in model.decisions]
        if not 0 < len(sizes) <= DECISIONS or max(sizes) > VALUES:
            return None
        try:
            parts = _Parts(lower(model, _supports, "counting", objective=False, joined=True))
        except UnsupportedConstraint:
            return None
        schedules = [_Schedule(parts, order) for order in _orders(model)]
        best = min(schedules, key=lambda schedule: schedule.digits)
        if best.digits > WIDEST:
            return None
        try:
            return cls(model, best, parts, look)
        except OverflowError:
            return None

    def _grow(self, k: int, state: dict[Key, IntArray], width: int) -> tuple[dict[Key, IntArray], int]:
        """Add the layer of arcs that give a variable its values; return the states that these lead to."""
        at_once, arcs, found = max(1, _ARCS_AT_ONCE // len(self._domains[k])), 0, []
        for first in range(0, width, at_once):
            found.append(self._arcs(k, state, np.arange(first, min(first + at_once, width))))
            arcs += len(found[-1][0])
            if arcs > ARCS_OF_LAYER:
                raise OverflowError
        parents, chosen, *columns = map(np.concatenate, zip(*found, strict=True)) if found else _NO_ARCS
        places, children = _distinct(columns, len(parents))
        starts = np.searchsorted(parents, np.arange(width + 1))
        self._layers.append(_Layer(starts, children.astype(np.int32), chosen.astype(np.int16)))
        keys = self._schedule.steps[k].state
        return {key: column[places] for key, column in zip(keys, columns, strict=False)}, len(places)

    def _arcs(self, k: int, state: dict[Key, IntArray], from_: IntArray) -> list[IntArray]:
        """Return the arcs from some states: these, the numbers of values, and the parts of states behind."""
        step, domain, parts = self._schedule.steps[k], self._domains[k], self._parts
        parents, chosen = np.repeat(from_, len(domain)), np.tile(np.arange(len(domain)), len(from_))
        new: dict[Key, IntArray] = {("value", self._order[k]): domain[chosen]}

        def part(key: Key) -> IntArray:
            if key not in new and key not in state:
                new[key] = np.full(len(parents), self._fixed(key))
            return new[key] if key in new else state[key][parents]

        def keep(good: Any) -> None:
            nonlocal parents, chosen, new
            if not good.all():
                parents, chosen = parents[good], chosen[good]
                new = {key: column[good] for key, column in new.items()}

        for f in step.functions:
            columns = [part(("value", v)) for v in f.scope]
            new["value", f.result] = parts.computed(f, columns, len(parents)).astype(np.int64)
        for number, mine in sorted(step.sums.items(), key=lambda item: bool(parts.sums[item[0]].relation)):
            one, key = parts.sums[number], ("sum", number)
            for v in mine:
                more = one.added(v, part(("value", v)))
                if not one.relation:
                    keep((part(key) & more) == 0)
                    more = one.added(v, part(("value", v)))
                new[key] = part(key) + more
            if one.relation and number in step.rest:
                least, most = step.rest[number]
                keep(_POSSIBLE[one.relation](part(key) + least, part(key) + most))
                new[key] = _NARROWED[one.relation](part(key), -most, -least)
            elif one.relation:
                keep(COMPARED[one.relation](part(key), 0))
        for f in step.checks:
            keep(parts.computed(f, [part(("value", v)) for v in f.scope], len(parents)))
        return [parents, chosen, *map(part, step.state)]

    def _fixed(self, key: Key) -> int:
        """Return what a part is that no state has: the value of a constant, or a sum of no terms."""
        kind, number = key
        if kind == "value":
            return int(self._parts.low[number])
        return self._parts.sums[number].constant if self._parts.sums[number].relation else 0

    def rows(self, numbers: Sequence[int]) -> IntArray:
        """Return the solutions of some numbers from 0, (numbers, decision variables)."""
        left = np.array(numbers, dtype=object if self.count > _MOST else np.int64)
        state: Any = np.zeros(len(left), dtype=np.int64)
        found = np.zeros((len(left), len(self._order)), dtype=np.int64)
        for k, layer in enumerate(self._layers):
            arc, waiting = layer.starts[state], np.arange(len(left))
            while len(waiting):
                many = _whole(self._counts[k + 1][layer.children[arc[waiting]]])
                beyond = left[waiting] >= many
                waiting = waiting[beyond]
                left[waiting] -= many[beyond]
                arc[waiting] += 1
            state = layer.children[arc]
            found[:, self._place[self._order[k]]] = self._domains[k][layer.values[arc]]
        return found

    def numbers(self) -> dict[int, dict[int, int]]:
        """Return by decision variable how many solutions have each value."""
        found: dict[int, dict[int, int]] = {}
        dtype: Any = object if self.count > _MOST else np.int64
        ways: Any = np.ones(1, dtype=dtype)
        for k, layer in enumerate(self._layers):
            ways = np.repeat(ways, np.diff(layer.starts))
            many = ways * _whole(self._counts[k + 1][layer.children])
            each = {int(a): int(many[layer.values == j].sum()) for j, a in enumerate(self._domains[k])}
            found[self._order[k]] = {a: n for a, n in each.items() if n}
            reached = np.zeros(len(self._counts[k + 1]), dtype=dtype)
            np.add.at(reached, layer.children, ways)
            ways = reached
        return dict(sorted(found.items()))


_NO_ARCS = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

_MOST = 1 << 62
"""Counts up to which arrays hold them as numbers of one word."""

_POSSIBLE: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda low, high: (low <= 0) & (high >= 0),
    "!=": lambda low, high: (low != 0) | (high != 0),
    "<=": lambda low, _high: low <= 0,
    "<": lambda low, _high: low < 0,
    ">=": lambda _low, high: high >= 0,
    ">": lambda _low, high: high > 0,
}
"""Whether a relation may hold of a sum from ``low`` to ``high``."""

_NARROWED: dict[str, Callable[[Any, int, int], Any]] = {
    "==": lambda total, _low, _high: total,
    "!=": lambda total, low, high: np.where((total < low) | (total > high), low - 1, total),
    "<=": lambda total, low, _high: np.maximum(total, low),
    "<": lambda total, low, _high: np.maximum(total, low - 1),
    ">=": lambda total, _low, high: np.minimum(total, high),
    ">": lambda total, _low, high: np.minimum(total, high + 1),
}
"""Sums so far, between minus the most and minus the least that is added; of those beyond one is as any."""


def _distinct(columns: Sequence[IntArray], many: int) -> tuple[IntArray, IntArray]:
    """Return the place of each row that is the first of its kind, and of which kind each row is."""
    code, size = np.zeros(many, dtype=np.int64), 1
    for column in columns if many else ():
        low = int(column.min())
        span = int(column.max()) - low + 1
        if size * span > _MOST:
            code = np.unique(code, return_inverse=True)[1]
            column, low = np.unique(column, return_inverse=True)[1], 0
            size, span = int(code.max()) + 1, int(column.max()) + 1
        code = code * span + (column - low)
        size *= span
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return first, kind


def _summed(layer: _Layer, counts: IntArray) -> IntArray:
    """Return how many solutions are behind each state, (states, words), from those behind its children."""
    words, carry = [], np.zeros(len(layer.starts) - 1, dtype=np.int64)
    for word in counts.T:
        until = np.concatenate([carry[:0], [0], np.cumsum(word[layer.children])])
        total = until[layer.starts[1:]] - until[layer.starts[:-1]] + carry
        words.append(total & ((1 << _WORD) - 1))
        carry = total >> _WORD
    return np.stack(words + [carry] * bool(carry.any()), axis=1)


def _whole(words: IntArray) -> Any:
    """Return counts, (states,), as numbers of one word where they fit, else as integers of Python."""
    if words.shape[1] == 1:
        return words[:, 0]
    if words.shape[1] == 2 and words[:, 1].max(initial=0) < _MOST >> _WORD:
        return words[:, 0] + (words[:, 1] << _WORD)
    return sum(word.astype(object) << (_WORD * k) for k, word in enumerate(words.T))


def _orders(model: Statement) -> list[list[int]]:
    """Return orders of the decision variables: as they are, and by each axis of their arrays."""
    decisions = model.decisions.tolist()
    index = dict[int, tuple[int, ...]]()
    for v in decisions:
        block = model.blocks.block_of(v)
        index[v] = tuple(map(int, np.unravel_index(v - block.first, block.shape)))
    deep = max(map(len, index.values()), default=0)

    def along(axis: int) -> list[int]:
        return sorted(
            decisions, key=lambda v: index[v][axis] if -len(index[v]) <= axis < len(index[v]) else -1
        )

    return [decisions, *(along(axis) for axis in range(-min(deep, 4), min(deep, 4)))]
