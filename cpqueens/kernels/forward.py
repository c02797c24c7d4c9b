"""Depth-first search with propagation: binary branching on the decision variables, without recursion.

A decision gives a variable one of its values; the other branch takes that value away. A variable without
listed values is halved instead, the lower half first, which keeps solutions in lexicographic order; with
``check`` every decision is one value. Nodes are the root and all decisions, halvings too, that propagation
does not refute; failures are those that it does.
"""

from typing import Any, NamedTuple

from cpqueens.kernels import domains as at
from cpqueens.kernels.dispatch import link
from cpqueens.kernels.domains import (
    Ints,
    Memory,
    enqueue,
    forget,
    note,
    remove,
    restore,
    size,
    tighten,
)
from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import inlined, inner_kernel, linking_kernel
from cpqueens.kernels.propagate_rows import linear_bounds
from cpqueens.kernels.propagators import propagate
from cpqueens.kernels.random import below

# Answers of `search`.
PAUSED, BATCH_FULL, EXHAUSTED, TRAIL_FULL = 0, 1, 2, 3

# Variable orders and value orders.
LEXICOGRAPHIC, SMALLEST_DOMAIN = 0, 1
ASCENDING, RANDOM = 0, 1

# Places in `TreeSearch.state`.
DEPTH, PHASE, NODES, FAILURES, FOUND, STORED, REPLAYING = range(7)
ROOT, DESCEND, RETREAT = 0, 1, 2

# What a step did.
FAILED, NARROWED, DECIDED, FINISHED = 0, 1, 2, 3


class TreeSearch(NamedTuple):
    """The stack and the settings of one search.

    ``levels`` has one row (variable, last value, trail length, removed length, first open variable) a level.
    ``options`` are: decision variables, variable order, value order, check only (no look-ahead),
    objective row (-1 for none), keep solutions.
    """

    state: Ints
    levels: Ints
    options: Ints
    random: Ints
    after: Ints
    solutions: Ints  # (capacity, decision variables)


@inner_kernel
def choose_variable(m: Memory, q: TreeSearch) -> Any:
    """Return the next decision variable to branch on, -1 if all are decided."""
    count = q.options[0]
    depth = q.state[DEPTH]
    if q.options[3]:  # check only: one level a variable, also for those with one value
        return depth * at.X_WIDTH if depth < count else -1
    first = q.levels[depth - 1, 4] if depth > 0 else 0
    end = count * at.X_WIDTH
    while first < end and entry(m.x, first + at.LOW) == entry(m.x, first + at.HIGH):
        first += at.X_WIDTH
    q.levels[depth, 4] = first
    if first == end:
        return -1
    if q.options[1] == LEXICOGRAPHIC:
        return first
    best, least = first, size(m, first)
    for v in range(first + at.X_WIDTH, end, at.X_WIDTH):
        if entry(m.x, v + at.LOW) != entry(m.x, v + at.HIGH):
            values = size(m, v)
            if values < least:
                best, least = v, values
    return best


@inner_kernel
def choose_value(m: Memory, q: TreeSearch, v: int) -> Any:
    """Return the value to try next."""
    if q.options[2] == ASCENDING or entry(m.x, v + at.FIRST) < 0:
        return entry(m.x, v + at.LOW)
    skip = below(q.random, size(m, v))
    w = entry(m.x, v + at.LOW)
    while True:
        if entry(m.cells, entry(m.x, v + at.FIRST) + w - entry(m.x, v + at.BASE)):
            if skip == 0:
                return w
            skip -= 1
        w += 1


