"""Many runs on the lines of queens: variables of which each is in the same two or three AllDifferents.

What the strategies of the general engine do (`search_scan`, `search_sweep`, `search_rowwise`), with the same
random numbers and hence the same trajectory, on nothing but how many variables stand on each line: no
weights, no projected errors, no best assignment, of which many runs say nothing.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit.decorators import inlined, kernel
from cpqueens.kernels.jit.instructions import entry, put
from cpqueens.kernels.jit.random import below, unit
from cpqueens.kernels.local import info as at, rowwise as rows, scan as scans, start as lots
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.runs import END, START, judge
from cpqueens.kernels.local.start import start_at_random
from cpqueens.kernels.local.state import Space


class LineCounts(NamedTuple):
    """One search; line k of variable v has the counters from ``bases[k, v]`` on, by its value."""

    x: Ints  # (variables,)
    counts: Ints  # (counters,)
    bases: Ints  # (lines * variables,)
    deltas: Ints  # (values,) scratch
    space: Space
    random: Ints
    events: Ints  # none
    info: Ints
    measure: int  # 0 surplus, 1 pairs


@inlined
def met(count: int, measure: int) -> Any:
    """Return by how much a line's violation grows when one more comes to so many."""
    return count if measure == 1 else (count > 0) + 0


@inlined
def enter_all(s: Any) -> Any:
    """Count all variables; return the violation of all lines."""
    n = s.x.size
    cost = 0
    for k in range(s.counts.size):
        put(s.counts, k, 0)
    for first in range(0, s.bases.size, n):
        for v in range(n):
            place = entry(s.bases, first + v) + entry(s.x, v)
            count = entry(s.counts, place)
            cost += met(count, s.measure)
            put(s.counts, place, count + 1)
    return cost


@inlined
def start(s: Any, lot: Any, starts: Any) -> Any:
    """Start the run that is under way, for the first time or again; return what it costs in steps."""
    info = s.info
    if lots.is_due(lot):
        for k in range(at.LENGTH):
            info[k] = 0
    cost = lots.begin(lot, s.random)
    start_at_random(starts, s.x, s.space, s.random)
    info[at.COST] = enter_all(s)
    info[at.SIDEWAYS] = 0
    info[at.POSITION] = 0
    return cost


@inlined
def lost(v: int, s: Any) -> Any:
    """Return by how much the violation falls when a variable leaves its lines."""
    total = 0
    for k in range(v, s.bases.size, s.x.size):
        total += met(entry(s.counts, entry(s.bases, k) + entry(s.x, v)) - 1, s.measure)
    return total


@inlined
def assign(v: int, new: int, s: Any) -> Any:
    """Give a variable a value; return the change of violation."""
    old = entry(s.x, v)
    change = 0
    for k in range(v, s.bases.size, s.x.size):
        base = entry(s.bases, k)
        left = entry(s.counts, base + old) - 1
        put(s.counts, base + old, left)
        here = entry(s.counts, base + new)
        put(s.counts, base + new, here + 1)
        change += met(here, s.measure) - met(left, s.measure)
    put(s.x, v, new)
    return change


@inlined
def note_move(kind: int, v: int, target: int, change: int, s: Any) -> None:
    """Count and record a move of which the change of cost is known."""
    s.info[at.COST] += change
    s.info[at.MOVES] += 1
    if change == 0:
        kind = at.EVENT_SIDEWAYS
    elif change > 0:
        kind = at.ACCEPT
    at.record(s.events, s.info, kind, v, target, change)


# ---- climbing -----------------------------------------------------------------------------------


@inlined
def least_change(v: int, s: Any) -> Any:
    """Set ``deltas`` to what each value of a variable in three lines adds; return the least of the others."""
    n = s.x.size
    low = s.space.lower[v]
    size = s.space.upper[v] - low + 1
    first = entry(s.bases, v) + low
    second = entry(s.bases, n + v) + low
    third = entry(s.bases, 2 * n + v) + low
    least = at.NEVER
    away = lost(v, s)
    # its own value has the counts that it is part of: for it, something that is never the least
    own = entry(s.x, v) - low
    if s.measure == 1:
        for q in range(size):
            change = entry(s.counts, first + q) + entry(s.counts, second + q) + entry(s.counts, third + q)
            change += at.NEVER if q == own else -away
            put(s.deltas, q, change)
            least = min(least, change)
    else:
        for q in range(size):
            change = (entry(s.counts, first + q) > 0) + 0
            change += (entry(s.counts, second + q) > 0) + 0
            change += (entry(s.counts, third + q) > 0) + 0
            change += at.NEVER if q == own else -away
            put(s.deltas, q, change)
            least = min(least, change)
    return least


