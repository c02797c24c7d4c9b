"""Tasks of scheduling propagators, in either direction of time.

The arguments of such a propagator are the starts of all tasks, their durations, their presences and what
else there is; its constant is the number of tasks. Its room has `ROOM` numbers for each task that it looks
at. A rule is stated for earliest starts and used a second time in mirrored time, where a task with
``start + duration == end`` starts at ``-end``.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, tighten
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

# Numbers of the k-th task: which one it is, its earliest and latest start, its length and demand, whether it
# is in the set at hand, its bound to be, energies; then, by place, the tasks by earliest start, latest end,
# latest start and earliest end.
TASK, EARLIEST, LATEST, LENGTH, DEMAND, IN, BOUND, FREE, AFTER_START, AFTER_END = range(10)
BY_START, BY_LATEST_END, BY_LATEST, BY_END, ROOM = range(10, 15)
OUT, SURE, MAYBE = 0, 1, 2

# The arguments.
STARTS, DURATIONS, PRESENCES, DEMANDS, CAPACITY = range(5)


@inner_kernel
def tasks_of(m: Memory, p: int) -> Any:
    """Return the number of tasks."""
    return entry(m.net, p + at.CONSTANT)


@inner_kernel
def argument(m: Memory, p: int, side: int, task: int) -> Any:
    """Return the variable of a task on one side of the arguments."""
    return entry(m.net, entry(m.net, p + at.START) + 2 * (side * tasks_of(m, p) + task))


@inner_kernel
def number(m: Memory, t: int, field: int, k: int) -> Any:
    """Return a number of the k-th task."""
    return entry(m.net, t + ROOM * k + field)


@inner_kernel
def set_number(m: Memory, t: int, field: int, k: int, value: int) -> None:
    """Set a number of the k-th task."""
    put(m.net, t + ROOM * k + field, value)


@inner_kernel
def read_task(m: Memory, p: int, k: int, task: int, sign: int) -> None:
    """Make a task the k-th one, in mirrored time where ``sign`` is -1."""
    t = entry(m.net, p + at.ROWS)
    start = argument(m, p, STARTS, task)
    length = max(0, entry(m.x, argument(m, p, DURATIONS, task) + at.LOW))
    low, high = entry(m.x, start + at.LOW), entry(m.x, start + at.HIGH)
    set_number(m, t, TASK, k, task)
    set_number(m, t, LENGTH, k, length)
    set_number(m, t, EARLIEST, k, low if sign > 0 else -high - length)
    set_number(m, t, LATEST, k, high if sign > 0 else -low - length)


@inner_kernel
def key(m: Memory, t: int, order: int, k: int) -> Any:
    """Return what an order of the tasks goes by."""
    start = number(m, t, EARLIEST if order in (BY_START, BY_END) else LATEST, k)
    return start + (number(m, t, LENGTH, k) if order in (BY_END, BY_LATEST_END) else 0)


@inner_kernel
def sort(m: Memory, t: int, order: int, count: int) -> None:
    """Order the tasks."""
    for k in range(count):
        mine, place = key(m, t, order, k), k
        while place > 0 and key(m, t, order, number(m, t, order, place - 1)) > mine:
            set_number(m, t, order, place, number(m, t, order, place - 1))
            place -= 1
        set_number(m, t, order, place, k)


@inner_kernel
def give_bounds(m: Memory, p: int, count: int, sign: int, ending: int) -> Any:
    """Give the tasks their new earliest starts, or latest ends, in the direction of time at hand."""
    t = entry(m.net, p + at.ROWS)
    for k in range(count):
        length, bound = number(m, t, LENGTH, k), number(m, t, BOUND, k)
        v = argument(m, p, STARTS, number(m, t, TASK, k))
        low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        if ending == (sign < 0):
            low = bound if sign > 0 else -bound
        else:
            high = bound - length if sign > 0 else -bound - length
        if not tighten(m, v, low, high):
            return 0
    return 1


@inner_kernel
def not_negative(m: Memory, p: int, side: int) -> Any:
    """Let no duration, or demand, of a task that is present be below 0."""
    for task in range(tasks_of(m, p)):
        size, presence = argument(m, p, side, task), argument(m, p, PRESENCES, task)
        if entry(m.x, size + at.HIGH) < 0 and not tighten(m, presence, 0, 0):
            return 0
        if entry(m.x, presence + at.LOW) == 1 and not tighten(m, size, 0, entry(m.x, size + at.HIGH)):
            return 0
    return 1


@inner_kernel
def can_precede(m: Memory, p: int, i: int, j: int) -> Any:
    """Return by how much task ``i`` may at least end before ``j`` starts, at best; below 0 it cannot."""
    length = max(0, entry(m.x, argument(m, p, DURATIONS, i) + at.LOW))
    return (
        entry(m.x, argument(m, p, STARTS, j) + at.HIGH)
        - entry(m.x, argument(m, p, STARTS, i) + at.LOW)
        - length
    )


@inner_kernel
def put_before(m: Memory, p: int, i: int, j: int) -> Any:
    """Let task ``i`` end before ``j`` starts."""
    start, later = argument(m, p, STARTS, i), argument(m, p, STARTS, j)
    duration = argument(m, p, DURATIONS, i)
    length = max(0, entry(m.x, duration + at.LOW))
    end = entry(m.x, start + at.LOW) + length
    if not tighten(m, later, end, entry(m.x, later + at.HIGH)):
        return 0
    latest = entry(m.x, later + at.HIGH)
    if not tighten(m, start, entry(m.x, start + at.LOW), latest - length):
        return 0
    return tighten(m, duration, entry(m.x, duration + at.LOW), latest - entry(m.x, start + at.LOW))


@inner_kernel
def order_pair(m: Memory, p: int, i: int, j: int) -> Any:
    """Prune for two tasks of which one, or both, cannot come first."""
    forth, back = can_precede(m, p, i, j), can_precede(m, p, j, i)
    if forth >= 0 and back >= 0:
        return 1
    mine, other = argument(m, p, PRESENCES, i), argument(m, p, PRESENCES, j)
    if entry(m.x, mine + at.LOW) == 1 and entry(m.x, other + at.LOW) == 1:
        return put_before(m, p, j, i) if forth < 0 else put_before(m, p, i, j)
    if forth < 0 and back < 0:
        if entry(m.x, mine + at.LOW) == 1:
            return tighten(m, other, 0, 0)
        if entry(m.x, other + at.LOW) == 1:
            return tighten(m, mine, 0, 0)
    return 1
