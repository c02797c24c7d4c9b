"""Permutations under AllDifferents over x[i] + offset[i]: queens of any size, in little memory.

The start places variables one after the other, each on a random one of the values that are left, if
possible without a conflict, within 3 n tries in all (Sosic and Gu's QS4, "A polynomial time algorithm for
the n-queens problem", 1990, and "3,000,000 queens in less than one minute", 1991). What stays in conflict
goes into a work list: every pair in conflict has a member there. A variable from the list is swapped with
the best of some partners.

Counter numbers are x[i] + offsets[c, i]; values and offsets are shifted so that all are >= 0. The arrays
are int32 to keep 10**7 variables small.
"""

from typing import Any, NamedTuple

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below, draw
from cpqueens.kernels.local import info as at, start as lots
from cpqueens.kernels.local.arena import Ints

# entries of ``info`` beyond those of search_info; its COST is the surplus
PLACED = at.LENGTH  # variables placed by the start
TRIES = at.LENGTH + 1  # used by the start
LISTED = at.LENGTH + 2  # length of the work list
SEARCHING = at.LENGTH + 3  # 0 while the start is under way
MISPLACED = at.LENGTH + 4  # variables that the start left in conflict
RESTARTS = at.LENGTH + 5
LENGTH = at.LENGTH + 6

SCAN_ALL = 320  # up to so many variables, all partners are looked at
SAMPLE = 64  # else so many


class Placing(NamedTuple):
    """A permutation, its counters and the state of a search."""

    x: Ints  # (variables,)
    offsets: Ints  # (AllDifferents, variables)
    counts: Ints  # (counters,)
    work: Ints  # longer than the variables: see `units_search`
    info: Ints
    random: Ints


@inner_kernel
def swap_delta(i: int, j: int, x: Ints, offsets: Ints, count: Ints) -> Any:
    """Return the change of surplus by swapping the values of ``i`` and ``j`` (reads only)."""
    delta = 0
    xi = x[i]
    xj = x[j]
    for c in range(offsets.shape[0]):
        oi = offsets[c, i]
        oj = offsets[c, j]
        k1 = xi + oi
        k2 = xj + oj
        k3 = xj + oi
        k4 = xi + oj
        delta -= (count[k1] > 1) + 0
        delta -= (count[k2] - (k2 == k1) > 1) + 0
        delta += (count[k3] - (k3 == k1) - (k3 == k2) > 0) + 0
        delta += (count[k4] - (k4 == k1) - (k4 == k2) + (k4 == k3) > 0) + 0
    return delta


@inner_kernel
def shift(i: int, value: int, step: int, offsets: Ints, count: Ints) -> None:
    """Add ``step`` to the counters of variable ``i`` with ``value``."""
    for c in range(offsets.shape[0]):
        count[value + offsets[c, i]] += step


@inner_kernel
def is_shared(i: int, value: int, most: int, offsets: Ints, count: Ints) -> Any:
    """Say whether a counter of ``value`` at variable ``i`` has more than ``most`` occupants."""
    for c in range(offsets.shape[0]):  # noqa: SIM110 - a generator would not compile
        if count[value + offsets[c, i]] > most:
            return True
    return False


@inner_kernel
def enlist(i: int, s: Any) -> None:
    """Put variable ``i`` into the work list."""
    s.work[s.info[LISTED]] = i
    s.info[LISTED] += 1


@inner_kernel
def find_free(i: int, limit: int, s: Any) -> Any:
    """Return the place of a value for variable ``i`` that conflicts with none, -1 after ``limit`` tries."""
    n = s.x.shape[0]
    while s.info[TRIES] < limit:
        s.info[TRIES] += 1
        j = i + below(s.random, n - i)
        if not is_shared(i, s.x[j], 0, s.offsets, s.counts):
            return j
    return -1


@inner_kernel
def construct(steps: int, limit: int, s: Any) -> None:
    """Place up to ``steps`` variables without conflict as long as ``limit`` tries in all last."""
    x = s.x
    info = s.info
    n = x.shape[0]
    end = min(n, info[PLACED] + steps)
    for i in range(info[PLACED], end):
        j = find_free(i, limit, s)
        if j < 0:  # the tries are used up: a value whatever it costs
            j = i + below(s.random, n - i)
            for c in range(s.offsets.shape[0]):
                info[at.COST] += (s.counts[x[j] + s.offsets[c, i]] > 0) + 0
            enlist(i, s)
        value = x[j]
        x[j] = x[i]
        x[i] = value
        shift(i, value, 1, s.offsets, s.counts)
        info[at.STEPS] += 1
    info[PLACED] = end
    if end == n:
        info[SEARCHING] = 1
        info[at.LEAST] = info[at.COST]
        info[MISPLACED] = info[LISTED]