@inlined
def best_neighbour(ties: int, s: Any) -> Any:
    """Return variable (-1: no move), value and change of the best assignment of all."""
    variable = -1
    value = 0
    best = at.NEVER
    equal = 0
    for v in range(s.x.size):
        size = s.space.upper[v] - s.space.lower[v] + 1
        least = least_change(v, s)
        if least > best or least >= at.NEVER:
            continue
        if ties == scans.LAST:
            best = least
            variable = v
            q = size - 1
            while entry(s.deltas, q) != least:
                q -= 1
            value = q
            continue
        for q in range(size):
            change = entry(s.deltas, q)
            if change > best or change >= at.NEVER:
                continue
            equal = 1 if change < best else equal + 1
            best = change
            if equal == 1 or below(s.random, equal) == 0:
                variable = v
                value = q
    return variable, value, best


@inlined
def random_neighbour(other: bool, s: Any) -> None:
    """Give a random variable a random value (another one than it has, if ``other``)."""
    v = below(s.random, s.x.size)
    low = s.space.lower[v]
    size = s.space.upper[v] - low + 1
    value = low + below(s.random, size)
    while other and size > 1 and value == s.x[v]:
        value = low + below(s.random, size)
    if value != s.x[v]:
        s.info[at.COST] += assign(v, value, s)
    at.record(s.events, s.info, at.RESET, 0, 1, 0)


@inlined
def climb_on(steps: int, s: Any, others: int, parameters: Ints) -> Any:
    """Climb for at most ``steps`` moves, each out of ``others`` neighbours; see `search_scan.climb_on`."""
    info = s.info
    shoulder = parameters[scans.SHOULDER]
    for _ in range(steps):
        if info[at.COST] == 0:
            return at.SOLVED
        info[at.EVALUATIONS] += others
        v, q, change = best_neighbour(parameters[scans.TIES], s)
        if v < 0 or change > 0:
            return at.LOCAL_OPTIMUM
        if change < 0:
            info[at.SIDEWAYS] = 0
        elif shoulder == scans.GO_ON and info[at.SIDEWAYS] >= parameters[scans.MAX_SIDEWAYS]:
            return at.PLATEAU_LIMIT
        else:
            info[at.SIDEWAYS] += 1
        info[at.STEPS] += 1
        if change == 0 and shoulder == scans.JUMP:
            info[at.MOVES] += 1
            random_neighbour(True, s)
            continue
        value = s.space.lower[v] + q
        assign(v, value, s)
        note_move(at.MOVE, v, value, change, s)
        if change == 0 and shoulder == scans.TAKE_AND_SHAKE and info[at.COST] > 0:
            random_neighbour(False, s)
    return at.SOLVED if info[at.COST] == 0 else at.BUDGET


