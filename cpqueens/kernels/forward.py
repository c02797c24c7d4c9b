"""Depth-first search with propagation: binary branching on the decision variables, without recursion."""

from __future__ import annotations

from typing import Any, NamedTuple

from cpqueens.kernels.domains import (
    BOUND,
    CELLS_TOP,
    DOMAIN,
    FIXED_TOP,
    QUEUE_HEAD,
    QUEUE_SIZE,
    STAMP,
    TRAIL_TOP,
    Ints,
    Store,
    assign,
    forget,
    restore,
    set_low,
    remove,
    wake,
)
from cpqueens.kernels.jit import kernel
from cpqueens.kernels.propagators import Network, linear_bounds, propagate
from cpqueens.kernels.random import below

# Answers of `search`.
PAUSED, BATCH_FULL, EXHAUSTED, TRAIL_FULL = 0, 1, 2, 3

# Variable orders and value orders.
LEXICOGRAPHIC, SMALLEST_DOMAIN = 0, 1
ASCENDING, RANDOM = 0, 1

# Places in `Search.state`.
DEPTH, PHASE, NODES, FAILURES, FOUND, STORED, REPLAYING, BEST = range(8)
DESCEND, RETREAT = 0, 1


class Search(NamedTuple):
    """The stack and the settings of one search.

    ``levels`` has one row (variable, value, trail length, removed length, first open variable) a level.
    ``options`` are: decision variables, variable order, value order, check only (no look-ahead),
    objective row (-1 for none), keep solutions.
    """

    state: Ints
    levels: Ints
    options: Ints
    random: Ints
    after: Ints
    solutions: Ints  # (capacity, decision variables)


@kernel
def choose_variable(s: Store, q: Search) -> Any:
    """Return the next decision variable to branch on, -1 if all are decided."""
    count = q.options[0]
    depth = q.state[DEPTH]
    if q.options[3]:  # check only: one level a variable, also for those with one value
        return depth if depth < count else -1
    first = q.levels[depth - 1, 4] if depth > 0 else 0
    while first < count and s.low[first] == s.high[first]:
        first += 1
    q.levels[depth, 4] = first
    if first == count:
        return -1
    if q.options[1] == LEXICOGRAPHIC:
        return first
    best = first
    for v in range(first + 1, count):
        if s.size[v] > 1 and s.size[v] < s.size[best]:
            best = v
    return best


@kernel
def choose_value(s: Store, q: Search, v: int) -> Any:
    """Return the value to try next."""
    if q.options[2] == ASCENDING or s.first[v] < 0:
        return s.low[v]
    skip = below(q.random, s.size[v])
    w = s.low[v]
    while True:
        if s.cells[s.first[v] + w - s.base[v]]:
            if skip == 0:
                return w
            skip -= 1
        w += 1


@kernel
def replayed_value(s: Store, q: Search, v: int) -> Any:
    """Return the value that continues the path of ``after``; end the replay where it cannot be followed.

    Decided variables before v are compared first: a smaller one ends this branch (-1 is stored in the
    second result), a greater one means that everything below is still to come.
    """
    for u in range(v):
        if s.low[u] > q.after[u]:
            q.state[REPLAYING] = 0
            return s.low[v], 1
        if s.low[u] < q.after[u]:
            return 0, 0
    wanted = q.after[v]
    if wanted > s.high[v]:
        return 0, 0
    frozen = s.frozen[v]
    s.frozen[v] = 0
    possible = set_low(s, v, wanted)
    s.frozen[v] = frozen
    if frozen or not possible:
        forget(s)
    if not possible:
        return 0, 0
    if s.low[v] != wanted:
        q.state[REPLAYING] = 0
    return s.low[v], 1


@kernel
def behind(s: Store, q: Search) -> Any:
    """Say whether the solution at hand comes after ``after`` in lexicographic order."""
    for u in range(q.options[0]):
        if s.low[u] != q.after[u]:
            return s.low[u] > q.after[u]
    return False


