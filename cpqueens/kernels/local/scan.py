"""Scans and sweeps: every assignment of every variable, or every pair of a group, is evaluated."""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel, kernel
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import arena as parts, info as at
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.moves import allowed, domain_size, domain_value, list_values, span
from cpqueens.kernels.local.plain import plain_span_deltas
from cpqueens.kernels.local.state import assign_deltas, make_move, save, shake, swap_deltas

# entries of ``parameters``
TIES = 0  # LAST scanned or RANDOM
SHOULDER = 1  # what is done when the best move is only equal
MAX_SIDEWAYS = 2  # consecutive sideways moves allowed
LENGTH = 3

LAST = 0
RANDOM = 1

# entries of ``found``: the best neighbour so far, and where its scan stands
VARIABLE = 0  # -1: none yet
VALUE = 1
CHANGE = 2
NEXT = 3  # the variable to go on with
TIED = 4  # neighbours as good as the best
LEFT = 5  # evaluations that this call may still make
FOUND = 6  # its length

GO_ON = 0  # take the equal move (and count it)
TAKE_AND_SHAKE = 1  # take it, then give one random variable a random value (as a text's program does)
JUMP = 2  # make a uniformly random move instead (as that text says)


@inlined
def random_neighbour(other: bool, s: Any) -> None:
    """Give a random variable a random value (another one than it has, if ``other``)."""
    info = part(s.core.arena, parts.INFO)
    save(s.core)
    v = below(s.random, s.core.x.shape[0])
    size = domain_size(v, s.space)
    value = domain_value(v, below(s.random, size), s.space)
    while other and size > 1 and value == s.core.x[v]:
        value = domain_value(v, below(s.random, size), s.space)
    shake(v, value, False, s)
    at.record(s.events, info, at.RESET, 0, 1, 0)


@inner_kernel
def evaluate_span(v: int, s: Any) -> Any:
    """Set ``s.deltas`` to the changes by all values of ``v`` from the lowest on; return how many they are.

    Its own value has one that nobody takes. 0: not where other layers see it, or its values are no interval.
    """
    if s.rows is not None or s.deep is not None:
        return 0
    size = span(v, s.deltas.shape[0], s.space)
    if size > 0:
        low = s.space.lower[v]
        plain_span_deltas(v, low, size, s.deltas, s.core, s.measure)
        s.deltas[s.core.x[v] - low] = at.NEVER
    return size


@inlined
def evaluate_all(v: int, s: Any) -> Any:
    """Evaluate all assignments of ``v``; return how many changes there are, and how many others values.

    Where the numbers differ, the changes are those of `evaluate_span`, else of what ``s.moves`` lists.
    """
    size = evaluate_span(v, s)
    if size > 0:
        return size, size - 1
    size = list_values(v, 0, s.moves, s.core.x, s.space, s.random)
    assign_deltas(v, s.moves, size, s.deltas, s.core, s.rows, s.deep, s.measure)
    return size, size


@inner_kernel
def least_of(size: int, deltas: Ints) -> Any:
    """Return the least of the first ``size`` changes."""
    least = at.NEVER
    for q in range(size):
        least = min(least, deltas[q])
    return least


@inner_kernel
def best_neighbour(s: Any, ties: int, found: Ints) -> Any:
    """Set ``found`` to variable (-1: no move), value and change of the best assignment of all.

    Returns false if the call's evaluations are used up before the scan is done; the next call goes on.
    """
    equal = found[TIED]
    if found[NEXT] == 0:
        found[VARIABLE] = -1
        equal = 0
    for v in range(found[NEXT], s.core.x.shape[0]):
        if found[LEFT] <= 0:
            found[NEXT] = v
            found[TIED] = equal
            return False
        size, others = evaluate_all(v, s)
        s.core.arena[s.core.arena[parts.INFO] + at.EVALUATIONS] += others
        found[LEFT] -= others
        if equal > 0 and least_of(size, s.deltas) > found[CHANGE]:
            continue
        for q in range(size):
            if s.deltas[q] == at.NEVER or (equal > 0 and s.deltas[q] > found[CHANGE]):
                continue
            if equal == 0 or s.deltas[q] < found[CHANGE]:
                equal = 0
            equal += 1
            if ties == LAST or equal == 1 or below(s.random, equal) == 0:
                found[VARIABLE] = v
                found[VALUE] = s.moves[q] if size == others else s.space.lower[v] + q
                found[CHANGE] = s.deltas[q]
    found[NEXT] = 0
    return True


