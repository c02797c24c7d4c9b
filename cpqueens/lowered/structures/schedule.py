"""Schedules: starts that each are as early as others allow, and an objective that likes early ones.

Variables are *nodes* under lags ``x[j] >= x[i] + c``; machines and resources decide on an order among some of
them. Given the orders, the least of all solutions is a longest path, so that only orders need a search. A
variable with ``z >= e`` for some terms, and a maximum, are nodes like others, without a resource.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, Terms, Whole

LARGEST = 1 << 30
"""Times and costs beyond which a search in 64 bits would not be safe."""


class Activity(NamedTuple):
    """What a node demands of a resource from ``offset`` after its start."""

    node: int
    offset: int
    duration: int
    demand: int


@dataclass(frozen=True)
class TaskNetwork:
    """The nodes of a schedule and what binds them.

    Attributes
    ----------
    lower, upper, weight
        (nodes,): bounds, of which the lower ones count the lags, and what a unit costs.
    lags
        (lags, 3): ``start[j] >= start[i] + c`` as j, i, c, in no circle.
    pairs
        (pairs, 4): i, j, c, d, of which ``start[j] >= start[i] + c`` or ``start[i] >= start[j] + d``.
    machines
        The activities of each, which come one after the other, whatever they demand.
    resources
        Capacities, with the activities of each.
    node, shift
        (decision variables,): which node gives a variable its value, plus what.
    constant
        Of the objective.
    optimising
        Whether there is an objective.
    """

    lower: IntArray
    upper: IntArray
    weight: IntArray
    lags: IntArray
    pairs: IntArray
    machines: list[list[Activity]]
    resources: list[tuple[int, list[Activity]]]
    node: IntArray
    shift: IntArray
    constant: int
    optimising: bool


class _UnfitError(Exception):
    """The model is more than a schedule."""


def find(compiled: Compiled) -> TaskNetwork | None:
    """Return the model as a schedule, None if it is more than that or has no order to decide on."""
    c = compiled
    if not (c.wholes or len(c.literals)) or c.tables or c.counts or len(c.different) or c.domains:
        return None
    if any(d.kind not in ("maximum", "truth_linear") for d in c.definitions.blocks):
        return None
    if any(w.constraint.kind not in ("NoOverlap", "Cumulative") for w in c.wholes):
        return None
    try:
        return _LagReader(compiled).schedule()
    except _UnfitError:
        return None


class _LagReader:
    """Reads lags, pairs and resources; raises `_UnfitError` where something is neither."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.of: dict[int, tuple[int, int]] = {}  # variables that are another one plus a number
        self.lower, self.upper = compiled.lower.copy(), compiled.upper.copy()
        self.lags: list[tuple[int, int, int]] = []
        self.pairs: list[tuple[int, int, int, int]] = []
        self.machines: list[list[Activity]] = []
        self.resources: list[tuple[int, list[Activity]]] = []
        self.truths = {d.result: d for d in compiled.definitions if d.kind == "truth_linear"}
        self.maxima = {d.result: d for d in compiled.definitions if d.kind == "maximum"}

    def schedule(self) -> TaskNetwork:
        self._tie()
        self._relate()
        self._maximise()
        self._choose()
        for whole in self.compiled.wholes:
            self._occupy(whole)
        if not (self.pairs or self.machines or self.resources):
            raise _UnfitError
        return self._numbered()

    # ---- terms --------------------------------------------------------------------------------------

    def _row(self, terms: Terms, t: int) -> tuple[dict[int, int], int]:
        """Return coefficients by node, and the constant, of one term."""
        variables, coefficients, constant = terms.row(t)
        parts: dict[int, int] = defaultdict(int)
        for v, a in zip(variables.tolist(), coefficients.tolist(), strict=True):
            if v in self.truths:
                raise _UnfitError
            root, shift = self.of.get(v, (v, 0))
            parts[root] += a
            constant += a * shift
        return {v: a for v, a in parts.items() if a}, constant

    def _single(self, terms: Terms, t: int) -> tuple[int, int]:
        """Return the node and what is added to it, of a term ``x + c``."""
        parts, constant = self._row(terms, t)
        if list(parts.values()) != [1]:
            raise _UnfitError
        return next(iter(parts)), constant

    def _lag(self, parts: dict[int, int], constant: int) -> tuple[int, int, int]:
        """Return j, i, c of ``start[j] >= start[i] + c``, which is ``parts + constant <= 0``."""
        signs = {a: v for v, a in parts.items()}
        if len(parts) != 2 or signs.keys() != {1, -1}:
            raise _UnfitError
        return signs[-1], signs[1], constant

    def _numbers(self, terms: Terms) -> list[int]:
        if len(terms.variable):
            raise _UnfitError
        return [int(c) for c in terms.constant]

    # ---- constraints --------------------------------------------------------------------------------

    def _tie(self) -> None:
        """Let equalities of two variables give one by the other."""
        linear = self.compiled.linear
        for t in np.flatnonzero(self.compiled.relation == EQ).tolist():
            parts, constant = self._row(linear, t)
            j, i, c = self._lag(parts, constant)  # j == i + c
            if j in self.maxima:
                j, i, c = i, j, -c
            if j in self.maxima:
                raise _UnfitError
            self.lower[i] = max(self.lower[i], self.lower[j] - c)
            self.upper[i] = min(self.upper[i], self.upper[j] - c)
            for v, (root, shift) in self.of.items():
                if root == j:
                    self.of[v] = i, shift + c
            self.of[j] = i, c

    def _relate(self) -> None:
        """Read inequalities: lags of two variables, bounds of one."""
        for t, relation in enumerate(self.compiled.relation.tolist()):
            if relation == NE:
                raise _UnfitError
            if relation == EQ:
                continue
            parts, constant = self._row(self.compiled.linear, t)
            if relation == GE:
                parts, constant = {v: -a for v, a in parts.items()}, -constant
            if len(parts) == 1:
                ((v, a),) = parts.items()
                if a > 0:
                    self.upper[v] = min(self.upper[v], -constant // a)
                else:
                    self.lower[v] = max(self.lower[v], -(constant // a))
            elif parts or constant > 0:
                self.lags.append(self._lag(parts, constant))

    def _maximise(self) -> None:
        """Let a maximum wait for its terms; nothing else may hold it back."""
        held = {j for j, _, _ in self.lags}
        for v, definition in self.maxima.items():
            rows = [self._row(definition.terms, t) for t in range(len(definition.terms))]
            if v in held or self.lower[v] > self.compiled.lower[v]:
                raise _UnfitError
            self.lower[v] = max((c for parts, c in rows if not parts), default=-LARGEST)
            for t, (parts, _) in enumerate(rows):
                if parts:
                    self.lags.append((v, *self._single(definition.terms, t)))

    def _choose(self) -> None:
        """Read clauses: one of two tasks comes first."""
        c = self.compiled
        for first, end in zip(c.clause_start[:-1].tolist(), c.clause_start[1:].tolist(), strict=True):
            if end - first != 2:
                raise _UnfitError
            (j, i, lag), (k, h, back) = (self._lag(*self._literal(t)) for t in (first, first + 1))
            if (k, h) != (i, j):
                raise _UnfitError
            self.pairs.append((i, j, lag, back))

    def _literal(self, t: int) -> tuple[dict[int, int], int]:
        """Return ``parts, constant`` of ``parts + constant <= 0``, which a literal stands for."""
        variables, coefficients, constant = self.compiled.literals.row(t)
        one = (coefficients.tolist(), constant)
        if one not in (([1], 0), ([-1], 1)) or int(variables[0]) not in self.truths:
            raise _UnfitError
        truth = self.truths[int(variables[0])]
        if truth.relation not in (LE, GE):
            raise _UnfitError
        parts, rest = self._row(truth.terms, 0)
        sign = 1 if truth.relation == LE else -1
        parts, rest = {v: sign * a for v, a in parts.items()}, sign * rest
        return (parts, rest) if constant == 0 else ({v: -a for v, a in parts.items()}, 1 - rest)

    def _occupy(self, whole: Whole) -> None:
        """Read a machine or a resource."""
        c = whole.constraint
        starts = whole.terms(c.start)
        duration, present = self._numbers(whole.terms(c.duration)), self._numbers(whole.terms(c.present))
        is_machine = c.kind == "NoOverlap"
        demand = [1] * len(duration) if is_machine else self._numbers(whole.terms(c.demand))
        capacity = 1 if is_machine else self._numbers(whole.terms(c.capacity.reshape(-1)))[0]
        if min([0, capacity, *duration, *demand]) < 0:
            raise _UnfitError
        used = [k for k, p in enumerate(present) if p and (is_machine or duration[k] * demand[k])]
        activities = [Activity(*self._single(starts, k), duration[k], demand[k]) for k in used]
        if any(a.demand > capacity for a in activities):
            raise _UnfitError
        least = sorted(a.demand for a in activities)[:2]
        if sum(least) > capacity:
            if len({a.node for a in activities}) < len(activities):
                raise _UnfitError
            self.machines.append(activities)
        elif sum(a.demand for a in activities) > capacity:
            self.resources.append((capacity, activities))

    # ---- the result ---------------------------------------------------------------------------------

    def _numbered(self) -> TaskNetwork:
        """Return all by numbers of nodes alone."""
        n = self.compiled.decision_count
        nodes = [v for v in (*range(n), *self.maxima) if v not in self.of]
        number = np.full(self.compiled.variable_count, -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        weight, constant = self._weights(number)
        lags = np.array(self.lags, dtype=np.int64).reshape(-1, 3)
        lags[:, :2] = number[lags[:, :2]]
        lower = _raised(self.lower[nodes], lags)
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 4)
        pairs[:, :2] = number[pairs[:, :2]]
        found = TaskNetwork(
            lower, self.upper[nodes], weight, lags,
            pairs,
            [_renumbered(used, number) for used in self.machines],
            [(k, _renumbered(used, number)) for k, used in self.resources],
            np.array([number[self.of.get(v, (v, 0))[0]] for v in range(n)], dtype=np.int64),
            np.array([self.of.get(v, (v, 0))[1] for v in range(n)], dtype=np.int64),
            constant, self.compiled.objective is not None,
        )  # fmt: skip
        spans = np.array([[abs(a.offset) + a.duration for used in found.machines for a in used]])
        sides = found.lower, found.upper, lags, found.pairs, 2 * spans
        reach = max(int(np.abs(a).max(initial=0)) for a in sides)
        if reach > LARGEST or reach * (1 + int(weight.sum())) > LARGEST:
            raise _UnfitError
        return found

    def _weights(self, number: IntArray) -> tuple[IntArray, int]:
        weight = np.zeros(int(number.max()) + 1, dtype=np.int64)
        if self.compiled.objective is None:
            return weight, 0
        parts, constant = self._row(self.compiled.objective, 0)
        for v, a in parts.items():
            if a < 0:
                raise _UnfitError
            weight[number[v]] = a
        return weight, constant


def _renumbered(activities: list[Activity], number: IntArray) -> list[Activity]:
    return [Activity(int(number[node]), *rest) for node, *rest in activities]


def _raised(lower: IntArray, lags: IntArray) -> IntArray:
    """Return lower bounds that keep all lags; raises `_UnfitError` where these go in a circle."""
    lower, count = lower.copy(), len(lower)
    behind: dict[int, list[tuple[int, int]]] = defaultdict(list)
    waits = np.zeros(count, dtype=np.int64)
    for j, i, c in lags.tolist():
        behind[i].append((j, c))
        waits[j] += 1
    ready = np.flatnonzero(waits == 0).tolist()
    for i in ready:
        for j, c in behind[i]:
            lower[j] = max(lower[j], lower[i] + c)
            waits[j] -= 1
            if waits[j] == 0:
                ready.append(j)
    if len(ready) < count:
        raise _UnfitError
    return lower
