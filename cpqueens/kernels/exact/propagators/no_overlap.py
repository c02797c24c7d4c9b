"""Tasks one after another: overload, detectable precedences, not-first and not-last, edge finding.

Vilim, "Global constraints in scheduling" (2007), with a scan of the tasks by earliest start in the place of
his trees: quadratic, and faster up to some fifty tasks. Each rule is stated for earliest starts and is used
a second time in mirrored time. Tasks count with their least durations; pairs of tasks decide the rest, and
what optional tasks may do.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, task_sets as of
from cpqueens.kernels.exact.domains import Memory, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry


@inner_kernel
def read_present(m: Memory, p: int, sign: int) -> Any:
    """Read the tasks that are present, and return their number."""
    count = 0
    for task in range(of.tasks_of(m, p)):
        if entry(m.x, of.argument(m, p, of.PRESENCES, task) + at.LOW) == 1:
            of.read_task(m, p, count, task, sign)
            count += 1
    return count


@inner_kernel
def fill(m: Memory, t: int, count: int, state: int) -> None:
    """Put all tasks into the set at hand, or out of it, with their present bounds."""
    for k in range(count):
        of.set_number(m, t, of.IN, k, state)
        of.set_number(m, t, of.BOUND, k, of.number(m, t, of.EARLIEST, k))


@inner_kernel
def ends(m: Memory, t: int, count: int, without: int) -> Any:
    """Return the earliest end of the tasks in the set, the same with one of those that may be, and which.

    The task ``without`` is not looked at.
    """
    least = -(1 << 62)
    sure, most, which = least, least, -1
    for place in range(count):
        k = of.number(m, t, of.BY_START, place)
        state = of.number(m, t, of.IN, k)
        if state == of.OUT or k == without:
            continue
        start, length = of.number(m, t, of.EARLIEST, k), of.number(m, t, of.LENGTH, k)
        end = max(sure, start) + length
        if state == of.SURE:
            sure = end
            if start >= most:
                which = -1
            most = max(most, start) + length
        elif end > most:
            most, which = end, k
    return sure, most, which


@inner_kernel
def is_overloaded(m: Memory, t: int, count: int) -> Any:
    """Say whether some tasks do not fit between their starts and their ends."""
    fill(m, t, count, of.OUT)
    for place in range(count):
        k = of.number(m, t, of.BY_LATEST_END, place)
        of.set_number(m, t, of.IN, k, of.SURE)
        if ends(m, t, count, -1)[0] > of.key(m, t, of.BY_LATEST_END, k):
            return 1
    return 0


@inner_kernel
def find_edges(m: Memory, t: int, count: int) -> Any:
    """Edge finding: a task that does not fit with those that end by a time comes after them all."""
    fill(m, t, count, of.SURE)
    for place in range(count - 1, -1, -1):
        k = of.number(m, t, of.BY_LATEST_END, place)
        limit = of.key(m, t, of.BY_LATEST_END, k)
        sure, most, which = ends(m, t, count, -1)
        if sure > limit:
            return 0
        while most > limit:
            of.set_number(m, t, of.BOUND, which, max(sure, of.number(m, t, of.BOUND, which)))
            of.set_number(m, t, of.IN, which, of.OUT)
            sure, most, which = ends(m, t, count, -1)
        of.set_number(m, t, of.IN, k, of.MAYBE)
    return 1


@inner_kernel
def take_in(m: Memory, t: int, count: int, before: int, end: int) -> Any:
    """Put those, from a place on, into the set that must start before a time; return the next place."""
    while before < count and of.number(m, t, of.LATEST, of.number(m, t, of.BY_LATEST, before)) < end:
        of.set_number(m, t, of.IN, of.number(m, t, of.BY_LATEST, before), of.SURE)
        before += 1
    return before


@inner_kernel
def detect_precedences(m: Memory, t: int, count: int) -> None:
    """Start each task after all those that can no longer follow it."""
    fill(m, t, count, of.OUT)
    before = 0
    for place in range(count):
        k = of.number(m, t, of.BY_END, place)
        end = of.key(m, t, of.BY_END, k)
        before = take_in(m, t, count, before, end)
        of.set_number(m, t, of.BOUND, k, max(ends(m, t, count, k)[0], of.number(m, t, of.BOUND, k)))


@inner_kernel
def not_last(m: Memory, t: int, count: int) -> None:
    """Set the bounds to the latest ends: a task not after some others ends before one of these starts."""
    fill(m, t, count, of.OUT)
    before = 0
    for place in range(count):
        k = of.number(m, t, of.BY_LATEST_END, place)
        end = of.key(m, t, of.BY_LATEST_END, k)
        before = take_in(m, t, count, before, end)
        if before and ends(m, t, count, k)[0] > of.number(m, t, of.LATEST, k):
            end = min(end, of.number(m, t, of.LATEST, of.number(m, t, of.BY_LATEST, before - 1)))
        of.set_number(m, t, of.BOUND, k, end)


@inner_kernel
def in_direction(m: Memory, p: int, sign: int) -> Any:
    """Prune by all rules for sets of tasks, in one direction of time."""
    t = entry(m.net, p + at.ROWS)
    count = read_present(m, p, sign)
    m.stack[at.WORK] += count * count >> 2
    for order in range(of.BY_START, of.ROOM):
        of.sort(m, t, order, count)
    for rule in range(3):
        if rule == 0:
            detect_precedences(m, t, count)
        elif rule == 1:
            not_last(m, t, count)
        elif not find_edges(m, t, count):
            return 0
        if not of.give_bounds(m, p, count, sign, 1 if rule == 1 else 0):
            return 0
    return 1


@inner_kernel
def leave_out(m: Memory, p: int) -> Any:
    """Leave the optional tasks out with which the others do not fit."""
    t = entry(m.net, p + at.ROWS)
    for task in range(of.tasks_of(m, p)):
        presence = of.argument(m, p, of.PRESENCES, task)
        if entry(m.x, presence + at.LOW) < entry(m.x, presence + at.HIGH):
            count = read_present(m, p, 1)
            of.read_task(m, p, count, task, 1)
            for order in (of.BY_START, of.BY_LATEST_END):
                of.sort(m, t, order, count + 1)
            if is_overloaded(m, t, count + 1) and not tighten(m, presence, 0, 0):
                return 0
    return 1


@inner_kernel
def order_pairs(m: Memory, p: int) -> Any:
    """Prune for all pairs of tasks that may be present."""
    for i in range(of.tasks_of(m, p)):
        for j in range(i if entry(m.x, of.argument(m, p, of.PRESENCES, i) + at.HIGH) else 0):
            if entry(m.x, of.argument(m, p, of.PRESENCES, j) + at.HIGH) and not of.order_pair(m, p, i, j):
                return 0
    return 1


@propagator
def no_overlap(m: Memory, p: int) -> Any:
    """Prune starts, durations and presences of tasks of which no two overlap."""
    if not of.not_negative(m, p, of.DURATIONS) or not order_pairs(m, p):
        return 0
    if not in_direction(m, p, 1) or not in_direction(m, p, -1):
        return 0
    return leave_out(m, p)
