"""Propagation of the kernel core: clauses, AllDifferents, and the switch over all kinds.

Each function takes the memory and the position of a propagator, prunes, and returns 1, or 0 if the
constraint cannot hold. Calls that change a domain are few on purpose: each is a copy of that code, and
compiling time grows with them.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import run_apart
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.propagators.functions import absolute, division, element, extreme, product
from cpqueens.kernels.exact.propagators.rows import linear
from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

NO_ARGUMENT, SEVERAL = -1, -2

LATE = 2
"""What `propagate` returns that is to go on in the next call."""

WAKES = 1 << 14
"""What changes may cost in one call of it, see `waking`: about a hundredth of a second."""


@inner_kernel
def clause(m: Memory, p: int) -> Any:
    """Prune a clause, or the truth of one: ``result == 1`` exactly where some literal is true.

    A literal is a 0/1 variable with coefficient 1, or -1 where it is negated.
    """
    r = entry(m.net, p + at.RESULT) if entry(m.net, p + at.KIND) == kinds.TRUTH_OR else -1
    all_false = r >= 0 and entry(m.x, r + at.HIGH) == 0
    free = -1
    open_literals = 0
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v = entry(m.net, k)
        if entry(m.x, v + at.LOW) != entry(m.x, v + at.HIGH):
            free = k
            open_literals += 1
            false = 1 if entry(m.net, k + 1) < 0 else 0
            if all_false and not at.tighten(m, v, false, false):
                return 0
        elif (entry(m.x, v + at.LOW) == 1) == (entry(m.net, k + 1) > 0):  # true
            return 1 if r < 0 else at.tighten(m, r, 1, 1)
    if all_false:
        return 1
    if r >= 0 and entry(m.x, r + at.LOW) == 0:
        return at.tighten(m, r, 0, 0) if open_literals == 0 else 1
    if open_literals != 1:
        return 1 if open_literals else 0
    truth = 1 if entry(m.net, free + 1) > 0 else 0
    return at.tighten(m, entry(m.net, free), truth, truth)


@inner_kernel
def all_different(m: Memory, v: int) -> Any:
    """Remove the value of v, just fixed, from the other terms of its AllDifferents.

    Each place of v in ``net`` is (position of the term, first and last term of its AllDifferent); a term
    is (variable, coefficient, constant).
    """
    for place in range(entry(m.x, v + at.MEMBER), entry(m.x, v + at.MEMBER_END), 3):
        mine = entry(m.net, place)
        taken = entry(m.net, mine + 1) * entry(m.x, v + at.LOW) + entry(m.net, mine + 2)
        m.stack[at.RUNNING] = -entry(m.net, place + 1)
        for term in range(entry(m.net, place + 1), entry(m.net, place + 2), 3):
            if term != mine:
                a = entry(m.net, term + 1)
                rest = taken - entry(m.net, term + 2)
                value = rest if a == 1 else rest // a
                if value * a == rest and not at.remove(m, entry(m.net, term), value):
                    m.stack[at.FAILED] = -place
                    at.tally(m, entry(m.net, place + 1), 0)
                    return 0
        at.tally(m, entry(m.net, place + 1), 1)
    return 1


@inner_kernel
def open_argument(m: Memory, term: int) -> Any:
    """Return where a sum's only open argument is (or that it has none, or several), and its fixed part.

    A sum is (first and last argument, constant), an argument (variable, coefficient).
    """
    k, end, rest = entry(m.net, term), entry(m.net, term + 1), entry(m.net, term + 2)
    free = NO_ARGUMENT
    while k < end:  # of a range the number of turns would be computed first, and mostly it is two
        v = entry(m.net, k)
        if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH):
            rest += entry(m.net, k + 1) * entry(m.x, v + at.LOW)
        elif free != NO_ARGUMENT:
            return SEVERAL, rest
        else:
            free = k
        k += 2
    return free, rest


@inner_kernel
def sums_different(m: Memory, v: int) -> Any:
    """Prune AllDifferents that have sums among their terms, after v was fixed.

    Each sum with v is compared with every other: where at most one variable of the two is open, it loses the
    value that would make them equal. It is the same as a disequality for each pair, without waking them all.
    """
    for place in range(entry(m.x, v + at.PART), entry(m.x, v + at.PART_END), 3):
        mine = entry(m.net, place)
        free, rest = open_argument(m, mine)
        if free == SEVERAL:
            continue
        m.stack[at.RUNNING] = -entry(m.net, place + 1)
        for term in range(entry(m.net, place + 1), entry(m.net, place + 2), 3):
            other, gap = open_argument(m, term)
            if term == mine or other == SEVERAL:
                continue
            if free >= 0 and other >= 0 and entry(m.net, free) != entry(m.net, other):
                continue
            gap -= rest  # equal where a * (the open variable) == gap
            a = 0
            if free >= 0:
                a += entry(m.net, free + 1)
            if other >= 0:
                a -= entry(m.net, other + 1)
            if a == 0:
                if gap == 0:
                    at.tally(m, entry(m.net, place + 1), 0)
                    return 0
                continue
            value = gap if a > 0 else -gap
            if abs(a) > 1:  # divisions cost more than all the rest
                if gap % a != 0:
                    continue
                value = gap // a
            if not at.remove(m, entry(m.net, max(free, other)), value):
                at.tally(m, entry(m.net, place + 1), 0)
                return 0
        at.tally(m, entry(m.net, place + 1), 1)
    return 1


@inlined
def run_propagator(m: Memory, p: int) -> Any:
    """Run one propagator; the switch over kinds."""
    kind = entry(m.net, p + at.KIND)
    if kind <= kinds.TRUTH_AT_MOST:
        return linear(m, p)
    if kind <= kinds.TRUTH_OR:
        return clause(m, p)
    if kind == kinds.ABS:
        return absolute(m, p)
    if kind == kinds.PRODUCT:
        return product(m, p)
    if kind <= kinds.REMAINDER_TRUNCATED:
        return division(m, p)
    if kind <= kinds.MAXIMUM:
        return extreme(m, p)
    if kind == kinds.ELEMENT:
        return element(m, p)
    return run_apart(m, p, entry(m.stack, at.ADDRESSES + kind - kinds.APART))


@inner_kernel
def move_sums(m: Memory, v: int, low: int, high: int) -> None:
    """Add to the sums of long rows what v's bounds, which were ``low`` and ``high``, have come closer by."""
    up, down = entry(m.x, v + at.LOW) - low, entry(m.x, v + at.HIGH) - high
    for k in range(entry(m.x, v + at.IN_ROWS), entry(m.x, v + at.IN_ROWS_END), 2):
        r, a = entry(m.net, k), entry(m.net, k + 1)
        first, last = (up, down) if a > 0 else (down, up)
        at.set_word(m, r, at.word(m, r) + a * first)
        at.set_word(m, r + at.WORD_WIDTH, at.word(m, r + at.WORD_WIDTH) + a * last)


