"""Las Vegas attempts: the first variables take random safe values, the rest backtracks to a first solution.

An attempt that cannot go on is given up as a whole, and the next one starts afresh. A random variable keeps
no other value to try, so the way back runs through the random part down to the root by itself. Two kernels:
on words of free squares for a `Pattern` (as in `tables.Rowmasks`), and on the store of `forward` in its
mode without look-ahead. An attempt's nodes are the root and every safe placement of it.
"""

from typing import Any, NamedTuple

import numpy as np

from cpqueens.kernels.boards.pattern import Words
from cpqueens.kernels.boards.tables import enter_next
from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.apart import link
from cpqueens.kernels.exact.branching import TreeSearch
from cpqueens.kernels.exact.domains import Ints, Memory, restore
from cpqueens.kernels.exact.forward import begin, conclude, decide, descend, retreat
from cpqueens.kernels.jit.decorators import inner_kernel, kernel, linking_kernel
from cpqueens.kernels.jit.instructions import entry, lowest, popcount, put
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import info as at_end, start as lots

# Answers of both kernels.
PAUSED, SUCCESS, TRAIL_FULL, NO_ROOT = 0, 1, 2, 3

# The tally of attempts: numbers, and sums of nodes and of their squares.
ATTEMPTS, SUCCESSES, SUCCESS_NODES, SUCCESS_SQUARES, FAILURE_NODES, FAILURE_SQUARES, TALLIES = range(7)

# Places in the pattern kernel's ``state``.
ROW, ROW_NODES, STATES = range(3)

# Places in the general kernel's ``own``: random variables, where the scan of a variable's values is, how many
# safe ones it has met, which of them is chosen, and the trail's lengths at the root.
RANDOM_VARIABLES, SCANNING, VALUE, SAFE, CHOSEN, ROOT_TRAIL, ROOT_CELLS, OWN = range(8)

CHUNK = 64  # steps of a run between two looks whether it has ended

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@inner_kernel
def close(tally: Ints, nodes: int, success: int) -> None:
    """Enter an attempt into the tally."""
    tally[ATTEMPTS] += 1
    if success:
        tally[SUCCESSES] += 1
        tally[SUCCESS_NODES] += nodes
        tally[SUCCESS_SQUARES] += nodes * nodes
    else:
        tally[FAILURE_NODES] += nodes
        tally[FAILURE_SQUARES] += nodes * nodes


class RowAttempt(NamedTuple):
    """A `Pattern`, the squares of the attempt under way, and what is kept of all attempts.

    The first fields are those of `tables.Rowmasks`; ``free[0]`` are the allowed columns.
    """

    free: Words
    untried: Words
    leaves: Words
    rows: int
    width: int
    x: Ints
    state: Ints
    random: Ints
    tally: Ints


@inner_kernel
def nodes_of(tally: Ints, row: int, state: Ints) -> Any:
    """Return the nodes of all attempts, of that under way too."""
    return tally[SUCCESS_NODES] + tally[FAILURE_NODES] + (state[ROW_NODES] if row >= 0 else 0)


@inner_kernel
def pattern_on(s: Any, random_rows: int, most: int, limit: int, steps: int) -> Any:
    """Go on for at most ``steps`` placements and retreats; end at a success, which ``s.x`` then holds.

    Ends also with attempt number ``most``, and when all attempts have ``limit`` nodes together (or one more:
    the root of an attempt comes with a placement).
    """
    untried, x, state, tally = s.untried, s.x, s.state, s.tally
    last = x.size - 1
    row = state[ROW]
    own = state[ROW_NODES]
    left = limit - nodes_of(tally, row, state)
    for _ in range(steps):
        if left <= 0:
            break
        if row < 0:  # afresh
            if tally[ATTEMPTS] >= most:
                break
            row = 0
            put(untried, 0, entry(s.free, 0))
            own = 1
            left -= 1
        rest = entry(untried, row)
        if rest == _ZERO:
            row -= 1
            if row < 0:
                close(tally, own, 0)
            continue
        if row < random_rows:
            safe: Any = np.int64(popcount(rest))
            for _skip in range(below(s.random, safe)):
                rest &= rest - _ONE
            put(untried, row, _ZERO)
        else:
            put(untried, row, rest & (rest - _ONE))
        value: Any = np.int64(lowest(rest))
        put(x, row, value)
        own += 1
        left -= 1
        if row == last:
            close(tally, own, 1)
            state[ROW] = -1
            return SUCCESS
        safe_next = enter_next(row, value, s)
        row += 1
        put(untried, row, safe_next)
    state[ROW] = row
    state[ROW_NODES] = own
    return PAUSED


@kernel
def attempt_pattern(s: Any, random_rows: int, most: int, limit: int, steps: int) -> Any:
    """Do the same for a driver."""
    return pattern_on(s, random_rows, most, limit, steps)


@kernel
def pattern_runs(steps: int, s: Any, lot: Any, random_rows: int, tallies: Ints) -> None:
    """Go on with run after run, each to its first success, for about ``steps`` steps.

    ``tallies`` (runs, TALLIES) has a row a run.
    """
    tally, state = s.tally, s.state
    while steps > 0 and lots.goes_on(lot):
        if lots.is_due(lot):
            for k in range(TALLIES):
                tally[k] = 0
            state[ROW] = -1
            steps -= lots.begin(lot, s.random)
        answer = pattern_on(s, random_rows, 1 << 62, lot.now[lots.LIMIT], CHUNK)
        steps -= CHUNK
        nodes = nodes_of(tally, state[ROW], state)
        if answer == SUCCESS or nodes >= lot.now[lots.LIMIT]:
            run = lot.now[lots.RUN]
            for k in range(TALLIES):
                tallies[run, k] = tally[k]
            lot.figures[run, lots.ENDING] = at_end.SOLVED if answer == SUCCESS else at_end.STEP_LIMIT
            lot.figures[run, lots.STEPS] = nodes
            lots.leave(lot, s.x)