@kernel
def record(s: Store, n: Network, q: Search) -> None:
    """Take the solution at hand; with an objective, only better ones may follow."""
    q.state[FOUND] += 1
    if q.options[5]:
        place = q.state[STORED]
        for v in range(q.options[0]):
            q.solutions[place, v] = s.low[v]
        q.state[STORED] = place + 1
    row = q.options[4]
    if row >= 0:
        value = linear_bounds(s, n, row)[0]  # objective - (best - 1), at the solution
        n.constant[row] += 1 - value
        q.state[BEST] += 1


@kernel
def wake_objective(s: Store, q: Search) -> None:
    """Queue the objective's row, whose constant a solution may have changed."""
    row = q.options[4]
    if row >= 0 and not s.queued[row]:
        s.queued[row] = 1
        place = s.control[QUEUE_HEAD] + s.control[QUEUE_SIZE]
        s.queue[place if place < len(s.queue) else place - len(s.queue)] = row
        s.control[QUEUE_SIZE] += 1


@kernel
def descend(s: Store, n: Network, q: Search) -> None:
    """Branch on the next variable, or take the solution if none is left."""
    v = choose_variable(s, q)
    if v < 0:
        if not q.state[REPLAYING] or behind(s, q):
            record(s, n, q)
        q.state[REPLAYING] = 0
        q.state[PHASE] = RETREAT
        return
    if q.state[REPLAYING]:
        value, possible = replayed_value(s, q, v)
        if not possible:
            q.state[PHASE] = RETREAT
            return
        if s.low[v] == s.high[v] and not q.options[3]:
            if not propagate(s, n):
                forget(s)
                q.state[PHASE] = RETREAT
            return
    else:
        value = choose_value(s, q, v)
    depth = q.state[DEPTH]
    q.levels[depth, 0] = v
    q.levels[depth, 1] = value
    q.levels[depth, 2] = s.control[TRAIL_TOP]
    q.levels[depth, 3] = s.control[CELLS_TOP]
    q.state[DEPTH] = depth + 1
    s.control[STAMP] += 1
    if decide(s, n, q, v, value):
        q.state[NODES] += 1
    else:
        q.state[FAILURES] += 1
        forget(s)
        q.state[PHASE] = RETREAT


@kernel
def decide(s: Store, n: Network, q: Search, v: int, value: int) -> Any:
    """Give v its value and propagate."""
    if q.options[3]:
        s.frozen[v] = 0
        if s.low[v] == s.high[v]:  # one value from the start: while frozen, nothing could be held against it
            wake(s, v, BOUND | DOMAIN)
    wake_objective(s, q)
    if not assign(s, v, value):
        return 0
    return propagate(s, n)


@kernel
def retreat(s: Store, n: Network, q: Search) -> Any:
    """Undo the last decision and exclude its value; return 0 when there is none left to undo."""
    depth = q.state[DEPTH] - 1
    if depth < 0:
        return 0
    q.state[DEPTH] = depth
    v = q.levels[depth, 0]
    value = q.levels[depth, 1]
    restore(s, q.levels[depth, 2], q.levels[depth, 3])
    if q.options[2] == ASCENDING or s.first[v] < 0:
        possible = set_low(s, v, value + 1) if value < s.high[v] else 0
    else:
        possible = remove(s, v, value)
    if q.options[3]:
        forget(s)
        s.frozen[v] = 1
    else:
        wake_objective(s, q)
        possible = possible and propagate(s, n)
    if possible:
        q.state[PHASE] = DESCEND
    else:
        forget(s)
    return 1


@kernel
def search(s: Store, n: Network, q: Search, steps: int) -> Any:
    """Go on for at most ``steps`` decisions and retreats; return why it stopped."""
    variables = len(s.low)
    for _ in range(steps):
        if q.options[5] and q.state[STORED] == len(q.solutions):
            return BATCH_FULL
        if s.control[TRAIL_TOP] + 2 * variables + 2 > len(s.trail):
            return TRAIL_FULL
        if q.state[PHASE] == DESCEND:
            descend(s, n, q)
        elif not retreat(s, n, q):
            return EXHAUSTED
    return PAUSED


@kernel
def start(s: Store, n: Network) -> Any:
    """Propagate everything once at the root; return 0 if there is no solution."""
    for v in range(len(s.low)):
        if s.low[v] == s.high[v]:
            s.fixed[s.control[FIXED_TOP]] = v
            s.control[FIXED_TOP] += 1
    return propagate(s, n)