@kernel
def climb_lines(steps: int, s: Any, lot: Any, starts: Any, after: int, others: int, parameters: Ints) -> None:
    """Make runs of hill climbing for about ``steps`` steps, or `search_info.MOST` evaluations."""
    info = s.info
    steps = min(steps, 1 + at.MOST // (others + 1))
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
        before = info[at.STEPS]
        code = climb_on(min(steps, lots.left(lot, before)), s, others, parameters)
        steps -= info[at.STEPS] - before
        judge(at.SOLVED if info[at.COST] == 0 else code, after, info, s.x, lot, 0)


# ---- sweeps -------------------------------------------------------------------------------------


@inlined
def two_met(count: int, other: int, measure: int) -> Any:
    """Return `met` of two lines together."""
    return count + other if measure == 1 else (count > 0) + 0 + (other > 0)


@inlined
def sweep_on(steps: int, s: Any) -> Any:
    """Sweep ``steps`` variables, each against all later ones; see `search_sweep.sweep_on`.

    Values and, in each of the two lines, bases are all different. So of the four counters that a swap changes
    in a line only those that it leaves may be one, and those that it comes to.
    """
    info = s.info
    members = s.space.group_members
    n = s.x.size
    for _ in range(steps):
        if info[at.COST] == 0:
            return at.SOLVED
        here = info[at.POSITION]
        if here == 0:
            info[at.EXTRA] = 0
        i = entry(members, here)
        up = entry(s.bases, i)
        down = entry(s.bases, n + i)
        xi = entry(s.x, i)
        up_left = entry(s.counts, up + xi) - 1
        down_left = entry(s.counts, down + xi) - 1
        gained = two_met(up_left, down_left, s.measure)
        evaluations = 0
        for place in range(here + 1, members.size):
            j = entry(members, place)
            xj = entry(s.x, j)
            other_up = entry(s.bases, j)
            other_down = entry(s.bases, n + j)
            other_up_left = entry(s.counts, other_up + xj) - 1
            other_down_left = entry(s.counts, other_down + xj) - 1
            if max(max(up_left, down_left), max(other_up_left, other_down_left)) <= 0:
                continue
            evaluations += 1
            other_up_left -= other_up + xj == up + xi
            other_down_left -= other_down + xj == down + xi
            change = (
                two_met(entry(s.counts, up + xj), entry(s.counts, down + xj), s.measure)
                + two_met(
                    entry(s.counts, other_up + xi) + (other_up + xi == up + xj),
                    entry(s.counts, other_down + xi) + (other_down + xi == down + xj),
                    s.measure,
                )
                - two_met(other_up_left, other_down_left, s.measure)
                - gained
            )
            if change >= 0:
                continue
            assign(i, xj, s)
            assign(j, xi, s)
            note_move(at.SWAP, i, j, change, s)
            info[at.EXTRA] += 1
            if info[at.COST] == 0:
                info[at.EVALUATIONS] += evaluations
                return at.SOLVED
            xi = xj
            up_left = entry(s.counts, up + xi) - 1
            down_left = entry(s.counts, down + xi) - 1
            gained = two_met(up_left, down_left, s.measure)
        info[at.EVALUATIONS] += evaluations
        info[at.STEPS] += 1
        info[at.POSITION] = here + 1 if here + 1 < members.size else 0
        if info[at.POSITION] == 0 and info[at.EXTRA] == 0:
            return at.LOCAL_OPTIMUM
    return at.BUDGET


@kernel
def sweep_lines(steps: int, s: Any, lot: Any, starts: Any) -> None:
    """Make runs of sweeps for about ``steps`` steps, or `search_info.MOST` evaluations."""
    info = s.info
    steps = min(steps, 1 + at.MOST // s.x.size)
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
        before = info[at.STEPS]
        code = sweep_on(min(steps, lots.left(lot, before)), s)
        steps -= info[at.STEPS] - before
        judge(at.SOLVED if info[at.COST] == 0 else code, START, info, s.x, lot, 0)


# ---- annealing by rows --------------------------------------------------------------------------


@inlined
def accepts(rule: int, change: int, t: int, course: Any, chances: Any, random: Ints) -> Any:
    """Say whether a worsening move is taken; ``chances`` keeps what is known, by change and temperature."""
    place = change * course.shape[0] + t
    chance = entry(chances, place)
    if chance < 0:
        chance = math.exp(-change / course[t])
        put(chances, place, chance)
    if rule == rows.COARSE:
        return below(random, 100) < 10.0 * chance
    return unit(random) < chance


@inlined
def rowwise_on(steps: int, s: Any, place: Ints, course: Any, chances: Any, tried: Ints, taken: Ints) -> Any:
    """Anneal for ``steps`` steps; see `search_rowwise.rowwise_on`."""
    info = s.info
    n = s.x.size
    v = place[rows.VARIABLE]
    t = place[rows.TEMPERATURE]
    q = place[rows.VALUE]
    made = 0
    code = at.BUDGET
    away = lost(v, s)
    while True:
        if info[at.COST] == 0:
            place[rows.VARIABLE] = v
            place[rows.TEMPERATURE] = t
            place[rows.VALUE] = q
            if rows.is_tested(place):
                code = at.SOLVED
                break
        if made >= steps:
            break
        made += 1
        value = s.space.lower[v] + q
        if value != entry(s.x, v):
            change = -away
            for k in range(v, s.bases.size, n):
                change += met(entry(s.counts, entry(s.bases, k) + value), s.measure)
            good = change <= 0
            if not good:
                put(tried, t, entry(tried, t) + 1)
                good = accepts(place[rows.RULE], change, t, course, chances, s.random)
                put(taken, t, entry(taken, t) + good)
            if good:
                info[at.STEPS] += made  # which the record of a move has in it
                steps -= made
                made = 0
                assign(v, value, s)
                note_move(at.MOVE, v, value, change, s)
                away = lost(v, s)
        q += 1
        if value == s.space.upper[v]:
            q = 0
            t += 1
            if t == course.shape[0]:
                t = 0
                place[rows.ANNEALS] += 1
                v = v + 1 if v + 1 < n else 0
                away = lost(v, s)
    info[at.STEPS] += made
    place[rows.VARIABLE] = v
    place[rows.TEMPERATURE] = t
    place[rows.VALUE] = q
    return code


@kernel
def rowwise_lines(
    steps: int, s: Any, lot: Any, starts: Any, place: Ints, course: Any, tried: Ints, taken: Ints,
    chances: NDArray[np.float64],
) -> None:  # fmt: skip
    """Make runs of annealing row after row; ``tried`` and ``taken`` have a row a run."""
    info = s.info
    while steps > 0 and lots.goes_on(lot):
        if lot.now[lots.DUE]:
            steps -= start(s, lot, starts)
            for k in (rows.VARIABLE, rows.TEMPERATURE, rows.VALUE, rows.ANNEALS):
                place[k] = 0
        before = info[at.STEPS]
        run = lot.now[lots.RUN]
        most = min(steps, lots.left(lot, before))
        code = rowwise_on(most, s, place, course, chances, tried[run], taken[run])
        steps -= info[at.STEPS] - before
        info[at.EVALUATIONS] = info[at.STEPS]
        if lots.left(lot, info[at.STEPS]) <= 0 and info[at.COST] == 0:
            code = at.SOLVED  # though nobody has looked for it
        judge(code, END, info, s.x, lot, place[rows.ANNEALS])