@inner_kernel
def restart(count: Ints, info: Ints) -> None:
    """Forget everything but the generator and the totals; the values stay a permutation."""
    for k in range(count.shape[0]):
        count[k] = 0
    info[PLACED] = 0
    info[TRIES] = 0
    info[at.COST] = 0
    info[LISTED] = 0
    info[at.STALL] = 0
    info[SEARCHING] = 0
    info[RESTARTS] += 1


@inner_kernel
def enlist_attacked(i: int, s: Any) -> None:
    """Put variable ``i`` into the work list if it shares a counter."""
    if is_shared(i, s.x[i], 1, s.offsets, s.counts):
        enlist(i, s)


@inner_kernel
def best_partner(i: int, s: Any) -> Any:
    """Return the variable to swap ``i`` with, -1 if there is none, and the change of surplus.

    On large boards the first that lowers the surplus is taken.
    """
    n = s.x.shape[0]
    best = -1
    least = 0
    ties = 0
    for q in range(n if n <= SCAN_ALL else SAMPLE):
        j = q if n <= SCAN_ALL else below(s.random, n)
        if j == i:
            continue
        delta = swap_delta(i, j, s.x, s.offsets, s.counts)
        s.info[at.EVALUATIONS] += 1
        if ties == 0 or delta < least:
            best = j
            least = delta
            ties = 1
            if delta < 0 and n > SCAN_ALL:
                break
        elif delta == least:
            ties += 1
            if below(s.random, ties) == 0:
                best = j
    return best, least


@inner_kernel
def swap(i: int, j: int, change: int, s: Any) -> None:
    """Swap the values of two variables, which changes the surplus by ``change``."""
    x = s.x
    info = s.info
    xi = x[i]
    xj = x[j]
    shift(i, xi, -1, s.offsets, s.counts)
    shift(j, xj, -1, s.offsets, s.counts)
    shift(i, xj, 1, s.offsets, s.counts)
    shift(j, xi, 1, s.offsets, s.counts)
    x[i] = xj
    x[j] = xi
    info[at.COST] += change
    info[at.MOVES] += 1
    info[at.HASH] = at.mixed(i * 65537 + j, info[at.HASH])
    if info[at.COST] < info[at.LEAST]:
        info[at.LEAST] = info[at.COST]
        info[at.STALL] = 0


@inner_kernel
def units_on(steps: int, tries: int, stall: int, noise: int, s: Any) -> Any:
    """Go on for ``steps`` steps; return whether a solution is reached.

    Parameters
    ----------
    tries
        Tries of the start per variable.
    stall
        Steps without a new least surplus that cause a new start.
    noise
        Probability, out of 2**32, of taking a worsening best swap.
    """
    info = s.info
    end = info[at.STEPS] + steps
    while info[at.STEPS] < end:
        if info[SEARCHING] == 0:
            construct(end - info[at.STEPS], tries * s.x.shape[0], s)
            continue
        if info[at.COST] == 0:
            return True
        if info[at.STALL] >= stall:
            restart(s.counts, info)
            continue
        info[at.STEPS] += 1
        here = below(s.random, info[LISTED])
        i = s.work[here]
        info[LISTED] -= 1
        s.work[here] = s.work[info[LISTED]]
        if not is_shared(i, s.x[i], 1, s.offsets, s.counts):
            continue
        info[at.STALL] += 1
        best, change = best_partner(i, s)
        if best >= 0 and (change <= 0 or draw(s.random) < noise):
            swap(i, best, change, s)
            if info[LISTED] + 2 > s.work.shape[0]:
                info[at.STALL] = stall  # duplicates have filled the list: start anew
                continue
            enlist_attacked(best, s)
        enlist_attacked(i, s)
        if info[LISTED] == 0 and info[at.COST] > 0:
            info[at.STALL] = stall
    return info[SEARCHING] == 1 and info[at.COST] == 0


@kernel
def units_search(steps: int, tries: int, stall: int, noise: int, s: Any) -> Any:
    """Do the same for a driver."""
    return units_on(steps, tries, stall, noise, s)


@kernel
def units_runs(steps: int, s: Any, lot: Any, tries: int, stall: int, noise: int) -> None:
    """Go on with run after run, for about ``steps`` steps."""
    info = s.info
    while steps > 0 and lots.goes_on(lot):
        if lots.is_due(lot):
            for k in range(LENGTH):
                info[k] = 0
            for k in range(s.counts.shape[0]):
                s.counts[k] = 0
            for k in range(s.x.shape[0]):
                s.x[k] = k
            steps -= lots.begin(lot, s.random)
        before = info[at.STEPS]
        solved = units_on(min(steps, lots.left(lot, before)), tries, stall, noise, s)
        steps -= info[at.STEPS] - before
        if solved or lots.left(lot, info[at.STEPS]) <= 0:
            code = at.SOLVED if solved else at.STEP_LIMIT
            lots.note(lot, code, info, info[RESTARTS], info[MISPLACED])
            lots.leave(lot, s.x)
