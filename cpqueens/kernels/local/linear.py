"""Local search of linear models by moves that make one row tight, with weights, and by moves within them.

Where all rows hold, a step takes a move, or an exchange of two, that betters the objective and breaks
nothing. Where there is none, the row that demands a better objective is mended with the others; two ways of
that take turns.

*Balanced*, it is one of them: a step takes the move of the best weighted score among those that just satisfy
some violated rows; where none is good, the weights of all violated rows grow.
*Demanding*, it comes first: while it is violated, a step gives up what costs the least for what it brings;
then a random violated row is mended by what is worth the most for its price, and the weights of those that
are left grow.

Balanced is the better way where variables depend on each other (assignments, facilities), demanding where
many rows cover or pack (set covers, independent sets).

Source: Lin, Zou and Cai, "An efficient local search solver for mixed integer programming", CP 2024 (tight and
lift moves, scores; balanced). Gao, Weise and Li, "An efficient local search heuristic with row weighting for
the unicost set covering problem", European Journal of Operational Research 246, 2015 (demanding, there for
covers without costs). The exchange and the turns are ours.

Everything lies in one arena, see the parts below. Row 0 demands ``objective <= best - 1``.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.plain import EQUAL

# parts of the arena
COLUMN_START = 0  # (variables + 1,) into COLUMN, in entries
COLUMN = 1  # (entries, 2): row, coefficient; row 0 comes first
ROW_START = 2  # (rows + 1,) into ROW, in entries
ROW = 3  # (entries, 2): variable, coefficient
KIND = 4  # (rows,) EQUAL or AT_MOST
ACTIVITY = 5  # (rows,) compared with 0
WEIGHT = 6  # (rows,)
MEMBERS = 7  # (rows,) the violated rows
POSITION = 8  # (rows,) in MEMBERS, -1: not there
LOWER = 9  # (variables,)
UPPER = 10
X = 11
BEST = 12
TABU = 13  # (variables, 2): the last step in which it may not grow, or shrink
INFO = 14  # scalars, see below and search_info
PARTS = 15

# entries of INFO beyond those of search_info
VIOLATED = at.LENGTH  # rows
MOVE = at.LENGTH + 1  # the best move so far: variable,
CHANGE = at.LENGTH + 2  # change of its value,
SCORE = at.LENGTH + 3  # and score
PRICE = at.LENGTH + 4  # and price, see `price`
FOUND = at.LENGTH + 5  # improvements,
TOLD = at.LENGTH + 6  # and those that the driver knows of
DEMANDING = at.LENGTH + 7  # the way of this turn, 1 or 0,
KEEPER = at.LENGTH + 8  # that in which the best assignment was found,
TURN = at.LENGTH + 9  # and steps of a turn
LENGTH = at.LENGTH + 10

ROWS = 3  # violated rows that a step looks at
ENTRIES = 60  # of each of them
LIFTS = 60  # variables of the objective that a step looks at
PARTNERS = 60  # of an exchange
TRIES = 24  # of finding one
FRACTION = 1 << 16  # scores for each unit of the objective are multiples of 1 over this
TENURE = 3
SPREAD = 10
TELLING = 255  # a call ends with an improvement only where these bits of the steps are 0: many come together


@inner_kernel
def gap(kind: int, activity: int) -> Any:
    """Return by how much a row is violated."""
    if kind == EQUAL:
        return abs(activity)
    return max(activity, 0)


@inner_kernel
def score_of(v: int, d: int, a: Ints) -> Any:
    """Return what adding ``d`` to ``v`` is worth, how the gaps grow and by how much the objective gets worse.

    It is worth twice the weights of rows mended, less those broken; rows that are violated before and after
    count once if the gap becomes smaller, or larger. The gaps are those of all rows but row 0.
    """
    total = 0
    grown = 0
    loss = 0
    for p in range(a[a[COLUMN_START] + v], a[a[COLUMN_START] + v + 1]):
        r = a[a[COLUMN] + 2 * p]
        kind = a[a[KIND] + r]
        change = a[a[COLUMN] + 2 * p + 1] * d
        before = gap(kind, a[a[ACTIVITY] + r])
        after = gap(kind, a[a[ACTIVITY] + r] + change)
        if r == 0:
            loss = change
        else:
            grown += after - before
        if before == after:
            continue
        worth = 2 if before == 0 or after == 0 else 1
        total += (worth if after < before else -worth) * a[a[WEIGHT] + r]
    return total, grown, loss


@inner_kernel
def move(v: int, d: int, a: Ints) -> None:
    """Add ``d`` to ``v``; keep activities and the list of violated rows."""
    info = a[INFO]
    a[a[X] + v] += d
    for p in range(a[a[COLUMN_START] + v], a[a[COLUMN_START] + v + 1]):
        r = a[a[COLUMN] + 2 * p]
        a[a[ACTIVITY] + r] += a[a[COLUMN] + 2 * p + 1] * d
        violated = gap(a[a[KIND] + r], a[a[ACTIVITY] + r]) > 0
        place = a[a[POSITION] + r]
        if violated and place < 0:
            a[a[POSITION] + r] = a[info + VIOLATED]
            a[a[MEMBERS] + a[info + VIOLATED]] = r
            a[info + VIOLATED] += 1
        elif not violated and place >= 0:
            a[info + VIOLATED] -= 1
            last = a[a[MEMBERS] + a[info + VIOLATED]]
            a[a[MEMBERS] + place] = last
            a[a[POSITION] + last] = place
            a[a[POSITION] + r] = -1


@inner_kernel
def take(v: int, d: int, a: Ints, random: Ints) -> None:
    """Make a move for good: count it, and forbid the way back for some steps."""
    info = a[INFO]
    move(v, d, a)
    a[a[TABU] + 2 * v + (1 if d > 0 else 0)] = a[info + at.STEPS] + TENURE + below(random, SPREAD)
    a[info + at.MOVES] += 1
    a[info + at.HASH] = at.mixed(2 * v + (d > 0), a[info + at.HASH])


@inner_kernel
def tight(r: int, v: int, coefficient: int, a: Ints) -> Any:
    """Return the least change of ``v`` that satisfies violated row ``r``, as far as the bounds of v go."""
    activity = a[a[ACTIVITY] + r]
    size = abs(coefficient)
    number = abs(activity) // size
    if number == 0 or (a[a[KIND] + r] != EQUAL and number * size < activity):
        number += 1
    here = a[a[X] + v]
    if (activity > 0) == (coefficient > 0):
        return max(-number, a[a[LOWER] + v] - here)
    return min(number, a[a[UPPER] + v] - here)


@inner_kernel
def price(r: int, grown: int, loss: int) -> Any:
    """Return what a tight move of row ``r`` costs for its use: gaps for the objective, or the other way.

    It decides among moves of equal score: without it, the largest would be as good as the most fitting.
    """
    if r == 0:
        return (grown << 10) // max(1, -loss)
    return (loss << 10) // max(1, -grown)


@inner_kernel
def offer(r: int, v: int, d: int, a: Ints) -> None:
    """Keep a tight move of row ``r`` if it is the best that this step has seen."""
    info = a[INFO]
    score, grown, loss = score_of(v, d, a)
    costs = price(r, grown, loss)
    if a[info + DEMANDING] == 1:
        score = score * FRACTION // max(1, abs(loss))
    a[info + at.EVALUATIONS] += 1
    if (
        a[info + MOVE] < 0
        or score > a[info + SCORE]
        or (score == a[info + SCORE] and costs < a[info + PRICE])
    ):
        a[info + MOVE] = v
        a[info + CHANGE] = d
        a[info + SCORE] = score
        a[info + PRICE] = costs


@inner_kernel
def offer_row(r: int, free: bool, a: Ints, random: Ints) -> None:
    """Offer the tight moves of some variables of a violated row; those that are tabu if ``free``."""
    first = a[a[ROW_START] + r]
    size = a[a[ROW_START] + r + 1] - first
    if size == 0:
        return
    offset = below(random, size)
    for q in range(min(size, ENTRIES)):
        p = first + (offset + q) % size
        v = a[a[ROW] + 2 * p]
        d = tight(r, v, a[a[ROW] + 2 * p + 1], a)
        if d != 0 and (free or a[a[TABU] + 2 * v + (0 if d > 0 else 1)] <= a[a[INFO] + at.STEPS]):
            offer(r, v, d, a)


@inner_kernel
def room(v: int, sign: int, a: Ints) -> Any:
    """Return how far ``v`` can go in the direction of ``sign`` without breaking a row but row 0."""
    here = a[a[X] + v]
    most = a[a[UPPER] + v] - here if sign > 0 else here - a[a[LOWER] + v]
    for p in range(a[a[COLUMN_START] + v], a[a[COLUMN_START] + v + 1]):
        r = a[a[COLUMN] + 2 * p]
        c = a[a[COLUMN] + 2 * p + 1] * sign
        if r > 0 and a[a[KIND] + r] == EQUAL:
            return 0
        if r > 0 and c > 0:
            most = min(most, -a[a[ACTIVITY] + r] // c)
        if most <= 0:
            return 0
    return most


@inner_kernel
def lift(a: Ints, random: Ints) -> Any:
    """Make the best of some moves that better the objective and break nothing; say whether there was one."""
    info = a[INFO]
    size = a[a[ROW_START] + 1]
    if size == 0:
        return False
    offset = below(random, size)
    best = -1
    change = 0
    most = 0
    for q in range(min(size, LIFTS)):
        p = (offset + q) % size
        v = a[a[ROW] + 2 * p]
        c = a[a[ROW] + 2 * p + 1]
        sign = -1 if c > 0 else 1
        far = room(v, sign, a)
        a[info + at.EVALUATIONS] += 1
        if far * abs(c) > most:
            best = v
            change = sign * far
            most = far * abs(c)
    if best < 0:
        return False
    take(best, change, a, random)
    return True


@inner_kernel
def is_broken(a: Ints) -> Any:
    """Return a violated row other than row 0, 0 if there is none."""
    number = a[a[INFO] + VIOLATED]
    for k in range(number):
        if a[a[MEMBERS] + k] != 0:
            return a[a[MEMBERS] + k]
    return 0


@inner_kernel
def mend(r: int, gain: int, a: Ints, random: Ints) -> Any:
    """Find the partner of a move that betters the objective by ``gain`` and broke row ``r``; -1 if none.

    Of the moves that mend all rows it is the one after which the most of the gain is left.
    """
    info = a[INFO]
    first = a[a[ROW_START] + r]
    size = a[a[ROW_START] + r + 1] - first
    offset = below(random, size)
    best = -1
    most = 0
    broken = a[info + VIOLATED] - (a[a[POSITION]] >= 0)
    for q in range(min(size, PARTNERS)):
        p = first + (offset + q) % size
        u = a[a[ROW] + 2 * p]
        d = tight(r, u, a[a[ROW] + 2 * p + 1], a)
        if d == 0:
            continue
        a[info + at.EVALUATIONS] += 1
        rest = gain
        mended = 0
        for k in range(a[a[COLUMN_START] + u], a[a[COLUMN_START] + u + 1]):
            row = a[a[COLUMN] + 2 * k]
            c = a[a[COLUMN] + 2 * k + 1]
            if row == 0:
                rest -= c * d
                if rest <= most:
                    break
                continue
            before = gap(a[a[KIND] + row], a[a[ACTIVITY] + row])
            after = gap(a[a[KIND] + row], a[a[ACTIVITY] + row] + c * d)
            if after > 0:
                mended = -1
                break
            mended += (before > 0) + 0
        if mended == broken and rest > most:
            best = u
            most = rest
            a[info + CHANGE] = d
    return best


@inner_kernel
def exchange(a: Ints, random: Ints) -> Any:
    """Better the objective by one variable and mend what that breaks by another; say whether it worked."""
    info = a[INFO]
    size = a[a[ROW_START] + 1]
    for _ in range(TRIES if size > 0 else 0):
        p = below(random, size)
        v = a[a[ROW] + 2 * p]
        c = a[a[ROW] + 2 * p + 1]
        here = a[a[X] + v]
        far = here - a[a[LOWER] + v] if c > 0 else a[a[UPPER] + v] - here
        if far == 0:
            continue
        d = 1 + below(random, far)
        if c > 0:
            d = -d
        move(v, d, a)
        r = is_broken(a)
        u = mend(r, -c * d, a, random) if r > 0 else -1
        move(v, -d, a)
        if u >= 0 and u != v:
            change = a[info + CHANGE]
            take(v, d, a, random)
            take(u, change, a, random)
            return True
    return False


@inner_kernel
def bump(a: Ints) -> None:
    """Add 1 to the weight of each violated row; to that of row 0 only where no other is."""
    number = a[a[INFO] + VIOLATED]
    for k in range(number):
        r = a[a[MEMBERS] + k]
        if r > 0 or number == 1:
            a[a[WEIGHT] + r] += 1


@inner_kernel
def keep(a: Ints) -> None:
    """Keep the present assignment, which satisfies all rows, and demand a better one."""
    info = a[INFO]
    a[info + FOUND] += 1
    a[info + at.STALL] = 0
    a[info + KEEPER] = a[info + DEMANDING]
    n = a[UPPER] - a[LOWER]
    for v in range(n):
        a[a[BEST] + v] = a[a[X] + v]
    a[a[ACTIVITY]] = 1
    a[a[POSITION]] = a[info + VIOLATED]
    a[a[MEMBERS] + a[info + VIOLATED]] = 0
    a[info + VIOLATED] += 1


@inner_kernel
def change_ways(a: Ints) -> None:
    """Return to the best assignment with fresh weights, and begin a turn of the other way."""
    info = a[INFO]
    for v in range(a[UPPER] - a[LOWER]):
        d = a[a[BEST] + v] - a[a[X] + v]
        if d != 0:
            move(v, d, a)
    for r in range(a[ACTIVITY] - a[KIND]):
        a[a[WEIGHT] + r] = 1
    a[info + at.STALL] = 0
    a[info + at.RESETS] += 1
    a[info + DEMANDING] = 1 - a[info + DEMANDING]
    a[a[WEIGHT]] = 1 - a[info + DEMANDING]
    a[info + TURN] += a[info + TURN] // 4


@inner_kernel
def mend_one(r: int, a: Ints, random: Ints) -> None:
    """Make the best tight move of a violated row, if it has any."""
    info = a[INFO]
    a[info + MOVE] = -1
    offer_row(r, False, a, random)
    if a[info + MOVE] < 0:
        offer_row(r, True, a, random)
    if a[info + MOVE] >= 0:
        take(a[info + MOVE], a[info + CHANGE], a, random)


@inner_kernel
def demand(a: Ints, random: Ints) -> None:
    """Mend row 0 if it is violated, else a random row, and let the weights of those that are left grow."""
    info = a[INFO]
    if a[a[POSITION]] >= 0:
        mend_one(0, a, random)
        return
    mend_one(a[a[MEMBERS] + below(random, a[info + VIOLATED])], a, random)
    for k in range(a[info + VIOLATED]):
        r = a[a[MEMBERS] + k]
        a[a[WEIGHT] + r] += (r > 0) + 0


@inner_kernel
def mend_some(a: Ints, random: Ints) -> None:
    """Make the best tight move of some violated rows; where none is good, one that is not, and bump."""
    info = a[INFO]
    a[info + MOVE] = -1
    for _ in range(ROWS):
        offer_row(a[a[MEMBERS] + below(random, a[info + VIOLATED])], False, a, random)
    if a[info + MOVE] < 0 or a[info + SCORE] <= 0:
        bump(a)
        a[info + MOVE] = -1
        offer_row(a[a[MEMBERS] + below(random, a[info + VIOLATED])], True, a, random)
    if a[info + MOVE] >= 0:
        take(a[info + MOVE], a[info + CHANGE], a, random)


@kernel
def linear_search(steps: int, a: Ints, random: Ints) -> Any:
    """Go on for ``steps`` steps; return SOLVED at some step after an improvement.

    A turn ends after so many steps without a new best assignment, once there is one; that of the way in
    which it was found after twice as many.
    """
    info = a[INFO]
    for _ in range(steps):
        if a[info + VIOLATED] == 0:
            keep(a)
        if a[info + at.STEPS] & TELLING == 0 and a[info + FOUND] != a[info + TOLD]:
            return at.SOLVED
        a[info + at.STEPS] += 1
        a[info + at.STALL] += 1
        own = (a[info + DEMANDING] == a[info + KEEPER]) + 0
        if a[info + at.STALL] > a[info + TURN] << own and a[info + FOUND] > 0:
            change_ways(a)
        feasible = a[info + VIOLATED] == 1 and a[a[POSITION]] >= 0
        if not (feasible and (lift(a, random) or exchange(a, random))):
            if a[info + DEMANDING] == 1:
                demand(a, random)
            else:
                mend_some(a, random)
    if a[info + VIOLATED] == 0:
        keep(a)
    return at.BUDGET
