"""Times along a tour: what waits for what, gathered into times of nodes and ends behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.term_tables import LARGEST

ALWAYS = -1
"""The nodes of what holds whatever the tour."""
FREE = -(1 << 40)
"""The lag between nodes of which the second does not wait for the first, as in the kernel."""


@dataclass(frozen=True)
class Times:
    """Values along a tour: that of the next node is at least that of a node plus a lag.

    Attributes
    ----------
    variable
        (nodes,): -1 where a node has none.
    lag, exact
        (nodes, nodes): FREE where the second does not wait; 1 where it is exactly so much later.
    early, latest, weight
        (nodes,): bounds, and what a unit costs.
    ends
        What waits for several of them, see `Ends`.
    """

    variable: IntArray
    lag: IntArray
    exact: IntArray
    early: IntArray
    latest: IntArray
    weight: IntArray
    ends: Ends


@dataclass(frozen=True)
class Ends:
    """Values that are at least those of several nodes and of ends before them, plus lags: a last return.

    Attributes
    ----------
    variable
        (ends,): decision variables and definitions.
    peak, after
        (ends, nodes, nodes): lags behind a node before an arc (to itself: it is left out); (ends, ends):
        behind an end before it. FREE where there is none.
    early, latest, weight
        (ends,): bounds, and what a unit costs.
    """

    variable: IntArray
    peak: IntArray
    after: IntArray
    early: IntArray
    latest: IntArray
    weight: IntArray

    @property
    def lags(self) -> list[IntArray]:
        """How much ends are behind what they wait for."""
        return [part[part != FREE] for part in (self.peak, self.after)]


class NoTourError(Exception):
    """The model is more than tours."""


@dataclass(frozen=True)
class Wait:
    """Under an arc from ``node`` to another one, ``later`` is at least (exactly) ``earlier`` plus a lag.

    Both nodes are ALWAYS where it is whatever the tour.
    """

    node: int
    to: int
    earlier: int
    later: int
    lag: int
    exact: bool


class Waits:
    """What waits for what, as it is read, and the times that follow.

    Attributes
    ----------
    forbidden
        Whether an arc is not allowed, (nodes, nodes).
    low, high
        Bounds of all variables, which get narrower.
    domains
        Variables with gaps: no times.
    waits, turned
        What waits; of what is ``turned``, the later may be the earlier.
    extremes
        Variables that are at least, or at most, several others.
    """

    def __init__(
        self, forbidden: IntArray, optional: bool, low: list[int], high: list[int], domains: Collection[int]
    ) -> None:
        self.forbidden, self.optional, self.size = forbidden, optional, len(forbidden)
        self.low, self.high, self.domains = low, high, domains
        self.waits: list[Wait] = []
        self.turned: list[Wait] = []
        self.extremes: set[int] = set()

    def note(self, wait: Wait, ordered: bool) -> None:
        """Take note of what waits; if not ``ordered``, of two equal times either may be the later.

        Raises
        ------
        NoTourError
            If a time waits for itself whatever the tour.
        """
        always, binds = wait.node == ALWAYS, wait.lag > 0 or (wait.exact and wait.lag != 0)
        latest = self.high[wait.earlier] if wait.earlier >= 0 else 0
        if (not always and self.forbidden[wait.node, wait.to]) or (
            not wait.exact and self.low[wait.later] - latest >= wait.lag
        ):
            return
        if wait.earlier != wait.later:
            turns = wait.exact and wait.earlier >= 0 and not ordered and not always
            (self.turned if turns else self.waits).append(wait)
        elif binds and always:
            raise NoTourError
        elif binds:
            self.forbidden[wait.node, wait.to] = 1

    def _turn(self) -> None:
        """Find out which of two equal times is the earlier: each has a node that all its arcs have."""
        nodes: dict[int, set[int]] = {}
        for wait in (*self.waits, *self.turned):
            for v in (wait.earlier, wait.later):
                nodes[v] = nodes.get(v, {wait.node, wait.to}) & {wait.node, wait.to}
        for wait in self.turned:
            backward = nodes[wait.later] == {wait.node} or nodes[wait.earlier] == {wait.to}
            self.waits.append(
                replace(wait, earlier=wait.later, later=wait.earlier, lag=-wait.lag) if backward else wait
            )

    def times(self, loose: list[int], weights: dict[int, int]) -> tuple[list[Times], dict[int, int]]:
        """Return the times by what waits for what, and the values of ``loose`` ones that nothing binds."""
        self._turn()
        left = {wait.earlier for wait in self.waits if wait.earlier < 0}
        group = _Groups([*loose, *self.extremes, *left])
        for wait in self.waits:
            group.join(wait.earlier, wait.later)
        ends = self._ends(group)
        node: dict[int, int] = {}
        for wait in self.waits:
            for v, i in ((wait.earlier, wait.node), (wait.later, wait.to)):
                if v in self.domains:
                    raise NoTourError
                if i != ALWAYS and v not in ends and node.setdefault(v, i) != i:
                    raise NoTourError
        others = {v: self.low[v] for v in loose if v not in node and v not in ends}
        if any(v not in node and v not in ends for v in weights):
            raise NoTourError
        times = []
        for members in group.all(node.keys() | ends):
            along = [v for v in members if v in node]
            times.append(self._along(along, [v for v in members if v in ends], node, weights))
        return times, others

    def _ends(self, group: _Groups) -> set[int]:
        """Return what waits for more than the node before one."""
        waits = self.waits
        before = {wait.earlier for wait in waits if wait.node != ALWAYS}
        taken = {(group.of(wait.earlier), wait.node) for wait in waits if wait.node != ALWAYS}
        targets: dict[int, set[int]] = {v: {ALWAYS} for v in self.extremes}
        for wait in waits:
            targets.setdefault(wait.later, set()).add(wait.to)
        ends = {
            v for v, nodes in targets.items()
            if ALWAYS in nodes or len(nodes) > 1 or any((group.of(v), i) in taken for i in nodes - {ALWAYS})
        }  # fmt: skip
        ends = {v for v in ends if v not in before or v in self.extremes or ALWAYS in targets[v]}
        if ends & before:
            raise NoTourError
        return ends

    def _along(
        self, members: list[int], ends: list[int], node: dict[int, int], weights: dict[int, int]
    ) -> Times:
        n = self.size
        if len({node[v] for v in members}) < len(members):
            raise NoTourError
        variable = np.full(n, -1, dtype=np.int64)
        early, latest = np.zeros(n, dtype=np.int64), np.full(n, LARGEST, dtype=np.int64)
        weight = np.zeros(n, dtype=np.int64)
        for v in members:
            i = node[v]
            if v < 0:  # a node that is left at 0
                latest[i] = 0
                continue
            variable[i], early[i], latest[i], weight[i] = v, self.low[v], self.high[v], weights.get(v, 0)
        lag, exact = np.full((n, n), FREE, dtype=np.int64), np.zeros((n, n), dtype=np.int64)
        mine = set(members)
        for wait in self.waits:
            if wait.later not in mine:
                continue
            at = wait.node, wait.to
            if lag[at] != FREE and (exact[at] or wait.exact) and lag[at] != wait.lag:
                raise NoTourError
            lag[at] = max(lag[at], wait.lag)
            exact[at] |= wait.exact
        # an arc that is not allowed must not set time free: it takes as long as others
        closed = (self.forbidden == 1) & (lag == FREE) & (lag > FREE).any(axis=0)
        lag = np.where(closed, lag.max(), lag)
        all_ends = self._all_ends(ends, node, weights)
        numbers = (early, latest, np.where(lag == FREE, 0, lag), all_ends.early, all_ends.latest)
        largest = max(int(np.abs(a).max(initial=0)) for a in (*numbers, *all_ends.lags))
        total = 1 + int(weight.sum()) + int(all_ends.weight.sum())
        if largest > LARGEST or largest * total > LARGEST << 16:
            raise NoTourError
        return Times(variable, lag, exact, early, latest, weight, all_ends)

    def _all_ends(self, members: list[int], node: dict[int, int], weights: dict[int, int]) -> Ends:
        """Return the ends of a group, each behind those that it waits for."""
        n, mine = self.size, set(members)
        waits = [wait for wait in self.waits if wait.later in mine]
        order: list[int] = []
        while len(order) < len(members):
            ready = [
                v for v in members if v not in order
                and all(w.earlier in order for w in waits if w.later == v and w.earlier in mine)
            ]  # fmt: skip
            if not ready:
                raise NoTourError
            order += ready
        number = {v: k for k, v in enumerate(order)}
        peak = np.full((len(order), n, n), FREE, dtype=np.int64)
        after = np.full((len(order), len(order)), FREE, dtype=np.int64)
        for wait in waits:
            k = number[wait.later]
            if wait.exact and not self._is_met(wait):
                raise NoTourError
            if wait.node != ALWAYS:
                peak[k, wait.node, wait.to] = max(peak[k, wait.node, wait.to], wait.lag)
            elif wait.earlier in mine:
                after[k, number[wait.earlier]] = max(after[k, number[wait.earlier]], wait.lag)
            elif wait.earlier in node:
                i = node[wait.earlier]
                peak[k, i] = np.maximum(peak[k, i], wait.lag)
            else:  # nothing binds it
                self.low[wait.later] = max(self.low[wait.later], self.low[wait.earlier] + wait.lag)
        early, latest = (np.array([at[v] for v in order], dtype=np.int64) for at in (self.low, self.high))
        weight = np.array([weights.get(v, 0) for v in order], dtype=np.int64)
        return Ends(np.array(order, dtype=np.int64), peak, after, early, latest, weight)

    def _is_met(self, wait: Wait) -> bool:
        """Say whether an end that is exactly so much behind a node is so by itself: no other may delay it."""
        same = [w for w in self.waits if w.later == wait.later]
        alone = all(w.exact and w.to == wait.to for w in same) and wait.to != ALWAYS and not self.optional
        earlier = self.low[wait.earlier] if wait.earlier >= 0 else 0
        return alone and self.low[wait.later] <= earlier + wait.lag


class _Groups:
    """Variables that are joined, directly or by others."""

    def __init__(self, variables: list[int]) -> None:
        self.above = {v: v for v in variables}

    def of(self, v: int) -> int:
        """Return the variable that stands for the group of one."""
        if v not in self.above:
            raise NoTourError
        while self.above[v] != v:
            v = self.above[v]
        return v

    def join(self, v: int, w: int) -> None:
        """Make one group of two."""
        self.above[self.of(v)] = self.of(w)

    def all(self, variables: Iterable[int]) -> list[list[int]]:
        """Return the groups of some variables."""
        found: dict[int, list[int]] = defaultdict(list)
        for v in sorted(variables):
            found[self.of(v)].append(v)
        return list(found.values())