@inner_kernel
def climb_on(steps: int, s: Any, found: Ints, parameters: Ints) -> Any:
    """Climb for at most ``steps`` moves; return how the call ended.

    LOCAL_OPTIMUM: every neighbour is worse. PLATEAU_LIMIT: too many sideways moves in a row.
    """
    info = part(s.core.arena, parts.INFO)
    shoulder = parameters[SHOULDER]
    found[LEFT] = info[at.WORK]
    for _ in range(steps):
        if info[at.COST] == 0:
            return at.SOLVED
        if found[LEFT] <= 0 or not best_neighbour(s, parameters[TIES], found):
            return at.BUDGET
        change = found[CHANGE]
        if found[VARIABLE] < 0 or change > 0:
            return at.LOCAL_OPTIMUM
        if change < 0:
            info[at.SIDEWAYS] = 0
        elif shoulder == GO_ON and info[at.SIDEWAYS] >= parameters[MAX_SIDEWAYS]:
            return at.PLATEAU_LIMIT
        else:
            info[at.SIDEWAYS] += 1
        info[at.STEPS] += 1
        if change == 0 and shoulder == JUMP:
            info[at.MOVES] += 1
            random_neighbour(True, s)
            continue
        make_move(found[VARIABLE], found[VALUE], False, change, s)
        if change == 0 and shoulder == TAKE_AND_SHAKE and info[at.COST] > 0:
            random_neighbour(False, s)
    return at.SOLVED if info[at.COST] == 0 else at.BUDGET


@kernel
def climb(steps: int, s: Any, found: Ints, parameters: Ints) -> Any:
    """Do the same for a driver."""
    return climb_on(steps, s, found, parameters)


# ---- sweeps over the pairs of a group (Sosic and Gu 1990, QS1) -------------------------------------------


CHUNK = 4096  # partners evaluated at once; the first that is better is taken


@inlined
def list_partners(i: int, first: int, end: int, s: Any) -> Any:
    """List those of the members ``first`` to ``end - 1`` that ``i`` may swap with; return how many.

    Only pairs of which one is in conflict; all later ones if ``i`` is.
    """
    position = part(s.core.arena, parts.POSITION)
    x = s.core.x
    size = 0
    for q in range(first, end):
        j = s.space.group_members[q]
        if position[i] < 0 and position[j] < 0:
            continue
        if allowed(j, x[i], s.space) and allowed(i, x[j], s.space):
            s.moves[size] = j
            size += 1
    return size


@inner_kernel
def first_better(size: int, deltas: Any, info: Any) -> Any:
    """Return the first of ``size`` moves that lowers the cost, -1 if there is none."""
    for q in range(size):
        info[at.EVALUATIONS] += 1
        if deltas[q] < 0:
            return q
    return -1


@inner_kernel
def sweep_on(steps: int, s: Any) -> Any:
    """Sweep ``steps`` variables, each against all later ones of its group; return how the call ended.

    LOCAL_OPTIMUM: a whole pass made no swap. ``info[POSITION]`` and ``info[INNER]`` are where the pass
    stands, ``info[EXTRA]`` the number of its swaps. A call may end within the partners of one variable.
    """
    info = part(s.core.arena, parts.INFO)
    members = s.space.group_members
    left = info[at.WORK]
    for _ in range(steps):
        if info[at.COST] == 0:
            return at.SOLVED
        here = info[at.POSITION]
        if here == 0 and info[at.INNER] == 0:
            info[at.EXTRA] = 0
        i = members[here]
        end = s.space.group_start[s.space.group[i] + 1]
        first = max(info[at.INNER], here + 1)
        while first < end:
            if left <= 0:
                info[at.INNER] = first
                return at.BUDGET
            stop = min(end, first + CHUNK)
            left -= stop - first
            size = list_partners(i, first, stop, s)
            swap_deltas(i, s.moves, size, s.deltas, s.core, s.rows, s.deep, s.measure)
            q = first_better(size, s.deltas, info)
            if q < 0:
                first = stop
                continue
            make_move(i, s.moves[q], True, s.deltas[q], s)
            info[at.EXTRA] += 1
            if info[at.COST] == 0:
                return at.SOLVED
            while members[first] != s.moves[q]:
                first += 1
            first += 1
        info[at.INNER] = 0
        info[at.STEPS] += 1
        info[at.POSITION] = (here + 1) % members.shape[0]
        if info[at.POSITION] == 0 and info[at.EXTRA] == 0:
            return at.LOCAL_OPTIMUM
    return at.BUDGET


@kernel
def sweep(steps: int, s: Any) -> Any:
    """Do the same for a driver."""
    return sweep_on(steps, s)