@inner_kernel
def undecide(m: Memory, q: TreeSearch) -> None:
    """Take the last decision back without excluding its value."""
    depth = q.state[tree.DEPTH] - 1
    q.state[tree.DEPTH] = depth
    restore(m, q.levels[depth, 2], q.levels[depth, 3])
    m.x[q.levels[depth, 0] + at.FROZEN] = 1


@inner_kernel
def scan(m: Memory, q: TreeSearch, own: Ints) -> Any:
    """Place the next value of the random variable at hand, or after the last one the chosen value.

    Each safe value takes the place of the chosen one with probability 1 / (safe values so far), so that all
    are equally likely (reservoir sampling). Says whether a value was placed.
    """
    v = q.state[tree.DEPTH] * at.X_WIDTH
    if not own[SCANNING]:
        own[SCANNING] = 1
        own[VALUE] = m.x[v + at.LOW]
        own[SAFE] = 0
    shift = m.x[v + at.FIRST] - m.x[v + at.BASE]
    while own[VALUE] <= m.x[v + at.HIGH] and not m.cells[shift + own[VALUE]]:
        own[VALUE] += 1
    if own[VALUE] <= m.x[v + at.HIGH]:
        decide(m, q, v, tree.EQUAL, own[VALUE])
        return 1
    own[SCANNING] = 0
    if own[SAFE]:
        decide(m, q, v, tree.EQUAL, own[CHOSEN])
    return own[SAFE] > 0


@inner_kernel
def judge(m: Memory, q: TreeSearch, own: Ints, before: int) -> None:
    """Note whether the value just tested is safe, and take it back."""
    if q.state[tree.NODES] > before:
        own[SAFE] += 1
        if below(q.random, own[SAFE]) == 0:
            own[CHOSEN] = own[VALUE]
    own[VALUE] += 1
    q.state[tree.NODES] = before
    undecide(m, q)
    q.state[tree.PHASE] = tree.DESCEND


@inner_kernel
def afresh(m: Memory, q: TreeSearch, own: Ints) -> None:
    """Go back to the root."""
    for depth in range(q.state[tree.DEPTH]):
        m.x[q.levels[depth, 0] + at.FROZEN] = 1
    restore(m, own[ROOT_TRAIL], own[ROOT_CELLS])
    q.state[tree.DEPTH] = 0
    q.state[tree.NODES] = 1
    q.state[tree.PHASE] = tree.DESCEND


@inner_kernel
def change(m: Memory, q: TreeSearch, own: Ints) -> Any:
    """Take the next step of an attempt, still to be propagated; return what it did."""
    if q.state[tree.PHASE] >= tree.UNFINISHED:
        return q.state[tree.PHASE] - tree.UNFINISHED
    if q.state[tree.PHASE] == tree.RETREAT:
        return retreat(m, q) if q.state[tree.DEPTH] > own[RANDOM_VARIABLES] else tree.FINISHED
    if q.state[tree.PHASE] == tree.ROOT:
        return begin(m, q)
    if q.state[tree.DEPTH] < own[RANDOM_VARIABLES]:
        return tree.DECIDED if scan(m, q, own) else tree.FAILED
    return descend(m, q)


@linking_kernel(link)
def attempt_any(m: Memory, q: TreeSearch, own: Ints, tally: Ints, most: int, limit: int, steps: int) -> Any:
    """Go on for at most ``steps`` values tested, decisions and retreats; end at a success.

    The store is that of the strategy ``check``; a success lies in ``q.solutions``. Ends also with attempt
    number ``most`` and at ``limit`` nodes. One place propagates, since each is a copy of all that code.
    """
    room = len(m.x)
    end = at.end_of_call(m, steps)
    for _ in range(steps):
        if m.stack[at.TRAIL_TOP] + room > len(m.stack):
            return TRAIL_FULL
        closed = tally[SUCCESS_NODES] + tally[FAILURE_NODES]
        depth, phase = q.state[tree.DEPTH], q.state[tree.PHASE]
        if tally[ATTEMPTS] >= most or closed + (q.state[tree.NODES] if depth > 0 else 0) >= limit:
            return PAUSED
        at_root = phase == tree.ROOT or (depth == 0 and phase == tree.UNFINISHED + tree.DECIDED)
        before = q.state[tree.NODES]
        step = change(m, q, own)
        if q.state[tree.FOUND] or step == tree.FINISHED:
            success = q.state[tree.FOUND]
            close(tally, before, success)
            q.state[tree.FOUND] = 0
            q.state[tree.STORED] = 0
            afresh(m, q, own)
            if success:
                return SUCCESS
            continue
        conclude(m, q, step, end)
        if q.state[tree.PHASE] >= tree.UNFINISHED:
            return PAUSED
        if at_root:
            own[ROOT_TRAIL] = m.stack[at.TRAIL_TOP]
            own[ROOT_CELLS] = m.stack[at.CELLS_TOP]
            if q.state[tree.PHASE] == tree.RETREAT:
                return NO_ROOT
        elif own[SCANNING]:
            judge(m, q, own, before)
    return PAUSED