@inner_kernel
def replayed_value(m: Memory, q: TreeSearch, v: int) -> Any:
    """Return the value that continues the path of ``after``; end the replay where it cannot be followed.

    Decided variables before v are compared first: a smaller one ends this branch (-1 is stored in the
    second result), a greater one means that everything below is still to come.
    """
    for k in range(v // at.X_WIDTH):
        if entry(m.x, k * at.X_WIDTH + at.LOW) > q.after[k]:
            q.state[REPLAYING] = 0
            return entry(m.x, v + at.LOW), 1
        if entry(m.x, k * at.X_WIDTH + at.LOW) < q.after[k]:
            return 0, 0
    wanted = q.after[v // at.X_WIDTH]
    if wanted > entry(m.x, v + at.HIGH):
        return 0, 0
    frozen = entry(m.x, v + at.FROZEN)
    put(m.x, v + at.FROZEN, 0)
    possible = tighten(m, v, wanted, entry(m.x, v + at.HIGH))
    put(m.x, v + at.FROZEN, frozen)
    if frozen or not possible:
        forget(m)
    if not possible:
        return 0, 0
    if entry(m.x, v + at.LOW) != wanted:
        q.state[REPLAYING] = 0
    return entry(m.x, v + at.LOW), 1


@inner_kernel
def behind(m: Memory, q: TreeSearch) -> Any:
    """Say whether the solution at hand comes after ``after`` in lexicographic order."""
    for k in range(q.options[0]):
        if entry(m.x, k * at.X_WIDTH + at.LOW) != q.after[k]:
            return entry(m.x, k * at.X_WIDTH + at.LOW) > q.after[k]
    return False


@inner_kernel
def record(m: Memory, q: TreeSearch) -> None:
    """Take the solution at hand; with an objective, only better ones may follow."""
    q.state[FOUND] += 1
    if q.options[5]:
        place = q.state[STORED]
        for k in range(q.options[0]):
            q.solutions[place, k] = entry(m.x, k * at.X_WIDTH + at.LOW)
        q.state[STORED] = place + 1
    row = q.options[4]
    if row >= 0:
        value = linear_bounds(m, row)[0]  # objective - (best - 1), at the solution
        m.net[row + at.CONSTANT] += 1 - value


@inner_kernel
def wake_objective(m: Memory, q: TreeSearch) -> None:
    """Queue the objective's row, whose constant a solution may have changed."""
    if q.options[4] >= 0:
        enqueue(m, q.options[4])


@inner_kernel
def last_of_branch(m: Memory, q: TreeSearch, v: int, value: int) -> Any:
    """Return the greatest value of the branch that begins with ``value``, the middle where v is halved."""
    if entry(m.x, v + at.FIRST) >= 0 or q.options[3] or q.state[REPLAYING]:
        return value
    high = entry(m.x, v + at.HIGH)
    return (value >> 1) + (high >> 1) + (value & high & 1)  # the sum might not fit


@inner_kernel
def decide(m: Memory, q: TreeSearch, v: int, first: int, last: int) -> None:
    """Give v one of the values ``first`` to ``last`` on a new level, to be propagated."""
    depth = q.state[DEPTH]
    q.levels[depth, 0] = v
    q.levels[depth, 1] = last
    q.levels[depth, 2] = m.stack[at.TRAIL_TOP]
    q.levels[depth, 3] = m.stack[at.CELLS_TOP]
    q.state[DEPTH] = depth + 1
    m.stack[at.LEVEL] += 1
    if q.options[3]:
        put(m.x, v + at.FROZEN, 0)
        if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH):  # from the start, refused by nothing
            note(m, v, at.BOUND | at.DOMAIN)
    tighten(m, v, first, last)


@inner_kernel
def descend(m: Memory, q: TreeSearch) -> Any:
    """Branch on the next variable, or take the solution if none is left."""
    v = choose_variable(m, q)
    if v < 0:
        if not q.state[REPLAYING] or behind(m, q):
            record(m, q)
        q.state[REPLAYING] = 0
        return FAILED
    if q.state[REPLAYING]:
        value, possible = replayed_value(m, q, v)
        if not possible:
            return FAILED
        if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH) and not q.options[3]:
            return NARROWED
    else:
        value = choose_value(m, q, v)
    decide(m, q, v, value, last_of_branch(m, q, v, value))
    return DECIDED


@inner_kernel
def retreat(m: Memory, q: TreeSearch) -> Any:
    """Undo the last decision and exclude its value, or its half."""
    depth = q.state[DEPTH] - 1
    if depth < 0:
        return FINISHED
    q.state[DEPTH] = depth
    v = q.levels[depth, 0]
    value = q.levels[depth, 1]
    restore(m, q.levels[depth, 2], q.levels[depth, 3])
    if q.options[2] == ASCENDING or entry(m.x, v + at.FIRST) < 0:
        possible = tighten(m, v, value + 1, entry(m.x, v + at.HIGH))
    else:
        possible = remove(m, v, value)
    if q.options[3]:
        forget(m)
        put(m.x, v + at.FROZEN, 1)
    return NARROWED if possible else FAILED


@inner_kernel
def begin(m: Memory, q: TreeSearch) -> Any:
    """Note all fixed variables at the root; all propagators are queued already."""
    for v in range(0, m.stack[at.VARIABLES], at.X_WIDTH):
        if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH):
            note(m, v, at.BOUND | at.DOMAIN)
    return DECIDED


@inlined
def conclude(m: Memory, q: TreeSearch, step: int) -> None:
    """Propagate what a step changed, and choose the next phase."""
    possible = 0
    if step != FAILED:
        wake_objective(m, q)
        possible = propagate(m)
    if step == DECIDED:
        q.state[NODES if possible else FAILURES] += 1
    if possible:
        q.state[PHASE] = DESCEND
    else:
        forget(m)
        q.state[PHASE] = RETREAT


@linking_kernel(link)
def search(m: Memory, q: TreeSearch, steps: int) -> Any:
    """Go on for at most ``steps`` decisions and retreats; return why it stopped."""
    room = len(m.x)  # each variable and each word is saved once, at most
    for _ in range(steps):
        if q.options[5] and q.state[STORED] == len(q.solutions):
            return BATCH_FULL
        if m.stack[at.TRAIL_TOP] + room > len(m.stack):
            return TRAIL_FULL
        if q.state[PHASE] == DESCEND:
            step = descend(m, q)
        elif q.state[PHASE] == RETREAT:
            step = retreat(m, q)
        else:
            step = begin(m, q)
        if step == FINISHED:
            return EXHAUSTED
        conclude(m, q, step)
    return PAUSED