@inlined
def wake(m: Memory) -> Any:
    """Queue what waits for the last change, remove a fixed value from what must differ; 0 at a failure."""
    m.stack[at.RUNNING] = m.stack[at.REMOVED] = 0
    top = m.stack[at.CHANGED_TOP] - at.CHANGE_WIDTH
    m.stack[at.CHANGED_TOP] = top
    v = entry(m.stack, top)
    events = entry(m.x, v + at.EVENTS)
    put(m.x, v + at.EVENTS, 0)
    if entry(m.x, v + at.IN_ROWS) < entry(m.x, v + at.IN_ROWS_END):
        move_sums(m, v, entry(m.stack, top + 1), entry(m.stack, top + 2))
    for k in range(entry(m.x, v + at.WATCH), entry(m.x, v + at.WATCH_END), 2):
        if entry(m.net, k + 1) & events:
            at.enqueue(m, entry(m.net, k))
    return 0 if events & at.FIX and not (all_different(m, v) and sums_different(m, v)) else 1


@inner_kernel
def waking(m: Memory) -> Any:
    """Return what the next change costs: 1, and more where a fixed value is removed from very many terms."""
    v = entry(m.stack, m.stack[at.CHANGED_TOP] - at.CHANGE_WIDTH)
    cost = 1
    if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH):
        for place in range(entry(m.x, v + at.MEMBER), entry(m.x, v + at.MEMBER_END), 3):
            cost += (entry(m.net, place + 2) - entry(m.net, place + 1)) >> 6
    return cost


@inlined
def propagate(m: Memory, end: int) -> Any:
    """Wake what waits for changes and run what is queued, to the fixpoint; return 0 at a failure.

    It is `LATE` once all propagators have done the work ``end``, or very many changes have woken others, and
    goes on where it was in the next call: where constraints go round in a circle, wide domains may be
    narrowed by one value at a time, and of a million variables all may change at once.
    """
    left = WAKES
    while m.stack[at.WORK] < end and left > 0:
        if m.stack[at.CHANGED_TOP] > m.stack[at.CHANGED_BASE]:
            left -= waking(m)
            if not wake(m):
                return 0
        else:
            queue = at.waiting_queue(m)
            if queue == at.QUEUES_END:
                return 1
            p = at.dequeue(m, queue)
            m.stack[at.RUNS] += 1
            m.stack[at.WORK] += 1
            m.stack[at.RUNNING] = p + 1
            possible = run_propagator(m, p)
            at.tally(m, p, possible)
            if not possible:
                m.stack[at.FAILED] = p + 1
                return 0
    return LATE
